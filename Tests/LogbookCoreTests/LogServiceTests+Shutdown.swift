import LogbookTestKit
import Testing

@testable import LogbookCore

// What a shutdown says.
extension LogServiceTests {
    /// Its shutdown takes until a gate opens, and may fail.
    private final class Closing: LogProvider {
        let gate = Gate(), failure: ScriptedFailure?
        init(_ failure: ScriptedFailure? = nil) { self.failure = failure }
        func log(_ event: LogEvent) {}
        func flush(by deadline: LogDeadline) {}
        func shutdown(by deadline: LogDeadline) throws {
            gate.wait()
            if let failure { throw failure }
        }
    }

    @Test func aQueuedProviderThatCannotBeShutDownWellSaysSo() {
        let provider = Closing(ScriptedFailure("3 events are not delivered")), service = LogService()
        provider.gate.open()
        service.register(provider, delivery: .queued())
        service.info("x")
        let report = service.shutdown(by: .seconds(60))
        #expect(report.unfinished.map(\.reason) == ["3 events are not delivered"])
    }

    @Test func oneThatAConfigurationTakesOutSaysSoToTheDiagnostics() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let provider = Closing(ScriptedFailure("3 events are not delivered")), service = LogService()
            provider.gate.open()
            try service.apply(LogConfiguration(.development) { LogListener(provider, name: "remote", delivery: .queued()) })
            try service.apply(LogConfiguration(.development) {}, by: .seconds(60))
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(
            text.contains("remote: not everything is safe after it was taken out of the configuration: 3 events are not delivered"))
    }
}
