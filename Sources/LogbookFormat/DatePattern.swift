package import LogbookCore

/// How a time stamp is written, in the letters that `DateFormatter` uses; checked when it is made, the same in every locale.
///
/// `yyyy` `yy` year · `MM` `M` `MMM` month (`Jan`) · `dd` `d` day · `EEE` weekday (`Mon`) · `HH` `H` hour · `mm` `ss` ·
/// `S`… fraction, one digit each up to nine · `XXX` offset (`+02:00`, `Z` for UTC) · `Z` offset (`+0200`) · `'…'` text as it
/// stands, `''` an apostrophe; anything that is no letter stands for itself. `M`, `d` and `H` have one digit or two: no digit may
/// follow.
public struct DatePattern: Sendable, Hashable {
    private enum Piece: Sendable, Hashable {
        /// One byte, such as a hyphen.
        case sign(UInt8)
        /// What stands as it is: that part of ``texts``, so that no piece needs counting of references.
        case text(start: Int, end: Int)
        case year, shortYear, month(Int), monthName, day(Int), weekdayName, hour(Int), minute, second
        case fraction(Int), offset(colon: Bool)

        /// The letter of a number that has one digit or two; nil for every other piece.
        var endlessLetter: String? {
            switch self {
            case .month(1): "M"
            case .day(1): "d"
            case .hour(1): "H"
            default: nil
            }
        }
    }
    private let pieces: [Piece]
    /// The texts of the pattern one after the other, already escaped.
    private let texts: [UInt8]
    public let zone: LogTimeZone

    /// The article's pattern, without anything between seconds and milliseconds: `2020-06-06 19:47:15393`.
    public static let article = article(in: .local)

    package static func article(in zone: LogTimeZone) -> DatePattern {
        DatePattern(
            pieces: [
                .year, .sign(0x2D), .month(2), .sign(0x2D), .day(2), .sign(0x20), .hour(2), .sign(0x3A), .minute, .sign(0x3A),
                .second, .fraction(3),
            ], texts: [], zone: zone)
    }

    private init(pieces: [Piece], texts: [UInt8], zone: LogTimeZone) {
        self.pieces = pieces
        self.texts = texts
        self.zone = zone
    }

    public init(_ pattern: String, zone: LogTimeZone = .local) throws(DatePatternError) {
        var pieces: [Piece] = []
        var texts: [UInt8] = []
        func literal(_ text: String) -> Piece {
            let start = texts.count
            texts.append(escapedLine: text)
            return texts.count == start + 1 ? .sign(texts[start]) : .text(start: start, end: texts.count)
        }
        var rest = pattern[...]
        while let letter = rest.first {
            let run = rest.prefix { $0 == letter }
            if letter == "'" {
                pieces.append(literal(try Self.quoted(&rest, of: pattern)))
                continue
            }
            rest = rest.dropFirst(run.count)
            guard letter.isASCII && letter.isLetter else {
                pieces.append(literal(String(run)))
                continue
            }
            switch (letter, run.count) {
            case ("y", 4), ("y", 1): pieces.append(.year)
            case ("y", 2): pieces.append(.shortYear)
            case ("M", 1), ("M", 2): pieces.append(.month(run.count))
            case ("M", 3): pieces.append(.monthName)
            case ("d", 1), ("d", 2): pieces.append(.day(run.count))
            case ("E", 1...3): pieces.append(.weekdayName)
            case ("H", 1), ("H", 2): pieces.append(.hour(run.count))
            case ("m", 2): pieces.append(.minute)
            case ("s", 2): pieces.append(.second)
            case ("S", 1...9): pieces.append(.fraction(run.count))
            case ("X", 3): pieces.append(.offset(colon: true))
            case ("Z", 1...3): pieces.append(.offset(colon: false))
            default: throw .unknownLetters(String(run), pattern: pattern)
            }
        }
        if pieces.isEmpty { throw .empty }
        for (piece, next) in zip(pieces, pieces.dropFirst()) {
            if let letter = piece.endlessLetter, Self.beginsWithDigit(next, of: texts) { throw .endless(letter, pattern: pattern) }
        }
        self.init(pieces: pieces, texts: texts, zone: zone)
    }

    private static func beginsWithDigit(_ piece: Piece, of texts: [UInt8]) -> Bool {
        switch piece {
        case .sign(let byte): byte.isDigit
        case .text(let start, _): texts[start].isDigit
        case .monthName, .weekdayName, .offset: false
        case .year, .shortYear, .month, .day, .hour, .minute, .second, .fraction: true
        }
    }

    /// Whether it begins, or ends, with a number that has one digit or two.
    var beginsEndless: Bool { pieces.first?.endlessLetter != nil }
    var endsEndless: Bool { pieces.last?.endlessLetter != nil }

    private static func quoted(_ rest: inout Substring, of pattern: String) throws(DatePatternError) -> String {
        rest = rest.dropFirst()
        if rest.first == "'" {
            rest = rest.dropFirst()
            return "'"
        }
        var text = ""
        while let letter = rest.popFirst() {
            if letter != "'" {
                text.append(letter)
            } else if rest.first == "'" {
                text.append(rest.removeFirst())
            } else {
                return text
            }
        }
        throw .openQuote(pattern: pattern)
    }

    package func append(_ time: LogTime, to bytes: inout [UInt8]) {
        LineWriter.append(to: &bytes) { write(time, to: &$0) }
    }

    // HOT PATH — one step per piece
    func write(_ time: LogTime, to writer: inout LineWriter) {
        let civil = CivilTime(time, in: zone)
        for piece in pieces {
            switch piece {
            case .sign(let byte): writer.byte(byte)
            case .text(let start, let end):
                texts.withUnsafeBufferPointer { writer.bytes(UnsafeBufferPointer(rebasing: $0[start..<end])) }
            case .year: writer.fourDigits(civil.year)
            case .shortYear: writer.twoDigits(civil.year % 100)
            case .month(let width): Self.write(civil.month, width: width, to: &writer)
            case .monthName: Self.writeName(civil.month - 1, of: CivilTime.monthLetters, to: &writer)
            case .day(let width): Self.write(civil.day, width: width, to: &writer)
            case .weekdayName: Self.writeName(civil.weekday, of: CivilTime.weekdayLetters, to: &writer)
            case .hour(let width): Self.write(civil.hour, width: width, to: &writer)
            case .minute: writer.twoDigits(civil.minute)
            case .second: writer.twoDigits(civil.second)
            case .fraction(let digits): writer.fraction(civil.nanosecond, digits: digits)
            case .offset(let colon):
                if colon && civil.offset == 0 { writer.byte(0x5A) }
                else { ISO8601.writeOffset(civil.offset, separator: colon, to: &writer) }
            }
        }
    }

    private static func write(_ value: Int, width: Int, to writer: inout LineWriter) {
        if width == 1 && value < 10 { writer.byte(0x30 + UInt8(truncatingIfNeeded: value)) } else { writer.twoDigits(value) }
    }

    private static func writeName(_ index: Int, of names: StaticString, to writer: inout LineWriter) {
        writer.bytes(UnsafeBufferPointer(start: names.utf8Start + 3 * index, count: 3))
    }

    /// Reads a time that this pattern wrote. What a pattern does not write is that of 1970-01-01 00:00:00; a year of two digits
    /// is one from 1970 to 2069; where the clocks went back and no offset is written, the first run of the hour is meant. Without
    /// a year the 29th of February is the day after the 28th: 1970-03-01.
    func time(from scanner: inout LineScanner) -> LogTime? {
        var year: Int?
        var (month, day, hour, minute, second) = (1, 1, 0, 0, 0)
        var nanosecond = 0, fractionDigits = 0
        var offset: Int?
        func digits(_ width: Int) -> Int? { width == 1 ? scanner.digits(atMost: 2) : scanner.digits(width) }
        for piece in pieces {
            switch piece {
            case .sign(let byte): guard scanner.skip(byte) else { return nil }
            case .text(let start, let end): guard scanner.skip(texts[start..<end]) else { return nil }
            case .year:
                guard let read = digits(4) else { return nil }
                year = read
            case .shortYear:
                guard let read = digits(2) else { return nil }
                year = read < 70 ? 2000 + read : 1900 + read
            case .month(let width):
                guard let read = digits(width), (1...12).contains(read) else { return nil }
                month = read
            case .monthName:
                guard let index = Self.name(from: &scanner, of: CivilTime.monthLetters) else { return nil }
                month = index + 1
            case .day(let width):
                guard let read = digits(width) else { return nil }
                day = read
            case .weekdayName: guard Self.name(from: &scanner, of: CivilTime.weekdayLetters) != nil else { return nil }
            case .hour(let width):
                guard let read = digits(width), read < 24 else { return nil }
                hour = read
            case .minute:
                guard let read = digits(2), read < 60 else { return nil }
                minute = read
            case .second:
                guard let read = digits(2), read < 61 else { return nil }
                second = read
            case .fraction(let count):
                guard var read = digits(count) else { return nil }
                for _ in count..<9 { read *= 10 }
                if count > fractionDigits { (nanosecond, fractionDigits) = (read, count) }
            case .offset:
                guard let read = ISO8601.offset(from: &scanner) else { return nil }
                offset = read
            }
        }
        // In a year that is not known February may have 29 days.
        guard (1...CivilTime.daysInMonth(month, of: year ?? 2000)).contains(day) else { return nil }
        let knownYear = year ?? 1970, secondOfDay = hour * 3600 + minute * 60 + second
        guard (1677...2262).contains(knownYear) else { return nil }
        let days = CivilTime.days(year: knownYear, month: month, day: day)
        if let offset {
            return CivilTime.time(days: days, secondOfDay: secondOfDay, nanosecond: nanosecond, offset: offset)
        }
        return CivilTime.time(days: days, secondOfDay: secondOfDay, nanosecond: nanosecond, in: zone)
    }

    private static func name(from scanner: inout LineScanner, of names: StaticString) -> Int? {
        for index in 0..<names.utf8CodeUnitCount / 3
        where scanner.skip(UnsafeBufferPointer(start: names.utf8Start + 3 * index, count: 3)) { return index }
        return nil
    }
}

public enum DatePatternError: Error, Equatable, CustomStringConvertible {
    case empty
    case unknownLetters(String, pattern: String)
    case openQuote(pattern: String)
    /// A letter for one digit or two, before another digit.
    case endless(String, pattern: String)

    public var description: String {
        switch self {
        case .empty: "a date pattern needs at least one letter; for example yyyy-MM-dd HH:mm:ss.SSS"
        case .unknownLetters(let letters, let pattern):
            "\"\(letters)\" in the date pattern \"\(pattern)\" means nothing here; use yyyy yy MM M MMM dd d EEE HH H mm ss S XXX Z, and put text between apostrophes"
        case .openQuote(let pattern): "the date pattern \"\(pattern)\" opens an apostrophe and never closes it"
        case .endless(let letter, let pattern):
            "\"\(letter)\" in the date pattern \"\(pattern)\" writes one digit or two, and another digit follows; use \(letter)\(letter), or put something between"
        }
    }
}
