import LogbookCore
import LogbookTestKit
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Tells standard output what it is given, and that its first batch came.
private struct SpeakingSink: BatchSink {
    func write(_ batch: [LogEvent]) throws { say(batch.map { $0.message + "\n" }.joined()) }
}

private func say(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(1, $0.baseAddress, $0.count) }
}

private func isDefault(_ signal: Int32) -> Bool {
    var action = sigaction()
    sigaction(signal, nil, &action)
    #if canImport(Darwin)
        return action.__sigaction_u.__sa_handler == nil
    #elseif canImport(Musl)
        return action.__sa_handler.sa_handler == nil
    #else
        return action.__sigaction_handler.sa_handler == nil
    #endif
}

/// Waits for the signal that ends the process.
private func waitForTheEnd() -> Never { while true { pause() } }

@Suite struct SignalFlushTests {
    /// So patient that only a flush gets the events out.
    static let slow = QueuePolicy(linger: .seconds(3600))

    @Test func nothingIsInstalledUnlessItIsAskedFor() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            LogService.shared.register(sink: SpeakingSink())
            LogService.info("line")
            for signal in LogService.endingSignals { #expect(isDefault(signal)) }
            kill(getpid(), SIGTERM)
            waitForTheEnd()
        }
    }

    @Test("SIGTERM: everything queued is written, and the program still ends by the signal")
    func sigtermFlushes() async throws {
        let result = try await #require(processExitsWith: .signal(SIGTERM), observing: [\.standardOutputContent]) {
            LogService.shared.register(sink: SpeakingSink(), queue: SignalFlushTests.slow)
            try LogService.flushOnSignals(within: .seconds(60))
            for number in 1...100 { LogService.info("line \(number)") }
            kill(getpid(), SIGTERM)
            waitForTheEnd()
        }
        #expect(lines(result.standardOutputContent) == (1...100).map { "line \($0)" })
    }

    @Test("SIGINT: the same, and other signals are left alone")
    func sigintFlushes() async throws {
        let result = try await #require(processExitsWith: .signal(SIGINT), observing: [\.standardOutputContent]) {
            LogService.shared.register(sink: SpeakingSink(), queue: SignalFlushTests.slow)
            try LogService.flushOnSignals([SIGINT], within: .seconds(60))
            #expect(isDefault(SIGTERM))
            LogService.info("line 1")
            kill(getpid(), SIGINT)
            waitForTheEnd()
        }
        #expect(lines(result.standardOutputContent) == ["line 1"])
    }

    @Test func aFlushDoesNotTakeLongerThanItsLimit() async throws {
        let result = try await #require(processExitsWith: .signal(SIGTERM), observing: [\.standardErrorContent]) {
            LogService.shared.register(BlockingProvider(), delivery: .queued(), name: "blocked")
            try LogService.flushOnSignals(within: .milliseconds(50))
            LogService.info("never written")
            kill(getpid(), SIGTERM)
            waitForTheEnd()
        }
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self)
                .contains("logbook: signal 15: not everything is safe: blocked"))
    }

    @Test func unlessItHasALimitOfItsOwnThatOfTheEndHolds() async throws {
        let result = try await #require(processExitsWith: .signal(SIGTERM), observing: [\.standardErrorContent]) {
            LogService.shared.register(BlockingProvider(), delivery: .queued(), name: "blocked")
            try LogService.flushOnSignals()
            LogService.exitFlushLimit = .zero
            LogService.info("never written")
            kill(getpid(), SIGTERM)
            waitForTheEnd()
        }
        #expect(!String(decoding: result.standardErrorContent, as: UTF8.self).contains("signal 15"))   // nothing was tried
    }

    @Test(arguments: [[SIGTERM, SIGTERM], [SIGTERM, SIGINT]])
    func aSecondSignalEndsAtOnce(_ signals: [Int32]) async {
        let first = signals[0], second = signals[1]
        let expected: ExitTest.Condition = .signal(second)
        await #expect(processExitsWith: expected) { [first = first as Int32, second = second as Int32] in
            let blocking = BlockingProvider()
            LogService.shared.register(blocking, delivery: .queued())
            try LogService.flushOnSignals(within: .seconds(3600))
            kill(getpid(), first)
            #expect(blocking.gate.waitForArrivals(1))   // the flush has begun and will not end
            kill(getpid(), second)
            waitForTheEnd()
        }
    }

    @Test func aHandlerThatWasThereBeforeIsCalledAfterTheFlush() async throws {
        let result = try await #require(processExitsWith: .exitCode(9), observing: [\.standardOutputContent]) {
            signal(SIGTERM) { _ in
                say("the host's handler\n")
                _exit(9)
            }
            LogService.shared.register(sink: SpeakingSink(), queue: SignalFlushTests.slow)
            try LogService.flushOnSignals(within: .seconds(60))
            LogService.info("line 1")
            kill(getpid(), SIGTERM)
            waitForTheEnd()
        }
        #expect(lines(result.standardOutputContent) == ["line 1", "the host's handler"])
    }

    @Test func aSignalThatIsIgnoredStaysIgnored() async {
        await #expect(processExitsWith: .exitCode(4)) {
            signal(SIGINT, SIG_IGN)
            try LogService.flushOnSignals()
            kill(getpid(), SIGINT)
            exit(4)
        }
    }

    @Test func aForkedChildEndsWithoutItsParent() async {
        await #expect(processExitsWith: .exitCode(4)) {
            LogService.shared.register(RecordingProvider())
            try LogService.flushOnSignals()
            let child = ForkedChild { waitForTheEnd() }
            kill(child.identifier, SIGTERM)
            exit(child.wait() & 0x7F == SIGTERM ? 4 : 5)
        }
    }

    @Test func whatCannotBeWatchedIsRefused() async {
        await #expect(processExitsWith: .success) {
            #expect(throws: SignalFlushError.cannotWatch(signal: SIGKILL, errno: EINVAL)) {
                try LogService.flushOnSignals([SIGKILL])
            }
            #expect(throws: SignalFlushError.cannotWatch(signal: 0, errno: EINVAL)) { try LogService.flushOnSignals([0]) }
        }
    }

    private func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("line ") || $0.hasPrefix("the host") }
    }
}
