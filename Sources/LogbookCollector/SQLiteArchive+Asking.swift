#if Collector
    internal import GRDB
    internal import LogbookCore
    public import LogbookTransactions

    extension SQLiteArchive {
        private static let columns = """
            t.id, t.guid, t.received, t.usecase, t.user, t.variant, t.app_version, t.session, t.installation, t.device_make,
            t.device_os, t.device_os_version
            """

        public func transaction(_ id: String, tenant: String, largest: Int) async throws(ArchiveError) -> TransactionRecord? {
            try await read { database in
                let row = try Row.fetchOne(
                    database, sql: "SELECT \(Self.columns) FROM transactions t WHERE t.tenant = ? AND t.guid = ?",
                    arguments: [tenant, id.deliverableID])
                return try row.flatMap { try Self.record($0, database, in: PageRoom(limit: 1), largest: largest)?.record }
            }
        }

        /// Transactions that are looked at together at most: as long as one reads, the write-ahead log does not begin anew.
        static let searchedAtATime = 2000

        public func transactions(_ query: TransactionQuery) async throws(ArchiveError) -> TransactionPage {
            var search = Search(query)
            while !search.isOver {
                // Who is cancelled does not come to the next part.
                search = try await read { [search] database in
                    var search = search
                    try search.goOn(database)
                    return search
                }
            }
            return search.page
        }

        /// A search for the transactions that a query names, some transactions at a time. What belongs to one is read in one go.
        struct Search: Sendable {
            private var query: TransactionQuery
            private var room: PageRoom
            private var last: TransactionCursor?
            private(set) var page = TransactionPage()
            private(set) var isOver = false

            init(_ query: TransactionQuery) {
                self.query = query
                room = PageRoom(limit: query.limit)
            }

            /// Looks at the next transactions.
            mutating func goOn(_ database: Database) throws {
                let part = try Part(of: query, database)
                let (conditions, arguments) = SQLiteArchive.conditions(of: query, upTo: part.border)
                let rows = try Row.fetchCursor(
                    database,
                    sql: """
                        SELECT \(SQLiteArchive.columns) FROM transactions t INDEXED BY \(part.index)
                        WHERE \(conditions.joined(separator: " AND ")) ORDER BY t.received, t.guid LIMIT ?
                        """, arguments: StatementArguments(arguments + [query.limit + 1]))
                while let row = try rows.next() {
                    let place = TransactionCursor(received: LogTime(microseconds: row[2]), id: row[1])
                    guard let (record, weight) = try SQLiteArchive.record(row, database, in: room, largest: query.largest, at: place)
                    else {
                        page.next = last
                        isOver = true
                        return
                    }
                    room.take(weight)
                    page.transactions.append(record)
                    page.received.append(place.received)
                    last = place
                }
                query.cursor = part.border
                isOver = part.border == nil
            }
        }

        /// The transactions that are looked at next.
        private struct Part {
            /// By what they are found. Left to itself SQLite goes through all of the tenant's behind a cursor for those of one user.
            let index: String
            /// The last of them; nil where they are all that is left.
            let border: TransactionCursor?

            init(of query: TransactionQuery, _ database: Database) throws {
                let isOfFew = try Self.isOfFew(query, database)
                index = isOfFew ? "transactions_of_users" : "transactions_in_order"
                border = try isOfFew ? nil : Self.border(of: query, database)
            }

            /// Whether it asks for a user who has so few that they are looked at together.
            private static func isOfFew(_ query: TransactionQuery, _ database: Database) throws -> Bool {
                guard let user = query.user else { return false }
                let count = try Int.fetchOne(
                    database.cachedStatement(
                        sql: "SELECT count(*) FROM (SELECT 1 FROM transactions WHERE tenant = ? AND user = ? LIMIT ?)"),
                    arguments: [query.tenant, user.storable, SQLiteArchive.searchedAtATime + 1])
                return count ?? 0 <= SQLiteArchive.searchedAtATime
            }

            private static func border(of query: TransactionQuery, _ database: Database) throws -> TransactionCursor? {
                let all = TransactionQuery(tenant: query.tenant, cursor: query.cursor)
                let (conditions, arguments) = SQLiteArchive.conditions(of: all)
                let row = try Row.fetchOne(
                    database,
                    sql: """
                        SELECT t.received, t.guid FROM transactions t INDEXED BY transactions_in_order
                        WHERE \(conditions.joined(separator: " AND ")) ORDER BY t.received, t.guid LIMIT 1 OFFSET ?
                        """, arguments: StatementArguments(arguments + [SQLiteArchive.searchedAtATime - 1]))
                return row.map { TransactionCursor(received: LogTime(microseconds: $0[0]), id: $0[1]) }
            }
        }

        /// The query's conditions, with a question mark for everything that it says.
        /// - Parameter border: What stands behind it is not asked for.
        private static func conditions(
            of query: TransactionQuery, upTo border: TransactionCursor? = nil
        ) -> ([String], [(any DatabaseValueConvertible)?]) {
            var conditions = ["t.tenant = ?"], arguments: [(any DatabaseValueConvertible)?] = [query.tenant]
            if let usecase = query.usecase {
                conditions.append("t.usecase = ?")
                arguments.append(usecase)
            }
            if let user = query.user {
                conditions.append("t.user = ?")
                arguments.append(user.storable)
            }
            if let cursor = query.cursor {
                conditions.append("(t.received, t.guid) > (?, ?)")
                arguments += [cursor.received.microseconds, cursor.id.storable]
            }
            if let border {
                conditions.append("(t.received, t.guid) <= (?, ?)")
                arguments += [border.received.microseconds, border.id]
            }
            var ofEntry: [String] = []
            if let from = query.from {
                ofEntry.append("e.time >= ?")
                arguments.append(from.microseconds)
            }
            if let to = query.to {
                ofEntry.append("e.time < ?")
                arguments.append(to.microseconds)
            }
            switch query.error {
            case nil: break
            case .any?: ofEntry.append("(e.error_code IS NOT NULL OR e.error_description IS NOT NULL)")
            case .code(let code)?:
                ofEntry.append("e.error_code = ?")
                arguments.append(code)
            case .text(let text)?:
                ofEntry.append("instr(e.error_description, ?) > 0")
                arguments.append(text.storable)
            }
            if !ofEntry.isEmpty {
                conditions.append(
                    "EXISTS (SELECT 1 FROM entries e WHERE e.transaction_id = t.id AND \(ofEntry.joined(separator: " AND ")))")
            }
            return (conditions, arguments)
        }

        /// The transaction of a row with its entries, which are read no further than there is room for.
        /// - Parameter place: Of the transaction; nil where it was asked for alone.
        /// - Returns: Nil where there is not room for all of it.
        /// - Throws: ``ArchiveError/transactionTooLarge(id:next:)`` where there would be on no page.
        private static func record(
            _ row: Row, _ database: Database, in room: PageRoom, largest: Int, at place: TransactionCursor? = nil
        ) throws -> (record: TransactionRecord, weight: PageWeight)? {
            var record = TransactionRecord(
                id: row[1], usecase: row[3], deviceMake: row[9], deviceOS: row[10], deviceOSVersion: row[11], user: row[4],
                variant: row[5], appVersion: row[6], session: row[7], installation: row[8])
            var weight = PageWeight(headOf: record)
            guard room.holds(weight) else { return nil }
            let rows = try Row.fetchCursor(
                database.cachedStatement(
                    sql: """
                        SELECT event, error_code, error_description, time, key, offset, own_device_make, own_device_os,
                          own_device_os_version
                        FROM entries WHERE transaction_id = ? ORDER BY time, parcel, ordinal
                        """), arguments: [row[0] as Int64])
            while let row = try rows.next() {
                let entry = EntryRecord(
                    event: row[0], errorCode: row[1], errorDescription: row[2], time: LogTime(microseconds: row[3]),
                    key: EntryKey(row[4] as String), offset: row[5],
                    device: DeviceFacts.known(make: row[6], os: row[7], osVersion: row[8]))
                weight.add(entry)
                guard room.holds(weight) else { return nil }
                if room.isEmpty, weight.isTooMuch(for: largest) { throw ArchiveError.transactionTooLarge(id: record.id, next: place) }
                record.entries.append(entry)
            }
            return (record, weight)
        }

        public func bytesSent(on day: Int64) async throws(ArchiveError) -> [String: Int] {
            try await readInTurn { database in
                let rows = try Row.fetchAll(database, sql: "SELECT tenant, bytes FROM bytes_sent WHERE day = ?", arguments: [day])
                return Dictionary(rows.map { ($0[0] as String, $0[1] as Int) }) { first, _ in first }
            }
        }

        /// How a tenant's rows are counted, by table: each of these reads indexes alone, and no text.
        static let counting = [
            "transactions": "SELECT count(*) FROM transactions WHERE tenant = ?",
            "entries": "SELECT count(*) FROM transactions t CROSS JOIN entries e ON e.transaction_id = t.id WHERE t.tenant = ?",
            "log_events": "SELECT count(*) FROM log_events WHERE tenant = ?",
            "parcels": "SELECT count(*) FROM parcels WHERE tenant = ?",
        ]

        public func counts(tenant: String?) async throws(ArchiveError) -> ArchiveCounts {
            // Each for itself: as long as one reads, the write-ahead log does not begin anew.
            func count(_ table: String) async throws(ArchiveError) -> Int {
                try await read { database in
                    guard let tenant else { return try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0 }
                    return try Int.fetchOne(database, sql: Self.counting[table] ?? "", arguments: [tenant]) ?? 0
                }
            }
            return ArchiveCounts(
                transactions: try await count("transactions"), entries: try await count("entries"),
                logEvents: try await count("log_events"), parcels: try await count("parcels"))
        }
    }
#endif
