@testable import LogbookCore
import LogbookTestKit
import Testing

/// What a full queue and its callers see of each other.
@Suite struct PressureTests {
    /// Writes one batch for each permission.
    private final class SteppedSink: BatchSink {
        private struct State { var permitted = 0, began = 0, written = 0 }
        private let state = Monitor(State())

        func write(_ batch: [LogEvent]) {
            state.withLock { access in
                access.value.began += 1
                access.broadcast()
                while access.value.permitted < access.value.began { access.wait() }
                access.value.written += batch.count
            }
        }

        var written: Int { state.withLock { $0.value.written } }

        func permit(_ count: Int) {
            state.withLock { access in
                access.value.permitted += count
                access.broadcast()
            }
        }

        /// Returns once so many batches were taken out of the queue.
        func waitForBatches(_ count: Int) -> Bool {
            state.withLock { access in
                while access.value.began < count { if !access.wait(until: .seconds(30)) { return access.value.began >= count } }
                return true
            }
        }
    }

    private func items(_ count: Int) -> [QueueItem] {
        let events = (0..<count).map { LogEvent(sequence: UInt64($0 + 1), time: LogTime(nanoseconds: 0), level: .info, message: "m") }
        return [.events(EventRun(EventChunk(events), 0..<count, nesting: 0, isPrivileged: false))]
    }

    @Test("a queue that lets callers wait loses nothing of what was said before they could see that it was full")
    func theRingHasRoom() throws {
        let sink = SteppedSink(), pressure = Pressure()
        let policy = QueuePolicy(capacity: 512, maximumBytes: 1 << 10, batchCount: 512, overflow: .block(upTo: .seconds(60)))
        let queue = BatchingProvider(sink, policy: policy)
        // A ring of the smallest records, and the round that was taken out of it before they were said.
        let rounds = EventRing.cells / DistributionRound.maximumCount + 1, count = rounds * DistributionRound.maximumCount
        for _ in 0..<rounds { queue.take(items(DistributionRound.maximumCount), under: pressure) }
        #expect(pressure.isOn)
        #expect(queue.ledger?.dropped == [:])
        sink.permit(.max / 2)
        try queue.flush(by: .seconds(30))
        #expect(sink.written == count)
        #expect(queue.ledger == LogLedger(submitted: UInt64(count), delivered: UInt64(count)))
        #expect(!pressure.isOn)
    }

    @Test func whatAQueueHoldsBeyondItsCapacityTakesNoneOfTheReservedRoom() throws {
        let sink = GatedSink(), pressure = Pressure()
        let policy = QueuePolicy(capacity: 16, reservedCapacity: 4, batchCount: 1, overflow: .block(upTo: .zero))
        let queue = BatchingProvider(sink, policy: policy)
        queue.take(items(1), under: pressure)
        #expect(sink.gate.waitForArrivals(1))
        queue.take(items(30), under: pressure)
        queue.awaitRoom(isPrivileged: false)   // it does not move: nothing more is taken beyond its capacity
        let errors = (32...36).map { LogEvent(sequence: $0, time: LogTime(nanoseconds: 0), level: .error, message: "m") }
        for error in errors {
            queue.take([.events(EventRun(EventChunk([error]), 0..<1, nesting: 0, isPrivileged: true))], under: pressure)
        }
        #expect(queue.ledger?.dropped == [.queueFull: 1])   // the fifth
        sink.gate.open()
        try queue.flush(by: .seconds(300))
        #expect(queue.ledger == LogLedger(submitted: 36, delivered: 35, dropped: [.queueFull: 1]))
    }

    // In a process of its own: a sum that no Int can hold ends it.
    @Test func aQueueMayBeLimitedInEventsAlone() async {
        await #expect(processExitsWith: .success) {
            func event(_ number: UInt64, _ level: LogLevel) -> LogEvent {
                LogEvent(sequence: number, time: LogTime(nanoseconds: 0), level: level, message: "m")
            }
            let sink = GatedSink(), policy = QueuePolicy(capacity: 2, reservedCapacity: 1, maximumBytes: .max, batchCount: 1)
            let queue = BatchingProvider(sink, policy: policy)
            queue.log(event(1, .info))
            precondition(sink.gate.waitForArrivals(1))
            queue.log(event(2, .info))
            queue.log(event(3, .error))   // may use the reserve
            queue.take([.events(EventRun(event(4, .info)))], under: Pressure())   // overdraws the queue
            precondition(queue.ledger == LogLedger(submitted: 4))
            sink.gate.open()
            try queue.flush(by: .seconds(30))
            precondition(sink.inner.written.map(\.sequence) == [1, 2, 3, 4])
        }
    }

    @Test func aQueueOfTwoServicesShowsAtTheOneThatFedItLast() throws {
        let sink = SteppedSink(), first = Pressure(), second = Pressure()
        let queue = BatchingProvider(sink, policy: QueuePolicy(capacity: 16, batchCount: 2, overflow: .block(upTo: .seconds(60))))
        queue.take(items(20), under: first)
        #expect(first.isOn && !second.isOn)
        queue.take(items(1), under: second)
        #expect(!first.isOn && second.isOn)
        sink.permit(100)
        try queue.flush(by: .seconds(30))
        #expect(!first.isOn && !second.isOn)
        // Neither owes the other anything.
        for pressure in [first, second] {
            pressure.rise()
            #expect(pressure.isOn)
        }
    }

    @Test func aQueueIsFullUntilAQuarterOfItIsFreeButHoldsNobodyUpForThat() throws {
        let sink = SteppedSink(), pressure = Pressure()
        let queue = BatchingProvider(sink, policy: QueuePolicy(capacity: 16, batchCount: 2, overflow: .block(upTo: .seconds(60))))
        queue.take(items(15), under: pressure)
        #expect(sink.waitForBatches(1))   // 13 are left
        #expect(!pressure.isOn)
        queue.take(items(3), under: pressure)
        #expect(pressure.isOn)
        sink.permit(1)
        #expect(sink.waitForBatches(2))   // 14
        #expect(pressure.isOn)
        queue.awaitRoom(isPrivileged: false)   // returns although nothing moves
        queue.take(items(1), under: pressure)
        #expect(queue.ledger?.dropped == [:])
        sink.permit(1)
        #expect(sink.waitForBatches(3))   // 13
        #expect(pressure.isOn)
        sink.permit(1)
        #expect(sink.waitForBatches(4))   // 11
        #expect(!pressure.isOn)
        sink.permit(100)
        try queue.flush(by: .seconds(30))
        #expect(sink.written == 19)
    }
}
