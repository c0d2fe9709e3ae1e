#if Transactions
public import LogbookCore
public import LogbookDelivery
public import LogbookHTTP

/// Keeps application transactions in an SQLite file and delivers them to a remote store.
///
/// ```swift
/// let transactions = try TransactionLogProvider(configuration: configuration)
/// service.register(transactions)                          // stored when the call returns
/// service.register(transactions, delivery: .queued())     // or in batches, on a thread of its own
/// ```
/// Durability is `power`: when `log` returns (registered as immediate), or when `flush` returns (queued), the entry survives a
/// crash of the machine. At worst the queue is lost. The one exception: an entry that another program's lock keeps from being stored for
/// longer than ``TransactionLogConfiguration/busyTimeout`` waits in memory, see ``log(_:)``, and is safe when `flush` has returned. An
/// entry leaves the file when the remote store has acknowledged it.
///
/// An id of the application's own (`service.transaction(continuing:…)`) that receivers would refuse is kept in a form that they take:
/// one of more than 256 bytes cut, with a digest of the whole at its end; an empty one as `TXN<usecase>-` and this run's ``session``.
///
/// User, variant, version, session and installation are said of transactions that begin in this run. Of one that goes on here
/// (`service.transaction(continuing:…)`, ``ServerTransaction``) and began elsewhere, they are left to whoever began it.
public final class TransactionLogProvider: LogProvider, BatchSink, PendingHolder {
    private let configuration: TransactionLogConfiguration
    private let lanes: StoreLanes
    var store: TransactionStore { lanes.own }
    private let labels: TransactionSession
    private let commits: GroupCommit
    private let delivery: TransactionDelivery
    private let errors: StoreErrors
    private let courier: Courier
    private let account: Locked<LogLedger>
    private let lineage = ProcessLineage.current
    /// Entries since the courier was woken for their number.
    let uncollected = Locked(0)

    /// Opens the store, and begins to deliver when an interval, a token and an address are set. A store of ours that is damaged is set
    /// aside, and a new one takes its place with what could be read.
    /// - Throws: What stands in the way of the store; the file was not changed then.
    public convenience init(configuration: TransactionLogConfiguration) throws(TransactionStoreError) {
        try self.init(configuration: configuration, startThread: { LogThread.start($0, $1) })
    }

    /// The same with a thread from elsewhere to deliver on.
    package init(
        configuration: TransactionLogConfiguration,
        startThread: @escaping LogThread.Start
    ) throws(TransactionStoreError) {
        configuration.parcelLimits.check()
        requireValid(configuration.maximumStoreBytes >= 1 << 20, "maximumStoreBytes must be at least 1 MiB")
        requireValid(configuration.deliverAfterEntries.map { $0 > 0 } ?? true, "deliverAfterEntries must be positive")
        let labels = TransactionSession(
            appVersion: configuration.appVersion, user: configuration.user, variant: configuration.variant,
            clock: configuration.clock, randomness: configuration.randomness)
        let errors = StoreErrors(configuration.onError)
        defer { errors.tell() }
        let lanes = try StoreLanes(
            at: configuration.storePath, sharing: configuration.storeSharing, clock: configuration.clock
        ) { file throws(TransactionStoreError) in
            try TransactionStore(
                file, maximumBytes: configuration.maximumStoreBytes,
                busyTimeout: Double(configuration.busyTimeout.wholeNanoseconds) / 1e9, session: labels, clock: configuration.clock,
                randomness: configuration.randomness,
                onRecovery: { [path = file.path] in errors.note(.recovered(path: path, $0)) })
        }
        let account = Locked(LogLedger())
        let commits = GroupCommit(lanes.own) { fate in
            TransactionLogProvider.note(fate, in: account)
            if !fate.isBusy, case .failed(let failure) = fate { errors.note(failure) }   // a lock was told of when it was parked
        }
        let delivery = TransactionDelivery(lanes: lanes, commits: commits, configuration: configuration, errors: errors)
        self.configuration = configuration
        self.lanes = lanes
        self.labels = labels
        self.account = account
        self.commits = commits
        self.errors = errors
        self.delivery = delivery
        courier = Courier(
            name: "transactions", source: delivery, destination: delivery, transport: configuration.transport,
            policy: configuration.delivery, conditions: configuration.conditions, deadLetters: nil, clock: configuration.clock,
            randomness: configuration.randomness, onEvent: { delivery.note($0) }, startThread: startThread)
    }

    // MARK: Taking entries

    public static var usualDelivery: LogDelivery? { .immediate }
    public var interest: LogInterest { .transactionEntries }

    /// Stores the entry before it returns, in one commit with those of other threads that store at the same time. When that fails,
    /// the entry is lost, counted under ``DropReason/inputOutputError`` (``DropReason/spoolFull`` where there is no room that could be made,
    /// ``DropReason/alreadyShutDown`` after a shutdown), and `onError` hears of it once.
    ///
    /// Where another program keeps the file locked for longer than ``TransactionLogConfiguration/busyTimeout``, `onError` hears of that,
    /// and the entry waits in memory: pending in the ``ledger``, and lost if the program ends without a flush. It is stored, in its order,
    /// with the next entry, by ``flush(by:)``, ``deliver(by:)`` and ``shutdown(by:)``, and when the time to deliver has come. Until then no
    /// entry waits for the other program. The oldest of more than 4096 are lost, and counted under ``DropReason/inputOutputError``.
    ///
    /// In a forked child it does nothing, and what throws elsewhere throws ``TransactionStoreError/closed(path:)``: file, lock and
    /// account are the parent's. A registration counts what its provider is not given there.
    public func log(_ event: LogEvent) {
        guard lineage.isCurrent else { return }
        account.withLock { $0.submit() }
        let fate: GroupCommit.Fate
        do throws(TransactionStoreError) {
            fate = try errors.reporting { () throws(TransactionStoreError) in try commits.append(event) }
        } catch {
            fate = .failed(error)
        }
        if !fate.isBusy { Self.note(fate, in: account) }
        switch fate {
        case .stored, .waits, .failed(.busy): wakeCourier(for: CollectionOfOne(event))
        case .ended, .failed: break
        }
    }

    /// Counts what became of an entry.
    private static func note(_ fate: GroupCommit.Fate, in account: Locked<LogLedger>) {
        switch fate {
        case .waits: break
        case .stored: account.withLock { $0.deliver() }
        case .ended: account.withLock { $0.drop(1, .loggedOut) }
        case .failed(.closed): account.withLock { $0.drop(1, .alreadyShutDown) }
        case .failed(.full): account.withLock { $0.drop(1, .spoolFull) }
        case .failed(let failure):
            LogDiagnostics.report("transactions", "an entry is lost: \(failure)")
            account.withLock { $0.drop(1, .inputOutputError) }
        }
    }

    /// Stores a batch in one SQLite transaction, or in several where the store has no room for all of it at once: then what is older
    /// gives way to what is newer. When that fails nothing is lost: the queue offers again what is not stored. After a shutdown it is
    /// refused (``DropReason/alreadyShutDown``).
    /// - Throws: ``BatchWriteError``, also where a logout has ended what some of it belongs to (``DropReason/loggedOut``).
    public func write(_ batch: [LogEvent]) throws {
        let (count, ended, failure) = append(batch[...])
        account.withLock { account in
            account.submit(count)
            account.deliver(count - ended)
            account.drop(ended, .loggedOut)
        }
        wakeCourier(for: batch.prefix(count))
        if ended > 0 {
            errors.tell()
            throw BatchWriteError.dropped(count: ended, of: count, .loggedOut)   // what stands behind them comes again, and fails by itself
        }
        do {
            try errors.reporting { () throws(TransactionStoreError) in if let failure { throw failure } }
        } catch {
            if count > 0 { throw BatchWriteError.wroteOnly(count: count, because: error) }
            if case .closed = error { throw BatchWriteError.refused(.alreadyShutDown, because: error) }
            throw error
        }
    }

    /// - Returns: How many are done with, how many of those a logout has ended, and why it is not all of them.
    private func append(_ events: ArraySlice<LogEvent>) -> (count: Int, ended: Int, failure: TransactionStoreError?) {
        do throws(TransactionStoreError) {
            let ended = try store.append(events, isOfferedAgain: true)
            return (events.count, ended.count, nil)
        } catch {
            guard case .full = error, events.count > 1 else { return (0, 0, error) }
            let half = events.count / 2, first = append(events.prefix(half))
            if first.failure != nil { return first }
            let second = append(events.dropFirst(half))
            return (half + second.count, first.ended + second.ended, second.failure)
        }
    }

    /// What is urgent goes at once, and enough of anything without waiting for the interval.
    private func wakeCourier(for stored: some Collection<LogEvent>) {
        courier.startMissingThread()
        let conditions = configuration.conditions
        if conditions.urgentFrom != nil, stored.contains(where: conditions.isUrgent) { courier.hurry() }
        guard let limit = configuration.deliverAfterEntries else { return }
        let count = stored.count { $0.happened != nil }
        let isReached = uncollected.withLock { uncollected in
            uncollected += count
            if uncollected < limit { return false }
            uncollected = 0
            return true
        }
        if isReached { courier.wake() }
    }

    /// Stores what another program's lock has kept in memory, see ``log(_:)``; everything else is stored.
    /// - Throws: ``TransactionStoreError/busy(path:)`` when the file is locked until the deadline. What waits goes on to wait.
    public func flush(by deadline: LogDeadline) throws {
        try checkOwner()
        try errors.reporting { () throws(TransactionStoreError) in try commits.storeParked(by: deadline) }
    }

    private func checkOwner() throws(TransactionStoreError) { if !lineage.isCurrent { throw .closed(path: store.path) } }

    /// Ends deliveries, waiting for the one under way until the deadline, stores what waits in memory, and closes the file when what is
    /// being written to it is: where another program keeps it locked, up to ``TransactionLogConfiguration/busyTimeout`` after the deadline.
    /// What was not delivered stays in it. What another program's lock has kept from being stored until the deadline is lost, counted under
    /// ``DropReason/providerTimeout``; `onError` and diagnostics say so.
    /// - Throws: ``TransactionStoreError/lost(path:count:)`` when something is lost so. The shutdown is made all the same; a second one
    ///   says nothing of it.
    public func shutdown(by deadline: LogDeadline) throws {
        guard lineage.isCurrent else { return }
        courier.beginShutdown(by: deadline)
        try? flush(by: deadline)
        courier.shutdown(by: deadline)
        let lost = giveUpWhatWaits("the shutdown loses")
        lanes.close()
        if lost > 0 { throw TransactionStoreError.lost(path: store.path, count: lost) }
    }

    /// Stores what waits in memory, if that can be at once; what cannot is counted, and said.
    /// - Parameter words: What is said before the number.
    /// - Returns: How many entries, and beginnings of transactions, are lost.
    @discardableResult
    private func giveUpWhatWaits(_ words: String) -> Int {
        commits.storeParkedAtLast()
        errors.tell()
        let lost = commits.close()
        if lost == 0 { return 0 }
        LogDiagnostics.report("transactions shut down", "\(words) \(lost.inEntries): another program keeps \(store.path) locked")
        account.withLock { $0.drop(lost, .providerTimeout) }
        return lost
    }

    /// Who lets go of it without a shutdown loses nothing that can be stored.
    /// In a forked child what waits is its parent's.
    deinit { if lineage.isCurrent { giveUpWhatWaits("it was let go of without a shutdown, which loses") } }

    public func close(by deadline: LogDeadline) throws { try shutdown(by: deadline) }

    /// Entries, and beginnings of transactions, that were taken: `delivered` ones are in the file, or were; others wait in memory, see
    /// ``log(_:)``.
    public var ledger: LogLedger? { account.withLock { $0 } }

    /// Entries that were stored and given up since the provider was made: the store was full, or its file damaged. What was erased, or ended by
    /// a logout, is not among them.
    public var lostAfterwards: [DropReason: UInt64]? { store.lostAfterwards }

    package func notePending(on page: LossPage, as name: String) { commits.notePending(on: page, as: name) }

    /// When the oldest of those was said that wait in memory; nil when none does.
    public var oldestPending: LogTime? { commits.oldestParked }

    // MARK: Who and what

    /// Who uses the program, such as an account's id; nil before a login. A transaction belongs to the user it began with, whatever
    /// is set here later; see ``deleteAll()`` for a logout. For what waits in a queue the latest 64 changes of it and of ``variant`` are
    /// remembered: what began before them is nobody's.
    public var user: String? {
        get { labels.user }
        set {
            let earlier = labels.user
            labels.user = newValue
            if let user = labels.user, user != earlier { lanes.noteUser() }
        }
    }

    /// What is tried out on the user: `B`, `checkout=short`. Transactions that begin from now on are marked with it.
    public var variant: String? {
        get { labels.variant }
        set { labels.variant = newValue }
    }

    /// The id of this run of the program, made when the store was opened.
    public var session: String { labels.id }

    // MARK: The remote store

    /// Where sets are posted to. Setting it tries to deliver at once.
    public var storeURL: String? {
        get { delivery.address.url }
        set { changeAddress { $0.url = newValue } }
    }

    /// Cleared when the remote store answers that it does not know it. Setting it tries to deliver at once; where two or more in a row were
    /// refused, after a pause as after failures, which ``deliver(by:)`` ends.
    public var token: Secret? {
        get { delivery.address.token }
        set { changeAddress { $0.token = newValue } }
    }

    /// Sets both at once, for a login or a logout: set one after the other, the new token could go to the old address, or the old one to
    /// the new. Tries to deliver at once when both are there.
    public func setStore(url: String?, token: Secret?) {
        changeAddress { $0 = TransactionDelivery.Address(url: url, token: token) }
    }

    private func changeAddress(_ change: (inout TransactionDelivery.Address) -> Void) {
        guard lineage.isCurrent else { return }
        let wasSetUp = delivery.isSetUp
        let isAnotherReceiver = delivery.change(change)
        guard delivery.hasAddress else { return courier.wake() }   // who waits for a delivery waits for nothing now
        if !wasSetUp { lanes.noteUser() }   // what is renewed is of the same user
        lanes.noteLogin()
        courier.reconfigured(forAnotherReceiver: isAnotherReceiver)
    }

    /// Sends what is in the store now, and what processes that have gone have left beside it, and returns once all of it is delivered
    /// or set aside. Conditions are asked at once, and honoured; after ``hurry()`` they are not asked.
    /// - Throws: ``TransactionDeliveryError`` when no token or no address is set, or when it is taken away meanwhile,
    ///   ``TransactionStoreError`` when the store cannot be read, ``CourierError`` when the deadline passed, the remote store refuses us,
    ///   or the conditions do not hold. Everything stays in the store. ``TransactionStoreError`` also when what another process has left
    ///   cannot be opened: then the rest has been delivered.
    public func deliver(by deadline: LogDeadline) throws {
        try checkOwner()
        try delivery.checkAddress()
        guard lanes.look(by: deadline) else {
            let pending = delivery.latestPending
            throw CourierError.deadlinePassed(pending: pending, reason: pending == 0 ? Self.notCounted : nil)
        }
        guard try delivery.countPending(by: deadline) else {
            throw CourierError.deadlinePassed(pending: delivery.latestPending, reason: Self.storeInUse)
        }
        var address: Int
        repeat {
            address = delivery.current.number
            try courier.deliver(by: deadline)
            // Without a token there are no parcels, which looks like the end of them; there may be another by now.
            guard delivery.pendingCount(by: deadline) > 0 else { break }
            try delivery.checkAddress()
        } while address != delivery.current.number
        try delivery.checkLanes()
    }

    /// Why nobody knows what waits, where nothing was counted before.
    private static let notCounted = "another thread is at work on what other processes have left"

    /// Why what waits could be neither stored nor counted.
    private static let storeInUse = "another thread or another program is at work on the store"

    /// The same without blocking a thread of the concurrency pool.
    public func deliver(by deadline: LogDeadline = .seconds(60)) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let work: @Sendable () -> Void = { continuation.resume(with: Result { try self.deliver(by: deadline) }) }
            if !LogThread.start("logbook-deliver", work) { work() }
        }
    }

    /// What waits now goes without regard to the conditions: something happened that somebody should see soon.
    public func hurry() { if lineage.isCurrent { courier.hurry() } }

    /// Sends nothing by itself until ``resumeDelivery()``, such as while an app is in the background: not after the interval, not for
    /// ``TransactionLogConfiguration/deliverAfterEntries``, and not for a new token or address. Entries are stored as ever, but for what
    /// another program's lock keeps in memory (see ``log(_:)``): no delivery comes by that would store it. What is on its way goes on, and
    /// what ``deliver(by:)`` and ``hurry()`` ask for is sent; so is what ``DeliveryConditions/urgentFrom`` calls urgent. A second call does
    /// nothing.
    public func pauseDelivery() { courier.pause() }

    /// Ends what ``pauseDelivery()`` began, and tries at once. For as long as the remote store asked to be left alone with `Retry-After`,
    /// or a pause after failures is running, nothing is sent all the same.
    public func resumeDelivery() { if lineage.isCurrent { courier.resume() } }

    /// How deliveries fare, and whether they are paused.
    public var deliveryStatus: CourierStatus { courier.status }

    // MARK: The local store

    /// The file that this process writes to: the configuration's, or one beside it where another process has that open.
    public var storePath: String { store.path }

    /// Every transaction in this process's own file with its entries, in the order in which they were made.
    public func allTransactions() throws(TransactionStoreError) -> [TransactionRecord] {
        try errors.reporting { () throws(TransactionStoreError) in try store.allTransactions() }
    }

    /// What is in the file, and in those that processes that have gone have left beside it.
    public func counts() throws(TransactionStoreError) -> TransactionStoreCounts {
        try checkOwner()   // a thread of the parent's may be at work on the lanes, and is none of a child's
        return try errors.reporting { () throws(TransactionStoreError) in try lanes.counts() }
    }

    /// Deletes transactions with their entries, delivered or not. Ids that are not there are passed over; one that was cut is known by the
    /// whole as well.
    public func delete(_ ids: [String]) throws(TransactionStoreError) {
        try checkOwner()
        defer { delivery.takeAnew() }
        try errors.reporting { () throws(TransactionStoreError) -> Void in
            try commits.storeParked(by: .after(configuration.busyTimeout))   // it would come back otherwise
            try store.delete(ids)
        }
    }

    /// Deletes everything, what processes that have gone have left beside it included, for a logout. What is under way to the old address
    /// may still arrive there; its answer deletes nothing that was logged since.
    ///
    /// ```swift
    /// transactions.setStore(url: nil, token: nil)     // nothing more goes to the old address
    /// transactions.user = nil                         // nothing new is the old user's
    /// try transactions.deleteAll()
    /// // … and with the next login:
    /// transactions.user = account.id
    /// transactions.setStore(url: account.transactionStore, token: account.token)
    /// ```
    /// It ends every transaction. What was said before it and waits in a queue, and what an object that was made before it says later, is
    /// not stored, and counted under ``DropReason/loggedOut``: it would reach the next user's address. Of an object that is made later for
    /// an id from before (`service.transaction(continuing:…)`) that holds for the latest 4096 transactions; one without an id of its own
    /// goes on for the next user.
    ///
    /// The files are written anew, so that no byte of an entry is left in them. A program that reads one at the same time may stand in the
    /// way: then diagnostics say so; call it again. Damaged files that were set aside (`.corrupt-…`) stay.
    ///
    /// What other processes that run have stored beside it, and will, stays theirs to send, to the address that they have: they know of no
    /// logout. What of it is left when they end is given up, and counted in ``TransactionStoreCounts/dropped``. Have each of them do the
    /// same, or start anew: what a process stores after its own logout is kept, also where the others' come later, as long as that is
    /// before its next token and address are set. Of what comes later still nobody can tell which user it is about: then that is given up.
    /// - Throws: The first failure. What it was not about is deleted all the same, and what it was about before anything else is stored or
    ///   sent, also when the program starts anew, if the disk took the few bytes that tell it so. The same goes for what a kill in the
    ///   middle of it has left.
    ///   ``TransactionStoreError/storeLocked(path:)``: another process has this one's file, whose lock was removed; what is in it is given
    ///   up once that process has gone, and no transaction is ended. Call it again then.
    public func deleteAll() throws(TransactionStoreError) {
        try checkOwner()   // what others have left is the parent's to delete
        defer { delivery.takeAnew() }
        try errors.reporting { () throws(TransactionStoreError) in try lanes.deleteAll() }
    }

    /// Deletes every transaction that began with this ``user``, with its entries, delivered or not, what processes that have gone have left
    /// beside it included: for somebody who wants to be forgotten, beside `DELETE /v1/users/<user>` at the collector. Nothing more is
    /// stored of those transactions, nor of what was said of the user before this and waits in a queue; that is counted under
    /// ``DropReason/loggedOut``. What begins with the user later is stored again. The entries that are deleted count as
    /// ``TransactionStoreCounts/dropped``. The files are written anew as ``deleteAll()`` does it.
    ///
    /// It does not reach what processes that run have stored beside it: have each of them do the same. Nor does it reach transactions of
    /// which nobody has said whose they are, what an error's description says of somebody, damaged files that were set aside
    /// (`.corrupt-…`), and a request that is under way.
    /// - Returns: How many transactions were there; 0 for a user of no letters, who is nobody.
    /// - Throws: The first failure, also of a store beside it that could not be opened; the others had their turn all the same.
    @discardableResult
    public func erase(user: String) throws(TransactionStoreError) -> Int {
        guard let user = TransactionSession.storedUser(user) else { return 0 }
        try checkOwner()
        defer { delivery.takeAnew() }
        return try errors.reporting { () throws(TransactionStoreError) in try lanes.erase(user: user) }
    }

    /// Lets entries that the remote store refused for good be sent once more, those that processes that have gone have left included: after
    /// either side was corrected.
    public func reinstateSetAside() throws(TransactionStoreError) {
        try checkOwner()
        defer { courier.wake() }   // of what fails the rest may be done
        try errors.reporting { () throws(TransactionStoreError) in try lanes.reinstateSetAside() }
    }
}
#endif
