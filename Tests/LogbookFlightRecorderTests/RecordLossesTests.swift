import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookFlightRecorder

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct RecordLossesTests {
    private let folder = TemporaryFolder(inMemory: true)

    /// A run that is in the middle of something, and what it would leave if it were killed now.
    private struct Run {
        let service = LogService(), sink = GatedSink()

        init(_ record: String, holding count: Int) throws {
            service.register(sink: sink, queue: QueuePolicy(batchCount: 1, linger: .zero), name: "orders")
            try service.recordLosses(in: record)
            for number in 0..<count { service.info("number \(number)") }
            if count > 0 { #expect(sink.gate.waitForArrivals(1)) }
            _ = service.health()   // the queue has it all
        }

        func end() {
            sink.gate.open()
            #expect(service.shutdown(by: .seconds(30)).isComplete)
        }
    }

    /// A queue's thread may hold the file for a moment longer than its service.
    private func becomesFree(_ name: String) -> Bool {
        becomesTrue {
            let file = open(folder(name), O_RDWR | O_CLOEXEC)
            defer { close(file) }
            return flock(file, LOCK_EX | LOCK_NB) == 0
        }
    }

    private func copy(_ name: String, to other: String) throws {
        try #require(try ChildProcess.run(["/bin/cp", folder(name), folder(other)]) == .exited(0))
    }

    @Test func theNextStartSaysWhatTheLastOneLost() throws {
        let run = try Run(folder("record"), holding: 5)
        try copy("record", to: "killed")
        let next = LogService(), heard = RecordingProvider(), file = RecordingProvider()
        next.register(heard)
        next.register(file, delivery: .queued())
        let losses = try next.recordLosses(in: folder("killed"), by: .seconds(30))
        #expect(losses.map(\.provider) == ["orders"] && losses.map(\.count) == [4...5] && losses.map(\.sequences) == [1...5])
        #expect(losses.map(\.process) == [getpid()] && losses.map(\.isOfEarlierBoot) == [false])
        for provider in [heard, file] {   // the queue was flushed
            #expect(provider.messages == losses.map(\.description))
            #expect(provider.events.map(\.category) == [LogService.lossCategory])
            #expect(provider.events.first?.metadata["reason"] == "process_died")
        }
        run.end()

        // It was told, and is not told again.
        try copy("killed", to: "killed again")
        #expect(try LogService().recordLosses(in: folder("killed again")).isEmpty)
        try copy("record", to: "ended well")
        #expect(try LogService().recordLosses(in: folder("ended well")).isEmpty)
    }

    @Test func theFileIsFreeAgainWhenTheServiceHasGone() throws {
        for _ in 0..<3 {
            try Run(folder("record"), holding: 2).end()
            #expect(becomesFree("record"))
        }
        #expect(folder.bytes("record").count == LossPage.bytes)
        var status = stat()
        #expect(stat(folder("record"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func oneServiceAtATime() throws {
        let run = try Run(folder("record"), holding: 1)
        #expect(throws: LossRecordError.inUse(path: folder("record"))) { try LogService().recordLosses(in: folder("record")) }
        #expect(throws: LossRecordError.recordedAlready(path: folder("other"))) { try run.service.recordLosses(in: folder("other")) }
        #expect(access(folder("other"), F_OK) != 0)
        run.end()
    }

    @Test("of two threads that begin at once one records, and the other's file is left as it is")
    func twoThreads() throws {
        let run = try Run(folder("record"), holding: 2)
        for name in ["a", "b"] { try copy("record", to: name) }
        run.end()
        let before = folder.bytes("a"), next = LogService(), results = Locked<[(name: String, losses: Int?)]>([])
        let gate = Gate()
        for name in ["a", "b"] {
            LogThread.start("begins") { [folder] in
                gate.wait()
                let losses = try? next.recordLosses(in: folder(name))
                results.withLock { $0.append((name, losses?.count)) }
            }
        }
        #expect(gate.waitForArrivals(2))
        gate.open()
        #expect(becomesTrue { results.withLock { $0.count == 2 } })
        let loser = try #require(results.withLock { $0.first { $0.losses == nil } })
        #expect(results.withLock { $0.filter { $0.losses == 1 }.count == 1 } && folder.bytes(loser.name) == before)
    }

    @Test("a crash is recorded with the sequence that is counted elsewhere by then")
    func aCrashOfAServiceThatRecordsLosses() async throws {
        await #expect(processExitsWith: .failure) { [path = folder.path as String] in
            let service = LogService()
            service.register(RecordingProvider())
            service.info("before")
            guard try service.recordCrashes(in: path + "/crash") == nil else { exit(0) }
            try service.recordLosses(in: path + "/record")
            for _ in 0..<6 { service.info("said") }
            fatalError("as the test wants")
        }
        #expect(try LogService().recordCrashes(in: folder("crash"))?.latestSequence == 7)
    }

    @Test("a provider that hangs holds a start up until the deadline, and what nobody may have is said elsewhere")
    func aProviderThatHangs() throws {
        let run = try Run(folder("record"), holding: 2)
        try copy("record", to: "killed")
        run.end()
        let next = LogService(), hanging = GatedSink()
        next.register(sink: hanging, name: "hanging")
        #expect(try next.recordLosses(in: folder("killed"), by: .milliseconds(50)).count == 1)
        hanging.gate.open()
        #expect(next.flush(by: .seconds(30)).isComplete)
        #expect(hanging.inner.written.map(\.category) == [LogService.lossCategory])
    }

    @Test("a start that is killed while it tells what was lost tells it again")
    func killedWhileItTells() throws {
        let run = try Run(folder("record"), holding: 2)
        try copy("record", to: "killed")
        run.end()
        let next = LogService(), hanging = GatedSink(), isOver = Locked(false)
        next.register(sink: hanging, name: "hanging")
        LogThread.start("starts") { [folder] in
            _ = try? next.recordLosses(in: folder("killed"), by: .seconds(60))
            isOver.withLock { $0 = true }
        }
        #expect(hanging.gate.waitForArrivals(1))
        try copy("killed", to: "killed again")
        #expect(try LogService().recordLosses(in: folder("killed again")).map(\.count) == [1...2])
        hanging.gate.open()
        #expect(becomesTrue { isOver.withLock { $0 } })
    }

    @Test func whatIsNoRecordIsLeftAsItIs() throws {
        let service = LogService()
        folder.write("something else", to: "text")
        folder.write(String(repeating: "x", count: LossPage.bytes + 1), to: "large")
        for name in ["text", "large"] {
            let before = folder.bytes(name)
            #expect(throws: LossRecordError.notALossRecord(path: folder(name))) { try service.recordLosses(in: folder(name)) }
            #expect(folder.bytes(name) == before)
        }
        try #require(symlink("text", folder("link")) == 0 && link(folder("text"), folder("second")) == 0)
        #expect(throws: LossRecordError.notARegularFile(path: folder("link"))) { try service.recordLosses(in: folder("link")) }
        #expect(throws: LossRecordError.hasSeveralNames(path: folder("second"))) { try service.recordLosses(in: folder("second")) }
        #expect(throws: LossRecordError.cannotOpen(path: folder("no/where"), errno: ENOENT)) {
            try service.recordLosses(in: folder("no/where"))
        }
        #expect(throws: LossRecordError.cannotOpen(path: "a\0b", errno: EINVAL)) { try service.recordLosses(in: "a\0b") }
        // None of that keeps it from another file.
        #expect(try service.recordLosses(in: folder("record")).isEmpty)
    }

    @Test func aRecordOfANewerVersionIsLeftAndADamagedOneBegunAnew() throws {
        try Run(folder("record"), holding: 0).end()
        #expect(becomesFree("record"))
        let file = open(folder("record"), O_WRONLY)
        try #require(pwrite(file, [9 as UInt8], 1, 8) == 1)
        #expect(throws: LossRecordError.writtenByNewerVersion(path: folder("record"), version: 9)) {
            try LogService().recordLosses(in: folder("record"))
        }
        try #require(pwrite(file, [0 as UInt8], 1, 8) == 1)
        close(file)
        #expect(try LogService().recordLosses(in: folder("record")).isEmpty && becomesFree("record"))
        try #require(truncate(folder("record"), 700) == 0)
        let service = LogService()
        #expect(try service.recordLosses(in: folder("record")).isEmpty)
        #expect(folder.bytes("record").count == LossPage.bytes)
    }

    @Test func everyErrorSaysWhatToDo() {
        let errors: [LossRecordError] = [
            .cannotOpen(path: "p", errno: ENOENT), .notARegularFile(path: "p"), .ownedBySomeoneElse(path: "p", user: 7),
            .hasSeveralNames(path: "p"), .notALossRecord(path: "p"), .writtenByNewerVersion(path: "p", version: 2), .inUse(path: "p"),
            .recordedAlready(path: "p"), .cannotMakeRoom(path: "p", bytes: 16_384, errno: ENOSPC), .noLastingRoom(path: "p"),
        ]
        for error in errors { #expect(error.description.contains("p") && error.description.contains { ";:".contains($0) }, "\(error)") }
    }
}
