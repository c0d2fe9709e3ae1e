/// How a sink wants its lines. The distributor lays an event out once for all queues of an equal layout.
package protocol LineLayout: Sendable {
    /// Appends one event with its newline.
    func append(_ event: LogEvent, to bytes: inout [UInt8])
    func append(_ event: LogEvent, to memory: LineMemory)
    func append(_ event: PlainEvent, to memory: LineMemory)

    /// A short way for plain records, with memory of its own; nil where there is none.
    func recordWriter() -> (any RecordWriter)?

    /// Whether both always append the same bytes.
    func isEqual(to other: any LineLayout) -> Bool
}

extension LineLayout {
    package func recordWriter() -> (any RecordWriter)? { nil }
}

extension LineLayout where Self: Equatable {
    package func isEqual(to other: any LineLayout) -> Bool { other as? Self == self }
}

/// A provider or sink that wants nothing of an event but its line: its queue holds lines.
package protocol LineSink: Sendable {
    /// Nil when it wants events after all.
    var lineLayout: (any LineLayout)? { get }

    /// Writes lines in the order in which they came, on the queue's thread. Errors mean what they mean for events,
    /// ``BatchWriteError`` too.
    /// - Parameter lines: At least one.
    func write(_ lines: LineBatch) throws
}
