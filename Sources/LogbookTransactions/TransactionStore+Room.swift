#if Transactions
internal import GRDB
internal import LogbookCore

// A store that nobody collects does not grow for ever. What is given up leaves a row that says how much of which epoch: who finds a gap at
// the receiver finds its reason here.
extension TransactionStore {
    /// Entries that are given up at a time.
    private static let chunk = 32
    /// Transactions that are looked at at a time, for those in which nothing happened.
    private static let look = 256
    /// Looks that free no page, after which entries are given up instead: the pages of empty transactions that lie among others stay
    /// in use.
    private static let fruitlessLooks = 4
    /// Bytes that a row takes beside its texts, at a guess on the safe side.
    private static let rowBytes = 200

    /// Gives up transactions in which nothing happened, where that frees pages, then what was set aside, then the oldest entries, and
    /// then the other transactions in which nothing happened, until `events` find room. Parcels under way are left alone: they could
    /// not be sent again as they were. A transaction that was given up is made again when something happens in it.
    /// - Returns: How many entries were given up.
    /// - Throws: ``TransactionStoreError/full(path:maximumBytes:)`` when that is not enough.
    func makeRoom(for events: UnsafeBufferPointer<LogEvent>, _ db: Database) throws -> Int {
        guard maximumBytes < .max else { return 0 }
        var needed = events.count * Self.rowBytes
        let labels = session.labelBytes + installation.utf8.count
        for event in events.places {
            needed += min(event.pointee.entryErrorDescription?.utf8.count ?? 0, String.maximumDeliverableBytes)
            guard let entry = event.pointee.transaction, event.pointee.beginsTransaction || entry.isContinued else { continue }
            // A row of the transaction's own, whose id stands in an index as well.
            needed += Self.rowBytes + labels + 2 * min(entry.transactionID.utf8.count, TransactionSetLimits().idBytes)
            for fact in [entry.device.make, entry.device.os, entry.device.osVersion] {
                needed += min(fact.utf8.count, String.maximumDeliverableBytes)
            }
        }
        if needed > maximumBytes { throw TransactionStoreError.full(path: path, maximumBytes: maximumBytes) }   // nothing would help
        guard try usedBytes(db) + needed > maximumBytes else { return 0 }
        let target = maximumBytes - maximumBytes / 16 - needed   // some more, so that not every call has to do this
        var dropped = 0, search = EmptySearch(end: latestInUse)
        try giveUpEmptyTransactions(&search, downTo: target, fruitless: Self.fruitlessLooks, db)
        for giveUp in [giveUpSetAside, giveUpOldest] {
            while try usedBytes(db) > target {
                guard let count = try giveUp(db) else { break }
                dropped += count
            }
        }
        try giveUpEmptyTransactions(&search, downTo: target, fruitless: .max, db)
        if try usedBytes(db) + needed > maximumBytes {
            throw TransactionStoreError.full(path: path, maximumBytes: maximumBytes)
        }
        return dropped
    }

    /// Asked for each group of entries: GRDB's own way to three numbers takes as long as a dozen rows.
    private func usedBytes(_ db: Database) throws -> Int {
        func pages(_ pragma: String) throws -> Int64 { try RowStatement(pragma, db).integer() ?? 0 }
        return Int(try (pages("PRAGMA page_count") - pages("PRAGMA freelist_count")) * pages("PRAGMA page_size"))
    }

    /// Goes through the transactions once, the oldest first.
    private struct EmptySearch {
        /// The id of the row up to which none is empty any more.
        var end: Int64
        var hasFound = false
    }

    /// - Parameters:
    ///   - target: Used bytes at which it stops.
    ///   - limit: Looks that free no page at which it stops.
    private func giveUpEmptyTransactions(_ search: inout EmptySearch, downTo target: Int, fruitless limit: Int, _ db: Database) throws {
        var used = try usedBytes(db), fruitless = 0
        while used > target, fruitless < limit {
            let end = try Int64.fetchOne(
                db, sql: "SELECT max(id) FROM (SELECT id FROM txn WHERE id > ? ORDER BY id LIMIT \(Self.look))", arguments: [search.end])
            guard let end else { return }
            try db.execute(
                sql: "DELETE FROM txn WHERE id > ? AND id <= ? AND NOT EXISTS (SELECT 1 FROM txn_log WHERE txn_id = txn.id)",
                arguments: [search.end, end])
            if db.changesCount > 0 { search.hasFound = true }
            if !search.hasFound { noteInUse(upTo: end) }   // what was deleted is there again when this is rolled back
            search.end = end
            let left = try usedBytes(db)
            if left == used { fruitless += 1 }
            used = left
        }
    }

    private func giveUpSetAside(_ db: Database) throws -> Int? {
        guard let number = try Int64.fetchOne(db, sql: "SELECT number FROM parcel WHERE state = 1 ORDER BY number LIMIT 1") else {
            return nil
        }
        let count = try giveUp("parcel = ?", [number], because: .spoolFull, db)
        try db.execute(sql: "DELETE FROM parcel WHERE number = ?", arguments: [number])
        return count
    }

    private func giveUpOldest(_ db: Database) throws -> Int? {
        let sent = sentUpTo
        let last = try Int64.fetchOne(
            db, sql: "SELECT max(id) FROM (SELECT id FROM txn_log WHERE parcel IS NULL AND id > ? ORDER BY id LIMIT \(Self.chunk))",
            arguments: [sent])
        guard let last else { return nil }
        return try giveUp("parcel IS NULL AND id > ? AND id <= ?", [sent, last], because: .spoolFull, db)
    }

    /// Deletes entries, and the transactions that have none left then.
    /// - Returns: How many entries there were.
    func giveUp(
        _ condition: String, _ arguments: StatementArguments, because reason: DropReason, _ db: Database
    ) throws -> Int {
        // The plus: for the plain column SQLite would go through the index of all entries by transaction, in which it need not sort.
        let transactions = try Int64.fetchAll(
            db, sql: "SELECT DISTINCT +txn_id FROM txn_log WHERE \(condition)", arguments: arguments)
        let epochs = try Row.fetchAll(
            db, sql: "SELECT epoch, min(sequence), max(sequence), count(*) FROM txn_log WHERE \(condition) GROUP BY epoch",
            arguments: arguments)
        var dropped = 0
        for row in epochs {
            guard let epoch = row.integer(0), let first = row.integer(1), let last = row.integer(2), let count = row.integer(3)
            else { throw Self.damage("txn_log") }
            try Self.noteLoss(of: Int(count), epoch: epoch, first: first, last: last, because: reason, db)
            dropped += Int(count)
        }
        try db.execute(sql: "DELETE FROM txn_log WHERE \(condition)", arguments: arguments)
        let delete = try db.cachedStatement(
            sql: "DELETE FROM txn WHERE id = ? AND NOT EXISTS (SELECT 1 FROM txn_log WHERE txn_id = txn.id)")
        for transaction in transactions { try delete.execute(arguments: [transaction]) }
        return dropped
    }

    static func noteLoss(
        of count: Int, epoch: Int64, first: Int64, last: Int64, because reason: DropReason, _ db: Database
    ) throws {
        try db.execute(
            sql: """
                INSERT INTO loss (epoch, reason, first, last, count) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (epoch, reason) DO UPDATE
                SET first = min(first, excluded.first), last = max(last, excluded.last), count = count + excluded.count
                """, arguments: [epoch, reason.rawValue, first, last, count])
    }
}
#endif
