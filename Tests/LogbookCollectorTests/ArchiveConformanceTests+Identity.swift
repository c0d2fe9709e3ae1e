#if Collector && canImport(Glibc)
    import LogbookCollector
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
    }
#endif
