/// What a receiver takes in one set; a larger one is refused whole.
public struct TransactionSetLimits: Sendable, Hashable {
    public var transactions: Int
    /// Entries of all transactions together.
    public var entries: Int
    /// UTF-8 bytes of an id, and of a user, a variant, a program's version, a session or an installation.
    public var idBytes: Int
    /// UTF-8 bytes of any other text.
    public var textBytes: Int

    public init(transactions: Int = 10_000, entries: Int = 100_000, idBytes: Int = 256, textBytes: Int = 64 << 10) {
        self.transactions = transactions
        self.entries = entries
        self.idBytes = idBytes
        self.textBytes = textBytes
    }
}
