#if Collector
    internal import LogbookCore
    public import LogbookTransactions

    extension PostgresArchive {
        private static let columns = """
            t.id, t.guid, \(microseconds("t.received")), t.usecase, t.user_id, t.variant, t.app_version, t.session, t.installation,
            t.device_make, t.device_os, t.device_os_version, min(t.first_entry) OVER (), max(t.last_entry) OVER ()
            """

        /// What ``PageWeight`` counts of a transaction.
        private static let weight = """
            t.entries, t.entry_bytes + octet_length(concat(t.guid, t.user_id, t.variant, t.app_version, t.session, t.installation,
              t.device_make, t.device_os, t.device_os_version))
            """

        public func transaction(_ id: String, tenant: String, largest: Int) async throws(ArchiveError) -> TransactionRecord? {
            let found: Found<TransactionRecord?> = try await pool.run(isLong: true) { connection throws(PostgresFailure) in
                let rows = try connection.execute(
                    "SELECT \(Self.columns), \(Self.weight) FROM transactions t WHERE t.tenant = $1 AND t.guid = $2",
                    [tenant, id.deliverableID]
                ).rows
                guard let row = rows.first else { return .success(nil) }
                if Self.weight(row.suffix(2)).isTooMuch(for: largest) { return .failure(.transactionTooLarge(id: row[1] ?? "")) }
                return .success(try Self.records([row], connection)[0])
            }
            return try found.get()
        }

        /// What is found, or why it is not given.
        private typealias Found<Value> = Result<Value, ArchiveError>

        /// Transactions that are looked at together at most for what their entries say…
        private static let searchedAtATime = 4000
        /// …and the entries of these, about; one transaction alone may have more. A statement has half a minute.
        private static let searchedEntries = 200_000

        public func transactions(_ query: TransactionQuery) async throws(ArchiveError) -> TransactionPage {
            // Only how large they are: all that are asked for may be more than memory holds.
            let found = try await search(for: query)
            let weights = found.map { Self.weight($0[3...4]) }
            let kept = Array(found.prefix(PageRoom.count(of: weights, limit: query.limit)))
            if let first = kept.first, weights[0].isTooMuch(for: query.largest) {
                throw .transactionTooLarge(id: first[1] ?? "", next: Self.place(of: first))
            }
            let next = kept.count < found.count ? kept.last.map(Self.place) : nil
            return try await pool.run(isLong: true) { connection throws(PostgresFailure) -> TransactionPage in
                let rows = try connection.execute(
                    "SELECT \(Self.columns) FROM transactions t WHERE t.id = ANY ($1::bigint[]) ORDER BY t.received, t.guid",
                    [Self.ids(of: kept)]
                ).rows
                return TransactionPage(
                    transactions: try Self.records(rows, connection), received: rows.map { Self.place(of: $0).received }, next: next)
            }
        }

        /// Part of a search.
        private struct SearchStep: Sendable {
            /// The transactions that were found: their numbers, ids, times of reception in microseconds since 1970, and weights.
            var found: [[String?]]
            /// Where the next part begins; nil where nothing comes behind.
            var next: TransactionCursor?
        }

        /// The transactions that a query names, in order, more than a page has room for where there are so many. What entries say is looked
        /// at for some transactions at a time, between which others may ask: one statement for all of them would lock the partitions of all
        /// days.
        private func search(for query: TransactionQuery) async throws(ArchiveError) -> [[String?]] {
            var query = query, count = query.limit + 1
            var found: [[String?]] = []
            while true {
                let step = try await pool.run(isLong: true) { [query, count] connection throws(PostgresFailure) -> SearchStep in
                    try Self.search(for: query, among: count, connection)
                }
                found += step.found
                let kept = PageRoom.count(of: found.map { Self.weight($0[3...4]) }, limit: query.limit)
                guard let next = step.next, kept == found.count else { return found }
                query.cursor = next
                count = min(4 * count, Self.searchedAtATime)
            }
        }

        /// - Parameter count: Transactions that are looked at, at most.
        private static func search(
            for query: TransactionQuery, among count: Int, _ connection: PostgresConnection
        ) throws(PostgresFailure) -> SearchStep {
            let (conditions, values) = Self.conditions(of: query)
            let rows = try connection.execute(
                """
                SELECT t.id, t.guid, \(microseconds("t.received")), \(Self.weight) FROM transactions t
                WHERE \(conditions.joined(separator: " AND ")) ORDER BY t.received, t.guid LIMIT \(count)
                """, values
            ).rows
            if query.from == nil, query.to == nil, query.error == nil {
                return SearchStep(found: rows, next: rows.count < count ? nil : rows.last.map(place))
            }
            var entries = 0
            let looked = rows.prefix { row in
                defer { entries += integer(row[3]) }
                return entries < searchedEntries
            }
            let named = try numbers(ofThose: looked, withEntriesOf: query, connection)
            return SearchStep(
                found: looked.filter { named.contains($0[0] ?? "") },
                next: looked.count == rows.count && rows.count < count ? nil : looked.last.map(place))
        }

        /// Of transactions, the numbers of those that have an entry as the query asks for. In each window they are looked for apart.
        private static func numbers(
            ofThose rows: ArraySlice<[String?]>, withEntriesOf query: TransactionQuery, _ connection: PostgresConnection
        ) throws(PostgresFailure) -> Set<String> {
            let (conditions, values) = Self.conditions(ofEntriesOf: query)
            let span = try connection.execute(
                """
                SELECT greatest(min(first_entry), $2::timestamptz), least(max(last_entry), $3::timestamptz) FROM transactions
                WHERE id = ANY ($1::bigint[])
                """, [ids(of: rows), query.from?.postgresText, query.to?.postgresText]
            ).rows[0]
            var found: Set<String> = []
            for window in try windows(of: .entries, from: span[0], to: span[1], connection) {
                let left = rows.filter { !found.contains($0[0] ?? "") }
                if left.isEmpty { break }
                // For each transaction apart: so an index leads to its entries, however many are expected.
                let some = try connection.execute(
                    """
                    SELECT t.id FROM transactions t CROSS JOIN LATERAL (
                      SELECT 1 FROM entries e WHERE e.transaction = t.id AND \(isOfItsDays) AND \(conditions.joined(separator: " AND "))
                        AND e.time >= $2::timestamptz AND e.time < $3::timestamptz LIMIT 1) AS e
                    WHERE t.id = ANY ($1::bigint[])
                    """, [ids(of: left), window.start, window.end] + values
                ).rows
                found.formUnion(some.compactMap { $0[0] })
            }
            return found
        }

        /// Where a transaction stands, of the columns that a search gives.
        private static func place(of row: [String?]) -> TransactionCursor {
            TransactionCursor(received: LogTime(microseconds: Int64(integer(row[2]))), id: row[1] ?? "")
        }

        /// What a query says of transactions, and the values of `$1` and so on in it. Of their entries as much as is known of all of them.
        private static func conditions(of query: TransactionQuery) -> ([String], [String?]) {
            var values: [String?] = [query.tenant]
            func value(_ text: String) -> String {
                values.append(text)
                return "$\(values.count)"
            }
            var conditions = ["t.tenant = $1"]
            if let usecase = query.usecase { conditions.append("t.usecase = \(value("\(usecase)"))::bigint") }
            if let user = query.user { conditions.append("t.user_id = \(value(user.storable))") }
            if let cursor = query.cursor {
                let received = time(value("\(cursor.received.microseconds)"))
                conditions.append("(t.received, t.guid) > (\(received), \(value(cursor.id.storable)))")
            }
            if let from = query.from { conditions.append("t.last_entry >= \(value(from.postgresText))::timestamptz") }
            if let to = query.to { conditions.append("t.first_entry < \(value(to.postgresText))::timestamptz") }
            return (conditions, values)
        }

        /// What a query says of one entry, and the values of `$4` and so on in it: before them come the transactions and a window.
        private static func conditions(ofEntriesOf query: TransactionQuery) -> ([String], [String?]) {
            var values: [String?] = []
            func value(_ text: String) -> String {
                values.append(text)
                return "$\(values.count + 3)"
            }
            var conditions: [String] = []
            if let from = query.from { conditions.append("e.time >= \(value(from.postgresText))::timestamptz") }
            if let to = query.to { conditions.append("e.time < \(value(to.postgresText))::timestamptz") }
            switch query.error {
            case nil: break
            case .any?: conditions.append("(e.error_code IS NOT NULL OR e.error_description IS NOT NULL)")
            case .code(let code)?: conditions.append("e.error_code = \(value("\(code)"))::bigint")
            case .text(let text)?: conditions.append("strpos(e.error_description, \(value(text.storable))) > 0")
            }
            return (conditions, values)
        }

        /// The transactions of these rows, with all their entries.
        private static func records(
            _ rows: [[String?]], _ connection: PostgresConnection
        ) throws(PostgresFailure) -> [TransactionRecord] {
            guard let first = rows.first else { return [] }
            var entries: [String: [EntryRecord]] = [:]
            for window in try windows(of: .entries, from: first[12], to: first[13], connection) {
                // For each transaction apart: so only its own days are looked at.
                let found = try connection.execute(
                    """
                    SELECT t.id, event, error_code, error_description, \(microseconds("time")), key, offset_nanoseconds,
                      own_device_make, own_device_os, own_device_os_version
                    FROM transactions t CROSS JOIN LATERAL (
                      SELECT * FROM entries e WHERE e.transaction = t.id AND \(isOfItsDays)
                        AND e.time >= $2::timestamptz AND e.time < $3::timestamptz OFFSET 0) AS e
                    WHERE t.id = ANY ($1::bigint[]) ORDER BY t.id, time, parcel, ordinal
                    """, [ids(of: rows), window.start, window.end]
                ).rows
                for row in found {
                    entries[row[0] ?? "", default: []].append(
                        EntryRecord(
                            event: integer(row[1]), errorCode: row[2].flatMap { Int($0) }, errorDescription: row[3],
                            time: LogTime(microseconds: Int64(integer(row[4]))), key: row[5].flatMap { EntryKey($0) },
                            offset: row[6].flatMap { Int64($0) },
                            device: DeviceFacts.known(make: row[7], os: row[8], osVersion: row[9])))
                }
            }
            return rows.map { row in
                TransactionRecord(
                    id: row[1] ?? "", usecase: integer(row[3]), deviceMake: row[9], deviceOS: row[10], deviceOSVersion: row[11],
                    user: row[4], variant: row[5], appVersion: row[6], session: row[7], installation: row[8],
                    entries: entries[row[0] ?? ""] ?? [])
            }
        }

        private static let isOfItsDays = "e.time BETWEEN t.first_entry AND t.last_entry"

        /// Of the columns ``weight``.
        private static func weight(_ columns: ArraySlice<String?>) -> PageWeight {
            PageWeight(entries: integer(columns.first ?? nil), bytes: integer(columns.last ?? nil))
        }

        /// The first column of the rows, as an array of PostgreSQL.
        private static func ids(of rows: some Sequence<[String?]>) -> String {
            "{" + rows.compactMap { $0[0] }.joined(separator: ",") + "}"
        }

        /// Of a column that is never null.
        private static func integer(_ text: String?) -> Int { text.flatMap { Int($0) } ?? 0 }

        public func bytesSent(on day: Int64) async throws(ArchiveError) -> [String: Int] {
            try await pool.run { connection throws(PostgresFailure) in
                let rows = try connection.execute("SELECT tenant, bytes FROM bytes_sent WHERE day = $1::bigint", ["\(day)"]).rows
                return Dictionary(rows.map { ($0[0] ?? "", Self.integer($0[1])) }) { first, _ in first }
            }
        }

        public func counts(tenant: String?) async throws(ArchiveError) -> ArchiveCounts {
            try await pool.run(isLong: true) { connection throws(PostgresFailure) in
                func sums(_ columns: String, of table: String, and more: [String?] = []) throws(PostgresFailure) -> [Int] {
                    let isOfTenant = tenant == nil ? "$1::text IS NULL" : "tenant = $1"
                    let isInWindow = more.isEmpty ? "" : " AND time >= $2::timestamptz AND time < $3::timestamptz"
                    return try connection.execute(
                        "SELECT \(columns) FROM \(table) WHERE \(isOfTenant)\(isInWindow)", [tenant] + more
                    ).rows[0].map(Self.integer)
                }
                let transactions = try sums("count(*), sum(entries)", of: "transactions")
                // A statement has half a minute.
                var logEvents = 0
                for window in try Self.windows(of: .log_events, connection) {
                    logEvents += try sums("count(*)", of: "log_events", and: [window.start, window.end])[0]
                }
                return ArchiveCounts(
                    transactions: transactions[0], entries: transactions[1], logEvents: logEvents,
                    parcels: try sums("count(*)", of: "parcels")[0])
            }
        }
    }
#endif
