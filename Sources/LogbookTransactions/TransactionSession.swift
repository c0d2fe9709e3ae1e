#if Transactions
package import LogbookCore

/// One run of the program, and who uses it: what each transaction is marked with when it begins.
///
/// What was true at the beginning stays: another user does not change that of a transaction that goes on, also when its row was
/// delivered and has to be made again. A logout ends every transaction: what an object that was made before it says later would reach
/// the next user's address. Entries tell when their object was made; what is remembered of ids is for those that do not, and for objects
/// that are made later of an id from before.
package final class TransactionSession: Sendable {
    struct Labels: Sendable, Hashable {
        var user: String?
        var variant: String?

        /// By bytes, as the file has them: names that only look alike are two.
        func isSame(as other: Labels) -> Bool { Self.isSame(user, other.user) && Self.isSame(variant, other.variant) }

        private static func isSame(_ one: String?, _ other: String?) -> Bool {
            guard let one, let other else { return one == nil && other == nil }
            return one.isSameText(as: other)
        }
    }

    private enum Beginning {
        case with(Labels)
        /// In another session, as far as who goes on with it has said.
        case elsewhere
        /// Before the latest logout.
        case over
    }

    private struct State {
        /// Since when, by the monotonic clock; the first of all since ever. The latest are kept, and there is always one.
        var changes: [(since: UInt64, labels: Labels)]
        /// Of transactions of which something was said, the latest.
        var begun: [String: Beginning] = [:]
        /// Their ids as a ring, the oldest at `oldest` once it is full.
        var order: [String] = []
        var oldest = 0
        /// When the latest logout was, by the monotonic clock.
        var loggedOut: UInt64?
        /// Until when what was said of a user is not stored, by the monotonic clock; the latest erasures.
        var erased: [(user: String, until: UInt64)] = []

        /// What is true of a transaction that began then; nil where that is from before the changes that are kept, and nobody knows.
        func labels(at uptime: UInt64) -> Labels? { changes.last { $0.since <= uptime }?.labels }

        mutating func remember(_ id: String, _ beginning: Beginning) {
            if begun.updateValue(beginning, forKey: id) != nil { return }
            if order.count < TransactionSession.maximumBegun {
                order.append(id)
            } else {
                begun[order[oldest]] = nil
                order[oldest] = id
                oldest = (oldest + 1) % TransactionSession.maximumBegun
            }
        }

        /// Remembers that these are over: all that are known, and of the others as many as there is room for, or half of all in the place of
        /// the oldest.
        mutating func end(_ ids: [String]) {
            for id in ids where begun[id] != nil { begun[id] = .over }
            let room = TransactionSession.maximumBegun - order.count
            for id in ids.prefix(max(room, TransactionSession.maximumBegun / 2)) { remember(id, .over) }
        }
    }

    /// Changes of the user that entries waiting in a queue may lie before.
    private static let maximumChanges = 64
    /// Transactions under way at a time; of older ones is known what their entries tell.
    static let maximumBegun = 4096
    /// UTF-8 bytes; receivers take no more.
    private static let maximumBytes = 256

    package let id: String
    let appVersion: String?
    /// When it began, by the monotonic clock.
    private let began: UInt64
    private let clock: LogClock
    private let state: Locked<State>

    package init(
        appVersion: String? = nil, user: String? = nil, variant: String? = nil, clock: LogClock = .system,
        randomness: LogRandomness = .system
    ) {
        id = UniqueID.make(randomness)
        self.appVersion = Self.cut(appVersion)
        self.clock = clock
        began = clock.monotonicNanoseconds()
        state = Locked(State(changes: [(0, Labels(user: Self.cut(user), variant: Self.cut(variant)))]))
    }

    var user: String? {
        get { current.user }
        set { change { $0.user = Self.cut(newValue) } }
    }
    var variant: String? {
        get { current.variant }
        set { change { $0.variant = Self.cut(newValue) } }
    }

    private var current: Labels { state.withLock { $0.changes[$0.changes.count - 1].labels } }

    private func change(_ change: (inout Labels) -> Void) {
        let now = clock.monotonicNanoseconds()
        state.withLock { state in
            let latest = state.changes[state.changes.count - 1].labels
            var labels = latest
            change(&labels)
            if labels.isSame(as: latest) { return }
            state.changes.append((now, labels))
            if state.changes.count > Self.maximumChanges { state.changes.removeFirst() }
        }
    }

    /// What the entry's transaction began with, decided when the first of its entries is seen. Nil where another session saw it begin: that
    /// one says who and what it was.
    func beginning(of entry: TransactionEntry) -> Labels? {
        state.withLock { state in
            let transaction = entry.transactionID
            if case .with(let labels)? = state.begun[transaction] { return labels }
            // Without an id of its own it began here, and goes on after a logout.
            func isNameless() -> Bool { transaction == TransactionEntry.commonID(of: entry.usecase, in: id) }
            if case .over? = state.begun[transaction], !isNameless() { return nil }
            guard !entry.isContinued || isNameless() else {
                state.remember(transaction, .elsewhere)
                return nil
            }
            let madeAt = entry.isContinued ? nil : entry.madeAt   // what has no id is of whoever uses the program
            let labels = state.labels(at: madeAt ?? entry.uptime ?? .max) ?? Labels()   // nobody's, rather than somebody else's
            state.remember(transaction, .with(labels))
            return labels
        }
    }

    /// Notes a transaction that another session has begun, and this one goes on with: a logout ends it as well.
    func noteElsewhere(_ transaction: String) {
        state.withLock { if $0.begun[transaction] == nil { $0.remember(transaction, .elsewhere) } }
    }

    /// Notes what begins with these events, which could not be stored: what is said of it later is of this session all the same.
    func noteBeginnings(among events: UnsafeBufferPointer<LogEvent>) {
        let over = ended(among: events)
        for (place, event) in zip(events.indices, events.places) where event.pointee.happened == nil && !over.contains(place) {
            if let entry = event.pointee.transaction { _ = beginning(of: entry.deliverable(in: id)) }
        }
    }

    /// A logout: ends what has begun.
    /// - Parameter others: Ids of transactions that began in other sessions, the latest first.
    func endAll(and others: [String]) {
        let now = clock.monotonicNanoseconds()
        state.withLock { state in
            state.loggedOut = now
            state.begun = state.begun.mapValues { _ in .over }
            state.end(others)
        }
    }

    /// Ends these, which are from before a logout.
    /// - Parameter others: The latest first.
    func end(_ others: [String]) {
        state.withLock { $0.end(others) }
    }

    /// An erasure: ends what has begun of the user.
    /// - Parameter others: Ids of transactions of the user, the latest first.
    func end(user: String, and others: [String]) {
        let now = clock.monotonicNanoseconds()
        state.withLock { state in
            state.erased.removeAll { $0.user.isSameText(as: user) }
            state.erased.append((user, now))
            if state.erased.count > Self.maximumChanges { state.erased.removeFirst() }
            state.begun = state.begun.mapValues { beginning in
                if case .with(let labels) = beginning, labels.user?.isSameText(as: user) == true { .over } else { beginning }
            }
            state.end(others)
        }
    }

    /// A user as it is stored; nil for nobody.
    package static func storedUser(_ user: String) -> String? { cut(user) }

    /// Which of the events a logout or an erasure has ended, by their places: they were said before it, by an object that was made before
    /// it, or belong to what began before it. Without an id there is no saying when something began.
    func ended(among events: UnsafeBufferPointer<LogEvent>) -> [Int] {
        state.withLock { state in
            guard state.loggedOut != nil || !state.erased.isEmpty, let start = events.baseAddress else { return [] }
            return events.indices.filter { place in
                guard let entry = (start + place).pointee.transaction else { return false }   // a subscript copies the event
                let id = entry.transactionID.isEmpty ? nil : entry.transactionID.deliverableID
                if isOver(entry, id, &state) {
                    if let id { state.remember(id, .over) }   // what it says later is the former user's, too
                    return true
                }
                if let id, case .over? = state.begun[id] { return true }
                return false
            }
        }
    }

    /// Whether the entry was said, or its object made, before a logout or before its user was erased.
    private func isOver(_ entry: TransactionEntry, _ id: String?, _ state: inout State) -> Bool {
        guard let uptime = id == nil ? entry.uptime : entry.madeAt ?? entry.uptime else { return false }
        if let loggedOut = state.loggedOut, uptime < loggedOut { return true }
        // Whose a transaction is was decided with the first of its entries that was seen, which may be this one.
        guard !state.erased.isEmpty, !entry.isContinued, id.map({ state.begun[$0] == nil }) ?? true else { return false }
        guard let labels = state.labels(at: uptime) else { return false }   // nobody knows whose it is
        // By bytes, as the file has them: names that only look alike are two.
        if let user = labels.user, state.erased.contains(where: { $0.user.isSameText(as: user) && uptime < $0.until }) { return true }
        if let id { state.remember(id, .with(labels)) }
        return false
    }

    /// Bytes that what a transaction is marked with takes now.
    var labelBytes: Int {
        let labels = current
        return [appVersion, id, labels.user, labels.variant].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// Nanoseconds from the session's beginning to when something was said, to the microsecond; nil for what was not said in this session.
    func offset(at uptime: UInt64?) -> Int64? {
        guard let uptime, uptime >= began else { return nil }
        return Int64(clamping: (uptime - began) / 1000 * 1000)
    }

    /// A text as receivers take it; nil when nothing is left of it.
    private static func cut(_ text: String?) -> String? {
        guard var text = text?.storable else { return nil }
        while text.utf8.count > maximumBytes { text.removeLast() }
        return text.isEmpty ? nil : text
    }
}
#endif
