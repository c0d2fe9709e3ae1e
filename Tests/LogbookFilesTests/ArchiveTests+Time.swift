import LogbookCore
import LogbookFormat
import LogbookTestKit
import Testing

@testable import LogbookFiles

/// Rolling by age and boundary, and clocks that are wrong.
extension ArchiveTests {
    @Test("F5: the order of limits does not matter, and a file within them is gone on with")
    func limitsTogether() throws {
        let large = String(repeating: "x", count: 900 << 10)
        let first = try provider(RollingPolicy(maximumFileAge: .seconds(1_000_000)))
        log(first, large)
        try first.shutdown(by: .seconds(30))
        clock.advance(by: .seconds(30 * 3600))
        for sizeFirst in [true, false] {
            let next = try provider(RollingPolicy(maximumFileAge: .seconds(1_000_000)))
            var policy = RollingPolicy()
            if sizeFirst { policy.maximumBytes = 256 << 20 } else { policy.maximumFileAge = .seconds(48 * 3600) }
            next.change(policy)
            if sizeFirst { policy.maximumFileAge = .seconds(48 * 3600) } else { policy.maximumBytes = 256 << 20 }
            next.change(policy)
            log(next, "more")
            try next.shutdown(by: .seconds(30))
        }
        #expect(folder.names == ["app.log"])
        let late = try provider(RollingPolicy(maximumBytes: 256 << 20, maximumFileAge: .seconds(29 * 3600)))
        log(late, "too old")
        #expect(reasons == [.age])
        #expect(folder.lines("app.log") == ["too old"])
    }

    @Test("F6: an idle file rolls once by age, makes no empty archives and hardly wakes up")
    func idle() throws {
        let files = FaultyFileSystem()
        let provider = try provider(RollingPolicy(maximumFileAge: .seconds(10), maximumArchives: 0), files: files)
        log(provider, "one")
        let before = files.calls.filter { $0 == "statusOfName" }.count
        for _ in 1...3600 { clock.advance(by: .seconds(1)) }
        #expect(folder.archives().map { folder.lines($0) } == [["one"]])
        #expect(folder.text("app.log") == "")
        #expect(reasons == [.age])
        #expect(files.calls.filter { $0 == "statusOfName" }.count - before < 10)
    }

    @Test("F6: a roll by age happens while others log, and counts from the first event")
    func age() throws {
        let provider = try provider(RollingPolicy(maximumFileAge: .seconds(10), maximumArchives: 0))
        clock.advance(by: .seconds(60))
        log(provider, "one")
        clock.advance(by: .seconds(9))
        log(provider, "two")
        clock.advance(by: .seconds(1))
        log(provider, "three")
        #expect(folder.archives().map { folder.lines($0) } == [["one", "two"]])
        #expect(folder.lines("app.log") == ["three"])
    }

    @Test(
        "F6: an age of centuries ends no file and no program",
        arguments: [(.seconds(86_400), [.age]), (.seconds(240 * 366 * 86_400), []), (.seconds(Int64.max), [])]
            as [(age: Duration, reasons: [RollReason])])
    func longAge(age: Duration, reasons: [RollReason]) throws {
        let provider = try provider(RollingPolicy(maximumFileAge: age, maximumArchives: 0))
        log(provider, "one")
        clock.advance(by: .seconds(2 * 86_400))
        log(provider, "two")
        #expect(self.reasons == reasons)
        #expect(folder.allLines() == ["one", "two"])
    }

    @Test("F7: no file has events of two days, in batches and one by one", arguments: [false, true])
    func days(inBatches: Bool) throws {
        let zone = LogTimeZone.fixed(seconds: 20_700)
        let provider = try provider(RollingPolicy(boundary: .daily(in: zone), maximumArchives: 0))
        let events = (0..<100).map { event("\($0)", at: clock.now.adding(.seconds($0 * 3600))) }
        if inBatches {
            clock.advance(by: .seconds(100 * 3600))
            try provider.write(events)
        } else {
            for event in events {
                provider.log(event)
                clock.advance(by: .seconds(3600))
            }
        }
        func day(_ line: String) -> Int {
            CivilTime(events[Int(line)!].time, in: zone).day
        }
        #expect(folder.allLines() == (0..<100).map { "\($0)" })
        let days = (folder.archives() + ["app.log"]).map { Set(folder.lines($0).map(day)) }
        #expect(days == [[21], [22], [23], [24], [25]])
    }

    @Test("F7: no file has events of two days of a named zone, also where a day has 23 or 25 hours", arguments: ["03-27", "10-23"])
    func namedDays(start: String) throws {
        let zone = try LogTimeZone.named("Europe/Berlin")
        clock.setWall(try #require(ISO8601.time("2026-\(start)T12:00:00Z")))
        let provider = try provider(RollingPolicy(boundary: .daily(in: zone), maximumArchives: 0))
        var lines: [Int: Set<String>] = [:]
        for number in 0..<100 {
            lines[CivilTime(clock.now, in: zone).day, default: []].insert("\(number)")
            log(provider, "\(number)")
            clock.advance(by: .seconds(3600))
        }
        let files = (folder.archives() + ["app.log"]).map { Set(folder.lines($0)) }
        #expect(files == lines.sorted { $0.key < $1.key }.map(\.value))
        #expect(lines.values.map(\.count).contains(start == "03-27" ? 23 : 25))
    }

    @Test("F7: an idle file rolls at the end of its hour")
    func hourWhileIdle() throws {
        let provider = try provider(RollingPolicy(boundary: .hourly(in: .utc), maximumArchives: 0))
        log(provider, "one")
        clock.advance(by: .seconds(30 * 60))
        #expect(reasons.isEmpty)
        clock.advance(by: .seconds(60))
        #expect(reasons == [.boundary])
        withExtendedLifetime(provider) {}
    }

    @Test("F7: what an earlier run left from yesterday is closed at the start")
    func yesterday() throws {
        let policy = RollingPolicy(boundary: .daily(in: .utc), maximumArchives: 0)
        let first = try provider(policy)
        log(first, "yesterday")
        try first.shutdown(by: .seconds(30))
        clock.advance(by: .seconds(86_400))
        let next = try provider(policy)
        log(next, "today")
        #expect(reasons == [.boundary])
        #expect(folder.archives().map { folder.lines($0) } == [["yesterday"]])
        #expect(folder.lines("app.log") == ["today"])
    }

    @Test("F8: twenty starts are one file, or twenty where each shall have its own", arguments: [false, true])
    func starts(startsNewFile: Bool) throws {
        for number in 1...20 {
            let provider = try provider(RollingPolicy(startsNewFile: startsNewFile, maximumArchives: 0))
            log(provider, "\(number)")
            try provider.shutdown(by: .seconds(30))
        }
        #expect(folder.names.count == (startsNewFile ? 20 : 1))
        #expect(folder.allLines() == (1...20).map { "\($0)" })
    }

    @Test("other limits begin no new file where every start shall have its own, and change nothing once the log is closed")
    func otherLimitsAreNoStart() throws {
        let provider = try provider(RollingPolicy(startsNewFile: true, maximumArchives: 0))
        for number in 1...3 {
            log(provider, "\(number)")
            provider.change(RollingPolicy(startsNewFile: true, maximumArchives: 1))
        }
        #expect(folder.lines("app.log") == ["1", "2", "3"] && folder.archives() == [])
        for number in 4...6 {
            try provider.roll()
            log(provider, "\(number)")
        }
        #expect(folder.archives().count == 1)
        provider.change(RollingPolicy(maximumArchives: 0))
        for number in 7...9 {
            try provider.roll()
            log(provider, "\(number)")
        }
        let archives = folder.archives()
        #expect(archives.count == 4)
        try provider.shutdown(by: .seconds(30))
        provider.change(RollingPolicy(maximumArchives: 1))
        #expect(folder.archives() == archives)
    }

    @Test("a file that others have written to is as old as what they wrote, also for who takes other limits")
    func othersWroteLast() throws {
        func touch() { output(of: "touch -d @\(clock.now.wholeSeconds) '\(folder("app.log"))'") }
        folder.append("long ago\n", to: "app.log")
        touch()
        let provider = try provider(RollingPolicy(maximumArchives: 0))   // what it knows of the file is of then
        clock.advance(by: .seconds(10 * 86_400))
        folder.append("just now\n", to: "app.log")
        touch()
        provider.change(RollingPolicy(boundary: .daily(in: .utc), maximumArchives: 0, maximumAge: .seconds(7 * 86_400)))
        #expect(folder.lines("app.log") == ["long ago", "just now"])
        #expect(folder.archives() == [])
    }

    @Test("a file of which nobody recorded when it began ends with its age, however often the program starts or takes other limits")
    func oftenStarted() throws {
        func touch() { output(of: "touch -d @\(clock.now.wholeSeconds) '\(folder("app.log"))'") }
        let untimed = try provider(RollingPolicy(maximumArchives: 0))
        log(untimed, "0")
        try untimed.shutdown(by: .seconds(30))
        touch()
        for number in 1...4 {
            clock.advance(by: .seconds(12 * 3600))
            let provider = try provider(RollingPolicy(maximumFileAge: .seconds(36 * 3600), maximumArchives: 0))
            provider.change(RollingPolicy(maximumFileAge: .seconds(24 * 3600), maximumArchives: 0))
            log(provider, "\(number)")
            try provider.shutdown(by: .seconds(30))
            touch()
        }
        // Its latest change was taken for the beginning of the first, once.
        #expect(folder.archives().map { folder.lines($0) } == [["0", "1"], ["2", "3"]])
        #expect(folder.lines("app.log") == ["4"])
    }

    @Test("a file that a clock has dated into the future is as old as this start, and no younger with the next")
    func datedIntoTheFuture() throws {
        folder.append("0\n", to: "app.log")
        output(of: "touch -d @\(clock.now.wholeSeconds + 365 * 86_400) '\(folder("app.log"))'")
        for number in 1...3 {
            let provider = try provider(RollingPolicy(maximumFileAge: .seconds(24 * 3600), maximumArchives: 0))
            log(provider, "\(number)")
            try provider.shutdown(by: .seconds(30))
            clock.advance(by: .seconds(12 * 3600))
        }
        #expect(folder.archives().map { folder.lines($0) } == [["0", "1", "2"]])
    }

    @Test("F8: events that say they are of a later day begin no new file, whoever said so; the file of today goes on", arguments: [0, 12 * 3600])
    func forgedTimes(secondsAgo: Int64) throws {
        clock.setWall(LogTime(seconds: 1_764_028_800 + 86_399))   // in the last second of a day
        let provider = try provider(RollingPolicy(boundary: .daily(in: .utc), maximumArchives: 5))
        for number in 0..<20 {
            let time = number % 2 == 0 ? clock.now.adding(.seconds(-secondsAgo)) : LogTime(seconds: 4_100_000_000)
            provider.log(event("\(number)", at: time))
        }
        #expect(folder.archives() == [])
        clock.advance(by: .seconds(1))
        log(provider, "tomorrow")
        #expect(reasons == [.boundary])
        #expect(folder.lines("app.log") == ["tomorrow"])
    }

    @Test("F26: with a clock set back by days, new archives are still the newest, and logging goes on")
    func clockBack() throws {
        let provider = try provider(
            RollingPolicy(maximumBytes: 1, boundary: .daily(in: .utc), maximumArchives: 10, maximumAge: .seconds(86_400)))
        for number in 1...11 { log(provider, "\(number)") }
        clock.setWall(clock.now.adding(.seconds(-10 * 86_400)))
        for number in 12...30 { log(provider, "\(number)") }
        #expect(folder.allLines() == (20...30).map { "\($0)" })
    }

    @Test("F26: a clock that jumps ten years ahead rolls once and makes nothing old")
    func clockAhead() throws {
        let provider = try provider(
            RollingPolicy(boundary: .daily(in: .utc), maximumArchives: 0, maximumAge: .seconds(86_400)))
        log(provider, "1")
        try provider.roll()
        log(provider, "2")
        clock.setWall(clock.now.adding(.seconds(3650 * 86_400)))
        for number in 3...5 { log(provider, "\(number)") }
        #expect(reasons == [.asked, .boundary])
        #expect(folder.allLines() == ["1", "2", "3", "4", "5"])
    }

    @Test("F26: what was closed while the clock was behind is no older once it is right again, and goes when its time has come")
    func clockBackForAWhile() throws {
        let provider = try provider(RollingPolicy(maximumArchives: 0, maximumAge: .seconds(86_400)))
        for days in [0, -10, 10] as [Int64] {
            clock.setWall(clock.now.adding(.seconds(days * 86_400)))
            log(provider, "\(days)")
            try provider.roll()
        }
        clock.advance(by: .seconds(1000))
        #expect(folder.archives().map { folder.lines($0) } == [["0"], ["-10"], ["10"]])
        for _ in 1...24 { clock.advance(by: .seconds(3600)) }
        #expect(folder.archives() == [])
        withExtendedLifetime(provider) {}
    }

    @Test("F26: what was closed while the clock was ahead goes when its time has come, though by the clock it is of the future")
    func clockAheadForAWhile() throws {
        let provider = try provider(RollingPolicy(maximumArchives: 0, maximumAge: .seconds(86_400)))
        clock.setWall(clock.now.adding(.seconds(10 * 86_400)))
        log(provider, "ahead")
        try provider.roll()
        clock.setWall(clock.now.adding(.seconds(-20 * 86_400)))
        clock.advance(by: .seconds(50_000))
        log(provider, "behind")
        try provider.roll()
        #expect(folder.archives().map { folder.lines($0) } == [["ahead"], ["behind"]])
        for _ in 1...10 { clock.advance(by: .seconds(3600)) }
        clock.advance(by: .seconds(401))
        #expect(folder.archives().map { folder.lines($0) } == [["behind"]])
        withExtendedLifetime(provider) {}
    }

    @Test("R5: an archive of a log that began anew is not as old as the one that had its number before")
    func ageInALogThatBeganAnew() throws {
        let provider = try provider(RollingPolicy(maximumArchives: 0, maximumAge: .seconds(86_400)))
        log(provider, "one")
        try provider.roll()
        clock.advance(by: .seconds(50_000))
        output(of: "rm -r '\(folder.path)'")
        log(provider, "two")
        try provider.roll()
        clock.advance(by: .seconds(40_000))
        #expect(folder.archives().map { folder.lines($0) } == [["two"]])
        for _ in 1...13 { clock.advance(by: .seconds(3600)) }
        #expect(folder.archives() == [])
        withExtendedLifetime(provider) {}
    }

    @Test("F26: a roll by age goes by time that has passed, not by the clock on the wall")
    func ageWithoutWall() throws {
        let provider = try provider(RollingPolicy(maximumFileAge: .seconds(100), maximumArchives: 0))
        log(provider, "1")
        clock.setWall(clock.now.adding(.seconds(-86_400)))
        clock.advance(by: .seconds(99))
        log(provider, "2")
        clock.setWall(clock.now.adding(.seconds(86_400 * 30)))
        log(provider, "3")
        #expect(reasons.isEmpty)
        clock.advance(by: .seconds(1))
        log(provider, "4")
        #expect(reasons == [.age])
    }

    @Test("F26: a day's end that a wrong clock put years ahead is found again once the clock is right")
    func boundaryAfterWrongClock() throws {
        let provider = try provider(RollingPolicy(boundary: .daily(in: .utc), maximumArchives: 0))
        let right = clock.now
        clock.setWall(right.adding(.seconds(3650 * 86_400)))
        log(provider, "1")
        clock.setWall(right)
        log(provider, "2")
        clock.advance(by: .seconds(86_400))
        log(provider, "3")
        #expect(folder.archives().map { folder.lines($0) } == [["1", "2"]])
    }
}
