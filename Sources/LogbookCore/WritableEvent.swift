// HOT PATH — formats are specialised for each kind of event; nothing here makes a string.

/// What a format reads of an event, whether it is a ``LogEvent`` or only a view of a record.
package protocol WritableEvent {
    /// Whether there is never more than a message and its place: no metadata, error or transaction.
    static var isPlain: Bool { get }

    var time: LogTime { get }
    var level: LogLevel { get }
    var sequence: UInt64 { get }
    var thread: UInt64 { get }
    var line: UInt32 { get }
    /// Whether anything is known about the place.
    var hasPlace: Bool { get }
    var metadata: LogMetadata { get }
    var error: LogErrorDetails? { get }
    var transaction: TransactionEntry? { get }

    func withMessage(_ body: (UnsafeBufferPointer<UInt8>) -> Void)
    func withFile(_ body: (UnsafeBufferPointer<UInt8>) -> Void)
    func withFunction(_ body: (UnsafeBufferPointer<UInt8>) -> Void)

    /// Whether the text is known to hold nothing that a line, or a JSON string, must escape; for a file and a function also
    /// nothing that ends them in a text line.
    var isMessageClean: Bool { get }
    var isFileClean: Bool { get }
    var isFunctionClean: Bool { get }

    /// The event as a value of its own.
    var event: LogEvent { get }
}

extension LogEvent: WritableEvent {
    @inline(__always)
    package static var isPlain: Bool { false }
    package var line: UInt32 { source.line }
    package var hasPlace: Bool { !source.isUnknown }
    package var event: LogEvent { self }
    package var isMessageClean: Bool { false }
    package var isFileClean: Bool { false }
    package var isFunctionClean: Bool { false }

    @inline(__always)
    package func withMessage(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { Self.withUTF8(of: message, body) }

    @inline(__always)
    package func withFile(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        if let literals = source.literals { body(literals.file.bytes) } else { Self.withUTF8(of: source.file, body) }
    }

    @inline(__always)
    package func withFunction(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        if let literals = source.literals { body(literals.function.bytes) } else { Self.withUTF8(of: source.function, body) }
    }

    @inline(__always)
    private static func withUTF8(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        if let () = text.utf8.withContiguousStorageIfAvailable(body) { return }
        copyingUTF8(of: text, body)
    }

    /// For text that comes from elsewhere, such as a bridged `NSString`. Apart from the other, so that the usual case counts no
    /// reference to the text.
    @inline(never)
    private static func copyingUTF8(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        Array(text.utf8).withUnsafeBufferPointer(body)
    }
}

/// A message with its place, level and time, and nothing else: a view of memory that is only there during the call that gets it.
package struct PlainEvent: WritableEvent {
    package let time: LogTime
    package let sequence: UInt64
    package let thread: UInt64
    package let message: UnsafeBufferPointer<UInt8>
    package let file: StaticText
    package let function: StaticText
    package let line: UInt32
    package let level: LogLevel
    package let isMessageClean: Bool
    package let isFileClean: Bool
    package let isFunctionClean: Bool

    /// Whether nothing of it has to be escaped.
    @inlinable
    @inline(__always)
    package var isClean: Bool { isMessageClean && isFileClean && isFunctionClean }

    @inlinable
    @inline(__always)
    package static var isPlain: Bool { true }
    @inlinable
    @inline(__always)
    package var hasPlace: Bool { line > 0 || file.count > 0 || function.count > 0 }
    @inlinable
    package var metadata: LogMetadata { LogMetadata() }
    @inlinable
    package var error: LogErrorDetails? { nil }
    @inlinable
    package var transaction: TransactionEntry? { nil }

    @inlinable
    @inline(__always)
    package func withMessage(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { body(message) }
    @inlinable
    @inline(__always)
    package func withFile(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { body(file.bytes) }
    @inlinable
    @inline(__always)
    package func withFunction(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { body(function.bytes) }

    package var event: LogEvent {
        LogEvent(
            sequence: sequence, time: time, level: level, message: String(decoding: message, as: UTF8.self), metadata: [:],
            thread: thread, source: LogSource(file: file, function: function, line: line), nesting: 0)
    }
}
