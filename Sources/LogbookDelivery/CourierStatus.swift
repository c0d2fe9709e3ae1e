public import LogbookCore

/// How a courier fares; cheap to ask for at any time.
public struct CourierStatus: Sendable, Hashable {
    public enum State: Sendable, Hashable {
        /// Nothing is to be done.
        case idle
        /// A parcel is on its way.
        case delivering
        /// The latest attempt failed; see ``CourierStatus/nextAttempt``. The next attempt is one parcel; the others follow when it
        /// succeeds.
        case waiting
        /// The receiver refuses us: token, address or certificate; or it refuses one entry after the other. Everything is kept.
        case misconfigured
        /// The conditions do not hold; ``CourierStatus/latestAnswer`` says which. Everything is kept, and they are asked again at
        /// ``CourierStatus/nextAttempt``.
        case heldBack
        case stopped
    }
    public let state: State
    /// Events or entries the source still holds.
    public let pending: Int
    /// How long the oldest of them has been waiting; nil when nothing waits, or the source does not know.
    public let oldestAge: Duration?
    /// The latest failure, or what holds everything back, in words; nil when the latest attempt succeeded or none was made.
    public let latestAnswer: String?
    /// When the courier will try again on its own; nil when it is not waiting, or is paused and nobody asks it to deliver.
    public let nextAttempt: LogTime?
    /// Whether somebody called ``Courier/pause()``, and nobody ``Courier/resume()`` since. What is on its way then, or asked for, has a
    /// ``state`` all the same.
    public let isPaused: Bool
}
