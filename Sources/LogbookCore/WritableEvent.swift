// HOT PATH — formats are specialised for each kind of event; nothing here makes a string.

/// What a format reads of an event, whether it is a whole one or only a view of a record.
@usableFromInline
package protocol WritableEvent {
    var time: LogTime { get }
    var level: LogLevel { get }
    var sequence: UInt64 { get }
    var thread: UInt64 { get }
    var line: UInt32 { get }
    /// Whether anything is known about the place.
    var hasPlace: Bool { get }
    /// Whether there is metadata, an error or a transaction.
    var hasFacts: Bool { get }
    var hasMetadata: Bool { get }
    /// Whether there is an error or a transaction.
    var hasAttachment: Bool { get }
    var error: LogErrorDetails? { get }
    var transaction: TransactionEntry? { get }

    /// The metadata in its order; members are lent.
    func forEachMember(_ body: (_ key: UnsafeBufferPointer<UInt8>, _ value: WritableValue) -> Void)

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

/// A value of metadata, of which text is lent.
@usableFromInline
package enum WritableValue {
    case null, bool(Bool), integer(Int64), unsigned(UInt64), double(Double)
    case text(UnsafeBufferPointer<UInt8>)
    /// An array or object; no event that a service made holds a protected value.
    case nested(LogValue)

    /// A value of its own.
    package var value: LogValue {
        switch self {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .integer(let number): .integer(number)
        case .unsigned(let number): .unsigned(number)
        case .double(let number): .double(number)
        case .text(let bytes): .string(String(decoding: bytes, as: UTF8.self))
        case .nested(let value): value
        }
    }
}

/// A ``LogEvent`` that lies somewhere during the call that gets this: handed on as a word, where an event would be copied.
@usableFromInline
package struct LentEvent: WritableEvent {
    @usableFromInline let place: UnsafePointer<LogEvent>

    @inlinable
    @inline(__always)
    package init(_ place: UnsafePointer<LogEvent>) { self.place = place }

    @inlinable
    @inline(__always)
    package var time: LogTime { place.pointee.time }
    @inlinable
    @inline(__always)
    package var level: LogLevel { place.pointee.level }
    @inlinable
    @inline(__always)
    package var sequence: UInt64 { place.pointee.sequence }
    @inlinable
    @inline(__always)
    package var thread: UInt64 { place.pointee.thread }
    @inlinable
    @inline(__always)
    package var line: UInt32 { place.pointee.source.line }
    @usableFromInline package var hasPlace: Bool { !place.pointee.source.isUnknown }
    @usableFromInline package var hasFacts: Bool { hasMetadata || place.pointee.hasAttachment }
    @usableFromInline package var hasMetadata: Bool { !place.pointee.metadata.isEmpty }
    @usableFromInline package var hasAttachment: Bool { place.pointee.hasAttachment }
    @usableFromInline package var error: LogErrorDetails? { place.pointee.error }
    @usableFromInline package var transaction: TransactionEntry? { place.pointee.transaction }
    @usableFromInline package var event: LogEvent { place.pointee }
    @inlinable
    @inline(__always)
    package var isMessageClean: Bool { false }
    @inlinable
    @inline(__always)
    package var isFileClean: Bool { false }
    @inlinable
    @inline(__always)
    package var isFunctionClean: Bool { false }

    @usableFromInline package func forEachMember(_ body: (_ key: UnsafeBufferPointer<UInt8>, _ value: WritableValue) -> Void) {
        withoutCounting(place.pointer(to: \.metadata)!) { metadata in
            metadata.forEachMember { key, value in
                // Each case by itself: a value that a closure holds would be counted.
                switch value {
                case .string(let text): text.lendingUTF8 { text in key.lendingUTF8 { body($0, .text(text)) } }
                case .null: key.lendingUTF8 { body($0, .null) }
                case .bool(let flag): key.lendingUTF8 { body($0, .bool(flag)) }
                case .integer(let number): key.lendingUTF8 { body($0, .integer(number)) }
                case .unsigned(let number): key.lendingUTF8 { body($0, .unsigned(number)) }
                case .double(let number): key.lendingUTF8 { body($0, .double(number)) }
                case .array, .object, .protected: key.lendingUTF8 { body($0, .nested(value)) }
                }
            }
        }
    }

    @usableFromInline package func withMessage(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        withoutCounting(place.pointer(to: \.message)!) { $0.lendingUTF8(body) }
    }

    @usableFromInline package func withFile(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { place.pointee.source.withFileUTF8(body) }
    @usableFromInline package func withFunction(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { place.pointee.source.withFunctionUTF8(body) }
}

/// A message with its place, level and time, and metadata of plain values: a view of memory that is only there during the call that
/// gets it.
@usableFromInline
package struct PlainEvent: WritableEvent {
    @usableFromInline package let time: LogTime
    @usableFromInline package let sequence: UInt64
    @usableFromInline package let thread: UInt64
    @usableFromInline package let message: UnsafeBufferPointer<UInt8>
    @usableFromInline package let members: MemberWords
    @usableFromInline package let file: StaticText
    @usableFromInline package let function: StaticText
    @usableFromInline package let line: UInt32
    @usableFromInline package let level: LogLevel
    @usableFromInline package let isMessageClean: Bool
    @usableFromInline package let isFileClean: Bool
    @usableFromInline package let isFunctionClean: Bool

    /// Whether nothing of message and place has to be escaped.
    @inlinable
    @inline(__always)
    package var isClean: Bool { isMessageClean && isFileClean && isFunctionClean }
    @inlinable
    @inline(__always)
    package var hasPlace: Bool { line > 0 || file.count > 0 || function.count > 0 }
    @inlinable
    @inline(__always)
    package var hasFacts: Bool { hasMetadata }
    @inlinable
    @inline(__always)
    package var hasMetadata: Bool { members.count > 0 }
    @inlinable
    @inline(__always)
    package var hasAttachment: Bool { false }
    @inlinable
    @inline(__always)
    package var error: LogErrorDetails? { nil }
    @inlinable
    @inline(__always)
    package var transaction: TransactionEntry? { nil }

    @inlinable
    @inline(__always)
    package func forEachMember(_ body: (_ key: UnsafeBufferPointer<UInt8>, _ value: WritableValue) -> Void) {
        _ = members.allMembers { key, value in
            body(key, value)
            return true
        }
    }

    @inlinable
    @inline(__always)
    package func withMessage(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { body(message) }
    @inlinable
    @inline(__always)
    package func withFile(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { body(file.bytes) }
    @inlinable
    @inline(__always)
    package func withFunction(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { body(function.bytes) }

    @usableFromInline package var event: LogEvent {
        LogEvent(
            sequence: sequence, time: time, level: level, message: String(decoding: message, as: UTF8.self), metadata: members.metadata,
            thread: thread, source: LogSource(file: file, function: function, line: line), nesting: 0)
    }
}
