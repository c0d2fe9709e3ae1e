import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookRemote

/// What earlier runs have left is counted when it is first read.
extension SpoolTests {
    private func opened(_ files: FaultyFileSystem) -> Int { files.calls.count { $0 == "openForReading" } }

    @Test("a start reads nothing of what was left; whoever asks for the account has it counted first")
    func aStartReadsNothing() throws {
        var first: Spool<SystemFileSystem>? = try makeSpool(SpoolPolicy(parcelEvents: 2), files: SystemFileSystem())
        for number in 1...5 { _ = first?.take(.numbered(number)) }
        first = nil
        #expect(eventFiles.count == 3)
        let files = FaultyFileSystem(), next = try makeSpool(files: files)
        #expect(opened(files) == 0)
        #expect(next.pendingCount >= 5)
        for _ in 1...2 {
            #expect(next.deliveries == LogLedger(submitted: 5))
            #expect(opened(files) == 3)
        }
        #expect(next.pendingCount == 5)
    }

    @Test("the courier counts what was left before it says how much waits for a delivery")
    func theCourierCountsFirst() throws {
        var first: Spool<SystemFileSystem>? = try makeSpool(files: SystemFileSystem())
        for number in 1...5 { _ = first?.take(.numbered(number)) }
        first = nil
        let files = FaultyFileSystem(), next = try makeSpool(files: files)
        #expect(next.takeArrivals() == 0)
        #expect(next.pendingCount == 5)
        let parcel = try #require(try next.nextParcel(besides: []))
        #expect(parcel.count == 5)
        try next.settle(parcel, as: .delivered)
        #expect(next.deliveries == LogLedger(submitted: 5, delivered: 5))
        #expect(eventFiles == [])
    }

    @Test("61: after a start with a full spool an event that needs room has the oldest file read, and no other")
    func roomIsMadeWithoutReadingEverything() throws {
        let policy = SpoolPolicy(maximumBytes: 64 << 10, parcelEvents: 20)
        var first: Spool<SystemFileSystem>? = try makeSpool(policy, files: SystemFileSystem())
        for number in 1...2000 { _ = first?.take(.numbered(number)) }
        first = nil
        let left = eventFiles
        #expect(left.count > 5)
        let files = FaultyFileSystem(), next = try makeSpool(policy, files: files)
        for number in 1...100 where next.lost == 0 { _ = next.take(.numbered(number)) }
        #expect(next.lost > 0)
        #expect(opened(files) == 1)
        #expect(!eventFiles.contains(left[0]) && Set(left.dropFirst()).isSubset(of: eventFiles))
        let deliveries = next.deliveries
        #expect(deliveries.dropped == [.spoolFull: UInt64(next.lost)])
        #expect(deliveries.pending == UInt64(next.pendingCount))
    }

    @Test("a file whose first line was never finished goes when it is counted, and one that is gone by then is no event")
    func whatHoldsNothingGoes() throws {
        var first: Spool<SystemFileSystem>? = try makeSpool(SpoolPolicy(parcelEvents: 1), files: SystemFileSystem())
        for number in 1...3 { _ = first?.take(.numbered(number)) }
        first = nil
        let left = eventFiles
        folder.write("00000000 e {", to: "spool/" + left[0])
        let next = try makeSpool(files: SystemFileSystem())
        output(of: "rm '\(folder.path)/spool/\(left[1])'")
        #expect(next.pendingCount >= 3)
        #expect(next.deliveries == LogLedger(submitted: 1))
        #expect(next.pendingCount == 1)
        #expect(eventFiles == [left[2]])
    }

    @Test func anEmptyFileGoesAtTheStart() throws {
        folder.makeFolder("spool")
        folder.write("", to: "spool/000-0000000009-586AB00B-F16E-4AE6-8A91-0210264925C7.events")
        let spool = try makeSpool(files: SystemFileSystem())
        #expect(eventFiles == [])
        #expect(spool.pendingCount == 0)
    }
}
