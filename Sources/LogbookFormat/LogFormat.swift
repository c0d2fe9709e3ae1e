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

/// A format whose line is written piece by piece, within limits. Queues of providers that write lines lay events out in it once,
/// however many of them have it.
protocol LineFormat: ReadableLogFormat, LineLayout, Equatable {
    var limits: LogLimits { get }
    func write(_ event: some WritableEvent, to writer: inout LineWriter)
}

extension LineFormat {
    /// Spares an event that is within the limits, as nearly all are, even the copy.
    @inline(__always)
    func appendWithinLimits(_ event: LogEvent, to bytes: inout [UInt8]) {
        LineWriter.append(to: &bytes) { write(event, within: limits, to: &$0) }
    }

    package func append(_ event: LogEvent, to memory: LineMemory) {
        LineWriter.append(to: memory) { write(event, within: limits, to: &$0) }
    }

    private func write(_ event: LogEvent, within limits: LogLimits, to writer: inout LineWriter) {
        if event.isWithin(limits) {
            withUnsafePointer(to: event) { write(LentEvent($0), to: &writer) }
        } else {
            withUnsafePointer(to: event.within(limits)) { write(LentEvent($0), to: &writer) }
        }
    }

    @inline(__always)
    func appendWithinLimits(_ event: PlainEvent, to memory: LineMemory) {
        LineWriter.append(to: memory) { writer in
            if limits.surelyHold(event) { write(event, to: &writer) } else { write(event.event, within: limits, to: &writer) }
        }
    }
}

/// A format whose lines can be read back: what it keeps of an event comes back as it was, the rest with its default.
public protocol ReadableLogFormat: LogFormat {
    /// Reads one line, with or without its newline.
    func event(from line: [UInt8]) throws(LogLineError) -> LogEvent
}

extension ReadableLogFormat {
    public func event(from line: String) throws(LogLineError) -> LogEvent { try event(from: Array(line.utf8)) }
}
