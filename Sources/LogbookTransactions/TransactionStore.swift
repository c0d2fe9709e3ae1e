#if Transactions
internal import CLogbookSQLite
internal import GRDB
package import LogbookCore

/// The SQLite file that transactions are kept in until the receiver has them.
///
/// One connection reads and writes, so calls take turns. What a writing call has stored when it returns survives a crash of the
/// machine (`power`): a write-ahead log with `synchronous=FULL`. Other programs may read the file at any time
/// (`sqlite3 -readonly`), and must not write it.
///
/// A file of ours that turns out to be damaged, at the opening or later, is set aside (`.corrupt-<time>`), and a new one takes its
/// place with all that could be read; see ``TransactionStoreRecovery``. The same goes for one that is removed, moved or replaced while it
/// is open, which is noticed when something is to be stored.
package final class TransactionStore: Sendable {
    package let path: String
    /// Made once, when the file was made.
    package let installation: String
    /// Higher with each opening of the store, by a random step.
    package let epoch: Int64
    /// Where the rows of entries are numbered on from: a row's id is this and the entry's sequence, so an entry that is offered again has
    /// the same id.
    private let latestEarlierRow: Int64

    private struct State {
        var connection: DatabaseQueue?
        var file: StoreFile?
        /// Of the file that the connection has open.
        var opened: FileStatus?
        /// Counts the files that took the place of a damaged one.
        var generation = 0
        var isRecovering = false
        /// A damaged file that could not be replaced; nothing else can be done until it is.
        var damage: Damage?
        var latestSequence: Int64 = 0
        var unsettledKeys = UnsettledKeys()
        /// Up to the row of this id every entry has a parcel, or is gone.
        var sentUpTo = Int64.min
        /// Up to the row of this id every transaction has entries, or is gone.
        var latestInUse = Int64.min
        var hasSaidThatIDsDiffer = false
    }
    private struct Damage {
        let reason: String
        /// The new file is in its place, and only has to be opened.
        let isReplaced: Bool
        /// Why it could not be replaced.
        let problem: TransactionStoreError
        /// By the monotonic clock.
        let nextTry: UInt64
    }
    /// How long a damaged file that could not be replaced is left alone.
    static let recoveryPause = Duration.seconds(5)
    private let state: Monitor<State>
    /// Bytes that the file may use; see ``makeRoom(for:_:)``.
    let maximumBytes: Int
    private let terms: Terms
    private let clock: LogClock
    private let onRecovery: (@Sendable (TransactionStoreRecovery) -> Void)?
    private let session: TransactionSession

    /// How the file is opened.
    private struct Terms: Sendable {
        let busyTimeout: Double
        let randomness: LogRandomness
        /// Runs on a connection before anything is written.
        let prepare: (@Sendable (Database) throws -> Void)?
    }

    /// Opens the store, and makes it when there is none: the file for this user alone, and the folders that are missing.
    /// - Parameters:
    ///   - busyTimeout: Seconds to wait for another program that keeps the file locked, up to 24 days.
    ///   - onRecovery: Hears of every damaged file that was replaced, at the opening too.
    /// - Throws: What stands in the way; see ``TransactionStoreError``. A file that cannot be used is not touched.
    package convenience init(
        path: String, maximumBytes: Int = .max, busyTimeout: Double = 5, session: TransactionSession? = nil,
        clock: LogClock = .system, randomness: LogRandomness = .system, onRecovery: (@Sendable (TransactionStoreRecovery) -> Void)? = nil
    ) throws(TransactionStoreError) {
        try self.init(
            StoreFile(path), maximumBytes: maximumBytes, busyTimeout: busyTimeout, session: session, clock: clock,
            randomness: randomness, onRecovery: onRecovery)
    }

    /// The same in a file that the caller has locked.
    /// - Parameter prepare: Runs on each connection before anything is written: for tests, which let SQLite find less room.
    init(
        _ file: StoreFile, maximumBytes: Int = .max, busyTimeout: Double = 5, session: TransactionSession? = nil,
        clock: LogClock = .system, randomness: LogRandomness = .system, onRecovery: (@Sendable (TransactionStoreRecovery) -> Void)? = nil,
        prepare: (@Sendable (Database) throws -> Void)? = nil
    ) throws(TransactionStoreError) {
        path = file.path
        self.maximumBytes = maximumBytes
        terms = Terms(busyTimeout: busyTimeout, randomness: randomness, prepare: prepare)
        self.session = session ?? TransactionSession(clock: clock, randomness: randomness)
        self.clock = clock
        self.onRecovery = onRecovery
        try file.finishRecovery(now: clock.now())
        let opened: Opened
        var recovery: TransactionStoreRecovery?
        do {
            opened = try Self.open(file, terms)
        } catch let failure where failure.isDamage(ofOurs: file.identity != nil) {
            recovery = try file.recover(because: failure.cause, as: file.identity, now: clock.now())
            opened = try Self.open(file, terms)
        }
        (installation, epoch, latestEarlierRow) = (opened.identity.installation, opened.identity.epoch, opened.latestRow)
        state = Monitor(State(connection: opened.connection, file: file, opened: opened.status))
        if let recovery { report(recovery) }
    }

    private func report(_ recovery: TransactionStoreRecovery) {
        LogDiagnostics.report("transactions", "\(path): \(recovery)")
        onRecovery?(recovery)
    }

    /// Lets go of the file. Later calls throw ``TransactionStoreError/closed(path:)``; a second one of these does nothing.
    package func close() {
        let (connection, file) = state.withLock { access in
            while access.value.isRecovering { access.wait() }
            defer { (access.value.connection, access.value.file) = (nil, nil) }
            return (access.value.connection, access.value.file)
        }
        try? connection?.close()   // fails only while a statement runs, and then the last reference closes it
        withExtendedLifetime(file) {}   // the lock outlives the connection
    }

    // MARK: Opening

    /// Larger files are not read whole at the opening; damage in them is found when it is met.
    private static let maximumCheckedBytes = 32 << 20

    /// What a write-ahead log that has grown, while somebody read, is shortened to when it begins anew.
    private static let maximumLogBytes = 4 << 20

    private struct Opened {
        let connection: DatabaseQueue
        let status: FileStatus?
        let identity: StoreIdentity
        /// The highest id of an entry's row.
        let latestRow: Int64
        let version: Int
        let isMigrated: Bool
    }

    private static func open(
        _ file: StoreFile, _ terms: Terms, goingOnAs current: StoreIdentity? = nil
    ) throws(TransactionStoreError) -> Opened {
        try file.prepare(supported: schemaVersion)
        do {
            let connection = try open(file.path, terms)
            func begin(_ version: Int) throws -> Opened {
                try connection.write { db in
                    let (before, after) = try bringTables(to: version, db, terms)
                    return Opened(
                        connection: connection, status: file.status, identity: try beginEpoch(db, file.identity, terms, goingOnAs: current),
                        latestRow: try latestRow(db), version: after, isMigrated: (1..<after).contains(before))
                }
            }
            let opened: Opened
            do {
                opened = try begin(schemaVersion)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
                opened = try begin(versionThatServes)
                if opened.version < schemaVersion {
                    LogDiagnostics.report(
                        "transactions", "\(file.path): no room to write the rows into today's tables; a later start will try again")
                }
            }
            if opened.isMigrated {
                // Every row went through the write-ahead log, which would stay as large. A reader stands in the way; then a later
                // checkpoint does it.
                try? connection.inDatabase { db in _ = try db.checkpoint(.truncate) }
            }
            file.remember(opened.identity)
            return opened
        } catch {
            throw TransactionStoreError(error, path: file.path)
        }
    }

    /// In seconds: 24 days. SQLite counts milliseconds in 32 bits.
    private static let longestBusyTimeout: Double = 24 * 86_400

    private static func open(_ path: String, _ terms: Terms) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "logbook.transactions"
        configuration.busyMode = .timeout(min(max(terms.busyTimeout, 0), longestBusyTimeout))
        let connection = try DatabaseQueue(path: path, configuration: configuration)
        try connection.inDatabase { db in
            try terms.prepare?(db)
            _ = logbook_sqlite_defend(db.sqliteConnection)
            try db.execute(
                sql: """
                    PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;
                    PRAGMA journal_size_limit = \(maximumLogBytes)
                    """)
            if try Int.fetchOne(db, sql: "PRAGMA user_version") == 0,
                try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") != 0
            {
                throw TransactionStoreError.notAStore(path: path)
            }
            let bytes = try Int.fetchOne(db, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") ?? 0
            if bytes <= maximumCheckedBytes, let fault = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)"), fault != "ok" {
                throw TransactionStoreError.damaged(path: path, reason: fault)
            }
            guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
                throw TransactionStoreError.cannotOpen(path: path, reason: "its file system has no write-ahead logs")
            }
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
        }
        return connection
    }

    /// - Returns: The version that the tables had, and the one that they have.
    private static func bringTables(to target: Int, _ db: Database, _ terms: Terms) throws -> (before: Int, after: Int) {
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        if version == 0 {
            try makeTables(db, installation: UniqueID.make(terms.randomness))
            return (0, schemaVersion)
        }
        if version < target {
            do {
                try migrate(db, from: version, to: target)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                // A row of an earlier version that belongs to nothing; the salvage knows what to do with it.
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "its rows do not fit together: \(error.message ?? "")")
            }
        }
        return (version, max(version, target))
    }

    /// The longest step from one epoch to the next. A copy of a disk, or a machine that is set back to what it was, goes on from the same
    /// epoch under the same installation: with steps of one its keys would be those of other entries.
    static let maximumEpochStep: UInt64 = 1 << 20

    /// - Parameter known: What the lock's file says: a database that has lost its latest epoch must not give it again.
    private static func beginEpoch(
        _ db: Database, _ known: StoreIdentity?, _ terms: Terms, goingOnAs current: StoreIdentity?
    ) throws -> StoreIdentity {
        if let current { return current }
        if let known {
            try db.execute(
                sql: "UPDATE meta SET epoch = max(epoch, ?) WHERE installation = ?", arguments: [known.epoch, known.installation])
        }
        let step = Int64(terms.randomness.next() % maximumEpochStep) + 1
        try db.execute(sql: "UPDATE meta SET epoch = epoch + ?", arguments: [step])
        guard let row = try Row.fetchOne(db, sql: "SELECT installation, epoch FROM meta"),
            let installation = row.text(0), let epoch = row.integer(1)
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the table meta is empty") }
        return StoreIdentity(installation: installation, epoch: epoch)
    }

    /// Ids that leave no room for others are none of ours.
    private static func latestRow(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT max(id) FROM txn_log WHERE id BETWEEN 0 AND 1 << 61") ?? 0
    }

    // MARK: Access

    /// Runs `body` as one SQLite transaction, and once more when the file was damaged and has been replaced.
    func transaction<Result>(_ body: (Database) throws -> Result) throws(TransactionStoreError) -> Result {
        let (connection, generation) = try connection()
        do {
            return try connection.write(body)
        } catch {
            let failure = TransactionStoreError(error, path: path)
            guard try isReplaced(since: generation, because: failure) else { throw failure }
            do { return try self.connection().0.write(body) } catch { throw TransactionStoreError(error, path: path) }
        }
    }

    func connection() throws(TransactionStoreError) -> (DatabaseQueue, generation: Int) {
        try replaceWhatIsStillDamaged()
        let (connection, generation) = state.withLock { access in
            while access.value.isRecovering { access.wait() }
            return (access.value.connection, access.value.generation)
        }
        guard let connection else { throw .closed(path: path) }
        return (connection, generation)
    }

    /// Tries again what has failed before, once its time has come.
    private func replaceWhatIsStillDamaged() throws(TransactionStoreError) {
        let now = clock.monotonicNanoseconds()
        let (damage, file) = state.withLock { access -> (Damage?, StoreFile?) in
            while access.value.isRecovering { access.wait() }
            guard let damage = access.value.damage, let file = access.value.file else { return (nil, nil) }
            if now < damage.nextTry { return (damage, nil) }
            access.value.isRecovering = true
            return (damage, file)
        }
        guard let damage else { return }
        guard let file else { throw damage.problem }
        try replace(file, because: damage.reason, after: damage)
    }

    /// Replaces a damaged file, unless another thread has done so.
    private func isReplaced(since generation: Int, because failure: TransactionStoreError) throws(TransactionStoreError) -> Bool {
        let (file, isAnother) = state.withLock { access -> (StoreFile?, Bool) in
            while access.value.isRecovering { access.wait() }
            if access.value.generation != generation { return (nil, true) }
            guard let file = access.value.file, access.value.damage == nil, failure.isDamage(ofOurs: true) else { return (nil, false) }
            access.value.isRecovering = true
            return (file, false)
        }
        guard let file else { return isAnother }
        try replace(file, because: failure.cause, after: nil)
        return true
    }

    /// Puts a new store in the place of a damaged one, and ends `isRecovering`, which the caller has set.
    /// - Parameter earlier: What an attempt that failed has left.
    private func replace(
        _ file: StoreFile, because reason: String, after earlier: Damage?
    ) throws(TransactionStoreError) {
        var file = file
        let isReplaced = earlier?.isReplaced ?? false
        let identity = StoreIdentity(installation: installation, epoch: epoch)
        var recovery: TransactionStoreRecovery?
        var replacement: Opened?
        var problem: TransactionStoreError?
        do throws(TransactionStoreError) {
            do { try state.withLock({ $0.value.connection })?.close() } catch { throw TransactionStoreError(error, path: path) }
            if !file.isLockInPlace { file = try StoreFile(path) }
            if !isReplaced {
                if earlier != nil { try file.finishRecovery(now: clock.now()) }   // it may have come so far
                recovery = try file.recover(because: reason, as: identity, now: clock.now())
            }
            replacement = try Self.open(file, terms, goingOnAs: identity)
        } catch {
            problem = error
        }
        let nextTry = clock.monotonicNanoseconds() + UInt64(Self.recoveryPause.wholeNanoseconds)
        state.withLock { access in
            if let replacement {
                access.value.connection = replacement.connection
                access.value.file = file
                access.value.opened = replacement.status
                access.value.generation += 1
                // What was salvaged may stand behind what was known.
                access.value.latestSequence = max(access.value.latestSequence, replacement.latestRow - latestEarlierRow)
                access.value.sentUpTo = .min      // a salvage dissolves parcels
                access.value.latestInUse = .min   // and may find no entry of a transaction
            }
            access.value.damage = problem.map { problem in
                Damage(
                    reason: reason, isReplaced: (isReplaced || recovery != nil) && !problem.isDamage(ofOurs: true),
                    problem: problem, nextTry: nextTry)
            }
            access.value.isRecovering = false
            access.broadcast()
        }
        if let recovery { report(recovery) }
        if let problem { throw problem }
    }

    // MARK: Writing

    /// Stores what events say about transactions, all or nothing. Other events are passed over.
    /// - Parameter isOfferedAgain: The caller comes back with the very same events when this throws; they are stored once.
    /// - Returns: Which of them are not stored because a logout or an erasure has ended what they belong to, by their places; nearly always
    ///   none.
    /// - Throws: ``TransactionStoreError/full(path:maximumBytes:)`` when there is no room that could be made, and what SQLite says.
    @discardableResult
    package func append(_ events: [LogEvent], isOfferedAgain: Bool = false) throws(TransactionStoreError) -> [Int] {
        try append(events[...], isOfferedAgain: isOfferedAgain)
    }

    @discardableResult
    package func append(_ events: ArraySlice<LogEvent>, isOfferedAgain: Bool = false) throws(TransactionStoreError) -> [Int] {
        try events.withUnsafeBufferPointer { events throws(TransactionStoreError) in
            try append(events, isOfferedAgain: isOfferedAgain)
        }
    }

    /// - Parameters:
    ///   - events: Read where they are: to copy one takes as long as a column.
    ///   - hasGivenWay: The second time, after rows of others stood where theirs were to be.
    private func append(
        _ events: UnsafeBufferPointer<LogEvent>, isOfferedAgain: Bool, hasGivenWay: Bool = false
    ) throws(TransactionStoreError) -> [Int] {
        let count = events.places.count { $0.pointee.happened != nil }
        var ended: [Int] = [], keys: [Int64] = [], taken: Set<Int64> = []
        var dropped = 0
        var doIDsDiffer = false
        do {
            try transaction { db in
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
            return try append(events, isOfferedAgain: isOfferedAgain, hasGivenWay: true)
        }
        if !ended.isEmpty { return try append(events, without: ended, isOfferedAgain: isOfferedAgain) }
        settle(keys, of: events, isOfferedAgain: false)
        if dropped > 0 {
            LogDiagnostics.report("transactions", "\(path) has reached \(maximumBytes) bytes: \(dropped) entries are given up")
        }
        if doIDsDiffer { sayThatIDsDiffer() }
        return []
    }

    /// Stores the others.
    /// - Parameter ended: Places of events.
    private func append(
        _ events: UnsafeBufferPointer<LogEvent>, without ended: [Int], isOfferedAgain: Bool
    ) throws(TransactionStoreError) -> [Int] {
        let gone = Set(ended), others = events.indices.filter { !gone.contains($0) }
        let late = try append(others.map { events[$0] }, isOfferedAgain: isOfferedAgain)
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
        let insert = try BulkInsert(Self.insertEntries, count: keys.count, db)
        try insert.inEveryRow { try $0.bind(epoch, at: 7) }
        // Of the transaction that the event before was about.
        var transaction = "", usecase = 0, row: (id: Int64, isOfThisSession: Bool)?
        var place = 0, written = 0
        for event in events.places {
            guard let entry = event.pointee.transaction else { continue }
            let isSame = entry.transactionID.isSameText(as: transaction) && (!transaction.isEmpty || entry.usecase == usecase)
            if row == nil || !isSame {
                let deliverable = entry.deliverable(in: session.id)
                if deliverable.transactionID != entry.transactionID { doIDsDiffer = true }
                row = try self.row(of: deliverable, db)
                (transaction, usecase) = (entry.transactionID, entry.usecase)
            }
            guard let row, case .happened(let number) = entry.kind else { continue }
            let values = insert[place], key = keys[place]
            place += 1
            try values.bind(row.id, at: 1)
            try values.bind(event.pointee.time.storedSeconds, at: 2)
            try values.bind(number, at: 3)
            try values.bind(entry.errorCode, at: 4)
            try values.bind(entry.errorDescription?.deliverable, at: 5)
            try values.bind(row.isOfThisSession ? session.offset(of: entry) : nil, at: 6)
            try values.bind(key, at: 8)
            try values.bind(latestEarlierRow + key, at: 9)
            written += try values.end()
        }
        return written == keys.count
    }

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

    /// The transaction's row, made again when its entries were delivered and the row with them. One that another session has begun says
    /// nothing of this one: who has begun it may come later to the receiver, which believes the first.
    private func row(of entry: TransactionEntry, _ db: Database) throws -> (id: Int64, isOfThisSession: Bool) {
        // Ids are positive: below zero stands one of another session.
        let find = try RowStatement("SELECT CASE WHEN session IS ?2 THEN id ELSE -id END FROM txn WHERE guid = ?1", db)
        try find.bind(entry.transactionID, at: 1)
        try find.bind(session.id, at: 2)
        if let id = try find.integer() { return (abs(id), id > 0) }
        let beginning = session.beginning(of: entry), isOfThisSession = beginning != nil
        let insert = try RowStatement(
            """
            INSERT INTO txn (guid, usecase, useragent_device_make, useragent_device_os, useragent_device_os_version,
              user, variant, app_version, session, installation)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, db)
        try insert.bind(entry.transactionID, at: 1)
        try insert.bind(entry.usecase, at: 2)
        try insert.bind(entry.device.make.deliverable, at: 3)
        try insert.bind(entry.device.os.deliverable, at: 4)
        try insert.bind(entry.device.osVersion.deliverable, at: 5)
        try insert.bind(beginning?.user, at: 6)
        try insert.bind(beginning?.variant, at: 7)
        try insert.bind(isOfThisSession ? session.appVersion : nil, at: 8)
        try insert.bind(isOfThisSession ? session.id : nil, at: 9)
        try insert.bind(isOfThisSession ? installation : nil, at: 10)
        _ = try insert.run()
        return (db.lastInsertedRowID, isOfThisSession)
    }

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
    /// so that no byte of it is left in them; where another program that reads stands in the way, diagnostics say so.
    /// - Parameter endsTransactions: Nothing that began before is stored any more, see ``TransactionSession``.
    package func deleteAll(endsTransactions: Bool = true) throws(TransactionStoreError) {
        try transaction { db in
            let others = !endsTransactions
                ? []
                : try String.fetchAll(
                    db, sql: "SELECT guid FROM txn WHERE session IS NOT ? ORDER BY id DESC LIMIT \(TransactionSession.maximumBegun)",
                    arguments: [session.id])
            try db.execute(sql: "DELETE FROM txn_log; DELETE FROM txn; DELETE FROM parcel; DELETE FROM loss")
            if endsTransactions { session.endAll(and: others) }   // a commit that fails may be on disk all the same
            state.withLock { $0.value.unsettledKeys = UnsettledKeys() }
        }
        overwrite("everything")
    }

    /// Deletes what is of a user, what is under way and what is set aside included, and writes the file anew as
    /// ``deleteAll(endsTransactions:)`` does.
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
        if count > 0 { overwrite("a user's transactions") }
        return count
    }

    /// Deletes what another process's logout has met here: what was stored by then, and all else of those transactions.
    func drop(_ mark: LogoutMark) throws(TransactionStoreError) {
        let count = try transaction { db in
            let count = try giveUp(
                """
                txn_id IN (SELECT txn_id FROM txn_log WHERE epoch < ? OR (epoch = ? AND sequence <= ?))
                """, [mark.epoch, mark.epoch, mark.sequence], because: .loggedOut, db)
            try db.execute(sql: "DELETE FROM txn WHERE NOT EXISTS (SELECT 1 FROM txn_log WHERE txn_id = txn.id)")
            try Self.deleteEmptyParcels(db)
            return count
        }
        overwrite("what a logout has ended")
        if count > 0 { LogDiagnostics.report("transactions", "\(path): \(count) entries are given up, since a logout has ended them") }
    }

    /// Leaves no byte of what was deleted.
    private func overwrite(_ what: String) {
        do {
            try connection().0.inDatabase { db in
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

    // MARK: What is not sent yet

    /// The id of the row behind which unsent entries are looked for: much that is set aside may stand before it.
    var sentUpTo: Int64 { state.withLock { $0.value.sentUpTo } }

    /// Notes that up to this row every entry has a parcel, or is gone; nil for all rows there are. Said within the SQLite transaction in
    /// which it becomes true, so that no other comes between.
    func noteSent(upTo row: Int64?) {
        state.withLock { access in
            // An id that leaves no room for others is none of ours, and must not hide those.
            let latest = latestEarlierRow + access.value.latestSequence
            access.value.sentUpTo = min(row ?? latest, latest)
        }
    }

    /// What was noted may not have become true.
    func forgetWhatIsSent() { state.withLock { $0.value.sentUpTo = .min } }

    // MARK: What has entries

    /// The id of the row behind which transactions without entries are looked for: many that have some may stand before it. None of those
    /// becomes empty and stays, for who deletes the last entry of a transaction deletes that as well.
    var latestInUse: Int64 { state.withLock { $0.value.latestInUse } }

    func noteInUse(upTo row: Int64) { state.withLock { $0.value.latestInUse = row } }
}

extension UnsafeBufferPointer {
    /// Where each element is: a subscript copies it.
    var places: some Collection<UnsafePointer<Element>> { indices.lazy.map { [start = baseAddress] in start! + $0 } }
}
#endif
