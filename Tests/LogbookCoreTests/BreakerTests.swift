@testable import LogbookCore
import LogbookTestKit
import Testing

@Suite struct BreakerTests {
    @Test func opensWithTheThresholdAndClosesWithASuccess() {
        var breaker = Breaker(threshold: 3)
        let opened = (1...4).map { _ in breaker.fail() }
        #expect(opened == [false, false, true, false] && breaker.isOpen && breaker.failures == 4)
        let wasOpen = (1...2).map { _ in breaker.succeed() }
        #expect(wasOpen == [true, false] && !breaker.isOpen && breaker.failures == 0)
    }

    @Test("row 31: a provider that keeps throwing is paused, costs callers nothing, and comes back by itself", .timeLimit(.minutes(10)))
    func aFailingSinkIsPausedAndComesBack() throws {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), isWell = Locked(false), calls = Monitor(0)
        let sink = FailingSink { call in
            calls.withLock { access in
                access.value = call
                access.broadcast()
            }
            return isWell.withLock { $0 } ? nil : ScriptedFailure("out of order")
        }
        func awaitCall(_ number: Int) {
            calls.withLock { access in
                let deadline = LogDeadline.seconds(30)
                while access.value < number, access.wait(until: deadline) {}
            }
        }
        let service = LogService(clock: .manual(clock)), other = RecordingProvider()
        // A caller that waited for room would wait for an hour.
        let policy = QueuePolicy(
            capacity: 8, reservedCapacity: 0, batchCount: 8, linger: .zero, overflow: .block(upTo: .seconds(3_600)),
            firstPause: .seconds(1), longestPause: .seconds(60), failureThreshold: 3)
        let registration = service.register(BatchingProvider(sink, policy: policy, name: "orders", clock: .manual(clock)))
        service.register(other)
        service.info("1")
        awaitCall(1)
        #expect(becomesTrue { registration.condition == .retrying(failures: 1) })
        while calls.withLock({ $0.value }) < 3 { clock.advance(by: .seconds(1)) }
        #expect(becomesTrue { registration.condition == .paused(failures: 3) })
        #expect(service.health().providers[0].condition.description == "paused after 3 failed writes")

        for number in 2...40 { service.info("\(number)") }
        #expect(other.events.count == 40)
        let lost = registration.ledger.dropped[.queueFull] ?? 0
        #expect(lost > 0 && registration.ledger.submitted == 40)

        isWell.withLock { $0 = true }
        service.flush(by: .seconds(30))
        #expect(registration.condition == .working)
        #expect(registration.ledger == LogLedger(submitted: 40, delivered: 40 - lost, dropped: [.queueFull: lost]))
        #expect(sink.written.map(\.message) == (1...(40 - lost)).map { "\($0)" })
    }

    @Test func aCallerThatWaitsWhenTheSinkIsPausedWaitsNoLonger() {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), sink = FailingSink { _ in ScriptedFailure() }, isBack = Locked(false)
        let policy = QueuePolicy(
            capacity: 1, reservedCapacity: 0, batchCount: 1, linger: .zero, overflow: .block(upTo: .seconds(3_600)),
            firstPause: .seconds(1), longestPause: .seconds(1), failureThreshold: 2)
        let provider = BatchingProvider(sink, policy: policy, clock: .manual(clock))
        @Sendable func event(_ number: UInt64) -> LogEvent {
            LogEvent(sequence: number, time: LogTime(nanoseconds: 0), level: .info, message: "\(number)")
        }
        provider.log(event(1))
        #expect(becomesTrue { provider.condition == .retrying(failures: 1) })
        provider.log(event(2))
        LogThread.start("caller") {
            provider.log(event(3))
            isBack.withLock { $0 = true }
        }
        #expect(becomesTrue { provider.ledger?.submitted == 3 })   // from here on it waits
        #expect(!isBack.withLock { $0 })
        #expect(becomesTrue {
            clock.advance(by: .seconds(1))
            return isBack.withLock { $0 }
        })
        #expect(provider.ledger == LogLedger(submitted: 3, delivered: 0, dropped: [.queueFull: 1]))
    }
}

@Suite struct FallbackTests {
    private func event(_ number: Int) -> LogEvent {
        LogEvent(sequence: UInt64(number), time: LogTime(nanoseconds: 0), level: .info, message: "\(number)")
    }

    private func provider(
        _ sink: any BatchSink, _ fallback: any BatchSink, batchCount: Int = 1, threshold: Int = 2
    ) -> BatchingProvider {
        let policy = QueuePolicy(
            batchCount: batchCount, linger: .zero, firstPause: .milliseconds(1), longestPause: .milliseconds(1),
            failureThreshold: threshold)
        return BatchingProvider(sink, fallback: fallback, policy: policy)
    }

    @Test func takesOverWhileTheSinkKeepsFailing() throws {
        let sink = FailingSink { (3...9).contains($0) ? ScriptedFailure() : nil }, fallback = FailingSink { _ in nil }
        let provider = provider(sink, fallback)
        var last = 0
        // The sink is tried again after a millisecond.
        while sink.calls < 20, last < 1_000_000 {
            last += 1
            provider.log(event(last))
            try provider.flush(by: .seconds(30))
        }
        #expect(provider.ledger == LogLedger(submitted: UInt64(last), delivered: UInt64(last)))
        let first = sink.written.map(\.sequence), second = fallback.written.map(\.sequence)
        // Each by one of the two, in order within each.
        #expect((first + second).sorted() == (1...UInt64(last)).map { $0 })
        #expect(first == first.sorted() && second == second.sorted())
        #expect(first.starts(with: [1, 2]) && second.first == 3 && first.last == UInt64(last))
        #expect(provider.diverted == UInt64(second.count) && provider.condition == .working)
    }

    @Test func hasWhatTheSinkRefuses() throws {
        struct Refusing: BatchSink {
            func write(_ batch: [LogEvent]) throws { throw BatchWriteError.refused(.oversize, because: ScriptedFailure()) }
        }
        let fallback = FailingSink { _ in nil }, provider = provider(Refusing(), fallback)
        for number in 1...3 { provider.log(event(number)) }
        try provider.flush(by: .seconds(30))
        #expect(fallback.written.map(\.sequence) == [1, 2, 3])
        #expect(provider.ledger == LogLedger(submitted: 3, delivered: 3) && provider.condition == .working)
    }

    @Test("while a fallback takes what the sink does not, callers wait for room as for the sink")
    func isWaitedFor() {
        let fallback = GatedSink()
        let policy = QueuePolicy(
            capacity: 1, reservedCapacity: 0, batchCount: 1, linger: .zero, overflow: .block(upTo: .seconds(3600)),
            firstPause: .seconds(3600), longestPause: .seconds(3600), failureThreshold: 1)
        let provider = BatchingProvider(FailingSink { _ in ScriptedFailure() }, fallback: fallback, policy: policy)
        provider.log(event(1))
        #expect(fallback.gate.waitForArrivals(1))
        provider.log(event(2))
        LogThread.start("caller") { [event = event(3)] in provider.log(event) }
        // It waits, or is dropped.
        #expect(becomesTrue { provider.ledger?.submitted == 3 })
        fallback.gate.open()
        #expect(becomesTrue { provider.ledger?.pending == 0 })
        #expect(provider.ledger == LogLedger(submitted: 3, delivered: 3))
    }

    @Test func mayBeAProvider() throws {
        let fallback = RecordingProvider(), policy = QueuePolicy(linger: .zero, failureThreshold: 1)
        let provider = BatchingProvider(FailingSink { _ in ScriptedFailure() }, fallback: fallback, policy: policy)
        for number in 1...3 { provider.log(event(number)) }
        try provider.flush(by: .seconds(30))
        #expect(fallback.events.map(\.sequence) == [1, 2, 3])
        #expect(provider.ledger == LogLedger(submitted: 3, delivered: 3) && provider.diverted == 3)
    }

    @Test func oneThatIsASinkAsWellIsGivenBatches() throws {
        final class Both: LogProvider, BatchSink {
            let batches = Locked<[Int]>([])
            func log(_ event: LogEvent) { Issue.record("it was given one event") }
            func write(_ batch: [LogEvent]) { batches.withLock { $0.append(batch.count) } }
            func flush(by deadline: LogDeadline) {}
        }
        let fallback = Both(), erased: any LogProvider = fallback, policy = QueuePolicy(batchCount: 3, failureThreshold: 1)
        for provider in [
            BatchingProvider(FailingSink { _ in ScriptedFailure() }, fallback: fallback, policy: policy),
            BatchingProvider(FailingSink { _ in ScriptedFailure() }, fallback: erased, policy: policy),
        ] {
            for number in 1...3 { provider.log(event(number)) }
            try provider.flush(by: .seconds(30))
        }
        #expect(fallback.batches.withLock { $0.reduce(0, +) } == 6)
    }

    @Test func mayFailTooAndNothingIsLostOrDoubled() throws {
        let sink = FailingSink { $0 < 6 ? ScriptedFailure() : nil }, fallback = BatchingProviderTests.HaltingSink()
        let provider = provider(sink, fallback, batchCount: 64)
        for number in 1...50 { provider.log(event(number)) }
        try provider.flush(by: .seconds(30))
        #expect((sink.written.map(\.sequence) + fallback.written.withLock { $0 }).sorted() == Array(1...50))
        #expect(provider.ledger == LogLedger(submitted: 50, delivered: 50))
    }

    @Test func mayRefuseOneEventAndHasTheOthersOnce() throws {
        let sink = FailingSink { _ in ScriptedFailure() }, fallback = BatchingProviderTests.Picky()
        let provider = provider(sink, fallback, batchCount: 64, threshold: 1)
        for number in 1...20 { provider.log(event(number)) }
        try provider.flush(by: .seconds(30))
        #expect(fallback.written.withLock { $0 } == (1...20).filter { $0 % 10 != 7 })
        #expect(provider.ledger == LogLedger(submitted: 20, delivered: 18, dropped: [.oversize: 2]))
        #expect(provider.diverted == 18)
    }

    @Test func mayFailInTheMiddleOfWhatWasSaidTogether() {
        let sink = FailingSink { $0 < 40 ? ScriptedFailure() : nil }, fallback = BatchingProviderTests.HaltingSink()
        let service = LogService(), registration = service.register(provider(sink, fallback, batchCount: 64))
        // In few pieces, as a service hands them on.
        for number in 1...50 { service.info("\(number)") }
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect((sink.written.map(\.sequence) + fallback.written.withLock { $0 }).sorted() == Array(1...50))
        #expect(registration.ledger == LogLedger(submitted: 50, delivered: 50))
    }

    @Test func hasTheRestWhenTheQueueIsShutDown() throws {
        let sink = FailingSink { _ in ScriptedFailure() }, fallback = FailingSink { _ in nil }
        let policy = QueuePolicy(firstPause: .seconds(60), longestPause: .seconds(60), failureThreshold: 1_000)
        let provider = BatchingProvider(sink, fallback: fallback, policy: policy)
        for number in 1...5 { provider.log(event(number)) }
        try provider.shutdown(by: .seconds(30))
        #expect(fallback.written.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(provider.ledger == LogLedger(submitted: 5, delivered: 5))
    }
}
