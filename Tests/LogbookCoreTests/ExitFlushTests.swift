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

/// The same, long after the program could have ended.
private struct SlowSink: BatchSink {
    func write(_ batch: [LogEvent]) throws {
        Thread.sleep(forTimeInterval: 0.2)
        try StandardOutputSink().write(batch)
    }
}

/// For a process of its own, whose end finds them all.
private let hangingServices = (0..<3).map { _ in LogService() }
private let speakingServices = (0..<3).map { _ in LogService() }
private let keptRegistrations = Locked<[LogRegistration]>([])
private let keptWrappers = Locked<[any LogProvider]>([])

@Suite struct ExitFlushTests {
    /// So patient that only a flush gets the events out before an exit.
    static let slow = QueuePolicy(linger: .seconds(3600))

    @Test("F15: what was said before exit() is written")
    func exitFlushes() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(7), observing: [\.standardOutputContent]
        ) {
            LogService.exitFlushLimit = .seconds(60)
            LogService.shared.register(sink: StandardOutputSink(), queue: ExitFlushTests.slow)
            for number in 0..<100 { LogService.info("line \(number)") }
            exit(7)
        }
        let text = String(decoding: result.standardOutputContent, as: UTF8.self)
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("line ") }.count == 100)
    }

    @Test("F15: and so is what a queue behind a wrapper has in hand that listens no more, also where it is in another queue")
    func exitFlushesAQueueBehindAnother() async throws {
        let result = try await #require(processExitsWith: .exitCode(7), observing: [\.standardOutputContent]) {
            LogService.exitFlushLimit = .seconds(60)
            let inner = BatchingProvider(SlowSink(), policy: QueuePolicy(batchCount: 2)), wrapper = FoldingRepeats(inner)
            let registration = LogService.shared.register(wrapper, delivery: .queued())
            for number in 0..<10 { LogService.info("line \(number)") }
            #expect(becomesTrue { inner.ledger?.submitted == 10 })   // what no queue has by the deadline is counted as lost
            registration.unregister(by: .now)
            keptWrappers.withLock { $0.append(wrapper) }
            exit(7)
        }
        let text = String(decoding: result.standardOutputContent, as: UTF8.self)
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("line ") }.count == 10, "\(text)")
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

    // In which order the services come is decided anew by each process.
    @Test(arguments: 0..<4)
    func aProviderThatHangsCostsNoOtherServiceItsFlush(round: Int) async throws {
        let result = try await #require(
            processExitsWith: .exitCode(7), observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            LogService.exitFlushLimit = .seconds(5)   // it is waited out
            for service in hangingServices {
                service.register(BlockingProvider(), delivery: .queued(), name: "blocked")
                service.info("never written")
            }
            for (number, service) in speakingServices.enumerated() {
                service.register(sink: StandardOutputSink(), queue: ExitFlushTests.slow)
                service.info("line \(number)")
            }
            exit(7)
        }
        #expect(Set(lines(result.standardOutputContent)) == ["line 0", "line 1", "line 2"])
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.components(separatedBy: "blocked: ").count == 4)   // each is said to be unsafe
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

    @Test("F15: exit() on another thread flushes as well")
    func exitOnAnotherThreadFlushes() async throws {
        let result = try await #require(processExitsWith: .exitCode(7), observing: [\.standardOutputContent]) {
            LogService.exitFlushLimit = .seconds(60)
            LogService.shared.register(sink: StandardOutputSink(), queue: ExitFlushTests.slow)
            LogService.info("line 1")
            LogThread.start("ends") { exit(7) }
            while true { pause() }
        }
        #expect(lines(result.standardOutputContent) == ["line 1"])
    }

    @Test func exitDuringAShutdownWaitsForIt() async throws {
        let result = try await #require(processExitsWith: .exitCode(7), observing: [\.standardOutputContent]) {
            LogService.exitFlushLimit = .seconds(60)
            let registration = LogService.shared.register(sink: SlowSink(), queue: ExitFlushTests.slow)
            LogService.info("line 1")
            LogThread.start("shuts down") { LogService.shared.shutdown(by: .seconds(60)) }
            while registration.isOpen { sched_yield() }
            exit(7)
        }
        #expect(lines(result.standardOutputContent) == ["line 1"])
    }

    @Test func twoThreadsMayEndTheProgramAtOnce() async throws {
        let result = try await #require(processExitsWith: .exitCode(7), observing: [\.standardOutputContent]) {
            LogService.exitFlushLimit = .seconds(60)
            LogService.shared.register(sink: StandardOutputSink(), queue: ExitFlushTests.slow)
            LogService.info("line 1")
            LogThread.start("ends") { exit(7) }
            exit(7)
        }
        #expect(lines(result.standardOutputContent) == ["line 1"])
    }

    @Test("an end that no hook sees keeps what an immediate provider has", arguments: 0..<3)
    func abruptEndsKeepWhatImmediateProvidersHave(end: Int) async throws {
        let condition: ExitTest.Condition = [.exitCode(8), .signal(SIGABRT), .failure][end]
        let result = try await #require(processExitsWith: condition, observing: [\.standardOutputContent]) {
            [end = end as Int] in
            LogService.shared.register(StandardOutputProvider())
            LogService.shared.register(sink: StandardOutputSink(), queue: ExitFlushTests.slow)
            LogService.info("line 1")
            switch end {
            case 0: _exit(8)
            case 1: abort()
            default: fatalError("as the test wants")
            }
        }
        // Once: what waited in the queue is lost, as a queue says of itself.
        #expect(lines(result.standardOutputContent) == ["line 1"])
    }

    @Test("row 32: a provider that traps takes the program along, not what the providers before it have")
    func aProviderThatTraps() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardOutputContent]) {
            LogService.shared.register(StandardOutputProvider())
            LogService.shared.register(TrappingProvider())
            LogService.info("line 1")
        }
        #expect(lines(result.standardOutputContent) == ["line 1"])
    }

    @Test("what a service that is gone, or a queue that is, has yet to write is written", arguments: [true, false])
    func whatWasLetGoIsWrittenAsWell(isService: Bool) async throws {
        let result = try await #require(processExitsWith: .exitCode(7), observing: [\.standardOutputContent]) {
            [isService = isService as Bool] in
            LogService.exitFlushLimit = .seconds(60)
            if isService {
                let service = LogService()
                service.register(sink: SlowSink())
                service.info("line 1")
            } else {
                let provider = BatchingProvider(SlowSink())
                provider.log(LogEvent(sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: "line 1"))
            }
            exit(7)
        }
        #expect(lines(result.standardOutputContent) == ["line 1"])
    }

    @Test func whatAServiceThatIsGoneCouldNotWriteIsSaid() async throws {
        let result = try await #require(processExitsWith: .exitCode(7), observing: [\.standardErrorContent]) {
            LogService.exitFlushLimit = .milliseconds(50)
            do {
                let service = LogService()
                service.register(BlockingProvider(), delivery: .queued(), name: "blocked")
                service.info("never written")
            }
            exit(7)
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("logbook: exit: not everything is safe: blocked"))
    }

    @Test func whatOneThatListensNoMoreHasYetToWriteIsWritten() async throws {
        let result = try await #require(processExitsWith: .exitCode(7), observing: [\.standardOutputContent]) {
            LogService.exitFlushLimit = .seconds(60)
            let registration = LogService.shared.register(sink: SlowSink(), queue: ExitFlushTests.slow)
            keptRegistrations.withLock { $0.append(registration) }
            LogService.info("line 1")
            _ = registration.ledger   // it has come to the queue
            registration.unregister(by: .now)
            exit(7)
        }
        #expect(lines(result.standardOutputContent) == ["line 1"])
    }

    @Test func whatOneThatListensNoMoreCouldNotWriteIsSaid() async throws {
        let result = try await #require(processExitsWith: .exitCode(7), observing: [\.standardErrorContent]) {
            LogService.exitFlushLimit = .milliseconds(50)
            let registration = LogService.shared.register(sink: GatedSink(), queue: ExitFlushTests.slow, name: "stuck")
            keptRegistrations.withLock { $0.append(registration) }
            for number in 1...3 { LogService.info("never written \(number)") }
            _ = registration.ledger
            registration.unregister(by: .now)
            exit(7)
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("logbook: exit: not everything is safe: stuck"))
    }

    @Test func whatIsLoggedAfterAShutdownIsCountedAlsoWhileTheProgramEnds() async {
        await #expect(processExitsWith: .exitCode(3)) {
            let service = LogService(), recording = RecordingProvider()
            let registration = service.register(recording)
            #expect(service.shutdown(by: .seconds(30)).isComplete)
            for _ in 0..<1000 { service.info("too late") }
            #expect(recording.messages == [])
            #expect(registration.ledger == LogLedger(submitted: 1000, dropped: [.alreadyShutDown: 1000]))
            exit(registration.ledger.droppedTotal == 1000 ? 3 : 4)
        }
    }

    private func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init).filter { $0.hasPrefix("line ") }
    }
}

/// Has written the event when `log` returns.
private struct StandardOutputProvider: LogProvider {
    func log(_ event: LogEvent) { FileHandle.standardOutput.write(Data((event.message + "\n").utf8)) }
    func flush(by deadline: LogDeadline) throws {}
}

private struct TrappingProvider: LogProvider {
    func log(_ event: LogEvent) { fatalError("as the test wants") }
    func flush(by deadline: LogDeadline) throws {}
}
