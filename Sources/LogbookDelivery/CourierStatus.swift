public import LogbookCore

/// How a courier fares; cheap to ask for at any time.
public struct CourierStatus: Sendable, Hashable {
    public enum State: Sendable, Hashable {
        /// Nothing is to be done.
        case idle
        /// A parcel is on its way.
        case delivering
        /// The latest attempt failed; see ``CourierStatus/nextAttempt``.
        case waiting
        /// The receiver refuses us: token, address or certificate. Everything is kept.
        case misconfigured
        case stopped
    }
    public let state: State
    /// Events or entries the source still holds.
    public let pending: Int
    /// The latest failure in words; nil when the latest attempt succeeded or none was made.
    public let latestAnswer: String?
    /// When the courier will try again on its own; nil when it is not waiting.
    public let nextAttempt: LogTime?
}
