public import LogbookCore

/// One event as one line for people. Control characters, line separators and marks that turn the direction of text are
/// escaped, so an event is one line whatever it holds, and a terminal shows nothing that the event did not say.
///
/// What was written can be read back: ``event(from:)``. The standard style keeps everything but the sequence, the thread, a
/// transaction's device and what its time stamp leaves out (ISO 8601 is written to the microsecond); the article style keeps
/// level, time stamp, file name, function, line and message; a layout keeps the pieces it has.
public struct TextFormat: ReadableLogFormat, LineFormat, Hashable {
    enum Style: Sendable, Hashable {
        case standard(TimeStamp)
        case article(DatePattern)
        case layout(CheckedLayout)
    }
    let style: Style
    /// Whether its lines may look like those of another format.
    var isOfOnesOwn: Bool {
        switch style {
        case .layout, .standard(.pattern): true
        case .standard(.iso8601), .article: false
        }
    }
    /// The zone of the standard style with its usual time stamp, whose everyday lines are written in one go.
    private let plainZone: LogTimeZone?

    /// How much of one event is written.
    public let limits: LogLimits

    /// The everyday style: ISO 8601 with offset, level, place, message; then, after a tab, what else is known.
    ///
    /// ```
    /// 2026-11-21T10:29:20.123456+01:00 warning [Checkout/Cart.swift:12 pay()] payment took 812 ms⇥gateway=north attempt=2
    /// ```
    /// A tab within the message is written `\t`, so the first raw tab always ends it.
    /// A place reads `[Checkout/Cart.swift:12 pay()]`; it is left out when nothing is known of it.
    public static func standard(zone: LogTimeZone = .local, limits: LogLimits = .standard) -> TextFormat {
        TextFormat(.standard(.iso8601(digits: plainDigits, zone)), limits)
    }

    private init(_ style: Style, _ limits: LogLimits) {
        self.style = style
        self.limits = limits
        if case .standard(.iso8601(Self.plainDigits, let zone)) = style { plainZone = zone } else { plainZone = nil }
    }

    /// The everyday style with a time stamp of one's own.
    public static func standard(date: DatePattern, limits: LogLimits = .standard) -> TextFormat {
        TextFormat(.standard(.pattern(date)), limits)
    }

    /// The style of the article that this library grew from; metadata is left out, as there.
    ///
    /// ```
    /// [ℹ️ 2020-06-06 19:47:15393 CategoryViewController.swift:addButtonPressed(_:):135] Category was added.
    /// ```
    public static func article(date: DatePattern = .article, limits: LogLimits = .standard) -> TextFormat {
        TextFormat(.article(date), limits)
    }

    /// A style of one's own; see ``TextLayout`` for the pieces.
    /// - Throws: ``TextLayoutError`` when the layout could not be read by anybody: nothing is said, or two texts run together.
    public static func layout(_ layout: TextLayout, limits: LogLimits = .standard) throws(TextLayoutError) -> TextFormat {
        TextFormat(.layout(try CheckedLayout(layout)), limits)
    }

    // HOT PATH — bytes only; no string is made and nothing is allocated.
    public func append(_ event: LogEvent, to bytes: inout [UInt8]) { appendWithinLimits(event, to: &bytes) }
    package func append(_ event: PlainEvent, to memory: LineMemory) {
        if let plainZone, event.hasPlace, event.isClean, limits.surelyHold(event) {
            Self.appendPlain(event, in: plainZone, to: memory)
        } else {
            appendWithinLimits(event, to: memory)
        }
    }

    package func recordWriter() -> (any RecordWriter)? { plainZone.map { PlainTextWriter(self, in: $0) } }

    func write(_ event: some WritableEvent, to writer: inout LineWriter) {
        switch style {
        case .standard(let stamp): Self.writeStandard(event, stamp, to: &writer)
        case .article(let date): Self.writeArticle(event, date, to: &writer)
        case .layout(let layout): layout.write(event, to: &writer)
        }
        writer.byte(0x0A)
    }

    private static func writeArticle(_ event: some WritableEvent, _ date: DatePattern, to writer: inout LineWriter) {
        writer.byte(0x5B)
        writer.plain(event.level.symbol)
        writer.byte(0x20)
        date.write(event.time, to: &writer)
        writer.byte(0x20)
        event.withFile { writer.escapedLine($0.afterLastSlash, .articleFile, isClean: event.isFileClean) }
        writer.byte(0x3A)
        event.withFunction { writer.escapedLine($0, .function, isClean: event.isFunctionClean) }
        writer.byte(0x3A)
        writer.decimal(UInt64(event.line))
        writer.literal("] ")
        event.withMessage { writer.escapedLine($0, isClean: event.isMessageClean) }
    }

    private static func writeStandard(_ event: some WritableEvent, _ stamp: TimeStamp, to writer: inout LineWriter) {
        stamp.write(event.time, to: &writer)
        writer.byte(0x20)
        writer.literal(event.level.literalName)
        if !event.hasPlace {
            writer.byte(0x20)
            // Without a place, a message must not look as if it began with one.
            event.withMessage { writer.escapedLine($0, escapingFirst: 0x5B) }
        } else {
            writer.literal(" [")
            event.withFile { writer.escapedLine($0, .standardFile, isClean: event.isFileClean) }
            if event.line > 0 {
                writer.byte(0x3A)
                writer.decimal(UInt64(event.line))
            }
            event.withFunction { function in
                if function.isEmpty { return }
                writer.byte(0x20)
                writer.escapedLine(function, .function, isClean: event.isFunctionClean)
            }
            writer.literal("] ")
            event.withMessage { writer.escapedLine($0, isClean: event.isMessageClean) }
        }
        writer.facts(event)
    }
}

/// How a line begins.
enum TimeStamp: Sendable, Hashable {
    case iso8601(digits: Int, LogTimeZone)
    case pattern(DatePattern)

    @inline(__always)
    func write(_ time: LogTime, to writer: inout LineWriter) {
        switch self {
        case .iso8601(let digits, let zone): ISO8601.write(time, digits: digits, in: zone, to: &writer)
        case .pattern(let pattern): pattern.write(time, to: &writer)
        }
    }

    func time(from scanner: inout LineScanner) -> LogTime? {
        switch self {
        case .iso8601(_, let zone): ISO8601.time(from: &scanner, in: zone)
        case .pattern(let pattern): pattern.time(from: &scanner)
        }
    }
}

extension EscapedBytes {
    /// A file in the standard style ends at a space, a colon or a bracket.
    static var standardFile: EscapedBytes { EscapedBytes(0x5C, 0x20, 0x3A, 0x5D) }
    static var articleFile: EscapedBytes { EscapedBytes(0x5C, 0x3A, 0x5D, 0x5D) }
    /// A function ends at the bracket that closes the place.
    static var function: EscapedBytes { EscapedBytes(0x5C, 0x5D, 0x5D, 0x5D) }
}

extension UnsafeBufferPointer<UInt8> {
    /// The last component of a path.
    var afterLastSlash: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: self[(lastIndex(of: 0x2F).map { $0 + 1 } ?? 0)...])
    }
}

extension LogFormat where Self == TextFormat {
    /// ``TextFormat/standard(zone:limits:)`` in local time.
    public static var text: TextFormat { .standard() }
    /// ``TextFormat/article(date:limits:)`` with the article's date pattern.
    public static var article: TextFormat { .article() }
}
