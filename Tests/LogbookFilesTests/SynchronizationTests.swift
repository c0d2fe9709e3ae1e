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

@Suite struct SynchronizationTests {
    private let folder = TemporaryFolder()

    private func provider(_ files: FaultyFileSystem, maximumBytes: Int = 1000) throws -> FileLogProvider {
        try FileLogProvider(
            in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumBytes: maximumBytes), files: files)
    }

    /// The next flush says that the disk has failed.
    private func expectUnsafe(_ provider: FileLogProvider, at place: SourceLocation = #_sourceLocation) {
        let failure = FileLogProviderError.cannotSynchronize(path: folder.path + "/app.log", errno: EIO)
        #expect(throws: failure, sourceLocation: place) { try provider.flush(by: .seconds(30)) }
    }

    @Test func aFlushMakesTheFileAndItsNameSafe() throws {
        let files = FaultyFileSystem()
        let provider = try provider(files)
        provider.log(event("one"))
        try provider.flush(by: .seconds(30))
        #expect(files.calls.suffix(2) == ["synchronize", "synchronizeFolder"])
        try provider.flush(by: .seconds(30))
        #expect(files.calls.last == "synchronize", "the name is safe already")
    }

    @Test func whoFlushesWhileAnotherMakesTheNameSafeWaitsForItToo() throws {
        let files = FaultyFileSystem(), gate = Gate(), ends = [Gate(), Gate()]
        let provider = try provider(files)
        provider.log(event("one"))
        files.hold("synchronizeFolder", at: gate)
        for (number, end) in ends.enumerated() {
            LogThread.start("flushing") {
                try? provider.flush(by: .seconds(300))
                end.open()
            }
            #expect(gate.waitForArrivals(number + 1))
        }
        gate.open()
        for end in ends { end.wait() }
    }

    @Test("row 11: what fails when nobody waits for the flush any longer is said by the next", arguments: [LogDelivery.immediate, .queued()])
    func failureAfterTheDeadline(delivery: LogDelivery) throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(EIO), only: ["synchronize"]), gate = Gate(), service = LogService()
        service.register(try provider(files), delivery: delivery)
        service.info("one")
        files.hold("synchronize", at: gate)
        // Where the machine is busy, the deadline may pass before the disk is asked at all.
        #expect(becomesTrue { !service.flush(by: .milliseconds(200)).isComplete && gate.waitForArrivals(1, by: .milliseconds(500)) })
        gate.open()
        #expect(becomesTrue { !folder.archives().isEmpty })   // what failed goes on in a new file
        let failure = FileLogProviderError.cannotSynchronize(path: folder.path + "/app.log", errno: EIO)
        #expect(service.flush(by: .seconds(60)).unfinished.map(\.reason) == ["\(failure)"])
        #expect(becomesTrue { service.flush(by: .seconds(60)).isComplete })   // several may have been late, and failed alike
    }

    @Test("row 11: what a disk refuses while a file is let go of is said", arguments: [false, true])
    func failureOfOneThatLeaves(isQueued: Bool) async {
        await #expect(processExitsWith: .success) { [path = folder.path as String, isQueued = isQueued as Bool] in
            let said = Locked<[String]>([])
            LogDiagnostics.setHandler { remark in said.withLock { $0.append("\(remark)") } }
            let files = FaultyFileSystem(failing: 1, with: .failure(EIO), only: ["synchronize"]), service = LogService()
            let provider = try FileLogProvider(in: path, format: MessageFormat(), files: files)
            let registration = service.register(provider, delivery: isQueued ? .queued() : .immediate, name: "file")
            service.info("one")
            registration.unregister(by: .seconds(30))
            #expect(said.withLock { $0 }.contains { $0.hasPrefix("logbook: file, leaving: listens no more, and not everything is safe: ") })
        }
    }

    @Test("row 11: what the machine failed to make safe is never called safe later, and goes on in a new file")
    func failure() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(EIO), only: ["synchronize"])
        let provider = try provider(files)
        provider.log(event("one"))
        expectUnsafe(provider)
        provider.log(event("two"))
        try provider.flush(by: .seconds(30))
        #expect(folder.archives().map { folder.lines($0) } == [["one"]])
        #expect(folder.lines("app.log") == ["two"])
    }

    @Test("row 11: a shutdown says so as well, however the file is fed", arguments: [LogDelivery.immediate, .queued()])
    func failureAtTheEnd(delivery: LogDelivery) throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(EIO), only: ["synchronize"])
        let service = LogService()
        service.register(try provider(files), delivery: delivery)
        service.info("one")
        let failure = FileLogProviderError.cannotSynchronize(path: folder.path + "/app.log", errno: EIO)
        #expect(service.shutdown(by: .seconds(30)).unfinished.map(\.reason) == ["\(failure)"])
    }

    @Test("row 11: every flush fails while every attempt does")
    func failureThatStays() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(EIO), lasts: true, only: ["synchronize"])
        let provider = try provider(files)
        for number in 1...5 {
            provider.log(event("\(number)"))
            #expect(throws: FileLogProviderError.self) { try provider.flush(by: .seconds(30)) }
        }
        #expect(folder.allLines() == ["1", "2", "3", "4", "5"])
    }

    @Test("row 11: an archive that could not be made safe is told by the next flush, once")
    func archive() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(EIO), only: ["synchronize"])
        let provider = try provider(files, maximumBytes: 4)
        provider.log(event("one"))
        provider.log(event("two"))
        expectUnsafe(provider)
        try provider.flush(by: .seconds(30))
    }

    @Test("row 11: a folder whose names a roll could not make safe is told by the next flush, though the disk says it but once")
    func folderOfARoll() throws {
        for call in 1... {
            let folder = TemporaryFolder(inMemory: true)
            let files = FaultyFileSystem(failing: call, with: .failure(EIO), only: ["synchronizeFolder"])
            let provider = try FileLogProvider(in: folder.path, format: MessageFormat(), rolling: RollingPolicy(), files: files)
            func isSafe() -> Bool { (try? provider.flush(by: .seconds(30))) != nil }
            provider.log(event("one"))
            let isSafeAtFirst = isSafe()
            try provider.roll()
            let isSafeNow = isSafe()
            #expect((isSafeAtFirst && isSafeNow) == (files.faults == 0), "call \(call)")
            #expect(isSafe(), "call \(call)")
            if files.faults == 0 { break }
            try #require(call < 20)
        }
    }

    @Test("row 11: a line that was written while its file failed is called unsafe by the next flush, once")
    func failureMeanwhile() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(EIO), only: ["synchronize"])
        let provider = try provider(files)
        let gate = Gate(), done = Gate()
        let hasFailed = Locked(false)
        provider.log(event("one"))
        files.hold("synchronize", at: gate)
        LogThread.start("flush") {
            do { try provider.flush(by: .never) } catch { hasFailed.withLock { $0 = true } }
            done.open()
        }
        #expect(gate.waitForArrivals(1))
        provider.log(event("two"))
        gate.open()
        done.wait()
        #expect(hasFailed.withLock { $0 })
        #expect(folder.archives().map { folder.lines($0) } == [["one", "two"]])
        expectUnsafe(provider)
        try provider.flush(by: .seconds(30))
    }

    @Test("row 11: of two flushes at the same time the second fails too, though the machine tells only the first")
    func twoFlushes() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(EIO), only: ["synchronize"])
        let provider = try provider(files)
        let gates = [Gate(), Gate()], done = [Gate(), Gate()]
        let failures = Locked(0)
        provider.log(event("one"))
        for (gate, done) in zip(gates, done) {
            files.hold("synchronize", at: gate)
            LogThread.start("flush") {
                do { try provider.flush(by: .never) } catch { failures.withLock { $0 += 1 } }
                done.open()
            }
            #expect(gate.waitForArrivals(1))
        }
        // What is synchronized from here on waits for nobody.
        let open = Gate()
        open.open()
        files.hold("synchronize", at: open)
        for (gate, done) in zip(gates, done) {
            gate.open()
            done.wait()
        }
        #expect(failures.withLock { $0 } == 2)
    }

    @Test func aDeadlineThatIsOverSaysSo() throws {
        let files = FaultyFileSystem()
        let provider = try provider(files)
        provider.log(event("one"))
        #expect(throws: FileLogProviderError.deadlinePassed(path: folder.path + "/app.log")) {
            try provider.flush(by: .now)
        }
        try provider.flush(by: .seconds(30))
        #expect(files.calls.suffix(2) == ["synchronize", "synchronizeFolder"])
    }
}
