import LogbookCore
import LogbookDelivery
import LogbookFormat
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing

@Suite struct ElasticsearchDestinationTests {
    let destination = ElasticsearchDestination(url: "https://h:9200/", index: "logs", authorization: .apiKey("k"))

    @Test func eachEventIsCreatedUnderItsKey() {
        #expect(Sample.text(destination) == #"""
            {"create":{"_id":"I-7-42"}}
            {"@timestamp":"2026-10-24T10:29:20.123456789Z","log.level":"info","message":"cart \"opened\"\n","ecs.version":"8.11.0","event":{"sequence":42}}
            {"create":{"_id":"I-7-43"}}
            {"@timestamp":"2026-10-24T10:29:19.123456789Z","log.level":"critical","message":"lost","ecs.version":"8.11.0","event":{"sequence":43},"process":{"thread":{"id":4711}},"log":{"origin":{"file":{"name":"Pay.swift","line":12},"function":"pay()"}},"error":{"type":"PayError","message":"no gateway"},"labels":{"category":"pay","attempt":2,"trace_id":"0af7651916cd43dd8448eb211c80319c","flag":true}}

            """#)
    }

    @Test func theRequestNamesTheIndexAndAsksForNoMoreThanIsRead() {
        let request = destination.request(for: Sample.parcel(of: destination))
        #expect(request.url == "https://h:9200/logs/_bulk?filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason")
        #expect(request.headers == [HTTPHeader("Content-Type", "application/x-ndjson"), HTTPHeader("Authorization", "ApiKey k")])
    }

    @Test func anAnswerIsReadEntryByEntry() {
        #expect(destination.verdict(200, #"{"errors":false,"items":[{"create":{"status":201}},{"create":{"status":201}}]}"#) == .delivered)
        // 409: it was stored by an earlier attempt.
        #expect(destination.verdict(200, #"{"errors":true,"items":[{"create":{"status":409,"error":{"type":"version_conflict_engine_exception"}}},{"create":{"status":201}}]}"#) == .delivered)
        let mixed = #"{"errors":true,"items":[{"create":{"status":201}},{"create":{"status":429}},{"create":{"status":400,"error":{"type":"mapper_parsing_exception","reason":"failed to parse"}}},{"create":{"status":503}}]}"#
        #expect(
            destination.verdict(200, mixed, count: 4)
                == .partly(EntryFates(rejected: [2: "status 400: mapper_parsing_exception: failed to parse"], again: [1, 3]), after: nil))
    }

    @Test("44: an event on which a pipeline fails each time is refused, and does not hold up what comes behind it")
    func whatAPipelineFailsOn() {
        let failed = #"{"create":{"status":500,"error":{"type":"exception","reason":"java.lang.IllegalArgumentException: no IP"}}}"#
        #expect(
            destination.verdict(200, #"{"errors":true,"items":["# + Self.stored + "," + failed + "]}")
                == .partly(EntryFates(rejected: [1: "status 500: exception: java.lang.IllegalArgumentException: no IP"]), after: nil))
    }

    @Test("44: an event that a shard fails on, which passes, is sent again", arguments: ["translog_exception", "i_o_exception"])
    func whatAShardFailsOn(type: String) {
        let failed = #"{"create":{"status":500,"error":{"type":"\#(type)","reason":"translog is already closed"}}}"#
        #expect(
            destination.verdict(200, #"{"errors":true,"items":["# + Self.stored + "," + failed + "]}")
                == .partly(EntryFates(again: [1]), after: nil))
    }

    /// The same about each of so many entries.
    private static func answer(_ entry: String, times count: Int) -> String {
        #"{"errors":true,"items":["# + Array(repeating: entry, count: count).joined(separator: ",") + "]}"
    }

    private static let stored = #"{"create":{"status":201}}"#

    @Test("43: an entry that is refused for who we are, or for its index, refuses us and not the entry", arguments: [
        (401, "security_exception", "unable to authenticate"), (403, "security_exception", "action [bulk] is unauthorized"),
        (403, "cluster_block_exception", "index [logs] blocked by: [FORBIDDEN/8/index write (api)]"),
        (404, "index_not_found_exception", "no such index [logs]"), (400, "index_closed_exception", "closed"),
        (400, "invalid_index_name_exception", "Invalid index name [-logs], must not start with '_', '-', or '+'"),
        (400, "illegal_argument_exception", "no write index is defined for alias [logs]. The write index may be explicitly disabled"),
        (400, "validation_exception", "Validation Failed: 1: this action would add [2] shards, but this cluster has [1000]/[1000] open;"),
        (400, "illegal_argument_exception", "Validation Failed: 1: this action would add [2] total shards, but this cluster has [6]/[6];"),
    ])
    func whatIsNoEntrysFaultRefusesUs(status: Int, type: String, reason: String) {
        let refused = #"{"create":{"status":\#(status),"error":{"type":"\#(type)","reason":"\#(reason)"}}}"#
        let expected = DeliveryVerdict.misconfigured("status \(status): \(type): \(reason)")
        for count in [10, 100] {
            #expect(destination.verdict(200, Self.answer(refused, times: count), count: count) == expected)
        }
        // Also where another was stored, and one is at fault itself.
        let poison = #"{"create":{"status":400,"error":{"type":"mapper_parsing_exception"}}}"#
        let mixed = [Self.stored, poison, refused].joined(separator: ",")
        #expect(destination.verdict(200, Self.answer(mixed, times: 1), count: 3) == expected)
    }

    @Test func anArgumentThatIsTheEntrysOwnIsItsFault() {
        let type = "illegal_argument_exception", reason = "Limit of total fields [1000] has been exceeded"
        let refused = #"{"create":{"status":400,"error":{"type":"\#(type)","reason":"\#(reason)"}}}"#
        #expect(
            destination.verdict(200, Self.answer(refused, times: 1), count: 1)
                == .partly(EntryFates(rejected: [0: "status 400: \(type): \(reason)"]), after: nil))
    }

    @Test("43: without the index nothing is lost, however often it is tried; once it is there, everything arrives", arguments: [10, 100])
    func aMissingIndexLosesNothing(count: Int) throws {
        let isThere = Locked(false)
        let transport = ScriptedTransport { _, request in
            let missing = #"{"create":{"status":404,"error":{"type":"index_not_found_exception","reason":"no such index [logs]"}}}"#
            let entry = isThere.withLock { $0 } ? Self.stored : missing
            let body = Self.answer(entry, times: FakeCollector.lines(request).count / 2)
            return .answer(HTTPResponse(status: 200, body: Array(body.utf8)))
        }
        let provider = RemoteLogProvider(
            to: ElasticsearchDestination(url: "http://127.0.0.1:1", index: "logs"), origin: Sample.origin, transport: transport)
        for number in 1...count { provider.log(.numbered(number)) }
        let reason = "status 404: index_not_found_exception: no such index [logs]"
        for _ in 1...3 {
            #expect(throws: RemoteLogProviderError.notDelivered(pending: count, reason: reason)) {
                try provider.deliver(by: .seconds(30))
            }
            #expect(provider.status.state == .misconfigured)
            #expect(provider.deliveries == LogLedger(submitted: UInt64(count)))
            provider.reconfigured()
        }
        isThere.withLock { $0 = true }
        provider.reconfigured()
        try provider.deliver(by: .seconds(30))
        #expect(provider.deliveries == LogLedger(submitted: UInt64(count), delivered: UInt64(count)))
        try provider.shutdown(by: .seconds(30))
    }

    @Test("48: an answer for another number of entries, or of another shape, is none", arguments: [
        "", "[]", "{}", #"{"errors":false}"#, #"{"errors":false,"items":[{"create":{"status":201}}]}"#,
        #"{"errors":true,"items":[{"create":{}},{"create":{"status":201}}]}"#, #"{"errors":true,"items":[1,2]}"#,
        #"{"errors":false,"items":[{"create":{"status":201}},{"create":{"st"#,
    ])
    func anAnswerOfAnotherShapeIsNone(body: String) {
        guard case .retry(nil, _) = destination.verdict(200, body) else {
            Issue.record("\(destination.verdict(200, body))")
            return
        }
    }

    @Test("44: of 1,000 events against a strict double, 999 are stored once although answers are lost, and the poison one is kept aside")
    func againstAStrictDouble() throws {
        let double = ElasticsearchDouble()
        let server = try LoopbackServer { double.answer($0) }
        let folder = TemporaryFolder()
        let letters = try DeadLetterFolder(at: folder.path + "/dead")
        let provider = RemoteLogProvider(
            to: .elasticsearch(url: server.url, index: "logs", authorization: .apiKey("right")), origin: Sample.origin,
            delivery: DeliveryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(5)), deadLetters: letters)
        for number in 1...1000 {
            provider.log(
                LogEvent(
                    sequence: UInt64(number), time: Sample.time, level: .info, message: "event \(number)",
                    metadata: ["amount": number == 777 ? "a lot" : 12]))
        }
        #expect(throws: RemoteLogProviderError.lost(count: 1)) { try provider.flush(by: .seconds(60)) }
        #expect(double.stored == Set((1...1000).filter { $0 != 777 }.map { "I-7-\($0)" }))
        #expect(double.conflicts > 0)      // it saw some twice
        #expect(double.busy > 0)           // and asked for patience
        #expect(provider.ledger == LogLedger(submitted: 1000, delivered: 999, dropped: [.rejectedByServer: 1]))
        #expect(letters.count == 1)
        #expect(folder.text("dead/" + folder.names(in: "dead")[0]).contains(#""message":"event 777""#))
        #expect(folder.text("dead/" + folder.names(in: "dead")[1]).hasPrefix("reason: status 400: mapper_parsing_exception"))
        try provider.shutdown(by: .seconds(30))
    }
}

/// Refuses what Elasticsearch would refuse: credentials, content types, bodies without a newline at the end, lines that are no
/// objects, ids that are too long, values of another type. Loses its first answer, and is busy for a tenth of what it sees first.
final class ElasticsearchDouble: Sendable {
    private struct State {
        var stored: Set<String> = []
        var seen: Set<String> = []
        var conflicts = 0
        var busy = 0
        var answers = 0
    }
    private let state = Locked(State())
    var stored: Set<String> { state.withLock { $0.stored } }
    var conflicts: Int { state.withLock { $0.conflicts } }
    var busy: Int { state.withLock { $0.busy } }

    func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
        guard request.header("Authorization") == "ApiKey right" else { return .status(401) }
        guard request.method == "POST", request.target.hasPrefix("/logs/_bulk") else { return .status(405) }
        guard request.header("Content-Type") == "application/x-ndjson" else { return .status(406) }
        let body = FakeCollector.content(request)
        guard body.last == 0x0A else { return .status(400, body: "The bulk request must be terminated by a newline [\\n]") }
        let lines = body.dropLast().split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.count % 2 == 0, !lines.isEmpty else { return .status(400, body: "an action without a document") }
        var items: [String] = [], hasErrors = false
        for place in stride(from: 0, to: lines.count, by: 2) {
            guard let action = try? JSONValue.parse(Array(lines[place])), case .string(let id)? = action["create"]?["_id"],
                id.utf8.count <= 512, let document = try? JSONValue.parse(Array(lines[place + 1])), document["@timestamp"] != nil
            else { return .status(400, body: "Malformed action/metadata line") }
            let (status, error) = store(id, document)
            if status != 201 { hasErrors = true }
            items.append(#"{"create":{"status":\#(status)\#(error)}}"#)
        }
        let isFirst = state.withLock { state in
            state.answers += 1
            return state.answers == 1
        }
        if isFirst { return .reset }
        return .status(200, body: #"{"errors":\#(hasErrors),"items":[\#(items.joined(separator: ","))]}"#)
    }

    private func store(_ id: String, _ document: JSONValue) -> (Int, String) {
        state.withLock { state in
            if case .string? = document["labels"]?["amount"] {
                return (400, #","error":{"type":"mapper_parsing_exception","reason":"failed to parse field [labels.amount]"}"#)
            }
            if state.seen.insert(id).inserted, id.hasSuffix("5") {
                state.busy += 1
                return (429, #","error":{"type":"es_rejected_execution_exception"}"#)
            }
            guard state.stored.insert(id).inserted else {
                state.conflicts += 1
                return (409, #","error":{"type":"version_conflict_engine_exception"}"#)
            }
            return (201, "")
        }
    }
}
