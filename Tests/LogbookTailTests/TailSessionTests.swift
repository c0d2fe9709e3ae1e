import LogbookCompression
import LogbookCore
import LogbookFiles
import LogbookTestKit
import Testing

@testable import LogbookTail

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct TailSessionTests {
    private let folder = TemporaryFolder()
    private let shown = Locked<[String]>([])

    private func session(
        _ filter: TailFilter = TailFilter(), lines: Int? = 10, isColoured: Bool = false,
        passingOver: @escaping (FileLogProviderError) throws -> Void = { throw $0 }
    ) throws -> TailSession {
        try TailSession(
            in: folder.path, filter: filter, lines: lines, isColoured: isColoured,
            show: { [shown] bytes in
                shown.withLock { $0 += String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init) }
            },
            passingOver: passingOver)
    }
    private func takeShown() -> [String] {
        shown.withLock { shown in
            defer { shown = [] }
            return shown
        }
    }
    private func messages(_ lines: [String]) -> [String] { lines.map { $0.split(separator: " ").last.map(String.init) ?? "" } }

    private func service(_ policy: RollingPolicy = RollingPolicy(maximumArchives: 0)) throws -> (LogService, FileLogProvider) {
        let service = LogService()
        let provider = try FileLogProvider(in: folder.path, rolling: policy)
        service.register(provider, from: .verbose)
        return (service, provider)
    }

    /// - Returns: With it how many of its archives are compressed by now.
    private func provider(compressing compression: ArchiveCompression?) throws -> (FileLogProvider, compressed: Monitor<Int>) {
        let compressed = Monitor(0)
        let provider = try FileLogProvider(
            in: folder.path, rolling: RollingPolicy(maximumArchives: 0, compression: compression),
            onArchive: { event in
                guard case .compressed = event else { return }
                compressed.withLock { access in
                    access.value += 1
                    access.broadcast()
                }
            })
        return (provider, compressed)
    }

    @Test func showsTheLastLinesAcrossRolls() throws {
        let (service, provider) = try service()
        for number in 1...20 {
            service.info("\(number)")
            if number % 4 == 0 { try provider.roll() }
        }
        try session(lines: 6).showWhatIsThere()
        #expect(messages(takeShown()) == (15...20).map { "\($0)" })
        try session(lines: nil).showWhatIsThere()
        #expect(messages(takeShown()) == (1...20).map { "\($0)" })
    }

    @Test("where somebody removes the file and the next one rolls before it is looked at, that one is shown", arguments: [false, true])
    func aFileThatWasRemovedIsNoArchive(isCompressed: Bool) async throws {
        let (provider, compressed) = try provider(compressing: isCompressed ? .gzip : nil)
        let service = LogService(), session = try session()
        service.register(provider)
        service.info("1")
        try session.showWhatIsThere()
        output(of: "rm '\(folder.path)/app.log'")
        service.info("2")   // as long as the other
        try provider.roll()
        if isCompressed { await wait(for: 1, in: compressed) }
        service.info("3")
        for _ in 1...2 { try session.showWhatIsNew() }
        #expect(messages(takeShown()) == ["1", "2", "3"])
    }

    @Test("a file that was compressed before it is looked at is shown once, though it has a name left, as NFS gives what is in use")
    func aFileWithANameLeftIsShownOnce() async throws {
        let (provider, compressed) = try provider(compressing: .gzip)
        let service = LogService(), session = try session()
        service.register(provider)
        service.info("1")
        try session.showWhatIsThere()
        let active = folder.path + "/app.log"
        output(of: "ln '\(active)' '\(folder.path)/.nfs01'")
        try provider.roll()
        await wait(for: 1, in: compressed)
        service.info("2")
        for _ in 1...2 { try session.showWhatIsNew() }
        #expect(messages(takeShown()) == ["1", "2"])
    }

    @Test func followsAcrossRolls() throws {
        let (service, provider) = try service()
        service.info("old")
        let session = try session()
        try session.showWhatIsThere()
        #expect(messages(takeShown()) == ["old"])
        for round in 1...5 {
            for number in 1...3 { service.info("\(round).\(number)") }
            try provider.roll()
            if round % 2 == 0 { try provider.roll() }
            service.info("\(round).active")
            try session.showWhatIsNew()
            #expect(messages(takeShown()) == ["\(round).1", "\(round).2", "\(round).3", "\(round).active"])
        }
        try session.showWhatIsNew()
        #expect(takeShown() == [])
    }

    @Test func followsWhatWasRolledSeveralTimesAndCompressedMeanwhile() async throws {
        let (provider, compressed) = try provider(compressing: .gzip)
        let service = LogService()
        service.register(provider)
        let session = try session()
        service.info("1")
        try session.showWhatIsThere()
        for number in 2...7 {
            service.info("\(number)")
            if number % 2 == 0 { try provider.roll() }
        }
        await wait(for: 3, in: compressed)
        try session.showWhatIsNew()
        #expect(messages(takeShown()) == (1...7).map { "\($0)" })
        try provider.shutdown(by: .seconds(30))
    }

    private func wait(for count: Int, in counter: Monitor<Int>) async {
        await onThread {
            counter.withLock { access in
                while access.value < count { if !access.wait(until: .seconds(60)) { break } }
            }
        }
    }

    @Test("a log whose earlier archives are gone, delivered say, is followed over a roll, each line once", arguments: [false, true])
    func followsWhereArchivesAreGone(isCompressed: Bool) async throws {
        let (provider, compressed) = try provider(compressing: isCompressed ? .gzip : nil)
        let service = LogService()
        service.register(provider)
        for number in 1...2 {
            service.info("\(number)")
            try provider.roll()
        }
        if isCompressed { await wait(for: 2, in: compressed) }
        output(of: "rm '\(folder.path)'/app-*")

        let session = try session()
        service.info("3")
        try session.showWhatIsThere()
        try provider.roll()
        if isCompressed { await wait(for: 3, in: compressed) }
        service.info("4")
        for _ in 1...2 { try session.showWhatIsNew() }
        #expect(messages(takeShown()) == ["3", "4"])
        try provider.shutdown(by: .seconds(30))
    }

    @Test func followsWhatOthersMoveAwayAlsoWhenTheNextFileHasRolledMeanwhile() throws {
        let (service, provider) = try service()
        let session = try session()
        service.info("1")
        try session.showWhatIsThere()
        service.info("2")
        rename("\(folder.path)/app.log", "\(folder.path)/app.log.1")
        service.info("3")
        try provider.roll()
        service.info("4")
        try session.showWhatIsNew()
        #expect(messages(takeShown()) == ["1", "2", "3", "4"])
    }

    @Test("a rolled file that is damaged is named once and passed over; what stands before the damage is shown, and so are the others")
    func passesOverWhatIsDamaged() throws {
        let (service, provider) = try service()
        for number in 1...3 {
            service.info("\(number)")
            try provider.roll()
        }
        service.info("4")
        let oldest = folder.names[0]
        let damaged = folder("\(oldest).gz")
        output(of: "gzip '\(folder(oldest))'")
        truncate(damaged, off_t(folder.bytes("\(oldest).gz").count - 4))

        let named = Locked<[String]>([])
        let session = try session(passingOver: { failure in
            guard case .damaged(let path, _) = failure else { throw failure }
            named.withLock { $0.append(path) }
        })
        try session.showWhatIsThere()
        #expect(messages(takeShown()) == ["1", "2", "3", "4"])
        service.info("5")
        try session.showWhatIsNew()
        #expect(messages(takeShown()) == ["5"])
        #expect(named.withLock { $0 } == [damaged])
        #expect(throws: FileLogProviderError.self) { try self.session().showWhatIsThere() }
    }

    @Test(
        "what is no file in the log's place is named, once, and a log that takes its place is followed",
        arguments: ["ln -s target app.log", "ln -s nowhere app.log", "mkfifo app.log", "mkdir app.log"])
    func namesWhatIsNoFile(command: String) throws {
        folder.write("1\n", to: "target")
        output(of: "cd '\(folder.path)' && \(command)")
        let refusal = FileLogProviderError.notARegularFile(path: folder("app.log"))
        #expect(throws: refusal) { try self.session().showWhatIsThere() }
        #expect(throws: refusal) { try LogFileReader(in: folder.path).forEachLine { _ in } }

        let named = Locked<[FileLogProviderError]>([])
        let session = try session(passingOver: { failure in named.withLock { $0.append(failure) } })
        try session.showWhatIsThere()
        try session.showWhatIsNew()
        #expect(takeShown() == [])
        #expect(named.withLock { $0 } == [refusal])
        output(of: "cd '\(folder.path)' && rm -r app.log")
        folder.write("2\n", to: "app.log")
        try session.showWhatIsNew()
        #expect(takeShown() == ["2"])
    }

    @Test("a log whose folder is removed, and made again by who logs, is followed in the new one")
    func followsIntoAFolderThatIsMadeAgain() throws {
        let (service, provider) = try service()
        for number in 1...2 {
            service.info("\(number)")
            try provider.roll()
        }
        let session = try session()
        try session.showWhatIsThere()
        for round in 1...2 {
            output(of: "rm -r '\(folder.path)'")
            try session.showWhatIsNew()
            service.info("\(round).1")
            try provider.roll()
            service.info("\(round).2")
            try session.showWhatIsNew()
            service.info("\(round).3")
            try session.showWhatIsNew()
        }
        #expect(messages(takeShown()) == ["1", "2", "1.1", "1.2", "1.3", "2.1", "2.2", "2.3"])
    }

    @Test("a line of which a part was read and taken back, as on a full disk, is neither shown nor joined to the next", arguments: [
        "", "3\n", "a line that is longer than that part 3\n",
    ])
    func aPartOfALineThatIsTakenBack(next: String) throws {
        folder.write("1\n2\n", to: "app.log")
        let session = try session()
        try session.showWhatIsThere()
        folder.append("torn off", to: "app.log")
        try session.showWhatIsNew()
        truncate(folder("app.log"), 4)
        folder.append(next, to: "app.log")
        try session.showWhatIsNew()
        try session.showWhatIsNew()
        folder.append("4\n", to: "app.log")
        try session.showWhatIsNew()
        #expect(messages(takeShown()) == ["1", "2"] + (next.isEmpty ? [] : ["3"]) + ["4"])
    }

    @Test("a log whose folder is moved away is followed there, and in a new one once it has begun in it")
    func followsIntoTheFolderOfTheNextRun() throws {
        let (service, _) = try service()
        let session = try session()
        service.info("1")
        try session.showWhatIsThere()
        rename(folder.path, folder.path + ".old")
        defer { output(of: "rm -r '\(folder.path).old'") }
        service.info("2")
        try session.showWhatIsNew()
        #expect(messages(takeShown()) == ["1", "2"])
        service.info("3")
        service.shutdown(by: .seconds(30))
        let (next, _) = try self.service()
        next.info("4")
        try session.showWhatIsNew()
        #expect(messages(takeShown()) == ["3", "4"])
    }

    @Test func followsWhatOthersMoveAwayAndTruncate() throws {
        let (service, _) = try service()
        let session = try session()
        service.info("1")
        try session.showWhatIsThere()
        service.info("2")
        rename("\(folder.path)/app.log", "\(folder.path)/app.log.1")
        service.info("3")
        try session.showWhatIsNew()
        truncate("\(folder.path)/app.log", 0)
        try session.showWhatIsNew()
        service.info("4")
        try session.showWhatIsNew()
        #expect(messages(takeShown()) == ["1", "2", "3", "4"])
    }

    @Test("while no other file can have the name, what the provider goes on to write to a renamed one is shown")
    func followsARenamedFileUntilAnotherHasTheName() throws {
        let clock = ManualClock(now: LogTime(nanoseconds: 1_763_720_960_000_000_000))
        let provider = try FileLogProvider(in: folder.path, files: SystemFileSystem(), clock: .manual(clock))
        let service = LogService()
        service.register(provider)
        let session = try session()
        service.info("1")
        try session.showWhatIsThere()
        output(of: "cd '\(folder.path)' && mv app.log kept.log && mkdir app.log")
        for number in 2...3 {
            service.info("\(number)")
            try session.showWhatIsNew()
        }
        #expect(messages(takeShown()) == ["1", "2", "3"])
        output(of: "rmdir '\(folder("app.log"))'")
        clock.advance(by: .seconds(10))
        service.info("4")
        try session.showWhatIsNew()
        #expect(messages(takeShown()) == ["4"])
        #expect(messages(folder.text("app.log").split(separator: "\n").map(String.init)) == ["4"])
    }

    @Test("the last archive is followed until there is an active file again, and not where it was deleted", arguments: [false, true])
    func followsTheLastArchiveUntilThereIsAnActiveFile(isDeleted: Bool) throws {
        let archives = (1...2).map { "app-0000000\($0)-20251121T102920.123Z.log" }
        for (number, archive) in zip(1..., archives) { folder.write("\(number)\n", to: archive) }
        let session = try session()
        try session.showWhatIsThere()
        folder.append("3\n", to: archives[1])
        try session.showWhatIsNew()
        #expect(takeShown() == ["1", "2", "3"])
        if isDeleted {
            output(of: "rm '\(folder(archives[1]))'")
            try session.showWhatIsNew()
        }
        folder.write("4\n", to: "app.log")
        for _ in 1...2 { try session.showWhatIsNew() }
        #expect(takeShown() == ["4"])
    }

    @Test func aLineIsShownOnceItIsWhole() throws {
        folder.append("whole\nto", to: "app.log")
        let session = try session()
        try session.showWhatIsThere()
        #expect(takeShown() == ["whole"])
        folder.append("rn\n", to: "app.log")
        try session.showWhatIsNew()
        #expect(takeShown() == ["torn"])
        folder.append("rest", to: "app.log")
        try session.showWhatIsNew()
        #expect(takeShown() == [])
    }

    @Test("where nobody waits for more, a last line that has no end is one of the last lines", arguments: [0, 1, 2, 3, 4])
    func theLastLineHasNoEnd(lines: Int) throws {
        folder.append("1\n2\nrest", to: "app.log")
        try session(lines: lines).showWhatIsThere(isFollowed: false)
        #expect(takeShown() == ["1", "2", "rest"].suffix(lines))
    }

    @Test func linesOfALayoutOfOnesOwnAreShownWhateverTheirLevel() throws {
        folder.append("E| first\nI| second\n", to: "app.log")
        try session(TailFilter(level: .error)).showWhatIsThere()
        #expect(takeShown() == ["E| first", "I| second"])
        try session(TailFilter(level: .error, text: "second")).showWhatIsThere()
        #expect(takeShown() == ["I| second"])
    }

    @Test func filtersByLevelAndText() throws {
        let (service, _) = try service()
        service.info("payment 1")
        service.error("payment 2")
        service.warning("parcel 3")
        service.error("parcel 4")
        folder.append("  a line that continues payment\n", to: "app.log")
        try session(TailFilter(text: "payment")).showWhatIsThere()
        #expect(messages(takeShown()) == ["1", "2", "payment"])
        try session(TailFilter(level: .warning)).showWhatIsThere()
        #expect(messages(takeShown()) == ["2", "3", "4", "payment"])
        try session(TailFilter(level: .error, text: "parcel")).showWhatIsThere()
        #expect(messages(takeShown()) == ["4"])
        try session(TailFilter(text: "nowhere")).showWhatIsThere()
        #expect(takeShown() == [])
    }

    @Test func theLastLinesAreThoseThatPass() throws {
        let (service, _) = try service()
        for number in 1...100 { number % 10 == 0 ? service.error("\(number)") : service.info("\(number)") }
        try session(TailFilter(level: .error), lines: 2).showWhatIsThere()
        #expect(messages(takeShown()) == ["90", "100"])
        try session(lines: 0).showWhatIsThere()
        #expect(takeShown() == [])
    }

    @Test func coloursByLevel() throws {
        let (service, _) = try service()
        service.info("plain")
        service.error("red")
        try session(isColoured: true).showWhatIsThere()
        let lines = takeShown()
        #expect(lines[0].hasSuffix(" plain"))
        #expect(!lines[0].contains("\u{1B}"))
        #expect(lines[1].hasPrefix("\u{1B}[31m"))
        #expect(lines[1].hasSuffix(" red\u{1B}[0m"))
    }

    @Test func aLineThatContinuesAnEventHasItsColourWhateverTheEventHolds() throws {
        let (service, _) = try service()
        service.error("payment 1")
        service.info("parcel 2")
        folder.append("  a line that continues payment\n", to: "app.log")
        try session(TailFilter(text: "payment"), isColoured: true).showWhatIsThere()
        let lines = takeShown()
        #expect(lines.map { $0.hasPrefix("\u{1B}[31m") } == [true, false])
        #expect(lines.last == "  a line that continues payment")
    }

    @Test func aFolderWithoutALogIsEmptyAndAMissingOneAnError() throws {
        try session().showWhatIsThere()
        #expect(takeShown() == [])
        #expect(throws: FileLogProviderError.cannotRead(path: "/nowhere/at/all", errno: ENOENT)) {
            try TailSession(in: "/nowhere/at/all") { _ in }
        }
    }
}
