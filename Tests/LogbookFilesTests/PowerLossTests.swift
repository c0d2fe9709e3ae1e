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
