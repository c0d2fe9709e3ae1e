#if Transactions
internal import GRDB
package import LogbookCore

/// The SQLite file that transactions are kept in until the receiver has them.
///
/// One connection reads and writes, so calls take turns. What a writing call has stored when it returns survives a crash of the
/// machine (`power`): a write-ahead log with `synchronous=FULL`. Other programs may read the file at any time
/// (`sqlite3 -readonly`), and must not write it.
package final class TransactionStore: Sendable {
    static let schemaVersion = 1

    package let path: String
    /// Made once, when the file was made.
    package let installation: String
    /// Counts how often the store was opened, from 1.
    package let epoch: Int64

    private struct State {
        var connection: DatabaseQueue?
        var file: StoreFile?
        var latestSequence: Int64 = 0
        /// The keys of entries whose fate is unknown: a commit that failed may be on disk all the same. When they are offered
        /// again they get the same keys.
        var unsettledKeys: [EventName: Int64] = [:]
    }
    private let state: Locked<State>

    /// What tells an event from all others that are offered again.
    private struct EventName: Hashable {
        let sequence: UInt64
        let time: LogTime
        let transaction: String
        init(_ event: LogEvent, _ entry: TransactionEntry) {
            sequence = event.sequence
            time = event.time
            transaction = entry.transactionID
        }
    }

    /// Opens the store, and makes it when there is none: the file for this user alone, and the folders that are missing.
    /// - Throws: What stands in the way; see ``TransactionStoreError``. A file that cannot be used is not touched.
    package init(path: String, randomness: LogRandomness = .system) throws(TransactionStoreError) {
        let file = try StoreFile(path)
        try file.prepare(supported: Self.schemaVersion)
        self.path = path
        let connection: DatabaseQueue
        do {
            connection = try Self.open(path)
            (installation, epoch) = try connection.write { try Self.beginEpoch($0, randomness) }
        } catch {
            throw TransactionStoreError(error, path: path)
        }
        state = Locked(State(connection: connection, file: file))
    }

    /// Lets go of the file. Later calls throw ``TransactionStoreError/closed(path:)``; a second one of these does nothing.
    package func close() {
        let (connection, file) = state.withLock { state in
            defer { (state.connection, state.file) = (nil, nil) }
            return (state.connection, state.file)
        }
        try? connection?.close()   // fails only while a statement runs, and then the last reference closes it
        withExtendedLifetime(file) {}   // the lock outlives the connection
    }

    // MARK: Opening

    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "logbook.transactions"
        configuration.busyMode = .timeout(5)
        let connection = try DatabaseQueue(path: path, configuration: configuration)
        try connection.inDatabase { db in
            try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
            if try Int.fetchOne(db, sql: "PRAGMA user_version") == 0,
                try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") != 0
            {
                throw TransactionStoreError.notAStore(path: path)
            }
            guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
                throw TransactionStoreError.cannotOpen(path: path, reason: "its file system has no write-ahead logs")
            }
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
        }
        return connection
    }

    private static func beginEpoch(_ db: Database, _ randomness: LogRandomness) throws -> (String, Int64) {
        if try Int.fetchOne(db, sql: "PRAGMA user_version") == 0 {
            try db.execute(sql: schema)
            try db.execute(
                sql: "INSERT INTO meta (id, installation, epoch) VALUES (1, ?, 0)", arguments: [UniqueID.make(randomness)])
            try db.execute(sql: "PRAGMA application_id = \(StoreFile.applicationID)")
            try db.execute(sql: "PRAGMA user_version = \(schemaVersion)")
        }
        try db.execute(sql: "UPDATE meta SET epoch = epoch + 1")
        guard let row = try Row.fetchOne(db, sql: "SELECT installation, epoch FROM meta"),
            let installation = row.text(0), let epoch = row.integer(1)
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the table meta is empty") }
        return (installation, epoch)
    }

    /// `sealed` is in Unix seconds; `state` is 0 for a parcel to be delivered and 1 for one that is set aside. An entry without a
    /// parcel has not been sent yet.
    private static let schema = """
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
        """

    // MARK: Access

    /// Runs `body` as one SQLite transaction.
    func transaction<Result>(_ body: (Database) throws -> Result) throws(TransactionStoreError) -> Result {
        guard let connection = state.withLock({ $0.connection }) else { throw .closed(path: path) }
        do {
            return try connection.write(body)
        } catch {
            throw TransactionStoreError(error, path: path)
        }
    }

    // MARK: Writing

    /// Stores what events say about transactions, all or nothing. Other events are passed over.
    /// - Parameter isOfferedAgain: The caller comes back with the very same events when this throws; they are stored once.
    package func append(_ events: [LogEvent], isOfferedAgain: Bool = false) throws(TransactionStoreError) {
        var keys: [EventName: Int64] = [:]
        do {
            try transaction { db in
                keys = [:]
                for event in events {
                    guard let entry = event.transaction else { continue }
                    let id = try rowID(of: entry, db)
                    guard case .happened(let number) = entry.kind else { continue }
                    let name = EventName(event, entry)
                    let key = nextKey(for: name)
                    keys[name] = key
                    try db.cachedStatement(sql: Self.insertEntry).execute(arguments: [
                        id, event.time.storedSeconds, number, entry.errorCode,
                        entry.errorDescription?.withoutNUL, epoch, key,
                    ])
                }
            }
        } catch {
            settle(keys, isOfferedAgain: isOfferedAgain)
            throw error
        }
        settle(keys, isOfferedAgain: false)
    }

    private func settle(_ keys: [EventName: Int64], isOfferedAgain: Bool) {
        state.withLock { state in
            if isOfferedAgain {
                state.unsettledKeys.merge(keys) { _, new in new }
            } else if !state.unsettledKeys.isEmpty {
                for name in keys.keys { state.unsettledKeys[name] = nil }
            }
        }
    }

    private static let insertEntry = """
        INSERT INTO txn_log (txn_id, timestamp, usecase_event, in_ctx_err_code, in_ctx_err_desc, epoch, sequence)
        VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (epoch, sequence) DO NOTHING
        """

    /// A number is never given twice, also not when its entry could not be stored.
    private func nextKey(for name: EventName) -> Int64 {
        state.withLock { state in
            if let key = state.unsettledKeys[name] { return key }
            state.latestSequence += 1
            return state.latestSequence
        }
    }

    /// The transaction's row, made again when its entries were delivered and the row with them.
    private func rowID(of entry: TransactionEntry, _ db: Database) throws -> Int64 {
        let find = try db.cachedStatement(sql: "SELECT id FROM txn WHERE guid = ?")
        if let id = try Int64.fetchOne(find, arguments: [entry.transactionID]) { return id }
        let insert = try db.cachedStatement(
            sql: """
                INSERT INTO txn (guid, usecase, useragent_device_make, useragent_device_os, useragent_device_os_version)
                VALUES (?, ?, ?, ?, ?)
                """)
        try insert.execute(
            arguments: [entry.transactionID, entry.usecase, entry.device.make, entry.device.os, entry.device.osVersion])
        return db.lastInsertedRowID
    }

    /// Deletes transactions with all their entries, delivered or not; ids that are not there are passed over.
    package func delete(_ ids: some Sequence<String>) throws(TransactionStoreError) {
        try transaction { db in
            for id in ids {
                try db.execute(
                    sql: "DELETE FROM txn_log WHERE txn_id = (SELECT id FROM txn WHERE guid = ?)", arguments: [id])
                try db.execute(sql: "DELETE FROM txn WHERE guid = ?", arguments: [id])
            }
            try Self.deleteEmptyParcels(db)
        }
    }

    /// Deletes everything, what is under way and what is set aside included.
    package func deleteAll() throws(TransactionStoreError) {
        try transaction { db in try db.execute(sql: "DELETE FROM txn_log; DELETE FROM txn; DELETE FROM parcel") }
    }

    static func deleteEmptyParcels(_ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM parcel WHERE NOT EXISTS (SELECT 1 FROM txn_log WHERE txn_log.parcel = parcel.number)")
    }

    // MARK: Reading

    /// Every transaction with its entries, in the order in which they were made.
    package func allTransactions() throws(TransactionStoreError) -> [TransactionRecord] {
        try transaction { db in try self.transactions(db, entries: nil) }
    }

    /// Entries that wait to be delivered.
    package func pendingCount() throws(TransactionStoreError) -> Int {
        try transaction { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT count(*) FROM txn_log
                    WHERE parcel IS NULL OR parcel NOT IN (SELECT number FROM parcel WHERE state = 1)
                    """) ?? 0
        }
    }

    package func counts() throws(TransactionStoreError) -> TransactionStoreCounts {
        try transaction { db in
            func count(_ sql: String) throws -> Int { try Int.fetchOne(db, sql: sql) ?? 0 }
            let entries = try count("SELECT count(*) FROM txn_log")
            let setAside = try count(
                "SELECT count(*) FROM txn_log WHERE parcel IN (SELECT number FROM parcel WHERE state = 1)")
            return TransactionStoreCounts(
                transactions: try count("SELECT count(*) FROM txn"), entries: entries, pending: entries - setAside,
                setAside: setAside)
        }
    }

    /// - Parameter entries: An SQL condition on `l` that selects entries; nil for all, and transactions without entries as well.
    func transactions(
        _ db: Database, entries condition: String?, arguments: StatementArguments = []
    ) throws -> [TransactionRecord] {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT t.id, t.guid, t.usecase, t.useragent_device_make, t.useragent_device_os, t.useragent_device_os_version,
                  l.usecase_event, l.in_ctx_err_code, l.in_ctx_err_desc, l.timestamp, l.epoch, l.sequence
                FROM txn t \(condition == nil ? "LEFT " : "")JOIN txn_log l ON l.txn_id = t.id WHERE \(condition ?? "true")
                ORDER BY t.id, l.id
                """, arguments: arguments)
        var transactions: [TransactionRecord] = []
        var current: Int64?
        while let row = try rows.next() {
            let id = row.integer(0)
            if transactions.isEmpty || id != current { transactions.append(try record(row)) }
            current = id
            if row.integer(6) != nil { transactions[transactions.count - 1].entries.append(try entry(row)) }
        }
        return transactions
    }

    /// Columns 1...5.
    func record(_ row: Row) throws -> TransactionRecord {
        guard let id = row.text(1), let usecase = row.integer(2) else { throw Self.damage("txn") }
        return TransactionRecord(
            id: id, usecase: Int(usecase), deviceMake: row.text(3), deviceOS: row.text(4), deviceOSVersion: row.text(5))
    }

    /// Columns 6...11.
    func entry(_ row: Row) throws -> EntryRecord {
        guard let event = row.integer(6), let time = row.time(9), let epoch = row.integer(10), let sequence = row.integer(11)
        else { throw Self.damage("txn_log") }
        return EntryRecord(
            event: Int(event), errorCode: row.integer(7).map { Int($0) }, errorDescription: row.text(8), time: time,
            key: EntryKey(installation: installation, epoch: epoch, sequence: sequence))
    }

    static func damage(_ table: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an impossible value in the table \(table)")
    }
}

// Reading by hand: a file that somebody else has written to may hold any type in any column.
extension Row {
    func integer(_ column: Int) -> Int64? { Int64.fromDatabaseValue(self[column]) }
    func text(_ column: Int) -> String? { String.fromDatabaseValue(self[column]) }

    /// Unix seconds, within what ``LogTime`` can tell.
    func time(_ column: Int) -> LogTime? {
        guard let seconds = Double.fromDatabaseValue(self[column]), abs(seconds) < LogTime.storedSecondsLimit else { return nil }
        return LogTime(seconds: seconds)
    }
}

extension LogTime {
    /// What is stored lies between this and its negative; a second is missing at either end.
    fileprivate static let storedSecondsLimit = 9_223_372_036.0

    /// To the microsecond, and the nearest time that can be read back.
    fileprivate var storedSeconds: Double {
        let latest = Self.storedSecondsLimit.nextDown
        return min(max(Double(nanoseconds.flooredQuotient(by: 1000)) / 1e6, -latest), latest)
    }
}

extension String {
    /// SQLite's text ends at a NUL: what stands behind it would be lost. It reads `␀` instead.
    fileprivate var withoutNUL: String {
        utf8.contains(0) ? String(unicodeScalars.map { $0 == "\0" ? "\u{2400}" : Character($0) }) : self
    }
}
#endif
