/// What a store holds at one moment.
public struct TransactionStoreCounts: Sendable, Hashable {
    /// Transactions, those without entries included.
    public var transactions: Int
    /// Entries, whatever is to become of them.
    public var entries: Int
    /// Entries that wait to be delivered.
    public var pending: Int
    /// Entries that the receiver refused for good: kept, and not sent again.
    public var setAside: Int

    /// Entries that were given up since everything was last deleted: the store was full, its file damaged, their user erased, or what
    /// another process had stored was ended by a logout.
    public var dropped: Int

    public init(transactions: Int = 0, entries: Int = 0, pending: Int = 0, setAside: Int = 0, dropped: Int = 0) {
        self.transactions = transactions
        self.entries = entries
        self.pending = pending
        self.setAside = setAside
        self.dropped = dropped
    }

    static func += (counts: inout TransactionStoreCounts, others: TransactionStoreCounts) {
        counts.transactions += others.transactions
        counts.entries += others.entries
        counts.pending += others.pending
        counts.setAside += others.setAside
        counts.dropped += others.dropped
    }
}
