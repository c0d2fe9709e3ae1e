#if Collector
    import Foundation
    import GRDB
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTransactions
    import LogbookTestKit
    import Testing

    @Suite struct SQLiteArchiveContractTests {
        private let folder: TemporaryFolder
        private let archive: SQLiteArchive
        private var path: String { folder("archive.sqlite") }

        init() throws {
            folder = TemporaryFolder()
            archive = try SQLiteArchive(path: folder("archive.sqlite"), busyTimeout: .milliseconds(100))
        }

        @Test("S24: tenants share neither ids nor keys, and see nothing of each other")
        func tenantsAreApart() async throws { try await ArchiveChecks.tenantsAreApart(archive) }

        @Test("D6: every fact of a transaction comes back as it went in")
        func everyFactComesBack() async throws { try await ArchiveChecks.everyFactComesBack(archive) }

        @Test("D5: transactions are found by use case, user, time and error")
        func queriesFind() async throws { try await ArchiveChecks.queriesFind(archive) }

        @Test func queriesFindWhatIsKnown() async throws { try await ArchiveChecks.queriesFindWhatIsKnown(archive) }

        @Test func pagesMissAndRepeatNothing() async throws { try await ArchiveChecks.pagesMissAndRepeatNothing(archive) }

        @Test func aPageHoldsNotTooManyEntries() async throws { try await ArchiveChecks.aPageHoldsNotTooManyEntries(archive) }

        @Test func aPageHoldsNotTooManyBytes() async throws { try await ArchiveChecks.aPageHoldsNotTooManyBytes(archive) }

        @Test func idsThatOnlyLookAlikeAreTwo() async throws { try await ArchiveChecks.idsThatOnlyLookAlikeAreTwo(archive) }

        @Test func aLongIDIsOneTransaction() async throws { try await ArchiveChecks.aLongIDIsOneTransaction(archive) }

        @Test func anIDOfNULsIsOneTransaction() async throws { try await ArchiveChecks.anIDOfNULsIsOneTransaction(archive) }

        @Test("S32: what was erased is gone and stays gone, however late it is sent again")
        func whatWasErasedStaysErased() async throws { try await ArchiveChecks.whatWasErasedStaysErased(archive) }

        @Test("S33: what is too old is removed, so much at a time")
        func whatIsTooOldGoes() async throws { try await ArchiveChecks.whatIsTooOldGoes(archive) }

        @Test("S32, S33: a transaction stays as long as a log event that names it, and an erasure finds both")
        func aTransactionStaysAsLongAsWhatNamesIt() async throws {
            try await ArchiveChecks.aTransactionStaysAsLongAsWhatNamesIt(archive)
        }

        @Test("S33: the names of parcels go with what came in them, however many they are")
        func theNamesOfParcelsGo() async throws { try await ArchiveChecks.theNamesOfParcelsGoWithWhatCameInThem(archive) }

        @Test("D3, D4: a user or a version of no letters is none: who knows it fills it in")
        func whatSaysNothingIsFilledIn() async throws { try await ArchiveChecks.whatSaysNothingIsFilledIn(archive) }

        @Test func whoHasNoNameIsNobody() async throws { try await ArchiveChecks.whoHasNoNameIsNobody(archive) }

        @Test("D6: entries of another device than the transaction's say so, and what comes again changes nothing of it")
        func anotherDeviceIsSaid() async throws { try await ArchiveChecks.anotherDeviceIsSaid(archive) }

        @Test func onlyAContradictionIsAnotherDevice() async throws { try await ArchiveChecks.onlyAContradictionIsAnotherDevice(archive) }

        @Test func aServerWithoutADevice() async throws { try await ArchiveChecks.aServerWithoutADevice(archive) }

        @Test func severalDevicesInOneSet() async throws { try await ArchiveChecks.severalDevicesInOneSet(archive) }

        @Test func aLongDeviceIsCut() async throws { try await ArchiveChecks.aLongDeviceIsCut(archive) }

        @Test func devicesThatOnlyLookAlikeAreTwo() async throws { try await ArchiveChecks.devicesThatOnlyLookAlikeAreTwo(archive) }

        // MARK: The file

        /// Every byte of the archive's files.
        private func bytes(of path: String) -> Data {
            ["", "-wal", "-shm"].reduce(into: Data()) { data, suffix in
                data += (try? Data(contentsOf: URL(fileURLWithPath: path + suffix))) ?? Data()
            }
        }

        private func canaries(_ range: Range<Int>, user: String) -> TransactionParcel {
            // Of several lengths and orders, so that pages are split and rows moved.
            let records = range.map { number in
                TransactionRecord(
                    id: "\(UInt64(number) &* 0x9E37_79B9_7F4A_7C15)-\(user)", usecase: 1, deviceMake: "\(user)-make", user: user,
                    entries: (0..<4).map { event in
                        EntryRecord(
                            event: event, errorCode: 1, errorDescription: String(repeating: "\(user)-text ", count: 1 + number % 37),
                            time: LogTime(seconds: Double(number * 7919 % 1000)))
                    })
            }
            return TransactionParcel(parcel: "P\(range) \(user.utf8.count)\(user.utf8.first!)", set: TransactionSet(transactions: records), received: LogTime(seconds: 1))
        }

        @Test("S32: no byte of what was erased is left in any file")
        func noByteIsLeft() async throws {
            for round in 0..<8 {
                for user in ["canary", "keeper"] {
                    _ = try await archive.store(canaries(round * 100..<(round + 1) * 100, user: user))
                }
            }
            #expect(bytes(of: path).range(of: Data("canary".utf8)) != nil)
            #expect(try await archive.erase(user: "canary", tenant: Tenant.standard, at: LogTime(seconds: 5000)) == 800)
            #expect(bytes(of: path).range(of: Data("canary".utf8)) == nil)
            #expect(bytes(of: path).range(of: Data("keeper-text".utf8)) != nil)
            #expect(try await archive.counts(tenant: nil).transactions == 800)
            #expect(try await archive.store(canaries(0..<100, user: "canary")).erased == 400)
            #expect(bytes(of: path).range(of: Data("canary".utf8)) == nil)
        }

        @Test("S32: an erasure that a kill has interrupted is finished when the archive is opened")
        func anInterruptedErasureIsFinished() async throws {
            _ = try await archive.store(canaries(0..<100, user: "canary"))
            try archive.close()
            // As it is left behind when the first of the erasure's steps has been committed, and its pages are in the log.
            do {
                let interrupted = try DatabasePool(path: path)
                try await interrupted.write {
                    // By an earlier version, which noted no more.
                    try $0.execute(sql: "INSERT INTO erasures (tenant, user) VALUES ('default', 'canary')")
                    try $0.execute(
                        sql: "INSERT INTO erased VALUES (?, 5000000000)",
                        arguments: [ErasureMark.user("canary", tenant: Tenant.standard)])
                }
            }
            try FileManager.default.copyItem(atPath: path, toPath: folder("killed.sqlite"))
            let reopened = try SQLiteArchive(path: folder("killed.sqlite"))
            #expect(try await reopened.counts(tenant: nil).transactions == 0)
            #expect(bytes(of: folder("killed.sqlite")).range(of: Data("canary".utf8)) == nil)
            #expect(try await reopened.store(canaries(0..<10, user: "canary")).erased == 40)
        }

        @Test("S32: an erasure that cannot be ended keeps no archive from opening, and is ended at a later start")
        func anErasureThatCannotBeEnded() async throws {
            _ = try await archive.store(canaries(0..<100, user: "canary"))
            try archive.close()
            func edit(_ sql: String) async throws -> Int? {
                let file = try DatabaseQueue(path: path)
                let left = try await file.write { database in
                    try database.execute(sql: sql)
                    return try Int.fetchOne(database, sql: "SELECT count(*) FROM erasures")
                }
                try file.close()
                return left
            }
            _ = try await edit(
                """
                INSERT INTO erasures VALUES ('default', 'canary', (SELECT max(id) FROM parcels));
                CREATE TRIGGER no BEFORE DELETE ON erasures BEGIN SELECT raise(ABORT, 'no room'); END
                """)
            let opened = try SQLiteArchive(path: path)
            #expect(try await opened.counts(tenant: nil).transactions == 0)
            try opened.close()
            #expect(try await edit("DROP TRIGGER no") == 1)
            try SQLiteArchive(path: path).close()
            #expect(try await edit("SELECT 1") == 0)
        }

        @Test("S32: an erasure that is finished at a later start leaves what has come since from a user who is back")
        func whoComesBackBeforeTheEndKeepsWhatIsNew() async throws {
            func edit(_ sql: String) throws {
                let file = try DatabaseQueue(path: path)
                try file.write { try $0.execute(sql: sql) }
                try file.close()
            }
            try await ArchiveChecks.whoComesBackBeforeTheEndKeepsWhatIsNew(
                archive,
                breakingOff: { erase in
                    try edit("CREATE TRIGGER no BEFORE DELETE ON transactions BEGIN SELECT raise(ABORT, 'no room'); END")
                    await erase()
                    try edit("DROP TRIGGER no")
                },
                reopened: {
                    try archive.close()
                    return try SQLiteArchive(path: path)
                })
        }

        @Test("Row 22: an archive of the first version is brought to this one with all it holds, or left as it was")
        func theFirstVersionIsMigrated() async throws {
            let old = folder("old.sqlite")
            do {
                let queue = try DatabaseQueue(path: old)
                try await queue.writeWithoutTransaction { database in
                    try SQLiteArchive.migrate(database, to: 1)
                    try database.execute(
                        sql: """
                            INSERT INTO parcels VALUES (5, 'P', 'transactions', 1, 1, 2);
                            INSERT INTO transactions VALUES (7, 'T', 1, 'make', 'os', NULL, 1);
                            INSERT INTO entries VALUES (9, 7, 'I:1:1', 3, 10000000, 42, 'Baad!', 5, 0, 1);
                            INSERT INTO log_events (id, installation, epoch, sequence, time, level, message, parcel, ordinal, received)
                              VALUES (1, 'INST', 1, 1, 1, 'info', 'm', 5, 0, 1);
                            """)
                }
                // A kill in the middle is a transaction that was never committed.
                try await queue.writeWithoutTransaction { database in
                    try database.execute(sql: "CREATE TABLE transactions_1 (x)")
                    #expect(throws: (any Error).self) { try SQLiteArchive.migrate(database) }
                    try database.execute(sql: "DROP TABLE transactions_1")
                    #expect(try Int.fetchOne(database, sql: "PRAGMA user_version") == 1)
                    #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM entries") == 1)
                }
            }
            let archive = try SQLiteArchive(path: old)
            let entry = EntryRecord(
                event: 3, errorCode: 42, errorDescription: "Baad!", time: LogTime(seconds: 10),
                key: EntryKey(installation: "I", epoch: 1, sequence: 1))
            let record = TransactionRecord(id: "T", usecase: 1, deviceMake: "make", deviceOS: "os", entries: [entry])
            #expect(try await archive.transaction("T", tenant: Tenant.standard) == record)
            #expect(try await archive.store(Golden.parcel(record, name: "P")).duplicates == 1)
            let batch = LogBatch(parcel: "P", items: [Golden.item(1)], received: LogTime(seconds: 1))
            #expect(try await archive.store(batch).duplicates == 1)
            #expect(try await archive.remove(receivedBefore: LogTime(seconds: 1), limit: 10) == 2)
            let counts = try await archive.counts(tenant: nil)
            #expect(counts.transactions == 0 && counts.entries == 0 && counts.logEvents == 0)
            try archive.close()
            let isSound = try await DatabaseQueue(path: old).read { database in
                try String.fetchOne(database, sql: "PRAGMA integrity_check") == "ok"
                    && (try Row.fetchOne(database, sql: "PRAGMA foreign_key_check")) == nil
            }
            #expect(isSound)
        }

        /// An archive of version 3 with whatever its keys can be, stored by this version's own code.
        private func versionThree(_ path: String, _ extra: String = "") async throws {
            let queue = try DatabaseQueue(path: path)
            try await queue.writeWithoutTransaction { database in
                try SQLiteArchive.migrate(database, to: 3)
                try database.execute(
                    sql: """
                        INSERT INTO parcels (id, tenant, name, kind, received) VALUES
                          (5, 'default', 'P', 'transactions', 1), (6, 'other', 'P', 'transactions', 2), (7, 'default', 'L', 'logs', 3);
                        INSERT INTO transactions (id, tenant, guid, usecase, received) VALUES (7, 'default', 'T', 1, 1), (8, 'other', 'T', 1, 2);
                        INSERT INTO entries (id, transaction_id, tenant, key, event, time, parcel, ordinal, received) VALUES
                          (9, 7, 'default', 'I:3:17', 3, 10000000, 5, 0, 1),
                          (10, 7, 'default', 'entry 0 1:T 3 10 -', 4, 11000000, 5, 1, 1),
                          (11, 8, 'other', 'I:3:17', 3, 10000000, 6, 0, 2);
                        INSERT INTO log_events (id, tenant, installation, epoch, sequence, time, level, message, parcel, ordinal, received)
                        VALUES
                          (1, 'default', 'INST', 3, 17, 1, 'info', 'm', 7, 0, 3), (2, 'default', NULL, NULL, 4, 2, 'info', 'n', 7, 1, 3),
                          (3, 'other', 'INST', 3, 17, 3, 'info', 'o', 6, 0, 4);
                        PRAGMA foreign_keys = OFF; \(extra)
                        """)
            }
            try queue.close()
        }

        @Test("what an archive of the third version holds is a duplicate when it comes again, whatever its key and whosever it is")
        func theThirdVersionIsMigrated() async throws {
            let old = folder("third.sqlite")
            try await versionThree(old)
            let archive = try SQLiteArchive(path: old)
            let key = EntryKey(installation: "I", epoch: 3, sequence: 17)
            for tenant in [Tenant.standard, "other"] {
                let entry = EntryRecord(event: 3, errorCode: nil, errorDescription: nil, time: LogTime(seconds: 10), key: key)
                let parcel = TransactionParcel(
                    tenant: tenant, parcel: nil, set: TransactionSet(transactions: [TransactionRecord(id: "T", usecase: 1, entries: [entry])]),
                    received: LogTime(seconds: 5))
                #expect(try await archive.store(parcel) == ArchiveReceipt(accepted: 0, duplicates: 1))
                let event = LogEvent(sequence: 17, time: LogTime(seconds: 1), level: .info, message: "m")
                let item = LogBatch.Item(event: event, origin: LogOrigin(installation: "INST", epoch: 3))
                let batch = LogBatch(tenant: tenant, parcel: nil, items: [item], received: LogTime(seconds: 5))
                #expect(try await archive.store(batch) == ArchiveReceipt(accepted: 0, duplicates: 1))
            }
            let counts = try await archive.counts(tenant: Tenant.standard)
            #expect(counts.transactions == 1 && counts.entries == 2 && counts.logEvents == 2)
            let others = try await archive.counts(tenant: "other")
            #expect(others.transactions == 1 && others.entries == 1 && others.logEvents == 1)
            #expect(try await archive.remove(receivedBefore: LogTime(microseconds: 4), limit: 10) == 4)
            #expect(try await archive.counts(tenant: nil).logEvents == 1)
            try archive.close()
        }

        @Test("D6: an archive of the fourth version takes the device of an entry, for which nothing is written anew")
        func theFourthVersionIsMigrated() async throws {
            let old = folder("fourth.sqlite")
            try await versionThree(old)
            let queue = try DatabaseQueue(path: old)
            try await queue.writeWithoutTransaction { database in
                try SQLiteArchive.migrate(database, to: 4)
                try SQLiteArchive.upgrade(database, path: old, free: 0)   // what is written anew needs room
                #expect(try Int.fetchOne(database, sql: "PRAGMA user_version") == SQLiteArchive.schemaVersion)
            }
            try queue.close()
            let archive = try SQLiteArchive(path: old)
            for (event, make) in [(5, "KVM"), (6, "other")] {
                let record = TransactionRecord(id: "T", usecase: 1, deviceMake: make, entries: [Golden.entry(event, at: Double(10 + event))])
                #expect(try await archive.store(Golden.parcel(record)).accepted == 1)
            }
            let stored = try #require(try await archive.transaction("T", tenant: Tenant.standard))
            #expect(stored.entries.map(\.event) == [3, 4, 5, 6])
            #expect(stored.entries.map(\.device) == [nil, nil, nil, DeviceFacts(make: "other", os: "", osVersion: "")])
            try archive.close()
        }

        @Test("entries whose transaction somebody has deleted are left out, and nothing else")
        func orphansAreLeftOut() async throws {
            let old = folder("orphan.sqlite")
            try await versionThree(old, "DELETE FROM transactions WHERE id = 8;")
            let archive = try SQLiteArchive(path: old)
            let counts = try await archive.counts(tenant: nil)
            #expect(counts.transactions == 1 && counts.entries == 2 && counts.logEvents == 3)
            try archive.close()
        }

        @Test("an earlier version stays as it is where there is no room to bring it to this one")
        func aFullDiskKeepsTheEarlierVersion() async throws {
            let old = folder("room.sqlite")
            try await versionThree(old)
            try await DatabaseQueue(path: old).writeWithoutTransaction { database in
                let size = try (Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0) * (Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
                #expect(throws: ArchiveError.noRoomToUpgrade(path: old, needed: 3 * size, free: 3 * size - 1)) {
                    try SQLiteArchive.upgrade(database, path: old, free: 3 * size - 1)
                }
                #expect(try Int.fetchOne(database, sql: "PRAGMA user_version") == 3)
                try SQLiteArchive.upgrade(database, path: old, free: 3 * size)
                #expect(try Int.fetchOne(database, sql: "PRAGMA user_version") == SQLiteArchive.schemaVersion)
            }
        }
    }
#endif
