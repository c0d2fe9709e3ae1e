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
}
