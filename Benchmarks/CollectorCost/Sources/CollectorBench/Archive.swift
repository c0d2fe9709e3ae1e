import BenchSupport
import CSQLite

/// The collector's tables for transactions, filled as fast as the C interface allows: prepared statements, a write-ahead log,
/// `synchronous=FULL`, one commit for each set.
final class Archive {
    private var connection: OpaquePointer?
    private var statements: [OpaquePointer?] = []
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ path: String) throws {
        guard sqlite3_open(path, &connection) == SQLITE_OK else { throw BenchError("\(path) cannot be made") }
        // As the collector makes them; those of log events and of erasures stay empty.
        try run(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;
            CREATE TABLE parcels (id INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, name TEXT, kind TEXT NOT NULL,
              received INTEGER NOT NULL, items INTEGER NOT NULL DEFAULT 0, arrivals INTEGER NOT NULL DEFAULT 1,
              UNIQUE (tenant, name, kind)) STRICT;
            CREATE INDEX parcels_by_age ON parcels (received);
            CREATE TABLE transactions (id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, guid TEXT NOT NULL, usecase INTEGER NOT NULL,
              user TEXT, variant TEXT, app_version TEXT, session TEXT, installation TEXT, device_make TEXT, device_os TEXT,
              device_os_version TEXT, received INTEGER NOT NULL, UNIQUE (tenant, guid)) STRICT;
            CREATE INDEX transactions_in_order ON transactions (tenant, received, guid);
            CREATE INDEX transactions_of_users ON transactions (tenant, user) WHERE user IS NOT NULL;
            CREATE INDEX transactions_by_age ON transactions (received);
            CREATE TABLE entries (id INTEGER PRIMARY KEY,
              transaction_id INTEGER NOT NULL REFERENCES transactions (id) ON DELETE CASCADE, tenant TEXT NOT NULL,
              key TEXT NOT NULL, event INTEGER NOT NULL, time INTEGER NOT NULL, offset INTEGER, error_code INTEGER,
              error_description TEXT, parcel INTEGER NOT NULL, ordinal INTEGER NOT NULL, received INTEGER NOT NULL,
              UNIQUE (tenant, key)) STRICT;
            CREATE INDEX entries_in_order ON entries (transaction_id, time, parcel, ordinal);
            """)
        for sql in [
            "INSERT INTO parcels (tenant, name, kind, received, items) VALUES ('default', ?, 'transactions', ?, 20)",
            """
            INSERT INTO transactions (tenant, guid, usecase, device_make, device_os, device_os_version, received)
            VALUES ('default', ?, 1, 'x86_64', 'Debian', '12', ?)
            """,
            """
            INSERT INTO entries (transaction_id, tenant, key, event, time, error_code, error_description, parcel, ordinal, received)
            VALUES (?, 'default', ?, ?, ?, ?, ?, ?, ?, ?)
            """, "BEGIN IMMEDIATE", "COMMIT",
        ] {
            var statement: OpaquePointer?
            guard sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK else {
                throw failure()
            }
            statements.append(statement)
        }
    }

    deinit {
        for statement in statements { sqlite3_finalize(statement) }
        sqlite3_close(connection)
    }

    /// Stores a set; when this returns it would survive a crash of the machine.
    func store(_ number: Int) throws {
        try step(3)
        bind(0, 1, "parcel-\(number)")
        sqlite3_bind_int64(statements[0], 2, Int64(Sets.start + number))
        try step(0)
        let parcel = sqlite3_last_insert_rowid(connection)
        bind(1, 1, Sets.id(number))
        sqlite3_bind_int64(statements[1], 2, Int64(Sets.start + number))
        try step(1)
        let transaction = sqlite3_last_insert_rowid(connection)
        for entry in 0..<Sets.entries {
            let insert = statements[2]
            sqlite3_bind_int64(insert, 1, transaction)
            bind(2, 2, Sets.key(number, entry))
            sqlite3_bind_int64(insert, 3, Int64(entry))
            sqlite3_bind_int64(insert, 4, Int64(Sets.start + entry))
            if let error = Sets.error(entry) {
                sqlite3_bind_int64(insert, 5, Int64(error.code))
                bind(2, 6, error.text)
            } else {
                sqlite3_bind_null(insert, 5)
                sqlite3_bind_null(insert, 6)
            }
            sqlite3_bind_int64(insert, 7, parcel)
            sqlite3_bind_int64(insert, 8, Int64(entry))
            sqlite3_bind_int64(insert, 9, Int64(Sets.start + number))
            try step(2)
        }
        try step(4)
    }

    private func bind(_ statement: Int, _ place: Int32, _ text: String) {
        sqlite3_bind_text(statements[statement], place, text, -1, Self.transient)
    }

    private func step(_ statement: Int) throws {
        guard sqlite3_step(statements[statement]) == SQLITE_DONE else { throw failure() }
        sqlite3_reset(statements[statement])
    }

    private func run(_ sql: String) throws {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    private func failure() -> BenchError { BenchError(String(cString: sqlite3_errmsg(connection))) }
}
