#if Collector
    internal import LogbookCore
    internal import LogbookFormat
    internal import LogbookTransactions

    extension ClickHouseArchive {
        /// Keys that are asked for in one query.
        static let keysAtATime = 2000

        public func store(_ parcel: TransactionParcel) async throws(ArchiveError) -> ArchiveReceipt {
            let parcel = parcel.withArchivedIDs
            return try await speaking { client throws(ClickHouseFailure) in
                let marks = AdmittedSet.marks(of: parcel)
                var erased = try await self.erased(marks)
                var admitted = AdmittedSet(parcel, erased: erased)
                let found = try await self.standing(admitted.erasures, tenant: parcel.tenant)
                if !found.isEmpty {
                    try await self.note(found, tenant: parcel.tenant)
                    for (end, ids) in found {
                        for id in ids { erased[ErasureMark.transaction(id, tenant: parcel.tenant)] = end }
                    }
                    admitted = AdmittedSet(parcel, erased: erased)
                }
                let precedence = self.nextPrecedence()
                let fresh = try await self.fresh(admitted.entries, tenant: parcel.tenant)
                // Before the first insert: where this fails nothing is stored, and what is new is so still when the set comes again.
                let conflicts = try await self.conflicts(among: admitted.entries, beside: fresh, tenant: parcel.tenant)
                let devices = admitted.devices.map(\.facts.ofEntry)
                try await client.insert(
                    admitted.transactions.map { Self.row(of: $0, parcel, precedence: precedence) }, into: Self.transactions.name)
                try await client.insert(fresh.map { Self.row(of: $0, devices, parcel, precedence: precedence) }, into: Self.entries.name)
                try await client.insert(
                    [Self.parcel(parcel.parcel, kind: "transactions", parcel.tenant, parcel.received, precedence)], into: Self.parcels.name)
                // Somebody may have been erased while we stored: whoever comes second sees to it.
                let new = try await self.erased(marks).later(than: erased)
                try await self.note(admitted.transactions, tenant: parcel.tenant, erasedBy: new)
                return ArchiveReceipt(
                    accepted: fresh.count, duplicates: admitted.entries.count - fresh.count - conflicts.count, conflicts: conflicts,
                    erased: admitted.erasedCount)
            }
        }

        public func store(_ batch: LogBatch) async throws(ArchiveError) -> ArchiveReceipt {
            try await speaking { client throws(ClickHouseFailure) in
                let marks = batch.items.map { item in item.transactionID.map { ErasureMark.transaction($0, tenant: batch.tenant) } }
                let known = Set(marks.compactMap(\.self))
                let erased = try await self.erased(known)
                let precedence = self.nextPrecedence()
                let name = batch.parcel ?? Self.unnamed(precedence)
                var digests: [String] = []
                var rows: [String: ArchiveRow] = [:]
                var erasedCount = 0
                for (ordinal, item) in batch.items.enumerated() {
                    if TransactionErasure(ofTransaction: marks[ordinal].flatMap { erased[$0] }).covers(item.event.time) {
                        erasedCount += 1
                        continue
                    }
                    let key = item.key ?? "parcel \(name.utf8.count):\(name) \(ordinal)"
                    let digest = HexadecimalDigest.of(key.utf8)
                    if rows[digest] != nil { continue }
                    digests.append(digest)
                    rows[digest] = Self.row(of: item, digest: digest, ordinal: ordinal, batch, precedence: precedence)
                }
                var stored: Set<String> = []
                for piece in digests.pieces(of: Self.keysAtATime) {
                    stored.formUnion(
                        try await client.rows(
                            """
                            SELECT DISTINCT digest FROM \(self.name(Self.logEvents))
                            WHERE tenant = \(batch.tenant.clickHouseLiteral) AND digest IN \(piece.clickHouseList)
                            """
                        ).compactMap { $0.text("digest") })
                }
                let fresh = digests.filter { !stored.contains($0) }
                try await client.insert(fresh.compactMap { rows[$0] }, into: Self.logEvents.name)
                try await client.insert(
                    [Self.parcel(batch.parcel, kind: "logs", batch.tenant, batch.received, precedence)], into: Self.parcels.name)
                var late: [LogTime: [String]] = [:]
                for (mark, end) in try await self.erased(known).later(than: erased) {
                    guard let place = marks.firstIndex(of: mark), let id = batch.items[place].transactionID else { continue }
                    late[end, default: []].append(id)
                }
                try await self.note(late, tenant: batch.tenant)
                return ArchiveReceipt(
                    accepted: fresh.count, duplicates: batch.items.count - fresh.count - erasedCount, erased: erasedCount)
            }
        }

        public func bytesSent(on day: Int64) async throws(ArchiveError) -> [String: Int] {
            try await speaking { client throws(ClickHouseFailure) in
                // Merging may not have removed doubles yet.
                let rows = try await client.rows(
                    """
                    SELECT tenant, sum(added) AS total FROM (
                      SELECT tenant, addition, any(bytes) AS added FROM \(self.name(Self.bytesSent)) WHERE day = \(day)
                      GROUP BY tenant, addition)
                    GROUP BY tenant
                    """)
                return Dictionary(rows.map { ($0.text("tenant") ?? "", Int($0.integer("total") ?? 0)) }, uniquingKeysWith: +)
            }
        }

        public func addBytesSent(_ bytes: [String: Int], on day: Int64) async throws(ArchiveError) {
            try await speaking { client throws(ClickHouseFailure) in
                let precedence = self.nextPrecedence(), addition = UniqueID.make()
                let rows = bytes.map { tenant, count in
                    var row = ArchiveRow()
                    row.add("tenant", tenant)
                    row.add("day", day)
                    row.add("addition", addition)
                    row.add("bytes", count)
                    row.add("precedence", precedence)
                    return row
                }
                try await client.insert(rows, into: Self.bytesSent.name)
            }
            let isFirst = latestDay.withLock { latest in
                defer { latest = day }
                return latest != day
            }
            // Who is answered does not wait for it.
            if isFirst { tidying.ask { [weak self] in await self?.removeEarlierDays() ?? true } }
        }

        /// Notes what was stored although it was erased at that moment: what a transaction has up to its mark, and a user's as the erasure
        /// would have done had it found it, for good. Apart from that up to the time of the erasure: so what comes late is known also where
        /// nobody has come to mark it for good.
        private func note(
            _ stored: [TransactionFacts], tenant: String, erasedBy new: [String: LogTime]
        ) async throws(ClickHouseFailure) {
            if new.isEmpty { return }
            var named: [AdmittedSet.Erasure] = []
            for facts in stored {
                guard let user = facts.user, let end = new[ErasureMark.user(user, tenant: tenant)] else { continue }
                named += [end, .distantFuture].map { AdmittedSet.Erasure(transaction: facts.id, user: user, end: $0) }
            }
            var ids = try await standing(named, tenant: tenant)
            for facts in stored {
                if let end = new[ErasureMark.transaction(facts.id, tenant: tenant)] { ids[end, default: []].append(facts.id) }
            }
            try await note(ids, tenant: tenant)
        }

        /// Of the marks, those that are there.
        func erased(_ marks: Set<String>) async throws(ClickHouseFailure) -> [String: LogTime] {
            var found: [String: LogTime] = [:]
            for piece in Array(marks).pieces(of: Self.keysAtATime) {
                let rows = try await client.rows(
                    "SELECT mark, max(time) AS latest FROM \(name(Self.erased)) WHERE mark IN \(piece.clickHouseList) GROUP BY mark")
                for row in rows {
                    if let mark = row.text("mark"), let time = row.integer("latest") { found[mark] = LogTime(microseconds: time) }
                }
            }
            return found
        }

        /// Those that are not stored yet, each key of a transaction once.
        private func fresh(_ entries: [AdmittedSet.Entry], tenant: String) async throws(ClickHouseFailure) -> [AdmittedSet.Entry] {
            var places: Set<EntryPlace> = []
            let once = entries.filter { places.insert(EntryPlace($0)).inserted }
            var stored: Set<EntryPlace> = []
            for piece in once.pieces(of: Self.keysAtATime) {
                let rows = try await client.rows(
                    """
                    SELECT DISTINCT transaction, digest FROM \(name(Self.entries)) WHERE tenant = \(tenant.clickHouseLiteral)
                      AND transaction IN \(piece.map(\.transaction).clickHouseList)
                      AND digest IN \(piece.map(\.digest).clickHouseList)
                    """)
                stored.formUnion(rows.compactMap { EntryPlace(row: $0) })
            }
            return once.filter { !stored.contains(EntryPlace($0)) }
        }

        // MARK: Rows

        /// A name for a parcel that has none, unlike any that a sender gives.
        private static func unnamed(_ precedence: UInt64) -> String { " \(precedence) \(UniqueID.make())" }

        private static func parcel(
            _ name: String?, kind: String, _ tenant: String, _ received: LogTime, _ precedence: UInt64
        ) -> ArchiveRow {
            var row = ArchiveRow()
            row.add("tenant", tenant)
            row.add("kind", kind)
            row.add("name", name ?? unnamed(precedence))
            row.add("received", received.microseconds)
            row.add("precedence", precedence)
            return row
        }

        private static func row(of facts: TransactionFacts, _ parcel: TransactionParcel, precedence: UInt64) -> ArchiveRow {
            var row = ArchiveRow()
            facts.add(to: &row)
            // Of rows that say the same the first stays, and goes when it is old: one that came on a later day is not to go with it.
            let digest = HexadecimalDigest.of(row.object + Array("\(parcel.received.day)".utf8))
            row.add("tenant", parcel.tenant)
            row.add("transaction", facts.id)
            row.add("facts", digest)
            row.add("received", parcel.received.microseconds)
            row.add("precedence", precedence)
            return row
        }

        /// - Parameter devices: Those of the set.
        private static func row(
            of entry: AdmittedSet.Entry, _ devices: [DeviceFacts], _ parcel: TransactionParcel, precedence: UInt64
        ) -> ArchiveRow {
            var row = ArchiveRow()
            row.add("tenant", parcel.tenant)
            row.add("transaction", entry.transaction)
            row.add("digest", entry.digest)
            row.add("key", entry.record.key?.description)
            row.add("event", entry.record.event)
            row.add("time", entry.record.time.microseconds)
            row.add("day", day(of: entry.record.time, received: parcel.received))
            row.add("offset_nanoseconds", entry.record.offset)
            row.add("error_code", entry.record.errorCode)
            row.add("error_description", entry.record.errorDescription)
            if let device = entry.device { devices[device].addAsOwn(to: &row) }
            row.add("ordinal", entry.ordinal)
            row.add("received", parcel.received.microseconds)
            row.add("precedence", precedence)
            return row
        }

        private static func row(
            of item: LogBatch.Item, digest: String, ordinal: Int, _ batch: LogBatch, precedence: UInt64
        ) -> ArchiveRow {
            var row = ArchiveRow()
            row.add("tenant", batch.tenant)
            row.add("digest", digest)
            item.add(to: &row)
            row.add("time", item.event.time.microseconds)
            row.add("day", day(of: item.event.time, received: batch.received))
            row.add("ordinal", ordinal)
            row.add("received", batch.received.microseconds)
            row.add("precedence", precedence)
            return row
        }
    }

    extension [String: LogTime] {
        /// Those of the marks that were not known, or only up to an earlier time.
        fileprivate func later(than known: [String: LogTime]) -> [String: LogTime] {
            filter { mark, time in known[mark].map { time > $0 } ?? true }
        }
    }
#endif
