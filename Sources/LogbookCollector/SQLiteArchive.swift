#if Collector
internal import GRDB
internal import LogbookCore
internal import LogbookFormat
public import LogbookTransactions

/// An archive in one SQLite file: a write-ahead log, one writing connection, and `synchronous=FULL`, so that what was stored
/// survives a crash of the machine. Other processes may read the file at any time.
public final class SQLiteArchive: Archive {
    private let file: ArchiveFile
    private let pool: DatabasePool
    /// The reason why the latest write failed; nil when it worked.
    private let latestFailure = Locked<String?>(nil)

    /// - Parameters:
    ///   - path: Made when there is none, readable by this user alone; its folder must exist.
    ///   - busyTimeout: How long to wait for another process that has the file locked.
    public init(path: String, busyTimeout: Duration = .seconds(5)) throws(ArchiveError) {
        file = try ArchiveFile(path, supported: Self.schemaVersion)
        var configuration = Configuration()
        configuration.label = "logbook-archive"
        configuration.busyMode = .timeout(Double(busyTimeout.wholeNanoseconds) / 1e9)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        }
        do {
            pool = try DatabasePool(path: path, configuration: configuration)
            try pool.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA synchronous = FULL")   // a pool sets NORMAL
                try Self.migrate(database)
            }
        } catch {
            throw .cannotOpen(path: path, reason: "\(error)")
        }
    }

    /// Brings everything into the one file and lets it go; nothing can be stored or asked for afterwards.
    public func close() throws(ArchiveError) {
        do { try pool.close() } catch { throw .unavailable(reason: "\(error)") }
    }

    // MARK: Storing

    public func store(_ parcel: TransactionParcel) async throws(ArchiveError) -> ArchiveReceipt {
        let keys = EntryIdentity.keys(for: parcel)
        return try await write { database in
            let received = parcel.received.microseconds
            let number = try Self.parcelNumber(parcel.parcel, kind: "transactions", received: received, database)
            let upsert = try database.cachedStatement(
                sql: """
                    INSERT INTO transactions (guid, usecase, device_make, device_os, device_os_version, received)
                    VALUES (?, ?, NULLIF(?, ''), NULLIF(?, ''), NULLIF(?, ''), ?)
                    ON CONFLICT (guid) DO UPDATE SET device_make = COALESCE(device_make, excluded.device_make),
                      device_os = COALESCE(device_os, excluded.device_os),
                      device_os_version = COALESCE(device_os_version, excluded.device_os_version)
                    RETURNING id
                    """)
            let insert = try database.cachedStatement(
                sql: """
                    INSERT INTO entries (transaction_id, key, event, time, error_code, error_description, parcel, ordinal, received)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING
                    """)
            var accepted = 0, ordinal = 0
            for transaction in parcel.set.transactions {
                let id = try Int64.fetchOne(
                    upsert,
                    arguments: [
                        transaction.id.storable, transaction.usecase, transaction.deviceMake?.storable,
                        transaction.deviceOS?.storable, transaction.deviceOSVersion?.storable, received,
                    ])
                for entry in transaction.entries {
                    try insert.execute(arguments: [
                        id, keys[ordinal].storable, entry.event, entry.time.microseconds, entry.errorCode,
                        entry.errorDescription?.storable, number, ordinal, received,
                    ])
                    accepted += database.changesCount
                    ordinal += 1
                }
            }
            return try Self.close(number, items: ordinal, accepted: accepted, database)
        }
    }

    public func store(_ batch: LogBatch) async throws(ArchiveError) -> ArchiveReceipt {
        try await write { database in
            let received = batch.received.microseconds
            let number = try Self.parcelNumber(batch.parcel, kind: "logs", received: received, database)
            let insert = try database.cachedStatement(
                sql: """
                    INSERT INTO log_events (installation, epoch, sequence, time, level, message, thread, file, function, line,
                      metadata, error_type, error_message, transaction_guid, usecase, event, error_code, error_description,
                      parcel, ordinal, received)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                    """)
            var accepted = 0
            for (ordinal, item) in batch.items.enumerated() {
                try insert.execute(arguments: StatementArguments(Self.columns(of: item) + [number, ordinal, received]))
                accepted += database.changesCount
            }
            return try Self.close(number, items: batch.items.count, accepted: accepted, database)
        }
    }

    private static func columns(of item: LogBatch.Item) -> [(any DatabaseValueConvertible)?] {
        let event = item.event, entry = item.event.transaction, source = item.event.source
        let isPlaceKnown = source != .unknown
        var metadata: [UInt8] = []
        if !event.metadata.isEmpty { metadata.append(json: event.metadata) }
        return [
            item.origin?.installation.storable, item.origin.map { Int64(bitPattern: $0.epoch) }, Int64(bitPattern: event.sequence),
            event.time.microseconds, event.level.name, event.message.storable, event.thread == 0 ? nil : Int64(bitPattern: event.thread),
            isPlaceKnown ? source.file.storable : nil, isPlaceKnown ? source.function.storable : nil,
            isPlaceKnown ? Int64(source.line) : nil,
            metadata.isEmpty ? nil : String(decoding: metadata, as: UTF8.self), event.error?.type.storable,
            event.error?.description.storable, entry?.transactionID.storable, entry?.usecase, entry?.event, entry?.errorCode,
            entry?.errorDescription?.storable,
        ]
    }

    /// The number of the parcel of this name, which may have come before; a new one where the sender gave no name.
    private static func parcelNumber(_ name: String?, kind: String, received: Int64, _ database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database.cachedStatement(
                sql: """
                    INSERT INTO parcels (name, kind, received) VALUES (?, ?, ?)
                    ON CONFLICT (name, kind) DO UPDATE SET arrivals = arrivals + 1 RETURNING id
                    """),
            arguments: [name, kind, received])
    }

    private static func close(_ number: Int64?, items: Int, accepted: Int, _ database: Database) throws -> ArchiveReceipt {
        try database.cachedStatement(sql: "UPDATE parcels SET items = items + ? WHERE id = ?")
            .execute(arguments: [accepted, number])
        return ArchiveReceipt(accepted: accepted, duplicates: items - accepted)
    }

    // MARK: Asking

    public func transaction(_ id: String) async throws(ArchiveError) -> TransactionRecord? {
        try await read { database in
            guard let row = try Row.fetchOne(
                database,
                sql: "SELECT id, usecase, device_make, device_os, device_os_version FROM transactions WHERE guid = ?",
                arguments: [id.storable])
            else { return nil }
            let entries = try Row.fetchAll(
                database,
                sql: """
                    SELECT event, error_code, error_description, time, key FROM entries WHERE transaction_id = ?
                    ORDER BY time, parcel, ordinal
                    """, arguments: [row[0] as Int64])
            return TransactionRecord(
                id: id, usecase: row[1], deviceMake: row[2], deviceOS: row[3], deviceOSVersion: row[4],
                entries: entries.map { row in
                    EntryRecord(
                        event: row[0], errorCode: row[1], errorDescription: row[2],
                        time: LogTime(nanoseconds: (row[3] as Int64) * 1000), key: EntryKey(row[4] as String))
                })
        }
    }

    public func counts() async throws(ArchiveError) -> ArchiveCounts {
        try await read { database in
            func count(_ table: String) throws -> Int { try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0 }
            return ArchiveCounts(
                transactions: try count("transactions"), entries: try count("entries"), logEvents: try count("log_events"),
                parcels: try count("parcels"))
        }
    }

    /// Takes the lock that a write needs. After a failed write it also writes, since a full disk shows only then.
    public func checkWritable() async throws(ArchiveError) {
        let mustWrite = latestFailure.withLock { $0 != nil }
        try await write { database in
            if mustWrite { try database.execute(sql: "PRAGMA user_version = \(Self.schemaVersion)") }
        }
    }

    // MARK: Access

    private func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(ArchiveError) -> Result {
        do {
            let result = try await pool.write(body)   // BEGIN IMMEDIATE … COMMIT
            latestFailure.withLock { $0 = nil }
            return result
        } catch {
            latestFailure.withLock { $0 = "\(error)" }
            throw .unavailable(reason: "\(error)")
        }
    }

    private func read<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(ArchiveError) -> Result {
        do { return try await pool.read(body) } catch { throw .unavailable(reason: "\(error)") }
    }
}

extension LogTime {
    /// Whole microseconds since 1970, rounded towards the past.
    var microseconds: Int64 { nanoseconds.flooredQuotient(by: 1000) }
}
#endif
