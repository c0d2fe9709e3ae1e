public import LogbookCore

/// How an event becomes bytes. Formats are values: the same event gives the same bytes, on any thread.
public protocol LogFormat: Sendable {
    /// Appends one event with everything that ends it. For a text format that is exactly one line and its newline, whatever
    /// the event holds.
    func append(_ event: LogEvent, to bytes: inout [UInt8])
}

extension LogFormat {
    /// The event's bytes as text.
    public func string(for event: LogEvent) -> String {
        var bytes: [UInt8] = []
        append(event, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
