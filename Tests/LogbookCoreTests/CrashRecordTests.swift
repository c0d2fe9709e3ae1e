@testable import LogbookCore
import LogbookTestKit
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

private struct TrappingSink: BatchSink {
    func write(_ batch: [LogEvent]) throws { fatalError("as the test wants") }
}

@Suite struct CrashRecordTests {
    private let folder = TemporaryFolder()
    private var path: String { folder("crash") }

    /// What the next run finds.
    private func record() throws -> CrashRecord? {
        try LogService().recordCrashes(in: path)
    }

    @Test("a trap leaves a record with the latest sequence, and the program ends as it would have")
    func aTrap() async throws {
        await #expect(processExitsWith: .failure) { [path = path as String] in
            let service = LogService()
            service.register(RecordingProvider())
            guard try service.recordCrashes(in: path) == nil else { exit(0) }
            for number in 1...7 { service.info("\(number)") }
            fatalError("as the test wants")
        }
        let record = try #require(try record())
        #expect([SIGILL, SIGTRAP].contains(record.signal) && record.code > 0 && record.latestSequence == 7)
        #expect(record.process > 0 && record.process != getpid() && record.thread > 0)
        #expect(abs(record.time.seconds - LogClock.system.now().seconds) < 600)
        #expect(record.description.hasSuffix("of process \(record.process), after event 7"))
    }

    @Test("a sink that traps leaves a record as well, from its queue's thread")
    func aTrapOfASink() async throws {
        await #expect(processExitsWith: .failure) { [path = path as String] in
            let service = LogService()
            service.register(sink: TrappingSink())
            guard try service.recordCrashes(in: path) == nil else { exit(0) }
            service.info("1")
            while true { pause() }
        }
        let record = try #require(try record())
        #expect([SIGILL, SIGTRAP].contains(record.signal) && record.code > 0 && record.latestSequence == 1)
        #expect(record.process > 0 && record.thread != UInt64(record.process))
    }

    #if arch(x86_64)
        @Test("a breakpoint, behind which the program would go on, ends it")
        func aBreakpoint() async throws {
            await #expect(processExitsWith: .signal(SIGTRAP)) { [path = path as String] in
                signal(SIGTRAP, SIG_DFL)   // what Swift's backtrace has installed would end the process otherwise
                _ = try LogService.shared.recordCrashes(in: path)
                // int3, ret
                let code = mmap(nil, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
                code.storeBytes(of: 0xC3CC, as: UInt16.self)
                unsafeBitCast(code, to: (@convention(c) () -> Void).self)()
                exit(0)
            }
            let record = try #require(try record())
            #expect(record.signal == SIGTRAP && record.code > 0)
        }
    #endif

    @Test("abort, and a bad pointer, end by their signals", arguments: [SIGABRT, SIGSEGV])
    func otherEnds(_ number: Int32) async throws {
        await #expect(processExitsWith: .signal(number)) { [path = path as String, number = number as Int32] in
            // What Swift's backtrace has installed would end the process otherwise.
            for each in [SIGABRT, SIGSEGV] { signal(each, SIG_DFL) }
            _ = try LogService.shared.recordCrashes(in: path)
            if number == SIGABRT { abort() }
            UnsafeMutablePointer<Int>(bitPattern: 16)!.pointee = 1
        }
        let record = try #require(try record())
        #expect(record.signal == number && record.latestSequence == 0)
        #expect(record.address == (number == SIGSEGV ? 16 : 0))
    }

    @Test("a handler that was there before runs afterwards")
    func anEarlierHandler() async throws {
        await #expect(processExitsWith: .exitCode(9)) { [path = path as String] in
            signal(SIGABRT) { _ in _exit(9) }
            _ = try LogService.shared.recordCrashes(in: path)
            abort()
        }
        #expect(try record()?.signal == SIGABRT)
    }

    @Test func aRunThatEndsWellLeavesNothingAndARecordIsReadOnce() async throws {
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            _ = try LogService.shared.recordCrashes(in: path)
            LogService.info("all is well")
            exit(3)
        }
        await #expect(processExitsWith: .signal(SIGABRT)) { [path = path as String] in
            signal(SIGABRT, SIG_DFL)
            guard try LogService.shared.recordCrashes(in: path) == nil else { exit(0) }
            abort()
        }
        await #expect(processExitsWith: .exitCode(4)) { [path = path as String] in
            let first = try LogService.shared.recordCrashes(in: path)?.signal
            exit(try first == SIGABRT && LogService.shared.recordCrashes(in: path) == nil ? 4 : 5)
        }
        #expect(try record() == nil)
    }

    @Test func whatIsNoRecordStaysAsItIs() throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(descriptor >= 0 && write(descriptor, "my diary\n", 9) == 9)
        close(descriptor)
        #expect(throws: CrashRecordError.notACrashRecord(path: path)) { try LogService().recordCrashes(in: path) }
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_size == 9)
        unlink(path)
        #expect(throws: CrashRecordError.cannotOpen(path: path + "/below", errno: ENOENT)) {
            try LogService().recordCrashes(in: path + "/below")
        }
        #expect(throws: CrashRecordError.notACrashRecord(path: "/dev/null")) { try LogService().recordCrashes(in: "/dev/null") }
    }

    @Test("of more records than are read, the last counts")
    func manyRecords() throws {
        let text = (1...200).map { "crashed signal=11 code=1 address=0x0 process=\($0) thread=1 time=1 sequence=1\n" }.joined()
        let file = try #require(fopen(path, "w"))
        #expect(fputs(text, file) >= 0 && fclose(file) == 0 && text.utf8.count > 8192)
        #expect(try record()?.process == 200)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_size == 0)
    }

    @Test("what a loss of power may leave of a record is none, and the next is kept", arguments: ["cras", "\0\0\0\0\0\0\0\0\0\0"])
    func aTornBeginning(_ left: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(descriptor >= 0 && write(descriptor, left, left.utf8.count) == left.utf8.count)
        close(descriptor)
        #expect(try record() == nil)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_size == 0)
    }

    @Test("something that is no record is left alone, whatever its last lines say")
    func aLongFileOfSomebodyElse() throws {
        let text = "a diary\n" + String(repeating: "crashed signal=11 code=1 address=0x0 process=1 thread=1 time=1 sequence=1\n", count: 100)
        let file = try #require(fopen(path, "w"))
        #expect(fputs(text, file) >= 0 && fclose(file) == 0)
        #expect(throws: CrashRecordError.notACrashRecord(path: path)) { try LogService().recordCrashes(in: path) }
    }

    @Test(arguments: [
        "", "crashed", "crashed signal=11", "crashed signal=11 code=1 address=0x0 process=1 thread=1 time=1 sequence=",
        "crashed signal=11 code=1 address=10 process=1 thread=1 time=1 sequence=1",
        "crashed signal=11 code=1 address=0x0 process=1 thread=1 time=1 sequence=1 more=1",
    ])
    func aTornLineIsNoRecord(_ line: String) {
        #expect(CrashRecord(line: line) == nil)
    }
}
