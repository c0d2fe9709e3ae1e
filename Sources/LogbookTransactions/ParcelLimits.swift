internal import LogbookCore

/// What one request carries at most.
public struct ParcelLimits: Sendable, Hashable {
    /// Transactions, `1...`.
    public var transactions: Int
    /// Bytes of the body, `1...`; a single entry that is larger goes alone.
    public var bytes: Int

    public init(transactions: Int = 500, bytes: Int = 512 << 10) {
        self.transactions = transactions
        self.bytes = bytes
    }

    func check() {
        requireValid(transactions > 0 && bytes > 0, "ParcelLimits must be positive")
    }
}
