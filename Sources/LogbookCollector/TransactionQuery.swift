public import LogbookCore

/// Which transactions of a tenant are asked for. All conditions hold together; the time range and the error for one and the same
/// entry.
public struct TransactionQuery: Sendable, Hashable {
    /// What an entry must say of an error.
    public enum ErrorFilter: Sendable, Hashable {
        /// A code or a description, whatever they say.
        case any
        case code(Int)
        /// A description with this text in it, upper and lower case as given.
        case text(String)
    }

    /// Transactions that a page may have.
    public static let limits = 1...1000

    public var tenant: String
    public var usecase: Int?
    /// An empty one is nobody's: nothing is found.
    public var user: String?
    /// At least one entry at this time or later…
    public var from: LogTime?
    /// …and before this time.
    public var to: LogTime?
    public var error: ErrorFilter?
    /// Transactions of a page at most; brought into ``limits`` where it is outside.
    public var limit: Int {
        didSet { limit = Self.clamped(limit) }
    }
    /// Bytes that a transaction takes in memory at most, about, with which it is given: where the page would begin with a larger one,
    /// ``ArchiveError/transactionTooLarge(id:next:)``, which says where to go on behind it.
    public var largest = TransactionPage.maximumBytesOfOne
    /// Where the page before ended; nil for the first.
    public var cursor: TransactionCursor?

    public init(
        tenant: String = Tenant.standard, usecase: Int? = nil, user: String? = nil, from: LogTime? = nil, to: LogTime? = nil,
        error: ErrorFilter? = nil, limit: Int = 100, cursor: TransactionCursor? = nil
    ) {
        self.tenant = tenant
        self.usecase = usecase
        self.user = user
        self.from = from
        self.to = to
        self.error = error
        self.limit = Self.clamped(limit)
        self.cursor = cursor
    }

    private static func clamped(_ limit: Int) -> Int { min(max(limit, limits.lowerBound), limits.upperBound) }
}
