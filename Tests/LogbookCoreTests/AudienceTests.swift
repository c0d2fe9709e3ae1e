@testable import LogbookCore
import LogbookTestKit
import Testing

/// Who hears what: levels by source, raises and the levels of tasks, together.
@Suite struct AudienceTests {
    @Test func eachModuleAndCategoryHasItsLevel() {
        let provider = RecordingProvider(), service = LogService()
        service.register(provider, levels: LevelRules(.info, ["net": .debug, "LogbookCoreTests": .warning]))
        let http = service.category("net.http")
        http.debug("1")
        http.verbose("-")
        service.info("-")                                    // this module says warnings only
        service.warning("2")
        service.info("3", metadata: ["category": "net"])
        service.relay(.info, "4", source: LogSource(fileNamed: "Elsewhere/File.swift"))
        service.relay(.debug, "-", source: LogSource(fileNamed: "Elsewhere/File.swift"))
        #expect(provider.messages == ["1", "2", "3", "4"])
        #expect(provider.events[0].category == "net.http" && provider.events[1].category == nil)
    }

    @Test func aMessageThatNoRuleLetsThroughIsNotEvaluated() {
        let service = LogService()
        service.register(RecordingProvider(), levels: LevelRules(.info, ["net": .debug]))
        #expect(service.mayHear(.debug))                      // somebody may say something that is heard
        #expect(!service.isEnabled(.debug) && service.category("net.http").isEnabled(.debug))
        service.debug("\(neverEvaluated())")
        #expect(service.health().latestSequence == 0)
    }

    func neverEvaluated() -> Int {
        Issue.record("nobody listens to this")
        return 0
    }

    @Test func aCallsOwnCategoryDecidesOverItsLoggers() {
        let provider = RecordingProvider(), service = LogService()
        service.register(provider, levels: ["*": .off, "inner": .verbose])
        service.category("outer").info("1", metadata: ["category": "inner"])
        service.category("outer").info("-")
        #expect(provider.messages == ["1"])
    }

    @Test func everyLevelOfACategoryHasACallOfItsOwn() {
        let provider = RecordingProvider(), service = LogService()
        service.register(provider)
        let net = service.category("net"), text = "at hand"
        net.verbose("1", metadata: ["a": 1]); net.debug("2"); net.info("3"); net.notice("4"); net.warning("5"); net.error("6")
        net.critical("7"); net.log(.info, text); net.info(text)
        #expect(provider.events.prefix(7).map(\.level) == LogLevel.allCases)
        #expect(provider.messages.suffix(2) == [text, text])
        #expect(provider.events.allSatisfy { $0.metadata["category"] == "net" })
        #expect(provider.events[0].metadata == ["category": "net", "a": 1])
    }

    // MARK: Raises

    @Test func aRaiseLetsMoreBeHeardAndEndsByItself() {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), provider = RecordingProvider()
        let service = LogService(clock: .manual(clock))
        service.register(provider, from: .warning)
        let checkout = service.category("checkout")

        checkout.debug("-")
        service.raise(to: .debug, for: "checkout", during: .minutes(10))
        checkout.debug("1")
        checkout.verbose("-")
        service.debug("-")
        clock.advance(by: .minutes(10) - .nanoseconds(1))
        checkout.debug("2")
        #expect(checkout.isEnabled(.debug) && service.raises.count == 1)
        clock.advance(by: .nanoseconds(1))
        #expect(!checkout.isEnabled(.debug) && service.raises.isEmpty)
        checkout.debug("-")
        #expect(provider.messages == ["1", "2"])
    }

    // In a process of its own: a task of another test that carries a level would keep the floor down.
    @Test func whenARaiseEndsTheFloorGoesUpWithoutAnybodyAsking() async {
        await #expect(processExitsWith: .success) {
            let service = LogService()
            service.register(RecordingProvider(), from: .error)
            service.raise(to: .debug, during: .hours(24))
            service.raise(to: .verbose, during: .seconds(15))
            precondition(service.mayHear(.verbose))
            let deadline = LogDeadline.seconds(60)
            while service.mayHear(.verbose), !deadline.hasPassed { await Task.yield() }
            precondition(!service.mayHear(.verbose) && service.mayHear(.debug))

            let clock = ManualClock(now: LogTime(nanoseconds: 0)), manual = LogService(clock: .manual(clock))
            manual.register(RecordingProvider(), from: .error)
            manual.raise(to: .debug, for: "net", during: .minutes(1))
            precondition(manual.mayHear(.debug))
            clock.advance(by: .minutes(1))
            precondition(!manual.mayHear(.debug))
        }
    }

    @Test func aTasksLevelLowersTheFloorForAsLongAsItIsCarried() async {
        await #expect(processExitsWith: .success) {
            let service = LogService()
            service.register(RecordingProvider(), from: .error)
            LogService.withLevel(.debug) {
                precondition(service.mayHear(.debug) && !service.mayHear(.verbose))
                LogService.withLevel(.verbose) { precondition(service.mayHear(.verbose)) }
                precondition(service.mayHear(.debug) && !service.mayHear(.verbose))
            }
            precondition(!service.mayHear(.warning))
        }
    }

    @Test("a task that opens a level while another is still making it known is heard as well")
    func twoTasksThatOpenALevel() async {
        await #expect(processExitsWith: .success) {
            // Each has to be told: that takes its time.
            let others = (0..<200).map { _ in LogService() }
            for other in others { other.register(RecordingProvider(), from: .error, delivery: .queued()) }
            let service = LogService()
            service.register(RecordingProvider(), from: .error)
            for _ in 0..<20 {
                let gate = Gate(), isOver = Gate()
                LogThread.start("first") {
                    LogService.withLevel(.verbose) { gate.wait() }
                    isOver.open()
                }
                while !LevelScope.isAnyOpen { LogThread.yield() }
                LogService.withLevel(.debug) { precondition(service.mayHear(.debug)) }
                gate.open()
                isOver.wait()
            }
            withExtendedLifetime(others) {}
        }
    }

    @Test func raisesOverlapAndAreTakenBack() {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), service = LogService(clock: .manual(clock))
        service.register(RecordingProvider(), from: .error)
        let long = service.raise(to: .info, during: .minutes(10))
        service.raise(to: .verbose, during: .minutes(1))
        service.raise(to: .verbose, during: .zero)
        #expect(service.raises.map(\.level) == [.info, .verbose])
        clock.advance(by: .minutes(1))
        #expect(service.isEnabled(.info) && !service.isEnabled(.debug))
        long.cancel()
        long.cancel()
        #expect(!service.isEnabled(.info) && service.raises.isEmpty)
    }

    @Test func fixedLevelsAndFiltersAreNotRaised() {
        let pager = RecordingProvider(), filtered = RecordingProvider(), service = LogService()
        service.register(pager, from: .critical).isFixed = true
        #expect(!service.isEnabled(.error))
        service.register(filtered, from: .error, where: .metadata("tenant"))
        service.raise(to: .info, during: .hours(1))
        LogService.withLevel(.verbose) { service.debug("1") }
        service.info("2")
        service.info("3", metadata: ["tenant": "north"])
        #expect(pager.messages.isEmpty && filtered.messages == ["3"])
    }

    // In a process of its own: a task's level that another test sets holds every live service for a moment.
    @Test func aServiceThatIsLetGoLeavesNoAlarmBehind() async {
        await #expect(processExitsWith: .success) {
            weak var gone: LogService?
            do {
                let service = LogService()
                service.register(RecordingProvider(), from: .error)
                service.raise(to: .debug, during: .hours(24))
                gone = service
            }
            precondition(gone == nil)
        }
    }

    // MARK: Levels of tasks

    @Test func aTasksLevelHoldsInItsChildrenAndIsRestored() async {
        let provider = RecordingProvider(), service = LogService()
        service.register(provider, from: .warning)
        service.info("-")
        await LogService.withLevel(.verbose) {
            service.verbose("1")
            async let child: Void = service.verbose("2")
            await child
            LogService.withLevel(.info) {
                service.debug("-")                            // the inner scope counts
                service.info("3")
            }
            service.debug("4")
        }
        service.error("5")
        service.info("-")
        #expect(provider.messages == ["1", "2", "3", "4", "5"])
    }

    @Test func aTasksLevelDoesNotReachOtherTasks() async {
        let provider = RecordingProvider(), service = LogService(), gate = Gate()
        service.register(provider, from: .warning)
        let other = Task.detached {
            gate.wait()
            service.debug("-")
        }
        LogService.withLevel(.debug) {
            #expect(service.isEnabled(.debug))
            service.debug("1")
            gate.open()
        }
        await other.value
        #expect(provider.messages == ["1"])
    }

    @Test func aTaskThatOutlivesTheScopeKeepsTheLevel() async {
        let provider = RecordingProvider(), service = LogService(), gate = Gate()
        service.register(provider, from: .warning)
        let task = LogService.withLevel(.debug) {
            Task {
                await Task.detached { gate.wait() }.value
                service.debug("heard")
            }
        }
        gate.open()
        await task.value
        #expect(provider.messages == ["heard"])
    }

    @Test func aServiceThatAppearsInsideAScopeHeedsIt() {
        let provider = RecordingProvider()
        LogService.withLevel(.debug) {
            let service = LogService()
            service.register(provider, from: .error)
            service.debug("heard")
        }
        #expect(provider.messages == ["heard"])
    }

    // MARK: Exactness

    @Test func levelsFiltersAndRaisesChangeUnderLoadAndEveryEventIsAccountedFor() async {
        let service = LogService(), steady = RecordingProvider(), changing = RecordingProvider()
        let first = service.register(steady)
        let second = service.register(changing, from: .info)
        let queued = service.register(
            RecordingProvider(), levels: ["net": .error], delivery: .queued(QueuePolicy(overflow: .block(upTo: .seconds(30)))))
        await withTaskGroup { group in
            for worker in 0..<6 {
                group.addTask {
                    let net = service.category("net.\(worker)")
                    for number in 0..<2_000 {
                        service.info("\(number)")
                        net.debug("\(number)")
                    }
                }
            }
            group.addTask {
                for round in 0..<300 {
                    second.level = round.isMultiple(of: 2) ? .error : .debug
                    second.filter = round.isMultiple(of: 3) ? .category("net") : .everything
                    queued.levels["net"] = round.isMultiple(of: 2) ? .off : .debug
                    let raise = service.raise(to: .debug, for: "net", during: .minutes(1))
                    LogService.withLevel(.verbose) { service.verbose("once a round") }
                    if round.isMultiple(of: 5) { raise.cancel() }
                    await Task.yield()
                }
            }
        }
        #expect(service.flush(by: .seconds(30)).isComplete)
        let stamped = service.health().latestSequence
        #expect(stamped == 6 * 4_000 + 300)
        #expect(first.ledger == LogLedger(submitted: stamped, delivered: stamped) && first.unheard.total == 0)
        for registration in [second, queued] {
            let ledger = registration.ledger
            #expect(ledger.submitted + registration.unheard.total == stamped)
            #expect(ledger.delivered == ledger.submitted)
        }
        #expect(UInt64(changing.events.count) == second.ledger.delivered)
    }
}
