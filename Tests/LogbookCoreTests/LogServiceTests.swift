import LogbookCore
import LogbookTestKit
import Testing

@Suite struct LogServiceTests {
    @Test func eachProviderHearsOnlyItsOwnLevels() {
        let console = RecordingProvider(), file = RecordingProvider(), service = LogService()
        service.register(console, from: .debug)
        service.register(file, from: .warning)

        service.log(.info, "cart opened")
        service.log(.error, "payment refused")

        #expect(console.messages == ["cart opened", "payment refused"])
        #expect(file.messages == ["payment refused"])
    }

    @Test func everyLevelHasACallOfItsOwn() {
        let provider = RecordingProvider(), service = LogService()
        service.register(provider)
        service.verbose("1")
        service.debug("2")
        service.info("3")
        service.notice("4")
        service.warning("5")
        service.error("6")
        service.critical("7")
        #expect(provider.events.map(\.level) == LogLevel.allCases)
        #expect(provider.messages == ["1", "2", "3", "4", "5", "6", "7"])
    }

    @Test func aMessageNobodyListensToIsNotEvaluated() {
        let service = LogService()
        nonisolated(unsafe) var evaluations = 0
        func costly() -> Int {
            evaluations += 1
            return evaluations
        }
        service.error("\(costly())")
        service.register(RecordingProvider(), from: .warning)
        service.info("\(costly())", metadata: ["n": .integer(Int64(costly()))])
        #expect(evaluations == 0)
        #expect(!service.isEnabled(.info) && service.isEnabled(.warning))
    }

    @Test func aMessageIsEvaluatedOnceForAnyNumberOfProviders() {
        let service = LogService(), first = RecordingProvider(), second = RecordingProvider()
        service.register(first)
        service.register(second)
        nonisolated(unsafe) var evaluations = 0
        func costly() -> Int {
            evaluations += 1
            return evaluations
        }
        service.info("\(costly())")
        #expect(first.messages == ["1"] && second.messages == ["1"])
    }

    @Test func anEventIsStampedAtTheCall() throws {
        let clock = ManualClock(now: LogTime(nanoseconds: 1_000)), provider = RecordingProvider()
        let service = LogService(clock: .manual(clock))
        service.register(provider)
        service.info("first", metadata: ["a": 1], error: ScriptedFailure("why")); let line = #line
        clock.advance(by: .nanoseconds(5))
        service.info("second")

        let events = provider.events
        #expect(events.map(\.sequence) == [1, 2])
        #expect(events.map(\.time.nanoseconds) == [1_000, 1_005])
        let first = try #require(events.first)
        #expect(first.source.fileName == "LogServiceTests.swift" && first.source.module == "LogbookCoreTests")
        #expect(first.source.function == "anEventIsStampedAtTheCall()" && first.source.line == UInt32(line))
        #expect(first.metadata == ["a": 1])
        #expect(first.error == LogErrorDetails(type: "ScriptedFailure", description: "why"))
        #expect(first.thread > 0)
    }

    @Test func textAndAnyValueAtHandAreTakenAsTheyAre() {
        let provider = RecordingProvider(), service = LogService()
        service.register(provider)
        let text = "a line with \\(no interpolation)"
        service.info(text)
        service.info([1, 2])
        service.log(.info, text.dropFirst(2))
        #expect(provider.messages == [text, "[1, 2]", String(text.dropFirst(2))])
    }

    @Test func levelsChangeWhileTheProgramRuns() {
        let provider = RecordingProvider(), service = LogService()
        let registration = service.register(provider, from: .error)
        service.info("unheard")
        registration.level = .info
        service.info("heard")
        registration.level = .critical
        service.error("unheard")
        #expect(provider.messages == ["heard"])
        #expect(registration.ledger == LogLedger(submitted: 1, delivered: 1))
    }

    @Test func aFilterDecidesAfterTheLevel() {
        let provider = RecordingProvider(), service = LogService()
        service.register(provider, from: .info) { $0.metadata["tenant"] == "north" }
        service.info("a", metadata: ["tenant": "north"])
        service.info("b", metadata: ["tenant": "south"])
        #expect(provider.messages == ["a"])
    }

    @Test func anUnregisteredProviderHearsNothingMore() {
        let provider = RecordingProvider(), service = LogService()
        let registration = service.register(provider, delivery: .queued())
        service.info("before")
        registration.unregister()
        service.info("after")
        #expect(provider.messages == ["before"])
        #expect(service.registrations.isEmpty && !service.isEnabled(.critical))
        registration.unregister()
    }

    @Test func staticCallsReachTheSharedService() {
        let provider = RecordingProvider()
        let registration = LogService.register(provider: provider)
        defer { registration.unregister() }
        LogService.info("static")
        LogService.shared.info("instance")
        #expect(provider.messages.contains("static") && provider.messages.contains("instance"))
    }

    @Test func relayedEventsKeepTheirTimeAndPlace() throws {
        let provider = RecordingProvider(), service = LogService()
        service.register(provider, from: .info)
        let time = LogTime(nanoseconds: 77), source = LogSource(fileNamed: "dpkg.log")
        service.relay(.info, LogMessage(text: "installed"), metadata: ["n": 1], at: time, source: source)
        service.relay(.debug, LogMessage(text: "unheard"))
        let event = try #require(provider.events.first)
        #expect(provider.events.count == 1)
        #expect(event.time == time && event.source == source && event.message == "installed")
    }

    @Test func relayedEventsAreEvaluatedOnceAndOnlyForListeners() {
        let provider = RecordingProvider(), service = LogService()
        service.register(provider, from: .info)
        var evaluated: [String] = []
        func metadata() -> LogMetadata {
            evaluated.append("metadata")
            return ["n": 1]
        }
        func error() -> LogErrorDetails? {
            evaluated.append("error")
            return LogErrorDetails(type: "Fault", description: "broken")
        }
        service.relay(.debug, LogMessage(text: "unheard"), metadata: metadata(), error: error())
        #expect(evaluated.isEmpty)
        service.relay(.info, LogMessage(text: "heard"), metadata: metadata(), error: error())
        #expect(evaluated.sorted() == ["error", "metadata"])
        #expect(provider.events.map(\.metadata) == [["n": 1]])
        #expect(provider.events.map(\.error) == [LogErrorDetails(type: "Fault", description: "broken")])
    }

    @Test func aServiceKnowsTheMarksOfItsProviders() {
        struct Marking: LogProvider {
            let marks = Locked<[UInt64]>([])
            func log(_ event: LogEvent) { marks.withLock { $0.append(LogRegistration.currentMark) } }
            func flush(by deadline: LogDeadline) throws {}
        }
        let immediate = Marking(), queued = Marking(), service = LogService(), other = LogService()
        let registration = service.register(immediate)
        service.register(queued, delivery: .queued(QueuePolicy()))
        service.info("x")
        #expect(service.flush(by: .seconds(30)).isComplete)
        let marks = immediate.marks.withLock { $0 } + queued.marks.withLock { $0 }
        #expect(marks.count == 2 && Set(marks).count == 2 && LogRegistration.currentMark == 0)
        #expect(marks.allSatisfy { service.isHeard(by: $0) && !other.isHeard(by: $0) })
        #expect(!service.isHeard(by: 0))
        registration.unregister()
        #expect(!service.isHeard(by: marks[0]) && service.isHeard(by: marks[1]))
    }

    @Test func theMarkOfOneThatLeftIsKnownWhileItsQueueStillWrites() {
        /// Goes on once a gate opens.
        struct Marking: LogProvider {
            let mark = Locked<UInt64>(0), gate = Gate()
            func log(_ event: LogEvent) {
                mark.withLock { $0 = LogRegistration.currentMark }
                gate.wait()
            }
            func flush(by deadline: LogDeadline) throws {}
        }
        let marking = Marking(), service = LogService(), registration = service.register(marking, delivery: .queued())
        service.info("x")
        #expect(marking.gate.waitForArrivals(1))
        registration.unregister(by: .now)
        let mark = marking.mark.withLock { $0 }
        #expect(mark != 0 && service.isHeard(by: mark))
        marking.gate.open()
        #expect(becomesTrue { !service.isHeard(by: mark) })
        #expect(registration.ledger == LogLedger(submitted: 1, delivered: 1))
    }

    @Test func manyThreadsAreCountedExactly() async {
        let immediate = RecordingProvider(), queued = RecordingProvider(), service = LogService()
        let first = service.register(immediate)
        let second = service.register(queued, delivery: .queued(QueuePolicy(overflow: .block(upTo: .seconds(30)))))
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { for number in 0..<2_000 { service.info("\(number)") } } }
        }
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(first.ledger == LogLedger(submitted: 16_000, delivered: 16_000))
        #expect(second.ledger == LogLedger(submitted: 16_000, delivered: 16_000))
        #expect(Set(queued.events.map(\.sequence)) == Set(1...16_000))
        #expect(service.health().latestSequence == 16_000)
    }

    // MARK: Isolation

    @Test("row 33: a provider that logs is heard by the others and never by itself")
    func aProviderThatLogs() {
        final class Chatty: LogProvider {
            let service: LogService
            init(_ service: LogService) { self.service = service }
            func log(_ event: LogEvent) { service.info("about \(event.message)") }
            func flush(by deadline: LogDeadline) throws {}
        }
        let service = LogService(), recorder = RecordingProvider()
        let chatty = service.register(Chatty(service))
        let recording = service.register(recorder)
        service.info("a")
        #expect(recorder.messages == ["about a", "a"])
        #expect(chatty.ledger == LogLedger(submitted: 2, delivered: 1, dropped: [.reentrant: 1]))
        #expect(recording.ledger == LogLedger(submitted: 2, delivered: 2))
    }

    @Test("row 33: two providers that log about each other's events come to an end")
    func providersThatAnswerEachOther() {
        struct Echo: BatchSink {
            let service: LogService
            func write(_ batch: [LogEvent]) throws { for event in batch { service.info("echo of \(event.message)") } }
        }
        let service = LogService()
        let echoes = [service.register(sink: Echo(service: service)), service.register(sink: Echo(service: service))]
        service.info("a")
        // The first flush lets the echoes out, the second settles them; no third generation may appear.
        for _ in 0..<4 { #expect(service.flush(by: .seconds(30)).isComplete) }
        // Each takes what the application said and the other's echo of it. Its own echo, and the two echoes of echoes, it does not.
        for echo in echoes { #expect(echo.ledger == LogLedger(submitted: 5, delivered: 2, dropped: [.reentrant: 3])) }
        let sequence = service.health().latestSequence
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(service.health().latestSequence == sequence)
    }

    @Test("row 30: a provider that blocks for ever holds up neither the others nor the flush")
    func aBlockingProvider() {
        let blocking = BlockingProvider(), recorder = RecordingProvider()
        // With a clock that stands still, nobody is told of the loss.
        let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 0))))
        let policy = QueuePolicy(capacity: 10, reservedCapacity: 0, batchCount: 1, overflow: .dropNewest)
        let blocked = service.register(blocking, delivery: .queued(policy), name: "blocked")
        service.register(recorder)
        service.info("first")
        #expect(blocking.gate.waitForArrivals(1))
        for number in 0..<20 { service.info("\(number)") }
        #expect(recorder.messages.count == 21)
        #expect(blocked.ledger == LogLedger(submitted: 21, delivered: 0, dropped: [.queueFull: 10]))

        var report = service.flush(by: .milliseconds(50))
        // What is well answers in time, if not at the first try of a busy machine.
        #expect(becomesTrue {
            report = service.flush(by: .milliseconds(50))
            return report.unfinished.map(\.name) == ["blocked"]
        })
        #expect(report.unfinished.first?.pending == 11)
        blocking.gate.open()
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(blocked.ledger == LogLedger(submitted: 21, delivered: 11, dropped: [.queueFull: 10]))
    }

    @Test("row 30: a provider that hangs on the thread that logs keeps the event from no queue", arguments: [LogPrivacy.public, .private])
    func anImmediateProviderThatHangs(_ privacy: LogPrivacy) {
        let blocking = BlockingProvider(), recorder = RecordingProvider(), service = LogService()
        service.register(blocking)
        service.register(recorder, delivery: .queued())
        LogThread.start("logs") { service.info("from \("afar", privacy: privacy)") }
        #expect(blocking.gate.waitForArrivals(1))
        #expect(becomesTrue { recorder.messages == [privacy == .public ? "from afar" : "from <private>"] })
        blocking.gate.open()
    }

    @Test("row 59: a flush from inside a provider does not wait for itself")
    func aFlushFromInside() {
        final class Flushing: LogProvider {
            let service: LogService, reports = Locked<[LogFlushReport]>([])
            init(_ service: LogService) { self.service = service }
            func log(_ event: LogEvent) {
                let report = service.flush(by: .seconds(30))
                reports.withLock { $0.append(report) }
            }
            func flush(by deadline: LogDeadline) throws {}
        }
        let service = LogService(), flushing = Flushing(service), other = RecordingProvider()
        service.register(flushing, delivery: .queued(), name: "flushing")
        service.register(other)
        service.info("a")
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(flushing.reports.withLock { $0.map { $0.unfinished.map(\.name) } } == [["flushing"]])
    }

    @Test("row 59: a flush on the main actor keeps its deadline, also where a provider waits for the main actor") @MainActor
    func aFlushOnTheMainActor() {
        let isDone = Gate()
        final class OfTheMainActor: LogProvider {
            let isDone: Gate
            init(_ isDone: Gate) { self.isDone = isDone }
            func log(_ event: LogEvent) {}
            func flush(by deadline: LogDeadline) {
                Task { @MainActor [isDone] in isDone.open() }
                isDone.wait()
            }
        }
        let service = LogService(), recorder = RecordingProvider()
        service.register(OfTheMainActor(isDone), name: "of the main actor")
        service.register(recorder, delivery: .queued())
        service.info("a")
        #expect(becomesTrue { service.flush(by: .seconds(6)).unfinished.map(\.name) == ["of the main actor"] })
        #expect(recorder.messages == ["a"])
    }

    @Test func afterAShutdownEventsAreCountedAndTheSecondShutdownDoesNothing() {
        let provider = RecordingProvider(), service = LogService()
        let immediate = service.register(provider), queued = service.register(provider, delivery: .queued())
        service.info("in time")
        #expect(service.shutdown(by: .seconds(30)).isComplete)
        service.info("late")
        #expect(service.shutdown(by: .seconds(30)).isComplete)
        #expect(service.flush(by: .seconds(30)).isComplete)
        for registration in [immediate, queued] {
            #expect(registration.ledger == LogLedger(submitted: 2, delivered: 1, dropped: [.alreadyShutDown: 1]))
        }
        #expect(provider.messages == ["in time", "in time"])
    }

    @Test func aFlushAfterTheShutdownAsksNobody() {
        final class Sulking: LogProvider {
            func log(_ event: LogEvent) {}
            func flush(by deadline: LogDeadline) throws { throw ScriptedFailure("there is nobody here") }
            func shutdown(by deadline: LogDeadline) {}
        }
        let service = LogService()
        service.register(Sulking())
        #expect(!service.flush(by: .seconds(30)).isComplete)
        #expect(service.shutdown(by: .seconds(30)).isComplete)
        #expect(service.flush(by: .seconds(30)).isComplete)
    }

    @Test func aProviderThatIgnoresItsDeadlineIsReported() {
        let blocking = BlockingProvider(), service = LogService()
        service.register(blocking, from: .critical, name: "stubborn")
        let report = service.flush(by: .milliseconds(20))
        #expect(report.unfinished.map(\.name) == ["stubborn"])
        #expect(report.description.contains("stubborn: it had not answered when the deadline passed"))
        blocking.gate.open()
    }

    @Test func aProviderThatNeverComesBackHoldsABoundedNumberOfThreads() {
        let blocking = BlockingProvider(), service = LogService()
        service.register(blocking, name: "stubborn")
        let reasons = (0..<20).map { _ in service.flush(by: .milliseconds(1)).unfinished.first?.reason }
        #expect(reasons.last == "4 earlier calls have not come back from it")
        #expect(!blocking.gate.waitForArrivals(5, by: .milliseconds(50)))
        blocking.gate.open()
    }

    @Test func registeringAndLoggingFromManyThreadsIsSafe() async {
        let service = LogService(), steady = RecordingProvider()
        let registration = service.register(steady)
        await withTaskGroup { group in
            for worker in 0..<8 {
                group.addTask {
                    for number in 0..<200 {
                        let own = service.register(RecordingProvider(), delivery: worker % 2 == 0 ? .immediate : .queued())
                        service.info("\(worker) \(number)")
                        own.level = .critical
                        own.unregister(by: .seconds(30))
                        if number % 50 == 0 { service.flush(by: .seconds(30)) }
                    }
                }
            }
        }
        #expect(registration.ledger == LogLedger(submitted: 1_600, delivered: 1_600))
        #expect(service.registrations.count == 1)
    }
}
