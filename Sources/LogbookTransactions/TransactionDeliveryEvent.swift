#if Transactions
public import LogbookCore

/// What became of an attempt to deliver.
public enum TransactionDeliveryEvent: Sendable, Hashable {
    /// The remote store has them, and the local store has let go of them.
    case delivered(transactions: Int, entries: Int)
    /// The remote store asks for patience; nil when it did not say until when. Everything is kept.
    case serverBusy(until: LogTime?)
    /// The remote store does not know the token, which is cleared. Nothing is sent until there is another.
    case authenticationRequired
    /// No answer, or one that acknowledges nothing. Everything is kept and tried again.
    case failed(reason: String)
    /// The remote store will never take these entries. They are kept, and not sent again.
    case setAside(entries: Int, reason: String)
}
#endif
