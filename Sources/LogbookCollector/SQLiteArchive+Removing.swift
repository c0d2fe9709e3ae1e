#if Collector
    internal import GRDB
    public import LogbookCore
    internal import LogbookTransactions

    extension SQLiteArchive {
        /// Transactions that are looked at in one SQLite transaction at most, so that senders wait only for so many.
        private static let transactionsAtATime = 500
        /// The same for arrivals of log events; those may have no rows any more.
        static let arrivalsAtATime = 1000
        /// The same for rows that name parcels.
        private static let parcelsAtATime = 1000
        /// Rows that are removed in one at most, of transactions and of what they have, which is any number. Only where a set says that a
        /// transaction was somebody's who was erased, all that it has goes in the set's own commit.
        static let rowsAtATime = 2000

        /// What was erased is overwritten (`secure_delete`), the file is written anew, since SQLite leaves copies of rows behind where it
        /// has moved them from page to page, and the write-ahead log is emptied: when this returns, no byte of it is in any of the
        /// archive's files. To write the file takes as long as copying it twice, and as much room: once in SQLite's folder for temporary
        /// files, and once in the write-ahead log, beside the archive. It is done where anything was removed since the last time, and the
        /// first time after the archive was opened. A reader of another process may stand in the way of the rest for as long as it reads:
        /// then this throws, and is to be called again.
        public func erase(user: String, tenant: String, at time: LogTime) async throws(ArchiveError) -> Int {
            if user.isEmpty { return 0 }
            let user = user.storable
            let erasure: UserErasure = try await write { database in
                try Self.mark(ErasureMark.user(user, tenant: tenant), at: time, database)
                try database.execute(
                    sql: """
                        INSERT INTO erasures (tenant, user, border)
                        VALUES (?, ?, ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'parcels'), 0))
                        ON CONFLICT (tenant, user) DO UPDATE SET border = excluded.border
                        """, arguments: [tenant, user])
                return try Self.begunErasure(of: user, tenant, database)
            }
            var removed = 0
            var last: Int64 = 0
            while true {
                let step = try await write { [last, remains] database in
                    let step = try Self.eraseSome(of: erasure, after: last, database)
                    if step != nil { remains.withLock { $0 = true } }
                    return step
                }
                guard let step else { break }
                removed += step.removed
                last = step.last
            }
            rewritings.withLock { $0 += 1 }
            defer { rewritings.withLock { $0 -= 1 } }
            try await writeAnew { [remains] database in
                if remains.withLock({ $0 }) {
                    try database.execute(sql: "VACUUM")
                    remains.withLock { $0 = false }
                }
                try Self.endErasure(erasure, database)
                // All of what was removed may be there, also where that was another time.
                _ = try database.checkpoint(.truncate)
            }
            return removed
        }

        /// What a collector that was killed has begun to erase; says so, since to write the file anew may take minutes. Where there is no
        /// room for that, the archive works all the same, and the next start tries again.
        /// - Returns: Whether the file was written anew, so that nothing is left in it of what was removed.
        static func finishErasures(_ database: Database, path: String) throws -> Bool {
            let erasures = try Row.fetchAll(database, sql: "SELECT tenant, user FROM erasures").map {
                try begunErasure(of: $0[1], $0[0], database)
            }
            var isWrittenAnew = false
            if !erasures.isEmpty {
                let size = try bytes(of: .allPages, database)
                LogDiagnostics.report(
                    "collector",
                    """
                    \(erasures.count) erasures of users were broken off and are finished now: the archive \(path), \(size >> 20) MiB, is \
                    written anew
                    """)
            }
            for erasure in erasures {
                var last: Int64? = 0
                while let before = last {
                    try database.inTransaction(.immediate) {
                        last = try eraseSome(of: erasure, after: before, database)?.last
                        return .commit
                    }
                }
            }
            do {
                if !erasures.isEmpty { try database.execute(sql: "VACUUM") }
                isWrittenAnew = !erasures.isEmpty
                for erasure in erasures { try endErasure(erasure, database) }
            } catch {
                LogDiagnostics.report(
                    "collector",
                    "users are erased, but bytes of that are left in the archive's file; the next start tries again: \(error)")
            }
            // It may hold what was erased just before a kill. Where somebody reads, the next erasure will do it.
            do { _ = try database.checkpoint(.truncate) } catch {
                LogDiagnostics.report("collector", "the archive's write-ahead log could not be emptied: \(error)")
            }
            return isWrittenAnew
        }

        /// What is to go of a user who is marked. Where an earlier version has begun it, parcels say themselves when they came.
        private static func begunErasure(of user: String, _ tenant: String, _ database: Database) throws -> UserErasure {
            let time = try Int64.fetchOne(
                database, sql: "SELECT time FROM erased WHERE mark = ?", arguments: [ErasureMark.user(user, tenant: tenant)])
            let end = time.map { LogTime(microseconds: $0) } ?? .distantPast
            let border = try Int64.fetchOne(
                database,
                sql: """
                    SELECT coalesce(border, (SELECT max(id) FROM parcels WHERE received <= ?)) FROM erasures
                    WHERE tenant = ? AND user = ?
                    """, arguments: [end.microseconds, tenant, user])
            return UserErasure(user: user, tenant: tenant, end: end, border: border ?? 0)
        }

        /// Nothing is left to be done again after a kill, once the file was written anew.
        private static func endErasure(_ erasure: UserErasure, _ database: Database) throws {
            // Not one that was asked for since.
            try database.execute(
                sql: "DELETE FROM erasures WHERE tenant = ? AND user = ? AND ifnull(border, 0) <= ?",
                arguments: [erasure.tenant, erasure.user, erasure.border])
        }

        /// - Parameter number: Transactions up to it are done.
        /// - Returns: Nil when there was none left. The same number again where the next one has more rows than are removed at a time.
        private static func eraseSome(
            of erasure: UserErasure, after number: Int64, _ database: Database
        ) throws -> UserErasure.Step? {
            let found = try Row.fetchAll(
                database,
                sql: """
                    SELECT id, guid FROM transactions WHERE tenant = ? AND user = ? AND id > ?
                    ORDER BY id LIMIT \(transactionsAtATime)
                    """, arguments: [erasure.tenant, erasure.user, number])
            if found.isEmpty { return nil }
            var step = UserErasure.Step(last: number), room = rowsAtATime
            for row in found {
                let id: Int64 = row[0], guid: String = row[1]
                // First: to remove all of it may take several steps, and by the mark it is known what comes late meanwhile.
                try mark(ErasureMark.transaction(guid, tenant: erasure.tenant), at: erasure.end, database)
                if try !clear(guid, of: erasure.tenant, upTo: erasure.end, border: erasure.border, room: &room, database) { return step }
                let isNew = try Bool.fetchOne(
                    database.cachedStatement(
                        sql: """
                            SELECT EXISTS (SELECT 1 FROM entries WHERE transaction_id = ?)
                              OR EXISTS (SELECT 1 FROM log_events WHERE tenant = ? AND transaction_guid = ?)
                            """), arguments: [id, erasure.tenant, guid])
                if isNew != true {
                    // For good only where nothing has come since.
                    try mark(ErasureMark.transaction(guid, tenant: erasure.tenant), at: .distantFuture, database)
                    step.removed += 1
                }
                step.last = id
            }
            return step
        }

        /// Some of the log events and entries that ``clear(_:of:upTo:border:room:_:)`` removes.
        private static let clearings = [
            """
            DELETE FROM log_events WHERE id IN (
              SELECT id FROM log_events WHERE tenant = ? AND transaction_guid = ? AND (time <= ? OR parcel <= ?) LIMIT ?)
            """,
            """
            DELETE FROM entries WHERE id IN (
              SELECT id FROM entries
              WHERE transaction_id = (SELECT id FROM transactions WHERE tenant = ? AND guid = ?) AND (time <= ? OR parcel <= ?) LIMIT ?)
            """,
        ]

        /// Removes what a transaction has up to a time, and what came of it in parcels up to a number.
        /// - Parameter room: Rows that may be removed. What was removed is taken off.
        /// - Returns: Whether all of it is gone, as far as that is known.
        @discardableResult
        private static func clear(
            _ guid: String, of tenant: String, upTo end: LogTime, border: Int64 = 0, room: inout Int, _ database: Database
        ) throws -> Bool {
            for statement in clearings {
                try database.cachedStatement(sql: statement).execute(arguments: [tenant, guid, end.microseconds, border, room])
                room -= database.changesCount
                if room == 0 { return false }   // there may be more of it
            }
            try database.cachedStatement(
                sql: """
                    DELETE FROM transactions
                    WHERE tenant = ? AND guid = ? AND NOT EXISTS (SELECT 1 FROM entries WHERE transaction_id = transactions.id)
                    """
            ).execute(arguments: [tenant, guid])
            room -= database.changesCount
            return true
        }

        /// Erases a transaction that turns out to be of a user who was erased; one that is known to be somebody else's stays. What it
        /// had is overwritten; copies that SQLite has left where it moved rows go with the next erasure of a user.
        /// - Returns: Whether there was anything.
        static func erase(
            _ transaction: TransactionRecord, of tenant: String, upTo end: LogTime, _ database: Database
        ) throws -> Bool {
            let guid = transaction.id.storable
            let isOthers = try Bool.fetchOne(
                database.cachedStatement(
                    sql: "SELECT EXISTS (SELECT 1 FROM transactions WHERE tenant = ? AND guid = ? AND NULLIF(user, '') <> ?)"),
                arguments: [tenant, guid, transaction.user?.storable])
            if isOthers == true { return false }
            // By the mark it is known what comes late.
            try mark(ErasureMark.transaction(guid, tenant: tenant), at: end, database)
            var room = Int.max
            try clear(guid, of: tenant, upTo: end, room: &room, database)
            return room < .max
        }

        private static func mark(_ mark: String, at time: LogTime, _ database: Database) throws {
            try database.cachedStatement(
                sql: "INSERT INTO erased (mark, time) VALUES (?, ?) ON CONFLICT DO UPDATE SET time = max(time, excluded.time)"
            ).execute(arguments: [mark, time.microseconds])
        }

        public func remove(receivedBefore time: LogTime, limit: Int) async throws(ArchiveError) -> Int {
            let limit = max(0, limit)
            var all = try await removeTransactions(receivedBefore: time, limit: limit), isMore = true
            while all < limit, isMore {
                let room = min(limit - all, Self.rowsAtATime)
                let step = try await write { [remains] database in
                    let step = try Self.removeLogEvents(receivedBefore: time, limit: room, database)
                    if step.removed > 0 { remains.withLock { $0 = true } }
                    return step
                }
                (all, isMore) = (all + step.removed, step.isMore)
            }
            // This was the last step: their parcels may be more than they are.
            if all < limit { while try await removeParcels(receivedBefore: time) > 0 {} }
            return all
        }

        /// Where removing goes on among the transactions.
        private struct RemovalPlace: Sendable {
            /// Those up to here are done: when the first part was received, in microseconds since 1970, and the number.
            var received = Int64.min
            var number = Int64.min
            /// One that is old, and has lost some of its entries.
            var begun: Int64?
        }

        private struct RemovalStep: Sendable {
            /// Transactions that are gone.
            var removed = 0
            /// The same with what they had.
            var rows = 0
            /// Nil when nothing was left.
            var next: RemovalPlace?
        }

        private func removeTransactions(receivedBefore time: LogTime, limit: Int) async throws(ArchiveError) -> Int {
            var all = 0, place: RemovalPlace? = RemovalPlace()
            while all < limit, let begin = place {
                let room = limit - all
                let step = try await write { [remains] database in
                    let step = try Self.removeTransactions(receivedBefore: time, limit: room, from: begin, database)
                    if step.rows > 0 { remains.withLock { $0 = true } }
                    return step
                }
                (all, place) = (all + step.removed, step.next)
            }
            return all
        }

        private static func removeTransactions(
            receivedBefore time: LogTime, limit: Int, from begin: RemovalPlace, _ database: Database
        ) throws -> RemovalStep {
            let found = try Row.fetchAll(
                database,
                sql: """
                    SELECT received, id FROM transactions WHERE received < ? AND (received, id) > (?, ?)
                    ORDER BY received, id LIMIT \(transactionsAtATime)
                    """, arguments: [time.microseconds, begin.received, begin.number])
            if found.isEmpty { return RemovalStep() }
            var step = RemovalStep(), place = begin
            for row in found {
                let received: Int64 = row[0], number: Int64 = row[1]
                // What has come since it was looked at stays, and the transaction with it.
                if try number == begin.begun || isOld(number, before: time, database) {
                    step.rows += try removeEntries(of: number, receivedBefore: time, limit: rowsAtATime - step.rows, database)
                    if step.rows == rowsAtATime {   // there may be more of it
                        place.begun = number
                        break
                    }
                    let removed = try removeEmpty(number, before: time, database)
                    step.removed += removed
                    step.rows += removed
                }
                place = RemovalPlace(received: received, number: number)
                if step.removed == limit || step.rows == rowsAtATime { break }
            }
            step.next = place
            return step
        }

        /// The latest log event that names a transaction `t`, where it was received at the time `?1` or later. As long as there is one the
        /// transaction stays: by it an erasure finds what was logged.
        private static let youngEvent = """
            SELECT 1 FROM log_events l WHERE l.tenant = t.tenant AND l.transaction_guid = t.guid AND l.received >= ?1
            ORDER BY l.id DESC LIMIT 1
            """

        /// Whether nothing of a transaction was received at a time or later. One that goes on is known by what is its latest: without an
        /// order all of it would be looked at, each time.
        private static func isOld(_ number: Int64, before time: LogTime, _ database: Database) throws -> Bool {
            try Bool.fetchOne(
                database.cachedStatement(
                    sql: """
                        SELECT (
                          SELECT 1 FROM entries e WHERE e.transaction_id = t.id AND e.received >= ?1 ORDER BY e.time DESC LIMIT 1
                        ) IS NULL AND (\(youngEvent)) IS NULL FROM transactions t WHERE t.id = ?2
                        """), arguments: [time.microseconds, number]) ?? false
        }

        /// - Returns: How many it has removed; fewer than `limit` when these were all.
        private static func removeEntries(
            of number: Int64, receivedBefore time: LogTime, limit: Int, _ database: Database
        ) throws -> Int {
            try database.cachedStatement(
                sql: """
                    DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE transaction_id = ? AND received < ? LIMIT ?)
                    """
            ).execute(arguments: [number, time.microseconds, limit])
            return database.changesCount
        }

        /// Removes a transaction of which nothing is left.
        /// - Returns: 1 where it is gone.
        private static func removeEmpty(_ number: Int64, before time: LogTime, _ database: Database) throws -> Int {
            try database.cachedStatement(
                sql: """
                    DELETE FROM transactions AS t WHERE t.id = ?2
                      AND NOT EXISTS (SELECT 1 FROM entries WHERE transaction_id = t.id) AND (\(youngEvent)) IS NULL
                    """
            ).execute(arguments: [time.microseconds, number])
            return database.changesCount
        }

        /// Arrival by arrival: an index of each row's age would make storing dearer by a fifth.
        /// - Returns: How many it has removed, and whether there may be more.
        private static func removeLogEvents(
            receivedBefore time: LogTime, limit: Int, _ database: Database
        ) throws -> (removed: Int, isMore: Bool) {
            var removed = 0
            for _ in 0..<arrivalsAtATime {
                let arrival = try Row.fetchOne(
                    database.cachedStatement(
                        sql: "SELECT received, first, last FROM log_arrivals WHERE received < ? ORDER BY received LIMIT 1"),
                    arguments: [time.microseconds])
                guard let arrival else { return (removed, false) }
                let (received, first, last): (Int64, Int64, Int64) = (arrival[0], arrival[1], arrival[2])
                // The numbers of rows that were erased may have been given again, to what came later.
                try database.cachedStatement(
                    sql: """
                        DELETE FROM log_events WHERE id IN (
                          SELECT id FROM log_events WHERE id BETWEEN ? AND ? AND received < ? ORDER BY id LIMIT ?)
                        """
                ).execute(arguments: [first, last, time.microseconds, limit - removed])
                removed += database.changesCount
                if removed == limit { break }   // there may be more of it
                try database.cachedStatement(sql: "DELETE FROM log_arrivals WHERE received = ? AND first = ?")
                    .execute(arguments: [received, first])
            }
            return (removed, true)
        }

        private func removeParcels(receivedBefore time: LogTime) async throws(ArchiveError) -> Int {
            try await write { [remains] database in
                try database.execute(
                    sql: "DELETE FROM parcels WHERE id IN (SELECT id FROM parcels WHERE received < ? ORDER BY received LIMIT ?)",
                    arguments: [time.microseconds, Self.parcelsAtATime])
                if database.changesCount > 0 { remains.withLock { $0 = true } }
                return database.changesCount
            }
        }

        /// What of a parcel must not be stored, as long as nothing more is erased.
        struct Erasures {
            private let tenant: String
            private let isEmpty: Bool

            init(of tenant: String, _ database: Database) throws {
                self.tenant = tenant
                isEmpty = try RowStatement("SELECT EXISTS (SELECT 1 FROM erased)", database).integer() == 0
            }

            /// Up to when nothing of the transaction is to be stored, in whole microseconds; nil where it is not marked.
            func end(ofTransaction id: String, _ database: Database) throws -> LogTime? {
                try isEmpty ? nil : time(of: ErasureMark.transaction(id.storable, tenant: tenant), database)
            }

            /// Which of them are to be stored, by their places.
            func kept(of items: [LogBatch.Item], _ database: Database) throws -> [Int] {
                if isEmpty { return Array(items.indices) }
                return try items.indices.filter { index in
                    guard let id = items[index].transactionID else { return true }
                    let erasure = TransactionErasure(ofTransaction: try end(ofTransaction: id, database))
                    return !erasure.covers(items[index].event.time)
                }
            }

            func erasure(of transaction: TransactionRecord, _ database: Database) throws -> TransactionErasure {
                if isEmpty { return TransactionErasure() }
                return TransactionErasure(
                    ofTransaction: try end(ofTransaction: transaction.id, database),
                    ofUser: try transaction.user.flatMap { try time(of: ErasureMark.user($0.storable, tenant: tenant), database) })
            }

            private func time(of mark: String, _ database: Database) throws -> LogTime? {
                try Int64.fetchOne(database.cachedStatement(sql: "SELECT time FROM erased WHERE mark = ?"), arguments: [mark])
                    .map { LogTime(microseconds: $0) }
            }
        }
    }
#endif
