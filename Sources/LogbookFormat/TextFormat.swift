public import LogbookCore

/// One event as one line for people. Control characters, line separators and marks that turn the direction of text are
/// escaped, so an event is one line whatever it holds, and a terminal shows nothing that the event did not say.
public struct TextFormat: LogFormat, Hashable {
    private enum Style: Sendable, Hashable {
        case standard
        case article
    }
    private enum Stamp: Sendable, Hashable {
        case iso8601(LogTimeZone)
        case pattern(DatePattern)
    }
    private let style: Style
    private let stamp: Stamp

    /// The everyday style: ISO 8601 with offset, level, place, message; then, after a tab, what else is known.
    ///
    /// ```
    /// 2026-11-21T10:29:20.123456+01:00 warning [Checkout/Cart.swift:12 pay()] payment took 812 ms⇥gateway=north attempt=2
    /// ```
    /// A tab within the message is written `\t`, so the first raw tab always ends it.
    public static func standard(zone: LogTimeZone = .local) -> TextFormat {
        TextFormat(style: .standard, stamp: .iso8601(zone))
    }

    /// The everyday style with a time stamp of one's own.
    public static func standard(date: DatePattern) -> TextFormat { TextFormat(style: .standard, stamp: .pattern(date)) }

    /// The style of the article that this library grew from; metadata is left out, as there.
    ///
    /// ```
    /// [ℹ️ 2020-06-06 19:47:15393 CategoryViewController.swift:addButtonPressed(_:):135] Category was added.
    /// ```
    public static func article(date: DatePattern = .article) -> TextFormat { TextFormat(style: .article, stamp: .pattern(date)) }

    public func append(_ event: LogEvent, to bytes: inout [UInt8]) {
        switch style {
        case .standard: appendStandard(event, to: &bytes)
        case .article: appendArticle(event, to: &bytes)
        }
        bytes.append(0x0A)
    }

    private func appendStamp(_ time: LogTime, to bytes: inout [UInt8]) {
        switch stamp {
        case .iso8601(let zone): ISO8601.append(time, digits: 6, in: zone, to: &bytes)
        case .pattern(let pattern): pattern.append(time, to: &bytes)
        }
    }

    private func appendArticle(_ event: LogEvent, to bytes: inout [UInt8]) {
        bytes.append(0x5B)
        bytes.append(utf8Of: event.level.symbol)
        bytes.append(0x20)
        appendStamp(event.time, to: &bytes)
        bytes.append(0x20)
        bytes.append(escapedLine: String(event.source.fileName))
        bytes.append(0x3A)
        bytes.append(escapedLine: event.source.function)
        bytes.append(0x3A)
        bytes.append(decimal: event.source.line)
        bytes.append("] ")
        bytes.append(escapedLine: event.message)
    }

    private func appendStandard(_ event: LogEvent, to bytes: inout [UInt8]) {
        appendStamp(event.time, to: &bytes)
        bytes.append(0x20)
        bytes.append(utf8Of: event.level.name)
        if event.source != .unknown {
            bytes.append(" [")
            bytes.append(escapedLine: event.source.file)
            if event.source.line > 0 {
                bytes.append(0x3A)
                bytes.append(decimal: event.source.line)
            }
            if !event.source.function.isEmpty {
                bytes.append(0x20)
                bytes.append(escapedLine: event.source.function)
            }
            bytes.append(0x5D)
        }
        bytes.append(0x20)
        bytes.append(escapedLine: event.message)
        var separator: UInt8 = 0x09
        func member(_ key: String, _ value: LogValue) {
            bytes.append(separator)
            separator = 0x20
            bytes.append(wordOrQuoted: key)
            bytes.append(0x3D)
            bytes.append(plain: value)
        }
        for (key, value) in event.metadata { member(key, value) }
        if let error = event.error {
            member("error.type", .string(error.type))
            member("error.message", .string(error.description))
        }
        if let entry = event.transaction {
            member("transaction.id", .string(entry.transactionID))
            member("transaction.usecase", .integer(Int64(entry.usecase)))
            if let number = entry.event { member("transaction.event", .integer(Int64(number))) }
            if let code = entry.errorCode { member("transaction.error_code", .integer(Int64(code))) }
            if let text = entry.errorDescription { member("transaction.error_description", .string(text)) }
        }
    }
}

extension LogFormat where Self == TextFormat {
    /// ``TextFormat/standard(zone:)`` in local time.
    public static var text: TextFormat { .standard() }
    /// ``TextFormat/article(date:)`` with the article's date pattern.
    public static var article: TextFormat { .article() }
}

extension Array where Element == UInt8 {
    /// The text as it is when it is a plain word, otherwise between quotes.
    fileprivate mutating func append(wordOrQuoted text: String) {
        let isWord = !text.isEmpty && text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            case 0x2B, 0x2D, 0x2E, 0x2F, 0x3A, 0x40, 0x5F: true   // + - . / : @ _
            default: false
            }
        }
        if isWord { append(utf8Of: text) } else { append(jsonString: text) }
    }

    /// Strings as words where that cannot be mistaken for another type, everything else as JSON.
    fileprivate mutating func append(plain value: LogValue) {
        if case .string(let text) = value, Double(text) == nil, !["true", "false", "null"].contains(text) {
            append(wordOrQuoted: text)
        } else {
            append(json: value)
        }
    }
}
