#if Collector
    internal import LogbookCore
    internal import LogbookFormat
    internal import LogbookTransactions

    extension PostgresArchive {
        public func store(_ parcel: TransactionParcel) async throws(ArchiveError) -> ArchiveReceipt {
            let parcel = parcel.withArchivedIDs
            let times = parcel.set.transactions.flatMap { $0.entries.map(\.time) }
            let marks = AdmittedSet.marks(of: parcel)
            while true {
                let outcome: Outcome = try await pool.run { connection throws(PostgresFailure) in
                    try self.makeDays(times, of: .entries, received: parcel.received, connection)
                    return try Self.store(parcel, marks, connection)
                }
                switch outcome {
                case .stored(let receipt): return receipt
                // Before the set is stored: where that is interrupted, the set comes again and the rest is erased then.
                case .found(let erasures): try await erase(erasures, of: parcel.tenant)
                }
            }
        }

        private enum Outcome: Sendable {
            case stored(ArchiveReceipt)
            /// Nothing is stored: these are to be erased first.
            case found([AdmittedSet.Erasure])
        }

        private static func store(
            _ parcel: TransactionParcel, _ marks: Set<String>, _ connection: PostgresConnection
        ) throws(PostgresFailure) -> Outcome {
            try connection.transaction { () throws(PostgresFailure) -> Outcome in
                let admitted = AdmittedSet(parcel, erased: try erased(marks, connection))
                let found = try standing(admitted.erasures, of: parcel.tenant, connection)
                if !found.isEmpty { return .found(found) }
                let number = try parcelNumber(
                    parcel.parcel, kind: "transactions", tenant: parcel.tenant, received: parcel.received, connection)
                let received = "\(parcel.received.microseconds)"
                let devices = rows(admitted.devices.enumerated().map { row(of: $0.element, number: $0.offset) })
                let known = try connection.execute(
                    upsertTransactions, [parcel.tenant, received, rows(admitted.transactions.map { row(of: $0) }), devices]
                ).rows[0]
                var others: [Int: DeviceFacts] = [:]
                for place in numbers(known[0]) { others[place] = admitted.devices[place].facts.ofEntry }
                let entries = admitted.entries.map { entry in row(of: entry, device: entry.device.flatMap { others[$0] }) }
                let inserted = try connection.execute(
                    insertEntries, [parcel.tenant, number, received, rows(entries), "\(entries.count)"]
                ).rows[0]
                let accepted = inserted[0].flatMap { Int($0) } ?? 0
                var conflicts: [ArchiveReceipt.Conflict] = []
                if accepted < admitted.entries.count {
                    let fresh = numbers(inserted[1])
                    conflicts = try Self.conflicts(
                        among: admitted.entries.filter { !fresh.contains($0.ordinal) }, of: parcel.tenant, connection)
                }
                return .stored(
                    try close(
                        number, received: parcel.received, items: parcel.set.entryCount, accepted: accepted, conflicts: conflicts,
                        erased: admitted.erasedCount, connection))
            }
        }

        public func store(_ batch: LogBatch) async throws(ArchiveError) -> ArchiveReceipt {
            let times = batch.items.map(\.event.time)
            let items = batch.items, tenant = batch.tenant
            let marks = items.map { item in item.transactionID.map { ErasureMark.transaction($0, tenant: tenant) } }
            return try await pool.run { connection throws(PostgresFailure) in
                try self.makeDays(times, of: .log_events, received: batch.received, connection)
                return try connection.transaction { () throws(PostgresFailure) in
                    let erased = try Self.erased(Set(marks.compactMap(\.self)), connection)
                    let number = try Self.parcelNumber(
                        batch.parcel, kind: "logs", tenant: tenant, received: batch.received, connection)
                    var rows: [ArchiveRow] = []
                    for (ordinal, item) in items.enumerated() {
                        let erasure = TransactionErasure(ofTransaction: marks[ordinal].flatMap { erased[$0] })
                        if erasure.covers(item.event.time) { continue }
                        rows.append(Self.row(of: item, ordinal: ordinal, parcel: number))
                    }
                    let accepted = try connection.execute(
                        Self.insertEvents, [tenant, number, "\(batch.received.microseconds)", Self.rows(rows)]
                    ).count
                    return try Self.close(
                        number, received: batch.received, items: items.count, accepted: accepted, erased: items.count - rows.count,
                        connection)
                }
            }
        }

        /// Of the marks, those that are there. Until the transaction ends nothing is erased.
        private static func erased(
            _ marks: Set<String>, _ connection: PostgresConnection
        ) throws(PostgresFailure) -> [String: LogTime] {
            try connection.execute("SELECT pg_advisory_xact_lock_shared($1::bigint)", ["\(removalLock)"])
            if marks.isEmpty { return [:] }
            let rows = try connection.execute(
                "SELECT mark, \(microseconds("time")) FROM erased WHERE mark = ANY ($1::text[])",
                ["{" + marks.joined(separator: ",") + "}"]
            ).rows
            var found: [String: LogTime] = [:]
            for row in rows {
                if let mark = row[0], let time = row[1].flatMap({ Int64($0) }) { found[mark] = LogTime(microseconds: time) }
            }
            return found
        }

        /// The number of the parcel of this name, which may have come before; a new one where the sender gave no name. The row stays
        /// locked: the same parcel, stored by two at the same time, is stored by one after the other.
        private static func parcelNumber(
            _ name: String?, kind: String, tenant: String, received: LogTime, _ connection: PostgresConnection
        ) throws(PostgresFailure) -> String {
            let rows = try connection.execute(
                """
                INSERT INTO parcels AS p (tenant, kind, name, received) VALUES ($1, $2, $3, \(time("$4")))
                ON CONFLICT (tenant, kind, name) DO UPDATE SET arrivals = p.arrivals + 1 RETURNING id
                """, [tenant, kind, name?.storable, "\(received.microseconds)"]
            ).rows
            guard let number = rows.first?[0] else { throw .refused(code: "", reason: "a parcel got no number") }
            return number
        }

        private static func close(
            _ number: String, received: LogTime, items: Int, accepted: Int, conflicts: [ArchiveReceipt.Conflict] = [], erased: Int,
            _ connection: PostgresConnection
        ) throws(PostgresFailure) -> ArchiveReceipt {
            // A parcel of which something new has come is as young as that.
            try connection.execute(
                """
                UPDATE parcels SET items = items + $1::bigint,
                  received = CASE WHEN $1::bigint > 0 THEN greatest(received, \(time("$3"))) ELSE received END
                WHERE id = $2::bigint
                """, ["\(accepted)", number, "\(received.microseconds)"])
            return ArchiveReceipt(
                accepted: accepted, duplicates: items - accepted - conflicts.count - erased, conflicts: conflicts, erased: erased)
        }

        /// `$1` tenant, `$2` received, `$3` rows, `$4` devices that the set names. Says which of these are another one than the
        /// transaction's: their numbers, as an array of PostgreSQL, or null for none.
        private static let upsertTransactions = """
            WITH known AS (
              INSERT INTO transactions AS t (tenant, guid, usecase, device_make, device_os, device_os_version, user_id, variant,
                app_version, session, installation, received)
              SELECT $1, guid, usecase, device_make, device_os, device_os_version, user_id, variant, app_version, session, installation,
                \(time("$2"))
              FROM jsonb_to_recordset($3::jsonb) AS r (guid text, usecase bigint, device_make text, device_os text,
                device_os_version text, user_id text, variant text, app_version text, session text, installation text)
              ORDER BY guid COLLATE "C"
              ON CONFLICT (tenant, guid) DO UPDATE SET
                device_make = COALESCE(t.device_make, excluded.device_make), device_os = COALESCE(t.device_os, excluded.device_os),
                device_os_version = COALESCE(t.device_os_version, excluded.device_os_version),
                user_id = COALESCE(t.user_id, excluded.user_id), variant = COALESCE(t.variant, excluded.variant),
                app_version = COALESCE(t.app_version, excluded.app_version), session = COALESCE(t.session, excluded.session),
                installation = COALESCE(t.installation, excluded.installation)
              RETURNING t.guid, t.device_make, t.device_os, t.device_os_version)
            SELECT array_agg(said.number)
            FROM jsonb_to_recordset($4::jsonb) AS said (number integer, guid text, own_device_make text, own_device_os text,
              own_device_os_version text) JOIN known ON known.guid = said.guid
            WHERE said.own_device_make <> known.device_make OR said.own_device_os <> known.device_os
              OR said.own_device_os_version <> known.device_os_version
            """

        /// `$1` tenant, `$2` parcel, `$3` received, `$4` rows, `$5` how many they are. Says how many it has inserted and, where these are
        /// not all, which: their ordinals, as an array of PostgreSQL, or null for none.
        private static let insertEntries = """
            WITH input AS (
              SELECT DISTINCT ON (hash) *, decode(hash, 'hex') AS digest, \(time("us")) AS time FROM jsonb_to_recordset($4::jsonb)
                AS r (guid text, hash text, key text, event bigint, us bigint, offset_nanoseconds bigint, error_code bigint,
                  error_description text, ordinal integer, own_device_make text, own_device_os text, own_device_os_version text)
              ORDER BY hash, ordinal),
            fresh AS (
              INSERT INTO entry_keys (tenant, digest) SELECT $1, digest FROM input ORDER BY digest
              ON CONFLICT DO NOTHING RETURNING digest),
            stored AS (
              INSERT INTO entries (transaction, tenant, digest, key, event, time, offset_nanoseconds, error_code, error_description,
                parcel, ordinal, received, own_device_make, own_device_os, own_device_os_version)
              SELECT t.id, $1, digest, key, event, time, offset_nanoseconds, error_code, error_description, $2::bigint, ordinal,
                \(time("$3")), own_device_make, own_device_os, own_device_os_version
              FROM fresh JOIN input USING (digest) JOIN transactions t ON t.tenant = $1 AND t.guid = input.guid
              RETURNING ordinal)
            SELECT count(*), CASE WHEN count(*) < $5::bigint THEN array_agg(ordinal) END FROM stored
            """

        /// `$1` tenant, `$2` parcel, `$3` received, `$4` rows. Counts those it has inserted.
        private static let insertEvents = """
            WITH input AS (
              SELECT DISTINCT ON (hash) *, decode(hash, 'hex') AS digest, \(time("us")) AS time FROM jsonb_to_recordset($4::jsonb)
                AS r (hash text, installation text, epoch bigint, sequence bigint, us bigint, level text, message text,
                  thread bigint, file text, function text, line bigint, metadata text, error_type text, error_message text,
                  transaction_guid text, usecase bigint, event bigint, error_code bigint, error_description text, ordinal integer)
              ORDER BY hash, ordinal),
            fresh AS (
              INSERT INTO log_event_keys (tenant, digest) SELECT $1, digest FROM input ORDER BY digest
              ON CONFLICT DO NOTHING RETURNING digest)
            INSERT INTO log_events (tenant, digest, installation, epoch, sequence, time, level, message, thread, file, function, line,
              metadata, error_type, error_message, transaction_guid, usecase, event, error_code, error_description, parcel, ordinal,
              received)
            SELECT $1, digest, installation, epoch, sequence, time, level, message, thread, file, function, line, metadata::jsonb,
              error_type, error_message, transaction_guid, usecase, event, error_code, error_description, $2::bigint, ordinal,
              \(time("$3"))
            FROM fresh JOIN input USING (digest)
            """

        // MARK: Rows

        static func rows(_ rows: [ArchiveRow]) -> String {
            var bytes: [UInt8] = [0x5B]
            for (index, row) in rows.enumerated() {
                if index > 0 { bytes.append(0x2C) }
                bytes += row.object
            }
            bytes.append(0x5D)
            return String(decoding: bytes, as: UTF8.self)
        }

        /// What an array of PostgreSQL holds; null holds nothing.
        private static func numbers(_ array: String?) -> Set<Int> {
            Set((array ?? "{}").dropFirst().dropLast().split(separator: ",").compactMap { Int($0) })
        }

        private static func row(of facts: TransactionFacts) -> ArchiveRow {
            var row = ArchiveRow()
            row.add("guid", facts.id)
            facts.add(to: &row)
            return row
        }

        private static func row(of device: AdmittedSet.Device, number: Int) -> ArchiveRow {
            var row = ArchiveRow()
            row.add("number", number)
            row.add("guid", device.transaction)
            device.facts.addAsOwn(to: &row)
            return row
        }

        /// - Parameter device: Where it is another one than the transaction's.
        private static func row(of entry: AdmittedSet.Entry, device: DeviceFacts?) -> ArchiveRow {
            var row = ArchiveRow()
            row.add("guid", entry.transaction)
            row.add("hash", entry.digest)
            row.add("key", entry.record.key?.description)
            row.add("event", entry.record.event)
            row.add("us", entry.record.time.microseconds)
            row.add("offset_nanoseconds", entry.record.offset)
            row.add("error_code", entry.record.errorCode)
            row.add("error_description", entry.record.errorDescription)
            row.add("ordinal", entry.ordinal)
            device?.addAsOwn(to: &row)
            return row
        }

        private static func row(of item: LogBatch.Item, ordinal: Int, parcel: String) -> ArchiveRow {
            var row = ArchiveRow()
            row.add("hash", HexadecimalDigest.of((item.key ?? "parcel \(parcel) \(ordinal)").utf8))
            row.add("us", item.event.time.microseconds)
            item.add(to: &row)
            row.add("ordinal", ordinal)
            return row
        }
    }

    extension LogBatch.Item {
        /// What names the event for good; nil where the sender gave no origin.
        var key: String? {
            origin.map { "\($0.installation.utf8.count):\($0.installation) \($0.epoch) \(event.sequence)" }
        }

        /// What the transaction in which it was said is called in a set. Not only entries name one: so does what is logged in it.
        var transactionID: String? { event.transactionID?.deliverableID }

        /// Adds a column for everything that the event says but its time.
        func add(to row: inout ArchiveRow) {
            let entry = event.transaction
            let source = event.source
            row.add("installation", origin?.installation)
            row.add("epoch", origin.map { Int64(bitPattern: $0.epoch) })
            row.add("sequence", Int64(bitPattern: event.sequence))
            row.add("level", event.level.name)
            row.add("message", event.message)
            if event.thread != 0 { row.add("thread", Int64(bitPattern: event.thread)) }
            if source != .unknown {
                row.add("file", source.file)
                row.add("function", source.function)
                row.add("line", source.line)
            }
            row.add("metadata", event.metadata.storableJSON)
            row.add("error_type", event.error?.type)
            row.add("error_message", event.error?.description)
            row.add("transaction_guid", transactionID)
            row.add("usecase", entry?.usecase)
            row.add("event", entry?.event)
            row.add("error_code", entry?.errorCode)
            row.add("error_description", entry?.errorDescription)
        }
    }
#endif
