import Foundation
@testable import LogbookCore
import LogbookTestKit
import Synchronization
import Testing

extension DropReason {
    fileprivate static let unwanted = DropReason(rawValue: "unwanted")
}

@Suite struct BatchingProviderTests {
    @Test func theDefaultsAreWhatTheDocumentationSays() async {
        let policy = QueuePolicy(
            capacity: 8192, reservedCapacity: 1024, maximumBytes: 16_777_216, batchCount: 1536, linger: .milliseconds(20),
            overflow: .block(upTo: .milliseconds(250)), firstPause: .milliseconds(100), longestPause: .seconds(10), failureThreshold: 5)
        #expect(QueuePolicy() == policy && LogDelivery.queued() == .queued(policy))
        #expect(QueuePolicy(capacity: 64).batchCount == 64)
        await #expect(processExitsWith: .success) {
            #expect(LogService.exitFlushLimit == .seconds(2))
        }
    }

    func event(_ number: Int, _ level: LogLevel = .info) -> LogEvent {
        LogEvent(sequence: UInt64(number), time: LogTime(nanoseconds: 0), level: level, message: "\(number)")
    }

    /// Writes one event of each batch, and fails at the next.
    final class HaltingSink: BatchSink {
        let written = Locked<[UInt64]>([])
        func write(_ batch: [LogEvent]) throws {
            written.withLock { $0.append(batch[0].sequence) }
            if batch.count > 1 { throw BatchWriteError.wroteOnly(count: 1, because: ScriptedFailure()) }
        }
    }

    /// Takes no event whose number ends in 7.
    final class Picky: BatchSink {
        let written = Locked<[UInt64]>([])
        func write(_ batch: [LogEvent]) throws {
            let place = batch.firstIndex { $0.sequence % 10 == 7 }
            written.withLock { $0 += batch[..<(place ?? batch.count)].map(\.sequence) }
            if let place { throw BatchWriteError.refusedOne(.oversize, after: place, because: ScriptedFailure()) }
        }
    }

    /// Takes three events at a time, and wants none whose number is odd.
    final class Choosy: BatchSink {
        let written = Locked<[UInt64]>([])
        func write(_ batch: [LogEvent]) throws {
            let part = batch.prefix(3), wanted = part.map(\.sequence).filter { $0 % 2 == 0 }
            written.withLock { $0 += wanted }
            throw BatchWriteError.dropped(count: part.count - wanted.count, of: part.count, .unwanted)
        }
    }

    /// Knows what was safe when a flush returned.
    final class SafeSink: BatchSink {
        private struct State { var written: [UInt64] = [], safe: Set<UInt64> = [] }
        private let state = Locked(State())
        func write(_ batch: [LogEvent]) { state.withLock { $0.written += batch.map(\.sequence) } }
        func flush(by deadline: LogDeadline) {
            state.withLock { state in
                state.safe.formUnion(state.written)
                state.written = []
            }
        }
        func isSafe(_ sequence: UInt64) -> Bool { state.withLock { $0.safe.contains(sequence) } }
    }

    @Test func aFlushIsOneOfWhatWasLoggedBeforeItWhoeverFlushesBeside() {
        let sink = SafeSink(), provider = BatchingProvider(sink), count = 4
        let state = Monitor((left: count, unsafe: 0))
        for thread in 0..<count {
            LogThread.start("flushes") {
                var unsafe = 0
                for number in 1...3_000 {
                    provider.log(event(number * count + thread))
                    do { try provider.flush(by: .seconds(60)) } catch { unsafe += 1 }
                    if !sink.isSafe(UInt64(number * count + thread)) { unsafe += 1 }
                }
                state.withLock { access in
                    access.value.left -= 1
                    access.value.unsafe += unsafe
                    access.broadcast()
                }
            }
        }
        let unsafe = state.withLock { access in
            while access.value.left > 0, access.wait(until: .seconds(300)) {}
            return access.value.left > 0 ? -1 : access.value.unsafe
        }
        #expect(unsafe == 0)
    }

    @Test func oneEventThatIsRefusedTakesNoOtherWithIt() throws {
        let sink = Picky(), rest = FailingSink { _ in nil }
        let provider = BatchingProvider(sink), withFallback = BatchingProvider(Picky(), fallback: rest)
        for provider in [provider, withFallback] {
            for number in 1...100 { provider.log(event(number)) }
            try provider.flush(by: .seconds(30))
        }
        #expect(sink.written.withLock { $0 } == (1...100).filter { $0 % 10 != 7 })
        #expect(provider.ledger == LogLedger(submitted: 100, delivered: 90, dropped: [.oversize: 10]))
        #expect(provider.condition == .working)
        #expect(rest.written.map(\.sequence) == (1...100).filter { $0 % 10 == 7 })
        #expect(withFallback.ledger == LogLedger(submitted: 100, delivered: 100))
    }

    @Test func writesEverythingInOrderAndInBatches() throws {
        let sink = FailingSink { _ in nil }
        let provider = BatchingProvider(sink, policy: QueuePolicy(capacity: 1_000, batchCount: 16))
        for number in 1...500 { provider.log(event(number)) }
        try provider.flush(by: .seconds(30))
        #expect(sink.written.map(\.sequence) == Array(1...500))
        #expect(sink.batches.allSatisfy { (1...16).contains($0.count) })
        #expect(provider.ledger == LogLedger(submitted: 500, delivered: 500))
    }

    @Test("row 31: a batch that fails is offered again, whole and in order")
    func aFailedBatchIsOfferedAgain() throws {
        let sink = FailingSink { $0 <= 3 ? ScriptedFailure() : nil }
        let provider = BatchingProvider(
            sink, policy: QueuePolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(2)))
        for number in 1...10 { provider.log(event(number)) }
        try provider.flush(by: .seconds(30))
        #expect(sink.written.map(\.sequence) == Array(1...10))
        #expect(sink.calls >= 4)
    }

    @Test func pausesGrowOnTheClockItWasGiven() throws {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), calls = Monitor(0)
        let sink = FailingSink { call in
            calls.withLock { access in
                access.value = call
                access.broadcast()
            }
            return call < 4 ? ScriptedFailure() : nil
        }
        func waitForCall(_ number: Int) {
            calls.withLock { access in while access.value < number { access.wait() } }
        }
        let policy = QueuePolicy(linger: .zero, firstPause: .seconds(10), longestPause: .seconds(1_000))
        let provider = BatchingProvider(sink, policy: policy, clock: .manual(clock))
        provider.log(event(1))
        // Each pause is between half and all of 10, 20, 40 s; time that stands still lets nothing happen.
        for call in 1...3 {
            waitForCall(call)
            #expect(sink.calls == call)
            while sink.calls == call { clock.advance(by: .seconds(1)) }
        }
        try provider.flush(by: .seconds(30))
        #expect(provider.ledger == LogLedger(submitted: 1, delivered: 1))
        let elapsed = clock.now.seconds
        #expect(elapsed >= 35)
    }

    @Test func aSinkMaySayHowFarItCame() throws {
        let sink = HaltingSink()
        let provider = BatchingProvider(
            sink, policy: QueuePolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(1)))
        for number in 1...20 { provider.log(event(number)) }
        try provider.flush(by: .seconds(30))
        #expect(sink.written.withLock { $0 } == Array(1...20))
        #expect(provider.ledger == LogLedger(submitted: 20, delivered: 20))
    }

    @Test("what a sink drops on purpose is counted, and is no failure: nothing of it goes to a fallback", arguments: [false, true])
    func aSinkMayDropOnPurpose(hasFallback: Bool) throws {
        let sink = Choosy(), fallback = FailingSink { _ in nil }
        let provider = BatchingProvider(sink, fallback: hasFallback ? fallback : nil)
        for number in 1...20 { provider.log(event(number)) }
        try provider.flush(by: .seconds(30))
        #expect(sink.written.withLock { $0 } == (1...20).filter { $0 % 2 == 0 })
        #expect(provider.ledger == LogLedger(submitted: 20, delivered: 10, dropped: [.unwanted: 10]))
        #expect(fallback.written.isEmpty && provider.diverted == 0)
        #expect(provider.condition == .working && provider.latestFailure == nil)
    }

    @Test func aFallbackMayDropOnPurpose() throws {
        let fallback = Choosy()
        let provider = BatchingProvider(
            FailingSink { _ in BatchWriteError.refused(.oversize, because: ScriptedFailure()) }, fallback: fallback)
        for number in 1...20 { provider.log(event(number)) }
        try provider.flush(by: .seconds(30))
        #expect(fallback.written.withLock { $0 } == (1...20).filter { $0 % 2 == 0 })
        #expect(provider.ledger == LogLedger(submitted: 20, delivered: 10, dropped: [.unwanted: 10]))
        #expect(provider.diverted == 10)
    }

    @Test("a sink that says it has dropped what cannot be is offered no event for ever", arguments: [(2, 0), (-1, -1), (9, 1), (0, 0)])
    func countsOfWhatWasDropped(count: Int, total: Int) throws {
        struct Confused: BatchSink {
            let count: Int, total: Int
            func write(_ batch: [LogEvent]) throws { throw BatchWriteError.dropped(count: count, of: total, .unwanted) }
        }
        let provider = BatchingProvider(Confused(count: count, total: total))
        for number in 1...3 { provider.log(event(number)) }
        try provider.flush(by: .seconds(30))
        #expect(provider.ledger == LogLedger(submitted: 3, dropped: [.unwanted: 3]))
    }

    @Test func aRefusedBatchIsDroppedUnderItsReason() throws {
        struct Refusing: BatchSink {
            func write(_ batch: [LogEvent]) throws { throw BatchWriteError.refused(.oversize, because: ScriptedFailure()) }
        }
        let provider = BatchingProvider(Refusing())
        for number in 1...3 { provider.log(event(number)) }
        try provider.flush(by: .seconds(30))
        #expect(provider.ledger == LogLedger(submitted: 3, delivered: 0, dropped: [.oversize: 3]))
    }

    @Test func aFullQueueDropsTheNewestButKeepsRoomForErrorsAndEntries() throws {
        let sink = GatedSink()
        let policy = QueuePolicy(capacity: 4, reservedCapacity: 2, batchCount: 1, linger: .zero, overflow: .dropNewest)
        let provider = BatchingProvider(sink, policy: policy)
        provider.log(event(1))
        #expect(sink.gate.waitForArrivals(1))
        for number in 2...7 { provider.log(event(number)) }
        for number in 8...10 { provider.log(event(number, .error)) }
        #expect(provider.ledger == LogLedger(submitted: 10, delivered: 0, dropped: [.queueFull: 3]))
        sink.gate.open()
        try provider.flush(by: .seconds(30))
        #expect(sink.inner.written.map(\.sequence) == [1, 2, 3, 4, 5, 8, 9])
    }

    @Test func aFullQueueCanDropTheOldest() throws {
        let sink = GatedSink()
        let policy = QueuePolicy(capacity: 3, reservedCapacity: 0, batchCount: 1, linger: .zero, overflow: .dropOldest)
        let provider = BatchingProvider(sink, policy: policy)
        provider.log(event(1))
        #expect(sink.gate.waitForArrivals(1))
        for number in 2...10 { provider.log(event(number)) }
        sink.gate.open()
        try provider.flush(by: .seconds(30))
        #expect(sink.inner.written.map(\.sequence) == [1, 8, 9, 10])
        #expect(provider.ledger == LogLedger(submitted: 10, delivered: 4, dropped: [.queueFull: 6]))
    }

    @Test func aFullQueueThatDropsTheOldestSparesErrorsAndEntries() throws {
        let sink = GatedSink()
        let policy = QueuePolicy(capacity: 4, reservedCapacity: 2, batchCount: 1, linger: .zero, overflow: .dropOldest)
        let provider = BatchingProvider(sink, policy: policy)
        provider.log(event(1))
        #expect(sink.gate.waitForArrivals(1))
        provider.log(event(2))
        provider.log(event(3, .error))
        for number in 4...22 { provider.log(event(number)) }
        #expect(provider.ledger == LogLedger(submitted: 22, delivered: 0, dropped: [.queueFull: 17]))
        sink.gate.open()
        try provider.flush(by: .seconds(30))
        #expect(sink.inner.written.map(\.sequence) == [1, 3, 20, 21, 22])
        #expect(provider.ledger == LogLedger(submitted: 22, delivered: 5, dropped: [.queueFull: 17]))
    }

    @Test func errorsGiveWayToErrorsAloneAndOnlyWhenNothingElseIsLeft() throws {
        let sink = GatedSink()
        let policy = QueuePolicy(capacity: 2, reservedCapacity: 1, batchCount: 1, linger: .zero, overflow: .dropOldest)
        let provider = BatchingProvider(sink, policy: policy)
        provider.log(event(1))
        #expect(sink.gate.waitForArrivals(1))
        for number in 2...3 { provider.log(event(number)) }
        for number in 4...6 { provider.log(event(number, .error)) }   // in the reserve, then in the place of 2 and 3
        provider.log(event(7))                                        // no room beside them
        provider.log(event(8, .error))                                // in the place of 4
        sink.gate.open()
        try provider.flush(by: .seconds(30))
        #expect(sink.inner.written.map(\.sequence) == [1, 5, 6, 8])
        #expect(provider.ledger == LogLedger(submitted: 8, delivered: 4, dropped: [.queueFull: 4]))
    }

    @Test func errorsThatFillTheBytesOfAQueueGiveWayToNoOtherEvent() throws {
        let sink = GatedSink()
        let provider = BatchingProvider(
            sink, policy: QueuePolicy(maximumBytes: 10_000, batchCount: 1, linger: .zero, overflow: .dropOldest))
        func large(_ number: Int) -> LogEvent {
            LogEvent(
                sequence: UInt64(number), time: LogTime(nanoseconds: 0), level: .error, message: String(repeating: "x", count: 4_800))
        }
        provider.log(event(1))
        #expect(sink.gate.waitForArrivals(1))
        for number in 2...3 { provider.log(large(number)) }   // all the bytes, and some of the reserve
        for number in 4...5 { provider.log(event(number)) }   // no room beside them
        #expect(provider.ledger == LogLedger(submitted: 5, dropped: [.queueFull: 2]))
        provider.log(large(6))                                // in the place of 2
        sink.gate.open()
        try provider.flush(by: .seconds(30))
        #expect(sink.inner.written.map(\.sequence) == [1, 3, 6])
        #expect(provider.ledger == LogLedger(submitted: 6, delivered: 3, dropped: [.queueFull: 3]))
    }

    @Test func aFlushIsOneOfWhatWasLoggedBeforeItWhateverIsDroppedMeanwhile() {
        /// Notes what it was asked for, and stops at a gate before it writes.
        final class Diary: BatchSink {
            let gate = Gate(), entries = Locked<[String]>([])
            func write(_ batch: [LogEvent]) {
                gate.wait()
                entries.withLock { $0 += batch.map(\.message) }
            }
            func flush(by deadline: LogDeadline) { entries.withLock { $0.append("flush") } }
        }
        let sink = Diary()
        let policy = QueuePolicy(capacity: 2, reservedCapacity: 1, batchCount: 1, linger: .zero, overflow: .dropOldest)
        let provider = BatchingProvider(sink, policy: policy)
        provider.log(event(1))
        #expect(sink.gate.waitForArrivals(1))
        provider.log(event(2, .error))
        #expect(throws: QueueError.self) { try provider.flush(by: .now) }   // it is made all the same
        for number in 3...20 { provider.log(event(number)) }
        sink.gate.open()
        #expect(becomesTrue { sink.entries.withLock { $0.count } == 4 })
        #expect(sink.entries.withLock { $0 } == ["1", "2", "flush", "20"])
    }

    @Test func whoFlushesAgainAndAgainDoesNotKeepTheSinkFromIt() throws {
        /// Whenever it writes, more is said, and somebody asks for a flush of that.
        final class Busy: BatchSink {
            let entries = Locked<[String]>([]), writesAtMost = 20
            let sayMore = Locked<(@Sendable () -> Void)?>(nil)
            func write(_ batch: [LogEvent]) {
                entries.withLock { $0 += batch.map(\.message) }
                guard batch[0].sequence < writesAtMost, let sayMore = sayMore.withLock({ $0 }) else { return }
                let gate = Gate()
                LogThread.start("says more") {
                    sayMore()
                    gate.open()
                }
                gate.wait()
            }
            func flush(by deadline: LogDeadline) { entries.withLock { $0.append("flush") } }
        }
        let sink = Busy(), provider = BatchingProvider(sink, policy: QueuePolicy(batchCount: 1, linger: .zero)), number = Locked(1)
        sink.sayMore.withLock {
            $0 = { [unowned provider] in
                provider.log(event(number.withLock { number in number += 1; return number }))
                try? provider.flush(by: .now)
            }
        }
        provider.log(event(1))
        #expect(becomesTrue { sink.entries.withLock { $0.contains("20") } })
        try provider.flush(by: .seconds(60))
        // The first flush, of 2, comes before 3 is written; those of 3 and 4, which had come by then, ask for one more.
        #expect(sink.entries.withLock { Array($0.prefix(6)) } == ["1", "2", "flush", "3", "flush", "4"])
        #expect(sink.entries.withLock { $0.last } == "flush")
    }

    @Test func aFlushKnowsWhatAShutdownHasGivenUpMeanwhile() throws {
        let sink = GatedSink(), engine = BatchEngine(
            sink: sink, lineSink: nil, fallback: nil, policy: QueuePolicy(batchCount: 1, linger: .zero), name: "test", clock: .system)
        for number in 1...3 { engine.take(event(number)) }
        #expect(sink.gate.waitForArrivals(1))
        let round = try #require(try engine.demandFlush(by: .seconds(60)))
        #expect(throws: QueueError.deadlinePassed(pending: 3, latestFailure: nil)) { try engine.shutdown(by: .milliseconds(1)) }
        sink.gate.open()
        #expect(throws: QueueError.givenUp(count: 2)) { try engine.awaitFlush(round, by: .seconds(60)) }
        #expect(engine.ledger == LogLedger(submitted: 3, delivered: 1, dropped: [.providerTimeout: 2]))
        try engine.shutdown(by: .seconds(60))   // it was told already, and nothing is in the sink's hands any longer
    }

    @Test func aFlushOfWhatTheSinkHadInHandWhenTheQueueWasGivenUpIsOneAllTheSame() throws {
        let sink = GatedSink(), engine = BatchEngine(
            sink: sink, lineSink: nil, fallback: nil, policy: QueuePolicy(batchCount: 1, linger: .zero), name: "test", clock: .system)
        engine.take(event(1))
        #expect(sink.gate.waitForArrivals(1))
        let round = try #require(try engine.demandFlush(by: .seconds(60)))
        #expect(throws: QueueError.deadlinePassed(pending: 1, latestFailure: nil)) { try engine.shutdown(by: .milliseconds(1)) }
        sink.gate.open()
        try engine.awaitFlush(round, by: .seconds(60))
        #expect(engine.ledger == LogLedger(submitted: 1, delivered: 1))
    }

    @Test func theQueueIsBoundedInBytesAsWell() throws {
        let sink = GatedSink()
        let provider = BatchingProvider(
            sink, policy: QueuePolicy(reservedCapacity: 0, maximumBytes: 10_000, batchCount: 1, linger: .zero, overflow: .dropNewest))
        let large = LogEvent(
            sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: String(repeating: "x", count: 4_000))
        provider.log(event(1))
        #expect(sink.gate.waitForArrivals(1))
        for _ in 0..<10 { provider.log(large) }
        #expect(provider.ledger?.dropped == [.queueFull: 8])
        sink.gate.open()
        try provider.flush(by: .seconds(30))
        #expect(provider.ledger?.pending == 0)
    }

    @Test func whatAnErrorAnEntryOrAPlaceSaysCountsAsBytesOfTheQueue() {
        let text = String(repeating: "x", count: 4_000)
        func event(
            _ error: LogErrorDetails? = nil, _ entry: TransactionEntry? = nil, _ source: LogSource = .unknown
        ) -> LogEvent {
            LogEvent(
                sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: "m", source: source, transaction: entry, error: error)
        }
        let device = DeviceFacts(make: "a", os: "b", osVersion: "c")
        let large = [
            event(LogErrorDetails(type: "E", description: text)), event(LogErrorDetails(type: text, description: "d")),
            event(nil, TransactionEntry(transactionID: "T", usecase: 1, kind: .began, errorDescription: text, device: device)),
            event(nil, nil, LogSource(fileNamed: text)), event(nil, nil, LogSource(fileNamed: "f", functionNamed: text)),
        ]
        for large in large {
            let sink = GatedSink()
            let provider = BatchingProvider(
                sink, policy: QueuePolicy(reservedCapacity: 0, maximumBytes: 10_000, batchCount: 1, linger: .zero, overflow: .dropNewest))
            provider.log(self.event(1))
            #expect(sink.gate.waitForArrivals(1))
            for _ in 0..<10 { provider.log(large) }
            #expect(provider.ledger?.dropped == [.queueFull: 8])
            sink.gate.open()
        }
    }

    @Test func aBlockedCallerGoesOnWhenTheQueueMoves() async throws {
        let sink = GatedSink()
        let provider = BatchingProvider(
            sink, policy: QueuePolicy(capacity: 2, reservedCapacity: 0, batchCount: 1, overflow: .block(upTo: .seconds(60))))
        LogThread.start("producer") { for number in 1...50 { provider.log(self.event(number)) } }
        #expect(sink.gate.waitForArrivals(1))
        sink.gate.open()
        while (provider.ledger?.submitted ?? 0) < 50 { await Task.yield() }
        try provider.flush(by: .seconds(30))
        #expect(sink.inner.written.map(\.sequence) == Array(1...50))
    }

    @Test func afterATimeOutNobodyWaitsUntilTheQueueMoves() throws {
        let sink = GatedSink()
        let provider = BatchingProvider(
            sink,
            policy: QueuePolicy(capacity: 1, reservedCapacity: 0, batchCount: 1, linger: .zero, overflow: .block(upTo: .milliseconds(30))))
        provider.log(event(1))
        #expect(sink.gate.waitForArrivals(1))
        provider.log(event(2))
        let start = LogClock.system.monotonicNanoseconds()
        for number in 3...1_000 { provider.log(event(number)) }
        // One wait of 30 ms, not 998 of them.
        #expect(LogClock.system.monotonicNanoseconds() - start < 10_000_000_000)
        #expect(provider.ledger?.dropped == [.queueFull: 998])
        sink.gate.open()
        try provider.flush(by: .seconds(30))
        provider.log(event(1_001))
        try provider.flush(by: .seconds(30))
        #expect(sink.inner.written.map(\.sequence) == [1, 2, 1_001])
    }

    @Test func theFlushOfTheSinkComesAfterItsBatchesAndItsFailureIsTheFlushes() throws {
        final class Careful: BatchSink {
            let order = Locked<[String]>([])
            func write(_ batch: [LogEvent]) throws { order.withLock { $0.append("write") } }
            func flush(by deadline: LogDeadline) throws {
                order.withLock { $0.append("flush") }
                throw ScriptedFailure("not synced")
            }
        }
        let sink = Careful(), provider = BatchingProvider(sink)
        provider.log(event(1))
        #expect(throws: ScriptedFailure("not synced")) { try provider.flush(by: .seconds(30)) }
        #expect(sink.order.withLock { $0 } == ["write", "flush"])
    }

    /// Inserts what it writes, and commits it when it is flushed.
    private final class Committing: BatchSink {
        private struct State { var inserted: [UInt64] = [], committed: [UInt64] = [] }
        private let state = Locked(State()), failure: ScriptedFailure?
        init(failing failure: ScriptedFailure? = nil) { self.failure = failure }
        func write(_ batch: [LogEvent]) { state.withLock { $0.inserted += batch.map(\.sequence) } }
        func flush(by deadline: LogDeadline) throws {
            if let failure { throw failure }
            state.withLock { state in
                state.committed += state.inserted
                state.inserted = []
            }
        }
        var committed: [UInt64] { state.withLock { $0.committed } }
    }

    @Test func aShutdownFlushesTheSinkBeforeItClosesIt() throws {
        let sink = Committing(), provider = BatchingProvider(sink)
        for number in 1...5 { provider.log(event(number)) }
        try provider.shutdown(by: .seconds(30))
        #expect(sink.committed == [1, 2, 3, 4, 5])
    }

    @Test func aShutdownWhoseFlushFailsSaysSoWheneverItIsAsked() {
        let failure = ScriptedFailure("not synced"), provider = BatchingProvider(Committing(failing: failure))
        provider.log(event(1))
        for _ in 1...2 { #expect(throws: failure) { try provider.shutdown(by: .seconds(30)) } }
    }

    @Test func aProviderThatIsLetGoIsFlushed() {
        let sink = Committing()
        do {
            let provider = BatchingProvider(sink)
            for number in 1...5 { provider.log(event(number)) }
        }
        #expect(becomesTrue { sink.committed == [1, 2, 3, 4, 5] })
    }

    @Test func aFlushThatFailedIsNoBetterForALaterOne() throws {
        let engine = BatchEngine(
            sink: UnsafeOnceSink(), lineSink: nil, fallback: nil, policy: QueuePolicy(linger: .zero), name: "test", clock: .system)
        engine.take(event(1))
        let first = try #require(try engine.demandFlush(by: .seconds(60)))
        let failure = ScriptedFailure("the disk did not take it")
        #expect(throws: failure) { try engine.awaitFlush(first, by: .seconds(60)) }
        try engine.flush(by: .seconds(60))
        #expect(throws: failure) { try engine.awaitFlush(first, by: .seconds(60)) }   // for who asked then, and looks now
        try engine.shutdown(by: .seconds(60))
    }

    @Test("a flush that fails when its caller has gone, and not its deadline, is told to the next who waits", arguments: [false, true])
    func aFlushThatFailsForNobody(isShutdown: Bool) throws {
        let gate = Gate(), engine = BatchEngine(
            sink: UnsafeOnceSink(gate: gate), lineSink: nil, fallback: nil, policy: QueuePolicy(batchCount: 1, linger: .zero), name: "test",
            clock: .system)
        engine.take(event(1))
        #expect(gate.waitForArrivals(1))
        let first = try #require(try engine.demandFlush(by: .milliseconds(10)))
        engine.take(event(2))
        let second = try #require(try engine.demandFlush(by: .seconds(600)))   // which the sink goes by, for both
        #expect(throws: QueueError.self) { try engine.awaitFlush(first, by: .milliseconds(10)) }
        gate.open()
        let failure = ScriptedFailure("the disk did not take it")
        if isShutdown {
            #expect(throws: failure) { try engine.shutdown(by: .seconds(60)) }
        } else {
            #expect(throws: failure) { try engine.awaitFlush(second, by: .seconds(60)) }
            try engine.flush(by: .seconds(60))
        }
    }

    @Test func aShutdownThatRunsOutOfTimeCountsWhatIsLost() {
        let sink = FailingSink { _ in ScriptedFailure("disk on fire") }
        let provider = BatchingProvider(sink)
        for number in 1...5 { provider.log(event(number)) }
        #expect(becomesTrue { provider.latestFailure != nil })   // it is known when the deadline passes
        let failure = #expect(throws: QueueError.self) { try provider.shutdown(by: .milliseconds(50)) }
        #expect(failure?.description.contains("disk on fire") == true)
        provider.log(event(6))
        // The batch in the sink's hands is given up as soon as its pause ends; the rest was counted at the deadline.
        while provider.ledger?.pending != 0 { sched_yield() }
        #expect(provider.ledger == LogLedger(submitted: 6, delivered: 0, dropped: [.providerError: 5, .alreadyShutDown: 1]))
        #expect(throws: Never.self) { try provider.shutdown(by: .seconds(30)) }
    }

    @Test func whatStillWaitsWhenAShutdownsDeadlinePassesIsCountedAtOnceAndTheBatchInHandWhenItReturns() {
        let sink = GatedSink(), provider = BatchingProvider(sink, policy: QueuePolicy(batchCount: 1, linger: .zero))
        for number in 1...5 { provider.log(event(number)) }
        #expect(sink.gate.waitForArrivals(1))
        #expect(throws: QueueError.deadlinePassed(pending: 5, latestFailure: nil)) { try provider.shutdown(by: .now) }
        #expect(provider.ledger == LogLedger(submitted: 5, delivered: 0, dropped: [.providerTimeout: 4]))
        #expect(throws: QueueError.deadlinePassed(pending: 1, latestFailure: nil)) { try provider.shutdown(by: .now) }
        sink.gate.open()
        #expect(becomesTrue { provider.ledger?.pending == 0 })
        #expect(provider.ledger == LogLedger(submitted: 5, delivered: 1, dropped: [.providerTimeout: 4]))
        #expect(sink.inner.written.map(\.sequence) == [1])
    }

    @Test func aSinkThatCannotBeClosedWellIsToldOfAndSoIsAFallback() {
        struct Leaving: BatchSink {
            let failure: ScriptedFailure?
            func write(_ batch: [LogEvent]) throws {}
            func close(by deadline: LogDeadline) throws { if let failure { throw failure } }
        }
        let (sink, fallback) = (ScriptedFailure("a line is lost"), ScriptedFailure("another one is"))
        let cases: [(ScriptedFailure?, ScriptedFailure?, told: ScriptedFailure)] = [
            (sink, nil, sink), (sink, fallback, sink), (nil, fallback, fallback),
        ]
        for (first, second, told) in cases {
            let provider = BatchingProvider(Leaving(failure: first), fallback: Leaving(failure: second))
            #expect(throws: told) { try provider.shutdown(by: .seconds(60)) }
            let service = LogService()
            service.register(sink: Leaving(failure: first ?? second))
            #expect(service.shutdown(by: .seconds(60)).unfinished.map(\.reason) == ["\(told)"])
        }
    }

    @Test func whoShutsDownAgainWhileTheSinkClosesIsNotToldOfALossAgain() {
        final class Closing: BatchSink {
            let isAwaited = Atomic(false)
            func write(_ batch: [LogEvent]) throws { throw ScriptedFailure("disk on fire") }
            func close(by deadline: LogDeadline) {
                while !isAwaited.load(ordering: .acquiring) { sched_yield() }
            }
        }
        for _ in 1...100 {   // the second call has to come while the sink is at it
            let sink = Closing(), provider = BatchingProvider(sink)
            provider.log(event(1))
            #expect(throws: QueueError.self) { try provider.shutdown(by: .now) }
            sink.isAwaited.store(true, ordering: .releasing)
            #expect(throws: Never.self) { try provider.shutdown(by: .seconds(60)) }
        }
    }

    /// Looks at its service and logs when it is put into words.
    private struct Talkative: Error, CustomStringConvertible {
        let service: LogService
        var description: String {
            service.info("about it")
            return "out of order, with \(service.health().providers.count) listeners"
        }
    }

    @Test(arguments: [false, true])
    func anErrorThatLogsWhenItIsPutIntoWordsHoldsNobodyUp(isRefusal: Bool) {
        let service = LogService(), others = RecordingProvider(), isDone = Locked(false)
        let sink = FailingSink { call in
            if call != 1 { return nil }
            let failure = Talkative(service: service)
            return isRefusal ? BatchWriteError.refused(.oversize, because: failure) : failure
        }
        let policy = QueuePolicy(linger: .zero, firstPause: .milliseconds(1), failureThreshold: 1)
        let registration = service.register(sink: sink, queue: policy)
        service.register(others)
        service.info("x")
        // On a thread of its own: where the queue waits for itself, so does whoever asks it.
        LogThread.start("flushes") {
            let isSafe = service.flush(by: .seconds(60)).isComplete
            isDone.withLock { $0 = isSafe }
        }
        guard becomesTrue({ isDone.withLock { $0 } }) else {
            Issue.record("the flush has not come back")
            return
        }
        #expect(sink.written.map(\.message) == (isRefusal ? [] : ["x"]))
        #expect(Set(others.messages) == ["x", "about it"])
        // What the error has logged is the sink's own word, as what the sink logs is.
        let own = UInt64(others.messages.count - 1)
        let lost: [DropReason: UInt64] = isRefusal ? [.reentrant: own, .oversize: 1] : [.reentrant: own]
        #expect(registration.ledger == LogLedger(submitted: own + 1, delivered: isRefusal ? 0 : 1, dropped: lost))
    }

    @Test func aProviderThatIsLetGoWritesWhatItHolds() {
        let sink = GatedSink()
        do {
            let provider = BatchingProvider(sink)
            for number in 1...10 { provider.log(event(number)) }
        }
        sink.gate.open()
        while sink.inner.written.count < 10 { sched_yield() }
        #expect(sink.inner.written.map(\.sequence) == Array(1...10))
    }

    @Test func concurrentFlushesAllReturn() async throws {
        let sink = FailingSink { $0 % 3 == 0 ? ScriptedFailure() : nil }
        let provider = BatchingProvider(
            sink, policy: QueuePolicy(batchCount: 8, firstPause: .milliseconds(1), longestPause: .milliseconds(1)))
        try await withThrowingTaskGroup { group in
            for worker in 0..<8 {
                group.addTask {
                    for number in 0..<100 {
                        provider.log(self.event(worker * 100 + number))
                        if number % 10 == 0 { try provider.flush(by: .seconds(60)) }
                    }
                }
            }
            try await group.waitForAll()
        }
        try provider.flush(by: .seconds(60))
        #expect(provider.ledger == LogLedger(submitted: 800, delivered: 800))
        #expect(Set(sink.written.map(\.sequence)).count == 800 && sink.written.count == 800)
    }
}
