import LogbookCore
import LogbookDelivery
import LogbookGzip
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing

/// What is refused for its age alone, of a long outage, is counted, and holds up nothing that comes behind it.
/// - Parameter answer: What the receiver says to a parcel that holds so many events that are too old.
func expectOldEventsToHoldUpNothing(
    at destination: some LogDestination, parcelEvents: Int = RemoteQueuePolicy().parcelEvents,
    sourceLocation: SourceLocation = #_sourceLocation, answer: @escaping @Sendable (_ old: Int) -> HTTPResponse
) throws -> ScriptedTransport {
    let transport = ScriptedTransport { _, request in
        let body = (try? Gzip.inflate(request.body, limit: 16 << 20)) ?? request.body
        return .answer(answer(String(decoding: body, as: UTF8.self).split(separator: "said long ago").count - 1))
    }
    let provider = RemoteLogProvider(
        to: destination, queue: RemoteQueuePolicy(parcelEvents: parcelEvents), transport: transport,
        clock: .manual(ManualClock(now: LogTime(seconds: 1_000_000))))
    for number in 1...200 { provider.log(.numbered(number, message: "said long ago")) }
    for number in 201...210 { provider.log(.numbered(number)) }
    try? provider.deliver(by: .seconds(60))   // says how many were lost meanwhile: some may be already
    #expect(
        provider.deliveries == LogLedger(submitted: 210, delivered: 10, dropped: [.rejectedByServer: 200]), sourceLocation: sourceLocation)
    try provider.shutdown(by: .seconds(60))
    return transport
}

/// Two events that hold something of everything, for golden bytes.
enum Sample {
    static let origin = LogOrigin(installation: "I", epoch: 7)
    static let time = LogTime(nanoseconds: 1_792_837_760_123_456_789)   // 2026-10-24T12:29:20.123456789Z

    static let plain = LogEvent(sequence: 42, time: time, level: .info, message: "cart \"opened\"\n")
    static let full = LogEvent(
        sequence: 43, time: LogTime(nanoseconds: time.nanoseconds - 1_000_000_000), level: .critical, message: "lost",
        metadata: ["category": "pay", "attempt": 2, "trace_id": "0af7651916cd43dd8448eb211c80319c", "flag": true],
        thread: 4711, source: LogSource(fileNamed: "Pay.swift", functionNamed: "pay()", line: 12),
        error: LogErrorDetails(type: "PayError", description: "no gateway"))

    static let events = [KeyedEvent(plain, origin: origin), KeyedEvent(full, origin: origin)]

    /// The plain event as our line.
    static let plainLine =
        #"{"time":"2026-10-24T10:29:20.123456789Z","level":"info","message":"cart \"opened\"\n","sequence":42,"installation":"I","epoch":7}"#

    static func text(_ destination: some LogDestination, _ events: [KeyedEvent] = events) -> String {
        String(decoding: destination.encode(events), as: UTF8.self)
    }

    static func parcel(of destination: some LogDestination, count: Int = 2) -> Parcel {
        Parcel(
            id: "P", body: Array("body".utf8), contentType: destination.contentType, contentEncoding: nil, count: count,
            sealed: time)
    }
}

extension LogDestination {
    func verdict(_ status: Int, _ body: String = "", headers: [HTTPHeader] = [], count: Int = 2) -> DeliveryVerdict {
        verdict(
            on: HTTPResponse(status: status, headers: headers, body: Array(body.utf8)), for: Sample.parcel(of: self, count: count))
    }
}

/// What holds for every destination.
@Suite struct DestinationsTests {
    static let all: [any LogDestination] = [
        .http(url: "https://h/in"), .collector(url: "https://h", token: "tok-secret"),
        .elasticsearch(url: "https://h", authorization: .apiKey("tok-secret")),
        .loki(url: "https://h", labels: ["job": "j"], authorization: .basic(user: "u", password: "tok-secret")),
        .otlp(url: "https://h", service: "s", authorization: .bearer("tok-secret")), .splunk(url: "https://h", token: "tok-secret"),
        .datadog(apiKey: "tok-secret", service: "s"), .clickHouse(url: "https://h", user: "u", password: "tok-secret"),
        .otlp(url: "https://h", service: "s", encoding: .json, authorization: .bearer("tok-secret")),
        .loggly(token: "tok-secret"), .logstash(url: "https://h", authorization: .header("X-Key", "tok-secret")),
    ]

    @Test("43: an answer that refuses us keeps everything, at every destination", arguments: [301, 302, 401, 403, 404, 405, 421])
    func refusalsKeepEverything(status: Int) {
        for destination in Self.all {
            guard case .misconfigured = destination.verdict(status, "no") else {
                Issue.record("\(type(of: destination)): \(destination.verdict(status, "no"))")
                continue
            }
        }
    }

    @Test("41: a failure of the receiver is tried again, at every destination", arguments: [408, 425, 429, 500, 502, 503, 504])
    func failuresAreTriedAgain(status: Int) {
        for destination in Self.all {
            guard case .retry(.seconds(7)?, _) = destination.verdict(status, "no", headers: [HTTPHeader("Retry-After", "7")]) else {
                Issue.record("\(type(of: destination)): \(destination.verdict(status, "no"))")
                continue
            }
        }
    }

    @Test("44, 45: a parcel that is refused or too large can be split, at every destination")
    func refusedParcelsAreSaid() {
        for destination in Self.all {
            guard case .rejected = destination.verdict(400, "no"), case .rejected = destination.verdict(422, "no"),
                case .tooLarge = destination.verdict(413, "no")
            else {
                Issue.record("\(type(of: destination))")
                continue
            }
        }
    }

    @Test("48: a page that says 200 is no acknowledgement, at any destination")
    func aLoginPageIsNoAcknowledgement() {
        for destination in Self.all {
            guard case .retry(nil, let reason) = destination.verdict(200, "<html>Welcome to our hotel</html>") else {
                Issue.record("\(type(of: destination))")
                continue
            }
            #expect(reason.contains("is this") || reason.contains("acknowledgement"))
        }
    }

    @Test("S14: a token is on the wire and in no description")
    func tokensAreNotPrinted() throws {
        for destination in Self.all.dropFirst() {
            let request = try destination.request(for: Sample.parcel(of: destination))
            let wire = request.url + request.headers.map(\.value).joined()
            let basic = "dTp0b2stc2VjcmV0"   // u:tok-secret
            #expect(wire.contains("tok-secret") || wire.contains(basic), "\(type(of: destination))")
            var shown = "\(destination)"
            dump(destination, to: &shown)
            #expect(!shown.contains("tok-secret") && !shown.contains(basic), "\(type(of: destination))")
            for status in [400, 401, 413, 500] { #expect(!"\(destination.verdict(status))".contains("tok-secret")) }
        }
    }

    @Test("S14: a token that the receiver repeats is in no reason", arguments: [400, 401])
    func tokensThatComeBackAreNotPassedOn(status: Int) {
        for destination in Self.all.dropFirst() {
            let source = Streamed()
            let transport = ScriptedTransport { _, request in
                let echo = (request.headers.map(\.value) + [request.url]).joined(separator: " ")
                return .answer(HTTPResponse(status: status, body: Array(echo.utf8)))
            }
            let courier = Courier(name: "echoed", source: source, destination: destination, transport: transport)
            var said = ""
            do { try courier.deliver(by: .seconds(30)) } catch { said = "\(error)" }
            said += "\(source.fates.withLock { $0 })"
            #expect(said.contains("HTTP status \(status)") && said.contains("***"), "\(type(of: destination)): \(said)")
            #expect(!said.contains("tok-secret") && !said.contains("dTp0b2stc2VjcmV0"), "\(type(of: destination)): \(said)")
            courier.shutdown(by: .seconds(30))
        }
    }

    @Test("S15: what a request is made of is checked before it is sent", arguments: ["a\r\nX: y", "a\u{0}b"])
    func nothingIsSmuggled(token: String) {
        let transport = CurlTransport()
        let done = Locked<[HTTPFailure]>([])
        let left = Monitor(0)
        for destination in [
            LokiDestination.loki(url: "http://127.0.0.1:1", labels: [:], tenant: token),
            LokiDestination.loki(url: "http://127.0.0.1:1", labels: [:], authorization: .bearer(Secret(token))),
        ] {
            transport.send(destination.request(for: Sample.parcel(of: destination))) { result in
                if case .failure(let failure) = result { done.withLock { $0.append(failure) } }
                left.withLock { access in
                    access.value += 1
                    access.broadcast()
                }
            }
        }
        let deadline = LogDeadline.seconds(30)
        left.withLock { access in while access.value < 2 && access.wait(until: deadline) {} }
        #expect(done.withLock { $0 }.allSatisfy { if case .invalidRequest = $0 { true } else { false } })
        #expect(done.withLock { $0.count } == 2)
    }

    /// One parcel whose bytes are read while it is sent.
    private final class Streamed: ParcelSource {
        let parcel = Parcel(
            id: "P", body: [],
            stream: HTTPBodyStream(name: "abc", bytes: 3) { buffer, offset in
                let rest = Array("abc".utf8).dropFirst(offset).prefix(buffer.count)
                buffer.copyBytes(from: rest)
                return rest.count
            }, contentType: "text/plain", count: 1, sealed: Sample.time)
        let fates = Locked<[ParcelFate]>([])
        func nextParcel() -> Parcel? { fates.withLock { $0.isEmpty ? parcel : nil } }
        func settle(_ parcel: Parcel, as fate: ParcelFate) { fates.withLock { $0.append(fate) } }
        var pendingCount: Int { fates.withLock { $0.isEmpty ? 1 : 0 } }
    }

    @Test("a parcel's stream is sent, at every destination that sends bytes as they are")
    func streamsAreSent() throws {
        for destination in Self.all {
            let stream = try destination.request(for: Streamed().parcel).stream
            let reader = try #require(stream, "\(type(of: destination))").open()
            var bytes: [UInt8] = [], piece = [UInt8](repeating: 0, count: 2)
            while case let count = try piece.withUnsafeMutableBytes({ try reader.read(into: $0) }), count > 0 { bytes += piece[..<count] }
            #expect(bytes == Array("abc".utf8), "\(type(of: destination))")
        }
    }

    @Test("43: where a digest goes before the bytes, a parcel with a stream is refused and kept", arguments: ["S3", "CloudWatch Logs"])
    func streamsThatCannotBeSignedAreKept(service: String) {
        let credentials = AWSCredentials(accessKey: "a", secretKey: "s")
        let destination: any LogDestination =
            service == "S3"
            ? S3Destination(bucket: "b", region: "r", credentials: credentials)
            : CloudWatchDestination(group: "g", stream: "s", region: "r", credentials: credentials)
        let source = Streamed(), transport = ScriptedTransport(.status(200, headers: [HTTPHeader("ETag", "\"x\"")]))
        let courier = Courier(name: "streamed", source: source, destination: destination, transport: transport)
        let failure = HTTPFailure.invalidRequest(
            "\(service) takes no streamed parcels: what is sent there is signed before its first byte goes")
        #expect(throws: CourierError.misconfigured(pending: 1, reason: "\(failure)")) { try courier.deliver(by: .seconds(30)) }
        #expect(transport.requests == [])
        #expect(source.fates.withLock { $0 } == [])
        courier.shutdown(by: .seconds(30))
    }

    @Test func theSameEventsGiveTheSameBytes() {
        for destination in Self.all { #expect(destination.encode(Sample.events) == destination.encode(Sample.events)) }
    }

    @Test func aProviderIsMadeWithOneVerb() throws {
        let transport = ScriptedTransport(.status(204))
        let provider = RemoteLogProvider(
            to: .loki(url: "http://127.0.0.1:3100", labels: ["job": "checkout"]), origin: Sample.origin, transport: transport)
        provider.log(Sample.plain)
        try provider.flush(by: .seconds(30))
        #expect(transport.requests.first?.url == "http://127.0.0.1:3100/loki/api/v1/push")
        #expect(provider.ledger == LogLedger(submitted: 1, delivered: 1))
    }

    @Test("43: with another token or address in force, what waits goes there")
    func theDestinationCanBeReplaced() throws {
        let transport = ScriptedTransport { _, request in
            if request.url.hasSuffix("/push") { return .status(401) }
            return .answer(HTTPResponse(status: 200, body: Array(#"{"errors":false,"items":[{},{}]}"#.utf8)))
        }
        let provider = RemoteLogProvider(
            to: .loki(url: "http://127.0.0.1:1", labels: [:]), origin: Sample.origin, transport: transport)
        for event in Sample.events { provider.log(event.event) }
        #expect(throws: RemoteLogProviderError.notDelivered(pending: 2, reason: "HTTP status 401")) {
            try provider.flush(by: .seconds(30))
        }
        provider.update(to: .elasticsearch(url: "http://127.0.0.1:1", index: "logs"))
        try provider.flush(by: .seconds(30))
        #expect(provider.ledger == LogLedger(submitted: 2, delivered: 2))
        #expect(transport.requests.last?.headers.contains(HTTPHeader("Content-Type", "application/x-ndjson")) == true)
    }

    @Test("what may have been stored is the same parcel for the destination that takes the place of its own, as with other keys for S3")
    func aReplacedDestinationGetsTheSameParcel() throws {
        func bucket(_ key: String) -> S3Destination {
            .s3(bucket: "b", region: "r", credentials: AWSCredentials(accessKey: key, secretKey: "k"), endpoint: "http://127.0.0.1:1")
        }
        let clock = ManualClock(now: LogTime(seconds: 1_793_663_400))   // ten minutes before midnight
        let transport = ScriptedTransport { number, _ in number == 1 ? .fail(.timedOut("slow")) : .answer(HTTPResponse(status: 200, headers: [HTTPHeader("ETag", "\"x\"")])) }
        let provider = RemoteLogProvider(
            to: bucket("old"), origin: Sample.origin, delivery: DeliveryPolicy(firstPause: .seconds(3600), longestPause: .seconds(3600)),
            transport: transport, clock: .manual(clock))
        for event in Sample.events { provider.log(event.event) }
        #expect(throws: RemoteLogProviderError.self) { try provider.flush(by: .milliseconds(200)) }
        #expect(transport.waitForRequests(1))   // on this day, also where the machine is slow
        clock.advance(by: .seconds(1200))   // it is another day by then
        provider.update(to: bucket("new"))
        try provider.flush(by: .seconds(30))
        #expect(transport.requests.count == 2 && Set(transport.requests.map(\.url)).count == 1, "\(transport.requests.map(\.url))")
        #expect(provider.ledger == LogLedger(submitted: 2, delivered: 2))
    }

    @Test func aDestinationsLimitsHold() throws {
        struct Small: LogDestination {
            let limits = DestinationLimits(events: 3, bytes: 300)
            func request(for parcel: Parcel) -> HTTPRequest { HTTPRequest(url: "http://127.0.0.1:1", body: parcel.body) }
            func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict { .delivered }
            var takesGzip: Bool { false }
        }
        let transport = ScriptedTransport(.status(200))
        let provider = RemoteLogProvider(to: Small(), origin: Sample.origin, transport: transport)
        for number in 1...20 { provider.log(.numbered(number)) }
        try provider.flush(by: .seconds(30))
        let sizes = transport.requests.map { $0.body.split(separator: 0x0A).count }
        #expect(sizes.reduce(0, +) == 20)
        #expect(sizes.allSatisfy { $0 <= 3 })
        #expect(transport.requests.allSatisfy { $0.body.count <= 300 })
    }
}
