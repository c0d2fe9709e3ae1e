import LogbookTestKit
import Testing

@testable import LogbookCore

@Suite struct LogCountsTests {
    @Test("while many threads count, the counts move without a gap, a number that is given twice, or one that is not placed")
    func movingUnderLoad() {
        let counts = LogCounts(), page = PageInMemory(), threads = 4, each = 50_000
        let given = Locked<[[UInt64]]>([]), underWay = Gate()
        for _ in 0..<threads {
            LogThread.start("counts") {
                var numbers: [UInt64] = []
                numbers.reserveCapacity(each)
                for index in 0..<each {
                    numbers.append(counts.next())
                    counts.place()
                    if index == each / 4 { underWay.wait() }
                    if index % 1000 == 0 { LogThread.yield() }
                }
                given.withLock { $0.append(numbers) }
            }
        }
        #expect(underWay.waitForArrivals(threads))
        underWay.open()
        counts.move(to: page.page)
        #expect(becomesTrue { given.withLock { $0.count == threads } })
        let numbers = given.withLock { $0 }.flatMap { $0 }.sorted()
        #expect(numbers == (1...UInt64(threads * each)).map { $0 })
        #expect(counts.latest == UInt64(threads * each) && counts.unplaced == 0)
        #expect(page.losses() == [])
    }

    @Test func whatWasSaidBeforeTheyMovedIsPlacedAfterwards() {
        let counts = LogCounts(), page = PageInMemory()
        for _ in 0..<7 { _ = counts.next() }
        counts.place(3)
        counts.move(to: page.page)
        #expect(counts.latest == 7 && counts.unplaced == 4)
        #expect(counts.next() == 8)
        counts.place(5)
        #expect(counts.unplaced == 0)
    }

    // MARK: A service places every event that it gives a sequence

    private func unplaced(_ service: LogService) -> UInt64 {
        service.distribute()
        return service.counts.unplaced
    }

    @Test("whoever hears an event, and whoever does not, it is placed once", arguments: [0, 1, 2, 3])
    func everyWay(_ listeners: Int) {
        let service = LogService(privacy: .masked)
        if listeners & 1 != 0 { service.register(RecordingProvider(), from: .info) { $0.message != "filtered" } }
        if listeners & 2 != 0 {
            service.register(sink: FailingSink { _ in nil }, from: .info) { $0.message != "filtered" }
            service.register(sink: FailingSink { _ in nil }, from: .info).privacy = .revealed
            service.register(RecordingProvider(), from: .info, delivery: .queued()).privacy = .dropped
        }
        service.register(RecordingProvider(), from: .error)
        for number in 0..<100 {
            service.info("plain")
            service.info("number \(number)", metadata: ["key": 7])
            service.info("filtered")
            service.error("wrong", error: ScriptedFailure("on purpose"))
            service.info("secret \(number, privacy: .private)", metadata: ["card": .protected(.private, "4111")])
            service.verbose("below")
            LogService.with(["order": 3]) { service.info("in a task") }
            let transaction = service.transaction(usecase: 1)
            transaction.log(2)
            transaction.log(3, error: 4, "it is \(number, privacy: .private)")
        }
        #expect(service.latestSequence >= 100 && unplaced(service) == 0)
        #expect(service.shutdown(by: .seconds(30)).isComplete)
        service.error("late")
        #expect(unplaced(service) == 0)
    }

    @Test("an event is placed when the last of those has it who hear it, whatever they may see of it", arguments: [false, true])
    func immediateProvidersAndQueues(_ isPrivate: Bool) {
        final class Slow: LogProvider {
            let gate = Gate()
            func log(_ event: LogEvent) { gate.wait() }
            func flush(by deadline: LogDeadline) throws {}
        }
        let service = LogService(), slow = Slow(), queued = FailingSink { _ in nil }, isOver = Locked(false)
        service.register(slow)
        service.register(sink: queued)
        service.register(sink: FailingSink { _ in nil }).privacy = .revealed
        LogThread.start("says") {
            if isPrivate { service.info("number \(7, privacy: .private)") } else { service.info("said") }
            isOver.withLock { $0 = true }
        }
        #expect(slow.gate.waitForArrivals(1) && becomesTrue { service.distribute() && queued.written.count == 1 })
        #expect(service.counts.unplaced == 1)
        slow.gate.open()
        #expect(becomesTrue { isOver.withLock { $0 } } && unplaced(service) == 0)
    }

    @Test func whatIsHandedOverIsPlaced() {
        let service = LogService(), provider = RecordingProvider()
        let registrations = [service.register(provider), service.register(RecordingProvider(), delivery: .queued())]
        let events = (1...5).map { LogEvent(sequence: $0, time: LogTime(seconds: 1), level: .info, message: "\($0)") }
        #expect(service.handOver(events, openKeys: [], to: registrations, by: .seconds(30)).isComplete)
        #expect(service.latestSequence == 5 && provider.events.count == 5 && unplaced(service) == 0)
    }

    @Test func whatAProviderLogsWhileItIsLoggedToIsPlaced() {
        let service = LogService()
        struct Echo: LogProvider {
            let service: LogService
            func log(_ event: LogEvent) { service.info("echo of \(event.message)") }
            func flush(by deadline: LogDeadline) throws {}
        }
        service.register(Echo(service: service))
        service.register(Echo(service: service), delivery: .queued(), name: "queued")
        for _ in 0..<20 { service.info("said") }
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(service.latestSequence > 40 && unplaced(service) == 0)
    }

    // In a process of its own: a task's level that another test sets settles what every service has.
    @Test func whatInterruptsTheLibraryIsPlacedOnceItIsCounted() async {
        await #expect(processExitsWith: .success) {
            let service = LogService()
            service.register(RecordingProvider())
            Locked(0).withLock { _ in service.info("from a handler") }
            precondition(service.counts.unplaced == 1)
            precondition(service.health().providers.map(\.ledger.dropped) == [[.reentrant: 1]])
            precondition(service.counts.unplaced == 0)
        }
    }

    @Test func whatTheRingHasNoRoomForIsPlacedOnceItIsLost() {
        let clock = LogClock.manual(ManualClock(now: LogTime(nanoseconds: 0)))
        let service = LogService(clock: clock, readContext: { nil }, startThread: { _, _ in false }), sink = GatedSink()
        service.register(sink: sink, queue: QueuePolicy(capacity: 8, overflow: .dropNewest))
        service.register(RecordingProvider(), delivery: .queued(QueuePolicy(capacity: 8, overflow: .dropNewest)))
        for number in 0..<40_000 { service.info("number \(number)") }
        for _ in 0..<10 { service.info("\(String(repeating: "x", count: 20_000))") }
        service.register(RecordingProvider(), delivery: .queued(QueuePolicy(capacity: 8, overflow: .dropNewest))).privacy = .revealed
        for number in 0..<40_000 { service.info("number \(number, privacy: .private)") }
        #expect(unplaced(service) == 0)
        sink.gate.open()
    }
}
