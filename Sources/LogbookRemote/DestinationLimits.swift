/// What a receiver takes in one request.
public struct DestinationLimits: Sendable, Hashable {
    /// At least 1.
    public var events: Int
    /// Of the body, before compression.
    public var bytes: Int

    public init(events: Int = 100_000, bytes: Int = .max) {
        precondition(events > 0 && bytes > 0, "DestinationLimits must be positive")
        self.events = events
        self.bytes = bytes
    }
}
