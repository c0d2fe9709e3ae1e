#if Collector
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
    }
#endif
