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
/// is open, which is noticed when something is to be stored. Where the file of its lock is removed, it is made anew before anything else is
/// written.
package final class TransactionStore: Sendable {
    package let path: String
    /// Made once, when the file was made.
    package let installation: String
    /// Higher with each opening of the store, by a random step.
    package let epoch: Int64
    /// Where the rows of entries are numbered on from: a row's id is this and the entry's sequence, so an entry that is offered again has
    /// the same id.
    let latestEarlierRow: Int64

    struct State {
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
        /// See ``oweLogout()``.
        var owesLogout = false
        var owedDeletion: OwedDeletion?
        /// Entries that were stored and are gone, though nobody wanted that, by reasons.
        var lostAfterwards: [DropReason: UInt64] = [:]
    }
    /// What a logout could not delete, see ``deleteAll(endsTransactions:)``.
    enum OwedDeletion { case ofRows, ofAllThatBegan }

    struct Damage {
        let reason: String
        /// The new file is in its place, and only has to be opened.
        let isReplaced: Bool
        /// Why it could not be replaced.
        let problem: TransactionStoreError
        /// By the monotonic clock.
        let nextTry: UInt64
        /// Where the damaged file is now, of a replacement that was ended and that nobody has been told of.
        let interrupted: StoreFile.EndedReplacement?
    }
    /// How long a damaged file that could not be replaced is left alone at least.
    static let recoveryPause = Duration.seconds(5)
    /// It is left alone for so many times as long as the attempt took, so that a large file on a full disk keeps no core busy.
    static let recoveryRest: UInt64 = 20
    let state: Monitor<State>
    /// Bytes that the file may use; see ``makeRoom(for:_:)``.
    let maximumBytes: Int
    private let terms: Terms
    let turn = StoreTurn()
    private let clock: LogClock
    private let onRecovery: (@Sendable (TransactionStoreRecovery) -> Void)?
    private let lineage = ProcessLineage.current
    let session: TransactionSession

    /// How the file is opened.
    struct Terms: Sendable {
        let busyTimeout: Double
        let randomness: LogRandomness
        /// Runs on a connection before anything is written.
        let prepare: (@Sendable (Database) throws -> Void)?

        /// In seconds: 24 days. SQLite counts milliseconds in 32 bits.
        private static let longestBusyTimeout: Double = 24 * 86_400

        private var busySeconds: Double { min(max(busyTimeout, 0), Self.longestBusyTimeout) }
        var busyMode: Database.BusyMode { .timeout(busySeconds) }
        /// The same as SQLite counts it.
        var busyMilliseconds: Int32 { Int32(busySeconds * 1000) }
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
        let interrupted = try file.finishRecovery(now: clock.now())
        file.removeUnfinishedSalvage()
        let opened: Opened
        var recovery: TransactionStoreRecovery?
        do {
            opened = try Self.open(file, terms)
        } catch let failure where failure.isDamage(ofOurs: file.identity != nil || file.bearsOurMark) {
            recovery = try file.recover(because: failure.cause, as: file.identity, now: clock.now())
            opened = try Self.open(file, terms)
        }
        (installation, epoch, latestEarlierRow) = (opened.identity.installation, opened.identity.epoch, opened.latestRow)
        state = Monitor(State(connection: opened.connection, file: file, opened: opened.status))
        if let recovery { report(recovery) } else if let interrupted { report(endOf: "its replacement was interrupted", interrupted) }
    }

    /// Entries that were stored and are gone, by reasons, of those that this has counted.
    var lostAfterwards: [DropReason: UInt64] { state.withLock { $0.value.lostAfterwards } }

    func countLost(_ count: Int, _ reason: DropReason) {
        if count > 0 { state.withLock { $0.value.lostAfterwards[reason, default: 0] += UInt64(count) } }
    }

    /// A replacement of which nobody knows any more what it could not save.
    private func report(endOf reason: String, _ replacement: StoreFile.EndedReplacement) {
        let counts = try? counts()
        report(
            TransactionStoreRecovery(
                reason: reason, setAside: replacement.setAside, transactions: counts?.transactions ?? 0, entries: counts?.entries ?? 0,
                deleted: replacement.deleted))
    }

    private func report(_ recovery: TransactionStoreRecovery) {
        countLost(recovery.orphans, .corruptRecovered)
        LogDiagnostics.report("transactions", "\(path): \(recovery)")
        onRecovery?(recovery)
    }

    /// A forked child lets go of nothing: SQLite would take its parent's connection for its own.
    deinit { if !lineage.isCurrent { _ = Unmanaged.passRetained(state) } }

    /// - Throws: In a forked child, which has its parent's connection and locks: it is not to touch them.
    private func checkOwner() throws(TransactionStoreError) { if !lineage.isCurrent { throw .closed(path: path) } }

    /// Lets go of the file. Later calls throw ``TransactionStoreError/closed(path:)``; a second one of these does nothing, nor does one in a
    /// forked child.
    package func close() {
        guard lineage.isCurrent else { return }
        let (connection, file) = state.withLock { access in
            while access.value.isRecovering { access.wait() }
            defer { (access.value.connection, access.value.file) = (nil, nil) }
            return (access.value.connection, access.value.file)
        }
        try? connection?.close()   // fails only while a statement runs, and then the last reference closes it
        withExtendedLifetime(file) {}   // the lock outlives the connection
    }

    // MARK: Access

    /// - Throws: ``TransactionStoreError/storeLocked(path:)`` where another process has the store since its lock was removed.
    func makeSureOfLock() throws(TransactionStoreError) {
        try checkOwner()
        try keepLock(by: StorePatience.usual.deadline)
    }

    /// Runs `body` as one SQLite transaction, and once more when the file was damaged and has been replaced.
    /// - Parameter isLogout: Once it is on disk the mark beside the store is gone, before anybody else uses the connection.
    /// - Throws: ``TransactionStoreError/storeLocked(path:)`` too, where another process has the store since its lock was removed.
    func transaction<Result>(
        _ patience: StorePatience = .usual, isLogout: Bool = false, _ body: (Database) throws -> Result
    ) throws(TransactionStoreError) -> Result {
        try checkOwner()
        try keepLock(by: patience.deadline)
        var paid = PaidLogouts()
        defer { note(paid) }
        return try inSoundFile(patience) { db in
            try payLogouts(db, &paid)
            let result = try Self.inTransaction(nil, db) { try body(db) }
            if isLogout { paid.obstacle = LogoutMark.forget(for: path) ?? paid.obstacle }
            return result
        }
    }

    /// The same of what only reads: it waits for no other process, and here until whoever uses the connection is done.
    func reading<Result>(
        _ patience: StorePatience = .usual, _ body: (Database) throws -> Result
    ) throws(TransactionStoreError) -> Result {
        try inSoundFile(patience) { db in try db.readOnly { try Self.inTransaction(.deferred, db) { try body(db) } } }
    }

    static func inTransaction<Result>(
        _ kind: Database.TransactionKind?, _ db: Database, _ body: () throws -> Result
    ) throws -> Result {
        var result: Result?
        try db.inTransaction(kind) {
            result = try body()
            return .commit
        }
        return result!
    }

    private func inSoundFile<Result>(
        _ patience: StorePatience, _ work: (Database) throws -> Result
    ) throws(TransactionStoreError) -> Result {
        let (connection, generation) = try connection(by: patience.deadline)
        do {
            return try use(connection, patience, work)
        } catch {
            let failure = TransactionStoreError(error, path: path)
            guard try isReplaced(since: generation, because: failure, by: patience.deadline) else { throw failure }
            do { return try use(self.connection(by: patience.deadline).0, patience, work) } catch { throw TransactionStoreError(error, path: path) }
        }
    }

    /// - Throws: ``TransactionStoreError/busy(path:)`` too where others had the connection for longer than the patience lasts, and
    ///   ``TransactionStoreError/closed(path:)`` where it was closed since it was taken: GRDB would ask SQLite about one that is no more,
    ///   which ends the program.
    func use<Result>(
        _ connection: DatabaseQueue, _ patience: StorePatience = .usual, _ work: (Database) throws -> Result
    ) throws -> Result {
        let result = try turn.take(by: patience.deadline) {
            try connection.inDatabase { db -> Result in
                guard let handle = db.sqliteConnection else { throw TransactionStoreError.closed(path: path) }
                let usual = terms.busyMilliseconds, limit = patience.milliseconds(atMost: usual)
                if limit < usual { sqlite3_busy_timeout(handle, limit) }
                defer { if limit < usual { sqlite3_busy_timeout(handle, usual) } }
                return try work(db)
            }
        }
        guard let result else { throw TransactionStoreError.busy(path: path) }
        return result
    }

    /// - Parameter deadline: For another thread that replaces a damaged file.
    func connection(by deadline: LogDeadline = .never) throws(TransactionStoreError) -> (DatabaseQueue, generation: Int) {
        try checkOwner()
        try replaceWhatIsStillDamaged(by: deadline)
        let (connection, generation) = try state.withLock { access throws(TransactionStoreError) -> (DatabaseQueue?, Int) in
            try waitForReplacement(access, by: deadline)
            return (access.value.connection, access.value.generation)
        }
        guard let connection else { throw .closed(path: path) }
        return (connection, generation)
    }

    private func waitForReplacement(_ access: Monitor<State>.Access, by deadline: LogDeadline) throws(TransactionStoreError) {
        while access.value.isRecovering { if !access.wait(until: deadline) { throw .busy(path: path) } }
    }

    /// Tries again what has failed before, once its time has come.
    private func replaceWhatIsStillDamaged(by deadline: LogDeadline) throws(TransactionStoreError) {
        let now = clock.monotonicNanoseconds()
        let (damage, file) = try state.withLock { access throws(TransactionStoreError) -> (Damage?, StoreFile?) in
            try waitForReplacement(access, by: deadline)
            guard let damage = access.value.damage, let file = access.value.file else { return (nil, nil) }
            if now < damage.nextTry { return (damage, nil) }
            access.value.isRecovering = true
            return (damage, file)
        }
        guard let damage else { return }
        guard let file else { throw damage.problem }
        try replace(file, because: damage.reason, after: damage)
    }

    /// Replaces a damaged file, unless another thread has done so, or has tried to.
    /// - Parameter deadline: For that thread.
    private func isReplaced(
        since generation: Int, because failure: TransactionStoreError, by deadline: LogDeadline
    ) throws(TransactionStoreError) -> Bool {
        let (file, isAnother) = try state.withLock { access throws(TransactionStoreError) -> (StoreFile?, Bool) in
            try waitForReplacement(access, by: deadline)
            if access.value.generation != generation { return (nil, true) }
            if case .closed = failure, access.value.file != nil { return (nil, true) }   // for what has failed to replace it
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
        let begun = clock.monotonicNanoseconds()
        var recovery: TransactionStoreRecovery?, interrupted = earlier?.interrupted
        var replacement: Opened?
        var problem: TransactionStoreError?
        do throws(TransactionStoreError) {
            do { try state.withLock({ $0.value.connection })?.close() } catch { throw TransactionStoreError(error, path: path) }
            if file.hasLostLock { file = try StoreFile(path) }
            if !isReplaced {
                if earlier != nil { interrupted = try file.finishRecovery(now: clock.now()) }   // it may have come so far
                if interrupted == nil { recovery = try file.recover(because: reason, as: identity, now: clock.now()) }
            }
            replacement = try Self.open(file, terms, goingOnAs: identity)
        } catch {
            problem = error
        }
        let ended = clock.monotonicNanoseconds()
        let nextTry = ended + max(UInt64(Self.recoveryPause.wholeNanoseconds), (ended - begun) * Self.recoveryRest)
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
                    reason: reason, isReplaced: (isReplaced || recovery != nil || interrupted != nil) && !problem.isDamage(ofOurs: true),
                    problem: problem, nextTry: nextTry, interrupted: recovery == nil ? interrupted : nil)
            }
            access.value.isRecovering = false
            access.broadcast()
        }
        if let recovery { report(recovery) } else if let interrupted, replacement != nil { report(endOf: reason, interrupted) }
        if let problem { throw problem }
    }

    /// Makes sure of the lock, whose file somebody may have removed: takes it anew, unless another process was sooner.
    /// - Throws: ``TransactionStoreError/storeLocked(path:)`` as long as that one has it: nobody shares the store.
    private func keepLock(by deadline: LogDeadline) throws(TransactionStoreError) {
        let isTakenAnew = try state.withLock { access throws(TransactionStoreError) -> Bool in
            try waitForReplacement(access, by: deadline)
            // With a damaged file it is looked after when that is replaced.
            guard access.value.damage == nil, let file = access.value.file, file.hasLostLock else { return false }
            let new = try StoreFile(path)
            if new.identity == nil { new.remember(StoreIdentity(installation: installation, epoch: epoch)) }
            access.value.file = new
            // Another may have stored something meanwhile.
            access.value.sentUpTo = .min
            access.value.latestInUse = .min
            return true
        }
        if isTakenAnew { LogDiagnostics.report("transactions", "\(path).lock was removed, and is made anew") }
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
#endif
