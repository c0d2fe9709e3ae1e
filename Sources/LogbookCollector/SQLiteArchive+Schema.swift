#if Collector
    internal import GRDB
    internal import LogbookCore

    extension SQLiteArchive {
        /// The newest schema this program knows: the number of ``migrations``, kept in the file as `user_version`.
        static var schemaVersion: Int { migrations.count }

        /// How each version is made from the one before. Times are microseconds since 1970.
        private static let migrations = [
            """
            CREATE TABLE parcels (
              id INTEGER PRIMARY KEY,
              name TEXT,                                  -- as the sender calls it, when it does
              kind TEXT NOT NULL,                         -- transactions or logs
              received INTEGER NOT NULL,
              items INTEGER NOT NULL DEFAULT 0,           -- stored because of it
              arrivals INTEGER NOT NULL DEFAULT 1,
              UNIQUE (name, kind)
            ) STRICT;
            CREATE TABLE transactions (
              id INTEGER PRIMARY KEY,
              guid TEXT NOT NULL UNIQUE,
              usecase INTEGER NOT NULL,
              device_make TEXT, device_os TEXT, device_os_version TEXT,
              received INTEGER NOT NULL
            ) STRICT;
            CREATE TABLE entries (
              id INTEGER PRIMARY KEY,
              transaction_id INTEGER NOT NULL REFERENCES transactions (id),
              key TEXT NOT NULL UNIQUE,
              event INTEGER NOT NULL,
              time INTEGER NOT NULL,
              error_code INTEGER, error_description TEXT,
              parcel INTEGER NOT NULL REFERENCES parcels (id),
              ordinal INTEGER NOT NULL,                   -- place in its parcel: a sender's order of entries of the same time
              received INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX entries_in_order ON entries (transaction_id, time, parcel, ordinal);
            CREATE TABLE log_events (
              id INTEGER PRIMARY KEY,
              installation TEXT, epoch INTEGER, sequence INTEGER NOT NULL,
              time INTEGER NOT NULL,
              level TEXT NOT NULL,
              message TEXT NOT NULL,
              thread INTEGER, file TEXT, function TEXT, line INTEGER,
              metadata TEXT,                              -- a JSON object
              error_type TEXT, error_message TEXT,
              transaction_guid TEXT, usecase INTEGER, event INTEGER, error_code INTEGER, error_description TEXT,
              parcel INTEGER NOT NULL REFERENCES parcels (id),
              ordinal INTEGER NOT NULL,
              received INTEGER NOT NULL,
              UNIQUE (installation, epoch, sequence)
            ) STRICT;
            CREATE UNIQUE INDEX log_events_without_origin ON log_events (parcel, ordinal) WHERE installation IS NULL;
            CREATE INDEX log_events_in_order ON log_events (time);
            """,
            // Tenants, the facts of version 0.0.2, erasure. What was there belongs to the standard tenant. A parcel's number outlives
            // its name and is never given twice.
            """
            ALTER TABLE parcels RENAME TO parcels_1;
            ALTER TABLE transactions RENAME TO transactions_1;
            ALTER TABLE entries RENAME TO entries_1;
            ALTER TABLE log_events RENAME TO log_events_1;
            DROP INDEX entries_in_order;
            DROP INDEX log_events_without_origin;
            DROP INDEX log_events_in_order;
            CREATE TABLE parcels (
              id INTEGER PRIMARY KEY AUTOINCREMENT,
              tenant TEXT NOT NULL,
              name TEXT,                                  -- as the sender calls it, when it does
              kind TEXT NOT NULL,                         -- transactions or logs
              received INTEGER NOT NULL,
              items INTEGER NOT NULL DEFAULT 0,           -- stored because of it
              arrivals INTEGER NOT NULL DEFAULT 1,
              UNIQUE (tenant, name, kind)
            ) STRICT;
            CREATE INDEX parcels_by_age ON parcels (received);
            CREATE TABLE transactions (
              id INTEGER PRIMARY KEY,
              tenant TEXT NOT NULL,
              guid TEXT NOT NULL,
              usecase INTEGER NOT NULL,
              user TEXT, variant TEXT, app_version TEXT, session TEXT, installation TEXT,
              device_make TEXT, device_os TEXT, device_os_version TEXT,
              received INTEGER NOT NULL,
              UNIQUE (tenant, guid)
            ) STRICT;
            CREATE INDEX transactions_in_order ON transactions (tenant, received, guid);
            CREATE INDEX transactions_of_users ON transactions (tenant, user) WHERE user IS NOT NULL;
            CREATE INDEX transactions_by_age ON transactions (received);
            CREATE TABLE entries (
              id INTEGER PRIMARY KEY,
              transaction_id INTEGER NOT NULL REFERENCES transactions (id) ON DELETE CASCADE,
              tenant TEXT NOT NULL,
              key TEXT NOT NULL,
              event INTEGER NOT NULL,
              time INTEGER NOT NULL,
              offset INTEGER,                             -- nanoseconds since the transaction began, on the sender's steady clock
              error_code INTEGER, error_description TEXT,
              parcel INTEGER NOT NULL,
              ordinal INTEGER NOT NULL,                   -- place in its parcel: a sender's order of entries of the same time
              received INTEGER NOT NULL,
              UNIQUE (tenant, key)
            ) STRICT;
            CREATE INDEX entries_in_order ON entries (transaction_id, time, parcel, ordinal);
            CREATE TABLE log_events (
              id INTEGER PRIMARY KEY,
              tenant TEXT NOT NULL,
              installation TEXT, epoch INTEGER, sequence INTEGER NOT NULL,
              time INTEGER NOT NULL,
              level TEXT NOT NULL,
              message TEXT NOT NULL,
              thread INTEGER, file TEXT, function TEXT, line INTEGER,
              metadata TEXT,                              -- a JSON object
              error_type TEXT, error_message TEXT,
              transaction_guid TEXT, usecase INTEGER, event INTEGER, error_code INTEGER, error_description TEXT,
              parcel INTEGER NOT NULL,
              ordinal INTEGER NOT NULL,
              received INTEGER NOT NULL,
              UNIQUE (tenant, installation, epoch, sequence)
            ) STRICT;
            CREATE UNIQUE INDEX log_events_without_origin ON log_events (parcel, ordinal) WHERE installation IS NULL;
            CREATE INDEX log_events_in_order ON log_events (time);
            CREATE INDEX log_events_of_transactions ON log_events (tenant, transaction_guid) WHERE transaction_guid IS NOT NULL;
            CREATE INDEX log_events_by_age ON log_events (received);
            CREATE TABLE erased (
              mark TEXT PRIMARY KEY,                      -- a digest of the tenant and a user, or a transaction's id
              time INTEGER NOT NULL                       -- of the erasure
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE erasures (                       -- that are not finished yet
              tenant TEXT NOT NULL,
              user TEXT NOT NULL,
              PRIMARY KEY (tenant, user)
            ) STRICT, WITHOUT ROWID;
            INSERT INTO parcels SELECT id, 'default', name, kind, received, items, arrivals FROM parcels_1;
            INSERT INTO transactions
              SELECT id, 'default', guid, usecase, NULL, NULL, NULL, NULL, NULL, device_make, device_os, device_os_version, received
              FROM transactions_1;
            INSERT INTO entries
              SELECT id, transaction_id, 'default', key, event, time, NULL, error_code, error_description, parcel, ordinal, received
              FROM entries_1;
            INSERT INTO log_events
              SELECT id, 'default', installation, epoch, sequence, time, level, message, thread, file, function, line, metadata,
                error_type, error_message, transaction_guid, usecase, event, error_code, error_description, parcel, ordinal, received
              FROM log_events_1;
            DROP TABLE entries_1;
            DROP TABLE log_events_1;
            DROP TABLE transactions_1;
            DROP TABLE parcels_1;
            """,
            // How much of a day's quota is used, so that a restart does not give it again.
            """
            CREATE TABLE bytes_sent (
              tenant TEXT NOT NULL,
              day INTEGER NOT NULL,                       -- since 1970, UTC
              bytes INTEGER NOT NULL,
              PRIMARY KEY (tenant, day)
            ) STRICT, WITHOUT ROWID;
            """,
            // Keys of three numbers in place of texts, see RowKey; what came together is found by its age together; and an erasure knows up
            // to which parcel it goes.
            """
            ALTER TABLE entries RENAME TO entries_3;
            ALTER TABLE log_events RENAME TO log_events_3;
            DROP INDEX entries_in_order;
            DROP INDEX log_events_without_origin;
            DROP INDEX log_events_in_order;
            DROP INDEX log_events_of_transactions;
            DROP INDEX log_events_by_age;
            CREATE TABLE entries (
              id INTEGER PRIMARY KEY,
              transaction_id INTEGER NOT NULL REFERENCES transactions (id) ON DELETE CASCADE,
              tenant TEXT NOT NULL,
              key TEXT NOT NULL,
              origin INTEGER NOT NULL, epoch INTEGER NOT NULL, sequence INTEGER NOT NULL,   -- the key and its tenant as numbers
              event INTEGER NOT NULL,
              time INTEGER NOT NULL,
              offset INTEGER,                             -- nanoseconds since the transaction began, on the sender's steady clock
              error_code INTEGER, error_description TEXT,
              parcel INTEGER NOT NULL,
              ordinal INTEGER NOT NULL,                   -- place in its parcel: a sender's order of entries of the same time
              received INTEGER NOT NULL,
              UNIQUE (origin, epoch, sequence)
            ) STRICT;
            INSERT INTO entries
              SELECT id, transaction_id, tenant, key, row_key(tenant, key, 0), row_key(tenant, key, 1), row_key(tenant, key, 2), event,
                time, offset, error_code, error_description, parcel, ordinal, received
              FROM entries_3 WHERE transaction_id IN (SELECT id FROM transactions) ORDER BY id;
            DROP TABLE entries_3;                         -- first, so that what follows finds room in its pages
            CREATE INDEX entries_in_order ON entries (transaction_id, time, parcel, ordinal);
            CREATE TABLE log_events (
              id INTEGER PRIMARY KEY,
              tenant TEXT NOT NULL,
              installation TEXT, epoch INTEGER, sequence INTEGER NOT NULL,
              origin INTEGER,                             -- the tenant and the installation as a number
              time INTEGER NOT NULL,
              level TEXT NOT NULL,
              message TEXT NOT NULL,
              thread INTEGER, file TEXT, function TEXT, line INTEGER,
              metadata TEXT,                              -- a JSON object
              error_type TEXT, error_message TEXT,
              transaction_guid TEXT, usecase INTEGER, event INTEGER, error_code INTEGER, error_description TEXT,
              parcel INTEGER NOT NULL,
              ordinal INTEGER NOT NULL,
              received INTEGER NOT NULL
            ) STRICT;
            INSERT INTO log_events
              SELECT id, tenant, installation, epoch, sequence, origin(tenant, installation), time, level, message, thread, file, function,
                line, metadata, error_type, error_message, transaction_guid, usecase, event, error_code, error_description, parcel, ordinal,
                received
              FROM log_events_3 ORDER BY id;
            DROP TABLE log_events_3;
            CREATE UNIQUE INDEX log_events_once ON log_events (origin, epoch, sequence) WHERE origin IS NOT NULL;
            CREATE UNIQUE INDEX log_events_without_origin ON log_events (parcel, ordinal) WHERE origin IS NULL;
            CREATE INDEX log_events_in_order ON log_events (time, tenant);
            CREATE INDEX log_events_of_transactions ON log_events (tenant, transaction_guid) WHERE transaction_guid IS NOT NULL;
            CREATE TABLE log_arrivals (                   -- which rows of log_events came together
              received INTEGER NOT NULL,
              first INTEGER NOT NULL, last INTEGER NOT NULL,
              PRIMARY KEY (received, first)
            ) STRICT, WITHOUT ROWID;
            INSERT INTO log_arrivals SELECT received, min(id), max(id) FROM log_events GROUP BY received;
            ALTER TABLE erasures ADD COLUMN border INTEGER;   -- the latest parcel when it was asked for; null where that is unknown
            """,
            // Which device the set of an entry named, where that was another one than its transaction's.
            """
            ALTER TABLE entries ADD COLUMN own_device_make TEXT;
            ALTER TABLE entries ADD COLUMN own_device_os TEXT;
            ALTER TABLE entries ADD COLUMN own_device_os_version TEXT;
            """,
        ]

        /// The room that bringing a file to a newer version takes on the disk, in sizes of the file: its tables are copied within one
        /// SQLite transaction, and each page is written to the write-ahead log and to the file.
        static let upgradeRoom = 3

        /// The version whose tables are copies of the earlier one's, without entries that belong to nothing.
        private static let copyingVersion = 4

        /// Brings the file to the newest version where there is room for that, and says so, for it may take minutes.
        /// - Parameter free: Bytes that are free on its disk; nil when that is not known.
        /// - Throws: ``ArchiveError/noRoomToUpgrade(path:needed:free:)``; the file is as it was then.
        static func upgrade(_ database: Database, path: String, free: Int?) throws {
            let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            guard version > 0, version < copyingVersion else { return try migrate(database) }
            let size = try bytes(of: .allPages, database)
            if let free, free / upgradeRoom < size {
                throw ArchiveError.noRoomToUpgrade(path: path, needed: size * upgradeRoom, free: free)
            }
            let orphans = try Int.fetchOne(
                database, sql: "SELECT count(*) FROM entries WHERE transaction_id NOT IN (SELECT id FROM transactions)") ?? 0
            LogDiagnostics.report(
                "collector",
                "the archive \(path) is brought from version \(version) to \(schemaVersion): \(size >> 20) MiB are written anew")
            try migrate(database)
            _ = try database.checkpoint(.truncate)
            let left = orphans == 0 ? "" : "; \(orphans) entries whose transaction somebody has deleted are left out"
            LogDiagnostics.report("collector", "the archive \(path) has version \(schemaVersion) now\(left)")
        }

        /// Brings the file to the newest version, one version per SQLite transaction.
        /// - Parameter newest: An earlier one, in tests.
        static func migrate(_ database: Database, to newest: Int = schemaVersion) throws {
            let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            let functions = found < newest ? RowKey.functions : []
            for function in functions { database.add(function: function) }
            defer { for function in functions { database.remove(function: function) } }
            for version in found..<max(found, newest) {
                try database.inTransaction(.immediate) {
                    try database.execute(sql: migrations[version])
                    try database.execute(
                        sql:
                            "PRAGMA application_id = \(ArchiveFile.applicationID); PRAGMA user_version = \(version + 1)"
                    )
                    return .commit
                }
            }
        }
    }
#endif
