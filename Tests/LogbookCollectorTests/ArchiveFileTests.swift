#if Collector
    import Foundation
    import LogbookTestKit
    import Testing

    @testable import LogbookCollector

    @Suite struct ArchiveFileTests {
        private let folder = TemporaryFolder()

        @Test func aLockThatCannotBeTakenIsNamed() {
            let path = folder("archive.sqlite")
            folder.makeFolder("archive.sqlite.lock")
            #expect {
                try ArchiveFile(path, supported: 1)
            } throws: { error in
                "\(error)".contains("\(path).lock: Is a directory")
            }
        }

        @Test func whoIsKeptOutIsToldOfTheLock() throws {
            let path = folder("archive.sqlite"), first = try ArchiveFile(path, supported: 1)
            #expect {
                try ArchiveFile(path, supported: 1)
            } throws: { error in
                "\(error)".contains("\(path).lock")
            }
            withExtendedLifetime(first) {}
        }

        @Test("what has the archive's name and is no file is refused, and neither waited for nor locked", arguments: [false, true])
        func whatIsNoFile(isPipe: Bool) throws {
            let path = folder("archive.sqlite"), link = folder("link.sqlite")
            if isPipe { #expect(mkfifo(path, 0o600) == 0) } else { folder.makeFolder("archive.sqlite") }
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            for name in [path, link] {
                #expect(throws: ArchiveError.cannotOpen(path: path, reason: "it is a pipe, a device or a folder, and no file")) {
                    try ArchiveFile(name, supported: 1)
                }
            }
            #expect(folder.names(in: ".").sorted() == ["archive.sqlite", "link.sqlite"])
        }

        @Test("a lock whose file was removed is taken anew, unless another process was sooner, which keeps this one from writing")
        func aRemovedLockIsTakenAnew() throws {
            let path = folder("archive.sqlite"), lock = path + ".lock", first = try ArchiveFile(path, supported: 1)
            #expect(try !first.checkIsInPlace())
            try FileManager.default.removeItem(atPath: lock)
            #expect(try first.checkIsInPlace())
            #expect(try !first.checkIsInPlace())
            #expect(throws: ArchiveError.inUse(path: path)) { try ArchiveFile(path, supported: 1) }

            try FileManager.default.removeItem(atPath: lock)
            let second = try ArchiveFile(path, supported: 1)
            #expect(throws: ArchiveError.inUse(path: path)) { try first.checkIsInPlace() }
            #expect(try !second.checkIsInPlace())
            second.letGo()
            #expect(try first.checkIsInPlace())
        }

        @Test("a file has one lock, whatever link leads to it, also one that led to nothing before", arguments: [false, true])
        func aLinkLeadsToTheSameLock(isThere: Bool) throws {
            folder.makeFolder("disk")
            let path = folder("disk/archive.sqlite"), link = folder("archive.sqlite")
            if isThere { try ArchiveFile(path, supported: 1).letGo() }
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "disk/archive.sqlite")
            let first = try ArchiveFile(link, supported: 1)
            #expect(first.path == path)
            for name in [path, link] {
                #expect(throws: ArchiveError.inUse(path: path)) { try ArchiveFile(name, supported: 1) }
            }
            withExtendedLifetime(first) {}
        }
    }
#endif
