#if Transactions
internal import GRDB
package import LogbookCore

/// A parcel as the store knows it: entries that were sent together, and are sent together again.
package struct StoredParcel: Sendable, Equatable {
    package let id: String
    package let sealed: LogTime
    /// The form it was first sent in, which it keeps as long as the receiver reads it.
    package let version: TransactionSetVersion
    package let set: TransactionSet
}

// Entries are given to a parcel in one SQLite transaction, before it is first sent. From then on its body follows from its rows,
// which nothing changes but a deletion, so it is the same on every attempt and after every restart. Only where the receiver does not read
// its form, and another one is set by now, are its entries given to parcels anew.
extension TransactionStore {
    /// The oldest parcel to be delivered; a new one of the oldest entries, when there is none.
    package func nextParcel(
        _ version: TransactionSetVersion, limits: ParcelLimits, now: LogTime, randomness: LogRandomness
    ) throws(TransactionStoreError) -> StoredParcel? {
        do {
            return try transaction { db in
                if let parcel = try self.oldestParcel(db) { return parcel }
                let sent = sentUpTo
                guard let last = try self.lastEntry(version, limits, behind: sent, db) else {
                    noteSent(upTo: nil)
                    return nil
                }
                try db.execute(
                    sql: "INSERT INTO parcel (id, sealed, version) VALUES (?, ?, ?)",
                    arguments: [UniqueID.make(randomness), now.storedSeconds, version.rawValue])
                try db.execute(
                    sql: "UPDATE txn_log SET parcel = ? WHERE parcel IS NULL AND id > ? AND id <= ?",
                    arguments: [db.lastInsertedRowID, sent, last])
                noteSent(upTo: last)
                return try self.oldestParcel(db)
            }
        } catch {
            forgetWhatIsSent()
            throw error
        }
    }

    /// When the oldest entry was said that waits to be delivered; nil when none does. Waits for no other process, and here
    /// until whoever uses the connection is done.
    package func oldestPending() throws(TransactionStoreError) -> LogTime? {
        try reading { db in
            let underWay = try Row.fetchOne(
                db,
                sql: """
                    SELECT timestamp FROM txn_log WHERE parcel = (SELECT min(number) FROM parcel WHERE state = 0) ORDER BY id LIMIT 1
                    """)
            let unsent = try Row.fetchOne(
                db, sql: "SELECT timestamp FROM txn_log WHERE parcel IS NULL AND id > ? ORDER BY id LIMIT 1", arguments: [sentUpTo])
            return [underWay, unsent].compactMap { $0?.time(0) }.min()
        }
    }

    private func oldestParcel(_ db: Database) throws -> StoredParcel? {
        guard let row = try Row.fetchOne(
            db, sql: "SELECT number, id, sealed, version FROM parcel WHERE state = 0 ORDER BY number LIMIT 1")
        else { return nil }
        guard let number = row.integer(0), let id = row.text(1), let sealed = row.time(2),
            let version = row.text(3).flatMap(TransactionSetVersion.init)
        else { throw Self.damage("parcel") }
        let set = TransactionSet(transactions: try transactions(db, entries: "l.parcel = ?", arguments: [number]))
        return StoredParcel(id: id, sealed: sealed, version: version, set: set)
    }

    /// The last of the oldest unsent entries that fit into one parcel; nil when there are none.
    /// - Parameter sent: The id of the row behind which they are.
    private func lastEntry(
        _ version: TransactionSetVersion, _ limits: ParcelLimits, behind sent: Int64, _ db: Database
    ) throws -> Int64? {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT \(Self.columns), l.id
                FROM txn_log l CROSS JOIN txn t ON t.id = l.txn_id WHERE l.parcel IS NULL AND l.id > ? ORDER BY l.id
                """, arguments: [sent])
        var bytes = TransactionSet.frameBytes
        var transactions: Set<Int64> = []
        var last: Int64?
        while let row = try rows.next() {
            guard let transaction = row.integer(0), let id = row.integer(18) else { throw Self.damage("txn_log") }
            bytes += TransactionSet.encodedBytes(of: try Self.entry(row, installation: installation), version)
            if transactions.insert(transaction).inserted {
                bytes += TransactionSet.encodedBytes(headOf: try Self.record(row), version)
            }
            if last != nil && (bytes > limits.bytes || transactions.count > limits.transactions) { break }
            last = id
        }
        return last
    }

    /// The receiver has the parcel: deletes its entries, and the transactions that have none left.
    /// - Returns: What was left of it; nil when that is nothing, because it was deleted meanwhile.
    @discardableResult
    package func settleDelivered(
        _ id: String, _ patience: StorePatience = .usual
    ) throws(TransactionStoreError) -> (transactions: Int, entries: Int)? {
        try transaction(patience) { db in
            guard let number = try Int64.fetchOne(
                db, sql: "SELECT number FROM parcel WHERE id = ? AND state = 0", arguments: [id])
            else { return nil }
            let transactions = try Int64.fetchAll(
                db, sql: "SELECT DISTINCT txn_id FROM txn_log WHERE parcel = ?", arguments: [number])
            try db.execute(sql: "DELETE FROM txn_log WHERE parcel = ?", arguments: [number])
            let entries = db.changesCount
            let delete = try db.cachedStatement(
                sql: "DELETE FROM txn WHERE id = ? AND NOT EXISTS (SELECT 1 FROM txn_log WHERE txn_id = txn.id)")
            for transaction in transactions { try delete.execute(arguments: [transaction]) }
            try db.execute(sql: "DELETE FROM parcel WHERE number = ?", arguments: [number])
            return (transactions.count, entries)
        }
    }

    /// The receiver will never take the parcel: keeps its entries, and does not send them again.
    /// - Returns: How many they are; 0 when they were deleted meanwhile.
    @discardableResult
    package func settleRejected(
        _ id: String, because reason: String, _ patience: StorePatience = .usual
    ) throws(TransactionStoreError) -> Int {
        try transaction(patience) { db in
            try db.execute(sql: "UPDATE parcel SET state = 1, reason = ? WHERE id = ?", arguments: [reason, id])
            return try Int.fetchOne(
                db, sql: "SELECT count(*) FROM txn_log WHERE parcel = (SELECT number FROM parcel WHERE id = ?)", arguments: [id]) ?? 0
        }
    }

    /// Takes the parcels apart that are to be delivered in a form which the receiver does not read: their entries get new ones.
    package func unseal(_ version: TransactionSetVersion) throws(TransactionStoreError) {
        try transaction { db in
            try db.execute(
                sql: """
                    UPDATE txn_log SET parcel = NULL
                    WHERE parcel IN (SELECT number FROM parcel WHERE state = 0 AND version = ?)
                    """, arguments: [version.rawValue])
            try db.execute(sql: "DELETE FROM parcel WHERE state = 0 AND version = ?", arguments: [version.rawValue])
            forgetWhatIsSent()
        }
    }

    /// Lets what was set aside be sent again: once more, in the parcels in which it was refused.
    /// - Parameter note: Hears how many entries that are, before anybody can send them. Where it is not called, nothing was changed.
    package func reinstateSetAside(_ note: (_ entries: Int) -> Void = { _ in }) throws(TransactionStoreError) {
        try transaction { db in
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM txn_log WHERE parcel IN (\(Self.setAside))") ?? 0
            try db.execute(sql: "UPDATE parcel SET state = 0, reason = NULL WHERE state = 1")
            note(count)
        }
    }

    /// Replaces a parcel by two halves with ids of their own. One that has lost entries since it was sent stays as it is, and goes again: the
    /// receiver may have refused those.
    /// - Parameter count: Entries that were sent.
    /// - Returns: False when it has fewer than two.
    package func split(
        _ id: String, of count: Int, now: LogTime, randomness: LogRandomness
    ) throws(TransactionStoreError) -> Bool {
        try transaction { db in
            guard let number = try Int64.fetchOne(db, sql: "SELECT number FROM parcel WHERE id = ?", arguments: [id]) else {
                return true   // everything was deleted meanwhile
            }
            let entries = try Int64.fetchAll(
                db, sql: "SELECT id FROM txn_log WHERE parcel = ? ORDER BY txn_id, id", arguments: [number])
            if entries.count < count { return true }
            if entries.count < 2 { return false }
            for half in [entries[..<(entries.count / 2)], entries[(entries.count / 2)...]] {
                try db.execute(
                    sql: "INSERT INTO parcel (id, sealed, version) SELECT ?, ?, version FROM parcel WHERE number = ?",
                    arguments: [UniqueID.make(randomness), now.storedSeconds, number])
                let move = try db.cachedStatement(sql: "UPDATE txn_log SET parcel = ? WHERE id = ?")
                let part = db.lastInsertedRowID
                for entry in half { try move.execute(arguments: [part, entry]) }
            }
            try db.execute(sql: "DELETE FROM parcel WHERE number = ?", arguments: [number])
            return true
        }
    }
}
#endif
