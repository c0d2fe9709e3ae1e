import Logbook
import LogbookTestKit
import Synchronization
import Testing

// The code of Plugins-Docs/WriteAProvider.md, to the letter: GuideBlocksTests compares the two.

final class ErrorCounter: LogProvider {
    let count = Atomic<Int>(0)

    func log(_ event: LogEvent) {
        if event.level >= .error { count.add(1, ordering: .relaxed) }
    }
    func flush(by deadline: LogDeadline) {}
}

struct Webhook: BatchSink {
    let post: @Sendable (String) throws -> Void

    func write(_ batch: [LogEvent]) throws {
        try post(batch.map { "\($0.level.name): \($0.message)" }.joined(separator: "\n"))
    }
}

final class Typewriter: LogProvider {
    private let account = Mutex(LogLedger())
    private let type: @Sendable (String) throws -> Void

    init(_ type: @escaping @Sendable (String) throws -> Void) { self.type = type }

    func log(_ event: LogEvent) {
        account.withLock { $0.submit() }
        do {
            try type(event.message)
            account.withLock { $0.deliver() }
        } catch {
            account.withLock { $0.drop(1, .inputOutputError) }
        }
    }
    func flush(by deadline: LogDeadline) {}
    var ledger: LogLedger? { account.withLock { $0 } }
}

struct Redacting: WrappingProvider {
    let keys: Set<String>
    let wrapped: any LogProvider

    func log(_ event: LogEvent) {
        var metadata = event.metadata
        for key in keys where metadata[key] != nil { metadata[key] = "•••" }
        wrapped.log(event.replacingMetadata(metadata))
    }
}

@Suite(.serialized) struct WriteAProviderTests {
    /// The shared service belongs to every test of the process: take away only what a test here brought.
    func unregister(_ names: String...) {
        for registration in LogService.shared.registrations where names.contains(registration.name) {
            registration.unregister()
        }
    }

    @Test func theCounterCounts() {
        let counter = ErrorCounter()
        LogService.shared.register(counter, from: .error)
        LogService.error("one")
        LogService.info("none")
        LogService.critical("two")
        #expect(counter.count.load(ordering: .relaxed) == 2)
        unregister("ErrorCounter")
    }

    @Test func theWebhookPosts() {
        let posted = Locked<[String]>([])
        let send: @Sendable (String) throws -> Void = { text in posted.withLock { $0.append(text) } }
        LogService.shared.register(sink: Webhook { text in try send(text) }, from: .warning)
        LogService.warning("low on paper")
        #expect(LogService.shared.flush(by: .seconds(30)).isComplete)
        #expect(posted.withLock { $0 }.contains("warning: low on paper"))

        let patient = QueuePolicy(capacity: 50_000, batchCount: 1_000, overflow: .block(upTo: .seconds(2)))
        LogService.shared.register(sink: Webhook { text in try send(text) }, queue: patient, name: "webhook")
        LogService.info("for the second alone")
        #expect(LogService.shared.flush(by: .seconds(30)).isComplete)
        #expect(posted.withLock { $0 }.contains("info: for the second alone"))
        unregister("Webhook", "webhook")
    }

    @Test func anAccountAddsUp() {
        let service = LogService()
        let registration = service.register(ErrorCounter())
        service.info("one")
        let ledger = registration.ledger
        assert(ledger.submitted == ledger.delivered + ledger.pending + ledger.droppedTotal)
        #expect(ledger.delivered == 1)
    }

    @Test func aProviderKeepsItsOwnAccount() {
        // No time passes in which the loss would be told, which is an event too.
        let service = LogService(clock: .manual(ManualClock(now: LogTime(seconds: 1))))
        let registration = service.register(Typewriter { text in if text == "jam" { throw ScriptedFailure() } })
        for text in ["one", "jam", "two"] { service.info("\(text)") }
        #expect(registration.ledger == LogLedger(submitted: 3, delivered: 2, dropped: [.inputOutputError: 1]))
    }

    @Test func aSinkSaysWhatBecameOfItsBatch() throws {
        struct Stubborn: BatchSink {
            let failure = ScriptedFailure()
            func write(_ batch: [LogEvent]) throws {
                if batch.count > 3 {
                    throw BatchWriteError.wroteOnly(count: 3, because: failure)
                } else {
                    throw BatchWriteError.refused(.oversize, because: failure)
                }
            }
        }
        let service = LogService()
        let queue = QueuePolicy(linger: .seconds(60), firstPause: .milliseconds(1), longestPause: .milliseconds(1))
        let registration = service.register(sink: Stubborn(), queue: queue)
        for number in 1...5 { service.info("\(number)") }
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(registration.ledger == LogLedger(submitted: 5, delivered: 3, dropped: [.oversize: 2]))
    }

    @Test func theWrapperRedacts() {
        let recorder = RecordingProvider(), service = LogService()
        service.register(Redacting(keys: ["card"], wrapped: recorder))
        service.info("paid", metadata: ["card": "4111", "sum": 3])
        #expect(recorder.events.map(\.metadata) == [["card": "•••", "sum": 3]])
    }

    @Test func theWebhookSurvivesAFailure() {
        let service = LogService(), webhook = FailingSink { call in call == 1 ? ScriptedFailure("down") : nil }
        service.register(sink: webhook)
        service.warning("low on paper")
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(webhook.written.map(\.message) == ["low on paper"])
        #expect(webhook.calls == 2)
    }
}
