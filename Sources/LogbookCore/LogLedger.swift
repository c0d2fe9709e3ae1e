/// What became of the events one registration was offered: `submitted == delivered + pending + droppedTotal`, always.
///
/// A provider that keeps an account of its own says of each event when it comes and what became of it, under a lock:
///
/// ```swift
/// account.withLock { $0.submit() }
/// account.withLock { $0.deliver() }                    // or: $0.drop(1, .inputOutputError)
/// ```
public struct LogLedger: Sendable, Equatable {
    /// Events that passed the registration's level and filter, and that no wrapper in front of the provider held back.
    public private(set) var submitted: UInt64
    /// Events the provider has taken care of, as its durability promises.
    public private(set) var delivered: UInt64
    /// Events lost, each under one reason; a reason that never happened is absent.
    public private(set) var dropped: [DropReason: UInt64]

    /// - Precondition: No more is delivered and dropped than was submitted. Of numbers that are counted apart from each other, read
    ///   `submitted` last.
    public init(submitted: UInt64 = 0, delivered: UInt64 = 0, dropped: [DropReason: UInt64] = [:]) {
        self.submitted = submitted
        self.delivered = delivered
        self.dropped = dropped
        precondition(delivered + droppedTotal <= submitted, "a ledger cannot have seen the end of more than it was given")
    }

    /// Events on their way: in a queue, in a batch being written, or waiting for a retry.
    public var pending: UInt64 { submitted - delivered - droppedTotal }
    public var droppedTotal: UInt64 { dropped.isEmpty ? 0 : dropped.values.reduce(0, +) }

    /// Takes events: they are pending.
    /// - Precondition: `count` is not negative.
    public mutating func submit(_ count: Int = 1) { submitted += UInt64(count) }

    /// Says that events are taken care of.
    /// - Precondition: At least `count` are pending, which is not negative.
    public mutating func deliver(_ count: Int = 1) {
        precondition(UInt64(count) <= pending, "delivered more events than were pending")
        delivered += UInt64(count)
    }

    /// Says that events are lost; a count of zero changes nothing.
    /// - Precondition: At least `count` are pending.
    public mutating func drop(_ count: Int, _ reason: DropReason) {
        guard count > 0 else { return }
        precondition(UInt64(count) <= pending, "dropped more events than were pending")
        dropped[reason, default: 0] += UInt64(count)
    }

    /// This ledger without events that a wrapper held back on purpose: they were not for the provider.
    /// - Parameters:
    ///   - missing: How many those are. Read it before the ledger, so that it can only be too small.
    ///   - settled: How many of them are among the delivered ones, and not in a batch that is still being written.
    func leavingOut(_ missing: UInt64, settled: UInt64) -> LogLedger {
        // At rest all of them are. The count may be of one who looked before another did.
        let delivered = delivered - min(missing, pending == 0 ? missing : settled, delivered)
        let submitted = max(submitted - min(missing, submitted), delivered + droppedTotal)
        return LogLedger(submitted: submitted, delivered: delivered, dropped: dropped)
    }

    /// This ledger without what had come to an end before. What was pending then counts as if it had come afterwards.
    func since(_ earlier: LogLedger) -> LogLedger {
        if earlier.submitted == 0 { return self }
        let delivered = delivered - min(earlier.delivered, delivered)
        var lost: [DropReason: UInt64] = [:]
        for (reason, count) in dropped {
            let new = count - min(earlier.dropped[reason] ?? 0, count)
            if new > 0 { lost[reason] = new }
        }
        let ended = delivered + lost.values.reduce(0, +), left = submitted - min(earlier.submitted - earlier.pending, submitted)
        return LogLedger(submitted: max(left, ended), delivered: delivered, dropped: lost)
    }

    /// This ledger of a queue, followed by the ledger of what the queue feeds: what the inner one still holds or has lost is
    /// not delivered yet, and of a batch that is being handed over the inner one knows more.
    /// - Parameters:
    ///   - inner: Read before this ledger.
    ///   - settled: What this ledger had as delivered before `inner` was read: that much the inner one has had, whether it counts all of
    ///     it or not.
    func followed(by inner: LogLedger, settled: UInt64) -> LogLedger {
        let taken = min(max(settled, inner.submitted), submitted - droppedTotal)
        let lost = min(inner.droppedTotal, taken)
        let held = min(inner.pending, taken - lost)
        var merged = dropped, uncounted = lost
        // More than was taken here where others feed it as well: it is not known whose those are, and nothing lost counts as delivered.
        for (reason, count) in inner.dropped.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where uncounted > 0 {
            merged[reason, default: 0] += min(count, uncounted)
            uncounted -= min(count, uncounted)
        }
        return LogLedger(submitted: submitted, delivered: taken - held - lost, dropped: merged)
    }
}
