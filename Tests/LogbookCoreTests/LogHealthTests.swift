import LogbookCore
import LogbookTestKit
import Testing

@Suite struct LogHealthTests {
    private let clock = ManualClock(now: LogTime(seconds: 100))
    private let service: LogService
    init() { service = LogService(clock: .manual(clock)) }

    private var health: LogHealth.Provider { service.health().providers[0] }

    /// Says itself what is wrong with it.
    private struct Ailing: LogProvider {
        func log(_ event: LogEvent) {}
        func flush(by deadline: LogDeadline) {}
        var latestFailure: String? { "cannot reach db://app:hunter2@host" }
        var oldestPending: LogTime? { LogTime(nanoseconds: 1_500_000_000) }
    }

    private struct Passing: WrappingProvider {
        let wrapped: any LogProvider
        func log(_ event: LogEvent) { wrapped.log(event) }
    }

    @Test(arguments: [LogDelivery.immediate, .queued()])
    func whatAProviderSaysOfItselfIsShownHoweverItIsFed(_ delivery: LogDelivery) {
        service.register(Passing(wrapped: Ailing()), delivery: delivery, name: "db")
        #expect(health.latestFailure == "cannot reach db://app:<private>@host")
        #expect(health.oldestPending == LogTime(nanoseconds: 1_500_000_000))
        #expect(
            service.health().description == "db: 0 submitted, 0 delivered, 0 pending (the oldest since 1970-01-01T00:00:01.5Z), 0 dropped; "
                + "latest failure: cannot reach db://app:<private>@host")
    }

    @Test func whoSaysNothingIsWell() {
        service.register(Passing(wrapped: RecordingProvider()), name: "memory")
        service.info("1")
        #expect(health.latestFailure == nil && health.oldestPending == nil && health.condition == .working)
        #expect("\(service.health())" == "memory: 1 submitted, 1 delivered, 0 pending, 0 dropped")
    }

    @Test func aQueueKnowsSinceWhenItsOldestEventWaits() {
        let sink = GatedSink()
        let policy = QueuePolicy(capacity: 1, reservedCapacity: 0, batchCount: 1, linger: .zero, overflow: .dropNewest)
        service.register(sink: sink, queue: policy, name: "orders")
        #expect(health.oldestPending == nil)
        service.info("1")
        #expect(sink.gate.waitForArrivals(1))
        clock.advance(by: .seconds(1))
        for number in 2...3 { service.info("\(number)") }
        #expect(
            health.description == "orders: 3 submitted, 0 delivered, 2 pending (the oldest since 1970-01-01T00:01:40Z), 1 dropped (queue_full 1)")
        sink.gate.open()
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(health.oldestPending == nil)
    }

    @Test func theOldestEventIsOneThatIsNotWritten() {
        let gate = Gate(), sink = FailingSink { call in
            if call == 1 { return BatchWriteError.wroteOnly(count: 2, because: ScriptedFailure("full")) }
            gate.wait()
            return nil
        }
        service.register(sink: sink, queue: QueuePolicy(batchCount: 8, linger: .seconds(60)), name: "orders")
        for _ in 1...3 {
            service.info("x")
            clock.advance(by: .seconds(1))
        }
        let isFlushed = Locked(false)
        LogThread.start("flushes") { isFlushed.withLock { $0 = service.flush(by: .seconds(60)).isComplete } }
        #expect(becomesTrue {
            clock.advance(by: .milliseconds(100))   // its pause
            return gate.waitForArrivals(1, by: .after(.milliseconds(10)))
        })
        #expect(health.ledger.delivered == 2 && health.oldestPending == LogTime(seconds: 102))
        gate.open()
        #expect(becomesTrue { isFlushed.withLock { $0 } })
    }

    @Test func whatWasSaidBeforeIsHandedOutOnceForAllProviders() {
        // One that has no thread asks for it each time it hands out, and each time somebody anywhere begins or ends a scope of a level.
        let asked = Locked(0), thread = LogThread.currentNumber
        let service = LogService(
            readContext: { nil },
            startThread: { _, _ in
                if LogThread.currentNumber == thread { asked.withLock { $0 += 1 } }
                return false
            })
        for _ in 1...3 { service.register(sink: FailingSink { _ in nil }) }
        service.info("1")
        let before = asked.withLock { $0 }
        #expect(service.health().providers.map(\.ledger.submitted) == [1, 1, 1])
        #expect(asked.withLock { $0 } == before + 1)
    }

    @Test func aQueueThatTriesAgainSaysSo() {
        service.register(sink: FailingSink { _ in ScriptedFailure("down") }, queue: QueuePolicy(linger: .zero), name: "orders")
        service.info("1")
        #expect(becomesTrue { health.condition == .retrying(failures: 1) })
        #expect(
            health.description == "orders: 1 submitted, 0 delivered, 1 pending (the oldest since 1970-01-01T00:01:40Z), 0 dropped, "
                + "retrying after 1 failed write; latest failure: down")
    }
}
