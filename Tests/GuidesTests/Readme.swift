import Logbook
import LogbookRemote
import LogbookTestKit
import Testing

// The code of README.md, to the letter: GuideBlocksTests compares the two.

func registerProviders(to service: LogService, folder: String, collector: String, token: Secret) throws {
    switch try LogEnvironment.current(default: .production) {      // LOGBOOK_ENVIRONMENT
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
        service.info("for the file alone")
        #expect(service.shutdown(by: .seconds(30)).isComplete)
        #expect(service.health().providers.map(\.ledger.delivered) == [0, 1, 0])
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
