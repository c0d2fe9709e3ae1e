#if Transactions
import GRDB
import LogbookCore
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookTransactions

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A store as version 1 left it: one parcel under way, one set aside, one entry that was not sent, one transaction without entries.
private let version1 = """
    PRAGMA journal_mode = WAL;
    PRAGMA foreign_keys = ON;
    CREATE TABLE meta (
      id INTEGER PRIMARY KEY CHECK (id = 1), installation TEXT NOT NULL, epoch INTEGER NOT NULL) STRICT;
    CREATE TABLE txn (
      id INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT NOT NULL UNIQUE, usecase INTEGER NOT NULL,
      useragent_device_make TEXT, useragent_device_os TEXT, useragent_device_os_version TEXT) STRICT;
    CREATE TABLE parcel (
      number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, sealed REAL NOT NULL, version TEXT NOT NULL,
      state INTEGER NOT NULL DEFAULT 0, reason TEXT) STRICT;
    CREATE TABLE txn_log (
      id INTEGER PRIMARY KEY AUTOINCREMENT, txn_id INTEGER NOT NULL REFERENCES txn (id), timestamp REAL NOT NULL,
      usecase_event INTEGER NOT NULL, in_ctx_err_code INTEGER, in_ctx_err_desc TEXT,
      epoch INTEGER NOT NULL, sequence INTEGER NOT NULL, parcel INTEGER REFERENCES parcel (number),
      UNIQUE (epoch, sequence)) STRICT;
    CREATE INDEX txn_log_by_txn ON txn_log (txn_id);
    CREATE INDEX txn_log_by_parcel ON txn_log (parcel);
    INSERT INTO meta VALUES (1, '9D2C56F4-3F4C-4B7C-B6F5-0E6B0B6C7A55', 3);
    INSERT INTO txn VALUES (1, 'TXN1-A', 1, 'm', 'o', '1'), (2, 'TXN1-B', 1, 'm', 'o', '1'), (3, 'TXN2-C', 2, 'm', 'o', '1');
    INSERT INTO parcel VALUES (1, 'PARCEL-1', 1423202367.5, '0.0.2', 1, 'HTTP status 400'), (2, 'PARCEL-2', 1423202368.5, '0.0.2', 0, NULL);
    INSERT INTO txn_log VALUES (1, 1, 1423202367.987654, 0, NULL, NULL, 2, 1, 1), (2, 1, 1423202368.0, 1, 42, 'Baad!', 3, 1, 2),
      (3, 2, 1423202369.0, 0, NULL, NULL, 3, 2, NULL);
    PRAGMA application_id = \(0x4C67_626B);
    PRAGMA user_version = 1;
    """
/// What version 2 added, as it left that.
private let version2 =
    version1 + """
        ALTER TABLE txn ADD COLUMN user TEXT;
        ALTER TABLE txn ADD COLUMN variant TEXT;
        ALTER TABLE txn ADD COLUMN app_version TEXT;
        ALTER TABLE txn ADD COLUMN session TEXT;
        ALTER TABLE txn ADD COLUMN installation TEXT;
        ALTER TABLE txn_log ADD COLUMN offset INTEGER;
        CREATE TABLE loss (
          epoch INTEGER NOT NULL, reason TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, count INTEGER NOT NULL,
          PRIMARY KEY (epoch, reason)) STRICT;
        UPDATE txn SET user = 'u', session = 's' WHERE id = 2;
        UPDATE txn_log SET offset = 7 WHERE id = 3;
        INSERT INTO loss VALUES (1, 'spool_full', 1, 4, 4);
        PRAGMA user_version = 2;
        """
/// What version 1 sent as PARCEL-2, and sends again.
private let parcel2 = """
    {"apptxns":[{"apptxn/id":"TXN1-A","apptxn/usecase":1,"apptxn/user-agent-device-make":"m","apptxn/user-agent-device-os":"o",\
    "apptxn/user-agent-device-os-version":"1","apptxn/logs":[{"apptxnlog/usecase-event":1,"apptxnlog/in-ctx-err-code":42,\
    "apptxnlog/in-ctx-err-desc":"Baad!","apptxnlog/timestamp":"Fri, 06 Feb 2015 05:59:28 GMT",\
    "apptxnlog/timestamp-us":1423202368000000,"apptxnlog/id":"9D2C56F4-3F4C-4B7C-B6F5-0E6B0B6C7A55:3:1"}]}]}
    """

@Suite struct StoreMigrationTests {
    private func store(in folder: TemporaryFolder, _ statements: String = version1) {
        // Not in quotes of the shell: the statements hold both kinds.
        let file = fopen(folder.path + "/store.sql", "we")
        fputs(statements, file)
        fclose(file)
        #expect(shell("sqlite3 '\(folder.store)' < '\(folder.path)/store.sql'") == "wal")
    }

    @Test("Row 22: a store of version 1 keeps everything, and sends what was under way as it was")
    func migrates() throws {
        let folder = TemporaryFolder()
        store(in: folder)
        let server = try LoopbackServer { .status(202, headers: [HTTPHeader("Logbook-Parcel", $0.header("Logbook-Parcel") ?? "")]) }
        let bench = try Bench(in: folder, url: server.url) { $0.wireVersion = .v0_0_2 }
        #expect(bench.sqlite3("PRAGMA user_version; PRAGMA integrity_check; PRAGMA foreign_key_check") == "3\nok")
        #expect(try bench.provider.counts() == TransactionStoreCounts(transactions: 3, entries: 3, pending: 2, setAside: 1))
        #expect(bench.provider.store.installation == "9D2C56F4-3F4C-4B7C-B6F5-0E6B0B6C7A55")
        #expect(bench.provider.store.epoch > 3)
        bench.provider.token = "t"
        try bench.deliver()
        #expect(server.requests.count == 2)
        #expect(server.requests[0].header("Logbook-Parcel") == "PARCEL-2")
        #expect(String(decoding: server.requests[0].body, as: UTF8.self) == parcel2)
        #expect(try bench.provider.counts() == TransactionStoreCounts(transactions: 2, entries: 1, setAside: 1))
    }

    @Test("Row 22: a store of version 2 keeps everything, and entries come behind those that it had")
    func migratesVersion2() throws {
        let folder = TemporaryFolder()
        store(in: folder, version2)
        let bench = try Bench(in: folder, url: nil)
        #expect(bench.sqlite3("PRAGMA user_version; PRAGMA integrity_check; PRAGMA foreign_key_check") == "3\nok")
        #expect(try bench.provider.counts() == TransactionStoreCounts(transactions: 3, entries: 3, pending: 2, setAside: 1, dropped: 4))
        #expect(bench.sqlite3("SELECT l.id, user, session, offset FROM txn_log l JOIN txn t ON t.id = txn_id WHERE t.id = 2") == "3|u|s|7")
        bench.service.transaction(usecase: 1).log(5)
        let epoch = bench.provider.store.epoch
        #expect(bench.sqlite3("SELECT id, epoch, sequence, usecase_event, parcel IS NULL FROM txn_log WHERE id > 3") == "4|\(epoch)|1|5|1")
    }

    @Test("Row 22: of what a migration has written nothing stays in the write-ahead log")
    func theLogIsEmptied() throws {
        let folder = TemporaryFolder()
        store(in: folder, version2)
        let store = try TransactionStore(path: folder.store)
        #expect(folder.status("store.sqlite-wal")?.bytes == 0)
        #expect(sqlite3(folder.store, "PRAGMA user_version; SELECT count(*) FROM txn_log") == "3\n3")
        withExtendedLifetime(store) {}
    }

    @Test("Row 21, 22: where new tables find no room the store goes on with those of version 2, and a later start migrates")
    func noRoomToMigrate() throws {
        func event(_ number: Int) -> LogEvent {
            LogEvent(
                sequence: UInt64(number), time: t0, level: .info, message: "",
                transaction: TransactionEntry(transactionID: "TXN1-D", usecase: 1, kind: .happened(number), device: phone))
        }
        func next(_ store: TransactionStore) throws -> StoredParcel? {
            try store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system)
        }
        let folder = TemporaryFolder()
        store(in: folder, version2)
        let small = try TransactionStore(StoreFile(folder.store), prepare: { try $0.execute(sql: "PRAGMA max_page_count = 1") })
        #expect(sqlite3(folder.store, "PRAGMA user_version; PRAGMA integrity_check") == "2\nok")
        try small.append([event(5)])
        try small.transaction {
            try $0.execute(sql: "CREATE TEMP TRIGGER no BEFORE INSERT ON txn_log BEGIN SELECT raise(ABORT, 'no'); END")
        }
        #expect(throws: TransactionStoreError.self) { try small.append([event(6)], isOfferedAgain: true) }
        try small.transaction { db in
            try db.execute(sql: "DROP TRIGGER no")
            // As a commit that failed and is on disk all the same.
            try db.execute(
                sql: "INSERT INTO txn_log (id, txn_id, timestamp, usecase_event, epoch, sequence) VALUES (5, 4, 1423202367, 6, ?, 2)",
                arguments: [small.epoch])
        }
        try small.append([event(6)], isOfferedAgain: true)
        try small.append([event(7)])
        #expect(try next(small)?.id == "PARCEL-2")
        #expect(try small.settleDelivered("PARCEL-2")?.transactions == 1)
        let sealed = try #require(try next(small))
        #expect(sealed.set.transactions.map { $0.entries.map(\.event) } == [[0], [5, 6, 7]])
        small.close()

        let store = try TransactionStore(path: folder.store)
        #expect(sqlite3(folder.store, "PRAGMA user_version; PRAGMA integrity_check; PRAGMA foreign_key_check") == "3\nok")
        #expect(try next(store) == sealed)
        try store.append([event(8)])
        #expect(sqlite3(folder.store, "SELECT id, usecase_event FROM txn_log WHERE txn_id = 4") == "4|5\n5|6\n6|7\n7|8")
    }

    @Test(
        "Row 20, 22: what refers to a row that is gone keeps no store of version 2 from being migrated, and is counted",
        arguments: [
            ("txn WHERE id = 2", 1, TransactionStoreCounts(transactions: 2, entries: 2, pending: 1, setAside: 1, dropped: 5)),
            ("parcel WHERE number = 2", 0, TransactionStoreCounts(transactions: 3, entries: 3, pending: 2, setAside: 1, dropped: 4)),
        ])
    func whatBelongsToNothing(gone: String, orphans: Int, counts: TransactionStoreCounts) throws {
        let folder = TemporaryFolder()
        store(in: folder, version2 + "\nPRAGMA foreign_keys = OFF;\nDELETE FROM \(gone);\n")
        let bench = try Bench(in: folder)
        #expect(bench.sqlite3("PRAGMA user_version; PRAGMA integrity_check; PRAGMA foreign_key_check") == "3\nok")
        #expect(try bench.provider.counts() == counts)
        #expect(bench.errors.all.count == 1)
        guard case .recovered(_, let recovery)? = bench.errors.all.first else { return #expect(Bool(false)) }
        #expect(recovery.orphans == orphans && recovery.isComplete)
        #expect(recovery.reason == "its rows do not fit together: FOREIGN KEY constraint failed")
        #expect(bench.provider.store.installation == "9D2C56F4-3F4C-4B7C-B6F5-0E6B0B6C7A55")
    }

    @Test("Row 22: a kill in the middle of the migration leaves version 1, which the next start migrates")
    func aKillInTheMiddle() async throws {
        let folder = TemporaryFolder()
        store(in: folder)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            let queue = try DatabaseQueue(path: path + "/store.sqlite")
            try queue.write { db in
                try TransactionStore.migrate(db, from: 1)
                kill(getpid(), SIGKILL)
            }
        }
        #expect(sqlite3(folder.store, "PRAGMA user_version") == "1")
        let store = try TransactionStore(path: folder.store)
        #expect(try store.counts().entries == 3)
        store.close()
        #expect(sqlite3(folder.store, "PRAGMA user_version; PRAGMA integrity_check") == "3\nok")
    }

    @Test("Row 22: a store of version 1 can be read by the tool as it is")
    func version1IsReadAsItIs() throws {
        let folder = TemporaryFolder()
        store(in: folder)
        let found = try StoreMaintenance.verify(folder.store)
        #expect(found.schemaVersion == 1 && found.faults.isEmpty)
        #expect(found.counts == TransactionStoreCounts(transactions: 3, entries: 3, pending: 2, setAside: 1))
        let lines = Locked(0)
        try StoreMaintenance.dump(folder.store) { _ in
            lines.withLock { $0 += 1 }
            return true
        }
        #expect(lines.withLock { $0 } == 3)
        #expect(sqlite3(folder.store, "PRAGMA user_version") == "1")
    }
}
#endif
