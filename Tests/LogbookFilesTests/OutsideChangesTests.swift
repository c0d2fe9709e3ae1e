import LogbookCore
import LogbookFormat
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

/// Other programs do things to our files.
@Suite struct OutsideChangesTests {
    private let folder = TemporaryFolder()
    private let clock = ManualClock(now: LogTime(nanoseconds: 1_763_720_960_000_000_000))
    private let provider: FileLogProvider

    init() throws {
        provider = try FileLogProvider(
            in: folder.path, format: MessageFormat(), files: SystemFileSystem(), clock: .manual(clock))
    }

    private func log(_ messages: String...) { for message in messages { provider.log(event(message)) } }

    @Test("F22, row 16: after a rename the next line is in a new file, and the old one is left alone")
    func renamed() throws {
        log("one")
        output(of: "mv '\(folder.path)/app.log' '\(folder.path)/app.log.1'")
        log("two", "three")
        #expect(folder.text("app.log.1") == "one\n")
        #expect(folder.text("app.log") == "two\nthree\n")
    }

    @Test("F22, row 16: a file that was put there instead is written on")
    func renamedAndMade() throws {
        log("one")
        output(of: "cd '\(folder.path)' && mv app.log app.log.1 && (umask 077; : > app.log)")
        log("two")
        #expect(folder.text("app.log.1") == "one\n")
        #expect(folder.text("app.log") == "two\n")
    }

    @Test("row 16: a file that is rolled, delivered and deleted before it is locked gets no line")
    func removedBeforeItIsLocked() throws {
        let files = FaultyFileSystem()
        let other = try FileLogProvider(
            in: folder.path, name: "other", format: MessageFormat(), files: files, clock: .manual(clock))
        other.log(event("one"))
        output(of: "cd '\(folder.path)' && mv other.log kept.log")
        let gate = Gate(), done = Gate()
        files.hold("tryLockShared", at: gate)
        LogThread.start("writer") {
            other.log(event("two"))
            done.open()
        }
        #expect(gate.waitForArrivals(1))
        output(of: "cd '\(folder.path)' && mv other.log rolled.log && rm rolled.log")
        gate.open()
        done.wait()
        #expect(folder.lines("other.log") == ["two"])
        #expect(folder.lines("kept.log") == ["one"])
        #expect(other.ledger == LogLedger(submitted: 2, delivered: 2))
    }

    @Test("row 16: a removed file is made again")
    func removed() throws {
        log("one")
        output(of: "rm '\(folder.path)/app.log'")
        log("two")
        #expect(folder.text("app.log") == "two\n")
        #expect(provider.ledger == LogLedger(submitted: 2, delivered: 2))
    }

    @Test("F21: a removed folder is made again")
    func folderRemoved() throws {
        log("one")
        output(of: "rm -rf '\(folder.path)'")
        log("two")
        #expect(folder.text("app.log") == "two\n")
        try provider.flush(by: .seconds(30))
    }

    @Test("F23, row 17: copytruncate leaves no hole, and the size counts from zero")
    func truncated() throws {
        log("one", "two")
        output(of: "cd '\(folder.path)' && cp app.log copy && : > app.log")
        log("three")
        #expect(folder.text("copy") == "one\ntwo\n")
        #expect(folder.text("app.log") == "three\n")
    }

    @Test("F23: copytruncate under load leaves only whole lines and no zeros")
    func truncatedUnderLoad() throws {
        let stop = Locked(false)
        let done = Gate()
        let provider = provider
        LogThread.start("writer") {
            var number = 0
            while !stop.withLock({ $0 }) {
                number += 1
                provider.log(event("line \(number) ends here"))
            }
            done.open()
        }
        var copies = ""
        for _ in 1...20 { copies += output(of: "cd '\(folder.path)' && cat app.log && truncate -s 0 app.log") }
        stop.withLock { $0 = true }
        done.wait()
        let all = copies + folder.text("app.log")
        #expect(!all.utf8.contains(0))
        let broken = all.split(separator: "\n").filter { !($0.hasPrefix("line ") && $0.hasSuffix(" ends here")) }
        // `cat` may read the beginning of a line whose write it overtakes, and only that.
        #expect(broken.count <= 20)
        #expect(folder.text("app.log").split(separator: "\n").allSatisfy { $0.hasSuffix(" ends here") })
    }

    @Test func aLineThatAnotherWriterLeftOpenIsEndedFirst() throws {
        log("one")
        output(of: "printf torn >> '\(folder.path)/app.log'")
        log("two")
        #expect(folder.lines("app.log") == ["one", "torn", "two"])
    }

    @Test(
        "F19, S7, row 18: what takes the name and is no file of ours is refused and counted, until it is gone",
        arguments: [
            "ln -s target app.log", "mkfifo app.log", "mkdir app.log", "ln target app.log",
        ])
    func replaced(command: String) throws {
        folder.write("untouched\n", to: "target")
        log("one")
        output(of: "cd '\(folder.path)' && rm app.log && \(command)")
        for number in 1...50 { log("lost \(number)") }
        #expect(folder.text("target") == "untouched\n")
        #expect(provider.ledger == LogLedger(submitted: 51, delivered: 1, dropped: [.inputOutputError: 50]))
        #expect(throws: FileLogProviderError.self) { try provider.flush(by: .seconds(30)) }

        output(of: "cd '\(folder.path)' && rm -r app.log")
        clock.advance(by: .seconds(10))
        log("two")
        #expect(folder.lines("app.log").last == "two")
        #expect(folder.lines("app.log").first?.hasPrefix("50 events are missing here: ") == true)
        try provider.flush(by: .seconds(30))
    }

    /// The time, as `touch` takes it.
    private var seconds: Int64 { clock.now.nanoseconds / 1_000_000_000 }

    @Test("R5: a file in which others have written last is as old as what they wrote")
    func writtenByOthers() throws {
        let rolling = RollingPolicy(maximumBytes: 100, maximumAge: .seconds(86_400))
        let other = try FileLogProvider(
            in: folder.path, name: "other", format: MessageFormat(), rolling: rolling, files: SystemFileSystem(), clock: .manual(clock))
        other.log(event("old", at: clock.now))
        clock.advance(by: .seconds(200_000))
        output(of: "cd '\(folder.path)' && printf '%095d\n' 1 >> other.log && touch -d @\(seconds) other.log")
        other.log(event("new", at: clock.now))
        #expect(folder.archives(of: "other").count == 1 && folder.lines("other.log") == ["new"])
    }

    @Test("F24: a file in which others have written first began with what they wrote")
    func begunByOthers() throws {
        let other = try FileLogProvider(
            in: folder.path, name: "other", format: MessageFormat(), rolling: RollingPolicy(boundary: .daily(in: .utc)),
            files: SystemFileSystem(), clock: .manual(clock))
        output(of: "cd '\(folder.path)' && echo theirs >> other.log && touch -d @\(seconds) other.log")
        clock.advance(by: .seconds(86_400))
        other.log(event("ours", at: clock.now))
        #expect(folder.archives(of: "other").map { folder.lines($0) } == [["theirs"]])
        #expect(folder.lines("other.log") == ["ours"])
    }

    @Test("row 18: while something else has the name, a file that was only renamed keeps the lines")
    func replacedAfterRename() throws {
        log("one")
        output(of: "cd '\(folder.path)' && mv app.log kept.log && mkdir app.log")
        log("two")
        #expect(folder.lines("kept.log") == ["one", "two"])
        #expect(provider.ledger == LogLedger(submitted: 2, delivered: 2))
    }

    /// A log with one line whose file is too old after ten seconds.
    private func aging(_ files: FaultyFileSystem) throws -> FileLogProvider {
        let other = try FileLogProvider(
            in: folder.path, name: "other", format: MessageFormat(), rolling: RollingPolicy(maximumFileAge: .seconds(10)), files: files,
            clock: .manual(clock))
        other.log(event("one"))
        return other
    }

    /// When the file is too old it is looked at once.
    private func expectRest(_ files: FaultyFileSystem) {
        clock.advance(by: .seconds(11))
        let calls = files.calls.count
        for _ in 1...1000 { clock.advance(by: .microseconds(1)) }
        #expect(files.calls.count == calls)
    }

    @Test("row 18: a file whose name something else has is too old, and is not rolled again and again for that")
    func tooOldAfterRename() throws {
        let files = FaultyFileSystem(), other = try aging(files)
        output(of: "cd '\(folder.path)' && mv other.log kept.log && mkdir other.log")
        expectRest(files)

        output(of: "cd '\(folder.path)' && rmdir other.log && mv kept.log other.log")
        clock.advance(by: .seconds(10))
        #expect(folder.archives(of: "other").map { folder.lines($0) } == [["one"]])
        withExtendedLifetime(other) {}
    }

    @Test("F23: a file that was emptied is too old only once its next event is, and no empty archive is made of it")
    func tooOldAfterTruncation() throws {
        let files = FaultyFileSystem(), other = try aging(files)
        output(of: ": > '\(folder.path)/other.log'")
        expectRest(files)

        other.log(event("two"))
        #expect(folder.archives(of: "other") == [])
        #expect(folder.lines("other.log") == ["two"])
        clock.advance(by: .seconds(10))
        #expect(folder.archives(of: "other").map { folder.lines($0) } == [["two"]])
        withExtendedLifetime(other) {}
    }

    @Test(
        "row 14: a file whose name cannot be looked at, or that cannot itself, is too old, and is not looked at again and again for that",
        arguments: [["statusOfName"], ["statusOfName", "status"]])
    func tooOldUnseen(calls: [String]) throws {
        let files = FaultyFileSystem(), other = try aging(files)
        for call in calls { files.fail(EIO, in: call, of: "other.log") }
        files.fail(ENOSPC)
        other.log(event("lost"))   // from here on only a look says how large the file is
        files.fail(nil)
        expectRest(files)

        for call in calls { files.fail(nil, in: call, of: "other.log") }
        clock.advance(by: .seconds(10))
        #expect(folder.archives(of: "other").map { folder.lines($0) } == [["one"]])
        withExtendedLifetime(other) {}
    }

    @Test("row 14: while its name cannot be looked at, a file gets no second header")
    func headerUnseen() throws {
        let files = FaultyFileSystem()
        let other = try FileLogProvider(
            in: folder.path, name: "other", format: MessageFormat(), header: "a header", files: files, clock: .manual(clock))
        other.log(event("one"))
        files.fail(EACCES, in: "statusOfName", of: "other.log")
        files.fail(ENOSPC)
        other.log(event("lost"))
        files.fail(nil)
        other.log(event("two"))
        let lines = folder.lines("other.log")
        #expect(lines.count == 4 && lines[2].hasPrefix("1 event is missing here: "))
        #expect([lines.first, lines.dropFirst().first, lines.last] == ["a header", "one", "two"])
    }

    @Test("F27: trouble with the name is tried again after pauses, not for every line")
    func pauses() throws {
        let files = FaultyFileSystem(failing: 2, with: .failure(EACCES), lasts: true, only: ["openForAppending"])
        let other = try FileLogProvider(
            in: folder.path, name: "other", format: MessageFormat(), files: files, clock: .manual(clock))
        output(of: "rm '\(folder.path)/other.log'")
        for _ in 1...100 { other.log(event("lost")) }
        #expect(files.calls.filter { $0 == "openForAppending" }.count == 3)  // with the lock at the start
        for _ in 1...100 {
            clock.advance(by: .milliseconds(600))
            other.log(event("lost"))
        }
        #expect((10...20).contains(files.calls.filter { $0 == "openForAppending" }.count))
        #expect(other.ledger == LogLedger(submitted: 200, dropped: [.inputOutputError: 200]))
    }
}
