import LogbookTestKit
import Testing

@testable import LogbookCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct LossPageTests {
    private static func stamp(_ sequence: UInt64) -> PendingSlot.Stamp {
        PendingSlot.Stamp(sequence: sequence, time: LogTime(seconds: Double(sequence)))
    }

    private static func tally(
        _ submitted: UInt64, settled: UInt64, inHand: Int = 0, oldest: UInt64? = nil, latest: UInt64? = nil
    ) -> PendingSlot.Tally {
        PendingSlot.Tally(
            LogLedger(submitted: submitted, delivered: settled), inHand: inHand, oldest: oldest.map(stamp), latest: latest.map(stamp))
    }

    @Test func whatAQueueHasInHandIsFoundAgain() throws {
        let page = PageInMemory(at: LogTime(seconds: 5), dirty: 0xA5)
        #expect(page.losses() == [])
        let orders = try #require(page.page.slot(named: "orders")), idle = try #require(page.page.slot(named: "idle"))
        #expect(page.losses() == [])
        orders.note(Self.tally(40, settled: 10, oldest: 11, latest: 40))
        idle.note(Self.tally(3, settled: 3, latest: 3))
        orders.note(Self.tally(52, settled: 12, inHand: 28, oldest: 13, latest: 52))
        let losses = try #require(page.losses())
        #expect(losses.map(\.provider) == ["orders"] && losses[0].count == 12...40 && losses[0].sequences == 13...52)
        #expect(losses[0].times == LogTime(seconds: 13)...LogTime(seconds: 52))
        #expect(losses[0].process == getpid() && losses[0].began == LogTime(seconds: 5) && !losses[0].isOfEarlierBoot)
        #expect(losses[0].description == "12 to 40 events did not reach orders when process \(getpid()) ended (process_died)")
        #expect(page.losses(boot: "another")?.map(\.isOfEarlierBoot) == [true])
    }

    @Test("what has been said and reached no queue may be any queue's")
    func unplaced() throws {
        let page = PageInMemory(), counts = LogCounts()
        let orders = try #require(page.page.slot(named: "orders")), file = try #require(page.page.slot(named: "file"))
        orders.note(Self.tally(5, settled: 4, oldest: 5, latest: 5))
        file.note(Self.tally(6, settled: 6, latest: 6))
        counts.move(to: page.page)
        for _ in 0..<8 { _ = counts.next() }
        counts.place(6)
        let losses = try #require(page.losses())
        #expect(losses.map(\.count) == [1...3, 0...2] && losses.map(\.sequences) == [5...8, 7...8])
        #expect(losses.map(\.times) == [LogTime(seconds: 5)...LogTime(seconds: 5), nil])
        #expect(losses.map(\.description).first?.hasPrefix("1 to 3 events did not reach orders") == true)
        #expect(losses.map(\.description).last?.hasPrefix("up to 2 events did not reach file") == true)
    }

    @Test("what two queues of one name have is one loss, as where one stands before the other")
    func twoOfOneName() throws {
        let page = PageInMemory(), counts = LogCounts()
        let slots = try (0..<3).map { _ in try #require(page.page.slot(named: "remote")) }
        for (slot, tally) in zip(
            slots,
            [
                Self.tally(9, settled: 9, latest: 9), Self.tally(20, settled: 15, inHand: 2, oldest: 16, latest: 20),
                Self.tally(15, settled: 12, inHand: 3, oldest: 12, latest: 15),
            ])
        { slot.note(tally) }
        counts.move(to: page.page)
        for _ in 0..<21 { _ = counts.next() }
        counts.place(20)
        let losses = try #require(page.losses())
        #expect(losses.map(\.count) == [3...9] && losses.map(\.sequences) == [12...21])
        #expect(losses.map(\.times) == [LogTime(seconds: 12)...LogTime(seconds: 20)])
    }

    @Test("a kill in the middle of a note leaves the one before")
    func tornNotes() throws {
        let page = PageInMemory(), slot = try #require(page.page.slot(named: "orders"))
        slot.note(Self.tally(2, settled: 1, oldest: 2, latest: 2))
        let before = page.bytes
        slot.note(Self.tally(900, settled: 100, inHand: 7, oldest: 200, latest: 900))
        let after = page.bytes
        // Stores come one after the other: the turn is the last of them.
        let places = before.indices.filter { before[$0] != after[$0] }
        let turn = try #require(places.first)
        var torn = before
        for place in places.dropFirst() {
            torn[place] = after[place]
            guard case .record(let losses) = LossPage.verdict(on: torn, boot: PageInMemory.boot) else { throw ScriptedFailure("no record") }
            #expect(losses.map(\.count) == [1...1])
        }
        torn[turn] = after[turn]
        guard case .record(let losses) = LossPage.verdict(on: torn, boot: PageInMemory.boot) else { throw ScriptedFailure("no record") }
        #expect(losses.map(\.count) == [793...800])
    }

    @Test func aSlotThatIsGivenBackIsAnothers() throws {
        let page = PageInMemory()
        var slot = page.page.slot(named: String(repeating: "long ", count: 40))
        slot?.note(Self.tally(1, settled: 0, oldest: 1, latest: 1))
        #expect(page.losses()?.map(\.provider) == [String(repeating: "long ", count: 24)])
        slot = nil
        #expect(page.losses() == [])
        let next = try #require(page.page.slot(named: String(repeating: "é", count: 70)))
        next.note(Self.tally(1, settled: 0, oldest: 1, latest: 1))
        #expect(page.losses()?.map(\.provider) == [String(repeating: "é", count: 60)])
    }

    @Test func moreQueuesThanThereIsRoomForAreRefused() {
        let page = PageInMemory()
        let slots = (0..<LossPage.slots + 2).map { page.page.slot(named: "\($0)") }
        #expect(LossPage.slots == 49 && slots.filter { $0 == nil }.count == 2)
        for slot in slots { slot?.note(Self.tally(2, settled: 1, oldest: 2, latest: 2)) }
        #expect(page.losses()?.map(\.provider) == (0..<49).map { "\($0)" })
    }

    @Test("what is not a record, or not whole, is told from one")
    func verdicts() {
        func verdict(_ bytes: [UInt8]) -> LossPage.Verdict { LossPage.verdict(on: bytes, boot: PageInMemory.boot) }
        let page = PageInMemory().bytes
        #expect(verdict([]) == .blank && verdict([UInt8](repeating: 0, count: LossPage.bytes)) == .blank)
        #expect(verdict(Array("something else".utf8)) == .foreign && verdict(Array("LBK".utf8)) == .foreign)
        #expect(verdict(page) == .record([]))
        for count in [8, 9, 511, 512, LossPage.bytes - 1] { #expect(verdict(Array(page[..<count])) == .damaged) }
        var newer = page, older = page
        newer[8] = 2
        older[8] = 0
        #expect(verdict(newer) == .newer(version: 2) && verdict(older) == .damaged)
    }

    @Test("no bytes, whatever they are, end the program")
    func hostileBytes() {
        let random = LogRandomness.seeded(3)
        for _ in 0..<200 {
            var bytes = PageInMemory().bytes
            for place in 12..<bytes.count where random.next() % 3 == 0 { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
            for slot in 0..<LossPage.slots { bytes[512 + slot * 320 + 128] = UInt8(slot % 3) }
            for slot in 0..<LossPage.slots { for place in 129..<136 { bytes[512 + slot * 320 + place] = 0 } }
            guard case .record(let losses) = LossPage.verdict(on: bytes, boot: "") else {
                Issue.record("no record")
                continue
            }
            for loss in losses { #expect(!loss.description.isEmpty && loss.count.upperBound > 0) }
        }
    }

    // MARK: Queues

    @Test("a queue's slot says what it has in hand after every step", arguments: [false, true])
    func queues(_ isWrapped: Bool) throws {
        let page = PageInMemory(), sink = GatedSink(), clock = LogClock.manual(ManualClock(now: LogTime(seconds: 7)))
        let service = LogService(clock: clock)
        let queue = BatchingProvider(sink, policy: QueuePolicy(capacity: 4, batchCount: 1, linger: .zero, overflow: .dropNewest))
        /// What is found once the queues have what was said.
        func losses() -> [LossRecord]? {
            service.distribute()
            return page.losses()
        }
        let first = service.register(isWrapped ? Sampling(queue, SamplingPolicy(first: 1000, every: 1)) : queue, name: "orders")
        #expect(service.claimRecording() && !service.claimRecording())
        service.recordLosses(on: page.page)
        #expect(page.losses() == [])
        service.info("first")
        #expect(sink.gate.waitForArrivals(1))
        #expect(losses()?.map(\.count) == [0...1])   // it may have arrived
        for _ in 0..<3 { service.info("waits") }
        #expect(losses()?.map(\.count) == [3...4] && page.losses()?.map(\.sequences) == [1...4])
        for _ in 0..<6 { service.info("partly lost") }
        #expect(first.ledger.dropped == [.queueFull: 5])
        #expect(losses()?.map(\.count) == [4...5] && page.losses()?.first?.times == LogTime(seconds: 7)...LogTime(seconds: 7))
        sink.gate.open()
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(page.losses() == [])

        // One that comes later is counted as well, until it has gone.
        let other = GatedSink()
        var later: LogRegistration? = service.register(sink: other, queue: QueuePolicy(linger: .zero), name: "later")
        service.info("again")
        #expect(other.gate.waitForArrivals(1))
        #expect(becomesTrue { losses()?.map(\.provider) == ["later"] })   // the other one has just written it
        other.gate.open()
        later?.unregister(by: .seconds(30))
        later = nil
        #expect(service.flush(by: .seconds(30)).isComplete && page.losses() == [])
    }

    @Test func aQueueThatIsFullAlreadyIsCountedWithWhatItHas() {
        let page = PageInMemory(), sink = GatedSink(), service = LogService()
        service.register(sink: sink, queue: QueuePolicy(batchCount: 1, linger: .zero), name: "orders")
        for _ in 0..<9 { service.info("said") }
        #expect(sink.gate.waitForArrivals(1) && service.distribute())
        service.recordLosses(on: page.page)
        #expect(page.losses()?.map(\.count) == [8...9] && page.losses()?.map(\.sequences) == [1...9])
        sink.gate.open()
    }

    @Test("a queue behind a queue is counted, and so is one that stands in for another sink", arguments: [false, true])
    func queuesBehindOthers(_ isFallback: Bool) {
        let page = PageInMemory(), sink = GatedSink(), service = LogService()
        let inner = BatchingProvider(sink, policy: QueuePolicy(batchCount: 1, linger: .zero))
        if isFallback {
            let failing = FailingSink { _ in ScriptedFailure("on purpose") }
            let policy = QueuePolicy(linger: .zero, firstPause: .milliseconds(1), longestPause: .milliseconds(1), failureThreshold: 1)
            service.register(BatchingProvider(failing, fallback: inner, policy: policy), name: "orders")
        } else {
            service.register(FoldingRepeats(inner), delivery: .queued(), name: "orders")
        }
        service.recordLosses(on: page.page)
        for number in 0..<6 { service.info("number \(number)") }
        #expect(sink.gate.waitForArrivals(1))
        #expect(becomesTrue { service.distribute() && page.losses()?.map(\.count) == [5...6] })
        sink.gate.open()
        #expect(service.flush(by: .seconds(30)).isComplete && page.losses() == [])
    }

    @Test func aQueueThatIsLeavingIsCounted() {
        let page = PageInMemory(), sink = GatedSink(), service = LogService()
        let leaving = service.register(sink: sink, queue: QueuePolicy(batchCount: 1, linger: .zero), name: "leaving")
        for _ in 0..<4 { service.info("said") }
        #expect(sink.gate.waitForArrivals(1) && service.distribute())
        leaving.unregister(by: .milliseconds(10))
        service.recordLosses(on: page.page)
        #expect(page.losses()?.map(\.count) == [3...4])
        sink.gate.open()
        #expect(becomesTrue { page.losses() == [] })
    }

    @Test func aShutdownThatGivesUpHasSaidWhatItLost() {
        let page = PageInMemory(), sink = GatedSink(), service = LogService()
        let registration = service.register(sink: sink, queue: QueuePolicy(batchCount: 1, linger: .zero))
        service.recordLosses(on: page.page)
        for _ in 0..<5 { service.info("said") }
        #expect(sink.gate.waitForArrivals(1))
        service.distribute()
        #expect(!service.shutdown(by: .milliseconds(20)).isComplete)
        #expect(becomesTrue { registration.ledger.dropped == [.providerTimeout: 4] })
        #expect(page.losses()?.map(\.count) == [0...1])   // the sink still has it
        sink.gate.open()
        #expect(becomesTrue { page.losses() == [] })
    }

    @Test func whoeverListensIsToldOfAnEarlierRun() {
        let service = LogService(), heard = RecordingProvider()
        service.register(heard)
        let loss = LossRecord(
            provider: "orders", count: 12...40, sequences: 13...52, times: LogTime(seconds: 1)...LogTime(seconds: 2), process: 4711,
            began: LogTime(seconds: 0.5), isOfEarlierBoot: false)
        service.tell([loss])
        #expect(heard.messages == [loss.description] && heard.events[0].level == .warning)
        #expect(
            heard.events[0].metadata
                == [
                    "category": .string(LogService.lossCategory), "provider": "orders", "reason": "process_died", "count": .unsigned(40),
                    "atLeast": .unsigned(12), "firstSeq": .unsigned(13), "lastSeq": .unsigned(52), "firstAt": 1_000_000_000,
                    "lastAt": 2_000_000_000, "process": 4711, "began": 500_000_000,
                ])
    }
}
