import LogbookCompression
import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookFiles

/// Every state in which a loss of power may leave a folder of log files.
@Suite struct PowerLossTests {
    private enum Scenario: String, CaseIterable { case eachLineIsSafe, flushesAreSafe, archivesAreCompressed }

    @Test("row 5: whatever a loss of power leaves, what was safe is there once, and the next start goes on with a line of its own",
          arguments: Scenario.allCases)
    private func anyMoment(scenario: Scenario) throws {
        let folder = TemporaryFolder(inMemory: true), files = PowerLossFileSystem(), random = LogRandomness.seeded(5)
        let promises = try go(through: scenario, in: folder, files)
        #expect(promises.count == 10)
        #expect(try messages(in: folder) == promises.map(\.message))
        let changes = files.changes
        #expect(changes > 30, "the scenario is too small to mean anything")
        var states = 0, withLoss = 0
        for moment in 0...changes {
            let promised = promises.filter { $0.after <= moment }.map(\.message)
            for remains in files.remains(after: moment, between: 3, random) {
                let left = TemporaryFolder(remains, of: folder)
                let next = try FileLogProvider(
                    in: left.path, format: MessageFormat(), rolling: RollingPolicy(maximumArchives: 0, compression: .gzip))
                next.log(event("after the restart"))
                try next.shutdown(by: .seconds(60))
                let found = try messages(in: left)
                let whole = found.filter { $0.hasPrefix("line ") && $0.hasSuffix(" end") }
                #expect(Set(whole).isSuperset(of: promised), "\(scenario), \(moment): \(remains.mapValues(\.count))")
                #expect(Set(whole).count == whole.count, "\(scenario), \(moment): something is there twice")
                #expect(found.last == "after the restart", "\(scenario), \(moment)")
                states += 1
                if whole.count < promises.count { withLoss += 1 }
            }
        }
        #expect(states > 60 && withLoss > 30, "\(states), \(withLoss)")
    }

    @Test("row 5, U15: whatever a loss of power leaves of archives that are delivered, each waits until it has arrived, and not again")
    func archivesOnTheirWay() throws {
        let folder = TemporaryFolder(inMemory: true), files = PowerLossFileSystem(), random = LogRandomness.seeded(5)
        let clock = ManualClock(now: LogTime(seconds: 1_763_720_960)), policy = RollingPolicy(maximumBytes: 64, awaitsDelivery: true)
        let provider = try FileLogProvider(
            in: folder.path, format: MessageFormat(), rolling: policy, durability: .power, files: files, clock: .manual(clock))
        let shelf = try ArchiveShelf(of: "app", in: folder.path, files: files)
        func name(_ archive: LogArchive) -> String { String(archive.path.split(separator: "/").last ?? "") }
        var promises: [(message: String, after: Int)] = []
        var arrived: [(number: UInt64, lines: [String], before: Int, after: Int)] = []
        for number in 1...12 {
            let message = "line \(number) \(String(repeating: "x", count: number % 5)) end"
            provider.log(event(message, at: clock.now))
            promises.append((message, files.changes))
            clock.advance(by: .seconds(10))
            guard number % 3 == 0, let archive = try shelf.waiting().archives.first, let claim = try shelf.claim(archive) else { continue }
            let lines = folder.lines(name(archive)), before = files.changes
            _ = try shelf.settle(claim)
            arrived.append((archive.number, lines, before, files.changes))
        }
        try provider.shutdown(by: .never)
        #expect(arrived.count >= 2)
        var states = 0
        for moment in 0...files.changes {
            let gone = Set(arrived.filter { $0.before < moment }.flatMap(\.lines))
            let promised = Set(promises.filter { $0.after <= moment }.map(\.message)).subtracting(gone)
            for remains in files.remains(after: moment, between: 3, random) {
                let left = TemporaryFolder(remains, of: folder)
                let next = try FileLogProvider(in: left.path, format: MessageFormat(), rolling: policy)
                next.log(event("after the restart"))
                try next.shutdown(by: .seconds(60))
                let waiting = try ArchiveShelf(of: "app", in: left.path, files: SystemFileSystem()).waiting().archives
                let lines = (waiting.map(name) + ["app.log"]).flatMap { left.lines($0, mayBeTorn: true) }
                #expect(promised.subtracting(lines).sorted() == [], "\(moment): \(remains.mapValues(\.count))")
                let again = arrived.filter { $0.after <= moment }.map(\.number).filter(waiting.map(\.number).contains)
                #expect(again == [], "\(moment): \(remains.mapValues(\.count))")
                states += 1
            }
        }
        #expect(states > 60, "\(states)")
    }

    private func messages(in folder: TemporaryFolder) throws -> [String] {
        var lines: [String] = []
        try LogFileReader(in: folder.path, compression: .gzip).forEachLine { lines.append(String(decoding: $0, as: UTF8.self)) }
        return lines
    }

    /// - Returns: Each message, and how many changes there were when it was said to be safe.
    private func go(
        through scenario: Scenario, in folder: TemporaryFolder, _ files: PowerLossFileSystem
    ) throws -> [(message: String, after: Int)] {
        let clock = ManualClock(now: LogTime(seconds: 1_763_720_960))
        var policy = RollingPolicy(maximumBytes: 64, maximumArchives: 0)
        if scenario == .archivesAreCompressed { policy.compression = .gzip }
        let compressed = Monitor(0)
        let provider = try FileLogProvider(
            in: folder.path, format: MessageFormat(), rolling: policy, durability: scenario == .flushesAreSafe ? .process : .power,
            files: files, clock: .manual(clock)
        ) { event in
            guard case .compressed = event else { return }
            compressed.withLock { access in
                access.value += 1
                access.broadcast()
            }
        }
        var promises: [(message: String, after: Int)] = [], waiting: [String] = []
        for number in 1...10 {
            let message = "line \(number) \(String(repeating: "x", count: number % 5)) end"
            provider.log(event(message, at: clock.now))
            waiting.append(message)
            clock.advance(by: .seconds(10))
            switch scenario {
            case .eachLineIsSafe: break
            case .flushesAreSafe where number % 4 == 0 || number == 10: try provider.flush(by: .never)
            case .flushesAreSafe: continue
            case .archivesAreCompressed where number % 5 == 0:
                let before = compressed.withLock { $0.value }
                try provider.roll()
                compressed.withLock { access in while access.value == before { access.wait(until: .seconds(60)) } }
            case .archivesAreCompressed: break
            }
            promises += waiting.map { ($0, files.changes) }
            waiting = []
        }
        try provider.shutdown(by: .never)
        return promises
    }
}
