package import LogbookCore

/// Dates as HTTP and transaction sets write them: `Fri, 06 Feb 2015 05:59:27 GMT`. Always GMT, English and Gregorian, whatever
/// the process's zone and locale.
package enum HTTPDate {
    /// Appends the second in which `time` lies: fractions are cut off, not rounded. Years `0...9999`.
    package static func append(_ time: LogTime, to bytes: inout [UInt8]) {
        let civil = CivilTime(time, in: .utc)
        bytes.append(utf8Of: CivilTime.weekdayNames[civil.weekday])
        bytes.append(", ")
        bytes.append(decimal: civil.day, width: 2)
        bytes.append(0x20)
        bytes.append(utf8Of: CivilTime.monthNames[civil.month - 1])
        bytes.append(0x20)
        bytes.append(decimal: civil.year, width: 4)
        bytes.append(0x20)
        bytes.append(decimal: civil.hour, width: 2)
        bytes.append(0x3A)
        bytes.append(decimal: civil.minute, width: 2)
        bytes.append(0x3A)
        bytes.append(decimal: civil.second, width: 2)
        bytes.append(" GMT")
    }

    /// Reads `[weekday, ]day month year hour:minute:second zone`. The weekday is not compared with the date: senders get it wrong.
    /// - Parameter text: The zone may be `GMT`, `UTC`, `UT`, `Z`, one of RFC 822's (`EST` … `PDT`), a number (`-0500`, `+05:30`), or
    ///   both (`GMT+5:30`). Other names are ambiguous and give nil.
    package static func time(_ text: some StringProtocol) -> LogTime? {
        var words = text.split(separator: " ")
        if let first = words.first, first.hasSuffix(",") {
            guard first.count > 1, first.dropLast().allSatisfy(\.isLetter) else { return nil }
            words.removeFirst()
        }
        guard words.count == 5,
            let day = number(words[0], digits: 1...2),
            let month = CivilTime.monthNames.firstIndex(where: { $0 == words[1] }),
            let year = number(words[2], digits: 4...4), year >= 1678, year <= 2261,
            (1...CivilTime.daysInMonth(month + 1, of: year)).contains(day),
            let zone = offset(words[4])
        else { return nil }
        let clock = words[3].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3,
            let hour = number(clock[0], digits: 1...2), hour < 24,
            let minute = number(clock[1], digits: 2...2), minute < 60,
            let second = number(clock[2], digits: 2...2), second <= 60   // 60: a leap second
        else { return nil }
        let days = CivilTime.days(year: year, month: month + 1, day: day)
        return LogTime(nanoseconds: Int64(days * 86400 + hour * 3600 + minute * 60 + second - zone) * 1_000_000_000)
    }

    private static func number(_ text: some StringProtocol, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    /// Hours that RFC 822's names are west of Greenwich.
    private static let hoursWest = [
        "GMT": 0, "UTC": 0, "UT": 0, "Z": 0, "EDT": 4, "EST": 5, "CDT": 5, "CST": 6, "MDT": 6, "MST": 7, "PDT": 7, "PST": 8,
    ]

    /// Seconds east of Greenwich.
    private static func offset(_ zone: some StringProtocol) -> Int? {
        if let hours = hoursWest[String(zone)] { return -hours * 3600 }
        var rest = Substring(zone)
        for name in ["GMT", "UTC"] where rest.hasPrefix(name) {
            rest = rest.dropFirst(3)
            break
        }
        let isWest = rest.first == "-"
        guard isWest || rest.first == "+" else { return nil }
        rest = rest.dropFirst()
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        let hours: Int?, minutes: Int?
        if parts.count == 2 {
            (hours, minutes) = (number(parts[0], digits: 1...2), number(parts[1], digits: 2...2))
        } else if rest.utf8.count == 4 {
            (hours, minutes) = (number(rest.prefix(2), digits: 2...2), number(rest.suffix(2), digits: 2...2))
        } else {
            (hours, minutes) = (number(rest, digits: 1...2), 0)
        }
        guard let hours, let minutes, hours <= 14, minutes < 60 else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }
}
