@testable import LogbookCore
import LogbookTestKit
import Testing

@Suite struct LossTests {
    private let clock = ManualClock(now: LogTime(nanoseconds: 1_000))
    private let other = RecordingProvider()
    private let service: LogService

    init() {
        service = LogService(clock: .manual(clock))
        service.register(other)
    }

    /// A sink that stops at a gate, behind a queue of four that drops what is new.
    private func overflow(_ sink: GatedSink) -> LogRegistration {
        let policy = QueuePolicy(capacity: 4, reservedCapacity: 0, batchCount: 1, linger: .zero, overflow: .dropNewest)
        return service.register(sink: sink, queue: policy, name: "orders")
    }

    private var losses: [LogEvent] { other.events.filter { $0.category == LogService.lossCategory } }

    @Test func whatAQueueLostIsToldOnceItWritesAgain() throws {
        let sink = GatedSink(), registration = overflow(sink)
        service.info("1")
        #expect(sink.gate.waitForArrivals(1))
        for number in 2...10 {
            clock.advance(by: .nanoseconds(1))
            service.info("\(number)")
        }
        #expect(registration.ledger.dropped == [.queueFull: 5])
        clock.advance(by: .seconds(5))
        #expect(losses.isEmpty)   // it cannot write yet

        sink.gate.open()
        service.flush(by: .seconds(30))
        clock.advance(by: .nanoseconds(1))
        let loss = try #require(losses.first)
        #expect(losses.count == 1 && loss.level == .warning && loss.message == "5 events did not reach orders (queue_full)")
        #expect(
            loss.metadata == [
                "category": "log.loss", "provider": "orders", "reason": "queue_full", "count": 5, "firstSeq": .unsigned(6),
                "lastSeq": .unsigned(10), "firstAt": 1_005, "lastAt": 1_009,
            ])
        // Every gap is explained, also to who reads what the provider itself has written.
        service.flush(by: .seconds(30))
        #expect(sink.inner.written.map(\.sequence) == [1, 2, 3, 4, 5, 11])
        #expect(sink.inner.written.last?.category == LogService.lossCategory)
        #expect(registration.ledger == LogLedger(submitted: 11, delivered: 6, dropped: [.queueFull: 5]))
    }

    @Test("what was lost is told as it is, also where texts are private that nobody marked", arguments: [PrivacyMode.masked, .dropped])
    func lossesAreReadable(mode: PrivacyMode) throws {
        service.privacyRules = PrivacyRules(keys: ["provider", "reason"], unmarkedTexts: .private)
        service.privacy = mode
        let sink = GatedSink(), registration = overflow(sink)
        service.info("1")
        #expect(sink.gate.waitForArrivals(1))
        for number in 2...10 { service.info("\(number)") }
        #expect(registration.ledger.dropped == [.queueFull: 5])   // all of them have come to the queue
        sink.gate.open()
        registration.unregister(by: .seconds(30))
        let loss = try #require(losses.first)
        #expect(loss.message == "5 events did not reach orders (queue_full)")
        #expect(loss.metadata["provider"] == "orders" && loss.metadata["reason"] == "queue_full" && loss.metadata["count"] == 5)
    }

    @Test func whatOneThatStopsListeningHasLostIsToldToTheOthers() {
        let sink = GatedSink(), registration = overflow(sink)
        service.info("1")
        #expect(sink.gate.waitForArrivals(1))
        for number in 2...10 { service.info("\(number)") }
        #expect(registration.ledger.dropped == [.queueFull: 5])
        sink.gate.open()
        registration.unregister(by: .seconds(30))
        clock.advance(by: .seconds(5))
        #expect(losses.map(\.message) == ["5 events did not reach orders (queue_full)"])
        #expect(sink.inner.written.map(\.sequence) == [1, 2, 3, 4, 5])
        registration.unregister(by: .seconds(30))
        #expect(losses.count == 1)
    }

    @Test func whatAQueueLosesAfterItsProviderHasLeftIsToldToTheOthers() throws {
        let failing = FailingSink { _ in ScriptedFailure() }
        let queue = BatchingProvider(failing, policy: QueuePolicy(linger: .zero), name: "orders", clock: .manual(clock))
        let registration = service.register(queue, name: "orders")
        for number in 1...3 { service.info("\(number)") }
        #expect(registration.ledger == LogLedger(submitted: 3))
        registration.unregister(by: .now)
        #expect(becomesTrue { queue.latestFailure != nil })
        #expect(losses.isEmpty && queue.ledger == LogLedger(submitted: 3))
        #expect(throws: QueueError.self) { try queue.shutdown(by: .now) }
        // What it has in hand is lost once its thread has seen that.
        let isTold = becomesTrue {
            clock.advance(by: .seconds(1))
            return !losses.isEmpty
        }
        #expect(isTold)
        let loss = try #require(losses.first)
        #expect(loss.message == "3 events did not reach orders (provider_error)")
        #expect(try range(of: loss) == 1...3)
        clock.advance(by: .seconds(5))
        #expect(losses.count == 1)
    }

    @Test func theTaskThatHappensToTellALossHasNoSayInIt() throws {
        let errors = RecordingProvider(), sink = GatedSink()
        service.register(errors, from: .error)
        _ = overflow(sink)
        service.info("1")
        #expect(sink.gate.waitForArrivals(1))
        for number in 2...10 { service.info("\(number)") }
        sink.gate.open()
        service.flush(by: .seconds(30))
        LogService.withLevel(.verbose) { clock.advance(by: .nanoseconds(1)) }   // on this thread it is told
        #expect(losses.count == 1 && errors.events.isEmpty)
    }

    @Test func lossesOfAReasonAreToldOnceASecond() {
        let watch = LossWatch {}
        func lose(_ reason: DropReason, _ sequence: UInt64) {
            watch.lost(reason, LossRun(sequence: sequence, time: LogTime(nanoseconds: Int64(sequence))))
        }
        lose(.queueFull, 7)
        lose(.queueFull, 5)
        #expect(watch.take(at: 0).runs.isEmpty && watch.take(at: 0).next == nil)
        watch.wrote()
        let first = watch.take(at: 10)
        #expect(first.runs.map(\.0) == [.queueFull] && first.next == nil)
        #expect(first.runs.map(\.1.count) == [2] && first.runs.map(\.1.sequences) == [5...7])

        lose(.queueFull, 8)
        lose(.oversize, 9)
        watch.wrote()
        let second = watch.take(at: 20)
        #expect(second.runs.map(\.0) == [.oversize] && second.next == 1_000_000_010)
        lose(.queueFull, 10)
        #expect(watch.take(at: 2_000_000_000).runs.isEmpty)   // lost again meanwhile
        watch.wrote()
        let third = watch.take(at: 2_000_000_000)
        #expect(third.runs.map(\.1.sequences) == [8...10] && third.runs.map(\.1.count) == [2])
        #expect(watch.take(at: 9_000_000_000).runs.isEmpty)
    }

    /// Has no room for some events.
    private final class Picky: LogProvider {
        private let account = Locked(LogLedger())
        private let refuses: @Sendable (LogEvent) -> Bool
        init(refusing refuses: @escaping @Sendable (LogEvent) -> Bool) { self.refuses = refuses }

        func log(_ event: LogEvent) {
            account.withLock { account in
                account.submit()
                if refuses(event) { account.drop(1, .inputOutputError) } else { account.deliver(1) }
            }
        }
        func flush(by deadline: LogDeadline) throws {}
        var ledger: LogLedger? { account.withLock { $0 } }
    }

    @Test func whatIsHeldBackForASecondIsToldWithoutAnotherLoss() {
        service.register(Picky { $0.message == "no room" }, name: "disk")
        for _ in 1...2 {
            service.info("no room")
            service.info("room")
            clock.advance(by: .milliseconds(1))
            #expect(losses.count == 1)
        }
        clock.advance(by: .milliseconds(998))
        #expect(losses.count == 1)
        clock.advance(by: .milliseconds(1))
        #expect(losses.map { $0.metadata["firstSeq"] } == [.unsigned(1), .unsigned(4)])
    }

    @Test func whatAConfigurationNamesNoLongerAndHasLostIsToldToTheOthers() throws {
        let disk = Picky { $0.message == "no room" }
        try service.apply(LogConfiguration(.development) { LogListener(disk, name: "disk") })
        service.info("no room")
        try service.apply(LogConfiguration(.development) {})
        #expect(losses.map(\.message) == ["1 event did not reach disk (io_error)"])
    }

    @Test func whatAConfigurationNamesNoLongerAndCannotFinishIsToldToTheOthers() throws {
        let sink = GatedSink()
        defer { sink.gate.open() }
        let queue = BatchingProvider(sink, policy: QueuePolicy(batchCount: 1, linger: .zero))
        try service.apply(LogConfiguration(.development) { LogListener(queue, name: "orders") })
        for number in 1...5 { service.info("\(number)") }
        #expect(sink.gate.waitForArrivals(1) && service.distribute())
        try service.apply(LogConfiguration(.development) {}, by: .milliseconds(50))
        // The queue gives up when its caller's time is over: which of the two is first, the machine decides.
        #expect(becomesTrue { !losses.isEmpty })
        // One is in the sink's hands.
        #expect(losses.map(\.message) == ["4 events did not reach orders (provider_timeout)"])
        let loss = try #require(losses.first)
        #expect(try range(of: loss) == 2...5)
        #expect(queue.ledger == LogLedger(submitted: 5, dropped: [.providerTimeout: 4]))
    }

    @Test func whatNobodyCanWaitForIsToldByTheLedgerAlone() {
        let watch = LossWatch {}
        for reason in [DropReason.alreadyShutDown, .forkChild, .reentrant, .keptElsewhere] {
            watch.lost(reason, LossRun(sequence: 1, time: LogTime(nanoseconds: 1)))
        }
        watch.wrote()
        #expect(watch.take(at: 0, isLast: true).runs.isEmpty)
    }

    private func range(of loss: LogEvent) throws -> ClosedRange<UInt64> {
        guard case .unsigned(let first)? = loss.metadata["firstSeq"], case .unsigned(let last)? = loss.metadata["lastSeq"] else {
            throw ScriptedFailure("no range in \(loss.metadata)")
        }
        return first...last
    }

    @Test(arguments: [LogDelivery.immediate, .queued()])
    func aProvidersOwnAccountIsWatched(_ delivery: LogDelivery) throws {
        let registration = service.register(Picky { (3...5).contains($0.sequence) }, delivery: delivery, name: "disk")
        for number in 1...6 { service.info("\(number)") }
        #expect(service.flush(by: .seconds(30)).isComplete)
        clock.advance(by: .seconds(1))
        let loss = try #require(losses.first)
        #expect(loss.message == "3 events did not reach disk (io_error)" && losses.count == 1)
        // Of a batch it is not known which of its events those were.
        let range = try range(of: loss)
        #expect(delivery == .immediate ? range == 3...5 : range.contains(3) && range.contains(5) && range.upperBound <= 6)
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(registration.ledger == LogLedger(submitted: 7, delivered: 4, dropped: [.inputOutputError: 3]))
    }

    /// Holds two events, and drops the oldest for a third.
    private final class Hoarder: LogProvider {
        let account = Locked(LogLedger())
        /// Whether it delivers another one whenever it drops one.
        let isBusy: Bool
        init(isBusy: Bool = false) { self.isBusy = isBusy }

        func log(_ event: LogEvent) {
            account.withLock { account in
                account.submit()
                if account.pending <= 2 { return }
                account.drop(1, .queueFull)
                if isBusy { account.deliver(1) }
            }
        }
        func deliverAll() {
            account.withLock { account in
                let count = Int(account.pending)
                account.deliver(count)
            }
        }
        func flush(by deadline: LogDeadline) throws {}
        var ledger: LogLedger? { account.withLock { $0 } }
    }

    @Test func theRangeReachesBackToWhatTheProviderHadInHand() throws {
        let hoarder = Hoarder()
        service.register(hoarder, name: "remote")
        for number in 1...5 { service.info("\(number)") }   // drops 1, 2 and 3
        hoarder.deliverAll()
        service.info("6")
        clock.advance(by: .nanoseconds(1))
        let loss = try #require(losses.first)
        #expect(loss.message == "3 events did not reach remote (queue_full)" && losses.count == 1)
        #expect(try range(of: loss) == 1...5)

        // What was delivered before is not among what is lost afterwards.
        hoarder.deliverAll()
        clock.advance(by: .seconds(2))
        for number in 8...10 { service.info("\(number)") }   // behind the event that told of the loss
        hoarder.deliverAll()
        service.info("11")
        clock.advance(by: .nanoseconds(1))
        let second = try #require(losses.last)
        #expect(losses.count == 2)
        #expect(try range(of: second) == 8...10)
    }

    @Test func whatIsLostWhileOtherEventsAreDeliveredIsTold() {
        service.register(Hoarder(isBusy: true), name: "remote")
        for number in 1...20 { service.info("\(number)") }
        clock.advance(by: .nanoseconds(1))
        #expect(losses.map(\.message) == ["9 events did not reach remote (queue_full)"])
    }

    @Test func aProviderThatWritesAgainIsSeenToAlsoWhenNothingMoreIsSaid() {
        let hoarder = Hoarder()
        service.register(hoarder, name: "remote")
        for number in 1...3 { service.info("\(number)") }
        clock.advance(by: .seconds(5))
        #expect(losses.isEmpty)   // it has delivered nothing yet
        hoarder.deliverAll()
        clock.advance(by: .seconds(1))
        #expect(losses.map(\.message) == ["1 event did not reach remote (queue_full)"])
    }

    @Test func aShutdownTellsWhatAnAccountHasComeToSay() {
        let hoarder = Hoarder()
        service.register(hoarder, name: "remote")
        service.info("1")
        hoarder.account.withLock { $0.drop(1, .providerError) }   // nobody logs after that
        service.shutdown(by: .seconds(30))
        #expect(losses.map(\.message) == ["1 event did not reach remote (provider_error)"])
    }

    @Test func aShutdownTellsWhatIsLeft() {
        let sink = GatedSink()
        _ = overflow(sink)
        service.info("1")
        #expect(sink.gate.waitForArrivals(1))
        for number in 2...6 { service.info("\(number)") }
        #expect(service.registrations[1].ledger.dropped == [.queueFull: 1])
        sink.gate.open()
        service.shutdown(by: .seconds(30))
        #expect(losses.map(\.message) == ["1 event did not reach orders (queue_full)"])
        clock.advance(by: .seconds(5))
        #expect(losses.count == 1)
    }

    /// A queue of one event, which loses two while its sink stands still.
    private func lose(in service: LogService) -> GatedSink {
        let sink = GatedSink()
        let policy = QueuePolicy(capacity: 1, reservedCapacity: 0, batchCount: 1, linger: .zero, overflow: .dropNewest)
        let registration = service.register(sink: sink, queue: policy, name: "orders")
        service.info("1")
        #expect(sink.gate.waitForArrivals(1))
        for number in 2...4 { service.info("\(number)") }
        #expect(registration.ledger.dropped == [.queueFull: 2])
        return sink
    }

    @Test func aShutdownWaitsForNoQueueThatIsToHearOfALoss() {
        let real = LogService(), slow = GatedSink()
        let patient = QueuePolicy(capacity: 1, reservedCapacity: 0, batchCount: 1, linger: .zero, overflow: .block(upTo: .seconds(60)))
        let full = real.register(sink: slow, from: .warning, queue: patient)
        let losing = lose(in: real)
        real.warning("5")
        #expect(slow.gate.waitForArrivals(1))
        real.warning("6")
        #expect(full.ledger == LogLedger(submitted: 2))
        let deadline = LogDeadline.seconds(20)
        #expect(real.shutdown(by: .milliseconds(500)).unfinished.count == 2)
        #expect(!deadline.hasPassed)
        slow.gate.open()
        losing.gate.open()
    }

    @Test(.timeLimit(.minutes(10))) func aShutdownDoesNotHangWithAnImmediateProviderThatIsToHearOfALoss() {
        let real = LogService(), told = RecordingProvider(), hanging = BlockingProvider()
        real.register(told, from: .warning)
        real.register(hanging, from: .warning, name: "hanging")
        let losing = lose(in: real), deadline = LogDeadline.seconds(120)
        let report = real.shutdown(by: .seconds(30))
        #expect(report.unfinished.map(\.name) == ["hanging", "orders"])
        #expect(!deadline.hasPassed)
        #expect(told.messages == ["2 events did not reach orders (queue_full)"])
        hanging.gate.open()
        losing.gate.open()
    }

    @Test func whoLetsGoOfAProviderDoesNotHangWithAnotherThatIsToHearOfItsLoss() {
        let real = LogService(), told = RecordingProvider(), hanging = BlockingProvider(), hasLeft = Locked(false)
        real.register(told, from: .warning)
        real.register(hanging, from: .warning)
        let losing = lose(in: real), registration = real.registrations[2]
        LogThread.start("leaves") {
            registration.unregister(by: .milliseconds(100))
            hasLeft.withLock { $0 = true }
        }
        #expect(becomesTrue { hasLeft.withLock { $0 } })
        #expect(becomesTrue { told.messages == ["2 events did not reach orders (queue_full)"] })
        hanging.gate.open()
        losing.gate.open()
    }

    @Test("who lets go of another from within its own work is not called once more while it waits for those who hear of the loss")
    func whoIsInsideIsNotCalledOnceMore() {
        /// Lets go of another one within its first call.
        final class Letting: LogProvider {
            let other = Locked<LogRegistration?>(nil), heard = Locked<[String]>([])
            func log(_ event: LogEvent) {
                heard.withLock { $0.append(event.message) }
                let leaving = other.withLock { other in
                    defer { other = nil }
                    return other
                }
                leaving?.unregister(by: .milliseconds(100))
            }
            func flush(by deadline: LogDeadline) {}
        }
        let real = LogService(), letting = Letting(), registration = real.register(letting, from: .warning)
        let losing = lose(in: real)
        letting.other.withLock { $0 = real.registrations[1] }
        real.error("lets go")
        #expect(becomesTrue { registration.ledger.dropped == [.reentrant: 1] })
        #expect(letting.heard.withLock { $0 } == ["lets go"])
        losing.gate.open()
    }

    @Test func withARealClockNobodyHasToAsk() {
        let real = LogService(), listener = RecordingProvider()
        real.register(listener)
        lose(in: real).gate.open()
        let deadline = LogDeadline.seconds(30)
        while !deadline.hasPassed, !listener.events.contains(where: { $0.category == "log.loss" }) { LogThread.yield() }
        #expect(listener.messages.last == "2 events did not reach orders (queue_full)")
    }
}
