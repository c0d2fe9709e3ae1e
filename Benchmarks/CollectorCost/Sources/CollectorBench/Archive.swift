import BenchSQLite

/// The collector's tables for transactions, filled as fast as the C interface allows: prepared statements, a write-ahead log,
/// `synchronous=FULL`, one commit for each set.
final class Archive {
    private let database: DirectDatabase

    init(_ path: String) throws {
        // As the collector makes them; those of log events and of erasures stay empty.
        database = try DirectDatabase(
            path,
            setup: """
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
              key TEXT NOT NULL, origin INTEGER NOT NULL, epoch INTEGER NOT NULL, sequence INTEGER NOT NULL, event INTEGER NOT NULL,
              time INTEGER NOT NULL, offset INTEGER, error_code INTEGER, error_description TEXT, parcel INTEGER NOT NULL,
              ordinal INTEGER NOT NULL, received INTEGER NOT NULL, UNIQUE (origin, epoch, sequence)) STRICT;
            CREATE INDEX entries_in_order ON entries (transaction_id, time, parcel, ordinal);
            """,
            statements: [
            "INSERT INTO parcels (tenant, name, kind, received, items) VALUES ('default', ?, 'transactions', ?, 20)",
            """
            INSERT INTO transactions (tenant, guid, usecase, device_make, device_os, device_os_version, received)
            VALUES ('default', ?, 1, 'x86_64', 'Debian', '12', ?)
            """,
            """
            INSERT INTO entries (transaction_id, tenant, key, event, time, error_code, error_description, parcel, ordinal, received,
              origin, epoch, sequence)
            VALUES (?, 'default', ?, ?, ?, ?, ?, ?, ?, ?, 5864723984729374652, 1, ?)
            """, "BEGIN IMMEDIATE", "COMMIT",
        ])
    }

    /// Stores a set; when this returns it would survive a crash of the machine.
    func store(_ number: Int) throws {
        try database.run(3)
        database.bind(0, 1, "parcel-\(number)")
        database.bind(0, 2, Int64(Sets.start + number))
        try database.run(0)
        let parcel = database.latestID
        database.bind(1, 1, Sets.id(number))
        database.bind(1, 2, Int64(Sets.start + number))
        try database.run(1)
        let transaction = database.latestID
        for entry in 0..<Sets.entries {
            database.bind(2, 1, transaction)
            database.bind(2, 2, Sets.key(number, entry))
            database.bind(2, 3, Int64(entry))
            database.bind(2, 4, Int64(Sets.start + entry))
            if let error = Sets.error(entry) {
                database.bind(2, 5, Int64(error.code))
                database.bind(2, 6, error.text)
            } else {
                database.bindNull(2, 5)
                database.bindNull(2, 6)
            }
            database.bind(2, 7, parcel)
            database.bind(2, 8, Int64(entry))
            database.bind(2, 9, Int64(Sets.start + number))
            database.bind(2, 10, Int64(number * Sets.entries + entry))
            try database.run(2)
        }
        try database.run(4)
    }
}
