public import LogbookCore

/// Keeps every event it hears, for a test to look at.
public final class RecordingProvider: LogProvider {
    private let heard = Locked<[LogEvent]>([])
    public let interest: LogInterest

    public init(interest: LogInterest = .everything) { self.interest = interest }

    public func log(_ event: LogEvent) { heard.withLock { $0.append(event) } }
    public func flush(by deadline: LogDeadline) throws {}

    /// In the order in which they came.
    public var events: [LogEvent] { heard.withLock { $0 } }
    public var messages: [String] { events.map(\.message) }
}
