#if Transactions
internal import CLogbookSQLite
internal import GRDB
internal import LogbookCore

// How the file is opened, and its tables made or brought up to date.
extension TransactionStore {
    /// Larger files are not read whole at the opening; damage in them is found when it is met.
    private static let maximumCheckedBytes = 32 << 20

    /// What a write-ahead log that has grown, while somebody read, is shortened to when it begins anew.
    private static let maximumLogBytes = 4 << 20

    /// A disk of Apple's may keep in its own memory what it was told to write, unless `fullfsync` is on; elsewhere that means nothing.
    static let durable = "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON"

    struct Opened {
        let connection: DatabaseQueue
        let status: FileStatus?
        let identity: StoreIdentity
        /// The highest id of an entry's row.
        let latestRow: Int64
        let version: Int
        let isMigrated: Bool
    }

    static func open(
        _ file: StoreFile, _ terms: Terms, goingOnAs current: StoreIdentity? = nil
    ) throws(TransactionStoreError) -> Opened {
        try file.prepare(supported: schemaVersion, busyMode: terms.busyMode)
        do {
            let connection = try open(file.path, terms)
            func begin(_ version: Int) throws -> Opened {
                try connection.write { db in
                    let (before, after) = try bringTables(to: version, db, terms)
                    return Opened(
                        connection: connection, status: file.status, identity: try beginEpoch(db, file.identity, terms, goingOnAs: current),
                        latestRow: try latestRow(db), version: after, isMigrated: (1..<after).contains(before))
                }
            }
            let opened: Opened
            do {
                opened = try begin(schemaVersion)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
                opened = try begin(versionThatServes)
                if opened.version < schemaVersion {
                    LogDiagnostics.report(
                        "transactions", "\(file.path): no room to write the rows into today's tables; a later start will try again")
                }
            }
            if opened.isMigrated {
                // Every row went through the write-ahead log, which would stay as large. A reader stands in the way; then a later
                // checkpoint does it.
                try? connection.inDatabase { db in _ = try db.checkpoint(.truncate) }
            }
            file.remember(opened.identity)
            return opened
        } catch {
            throw TransactionStoreError(error, path: file.path)
        }
    }

    private static func open(_ path: String, _ terms: Terms) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "logbook.transactions"
        configuration.busyMode = terms.busyMode
        let connection = try DatabaseQueue(path: path, configuration: configuration)
        try connection.inDatabase { db in
            try terms.prepare?(db)
            _ = logbook_sqlite_defend(db.sqliteConnection)
            try db.execute(
                sql: """
                    PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;
                    PRAGMA journal_size_limit = \(maximumLogBytes)
                    """)
            if try Int.fetchOne(db, sql: "PRAGMA user_version") == 0,
                try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") != 0
            {
                throw TransactionStoreError.notAStore(path: path)
            }
            let bytes = try Int.fetchOne(db, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") ?? 0
            if bytes <= maximumCheckedBytes, let fault = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)"), fault != "ok" {
                throw TransactionStoreError.damaged(path: path, reason: fault)
            }
            guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
                throw TransactionStoreError.cannotOpen(path: path, reason: "its file system has no write-ahead logs")
            }
            try db.execute(sql: durable + "; PRAGMA foreign_keys = ON")
        }
        return connection
    }

    /// - Returns: The version that the tables had, and the one that they have.
    private static func bringTables(to target: Int, _ db: Database, _ terms: Terms) throws -> (before: Int, after: Int) {
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        if version == 0 {
            try makeTables(db, installation: UniqueID.make(terms.randomness))
            return (0, schemaVersion)
        }
        if version < target {
            do {
                try migrate(db, from: version, to: target)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                // A row of an earlier version that belongs to nothing; the salvage knows what to do with it.
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "its rows do not fit together: \(error.message ?? "")")
            }
        }
        return (version, max(version, target))
    }

    /// The longest step from one epoch to the next. A copy of a disk, or a machine that is set back to what it was, goes on from the same
    /// epoch under the same installation: with steps of one its keys would be those of other entries. So wide that devices which were
    /// made from one image do not meet; an epoch has 64 bits everywhere, and lasts for sixteen million openings.
    static let maximumEpochStep: UInt64 = 1 << 40

    /// - Parameter known: What the lock's file says: a database that has lost its latest epoch must not give it again.
    private static func beginEpoch(
        _ db: Database, _ known: StoreIdentity?, _ terms: Terms, goingOnAs current: StoreIdentity?
    ) throws -> StoreIdentity {
        if let current { return current }
        if let known {
            try db.execute(
                sql: "UPDATE meta SET epoch = max(epoch, ?) WHERE installation = ?", arguments: [known.epoch, known.installation])
        }
        let step = Int64(terms.randomness.next() % maximumEpochStep) + 1
        try db.execute(sql: "UPDATE meta SET epoch = epoch + ?", arguments: [step])
        guard let row = try Row.fetchOne(db, sql: "SELECT installation, epoch FROM meta"),
            let installation = row.text(0), let epoch = row.integer(1)
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the table meta is empty") }
        return StoreIdentity(installation: installation, epoch: epoch)
    }

    /// Ids that leave no room for others are none of ours.
    static func latestRow(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT max(id) FROM txn_log WHERE id BETWEEN 0 AND 1 << 61") ?? 0
    }
}
#endif
