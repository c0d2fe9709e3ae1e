#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
@testable import LogbookCore
import LogbookTestKit
import Testing

@Suite struct LogConfigurationTests {
    final class Closing: LogProvider {
        let inner = RecordingProvider(), isClosed = Locked(false)
        func log(_ event: LogEvent) { inner.log(event) }
        func flush(by deadline: LogDeadline) throws {}
        func shutdown(by deadline: LogDeadline) throws { isClosed.withLock { $0 = true } }
        var closed: Bool { isClosed.withLock { $0 } }
    }

    @Test func whoHasAQueueOfHisOwnIsFedAtOnceUnlessTheListenerSaysOtherwise() throws {
        struct Nowhere: BatchSink { func write(_ batch: [LogEvent]) {} }
        let configuration = LogConfiguration(.production) {
            LogListener(BatchingProvider(Nowhere()), name: "own queue")
            LogListener(BatchingProvider(Nowhere()), name: "own queue and level", from: .error)
            LogListener(BatchingProvider(Nowhere()), name: "two queues", delivery: .queued())
            LogListener(RecordingProvider(), name: "plain")
            LogListener(name: "unknown", make: { RecordingProvider() })
        }
        let deliveries = configuration.listeners.map { configuration.delivery(of: $0) }
        #expect(deliveries == [.immediate, .immediate, .queued(), LogPreset.production.delivery, LogPreset.production.delivery])
        #expect(deliveries[3] != .immediate)
    }

    @Test("a wrapper is fed as what it stands in front of, and kept as such")
    func aWrapperIsFedAsWhatIsBehindIt() throws {
        struct Nowhere: BatchSink { func write(_ batch: [LogEvent]) {} }
        let service = LogService(), configuration = LogConfiguration(.production) {
            LogListener(FoldingRepeats(BatchingProvider(Nowhere())), name: "own queue")
            LogListener(FoldingRepeats(FoldingRepeats(RecordingProvider())), name: "plain")
            LogListener(name: "unknown", make: { FoldingRepeats(BatchingProvider(Nowhere())) })
            LogListener(FoldingRepeats(BatchingProvider(Nowhere())), name: "said", delivery: .queued())
        }
        let registrations = try service.apply(configuration)
        #expect(registrations.map(\.delivery) == [.immediate, LogPreset.production.delivery, .immediate, .queued()])
        let again = try service.apply(configuration)
        #expect(zip(registrations, again).allSatisfy { $0 === $1 })
    }

    @Test func itIsComposedOfListenersLevelsAndOtherConfigurations() throws {
        let audit = LogConfiguration {
            LogListener(RecordingProvider(), name: "audit", where: .category("payment"))
            LevelChanges(["payment": .verbose])
        }
        let isVerbose = false
        let configuration = LogConfiguration(.staging) {
            LogListener(RecordingProvider(), name: "console", from: .warning, delivery: .immediate)
            LogListener(RecordingProvider(), name: "file", levels: LevelRules(.info, ["net": .debug]))
            if isVerbose { LogListener(RecordingProvider(), name: "more") } else { LevelChanges(["Chatty": .off]) }
            for name in ["a", "b"] { LogListener(RecordingProvider(), name: name, from: .critical, isFixed: true) }
            audit
        }
        #expect(
            configuration.description == """
                staging, private values masked, with 29 key rules and 7 detectors
                console: warning,Chatty=off,payment=verbose, at once
                file: info,net=debug,Chatty=off,payment=verbose, through a queue of 8192
                a: critical (fixed), through a queue of 8192
                b: critical (fixed), through a queue of 8192
                audit: debug,Chatty=off,payment=verbose, through a queue of 8192, where category payment
                """)
        #expect(LogConfiguration {}.description == "production, private values masked, with 29 key rules and 7 detectors\nnobody listens")
    }

    @Test(arguments: [
        (nil, LogEnvironment.production, "production, private values masked, with 29 key rules and 7 detectors\np: info, through a queue of 8192"),
        ("", .development, "development, private values revealed\np: verbose, at once"),
        ("STAGING", .production, "staging, private values masked, with 29 key rules and 7 detectors\np: debug, through a queue of 8192"),
    ] as [(String?, LogEnvironment, String)])
    func theEnvironmentChoosesThePreset(variable: String?, fallback: LogEnvironment, description: String) throws {
        let configuration = try LogConfiguration.current(
            default: fallback, variables: { $0 == "LOGBOOK_ENVIRONMENT" ? variable : nil }
        ) { environment in
            if environment == configuredEnvironment(variable, fallback) { LogListener(RecordingProvider(), name: "p") }
        }
        #expect(configuration.description == description)
    }

    func configuredEnvironment(_ variable: String?, _ fallback: LogEnvironment) -> LogEnvironment {
        variable.flatMap { LogEnvironment(rawValue: $0.lowercased()) } ?? fallback
    }

    @Test func theLevelVariableDecidesOverAllLevelsThatAreNotFixed() throws {
        let configuration = try LogConfiguration.current(
            default: .production, variables: { $0 == "LOGBOOK_LEVEL" ? "notice,net=debug" : nil }
        ) { _ in
            LogListener(RecordingProvider(), name: "file", levels: LevelRules(.info, ["net": .error, "db": .debug]))
            LogListener(RecordingProvider(), name: "pager", from: .critical, isFixed: true)
            LevelChanges(.verbose)
        }
        #expect(
            configuration.description == """
                production, private values masked, with 29 key rules and 7 detectors, LOGBOOK_LEVEL=notice,net=debug
                file: notice,db=debug,net=debug, through a queue of 8192
                pager: critical (fixed), through a queue of 8192
                """)
    }

    @Test(arguments: [
        ("LOGBOOK_LEVEL", "info,net=loud", #"LOGBOOK_LEVEL is "info,net=loud": "loud" is not a level; expected one of verbose, debug, info, notice, warning, error, critical, off"#),
        ("LOGBOOK_LEVEL", "debug;net", #"LOGBOOK_LEVEL is "debug;net": "debug;net" is not a level; expected one of verbose, debug, info, notice, warning, error, critical, off"#),
        ("LOGBOOK_ENVIRONMENT", "prod", #"LOGBOOK_ENVIRONMENT is "prod"; it must be development, staging or production, or not be set"#),
    ])
    func invalidVariablesAreReportedWithWhatWasExpected(name: String, value: String, description: String) {
        do {
            _ = try LogConfiguration.current(default: .production, variables: { $0 == name ? value : nil }) { _ in }
            Issue.record("\(value) was taken")
        } catch {
            #expect(String(describing: error) == description)
        }
    }

    @Test func theVariablesOfTheProcessAreRead() async {
        await #expect(processExitsWith: .success) {
            setenv("LOGBOOK_ENVIRONMENT", "development", 1)
            setenv("LOGBOOK_LEVEL", "warning", 1)
            let configuration = try LogConfiguration.current { _ in LogListener(RecordingProvider(), name: "p") }
            precondition(
                configuration.description
                    == "development, private values revealed, LOGBOOK_LEVEL=warning\np: warning, at once")
        }
    }

    @Test func anAppliedConfigurationIsInForce() throws {
        let service = LogService(), provider = RecordingProvider(), byHand = RecordingProvider()
        service.register(byHand, from: .error, name: "by hand")
        let registrations = try service.apply(
            LogConfiguration(.development) {
                LogListener(provider, name: "p", from: .info, where: !.text(containing: "ping"))
            })
        service.info("\("north", privacy: .private)")
        service.info("ping")
        service.debug("-")
        #expect(provider.messages == ["north"])
        #expect(service.registrations.map(\.name) == ["by hand", "p"] && registrations.map(\.name) == ["p"])
        try service.apply(LogConfiguration(.production) {})
        service.error("\("north", privacy: .private)")
        #expect(provider.messages == ["north"] && byHand.messages == ["<private>"])
        #expect(service.registrations.map(\.name) == ["by hand"])
    }

    @Test func anotherConfigurationChangesWhatStaysAndClosesWhatGoes() throws {
        let service = LogService(), staying = Closing(), going = Closing(), coming = Closing(), made = Locked(0)
        func configuration(_ level: LogLevel, _ second: Closing, named name: String) -> LogConfiguration {
            LogConfiguration(.development) {
                LogListener(name: "staying", levels: LevelRules(LogThreshold(level))) {
                    made.withLock { $0 += 1 }
                    return staying
                }
                LogListener(second, name: name)
            }
        }
        let first = try service.apply(configuration(.info, going, named: "going"))
        service.info("1")
        let second = try service.apply(configuration(.error, coming, named: "coming"))
        service.info("2")
        service.error("3")
        #expect(first[0] === second[0] && made.withLock { $0 } == 1)
        #expect(staying.inner.messages == ["1", "3"] && going.inner.messages == ["1"] && coming.inner.messages == ["2", "3"])
        #expect(!staying.closed && going.closed && !coming.closed)
        #expect(second[0].ledger == LogLedger(submitted: 2, delivered: 2))

        second[0].unregister()
        let third = try service.apply(configuration(.verbose, coming, named: "coming"))
        #expect(third[0] !== second[0] && third[1] === second[1] && made.withLock { $0 } == 2)
    }

    @Test func whatWasShutDownMakesRoomForTheNextConfiguration() throws {
        let service = LogService()
        for round in 0..<3 {
            let console = Closing()
            let registrations = try service.apply(LogConfiguration(.development) { LogListener(console, name: "console") })
            service.info("\(round)")
            #expect(service.registrations.count == 1 && service.registrations[0] === registrations[0])
            #expect(service.health().providers.map(\.ledger) == [LogLedger(submitted: 1, delivered: 1)])
            #expect(service.shutdown(by: .seconds(30)).isComplete)
            #expect(console.closed && console.inner.messages == ["\(round)"])
        }
    }

    @Test func whenAProviderCannotBeMadeEverythingStaysAsItWas() throws {
        let service = LogService(), first = Closing(), second = Closing()
        try service.apply(LogConfiguration(.development) { LogListener(first, name: "first") })
        @Sendable func failing() throws -> Closing { throw ScriptedFailure("no disk") }
        #expect(throws: ScriptedFailure("no disk")) {
            try service.apply(
                LogConfiguration {
                    LogListener(second, name: "second")
                    LogListener(try failing(), name: "third")
                })
        }
        #expect(throws: LogConfigurationError.nameTakenTwice("Closing")) {
            try service.apply(LogConfiguration { LogListener(first); LogListener(second) })
        }
        service.verbose("still")
        #expect(first.inner.messages == ["still"] && !first.closed && second.closed)
        #expect(service.registrations.map(\.name) == ["first"] && service.registrations[0].privacy == .revealed)
    }

    @Test("a provider that another listener has as well goes on", arguments: ["another name", "another delivery", "a wrapper", "by hand"])
    func aProviderThatGoesOnIsNotClosed(_ change: String) throws {
        let service = LogService(), provider = Closing(), queued = LogDelivery.queued()
        func configuration(_ preset: LogPreset, _ listener: LogListener) -> LogConfiguration { LogConfiguration(preset) { listener } }
        try service.apply(configuration(.development, LogListener(provider, name: "p", delivery: queued)))
        service.info("1")
        switch change {
        case "another name": try service.apply(configuration(.development, LogListener(provider, name: "q")))
        case "another delivery": try service.apply(configuration(.development, LogListener(provider, name: "p")))
        case "a wrapper": try service.apply(configuration(.development, LogListener(FoldingRepeats(provider), name: "q")))
        default:
            service.register(provider)
            try service.apply(LogConfiguration(.development) {})
        }
        service.info("2")
        #expect(provider.inner.messages.suffix(1) == ["2"] && !provider.closed)
        // Neither is it when the old queue comes to its end, nor when another configuration cannot be made.
        @Sendable func failing() throws -> Closing { throw ScriptedFailure("no disk") }
        for delivery in [queued, .immediate] {
            #expect(throws: ScriptedFailure("no disk")) {
                try service.apply(
                    LogConfiguration {
                        LogListener(provider, name: "r", delivery: delivery)
                        LogListener(try failing(), name: "s")
                    })
            }
        }
        service.info("3")
        #expect(provider.inner.messages.suffix(2) == ["2", "3"] && !provider.closed)
        #expect(service.registrations.map(\.ledger) == [LogLedger(submitted: 2, delivered: 2)])
        try service.apply(LogConfiguration {})
        #expect(provider.closed == (change != "by hand"))
    }

    @Test func whatTheProgramHasSetItselfStays() throws {
        let service = LogService(), byHand = RecordingProvider(), listener = RecordingProvider()
        service.register(byHand, name: "by hand")
        service.privacyRules.keys.append("iban")
        func say() { service.info("\("jane", privacy: .private)", metadata: ["iban": "DE89", "password": "tulip"]) }
        try service.apply(LogConfiguration(.development) { LogListener(listener, name: "p") })
        say()
        #expect(service.privacy == .masked && byHand.messages == ["<private>"] && listener.messages == ["jane"])
        #expect(byHand.events[0].metadata == ["iban": "<private>", "password": "tulip"])
        try service.apply(LogConfiguration(.production) { LogListener(listener, name: "p", delivery: .immediate) })
        say()
        #expect(listener.messages == ["jane", "<private>"])
        #expect(listener.events[1].metadata == ["iban": "<private>", "password": "<private>"])
        // A configuration's own rules go with it; what is set afterwards counts as it is.
        try service.apply(LogConfiguration(.development) {})
        #expect(service.privacyRules == PrivacyRules(keys: ["iban"]))
        service.privacyRules = .none
        try service.apply(LogConfiguration(.production) {})
        #expect(service.privacyRules == .standard)
    }

    @Test(.timeLimit(.minutes(10))) func aProviderThatDoesNotComeBackHoldsUpNoConfiguration() throws {
        let service = LogService(), hanging = BlockingProvider()
        defer { hanging.gate.open() }
        try service.apply(LogConfiguration(.development) { LogListener(hanging, name: "hanging") })
        try service.apply(LogConfiguration(.development) {}, by: .milliseconds(50))
        #expect(service.registrations.isEmpty)
        #expect(hanging.gate.waitForArrivals(1))   // it was asked
    }

    @Test func aCallerThatIsHeldUpHoldsUpAConfigurationNoLongerThanItsDeadline() throws {
        let service = LogService()
        try service.apply(LogConfiguration(.development) { LogListener(BatchingProvider(FailingSink { _ in nil }), name: "leaves") })
        // Somebody is about to say something, and stays behind.
        let distributor = try #require(service.distributor)
        _ = try #require(distributor.ring.reserve(bytes: 64))
        let isApplied = Locked(false)
        LogThread.start("applies") {
            _ = try? service.apply(LogConfiguration(.development) {}, by: .milliseconds(50))
            isApplied.withLock { $0 = true }
        }
        #expect(becomesTrue(by: .seconds(8)) { isApplied.withLock { $0 } })
        #expect(service.registrations.isEmpty)
    }

    @Test func whoMayNotSeePrivateValuesSeesNoneWhileConfigurationsChange() throws {
        /// Counts what it was shown in the clear.
        final class Masked: LogProvider {
            let leaks = Locked(0)
            func log(_ event: LogEvent) { if event.message != "<private>" { leaks.withLock { $0 += 1 } } }
            func flush(by deadline: LogDeadline) throws {}
        }
        let service = LogService(), masked = Masked(), isDone = Locked(false)
        // Masked by the preset, and by its own word where the preset shows everything.
        var preset = LogPreset.development
        preset.privacy = .masked
        let masking = LogConfiguration(preset) { LogListener(masked, name: "p") }
        let revealing = LogConfiguration(.development) { LogListener(masked, name: "p", privacy: .masked) }
        let registration = try service.apply(masking)[0]
        defer { isDone.withLock { $0 = true } }
        for _ in 0..<2 {
            LogThread.start("says") { while !isDone.withLock({ $0 }) { service.info("\("jane", privacy: .private)") } }
        }
        #expect(becomesTrue { registration.ledger.submitted > 0 })
        for _ in 0..<2_000 {
            try service.apply(revealing)
            try service.apply(masking)
        }
        #expect(masked.leaks.withLock { $0 } == 0)
        #expect(service.registrations.map { $0 === registration } == [true])
    }

    @Test func configurationsChangeUnderLoadWithoutAGap() async throws {
        let service = LogService(), steady = RecordingProvider()
        let loud = LogConfiguration(.development) { LogListener(steady, name: "p") }
        let filtered = LogConfiguration(.development) {
            LogListener(steady, name: "p", levels: ["LogbookCoreTests": .error])
            LogListener(RecordingProvider(), name: "q")
        }
        let registration = try service.apply(loud)[0]
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 { group.addTask { for number in 0..<2_000 { service.info("\(number)") } } }
            group.addTask {
                for round in 0..<100 {
                    try service.apply(round.isMultiple(of: 2) ? filtered : loud)
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
        #expect(service.health().latestSequence == 8_000)
        #expect(registration.ledger.submitted + registration.unheard.total == 8_000)
        #expect(UInt64(steady.events.count) == registration.ledger.delivered)
    }
}
