import Logbook
import LogbookRemote
import LogbookTestKit
import Testing

// The code of README.md, to the letter: GuideBlocksTests compares the two.

func registerProviders(to service: LogService, folder: String, collector: String, token: Secret) throws {
    let environment = try LogEnvironment.current(default: .production)      // LOGBOOK_ENVIRONMENT
    if environment != .development { service.privacyRules = .standard }     // finds passwords, tokens, cards that nobody marked
    switch environment {
    case .development:
        service.register(ConsoleLogProvider(), from: .verbose)
    case .staging:
        service.register(ConsoleLogProvider(), from: .info)
        service.register(try FileLogProvider(in: folder, format: .jsonLines), from: .debug, delivery: .queued())
    case .production:
        service.register(ConsoleLogProvider(), from: .error)
        service.register(try FileLogProvider(in: folder), from: .info, delivery: .queued())
        service.register(
            try RemoteLogProvider(to: .collector(url: collector, token: token), spool: folder + "/spool"), from: .warning)
    }
}

@Suite struct ReadmeTests {
    @Test func theStartPrintsOneLine() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let port = 8080
            LogService.register(provider: ConsoleLogProvider())
            LogService.info("listening on port \(port)", metadata: ["environment": "staging"])
        }
        let text = String(decoding: result.standardOutputContent, as: UTF8.self)
        #expect(text.contains("listening on port 8080\tenvironment=staging\n"))
    }

    @Test func anEnvironmentRegistersItsProviders() throws {
        let service = LogService(), folder = TemporaryFolder()
        try registerProviders(to: service, folder: folder("logs"), collector: "http://127.0.0.1:1", token: "secret")
        #expect(service.registrations.map(\.name) == ["ConsoleLogProvider", "FileLogProvider", "RemoteLogProvider"])
        service.info("for the file alone, token=abcdef0123456789")
        #expect(service.shutdown(by: .seconds(30)).isComplete)
        #expect(service.health().providers.map(\.ledger.delivered) == [0, 1, 0])
        #expect(folder.text("logs/app.log").contains("for the file alone, token=<private>"))
    }

    @Test func everyRegistrationHearsItsOwn() {
        let service = LogService(), file = RecordingProvider(), audit = RecordingProvider()
        service.register(file, levels: LevelRules(.info, ["net": .debug, "Chatty": .off]))       // "net" covers "net.http"
        service.register(audit, where: .category("payment") && !.text(containing: "heartbeat"))
        service.raise(to: .debug, for: "db", during: .minutes(10))                               // more detail, and then no more
        for name in ["payment", "db", "Chatty", "other"] {
            service.category(name).info("heartbeat")
            service.category(name).debug("detail of \(name)")
        }
        #expect(file.messages == ["heartbeat", "heartbeat", "detail of db", "heartbeat"])
        #expect(audit.messages == ["detail of payment"])
    }

    @Test func whatIsSaidHasACategoryMetadataAndAnError() async throws {
        let service = LogService(), heard = RecordingProvider(), method = "GET", path = "/carts", id = "7"
        func answer() async throws { service.info("answered") }
        func pay() throws { throw ScriptedFailure() }
        service.register(heard)
        let http = service.category("net.http")
        http.debug("\(method) \(path)")
        try await LogService.with(["request": .string(id)]) { try await answer() }               // everything inside says the request
        do { try pay() } catch { service.error("could not pay", error: error) }
        #expect(heard.messages == ["GET /carts", "answered", "could not pay"])
        #expect(heard.events[0].category == "net.http" && heard.events[1].metadata["request"] == "7")
        #expect(heard.events[2].error?.description == "as the script says")
    }

    @Test func theWholeLogIsAValue() throws {
        let service = LogService(), home = TemporaryFolder(), folder = home("logs")
        try service.apply(
            LogConfiguration.current { environment in
                LogListener(ConsoleLogProvider(), name: "console")
                if environment != .development { LogListener(try FileLogProvider(in: folder), name: "file") }
            })
        #expect(service.registrations.map(\.name) == ["console", "file"])
        #expect(service.privacyRules == .standard && !service.explain(.debug).isWritten)
        #expect(service.shutdown(by: .seconds(30)).isComplete)
        #expect(home.names(in: "logs").contains("app.log"))
    }

    @Test func aTransactionIsSaidInFourLines() {
        let service = LogService(), recorder = RecordingProvider(interest: .transactionEntries)
        service.register(recorder)
        let login = service.transaction(usecase: 1)
        login.log(0)                                            // the form is shown
        login.log(2)                                            // and submitted
        login.log(7, error: 401, "name or password are wrong")  // and answered
        #expect(recorder.events.compactMap { $0.transaction?.event } == [0, 2, 7])
    }
}
