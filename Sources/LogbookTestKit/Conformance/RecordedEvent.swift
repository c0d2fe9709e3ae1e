public import LogbookCore

/// One event as it was read back from where a provider wrote it. What the format does not keep is nil and is not compared.
///
/// A provider that only counts reads back `Array(repeating: RecordedEvent(), count: count)`.
public struct RecordedEvent: Sendable, Equatable {
    public var sequence: UInt64?
    public var time: LogTime?
    public var level: LogLevel?
    /// The text as it was logged, with the format's own escapes undone.
    public var message: String?
    public var metadata: LogMetadata?
    public var transaction: TransactionEntry?
    /// The error, where errors are kept: `.some(nil)` for an event without one, as `event.error` says of an event that was read.
    public var error: LogErrorDetails??

    public init(
        sequence: UInt64? = nil, time: LogTime? = nil, level: LogLevel? = nil, message: String? = nil,
        metadata: LogMetadata? = nil, transaction: TransactionEntry? = nil, error: LogErrorDetails?? = nil
    ) {
        self.sequence = sequence
        self.time = time
        self.level = level
        self.message = message
        self.metadata = metadata
        self.transaction = transaction
        self.error = error
    }

    /// Everything of an event, for providers that keep events as they are.
    public init(_ event: LogEvent) {
        self.init(
            sequence: event.sequence, time: event.time, level: event.level, message: event.message,
            metadata: event.metadata, transaction: event.transaction, error: event.error)
    }
}
