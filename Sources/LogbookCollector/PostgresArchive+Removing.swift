#if Collector
    public import LogbookCore
    internal import LogbookTransactions

    extension PostgresArchive {
        /// Names the lock that storing shares and removing has alone: what is removed is not added to at the same time.
        static let removalLock = 0x4C67_6272
        /// Transactions that are looked at together at most.
        private static let transactionsAtATime = 200
        /// Rows that are deleted in one transaction of the database at most, so that senders wait only for so many: transactions have any
        /// number of them, and a statement has half a minute.
        private static let rowsAtATime = 2000
        /// The same for rows that name parcels.
        private static let parcelsAtATime = 1000

        /// What was erased is gone from every answer when this returns. PostgreSQL frees its place on the medium with the next
        /// `VACUUM` (its own, or yours), and the write-ahead log and backups keep it as long as they are kept. Where it fails half way the
        /// rest is tried again every minute, also when nobody asks for it again.
        public func erase(user: String, tenant: String, at time: LogTime) async throws(ArchiveError) -> Int {
            if user.isEmpty { return 0 }
            let user = user.storable
            let erasure: UserErasure = try await pool.run { connection throws(PostgresFailure) in
                try Self.removing(connection) { () throws(PostgresFailure) -> UserErasure in
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
            do throws(ArchiveError) {
                while true {
                    let step = try await pool.run(isLong: true) { [last] connection throws(PostgresFailure) in
                        try Self.eraseSome(of: erasure, after: last, connection)
                    }
                    guard let step else { return removed }
                    removed += step.removed
                    last = step.last
                }
            } catch {
                finishErasuresSoon()
                throw error
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
            let noted = try connection.execute(
                "SELECT tenant, guid, user_id, \(microseconds("time")) FROM transaction_erasures"
            ).rows
            for (tenant, rows) in Dictionary(grouping: noted, by: { $0[0] ?? "" }) {
                for piece in rows.pieces(of: transactionsAtATime) {
                    let erasures = piece.map { row in
                        AdmittedSet.Erasure(
                            transaction: row[1] ?? "", user: row[2] ?? "",
                            end: row[3].flatMap { Int64($0) }.map { LogTime(microseconds: $0) } ?? .distantPast)
                    }
                    try remove(erasures, of: tenant, connection)
                }
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
            var last: Int64?
            let found = try removing(connection) { () throws(PostgresFailure) -> [AdmittedSet.Erasure] in
                // With what has come since.
                let found = try connection.execute(
                    """
                    SELECT guid, id FROM transactions WHERE tenant = $1 AND user_id = $2 AND id > $3::bigint
                    ORDER BY id LIMIT \(transactionsAtATime)
                    """, [erasure.tenant, erasure.user, "\(id)"]
                ).rows
                let erasures = found.map { row in
                    AdmittedSet.Erasure(transaction: row[0] ?? "", user: erasure.user, end: erasure.end, border: erasure.border)
                }
                if found.isEmpty {
                    // Not one that was asked for since.
                    try connection.execute(
                        "DELETE FROM erasures WHERE tenant = $1 AND user_id = $2 AND coalesce(border, 0) <= $3::bigint",
                        [erasure.tenant, erasure.user, "\(erasure.border)"])
                } else {
                    try connection.execute(markErasures, [erasure.tenant, rows(of: erasures, erasure.tenant)])
                }
                last = found.last?[1].flatMap { Int64($0) }
                return erasures
            }
            guard let last else { return nil }
            return UserErasure.Step(removed: try remove(found, of: erasure.tenant, forGoodAfter: erasure.end, connection), last: last)
        }

        /// Erases transactions of which a set says that they are of users who were erased.
        func erase(_ erasures: [AdmittedSet.Erasure], of tenant: String) async throws(ArchiveError) {
            for piece in erasures.pieces(of: Self.transactionsAtATime) {
                do throws(ArchiveError) {
                    try await pool.run { connection throws(PostgresFailure) in
                        let erasures = Array(piece), parameters = [tenant, Self.rows(of: erasures, tenant)]
                        // Of what is marked nobody finds again that it is to be removed.
                        try Self.removing(connection) { () throws(PostgresFailure) in
                            try connection.execute(Self.noteErasures, parameters)
                            try connection.execute(Self.markErasures, parameters)
                        }
                        try Self.remove(erasures, of: tenant, connection)
                    }
                } catch {
                    finishErasuresSoon()
                    throw error
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

        /// Removes what is to go of transactions that are marked, and those of which nothing is left; those that are known to be somebody
        /// else's stay. All of it is looked for while others store, who wait for so many rows at a time.
        /// - Parameter end: Where everything is erased up to this time, a transaction of which nothing later has come is marked for good.
        ///   Nil: none is.
        /// - Returns: Transactions of which nothing is left.
        @discardableResult
        private static func remove(
            _ erasures: [AdmittedSet.Erasure], of tenant: String, forGoodAfter end: LogTime? = nil, _ connection: PostgresConnection
        ) throws(PostgresFailure) -> Int {
            let parameters = [tenant, rows(of: erasures, tenant)]
            let span = try connection.execute(
                "SELECT min(first_entry), max(last_entry) FROM (\(standingErasures)) AS input WHERE entries > 0", parameters
            ).rows[0]
            try delete(of: .log_events, in: windows(of: .log_events, connection), eventsToErase, parameters, connection)
            try delete(
                of: .entries, in: windows(of: .entries, from: span[0], to: span[1], connection), entriesToErase, parameters, connection)
            return try removing(connection) { () throws(PostgresFailure) in
                if let end { try connection.execute(markForGood, parameters + [end.postgresText]) }
                try connection.execute(forgetErasures, parameters)
                return try connection.execute(removeErased, parameters).count
            }
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
            SELECT r.guid, r.user_id, mark, \(time("us")) AS time, border, t.id, t.entries, t.first_entry, t.last_entry
            FROM jsonb_to_recordset($2::jsonb) AS r (guid text, mark text, user_id text, us bigint, border bigint)
              LEFT JOIN transactions t ON t.tenant = $1 AND t.guid = r.guid
            WHERE COALESCE(t.user_id, r.user_id) = r.user_id
            """

        private static let isErased = "(r.time <= input.time OR r.parcel <= input.border)"
        private static let eventsToErase = rows(
            of: .log_events, "r.tenant = $1 AND r.transaction_guid = input.guid AND \(isErased)", forEach: standingErasures)
        private static let entriesToErase = rows(
            of: .entries, "r.transaction = input.id AND \(isInSpan) AND \(isErased)", forEach: standingErasures)

        /// `$1` numbers of transactions, as an array of PostgreSQL, `$2` a time.
        private static let oldEntries = rows(
            of: .entries, "r.transaction = input.id AND \(isInSpan) AND r.received < \(time("$2"))",
            forEach: "SELECT id, first_entry, last_entry FROM transactions WHERE id = ANY ($1::bigint[])")

        /// `$1` a time, `$2` how many at most.
        private static let oldEvents = """
            SELECT tableoid, ctid, time FROM log_events r WHERE received < \(time("$1")) AND \(isInWindow)
            ORDER BY received LIMIT $2::bigint
            """

        private static let isInWindow = "r.time >= $3::timestamptz AND r.time < $4::timestamptz"
        /// So no partition is looked at in which the transaction has nothing.
        private static let isInSpan = "r.time BETWEEN input.first_entry AND input.last_entry"

        /// What ``delete(_:of:in:_:_:_:)`` takes. For each row of a query apart: so an index leads to its rows, however many are expected.
        private static func rows(of table: Table, _ condition: String, forEach input: String) -> String {
            """
            SELECT found.* FROM (\(input)) AS input CROSS JOIN LATERAL (
              SELECT tableoid, ctid, time FROM \(table.rawValue) r WHERE \(condition) AND \(isInWindow) LIMIT \(rowsAtATime)) AS found
            """
        }

        /// Up to when they are erased. `$1` tenant, `$2` rows.
        private static let markErasures = """
            INSERT INTO erased AS e (mark, time) SELECT mark, time FROM (\(standingErasures)) AS input
            ON CONFLICT (mark) DO UPDATE SET time = greatest(e.time, excluded.time)
            """

        /// What is finished by whoever comes next. `$1` tenant, `$2` rows.
        private static let noteErasures = """
            INSERT INTO transaction_erasures AS e (tenant, guid, user_id, time)
            SELECT $1, guid, user_id, time FROM (\(standingErasures)) AS input
            ON CONFLICT (tenant, guid, user_id) DO UPDATE SET time = greatest(e.time, excluded.time)
            """

        /// `$1` tenant, `$2` rows.
        private static let forgetErasures = """
            DELETE FROM transaction_erasures e USING jsonb_to_recordset($2::jsonb) AS r (guid text, user_id text, us bigint)
            WHERE e.tenant = $1 AND e.guid = r.guid AND e.user_id = r.user_id AND e.time <= \(time("us"))
            """

        /// Of what is erased all rows are gone: what is there has come since. `$1` tenant, `$2` rows, `$3` a time.
        private static let markForGood = """
            INSERT INTO erased AS e (mark, time) SELECT mark, \(time("\(LogTime.distantFuture.microseconds)"))
            FROM (\(standingErasures)) AS input LEFT JOIN LATERAL (
              SELECT true AS found FROM log_events l WHERE l.tenant = $1 AND l.transaction_guid = input.guid
                AND l.time > $3::timestamptz AND l.parcel > input.border LIMIT 1) AS later ON true
            WHERE later.found IS NULL AND entries = 0
            ON CONFLICT (mark) DO UPDATE SET time = greatest(e.time, excluded.time)
            """

        /// `$1` tenant, `$2` rows.
        private static let removeErased =
            "DELETE FROM transactions t USING (\(standingErasures)) AS input WHERE t.id = input.id AND t.entries = 0"

        /// Deletes rows of a partitioned table with their keys, some at a time. In each window they are looked for before who stores has to
        /// wait.
        /// - Parameter rows: As below; its parameters `$3` and `$4` are the window's bounds.
        @discardableResult
        private static func delete(
            _ limit: Int = .max, of table: Table, in windows: [Window], _ rows: String, _ parameters: [String?],
            _ connection: PostgresConnection
        ) throws(PostgresFailure) -> Int {
            var deleted = 0
            for window in windows {
                let parameters = parameters + [window.start, window.end]
                if try connection.execute("SELECT 1 FROM (\(rows)) AS found LIMIT 1", parameters).rows.isEmpty { continue }
                while deleted < limit {
                    let count = min(limit - deleted, rowsAtATime)
                    let found = try removing(connection) { () throws(PostgresFailure) in
                        try delete(count, of: table, rows, parameters, connection)
                    }
                    deleted += found
                    if found < count { break }
                }
                if deleted == limit { break }
            }
            return deleted
        }

        /// Deletes rows of a partitioned table with their keys.
        /// - Parameter rows: A query of their `tableoid`, `ctid` and `time`. By these they are found again: a join would read whole tables.
        /// - Returns: How many it has deleted; fewer than `limit` when these were all.
        private static func delete(
            _ limit: Int, of table: Table, _ rows: String, _ parameters: [String?], _ connection: PostgresConnection
        ) throws(PostgresFailure) -> Int {
            let places = try connection.execute(
                """
                SELECT tableoid, array_agg(ctid), min(time), max(time)
                FROM (SELECT * FROM (\(rows)) AS few LIMIT \(limit)) AS found GROUP BY tableoid
                """, parameters
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
        private static func removing<Result>(
            _ connection: PostgresConnection, _ body: () throws(PostgresFailure) -> Result
        ) throws(PostgresFailure) -> Result {
            try connection.transaction { () throws(PostgresFailure) in
                try lockForRemoval(connection)
                return try body()
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

        /// Transactions of which nothing is young, perhaps none of those that were looked at, and where the next ones begin.
        private struct OldTransactions: Sendable {
            /// As an array of PostgreSQL.
            var ids: String
            /// The first and the last time of their entries.
            var span: [String?]
            /// The time of reception in microseconds since 1970, and the number, of the last one.
            var last: [String?]
        }

        private struct RemovalStep: Sendable {
            let removed: Int
            let last: [String?]
        }

        private func removeTransactions(receivedBefore end: String, limit: Int) async throws(ArchiveError) -> Int {
            var removed = 0
            var last: [String?] = ["\(LogTime.distantPast.microseconds)", "0"]
            while removed < limit {
                let count = min(limit - removed, Self.transactionsAtATime)
                let step = try await pool.run(isLong: true) { [last] connection throws(PostgresFailure) -> RemovalStep? in
                    guard let old = try Self.oldTransactions(count, receivedBefore: end, after: last, connection) else { return nil }
                    if old.ids == "{}" { return RemovalStep(removed: 0, last: old.last) }
                    // What has come since they were looked at stays, and the transaction with it. Log events are not looked at again: in
                    // one transaction of the database that would lock the partitions of all days.
                    let windows = try Self.windows(of: .entries, from: old.span[0], to: old.span[1], connection)
                    try Self.delete(of: .entries, in: windows, Self.oldEntries, [old.ids, end], connection)
                    let removed = try Self.removing(connection) { () throws(PostgresFailure) in
                        try connection.execute("DELETE FROM transactions WHERE id = ANY ($1::bigint[]) AND entries = 0", [old.ids]).count
                    }
                    return RemovalStep(removed: removed, last: old.last)
                }
                guard let step else { break }
                removed += step.removed
                last = step.last
            }
            return removed
        }

        /// - Returns: Nil when there was none left.
        private static func oldTransactions(
            _ limit: Int, receivedBefore end: String, after last: [String?], _ connection: PostgresConnection
        ) throws(PostgresFailure) -> OldTransactions? {
            let found = try connection.execute(
                """
                SELECT id, \(microseconds("received")), min(first_entry) OVER (), max(last_entry) OVER () FROM (
                  SELECT id, received, first_entry, last_entry FROM transactions
                  WHERE received < \(time("$1")) AND entry_received < \(time("$1")) AND (received, id) > (\(time("$2")), $3::bigint)
                  ORDER BY received, id LIMIT \(limit)) AS found
                ORDER BY received, id
                """, [end] + last
            ).rows
            guard let row = found.last else { return nil }
            let ids = found.compactMap { $0[0] }, kept = try numbers(ofThose: ids, namedSince: end, connection)
            let old = ids.filter { !kept.contains($0) }
            return OldTransactions(ids: "{\(old.joined(separator: ","))}", span: [row[2], row[3]], last: [row[1], row[0]])
        }

        /// Of transactions, the numbers of those that a log event names which was received at a time or later: as long as there is one the
        /// transaction stays, since by it an erasure finds what was logged. In each window they are looked for apart.
        private static func numbers(
            ofThose ids: [String], namedSince time: String, _ connection: PostgresConnection
        ) throws(PostgresFailure) -> Set<String> {
            var found: Set<String> = []
            for window in try windows(of: .log_events, connection) {
                let left = ids.filter { !found.contains($0) }
                if left.isEmpty { break }
                // For each transaction apart, and compared as the index is: so it leads to its events, however many are expected.
                let some = try connection.execute(
                    """
                    SELECT t.id FROM transactions t CROSS JOIN LATERAL (
                      SELECT 1 FROM log_events l WHERE l.tenant = t.tenant AND l.transaction_guid = t.guid COLLATE "default"
                        AND l.received >= \(Self.time("$2")) AND l.time >= $3::timestamptz AND l.time < $4::timestamptz LIMIT 1) AS l
                    WHERE t.id = ANY ($1::bigint[])
                    """, ["{\(left.joined(separator: ","))}", time, window.start, window.end]
                ).rows
                found.formUnion(some.compactMap { $0[0] })
            }
            return found
        }

        private func removeLogEvents(receivedBefore end: String, limit: Int) async throws(ArchiveError) -> Int {
            if limit == 0 { return 0 }
            return try await pool.run(isLong: true) { connection throws(PostgresFailure) in
                try Self.delete(
                    limit, of: .log_events, in: try Self.windows(of: .log_events, connection), Self.oldEvents,
                    [end, "\(Self.rowsAtATime)"], connection)
            }
        }

        private func removeParcels(receivedBefore end: String) async throws(ArchiveError) -> Int {
            try await pool.run { connection throws(PostgresFailure) in
                try Self.removing(connection) { () throws(PostgresFailure) in
                    try connection.execute(
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
