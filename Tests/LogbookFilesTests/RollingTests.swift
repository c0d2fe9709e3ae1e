import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookFiles

@Suite struct RollingTests {
    private let folder = TemporaryFolder(inMemory: true)
    private let clock = ManualClock(now: LogTime(nanoseconds: 1_763_720_960_000_000_000))

    private func provider(_ bytes: Int, _ archives: Int) throws -> FileLogProvider {
        try FileLogProvider(
            in: folder.path, format: MessageFormat(),
            rolling: RollingPolicy(maximumBytes: bytes, maximumArchives: archives), files: SystemFileSystem(),
            clock: .manual(clock))
    }
    private func line(_ number: Int, _ length: Int = 99) -> String {
        "\(number) " + String(repeating: "x", count: length - "\(number) ".count)
    }

    @Test("F3: no file is larger than the limit, no line is split, all are there in order", arguments: [false, true])
    func sizes(inBatches: Bool) throws {
        let provider = try provider(1024, 0)
        let lines = (1...100).map { line($0) }
        if inBatches {
            try provider.write(lines.map { event($0) })
        } else {
            for line in lines { provider.log(event(line)) }
        }
        #expect(folder.allLines() == lines)
        #expect(folder.archives().count == 9)
        for name in folder.names { #expect(folder.text(name).utf8.count <= 1024) }
    }

    @Test("F4: a line larger than the limit has a file of its own", arguments: [false, true])
    func largeLine(inBatches: Bool) throws {
        let provider = try provider(50, 0)
        let lines = ["small", line(1, 500), line(2, 500), "smaller"]
        if inBatches {
            try provider.write(lines.map { event($0) })
        } else {
            for line in lines { provider.log(event(line)) }
        }
        #expect(folder.archives().map { folder.lines($0) } == [["small"], [lines[1]], [lines[2]]])
        #expect(folder.lines("app.log") == ["smaller"])
    }

    @Test("F4: a line that is too large behind a header takes no others along", arguments: [false, true])
    func largeLineBehindHeader(inBatches: Bool) throws {
        let provider = try FileLogProvider(
            in: folder.path, format: MessageFormat(), header: "a header.", rolling: RollingPolicy(maximumBytes: 100, maximumArchives: 0),
            files: SystemFileSystem(), clock: .manual(clock))
        let lines = [line(1, 94)] + (2...6).map { line($0, 49) }
        if inBatches {
            try provider.write(lines.map { event($0) })
        } else {
            for line in lines { provider.log(event(line)) }
        }
        let files = folder.archives() + ["app.log"]
        #expect(files.map { folder.lines($0) } == lines.map { ["a header.", $0] })
        #expect(files.map { folder.text($0).utf8.count } == [105, 60, 60, 60, 60, 60])
    }

    @Test("F11: a thousand rolls within one millisecond are a thousand names in order")
    func manyRolls() throws {
        let provider = try provider(1, 0), rolls = Sanitizer.share(of: 1000)
        let lines = (1...rolls + 1).map { "\($0)" }
        for line in lines { provider.log(event(line)) }
        #expect(folder.archives().count == rolls)
        #expect(folder.allLines() == lines)
    }

    @Test("R1: as many archives as asked for, and they are the newest", arguments: [false, true])
    func keepsTheNewest(clockRunsBack: Bool) throws {
        let provider = try provider(1, 3)
        for number in 1...11 {
            provider.log(event("\(number)"))
            if clockRunsBack {
                clock.setWall(clock.now.adding(.seconds(-86_400)))
            } else {
                clock.advance(by: .seconds(1))
            }
        }
        #expect(folder.archives().count == 3)
        #expect(folder.allLines() == ["8", "9", "10", "11"])
    }

    @Test("R1, R3: 0 keeps them all")
    func keepsAll() throws {
        let provider = try provider(1, 0)
        for number in 1...50 { provider.log(event("\(number)")) }
        #expect(folder.archives().count == 49)
    }

    @Test("R7: archives outlive a restart, are counted, and the numbers go on")
    func restart() throws {
        for start in [1, 5] {
            let provider = try provider(1, 3)
            for number in start..<(start + 4) { provider.log(event("\(number)")) }
            try provider.shutdown(by: .seconds(30))
            #expect(folder.archives().count == 3)
        }
        #expect(folder.allLines() == ["5", "6", "7", "8"])
        #expect(folder.archives().last?.hasPrefix("app-00000007-") == true)
    }

    @Test("R2: a lower limit at the next start deletes the oldest at once; a higher one deletes nothing")
    func otherLimit() throws {
        let first = try provider(1, 0)
        for number in 1...8 { first.log(event("\(number)")) }
        try first.shutdown(by: .seconds(30))
        try provider(1, 2).shutdown(by: .seconds(30))
        #expect(folder.allLines() == ["6", "7", "8"])
        try provider(1, 9).shutdown(by: .seconds(30))
        #expect(folder.allLines() == ["6", "7", "8"])
    }

    @Test("R6, S9: files that only look like ours outlive a hundred rolls, to the byte")
    func lookAlikes() throws {
        let names = [
            "app.log.bak", "notes.txt", "app-other.log", "app-00000000-20251121T102920.123Z.log.gz", "app-1.log",
            "app-other-00000001-20251121T102920.123Z.log", "app2-00000001-20251121T102920.123Z.log",
        ]
        for name in names { folder.write("keep \(name)", to: name) }
        output(of: "mkdir '\(folder.path)/app-00000001-20201121T102920.123Z.log'")
        output(of: "ln -s notes.txt '\(folder.path)/app-00000002-20201121T102920.123Z.log'")
        let provider = try provider(1, 1)
        for number in 1...101 { provider.log(event("\(number)")) }
        for name in names { #expect(folder.text(name) == "keep \(name)") }
        #expect(folder.status("app-00000001-20201121T102920.123Z.log")?.kind == .folder)
        #expect(folder.status("app-00000002-20201121T102920.123Z.log")?.kind == .symbolicLink)
        #expect(folder.allLines(mayBeTorn: true).suffix(2) == ["100", "101"])
    }

    @Test("F10: two logs in one folder roll beside each other, also when one name begins like the other")
    func neighbours() throws {
        let policy = RollingPolicy(maximumBytes: 1, maximumArchives: 2)
        let short = try FileLogProvider(in: folder.path, name: "app", format: MessageFormat(), rolling: policy)
        let long = try FileLogProvider(in: folder.path, name: "app-00000001", format: MessageFormat(), rolling: policy)
        for number in 1...10 {
            short.log(event("s\(number)"))
            long.log(event("l\(number)"))
        }
        let all = folder.names.flatMap { folder.lines($0) }.sorted()
        #expect(all == ["l10", "l8", "l9", "s10", "s8", "s9"])
    }

    @Test("row 14: when rolling fails, the file grows on, and it rolls once that works again")
    func rollingFails() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(13), only: ["rename"])
        let provider = try FileLogProvider(
            in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumBytes: 4, maximumArchives: 0),
            files: files, clock: .manual(clock))
        for message in ["one", "two", "six"] { provider.log(event(message)) }
        #expect(folder.names == ["app.log"])
        #expect(files.calls.filter { $0 == "rename" }.count == 1, "a failing roll is not tried for every line")
        clock.advance(by: .seconds(10))
        provider.log(event("ten"))
        #expect(folder.archives().count == 1)
        #expect(folder.allLines() == ["one", "two", "six", "ten"])
        #expect(provider.ledger == LogLedger(submitted: 4, delivered: 4))
    }

    @Test("row 26: with no descriptor left the open file goes on, and rolling is put off")
    func noDescriptors() throws {
        let files = FaultyFileSystem(failing: 2, with: .failure(24), lasts: true, only: ["openForAppending"])
        let provider = try FileLogProvider(
            in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumBytes: 4), files: files,
            clock: .manual(clock))
        for number in 1...1000 { provider.log(event("\(number)")) }
        #expect(folder.lines("app.log") == (1...1000).map { "\($0)" })
        #expect(files.calls.filter { $0 == "openForAppending" }.count < 5)
        #expect(provider.ledger == LogLedger(submitted: 1000, delivered: 1000))
    }
}
