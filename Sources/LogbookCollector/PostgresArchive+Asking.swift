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

        public func transactions(_ query: TransactionQuery) async throws(ArchiveError) -> TransactionPage {
            let (conditions, values) = Self.conditions(of: query)
            let page: Found<TransactionPage> = try await pool.run(isLong: true) { connection throws(PostgresFailure) in
                // Only how large they are: all that are asked for may be more than memory holds.
                let found = try connection.execute(
                    """
                    SELECT t.id, t.guid, \(Self.microseconds("t.received")), \(Self.weight) FROM transactions t
                    WHERE \(conditions.joined(separator: " AND ")) ORDER BY t.received, t.guid LIMIT \(query.limit + 1)
                    """, values
                ).rows
                let weights = found.map { Self.weight($0.suffix(2)) }
                let kept = found.prefix(PageRoom.count(of: weights, limit: query.limit))
                if let first = kept.first, weights[0].isTooMuch(for: query.largest) {
                    return .failure(.transactionTooLarge(id: first[1] ?? ""))
                }
                let rows = try connection.execute(
                    "SELECT \(Self.columns) FROM transactions t WHERE t.id = ANY ($1::bigint[]) ORDER BY t.received, t.guid",
                    [Self.ids(of: kept)]
                ).rows
                var page = TransactionPage(transactions: try Self.records(rows, connection))
                if kept.count < found.count, let last = kept.last {
                    page.next = TransactionCursor(received: LogTime(microseconds: Int64(Self.integer(last[2]))), id: last[1] ?? "")
                }
                return .success(page)
            }
            return try page.get()
        }

        /// The query's conditions, and the values of `$1` and so on in them.
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
            var ofEntry: [String] = []
            if let from = query.from?.postgresText {
                ofEntry.append("e.time >= \(value(from))::timestamptz")
                conditions.append("t.last_entry >= \(value(from))::timestamptz")
            }
            if let to = query.to?.postgresText {
                ofEntry.append("e.time < \(value(to))::timestamptz")
                conditions.append("t.first_entry < \(value(to))::timestamptz")
            }
            switch query.error {
            case nil: break
            case .any?: ofEntry.append("(e.error_code IS NOT NULL OR e.error_description IS NOT NULL)")
            case .code(let code)?: ofEntry.append("e.error_code = \(value("\(code)"))::bigint")
            case .text(let text)?: ofEntry.append("strpos(e.error_description, \(value(text.storable))) > 0")
            }
            if !ofEntry.isEmpty {
                let all = (["e.transaction = t.id", isOfItsDays] + ofEntry).joined(separator: " AND ")
                conditions.append("EXISTS (SELECT 1 FROM entries e WHERE \(all))")
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
                    SELECT t.id, event, error_code, error_description, \(microseconds("time")), key, offset_nanoseconds
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
                            offset: row[6].flatMap { Int64($0) }))
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
