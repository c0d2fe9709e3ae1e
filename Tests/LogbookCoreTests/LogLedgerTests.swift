@testable import LogbookCore
import Testing

@Suite struct LogLedgerTests {
    @Test func whatAQueueDeliveredToAProviderThatLostItIsLost() {
        let queue = LogLedger(submitted: 10, delivered: 7, dropped: [.queueFull: 1])
        let provider = LogLedger(submitted: 7, delivered: 3, dropped: [.inputOutputError: 2])
        let both = queue.followed(by: provider)
        #expect(both == LogLedger(submitted: 10, delivered: 3, dropped: [.queueFull: 1, .inputOutputError: 2]))
        #expect(both.pending == 4)
    }

    @Test func levelsAreReadUnderManyNames() {
        #expect(LogLevel(name: "WARN") == .warning && LogLevel(name: "fatal") == .critical && LogLevel(name: "Trace") == .verbose)
        #expect(LogLevel(name: "loud") == nil)
        #expect(LogLevel.allCases.allSatisfy { LogLevel(name: $0.name) == $0 })
        #expect(Set(LogLevel.allCases.map(\.symbol)).count == 7)
    }

    @Test func anEnvironmentIsOneOfThree() throws {
        #expect(try LogEnvironment.named("Staging", default: .production) == .staging)
        #expect(try LogEnvironment.named("", default: .development) == .development)
        #expect(throws: LogEnvironmentError.unknown("prod")) { try LogEnvironment.named("prod", default: .production) }
    }

    @Test func deadlinesNeitherOverflowNorPassEarly() {
        #expect(LogDeadline.now.hasPassed && !LogDeadline.never.hasPassed && LogDeadline.seconds(-1).hasPassed)
        #expect(LogDeadline.after(.seconds(Int64.max)) > .after(.seconds(1_000_000)))
        #expect(!LogDeadline.seconds(3600).hasPassed && LogDeadline.now.remaining == .zero)
    }
}
