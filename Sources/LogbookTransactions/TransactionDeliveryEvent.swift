#if Transactions
public import LogbookCore

internal import LogbookDelivery

/// What became of an attempt to deliver. In words it says what a log should say of it.
public enum TransactionDeliveryEvent: Sendable, Hashable, CustomStringConvertible {
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

    public var description: String {
        switch self {
        case .delivered(let transactions, let entries):
            return "\(entries.inEntries) of \(transactions) \(transactions == 1 ? "transaction" : "transactions") delivered"
        case .serverBusy(let time):
            return "the server asks for patience\(time.map { " until \($0)" } ?? ""); everything is kept"
        case .authenticationRequired: return "the server does not know the token; everything is kept until there is another"
        case .failed(let reason): return "not delivered, everything is kept: \(reason)"
        case .setAside(let entries, let reason): return "\(entries.inEntries) set aside, which the server will never take: \(reason)"
        }
    }
}
#endif
