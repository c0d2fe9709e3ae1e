#if Transactions
internal import GRDB
package import LogbookCore
internal import LogbookDelivery

// How entries are stored: each once, with a key of its own.
extension TransactionStore {
    /// Stores what events say about transactions, all or nothing. Other events are passed over.
    /// - Parameters:
    ///   - isOfferedAgain: The caller comes back with the very same events when this throws; they are stored once.
    ///   - patience: How long others who use the file are waited for.
    /// - Returns: Which of them are not stored because a logout or an erasure has ended what they belong to, by their places; nearly always
    ///   none.
    /// - Throws: ``TransactionStoreError/full(path:maximumBytes:)`` when there is no room that could be made, and what SQLite says.
    @discardableResult
    package func append(
        _ events: [LogEvent], isOfferedAgain: Bool = false, _ patience: StorePatience = .usual
    ) throws(TransactionStoreError) -> [Int] {
        try append(events[...], isOfferedAgain: isOfferedAgain, patience)
    }

    @discardableResult
    package func append(
        _ events: ArraySlice<LogEvent>, isOfferedAgain: Bool = false, _ patience: StorePatience = .usual
    ) throws(TransactionStoreError) -> [Int] {
        try events.withUnsafeBufferPointer { events throws(TransactionStoreError) in
            try append(events, isOfferedAgain: isOfferedAgain, patience)
        }
    }

    /// - Parameters:
    ///   - events: Read where they are: to copy one takes as long as a column.
    ///   - hasGivenWay: The second time, after rows of others stood where theirs were to be.
    private func append(
        _ events: UnsafeBufferPointer<LogEvent>, isOfferedAgain: Bool, _ patience: StorePatience, hasGivenWay: Bool = false
    ) throws(TransactionStoreError) -> [Int] {
        let count = events.places.count { $0.pointee.happened != nil }
        var ended: [Int] = [], keys: [Int64] = [], taken: Set<Int64> = []
        var dropped = 0
        var doIDsDiffer = false
        do {
            try transaction(patience) { db in
                taken = []
                ended = session.ended(among: events)   // here, where no logout can come between
                if !ended.isEmpty { return }
                keys = nextKeys(for: events, count: count)
                dropped = try makeRoom(for: events, db)
                if try insert(events, keys, doIDsDiffer: &doIDsDiffer, db) { return try checkPlace() }
                taken = try keysOfOthersRows(among: keys, db)
                numberBehind(try Self.latestRow(db))
                throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_ROWID, message: "rows of others have the ids of \(taken.count) new ones")
            }
        } catch {
            if taken.isEmpty {
                settle(keys, of: events, isOfferedAgain: isOfferedAgain)
                session.noteBeginnings(among: events)
                throw error
            }
            forget(taken)   // nothing of this attempt is stored
            if hasGivenWay { throw error }
            LogDiagnostics.report("transactions", "\(error); they are given others")
            return try append(events, isOfferedAgain: isOfferedAgain, patience, hasGivenWay: true)
        }
        if !ended.isEmpty { return try append(events, without: ended, isOfferedAgain: isOfferedAgain, patience) }
        settle(keys, of: events, isOfferedAgain: false)
        if dropped > 0 {
            countLost(dropped, .spoolFull)
            LogDiagnostics.report("transactions", "\(path) has reached \(maximumBytes) bytes, and gives up \(dropped.inEntries)")
        }
        if doIDsDiffer { sayThatIDsDiffer() }
        return []
    }

    /// Stores the others.
    /// - Parameter ended: Places of events.
    private func append(
        _ events: UnsafeBufferPointer<LogEvent>, without ended: [Int], isOfferedAgain: Bool, _ patience: StorePatience
    ) throws(TransactionStoreError) -> [Int] {
        let gone = Set(ended), others = events.indices.filter { !gone.contains($0) }
        let late = try append(others.map { events[$0] }, isOfferedAgain: isOfferedAgain, patience)
        return ended + late.map { others[$0] }
    }

    /// What a file takes that has lost its name is gone when it is closed.
    /// - Throws: As for a damaged file, so that another takes its place.
    private func checkPlace() throws(TransactionStoreError) {
        let (file, opened) = state.withLock { ($0.value.file, $0.value.opened) }
        if let file, file.hasLost(opened) { throw .damaged(path: path, reason: "its file was removed, or another has its name") }
    }

    /// - Returns: False when a row is not in, because another entry's has its id. One that is there already is.
    private func insert(
        _ events: UnsafeBufferPointer<LogEvent>, _ keys: [Int64], doIDsDiffer: inout Bool, _ db: Database
    ) throws -> Bool {
        let numbersItself = try isNumberedRight(keys, db)
        let insert = try BulkInsert(numbersItself ? Self.appendEntries : Self.insertEntries, count: keys.count, db)
        try insert.inEveryRow { try $0.bind(epoch, at: 7) }
        let rows = TransactionRows(self, db)
        let begun = try rows.makeRows(ofThoseThatBeginIn: events)
        // Of the transaction that the event before was about.
        var transaction = "", usecase = 0, row: TransactionRows.Found?
        var place = 0, written = 0, beginnings = 0
        for event in events.places {
            // Without a copy of the entry: that takes as long as a column.
            guard let id = event.pointee.entryTransactionID else { continue }
            let begins = event.pointee.beginsTransaction
            if row == nil || !id.isSameText(as: transaction) || begins || transaction.isEmpty {
                guard let entry = event.pointee.transaction else { continue }
                let deliverable = entry.deliverable(in: session.id)
                if begins, let begun {
                    row = begun[beginnings]
                } else if row == nil || begins || !id.isSameText(as: transaction) || entry.usecase != usecase {
                    row = try rows.row(of: deliverable)
                }
                if begins { beginnings += 1 }
                (transaction, usecase) = (id, entry.usecase)
                if !deliverable.transactionID.isSameText(as: id) { doIDsDiffer = true }
            }
            guard let row, let number = event.pointee.happened else { continue }
            let values = insert[place], key = keys[place]
            place += 1
            try values.bind(row.id, at: 1)
            try values.bind(event.pointee.time.storedSeconds, at: 2)
            try values.bind(number, at: 3)
            try values.bind(event.pointee.entryErrorCode, at: 4)
            try values.bind(event.pointee.entryErrorDescription?.deliverable, at: 5)
            try values.bind(row.isOfThisSession ? session.offset(at: event.pointee.entryUptime) : nil, at: 6)
            try values.bind(key, at: 8)
            if !numbersItself { try values.bind(latestEarlierRow + key, at: 9) }
            written += try values.end()
        }
        return written == keys.count
    }

    /// Whether SQLite gives rows without an id the ids that those of these keys are to have: it takes the next one, and need not look for
    /// each whether it is free.
    private func isNumberedRight(_ keys: [Int64], _ db: Database) throws -> Bool {
        guard keys.count >= Self.worthALook, let first = keys.first, zip(keys, keys.dropFirst()).allSatisfy({ $0 + 1 == $1 }) else { return false }
        // In tables of an earlier version SQLite remembers the highest id that there ever was.
        let latest = try RowStatement(
            """
            SELECT max(ifnull((SELECT max(id) FROM txn_log), 0), ifnull((SELECT max(seq) FROM sqlite_sequence WHERE name = 'txn_log'), 0))
            """, db
        ).integer()
        return latest == latestEarlierRow + first - 1
    }

    /// Fewer entries are stored sooner than it is found out which id comes next.
    private static let worthALook = 5

    /// Keys whose rows' ids belong to other entries: what a salvage finds in a damaged file may bear any number.
    private func keysOfOthersRows(among keys: [Int64], _ db: Database) throws -> Set<Int64> {
        let find = try RowStatement("SELECT 1 FROM txn_log WHERE id = ? AND (epoch <> ? OR sequence <> ?)", db)
        try find.bind(epoch, at: 2)
        var others: Set<Int64> = []
        for key in keys {
            try find.bind(latestEarlierRow + key, at: 1)
            try find.bind(key, at: 3)
            if try find.integer() != nil { others.insert(key) }
        }
        return others
    }

    /// New entries get rows behind this one.
    private func numberBehind(_ row: Int64) {
        state.withLock { access in
            access.value.latestSequence = max(access.value.latestSequence, row - latestEarlierRow)
        }
    }

    /// Entries that are offered again do not get these keys again.
    private func forget(_ keys: Set<Int64>) { state.withLock { $0.value.unsettledKeys.forget(keys) } }

    /// How many entries there are whose fate is unknown.
    var unsettledCount: Int { state.withLock { $0.value.unsettledKeys.count } }

    /// Once: it is true of every entry of such a transaction.
    private func sayThatIDsDiffer() {
        let isSaid = state.withLock { access in
            defer { access.value.hasSaidThatIDsDiffer = true }
            return access.value.hasSaidThatIDsDiffer
        }
        if isSaid { return }
        let limit = TransactionSetLimits().idBytes
        LogDiagnostics.report(
            "transaction ids",
            "\(path): an id that receivers refuse (empty, of more than \(limit) bytes, or with NUL) is kept in a form that they take")
    }

    private func settle(_ keys: [Int64], of events: UnsafeBufferPointer<LogEvent>, isOfferedAgain: Bool) {
        state.withLock { access in
            if !isOfferedAgain, access.value.unsettledKeys.isEmpty { return }
            let names = events.lazy.compactMap(UnsettledKeys.Name.init)
            if isOfferedAgain {
                access.value.unsettledKeys.remember(zip(names, keys))
            } else {
                access.value.unsettledKeys.settle(names)
            }
        }
    }

    private static let insertEntries = BulkInsert.Text(
        "INSERT INTO txn_log (txn_id, timestamp, usecase_event, in_ctx_err_code, in_ctx_err_desc, offset, epoch, sequence, id)", columns: 9,
        // A row that is there already counts as written, for it keeps its number; another entry's with this id does not.
        """
        ON CONFLICT (id) DO UPDATE SET sequence = excluded.sequence
        WHERE txn_log.epoch = excluded.epoch AND txn_log.sequence = excluded.sequence
        """)

    private static let appendEntries = BulkInsert.Text(
        "INSERT INTO txn_log (txn_id, timestamp, usecase_event, in_ctx_err_code, in_ctx_err_desc, offset, epoch, sequence)", columns: 8)

    /// A number is never given twice, also not when its entry could not be stored.
    /// - Parameter count: How many of the events get one.
    private func nextKeys(for events: UnsafeBufferPointer<LogEvent>, count: Int) -> [Int64] {
        state.withLock { access in
            func next() -> Int64 {
                access.value.latestSequence += 1
                return access.value.latestSequence
            }
            if access.value.unsettledKeys.isEmpty { return (0..<count).map { _ in next() } }
            let keys: [Int64] = events.lazy.compactMap(UnsettledKeys.Name.init).map { access.value.unsettledKeys[$0] ?? next() }
            // One that is offered again goes before those that were given a parcel meanwhile.
            if let lowest = keys.min() { access.value.sentUpTo = min(access.value.sentUpTo, latestEarlierRow + lowest - 1) }
            return keys
        }
    }
}

extension UnsafeBufferPointer {
    /// Where each element is: a subscript copies it.
    var places: some Collection<UnsafePointer<Element>> { indices.lazy.map { [start = baseAddress] in start! + $0 } }
}
#endif
