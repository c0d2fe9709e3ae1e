#if Transactions
internal import GRDB

// The tables of a store, and how those of each version become the next one's.
extension TransactionStore {
    static let schemaVersion = 3

    static func makeTables(_ db: Database, installation: String) throws {
        try db.execute(sql: schema)
        try db.execute(sql: "INSERT INTO meta (id, installation, epoch) VALUES (1, ?, 0)", arguments: [installation])
        try db.execute(sql: "PRAGMA application_id = \(StoreFile.applicationID)")
        try migrate(db, from: 1)
    }

    /// Brings tables of an earlier version to today's, within the caller's SQLite transaction: a kill leaves the one or the other. Rows
    /// that are there keep nothing in the new columns, so a parcel that was sent before is the same when it is sent again.
    static func migrate(_ db: Database, from version: Int, to target: Int = schemaVersion) throws {
        if version < 2 { try db.execute(sql: version2) }
        if target > 2 { try db.execute(sql: version3) }
        try db.execute(sql: "PRAGMA user_version = \(target)")
    }

    /// Whose tables take everything that today's take, with the same statements: to write all rows anew takes room on the disk, which may
    /// not be there.
    static let versionThatServes = 2

    /// `offset` is in nanoseconds. A row of `loss` says how many entries of an epoch are gone for a reason, the first and the last.
    private static let version2 = """
        ALTER TABLE txn ADD COLUMN user TEXT;
        ALTER TABLE txn ADD COLUMN variant TEXT;
        ALTER TABLE txn ADD COLUMN app_version TEXT;
        ALTER TABLE txn ADD COLUMN session TEXT;
        ALTER TABLE txn ADD COLUMN installation TEXT;
        ALTER TABLE txn_log ADD COLUMN offset INTEGER;
        CREATE TABLE loss (
          epoch INTEGER NOT NULL, reason TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, count INTEGER NOT NULL,
          PRIMARY KEY (epoch, reason)) STRICT;
        """

    /// An entry goes into two trees of pages instead of four: its key is unique because its row is numbered with it
    /// (`latestEarlierRow`), and only entries that have a parcel are in the parcels' index.
    private static let version3 = """
        CREATE TABLE txn_log_3 (
          id INTEGER PRIMARY KEY, txn_id INTEGER NOT NULL REFERENCES txn (id), timestamp REAL NOT NULL,
          usecase_event INTEGER NOT NULL, in_ctx_err_code INTEGER, in_ctx_err_desc TEXT,
          epoch INTEGER NOT NULL, sequence INTEGER NOT NULL, parcel INTEGER REFERENCES parcel (number), offset INTEGER) STRICT;
        INSERT INTO txn_log_3
          SELECT id, txn_id, timestamp, usecase_event, in_ctx_err_code, in_ctx_err_desc, epoch, sequence, parcel, offset FROM txn_log
          ORDER BY id;
        DROP TABLE txn_log;
        ALTER TABLE txn_log_3 RENAME TO txn_log;
        CREATE INDEX txn_log_by_txn ON txn_log (txn_id);
        CREATE INDEX txn_log_by_parcel ON txn_log (parcel) WHERE parcel IS NOT NULL;
        """

    /// Version 1. `sealed` is in Unix seconds; `state` is 0 for a parcel to be delivered and 1 for one that is set aside. An entry
    /// without a parcel has not been sent yet.
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
}
#endif
