#if Collector
    internal import GRDB
    internal import LogbookCore
    internal import LogbookFormat
    internal import LogbookTransactions

    extension SQLiteArchive {
        public func store(_ parcel: TransactionParcel) async throws(ArchiveError) -> ArchiveReceipt {
            let parcel = parcel.withArchivedIDs.withDevicesApart
            let keys = EntryIdentity.keys(for: parcel).map(\.storable)
            var digests = RowKey.Digests()
            let rowKeys = keys.map { RowKey($0, tenant: parcel.tenant, &digests) }
            return try await writeTogether { [remains] database in
                let received = parcel.received.microseconds
                let number = try Self.parcelNumber(
                    parcel.parcel, of: parcel.tenant, kind: "transactions", received: received, database)
                func marks() throws -> [TransactionErasure] {
                    let known = try Erasures(of: parcel.tenant, database)
                    return try parcel.set.transactions.map { try known.erasure(of: $0, database) }
                }
                var erasures = try marks()
                // Before anything is stored, which would fill in what is to go, or meet it.
                let found = TransactionErasure.found(erasures, in: parcel.set.transactions)
                for (transaction, end) in found {
                    if try Self.erase(transaction, of: parcel.tenant, upTo: end, database) { remains.withLock { $0 = true } }
                }
                // Another element of the set may be of a transaction that is marked only now.
                if !found.isEmpty { erasures = try marks() }
                var receipt = ArchiveReceipt(accepted: 0, duplicates: 0)
                var ordinal = 0
                for (transaction, erasure) in zip(parcel.set.transactions, erasures) {
                    let first = ordinal
                    ordinal += transaction.entries.count
                    let kept = transaction.entries.indices.filter { !erasure.covers(transaction.entries[$0].time) }
                    receipt.erased += transaction.entries.count - kept.count
                    if kept.isEmpty && erasure.end != nil { continue }
                    let (id, isOfOtherDevice) = try Self.number(of: transaction, parcel.tenant, received: received, database)
                    let device = isOfOtherDevice ? DeviceFacts.named(in: transaction)?.ofEntry : nil
                    let insert = try BulkInsert(Self.insertEntries, count: kept.count, database)
                    try insert.inEveryRow { row in
                        try row.bind(id, at: 1)
                        try row.bind(parcel.tenant, at: 2)
                        try row.bind(number, at: 9)
                        try row.bind(received, at: 11)
                        // In all others these columns are null: what is not bound is so.
                        if let device { try Self.bind(device, to: row) }
                    }
                    // Of whose rows some were there: those of one statement each.
                    var repeated: [Range<Int>] = [], begin = 0
                    for (place, index) in kept.enumerated() {
                        let entry = transaction.entries[index], row = insert[place]
                        let key = rowKeys[first + index]
                        try row.bind(entry.key == nil ? "" : keys[first + index], at: 3)   // else it is what the entry says, once more
                        try row.bind(entry.event, at: 4)
                        try row.bind(entry.time.microseconds, at: 5)
                        try row.bind(entry.offset, at: 6)
                        try row.bind(entry.errorCode, at: 7)
                        try row.bind(entry.errorDescription?.storable, at: 8)
                        try row.bind(first + index, at: 10)
                        try row.bind(key.origin, at: 12)
                        try row.bind(key.epoch, at: 13)
                        try row.bind(key.sequence, at: 14)
                        let written = try row.end()
                        receipt.accepted += written
                        if !row.isLast { continue }
                        if written < place + 1 - begin { repeated.append(begin..<place + 1) }
                        begin = place + 1
                    }
                    if repeated.isEmpty { continue }
                    let comparison = try Comparison(database)
                    for index in repeated.joined().map({ kept[$0] }) {
                        let entry = transaction.entries[index]
                        if let conflict = ArchiveReceipt.Conflict(entry, in: transaction.id),
                            try comparison.finds(anotherThan: entry, under: rowKeys[first + index], of: id)
                        {
                            receipt.add(conflict)
                        }
                    }
                }
                receipt.duplicates = ordinal - receipt.accepted - receipt.conflicting - receipt.erased
                try Self.close(number, accepted: receipt.accepted, received: received, database)
                return receipt
            }
        }

        private static let insertEntries = BulkInsert.Text(
            """
            INSERT INTO entries (transaction_id, tenant, key, event, time, offset, error_code, error_description, parcel, ordinal, received,
              origin, epoch, sequence, own_device_make, own_device_os, own_device_os_version)
            """, columns: 17, "ON CONFLICT (origin, epoch, sequence) DO NOTHING")

        private static let insertLogEvents = BulkInsert.Text(
            """
            INSERT INTO log_events (installation, epoch, sequence, time, level, message, thread, file, function, line,
              metadata, error_type, error_message, transaction_guid, usecase, event, error_code, error_description,
              tenant, parcel, ordinal, received, origin)
            """, columns: 23, "ON CONFLICT DO NOTHING")

        public func store(_ batch: LogBatch) async throws(ArchiveError) -> ArchiveReceipt {
            try await writeTogether { database in
                let received = batch.received.microseconds
                let number = try Self.parcelNumber(batch.parcel, of: batch.tenant, kind: "logs", received: received, database)
                let erasures = try Erasures(of: batch.tenant, database)
                var receipt = ArchiveReceipt(accepted: 0, duplicates: 0)
                let kept = try erasures.kept(of: batch.items, database)
                receipt.erased = batch.items.count - kept.count
                let latest = try RowStatement("SELECT ifnull(max(id), 0) FROM log_events", database).integer() ?? 0
                var digests = RowKey.Digests()
                let insert = try BulkInsert(Self.insertLogEvents, count: kept.count, database)
                try insert.inEveryRow { row in
                    try row.bind(batch.tenant, at: 19)
                    try row.bind(number, at: 20)
                    try row.bind(received, at: 22)
                }
                receipt.accepted = try batch.items.withUnsafeBufferPointer { items in
                    guard let start = items.baseAddress else { return 0 }
                    var accepted = 0
                    for (place, index) in kept.enumerated() {
                        let row = insert[place], item = start + index
                        try Self.bind(item, to: row)
                        try row.bind(index, at: 21)
                        let origin = item.pointee.origin.map { digests.origin($0.installation.storable, tenant: batch.tenant) }
                        try row.bind(origin, at: 23)
                        accepted += try row.end()
                    }
                    return accepted
                }
                if receipt.accepted > 0 {
                    try Self.noteArrival(of: latest + 1...latest + Int64(receipt.accepted), received: received, database)
                }
                receipt.duplicates = batch.items.count - receipt.accepted - receipt.erased
                try Self.close(number, accepted: receipt.accepted, received: received, database)
                return receipt
            }
        }

        /// Notes which rows came together. They have the numbers behind those that were there: one connection writes.
        private static func noteArrival(of rows: ClosedRange<Int64>, received: Int64, _ database: Database) throws {
            let insert = try RowStatement(
                """
                INSERT INTO log_arrivals (received, first, last) VALUES (?, ?, ?)
                ON CONFLICT (received, first) DO UPDATE SET last = max(last, excluded.last)
                """, database)
            try insert.bind(received, at: 1)
            try insert.bind(rows.lowerBound, at: 2)
            try insert.bind(rows.upperBound, at: 3)
            _ = try insert.run()
        }

        public func addBytesSent(_ bytes: [String: Int], on day: Int64) async throws(ArchiveError) {
            try await write { database in
                try database.cachedStatement(sql: "DELETE FROM bytes_sent WHERE day < ?").execute(arguments: [day])
                for (tenant, count) in bytes {
                    try database.cachedStatement(
                        sql: """
                            INSERT INTO bytes_sent (tenant, day, bytes) VALUES (?, ?, ?)
                            ON CONFLICT (tenant, day) DO UPDATE SET bytes = bytes + excluded.bytes
                            """
                    ).execute(arguments: [tenant, day, count])
                }
            }
        }

        /// The device of the entries of one transaction of a set.
        private static func bind(_ device: DeviceFacts, to row: BulkInsert.Row) throws {
            try row.bind(device.make.isEmpty ? nil : device.make, at: 15)
            try row.bind(device.os.isEmpty ? nil : device.os, at: 16)
            try row.bind(device.osVersion.isEmpty ? nil : device.osVersion, at: 17)
        }

        /// The row of the transaction, made when there is none; what it did not know is filled in, and nothing overwritten.
        /// - Returns: Its number, and whether it knows another device than is named here.
        private static func number(
            of transaction: TransactionRecord, _ tenant: String, received: Int64, _ database: Database
        ) throws -> (number: Int64?, isOfOtherDevice: Bool) {
            let insert = try RowStatement(
                """
                INSERT INTO transactions (tenant, guid, usecase, user, variant, app_version, session, installation,
                  device_make, device_os, device_os_version, received)
                VALUES (?, ?, ?, NULLIF(?, ''), NULLIF(?, ''), NULLIF(?, ''), NULLIF(?, ''), NULLIF(?, ''),
                  NULLIF(?, ''), NULLIF(?, ''), NULLIF(?, ''), ?)
                ON CONFLICT (tenant, guid) DO UPDATE SET user = COALESCE(NULLIF(user, ''), excluded.user),
                  variant = COALESCE(NULLIF(variant, ''), excluded.variant),
                  app_version = COALESCE(NULLIF(app_version, ''), excluded.app_version),
                  session = COALESCE(NULLIF(session, ''), excluded.session),
                  installation = COALESCE(NULLIF(installation, ''), excluded.installation),
                  device_make = COALESCE(device_make, excluded.device_make),
                  device_os = COALESCE(device_os, excluded.device_os),
                  device_os_version = COALESCE(device_os_version, excluded.device_os_version)
                RETURNING id, device_make <> NULLIF(?9, '') OR device_os <> NULLIF(?10, '') OR device_os_version <> NULLIF(?11, '')
                """, database)
            try insert.bind(tenant, at: 1)
            try insert.bind(transaction.id.storable, at: 2)
            try insert.bind(transaction.usecase, at: 3)
            try insert.bind(transaction.user?.storable, at: 4)
            try insert.bind(transaction.variant?.storable, at: 5)
            try insert.bind(transaction.appVersion?.storable, at: 6)
            try insert.bind(transaction.session?.storable, at: 7)
            try insert.bind(transaction.installation?.storable, at: 8)
            try insert.bind(transaction.deviceMake?.storable, at: 9)
            try insert.bind(transaction.deviceOS?.storable, at: 10)
            try insert.bind(transaction.deviceOSVersion?.storable, at: 11)
            try insert.bind(received, at: 12)
            let (number, isOfOtherDevice) = try insert.integers()
            return (number, isOfOtherDevice == 1)
        }

        /// The first eighteen columns.
        /// - Parameter item: Where it is: a copy of one takes as long as half of its columns.
        private static func bind(_ item: UnsafePointer<LogBatch.Item>, to insert: BulkInsert.Row) throws {
            let source = item.pointee.event.source
            let isPlaceKnown = source != .unknown
            var metadata: [UInt8] = []
            if !item.pointee.event.metadata.isEmpty { metadata.append(json: item.pointee.event.metadata) }
            try insert.bind(item.pointee.origin?.installation.storable, at: 1)
            try insert.bind(item.pointee.origin.map { Int64(bitPattern: $0.epoch) }, at: 2)
            try insert.bind(Int64(bitPattern: item.pointee.event.sequence), at: 3)
            try insert.bind(item.pointee.event.time.microseconds, at: 4)
            try insert.bind(item.pointee.event.level.name, at: 5)
            try insert.bind(item.pointee.event.message.storable, at: 6)
            let thread = item.pointee.event.thread
            try insert.bind(thread == 0 ? nil : Int64(bitPattern: thread), at: 7)
            try insert.bind(isPlaceKnown ? source.file.storable : nil, at: 8)
            try insert.bind(isPlaceKnown ? source.function.storable : nil, at: 9)
            try insert.bind(isPlaceKnown ? Int64(source.line) : nil, at: 10)
            try insert.bind(metadata.isEmpty ? nil : String(decoding: metadata, as: UTF8.self), at: 11)
            let error = item.pointee.event.error
            try insert.bind(error?.type.storable, at: 12)
            try insert.bind(error?.description.storable, at: 13)
            try insert.bind(item.pointee.transactionID, at: 14)
            let entry = item.pointee.event.hasAttachment ? item.pointee.event.transaction : nil
            try insert.bind(entry?.usecase, at: 15)
            try insert.bind(entry?.event, at: 16)
            try insert.bind(entry?.errorCode, at: 17)
            try insert.bind(entry?.errorDescription?.storable, at: 18)
        }

        /// The number of the parcel of this name, which may have come before; a new one where the sender gave no name.
        private static func parcelNumber(
            _ name: String?, of tenant: String, kind: String, received: Int64, _ database: Database
        ) throws -> Int64? {
            let insert = try RowStatement(
                """
                INSERT INTO parcels (tenant, name, kind, received) VALUES (?, ?, ?, ?)
                ON CONFLICT (tenant, name, kind) DO UPDATE SET arrivals = arrivals + 1 RETURNING id
                """, database)
            try insert.bind(tenant, at: 1)
            try insert.bind(name, at: 2)
            try insert.bind(kind, at: 3)
            try insert.bind(received, at: 4)
            return try insert.integer()
        }

        /// A parcel of which something new has come is as young as that.
        private static func close(_ number: Int64?, accepted: Int, received: Int64, _ database: Database) throws {
            let update = try RowStatement(
                "UPDATE parcels SET items = items + ?1, received = CASE WHEN ?1 > 0 THEN max(received, ?2) ELSE received END WHERE id = ?3",
                database)
            try update.bind(accepted, at: 1)
            try update.bind(received, at: 2)
            try update.bind(number, at: 3)
            _ = try update.run()
        }
    }
#endif
