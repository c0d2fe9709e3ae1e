import LogbookCore
import LogbookDelivery
import LogbookFormat
import LogbookHTTP
import LogbookTestKit
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@testable import LogbookRemote

/// Files that cannot be read.
extension SpoolTests {
    @Test("a file that cannot be read is passed over and tried again after a minute; with nothing else to deliver, it is said why it stays")
    func anUnreadableFileIsPassedOver() throws {
        let files = FaultyFileSystem(), spool = try makeSpool(SpoolPolicy(parcelEvents: 1), files: files)
        for number in 1...2 { _ = spool.take(.numbered(number)) }
        let names = eventFiles
        files.fail(EIO, in: "read", of: names[0])
        let second = try #require(try spool.nextParcel(besides: []))
        #expect(second.id == SpoolName(names[1]).map { $0.id + ".1" })
        #expect(try spool.nextParcel(besides: []) == second)
        #expect(try spool.nextParcel(besides: [second.id]) == nil)   // something is on its way
        try spool.settle(second, as: .delivered)
        func expectTrouble() throws {
            #expect(try spool.nextParcel(besides: []) == nil)
            #expect(spool.unreadable?.contains(names[0]) == true)
            #expect(spool.oldestPending == nil)
        }
        try expectTrouble()
        files.fail(nil, in: "read", of: names[0])
        clock.advance(by: .seconds(59))
        try expectTrouble()
        #expect(spool.nextParcelIsDue == .seconds(1))
        clock.advance(by: .seconds(1))
        let first = try #require(try spool.nextParcel(besides: []))
        #expect(first.id == SpoolName(names[0]).map { $0.id + ".1" } && spool.unreadable == nil)
        try spool.settle(first, as: .delivered)
        #expect(try spool.nextParcel(besides: []) == nil)
        #expect(spool.deliveries == LogLedger(submitted: 2, delivered: 2))
        #expect(eventFiles == [])
    }

    @Test func aFileThatCannotBeReadIsNamed() async {
        await #expect(processExitsWith: .success) {
            let said = Locked<[String]>([])
            LogDiagnostics.setHandler { remark in said.withLock { $0.append(remark.message) } }
            let tests = SpoolTests(), files = FaultyFileSystem()
            let spool = try tests.makeSpool(SpoolPolicy(parcelEvents: 1), files: files)
            _ = spool.take(.numbered(1))
            let file = try #require(tests.eventFiles.first)
            files.fail(EIO, in: "openForReading", of: file)
            #expect(try spool.nextParcel(besides: []) == nil)
            let expected = "cannot read \(tests.folder("spool/" + file)), which is kept and tried again: "
            #expect(said.withLock { $0 } == [expected + SystemError(EIO, in: "openForReading").description])
        }
    }

    @Test("a file of an earlier run that cannot be read stops neither the start nor what is new; when it can be, it is counted and sent")
    func theNextRunStartsBesideAnUnreadableFile() throws {
        var first: RemoteLogProvider? = try provider(away, epoch: 1)
        for number in 1...5 { first?.log(.numbered(number)) }
        first = nil
        let files = FaultyFileSystem(), file = try #require(eventFiles.first)
        files.fail(EACCES, in: "openForReading", of: file)
        let next = try provider(collector.willing(), epoch: 2, files: files)
        #expect(next.deliveries == LogLedger())
        #expect(next.status.pending >= 5)
        next.log(.numbered(6, .error))
        let isSent = becomesTrue {
            clock.advance(by: .seconds(1))
            return collector.received == ["event 6"]
        }
        #expect(isSent)
        let reason = "the source cannot be read: \(folder("spool/" + file)): "
        let isSaid = becomesTrue {
            let status = next.status
            return status.state == .idle && status.latestAnswer?.hasPrefix(reason) == true
        }
        #expect(isSaid)
        #expect {
            try next.deliver(by: .seconds(30))
        } throws: { error in
            guard case .notDelivered(let pending, let reason)? = error as? RemoteLogProviderError else { return false }
            return pending >= 5 && reason.contains(file)
        }

        files.fail(nil, in: "openForReading", of: file)
        let isComplete = becomesTrue {
            clock.advance(by: .seconds(1))
            return next.deliveries.delivered == 6
        }
        #expect(isComplete)
        #expect(next.deliveries == LogLedger(submitted: 6, delivered: 6))
        #expect(Set(collector.received) == Set((1...6).map { "event \($0)" }))
        #expect(eventFiles == [])
    }

    @Test("a file of an earlier run that cannot be read stops no flush; when it can be, the next flush makes it safe")
    func aFlushPassesOverAnUnreadableFile() throws {
        var first: Spool<SystemFileSystem>? = try makeSpool(files: SystemFileSystem())
        _ = first?.take(.numbered(1))
        first = nil
        let files = FaultyFileSystem(), file = try #require(eventFiles.first)
        files.fail(EACCES, in: "openForReading", of: file)
        let next = try makeSpool(files: files)
        #expect(try next.makeSafe(by: .seconds(30)))
        #expect(!files.calls.contains("synchronize"))
        files.fail(nil, in: "openForReading", of: file)
        clock.advance(by: .seconds(60))
        #expect(try next.nextParcel(besides: []) != nil)
        #expect(try next.makeSafe(by: .seconds(30)))
        #expect(files.calls.contains("synchronize"))
    }

    @Test("a lane that cannot be taken over keeps no other from it, and is looked at again")
    func aLaneThatCannotBeTakenOver() throws {
        var earlier = try (1...3).map { try provider(away, epoch: UInt64($0)) }
        for number in 1...3 { earlier[number - 1].log(.numbered(number)) }
        earlier = []
        #expect(eventFiles.map { $0.prefix(3) } == ["000", "001", "002"])
        let files = FaultyFileSystem()
        files.fail(EACCES, in: "openForAppending", of: "001.lane")
        let next = try provider(collector.willing(), epoch: 4, files: files)
        try next.deliver(by: .seconds(30))
        #expect(collector.received == ["event 1", "event 3"])
        files.fail(nil, in: "openForAppending", of: "001.lane")
        let isComplete = becomesTrue {
            clock.advance(by: .seconds(1))
            return next.deliveries.delivered == 3
        }
        #expect(isComplete)
        #expect(collector.received.last == "event 2")
    }

    @Test func aLaneOfAnotherUserIsPassedOverAndAFolderOfAnotherUserIsSaid() throws {
        let files = FaultyFileSystem()
        files.fail(EACCES, in: "openForAppending", of: "000.lane")
        let provider = try provider(collector.willing(), files: files)
        provider.log(.numbered(1))
        #expect(eventFiles.map { $0.prefix(3) } == ["001"])
        try provider.deliver(by: .seconds(30))
        #expect(collector.received == ["event 1"])

        files.fail(EACCES)
        let reason = SystemError(EACCES, in: "openForAppending").description
        #expect(throws: RemoteLogProviderError.cannotOpenSpool(folder: folder("spool"), reason: reason)) {
            try self.provider(away, files: files)
        }
    }

    @Test("61: room is made beside a file that cannot be read, and nothing of it is dropped uncounted")
    func roomIsMadeBesideAnUnreadableFile() throws {
        let policy = SpoolPolicy(maximumBytes: 64 << 10, parcelEvents: 20)
        var first: RemoteLogProvider? = try provider(away, policy: policy, epoch: 1)
        for number in 1...20 { first?.log(number % 10 == 0 ? entry(number) : .numbered(number, message: "first \(number)")) }
        first = nil
        let files = FaultyFileSystem(), file = try #require(eventFiles.first)
        files.fail(EIO, in: "read", of: file)
        let second = try provider(away, policy: policy, epoch: 2, files: files)
        for number in 1...1000 { second.log(.numbered(number)) }
        #expect(second.ledger == LogLedger(submitted: 1000, delivered: 1000))
        #expect(second.deliveries.droppedTotal > 0)
        #expect(eventFiles.contains(file))
        try? second.shutdown(by: .now)

        let third = try provider(collector.willing(), policy: policy, epoch: 3)
        try third.deliver(by: .seconds(30))
        #expect(collector.received.count { $0.hasPrefix("first") } == 18)
        #expect(collector.received.count { $0.hasPrefix("entry") } == 2)
    }
}
