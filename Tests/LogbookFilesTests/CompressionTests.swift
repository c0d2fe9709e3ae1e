import LogbookCompression
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

@Suite struct CompressionTests {
    private let folder = TemporaryFolder(inMemory: true)
    private let clock = ManualClock(now: LogTime(nanoseconds: 1_763_720_960_000_000_000))

    /// A provider that tells when an archive was compressed.
    private final class Bench: Sendable {
        let provider: FileLogProvider
        private let compressed: Monitor<[LogArchive]>

        init(
            _ folder: TemporaryFolder, _ policy: RollingPolicy, files: FaultyFileSystem = FaultyFileSystem(),
            clock: ManualClock
        ) throws {
            let compressed = Monitor<[LogArchive]>([])
            self.compressed = compressed
            provider = try FileLogProvider(
                in: folder.path, format: MessageFormat(), rolling: policy, files: files, clock: .manual(clock)
            ) { event in
                guard case .compressed(let archive) = event else { return }
                compressed.withLock { access in
                    access.value.append(archive)
                    access.broadcast()
                }
            }
        }

        @discardableResult
        func waitForCompressed(_ count: Int) -> [LogArchive] {
            compressed.withLock { access in
                while access.value.count < count { if !access.wait(until: .seconds(30)) { break } }
                return access.value
            }
        }
    }

    private var policy: RollingPolicy { RollingPolicy(maximumArchives: 0, compression: .gzip) }

    private func inflated(_ name: String) -> String { output(of: "gunzip -c '\(folder.path)/\(name)'") }

    @Test("C1: an archive becomes a .gz that gunzip gives back to the byte; a part is invisible")
    func compresses() throws {
        let bench = try Bench(folder, policy, clock: clock)
        let lines = (1...20_000).map { "line \($0 * 7919) of the log" }
        try bench.provider.write(lines.map { event($0) })
        let archive = try #require(try bench.provider.roll())
        let compressed = try #require(bench.waitForCompressed(1).first)
        #expect(compressed.id == archive.id)
        #expect(compressed.path == archive.path + ".gz")
        #expect(folder.archives() == [String(compressed.path.split(separator: "/").last!)])
        #expect(folder.status(folder.archives()[0])!.bytes == compressed.bytes)
        #expect(compressed.bytes < archive.bytes / 2)
        #expect(folder.status(folder.archives()[0])!.permissions == 0o600)
        #expect(inflated(folder.archives()[0]) == lines.joined(separator: "\n") + "\n")
        #expect(ArchiveName("." + folder.archives()[0] + ".part", of: try LogFileName("app")) == nil)
    }

    @Test("C3: with no room the source stays, the part goes, and it is tried again later")
    func noRoom() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(28), only: ["openNew"])
        let bench = try Bench(folder, policy, files: files, clock: clock)
        bench.provider.log(event("one"))
        try bench.provider.roll()
        for _ in 1...3000 where files.faults == 0 { usleep(10_000) }
        #expect(files.faults == 1)
        // Whenever the thread sets its alarm, the clock rings it. What the folder holds in between is the next test's.
        for _ in 1...3000 where folder.archives().first?.hasSuffix(".gz") != true {
            clock.advance(by: .seconds(60))
            usleep(10_000)
        }
        #expect(inflated(folder.archives()[0]) == "one\n")
        #expect(bench.waitForCompressed(1).count == 1)
    }

    @Test("C3: a fault at any call of a compression loses nothing and leaves no part")
    func faults() throws {
        for fault in [FaultyFileSystem.Fault.failure(28), .failure(5), .shortWrite, .tornWrite(28)] {
            let only: Set<String> = ["openNew", "read", "append", "rename", "remove", "synchronizeFolder", "openFolder"]
            for call in 1... {
                let folder = TemporaryFolder(inMemory: true)
                let plain = try FileLogProvider(
                    in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumArchives: 0))
                try plain.write((1...50).map { event("line \($0)") })
                try plain.roll()
                try plain.shutdown(by: .seconds(30))
                let files = FaultyFileSystem(failing: call, with: fault, only: only)
                let compressor = ArchiveCompressor(
                    of: try LogFileName("app"), in: folder.path, files: files, clock: .manual(clock))
                compressor.wake(.gzip)
                compressor.waitUntilIdle()
                compressor.close(by: .seconds(30))
                #expect(output(of: "cd '\(folder.path)' && ls -A | grep -c part") == "0\n", "\(fault) at call \(call)")
                let next = try FileLogProvider(
                    in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumArchives: 0))
                let all = output(of: "cd '\(folder.path)' && zcat -f app-*")
                #expect(all == (1...50).map { "line \($0)\n" }.joined(), "\(fault) at call \(call)")
                withExtendedLifetime(next) {}
                if files.faults == 0 { break }
                try #require(call < 100)
            }
        }
    }

    @Test("C3: an archive that cannot be read keeps no others from being compressed, and is tried again")
    func unreadable() throws {
        let plain = try FileLogProvider(in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumArchives: 0))
        for number in 1...3 {
            plain.log(event("\(number)"))
            try plain.roll()
        }
        try plain.shutdown(by: .seconds(30))
        let oldest = folder.archives()[0]
        let files = FaultyFileSystem()
        files.fail(EACCES, in: "openForLocking", of: oldest)
        let compressor = ArchiveCompressor(of: try LogFileName("app"), in: folder.path, files: files, clock: .manual(clock))
        compressor.wake(.gzip)
        compressor.waitUntilIdle()
        #expect(folder.archives().map { $0.hasSuffix(".gz") } == [false, true, true])

        files.fail(nil, in: "openForLocking", of: oldest)
        clock.advance(by: .seconds(60))
        compressor.waitUntilIdle()
        #expect(folder.archives().map { inflated($0) } == ["1\n", "2\n", "3\n"])
        compressor.close(by: .seconds(30))
    }

    @Test(
        "C3: a part of a gzip file under the full name, as a gzip by hand leaves it that is killed, costs no archive",
        arguments: [true, false])
    func partUnderTheFullName(compresses: Bool) throws {
        let plain = RollingPolicy(maximumArchives: 0)
        let first = try FileLogProvider(in: folder.path, format: MessageFormat(), rolling: plain)
        let lines = (1...20_000).map { "line \($0 * 7919) of the log" }
        try first.write(lines.map { event($0) })
        try first.roll()
        try first.shutdown(by: .seconds(30))
        let archive = folder.archives()[0]
        output(of: "cd '\(folder.path)' && gzip -k \(archive)")
        let whole = folder.bytes(archive + ".gz")
        try #require(whole.count > 1000)
        let compressor = ArchiveCompressor(
            of: try LogFileName("app"), in: folder.path, files: SystemFileSystem(), clock: .manual(clock))
        func finish() throws {
            if compresses {
                compressor.wake(.gzip)
                compressor.waitUntilIdle()
            } else {
                try FileLogProvider(in: folder.path, format: MessageFormat(), rolling: plain).shutdown(by: .seconds(30))
            }
        }
        for count in [0, whole.count / 2, whole.count - 1] {
            folder.write(Array(whole.prefix(count)), to: archive + ".gz")
            try finish()
            #expect(folder.archives() == [archive, archive + ".gz"], "\(count) of \(whole.count) bytes")
            #expect(folder.lines(archive) == lines)
        }
        folder.write(whole, to: archive + ".gz")
        try finish()
        #expect(folder.archives() == [archive + ".gz"])
        compressor.close(by: .seconds(30))
    }

    private let plain = RollingPolicy(maximumArchives: 0)

    /// Leaves an archive with one line, and nobody at work on it.
    /// - Returns: Its name.
    private func archived(_ message: String) throws -> String {
        let provider = try FileLogProvider(in: folder.path, format: MessageFormat(), rolling: plain)
        provider.log(event(message))
        try provider.roll()
        try provider.shutdown(by: .seconds(30))
        return folder.archives()[0]
    }

    @Test("C3: a gzip file of something else, under an archive's name, costs no archive", arguments: [true, false])
    func anotherContent(compresses: Bool) throws {
        let archive = try archived("one")
        output(of: "cd '\(folder.path)' && echo another | gzip > \(archive).gz")
        let policy = compresses ? self.policy : plain
        let next = try FileLogProvider(in: folder.path, format: MessageFormat(), rolling: policy)
        next.log(event("two"))
        try next.roll()
        if compresses { #expect(becomesTrue { folder.archives().last?.hasSuffix(".gz") == true && folder.archives().count == 3 }) }
        #expect(folder.lines(archive) == ["one"])
        #expect(inflated(archive + ".gz") == "another\n")
        try next.shutdown(by: .seconds(30))
    }

    @Test(
        "S7, C3: a gzip file of another user under an archive's name costs no archive, whatever it says of itself",
        .enabled(if: geteuid() == 0, "only root can give files away"), arguments: [true, false])
    func twinOfAnotherUser(compresses: Bool) throws {
        let archive = try archived("one")
        output(of: "cd '\(folder.path)' && echo two | gzip > \(archive).gz && chown 12345 \(archive).gz")
        try finish(compresses)
        #expect(folder.lines(archive) == ["one"])
        output(of: "cd '\(folder.path)' && chown $(id -u) \(archive).gz")   // as long as the archive, which is all that is known of it
        try finish(compresses)
        #expect(folder.archives() == [archive + ".gz"])
    }

    /// Looks at what compressions have left in the folder, as a program does when it starts.
    private func finish(_ compresses: Bool, files: FaultyFileSystem = FaultyFileSystem()) throws {
        if compresses {
            let compressor = ArchiveCompressor(of: try LogFileName("app"), in: folder.path, files: files, clock: .manual(clock))
            compressor.wake(.gzip)
            compressor.waitUntilIdle()
            compressor.close(by: .seconds(30))
        } else {
            let provider = try FileLogProvider(in: folder.path, format: MessageFormat(), rolling: plain, files: files)
            withExtendedLifetime(provider) {}
        }
    }

    @Test("C3: a gzip file that somebody else has made is made safe before its source goes, which stays where that fails", arguments: [true, false])
    func twinThatIsNotSafe(compresses: Bool) throws {
        let archive = try archived("one")
        output(of: "cd '\(folder.path)' && gzip -k \(archive)")
        try finish(compresses, files: FaultyFileSystem(failing: 1, with: .failure(EIO), only: ["synchronize"]))
        #expect(folder.archives() == [archive, archive + ".gz"])
        try finish(compresses)
        #expect(folder.archives() == [archive + ".gz"])
    }

    @Test("C3: on NFS, where only what was opened for writing can be locked alone, archives are compressed as well")
    func network() throws {
        let files = FaultyFileSystem()
        files.lockAsNetworkDoes()
        let bench = try Bench(folder, policy, files: files, clock: clock)
        bench.provider.log(event("one"))
        let archive = try #require(try bench.provider.roll())
        #expect(bench.waitForCompressed(1).map(\.path) == [archive.path + ".gz"])
        #expect(folder.archives().map { inflated($0) } == ["one\n"])
    }

    @Test("C4: compressed archives count in the limits, and are deleted by them")
    func limits() throws {
        var policy = policy
        policy.maximumArchives = 3
        policy.maximumAge = .seconds(86_400)
        let bench = try Bench(folder, policy, clock: clock)
        for number in 1...8 {
            bench.provider.log(event("\(number)", at: clock.now))
            try bench.provider.roll()
            bench.waitForCompressed(number)
        }
        #expect(folder.archives().map { inflated($0) } == ["6\n", "7\n", "8\n"])
        policy.maximumArchives = 0
        policy.maximumTotalBytes = folder.archives().suffix(2).reduce(0) { $0 + folder.status($1)!.bytes }
        bench.provider.change(policy)
        #expect(folder.archives().map { inflated($0) } == ["7\n", "8\n"])
        for _ in 1...25 { clock.advance(by: .seconds(3600)) }
        #expect(folder.archives() == [])
    }

    @Test("C5: rolls during a compression are compressed too, each once")
    func rollsMeanwhile() throws {
        let bench = try Bench(folder, policy, clock: clock)
        let large = String(repeating: "all work and no play ", count: 200_000)
        bench.provider.log(event(large))
        for number in 1...5 {
            try bench.provider.roll()
            bench.provider.log(event("\(number)"))
        }
        try bench.provider.roll()
        let archives = bench.waitForCompressed(6)
        #expect(archives.map(\.number) == [1, 2, 3, 4, 5, 6])
        #expect(folder.archives().allSatisfy { $0.hasSuffix(".gz") })
        #expect(folder.archives().map { inflated($0).count } == [large.count + 1, 2, 2, 2, 2, 2])
    }

    @Test("C5: after a roll only what the manifest lists since is looked at; the folder is listed once a minute")
    func looksAtWhatIsNew() throws {
        let plain = try FileLogProvider(in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumArchives: 0))
        let files = FaultyFileSystem()
        let compressor = ArchiveCompressor(of: try LogFileName("app"), in: folder.path, files: files, clock: .manual(clock))
        func roll(_ number: Int) throws {
            plain.log(event("\(number)"))
            try plain.roll()
            compressor.wake(.gzip, for: .new)
            compressor.waitUntilIdle()
        }
        func listings() -> Int { files.calls.count { $0 == "names" } }
        for number in 1...5 {
            try roll(number)
            #expect(folder.archives().count == number && folder.archives().allSatisfy { $0.hasSuffix(".gz") })
        }
        #expect(folder.archives().map { inflated($0) } == (1...5).map { "\($0)\n" })
        #expect(listings() == 1)
        clock.advance(by: .seconds(60))
        try roll(6)
        #expect(folder.archives().map { inflated($0) } == (1...6).map { "\($0)\n" })
        #expect(listings() == 2)
        compressor.close(by: .seconds(30))
        try plain.shutdown(by: .seconds(30))
    }

    @Test("C5: an archive whose line stood in the manifest before its file had the name is compressed once it has")
    func lineBeforeTheName() throws {
        let disk = FaultyFileSystem(failing: 2, with: .failure(5), only: ["rename"]), time = ManualClock(now: clock.now)
        let plain = try FileLogProvider(
            in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumArchives: 0), files: disk, clock: .manual(time))
        let compressor = ArchiveCompressor(
            of: try LogFileName("app"), in: folder.path, files: SystemFileSystem(), clock: .manual(clock))
        func look() {
            compressor.wake(.gzip, for: .new)
            compressor.waitUntilIdle()
        }
        plain.log(event("one"))
        try plain.roll()
        look()
        plain.log(event("two"))
        #expect(throws: FileLogProviderError.self) { try plain.roll() }
        look()
        #expect(folder.archives().map { inflated($0) } == ["one\n"])
        time.advance(by: .seconds(60))
        try plain.roll()
        look()
        #expect(folder.archives().map { inflated($0) } == ["one\n", "two\n"])
        compressor.close(by: .seconds(30))
        try plain.shutdown(by: .seconds(30))
    }

    @Test("C5: an archive that its writer had still in hand during a look is looked at again once the roll is over, not a minute later")
    func lookDuringARoll() throws {
        let plain = try FileLogProvider(in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumArchives: 0))
        let files = SystemFileSystem()
        let compressor = ArchiveCompressor(of: try LogFileName("app"), in: folder.path, files: files, clock: .manual(clock))
        func look() {
            compressor.wake(.gzip, for: .new)
            compressor.waitUntilIdle()
        }
        plain.log(event("one"))
        try plain.roll()
        let archive = folder.archives()[0], handle = try files.openFolder(at: folder.path)
        let writer = try files.openForAppending(archive, in: handle, permissions: 0o600)
        #expect(try files.tryLockShared(writer))
        look()
        #expect(folder.archives() == [archive])
        files.unlock(writer)   // a program that another test is just starting has it too
        files.close(writer)
        look()
        #expect(folder.archives() == [archive + ".gz"])
        files.close(handle)
        compressor.close(by: .seconds(30))
        try plain.shutdown(by: .seconds(30))
    }

    @Test("C5: of a log that began anew, whose numbers are smaller, archives are compressed as well")
    func logThatBeganAnew() throws {
        let compressor = ArchiveCompressor(
            of: try LogFileName("app"), in: folder.path, files: SystemFileSystem(), clock: .manual(clock))
        for messages in [["one", "two"], ["three"]] {
            let plain = try FileLogProvider(in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumArchives: 0))
            for message in messages {
                plain.log(event(message))
                try plain.roll()
            }
            try plain.shutdown(by: .seconds(30))
            compressor.wake(.gzip, for: .new)
            compressor.waitUntilIdle()
            #expect(folder.archives().map { inflated($0) } == messages.map { $0 + "\n" })
            output(of: "rm -r '\(folder.path)'")
        }
        compressor.close(by: .seconds(30))
    }

    /// Leaves archives of one line each, as a run does that has ended.
    private func leaveArchives(_ count: Int) throws {
        let plain = try FileLogProvider(in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumArchives: 0))
        for number in 1...count {
            plain.log(event("\(number)"))
            try plain.roll()
        }
        try plain.shutdown(by: .seconds(30))
    }

    @Test("R2, C5: limits without a compression end it with the archive that is in hand")
    func noLongerWanted() throws {
        try leaveArchives(3)
        let own = Locked<FileLogProvider?>(nil), isChanged = Flag()
        let provider = try FileLogProvider(
            in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumArchives: 0), files: SystemFileSystem(),
            clock: .manual(clock)
        ) { event in
            guard case .compressed = event else { return }
            own.withLock { $0 }?.change(RollingPolicy(maximumArchives: 0))   // on the compressor's thread
            isChanged.open()
        }
        own.withLock { $0 = provider }
        provider.change(policy)
        #expect(isChanged.wait())
        try provider.shutdown(by: .seconds(30))
        #expect(folder.archives().map { $0.hasSuffix(".gz") } == [true, false, false])
        own.withLock { $0 = nil }
    }

    @Test("R2, C3: what was left for later is not compressed once nobody wants it to be")
    func noLongerWantedLater() throws {
        try leaveArchives(1)
        let files = FaultyFileSystem(), archive = folder.archives()[0]
        let compressor = ArchiveCompressor(of: try LogFileName("app"), in: folder.path, files: files, clock: .manual(clock))
        files.fail(EIO, in: "openForLocking", of: archive)
        compressor.wake(.gzip)
        compressor.waitUntilIdle()
        files.fail(nil, in: "openForLocking", of: archive)
        compressor.rest()
        clock.advance(by: .seconds(60))
        compressor.waitUntilIdle()
        #expect(folder.archives() == [archive])
        compressor.wake(.gzip)
        compressor.waitUntilIdle()
        #expect(folder.archives() == [archive + ".gz"])
        compressor.close(by: .seconds(30))
    }

    @Test("F24: an archive that another process may still write to is not compressed until it lets go")
    func heldByWriter() throws {
        let bench = try Bench(folder, policy, clock: clock)
        bench.provider.log(event("one"))
        let files = SystemFileSystem()
        let handle = try files.openFolder(at: folder.path)
        let late = try files.openForAppending("app.log", in: handle, permissions: 0o600)
        #expect(try files.tryLockShared(late))
        let archive = try #require(try bench.provider.roll())
        let line = Array("late\n".utf8)
        _ = try line.withUnsafeBytes { try files.append($0, to: late) }
        #expect(folder.archives().map { folder.text($0) } == ["one\nlate\n"])
        files.close(late)
        files.close(handle)
        for _ in 1...3000 where folder.status(String(archive.path.split(separator: "/").last!)) != nil {
            clock.advance(by: .seconds(60))
            usleep(10_000)
        }
        #expect(folder.archives().map { inflated($0) } == ["one\nlate\n"])
    }
}
