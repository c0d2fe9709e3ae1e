/// What a flush or a shutdown of a remote provider could not reach.
public enum RemoteLogProviderError: Error, Equatable, CustomStringConvertible {
    /// `pending` events are not acknowledged; they are kept, and tried again unless the provider was shut down.
    case notDelivered(pending: Int, reason: String)
    /// `count` events were lost while the call waited: the queue had no room for them, or the receiver will never take them.
    case lost(count: Int)

    public var description: String {
        switch self {
        case .notDelivered(let pending, let reason): "\(pending) events are not delivered: \(reason)"
        case .lost(let count): "\(count) events were lost; the provider's ledger says why"
        }
    }
}
