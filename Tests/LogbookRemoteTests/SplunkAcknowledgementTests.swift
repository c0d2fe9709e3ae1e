import LogbookCore
import LogbookDelivery
import LogbookFormat
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing

/// Splunk's HTTP Event Collector with indexer acknowledgement.
@Suite struct SplunkAcknowledgementTests {
    private static let channel = "FE0ECFAD-13D5-401B-847D-77833BD77131"
    private static let acknowledgement = SplunkAcknowledgement(channel: channel, interval: .milliseconds(5), limit: .milliseconds(200))
    private let splunk = SplunkDestination(
        url: "https://h:8088/", token: "t", acknowledgement: SplunkAcknowledgement(channel: Self.channel))

    @Test func theParcelNamesItsChannelAndTheQuestionTheParcel() throws {
        let parcel = Sample.parcel(of: splunk), request = splunk.request(for: parcel)
        #expect(request.url == "https://h:8088/services/collector/event")
        #expect(request.headers.suffix(2) == [HTTPHeader("X-Splunk-Request-Channel", Self.channel), HTTPHeader("Authorization", "Splunk t")])
        guard case .inquire(let inquiry) = splunk.verdict(200, #"{"text":"Success","code":0,"ackId":12}"#) else {
            Issue.record("no question")
            return
        }
        #expect(inquiry.name == "12" && inquiry.interval == .seconds(2) && inquiry.limit == .seconds(300))
        #expect(inquiry.request.url == "https://h:8088/services/collector/ack")
        #expect(inquiry.request.method == "POST")
        #expect(inquiry.request.body == Array(#"{"acks":[12]}"#.utf8))
        #expect(
            inquiry.request.headers == [
                HTTPHeader("Content-Type", "application/json"), HTTPHeader("X-Splunk-Request-Channel", Self.channel),
                HTTPHeader("Authorization", "Splunk t"),
            ])
        func verdict(_ status: Int, _ body: String) -> DeliveryVerdict {
            splunk.verdict(on: HTTPResponse(status: status, body: Array(body.utf8)), to: inquiry, for: parcel)
        }
        #expect(verdict(200, #"{"acks":{"12":true}}"#) == .delivered)
        for open in [#"{"acks":{"12":false}}"#, #"{"acks":{}}"#, #"{"acks":{"1":true}}"#, #"{"acks":{"12":"true"}}"#] {
            #expect(verdict(200, open) == .inquire(inquiry))
        }
        #expect(verdict(400, #"{"text":"No data","code":5}"#) == .inquire(inquiry))
        for (status, code) in [(401, 2), (403, 4), (400, 10), (400, 11), (400, 14)] {
            guard case .misconfigured = verdict(status, #"{"text":"said","code":\#(code)}"#) else {
                Issue.record("\(status) \(code)")
                continue
            }
        }
        guard case .retry = verdict(200, "<html>"), case .retry = verdict(503, #"{"text":"busy","code":9}"#) else {
            Issue.record("a page was taken for an answer")
            return
        }
    }

    @Test("47: what a token has read that acknowledges nothing is not sent again, and that it acknowledges nothing is said once")
    func aTokenThatAcknowledgesNothing() async {
        await #expect(processExitsWith: .success) {
            let said = Locked<[String]>([])
            LogDiagnostics.setHandler { remark in said.withLock { $0.append(remark.message) } }
            let server = try LoopbackServer { _ in .status(200, body: #"{"text":"Success","code":0}"#) }
            let provider = RemoteLogProvider(
                to: .splunk(url: server.url, token: "right", acknowledgement: SplunkAcknowledgement()), origin: Sample.origin,
                queue: RemoteQueuePolicy(parcelEvents: 1))
            for number in 1...3 { provider.log(.numbered(number)) }
            try provider.deliver(by: .seconds(60))
            #expect(server.requests.count == 3)
            #expect(provider.deliveries == LogLedger(submitted: 3, delivered: 3))
            let remarks = said.withLock { $0 }
            #expect(remarks.count == 1 && remarks.allSatisfy { $0.contains("indexer acknowledgement") })
            try provider.shutdown(by: .seconds(30))
        }
    }

    @Test func eachAcknowledgementHasAChannelOfItsOwn() {
        #expect(SplunkAcknowledgement() != SplunkAcknowledgement())
        let acknowledgement = Self.acknowledgement
        func destination() -> SplunkDestination { SplunkDestination(url: "https://h:8088", token: "t", acknowledgement: acknowledgement) }
        #expect(destination() == destination())   // and whoever has the same is the same
    }

    /// Does what Splunk's documentation says of a token with acknowledgement: it wants a channel, counts parcels by channel, tells of
    /// each acknowledgement once; and it loses what it is told to lose after it has read it.
    private final class Indexer: Sendable {
        private struct State {
            var nextID = 0
            var unknown: [Int: [String]] = [:]
            var acknowledged: Set<Int> = []
            var stored: [String: Int] = [:]
            var read = 0
            var lost = 0
            var questions = 0
            var refusals: [String] = []
        }
        private let state = Locked(State())
        private let random = LogRandomness.seeded(7)

        var stored: [String: Int] { state.withLock { $0.stored } }
        var lost: Int { state.withLock { $0.lost } }
        var refusals: [String] { state.withLock { $0.refusals } }

        func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
            func refuse(_ status: Int, _ code: Int, _ text: String) -> LoopbackServer.Answer {
                state.withLock { $0.refusals.append(text) }
                return .status(status, body: #"{"text":"\#(text)","code":\#(code)}"#)
            }
            guard request.header("Authorization") == "Splunk right" else { return refuse(403, 4, "Invalid token") }
            guard request.header("X-Splunk-Request-Channel") == SplunkAcknowledgementTests.channel else {
                return refuse(400, 10, "Data channel is missing")
            }
            switch request.target {
            case "/services/collector/event": return take(request)
            case "/services/collector/ack": return tell(request)
            default: return .status(404)
            }
        }

        private func take(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
            let text = String(decoding: FakeCollector.content(request), as: UTF8.self)
            let keys = text.split(separator: "\"event_key\":\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
            let id = state.withLock { state -> Int in
                defer { state.nextID += 1 }
                state.read += 1
                if state.read % 3 == 0 {
                    state.lost += 1   // an indexer dies with it
                } else {
                    for key in keys { state.stored[key, default: 0] += 1 }
                    state.unknown[state.nextID] = keys
                }
                return state.nextID
            }
            return .status(200, body: #"{"text":"Success","code":0,"ackId":\#(id)}"#)
        }

        private func tell(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
            guard case .array(let asked)? = (try? JSONValue.parse(request.body))?["acks"], case .integer(let number)? = asked.first else {
                return .status(400, body: #"{"text":"No data","code":5}"#)
            }
            let (count, isThere) = state.withLock { state -> (Int, Bool) in
                state.questions += 1
                // The indexers take their time, and each acknowledgement is told once.
                guard state.questions % 3 == 0, state.unknown.removeValue(forKey: Int(number)) != nil else {
                    return (state.questions, false)
                }
                return (state.questions, true)
            }
            if count % 11 == 0, !isThere { return .status(503, body: #"{"text":"Server is busy","code":9}"#) }
            return .status(200, body: #"{"acks":{"\#(number)":\#(isThere)}}"#)
        }
    }

    @Test("47, 48: what an indexer loses after it has read it is sent again, and nothing is delivered that was not acknowledged", arguments: [1, 4])
    func nothingIsLost(inFlight: Int) throws {
        let indexer = Indexer(), server = try LoopbackServer { indexer.answer($0) }, folder = TemporaryFolder()
        let delivery = DeliveryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(5), parcelsInFlight: inFlight)
        let provider = try RemoteLogProvider(
            to: .splunk(url: server.url, token: "right", acknowledgement: Self.acknowledgement), spool: folder.path + "/spool",
            policy: SpoolPolicy(parcelEvents: 50), origin: Sample.origin, delivery: delivery)
        for number in 1...500 { provider.log(.numbered(number)) }
        try provider.deliver(by: .seconds(60))
        #expect(provider.deliveries == LogLedger(submitted: 500, delivered: 500))
        #expect(indexer.lost >= 3)
        #expect(Set(indexer.stored.keys).count == 500)
        #expect(indexer.refusals == [])
        #expect(folder.names(in: "spool").filter { !$0.hasSuffix(".lane") } == [])
        try provider.shutdown(by: .seconds(30))
    }

    @Test("43: a wrong token is told by the first answer, and everything is kept")
    func wrongToken() throws {
        let indexer = Indexer(), server = try LoopbackServer { indexer.answer($0) }
        let provider = RemoteLogProvider(
            to: .splunk(url: server.url, token: "wrong", acknowledgement: Self.acknowledgement), origin: Sample.origin)
        provider.log(.numbered(1))
        #expect(throws: RemoteLogProviderError.self) { try provider.deliver(by: .seconds(30)) }
        #expect(provider.status.state == .misconfigured)
        provider.update(to: .splunk(url: server.url, token: "right", acknowledgement: Self.acknowledgement))
        try provider.deliver(by: .seconds(60))
        #expect(provider.deliveries == LogLedger(submitted: 1, delivered: 1))
        try provider.shutdown(by: .seconds(30))
    }
}
