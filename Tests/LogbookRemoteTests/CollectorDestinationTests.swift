import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing

@Suite struct CollectorDestinationTests {
    let destination = CollectorDestination(url: "https://logs.example.com/", token: "hush")
    let parcel = Parcel(
        id: "P1", body: [1, 2], contentType: "application/x-ndjson", contentEncoding: "gzip", count: 5,
        sealed: LogTime(nanoseconds: 0))

    func verdict(_ status: Int, _ body: String = "", headers: [HTTPHeader] = []) -> DeliveryVerdict {
        destination.verdict(on: HTTPResponse(status: status, headers: headers, body: Array(body.utf8)), for: parcel)
    }

    @Test func aParcelBecomesAPostWithItsIdAndTheToken() throws {
        let request = try destination.request(for: parcel)
        #expect(request.method == "POST")
        #expect(request.url == "https://logs.example.com/v1/logs")
        #expect(request.body == [1, 2])
        #expect(
            request.headers == [
                HTTPHeader("Content-Type", "application/x-ndjson"), HTTPHeader("Content-Encoding", "gzip"),
                HTTPHeader("Logbook-Parcel", "P1"), HTTPHeader("Authorization", "Bearer hush"),
            ])
        #expect(
            try CollectorDestination(url: "https://h").request(for: parcel).headers.contains {
                $0.name == "Authorization"
            } == false)
    }

    @Test("S14: neither the destination nor its request prints the token")
    func nothingPrintsTheToken() throws {
        let request = try destination.request(for: parcel)
        var text = "\(destination) \(request) \(request.headers)"
        dump(destination, to: &text)
        dump(request, to: &text)
        #expect(!text.contains("hush"))
    }

    @Test func onlyAnAnswerThatAccountsForEveryEventOfThisParcelDelivers() {
        #expect(verdict(200, #"{"parcel":"P1","accepted":5,"duplicates":0,"rejected":0}"#) == .delivered)
        #expect(verdict(202, #"{"parcel":"P1","accepted":0,"duplicates":5,"rejected":0,"more":true}"#) == .delivered)
        guard
            case .deliveredExcept(rejected: 2, isFinal: false, _) = verdict(
                200, #"{"parcel":"P1","accepted":2,"duplicates":1,"rejected":2}"#)
        else {
            Issue.record("two events were rejected")
            return
        }
    }

    @Test func eventsOfAnErasedTransactionAreAccountedForAsWell() {
        #expect(verdict(200, #"{"parcel":"P1","accepted":3,"duplicates":0,"rejected":0,"erased":2}"#) == .delivered)
        #expect(verdict(200, #"{"parcel":"P1","accepted":0,"duplicates":0,"rejected":0,"erased":5}"#) == .delivered)
        guard
            case .deliveredExcept(rejected: 1, isFinal: false, _) = verdict(
                200, #"{"parcel":"P1","accepted":2,"duplicates":1,"rejected":1,"erased":1}"#)
        else {
            Issue.record("one event was rejected")
            return
        }
    }

    @Test(
        "48: a success that is no acknowledgement is tried again",
        arguments: [
            (200, ""), (204, ""), (200, "<html>Welcome to the hotel</html>"),
            (200, #"{"parcel":"P2","accepted":5,"duplicates":0,"rejected":0}"#),
            (200, #"{"parcel":"P1","accepted":4,"duplicates":0,"rejected":0}"#),
            (200, #"{"parcel":"P1","accepted":5,"duplicates":0}"#),
            (200, #"{"parcel":"P1","accepted":6,"duplicates":-1,"rejected":0}"#),
            (200, #"{"parcel":"P1","accepted":5,"duplicates":0,"rejected":0,"erased":1}"#),
            (200, #"{"parcel":"P1","accepted":5,"duplicates":0,"rejected":0,"erased":"0"}"#),
            (200, #"{"parcel":"P1","accepted":6,"duplicates":0,"rejected":0,"erased":-1}"#),
            (200, #"{"parcel":"P1","accepted":5.0,"duplicates":0,"rejected":0}"#),
            (200, #"{"parcel":"P1","accepted":5,"duplicates":0,"rejected":0"#), (200, #"["P1",5,0,0]"#), (206, "null"),
        ])
    func noAcknowledgement(status: Int, body: String) {
        guard case .retry(after: nil, let reason) = verdict(status, body) else {
            Issue.record("\(verdict(status, body))")
            return
        }
        #expect(reason.contains("\(status)"))
    }

    @Test("43: refusals of ours keep the data", arguments: [301, 302, 307, 308, 401, 403, 404, 405, 415, 421])
    func refusals(status: Int) {
        guard case .misconfigured = verdict(status) else {
            Issue.record("\(verdict(status))")
            return
        }
    }

    @Test("41: these pass in time", arguments: [100, 402, 408, 409, 410, 418, 425, 429, 500, 502, 503, 504, 507, 599])
    func retries(status: Int) {
        guard case .retry(after: .seconds(7), _) = verdict(status, headers: [HTTPHeader("Retry-After", "7")]) else {
            Issue.record("\(verdict(status))")
            return
        }
    }

    @Test func whatIsRejectedAndWhatIsTooLargeSayWhy() {
        #expect(verdict(422, "{\"field\":\n\"time\"}") == .rejected("HTTP status 422: {\"field\": \"time\"}"))
        #expect(verdict(400) == .rejected("HTTP status 400"))
        #expect(verdict(413) == .tooLarge("HTTP status 413"))
    }

    @Test func aPlainReceiverNeedsOnlyASuccess() {
        let plain = HTTPDestination(url: "https://h/in", method: "PUT", headers: [HTTPHeader("X-Key", "k")])
        let request = plain.request(for: parcel)
        #expect(request.method == "PUT")
        #expect(request.headers.last == HTTPHeader("X-Key", "k"))
        #expect(plain.verdict(on: HTTPResponse(status: 204), for: parcel) == .delivered)
        #expect(plain.verdict(on: HTTPResponse(status: 503), for: parcel) == .retry(after: nil, "HTTP status 503"))
    }
}
