#if Collector && canImport(Glibc)
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// What entries are known by.
    extension ArchiveConformanceTests {
        @Test("D1: what a client has deleted before it sends a parcel again makes nothing new of the rest", arguments: ArchiveKind.available)
        func aParcelThatLacksSomethingIsKnown(_ kind: ArchiveKind) async throws {
            let (archive, _) = try await ArchiveServers.open(kind)
            let deleted = TransactionRecord(id: "A", usecase: 1, entries: [Golden.entry(1, at: 10)])
            let rest = TransactionRecord(
                id: "B", usecase: 1, entries: [Golden.entry(1, at: 10), Golden.entry(1, at: 10), Golden.entry(2, at: 11)])
            #expect(try await archive.store(Golden.parcel(deleted, rest, name: "P")) == ArchiveReceipt(accepted: 4, duplicates: 0))
            #expect(try await archive.store(Golden.parcel(rest, name: "P")) == ArchiveReceipt(accepted: 0, duplicates: 3))
            // Under another name they are others.
            #expect(try await archive.store(Golden.parcel(rest, name: "Q")) == ArchiveReceipt(accepted: 3, duplicates: 0))
            #expect(try await archive.counts(tenant: nil).entries == 7)
        }

        @Test("C25: what stands under a key stays; what comes under it and says something else is counted as that", arguments: ArchiveKind.available)
        func whatStandsUnderAKeyStays(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.whatStandsUnderAKeyStays(try await ArchiveServers.open(kind).archive)
        }

        @Test("C25: an entry that comes another way is the same, and one of whom was erased is none", arguments: ArchiveKind.available)
        func theSameEntryIsNoConflict(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.theSameEntryIsNoConflict(try await ArchiveServers.open(kind).archive)
        }

        @Test("C25: a key that stands in another transaction is no entry of this one, but for ClickHouse, which stores it", arguments: ArchiveKind.available)
        func aKeyOfAnotherTransaction(_ kind: ArchiveKind) async throws {
            let (archive, _) = try await ArchiveServers.open(kind)
            func record(_ id: String, _ sequences: [Int64]) -> TransactionRecord {
                let entries = sequences.map { Golden.entry(3, at: 1_423_202_367, key: EntryKey(installation: "I", epoch: 1, sequence: $0)) }
                return TransactionRecord(id: id, usecase: 1, entries: entries)
            }
            #expect(try await archive.store(Golden.parcel(record("A", [1]))) == ArchiveReceipt(accepted: 1, duplicates: 0))
            // It comes apart, in one parcel with what is new of the other transaction, and in one with the other's entry itself.
            let others: [(id: String, sequence: Int64, beside: [Int64])] = [("B", 1, []), ("C", 1, [2]), ("D", 3, [3])]
            for (id, sequence, beside) in others {
                let other = record(id, [sequence])
                let receipt = try await archive.store(Golden.parcel(record("A", beside), other))
                let accepted = beside.count + (kind.isClickHouse ? 1 : 0)
                let conflicts = kind.isClickHouse ? [] : [ArchiveReceipt.Conflict(transaction: id, key: "I:1:\(sequence)")]
                #expect(receipt == ArchiveReceipt(accepted: accepted, duplicates: 0, conflicts: conflicts), "\(id)")
                let stored = try await archive.transaction(id, tenant: Tenant.standard)?.entries
                #expect(stored == (kind.isClickHouse ? other.entries : []), "\(id)")
                guard kind.isClickHouse else { continue }
                // It has a place of its own from then on.
                #expect(try await archive.store(Golden.parcel(other)) == ArchiveReceipt(accepted: 0, duplicates: 1))
            }
            #expect(try await archive.transaction("A", tenant: Tenant.standard) == record("A", [1, 2, 3]))
        }

        @Test("C25: PostgreSQL looks keys up by a hash, once for all transactions of a set; before version 14 `= ANY` compares each with each", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func keysAreLookedUpByAHash() async throws {
            let (_, address) = try await ArchiveServers.open(.postgres)
            let digests = PostgresArchive.array(of: (0..<1000).map { HexadecimalDigest.of("\($0)".utf8) })
            let plan = try await onThread {
                try PostgresConnection(PostgresAddress(address)).execute(
                    "EXPLAIN " + PostgresArchive.entriesUnderKeys,
                    [Tenant.standard, #"[{"guid":"T","start_us":0,"end_us":1000000}]"#, "-infinity", "infinity", digests]
                ).rows.compactMap { $0[0] }
            }
            #expect(plan.first?.hasPrefix("Hash Join ") == true, "\(plan)")
            #expect(!plan.contains { $0.contains("= ANY (") }, "\(plan)")
        }
    }
#endif
