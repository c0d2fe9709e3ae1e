/// A line of one's own, written as text with pieces in it:
///
/// ```swift
/// let format = try TextFormat.layout("\(.time(digits: 3, zone: .utc)) \(.level(padded: true)) \(.fileName):\(.line) \(.message)\(.facts)")
/// // 2026-11-21T09:29:20.123Z warning  Cart.swift:12 payment took 812 ms⇥gateway=north
/// ```
/// A piece that does not exist is an error of the compiler; the rest is checked by ``TextFormat/layout(_:limits:)``.
public struct TextLayout: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// Something of an event.
    public struct Piece: Sendable, Hashable, CustomStringConvertible {
        enum Kind: Sendable, Hashable {
            case time(TimeStamp)
            case level(padded: Bool)
            case symbol, message, file, fileName, function, line, thread, sequence, facts
        }
        let kind: Kind

        /// ISO 8601 with offset.
        /// - Parameter digits: Digits of the fraction of a second, `0...9`.
        public static func time(digits: Int = 6, zone: LogTimeZone = .local) -> Piece {
            Piece(kind: .time(.iso8601(digits: digits, zone)))
        }
        public static func time(_ pattern: DatePattern) -> Piece { Piece(kind: .time(.pattern(pattern))) }
        /// The word for the level.
        /// - Parameter padded: Filled up with spaces to the length of the longest, so that columns stay straight.
        public static func level(padded: Bool) -> Piece { Piece(kind: .level(padded: padded)) }
        public static var level: Piece { .level(padded: false) }
        /// The sign of the level, see ``LogLevel/symbol``.
        public static var symbol: Piece { Piece(kind: .symbol) }
        public static var message: Piece { Piece(kind: .message) }
        /// `Module/File.swift`
        public static var file: Piece { Piece(kind: .file) }
        /// `File.swift`
        public static var fileName: Piece { Piece(kind: .fileName) }
        public static var function: Piece { Piece(kind: .function) }
        /// The number of the line in the source, 0 when it is not known.
        public static var line: Piece { Piece(kind: .line) }
        public static var thread: Piece { Piece(kind: .thread) }
        public static var sequence: Piece { Piece(kind: .sequence) }
        /// A tab and then metadata, error and transaction as `key=value`; nothing when there are none. Always the last piece.
        public static var facts: Piece { Piece(kind: .facts) }

        public var description: String {
            switch kind {
            case .time: "time"
            case .level: "level"
            case .symbol: "symbol"
            case .message: "message"
            case .file: "file"
            case .fileName: "fileName"
            case .function: "function"
            case .line: "line"
            case .thread: "thread"
            case .sequence: "sequence"
            case .facts: "facts"
            }
        }
    }

    enum Part: Sendable, Hashable {
        case text(String)
        case piece(Piece)
    }
    let parts: [Part]

    public init(stringLiteral value: String) { parts = value.isEmpty ? [] : [.text(value)] }
    public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        var parts: [Part] = []
        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) { if !literal.isEmpty { parts.append(.text(literal)) } }
        public mutating func appendInterpolation(_ piece: Piece) { parts.append(.piece(piece)) }
    }
}

/// What is wrong with a layout.
public enum TextLayoutError: Error, Equatable, CustomStringConvertible {
    case withoutMessage
    /// A piece, or two of the same kind, such as `file` and `fileName`.
    case twice(TextLayout.Piece)
    case adjacent(TextLayout.Piece, TextLayout.Piece)
    case factsNotLast
    case fractionDigits(Int)
    /// Text of the layout that holds a control character, a line separator or a backslash.
    case cannotStandInALine(String)
    /// Text after a message, a file or a function, where only a character of ASCII shows where that ends.
    case beginsBeyondASCII(String)
    /// Text that has a digit beside a number of any length.
    case digit(beside: TextLayout.Piece, String)

    public var description: String {
        switch self {
        case .withoutMessage: "a layout needs a \\(.message)"
        case .twice(let piece): "the layout has a second piece of the kind \(piece); leave one out"
        case .adjacent(let left, let right):
            "\(left) and \(right) stand side by side in the layout; put text between them, so that a reader can tell them apart"
        case .factsNotLast: "\\(.facts) must be the last piece of a layout, with nothing behind it"
        case .fractionDigits(let digits): "\(digits) digits of a fraction of a second; use 0 to 9"
        case .cannotStandInALine(let text):
            "the text \(text.debugDescription) of the layout holds a control character or a backslash; leave it out"
        case .beginsBeyondASCII(let text):
            "the text \(text.debugDescription) follows a text piece of the layout; let it begin with a character of ASCII"
        case .digit(let piece, let text):
            "the text \(text.debugDescription) of the layout has a digit beside \(piece), which is a number itself; put something between"
        }
    }
}
