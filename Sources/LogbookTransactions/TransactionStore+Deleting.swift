#if Transactions
internal import GRDB
internal import LogbookCore
internal import LogbookDelivery

// How transactions are deleted: no byte of them stays.
extension TransactionStore {
    /// Deletes transactions with all their entries, delivered or not; ids that are not there are passed over.
    package func delete(_ ids: some Sequence<String>) throws(TransactionStoreError) {
        try transaction { db in
            for id in ids.flatMap({ Set([$0, $0.deliverableID]) }) {   // a store of an earlier version has it uncut
                try db.execute(
                    sql: "DELETE FROM txn_log WHERE txn_id = (SELECT id FROM txn WHERE guid = ?)", arguments: [id])
                try db.execute(sql: "DELETE FROM txn WHERE guid = ?", arguments: [id])
            }
            try Self.deleteEmptyParcels(db)
        }
    }

    /// Deletes everything, what is under way and what is set aside included. The file is written anew and the write-ahead log emptied,
    /// so that no byte of it is left in them; where another program that reads stands in the way, diagnostics say so. Where it fails it is
    /// owed: nothing else is done to the store before it, and whoever opens the store next does it.
    /// - Parameter endsTransactions: Nothing that began before is stored any more, see ``TransactionSession``.
    package func deleteAll(endsTransactions: Bool = true) throws(TransactionStoreError) {
        do throws(TransactionStoreError) {
            try transaction { db in
                let others = try deleteRows(db)
                if endsTransactions { session.endAll(and: others) }   // a commit that fails may be on disk all the same
            }
        } catch {
            switch error {
            case .closed, .storeLocked: break
            default:
                if endsTransactions { session.endAll(and: []) }
                state.withLock { $0.value.owedDeletion = endsTransactions ? .ofAllThatBegan : .ofRows }
                try? LogoutMark(epoch: epoch).leave(for: path)
            }
            throw error
        }
        overwrite("everything")
    }

    /// - Returns: The latest transactions that began in other sessions.
    private func deleteRows(_ db: Database) throws -> [String] {
        let others = try String.fetchAll(
            db, sql: "SELECT guid FROM txn WHERE session IS NOT ? ORDER BY id DESC LIMIT \(TransactionSession.maximumBegun)",
            arguments: [session.id])
        try db.execute(sql: "DELETE FROM txn_log; DELETE FROM txn; DELETE FROM parcel; DELETE FROM loss")
        state.withLock { $0.value.unsettledKeys = UnsettledKeys() }
        return others
    }

    /// Deletes what a logout could not, in a transaction before what comes next: that is the next user's.
    func payDeletion(_ owed: OwedDeletion, _ db: Database) throws {
        let others = try deleteRows(db)
        if owed == .ofAllThatBegan { session.end(others) }
    }

    /// That is on disk.
    func noteDeletionPaid() {
        overwrite("everything")
        LogDiagnostics.report("transactions", "\(path): what a logout could not delete is deleted now")
    }

    /// Deletes what is of a user, what is under way and what is set aside included, and writes the file anew as
    /// ``deleteAll(endsTransactions:)`` does, also where nothing of the user is in it: bytes may be left of what was delivered, and of an
    /// earlier erasure that could not write it anew.
    /// - Parameters:
    ///   - user: As it is stored.
    ///   - endsTransactions: Nothing more is stored of transactions that were the user's until now, see ``TransactionSession``.
    /// - Returns: How many transactions were there.
    func erase(user: String, endsTransactions: Bool = true) throws(TransactionStoreError) -> Int {
        let count = try transaction { db in
            let ids = try String.fetchAll(db, sql: "SELECT guid FROM txn WHERE user = ? ORDER BY id DESC", arguments: [user])
            _ = try giveUp("txn_id IN (SELECT id FROM txn WHERE user = ?)", [user], because: .erased, db)
            try db.execute(sql: "DELETE FROM txn WHERE user = ?", arguments: [user])   // those in which nothing happened
            try Self.deleteEmptyParcels(db)
            if endsTransactions { session.end(user: user, and: ids) }   // a commit that fails may be on disk all the same
            return ids.count
        }
        overwrite("a user's transactions")
        return count
    }

    /// Gives up what a logout has ended of what is in it, as the marks beside it say: for who has it anew.
    func heedLogout(_ patience: StorePatience = .usual) throws(TransactionStoreError) {
        let own = LogoutMark.left(for: path, .own)
        if let mark = LogoutMark.left(for: path) {
            if own.map(mark.isCovered(by:)) != true { try drop(mark, patience) }
            LogoutMark.forget(for: path)
        }
        LogoutMark.forget(for: path, .own)
    }

    /// Notes that a logout could leave no more than a mark beside it, since another process has it: that is heeded before this one stores
    /// anything again.
    func oweLogout() { state.withLock { $0.value.owesLogout = true } }

    func heedOwedLogout(_ patience: StorePatience) throws(TransactionStoreError) {
        let isOwed = state.withLock { access in
            defer { access.value.owesLogout = false }
            return access.value.owesLogout
        }
        guard isOwed else { return }
        do throws(TransactionStoreError) { try heedLogout(patience) } catch {
            oweLogout()
            throw error
        }
    }

    /// Deletes what another process's logout has met here: what was stored until whoever wrote here had ended, and all else of those
    /// transactions.
    func drop(_ mark: LogoutMark, _ patience: StorePatience = .usual) throws(TransactionStoreError) {
        let count = try transaction(patience) { db in
            let count = try giveUp(
                "txn_id IN (SELECT txn_id FROM txn_log WHERE epoch <= ?)", [mark.epoch], because: .loggedOut, db)
            try db.execute(sql: "DELETE FROM txn WHERE NOT EXISTS (SELECT 1 FROM txn_log WHERE txn_id = txn.id)")
            try Self.deleteEmptyParcels(db)
            return count
        }
        overwrite("what a logout has ended")
        if count > 0 { LogDiagnostics.report("transactions", "\(path) gives up \(count.inEntries) that a logout has ended") }
    }

    /// Leaves no byte of what was deleted.
    private func overwrite(_ what: String) {
        do {
            try use(connection().0) { db in
                try db.execute(sql: "VACUUM")
                _ = try db.checkpoint(.truncate)
            }
        } catch {
            LogDiagnostics.report("transactions", "\(path): \(what) is deleted, but bytes of it are left in the file: \(error)")
        }
    }

    static func deleteEmptyParcels(_ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM parcel WHERE NOT EXISTS (SELECT 1 FROM txn_log WHERE txn_log.parcel = parcel.number)")
    }
}
#endif
