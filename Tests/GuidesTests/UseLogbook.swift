import Foundation
import Logbook
import LogbookFlightRecorder
import LogbookTestKit
import Testing

// The code of Plugins-Docs/UseLogbook.md, to the letter, but for transactions: GuideBlocksTests compares the two.

struct PaymentRefused: LogDescribableError {
    let customer: String
    var logDescription: LogMessage { "payment refused for \(customer, privacy: .private)" }
}

private struct Pager: LogProvider {
    func log(_ event: LogEvent) {}
    func flush(by deadline: LogDeadline) {}
}

private func waitForTheEnd() -> Never { while true { pause() } }

@Suite struct UseLogbookTests {
    static func page() throws -> String {
        try String(contentsOf: GuideBlocksTests.root.appendingPathComponent("Plugins-Docs/UseLogbook.md"), encoding: .utf8)
    }

    /// What the page shows in each format.
    private let event = LogEvent(
        sequence: 7, time: LogTime(nanoseconds: 1_795_253_360_123_456_789), level: .warning, message: "payment took 812 ms",
        metadata: ["gateway": "north", "attempt": 2], thread: 4711,
        source: LogSource(fileNamed: "Checkout/Cart.swift", functionNamed: "pay()", line: 12))

    @Test func thePageShowsTheLinesOfEachFormat() throws {
        let zone = LogTimeZone.fixed(seconds: 3600), date = try DatePattern("yyyy-MM-dd HH:mm:ssSSS", zone: zone)
        let formats: [(String, any LogFormat)] = [
            (".text ", TextFormat.standard(zone: zone)), (".article ", TextFormat.article(date: date)), (".jsonLines ", JSONLineFormat()),
            (".logfmt ", LogfmtFormat()), (".ecs ", ECSFormat()),
        ]
        let lines = try Self.page().components(separatedBy: "\n")
        for (name, format) in formats {
            let line = try #require(lines.first { $0.hasPrefix(name) })
            let shown = line.dropFirst(name.count).trimmingCharacters(in: .whitespaces)
            let written = format.string(for: event).replacingOccurrences(of: "\t", with: "⇥")
            let isWritten = shown.hasSuffix("…") ? written.hasPrefix(String(shown.dropLast())) : written == shown + "\n"
            #expect(isWritten, "\(written)")
        }
    }

    @Test func aLogIsReadBackInWhateverFormat() throws {
        let service = LogService(), home = TemporaryFolder(), folder = home.path
        service.register(ConsoleLogProvider(format: .article))
        service.register(try FileLogProvider(in: folder, name: "shop", format: .jsonLines), from: .info, delivery: .queued())
        service.register(try FileLogProvider(in: folder, name: "elastic", format: ECSFormat(service: "shop")), from: .error)
        service.info("paid")
        service.error("refused", metadata: ["gateway": "north"])
        #expect(service.flush(by: .seconds(30)).isComplete)
        var failures: [LogEvent] = []
        let reader = try LogFileReader(in: folder, name: "shop")
        try reader.forEachEvent { event in if event.level >= .error { failures.append(event) } }
        #expect(failures.map(\.message) == ["refused"] && failures[0].metadata == ["gateway": "north"])
        #expect(home.text("elastic.log").contains(#""service":{"name":"shop"}"#))
    }

    @Test func aLineOfOnesOwn() throws {
        let service = LogService(), home = TemporaryFolder(), folder = home.path
        let date = try DatePattern("dd.MM.yyyy HH:mm:ss.SSS", zone: .utc)
        let layout = try TextFormat.layout("\(.time(date)) \(.level(padded: true)) \(.fileName):\(.line) \(.message)\(.facts)")
        service.register(try FileLogProvider(in: folder, name: "plain", format: layout))
        // 21.11.2026 09:29:20.123 warning  Cart.swift:12 payment took 812 ms⇥gateway=north attempt=2
        let written = layout.string(for: event)
        #expect(written == "21.11.2026 09:29:20.123 warning  Cart.swift:12 payment took 812 ms\tgateway=north attempt=2\n")
        service.notice("read back")
        var messages: [String] = []
        try LogFileReader(in: folder, name: "plain").forEachEvent(reading: LogLineReader(text: layout)) { messages.append($0.message) }
        #expect(messages == ["read back"] && home.names == ["plain.log"])
    }

    @Test func aFileForEachDay() throws {
        let service = LogService(), home = TemporaryFolder(), folder = home.path
        let daily = RollingPolicy(boundary: .daily(), maximumArchives: 0, maximumAge: .seconds(14 * 86_400))
        service.register(try FileLogProvider(in: folder, name: "daily", rolling: daily), from: .info, delivery: .queued())
        // Seven that are closed by hand, more than stay unless a policy says otherwise.
        let closed = try FileLogProvider(in: folder, name: "closed", rolling: daily)
        service.register(closed)
        for day in 1...7 {
            service.info("day \(day)")
            try closed.roll()
        }
        #expect(service.flush(by: .seconds(30)).isComplete)
        var messages: [String] = []
        try LogFileReader(in: folder, name: "closed").forEachEvent { messages.append($0.message) }
        #expect(messages == (1...7).map { "day \($0)" } && home.text("daily.log").contains("day 7"))
    }

    @Test func theConsoleSplitsAndColours() async throws {
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            unsetenv("NO_COLOR")
            setenv("FORCE_COLOR", "1", 1)
            let service = LogService()
            service.register(ConsoleLogProvider(splitsErrors: true))     // errors and critical events on standard error
            service.warning("a door is open")
            service.error("a door is broken")
        }
        let output = String(decoding: result.standardOutputContent, as: UTF8.self)
        let errors = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(output.contains("\u{1B}[33m") && output.contains("a door is open") && !output.contains("a door is broken"))
        #expect(errors.contains("\u{1B}[31m") && errors.contains("a door is broken"))
    }

    @Test func levelsAreByModuleAndForAWhile() throws {
        let service = LogService(), file = RecordingProvider(), phone = RecordingProvider()
        let levels = LevelRules(.info, ["net": .debug, "net.http": .verbose, "Chatty*": .off])
        let registration = service.register(file, levels: levels, name: "file")
        registration.changeLevels { $0["db"] = .debug }              // later, from any thread
        let pager = service.register(phone, from: .critical, name: "pager")
        pager.isFixed = true                                         // no raise, no level of a task and no LOGBOOK_LEVEL wakes anybody
        #expect(registration.levels.description == "info,db=debug,net=debug,Chatty*=off,net.http=verbose")

        let raise = service.raise(to: .debug, for: "checkout", during: .minutes(10))
        service.category("checkout").debug("heard for ten minutes")
        raise.cancel()                                               // or sooner
        LogService.withLevel(.verbose) { service.verbose("one request, followed closely") }
        service.category("checkout").debug("heard no more")
        #expect(file.messages == ["heard for ten minutes", "one request, followed closely"] && phone.messages.isEmpty)

        let why = service.explain(.debug, metadata: ["category": "net.http"])
        #expect(why.description == "file: written, rule net.http=verbose\npager: not written, level critical")
        #expect(try Self.page().contains("```text\n\(why)\n```"))
    }

    @Test func wrappersMakeLessNoise() {
        let service = LogService(), file = RecordingProvider(), mail = RecordingProvider()
        let trace = RecordingProvider(), audit = RecordingProvider()
        service.register(FoldingRepeats(file), from: .info)
        service.register(RateLimiting(mail, to: RateLimit(10, per: .minutes(1))), from: .warning)
        service.register(Sampling(trace, SamplingPolicy(first: 5, every: 100, window: .minutes(1))), from: .debug)
        service.register(RecentEvents(audit, RecentEventsPolicy(passing: .warning)), from: .debug)
        let disks = (1...12).map { "disk \($0)" }
        for disk in disks { service.warning(disk) }
        for _ in 1...3 { service.info("again") }
        service.debug("detail")
        service.error("broken")
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(file.messages == disks + ["again", "last message repeated 2 times: again", "broken"])
        #expect(mail.messages == Array(disks.prefix(10)) + ["broken", "2 more like this suppressed (10 in 60.0 seconds pass): disk 12"])
        #expect(trace.messages == Array(disks.prefix(5)) + ["again", "again", "again", "detail", "broken"])
        #expect(audit.messages == disks + ["again", "again", "again", "detail", "broken"])
        #expect(service.registrations[1].suppression == LogSuppression(heldBack: 2, reports: 1))
    }

    @Test func aTaskCarriesMetadata() async {
        let service = LogService(), heard = RecordingProvider(), id = "7"
        @Sendable func answer() async { service.info("answered") }
        service.register(heard)
        await LogService.with(["request": .string(id)]) {
            await LogService.with(["step": "pay"]) { await answer() }     // everything inside says request and step
        }
        #expect(heard.events.map(\.metadata) == [["request": "7", "step": "pay"]])
    }

    @Test func privateValuesAreForSomeReaders() {
        let service = LogService(), file = RecordingProvider(), desk = RecordingProvider(), name = "jane"
        service.register(file)
        let own = service.register(desk)
        own.privacy = .revealed                                      // this one alone
        service.changePrivacyRules { rules in
            rules = .standard                                        // passwords, tokens, keys, card numbers, …
            rules.keys.append("iban")
            rules.exemptKeys.insert("token_count")
        }
        service.info("\(name, privacy: .private) has paid", metadata: ["iban": "DE02 1203", "answer": .secret("1234"), "token_count": 3])
        service.error("checkout failed", error: PaymentRefused(customer: name))
        #expect(file.messages[0] == "<private> has paid" && desk.messages[0] == "jane has paid")
        #expect(file.events[0].metadata == ["iban": "<private>", "answer": "<secret>", "token_count": 3])
        #expect(desk.events[0].metadata == ["iban": "DE02 1203", "answer": "<secret>", "token_count": 3])
        #expect(file.events[1].error?.description == "payment refused for <private>")
        #expect(desk.events[1].error?.description == "payment refused for jane")
    }

    @Test func aConfigurationSaysWhatIsInForce() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            unsetenv("LOGBOOK_ENVIRONMENT")
            setenv("LOGBOOK_LEVEL", "db=debug", 1)
            let service = LogService(), home = TemporaryFolder(), folder = home("logs")
            let configuration = try LogConfiguration.current { environment in
                LogListener(ConsoleLogProvider(), name: "console", from: .warning, delivery: .immediate)
                LogListener(try FileLogProvider(in: folder), name: "file", levels: LevelRules(.info, ["net": .debug]))
                if environment == .production { LogListener(Pager(), name: "pager", from: .critical, isFixed: true) }
                LevelChanges(["Chatty": .off])
            }
            try service.apply(configuration)
            print(configuration)
            service.category("db").debug("for the file alone")
            #expect(service.shutdown(by: .seconds(30)).isComplete)
            #expect(home.text("logs/app.log").contains("for the file alone"))
        }
        let shown = try Self.page().components(separatedBy: "print(configuration)\n```\n\n```text\n")[1].components(separatedBy: "```")[0]
        #expect(shown.hasPrefix("production, "))
        #expect(String(decoding: result.standardOutputContent, as: UTF8.self).contains(shown))
    }

    @Test func aSignalFlushesFirst() async throws {
        let result = try await #require(processExitsWith: .signal(SIGTERM), observing: [\.standardOutputContent]) {
            LogService.exitFlushLimit = .seconds(5)                      // for all together; 2 s unless set, 0 for not at all
            try LogService.flushOnSignals()                              // SIGTERM and Ctrl-C flush first, as long, and then end it as ever
            LogService.shared.register(ConsoleLogProvider(), delivery: .queued(QueuePolicy(linger: .seconds(3600))))
            LogService.info("it was in the queue")
            kill(getpid(), SIGTERM)
            waitForTheEnd()
        }
        #expect(String(decoding: result.standardOutputContent, as: UTF8.self).contains("it was in the queue"))
    }

    @Test func aShutdownSaysWhatIsNotSafe() {
        let service = LogService(), heard = RecordingProvider(), registration = service.register(heard)
        service.info("in time")
        let report = service.shutdown(by: .seconds(5))
        if !report.isComplete { print("not safe: \(report)") }
        service.info("late")
        #expect(report.isComplete && heard.messages == ["in time"])
        #expect(registration.ledger == LogLedger(submitted: 2, delivered: 1, dropped: [.alreadyShutDown: 1]))
    }

    @Test func aForkedChildRegistersItsOwn() async {
        await #expect(processExitsWith: .success) {
            let service = LogService(), parents = RecordingProvider(), own = RecordingProvider()
            service.register(parents)
            service.info("in the parent")
            let status = forked {
                service.reinitializeAfterFork()
                service.register(own)
                service.info("in the child")
                return own.messages == ["in the child"] && parents.messages == ["in the parent"]
            }
            #expect(status == 0)
        }
    }

    /// A run that says something and ends badly.
    private static func run(recordingIn path: String) throws {
        let service = LogService()
        service.register(try FlightRecorder(path: path), from: .verbose)
        service.debug("the last step")
    }

    @Test func theNextStartTellsWhatWasSaidLast() async {
        await #expect(processExitsWith: .success) {
            let service = LogService(), home = TemporaryFolder(), folder = home.path
            try UseLogbookTests.run(recordingIn: folder + "/shop.flight")
            let file = service.register(try FileLogProvider(in: folder), from: .warning)
            if let crash = try service.recordCrashes(in: folder + "/crash") { service.critical("the last run crashed: \(crash)") }
            let recorder = try FlightRecorder(path: folder + "/shop.flight")
            recorder.handOver(to: service, only: [file])                 // what the last run said before it ended badly
            service.register(recorder, from: .verbose)                   // hears what the others are spared; never through a queue
            service.verbose("a step of this run")
            #expect(try FlightRecorder.recover(folder + "/shop.flight").map(\.message) == ["a step of this run"])
            let text = home.text("app.log")
            #expect(text.contains("the last step") && !text.contains("a step of this run"))
        }
    }

    @Test func theNextStartTellsHowMuchWasLost() async {
        await #expect(processExitsWith: .success) {
            let service = LogService(), home = TemporaryFolder(inMemory: true), run = home.path
            let last = LogService(), sink = GatedSink()
            last.register(sink: sink, name: "orders")
            try last.recordLosses(in: run + "/losses of the last run")
            last.info("held")
            #expect(sink.gate.waitForArrivals(1))
            home.write(home.bytes("losses of the last run"), to: "losses")
            sink.gate.open()
            let heard = RecordingProvider()
            service.register(heard)
            for loss in try service.recordLosses(in: run + "/losses") { print(loss) }      // 12 to 40 events did not reach orders …
            #expect(heard.events.map(\.category) == [LogService.lossCategory])
        }
    }
}
