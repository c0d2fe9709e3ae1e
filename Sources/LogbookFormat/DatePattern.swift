package import LogbookCore

/// How a time stamp is written, in the letters that `DateFormatter` uses; checked when it is made, the same in every locale.
///
/// `yyyy` `yy` year · `MM` `M` `MMM` month (`Jan`) · `dd` `d` day · `EEE` weekday (`Mon`) · `HH` `H` hour · `mm` `ss` ·
/// `S`… fraction, one digit each up to nine · `XXX` offset (`+02:00`, `Z` for UTC) · `Z` offset (`+0200`) · `'…'` text as it
/// stands, `''` an apostrophe; anything that is no letter stands for itself.
public struct DatePattern: Sendable, Hashable {
    private enum Piece: Sendable, Hashable {
        case text(String)
        case year, shortYear, month(Int), monthName, day(Int), weekdayName, hour(Int), minute, second
        case fraction(Int), offset(colon: Bool)
    }
    private let pieces: [Piece]
    public let zone: LogTimeZone

    /// The article's pattern, without anything between seconds and milliseconds: `2020-06-06 19:47:15393`.
    public static let article = DatePattern(
        pieces: [
            .year, .text("-"), .month(2), .text("-"), .day(2), .text(" "), .hour(2), .text(":"), .minute, .text(":"), .second,
            .fraction(3),
        ], zone: .local)

    private init(pieces: [Piece], zone: LogTimeZone) {
        self.pieces = pieces
        self.zone = zone
    }

    public init(_ pattern: String, zone: LogTimeZone = .local) throws(DatePatternError) {
        var pieces: [Piece] = []
        var rest = pattern[...]
        while let letter = rest.first {
            let run = rest.prefix { $0 == letter }
            if letter == "'" {
                pieces.append(.text(try Self.quoted(&rest, of: pattern)))
                continue
            }
            rest = rest.dropFirst(run.count)
            guard letter.isASCII && letter.isLetter else {
                pieces.append(.text(String(run)))
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
        self.init(pieces: pieces, zone: zone)
    }

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
        let civil = CivilTime(time, in: zone)
        for piece in pieces {
            switch piece {
            case .text(let text): bytes.append(escapedLine: text)
            case .year: bytes.append(decimal: civil.year, width: 4)
            case .shortYear: bytes.append(decimal: civil.year % 100, width: 2)
            case .month(let width): bytes.append(decimal: civil.month, width: width)
            case .monthName: bytes.append(utf8Of: CivilTime.monthNames[civil.month - 1])
            case .day(let width): bytes.append(decimal: civil.day, width: width)
            case .weekdayName: bytes.append(utf8Of: CivilTime.weekdayNames[civil.weekday])
            case .hour(let width): bytes.append(decimal: civil.hour, width: width)
            case .minute: bytes.append(decimal: civil.minute, width: 2)
            case .second: bytes.append(decimal: civil.second, width: 2)
            case .fraction(let digits): ISO8601.appendFraction(civil.nanosecond, digits: digits, to: &bytes)
            case .offset(let colon):
                if colon && civil.offset == 0 { bytes.append(0x5A) }
                else { ISO8601.appendOffset(civil.offset, separator: colon, to: &bytes) }
            }
        }
    }
}

public enum DatePatternError: Error, Equatable, CustomStringConvertible {
    case empty
    case unknownLetters(String, pattern: String)
    case openQuote(pattern: String)

    public var description: String {
        switch self {
        case .empty: "a date pattern needs at least one letter; for example yyyy-MM-dd HH:mm:ss.SSS"
        case .unknownLetters(let letters, let pattern):
            "\"\(letters)\" in the date pattern \"\(pattern)\" means nothing here; use yyyy yy MM M MMM dd d EEE HH H mm ss S XXX Z, and put text between apostrophes"
        case .openQuote(let pattern): "the date pattern \"\(pattern)\" opens an apostrophe and never closes it"
        }
    }
}
