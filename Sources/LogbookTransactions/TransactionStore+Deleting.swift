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
    /// owed: nothing else is done to the store before it, and whoever opens the store next does it, also after a kill in the middle of it.
    /// - Parameter endsTransactions: Nothing that began before is stored any more, see ``TransactionSession``.
    package func deleteAll(endsTransactions: Bool = true) throws(TransactionStoreError) {
        do throws(TransactionStoreError) {
            try makeSureOfLock()
            _ = try connection()   // beside a store that is closed no mark is left: somebody else may have it
            leaveMark()
            try transaction(isLogout: true) { db in
                let others = try deleteRows(db)
                if endsTransactions { session.endAll(and: others) }   // a commit that fails may be on disk all the same
            }
        } catch {
            switch error {
            case .closed, .storeLocked: break
            default:
                if endsTransactions { session.endAll(and: []) }
                leaveMark()   // first: who pays what is owed takes it away
                state.withLock { $0.value.owedDeletion = endsTransactions ? .ofAllThatBegan : .ofRows }
            }
            throw error
        }
        overwrite("everything")
    }

    /// For who opens the store after a kill: what is in it now is deleted. It must be gone before anything else is stored, which would be
    /// deleted as well.
    private func leaveMark() {
        let earlier = LogoutMark.left(for: path)?.epoch ?? epoch   // of another process that had the store, since its lock was removed
        try? LogoutMark(epoch: max(epoch, earlier)).leave(for: path)
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

    /// What logouts were owed that is on disk.
    struct PaidLogouts {
        /// What ``deleteAll(endsTransactions:)`` could not delete is deleted.
        var isDeleted = false
        /// Entries that were given up as a mark says; nil where none was heeded.
        var givenUp: Int?
        /// Why a mark is there still.
        var obstacle: String?
    }

    /// Does what logouts are owed, by who has the connection: on disk, and their marks gone, before what comes next, which is the next
    /// user's. A kill must not leave both.
    func payLogouts(_ db: Database, _ paid: inout PaidLogouts) throws {
        let (deletion, owesLogout) = state.withLock { ($0.value.owedDeletion, $0.value.owesLogout) }
        if let deletion {
            try Self.inTransaction(nil, db) { try payDeletion(deletion, db) }
            state.withLock { $0.value.owedDeletion = nil }
            paid.obstacle = LogoutMark.forget(for: path)
            paid.isDeleted = true
        }
        if owesLogout {
            let mark = LogoutMark.left(for: path)
            if let mark, !isCovered(mark) { paid.givenUp = try Self.inTransaction(nil, db) { try drop(mark, db) } }
            state.withLock { $0.value.owesLogout = false }
            paid.obstacle = forget(mark) ?? paid.obstacle
        }
    }

    private func payDeletion(_ owed: OwedDeletion, _ db: Database) throws {
        let others = try deleteRows(db)
        if owed == .ofAllThatBegan { session.end(others) }
    }

    /// Leaves no byte of what was deleted so, and says it. By who has the connection no more.
    func note(_ paid: PaidLogouts) {
        if paid.isDeleted {
            overwrite("everything")
            LogDiagnostics.report("transactions", "\(path): what a logout could not delete is deleted now")
        }
        if let count = paid.givenUp { noteDropped(count) }
        LogoutMark.say(paid.obstacle)
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
        let mark = LogoutMark.left(for: path)
        if let mark, !isCovered(mark) { noteDropped(try transaction(patience) { db in try drop(mark, db) }) }
        LogoutMark.say(forget(mark))
    }

    /// Whether who wrote here has had a logout of its own that has deleted what another's mark is about.
    private func isCovered(_ mark: LogoutMark) -> Bool { LogoutMark.left(for: path, .own).map(mark.isCovered(by:)) ?? false }

    /// Takes away the marks, which are heeded.
    /// - Parameter mark: Another process's; nil where there was none, as one that has come since is not heeded.
    /// - Returns: What stands in the way, in words; nil where nothing does.
    private func forget(_ mark: LogoutMark?) -> String? {
        let obstacle = mark == nil ? LogoutMark.obstacle(for: path) : LogoutMark.forget(for: path)
        return obstacle ?? LogoutMark.forget(for: path, .own)
    }

    /// Notes that a logout could leave no more than a mark beside it, since another process has it: that is heeded before this one stores
    /// or sends anything again.
    func oweLogout() { state.withLock { $0.value.owesLogout = true } }

    /// Deletes what another process's logout has met here: what was stored until whoever wrote here had ended, and all else of those
    /// transactions.
    /// - Returns: How many entries there were.
    private func drop(_ mark: LogoutMark, _ db: Database) throws -> Int {
        let count = try giveUp("txn_id IN (SELECT txn_id FROM txn_log WHERE epoch <= ?)", [mark.epoch], because: .loggedOut, db)
        try db.execute(sql: "DELETE FROM txn WHERE NOT EXISTS (SELECT 1 FROM txn_log WHERE txn_id = txn.id)")
        try Self.deleteEmptyParcels(db)
        return count
    }

    /// That is on disk.
    private func noteDropped(_ count: Int) {
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
