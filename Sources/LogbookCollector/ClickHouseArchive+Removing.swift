#if Collector
    public import LogbookCore
    internal import LogbookFormat
    internal import LogbookTransactions

    extension ClickHouseArchive {
        /// Keys of one mutation at most: a mutation is one text, which replicas pass to each other.
        private static let removedAtATime = 500
        /// Transactions that are noted, or marked, with one insert at most.
        private static let notedAtATime = 100_000
        /// Bytes of a mutation's text at most: ZooKeeper takes no more than 1 MiB.
        private static let mutationBytes = 512 << 10
        /// Transactions that are listed in one answer at most.
        private static let listedAtATime = 10_000
        /// How long mutations are waited for.
        static let mutationLimit = Duration.seconds(60)
        /// The same where nobody waits for the answer.
        private static let backgroundLimit = Duration.seconds(3600)

        /// Waits until the servers have rewritten what held the rows (`ALTER TABLE … DELETE`): then they are in no file of a table
        /// that is read. Old files go within eight minutes, by ClickHouse's own rule. What is found is noted before, 100,000 transactions
        /// at once: from then on it goes also where this is given up, or the collector ends. Where that happens earlier, as while they are
        /// looked for, it stays until it is asked for again.
        public func erase(user: String, tenant: String, at time: LogTime) async throws(ArchiveError) -> Int {
            // Without a user a column is empty.
            if user.isEmpty { return 0 }
            return try await speaking { client throws(ClickHouseFailure) in
                try await self.mark([ErasureMark.user(user.storable, tenant: tenant)], at: time)
                // Somebody has said so, though not always the first.
                let isOfUser = """
                    tenant = \(tenant.clickHouseLiteral) AND transaction GLOBAL IN (SELECT transaction FROM \(self.name(Self.transactions))
                      WHERE tenant = \(tenant.clickHouseLiteral) AND user_id = \(user.clickHouseLiteral))
                    """
                let found = try await client.rows(
                    """
                    SELECT transaction FROM (\(self.transactionsQuery(where: isOfUser)))
                    WHERE known_user_id = \(user.clickHouseLiteral)
                    """
                ).compactMap { $0.text("transaction") }
                let additions = try await self.note([.distantFuture: found], tenant: tenant)
                for piece in found.pieces(of: Self.removedAtATime) {
                    try await self.erase([.everything: Array(piece)], tenant: tenant)
                }
                // Otherwise they go soon, as those that are left by others.
                if !found.isEmpty { _ = try? await self.delete(from: Self.erasures, where: "addition IN \(additions.clickHouseList)") }
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

        /// Notes that what is there of transactions is to be removed, each up to a time, and marks them. Who stores does not wait for that:
        /// it takes long, and a sender who is told to come again would begin it again.
        /// - Returns: The names of what was added to the notes.
        @discardableResult
        func note(_ ids: [LogTime: [String]], tenant: String) async throws(ClickHouseFailure) -> [String] {
            let ids = ids.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
            if ids.isEmpty { return [] }
            var additions: [String] = [], notes: [ArchiveRow] = []
            for (end, ids) in ids {
                let addition = UniqueID.make()   // for each time: a transaction may be noted for several
                additions.append(addition)
                notes += self.notes(of: ids, tenant: tenant, upTo: end, addition: addition)
            }
            defer { removeNotedSoon() }
            // All before the first mark: of what is marked nobody finds again that it is to be removed.
            for piece in notes.pieces(of: Self.notedAtATime) { try await client.insert(Array(piece), into: Self.erasures.name) }
            // Those for good first: whoever removes what is noted does not mark these.
            for (end, ids) in ids.reversed() {
                for piece in ids.pieces(of: Self.notedAtATime) {
                    try await mark(piece.map { ErasureMark.transaction($0, tenant: tenant) }, at: end)
                }
            }
            return additions
        }

        /// How many transactions are noted.
        static func notedCount(_ client: ClickHouseClient) async throws(ClickHouseFailure) -> Int {
            let rows = try await client.rows(
                "SELECT uniqExact(tenant, transaction) AS number FROM \(client.address.database).\(erasures.name)")
            return Int(rows.first?.integer("number") ?? 0)
        }

        private func notes(
            of ids: some Collection<String>, tenant: String, upTo end: LogTime, addition: String
        ) -> [ArchiveRow] {
            let precedence = nextPrecedence()
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
                report("what was erased is still to be removed, and that is tried again: \(error.reason)")
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
                    try await erase(ids, tenant: tenant, within: limit, afterOthers: true)
                    // Only these: the same may have been noted again meanwhile.
                    let notes = piece.map { "\($0.text("addition") ?? "") \($0.text("transaction") ?? "")" }
                    try await delete(
                        from: Self.erasures, where: "concat(addition, ' ', transaction) IN \(notes.clickHouseList)", within: limit)
                }
            }
        }

        /// Removes what was sent on earlier days. What cannot be done is told, and done on the next day.
        func removeEarlierDays() async -> Bool {
            guard let day = latestDay.withLock(\.self) else { return true }
            do throws(ClickHouseFailure) { try await deleteOld(from: Self.bytesSent, where: "day < \(day)") } catch {
                report("what was sent on earlier days is still in \(Self.bytesSent.name), and is removed tomorrow: \(error.reason)")
            }
            return true
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
            _ ids: [Extent: [String]], tenant: String, within limit: Duration = ClickHouseArchive.mutationLimit, afterOthers: Bool = false
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
            try await delete(from: Self.logEvents, where: condition("transaction_guid"), within: limit, afterOthers: afterOthers)
            try await delete(from: Self.entries, where: condition("transaction"), within: limit, afterOthers: afterOthers)
            let whole = Array(ids.filter { if case .upTo = $0.key { false } else { true } }.values.joined())
            if whole.isEmpty { return }
            // Of a user who has come back, what is new needs what is known beside it.
            let left = try await client.rows(
                "SELECT DISTINCT transaction FROM \(name(Self.entries)) WHERE \(ofTenant) AND transaction IN \(whole.clickHouseList)")
            let kept = Set(left.map { $0.bytes("transaction") })
            let gone = whole.filter { !kept.contains(Array($0.utf8)) }
            if gone.isEmpty { return }
            try await delete(
                from: Self.transactions, where: "\(ofTenant) AND transaction IN \(gone.clickHouseList)", within: limit,
                afterOthers: afterOthers)
        }

        /// Removes rows on every server that answers; one that does not is told by its replicas when it is back.
        /// - Parameter afterOthers: Waits first until no mutation of the table is under way. What an earlier call has begun, and has not
        ///   waited for to the end, is not begun again beside it.
        func delete(
            from table: Table, where condition: String, within limit: Duration = ClickHouseArchive.mutationLimit,
            afterOthers: Bool = false
        ) async throws(ClickHouseFailure) {
            // Fails when a shard has no server that answers: it may hold some.
            if try await count(name(table), where: condition) == 0 { return }
            // What arrives from now on is not waited for.
            let present = "\(condition) AND precedence > \(nextPrecedence())"
            let shard = table.name + (client.address.cluster == nil ? "" : "_shard")
            let place = "\(client.address.database).\(shard)"
            let deadline = LogDeadline.after(limit)
            for server in client.address.servers.indices {
                do throws(ClickHouseFailure) {
                    if try await count(place, where: condition, at: server) == 0 { continue }
                    if afterOthers {
                        try await wait(until: deadline) { () async throws(ClickHouseFailure) in
                            !(try await isMutating(shard, at: server))
                        }
                        if try await count(place, where: condition, at: server) == 0 { continue }
                    }
                    do throws(ClickHouseFailure) {
                        try await client.execute("ALTER TABLE \(place) DELETE WHERE \(condition)", at: server)
                    } catch .unreachable(let reason) {
                        // Current versions answer only when it is done, which may take longer than an answer is waited for.
                        guard try await isMutating(shard, at: server) else { throw .unreachable(reason) }
                    }
                    // Version 18.16 cannot be asked to wait.
                    try await wait(until: deadline) { () async throws(ClickHouseFailure) in
                        try await count(place, where: present, at: server) == 0
                    }
                } catch .unreachable where client.address.cluster != nil {
                    continue
                }
            }
            if try await count(name(table), where: present) > 0 {
                throw .refused(code: nil, reason: "a server went away while it removed rows; ask for it again")
            }
        }

        /// Asks again and again, less and less often, until it is so.
        private func wait(
            until deadline: LogDeadline, for isSo: () async throws(ClickHouseFailure) -> Bool
        ) async throws(ClickHouseFailure) {
            var pause = Duration.milliseconds(20)
            while !(try await isSo()) {
                if deadline.hasPassed { throw .refused(code: nil, reason: "removing takes long; ask for it again later") }
                // Who is cancelled must not ask without a pause.
                do { try await Task.sleep(for: pause) } catch {
                    throw .refused(code: nil, reason: "removing was given up before it was known to be done; ask for it again")
                }
                pause = min(pause * 2, .seconds(1))
            }
        }

        /// Whether a mutation of a table is under way on a server; false as well where the user may not ask that.
        private func isMutating(_ table: String, at server: Int) async throws(ClickHouseFailure) -> Bool {
            let database = client.address.database
            let condition = "database = \(database.clickHouseLiteral) AND table = \(table.clickHouseLiteral) AND is_done = 0"
            do throws(ClickHouseFailure) { return try await count("system.mutations", where: condition, at: server) > 0 } catch {
                if case .refused = error { return false }
                throw error
            }
        }

        private func count(
            _ table: String, where condition: String, at server: Int? = nil
        ) async throws(ClickHouseFailure) -> Int64 {
            let rows = try await client.rows("SELECT count() AS number FROM \(table) WHERE \(condition)", at: server)
            return rows.first?.integer("number") ?? 0
        }

        /// A mutation writes whole parts anew, however few of their rows go: everything is best removed at once.
        public var removalStep: Int { .max }

        /// Where all that is too old is within the limit, it goes with one mutation per table, by the time at which it was received;
        /// otherwise by keys, 500 per mutation. Waits for an hour at most, also for mutations that are under way. What merging has not
        /// joined yet of a log event counts more than once. What comes of an old transaction meanwhile stays, with what is known of it
        /// since that day: `time` must be a day ago or more.
        public func remove(receivedBefore time: LogTime, limit: Int) async throws(ArchiveError) -> Int {
            let end = time.microseconds, limit = max(0, limit)
            return try await speaking { _ throws(ClickHouseFailure) in
                var removed = try await self.removeTransactions(receivedBefore: end, limit: limit)
                removed += try await self.removeLogEvents(receivedBefore: end, limit: limit - removed)
                try await self.deleteOld(from: Self.parcels, where: "received < \(end)")
                if removed < limit { try await self.removeNoted() }
                return removed
            }
        }

        private func deleteOld(from table: Table, where condition: String) async throws(ClickHouseFailure) {
            try await delete(from: table, where: condition, within: Self.backgroundLimit, afterOthers: true)
        }

        private func removeTransactions(receivedBefore end: Int64, limit: Int) async throws(ClickHouseFailure) -> Int {
            // Those of which a part is old, and of what is new only what belongs to them.
            let all = """
                (SELECT tenant, transaction, min(received) AS first_received FROM \(name(Self.transactions))
                  WHERE received < \(end) GROUP BY tenant, transaction)
                """
            let isOld = young(since: end).map { "(tenant, transaction) GLOBAL NOT IN (\($0))" }.joined(separator: " AND ")
            let number = Int(try await count(all, where: isOld))
            if number == 0 { return 0 }
            if number <= limit, let condition = try await conditionOfAll(receivedBefore: end) {
                try await deleteOld(from: Self.entries, where: condition)
                try await deleteOld(from: Self.transactions, where: condition)
                return number
            }
            var removed = 0
            while removed < min(limit, number) {
                let some = try await client.rows(
                    """
                    SELECT tenant, transaction FROM \(all) WHERE \(isOld)
                    ORDER BY first_received LIMIT \(min(limit - removed, Self.listedAtATime))
                    """)
                if some.isEmpty { break }
                for (tenant, rows) in Dictionary(grouping: some, by: { $0.text("tenant") ?? "" }) {
                    for piece in rows.compactMap({ $0.text("transaction") }).pieces(of: Self.removedAtATime) {
                        // What has come since they were looked for stays.
                        let condition =
                            "tenant = \(tenant.clickHouseLiteral) AND transaction IN \(piece.clickHouseList) AND received < \(end)"
                        try await deleteOld(from: Self.entries, where: condition)
                        try await deleteOld(from: Self.transactions, where: condition)
                    }
                }
                removed += some.count
            }
            return removed
        }

        /// Of transactions of which a part was received before a time, those of which something came then or later, as an entry or as a log
        /// event that names them: as long as there is such an event the transaction stays, since by it an erasure finds what was logged.
        private func young(since end: Int64) -> [String] {
            [(Self.entries, "transaction"), (Self.logEvents, "transaction_guid")].map { table, column in
                """
                SELECT DISTINCT tenant, \(column) AS id FROM \(name(table)) WHERE received >= \(end)
                  AND (tenant, \(column)) GLOBAL IN (
                    SELECT tenant, transaction FROM \(name(Self.transactions)) WHERE received < \(end))
                """
            }
        }

        /// What all rows of old transactions say and no others: they are old themselves, and not of one of which something new has come.
        /// - Returns: Nil where those are too many to be named in one mutation.
        private func conditionOfAll(receivedBefore end: Int64) async throws(ClickHouseFailure) -> String? {
            var kept: [JSONValue] = []
            for query in young(since: end) {
                let rows = try await client.rows("\(query) LIMIT \(Self.listedAtATime)")
                if rows.count == Self.listedAtATime { return nil }
                kept += rows
            }
            let ofTenants = Dictionary(grouping: kept, by: { $0.text("tenant") ?? "" }).map { tenant, rows in
                "tenant = \(tenant.clickHouseLiteral) AND transaction IN \(rows.compactMap { $0.text("id") }.clickHouseList)"
            }
            let condition = "received < \(end)" + (ofTenants.isEmpty ? "" : " AND NOT (\(ofTenants.joined(separator: " OR ")))")
            return condition.utf8.count <= Self.mutationBytes ? condition : nil
        }

        private func removeLogEvents(receivedBefore end: Int64, limit: Int) async throws(ClickHouseFailure) -> Int {
            if limit == 0 { return 0 }
            let number = try await count(name(Self.logEvents), where: "received < \(end)")
            if number <= limit {
                try await deleteOld(from: Self.logEvents, where: "received < \(end)")
                return Int(number)
            }
            let events = try await client.rows(
                """
                SELECT tenant, digest, min(received) AS first_received FROM \(name(Self.logEvents))
                WHERE received < \(end) GROUP BY tenant, digest ORDER BY first_received LIMIT \(limit)
                """)
            for (tenant, rows) in Dictionary(grouping: events, by: { $0.text("tenant") ?? "" }) {
                for piece in rows.compactMap({ $0.text("digest") }).pieces(of: Self.removedAtATime) {
                    try await deleteOld(
                        from: Self.logEvents, where: "tenant = \(tenant.clickHouseLiteral) AND digest IN \(piece.clickHouseList)")
                }
            }
            return events.count
        }
    }
#endif
