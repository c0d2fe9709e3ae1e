import LogbookCore
import LogbookFormat
import LogbookTestKit
import Testing

@testable import LogbookFiles

/// Files that begin with an event of another day than today.
@Suite struct FileBeginningTests {
    private let folder = TemporaryFolder(inMemory: true)
    private let clock = ManualClock(now: LogTime(seconds: 1_764_028_800 + 8 * 3600))   // 2025-11-25 08:00:00
    private let yesterday = LogTime(seconds: 1_764_028_800 - 600)

    private func rollingFile() throws -> RollingFile<SystemFileSystem> {
        try RollingFile(
            in: folder.path, name: "app", policy: RollingPolicy(boundary: .daily(in: .utc)), files: SystemFileSystem(), clock: .manual(clock))
    }
    private func append(_ line: String, at time: LogTime, to file: inout RollingFile<SystemFileSystem>) {
        let bytes = Array((line + "\n").utf8)
        LineBatch.lending(bytes, ends: [bytes.count], times: [time]) { lines in
            #expect(file.append(lines).failure == nil)
        }
    }

    @Test("F7: what comes late from yesterday is one file, however often the clock is looked at, and today begins another")
    func yesterdaysBacklog() throws {
        var file = try rollingFile()
        for number in 1...20 {
            append("\(number)", at: yesterday, to: &file)
            #expect(file.nextDue! > LogClock.manual(clock).monotonicNanoseconds() + 1_000_000_000)
            clock.advance(by: .seconds(2))
            file.lookAtTheClock()
        }
        #expect(folder.archives() == [])
        append("today", at: clock.now, to: &file)
        #expect(folder.archives().map { folder.lines($0) } == [(1...20).map { "\($0)" }])
        #expect(folder.lines("app.log") == ["today"])
    }

    @Test("F7: a day's backlog that nobody follows is closed when the day ends in which it came")
    func idleBacklog() throws {
        var file = try rollingFile()
        append("late", at: yesterday, to: &file)
        clock.advance(by: .seconds(16 * 3600))   // to midnight
        file.lookAtTheClock()
        #expect(folder.archives() == [])
        clock.advance(by: .seconds(1))
        file.lookAtTheClock()
        #expect(folder.archives().map { folder.lines($0) } == [["late"]])
    }

    @Test("F7: a file that was found is closed behind its latest change, not behind its first event")
    func foundBacklog() {
        let beginning = FileBeginning(at: yesterday, written: clock.now, uptime: 0, boundary: .daily(in: .utc))
        #expect(beginning.boundary == LogTime(seconds: 1_764_028_800))
        #expect(beginning.idleBoundary == LogTime(seconds: 1_764_028_800 + 86_400))
    }
}
