#if Transactions
internal import GRDB
package import LogbookCore

// What is in a store. Nobody who reads waits for another program that writes.
extension TransactionStore {
    /// Every transaction with its entries, in the order in which they were made.
    package func allTransactions() throws(TransactionStoreError) -> [TransactionRecord] {
        try reading { db in try self.transactions(db, entries: nil) }.map(\.withoutUnknownFacts)
    }

    /// Numbers of the parcels that are set aside.
    static let setAside = "SELECT number FROM parcel WHERE state = 1"

    /// Entries that wait to be delivered.
    /// - Throws: ``TransactionStoreError/busy(path:)`` where they could not be counted by the deadline, because another thread or another
    ///   program had the file until then.
    package func pendingCount(by deadline: LogDeadline = .never) throws(TransactionStoreError) -> Int {
        try reading(.until(deadline)) { db in
            try Int.fetchOne(
                db,
                sql: "SELECT (SELECT count(*) FROM txn_log) - (SELECT count(*) FROM txn_log WHERE parcel IN (\(Self.setAside)))") ?? 0
        }
    }

    package func counts() throws(TransactionStoreError) -> TransactionStoreCounts {
        try reading { db in try Self.counts(db) }
    }

    static func counts(_ db: Database) throws -> TransactionStoreCounts {
        func count(_ sql: String) throws -> Int { try Int.fetchOne(db, sql: sql) ?? 0 }
        let entries = try count("SELECT count(*) FROM txn_log")
        let setAside = try count("SELECT count(*) FROM txn_log WHERE parcel IN (\(setAside))")
        let losses = try db.tableExists("loss") ? count("SELECT ifnull(sum(count), 0) FROM loss") : 0   // not in version 1
        return TransactionStoreCounts(
            transactions: try count("SELECT count(*) FROM txn"), entries: entries, pending: entries - setAside,
            setAside: setAside, dropped: losses)
    }

    /// - Parameter entries: An SQL condition on `l` that selects entries; nil for all, and transactions without entries as well.
    func transactions(
        _ db: Database, entries condition: String?, arguments: StatementArguments = []
    ) throws -> [TransactionRecord] {
        var transactions: [TransactionRecord] = []
        try Self.eachTransaction(db, entries: condition, arguments: arguments, installation: installation) { transactions.append($1) }
        return transactions
    }

    /// The same one by one with the ids of their rows, also from a file of an older schema, whose missing columns are nil.
    /// - Parameter transactions: An SQL condition on `t`, where all entries are selected.
    static func eachTransaction(
        _ db: Database, entries condition: String?, transactions: String = "true", arguments: StatementArguments = [],
        installation: String, columns: String = columns, _ body: (Int64, TransactionRecord) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT \(columns)
                FROM txn t \(condition == nil ? "LEFT " : "")JOIN txn_log l ON l.txn_id = t.id WHERE \(condition ?? transactions)
                ORDER BY t.id, l.id
                """, arguments: arguments)
        var transaction: TransactionRecord?
        var current: Int64 = 0
        while let row = try rows.next() {
            guard let id = row.integer(0) else { throw damage("txn") }
            if transaction == nil || id != current {
                if let transaction { try body(current, transaction) }
                transaction = try record(row)
            }
            current = id
            if row.integer(6) != nil { transaction?.entries.append(try entry(row, installation: installation)) }
        }
        if let transaction { try body(current, transaction) }
    }

    /// What ``record(_:)`` and ``entry(_:)`` read, with the row's id as column 0.
    static let columns = """
        t.id, t.guid, t.usecase, t.useragent_device_make, t.useragent_device_os, t.useragent_device_os_version,
          l.usecase_event, l.in_ctx_err_code, l.in_ctx_err_desc, l.timestamp, l.epoch, l.sequence, l.offset,
          t.user, t.variant, t.app_version, t.session, t.installation
        """

    /// Columns 1...5 and 13...17.
    static func record(_ row: Row) throws -> TransactionRecord {
        guard let id = row.text(1), let usecase = row.integer(2) else { throw damage("txn") }
        return TransactionRecord(
            id: id, usecase: Int(usecase), deviceMake: row.text(3), deviceOS: row.text(4), deviceOSVersion: row.text(5),
            user: row.text(13), variant: row.text(14), appVersion: row.text(15), session: row.text(16),
            installation: row.text(17))
    }

    /// Columns 6...12.
    static func entry(_ row: Row, installation: String) throws -> EntryRecord {
        guard let event = row.integer(6), let time = row.time(9), let epoch = row.integer(10), let sequence = row.integer(11)
        else { throw damage("txn_log") }
        return EntryRecord(
            event: Int(event), errorCode: row.integer(7).map { Int($0) }, errorDescription: row.text(8), time: time,
            key: EntryKey(installation: installation, epoch: epoch, sequence: sequence), offset: row.integer(12))
    }

    static func damage(_ table: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an impossible value in the table \(table)")
    }
}

extension TransactionRecord {
    /// In the file a fact of the device that nobody knows is an empty text, as servers of version 0.0.1 want it.
    fileprivate var withoutUnknownFacts: TransactionRecord {
        var record = self
        if record.deviceMake == "" { record.deviceMake = nil }
        if record.deviceOS == "" { record.deviceOS = nil }
        if record.deviceOSVersion == "" { record.deviceOSVersion = nil }
        return record
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
    var storedSeconds: Double {
        let latest = Self.storedSecondsLimit.nextDown
        return min(max(Double(nanoseconds.flooredQuotient(by: 1000)) / 1e6, -latest), latest)
    }
}
#endif
