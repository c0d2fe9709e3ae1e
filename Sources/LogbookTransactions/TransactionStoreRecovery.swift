internal import LogbookDelivery

/// What was saved of a store whose file was damaged.
public struct TransactionStoreRecovery: Sendable, Hashable, CustomStringConvertible {
    /// What was wrong, in SQLite's words.
    public var reason: String
    /// Where the damaged file is now, with `-wal` beside it where there was one; nothing of it was changed or deleted. Of one that was
    /// removed while it was open, no more than that is there.
    public var setAside: String
    /// Transactions that could be read, those without entries included.
    public var transactions: Int
    /// Entries that could be read (`corrupt_recovered`).
    public var entries: Int
    /// Entries that could be read and belong to nothing, since their transactions could not.
    public var orphans: Int
    /// Whether every table could be read to its end. What was damaged beyond recognition cannot be counted.
    public var isComplete: Bool
    /// Files set aside earlier, the oldest, that were deleted: four are kept.
    public var deleted: Int

    public init(
        reason: String, setAside: String, transactions: Int = 0, entries: Int = 0, orphans: Int = 0, isComplete: Bool = false,
        deleted: Int = 0
    ) {
        self.reason = reason
        self.setAside = setAside
        self.transactions = transactions
        self.entries = entries
        self.orphans = orphans
        self.isComplete = isComplete
        self.deleted = deleted
    }

    public var description: String {
        "\(entries.inEntries) of \(transactions) \(transactions == 1 ? "transaction" : "transactions") "
            + "\(entries == 1 ? "was" : "were") saved from a damaged store (\(reason)), which is kept as \(setAside)"
            + (isComplete ? "" : "; others may be lost")
            + (deleted == 0 ? "" : "; older ones deleted: \(deleted)")
    }
}
