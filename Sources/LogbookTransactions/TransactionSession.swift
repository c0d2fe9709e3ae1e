#if Transactions
package import LogbookCore

/// One run of the program, and who uses it: what each transaction is marked with when it begins.
///
/// What was true at the beginning stays: a logout does not change the user of a transaction that goes on, also when its row was
/// delivered and has to be made again.
package final class TransactionSession: Sendable {
    struct Labels: Sendable, Hashable {
        var user: String?
        var variant: String?
    }

    private struct State {
        /// Since when, by the monotonic clock; the first since ever. The latest are kept.
        var changes: [(since: UInt64, labels: Labels)]
        /// Of transactions that have begun, the latest.
        var begun: [String: Labels] = [:]
        /// Their ids as a ring, the oldest at `oldest` once it is full.
        var order: [String] = []
        var oldest = 0
    }

    /// Changes of the user that entries waiting in a queue may lie before.
    private static let maximumChanges = 64
    /// Transactions under way at a time; the beginnings of older ones are forgotten.
    private static let maximumBegun = 4096
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
            var labels = state.changes[state.changes.count - 1].labels
            change(&labels)
            state.changes.append((now, labels))
            if state.changes.count > Self.maximumChanges { state.changes.removeFirst() }
        }
    }

    /// The labels of the entry's transaction, decided when the first of its entries is seen.
    func labels(of entry: TransactionEntry) -> Labels {
        state.withLock { state in
            if let labels = state.begun[entry.transactionID] { return labels }
            let uptime = entry.uptime ?? .max
            let labels = (state.changes.last { $0.since <= uptime } ?? state.changes[0]).labels
            state.begun[entry.transactionID] = labels
            if state.order.count < Self.maximumBegun {
                state.order.append(entry.transactionID)
            } else {
                state.begun[state.order[state.oldest]] = nil
                state.order[state.oldest] = entry.transactionID
                state.oldest = (state.oldest + 1) % Self.maximumBegun
            }
            return labels
        }
    }

    /// Nanoseconds from the session's beginning to the entry, to the microsecond; nil for an entry that was not said in this session.
    func offset(of entry: TransactionEntry) -> Int64? {
        guard let uptime = entry.uptime, uptime >= began else { return nil }
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
