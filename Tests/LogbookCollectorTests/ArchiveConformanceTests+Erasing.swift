#if Collector && canImport(Glibc)
    import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import Testing

    extension ArchiveConformanceTests {
        @Test("S32: nothing is left of a transaction whose user was erased, whenever it is said whose it was", arguments: ArchiveKind.available)
        func nothingIsLeftInAnyOrder(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.nothingIsLeftInAnyOrder(try await ArchiveServers.open(kind).archive)
        }

        @Test("S32: nor when several collectors hear of it at the same time", arguments: ArchiveKind.available)
        func nothingIsLeftOfWhatComesAtTheSameTime(_ kind: ArchiveKind) async throws {
            let (archive, address) = try await ArchiveServers.open(kind)
            let other = kind == .sqlite ? archive : try await onThread { try ArchiveURL.open(address) }
            try await ArchiveChecks.nothingIsLeftOfWhatComesAtTheSameTime(archive, other)
        }

        @Test("S32: in a transaction in which the user has come back, what is new stays", arguments: ArchiveKind.available)
        func whoComesBackKeepsWhatIsNew(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.whoComesBackKeepsWhatIsNew(try await ArchiveServers.open(kind).archive)
        }

        @Test("S32: a transaction that is known to be somebody else's is not erased", arguments: ArchiveKind.available)
        func whatIsKnownToBeSomebodyElsesStays(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.whatIsKnownToBeSomebodyElsesStays(try await ArchiveServers.open(kind).archive)
        }
    }
#endif
