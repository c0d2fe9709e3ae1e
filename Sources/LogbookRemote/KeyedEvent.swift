public import LogbookCore

/// An event together with the run of the program it comes from, which make its key.
public struct KeyedEvent: Sendable, Equatable {
    public let event: LogEvent
    public let origin: LogOrigin

    public init(_ event: LogEvent, origin: LogOrigin) {
        self.event = event
        self.origin = origin
    }

    /// `586AB00B-F16E-4AE6-8A91-0210264925C7-7-42`: installation, epoch and sequence. The same on every attempt and after every
    /// restart, so that a receiver that stores a key once stores the event once.
    public var key: String { "\(origin.installation)-\(origin.epoch)-\(event.sequence)" }
}
