#if Collector
    import CFaultyDatabase
    import GRDB
    import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// One scenario, run with the fault one call of SQLite's to the disk later each time until nothing of it is left to fail.
    @Suite struct SQLiteArchiveFaultTests {
        /// Four parcels of three entries each, two to a transaction.
        private static let parcels: [TransactionParcel] = (0..<4).map { number in
            let events = numbers(of: number)
            let entries = events.map { event -> EntryRecord in
                Golden.entry(event, at: Double(1000 + event), key: EntryKey(installation: "I", epoch: 1, sequence: Int64(event)))
            }
            return Golden.parcel(TransactionRecord(id: "T\(number / 2)", usecase: 1, entries: entries), name: "PARCEL-\(number)")
        }
        private static func numbers(of parcel: Int) -> [Int] { (0..<3).map { parcel * 10 + $0 } }
        private static let batch = LogBatch(parcel: "EVENTS", items: (1...5).map { Golden.item($0) }, received: LogTime(seconds: 2000))

        @Test(
            "rows 2, 7, 8, 10, 11, 56: whichever call to the disk fails, what was acknowledged is there once, what was not can come again, and the archive goes on",
            arguments: [
                (faulty_database_full, false), (faulty_database_late, false), (faulty_database_error, true), (faulty_database_torn, true),
            ])
        func everyCallFails(fault: faulty_database_fault, lasts: Bool) async throws {
            for call in 1... {
                let folder = TemporaryFolder(inMemory: true), path = folder("archive.sqlite")
                let disk = faulty_database_make(path)
                defer { faulty_database_free(disk) }
                faulty_database_fail(disk, call, fault, lasts ? 1 : 0)
                var acknowledged: Set<String> = [], refused = 0
                if let archive = try? SQLiteArchive(path: path) {
                    for parcel in Self.parcels {
                        do {
                            _ = try await archive.store(parcel)
                            acknowledged.insert(try #require(parcel.parcel))
                        } catch { refused += 1 }
                    }
                    do {
                        _ = try await archive.store(Self.batch)
                        acknowledged.insert("EVENTS")
                    } catch { refused += 1 }
                    if !lasts { #expect(refused <= 1, "call \(call): it did not go on") }
                    try? archive.close()
                }
                let faults = faulty_database_faults(disk)
                faulty_database_fail(disk, 0, fault, 0)

                let archive = try SQLiteArchive(path: path)
                for parcel in Self.parcels {
                    let receipt = try await archive.store(parcel)
                    #expect(receipt.accepted + receipt.duplicates == 3)
                    if acknowledged.contains(try #require(parcel.parcel)) { #expect(receipt.accepted == 0, "call \(call)") }
                }
                let receipt = try await archive.store(Self.batch)
                #expect(receipt.accepted + receipt.duplicates == 5)
                if acknowledged.contains("EVENTS") { #expect(receipt.accepted == 0, "call \(call)") }
                try archive.close()
                let found = try await DatabaseQueue(path: path).read { database in
                    (
                        try Int.fetchAll(database, sql: "SELECT event FROM entries ORDER BY event"),
                        try Int.fetchAll(database, sql: "SELECT sequence FROM log_events ORDER BY sequence"),
                        try String.fetchAll(database, sql: "PRAGMA integrity_check")
                    )
                }
                #expect(found.0 == (0..<4).flatMap(Self.numbers), "call \(call)")
                #expect(found.1 == Array(1...5), "call \(call)")
                #expect(found.2 == ["ok"], "call \(call)")
                if faults == 0 {
                    print("an archive: \(call - 1) calls to the disk, each failed once with \(fault.rawValue)\(lasts ? " and all after it" : "")")
                    #expect(call > 30, "the scenario is too small to mean anything")
                    break
                }
            }
        }
    }
#endif
