#if Collector && canImport(Glibc)
    import GRDB
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// Entries without keys.
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

        @Test("D1: what an earlier version has stored by its place in the parcel is known when it comes again", arguments: [ArchiveKind.sqlite] + ArchiveKind.single)
        func whatAnEarlierVersionHasStoredIsKnown(_ kind: ArchiveKind) async throws {
            let servers = try #require(ArchiveServers.current)
            let (archive, address) = try await ArchiveServers.open(kind)
            let record = TransactionRecord(id: "T", usecase: 1, entries: [Golden.entry(2, at: 9), Golden.entry(3, at: 10)])
            let parcel = Golden.parcel(record, name: "P")
            let key = try #require(EntryIdentity.formerKeys(for: parcel)[1])
            try await onThread { () throws -> Void in
                switch kind {
                case .sqlite:
                    let file = try DatabaseQueue(path: String(address.dropFirst("sqlite:".count)))
                    try file.write { try $0.execute(sql: Self.sqlite(key)) }
                case .postgres: _ = try #require(servers.postgres).ask(address, Self.postgres(HexadecimalDigest.of(key.utf8)))
                default:
                    for insert in Self.clickHouse(HexadecimalDigest.of(key.utf8)) {
                        try servers.clickHouse(kind).ask("INSERT INTO \(ClickHouseAddress(address).database).\(insert)")
                    }
                }
            }
            #expect(try await archive.store(parcel) == ArchiveReceipt(accepted: 1, duplicates: 1))
            #expect(try await archive.store(parcel) == ArchiveReceipt(accepted: 0, duplicates: 2))
            #expect(try await archive.transaction("T", tenant: Tenant.standard) == record)
        }

        // The second of the two entries, as an earlier version has left it.

        private static func sqlite(_ key: String) -> String {
            """
            INSERT INTO parcels (id, tenant, name, kind, received) VALUES (5, 'default', 'P', 'transactions', 1);
            INSERT INTO transactions (id, tenant, guid, usecase, received) VALUES (7, 'default', 'T', 1, 1);
            INSERT INTO entries (transaction_id, tenant, key, event, time, parcel, ordinal, received)
              VALUES (7, 'default', '\(key)', 3, 10000000, 5, 1, 1)
            """
        }

        private static func postgres(_ digest: String) -> String {
            """
            INSERT INTO transactions (tenant, guid, usecase, received) VALUES ('default', 'T', 1, 'epoch');
            INSERT INTO entry_keys VALUES ('default', decode('\(digest)', 'hex'));
            INSERT INTO entries (transaction, tenant, digest, event, time, parcel, ordinal, received)
              SELECT id, 'default', decode('\(digest)', 'hex'), 3, timestamptz 'epoch' + interval '10 seconds', 0, 1, 'epoch' FROM transactions
            """
        }

        private static func clickHouse(_ digest: String) -> [String] {
            [
                "logbook_transactions (tenant, transaction, facts, usecase, received, precedence) VALUES ('default', 'T', 'f', 1, 1, 1)",
                """
                logbook_entries (tenant, transaction, digest, key, event, time, day, ordinal, received, precedence)
                VALUES ('default', 'T', '\(digest)', '', 3, 10000000, '1970-01-01', 1, 1, 1)
                """,
            ]
        }
    }
#endif
