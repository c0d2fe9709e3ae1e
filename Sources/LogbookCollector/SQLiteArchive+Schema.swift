#if Collector
internal import GRDB

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
        """
    ]

    /// Brings the file to the newest version, one version per SQLite transaction.
    static func migrate(_ database: Database) throws {
        let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        for version in found..<max(found, schemaVersion) {
            try database.inTransaction(.immediate) {
                try database.execute(sql: migrations[version])
                try database.execute(
                    sql: "PRAGMA application_id = \(ArchiveFile.applicationID); PRAGMA user_version = \(version + 1)")
                return .commit
            }
        }
    }
}
#endif
