// HOT PATH — each piece of an interpolation is one word; text is made of them when somebody reads it.

/// The text of an event, collected without making strings when somebody listens.
///
/// ```swift
/// service.info("payment \(id) took \(milliseconds) ms for \(customer, privacy: .private)")
/// ```
public struct LogMessage: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    @usableFromInline
    enum Content: Sendable {
        case literal(StaticText)
        case text(String)
        case collected(MessageBuffer)
    }
    @usableFromInline var content: Content

    public init(stringLiteral value: StaticString) {
        content = StaticText(value).map(Content.literal) ?? .text(value.description)
    }

    @inlinable
    @inline(__always)
    public init(stringInterpolation: StringInterpolation) { content = .collected(stringInterpolation.finished()) }

    /// A message that is at hand as a `String`, for instance a line that was read.
    public init(text: String) { content = .text(text) }

    /// A value that is at hand, as its `description`; of a ``LogDescribableError`` what it says of itself.
    @inlinable
    init<Value>(describing value: Value) {
        // Where the type is known, the compiler knows whether it is text.
        if let text = value as? String {
            self = LogMessage(text: text)
        } else if let error = value as? any LogDescribableError {
            self = error.logDescription
        } else {
            self = LogMessage(text: String(describing: value))
        }
    }

    /// The text with private values masked.
    public var description: String { isMarked ? PrivacyLens.masking(.none).text(marked()) : plainText }

    /// Whether a part of it is marked private or secret.
    var isMarked: Bool { if case .collected(let buffer) = content { buffer.isMarked } else { false } }

    /// The literal that is all of it.
    var literal: StaticText? { if case .literal(let literal) = content { literal } else { nil } }

    /// The text with private values written out.
    var plainText: String {
        switch content {
        case .literal(let literal): literal.string
        case .text(let text): text
        case .collected(let buffer): buffer.words.string
        }
    }

    /// The text with its marks.
    /// - Parameter unmarked: What texts are that bear no mark and are no literals.
    func marked(_ unmarked: LogPrivacy = .public) -> MarkedText {
        switch content {
        case .collected(let buffer): buffer.words.markedText(unmarked)
        case .literal(let literal): MarkedText(literal.string)
        case .text(let text): MarkedText(text, unmarked)
        }
    }

    /// What a record can carry of a message.
    enum Pieces {
        case words(UnsafeBufferPointer<UInt64>)
        /// A message of one literal.
        case word(UInt64)
        /// Text that is at hand.
        case text(UnsafeBufferPointer<UInt8>)

        /// Words of a record that it takes.
        @inline(__always)
        var words: Int {
            switch self {
            case .words(let words): words.count
            case .word: 1
            case .text(let text): 1 + MessageWord.textWords(text.count)
            }
        }
    }

    /// Without counting a reference: the message holds it.
    @inline(__always)
    var heldBuffer: Unmanaged<MessageBuffer>? {
        if case .collected(let buffer) = content { Unmanaged.passUnretained(buffer) } else { nil }
    }

    /// The pieces, unless some of them are not for every reader.
    /// - Returns: Nil when they are; `body` was not called.
    @inline(__always)
    func withPieces<Result>(_ body: (Pieces) -> Result) -> Result? {
        if let buffer = heldBuffer {
            if buffer._withUnsafeGuaranteedRef({ $0.isMarked }) { return nil }
            return body(.words(buffer._withUnsafeGuaranteedRef { $0.words.words }))
        }
        switch content {
        case .collected: return nil   // seen to
        case .literal(let literal):
            return body(MessageWord.literal(literal).map(Pieces.word) ?? .text(literal.bytes))
        case .text:
            return withUnsafePointer(to: content) { place in
                withoutCounting(place) { content in
                    guard case .text(let text) = content else { return nil }
                    return text.lendingUTF8 { body(.text($0)) }
                }
            }
        }
    }

    /// Ends the message: its buffer goes back to the thread, unless somebody else holds it.
    @inline(__always)
    mutating func giveBackBuffer() {
        var content = Content.text("")
        swap(&content, &self.content)   // moved, so that no reference is counted
        if case .collected(let buffer) = consume content { MessageBuffer.giveBack(buffer) }
    }

    /// Collects the pieces of an interpolated message. Made by the compiler for one literal; copies of it share their memory.
    public struct StringInterpolation: StringInterpolationProtocol, @unchecked Sendable {
        @usableFromInline let buffer: MessageBuffer
        /// The word that comes next, and the end of the memory.
        @usableFromInline var next: UnsafeMutablePointer<UInt64>
        @usableFromInline var end: UnsafeMutablePointer<UInt64>

        @inlinable
        @inline(__always)
        public init(literalCapacity: Int, interpolationCount: Int) { self = beginInterpolation() }

        fileprivate init(in buffer: MessageBuffer) {
            self.buffer = buffer
            next = buffer.start
            end = buffer.end
        }

        @inlinable
        @inline(__always)
        func finished() -> MessageBuffer {
            buffer.finish(at: next)
            return buffer
        }

        @inline(never)
        private mutating func grow(by count: Int) {
            buffer.grow(by: count, next: &next)
            end = buffer.end
        }

        @inline(__always)
        private mutating func append(_ word: UInt64) {
            if _slowPath(next == end) { grow(by: 1) }
            next.pointee = word
            next += 1
        }

        @inline(__always)
        private mutating func append(_ kind: MessageWord.Kind, _ bits: UInt64) {
            append(MessageWord.make(kind))
            append(bits)
        }

        private mutating func append(text: UnsafeBufferPointer<UInt8>) {
            guard let start = text.baseAddress, text.count > 0 else { return }
            let words = MessageWord.textWords(text.count)
            if end - next < words + 1 { grow(by: words + 1) }
            next.pointee = MessageWord.make(.text, UInt64(text.count))
            UnsafeMutableRawPointer(next + 1).copyMemory(from: start, byteCount: text.count)
            next += words + 1
        }

        private mutating func append(text: String) {
            var text = text
            text.withUTF8 { append(text: $0) }
        }

        /// In the calling program this is a compare or two and one store: see ``MessageWord/literal(_:)``.
        @inlinable
        @inline(__always)
        public mutating func appendLiteral(_ literal: StaticString) {
            let address = literal.hasPointerRepresentation ? UInt64(UInt(bitPattern: literal.utf8Start)) : .max
            let count = UInt64(truncatingIfNeeded: literal.utf8CodeUnitCount)
            if _fastPath(next != end && address >> 48 == 0 && count >> 13 == 0) {
                next.pointee = address << 16 | count << 3 | 1
                next += 1
            } else {
                self = Self.appending(literal, to: self)
            }
        }

        /// The rare case. Not of something that is changed in its place: that would lie in the caller's memory, and not in registers.
        @usableFromInline
        @inline(never)
        static func appending(_ literal: StaticString, to interpolation: consuming Self) -> Self {
            if let word = StaticText(literal).flatMap(MessageWord.literal) {
                interpolation.append(word)
            } else {
                literal.withUTF8Buffer { interpolation.append(text: $0) }
            }
            return interpolation
        }

        public mutating func appendInterpolation(_ value: String) { append(text: value) }
        public mutating func appendInterpolation(_ value: Substring) { append(text: String(value)) }
        public mutating func appendInterpolation(_ value: StaticString) { appendLiteral(value) }
        public mutating func appendInterpolation(_ value: Bool) { appendLiteral(value ? "true" : "false") }
        public mutating func appendInterpolation(_ value: Double) { append(.double, value.bitPattern) }

        /// By way of its digits, so that 0.1 stays 0.1; one with more of them than a `Double` has is a text.
        public mutating func appendInterpolation<Number: BinaryFloatingPoint>(_ value: Number) {
            let text = String(describing: value)
            guard Number.significandBitCount <= Double.significandBitCount, let number = Double(text) else { return append(text: text) }
            append(.double, number.bitPattern)
        }

        /// See ``MessageWord/Kind/small``.
        @inlinable
        @inline(__always)
        public mutating func appendInterpolation(_ value: Int) {
            let word = UInt64(bitPattern: Int64(value)) << 3
            if _fastPath(next != end && Int64(bitPattern: word) >> 3 == Int64(value)) {
                next.pointee = word | 2
                next += 1
            } else {
                self = Self.appending(value, to: self)
            }
        }

        @usableFromInline
        @inline(never)
        static func appending(_ value: Int, to interpolation: consuming Self) -> Self {
            let word = UInt64(bitPattern: Int64(value)) << UInt64(MessageWord.kindBits)
            if Int64(bitPattern: word) >> Int64(MessageWord.kindBits) == Int64(value) {
                interpolation.append(word | MessageWord.Kind.small.rawValue)
            } else {
                interpolation.append(.signed, UInt64(bitPattern: Int64(value)))
            }
            return interpolation
        }

        public mutating func appendInterpolation(_ value: UInt64) { append(.unsigned, value) }

        @inlinable
        public mutating func appendInterpolation<Number: FixedWidthInteger>(_ value: Number) {
            if let small = Int(exactly: value) {
                appendInterpolation(small)
            } else if let large = UInt64(exactly: value) {
                appendInterpolation(large)
            } else {
                appendInterpolation(String(value))
            }
        }

        /// An error, as its `description`; of a ``LogDescribableError`` what it says of itself: the parts that it marks stay marked.
        public mutating func appendInterpolation(_ error: any Error) { append(LogMessage(describing: error)) }

        /// The same; `nil` when there is none.
        public mutating func appendInterpolation(_ error: (any Error)?) {
            if let error { appendInterpolation(error) } else { appendLiteral("nil") }
        }

        /// The pieces of another message, with its marks.
        @inline(never)
        private mutating func append(_ message: LogMessage) {
            switch message.content {
            case .literal(let literal):
                if let word = MessageWord.literal(literal) { append(word) } else { append(text: literal.bytes) }
            case .text(let text): append(text: text)
            case .collected(let other):
                let words = other.words.words
                if let start = words.baseAddress, !words.isEmpty {
                    if end - next < words.count { grow(by: words.count) }
                    next.update(from: start, count: words.count)
                    next += words.count
                }
                if other.isMarked { buffer.isMarked = true }
                withExtendedLifetime(other) {}   // the words are its
            }
        }

        private mutating func append(_ bytes: ArraySlice<UInt8>, _ privacy: LogPrivacy) {
            append(MessageWord.begin(privacy))
            bytes.withUnsafeBufferPointer { append(text: $0) }
            append(MessageWord.make(.markEnd))
            if privacy != .public { buffer.isMarked = true }
        }

        /// Anything else, as its `description`; of a value that turns out to be a ``LogDescribableError``, what it says of itself.
        public mutating func appendInterpolation<Value>(_ value: Value) {
            if let error = value as? any LogDescribableError { return append(error.logDescription) }
            append(text: String(describing: value))
        }

        /// A value that not every reader may see, or that everyone may, whatever the service's ``PrivacyRules`` find.
        /// - Parameter privacy: ``LogPrivacy/secret`` values are not evaluated beyond this call and never rendered.
        public mutating func appendInterpolation<Value>(_ value: @autoclosure () -> Value, privacy: LogPrivacy) {
            if privacy == .secret {
                append(MessageWord.begin(privacy))
                appendLiteral(PrivacyLens.secret)
            } else {
                let value = value()
                if let error = value as? any LogDescribableError {
                    let erased: any Error = error
                    return appendInterpolation(erased, privacy: privacy)
                }
                append(MessageWord.begin(privacy))
                append(text: String(describing: value))
            }
            append(MessageWord.make(.markEnd))
            if privacy != .public { buffer.isMarked = true }
        }

        /// The same for an error. The parts that a ``LogDescribableError`` marks itself stay marked where the rest is public.
        public mutating func appendInterpolation(_ error: @autoclosure () -> any Error, privacy: LogPrivacy) {
            switch privacy {
            case .secret: appendInterpolation("", privacy: privacy)
            case .private:
                let text = LogMessage(describing: error()).plainText
                appendInterpolation(text, privacy: privacy)
            case .public:
                // Marks do not lie within each other, so the public one ends where one of the error's begins.
                let text = LogMessage(describing: error()).marked()
                var place = 0
                for mark in text.marks {
                    append(text.bytes[place..<mark.range.lowerBound], .public)
                    append(text.bytes[mark.range], mark.privacy)
                    place = mark.range.upperBound
                }
                append(text.bytes[place...], .public)
            }
        }

        /// The same; `nil` when there is none.
        public mutating func appendInterpolation(_ error: @autoclosure () -> (any Error)?, privacy: LogPrivacy) {
            guard privacy != .secret, let error = error() else { return appendInterpolation("nil", privacy: privacy) }
            appendInterpolation(error, privacy: privacy)
        }
    }
}

/// A function of no type: one of the interpolation would be called with it.
@usableFromInline
@inline(never)
func beginInterpolation() -> LogMessage.StringInterpolation { LogMessage.StringInterpolation(in: .take()) }
