/// What became of the transactions that a plan opens.
public struct TrackedTransactionCounts: Sendable, Hashable {
    public let opened: UInt64
    public let closed: UInt64
    /// Calls that would have continued or closed one, where none was open: a plan that does not fit the way people go. And calls that
    /// would have opened, continued or closed one, whose instance was no object.
    public let unmatched: UInt64

    package init(opened: UInt64, closed: UInt64, unmatched: UInt64) {
        self.opened = opened
        self.closed = closed
        self.unmatched = unmatched
    }

    /// Opened and not closed: still open, or abandoned.
    public var unfinished: UInt64 { opened - closed }
}
