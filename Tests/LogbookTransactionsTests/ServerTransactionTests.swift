#if Transactions
import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookTransactions

@Suite struct ServerTransactionTests {
    private let service = LogService()
    private let recording = RecordingProvider()
    private let events = ServerTransaction.Events(started: 3, success: 6, invalid: 5, error: 4)
    private let headers = [
        ("FP-Apptxn-Id", "TXN1-A"), ("fp-useragent-device-make", "iPhone7,2"), ("fp-useragent-device-os", "iPhone OS"),
        ("fp-useragent-device-os-version", "8.1.2"), ("Authorization", "Bearer k3yk3yk3y"), ("Cookie", "id=c00kiec00kie; a=b"),
    ]

    private struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    init() { service.register(recording) }

    private func run<Answer>(
        _ headers: [(String, String)]? = nil, outcome: (Answer) -> ServerTransaction.Outcome = { _ in .success },
        _ work: () async throws -> Answer
    ) async rethrows -> Answer {
        try await ServerTransaction.run(
            headers: headers ?? self.headers, prefix: "fp-", usecase: 1, events: events, service: service, outcome: outcome, work)
    }

    private var entries: [TransactionEntry] { recording.events.compactMap(\.transaction) }

    @Test("W6: a request that names its transaction adds started and success to it, in the server's time and with the client's device")
    func startedAndSuccess() async {
        let before = LogClock.system.now()
        #expect(await run { 7 } == 7)
        #expect(entries.map(\.event) == [3, 6])
        #expect(entries.allSatisfy { $0.transactionID == "TXN1-A" && $0.usecase == 1 && $0.device == phone && $0.errorCode == nil })
        #expect(recording.events.allSatisfy { $0.time >= before && $0.time <= LogClock.system.now() })
    }

    @Test("W6: what the client asked for in vain is invalid, with the reason")
    func invalid() async {
        _ = await run(outcome: { _ in .invalid(code: 422, "the tank holds 40 liters") }) { 7 }
        #expect(entries.map(\.event) == [3, 5])
        #expect(entries.last?.errorCode == 422)
        #expect(entries.last?.errorDescription == "the tank holds 40 liters")
    }

    @Test(
        "W6, B16: a request that names no transaction, or badly, is served all the same",
        arguments: [[], [("fp-apptxn-id", "")], [("fp-useragent-device-make", "x")], [("other-apptxn-id", "T")]])
    func badHeadersChangeNothing(headers: [(String, String)]) async throws {
        #expect(await run(headers) { 7 } == 7)
        await #expect(throws: Broken.self) { try await run(headers) { throw Broken(description: "x") } }
        #expect(entries.isEmpty)
    }

    @Test("W6, B16: an id that is too long names no transaction, and a device that is not known makes no difference")
    func oversizedHeaders() async {
        #expect(await run([("fp-apptxn-id", String(repeating: "x", count: 100_000))]) { 7 } == 7)
        #expect(entries.isEmpty)
        #expect(await run([("fp-apptxn-id", "T"), ("fp-useragent-device-make", String(repeating: "x", count: 100_000))]) { 7 } == 7)
        #expect(entries.map(\.event) == [3, 6])
    }

    @Test("W7, B14: what is thrown is handed on, and described by its type, what it says and where the work began")
    func thrown() async {
        await #expect { try await run { throw Broken(description: "the odometer column holds six digits") } } throws: {
            ($0 as? Broken)?.description == "the odometer column holds six digits"
        }
        #expect(entries.map(\.event) == [3, 4])
        let text = entries.last?.errorDescription ?? ""
        for part in ["Broken: the odometer column holds six digits", "ServerTransactionTests.swift:"] {
            #expect(text.contains(part), "\(text)")
        }
        await #expect(throws: Broken.self) { try await run { throw Broken(description: "") } }
        #expect(entries.last?.errorDescription?.contains("Broken") == true)
    }

    @Test("W7: what an error marks as private stays private, also where its description shows it")
    func privateParts() async {
        struct Refused: LogDescribableError {
            let customer: String
            var description: String { "refused for \(customer)" }
            var logDescription: LogMessage { "refused for \(customer, privacy: .private)" }
        }
        await #expect(throws: Refused.self) { try await run { throw Refused(customer: "Ada Lovelace") } }
        let text = entries.last?.errorDescription ?? ""
        #expect(text.contains("Refused: refused for ") && !text.contains("Ada"), "\(text)")
    }

    @Test("W7, B15: no credential of the request gets into an entry, nor a password that an error repeats")
    func noCredentials() async {
        let text = "GET / Authorization: Bearer k3yk3yk3y; key k3yk3yk3y; cookie c00kiec00kie; form password=hunter2hunter2&x=1 ok"
        await #expect(throws: Broken.self) { try await run { throw Broken(description: text) } }
        _ = await run(outcome: { _ in .invalid(code: 400, text) }) { 7 }
        _ = await run(outcome: { _ in .error(code: 500, text) }) { 7 }
        #expect(entries.count == 6)
        for entry in entries {
            for secret in ["k3yk3yk3y", "c00kiec00kie", "hunter2"] {
                #expect(entry.errorDescription?.contains(secret) != true, "\(entry.errorDescription ?? "")")
            }
        }
    }

    @Test("W7, B15: nor where one of them is part of another, or longer than what is kept of the text", arguments: [
        ("Cookie", "user=alice42; session=alice42.9f8e7d6c5b4a3928", "no session alice42.9f8e7d6c5b4a3928", "9f8e7d6c5b4a3928"),
        ("cookie", "session=session-9f8e7d6c5b4a3928", "no session-9f8e7d6c5b4a3928 here", "9f8e7d6c5b4a3928"),
        ("Cookie", "a=abcdef12; b=12345678", "got abcdef12345678 twice", "345678"),
        ("Authorization", "Negotiate " + String(repeating: "k3y", count: 8000), "no: " + String(repeating: "k3y", count: 8000), "k3y"),
        ("Authorization", "Bearer schlüssel", "no schlüssel", "schl"),
    ])
    func noPartOfACredential(field: String, value: String, text: String, secret: String) {
        let shown = ServerTransaction.described(text, apartFrom: [("Host", "x"), (field, value)])
        #expect(shown.contains("<private>") && !shown.contains(secret), "\(shown.prefix(200))")
        #expect(ServerTransaction.described("no alice", apartFrom: [("Host", "no alice")]) == "no alice")
    }

    @Test("W7: what a request brings as credentials does not make a text grow, nor take longer than reading them")
    func manyCredentials() {
        let same = "HTTPError;" + Array(repeating: "private", count: 10_000).joined(separator: ";")
        #expect(ServerTransaction.described("HTTPError: private no", apartFrom: [("cookie", same)]) == "<private>: <private> no")
        // Of all lengths that find room, each a beginning of the next.
        let beginnings = (6...400).map { String(repeating: "a", count: $0) }.joined(separator: ";")
        #expect(ServerTransaction.described(String(repeating: "a", count: 100_000), apartFrom: [("cookie", beginnings)]) == "<private>")
        let others = (1...10_000).map { "private\($0)" }.joined(separator: ";")
        let text = ServerTransaction.described(String(repeating: "private7", count: 2000), apartFrom: [("cookie", others)])
        #expect(text == "<private>")
    }

    @Test("W7: a description has an end")
    func longDescriptions() async {
        await #expect(throws: Broken.self) { try await run { throw Broken(description: String(repeating: "é", count: 1 << 20)) } }
        #expect((4000...4200).contains(entries.last?.errorDescription?.utf8.count ?? 0))
    }

    @Test("W6: a message that is logged in the work carries the transaction's id, and one after it does not, nor where none is named")
    func messagesInTheWork() async {
        await run { service.info("in the work") }
        service.info("after it")
        await #expect(throws: Broken.self) {
            try await run {
                service.info("in work that fails")
                throw Broken(description: "x")
            }
        }
        service.info("after that")
        await run([]) { service.info("in no transaction") }
        let messages = recording.events.filter { $0.transaction == nil }
        #expect(messages.map(\.message) == ["in the work", "after it", "in work that fails", "after that", "in no transaction"])
        #expect(messages.map(\.transactionID) == ["TXN1-A", nil, "TXN1-A", nil, nil])
    }

    @Test("W6: work of an actor stays there, and what it logs carries the transaction's id")
    @MainActor func messagesOnAnActor() async {
        var steps = 0   // the actor's alone
        await ServerTransaction.run(headers: headers, prefix: "fp-", usecase: 1, events: events, service: service) {
            steps += 1
            await Task.yield()
            service.info("on the actor")
            steps += 1
        }
        #expect(steps == 2)
        #expect(recording.events.filter { $0.transaction == nil }.map(\.transactionID) == ["TXN1-A"])
    }

    @Test("B16: a provider that always fails changes no answer")
    func aFailingProviderChangesNothing() async throws {
        service.register(BatchingProvider(FailingSink { _ in ScriptedFailure("down") }))
        #expect(await run { 7 } == 7)
        #expect(entries.map(\.event) == [3, 6])
    }
}
#endif
