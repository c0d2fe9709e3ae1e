import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookFiles

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// When lines are safe from a crash of the machine although nobody flushes.
@Suite struct DurabilityTests {
    private let folder = TemporaryFolder(inMemory: true)
    private let clock = ManualClock(now: LogTime(seconds: 1_763_720_960))

    private func provider(_ durability: FileDurability, _ files: FaultyFileSystem) throws -> FileLogProvider {
        try FileLogProvider(
            in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumArchives: 0), durability: durability, files: files,
            clock: .manual(clock))
    }

    private func log(_ provider: FileLogProvider, _ messages: String...) {
        for message in messages { provider.log(event(message, at: clock.now)) }
    }

    @Test("interval: what is written is safe within the interval, with one call to the disk")
    func interval() throws {
        let files = FaultyFileSystem()
        let provider = try provider(.interval(.seconds(1)), files)
        func synchronizations() -> Int { files.calls.filter { $0 == "synchronize" }.count }
        log(provider, "1", "2", "3")
        #expect(synchronizations() == 0)
        clock.advance(by: .seconds(1))
        #expect(synchronizations() == 1)
        clock.advance(by: .seconds(10))
        #expect(synchronizations() == 1, "nothing was written since")
        log(provider, "4")
        clock.advance(by: .milliseconds(999))
        #expect(synchronizations() == 1)
        clock.advance(by: .milliseconds(1))
        #expect(synchronizations() == 2)
    }

    @Test("interval: a name that the disk refused to keep in the background is tried again")
    func intervalWithoutName() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(5), only: ["synchronizeFolder"])
        let provider = try provider(.interval(.seconds(1)), files)
        log(provider, "1")
        for _ in 1...3 { clock.advance(by: .seconds(1)) }
        #expect(files.calls.filter { $0 == "synchronizeFolder" }.count == 2)
    }

    @Test("interval: what the disk refused in the background is said by the next flush")
    func intervalWithFailure() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(5), only: ["synchronize"])
        let provider = try provider(.interval(.seconds(1)), files)
        log(provider, "1")
        clock.advance(by: .seconds(1))
        #expect(files.calls.contains("synchronize"))
        #expect(throws: FileLogProviderError.self) { try provider.flush(by: .seconds(30)) }
        try provider.flush(by: .seconds(30))
        log(provider, "2")
        clock.advance(by: .seconds(1))
        try provider.flush(by: .seconds(30))
        #expect(folder.allLines() == ["1", "2"])
    }

    @Test("row 11, interval: a flush beside a failure in the background finds the new file, and is told of the old one")
    func intervalWithAFlushBesideAFailure() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(EIO), only: ["synchronize"])
        let own = Locked<FileLogProvider?>(nil), said = Locked<[FileLogProviderError?]>([])
        let provider = try FileLogProvider(
            in: folder.path, format: MessageFormat(), durability: .interval(.seconds(1)), files: files, clock: .manual(clock)
        ) { archived in
            guard case .archived = archived, let provider = own.withLock({ $0 }) else { return }
            var failure: FileLogProviderError?
            do { try provider.flush(by: .seconds(30)) } catch { failure = error as? FileLogProviderError }
            said.withLock { $0.append(failure) }
        }
        own.withLock { $0 = provider }
        defer { own.withLock { $0 = nil } }
        log(provider, "1")
        clock.advance(by: .seconds(1))
        #expect(said.withLock { $0 } == [.cannotSynchronize(path: folder.path + "/app.log", errno: EIO)])
        try provider.flush(by: .seconds(30))
    }

    @Test("interval: a disk that fails and takes no new file either is tried again after an interval and not at once")
    func intervalWithoutDisk() throws {
        let files = FaultyFileSystem()
        let provider = try provider(.interval(.seconds(1)), files)
        log(provider, "1")
        files.fail(30)
        for _ in 1...2 { clock.advance(by: .seconds(1)) }
        let calls = files.calls.count
        for _ in 1...1000 { clock.advance(by: .microseconds(1)) }
        #expect(files.calls.count == calls)

        files.fail(nil)
        clock.advance(by: .seconds(1))
        log(provider, "2")
        #expect(folder.archives().map { folder.lines($0) } == [["1"]])
        #expect(folder.lines("app.log") == ["2"])
    }

    @Test("power: a line is safe when the call returns; a failing disk gets it once more, in a new file")
    func power() throws {
        let files = FaultyFileSystem(failing: 2, with: .failure(5), only: ["synchronize"])
        let provider = try provider(.power, files)
        log(provider, "1")
        #expect(files.calls.last == "synchronizeFolder")
        log(provider, "2")
        #expect(provider.ledger == LogLedger(submitted: 2, delivered: 2))
        #expect(folder.archives().map { folder.lines($0) } == [["1", "2"]])
        #expect(folder.lines("app.log") == ["2"])
    }

    @Test("power: who hears of a roll that a failing disk has begun may log to the same file")
    func powerWithAHandlerThatLogs() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(EIO), only: ["synchronize"]), own = Locked<FileLogProvider?>(nil)
        let provider = try FileLogProvider(
            in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumArchives: 0), durability: .power, files: files,
            clock: .manual(clock)
        ) { archived in
            if case .archived = archived, let provider = own.withLock({ $0 }) { provider.log(event("told")) }
        }
        own.withLock { $0 = provider }
        let isDone = Flag()
        LogThread.start("logs") {
            provider.log(event("1"))
            isDone.open()
        }
        #expect(isDone.wait())
        #expect(folder.archives().map { folder.lines($0) } == [["1"]])
        #expect(folder.lines("app.log").sorted() == ["1", "told"])
        #expect(provider.ledger == LogLedger(submitted: 2, delivered: 2))
        own.withLock { $0 = nil }
    }

    @Test("power: with a disk that fails for good the line is counted as lost")
    func powerWithoutDisk() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(5), lasts: true, only: ["synchronize"])
        let provider = try provider(.power, files)
        log(provider, "1")
        #expect(provider.ledger == LogLedger(submitted: 1, dropped: [.inputOutputError: 1]))
    }

    @Test("power: a line that was written while its file failed is written once more too")
    func powerMeanwhile() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(EIO), only: ["synchronize"])
        let provider = try provider(.power, files)
        let gate = Gate(), done = [Gate(), Gate()]
        files.hold("synchronize", at: gate)
        LogThread.start("first") {
            provider.log(event("1"))
            done[0].open()
        }
        #expect(gate.waitForArrivals(1))
        LogThread.start("second") {
            provider.log(event("2"))
            done[1].open()
        }
        #expect(becomesTrue { folder.text("app.log") == "1\n2\n" })
        gate.open()
        for done in done { done.wait() }
        #expect(folder.archives().map { folder.lines($0) } == [["1", "2"]])
        #expect(folder.lines("app.log").sorted() == ["1", "2"])
        #expect(provider.ledger == LogLedger(submitted: 2, delivered: 2))
    }

    @Test(
        "row 13: while a disk takes its time, the caller of its queue waits as long as the policy says, once; everybody else has it all",
        arguments: [QueuePolicy.Overflow.block(upTo: .milliseconds(50)), .dropNewest, .dropOldest])
    func slowDisk(overflow: QueuePolicy.Overflow) throws {
        let files = FaultyFileSystem(), gate = Gate(), count = 20_000   // more than the ring has room for
        defer { gate.open() }
        // With a clock that stands still, nobody is told of the loss.
        let service = LogService(clock: .manual(clock)), others = [RecordingProvider(), RecordingProvider()]
        service.register(others[0])
        service.register(others[1], delivery: .queued(QueuePolicy(capacity: count + 1, overflow: .block(upTo: .seconds(60)))))
        let queue = QueuePolicy(capacity: 100, reservedCapacity: 0, batchCount: 10, linger: .zero, overflow: overflow)
        let file = service.register(try provider(.power, files), delivery: .queued(queue))

        files.hold("synchronize", at: gate)
        service.info("0")
        #expect(gate.waitForArrivals(1))
        for number in 1...count { service.info("\(number)") }   // the disk has still not answered
        #expect(others[0].messages.count == count + 1)
        #expect(becomesTrue { others[1].messages.count == count + 1 })
        let meanwhile = file.ledger
        #expect(meanwhile.submitted == UInt64(count + 1))
        #expect(meanwhile.delivered == 0)
        #expect(meanwhile.dropped.keys.map(\.self) == [.queueFull])

        gate.open()
        #expect(service.flush(by: .seconds(60)).isComplete)
        let lines = folder.allLines().compactMap { Int($0) }
        #expect(file.ledger == LogLedger(submitted: UInt64(count + 1), delivered: UInt64(lines.count), dropped: meanwhile.dropped))
        #expect(lines.first == 0)
        #expect(lines == lines.sorted() && Set(lines).count == lines.count)
        #expect(lines.contains(overflow == .dropOldest ? count : 1))
    }

    @Test("power: a line that comes while the file is shut down is made safe, or is not said to be", arguments: [0, EIO])
    func powerDuringAShutdown(errno: Int32) throws {
        let files = FaultyFileSystem(failing: errno == 0 ? 0 : 2, with: .failure(errno), only: ["synchronize"])
        let provider = try provider(.power, files), gates = [Gate(), Gate()], done = [Gate(), Gate()]
        files.hold("synchronize", at: gates[0])
        LogThread.start("first") {
            provider.log(event("1"))
            done[0].open()
        }
        #expect(gates[0].waitForArrivals(1))
        let closing = Gate()
        files.hold("synchronize", at: closing)
        let isClosed = Gate()
        LogThread.start("closing") {
            provider.close(by: .seconds(30))
            isClosed.open()
        }
        #expect(closing.waitForArrivals(1))
        LogThread.start("second") {
            provider.log(event("2"))
            done[1].open()
        }
        #expect(becomesTrue { folder.text("app.log") == "1\n2\n" })
        closing.open()
        isClosed.wait()
        gates[0].open()
        for done in done { done.wait() }
        #expect(files.calls.count { $0 == "synchronize" } == 3)
        // Where it cannot be made safe, nothing is said to be that was in the file, and nothing goes into another.
        #expect(provider.ledger == (errno == 0 ? LogLedger(submitted: 2, delivered: 2) : LogLedger(submitted: 2, dropped: [.alreadyShutDown: 2])))
    }
}
