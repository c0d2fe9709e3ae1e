import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

@Suite struct DeliveryVerdictMaskingTests {
    let secrets = ["Bearer tok-secret-0123456789", "tok-secret-0123456789", "yours"]

    @Test("S14: a secret is masked, wherever the text was cut; a short one may be any word")
    func secretsAreMasked() {
        let said = "unknown token tok-secret-0123456789 of yours"
        #expect(DeliveryVerdict.rejected(said).masking(secrets) == .rejected("unknown token *** of yours"))
        #expect(
            DeliveryVerdict.deliveredExcept(rejected: 3, isFinal: true, said).masking(secrets)
                == .deliveredExcept(rejected: 3, isFinal: true, "unknown token *** of yours"))
        #expect(DeliveryVerdict.outsideTimeRange(said).masking(secrets) == .outsideTimeRange("unknown token *** of yours"))
        for count in 0...said.count {
            let text = "\(DeliveryVerdict.misconfigured(String(said.prefix(count))).masking(secrets))"
            #expect(!text.contains("tok-secr"), "\(text)")
        }
        #expect(DeliveryVerdict.retry(after: nil, "no tok-secret\u{FFFD}").masking(secrets) == .retry(after: nil, "no ***"))
        #expect(DeliveryVerdict.tooLarge("a word").masking(secrets) == .tooLarge("a word"))
    }

    @Test("S14: a secret is masked also in another spelling", arguments: [
        ("key YWJjZGVmZ2hpag\\u003d\\u003d is unknown", "key *** is unknown"),
        ("key YWJjZGVmZ2hpag== is unknown", "key *** is unknown"), ("key YWJjZGVmZ2hpag==\u{301} is unknown", "key ***\u{301} is unknown"),
    ])
    func secretsAreMaskedInAnotherSpelling(said: String, masked: String) {
        #expect(DeliveryVerdict.rejected(said).masking(["YWJjZGVmZ2hpag=="]) == .rejected(masked))
    }

    @Test("S14: a secret is masked also as encoders of JSON write it", arguments: [
        "QWxh\\/ZGRpbjpv+cGVu&aWNl", "QWxh/ZGRpbjpv\\u002BcGVu\\u0026aWNl", "QWxh/ZGRpbjpv\\u002bcGVu\\u0026aWNl",
        "QWxh\\u002FZGRpbjpv\\u002BcGVu\\u0026aWNl", "QWxh/ZGRpbjpv+cGVu\\u0026aWNl",
    ])
    func secretsAreMaskedAsJSONHasThem(escaped: String) {
        let verdict = DeliveryVerdict.rejected("{\"unknown\":\"\(escaped)\"}").masking(["QWxh/ZGRpbjpv+cGVu&aWNl"])
        #expect(verdict == .rejected("{\"unknown\":\"***\"}"))
    }

    @Test("S14: so it is in what is said of single entries")
    func secretsAreMaskedInEachEntry() {
        let fates = EntryFates(rejected: [1: "no tok-secret-0123456789", 2: "no"], again: [3])
        let masked = EntryFates(rejected: [1: "no ***", 2: "no"], again: [3])
        #expect(DeliveryVerdict.partly(fates, after: .seconds(1)).masking(secrets) == .partly(masked, after: .seconds(1)))
    }

    /// Its headers are each of another kind.
    private struct Signed: Destination {
        func request(for parcel: Parcel) -> HTTPRequest {
            HTTPRequest(
                url: "http://127.0.0.1/",
                headers: [
                    HTTPHeader("Content-Type", "text/plain"), HTTPHeader("X-Key", "key-of-somebody"),
                    HTTPHeader("authorization", "Token token=\"quoted-token\""),
                ],
                body: parcel.body,
                signature: AWSSignature(
                    accessKey: "a", secretKey: "s", sessionToken: "session-token", region: "r", service: "s3"))
        }
        func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict { .refusal(by: response) }
    }

    @Test("S14: what a receiver repeats of a request's headers is in no reason")
    func headersThatComeBackAreMasked() {
        let body = "text/plain key-of-somebody quoted-token <Token-0>session-token</Token-0>"
        let transport = ScriptedTransport(.answer(HTTPResponse(status: 403, body: Array(body.utf8))))
        let courier = Courier(name: "echoed", source: MemoryParcels(["a"]), destination: Signed(), transport: transport)
        let reason = "HTTP status 403: text/plain *** *** <Token-0>***</Token-0>"
        #expect(throws: CourierError.misconfigured(pending: 1, reason: reason)) { try courier.deliver(by: .seconds(30)) }
        #expect(courier.status.latestAnswer == reason)
        courier.shutdown(by: .seconds(30))
    }
}
