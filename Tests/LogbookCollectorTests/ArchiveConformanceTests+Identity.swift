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

        @Test("C25: where comparing takes PostgreSQL longer than it may, what is there counts as a duplicate, and nobody waits for it", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func comparingHasALimit() async throws {
            let (archive, address) = try await ArchiveServers.open(.postgres), count = 50_000
            func parcel(saying event: Int) -> TransactionParcel {
                let keys = (0..<count).map { EntryKey(installation: "I", epoch: 1, sequence: Int64($0)) }
                return Golden.parcel(
                    TransactionRecord(id: "T", usecase: 1, entries: keys.map { Golden.entry(event, at: 10, key: $0) }))
            }
            #expect(try await archive.store(parcel(saying: 1)).accepted == count)
            let other = parcel(saying: 2)
            let (all, none, limit) = try await onThread {
                let connection = try PostgresConnection(PostgresAddress(address)), entries = AdmittedSet(other, erased: [:]).entries
                return try connection.transaction { () throws(PostgresFailure) -> (Int, Int, String?) in
                    let usual = try connection.execute("SHOW statement_timeout").rows[0][0]
                    let all = try PostgresArchive.conflicts(among: entries, of: Tenant.standard, within: .seconds(60), connection)
                    let none = try PostgresArchive.conflicts(among: entries, of: Tenant.standard, within: .milliseconds(5), connection)
                    let isUsual = try connection.execute("SHOW statement_timeout").rows[0][0] == usual
                    return (all.count, none.count, isUsual ? nil : usual)
                }
            }
            #expect(all == count && none == 0 && limit == nil)
        }

        @Test("S33: a parcel is as young as what came last in it: its name stays as long as that", arguments: [ArchiveKind.sqlite, .postgres].filter { ArchiveKind.available.contains($0) })
        func aParcelIsAsYoungAsItsLatestRows(_ kind: ArchiveKind) async throws {
            let (archive, _) = try await ArchiveServers.open(kind)
            func arrive(_ count: Int, at seconds: Double) async throws -> ArchiveReceipt {
                let items = (1...count).map { number in
                    LogBatch.Item(
                        event: LogEvent(sequence: UInt64(number), time: LogTime(seconds: 0), level: .info, message: "\(number)"),
                        origin: nil)
                }
                return try await archive.store(LogBatch(parcel: "P", items: items, received: LogTime(seconds: seconds)))
            }
            #expect(try await arrive(1, at: 100_000) == ArchiveReceipt(accepted: 1, duplicates: 0))
            #expect(try await arrive(2, at: 900_000) == ArchiveReceipt(accepted: 1, duplicates: 1))
            let step = archive.removalStep
            while try await archive.remove(receivedBefore: LogTime(seconds: 500_000), limit: step) >= step {}
            #expect(try await archive.counts(tenant: nil).logEvents == 1)
            #expect(try await arrive(2, at: 900_001) == ArchiveReceipt(accepted: 1, duplicates: 1))
        }
    }
#endif
