/// One thing the application said: stamped by the service at the call, then never changed again.
public struct LogEvent: Sendable, Equatable {
    /// Counts up from 1 within one service; given before any provider may drop the event, so a gap is always visible.
    public let sequence: UInt64
    /// When it was said, by the wall clock.
    public let time: LogTime
    public let level: LogLevel
    /// The text, private values as the registration's ``LogRegistration/privacy`` shows them.
    public let message: String
    public let metadata: LogMetadata
    /// The kernel's number of the thread that said it; 0 when it is not known.
    public let thread: UInt64
    public let source: LogSource
    /// What a transaction reported, when the event is a transaction's entry.
    @inlinable
    public var transaction: TransactionEntry? { attachment?.transaction }
    /// The error that was handed to the call.
    public var error: LogErrorDetails? { attachment?.error }

    /// What few events have; apart, because events are copied often.
    @usableFromInline
    final class Attachment: Sendable {
        @usableFromInline let transaction: TransactionEntry?
        let error: LogErrorDetails?
        @usableFromInline let isEntry: Bool
        let showsPrivate: Bool

        init(_ transaction: TransactionEntry?, _ error: LogErrorDetails?, isEntry: Bool, showsPrivate: Bool = false) {
            self.transaction = transaction
            self.error = error
            self.isEntry = isEntry
            self.showsPrivate = showsPrivate
        }

        var errorTextBytes: Int {
            (error.map { $0.type.utf8.count + $0.description.utf8.count } ?? 0) + (transaction?.errorDescription?.utf8.count ?? 0)
        }
    }
    // No variable: whoever looked at one would copy the event.
    @usableFromInline let attachment: Attachment?
    /// Whether it has an error or an entry, or shows what is private.
    package var hasAttachment: Bool { attachment != nil }
    // Without a copy of the entry, and, since other modules see how, of the event: either takes longer than what is asked here.
    /// Whether it is a transaction's entry.
    @inlinable
    package var isEntry: Bool { attachment?.isEntry ?? false }
    /// The number of the use case's event that the entry reports.
    @inlinable
    package var happened: Int? { attachment?.transaction?.event }
    /// Of what is said of an error, by the call or by the entry.
    @inline(__always)
    var errorTextBytes: Int { attachment?.errorTextBytes ?? 0 }
    /// The id that the entry names, which may be empty; nil when the event is no transaction's entry.
    @inlinable
    package var entryTransactionID: String? { attachment?.transaction?.transactionID }
    /// Whether the entry is the first of its transaction, said by who has begun it.
    @inlinable
    package var beginsTransaction: Bool {
        guard let attachment, case .began? = attachment.transaction?.kind else { return false }
        return attachment.transaction?.isContinued == false
    }
    @inlinable
    package var entryErrorCode: Int? { attachment?.transaction?.errorCode }
    /// The entry's description of an error.
    @inlinable
    package var entryErrorDescription: String? { attachment?.transaction?.errorDescription }
    @inlinable
    package var entryUptime: UInt64? { attachment?.transaction?.uptime }

    /// Whether it shows what was marked private, as a registration sees it that may: what keeps it for another run notes that.
    package var showsPrivate: Bool { attachment?.showsPrivate ?? false }

    /// How many providers stand between the application and this event: 0 when the application itself said it.
    let nesting: UInt32
    /// Whether a wrapper said it in the place of events that it held back: the count under ``LogSuppression/key`` includes this one.
    var isReport = false

    public init(
        sequence: UInt64, time: LogTime, level: LogLevel, message: String, metadata: LogMetadata = [:],
        thread: UInt64 = 0, source: LogSource = .unknown, transaction: TransactionEntry? = nil,
        error: LogErrorDetails? = nil
    ) {
        self.init(
            sequence: sequence, time: time, level: level, message: message, metadata: metadata, thread: thread,
            source: source, transaction: transaction, error: error, nesting: 0)
    }

    init(
        sequence: UInt64, time: LogTime, level: LogLevel, message: String, metadata: LogMetadata, thread: UInt64,
        source: LogSource, transaction: TransactionEntry?, error: LogErrorDetails?, nesting: UInt32
    ) {
        self.sequence = sequence
        self.time = time
        self.level = level
        self.message = message
        self.metadata = metadata
        self.thread = thread
        self.source = source
        let isEntry = if case .some = transaction { true } else { false }   // to compare it with nil would copy it
        attachment = isEntry || error != nil ? Attachment(transaction, error, isEntry: isEntry) : nil
        self.nesting = nesting
    }

    /// One with neither entry nor error, as nearly all are: the room for those is not even copied.
    init(
        sequence: UInt64, time: LogTime, level: LogLevel, message: String, metadata: LogMetadata, thread: UInt64,
        source: LogSource, nesting: UInt32
    ) {
        self.sequence = sequence
        self.time = time
        self.level = level
        self.message = message
        self.metadata = metadata
        self.thread = thread
        self.source = source
        attachment = nil
        self.nesting = nesting
    }

    /// The part of the program that said it, by the metadata's key `category`; see ``LogCategory``.
    public var category: String? { metadata.category }

    /// The transaction in which it was said: the entry's own, or the one that was current; see ``LogTransaction/run(_:)``.
    public var transactionID: String? { attachment?.transaction?.transactionID ?? metadata.transactionID }

    /// Events are equal when they say the same, whether they show what was marked private or what never was.
    public static func == (left: LogEvent, right: LogEvent) -> Bool {
        left.sequence == right.sequence && left.time == right.time && left.level == right.level
            && MetadataKey.areEqual(left.message, right.message) && left.metadata == right.metadata && left.thread == right.thread
            && left.source == right.source && left.transaction == right.transaction && left.error == right.error
            && left.nesting == right.nesting && left.isReport == right.isReport
    }

    /// The same event with other metadata: for a wrapper that adds or hides facts.
    public func replacingMetadata(_ metadata: LogMetadata) -> LogEvent { replacing(message, metadata) }

    /// The same event with another text.
    public func replacingMessage(_ message: String) -> LogEvent { replacing(message, metadata) }

    private func replacing(_ message: String, _ metadata: LogMetadata) -> LogEvent {
        var event = LogEvent(
            sequence: sequence, time: time, level: level, message: message, metadata: metadata, thread: thread,
            source: source, transaction: transaction, error: error, nesting: nesting)
        event.isReport = isReport
        return event.showingPrivate(showsPrivate)
    }

    /// The same event; where it is so, known to show what was marked private.
    package func showingPrivate(_ isSo: Bool) -> LogEvent {
        isSo ? LogEvent(self, Attachment(transaction, error, isEntry: isEntry, showsPrivate: true)) : self
    }

    private init(_ event: LogEvent, _ attachment: Attachment) {
        sequence = event.sequence
        time = event.time
        level = event.level
        message = event.message
        metadata = event.metadata
        thread = event.thread
        source = event.source
        self.attachment = attachment
        nesting = event.nesting
        isReport = event.isReport
    }
}

/// What was known about an error when it was logged.
public struct LogErrorDetails: Sendable, Hashable {
    /// The error's Swift type: `PaymentError`.
    public let type: String
    /// The error in words: as it describes itself. The `errorDescription` of Foundation's `LocalizedError` is not asked.
    public let description: String

    public init(type: String, description: String) {
        self.type = type
        self.description = description
    }

    /// Of a ``LogDescribableError`` what it says of itself, masked.
    public init(_ error: any Error) {
        let description = (error as? any LogDescribableError)?.logDescription.description ?? String(describing: error)
        self.init(type: String(describing: Swift.type(of: error)), description: description)
    }

    // As MetadataKey says: the words of an error may be a stranger's.
    public static func == (left: LogErrorDetails, right: LogErrorDetails) -> Bool {
        MetadataKey.areEqual(left.type, right.type) && MetadataKey.areEqual(left.description, right.description)
    }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(MetadataKey(type))
        hasher.combine(MetadataKey(description))
    }
}
