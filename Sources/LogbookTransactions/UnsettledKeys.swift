#if Transactions
internal import LogbookCore

/// The keys of entries whose fate is unknown: a commit that failed may be on disk all the same. When they are offered again they get the
/// same keys.
///
/// Many never come back: where a queue has a fallback that takes what the store does not. So those of the latest attempts are remembered.
struct UnsettledKeys {
    /// What tells an event from all others that are offered again.
    struct Name: Hashable {
        private let sequence: UInt64
        private let time: LogTime
        private let transaction: String

        /// Nil for what has no key.
        init?(_ event: LogEvent) {
            guard event.happened != nil, let transaction = event.transactionID else { return nil }
            (sequence, time, self.transaction) = (event.sequence, event.time, transaction)
        }
    }

    private struct Found {
        let key: Int64
        let attempt: UInt64
    }

    /// Beyond so many those of earlier attempts are forgotten, never those of the latest: the batches of several queues, each of which is
    /// offered again and again.
    static let maximumCount = 16_384

    private var found: [Name: Found] = [:]
    private var latestAttempt: UInt64 = 0

    var isEmpty: Bool { found.isEmpty }
    var count: Int { found.count }

    subscript(name: Name) -> Int64? { found[name]?.key }

    /// What became of an attempt with these is unknown.
    mutating func remember(_ keys: some Sequence<(Name, Int64)>) {
        latestAttempt += 1
        for (name, key) in keys { found[name] = Found(key: key, attempt: latestAttempt) }
        guard found.count > Self.maximumCount else { return }
        // More than half of it goes at a time, so that not every attempt has to look through all.
        let attempts = found.values.map(\.attempt).sorted(), end = attempts[attempts.count / 2]
        found = found.filter { $0.value.attempt > end || $0.value.attempt == latestAttempt }
    }

    /// They are stored, or do not come again.
    mutating func settle(_ names: some Sequence<Name>) {
        for name in names { found[name] = nil }
    }

    /// Entries that are offered again do not get these keys again.
    mutating func forget(_ keys: Set<Int64>) { found = found.filter { !keys.contains($0.value.key) } }
}
#endif
