#if Collector && canImport(Glibc)
    @testable import LogbookCollector
    import LogbookCore
    import LogbookHTTP
    import LogbookTestKit
    import LogbookTransactions
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

        @Test("S32: what ClickHouse leaves for later goes by itself", arguments: ArchiveKind.available.filter { $0.isClickHouse })
        func whatIsLeftForLaterGoesByItself(_ kind: ArchiveKind) async throws {
            let address = try ClickHouseAddress(try await ArchiveServers.open(kind).address)
            let archive = try await onThread {
                try ClickHouseArchive(
                    address, transport: CurlTransport(allowsPlainHTTP: address.allowsPlainHTTP), removalDelay: .milliseconds(50))
            }
            try await ArchiveChecks.whatIsLeftForLaterGoesByItself(archive)
        }

        @Test("S32: in a transaction in which the user has come back, what is new stays", arguments: ArchiveKind.available)
        func whoComesBackKeepsWhatIsNew(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.whoComesBackKeepsWhatIsNew(try await ArchiveServers.open(kind).archive)
        }

        @Test("S32: a set of what is new says whose all was that came before", arguments: ArchiveKind.available)
        func whatIsNewNamesWhatWasBefore(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.whatIsNewNamesWhatWasBefore(try await ArchiveServers.open(kind).archive)
        }

        @Test("S32: one set may say of very many transactions whose they were", arguments: ArchiveKind.available)
        func oneSetMayEraseVeryMany(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.oneSetMayEraseVeryMany(try await ArchiveServers.open(kind).archive)
        }

        @Test("S32: who only says that somebody else's was an erased user's stops nobody who stores", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func whoNamesSomebodyElsesStopsNobody() async throws {
            let (archive, address) = try await ArchiveServers.open(.postgres)
            func parcel(of user: String) -> TransactionParcel {
                Golden.parcel(TransactionRecord(id: "T", usecase: 1, user: user, entries: [Golden.entry(1, at: 10)]))
            }
            _ = try await archive.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 1000))
            #expect(try await archive.store(parcel(of: "v")).accepted == 1)
            // As one who stores and does not end: who had to be alone would wait in vain.
            let other = try PostgresConnection(PostgresAddress(address))
            try other.execute("BEGIN; SELECT pg_advisory_xact_lock_shared(\(PostgresArchive.removalLock))")
            #expect(try await archive.store(parcel(of: "u")).erased == 1)
            try other.execute("COMMIT")
        }

        @Test("S32: a transaction that is known to be somebody else's is not erased", arguments: ArchiveKind.available)
        func whatIsKnownToBeSomebodyElsesStays(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.whatIsKnownToBeSomebodyElsesStays(try await ArchiveServers.open(kind).archive)
        }
    }
#endif
