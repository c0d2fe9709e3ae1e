#if Collector
    public import LogbookCore
    internal import LogbookFormat
    internal import LogbookTransactions

    extension ClickHouseArchive {
        /// Transactions of one mutation at most: a mutation is one text, which replicas pass to each other.
        private static let removedAtATime = 500
        /// How long mutations are waited for.
        static let mutationLimit = Duration.seconds(60)
        /// The same where nobody waits for the answer.
        private static let backgroundLimit = Duration.seconds(3600)

        /// Waits until the servers have rewritten what held the rows (`ALTER TABLE … DELETE`): then they are in no file of a table
        /// that is read. Old files go within eight minutes, by ClickHouse's own rule.
        public func erase(user: String, tenant: String, at time: LogTime) async throws(ArchiveError) -> Int {
            // Without a user a column is empty.
            if user.isEmpty { return 0 }
            return try await speaking { client throws(ClickHouseFailure) in
                try await self.mark([ErasureMark.user(user.storable, tenant: tenant)], at: time)
                let found = try await client.rows(
                    """
                    SELECT transaction FROM (\(self.transactionsQuery(where: "tenant = \(tenant.clickHouseLiteral)")))
                    WHERE known_user_id = \(user.clickHouseLiteral)
                    """
                ).compactMap { $0.text("transaction") }
                for piece in found.pieces(of: Self.removedAtATime) {
                    try await self.erase([.everything: Array(piece)], tenant: tenant)
                }
                return found.count
            }
        }

        /// Those of the erasures whose transactions are not known to be somebody else's, by when they end.
        func standing(
            _ erasures: [AdmittedSet.Erasure], tenant: String
        ) async throws(ClickHouseFailure) -> [LogTime: [String]] {
            var ids: [LogTime: [String]] = [:]
            for piece in erasures.pieces(of: Self.removedAtATime) {
                let rows = try await client.rows(
                    transactionsQuery(
                        where: "tenant = \(tenant.clickHouseLiteral) AND transaction IN \(piece.map(\.transaction).clickHouseList)"))
                var users: [[UInt8]: [UInt8]] = [:]
                for row in rows where row.fact("known_user_id") != nil { users[row.bytes("transaction")] = row.bytes("known_user_id") }
                for erasure in piece where users[Array(erasure.transaction.utf8)]?.elementsEqual(erasure.user.utf8) ?? true {
                    ids[erasure.end, default: []].append(erasure.transaction)
                }
            }
            return ids
        }

        /// Marks transactions, each up to a time, and notes that what is there of them is to be removed. Who stores does not wait for
        /// that: it takes long, and a sender who is told to come again would begin it again.
        func note(_ ids: [LogTime: [String]], tenant: String) async throws(ClickHouseFailure) {
            if ids.isEmpty { return }
            // The earlier first: what is noted for good is not marked by whoever removes it.
            for (end, ids) in ids.sorted(by: { $0.key < $1.key }) {
                for piece in ids.pieces(of: Self.removedAtATime) {
                    // Before the marks: of what is marked nobody finds again that it is to be removed.
                    try await client.insert(notes(of: piece, tenant: tenant, upTo: end), into: Self.erasures.name)
                    try await mark(piece.map { ErasureMark.transaction($0, tenant: tenant) }, at: end)
                }
            }
            removeNotedSoon()
        }

        private func notes(of ids: some Collection<String>, tenant: String, upTo end: LogTime) -> [ArchiveRow] {
            let addition = UniqueID.make(), precedence = nextPrecedence()
            return ids.map { id in
                var row = ArchiveRow()
                row.add("addition", addition)
                row.add("tenant", tenant)
                row.add("transaction", id)
                row.add("time", end.microseconds)
                row.add("precedence", precedence)
                return row
            }
        }

        /// What many sets lead to within a minute is removed together.
        func removeNotedSoon() { removal.ask { [weak self] in await self?.removeNotedNow() ?? true } }

        private func removeNotedNow() async -> Bool {
            do throws(ClickHouseFailure) {
                try await removeNoted(within: Self.backgroundLimit)
                return true
            } catch {
                LogDiagnostics.report("collector", "what was erased is still to be removed, and that is tried again: \(error.reason)")
                return false
            }
        }

        /// Removes what is noted. Marks it as well: whoever has noted it may not have come to that.
        private func removeNoted(within limit: Duration = ClickHouseArchive.mutationLimit) async throws(ClickHouseFailure) {
            let noted = try await client.rows(
                "SELECT DISTINCT addition, tenant, transaction, time, toString(precedence) AS noted FROM \(name(Self.erasures))")
            for (tenant, rows) in Dictionary(grouping: noted, by: { $0.text("tenant") ?? "" }) {
                for piece in rows.pieces(of: Self.removedAtATime) {
                    let ids = Dictionary(grouping: piece, by: Self.extent).mapValues { $0.compactMap { $0.text("transaction") } }
                    try await erase(ids, tenant: tenant, within: limit)
                    // Only these: the same may have been noted again meanwhile.
                    let notes = piece.map { "\($0.text("addition") ?? "") \($0.text("transaction") ?? "")" }
                    try await delete(
                        from: Self.erasures, where: "concat(addition, ' ', transaction) IN \(notes.clickHouseList)", within: limit)
                }
            }
        }

        /// What a note says is to go. Where that is everything, only what had come by then: whoever noted it may have ended before the
        /// transaction was marked, and the user have come back.
        private static func extent(of note: JSONValue) -> Extent {
            let end = note.integer("time") ?? 0
            return end < LogTime.distantFuture.microseconds ? .upTo(end) : .cameBefore(note.text("noted") ?? "0")
        }

        func mark(_ marks: some Sequence<String>, at time: LogTime) async throws(ClickHouseFailure) {
            let precedence = nextPrecedence()
            var rows: [ArchiveRow] = []
            for mark in marks {
                var row = ArchiveRow()
                row.add("mark", mark)
                row.add("time", time.microseconds)
                row.add("precedence", precedence)
                rows.append(row)
            }
            try await client.insert(rows, into: Self.erased.name)
        }

        /// What of a transaction is to go.
        private enum Extent: Hashable {
            /// What says a time up to this one, in microseconds since 1970.
            case upTo(Int64)
            case everything
            /// Everything that had come when this precedence was given.
            case cameBefore(String)

            /// Of entries and log events.
            var condition: String {
                switch self {
                case .upTo(let end): "time <= \(end)"
                case .everything: "time <= \(LogTime.distantFuture.microseconds)"
                case .cameBefore(let precedence): "precedence > \(precedence)"
                }
            }

            /// Up to when nothing of the transaction is to be stored any more; nil where that was marked, if at all, when it was noted.
            var mark: LogTime? {
                switch self {
                case .upTo(let end): LogTime(microseconds: end)
                case .everything: .distantFuture
                case .cameBefore: nil
                }
            }
        }

        /// Marks transactions and removes what they have: entries, the log events that name them, and where everything is to go
        /// themselves. Otherwise they stay, also without entries: somebody may have stored the transaction and be about to store what is
        /// new of it.
        private func erase(
            _ ids: [Extent: [String]], tenant: String, within limit: Duration = ClickHouseArchive.mutationLimit
        ) async throws(ClickHouseFailure) {
            for (extent, ids) in ids {
                if let end = extent.mark { try await mark(ids.map { ErasureMark.transaction($0, tenant: tenant) }, at: end) }
            }
            let ofTenant = "tenant = \(tenant.clickHouseLiteral)"
            func condition(_ column: String) -> String {
                let each = ids.map { "\(column) IN \($1.clickHouseList) AND \($0.condition)" }
                return "\(ofTenant) AND (\(each.joined(separator: " OR ")))"
            }
            // At once: log events are looked for in all that there are.
            try await delete(from: Self.logEvents, where: condition("transaction_guid"), within: limit)
            try await delete(from: Self.entries, where: condition("transaction"), within: limit)
            let whole = Array(ids.filter { if case .upTo = $0.key { false } else { true } }.values.joined())
            if whole.isEmpty { return }
            // Of a user who has come back, what is new needs what is known beside it.
            let left = try await client.rows(
                "SELECT DISTINCT transaction FROM \(name(Self.entries)) WHERE \(ofTenant) AND transaction IN \(whole.clickHouseList)")
            let kept = Set(left.map { $0.bytes("transaction") })
            let gone = whole.filter { !kept.contains(Array($0.utf8)) }
            if gone.isEmpty { return }
            try await delete(from: Self.transactions, where: "\(ofTenant) AND transaction IN \(gone.clickHouseList)", within: limit)
        }

        /// Removes rows on every server that answers; one that does not is told by its replicas when it is back.
        func delete(
            from table: Table, where condition: String, within limit: Duration = ClickHouseArchive.mutationLimit
        ) async throws(ClickHouseFailure) {
            // Fails when a shard has no server that answers: it may hold some.
            if try await count(name(table), where: condition) == 0 { return }
            // What arrives from now on is not waited for.
            let present = "\(condition) AND precedence > \(nextPrecedence())"
            let place = name(table) + (client.address.cluster == nil ? "" : "_shard")
            let deadline = LogDeadline.after(limit)
            for server in client.address.servers.indices {
                do throws(ClickHouseFailure) {
                    if try await count(place, where: condition, at: server) == 0 { continue }
                    try await client.execute("ALTER TABLE \(place) DELETE WHERE \(condition)", at: server)
                    while try await count(place, where: present, at: server) > 0 {
                        if deadline.hasPassed { throw .refused(code: nil, reason: "removing takes long; ask for it again later") }
                        // Version 18.16 cannot be asked to wait. Who is cancelled must not ask without a pause.
                        do { try await Task.sleep(for: .milliseconds(20)) } catch {
                            throw .refused(code: nil, reason: "removing was given up before it was known to be done; ask for it again")
                        }
                    }
                } catch .unreachable where client.address.cluster != nil {
                    continue
                }
            }
            if try await count(name(table), where: present) > 0 {
                throw .refused(code: nil, reason: "a server went away while it removed rows; ask for it again")
            }
        }

        private func count(
            _ table: String, where condition: String, at server: Int? = nil
        ) async throws(ClickHouseFailure) -> Int64 {
            let rows = try await client.rows("SELECT count() AS number FROM \(table) WHERE \(condition)", at: server)
            return rows.first?.integer("number") ?? 0
        }

        public func remove(receivedBefore time: LogTime, limit: Int) async throws(ArchiveError) -> Int {
            let end = time.microseconds, limit = max(0, limit)
            return try await speaking { client throws(ClickHouseFailure) in
                let old = try await client.rows(
                    """
                    SELECT tenant, transaction FROM (
                      SELECT tenant, transaction, min(received) AS first_received FROM \(self.name(Self.transactions))
                      GROUP BY tenant, transaction)
                    WHERE first_received < \(end) AND (tenant, transaction) GLOBAL NOT IN (
                      SELECT tenant, transaction FROM \(self.name(Self.entries)) WHERE received >= \(end))
                    ORDER BY first_received LIMIT \(limit)
                    """)
                for (tenant, rows) in Dictionary(grouping: old, by: { $0.text("tenant") ?? "" }) {
                    let ids = rows.compactMap { $0.text("transaction") }
                    for piece in ids.pieces(of: Self.removedAtATime) {
                        // What has come since they were looked for stays.
                        let condition =
                            "tenant = \(tenant.clickHouseLiteral) AND transaction IN \(piece.clickHouseList) AND received < \(end)"
                        try await self.delete(from: Self.entries, where: condition)
                        try await self.delete(from: Self.transactions, where: condition)
                    }
                }
                var removed = old.count
                if limit > removed {
                    let events = try await client.rows(
                        """
                        SELECT tenant, digest, min(received) AS first_received FROM \(self.name(Self.logEvents))
                        WHERE received < \(end) GROUP BY tenant, digest ORDER BY first_received LIMIT \(limit - removed)
                        """)
                    for (tenant, rows) in Dictionary(grouping: events, by: { $0.text("tenant") ?? "" }) {
                        for piece in rows.compactMap({ $0.text("digest") }).pieces(of: Self.removedAtATime) {
                            try await self.delete(
                                from: Self.logEvents,
                                where: "tenant = \(tenant.clickHouseLiteral) AND digest IN \(piece.clickHouseList)")
                        }
                    }
                    removed += events.count
                }
                try await self.delete(from: Self.parcels, where: "received < \(end)")
                if removed < limit { try await self.removeNoted() }
                return removed
            }
        }
    }
#endif
