#if Transactions
internal import LogbookCore
internal import LogbookDelivery

/// Between the store and the courier: makes parcels of stored entries, and says where they go.
///
/// A parcel goes to the address that was in force when it was taken from the store, or to none: once another address is set, or something
/// was deleted, it is taken anew. So after a logout, which sets no address and deletes, nothing of the old user is sent any more, neither
/// to the old address nor to the next.
final class TransactionDelivery: ParcelSource, ChangingDestination {
    struct Address: Equatable {
        var url: String?
        var token: Secret?
    }

    private struct State {
        var address: Address
        /// The token of the address was refused, and nothing else has been set since.
        var isRefused = false
        /// Where parcels last went to.
        var latestURL: String?
        /// Counts what parcels have to be taken anew for.
        var generation = 0
        /// Of which the latest parcel is.
        var source: TransactionStore
        var latestPending: Int
        /// Of which it was told.
        var latestUnopened: TransactionStoreError?
    }

    private let lanes: StoreLanes
    private let commits: GroupCommit
    let configuration: TransactionLogConfiguration
    private let errors: StoreErrors
    private let state: Locked<State>

    init(lanes: StoreLanes, commits: GroupCommit, configuration: TransactionLogConfiguration, errors: StoreErrors) {
        self.lanes = lanes
        self.commits = commits
        self.configuration = configuration
        self.errors = errors
        state = Locked(
            State(
                address: Address(url: configuration.storeURL, token: configuration.token), latestURL: configuration.storeURL,
                source: lanes.own,
                latestPending: (try? lanes.pendingCount()) ?? 0))
    }

    // MARK: Where to

    var address: Address { state.withLock { $0.address } }

    var current: (destination: any Destination, number: Int) {
        let (address, generation) = state.withLock { ($0.address, $0.generation) }
        return (destination: TransactionDestination(delivery: self, address: address), number: generation)
    }

    /// Whether address and token are set.
    var hasAddress: Bool { (try? checkAddress()) != nil }

    /// Whether address and token are set, or were until the token was refused: what is set next is of the same user.
    var isSetUp: Bool { state.withLock { $0.isRefused || ($0.address.url != nil && $0.address.token != nil) } }

    /// - Returns: Whether parcels go to another address now than the last ones did.
    func change(_ change: (inout Address) -> Void) -> Bool {
        state.withLock { state in
            change(&state.address)
            state.isRefused = false
            state.generation += 1
            guard state.address.token != nil, let url = state.address.url else { return false }
            defer { state.latestURL = url }
            return state.latestURL != nil && state.latestURL != url
        }
    }

    /// What was taken from the store and not sent yet may hold what is gone.
    func takeAnew() { state.withLock { $0.generation += 1 } }

    /// What has to be set before anything can be sent.
    func checkAddress() throws(TransactionDeliveryError) {
        let address = address
        if address.url == nil { throw .noStoreURL }
        if address.token == nil { throw .noToken }
    }

    /// Forgets the token that was refused, unless there is another by now.
    func refuseToken(of address: Address) {
        let isForgotten = state.withLock { state in
            guard state.address == address else { return false }
            state.address.token = nil
            state.isRefused = true
            state.generation += 1
            return true
        }
        if isForgotten { configuration.onDelivery?(.authenticationRequired) }
    }

    // MARK: Parcels

    func nextParcel() throws -> Parcel? {
        // Nobody else may come by who stores it, and its turn to be sent may be long in coming.
        try? commits.storeParked(by: .now)
        errors.tell()
        let address = address
        guard address.url != nil, address.token != nil else {
            letGo()
            return nil
        }
        let found = try errors.reporting { () throws(TransactionStoreError) in
            try lanes.nextParcel { store throws(TransactionStoreError) in
                if store === lanes.own { try commits.storeParked(by: .after(configuration.busyTimeout)) }
                return try store.nextParcel(
                    configuration.wireVersion, limits: configuration.parcelLimits, now: configuration.clock.now(),
                    randomness: configuration.randomness)
            }
        }
        guard let (store, parcel) = found else {
            tellOfUnopened()
            return nil
        }
        state.withLock { $0.source = store }
        return encoded(parcel)
    }

    /// Why what another process has left could not be opened: told when it is news.
    @discardableResult
    private func tellOfUnopened() -> TransactionStoreError? {
        let unopened = lanes.unopened
        let isNews = state.withLock { state in
            defer { state.latestUnopened = unopened }
            return state.latestUnopened != unopened
        }
        if isNews, let unopened { try? errors.reporting { () throws(TransactionStoreError) -> Void in throw unopened } }
        return unopened
    }

    /// - Throws: Why what another process has left could not be opened: nobody knows what is in it, or it was not delivered.
    func checkLanes() throws(TransactionStoreError) {
        if let unopened = tellOfUnopened() { throw unopened }
    }

    var unreadable: String? { lanes.unopened.map { "\($0)" } }

    /// A lane that could not be opened is tried again when the lanes are looked at.
    var nextParcelIsDue: Duration? { lanes.unopened == nil ? nil : StoreLanes.lookAgain }

    func takeArrivals() -> Int { lanes.takeArrivals() }

    func letGo() { lanes.letGo() }

    /// The store that the parcel on its way is of.
    private var store: TransactionStore { state.withLock { $0.source } }

    private func encoded(_ parcel: StoredParcel) -> Parcel {
        Parcel(
            id: parcel.id, body: parcel.set.encode(parcel.version), contentType: configuration.mediaType(of: parcel.version).description,
            count: parcel.set.entryCount, sealed: parcel.sealed)
    }

    /// How a parcel of ours is written. By what we call each version: a prefix need not be one that can be told from the rest.
    func version(of parcel: Parcel) -> TransactionSetVersion {
        TransactionSetVersion.allCases.first { configuration.mediaType(of: $0).description == parcel.contentType }
            ?? configuration.wireVersion
    }

    /// Says what became of entries; of those that were deleted meanwhile, nothing. Where another process has left them and its lane cannot
    /// note it, nothing is said either: the parcel goes again later, under the same id and with the same keys.
    func settle(_ parcel: Parcel, as fate: ParcelFate) throws {
        if try isTakenAway() { return }
        switch fate {
        case .delivered:
            let delivered = try noting { store throws(TransactionStoreError) in try store.settleDelivered(parcel.id, commits.patience) }
            if let delivered, let (transactions, entries) = delivered {
                configuration.onDelivery?(.delivered(transactions: transactions, entries: entries))
            }
        case .rejected(let reason):
            let count = try noting { store throws(TransactionStoreError) in
                try store.settleRejected(parcel.id, because: reason, commits.patience)
            }
            if let count, count > 0 { configuration.onDelivery?(.setAside(entries: count, reason: reason)) }
        }
    }

    /// Notes something in the store that the parcel on its way is of.
    /// - Returns: Nil where another process has left that store, and it cannot: it is passed over for a while, and nothing of ours waits
    ///   for it.
    /// - Throws: Why the own store cannot.
    private func noting<Result>(
        _ note: (TransactionStore) throws(TransactionStoreError) -> Result
    ) throws(TransactionStoreError) -> Result? {
        let store = store
        if store === lanes.own { return try errors.reporting { () throws(TransactionStoreError) -> Result in try note(store) } }
        defer { errors.tell() }
        do throws(TransactionStoreError) { return try note(store) } catch {
            lanes.passOver(store, because: error)
            return nil
        }
    }

    /// Whether the parcel on its way is of a lane that another process has by now, since its lock was removed: that one sends what is in it,
    /// and nothing of ours waits for it.
    private func isTakenAway() throws -> Bool {
        let store = store
        guard store !== lanes.own else { return false }
        do { try store.makeSureOfLock() } catch TransactionStoreError.storeLocked {
            lanes.letGo()
            return true
        } catch { return false }   // what it does next finds out
        return false
    }

    func split(_ parcel: Parcel) throws -> Bool {
        if try isTakenAway() { return true }
        let isSplit = try noting { store throws(TransactionStoreError) in
            try store.split(parcel.id, of: parcel.count, now: configuration.clock.now(), randomness: configuration.randomness)
        }
        return isSplit ?? true   // it goes again as it is
    }

    /// Has what waits in a form go in the one that is set.
    /// - Returns: False when the store cannot do it.
    func unseal(_ version: TransactionSetVersion) -> Bool {
        (try? errors.reporting({ () throws(TransactionStoreError) in try store.unseal(version) })) != nil
    }

    var pendingCount: Int { pendingCount(by: .never) }

    /// What is in the stores, and what waits in memory to be stored. When a store cannot be read, or others use it until the deadline, what
    /// was in it when that was last counted.
    func pendingCount(by deadline: LogDeadline) -> Int {
        let parked = commits.parkedCount   // first: what is stored meanwhile may be counted twice, and is not missed
        guard let count = try? lanes.pendingCount(by: deadline) else { return parked + state.withLock { $0.latestPending } }
        state.withLock { $0.latestPending = count }
        return parked + count
    }

    /// What waited when that was last counted; asked for without waiting.
    var latestPending: Int { commits.parkedCount + state.withLock { $0.latestPending } }

    /// Nil also when the store cannot be read.
    var oldestPending: LogTime? { [commits.oldestParked, try? lanes.oldestPending()].compactMap { $0 }.min() }

    /// Stores what waits in memory, and counts what is in the stores for the sake of ``pendingCount``, to which one that cannot be read may
    /// look empty.
    /// - Returns: False where others used the store until the deadline.
    /// - Throws: Why it cannot be stored, or counted.
    func countPending(by deadline: LogDeadline) throws(TransactionStoreError) -> Bool {
        let count = try errors.reporting { () throws(TransactionStoreError) -> Int? in
            do throws(TransactionStoreError) {
                try commits.storeParked(by: deadline)
                return try lanes.pendingCount(by: deadline)
            } catch .busy where deadline.hasPassed {
                return nil
            }
        }
        guard let count else { return false }
        state.withLock { $0.latestPending = count }
        return true
    }

    // MARK: What the courier says

    /// In the words of those who watch transactions. While nothing can be delivered, what others have left is not
    /// kept from those who need its place.
    func note(_ event: CourierEvent) {
        switch event {
        case .willRetry, .misconfigured: lanes.letGo()
        case .attempting, .delivered, .split, .rejected: break
        }
        guard let onDelivery = configuration.onDelivery else { return }
        switch event {
        case .attempting, .delivered, .split, .rejected, .misconfigured(_, _, status: 401): break   // said before, or of no interest
        case .willRetry(_, let pause, _, let status, let isAsked) where isAsked || status == 503:
            onDelivery(.serverBusy(until: isAsked ? configuration.clock.now().adding(pause) : nil))
        case .willRetry(_, _, let reason, _, _), .misconfigured(_, let reason, _):
            onDelivery(.failed(reason: reason))
        }
    }
}
#endif
