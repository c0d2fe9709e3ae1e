import LogbookCore
import LogbookFiles
import LogbookFormat
import LogbookTestKit
import Testing

@testable import LogbookUploads

/// A log whose folder is removed begins anew, and its files have numbers again that others had.
@Suite struct UploadGateTests {
    private let bench = UploadBench()

    private func gate(_ conditions: UploadConditions) -> UploadGate { UploadGate(conditions, clock: .manual(bench.clock)) }

    private func line(_ level: LogLevel, _ format: some LogFormat = .text) -> String {
        var bytes: [UInt8] = []
        format.append(LogEvent(sequence: 1, time: bench.clock.now, level: level, message: "x"), to: &bytes)
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }

    @Test("D3: a file of a new log is not urgent because one of the same number was")
    func hurryEndsWithTheLog() throws {
        let gate = gate(UploadConditions(custom: { false })), old = try bench.roll(["one", "two"])
        gate.hurry(old)
        #expect(old.allSatisfy(gate.passes()))
        output(of: "rm -r '\(bench.path)'")
        let new = try bench.roll(["three"])
        #expect(new[0].number == old[0].number)
        #expect(!gate.passes()(new[0]))
    }

    @Test("D3: who has listed the files before they were called urgent takes that back of none")
    func anOlderListing() throws {
        let gate = gate(UploadConditions(custom: { false })), calls = gate.calls, all = try bench.roll(["one", "two"])
        gate.keep(all, listedAfter: gate.calls)
        gate.hurry(all)
        gate.keep([all[0]], listedAfter: calls)
        gate.keep(all, listedAfter: gate.calls)
        #expect(all.allSatisfy(gate.passes()))
        gate.keep([all[0]], listedAfter: gate.calls)   // one that is gone now is none of them any more
        gate.keep(all, listedAfter: gate.calls)
        #expect(!gate.passes()(all[1]))
    }

    @Test("D3: a file of a new log is read although one of the same number held nothing urgent")
    func whatWasReadIsOfItsLog() throws {
        let gate = gate(UploadConditions(urgentFrom: .error, custom: { false }))
        let shelf = try ArchiveShelf(of: "app", in: bench.path, files: SystemFileSystem())
        for (level, isUrgent) in [(LogLevel.warning, false), (.critical, true)] {
            try bench.roll([line(level)])
            let archives = try shelf.waiting().archives
            #expect(archives.map(\.number) == [1])
            gate.keep(archives, listedAfter: gate.calls)
            #expect(gate.mayBeUrgent(archives[0]))
            let claim = try #require(try shelf.claim(archives[0]))
            #expect(gate.isUrgent(claim) == isUrgent)
            #expect(gate.mayBeUrgent(archives[0]) == isUrgent)
            claim.release()
            output(of: "rm -r '\(bench.path)'")
        }
    }
}
