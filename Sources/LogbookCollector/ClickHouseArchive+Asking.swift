#if Collector
    internal import LogbookCore
    internal import LogbookFormat
    public import LogbookTransactions

    extension ClickHouseArchive {
        public func transaction(_ id: String, tenant: String, largest: Int) async throws(ArchiveError) -> TransactionRecord? {
            let found: Found<TransactionRecord?> = try await speaking { _ throws(ClickHouseFailure) in
                let ofTenant = "tenant = \(tenant.clickHouseLiteral)"
                let rows = try await self.client.rows(
                    self.transactionsQuery(where: "\(ofTenant) AND transaction = \(id.deliverableID.clickHouseLiteral)"))
                if try await self.weights(of: rows, where: ofTenant).first?.isTooMuch(for: largest) == true {
                    return .failure(.transactionTooLarge(id: id.deliverableID))
                }
                return .success(try await self.records(rows, tenant: tenant).first)
            }
            return try found.get()
        }

        /// What is found, or why it is not given.
        private typealias Found<Value> = Result<Value, ArchiveError>

        public func transactions(_ query: TransactionQuery) async throws(ArchiveError) -> TransactionPage {
            let page: Found<TransactionPage> = try await speaking { client throws(ClickHouseFailure) in
                let tenant = "tenant = \(query.tenant.clickHouseLiteral)"
                let found = try await self.ids(of: query)
                // How large they are before they are read: all that are asked for may be more than memory holds.
                let weights = try await self.weights(of: found, where: tenant)
                let kept = found.prefix(PageRoom.count(of: weights, limit: query.limit))
                guard let first = kept.first else { return .success(TransactionPage()) }
                if weights[0].isTooMuch(for: query.largest) {
                    return .failure(.transactionTooLarge(id: first.text("transaction") ?? "", next: Self.place(of: first)))
                }
                let list = kept.compactMap { $0.text("transaction") }.clickHouseList
                let rows = try await client.rows(
                    """
                    SELECT * FROM (\(self.transactionsQuery(where: "\(tenant) AND transaction IN \(list)")))
                    ORDER BY first_received, transaction
                    """)
                var page = TransactionPage(
                    transactions: try await self.records(rows, tenant: query.tenant), received: rows.map { Self.place(of: $0).received })
                if kept.count < found.count, let last = kept.last {
                    page.next = Self.place(of: last)
                }
                return .success(page)
            }
            return try page.get()
        }

        /// Of a transaction that was found in the order of the tenant's.
        private static func place(of row: JSONValue) -> TransactionCursor {
            TransactionCursor(received: LogTime(microseconds: row.integer("first_received") ?? 0), id: row.text("transaction") ?? "")
        }

        /// What each of the transactions takes of a page.
        private func weights(of found: [JSONValue], where condition: String) async throws(ClickHouseFailure) -> [PageWeight] {
            let texts = ["transaction"] + Self.facts.map { "known_\($0)" }
            let textsOfEntry = ["error_description"] + Self.ownDevice
            let bytesOfEntry = textsOfEntry.map { "length(ifNull(\($0), ''))" }.joined(separator: " + ")
            var ofFacts: [[UInt8]: Int] = [:]
            var ofEntries: [[UInt8]: PageWeight] = [:]
            for piece in found.compactMap({ $0.text("transaction") }).pieces(of: Self.keysAtATime) {
                let isOfPiece = "\(condition) AND transaction IN \(piece.clickHouseList)"
                let facts = try await client.rows(
                    """
                    SELECT transaction, \(texts.map { "length(\($0))" }.joined(separator: " + ")) AS fact_bytes
                    FROM (\(transactionsQuery(where: isOfPiece)))
                    """)
                for row in facts { ofFacts[row.bytes("transaction")] = Int(row.integer("fact_bytes") ?? 0) }
                // Merging may not have removed doubles yet.
                let entries = try await client.rows(
                    """
                    SELECT transaction, count() AS number, sum(longest) AS bytes FROM (
                      SELECT transaction, digest, max(\(bytesOfEntry)) AS longest FROM \(name(Self.entries))
                      WHERE \(isOfPiece) GROUP BY transaction, digest)
                    GROUP BY transaction
                    """)
                for row in entries {
                    ofEntries[row.bytes("transaction")] = PageWeight(
                        entries: Int(row.integer("number") ?? 0), bytes: Int(row.integer("bytes") ?? 0))
                }
            }
            return found.map { row in
                let id = row.bytes("transaction")
                var weight = ofEntries[id] ?? PageWeight(entries: 0, bytes: 0)
                weight.bytes += ofFacts[id] ?? 0
                return weight
            }
        }

        /// Columns of which the first that says something is believed.
        private static let facts = [
            "device_make", "device_os", "device_os_version", "user_id", "variant", "app_version", "session", "installation",
        ]

        /// What is known of each transaction, from whoever said it first.
        func transactionsQuery(where condition: String) -> String {
            """
            SELECT tenant, transaction, \(Self.firstReceived), \(Self.knownUsecase), \(Self.facts.map(Self.known).joined(separator: ", "))
            FROM \(name(Self.transactions)) WHERE \(condition) GROUP BY tenant, transaction
            """
        }

        private static let firstReceived = "min(received) AS first_received"
        private static let knownUsecase = "argMax(usecase, precedence) AS known_usecase"

        private static func known(_ fact: String) -> String { "argMaxIf(\(fact), precedence, \(fact) != '') AS known_\(fact)" }

        /// Each page looks through when all of the tenant's transactions were received.
        public var exportStep: Int { TransactionQuery.limits.upperBound }

        /// Times of reception, in microseconds since 1970, that follow each other; without an end where nothing comes behind.
        private struct Reception {
            var start: Int64
            var end: Int64?

            var condition: String { "received >= \(start)" + (end.map { " AND received <= \($0)" } ?? "") }
        }

        /// The transactions that a query names, in order, one more than the page may have. They are looked for among those that follow the
        /// cursor, and among more and more of them until there are enough: what a tenant has altogether is not grouped for every page.
        private func ids(of query: TransactionQuery) async throws(ClickHouseFailure) -> [JSONValue] {
            // A user's are few.
            if query.user != nil { return try await client.rows(idsQuery(of: query)) }
            var found: [JSONValue] = [], start = (query.cursor?.received ?? .distantPast).microseconds
            var count = 4 * (query.limit + 1)
            while true {
                let some = try await client.rows(
                    """
                    SELECT count() AS number, max(received) AS latest FROM (SELECT received FROM \(name(Self.transactions))
                      WHERE tenant = \(query.tenant.clickHouseLiteral) AND received >= \(start) ORDER BY received LIMIT \(count))
                    """)
                let isRest = some.first?.integer("number") ?? 0 < count
                let end = isRest ? nil : some.first?.integer("latest")
                found += try await client.rows(idsQuery(of: query, in: Reception(start: start, end: end)))
                guard let end, found.count <= query.limit else { return Array(found.prefix(query.limit + 1)) }
                start = end + 1
                count *= 8
            }
        }

        /// Of all that the tenant has, no more is read than the conditions need.
        /// - Parameter reception: When the first part of each was received.
        private func idsQuery(of query: TransactionQuery, in reception: Reception? = nil) -> String {
            let tenant = "tenant = \(query.tenant.clickHouseLiteral)"
            var columns = ["transaction", Self.firstReceived]
            var ofRows = [tenant], ofEntryRows = [tenant], conditions = ["1"]
            if let reception {
                // A part of them was received then, and of those that count the first one.
                let isAmongThem = """
                    transaction GLOBAL IN (SELECT transaction FROM \(name(Self.transactions)) WHERE \(tenant) AND \(reception.condition))
                    """
                ofRows.append(isAmongThem)
                ofEntryRows.append(isAmongThem)
                conditions.append(reception.condition.replacing("received", with: "first_received"))
            }
            if let usecase = query.usecase {
                columns.append(Self.knownUsecase)
                conditions.append("known_usecase = \(usecase)")
            }
            if let user = query.user {
                columns.append(Self.known("user_id"))
                // Without a user the column is empty.
                conditions.append(user.isEmpty ? "0" : "known_user_id = \(user.clickHouseLiteral)")
                // Somebody has said so, though not always the first.
                ofRows.append(
                    """
                    transaction GLOBAL IN (SELECT transaction FROM \(name(Self.transactions))
                      WHERE \(tenant) AND user_id = \(user.clickHouseLiteral))
                    """)
            }
            if let cursor = query.cursor {
                let received = cursor.received.microseconds
                conditions.append(
                    "(first_received > \(received) OR (first_received = \(received) AND transaction > \(cursor.id.clickHouseLiteral)))")
            }
            var ofEntry: [String] = []
            if let from = query.from { ofEntry.append("time >= \(from.microseconds)") }
            if let to = query.to { ofEntry.append("time < \(to.microseconds)") }
            switch query.error {
            case nil: break
            case .any?: ofEntry.append("(error_code IS NOT NULL OR error_description IS NOT NULL)")
            case .code(let code)?: ofEntry.append("error_code = \(code)")
            case .text(let text)?: ofEntry.append("position(ifNull(error_description, ''), \(text.clickHouseLiteral)) > 0")
            }
            if !ofEntry.isEmpty {
                ofRows.append(
                    """
                    transaction GLOBAL IN (SELECT transaction FROM \(name(Self.entries))
                      WHERE \((ofEntryRows + ofEntry).joined(separator: " AND ")))
                    """)
            }
            return """
                SELECT transaction, first_received FROM (
                  SELECT \(columns.joined(separator: ", ")) FROM \(name(Self.transactions))
                  WHERE \(ofRows.joined(separator: " AND ")) GROUP BY transaction)
                WHERE \(conditions.joined(separator: " AND "))
                ORDER BY first_received, transaction LIMIT \(query.limit + 1)
                """
        }

        /// The transactions of these rows, with all their entries, each once.
        private func records(_ rows: [JSONValue], tenant: String) async throws(ClickHouseFailure) -> [TransactionRecord] {
            var entries: [[UInt8]: [EntryRecord]] = [:]
            var devices: [[UInt8]: DeviceFacts] = [:]
            for row in rows { devices[row.bytes("transaction")] = Self.device(row, "known_device").map(\.ofEntry) }
            for piece in rows.compactMap({ $0.text("transaction") }).pieces(of: Self.keysAtATime) {
                let found = try await client.rows(
                    """
                    SELECT transaction, event, error_code, error_description, time, key, offset_nanoseconds,
                      \(Self.ownDevice.joined(separator: ", ")) FROM (
                      SELECT * FROM \(name(Self.entries))
                      WHERE tenant = \(tenant.clickHouseLiteral) AND transaction IN \(piece.clickHouseList)
                      ORDER BY precedence DESC LIMIT 1 BY transaction, digest)
                    ORDER BY transaction, time, precedence DESC, ordinal
                    """)
                for row in found {
                    let id = row.bytes("transaction"), device = Self.device(row, "own_device")
                    // What was said first counts for the transaction, also where it has come later.
                    let isOfOther = device.flatMap { device in devices[id].map(device.contradicts) } ?? false
                    entries[id, default: []].append(
                        EntryRecord(
                            event: Int(row.integer("event") ?? 0), errorCode: row.integer("error_code").map { Int($0) },
                            errorDescription: row.text("error_description"), time: LogTime(microseconds: row.integer("time") ?? 0),
                            key: row.text("key").flatMap { EntryKey($0) }, offset: row.integer("offset_nanoseconds"),
                            device: isOfOther ? device : nil))
                }
            }
            return rows.map { row in
                TransactionRecord(
                    id: row.text("transaction") ?? "", usecase: Int(row.integer("known_usecase") ?? 0),
                    deviceMake: row.fact("known_device_make"), deviceOS: row.fact("known_device_os"),
                    deviceOSVersion: row.fact("known_device_os_version"),
                    user: row.fact("known_user_id"), variant: row.fact("known_variant"), appVersion: row.fact("known_app_version"),
                    session: row.fact("known_session"), installation: row.fact("known_installation"),
                    entries: entries[row.bytes("transaction")] ?? [])
            }
        }

        /// - Parameter columns: What their names begin with.
        private static func device(_ row: JSONValue, _ columns: String) -> DeviceFacts? {
            DeviceFacts.known(
                make: row.text("\(columns)_make"), os: row.text("\(columns)_os"), osVersion: row.text("\(columns)_os_version"))
        }

        /// Where there is very much of something, nothing is told apart that is the same: transactions are counted to a hundredth, and what
        /// two collectors have stored at the same moment counts twice until ClickHouse has merged it.
        public func counts(tenant: String?) async throws(ArchiveError) -> ArchiveCounts {
            try await counts(tenant: tenant, exactUpTo: 1_000_000)
        }

        /// - Parameter limit: Rows of a table that are counted exactly: each of them takes memory of the server.
        func counts(tenant: String?, exactUpTo limit: Int) async throws(ArchiveError) -> ArchiveCounts {
            try await speaking { client throws(ClickHouseFailure) in
                let condition = tenant.map { "WHERE tenant = \($0.clickHouseLiteral)" } ?? ""
                func number(_ function: String, of table: Table) async throws(ClickHouseFailure) -> Int {
                    let rows = try await client.rows("SELECT \(function) AS number FROM \(self.name(table)) \(condition)")
                    return Int(rows.first?.integer("number") ?? 0)
                }
                // Merging may not have removed doubles yet.
                func count(_ table: Table, by key: String) async throws(ClickHouseFailure) -> Int {
                    let rows = try await number("count()", of: table)
                    if rows <= limit { return try await number("uniqExact(\(key))", of: table) }
                    // What is known of a transaction may be several rows.
                    return table.name == Self.transactions.name ? try await number("uniqCombined(\(key))", of: table) : rows
                }
                return ArchiveCounts(
                    transactions: try await count(Self.transactions, by: "tenant, transaction"),
                    entries: try await count(Self.entries, by: "tenant, transaction, digest"),
                    logEvents: try await count(Self.logEvents, by: "tenant, digest"),
                    parcels: try await count(Self.parcels, by: "tenant, kind, name"))
            }
        }
    }
#endif
