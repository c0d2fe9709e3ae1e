import Foundation
import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookFiles

@Suite struct ArchiveShelfTests {
    private let folder = TemporaryFolder(inMemory: true)

    private func rollOne(_ message: String) throws {
        let provider = try FileLogProvider(in: folder.path, format: MessageFormat(), rolling: RollingPolicy(awaitsDelivery: true))
        provider.log(event(message))
        try provider.roll()
        try provider.shutdown(by: .seconds(30))
    }

    @Test("U15: what becomes of an archive that is gone with its log is not taken for that of a new log's file of the same number")
    func logThatBeganAnew() throws {
        try rollOne("one")
        let shelf = try ArchiveShelf(of: "app", in: folder.path, files: SystemFileSystem())
        let claim = try #require(try shelf.claim(try shelf.waiting().archives[0]))
        output(of: "rm -r '\(folder.path)'")
        try rollOne("two")
        let archives = try shelf.waiting().archives
        #expect(archives.map(\.number) == [1])
        #expect(archives[0].id != claim.archive.id)
        try shelf.setAside(claim)
        #expect(try shelf.settle(claim))
        #expect(try shelf.waiting().archives == archives)
        #expect(folder.archives().map { folder.lines($0) } == [["two"]])
    }

    @Test("U14: an archive that a listing misses, as one that is compressed at that moment, waits all the same", arguments: [false, true])
    func missedByAListing(isCompressed: Bool) throws {
        for message in ["one", "two"] { try rollOne(message) }
        let missed = folder.archives()[0], name = isCompressed ? missed + ".gz" : missed
        if isCompressed { try FileManager.default.moveItem(atPath: folder(missed), toPath: folder(name)) }
        let files = FaultyFileSystem(), shelf = try ArchiveShelf(of: "app", in: folder.path, files: files)
        files.leaveOut([missed, name])
        let archives = try shelf.waiting().archives
        #expect(archives.map(\.number) == [1, 2])
        #expect(archives[0].path == folder(name) && archives[0].isCompressed == isCompressed)
        try #require(try shelf.claim(archives[0])).release()
    }

    @Test("U14: an archive that is compressed between the listing and the look at it waits under its new name")
    func compressedBehindTheListing() throws {
        try rollOne("one")
        let listed = folder.archives()[0], files = FaultyFileSystem()
        try FileManager.default.copyItem(atPath: folder(listed), toPath: folder(listed + ".gz"))
        files.leaveOut([listed + ".gz"])
        files.fail(ENOENT, in: "statusOfName", of: listed)
        let shelf = try ArchiveShelf(of: "app", in: folder.path, files: files)
        #expect(try shelf.waiting().archives.map(\.isCompressed) == [true])
    }

    @Test("U15: what has arrived since it was found, and could not be deleted, is not taken")
    func deliveredMeanwhile() throws {
        try rollOne("one")
        let files = FaultyFileSystem(failing: 1, with: .failure(13), lasts: true, only: ["remove"])
        let shelf = try ArchiveShelf(of: "app", in: folder.path, files: files)
        let found = try #require(try shelf.waiting().archives.first)
        let claim = try #require(try shelf.claim(found))
        #expect(try shelf.isInOtherHands(found))
        #expect(try shelf.settle(claim) == false)
        claim.release()
        #expect(folder.archives().count == 1)
        #expect(try shelf.claim(found)?.release() == nil)
        #expect(try shelf.isInOtherHands(found) == false)
    }

    @Test("U15: a note that the disk has not confirmed is none, also when it is there at the next try")
    func noteThatIsNotConfirmed() throws {
        try rollOne("one")
        let files = FaultyFileSystem(failing: 1, with: .failure(5), lasts: true, only: ["synchronize", "remove"])
        let shelf = try ArchiveShelf(of: "app", in: folder.path, files: files)
        let claim = try #require(try shelf.claim(try shelf.waiting().archives[0]))
        for _ in 1...2 {
            #expect(throws: SystemError(5, in: "synchronize")) { _ = try shelf.settle(claim) }
        }
        #expect(folder.lines(".app.manifest").filter { $0 == "delivered 1" }.count == 2)
    }

    @Test("U15: nor is one of which nothing more can be learnt when the disk has not confirmed it")
    func noteOfWhichNothingIsKnown() throws {
        try rollOne("one")
        let files = FaultyFileSystem(failing: 1, with: .failure(13), lasts: true, only: ["remove"]), gate = Gate(), isDone = Gate()
        let shelf = try ArchiveShelf(of: "app", in: folder.path, files: files)
        let claim = try #require(try shelf.claim(try shelf.waiting().archives[0]))
        let failure = Locked<SystemError?>(nil)
        files.hold("synchronize", at: gate)
        LogThread.start("settling") {
            do { _ = try shelf.settle(claim) } catch let error as SystemError { failure.withLock { $0 = error } } catch {}
            isDone.open()
        }
        #expect(gate.waitForArrivals(1))
        files.fail(5)
        files.fail(5, in: "status", of: ".app.manifest")
        gate.open()
        isDone.wait()
        files.fail(nil)
        files.fail(nil, in: "status", of: ".app.manifest")
        #expect(failure.withLock { $0 } == SystemError(5, in: "synchronize"))
        #expect(try !shelf.settle(claim))
        #expect(folder.lines(".app.manifest").filter { $0 == "delivered 1" }.count == 2)
    }
}
