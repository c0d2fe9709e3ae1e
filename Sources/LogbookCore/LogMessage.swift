/// The text of an event, rendered straight into UTF-8 when somebody listens.
///
/// ```swift
/// service.info("payment \(id) took \(milliseconds) ms for \(customer, privacy: .private)")
/// ```
public struct LogMessage: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    private enum Content: Sendable {
        case literal(StaticString)
        case text(String)
        case rendered(StringInterpolation)
    }
    private let content: Content

    public init(stringLiteral value: StaticString) { content = .literal(value) }
    public init(stringInterpolation: StringInterpolation) { content = .rendered(stringInterpolation) }

    /// A message that is at hand as a `String`, for instance a line that was read.
    public init(text: String) { content = .text(text) }

    /// The text with private values masked.
    public var description: String { isMarked ? PrivacyLens.masking(.none).text(marked) : plainText }

    /// Whether a part of it is marked private, secret or public.
    var isMarked: Bool {
        if case .rendered(let interpolation) = content { !interpolation.marks.isEmpty } else { false }
    }

    /// The text with everything in it but secrets.
    var plainText: String {
        switch content {
        case .literal(let literal): literal.description
        case .text(let text): text
        case .rendered(let interpolation): String(decoding: interpolation.bytes, as: UTF8.self)
        }
    }

    var marked: MarkedText {
        if case .rendered(let interpolation) = content {
            MarkedText(bytes: interpolation.bytes, marks: interpolation.marks)
        } else {
            MarkedText(plainText)
        }
    }

    /// Collects the pieces of an interpolated message.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate private(set) var bytes: [UInt8] = []
        fileprivate private(set) var marks: [MarkedText.Mark] = []

        public init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        public mutating func appendLiteral(_ literal: StaticString) {
            literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
        }

        public mutating func appendInterpolation(_ value: String) { bytes.append(utf8Of: value) }
        public mutating func appendInterpolation(_ value: Substring) { bytes.append(contentsOf: value.utf8) }
        public mutating func appendInterpolation(_ value: StaticString) { appendLiteral(value) }
        public mutating func appendInterpolation(_ value: Bool) { appendLiteral(value ? "true" : "false") }
        public mutating func appendInterpolation(_ value: some FixedWidthInteger) { bytes.append(decimal: value) }

        /// Anything else, as its `description`.
        public mutating func appendInterpolation<Value>(_ value: Value) { bytes.append(utf8Of: String(describing: value)) }

        /// A value that not every reader may see, or that everyone may, whatever the service's ``PrivacyRules`` find.
        /// - Parameter privacy: ``LogPrivacy/secret`` values are not evaluated beyond this call and never rendered.
        public mutating func appendInterpolation<Value>(_ value: @autoclosure () -> Value, privacy: LogPrivacy) {
            let start = bytes.count
            if privacy == .secret { appendLiteral(PrivacyLens.secret) } else { appendInterpolation(value()) }
            if bytes.count > start { marks.append(MarkedText.Mark(range: start..<bytes.count, privacy: privacy)) }
        }
    }
}
