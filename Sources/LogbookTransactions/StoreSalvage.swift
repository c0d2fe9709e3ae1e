#if Transactions
internal import CLogbookSystem
internal import GRDB
internal import LogbookCore
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Reads what can be read of a store's file, whatever is wrong with it, and writes it to a new one.
///
/// It reads a copy, so the damaged file stays the evidence. Rows that cannot be read are passed over, from both ends towards the
/// damage. Parcels that were under way are dissolved: one of whose entries is lost could not be sent again as it was. Their
/// entries keep their keys.
struct StoreSalvage {
    /// What the new store is to say it is; what the damaged one says where nobody knows.
    var identity: StoreIdentity?
    var transactions = 0, entries = 0, orphans = 0
    var isComplete = true

    init(identity: StoreIdentity? = nil) { self.identity = identity }

    /// - Parameters:
    ///   - source: The damaged store's path. Whoever calls holds its lock.
    ///   - target: The path of the new file, which must not exist.
    mutating func run(from source: String, to target: String) throws(TransactionStoreError) {
        let copy = Self.copy(for: target)
        Self.removeUnfinished(target)
        defer { StoreFile.remove(copy) }
        do {
            try StoreFile.copy(source, to: copy)
            let isLogForeign = (try? StoreFile.isLogForeign(source)) ?? false   // where nobody can tell it is taken for the file's own
            if !isLogForeign { try StoreFile.copy(source + "-wal", to: copy + "-wal") }
            try StoreFile.mendHeader(of: copy)
            let new = logbook_openat(AT_FDCWD, target, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if new < 0 { throw TransactionStoreError.cannotOpen(path: target, reason: StoreFile.reason(errno)) }
            close(new)
            let output = try DatabaseQueue(path: target)
            try output.writeWithoutTransaction { db in
                try db.execute(sql: TransactionStore.durable + "; PRAGMA foreign_keys = ON")
            }
            try output.write { db in
                guard let input = try? Self.open(copy) else {
                    isComplete = false
                    return try finish(db)
                }
                defer { try? input.close() }
                try input.inDatabase { damaged in try copyRows(of: damaged, to: db) }
            }
            try output.close()
        } catch {
            StoreFile.remove(target)
            throw TransactionStoreError(error, path: source)
        }
    }

    /// Deletes what a kill in the middle of a salvage has left: it holds all that is in the store, and no deletion there reaches it.
    static func removeUnfinished(_ target: String) {
        StoreFile.remove(copy(for: target))
        StoreFile.remove(target)
    }

    /// Where the copy is that is read.
    private static func copy(for target: String) -> String { target + "-reading" }

    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "logbook.salvage"
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema")
        }
        return queue
    }

    private mutating func copyRows(of damaged: Database, to db: Database) throws {
        var found: StoreIdentity?
        each("meta", ["installation", "epoch"], in: damaged) { row in
            if let installation = row.text(1), let epoch = row.integer(2) {
                found = StoreIdentity(installation: installation, epoch: epoch)
            }
        }
        if identity == nil { identity = found }
        try finish(db)

        var failure: (any Error)?
        func insert(_ sql: String, _ values: [(any DatabaseValueConvertible)?]) -> Bool {
            do {
                try db.cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
                return db.changesCount > 0
            } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL || error.resultCode == .SQLITE_IOERR {
                failure = error   // the new file's, and not a fault of the row
            } catch {}
            return false
        }

        // Damage may have made two of one: an entry's key is unique in a sound file, which no index says there.
        try db.execute(sql: "CREATE UNIQUE INDEX txn_log_once ON txn_log (epoch, sequence)")
        var saved: Set<Int64> = [], parcels: Set<Int64> = []
        each("txn", Self.transactionColumns, in: damaged) { row in
            guard let id = row.integer(0), let guid = row.text(1), let usecase = row.integer(2) else { return }
            let texts = (3...10).map { row.text($0) }
            if insert(
                "INSERT OR IGNORE INTO txn (id, \(Self.transactionColumns.joined(separator: ", "))) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                [id, guid, usecase] + texts)
            {
                saved.insert(id)
            }
        }
        each("parcel", ["id", "sealed", "version", "state", "reason"], rowID: "number", in: damaged) { row in
            guard let number = row.integer(0), let id = row.text(1), let sealed = row.time(2), let version = row.text(3),
                TransactionSetVersion(rawValue: version) != nil, row.integer(4) == 1
            else { return }
            if insert(
                "INSERT OR IGNORE INTO parcel (number, id, sealed, version, state, reason) VALUES (?, ?, ?, ?, 1, ?)",
                [number, id, sealed.seconds, version, row.text(5)])
            {
                parcels.insert(number)
            }
        }
        // An entry without its transaction, or with a value that cannot be, is counted as lost; one without its key cannot even be counted.
        var entries = 0, orphans: [Int64: (first: Int64, last: Int64, count: Int)] = [:], orphanIDs: Set<Int64> = [], isEachKnown = true
        each("txn_log", Self.entryColumns, in: damaged) { row in
            guard let id = row.integer(0), let epoch = row.integer(6), let sequence = row.integer(7) else {
                isEachKnown = false
                return
            }
            guard let transaction = row.integer(1), saved.contains(transaction), let seconds = Double.fromDatabaseValue(row[2]),
                row.time(2) != nil, let event = row.integer(3)
            else {
                if orphanIDs.insert(id).inserted {
                    let known = orphans[epoch] ?? (sequence, sequence, 0)
                    orphans[epoch] = (min(known.first, sequence), max(known.last, sequence), known.count + 1)
                }
                return
            }
            if insert(
                "INSERT OR IGNORE INTO txn_log (id, \(Self.entryColumns.joined(separator: ", "))) VALUES (?,?,?,?,?,?,?,?,?,?)",
                [
                    id, transaction, seconds, event, row.integer(4), row.text(5), epoch, sequence,
                    row.integer(8).flatMap { parcels.contains($0) ? $0 : nil }, row.integer(9),
                ])
            {
                entries += 1
            }
        }
        each("loss", ["epoch", "reason", "first", "last", "count"], rowID: "rowid", isOptional: true, in: damaged) { row in
            guard let epoch = row.integer(1), let reason = row.text(2), let first = row.integer(3), let last = row.integer(4),
                let count = row.integer(5)
            else { return }
            _ = insert("INSERT OR IGNORE INTO loss VALUES (?, ?, ?, ?, ?)", [epoch, reason, first, last, count])
        }
        for (epoch, lost) in orphans {
            try TransactionStore.noteLoss(
                of: lost.count, epoch: epoch, first: lost.first, last: lost.last, because: .corruptRecovered, db)
        }
        if let failure { throw failure }
        if !isEachKnown { isComplete = false }
        try db.execute(sql: "DROP INDEX txn_log_once")
        try db.execute(sql: "DELETE FROM parcel WHERE NOT EXISTS (SELECT 1 FROM txn_log WHERE txn_log.parcel = parcel.number)")
        // An epoch that entries have must not be given again.
        try db.execute(sql: "UPDATE meta SET epoch = max(epoch, (SELECT ifnull(max(epoch), 0) FROM txn_log))")
        transactions = saved.count
        self.entries = entries
        self.orphans = orphanIDs.count
    }

    private func finish(_ db: Database) throws {
        try TransactionStore.makeTables(db, installation: identity?.installation ?? UniqueID.make())
        try db.execute(sql: "UPDATE meta SET epoch = ?", arguments: [identity?.epoch ?? 0])
    }

    private static let transactionColumns = [
        "guid", "usecase", "useragent_device_make", "useragent_device_os", "useragent_device_os_version", "user", "variant",
        "app_version", "session", "installation",
    ]
    private static let entryColumns = [
        "txn_id", "timestamp", "usecase_event", "in_ctx_err_code", "in_ctx_err_desc", "epoch", "sequence", "parcel", "offset",
    ]

    /// Every row that can be read, some of them more than once: upwards to the damage, over it in growing steps, and then downwards
    /// from the end. A column that an older schema has not is null.
    private mutating func each(
        _ table: String, _ columns: [String], rowID: String = "id", isOptional: Bool = false, in db: Database,
        _ body: (Row) -> Void
    ) {
        guard let present = try? db.columns(in: table).map(\.name), !present.isEmpty else {
            if !isOptional { isComplete = false }
            return
        }
        let list = ([rowID] + columns.map { present.contains($0) ? $0 : "NULL" }).joined(separator: ", ")
        var last = Int64.min
        /// - Returns: Whether the end was reached.
        func read(_ condition: String, _ order: String) -> Bool {
            do {
                let rows = try Row.fetchCursor(db, sql: "SELECT \(list) FROM \(table) WHERE \(condition) ORDER BY \(rowID) \(order)")
                while let row = try rows.next() {
                    if let id = row.integer(0) { last = id }
                    body(row)
                }
                return true
            } catch {
                return false
            }
        }
        if read("true", "") { return }
        isComplete = false
        var step: Int64 = 1, from = last
        while step < 1 << 40 {
            let start = max(from, 0)
            guard case (let next, false) = start.addingReportingOverflow(step) else { break }   // behind the last id that there is
            from = next
            last = from
            if read("\(rowID) > \(from)", "") { break }
            if last > from {   // it went on for a while, until the next damage
                from = last
                step = 1
            } else {
                step *= 2
            }
        }
        _ = read("true", "DESC")
    }
}
#endif
