#if Collector
    internal import LogbookCore
    internal import LogbookFormat

    // Partitions of days: made when something of the day comes in, dropped when the day is long past and nothing of it is left.
    extension PostgresArchive {
        /// A table with a partition per day.
        enum Table: String, CaseIterable {
            case entries, log_events

            /// Where the keys of its rows are.
            var keys: String {
                switch self {
                case .entries: "entry_keys"
                case .log_events: "log_event_keys"
                }
            }
        }

        /// Days that a partition stays when all it may hold is too old. So who stores need not look whether the partition of a younger
        /// day is there still.
        private static let graceDays: Int64 = 7
        /// How long a partition's making or dropping, or a new version of the tables, waits for those who read, and with it all who store.
        static let lockMilliseconds = 500
        /// How long no partition of a table is made after somebody who read stood in the way.
        static let pauseForReaders = Duration.seconds(60)
        /// How long the making of a partition may take, and all who store wait: the default partition is looked through for what is of
        /// that day.
        static let dayLimit = Duration.seconds(5)
        /// How long no partition of a table is made after one took longer.
        static let pauseForSize = Duration.seconds(86_400)

        /// What is known, on all connections, of days without a partition.
        struct UnmadeDays {
            /// Days that the default partition keeps.
            var days: [Table: Set<Int64>] = [:]
            /// Until when none is made, on the monotonic clock.
            var paused: [Table: UInt64] = [:]
            /// SQLSTATEs of which it was said.
            var said: Set<String> = []
        }

        /// Makes partitions for the days of what came in, those that are missing; with today's that of tomorrow, so that midnight finds it
        /// there. Apart from the transaction that stores: it locks the whole table for a moment. Where one is dropped again before that, or
        /// cannot be made, the default partition takes what is stored.
        func makeDays(
            _ times: some Sequence<LogTime>, of table: Table, received: LogTime, _ connection: PostgresConnection
        ) throws(PostgresFailure) {
            var days = Set(times.filter { $0.isOrdinary(received: received) }.map(\.day))
            if days.contains(received.day) { days.insert(received.day + 1) }
            let known = connection.knownDays[table, default: []], oldest = received.day - Self.graceDays
            let unmade = unmade.withLock { $0.days[table, default: []] }
            let unknown = days.subtracting(unmade).filter { $0 < oldest || !known.contains($0) }.sorted()
            if unknown.isEmpty { return }
            let found = try connection.execute(
                """
                SELECT to_regclass('logbook.' || name) IS NOT NULL FROM unnest($1::text[]) WITH ORDINALITY AS days (name, place)
                ORDER BY place
                """, ["{" + unknown.map { Self.name(of: $0, table) }.joined(separator: ",") + "}"]
            ).rows
            for (day, row) in zip(unknown, found) {
                if row[0] == "t" {
                    connection.knownDays[table, default: []].insert(day)
                } else if !isPaused(table) {
                    try makeDay(day, of: table, connection)
                }
            }
        }

        private func isPaused(_ table: Table) -> Bool {
            let until = unmade.withLock { $0.paused[table] }
            return until.map { clock.monotonicNanoseconds() < $0 } ?? false
        }

        private func pause(_ table: Table, for span: Duration) {
            let until = clock.monotonicNanoseconds() + UInt64(span.wholeNanoseconds)
            unmade.withLock { $0.paused[table] = max($0.paused[table] ?? 0, until) }
        }

        private func makeDay(_ day: Int64, of table: Table, _ connection: PostgresConnection) throws(PostgresFailure) {
            do throws(PostgresFailure) {
                try create(day, of: table, connection)
                connection.knownDays[table, default: []].insert(day)
            } catch {
                guard case .refused(let code, let reason) = error else { throw error }
                switch code {
                case "23514":
                    // The default partition has something of that day already, from when the day was out of the ordinary, or none could be
                    // made: it stays there.
                    unmade.withLock { _ = $0.days[table, default: []].insert(day) }
                case "42501":
                    unmade.withLock { _ = $0.days[table, default: []].insert(day) }
                    sayOnce(code, "PostgreSQL lets this user make no partitions of days, and the default ones take what comes: \(reason)")
                case "55P03":
                    pause(table, for: Self.pauseForReaders)   // whoever reads has the table locked; all who store have waited
                case "57014":
                    pause(table, for: Self.pauseForSize)
                    sayOnce(
                        code,
                        """
                        PostgreSQL takes more than \(dayLimit) to look through the default partition of \(table.rawValue); for a day it \
                        takes what comes of days that have no partition yet
                        """)
                default: throw error
                }
            }
        }

        private func sayOnce(_ code: String, _ remark: String) {
            if unmade.withLock({ $0.said.insert(code).inserted }) { report(remark) }
        }

        private func create(
            _ day: Int64, of table: Table, _ connection: PostgresConnection
        ) throws(PostgresFailure) {
            let limit = dayLimit.wholeNanoseconds / 1_000_000
            try connection.transaction { () throws(PostgresFailure) in
                try connection.execute("SET LOCAL lock_timeout = \(Self.lockMilliseconds); SET LOCAL statement_timeout = \(limit)")
                try connection.execute("SELECT pg_advisory_xact_lock(\(Self.schemaLock))")
                // DDL takes no parameters; names and days are made of digits.
                try connection.execute(
                    """
                    CREATE TABLE IF NOT EXISTS \(Self.name(of: day, table)) PARTITION OF \(table.rawValue)
                    FOR VALUES FROM ('\(LogTime(day: day).date(separator: "-")) 00:00:00+00')
                    TO ('\(LogTime(day: day + 1).date(separator: "-")) 00:00:00+00')
                    """)
            }
        }

        /// Drops the partitions of days long before a time that hold nothing. What they held was deleted row by row, since a day's rows
        /// may have come long after it, and their keys stand elsewhere. Where somebody reads they stay for this time, and always where this
        /// user may drop none.
        static func dropEmptyDays(
            before time: LogTime, of table: Table, _ connection: PostgresConnection
        ) throws(PostgresFailure) {
            guard time.day > graceDays else { return }
            // Names sort as their days do, and the default partition's comes behind them.
            let names = try connection.execute(
                """
                SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
                WHERE inhparent = $1::regclass AND relname < $2::name ORDER BY relname
                """, [table.rawValue, name(of: time.day - graceDays, table)]
            ).rows.compactMap { $0[0] }
            for name in names {
                do throws(PostgresFailure) {
                    try dropIfEmpty(name, connection)
                } catch .refused(code: "55P03", _), .refused(code: "42501", _) {
                    return   // it is locked or somebody else's, and the others with it
                } catch .refused(code: "42P01", _) {
                    continue   // another collector was first
                } catch {
                    throw error
                }
            }
        }

        /// Nobody stores between the last look and the end.
        private static func dropIfEmpty(_ name: String, _ connection: PostgresConnection) throws(PostgresFailure) {
            guard try isEmpty(name, connection) else { return }
            try connection.transaction { () throws(PostgresFailure) in
                try connection.execute("SET LOCAL lock_timeout = \(lockMilliseconds)")
                try lockForRemoval(connection)
                try connection.execute("SELECT pg_advisory_xact_lock(\(schemaLock))")
                if try isEmpty(name, connection) { try connection.execute("DROP TABLE \(name)") }
            }
        }

        private static func isEmpty(_ name: String, _ connection: PostgresConnection) throws(PostgresFailure) -> Bool {
            try connection.execute("SELECT NOT EXISTS (SELECT 1 FROM \(name))").rows[0][0] == "t"
        }

        /// Partitions of days that one statement looks at, at most.
        private static let daysAtATime = 16

        /// A span of time in which a table has few partitions. A statement locks every partition that it may have to look at: who goes
        /// through the windows one after the other sees the whole table, and never locks more than few of its partitions.
        struct Window: Sendable {
            /// As PostgreSQL writes moments.
            let start: String
            /// Where the next one begins.
            let end: String
        }

        /// The windows that hold what lies between two moments, these among it.
        static func windows(
            of table: Table, from first: String? = "-infinity", to last: String? = "infinity", _ connection: PostgresConnection
        ) throws(PostgresFailure) -> [Window] {
            try connection.execute(
                """
                WITH days AS (
                  SELECT right(relname, 8)::date AS day, row_number() OVER (ORDER BY relname) AS number
                  FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
                  WHERE inhparent = $1::text::regclass AND relname ~ '_[0-9]{8}$'),
                starts AS (
                  SELECT '-infinity'::timestamptz AS start UNION ALL
                  SELECT day::timestamptz FROM days WHERE number % \(daysAtATime) = 0),
                windows AS (SELECT start, lead(start, 1, 'infinity') OVER (ORDER BY start) AS next FROM starts)
                SELECT start, next FROM windows WHERE start <= $3::timestamptz AND next > $2::timestamptz ORDER BY start
                """, [table.rawValue, first, last]
            ).rows.map { Window(start: $0[0] ?? "", end: $0[1] ?? "") }
        }

        private static func name(of day: Int64, _ table: Table) -> String {
            "\(table.rawValue)_\(LogTime(day: day).date(separator: ""))"
        }
    }

    extension LogTime {
        /// Whether the day may have a partition of its own: not long before it was received, and not after. What lies outside is a
        /// clock gone wrong or an import, and shares one partition, so that nobody can make partitions without end.
        func isOrdinary(received: LogTime) -> Bool {
            // To 2104, where the days of ClickHouse 18.16 end.
            (0..<49_000).contains(day) && (-400...2).contains(day - received.day)
        }

        /// Days since 1970-01-01, UTC.
        var day: Int64 { wholeSeconds.flooredQuotient(by: 86_400) }

        /// The day's midnight.
        init(day: Int64) { self.init(nanoseconds: day * 86_400_000_000_000) }

        /// As PostgreSQL reads a moment. Given like that, and not as what is to be reckoned, it decides which partitions are looked at
        /// before they are locked.
        var postgresText: String {
            var bytes: [UInt8] = []
            ISO8601.append(LogTime(microseconds: microseconds), digits: 6, in: .utc, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }

        /// `2026-11-21`, UTC.
        func date(separator: String) -> String {
            var bytes: [UInt8] = []
            ISO8601.append(self, digits: 0, in: .utc, to: &bytes)
            return String(decoding: bytes.prefix(10), as: UTF8.self).split(separator: "-").joined(separator: separator)
        }
    }
#endif
