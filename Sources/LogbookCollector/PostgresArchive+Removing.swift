#if Collector
    public import LogbookCore
    internal import LogbookTransactions

    extension PostgresArchive {
        /// Names the lock that storing shares and removing has alone: what is removed is not added to at the same time.
        static let removalLock = 0x4C67_6272
        /// Transactions that are looked at together at most.
        private static let transactionsAtATime = 500
        /// Rows that are deleted in one transaction of the database at most, so that senders wait only for so many: transactions have any
        /// number of them, and a statement has half a minute.
        private static let rowsAtATime = 2000
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

        /// What a collector that was killed has begun to erase, or one for which the database could not do it. Until it is done it is told,
        /// and tried again.
        func finishErasuresSoon() {
            removal.ask { [weak self] in
                guard let self else { return true }
                do throws(ArchiveError) {
                    try await pool.run(isLong: true, Self.finishErasures)
                    return true
                } catch {
                    reportUnfinished(error)
                    return false
                }
            }
        }

        func reportUnfinished(_ error: ArchiveError) {
            report("what was erased is still to be removed, and that is tried again: \(error)")
        }

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
                guard let removed = try eraseSome(of: erasures, erasure.tenant, connection) else { return UserErasure.Step(last: id) }
                return UserErasure.Step(removed: removed, last: last)
            }
        }

        /// Erases transactions of which a set says that they are of users who were erased.
        func erase(_ erasures: [AdmittedSet.Erasure], of tenant: String) async throws(ArchiveError) {
            for piece in erasures.pieces(of: Self.transactionsAtATime) {
                var isDone = false
                while !isDone {
                    isDone = try await removing { connection throws(PostgresFailure) in
                        try Self.eraseSome(of: piece, tenant, connection) != nil
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

        /// Erases transactions that are of users who were erased, each up to a time, and at last leaves marks by which what comes late is
        /// known; those that are known to be somebody else's stay. Nobody else may store at the same time.
        /// - Returns: Transactions of which nothing is left; nil where this was not all of it, and the same is to be called again.
        private static func eraseSome(
            of erasures: some Collection<AdmittedSet.Erasure>, _ tenant: String, _ connection: PostgresConnection
        ) throws(PostgresFailure) -> Int? {
            let parameters = [tenant, rows(of: erasures, tenant)]
            for (table, rows) in [(Table.log_events, eventsToErase), (.entries, entriesToErase)] {
                if try delete(rowsAtATime, of: table, rows, parameters, connection) >= rowsAtATime { return nil }
            }
            return try connection.execute(endErasures, parameters).count
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
        private static let standingErasures = """
            SELECT r.guid, mark, \(time("us")) AS time, border, t.id
            FROM jsonb_to_recordset($2::jsonb) AS r (guid text, mark text, user_id text, us bigint, border bigint)
              LEFT JOIN transactions t ON t.tenant = $1 AND t.guid = r.guid
            WHERE COALESCE(t.user_id, r.user_id) = r.user_id
            """

        private static let isErased = "(r.time <= input.time OR r.parcel <= input.border)"
        private static let eventsToErase = rows(
            of: .log_events, "r.tenant = $1 AND r.transaction_guid = input.guid AND \(isErased)", forEach: standingErasures)
        private static let entriesToErase = rows(of: .entries, "r.transaction = input.id AND \(isErased)", forEach: standingErasures)

        /// `$1` numbers of transactions, as an array of PostgreSQL, `$2` a time.
        private static let oldEntries = rows(
            of: .entries, "r.transaction = input.id AND r.received < \(time("$2"))", forEach: "SELECT unnest($1::bigint[]) AS id")

        /// `$1` a time.
        private static let oldEvents = "SELECT tableoid, ctid, time FROM log_events WHERE received < \(time("$1")) ORDER BY received"

        /// What ``delete(_:of:_:_:_:)`` takes. For each row of a query apart: so an index leads to its rows, however many are expected.
        private static func rows(of table: Table, _ condition: String, forEach input: String) -> String {
            """
            SELECT found.* FROM (\(input)) AS input CROSS JOIN LATERAL (
              SELECT tableoid, ctid, time FROM \(table.rawValue) r WHERE \(condition) LIMIT \(rowsAtATime)) AS found
            """
        }

        /// Of what is erased all rows are gone. `$1` tenant, `$2` rows.
        private static let endErasures = """
            WITH input AS (\(standingErasures)),
            marked AS (
              INSERT INTO erased AS e (mark, time) SELECT mark, time FROM input
              ON CONFLICT (mark) DO UPDATE SET time = greatest(e.time, excluded.time))
            DELETE FROM transactions t USING input
            WHERE t.id = input.id AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.transaction = t.id)
            """

        /// Deletes rows of a partitioned table with their keys.
        /// - Parameter rows: A query of their `tableoid`, `ctid` and `time`. By these they are found again: a join would read whole tables.
        /// - Returns: How many it has deleted; fewer than `limit` when these were all.
        private static func delete(
            _ limit: Int, of table: Table, _ rows: String, _ parameters: [String?], _ connection: PostgresConnection
        ) throws(PostgresFailure) -> Int {
            let places = try connection.execute(
                "SELECT tableoid, array_agg(ctid), min(time), max(time) FROM (\(rows) LIMIT \(limit)) AS found GROUP BY tableoid", parameters
            ).rows
            var deleted = 0
            for place in places {
                // For its times no other partition is looked at.
                let found = try connection.execute(
                    """
                    WITH gone AS (
                      DELETE FROM \(table.rawValue) WHERE tableoid = $1::oid AND ctid = ANY ($2::tid[])
                        AND time BETWEEN $3::timestamptz AND $4::timestamptz RETURNING tenant, digest),
                    keys AS (DELETE FROM \(table.keys) k USING gone WHERE k.tenant = gone.tenant AND k.digest = gone.digest)
                    SELECT count(*) FROM gone
                    """, place
                ).rows
                deleted += Int(number(found) ?? 0)
            }
            return deleted
        }

        /// Does something in a transaction of the database while nobody stores.
        private func removing<Result: Sendable>(
            _ body: @escaping @Sendable (PostgresConnection) throws(PostgresFailure) -> Result
        ) async throws(ArchiveError) -> Result {
            try await pool.run { connection throws(PostgresFailure) in
                try connection.transaction { () throws(PostgresFailure) in
                    try Self.lockForRemoval(connection)
                    return try body(connection)
                }
            }
        }

        static func lockForRemoval(_ connection: PostgresConnection) throws(PostgresFailure) {
            try connection.execute("SELECT pg_advisory_xact_lock($1::bigint)", ["\(removalLock)"])
        }

        public func remove(receivedBefore time: LogTime, limit: Int) async throws(ArchiveError) -> Int {
            let limit = max(0, limit), end = "\(time.microseconds)"
            var removed = try await removeTransactions(receivedBefore: end, limit: limit)
            removed += try await removeLogEvents(receivedBefore: end, limit: limit - removed)
            if removed < limit {
                // This was the last step: their parcels may be more than they are.
                while try await removeParcels(receivedBefore: end) > 0 {}
                try await pool.run { connection throws(PostgresFailure) in
                    for table in Table.allCases { try Self.dropEmptyDays(before: time, of: table, connection) }
                }
            }
            return removed
        }

        /// Transactions of which nothing is young, and where the next ones begin.
        private struct OldTransactions: Sendable {
            /// As an array of PostgreSQL.
            var ids = "{}"
            /// The time of reception in microseconds since 1970, and the number, of the last one that was looked at.
            var last: [String?]
        }

        private func removeTransactions(receivedBefore end: String, limit: Int) async throws(ArchiveError) -> Int {
            var removed = 0
            var last: [String?] = ["\(LogTime.distantPast.microseconds)", "0"]
            while removed < limit {
                let count = min(limit - removed, Self.transactionsAtATime)
                let old = try await pool.run(isLong: true) { [last] connection throws(PostgresFailure) in
                    try Self.oldTransactions(count, receivedBefore: end, after: last, connection)
                }
                guard let old else { break }
                last = old.last
                // Who stores has a turn between. What has come since they were looked at stays, and the transaction with it.
                var deleted = 0
                repeat {
                    deleted = try await removing { connection throws(PostgresFailure) in
                        try Self.delete(Self.rowsAtATime, of: .entries, Self.oldEntries, [old.ids, end], connection)
                    }
                } while deleted >= Self.rowsAtATime
                removed += try await removing { connection throws(PostgresFailure) in
                    try connection.execute(
                        """
                        DELETE FROM transactions t WHERE id = ANY ($1::bigint[])
                          AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.transaction = t.id)
                        """, [old.ids]
                    ).count
                }
            }
            return removed
        }

        /// Looks at transactions until they have as many entries as are deleted at a time: each entry of one may be young.
        /// - Returns: Nil when there was none left.
        private static func oldTransactions(
            _ limit: Int, receivedBefore end: String, after last: [String?], _ connection: PostgresConnection
        ) throws(PostgresFailure) -> OldTransactions? {
            let found = try connection.execute(
                """
                WITH found AS (
                  SELECT id, received FROM transactions
                  WHERE received < \(time("$1")) AND (received, id) > (\(time("$2")), $3::bigint)
                  ORDER BY received, id LIMIT \(limit)),
                counted AS (
                  SELECT id, received, sum(entries) OVER (ORDER BY received, id) - entries AS before FROM found CROSS JOIN LATERAL (
                    SELECT count(*) AS entries FROM (SELECT 1 FROM entries WHERE transaction = found.id LIMIT \(rowsAtATime)) AS few
                  ) AS counts)
                SELECT id, \(microseconds("received")),
                  EXISTS (SELECT 1 FROM entries e WHERE e.transaction = t.id AND e.received >= \(time("$1")))
                FROM counted t WHERE before < \(rowsAtATime) ORDER BY received, id
                """, [end] + last
            ).rows
            guard let row = found.last else { return nil }
            let ids = found.filter { $0[2] == "f" }.compactMap { $0[0] }
            return OldTransactions(ids: "{\(ids.joined(separator: ","))}", last: [row[1], row[0]])
        }

        private func removeLogEvents(receivedBefore end: String, limit: Int) async throws(ArchiveError) -> Int {
            var removed = 0
            while removed < limit {
                let count = min(limit - removed, Self.rowsAtATime)
                let deleted = try await removing { connection throws(PostgresFailure) in
                    try Self.delete(count, of: .log_events, Self.oldEvents, [end], connection)
                }
                removed += deleted
                if deleted < count { break }
            }
            return removed
        }

        private func removeParcels(receivedBefore end: String) async throws(ArchiveError) -> Int {
            try await removing { connection throws(PostgresFailure) in
                try connection.execute(
                    """
                    DELETE FROM parcels WHERE id IN (SELECT id FROM parcels WHERE received < \(Self.time("$1"))
                      ORDER BY received LIMIT $2::bigint)
                    """, [end, "\(Self.parcelsAtATime)"]
                ).count
            }
        }
    }
#endif
