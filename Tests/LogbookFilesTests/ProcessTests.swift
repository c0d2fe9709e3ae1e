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

/// From here on no file may be larger, and what tries is told by a signal that ends the process, whatever mask and disposition it was
/// started with.
private func letFileSizeSignalThrough(at bytes: UInt64) throws {
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes)), signals = sigset_t()
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
    signal(SIGXFSZ, SIG_DFL)
    sigemptyset(&signals)
    sigaddset(&signals, SIGXFSZ)
    try #require(pthread_sigmask(SIG_UNBLOCK, &signals, nil) == 0)
}

/// What happens to whole processes: they end, are killed, run out of room, or write to one file together.
@Suite struct ProcessTests {
    private let folder = TemporaryFolder()

    @Test("F15: what was queued is in the file after exit()")
    func exits() async {
        let path = folder.path
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            LogService.exitFlushLimit = .seconds(60)
            LogService.shared.register(
                try FileLogProvider(in: path, format: MessageFormat()),
                delivery: .queued(QueuePolicy(linger: .seconds(3600))))
            for number in 1...1000 { LogService.shared.info("\(number)") }
            exit(3)
        }
        #expect(folder.lines("app.log") == (1...1000).map { "\($0)" })
    }

    @Test("F15: what was queued is in the file when a signal ends the program", arguments: [SIGTERM, SIGINT])
    func endsBySignal(number: Int32) async {
        let path = folder.path
        await #expect(processExitsWith: .signal(number)) { [path = path as String, number = number as Int32] in
            alarm(120)
            LogService.shared.register(
                try FileLogProvider(in: path, format: MessageFormat(), rolling: RollingPolicy(maximumBytes: 2000, maximumArchives: 0)),
                delivery: .queued(QueuePolicy(linger: .seconds(60))))
            try LogService.flushOnSignals(within: .seconds(60))
            for number in 1...1000 { LogService.shared.info("\(number)") }
            kill(getpid(), number)
            while true { pause() }
        }
        #expect(folder.allLines() == (1...1000).map { "\($0)" })
    }

    @Test("row 25: a forked child may write its parent's file with a provider of its own")
    func forkedChild() async {
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            func openFile() throws -> FileLogProvider { try FileLogProvider(in: path, format: MessageFormat()) }
            let service = LogService()
            service.register(try openFile())
            service.info("before")
            let status = forked {
                service.info("dropped")
                service.reinitializeAfterFork()
                guard let own = try? openFile() else { return false }
                service.register(own)
                service.info("in the child")
                return true
            }
            #expect(status == 0)
            service.info("after")
            service.shutdown(by: .seconds(30))
        }
        #expect(folder.lines("app.log") == ["before", "in the child", "after"])
    }

    @Test("row 25: a forked child that closes its parent's provider, or lets go of it, does not unlock the parent's file", arguments: [false, true])
    func forkedChildLetsGo(closes: Bool) async {
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String, closes = closes as Bool] in
            var provider: FileLogProvider? = try FileLogProvider(in: path, format: MessageFormat())
            provider?.log(event("one"))
            let status = forked {
                if closes { try? provider?.shutdown(by: .seconds(30)) } else { provider = nil }
                return true
            }
            #expect(status == 0)
            let files = SystemFileSystem(), folder = try files.openFolder(at: path)
            #expect(try !files.tryLock(files.openForLocking("app.log", in: folder)))   // else it might be compressed, once it has rolled
            provider?.log(event("two"))
            try provider?.shutdown(by: .seconds(30))
            #expect(try files.tryLock(files.openForLocking("app.log", in: folder)))
        }
        #expect(folder.lines("app.log") == ["one", "two"])
    }

    @Test("what a program prints whose standard streams are closed gets into none of its files")
    func closedStreams() async {
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            for stream: Int32 in 0...2 { close(stream) }
            func printSomething() { for stream: Int32 in 0...2 { #expect(write(stream, "printed\n", 8) == -1) } }
            let provider = try FileLogProvider(in: path, format: MessageFormat())
            printSomething()
            provider.log(event("1"))
            try provider.roll()
            printSomething()
            provider.log(event("2"))
            printSomething()
        }
        #expect(folder.allLines() == ["1", "2"])
    }

    @Test("row 9: at a limit of the file's size the process lives, and a new file helps")
    func fileSizeLimit() async {
        let path = folder.path
        // The signal would end it: whoever writes without holding it back is ended.
        await #expect(processExitsWith: .signal(SIGXFSZ)) { [path = path as String] in
            let file = open(path + "/unguarded", O_WRONLY | O_CREAT, 0o600)
            try #require(file >= 0)
            try letFileSizeSignalThrough(at: 4096)
            for _ in 1...2 { _ = write(file, String(repeating: "x", count: 4096), 4096) }
        }
        unlink(path + "/unguarded")
        await #expect(processExitsWith: .success) { [path = path as String] in
            let provider = try FileLogProvider(
                in: path, format: MessageFormat(), rolling: RollingPolicy(maximumArchives: 0))
            try letFileSizeSignalThrough(at: 4096)
            for number in 1...200 { provider.log(event("\(number) " + String(repeating: "x", count: 95))) }
            #expect(provider.ledger == LogLedger(submitted: 200, delivered: 200))

            provider.log(event(String(repeating: "y", count: 5000)))
            provider.log(event("after"))
            #expect(provider.ledger == LogLedger(submitted: 202, delivered: 201, dropped: [.oversize: 1]))
        }
        let lines = folder.allLines()
        #expect(lines.dropLast(2).map { $0.split(separator: " ").first ?? "" } == (1...200).map { "\($0)" })
        #expect(lines.dropLast().last?.hasPrefix("1 event is missing here: an event of 5001 bytes is larger than ") == true)
        #expect(lines.last == "after")
    }

    @Test("row 9: files that the limit has begun have their header, and a line that no file may hold begins none")
    func fileSizeLimitAndHeader() async {
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let provider = try FileLogProvider(
                in: path, format: MessageFormat(), header: "a header", rolling: RollingPolicy(maximumArchives: 0))
            try letFileSizeSignalThrough(at: 4096)
            for number in 1...100 { provider.log(event("\(number) " + String(repeating: "x", count: 95))) }
            for _ in 1...3 { provider.log(event(String(repeating: "y", count: 5000))) }
            provider.log(event("after"))
            #expect(provider.ledger == LogLedger(submitted: 104, delivered: 101, dropped: [.oversize: 3]))
        }
        let files = (folder.archives() + ["app.log"]).map { folder.lines($0) }
        #expect(files.allSatisfy { $0.first == "a header" && $0.count > 1 })
        var words: [String] = []
        for line in files.flatMap({ Array($0.dropFirst()) }) where !line.contains("missing here") {
            words.append(String(line.prefix { $0 != " " }))
        }
        #expect(words == (1...100).map(String.init) + ["after"])
    }

    @Test("row 9: a line that no file may hold is counted by its queue, and the others are written")
    func fileSizeLimitBehindAQueue() async {
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 0))))   // nobody is told of the loss
            let registration = service.register(
                try FileLogProvider(in: path, format: MessageFormat(), rolling: RollingPolicy(maximumArchives: 0)), delivery: .queued())
            try letFileSizeSignalThrough(at: 4096)
            for number in 1...20 { service.info("\(number)") }
            service.info("\(String(repeating: "y", count: 5000))")
            service.info("after")
            #expect(service.flush(by: .seconds(30)).isComplete)
            #expect(registration.ledger == LogLedger(submitted: 22, delivered: 21, dropped: [.oversize: 1]))
        }
        let lines = folder.allLines()
        #expect(lines.filter { !$0.contains("missing here") } == (1...20).map { "\($0)" } + ["after"])
        #expect(lines.contains { $0.hasPrefix("1 event is missing here: an event of 5001 bytes is larger than ") })
    }

    private static let canMount =
        geteuid() == 0
        && output(
            of: "d=$(mktemp -d) && mount -t tmpfs -o size=64k none $d 2>/dev/null && umount $d && echo yes; rmdir $d")
            == "yes\n"

    @Test(
        "F20, row 7: a full disk costs only what it cannot hold, and writing goes on once there is room",
        .enabled(if: canMount, "needs a small file system of its own"))
    func fullDisk() throws {
        output(of: "mount -t tmpfs -o size=64k none '\(folder.path)'")
        defer { output(of: "umount '\(folder.path)'") }
        // With a clock that stands still, nobody is told of the loss.
        let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 0))))
        let other = RecordingProvider()
        let file = service.register(try FileLogProvider(in: folder.path, format: MessageFormat()))
        service.register(other)
        folder.write(String(repeating: "-", count: 40_000), to: "ballast")
        for number in 1...1000 { service.info("\(number) \(String(repeating: "x", count: 90)) end") }
        let full = file.ledger
        #expect(full.submitted == 1000)
        #expect(full.dropped == [.inputOutputError: 1000 - full.delivered])
        #expect(full.delivered > 0 && full.delivered < 1000)
        #expect(other.messages.count == 1000)
        #expect(folder.lines("app.log").count == Int(full.delivered))

        output(of: "rm '\(folder.path)/ballast'")
        service.info("room again end")
        let marker = "\(1000 - full.delivered) events are missing here: "
        #expect(folder.lines("app.log").suffix(2).first?.hasPrefix(marker) == true)
        #expect(folder.lines("app.log").filter { !$0.hasSuffix(" end") }.count == 1)
        #expect(folder.lines("app.log").last == "room again end")
        #expect(file.ledger.delivered == full.delivered + 1)
        withExtendedLifetime(file) {}
    }

    #if canImport(Glibc)
    @Test("row 15: a disk that the kernel makes read-only is named by its error, costs what it cannot take, and nobody else anything",
          .enabled(if: LoopDisk.isPossible, "needs a small file system of its own"), arguments: [FileDurability.process, .power])
    func readOnlyDisk(durability: FileDurability) throws {
        let disk = try LoopDisk(megabytes: 8)
        // With a clock that stands still, nobody is told of the loss.
        let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 0)))), other = RecordingProvider()
        let file = service.register(try FileLogProvider(in: disk.path, format: MessageFormat(), durability: durability))
        service.register(other)
        for number in 1...10 { service.info("\(number)") }
        try disk.becomeReadOnly()
        for number in 11...20 { service.info("\(number)") }
        #expect(file.ledger == LogLedger(submitted: 20, delivered: 10, dropped: [.inputOutputError: 10]))
        #expect(other.messages.count == 20)
        let health = service.health().description
        #expect(health.contains("Read-only file system"), "\(health)")
        #expect(!service.shutdown(by: .seconds(30)).isComplete)
        #expect(output(of: "cat '\(disk.path)/app.log'") == (1...10).map { "\($0)\n" }.joined())
    }
    #endif

    @Test("F24: two processes write one file and roll it; every line is there once, and whole")
    func twoProcesses() async {
        async let first: Void = writeFromAnotherProcess("a")
        async let second: Void = writeFromAnotherProcess("b")
        _ = await (first, second)

        var next = ["a": 0, "b": 0]
        for line in folder.allLines() {
            let parts = line.split(separator: " ")
            guard parts.count == 4, let writer = parts.first.map(String.init), let number = Int(parts[1]) else {
                Issue.record("torn: \(line.prefix(80))")
                continue
            }
            #expect(number == next[writer])
            #expect(parts[2].utf8.count == ProcessTests.length(number))
            #expect(parts[3] == "end")
            next[writer] = number + 1
        }
        #expect(next == ["a": ProcessTests.count, "b": ProcessTests.count])
        #expect(folder.archives().count > 3)
    }

    fileprivate static let count = 20_000
    /// Mostly short, some as long as a page, a few as long as a pipe.
    fileprivate static func length(_ number: Int) -> Int {
        number % 500 == 0 ? 65_000 : number % 50 == 0 ? 4096 : 1 + number % 120
    }

    private func writeFromAnotherProcess(_ name: String) async {
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String, name = name as String] in
            let provider = try FileLogProvider(
                in: path, format: MessageFormat(), rolling: RollingPolicy(maximumBytes: 100_000, maximumArchives: 0))
            for number in 0..<ProcessTests.count {
                provider.log(
                    event("\(name) \(number) \(String(repeating: "x", count: ProcessTests.length(number))) end"))
            }
            #expect(
                provider.ledger
                    == LogLedger(submitted: UInt64(ProcessTests.count), delivered: UInt64(ProcessTests.count)))
        }
    }
}
