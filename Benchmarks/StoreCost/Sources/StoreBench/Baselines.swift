import BenchSQLite
import GRDB

/// A row as the store has it.
struct EntryRow: Codable, PersistableRecord {
    static let databaseTableName = "txn_log"
    var txn_id: Int64
    var timestamp: Double
    var usecase_event: Int
    var in_ctx_err_code: Int?
    var in_ctx_err_desc: String?
    var offset: Int64?
    var epoch: Int64
    var sequence: Int64

    init(_ number: Int, of transaction: Int64) {
        let isLast = number % Entries.ofTransaction == Entries.ofTransaction - 1
        txn_id = transaction
        timestamp = 1_763_720_960 + Double(number) / 1000
        usecase_event = number % Entries.ofTransaction
        in_ctx_err_code = isLast ? 422 : nil
        in_ctx_err_desc = isLast ? "the tank holds 40 liters" : nil
        offset = Int64(number) * 1000
        epoch = 1
        sequence = Int64(number) + 1
    }
}

/// What is stored by others, in the same tables, in groups: a transaction's row for every twentieth entry.
protocol Baseline: AnyObject {
    func store(_ numbers: Range<Int>) throws
}

private let tables = """
    CREATE TABLE txn (
      id INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT NOT NULL UNIQUE, usecase INTEGER NOT NULL,
      useragent_device_make TEXT, useragent_device_os TEXT, useragent_device_os_version TEXT,
      user TEXT, variant TEXT, app_version TEXT, session TEXT, installation TEXT) STRICT;
    CREATE TABLE parcel (
      number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, sealed REAL NOT NULL, version TEXT NOT NULL,
      state INTEGER NOT NULL DEFAULT 0, reason TEXT) STRICT;
    CREATE TABLE txn_log (
      id INTEGER PRIMARY KEY, txn_id INTEGER NOT NULL REFERENCES txn (id), timestamp REAL NOT NULL,
      usecase_event INTEGER NOT NULL, in_ctx_err_code INTEGER, in_ctx_err_desc TEXT,
      epoch INTEGER NOT NULL, sequence INTEGER NOT NULL, parcel INTEGER REFERENCES parcel (number), offset INTEGER) STRICT;
    CREATE INDEX txn_log_by_txn ON txn_log (txn_id);
    CREATE INDEX txn_log_by_parcel ON txn_log (parcel) WHERE parcel IS NOT NULL;
    """
private let insertTransaction = """
    INSERT INTO txn (guid, usecase, useragent_device_make, useragent_device_os, useragent_device_os_version, session, installation)
    VALUES (?, 1, 'KVM', 'Debian', '12', '586AB00B-F16E-4AE6-8A91-0210264925C7', '586AB00B-F16E-4AE6-8A91-0210264925C8')
    """
private let insertEntry = """
    INSERT INTO txn_log (txn_id, timestamp, usecase_event, in_ctx_err_code, in_ctx_err_desc, offset, epoch, sequence)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    """

private func guid(_ number: Int) -> String {
    let digits = String(number)
    return "TXN1-586AB00B-F16E-4AE6-8A91-" + String(repeating: "0", count: 12 - digits.count) + digits
}

/// SQLite's C interface, statements prepared once, one row at a time.
final class DirectBaseline: Baseline {
    private let database: DirectDatabase
    private let isGrouped: Bool

    /// - Parameter isGrouped: False commits each row alone, as a program does that knows nothing of groups.
    init(_ path: String, pragmas: String, isGrouped: Bool = true) throws {
        self.isGrouped = isGrouped
        database = try DirectDatabase(
            path, setup: pragmas + tables, statements: [insertTransaction, insertEntry, "BEGIN IMMEDIATE", "COMMIT"])
    }

    func store(_ numbers: Range<Int>) throws {
        if isGrouped { try database.run(2) }
        var transaction: Int64 = 0
        for number in numbers {
            if number % Entries.ofTransaction == 0 {
                database.bind(0, 1, guid(number))
                try database.run(0)
                transaction = database.latestID
            }
            let row = EntryRow(number, of: transaction)
            database.bind(1, 1, row.txn_id)
            database.bind(1, 2, row.timestamp)
            database.bind(1, 3, Int64(row.usecase_event))
            if let code = row.in_ctx_err_code, let text = row.in_ctx_err_desc {
                database.bind(1, 4, Int64(code))
                database.bind(1, 5, text)
            } else {
                database.bindNull(1, 4)
                database.bindNull(1, 5)
            }
            database.bind(1, 6, row.offset ?? 0)
            database.bind(1, 7, row.epoch)
            database.bind(1, 8, row.sequence)
            try database.run(1)
        }
        if isGrouped { try database.run(3) }
    }
}

/// GRDB: a cached statement with its arguments, or a record that is inserted.
final class GRDBBaseline: Baseline {
    private let queue: DatabaseQueue
    private let isRecord: Bool

    init(_ path: String, isRecord: Bool) throws {
        self.isRecord = isRecord
        queue = try DatabaseQueue(path: path)
        try queue.inDatabase { try $0.execute(sql: walFull + tables) }
    }

    func store(_ numbers: Range<Int>) throws {
        try queue.write { database in
            let insert = try database.cachedStatement(sql: insertEntry)
            var transaction: Int64 = 0
            for number in numbers {
                if number % Entries.ofTransaction == 0 {
                    try database.cachedStatement(sql: insertTransaction).execute(arguments: [guid(number)])
                    transaction = database.lastInsertedRowID
                }
                let row = EntryRow(number, of: transaction)
                if isRecord {
                    try row.insert(database)
                } else {
                    try insert.execute(arguments: [
                        row.txn_id, row.timestamp, row.usecase_event, row.in_ctx_err_code, row.in_ctx_err_desc, row.offset, row.epoch,
                        row.sequence,
                    ])
                }
            }
        }
    }
}
