#if Collector
    internal import LogbookCore

    extension PostgresArchive {
        /// The newest schema this program knows: the number of ``migrations``, kept in `logbook.schema_version`.
        static var schemaVersion: Int { migrations.count }

        /// How each version is made from the one before.
        ///
        /// Entries and log events are partitioned by the day of their own time, in UTC, so that a day of which nothing is left goes at
        /// once with its indexes; days out of the ordinary share the default partition. PostgreSQL knows unique keys across partitions
        /// only together with the day, and a day is no part of a key: whoever sends a key again with another time has sent the entry
        /// again. So the keys stand in tables of their own, where they are unique whatever the day. They stand there as SHA-256, because
        /// an index takes no text of any length.
        static let migrations = [
            """
            CREATE TABLE parcels (
              id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
              tenant text NOT NULL,
              kind text NOT NULL,                         -- transactions or logs
              name text,                                  -- as the sender calls it, when it does
              received timestamptz NOT NULL,
              items bigint NOT NULL DEFAULT 0,            -- stored because of it
              arrivals bigint NOT NULL DEFAULT 1,
              UNIQUE (tenant, kind, name)
            );
            CREATE INDEX parcels_by_age ON parcels (received);
            CREATE TABLE transactions (
              id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
              tenant text NOT NULL,
              guid text COLLATE "C" NOT NULL,
              usecase bigint NOT NULL,
              device_make text, device_os text, device_os_version text,
              user_id text, variant text, app_version text, session text, installation text,
              received timestamptz NOT NULL,
              UNIQUE (tenant, guid)
            );
            CREATE INDEX transactions_in_order ON transactions (tenant, received, guid);
            CREATE INDEX transactions_of_users ON transactions (tenant, user_id) WHERE user_id IS NOT NULL;
            CREATE INDEX transactions_by_age ON transactions (received);
            CREATE TABLE entry_keys (tenant text NOT NULL, digest bytea NOT NULL, PRIMARY KEY (digest, tenant));
            CREATE TABLE entries (
              transaction bigint NOT NULL,                -- in transactions
              tenant text NOT NULL,
              digest bytea NOT NULL,                      -- in entry_keys
              key text,                                   -- as the sender gave it, when it did
              event bigint NOT NULL,
              time timestamptz NOT NULL,
              offset_nanoseconds bigint,                  -- since the session began, on the sender's steady clock
              error_code bigint, error_description text,
              parcel bigint NOT NULL,
              ordinal integer NOT NULL,                   -- place in its parcel: a sender's order of entries of the same time
              received timestamptz NOT NULL
            ) PARTITION BY RANGE (time);
            CREATE INDEX entries_in_order ON entries (transaction, time, parcel, ordinal);
            CREATE TABLE entries_other PARTITION OF entries DEFAULT;
            CREATE TABLE log_event_keys (tenant text NOT NULL, digest bytea NOT NULL, PRIMARY KEY (digest, tenant));
            CREATE TABLE log_events (
              tenant text NOT NULL,
              digest bytea NOT NULL,                      -- in log_event_keys
              installation text, epoch bigint, sequence bigint NOT NULL,
              time timestamptz NOT NULL,
              level text NOT NULL,
              message text NOT NULL,
              thread bigint, file text, function text, line bigint,
              metadata jsonb,
              error_type text, error_message text,
              transaction_guid text, usecase bigint, event bigint, error_code bigint, error_description text,
              parcel bigint NOT NULL,
              ordinal integer NOT NULL,
              received timestamptz NOT NULL
            ) PARTITION BY RANGE (time);
            CREATE INDEX log_events_in_order ON log_events (tenant, time);
            CREATE INDEX log_events_of_transactions ON log_events (tenant, transaction_guid) WHERE transaction_guid IS NOT NULL;
            CREATE INDEX log_events_by_age ON log_events (received);
            CREATE TABLE log_events_other PARTITION OF log_events DEFAULT;
            CREATE TABLE erased (
              mark text PRIMARY KEY,                      -- a digest of the tenant and a user, or a transaction's id
              time timestamptz NOT NULL                   -- of the erasure
            );
            CREATE TABLE erasures (                       -- that are not finished yet
              tenant text NOT NULL, user_id text NOT NULL, PRIMARY KEY (tenant, user_id)
            );
            """,
            // How much of a day's quota is used, by all collectors together.
            """
            CREATE TABLE bytes_sent (
              tenant text NOT NULL,
              day bigint NOT NULL,                        -- since 1970, UTC
              bytes bigint NOT NULL,
              PRIMARY KEY (tenant, day)
            );
            """,
            // Up to which parcel an erasure goes; null where that is unknown.
            "ALTER TABLE erasures ADD COLUMN border bigint;",
            // What is known of a transaction's entries, so that nobody looks for them in the partitions of other days, or at all. The
            // database keeps it: earlier collectors, which know nothing of it, may run on.
            """
            ALTER TABLE transactions
              ADD COLUMN entries bigint NOT NULL DEFAULT 0,
              ADD COLUMN entry_bytes bigint NOT NULL DEFAULT 0,                       -- of what they say of errors
              ADD COLUMN first_entry timestamptz NOT NULL DEFAULT 'infinity',         -- none has an earlier time
              ADD COLUMN last_entry timestamptz NOT NULL DEFAULT '-infinity',         -- or a later one
              ADD COLUMN entry_received timestamptz NOT NULL DEFAULT '-infinity';     -- or came later
            CREATE FUNCTION entries_came() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
              UPDATE logbook.transactions t SET entries = t.entries + few.number, entry_bytes = t.entry_bytes + few.bytes,
                first_entry = least(t.first_entry, few.first), last_entry = greatest(t.last_entry, few.last),
                entry_received = greatest(t.entry_received, few.received)
              FROM (SELECT transaction, count(*) AS number, coalesce(sum(octet_length(error_description)), 0) AS bytes,
                min(time) AS first, max(time) AS last, max(received) AS received FROM come GROUP BY transaction) AS few
              WHERE t.id = few.transaction;
              RETURN NULL; END $$;
            CREATE FUNCTION entries_went() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
              UPDATE logbook.transactions t SET entries = t.entries - few.number, entry_bytes = t.entry_bytes - few.bytes
              FROM (SELECT transaction, count(*) AS number, coalesce(sum(octet_length(error_description)), 0) AS bytes
                FROM gone GROUP BY transaction) AS few
              WHERE t.id = few.transaction;
              RETURN NULL; END $$;
            CREATE TRIGGER entries_came AFTER INSERT ON entries REFERENCING NEW TABLE AS come
              FOR EACH STATEMENT EXECUTE FUNCTION entries_came();
            CREATE TRIGGER entries_went AFTER DELETE ON entries REFERENCING OLD TABLE AS gone
              FOR EACH STATEMENT EXECUTE FUNCTION entries_went();
            UPDATE transactions t SET entries = few.number, entry_bytes = few.bytes, first_entry = few.first, last_entry = few.last,
              entry_received = few.received
            FROM (SELECT transaction, count(*) AS number, coalesce(sum(octet_length(error_description)), 0) AS bytes,
              min(time) AS first, max(time) AS last, max(received) AS received FROM entries GROUP BY transaction) AS few
            WHERE t.id = few.transaction;
            CREATE TABLE transaction_erasures (           -- that are not finished yet, of those that are marked
              tenant text NOT NULL, guid text COLLATE "C" NOT NULL, user_id text NOT NULL,
              time timestamptz NOT NULL,                  -- of the erasure
              PRIMARY KEY (tenant, guid, user_id)
            );
            """,
        ]

        /// How long a version may take to be made from the one before: what is stored is read for it.
        private static let migrationLimit = Duration.seconds(3600)

        /// Names the lock under which the schema is changed: one collector at a time, however many start together.
        static let schemaLock = 0x4C67_6261

        /// Brings the database to the newest version, all versions in one transaction.
        /// - Returns: The version that was found; above ``schemaVersion`` nothing was done.
        static func migrate(_ connection: PostgresConnection) throws(PostgresFailure) -> Int {
            try connection.transaction { () throws(PostgresFailure) in
                try connection.execute("SELECT pg_advisory_xact_lock(\(schemaLock))")
                let encoding = try connection.execute("SHOW server_encoding").rows[0][0] ?? ""
                if encoding != "UTF8" {
                    let remedy = "make one with ENCODING 'UTF8' TEMPLATE template0"
                    throw .refused(code: "", reason: "the database is encoded in \(encoding), which lacks characters; \(remedy)")
                }
                func isThere(_ name: String) throws(PostgresFailure) -> Bool {
                    try connection.execute("SELECT \(name) IS NOT NULL").rows[0][0] == "t"
                }
                if !(try isThere("to_regclass('logbook.schema_version')")) {
                    // Who may make no schema may use one that somebody else has made; with IF NOT EXISTS that would be refused as well.
                    if !(try isThere("to_regnamespace('logbook')")) { try connection.execute("CREATE SCHEMA logbook") }
                    try connection.execute(
                        """
                        CREATE TABLE logbook.schema_version (version integer NOT NULL);
                        INSERT INTO logbook.schema_version VALUES (0)
                        """)
                }
                let found = try connection.execute("SELECT version FROM logbook.schema_version").rows.first?[0].flatMap { Int($0) } ?? 0
                if found >= schemaVersion { return found }
                try connection.execute("SET LOCAL statement_timeout = \(migrationLimit.wholeNanoseconds / 1_000_000)")
                for migration in migrations[found...] { try connection.execute(migration, limit: migrationLimit) }
                try connection.execute("UPDATE logbook.schema_version SET version = $1::integer", ["\(schemaVersion)"])
                return found
            }
        }
    }
#endif
