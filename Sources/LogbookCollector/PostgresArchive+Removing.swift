#if Collector
    public import LogbookCore
    internal import LogbookTransactions

    extension PostgresArchive {
        /// Names the lock that storing shares and removing has alone: what is removed is not added to at the same time.
        static let removalLock = 0x4C67_6272
        /// Transactions that are removed in one transaction of the database at most, so that senders wait only for so many.
        private static let transactionsAtATime = 500
        /// The same for rows that name parcels.
        private static let parcelsAtATime = 1000

        /// What was erased is gone from every answer when this returns. PostgreSQL frees its place on the medium with the next
        /// `VACUUM` (its own, or yours), and the write-ahead log and backups keep it as long as they are kept.
        public func erase(user: String, tenant: String, at time: LogTime) async throws(ArchiveError) -> Int {
            if user.isEmpty { return 0 }
            let user = user.storable
            let erasure: UserErasure = try await pool.run { connection throws(PostgresFailure) in
                try connection.transaction { () throws(PostgresFailure) -> UserErasure in
                    try Self.lockForRemoval(connection)
                    try connection.execute(
                        """
                        INSERT INTO erased AS e (mark, time) VALUES ($2, \(Self.time("$1")))
                        ON CONFLICT (mark) DO UPDATE SET time = greatest(e.time, excluded.time)
                        """, ["\(time.microseconds)", ErasureMark.user(user, tenant: tenant)])
                    // A number that no parcel gets. Nobody stores now: what has come has smaller ones, and what comes larger.
                    try connection.execute(
                        """
                        INSERT INTO erasures (tenant, user_id, border) VALUES ($1, $2, nextval(pg_get_serial_sequence('parcels', 'id')))
                        ON CONFLICT (tenant, user_id) DO UPDATE SET border = excluded.border
                        """, [tenant, user])
                    return try Self.begunErasure(of: user, tenant, connection)
                }
            }
            var removed = 0
            var last: Int64 = 0
            while true {
                let step = try await pool.run { [last] connection throws(PostgresFailure) in
                    try Self.eraseSome(of: erasure, after: last, connection)
                }
                guard let step else { return removed }
                removed += step.removed
                last = step.last
            }
        }

        public func addBytesSent(_ bytes: [String: Int], on day: Int64) async throws(ArchiveError) {
            try await pool.run { connection throws(PostgresFailure) in
                try connection.transaction { () throws(PostgresFailure) in
                    try connection.execute("DELETE FROM bytes_sent WHERE day < $1::bigint", ["\(day)"])
                    // In one order, so that two collectors do not wait for each other.
                    for (tenant, count) in bytes.sorted(by: { $0.key < $1.key }) {
                        try connection.execute(
                            """
                            INSERT INTO bytes_sent (tenant, day, bytes) VALUES ($1, $2::bigint, $3::bigint)
                            ON CONFLICT (tenant, day) DO UPDATE SET bytes = bytes_sent.bytes + excluded.bytes
                            """, [tenant, "\(day)", "\(count)"])
                    }
                }
            }
        }

        /// What a collector that was killed has begun to erase.
        static func finishErasures(_ connection: PostgresConnection) throws(PostgresFailure) {
            for row in try connection.execute("SELECT tenant, user_id FROM erasures").rows {
                let erasure = try begunErasure(of: row[1] ?? "", row[0] ?? "", connection)
                var last: Int64 = 0
                while let step = try eraseSome(of: erasure, after: last, connection) { last = step.last }
            }
        }

        /// What is to go of a user who is marked. Where an earlier version has begun it, parcels say themselves when they came.
        private static func begunErasure(
            of user: String, _ tenant: String, _ connection: PostgresConnection
        ) throws(PostgresFailure) -> UserErasure {
            let marks = try connection.execute(
                "SELECT \(microseconds("time")) FROM erased WHERE mark = $1", [ErasureMark.user(user, tenant: tenant)]
            ).rows
            let end = number(marks).map { LogTime(microseconds: $0) } ?? .distantPast
            let borders = try connection.execute(
                """
                SELECT coalesce(border, (SELECT max(id) FROM parcels WHERE received <= \(time("$1")))) FROM erasures
                WHERE tenant = $2 AND user_id = $3
                """, ["\(end.microseconds)", tenant, user]
            ).rows
            return UserErasure(user: user, tenant: tenant, end: end, border: number(borders) ?? 0)
        }

        /// The first column of the first row.
        private static func number(_ rows: some Collection<[String?]>) -> Int64? { rows.first?[0].flatMap { Int64($0) } }

        /// - Parameter id: Transactions up to it are done.
        /// - Returns: Nil when there was none left, and the erasure is over.
        private static func eraseSome(
            of erasure: UserErasure, after id: Int64, _ connection: PostgresConnection
        ) throws(PostgresFailure) -> UserErasure.Step? {
            try connection.transaction { () throws(PostgresFailure) -> UserErasure.Step? in
                try lockForRemoval(connection)
                // With what has come since. The index of log events compares as the database does, and ids do not.
                let found = try connection.execute(
                    """
                    SELECT t.id, EXISTS (
                        SELECT 1 FROM entries e WHERE e.transaction = t.id AND e.time > \(time("$4")) AND e.parcel > $5::bigint)
                      OR EXISTS (
                        SELECT 1 FROM log_events l WHERE l.tenant = $1 AND l.transaction_guid = t.guid COLLATE "default"
                          AND l.time > \(time("$4")) AND l.parcel > $5::bigint), t.guid
                    FROM transactions t WHERE t.tenant = $1 AND t.user_id = $2 AND t.id > $3::bigint
                    ORDER BY t.id LIMIT \(transactionsAtATime)
                    """, [erasure.tenant, erasure.user, "\(id)", "\(erasure.end.microseconds)", "\(erasure.border)"]
                ).rows
                guard let last = number(found.suffix(1)) else {
                    // Not one that was asked for since.
                    try connection.execute(
                        "DELETE FROM erasures WHERE tenant = $1 AND user_id = $2 AND coalesce(border, 0) <= $3::bigint",
                        [erasure.tenant, erasure.user, "\(erasure.border)"])
                    return nil
                }
                let erasures = found.map { row in
                    // For good only where nothing has come since.
                    AdmittedSet.Erasure(
                        transaction: row[2] ?? "", user: erasure.user, end: row[1] == "t" ? erasure.end : .distantFuture,
                        border: erasure.border)
                }
                return UserErasure.Step(removed: try erase(erasures, of: erasure.tenant, connection), last: last)
            }
        }

        /// Erases transactions of which a set says that they are of users who were erased.
        func erase(_ erasures: [AdmittedSet.Erasure], of tenant: String) async throws(ArchiveError) {
            for piece in erasures.pieces(of: Self.transactionsAtATime) {
                try await pool.run { connection throws(PostgresFailure) in
                    try connection.transaction { () throws(PostgresFailure) in
                        try Self.lockForRemoval(connection)
                        try Self.erase(piece, of: tenant, connection)
                    }
                }
            }
        }

        /// Those of the erasures whose transactions are not known to be somebody else's.
        static func standing(
            _ erasures: [AdmittedSet.Erasure], of tenant: String, _ connection: PostgresConnection
        ) throws(PostgresFailure) -> [AdmittedSet.Erasure] {
            if erasures.isEmpty { return [] }
            let found = try connection.execute(
                """
                SELECT r.guid FROM jsonb_to_recordset($2::jsonb) AS r (guid text, user_id text)
                  JOIN transactions t ON t.tenant = $1 AND t.guid = r.guid
                WHERE t.user_id <> r.user_id
                """, [tenant, rows(of: erasures, tenant)]
            ).rows
            let others = Set(found.map { Array(($0[0] ?? "").utf8) })
            return erasures.filter { !others.contains(Array($0.transaction.utf8)) }
        }

        /// Erases transactions that are of users who were erased, each up to a time, and leaves marks by which what comes late is known;
        /// those that are known to be somebody else's stay. Nobody else may store at the same time.
        /// - Returns: Transactions of which nothing is left.
        @discardableResult
        private static func erase(
            _ erasures: some Collection<AdmittedSet.Erasure>, of tenant: String, _ connection: PostgresConnection
        ) throws(PostgresFailure) -> Int {
            try connection.execute(eraseTransactions, [tenant, rows(of: erasures, tenant)]).count
        }

        private static func rows(of erasures: some Collection<AdmittedSet.Erasure>, _ tenant: String) -> String {
            rows(
                erasures.map { erasure in
                    var row = ArchiveRow()
                    row.add("guid", erasure.transaction)
                    row.add("mark", ErasureMark.transaction(erasure.transaction, tenant: tenant))
                    row.add("user_id", erasure.user)
                    row.add("us", erasure.end.microseconds)
                    row.add("border", erasure.border)
                    return row
                })
        }

        /// `$1` tenant, `$2` rows.
        private static let eraseTransactions = """
            WITH input AS (
              SELECT r.guid, mark, \(time("us")) AS time, border, t.id
              FROM jsonb_to_recordset($2::jsonb) AS r (guid text, mark text, user_id text, us bigint, border bigint)
                LEFT JOIN transactions t ON t.tenant = $1 AND t.guid = r.guid
              WHERE COALESCE(t.user_id, r.user_id) = r.user_id),
            marked AS (
              INSERT INTO erased AS e (mark, time) SELECT mark, time FROM input
              ON CONFLICT (mark) DO UPDATE SET time = greatest(e.time, excluded.time)),
            events AS (
              DELETE FROM log_events l USING input
              WHERE l.tenant = $1 AND l.transaction_guid = input.guid AND (l.time <= input.time OR l.parcel <= input.border)
              RETURNING l.digest),
            event_keys AS (DELETE FROM log_event_keys k USING events WHERE k.tenant = $1 AND k.digest = events.digest),
            gone AS (
              DELETE FROM entries e USING input
              WHERE e.transaction = input.id AND (e.time <= input.time OR e.parcel <= input.border) RETURNING e.digest),
            keys AS (DELETE FROM entry_keys k USING gone WHERE k.tenant = $1 AND k.digest = gone.digest)
            DELETE FROM transactions t USING input
            WHERE t.id = input.id AND NOT EXISTS (
              SELECT 1 FROM entries e WHERE e.transaction = t.id AND e.time > input.time AND e.parcel > input.border)
            """

        static func lockForRemoval(_ connection: PostgresConnection) throws(PostgresFailure) {
            try connection.execute("SELECT pg_advisory_xact_lock($1::bigint)", ["\(removalLock)"])
        }

        /// - Parameter numbers: As an array of PostgreSQL.
        private static func removeTransactions(_ numbers: String, _ connection: PostgresConnection) throws(PostgresFailure) {
            try connection.execute(
                """
                WITH gone AS (DELETE FROM entries WHERE transaction = ANY ($1::bigint[]) RETURNING tenant, digest)
                DELETE FROM entry_keys k USING gone WHERE k.tenant = gone.tenant AND k.digest = gone.digest
                """, [numbers])
            try connection.execute("DELETE FROM transactions WHERE id = ANY ($1::bigint[])", [numbers])
        }

        public func remove(receivedBefore time: LogTime, limit: Int) async throws(ArchiveError) -> Int {
            let limit = max(0, limit), end = "\(time.microseconds)"
            let removed: Int = try await pool.run { connection throws(PostgresFailure) in
                try connection.transaction { () throws(PostgresFailure) in
                    try Self.lockForRemoval(connection)
                    let found = try connection.execute(
                        """
                        SELECT id FROM transactions t WHERE received < \(Self.time("$1"))
                          AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.transaction = t.id AND e.received >= \(Self.time("$1")))
                        ORDER BY received LIMIT $2::bigint
                        """, [end, "\(limit)"]
                    ).rows
                    try Self.removeTransactions("{" + found.compactMap { $0[0] }.joined(separator: ",") + "}", connection)
                    let events = try connection.execute(
                        """
                        WITH old AS (SELECT tenant, digest, time FROM log_events WHERE received < \(Self.time("$1"))
                          ORDER BY received LIMIT $2::bigint),
                        gone AS (DELETE FROM log_events l USING old
                          WHERE l.time = old.time AND l.tenant = old.tenant AND l.digest = old.digest
                          RETURNING l.tenant, l.digest)
                        DELETE FROM log_event_keys k USING gone WHERE k.tenant = gone.tenant AND k.digest = gone.digest
                        """, [end, "\(limit - found.count)"]
                    ).count
                    return found.count + events
                }
            }
            if removed < limit {
                // This was the last step: their parcels may be more than they are.
                while try await removeParcels(receivedBefore: end) > 0 {}
                try await pool.run { connection throws(PostgresFailure) in
                    for table in Table.allCases { try Self.dropEmptyDays(before: time, of: table, connection) }
                }
            }
            return removed
        }

        private func removeParcels(receivedBefore end: String) async throws(ArchiveError) -> Int {
            try await pool.run { connection throws(PostgresFailure) in
                try connection.transaction { () throws(PostgresFailure) in
                    try Self.lockForRemoval(connection)
                    return try connection.execute(
                        """
                        DELETE FROM parcels WHERE id IN (SELECT id FROM parcels WHERE received < \(Self.time("$1"))
                          ORDER BY received LIMIT $2::bigint)
                        """, [end, "\(Self.parcelsAtATime)"]
                    ).count
                }
            }
        }
    }
#endif
