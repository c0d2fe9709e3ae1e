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
    public var description: String { text(privacy: .masked) }

    func text(privacy: PrivacyMode) -> String {
        switch content {
        case .literal(let literal): literal.description
        case .text(let text): text
        case .rendered(let interpolation): interpolation.text(privacy: privacy)
        }
    }

    /// Collects the pieces of an interpolated message.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        private var bytes: [UInt8] = []
        private var privateRanges: [Range<Int>] = []

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

        /// A value that not every reader may see.
        /// - Parameter privacy: ``LogPrivacy/secret`` values are not evaluated beyond this call and never rendered.
        public mutating func appendInterpolation<Value>(_ value: @autoclosure () -> Value, privacy: LogPrivacy) {
            switch privacy {
            case .public: appendInterpolation(value())
            case .secret: appendLiteral("<secret>")
            case .private:
                let start = bytes.count
                appendInterpolation(value())
                privateRanges.append(start..<bytes.count)
            }
        }

        func text(privacy: PrivacyMode) -> String {
            guard privacy == .masked, !privateRanges.isEmpty else { return String(decoding: bytes, as: UTF8.self) }
            var shown: [UInt8] = []
            var end = 0
            for range in privateRanges {
                shown.append(contentsOf: bytes[end..<range.lowerBound])
                shown.append(contentsOf: "<private>".utf8)
                end = range.upperBound
            }
            shown.append(contentsOf: bytes[end...])
            return String(decoding: shown, as: UTF8.self)
        }
    }
}
