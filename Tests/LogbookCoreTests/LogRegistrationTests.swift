@testable import LogbookCore
import LogbookTestKit
import Testing

/// Says so each time it writes, and asks for a flush.
private final class SayingSink: BatchSink {
    let written = Locked<[String]>([])
    let service: LogService
    init(_ service: LogService) { self.service = service }
    func write(_ batch: [LogEvent]) {
        written.withLock { $0 += batch.map(\.message) }
        service.info("wrote")
        _ = service.flush(by: .never)
    }
}

@Suite struct LogRegistrationTests {
    @Test("a sink whose queue stands behind another one does not hear itself, nor waits for itself")
    func aSinkBehindTwoQueues() {
        let service = LogService(), sink = SayingSink(service), others = RecordingProvider()
        let registration = service.register(FoldingRepeats(BatchingProvider(sink)), delivery: .queued())
        service.register(others)
        service.info("x")
        #expect(service.flush(by: .seconds(60)).isComplete)
        #expect(sink.written.withLock { $0 } == ["x"])
        #expect(others.messages == ["x", "wrote"])
        withExtendedLifetime(registration) {}
    }

    @Test("a flush waits for what a queue behind another has in hand whose registration listens no more")
    func aFlushAfterTwoQueues() {
        let service = LogService(), sink = GatedSink(), wrapper = FoldingRepeats(BatchingProvider(sink, policy: QueuePolicy(linger: .zero)))
        let registration = service.register(wrapper, delivery: .queued(QueuePolicy(linger: .zero)), name: "gated")
        service.info("x")
        #expect(sink.gate.waitForArrivals(1))
        registration.unregister(by: .now)
        #expect(service.flush(by: .milliseconds(50)).unfinished.map(\.name) == ["gated"])
        sink.gate.open()
        #expect(service.flush(by: .seconds(60)).isComplete)
        withExtendedLifetime(wrapper) {}
    }

    @Test("a flush of who has left since it began waits for what is in hand")
    func aFlushOfWhoHasJustLeft() throws {
        let service = LogService(), sink = GatedSink(), registration = service.register(sink: sink, queue: QueuePolicy(linger: .zero))
        service.info("x")
        #expect(sink.gate.waitForArrivals(1))
        registration.unregister(by: .now)
        #expect(throws: QueueError.deadlinePassed(pending: 1, latestFailure: nil)) { try registration.flush(by: .milliseconds(20)) }
        sink.gate.open()
        try registration.flush(by: .seconds(60))
        #expect(sink.inner.written.map(\.message) == ["x"])
        try registration.flush(by: .now)
    }

    @Test("why a flush failed is said also where the provider does not say in time what is pending")
    func aFailureBesideAnAccountThatHangs() {
        final class Hanging: LogProvider {
            let gate = Gate(), hasFailed = Locked(false)
            var ledger: LogLedger? {
                if hasFailed.withLock({ $0 }) { gate.wait() }
                return nil
            }
            func log(_ event: LogEvent) {}
            func flush(by deadline: LogDeadline) throws {
                hasFailed.withLock { $0 = true }
                throw ScriptedFailure("the disk did not take it")
            }
        }
        let provider = Hanging(), service = LogService()
        service.register(provider, name: "hanging")
        // Where the machine is busy, the deadline may pass before it is asked at all; each call stays inside, and four may.
        let failure = "\(ScriptedFailure("the disk did not take it"))"
        #expect((1...4).contains { _ in service.flush(by: .seconds(3)).unfinished.map(\.reason) == [failure] })
        provider.gate.open()
    }

    @Test func changesOfSeveralThreadsAreAllMade() {
        let service = LogService(), registration = service.register(RecordingProvider(), from: .warning), count = Sanitizer.share(of: 1_000)
        service.privacyRules = .none
        let gate = Gate(), ended = Monitor(0)
        for thread in 0..<2 {
            LogThread.start("changes") {
                gate.wait()
                for number in 0..<count {
                    registration.changeLevels { $0[LogPattern(stringLiteral: "m\(thread)_\(number)")] = .debug }
                    if number % 10 == 0 {
                        registration.changeFilter { $0 = $0 && .metadata("\(thread)_\(number)") }
                        service.changePrivacyRules { $0.exemptKeys.insert("\(thread)_\(number)") }
                    }
                }
                ended.withLock { access in
                    access.value += 1
                    access.broadcast()
                }
            }
        }
        #expect(gate.waitForArrivals(2))
        gate.open()
        let limit = LogDeadline.seconds(300)
        ended.withLock { access in while access.value < 2, access.wait(until: limit) {} }
        #expect(registration.levels.rules.count == 2 * count && registration.level == .warning)
        #expect(registration.filter.description.split(separator: " and ").count == 2 * ((count + 9) / 10))
        #expect(service.privacyRules.exemptKeys.count == 2 * ((count + 9) / 10))
    }

    /// A child that is forked in the middle of a change would find half of it.
    @Test func aChangeOfTheTermsWaitsForAForkThatIsUnderWay() {
        let registration = LogService().register(RecordingProvider(), from: .info), started = Gate(), isDone = Locked(false)
        ProcessLineage.betweenForks {
            LogThread.start("changes") {
                started.wait()
                registration.level = .error
                isDone.withLock { $0 = true }
            }
            _ = started.waitForArrivals(1)
            started.open()
            for _ in 0..<50 { LogThread.yield() }
            #expect(registration.level == .info)
        }
        #expect(becomesTrue { isDone.withLock { $0 } })
        #expect(registration.level == .error)
    }

    /// A change may say something, or change something else: no lock is held.
    @Test func aChangeMayUseTheService() {
        let service = LogService(), provider = RecordingProvider(), registration = service.register(provider)
        registration.changeLevels { levels in
            service.info("changing")
            levels.default = LogThreshold(service.registrations[0].level == .verbose ? .error : .info)
        }
        service.changePrivacyRules { rules in
            service.error("changing")
            rules.keys.append("iban")
        }
        #expect(provider.messages == ["changing", "changing"] && registration.level == .error && service.privacyRules.keys == ["iban"])
    }

    @Test(.timeLimit(.minutes(10))) func aProviderMayLogWhileItIsAskedWhatItWants() {
        struct Talkative: LogProvider {
            let service: LogService
            var interest: LogInterest {
                service.info("interest")
                return .everything
            }
            var wantsContext: Bool {
                service.info("context")
                return true
            }
            func log(_ event: LogEvent) {}
            func flush(by deadline: LogDeadline) {}
        }
        let service = LogService(), heard = RecordingProvider(), isDone = Locked(false)
        service.register(heard)
        // On a thread of its own: one that waits for itself does not come back.
        LogThread.start("talkative") {
            let registration = service.register(Talkative(service: service))
            registration.level = .warning
            registration.unregister()
            isDone.withLock { $0 = true }
        }
        #expect(becomesTrue { isDone.withLock { $0 } })
        #expect(Set(heard.messages) == ["interest", "context"])
    }

    @Test func asManyAsWantMayFlushAtTheSameTime() {
        /// Its flush takes until a gate opens.
        final class Careful: BatchSink {
            let gate = Gate()
            func write(_ batch: [LogEvent]) {}
            func flush(by deadline: LogDeadline) { gate.wait() }
        }
        let sink = Careful(), service = LogService(), registration = service.register(sink: sink), count = 8
        let reports = Monitor<[LogFlushReport]>([])
        for number in 0..<count {
            service.info("\(number)")
            LogThread.start("flushes") {
                let report = service.flush(by: .seconds(30))
                reports.withLock { access in
                    access.value.append(report)
                    access.broadcast()
                }
            }
        }
        #expect(becomesTrue { registration.callCount == count })
        sink.gate.open()
        let answered = reports.withLock { access in
            while access.value.count < count, access.wait(until: .seconds(60)) {}
            return access.value
        }
        #expect(answered == Array(repeating: .everythingIsSafe, count: count))
        #expect(registration.callCount == 0)
    }

    @Test func whatAProviderLogsInItsFlushReachesTheOthersAndNotItself() {
        struct Talkative: LogProvider {
            let service: LogService
            func log(_ event: LogEvent) {}
            func flush(by deadline: LogDeadline) { service.info("flushed") }
        }
        let service = LogService(), heard = RecordingProvider(), registration = service.register(Talkative(service: service))
        service.register(heard)
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(heard.messages == ["flushed"])
        #expect(registration.ledger == LogLedger(submitted: 1, dropped: [.reentrant: 1]))
    }

    @Test(.timeLimit(.minutes(10))) func aSinkThatLogsInItsFlushWaitsForNoRoomInItsOwnQueue() {
        /// Logs in its flush, once a gate is open.
        struct Talkative: BatchSink {
            let service: LogService, gate = Gate()
            func write(_ batch: [LogEvent]) {}
            func flush(by deadline: LogDeadline) {
                gate.wait()
                service.info("flushed")
            }
        }
        let service = LogService(), heard = RecordingProvider(), sink = Talkative(service: service)
        service.register(heard)
        let policy = QueuePolicy(capacity: 4, reservedCapacity: 0, batchCount: 4, overflow: .block(upTo: .seconds(60)))
        let registration = service.register(sink: sink, queue: policy), reports = Monitor<[LogFlushReport]>([])
        LogThread.start("flushes") {
            let report = service.flush(by: .seconds(20))
            reports.withLock { access in
                access.value.append(report)
                access.broadcast()
            }
        }
        #expect(sink.gate.waitForArrivals(1))
        for number in 1...4 { service.info("\(number)") }
        #expect(registration.ledger == LogLedger(submitted: 4))   // all of them are in the queue, which is full
        sink.gate.open()
        let answered = reports.withLock { access in
            while access.value.isEmpty, access.wait(until: .seconds(60)) {}
            return access.value
        }
        #expect(answered == [.everythingIsSafe])
        #expect(registration.ledger.dropped == [.reentrant: 1])
        #expect(heard.messages == ["1", "2", "3", "4", "flushed"])
    }

    @Test func aProviderThatNeverComesBackIsLeftAtTheDeadline() {
        let blocking = BlockingProvider(), service = LogService(), registration = service.register(blocking), hasLeft = Locked(false)
        LogThread.start("leaves") {
            registration.unregister(by: .milliseconds(20))
            hasLeft.withLock { $0 = true }
        }
        #expect(becomesTrue { hasLeft.withLock { $0 } })
        #expect(service.registrations.isEmpty)
        blocking.gate.open()
        #expect(becomesTrue { registration.callCount == 0 })
    }

    @Test func aShutdownThatNobodyWaitsForAnyLongerIsMadeAllTheSame() {
        let blocking = BlockingProvider(), service = LogService(), registration = service.register(blocking)
        for _ in 0..<4 { _ = service.flush(by: .milliseconds(1)) }
        let report = service.shutdown(by: .milliseconds(1))
        #expect(report.unfinished.map(\.reason) == ["4 earlier calls have not come back from it"])
        #expect(registration.isOpen)
        blocking.gate.open()
        #expect(becomesTrue { !registration.isOpen && registration.callCount == 0 })
        service.info("later")
        #expect(registration.ledger == LogLedger(submitted: 1, dropped: [.alreadyShutDown: 1]))
    }

    @Test func aCallThatIsGivenUpBeforeItBeganIsNeverMade() {
        let blocking = BlockingProvider(), service = LogService(), registration = service.register(blocking, name: "stubborn")
        for _ in 0..<4 { _ = service.flush(by: .milliseconds(1)) }
        #expect(registration.callCount == 4)
        let late = service.flush(by: .milliseconds(1))
        #expect(late.unfinished.map(\.reason) == ["4 earlier calls have not come back from it"])
        #expect(registration.callCount == 4)
        blocking.gate.open()
        #expect(service.flush(by: .seconds(30)).isComplete)
    }

    /// Says when it goes.
    private final class Life: Sendable {
        let isOver: Locked<Bool>
        init(_ isOver: Locked<Bool>) { self.isOver = isOver }
        deinit { isOver.withLock { $0 = true } }
    }

    private struct Lasting: LogProvider {
        let life: Life, closings: Locked<Int>
        func log(_ event: LogEvent) {}
        func flush(by deadline: LogDeadline) {}
        func shutdown(by deadline: LogDeadline) { closings.withLock { $0 += 1 } }
    }

    private struct LastingSink: LogProvider, BatchSink {
        let life: Life, closings: Locked<Int>
        func log(_ event: LogEvent) {}
        func write(_ batch: [LogEvent]) {}
        func flush(by deadline: LogDeadline) {}
        func close(by deadline: LogDeadline) { closings.withLock { $0 += 1 } }
    }

    @Test("who leaves is not shut down, also when nobody keeps the registration", arguments: [false, true])
    func whoLeavesIsNotShutDown(isSink: Bool) {
        let isOver = Locked(false), closings = Locked(0), service = LogService()
        do {
            let life = Life(isOver)
            let provider: any LogProvider = isSink
                ? LastingSink(life: life, closings: closings) : Lasting(life: life, closings: closings)
            let registration = service.register(provider, delivery: .queued())
            service.info("heard")
            registration.unregister(by: .seconds(30))
        }
        #expect(becomesTrue { isOver.withLock { $0 } })
        #expect(closings.withLock { $0 } == 0)
    }

    /// Leaves while it writes its first event.
    private final class Leaving: LogProvider {
        let life: Life, closings: Locked<Int>
        private let registration = Locked<LogRegistration?>(nil)
        init(life: Life, closings: Locked<Int>) {
            self.life = life
            self.closings = closings
        }
        func leave(_ registration: LogRegistration) { self.registration.withLock { $0 = registration } }
        func log(_ event: LogEvent) {
            registration.withLock { registration in
                registration?.unregister(by: .seconds(30))
                #expect(registration?.isOpen != true)
                registration = nil
            }
        }
        func flush(by deadline: LogDeadline) {}
        func shutdown(by deadline: LogDeadline) { closings.withLock { $0 += 1 } }
    }

    @Test("who leaves from within its own work is not shut down either", arguments: [LogDelivery.queued(), .immediate])
    func whoLeavesFromWithin(delivery: LogDelivery) {
        let isOver = Locked(false), closings = Locked(0), service = LogService()
        do {
            let provider = Leaving(life: Life(isOver), closings: closings)
            provider.leave(service.register(provider, delivery: delivery))
            service.info("heard")
        }
        #expect(becomesTrue { isOver.withLock { $0 } })
        #expect(closings.withLock { $0 } == 0)
    }

    @Test("who leaves while something is held up on its way to the queues is let go of once that is handed out")
    func whoCouldNotBeLetGoAtOnceIsLater() throws {
        let service = LogService(), other = FailingSink { _ in nil }
        service.register(sink: other)
        /// Says when it goes.
        final class Mortal: LogProvider {
            let end: Locked<Bool>
            init(_ end: Locked<Bool>) { self.end = end }
            deinit { end.withLock { $0 = true } }
            func log(_ event: LogEvent) {}
            func flush(by deadline: LogDeadline) {}
        }
        let isGone = Locked(false)
        let distributor = try #require(service.distributor)
        let memory = try #require(distributor.ring.reserve(bytes: EventRecord.bytes))   // somebody is about to say something
        do {
            let registration = service.register(Mortal(isGone), delivery: .queued())
            service.info("heard")
            registration.unregister(by: .now)
        }
        #expect(!isGone.withLock { $0 })
        let names = try #require(CallSite("", "", 0)?.words)
        _ = EventRecord.writeHeader(to: memory, Hearing.nobody, RecordTime(LogTime(nanoseconds: 0)), 1, 1, names.file, names.function, 0)
        distributor.ring.commit(memory, mark: EventRecord.mark(bytes: EventRecord.bytes, level: .info))
        #expect(becomesTrue { isGone.withLock { $0 } })
        // What it could not be given is told to the others.
        #expect(becomesTrue { other.written.contains { $0.message == "1 event did not reach Mortal (provider_timeout)" } })
        withExtendedLifetime(service) {}
    }

    @Test("what somebody says who waits for another's queue, who leaves meanwhile hears no more, or loses and counts", arguments: [true, false])
    func whatWaitsForRoomIsAccountedFor(isPlain: Bool) throws {
        let service = LogService(), sink = GatedSink(), leaving = RecordingProvider()
        let full = BatchingProvider(
            sink,
            policy: QueuePolicy(
                capacity: 1, reservedCapacity: 0, batchCount: 1, linger: .zero, overflow: .block(upTo: .seconds(60))))
        service.register(full)
        let registration = service.register(leaving, delivery: .queued())
        @Sendable func say(_ text: String) {
            if isPlain { service.info("\(text)") } else { service.info("\(text)", error: ScriptedFailure("as an object")) }
        }
        say("1")
        #expect(sink.gate.waitForArrivals(1))
        say("2")
        service.distribute()   // now the queue is full
        let isSaid = Locked(false)
        LogThread.start("waits") {
            say("3")
            isSaid.withLock { $0 = true }
        }
        #expect(becomesTrue { full.engine.state.withLock { $0.value.waitingForRoom } > 0 })
        registration.unregister(by: .seconds(30))
        sink.gate.open()
        #expect(becomesTrue { isSaid.withLock { $0 } })
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(leaving.messages == ["1", "2"])
        let isLate = LogLedger(submitted: 3, delivered: 2, dropped: [.providerTimeout: 1])
        // In a task of another test something may be open: then a plain one goes as an object as well.
        #expect(registration.ledger == isLate || isPlain && registration.ledger == LogLedger(submitted: 2, delivered: 2))
        #expect(full.ledger == LogLedger(submitted: 3, delivered: 3))
    }

    @Test func whoLeavesIsFlushedOnceItsCallersHaveComeBack() {
        /// Notes what happens to it; its `log` takes until a gate opens.
        final class Diary: LogProvider {
            let gate = Gate(), entries = Locked<[String]>([])
            func log(_ event: LogEvent) {
                gate.wait()
                entries.withLock { $0.append("log returned") }
            }
            func flush(by deadline: LogDeadline) { entries.withLock { $0.append("flush") } }
        }
        let provider = Diary(), service = LogService(), registration = service.register(provider), hasLeft = Locked(false)
        LogThread.start("says") { service.info("x") }
        #expect(provider.gate.waitForArrivals(1))
        LogThread.start("leaves") {
            registration.unregister(by: .seconds(60))
            hasLeft.withLock { $0 = true }
        }
        #expect(becomesTrue { !registration.isOpen })
        for _ in 0..<50 { LogThread.yield() }   // what would come too early may come
        provider.gate.open()
        #expect(becomesTrue { hasLeft.withLock { $0 } })
        #expect(provider.entries.withLock { $0 } == ["log returned", "flush"])
    }

    @Test func aPolicyForAProviderThatHasItsQueueAlreadyIsSaidToBeInVain() async {
        await #expect(processExitsWith: .success) {
            let said = Locked<[String]>([])
            LogDiagnostics.setHandler { remark in said.withLock { $0.append(remark.description) } }
            let service = LogService(), own = QueuePolicy(capacity: 100), queue = BatchingProvider(FailingSink { _ in nil }, policy: own)
            for policy in [QueuePolicy(), own] { service.register(queue, delivery: .queued(policy)) }
            service.register(RecordingProvider(), delivery: .queued(own))
            #expect(said.withLock { $0.isEmpty })
            service.register(queue, delivery: .queued(QueuePolicy(capacity: 200)), name: "orders")
            #expect(said.withLock { $0 } == [
                "logbook: orders: a BatchingProvider has its queue already; the policy it is registered with belongs where it is made"
            ])
        }
    }

    @Test func whatAWrapperHeldBackBeforeItIsRegisteredAgainIsNotItsAccount() {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), service = LogService(clock: .manual(clock)), provider = RecordingProvider()
        let limit = RateLimit(1, per: .seconds(60), key: .everything)
        let limiting = RateLimiting(provider, to: limit, clock: .manual(clock))
        let first = service.register(limiting)
        for number in 1...3 { service.info("\(number)") }
        first.unregister(by: .seconds(30))
        #expect(limiting.suppression == LogSuppression(heldBack: 2, reports: 1))
        clock.advance(by: .seconds(60))
        let second = service.register(limiting)
        service.info("4")
        #expect(second.ledger == LogLedger(submitted: 1, delivered: 1) && second.suppression == LogSuppression())
        service.info("5")
        #expect(second.ledger == LogLedger(submitted: 1, delivered: 1) && second.suppression == LogSuppression(heldBack: 1))
        #expect(provider.messages.first == "1" && provider.messages.last == "4" && provider.messages.count == 3)
    }

    @Test("what a provider's own account said before it is registered again is not part of the ledger", arguments: [false, true])
    func anAccountBeginsWithItsRegistration(isQueue: Bool) {
        /// Loses what is heard while its disk is full.
        final class Disk: LogProvider {
            let isFull = Locked(true), account = Locked(LogLedger())
            func log(_ event: LogEvent) {
                let isFull = isFull.withLock { $0 }
                account.withLock { account in
                    account.submit()
                    if isFull { account.drop(1, .inputOutputError) } else { account.deliver() }
                }
            }
            func flush(by deadline: LogDeadline) {}
            var ledger: LogLedger? { account.withLock { $0 } }
        }
        // With a clock that stands still, nobody is told of the losses.
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), service = LogService(clock: .manual(clock)), disk = Disk()
        let refusing = FailingSink { call in call == 1 ? BatchWriteError.refused(.inputOutputError, because: ScriptedFailure()) : nil }
        let queue = BatchingProvider(refusing, policy: QueuePolicy(linger: .seconds(3600)), clock: .manual(clock))
        let provider: any LogProvider = isQueue ? queue : disk
        let first = service.register(provider)
        for number in 1...5 { service.info("\(number)") }
        first.unregister(by: .seconds(30))
        #expect(first.ledger == LogLedger(submitted: 5, dropped: [.inputOutputError: 5]))
        disk.isFull.withLock { $0 = false }
        let second = service.register(provider)
        #expect(second.ledger == LogLedger())
        for number in 1...6 {
            service.info("\(number)")
            #expect(service.flush(by: .seconds(30)).isComplete)
            #expect(second.ledger == LogLedger(submitted: UInt64(number), delivered: UInt64(number)))
        }
    }

    @Test func whatAProviderWantsIsAskedWhenItIsRegisteredAlone() {
        /// Counts how often it is asked.
        final class Counting: LogProvider {
            let count = Locked(0)
            var interest: LogInterest {
                count.withLock { $0 += 1 }
                return .everything
            }
            func log(_ event: LogEvent) {}
            func flush(by deadline: LogDeadline) {}
        }
        let service = LogService(), counting = Counting()
        service.register(RecordingProvider(), delivery: .queued())
        let registration = service.register(counting, from: .error, delivery: .queued())
        let count = counting.count.withLock { $0 }
        service.info("x")
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(registration.unheard == LogUnheard(level: 1))
        #expect(counting.count.withLock { $0 } == count)
    }
}
