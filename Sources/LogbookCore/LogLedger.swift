/// What became of the events one registration was offered: `submitted == delivered + pending + droppedTotal`, always.
public struct LogLedger: Sendable, Equatable {
    /// Events that passed the registration's level and filter, and that no wrapper in front of the provider held back.
    public private(set) var submitted: UInt64
    /// Events the provider has taken care of, as its durability promises.
    public private(set) var delivered: UInt64
    /// Events lost, each under one reason; a reason that never happened is absent.
    public private(set) var dropped: [DropReason: UInt64]

    public init(submitted: UInt64 = 0, delivered: UInt64 = 0, dropped: [DropReason: UInt64] = [:]) {
        self.submitted = submitted
        self.delivered = delivered
        self.dropped = dropped
        precondition(delivered + droppedTotal <= submitted, "a ledger cannot have seen the end of more than it was given")
    }

    /// Events on their way: in a queue, in a batch being written, or waiting for a retry.
    public var pending: UInt64 { submitted - delivered - droppedTotal }
    public var droppedTotal: UInt64 { dropped.isEmpty ? 0 : dropped.values.reduce(0, +) }

    package mutating func submit(_ count: Int = 1) { submitted += UInt64(count) }

    package mutating func deliver(_ count: Int) {
        precondition(UInt64(count) <= pending, "delivered more events than were pending")
        delivered += UInt64(count)
    }

    package mutating func drop(_ count: Int, _ reason: DropReason) {
        guard count > 0 else { return }
        precondition(UInt64(count) <= pending, "dropped more events than were pending")
        dropped[reason, default: 0] += UInt64(count)
    }

    /// This ledger without events that a wrapper held back on purpose: they were not for the provider. Read the count of those
    /// before the ledger, so that it can only be too small.
    func leavingOut(_ missing: UInt64) -> LogLedger {
        LogLedger(
            submitted: submitted - min(missing, submitted - droppedTotal), delivered: delivered - min(missing, delivered),
            dropped: dropped)
    }

    /// This ledger of a queue, followed by the ledger of what the queue feeds: what the inner one still holds or has lost is
    /// not delivered yet.
    func followed(by inner: LogLedger) -> LogLedger {
        let lost = min(inner.droppedTotal, delivered)
        let held = min(inner.pending, delivered - lost)
        var merged = dropped
        if lost == inner.droppedTotal { merged.merge(inner.dropped, uniquingKeysWith: +) }
        let counted = lost == inner.droppedTotal ? lost : 0
        return LogLedger(submitted: submitted, delivered: delivered - held - counted, dropped: merged)
    }
}
