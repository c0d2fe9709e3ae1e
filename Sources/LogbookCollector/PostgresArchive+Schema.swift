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
            -- Who may use the tables that were there may use it as well.
            DO $$ DECLARE known record; BEGIN
              FOR known IN
                SELECT privilege_type, is_grantable, rolname FROM pg_class
                  CROSS JOIN LATERAL aclexplode(coalesce(relacl, acldefault('r', relowner))) AS given
                  LEFT JOIN pg_roles ON pg_roles.oid = given.grantee
                WHERE pg_class.oid = 'erasures'::regclass AND (rolname IS NOT NULL OR given.grantee = 0)
              LOOP
                EXECUTE format('GRANT %s ON transaction_erasures TO %s%s', known.privilege_type,
                  coalesce(quote_ident(known.rolname), 'PUBLIC'), CASE WHEN known.is_grantable THEN ' WITH GRANT OPTION' END);
              END LOOP;
            END $$;
            """,
            // Which device the set of an entry named, where that was another one than its transaction's. It is read with the entry, so
            // `entry_bytes` counts it.
            """
            ALTER TABLE entries ADD COLUMN own_device_make text, ADD COLUMN own_device_os text, ADD COLUMN own_device_os_version text;
            CREATE OR REPLACE FUNCTION entries_came() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
              UPDATE logbook.transactions t SET entries = t.entries + few.number, entry_bytes = t.entry_bytes + few.bytes,
                first_entry = least(t.first_entry, few.first), last_entry = greatest(t.last_entry, few.last),
                entry_received = greatest(t.entry_received, few.received)
              FROM (SELECT transaction, count(*) AS number, \(bytesOfEntries) AS bytes,
                min(time) AS first, max(time) AS last, max(received) AS received FROM come GROUP BY transaction) AS few
              WHERE t.id = few.transaction;
              RETURN NULL; END $$;
            CREATE OR REPLACE FUNCTION entries_went() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
              UPDATE logbook.transactions t SET entries = t.entries - few.number, entry_bytes = t.entry_bytes - few.bytes
              FROM (SELECT transaction, count(*) AS number, \(bytesOfEntries) AS bytes
                FROM gone GROUP BY transaction) AS few
              WHERE t.id = few.transaction;
              RETURN NULL; END $$;
            """,
        ]

        /// Of the texts of some entries that are read with them.
        private static let bytesOfEntries = """
            coalesce(sum(coalesce(octet_length(error_description), 0) + coalesce(octet_length(own_device_make), 0)
              + coalesce(octet_length(own_device_os), 0) + coalesce(octet_length(own_device_os_version), 0)), 0)
            """

        /// How long a version may take to be made from the one before: what is stored is read for it. For so long another collector is
        /// waited for that does that.
        static let migrationLimit = Duration.seconds(3600)
        /// How often the tables are tried to be locked for it, with a second between: meanwhile those who store get on.
        static let lockAttempts = 30
        /// After which it is said that another collector is waited for. None makes the partition of a day for longer.
        static let lockPatience = PostgresArchive.dayLimit

        /// Names the lock under which the schema is changed: one collector at a time, however many start together.
        static let schemaLock = 0x4C67_6261

        /// What has become of bringing the tables to the newest version.
        enum Migration: Sendable, Equatable {
            /// They were of this version, and are of the newest; above ``schemaVersion`` nothing was done.
            case found(Int)
            /// Nothing was done, for this reason.
            case hindered(String)
        }

        /// Brings the database to the newest version, all versions in one transaction.
        /// - Parameters:
        ///   - limit: How long another collector that does it is waited for, and how long each version may take.
        ///   - attempts: How often it is tried where others have the tables locked.
        ///   - patience: How long another collector is waited for before that is said.
        ///   - report: Hears of it.
        static func migrate(
            _ connection: PostgresConnection, within limit: Duration = PostgresArchive.migrationLimit,
            attempts: Int = PostgresArchive.lockAttempts, patience: Duration = PostgresArchive.lockPatience, report: (String) -> Void
        ) throws(PostgresFailure) -> Migration {
            try connection.transaction { () throws(PostgresFailure) -> Migration in
                guard try lockSchema(within: limit, patience, report, connection) else {
                    return .hindered("another collector brings the tables to a newer version; start this one when that is done")
                }
                let usual = milliseconds(PostgresConnection.statementLimit)
                try connection.execute("SET LOCAL statement_timeout = \(usual); SET LOCAL lock_timeout = \(usual)")
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
                if found >= schemaVersion { return .found(found) }
                try connection.execute("SET LOCAL statement_timeout = \(milliseconds(limit))")
                for attempt in 1...max(1, attempts) {
                    // Behind who waits for a table all wait who store.
                    if try run(Array(migrations[found...]), waitingForLocks: .milliseconds(lockMilliseconds), limit: limit, connection) {
                        try connection.execute("UPDATE logbook.schema_version SET version = $1::integer", ["\(schemaVersion)"])
                        return .found(found)
                    }
                    if attempt < attempts { try connection.execute("SELECT pg_sleep(1)") }
                }
                return .hindered(
                    """
                    the tables are of an earlier version, and somebody has had them locked all the time in which they were to be brought \
                    to this one, such as pg_dump; start the collector when that is over
                    """)
            }
        }

        /// - Returns: False where another collector has had the lock for all this time.
        private static func lockSchema(
            within limit: Duration, _ patience: Duration, _ report: (String) -> Void, _ connection: PostgresConnection
        ) throws(PostgresFailure) -> Bool {
            let statement = "SELECT pg_advisory_xact_lock(\(schemaLock))"
            // It does nothing but wait, and how long that may take is said apart.
            try connection.execute("SET LOCAL statement_timeout = 0")
            if try run([statement], waitingForLocks: min(patience, limit), limit: limit, connection) { return true }
            if limit <= patience { return false }
            report("another collector brings the tables to a newer version, and this one waits for it")
            return try run([statement], waitingForLocks: limit, limit: limit, connection)
        }

        /// Runs statements that wait for each lock for so long at most. Where they wait in vain, all of them are undone, and what they have
        /// locked is free.
        /// - Parameter limit: After which, in each of them, the server is taken for dead.
        /// - Returns: Whether they have run.
        private static func run(
            _ statements: [String], waitingForLocks wait: Duration, limit: Duration, _ connection: PostgresConnection
        ) throws(PostgresFailure) -> Bool {
            try connection.execute("SAVEPOINT unlocked; SET LOCAL lock_timeout = \(milliseconds(wait))")
            do throws(PostgresFailure) {
                for statement in statements { try connection.execute(statement, limit: limit) }
                return true
            } catch .refused(code: "55P03", _) {
                try connection.execute("ROLLBACK TO SAVEPOINT unlocked; RELEASE SAVEPOINT unlocked")
                return false
            } catch {
                throw error
            }
        }

        private static func milliseconds(_ duration: Duration) -> Int64 { max(1, duration.wholeNanoseconds / 1_000_000) }
    }
#endif
