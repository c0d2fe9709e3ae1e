import LogbookCore
import LogbookDelivery
import LogbookFormat
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing

/// S3 and CloudWatch Logs: exact bytes, and what their answers mean.
@Suite struct AWSDestinationsTests {
    static let credentials = AWSCredentials(accessKey: "AKIA", secretKey: "tok-secret", sessionToken: "tok-session")
    let s3 = S3Destination(bucket: "b", region: "eu-central-1", prefix: "logs/app", credentials: credentials)
    let cloudWatch = CloudWatchDestination(group: "g", stream: "s", region: "eu-central-1", credentials: credentials)
    /// Of `body`.
    static let digest = "230d8358dc8e8890b4c58deeb62912ee2f20357ae92a5cc861b98e68fe31acb5"

    @Test func anObjectIsNamedAfterItsDayAndParcel() throws {
        let request = try s3.request(for: Sample.parcel(of: s3))
        #expect(request.method == "PUT")
        #expect(request.url == "https://b.s3.eu-central-1.amazonaws.com/logs/app/2026/10/24/P.ndjson")
        #expect(
            request.headers == [
                HTTPHeader("Content-Type", "application/x-ndjson"), HTTPHeader("x-amz-content-sha256", Self.digest),
            ])
        #expect(request.signature?.service == "s3" && request.signature?.region == "eu-central-1")
        let elsewhere = S3Destination.s3(bucket: "b", region: "r", prefix: "", credentials: Self.credentials, endpoint: "https://h/")
        #expect(try elsewhere.request(for: Sample.parcel(of: elsewhere)).url == "https://h/b/2026/10/24/P.ndjson")
        #expect(Sample.text(s3, [Sample.events[0]]) == Sample.plainLine + "\n")
    }

    @Test("43: S3 never finds fault with an event", arguments: [
        (400, "<Error><Code>ExpiredToken</Code></Error>", "misconfigured"), (400, "<Error><Code>RequestTimeout</Code></Error>", "retry"),
        (403, "<Error><Code>SignatureDoesNotMatch</Code></Error>", "misconfigured"), (404, "<Code>NoSuchBucket</Code>", "misconfigured"),
        (503, "<Error><Code>SlowDown</Code></Error>", "retry"), (500, "", "retry"), (200, "", "retry"),
    ])
    func s3Answers(status: Int, body: String, verdict: String) {
        #expect("\(s3.verdict(status, body))".hasPrefix(verdict))
        #expect(s3.verdict(200, headers: [HTTPHeader("ETag", "\"x\"")]) == .delivered)
    }

    @Test func cloudWatchHasEventsInOrderOfTime() throws {
        let line = Sample.plainLine.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let text = Sample.text(cloudWatch)
        #expect(text.hasPrefix(#"{"logGroupName":"g","logStreamName":"s","logEvents":[{"timestamp":1792837759123,"message":"{\"time\""#))
        #expect(text.hasSuffix(#"},{"timestamp":1792837760123,"message":""# + line + #""}]}"#))
        let request = try cloudWatch.request(for: Sample.parcel(of: cloudWatch))
        #expect(request.url == "https://logs.eu-central-1.amazonaws.com/")
        #expect(
            request.headers == [
                HTTPHeader("Content-Type", "application/x-amz-json-1.1"),
                HTTPHeader("X-Amz-Target", "Logs_20140328.PutLogEvents"), HTTPHeader("x-amz-content-sha256", Self.digest),
            ])
    }

    @Test("44: what CloudWatch is sent at once is at most a day apart, and each event goes once")
    func cloudWatchTakesOneDayAtOnce() throws {
        let day: Int64 = 86_400_000
        // Of the time of the first: the day ends with the third, and the fourth is a day and a millisecond after it.
        let offsets = [0, 1, day, day + 1, day - 5, 3 * day, 3 * day - day, 9 * day]
        let bodies = Locked<[[UInt8]]>([])
        let transport = ScriptedTransport { _, request in
            bodies.withLock { $0.append(request.body) }
            return .answer(HTTPResponse(status: 200, body: Array("{}".utf8)))
        }
        let provider = RemoteLogProvider(to: cloudWatch, origin: Sample.origin, transport: transport)
        for (place, offset) in offsets.enumerated() {
            provider.log(
                LogEvent(
                    sequence: UInt64(place), time: LogTime(nanoseconds: Sample.time.nanoseconds + offset * 1_000_000), level: .info,
                    message: "m"))
        }
        try provider.deliver(by: .seconds(30))
        let start = Sample.time.nanoseconds / 1_000_000
        let times = try bodies.withLock { $0 }.map { body -> [Int64] in
            guard case .array(let events)? = try JSONValue.parse(body)["logEvents"] else { return [] }
            return events.map { if case .integer(let time)? = $0["timestamp"] { time - start } else { -1 } }
        }
        #expect(times == [[0, 1, day], [day - 5, day + 1], [2 * day, 3 * day], [9 * day]])
        #expect(
            bodies.withLock { String(decoding: $0[3], as: UTF8.self) }
                == #"{"logGroupName":"g","logStreamName":"s","logEvents":[{"timestamp":1793615360123,"message":"{\"time\":\"2026-11-02T10:29:20.123456789Z\",\"level\":\"info\",\"message\":\"m\",\"sequence\":7,\"installation\":\"I\",\"epoch\":7}"}]}"#)
        #expect(provider.deliveries == LogLedger(submitted: 8, delivered: 8))
        try provider.shutdown(by: .seconds(30))
    }

    @Test func whatCloudWatchDidNotTakeIsCounted() {
        #expect(cloudWatch.verdict(200, #"{"nextSequenceToken":"1"}"#, count: 10) == .delivered)
        #expect(
            cloudWatch.verdict(200, #"{"rejectedLogEventsInfo":{"tooOldLogEventEndIndex":2,"expiredLogEventEndIndex":1}}"#, count: 10)
                == .deliveredExcept(rejected: 2, isFinal: true, "2 events are too old or too early"))
        #expect(
            cloudWatch.verdict(200, #"{"rejectedLogEventsInfo":{"tooNewLogEventStartIndex":7}}"#, count: 10)
                == .deliveredExcept(rejected: 3, isFinal: true, "3 events are too old or too early"))
    }

    @Test("after a long outage what is too old by now is counted, however much it is, and what is not arrives", arguments: [20, 100])
    func oldEventsHoldUpNothing(parcelEvents: Int) throws {
        let transport = try expectOldEventsToHoldUpNothing(at: cloudWatch, parcelEvents: parcelEvents) { old in
            HTTPResponse(status: 200, body: Array(#"{"rejectedLogEventsInfo":{"tooOldLogEventEndIndex":\#(old)}}"#.utf8))
        }
        #expect(transport.requests.count == 200 / parcelEvents + 1)
    }

    @Test("an index beside the parcel is brought to its nearer end", arguments: [
        #"{"tooNewLogEventStartIndex":-9223372036854775808}"#,
        #"{"tooOldLogEventEndIndex":9223372036854775807,"tooNewLogEventStartIndex":0}"#,
    ])
    func indicesBesideTheParcel(info: String) {
        #expect(
            cloudWatch.verdict(200, #"{"rejectedLogEventsInfo":\#(info)}"#, count: 10)
                == .deliveredExcept(rejected: 10, isFinal: true, "10 events are too old or too early"))
    }

    @Test("43, 44: CloudWatch's errors are told by their names", arguments: [
        (#"{"__type":"ResourceNotFoundException","message":"no"}"#, "misconfigured"),
        (#"{"__type":"com.amazon#UnrecognizedClientException"}"#, "misconfigured"), (#"{"__type":"ThrottlingException"}"#, "retry"),
        (#"{"__type":"InvalidParameterException"}"#, "rejected"), (#"{"__type":"ServiceUnavailableException"}"#, "retry"),
    ])
    func cloudWatchErrors(body: String, verdict: String) {
        #expect("\(cloudWatch.verdict(400, body))".hasPrefix(verdict))
    }

    @Test("S14, S15: keys are printed nowhere, and cannot smuggle")
    func keysAreSafe() {
        for destination in [s3 as any LogDestination, cloudWatch] {
            var shown = "\(destination)"
            dump(destination, to: &shown)
            if let request = try? destination.request(for: Sample.parcel(of: destination)) { dump(request, to: &shown) }
            #expect(!shown.contains("tok-"))
        }
        var request = HTTPRequest(url: "https://h")
        for bad in ["a:b", "a b", "a\r\nb", ""] {
            request.signature = AWSSignature(accessKey: bad, secretKey: "s", region: "r", service: "s3")
            let done = Monitor<HTTPFailure?>(nil)
            CurlTransport.shared.send(request) { result in
                done.withLock { access in
                    if case .failure(let failure) = result { access.value = failure }
                    access.broadcast()
                }
            }
            let deadline = LogDeadline.seconds(30)
            let failure = done.withLock { access in
                while access.value == nil && access.wait(until: deadline) {}
                return access.value
            }
            guard case .invalidRequest = failure else {
                Issue.record("\(bad): \(String(describing: failure))")
                continue
            }
        }
    }
}
