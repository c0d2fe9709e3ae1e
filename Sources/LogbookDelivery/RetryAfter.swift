public import LogbookCore
public import LogbookHTTP

/// Reads the `Retry-After` field (RFC 9110, 10.2.3): seconds, or a date in one of the three forms HTTP has had.
public enum RetryAfter {
    /// More than this is read as this; a courier's own limit is far lower.
    static let longest = Duration.seconds(366 * 86_400)

    /// How long the receiver asks to be left alone; nil when it does not say, or not in a form that can be read.
    ///
    /// A date is measured from the answer's own `Date` where there is one, so that a wrong clock on either side does no harm.
    public static func asked(by response: HTTPResponse, clock: LogClock = .system) -> Duration? {
        guard let field = response.header("Retry-After") else { return nil }
        return parse(field, now: response.header("Date").flatMap(date) ?? clock.now())
    }

    /// - Parameters:
    ///   - field: `120`, `Fri, 31 Dec 1999 23:59:59 GMT`, `Friday, 31-Dec-99 23:59:59 GMT` or `Fri Dec 31 23:59:59 1999`. What
    ///     the field calls the weekday is not read.
    ///   - now: What a date is measured from.
    /// - Returns: `0...` one year; zero for a date that is past; nil for anything else.
    public static func parse(_ field: String, now: LogTime) -> Duration? {
        let text = field.trimmed
        if !text.isEmpty, text.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) {
            // Too many digits for a number are still a number of seconds.
            return min(Int64(String(decoding: text, as: UTF8.self)).map { Duration.seconds($0) } ?? longest, longest)
        }
        guard let date = date(field) else { return nil }
        return min(date.span(since: now), longest)
    }

    /// The moment an HTTP date names; nil when it names none between 1970 and 2199.
    static func date(_ field: String) -> LogTime? {
        let words = String(decoding: field.trimmed, as: UTF8.self).split { $0 == " " || $0 == "," }.dropFirst().map(
            String.init)
        switch words.count {
        case 5 where words[4] == "GMT":  // 31 Dec 1999 23:59:59 GMT
            return moment(year: words[2], month: words[1], day: words[0], time: words[3])
        case 3 where words[2] == "GMT":  // 31-Dec-99 23:59:59 GMT
            let parts = words[0].split(separator: "-").map(String.init)
            guard parts.count == 3, parts[2].utf8.count == 2, let year = number(parts[2]) else { return nil }
            // Two digits: 70...99 are of the last century.
            return moment(
                year: String(year < 70 ? 2000 + year : 1900 + year), month: parts[1], day: parts[0], time: words[1])
        case 4:  // Dec 31 23:59:59 1999
            return moment(year: words[3], month: words[0], day: words[1], time: words[2])
        default:
            return nil
        }
    }

    private static func moment(year: String, month: String, day: String, time: String) -> LogTime? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0)) }
        guard let year = number(year), (1970...2199).contains(year), let day = number(day),
            let month = months.firstIndex(of: month).map({ $0 + 1 }),
            (1...length(ofMonth: month, year: year)).contains(day),
            clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        // In 64 bits: where an Int has 32, those end in 2038.
        return LogTime(nanoseconds: (Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)) * 1_000_000_000)
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func number(_ text: String) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
        return Int(text)
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        var days = day - 1
        for earlier in 1970..<year { days += isLeap(earlier) ? 366 : 365 }
        for earlier in 1..<month { days += length(ofMonth: earlier, year: year) }
        return days
    }
}

extension String {
    /// The bytes without blanks around them.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let bytes = Array(utf8)
        guard let first = bytes.firstIndex(where: { $0 != 0x20 && $0 != 0x09 }),
            let last = bytes.lastIndex(where: { $0 != 0x20 && $0 != 0x09 })
        else { return [] }
        return bytes[first...last]
    }
}
