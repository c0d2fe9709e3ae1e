import LogbookCompression
import LogbookCore
import LogbookFormat
import LogbookTestKit
import Testing

@testable import LogbookFiles

/// What becomes of archives, and the account of it; how time ends files is in another file.
@Suite struct ArchiveTests {
    let folder = TemporaryFolder(inMemory: true)
    let clock = ManualClock(now: LogTime(nanoseconds: 1_763_720_960_000_000_000))  // 2025-11-21 10:29:20
    let told = Locked<[LogArchiveEvent]>([])

    func provider(_ policy: RollingPolicy, files: FaultyFileSystem = FaultyFileSystem()) throws -> FileLogProvider {
        let told = told
        return try FileLogProvider(
            in: folder.path, format: MessageFormat(), rolling: policy, files: files,
            clock: .manual(clock)) { event in told.withLock { $0.append(event) } }
    }
    /// Leaves archives of one line each, `1` and so on, as a run does that has ended.
    func leaveArchives(_ count: Int) throws {
        let provider = try provider(RollingPolicy(maximumArchives: 0))
        for number in 1...count {
            log(provider, "\(number)")
            try provider.roll()
        }
        try provider.shutdown(by: .seconds(30))
    }
    func log(_ provider: FileLogProvider, _ messages: String...) {
        for message in messages { provider.log(event(message, at: clock.now)) }
    }
    var reasons: [RollReason] {
        told.withLock { $0 }.compactMap { if case .archived(_, let reason) = $0 { reason } else { nil } }
    }

    @Test(
        "R5: an age of centuries deletes no archive, now or later",
        arguments: [(.seconds(86_400), []), (.seconds(240 * 366 * 86_400), ["one"]), (.seconds(Int64.max), ["one"])]
            as [(age: Duration, left: [String])])
    func longLife(age: Duration, left: [String]) throws {
        let provider = try provider(RollingPolicy(maximumArchives: 0, maximumAge: age))
        log(provider, "one")
        try provider.roll()
        #expect(folder.allLines() == ["one"])
        for _ in 1...49 { clock.advance(by: .seconds(3600)) }
        #expect(folder.allLines() == left)
        withExtendedLifetime(provider) {}
    }

    @Test("F9: a roll before the first event archives what an earlier run left, and is told once")
    func rollFirst() throws {
        let first = try provider(RollingPolicy())
        log(first, "old")
        try first.shutdown(by: .seconds(30))
        let next = try provider(RollingPolicy())
        let archive = try #require(try next.roll())
        #expect(told.withLock { $0 } == [.archived(archive, because: .asked)])
        #expect(try next.roll() == nil)
        log(next, "new")
        #expect(folder.archives() == [String(archive.path.split(separator: "/").last!)])
        #expect(archive.bytes == 4)
        #expect(archive.number == 1)
        #expect(folder.allLines() == ["old", "new"])
    }

    @Test("ids: an archive's id is of no other file, outlives restarts, and numbers are never used again")
    func ids() throws {
        var ids: [String] = []
        for run in 1...3 {
            let provider = try provider(RollingPolicy(maximumArchives: 0))
            log(provider, "\(run)")
            ids.append(try #require(try provider.roll()).id)
            try provider.shutdown(by: .seconds(30))
            output(of: "rm '\(folder.path)'/app-*.log")  // delivered, say
        }
        #expect(ids.map { $0.suffix(9) } == ["-00000001", "-00000002", "-00000003"])
        #expect(Set(ids.map { $0.dropLast(9) }).count == 1)
        #expect(ids[0].wholeMatch(of: /[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[0-9A-F]{4}-[0-9A-F]{12}-00000001/) != nil)
    }

    @Test(
        "ids: a number after which there is none, in a damaged manifest or a stranger's name, is not counted on from",
        arguments: [UInt64.max, UInt64(Int.max), 1_000_000_000_000_000, 999_999_999_999_999])
    func endOfNumbers(number: UInt64) throws {
        folder.write("logbook-manifest 1 586AB00B\nlatest 6\nlatest \(number)\n", to: ".app.manifest")
        folder.write("keep\n", to: "app-\(number)-20201121T102920.123Z.log")
        let provider = try provider(RollingPolicy(maximumArchives: 1))
        for expected in [7, 8] as [UInt64] {
            log(provider, "one")
            #expect(try provider.roll()?.number == expected)
        }
        #expect(folder.names.filter { $0.hasPrefix("app-0") }.count == 1)
        #expect(folder.text("app-\(number)-20201121T102920.123Z.log") == "keep\n")
    }

    @Test(
        "ids: a manifest's torn first line names no log",
        arguments: ["logbook-manifest", "logbook-manifest 1", "logbook-manifest 1 ", "logbook-manifest 1 586AB00B"])
    func tornHeader(line: String) throws {
        folder.write(line, to: ".app.manifest")
        let provider = try provider(RollingPolicy(maximumArchives: 0))
        log(provider, "one")
        let archive = try #require(try provider.roll())
        #expect(archive.id.hasSuffix("-00000001"))
        #expect(archive.id.count == 45, "\(archive.id)")
    }

    @Test("R2: a lower limit deletes at once, a higher one nothing")
    func changedLimit() throws {
        let provider = try provider(RollingPolicy(maximumBytes: 1, maximumArchives: 0))
        for number in 1...8 { log(provider, "\(number)") }
        provider.change(RollingPolicy(maximumBytes: 1, maximumArchives: 2))
        #expect(folder.allLines() == ["6", "7", "8"])
        provider.change(RollingPolicy(maximumBytes: 1, maximumArchives: 9))
        #expect(folder.allLines() == ["6", "7", "8"])
        #expect(provider.rolling.maximumArchives == 9)
    }

    @Test("R2: limits that no longer ask for any archive are not looked after again and again, once its time would have come")
    func limitThatIsGone() throws {
        let files = FaultyFileSystem()
        let provider = try provider(RollingPolicy(maximumArchives: 0, maximumAge: .seconds(10)), files: files)
        log(provider, "one")
        try provider.roll()
        provider.change(RollingPolicy(maximumArchives: 0))
        let calls = files.calls.count
        clock.advance(by: .seconds(11))
        for _ in 1...1000 { clock.advance(by: .milliseconds(1)) }
        #expect(files.calls.count == calls)
        #expect(folder.archives().map { folder.lines($0) } == [["one"]])
        withExtendedLifetime(provider) {}
    }

    @Test("R2: an archive that cannot be opened stays, and keeps no other from going")
    func unreadable() throws {
        let files = FaultyFileSystem()
        let provider = try provider(RollingPolicy(maximumArchives: 1), files: files)
        log(provider, "1")
        try provider.roll()
        let oldest = folder.archives()[0]
        files.fail(13, in: "openForLocking", of: oldest)
        for number in 2...4 {
            log(provider, "\(number)")
            try provider.roll()
        }
        #expect(folder.archives().map { folder.lines($0) } == [["1"], ["4"]])
        files.fail(nil, in: "openForLocking", of: oldest)
        log(provider, "5")
        try provider.roll()
        #expect(folder.archives().map { folder.lines($0) } == [["5"]])
    }

    @Test("R2: on NFS, where only what was opened for writing can be locked alone, archives are deleted as well")
    func network() throws {
        let files = FaultyFileSystem()
        files.lockAsNetworkDoes()
        let provider = try provider(RollingPolicy(maximumArchives: 3), files: files)
        for number in 1...10 {
            log(provider, "\(number)")
            try provider.roll()
        }
        #expect(folder.archives().map { folder.lines($0) } == [["8"], ["9"], ["10"]])
    }

    @Test("R3: with no limit nothing goes at 50 MiB")
    func nothingHidden() throws {
        let provider = try provider(RollingPolicy(maximumBytes: 1 << 20, maximumArchives: 0))
        let line = String(repeating: "x", count: (1 << 20) - 1)
        for _ in 1...51 { log(provider, line) }
        #expect(folder.archives().count == 50)
    }

    @Test("R4: the bytes of archives stay within their limit, whatever the active file has; the newest stays")
    func totalBytes() throws {
        let provider = try provider(RollingPolicy(maximumBytes: 31 << 20, maximumArchives: 0, maximumTotalBytes: 30 << 20))
        for size in [1, 2, 4, 31, 3] {
            log(provider, String(repeating: "x", count: size << 20))
            try provider.roll()
        }
        log(provider, String(repeating: "y", count: (31 << 20) - 1))
        let megabytes = folder.archives().map { folder.status($0)!.bytes >> 20 }
        #expect(megabytes == [3])
        #expect(folder.status("app.log")!.bytes == 31 << 20)
        try provider.roll()
        #expect(folder.archives().map { folder.status($0)!.bytes >> 20 } == [31])
    }

    @Test("R5: old archives go at a roll, at the start and when their time has come; the active file never")
    func oldArchives() throws {
        let policy = RollingPolicy(maximumBytes: 1, maximumArchives: 0, maximumAge: .seconds(2 * 86_400))
        let first = try provider(policy)
        log(first, "1", "2")
        clock.advance(by: .seconds(86_400))
        log(first, "3", "4")
        #expect(folder.allLines() == ["1", "2", "3", "4"])
        for _ in 1...25 { clock.advance(by: .seconds(3600)) }  // by time: 1 and 2 were closed on the first day, 2 by the roll a day later
        #expect(folder.archives().map { folder.lines($0) } == [["3"]])
        try first.shutdown(by: .seconds(30))
        clock.advance(by: .seconds(10 * 86_400))
        let next = try provider(policy)
        #expect(folder.names == ["app.log"])
        #expect(folder.lines("app.log") == ["4"])
        withExtendedLifetime(next) {}
        let deleted = told.withLock { $0 }.compactMap { event -> ArchiveDeletionReason? in
            if case .deleted(_, let reason) = event { reason } else { nil }
        }
        #expect(deleted == [.maximumAge, .maximumAge, .maximumAge])
    }

    @Test("R6: archives that the manifest does not list are never touched, whatever their name")
    func unlisted() throws {
        let stranger = "app-00000001-20201121T102920.123Z.log"
        folder.write("keep\n", to: stranger)
        folder.write("keep\n", to: stranger + ".gz")
        let provider = try provider(
            RollingPolicy(maximumBytes: 1, maximumArchives: 1, maximumTotalBytes: 1, maximumAge: .seconds(1)))
        for number in 1...100 {
            log(provider, "\(number)")
            clock.advance(by: .seconds(10))
        }
        #expect(folder.text(stranger) == "keep\n")
        #expect(folder.text(stranger + ".gz") == "keep\n")
        #expect(folder.archives().count <= 3)
    }

    @Test("R7: parts that a killed compression left are removed, files that only look so are not")
    func leftovers() throws {
        let first = try provider(RollingPolicy(maximumArchives: 0))
        log(first, "one")
        let archive = try #require(try first.roll())
        try first.shutdown(by: .seconds(30))
        let part = "." + String(archive.path.split(separator: "/").last!) + ".gz.part"
        folder.write("half", to: part)
        folder.write("keep", to: ".app-other.gz.part")
        let next = try provider(RollingPolicy(maximumArchives: 0))
        #expect(folder.status(part) == nil)
        #expect(folder.text(".app-other.gz.part") == "keep")
        #expect(folder.allLines() == ["one"])
        withExtendedLifetime(next) {}
    }

    @Test("R7: a compression that cannot be finished keeps no other from it, and no limit from its work")
    func leftoversOfTheUnreadable() throws {
        try leaveArchives(3)
        let archives = folder.archives()
        for archive in archives { folder.write("half", to: "." + archive + ".gz.part") }
        let files = FaultyFileSystem()
        files.fail(13, in: "openForLocking", of: archives[0])
        let next = try provider(RollingPolicy(maximumArchives: 1), files: files)
        #expect(folder.allNames.filter { $0.hasSuffix(".part") } == ["." + archives[0] + ".gz.part"])
        #expect(folder.archives() == [archives[0], archives[2]])
        withExtendedLifetime(next) {}
    }

    @Test("R8: what awaits delivery is kept past the limits, which is said once; past its own limit the oldest go, each said")
    func undelivered() throws {
        let provider = try provider(
            RollingPolicy(maximumBytes: 30, maximumArchives: 2, awaitsDelivery: true, maximumUndeliveredBytes: 100))
        var ids: [String] = []
        for number in 1...5 {
            log(provider, "\(number) xxxxxxxxx", "\(number) yyyyyyyyy")
            ids.append(try #require(try provider.roll()).id)
        }
        #expect(folder.archives().count == 4)
        let events = told.withLock { $0 }
        let beyond = events.filter { if case .keptBeyondLimits(archives: 3, bytes: 72) = $0 { true } else { false } }
        #expect(beyond.count == 1)
        let dropped = events.compactMap { event -> String? in
            if case .droppedUndelivered(let archive, let count) = event { "\(archive.id) \(count ?? -1)" } else { nil }
        }
        #expect(dropped == ["\(ids[0]) 2"])
    }

    @Test("R8: while the events of what is given up are counted, others log")
    func countedBesideOthers() throws {
        let files = FaultyFileSystem(), removing = Gate(), counting = Gate(), isDone = Gate()
        let provider = try provider(
            RollingPolicy(maximumArchives: 0, awaitsDelivery: true, maximumUndeliveredBytes: 1), files: files)
        log(provider, "one", "two")
        files.hold("remove", at: removing)
        LogThread.start("rolling") {
            _ = try? provider.roll()
            isDone.open()
        }
        #expect(removing.waitForArrivals(1))
        files.hold("read", at: counting)
        removing.open()
        #expect(counting.waitForArrivals(1))
        log(provider, "three")
        #expect(folder.lines("app.log") == ["three"])
        counting.open()
        isDone.wait()
        let counts = told.withLock { $0 }.compactMap { event -> Int? in
            if case .droppedUndelivered(_, let events) = event { events } else { nil }
        }
        #expect(counts == [2])
        #expect(folder.archives() == [])
    }

    @Test("R8: what is given up is said without a handler too", arguments: [1, 3, 40])
    func undeliveredWithoutHandler(archives: Int) async throws {
        let path = folder.path
        let child = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [path = path as String, archives = archives as Int] in
            var policy = RollingPolicy(awaitsDelivery: true, maximumUndeliveredBytes: 0)
            let provider = try FileLogProvider(in: path, format: MessageFormat(), rolling: policy)
            for number in 1...archives {
                provider.log(event("one of \(number)"))
                provider.log(event("two of \(number)"))
                try provider.roll()
            }
            policy.maximumUndeliveredBytes = 1
            provider.change(policy)
        }
        let remarks = String(decoding: child?.standardErrorContent ?? [], as: UTF8.self)
        let said = archives == 1 ? "with 2 events is given up undelivered" : "\(archives) archives, the oldest "
        #expect(remarks.contains(said), "\(remarks)")
        #expect(archives == 1 || remarks.contains(", with \(2 * archives) events are given up undelivered"), "\(remarks)")
        #expect(remarks.contains("/app-00000001-"), "\(remarks)")
        #expect(folder.archives() == [])
    }

    @Test(
        "R8: the lines of a file's header are no events that are given up; those of another run's are not known",
        arguments: [("# one\n# two", 2), ("", 4), ("# three\n", 4)] as [(nextHeader: String, count: Int)])
    func undeliveredBehindAHeader(nextHeader: String, count: Int) throws {
        var policy = RollingPolicy(awaitsDelivery: true)
        let first = try FileLogProvider(
            in: folder.path, format: MessageFormat(), header: "# one\n# two", rolling: policy, files: SystemFileSystem(),
            clock: .manual(clock))
        log(first, "one", "two")
        try first.roll()
        try first.shutdown(by: .seconds(30))
        #expect(folder.lines(folder.archives()[0]) == ["# one", "# two", "one", "two"])
        policy.maximumUndeliveredBytes = 1
        let told = told
        let next = try FileLogProvider(
            in: folder.path, format: MessageFormat(), header: nextHeader, rolling: policy, files: SystemFileSystem(),
            clock: .manual(clock)) { event in told.withLock { $0.append(event) } }
        let counts = told.withLock { $0 }.compactMap { event -> Int? in
            if case .droppedUndelivered(_, let events) = event { events } else { nil }
        }
        #expect(counts == [count])
        #expect(next.lostAfterwards == [.spoolFull: UInt64(count)])
    }

    @Test("R4: how large an archive is, that an earlier run has left, is looked up once")
    func sizesAreKept() throws {
        try leaveArchives(30)
        let files = FaultyFileSystem()
        let next = try provider(RollingPolicy(maximumArchives: 0, maximumTotalBytes: 1 << 20), files: files)
        let before = files.calls.filter { $0 == "statusOfName" }.count
        log(next, "31")
        try next.roll()
        #expect(files.calls.filter { $0 == "statusOfName" }.count - before < 30)
        #expect(folder.archives().count == 31)
    }

    @Test("R4: a roll looks through the folder once")
    func foldersAreListedOnce() throws {
        let files = FaultyFileSystem(), provider = try provider(RollingPolicy(maximumArchives: 3), files: files)
        for number in 1...6 {
            log(provider, "\(number)")
            let before = files.calls.count { $0 == "names" }
            try provider.roll()
            #expect(files.calls.count { $0 == "names" } == before + 1)
        }
        #expect(folder.allLines() == ["4", "5", "6"])
    }

    @Test("R8: what is delivered while a file rolls has no other archive given up")
    func deliveredWhileAFileRolls() throws {
        let files = FaultyFileSystem(), renaming = Gate(), isDone = Gate()
        let provider = try provider(
            RollingPolicy(maximumArchives: 0, awaitsDelivery: true, maximumUndeliveredBytes: 6), files: files)
        for number in 1...3 {
            log(provider, "\(number)")
            try provider.roll()
        }
        log(provider, "4")
        files.hold("rename", at: renaming)
        LogThread.start("rolling") {
            _ = try? provider.roll()
            isDone.open()
        }
        #expect(renaming.waitForArrivals(1))
        output(of: "rm '\(folder.path)/\(folder.archives()[2])'")
        renaming.open()
        isDone.wait()
        #expect(folder.allLines() == ["1", "2", "4"])
    }

    @Test("R8: of what is given up and cannot be read through nobody says that it held nothing", arguments: [true, false])
    func undeliveredAndUnreadable(isDamaged: Bool) throws {
        var policy = RollingPolicy(maximumArchives: 0, awaitsDelivery: true, maximumUndeliveredBytes: 0)
        let provider = try provider(policy)
        log(provider, "one")
        try provider.roll()
        let archive = folder.archives()[0]
        output(of: "cd '\(folder.path)' && gzip \(archive)")
        if isDamaged { folder.write("no gzip", to: archive + ".gz") }
        policy.maximumUndeliveredBytes = 1
        policy.compression = isDamaged ? ArchiveCompression.gzip : nil  // nobody says how the other was compressed
        provider.change(policy)
        #expect(folder.archives() == [])
        let counts = told.withLock { $0 }.compactMap { event -> [Int?]? in
            if case .droppedUndelivered(_, let count) = event { [count] } else { nil }
        }
        #expect(counts == [[nil]])
    }

    /// So many lines that say nothing that the manifest is worth writing anew.
    private func fillManifest() {
        folder.write(folder.text(".app.manifest") + String(repeating: "delivered 999\n", count: 1000), to: ".app.manifest")
    }

    @Test("R8, C1: an archive that a listing misses, as one that is compressed at that moment, stays in the manifest that is written anew")
    func missedByAListing() throws {
        let files = FaultyFileSystem(), provider = try provider(RollingPolicy(maximumArchives: 0, awaitsDelivery: true), files: files)
        for message in ["one", "two"] {
            log(provider, message)
            try provider.roll()
        }
        let archives = folder.archives()
        fillManifest()
        files.leaveOut([archives[0]])
        log(provider, "three")
        try provider.roll()
        files.leaveOut([])
        #expect(!folder.text(".app.manifest").contains("delivered 999"))
        let shelf = try ArchiveShelf(of: "app", in: folder.path, files: SystemFileSystem())
        #expect(try shelf.waiting().archives.map(\.number) == [1, 2, 3])
        try provider.shutdown(by: .seconds(30))
    }

    @Test("U10: what somebody notes while the manifest is written anew is in the new one")
    func notedMeanwhile() throws {
        let files = FaultyFileSystem(), provider = try provider(RollingPolicy(maximumArchives: 0, awaitsDelivery: true), files: files)
        log(provider, "one")
        try provider.roll()
        fillManifest()
        log(provider, "two")
        let gate = Gate(), isDone = Gate()
        files.hold("replace", at: gate)
        LogThread.start("rolling") {
            _ = try? provider.roll()
            isDone.open()
        }
        #expect(gate.waitForArrivals(1))
        let shelf = try ArchiveShelf(of: "app", in: folder.path, files: SystemFileSystem())
        let claim = try #require(try shelf.claim(try shelf.waiting().archives[0]))
        try shelf.setAside(claim)
        gate.open()
        isDone.wait()
        #expect(!folder.text(".app.manifest").contains("delivered 999"))
        #expect(try shelf.waiting().archives.map(\.isSetAside) == [true, false])
        let late = try ArchiveShelf(of: "app", in: folder.path, files: SystemFileSystem())
        #expect(try late.waiting().archives.map(\.isSetAside) == [true, false])
    }

    @Test("R8: what the receiver has, and nobody could delete then, is not said to be given up")
    func deliveredAndThere() throws {
        var policy = RollingPolicy(maximumArchives: 0, awaitsDelivery: true)
        let first = try provider(policy)
        for message in ["one", "two"] {
            log(first, message)
            try first.roll()
        }
        try first.shutdown(by: .seconds(30))
        folder.write(folder.text(".app.manifest") + "delivered 1\n", to: ".app.manifest")
        policy.maximumUndeliveredBytes = 4   // of "two" alone
        let next = try provider(policy)
        #expect(folder.archives().map { folder.lines($0) } == [["two"]])
        #expect(!told.withLock { $0 }.contains { if case .droppedUndelivered = $0 { true } else { false } })
        withExtendedLifetime(next) {}
    }

    @Test("R5: a file is as old as its latest line, whatever time that line tells", arguments: [-30, 30])
    func agesOfFilesWithOddTimes(days: Int64) throws {
        let provider = try provider(RollingPolicy(maximumArchives: 0, maximumAge: .seconds(14 * 86_400)))
        log(provider, "fresh")
        provider.log(event("odd", at: clock.now.adding(.seconds(days * 86_400))))
        try provider.roll()
        #expect(folder.archives().map { folder.lines($0) } == [["fresh", "odd"]])
        clock.advance(by: .seconds(14 * 86_400 + 1))
        #expect(becomesTrue { folder.archives() == [] })
    }

    @Test("R5: where the clock is set right after the start, archives are deleted when they have been there for so long")
    func agesFromAClockThatWasBehind() throws {
        clock.setWall(LogTime(seconds: 100))
        let day = 86_400, policy = RollingPolicy(maximumArchives: 0, maximumAge: .seconds(10 * day))
        let provider = try provider(policy)
        log(provider, "1970")
        try provider.roll()
        clock.setWall(LogTime(seconds: 1_764_028_800))
        clock.advance(by: .seconds(5 * day))
        log(provider, "2025")
        try provider.roll()
        #expect(folder.archives().map { folder.lines($0) } == [["1970"], ["2025"]])
        clock.advance(by: .seconds(5 * day + 1))
        #expect(becomesTrue { folder.archives().map { folder.lines($0) } == [["2025"]] })
        clock.advance(by: .seconds(4 * day))
        try provider.shutdown(by: .seconds(30))
        #expect(folder.archives().count == 1)

        clock.setWall(LogTime(seconds: 100))
        let next = try self.provider(policy)
        #expect(folder.archives().count == 1)
        clock.advance(by: .seconds(10 * day + 1))
        #expect(becomesTrue { folder.archives() == [] })
        withExtendedLifetime(next) {}
    }

    @Test("U13: an archive that somebody holds is not deleted")
    func pinned() throws {
        let provider = try provider(RollingPolicy(maximumArchives: 1))
        log(provider, "one")
        try provider.roll()
        let held = folder.archives()[0]
        let files = SystemFileSystem()
        let handle = try files.openFolder(at: folder.path)
        let file = try files.openForReading(held, in: handle)
        #expect(try files.tryLock(file))
        for message in ["two", "three"] {
            log(provider, message)
            try provider.roll()
        }
        #expect(folder.archives().map { folder.lines($0) } == [["one"], ["three"]])
        files.unlock(file)   // a program that another test is just starting has it too
        files.close(file)
        files.close(handle)
        log(provider, "four")
        try provider.roll()
        #expect(folder.archives().map { folder.lines($0) } == [["four"]])
    }

    @Test(
        "R5: an old archive that cannot be deleted, whatever the reason, is tried again after a pause and not at once",
        arguments: ["archive is held", "log is held", "disk refuses"])
    func undeletable(because reason: String) throws {
        let refuses = reason == "disk refuses"
        let files = FaultyFileSystem(failing: refuses ? 1 : 0, with: .failure(13), lasts: true, only: ["remove"])
        let provider = try provider(RollingPolicy(maximumArchives: 0, maximumAge: .seconds(10)), files: files)
        log(provider, "one")
        try provider.roll()
        let system = SystemFileSystem()
        let handle = try system.openFolder(at: folder.path)
        let held = try system.openForReading(reason == "log is held" ? ".app.lock" : folder.archives()[0], in: handle)
        if !refuses { #expect(try system.tryLock(held)) }
        clock.advance(by: .seconds(11))
        let calls = files.calls.count
        for _ in 1...1000 { clock.advance(by: .milliseconds(1)) }
        #expect(files.calls.count == calls)
        #expect(folder.archives().map { folder.lines($0) } == [["one"]])

        system.unlock(held)
        system.close(held)
        system.close(handle)
        clock.advance(by: .seconds(60))
        #expect(folder.archives().isEmpty != refuses)
        #expect(files.calls.filter { $0 == "remove" }.count == (refuses ? 2 : 1))
    }

    @Test("R5: where another process has the log's lock at the start, old archives go once it lets go", arguments: [nil, 10] as [Int64?])
    func lockedAtTheStart(age: Int64?) throws {
        let first = try provider(RollingPolicy(maximumArchives: 0))
        log(first, "one")
        try first.roll()
        try first.shutdown(by: .seconds(30))
        clock.advance(by: .seconds(11))
        let system = SystemFileSystem(), handle = try system.openFolder(at: folder.path)
        let held = try system.openForReading(".app.lock", in: handle)
        #expect(try system.tryLock(held))
        let files = FaultyFileSystem()
        let next = try provider(RollingPolicy(maximumArchives: 0, maximumAge: age.map { Duration.seconds($0) }), files: files)
        let calls = files.calls.count
        for _ in 1...1000 { clock.advance(by: .milliseconds(1)) }
        #expect(files.calls.count == calls)
        #expect(folder.archives().map { folder.lines($0) } == [["one"]])
        system.unlock(held)
        system.close(held)
        system.close(handle)
        clock.advance(by: .seconds(60))
        #expect(folder.archives().isEmpty == (age != nil))
        withExtendedLifetime(next) {}
    }

    private var archiveLines: Int { folder.lines(".app.manifest").filter { $0.hasPrefix("archive ") }.count }

    @Test("F9: while a file cannot be renamed, attempts to roll it do not make the manifest grow")
    func renameThatFails() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(13), lasts: true, only: ["rename"])
        let provider = try provider(RollingPolicy(maximumArchives: 0), files: files)
        for number in 1...20 {
            log(provider, "\(number)")
            #expect(throws: FileLogProviderError.self) { _ = try provider.roll() }
            clock.advance(by: .seconds(10))
        }
        #expect(files.faults == 20)
        #expect(archiveLines == 1)
        #expect(folder.lines("app.log") == (1...20).map { "\($0)" })
    }

    @Test("F9: while the disk confirms no line of the manifest, attempts to roll a file do not make it grow")
    func manifestThatIsNotConfirmed() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(5), lasts: true, only: ["synchronize"])
        let provider = try provider(RollingPolicy(maximumArchives: 0), files: files)
        for number in 1...20 {
            log(provider, "\(number)")
            #expect(throws: FileLogProviderError.self) { _ = try provider.roll() }
            clock.advance(by: .seconds(10))
        }
        #expect(archiveLines == 1)
        #expect(folder.lines("app.log") == (1...20).map { "\($0)" })
    }

    @Test("F9: a line of the manifest that the disk has not confirmed once is written anew with the others, and not called safe")
    func manifestThatWasNotConfirmedOnce() throws {
        let files = FaultyFileSystem(failing: 2, with: .failure(5), only: ["synchronize"])   // the first is the log's own
        let provider = try provider(RollingPolicy(maximumArchives: 0), files: files)
        log(provider, "one")
        let archive = try #require(try provider.roll())
        #expect(files.faults == 1)
        #expect(files.calls.contains("replace"))
        #expect(archiveLines == 1)
        let shelf = try ArchiveShelf(of: "app", in: folder.path, files: SystemFileSystem())
        #expect(try shelf.waiting().archives == [archive])
        #expect(folder.archives().map { folder.lines($0) } == [["one"]])
    }

    @Test("F9: a file that could not be renamed keeps the number it was to have, and is as old as its latest line")
    func renameThatFailedOnce() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(13), only: ["rename"])
        let provider = try provider(RollingPolicy(maximumArchives: 0), files: files)
        log(provider, "one")
        #expect(throws: FileLogProviderError.self) { _ = try provider.roll() }
        clock.advance(by: .seconds(3600))
        log(provider, "two")
        let archive = try #require(try provider.roll())
        #expect(archive.number == 1)
        #expect(archive.ended == clock.now)
        #expect(folder.archives().map { folder.lines($0) } == [["one", "two"]])
        let shelf = try ArchiveShelf(of: "app", in: folder.path, files: SystemFileSystem())
        #expect(try shelf.waiting().archives == [archive])
        log(provider, "three")
        #expect(try provider.roll()?.number == 2)
        #expect(archiveLines == 3)
    }

    @Test("F9: a number that somebody else has taken since is not used again")
    func numberThatIsTaken() throws {
        let files = FaultyFileSystem(failing: 1, with: .failure(13), only: ["rename"])
        let provider = try provider(RollingPolicy(maximumArchives: 0), files: files)
        log(provider, "one")
        #expect(throws: FileLogProviderError.self) { _ = try provider.roll() }
        folder.write("keep\n", to: "app-00000001-20201121T102920.123Z.log")
        clock.advance(by: .seconds(10))
        #expect(try provider.roll()?.number == 2)
        #expect(folder.text("app-00000001-20201121T102920.123Z.log") == "keep\n")
    }

    @Test("F17: a handler that logs, and makes files roll, ends")
    func handlerThatLogs() throws {
        let service = LogService()
        let done = Locked(0)
        let provider = try FileLogProvider(
            in: folder.path, format: MessageFormat(), rolling: RollingPolicy(maximumBytes: 1, maximumArchives: 0),
            onArchive: { event in
                done.withLock { $0 += 1 }
                service.info("told")
            })
        service.register(provider)
        for number in 1...5 { service.info("\(number)") }
        #expect(folder.allLines().filter { $0 != "told" } == ["1", "2", "3", "4", "5"])
        #expect(done.withLock { $0 } >= 4)
    }
}
