#if Collector
    import Foundation
    @testable import LogbookCollector
    import LogbookTestKit
    import Testing

    @Suite struct CollectorProgramTests {
        private let folder = TemporaryFolder()

        private func makeProgram(_ archive: String) throws -> CollectorProgram {
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            return try CollectorProgram(configuration, archive: "sqlite:" + folder(archive))
        }

        @Test("a program that was stopped before it could run serves nobody, and lets the archive go")
        func stoppedBeforeItRuns() throws {
            let program = try makeProgram("archive.sqlite")
            #expect(throws: ArchiveError.inUse(path: folder("archive.sqlite"))) { try SQLiteArchive(path: folder("archive.sqlite")) }
            program.stop()
            try program.run { url in Issue.record("it listens on \(url)") }
            try SQLiteArchive(path: folder("archive.sqlite")).close()
            withExtendedLifetime(program) {}
        }

        @Test("S28: room is kept on the disk of the archive's file, and not on that of a link to it")
        func roomIsKeptWhereTheFileIs() throws {
            folder.makeFolder("disk")
            try FileManager.default.createSymbolicLink(atPath: folder("archive.sqlite"), withDestinationPath: "disk/archive.sqlite")
            for archive in ["archive.sqlite", "disk/archive.sqlite"] {
                let program = try makeProgram(archive)
                #expect(program.configuration.storageFolder == folder("disk"))
                program.stop()
                try program.run { _ in }   // which lets the archive go
            }
        }
    }
#endif
