@testable import LogbookCore
import LogbookTestKit
import Testing

/// The message and a newline.
private struct PlainLayout: LineLayout, Equatable {
    var mark: UInt8 = 0x3E
    func append(_ event: LogEvent, to bytes: inout [UInt8]) { append(Array(event.message.utf8), to: &bytes) }
    func append(_ event: LogEvent, to memory: LineMemory) { append(Array(event.message.utf8), to: memory) }
    func append(_ event: PlainEvent, to memory: LineMemory) { append(Array(event.message), to: memory) }
    private func append(_ message: [UInt8], to memory: LineMemory) {
        var bytes: [UInt8] = []
        append(message, to: &bytes)
        memory.append(bytes)
    }
    private func append(_ message: [UInt8], to bytes: inout [UInt8]) { bytes += [mark] + message + [0x0A] }
}

extension LineMemory {
    fileprivate func append(_ bytes: [UInt8]) {
        grow(by: bytes.count)
        next.update(from: bytes, count: bytes.count)
        finish(at: next + bytes.count)
    }

    fileprivate func append(_ line: String, at nanoseconds: Int64, _ sequence: UInt64) {
        append(Array(line.utf8))
        endLine(LogTime(nanoseconds: nanoseconds), sequence)
    }
}

/// Keeps its lines, stops at a gate before it writes, and fails as it is told.
final class LineKeeper: BatchSink, LineSink {
    struct State {
        var lines: [String] = []
        var calls = 0
        var largestBatch = 0
    }
    let state = Locked(State()), gate = Gate()
    let lineLayout: (any LineLayout)? = PlainLayout()
    let failure: @Sendable (_ call: Int, _ lines: Int) -> (any Error)?

    init(_ failure: @escaping @Sendable (_ call: Int, _ lines: Int) -> (any Error)? = { _, _ in nil }) { self.failure = failure }

    func write(_ batch: [LogEvent]) throws { throw ScriptedFailure("events instead of lines") }

    func write(_ batch: LineBatch) throws {
        gate.wait()
        var lines: [String] = [], start = 0
        for end in batch.ends {
            lines.append(String(decoding: batch.bytes[start..<end - 1], as: UTF8.self))
            start = end
        }
        guard start == batch.bytes.count, batch.times.count == lines.count else { throw ScriptedFailure("lines do not end where they should") }
        let failure = state.withLock { state in
            state.calls += 1
            state.largestBatch = max(state.largestBatch, lines.count)
            let failure = self.failure(state.calls, lines.count)
            if case BatchWriteError.wroteOnly(let count, _)? = failure { lines = Array(lines.prefix(count)) }
            else if failure != nil { lines = [] }
            state.lines += lines
            return failure
        }
        if let failure { throw failure }
    }

    var lines: [String] { state.withLock { $0.lines } }
}

/// Lines that are not laid out before a gate opens: whoever distributes stands still.
private final class HeldSink: BatchSink, LineSink {
    private struct Layout: LineLayout {
        let gate: Gate
        func append(_ event: LogEvent, to bytes: inout [UInt8]) { PlainLayout().append(event, to: &bytes) }
        func append(_ event: LogEvent, to memory: LineMemory) {
            gate.wait()
            PlainLayout().append(event, to: memory)
        }
        func append(_ event: PlainEvent, to memory: LineMemory) {
            gate.wait()
            PlainLayout().append(event, to: memory)
        }
        func isEqual(to other: any LineLayout) -> Bool { false }
    }
    let gate = Gate()
    private let keeper = LineKeeper()
    var lineLayout: (any LineLayout)? { Layout(gate: gate) }
    init() { keeper.gate.open() }
    func write(_ batch: [LogEvent]) throws { throw ScriptedFailure("events instead of lines") }
    func write(_ lines: LineBatch) throws { try keeper.write(lines) }
}

@Suite struct LineQueueTests {
    private let service = LogService()

    @Test func linesComeWholeInOrderAndInBatches() {
        let keeper = LineKeeper(), registration = service.register(sink: keeper, queue: QueuePolicy(batchCount: 16))
        for number in 0..<1_000 {
            if number % 50 == 0 { service.info("\(number)", metadata: ["n": 1]) } else { service.info("\(number)") }
        }
        keeper.gate.open()
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(keeper.lines == (0..<1_000).map { ">\($0)" })
        #expect(keeper.state.withLock { $0.largestBatch } <= 16)
        #expect(registration.ledger == LogLedger(submitted: 1_000, delivered: 1_000))
    }

    @Test func memoryThatIsUsedAgainChangesNothingThatSomebodyHolds() {
        let keepers = [LineKeeper(), LineKeeper()]
        for keeper in keepers { service.register(sink: keeper, queue: QueuePolicy(overflow: .block(upTo: .seconds(60)))) }
        keepers[0].gate.open()
        let long = String(repeating: "x", count: 1_000)
        func messages(_ round: Int) -> [String] { (0..<100).map { "\(round) \(long) \($0)" } }
        for round in 0..<40 {
            for message in messages(round) { service.info("\(message)") }
            service.distribute()
        }
        keepers[1].gate.open()
        #expect(service.flush(by: .seconds(60)).isComplete)
        let expected = (0..<40).flatMap(messages).map { ">\($0)" }
        for keeper in keepers { #expect(keeper.lines == expected) }
    }

    @Test func aPoolKeepsMemoryAndNotWhatWasInIt() {
        let pool = LinePool()
        var storage = LineStorage(capacity: LineMemory.keptCapacity, lineCapacity: 1)
        storage.count = 7
        storage.endLine(LogTime(nanoseconds: 1), 1)
        pool.give(storage)
        pool.give(LineStorage(capacity: LineMemory.keptCapacity * 2, lineCapacity: 1))   // it would be kept for ever
        let kept = pool.take()
        #expect(kept?.ends == storage.ends && kept?.count == 0 && kept?.lineCount == 0)
        #expect(pool.take() == nil)
        kept?.deallocate()
    }

    @Test func aSinkMaySayHowManyLinesItWrote() {
        let keeper = LineKeeper { _, lines in lines > 3 ? BatchWriteError.wroteOnly(count: 3, because: ScriptedFailure()) : nil }
        keeper.gate.open()
        let policy = QueuePolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(1))
        let registration = service.register(sink: keeper, queue: policy)
        for number in 0..<100 { service.info("\(number)") }
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(keeper.lines == (0..<100).map { ">\($0)" })
        #expect(registration.ledger == LogLedger(submitted: 100, delivered: 100))
    }

    @Test(arguments: [QueuePolicy.Overflow.dropNewest, .dropOldest])
    func aFullQueueKeepsWhatItsPolicySays(_ overflow: QueuePolicy.Overflow) {
        // With a clock that stands still, nobody is told of the loss.
        let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 0)))), keeper = LineKeeper()
        let policy = QueuePolicy(capacity: 4, reservedCapacity: 2, batchCount: 1, linger: .zero, overflow: overflow)
        let registration = service.register(sink: keeper, queue: policy)
        service.info("first")
        _ = registration.ledger
        #expect(keeper.gate.waitForArrivals(1))
        for number in 0..<20 { service.info("\(number)") }
        service.error("error")
        #expect(registration.ledger.submitted == 22)
        keeper.gate.open()
        #expect(service.flush(by: .seconds(30)).isComplete)
        let kept = overflow == .dropNewest ? ["0", "1", "2", "3"] : ["16", "17", "18", "19"]
        #expect(keeper.lines == (["first"] + kept + ["error"]).map { ">" + $0 })
        #expect(registration.ledger == LogLedger(submitted: 22, delivered: 6, dropped: [.queueFull: 16]))
    }

    @Test func nobodyWaitsBeyondADeadlineForWhoeverHandsOut() {
        // With a clock that stands still, nobody is told of the loss.
        let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 0)))), sink = HeldSink()
        let registration = service.register(sink: sink)
        let others = (0..<3).map { _ in service.register(RecordingProvider(), delivery: .queued()) }
        service.info("held")
        #expect(sink.gate.waitForArrivals(1))
        let deadline = LogDeadline.after(.seconds(8))   // a provider alone took ten
        let report = service.flush(by: .after(.milliseconds(100)))
        #expect(report.unfinished.count == 4)
        others[0].unregister(by: .after(.milliseconds(100)))
        #expect(!deadline.hasPassed)
        sink.gate.open()
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(registration.ledger == LogLedger(submitted: 1, delivered: 1))
        #expect(others[1].ledger == LogLedger(submitted: 1, delivered: 1))
        // Said while it listened, and in nobody's queue when it left.
        #expect(others[0].ledger == LogLedger(submitted: 1, dropped: [.providerTimeout: 1]))
    }

    @Test func whatTheRingHadNoRoomForIsAccountedForByEverybody() {
        // With a clock that stands still, nobody is told of the loss.
        let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 0))))
        let sink = HeldSink(), registration = service.register(sink: sink)
        let deaf = service.register(RecordingProvider(), from: .error, delivery: .queued())
        service.info("held")
        #expect(sink.gate.waitForArrivals(1))
        for number in 0..<EventRing.cells { service.info("\(number)") }   // each is larger than a cell
        sink.gate.open()
        #expect(service.flush(by: .seconds(30)).isComplete)
        let ledger = registration.ledger
        #expect(ledger.dropped[.queueFull, default: 0] > 0 && ledger.submitted + registration.unheard.total == service.latestSequence)
        #expect(deaf.ledger.submitted + deaf.unheard.total == service.latestSequence)
    }

    @Test func queuesOfOneLayoutShareTheirLines() {
        let same = LogRegistration(
            BatchingProvider(LineKeeper()), name: "", listening: ListeningTerms(interest: .everything, levels: LevelRules()),
            delivery: .immediate, clock: .system, service: service)
        let plan = SeatPlan([
            .init(registration: same, since: 0), nil, .init(registration: same, since: 0),
        ])
        #expect(plan.layouts.count == 1 && plan.layoutPlaces == [0, nil, 0])
        #expect(PlainLayout().isEqual(to: PlainLayout()) && !PlainLayout().isEqual(to: PlainLayout(mark: 0x2D)))
    }

    private func chunk(_ lines: [String], times: ClosedRange<Int64>, sequences: [UInt64]) -> LineChunk {
        let memory = LineMemory()
        for ((line, time), sequence) in zip(zip(lines, times), sequences) { memory.append(line, at: time, sequence) }
        return memory.take()
    }
    private func text(_ chunk: LineChunk) -> String { chunk.lend { String(decoding: $0.bytes, as: UTF8.self) } }
    private func ends(_ chunk: LineChunk) -> [Int] { chunk.lend { Array($0.ends) } }

    @Test func memoryGrowsWithItsLines() {
        let memory = LineMemory(), count = 3 * DistributionRound.maximumCount
        let lines = (0..<count).map { String(repeating: "x", count: $0 % 300) + "\n" }
        for round in 0..<3 {   // a line longer than all that was there before, then as before
            let lines = round == 1 ? lines + [String(repeating: "y", count: 3 << 20) + "\n"] : lines
            for (number, line) in lines.enumerated() { memory.append(line, at: Int64(number), UInt64(number)) }
            #expect(memory.lineCount == lines.count)
            let chunk = memory.take()
            #expect(memory.lineCount == 0 && memory.count == 0)
            #expect(text(chunk) == lines.joined())
            #expect(ends(chunk).count == lines.count && ends(chunk).last == chunk.lend { $0.bytes.count })
            #expect((0..<chunk.count).allSatisfy { chunk.sequence(at: $0) == UInt64($0) && chunk.time(at: $0).nanoseconds == Int64($0) })
        }
        #expect(memory.take() === LineChunk.empty)
    }

    @Test func aQueueThatHearsLittleKeepsLittle() {
        let chunk = chunk(["one\n", "two\n", "three\n", "four\n"], times: 1...4, sequences: [11, 12, 14, 13])
        var run = LineRun(chunk, 1..<4, nesting: 0, isPrivileged: false)
        #expect(run.estimatedBytes == 15 + 3 * 32 && run.compacted.chunk === chunk)
        let first = run.removeFirst(1)
        #expect(first.places == 1..<2 && run.places == 2..<4 && first.estimatedBytes == 4 + 32)
        let small = first.compacted
        #expect(small.chunk !== chunk && text(small.chunk) == "two\n" && ends(small.chunk) == [4])
        let items: ArraySlice<QueueItem> = [.lines(small), .lines(run)]
        #expect(text(items.lines) == "two\nthree\nfour\n" && ends(items.lines) == [4, 10, 15])
        #expect((0..<3).map { items.lines.time(at: $0).nanoseconds } == [2, 3, 4])
        #expect((0..<3).map { items.lines.sequence(at: $0) } == [12, 14, 13])
        #expect(items.asLoss?.count == 3 && items.asLoss?.sequences == 12...14)
        #expect(text(items.droppingEvents(2).lines) == "four\n")
        #expect(items.droppingEvents(3).isEmpty && items.eventCount == 3)
    }
}
