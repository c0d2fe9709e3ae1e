internal import LogbookCore

/// What a receiver takes in one request.
public struct DestinationLimits: Sendable, Hashable {
    /// At least 1.
    public var events: Int
    /// Of the body, before compression.
    public var bytes: Int
    /// Between the earliest and the latest event; nil for any time.
    public var span: Duration?

    public init(events: Int = 100_000, bytes: Int = .max, span: Duration? = nil) {
        requireValid(events > 0 && bytes > 0 && span.map { $0 > .zero } ?? true, "DestinationLimits must be positive")
        self.events = events
        self.bytes = bytes
        self.span = span
    }
}
