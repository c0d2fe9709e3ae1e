import Foundation
import LogbookCore
import LogbookTestKit
import Testing

/// Writes messages to standard output.
private struct StandardOutputSink: BatchSink {
    func write(_ batch: [LogEvent]) throws {
        let text = batch.map { $0.message + "\n" }.joined()
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}

@Suite struct ExitFlushTests {
    /// So patient that only a flush gets the events out before an exit.
    static let slow = QueuePolicy(linger: .seconds(3600))

    @Test("F15: what was said before exit() is written")
    func exitFlushes() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(7), observing: [\.standardOutputContent]
        ) {
            LogService.shared.register(sink: StandardOutputSink(), queue: ExitFlushTests.slow)
            for number in 0..<100 { LogService.info("line \(number)") }
            exit(7)
        }
        let text = String(decoding: result.standardOutputContent, as: UTF8.self)
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("line ") }.count == 100)
    }

    @Test func exitDoesNotWaitLongerThanItsLimit() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(7), observing: [\.standardErrorContent]
        ) {
            LogService.exitFlushLimit = .milliseconds(50)
            let blocking = BlockingProvider()
            LogService.shared.register(blocking, delivery: .queued(), name: "blocked")
            LogService.info("never written")
            exit(7)
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("logbook: exit: not everything is safe: blocked"))
    }

    @Test func aLimitOfZeroTurnsTheHookOff() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(7), observing: [\.standardOutputContent]
        ) {
            LogService.exitFlushLimit = .zero
            LogService.shared.register(sink: StandardOutputSink(), queue: ExitFlushTests.slow)
            LogService.info("line")
            exit(7)
        }
        #expect(!String(decoding: result.standardOutputContent, as: UTF8.self).contains("line\n"))
    }
}
