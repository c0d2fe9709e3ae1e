internal import CLogbookSystem
package import LogbookCore

/// Which clock on the wall a format reads.
public enum LogTimeZone: Sendable, Hashable {
    /// The zone of the process: `TZ`, or the machine's.
    case local
    case utc
    /// A fixed distance from UTC, positive to the east, less than a day; seconds beyond whole minutes are left out.
    case fixed(seconds: Int)
    /// A zone of the system's files; see ``named(_:)``.
    case region(TimeZoneRegion)

    /// A zone of the system's time zone files, whatever the machine's own is: `try .named("Europe/Berlin")`.
    /// - Throws: What is wrong with the name or with the file, and what to do; see ``TimeZoneRegion/init(_:)``.
    public static func named(_ name: String) throws(LogTimeZoneError) -> LogTimeZone { .region(try TimeZoneRegion(name)) }

    /// One number for each zone.
    fileprivate var key: Int64 {
        switch self {
        case .utc: .max
        case .local: .min
        case .fixed(let seconds): Int64(Self.withinADay(seconds))
        case .region(let region): 1 << 32 + Int64(region.number)
        }
    }

    private static func withinADay(_ seconds: Int) -> Int { min(max(seconds, -86_340), 86_340) }

    /// Seconds to add to UTC at this moment: whole minutes, because a time stamp can say no more.
    package func offset(atSecond second: Int64) -> Int {
        switch self {
        case .utc: 0
        case .fixed(let seconds): Self.withinADay(seconds) / 60 * 60
        case .local: Int(logbook_local_offset(second)) / 60 * 60
        case .region(let region): region.rules.offset(atSecond: second) / 60 * 60
        }
    }

    /// The first second after one, and not after another, from which the offset may be different; nil when there is none.
    package func change(afterSecond second: Int64, until end: Int64) -> Int64? {
        switch self {
        case .utc, .fixed: return nil
        case .region(let region): return region.rules.change(after: second).flatMap { $0 <= end ? $0 : nil }
        case .local:
            // The C library tells no changes: they are looked for in steps that no offset is shorter than.
            let offset = offset(atSecond: second)
            var same = second
            while same < end {
                var other = min(same + 900, end)
                guard self.offset(atSecond: other) != offset else {
                    same = other
                    continue
                }
                while other - same > 1 {
                    let middle = same + (other - same) / 2
                    if self.offset(atSecond: middle) == offset { same = middle } else { other = middle }
                }
                return other
            }
            return nil
        }
    }
}

/// A moment taken apart by the Gregorian calendar, independent of locale and of the C library's.
package struct CivilTime: Sendable, Equatable {
    package var year: Int
    package var month: Int
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int
    package var nanosecond: Int
    /// 0 is Sunday.
    package var weekday: Int
    /// Seconds east of UTC.
    package var offset: Int

    // HOT PATH — the latest second of each thread is kept: the calendar, and above all localtime_r, which takes a lock, are
    // asked once a second.
    package init(_ time: LogTime, in zone: LogTimeZone) {
        let (whole, nanosecond) = time.secondAndNanosecond
        let latest = Self.latest(whole, in: zone)
        year = Int(latest.pointee.year)
        month = Int(latest.pointee.month)
        day = Int(latest.pointee.day)
        hour = Int(latest.pointee.hour)
        minute = Int(latest.pointee.minute)
        second = Int(latest.pointee.second_of_minute)
        weekday = Int(latest.pointee.weekday)
        offset = Int(latest.pointee.offset)
        self.nanosecond = nanosecond
    }

    /// What this thread keeps of the second.
    @inline(__always)
    static func latest(_ whole: Int64, in zone: LogTimeZone) -> UnsafeMutablePointer<logbook_civil> {
        let latest = logbook_civil_slot(zone == .utc)!
        if _slowPath(!latest.pointee.known || latest.pointee.second != whole || latest.pointee.zone != zone.key) {
            var fresh = calendar(whole, in: zone)
            writeTexts(&fresh)
            latest.pointee = fresh
        }
        return latest
    }

    /// `2026-11-21T10:29:20` and `+01:00`, once a second.
    @inline(never)
    private static func writeTexts(_ latest: UnsafeMutablePointer<logbook_civil>) {
        let text = logbook_civil_date_and_time(latest)!, offset = logbook_civil_offset_text(latest)!
        func put(_ value: Int, _ text: UnsafeMutablePointer<UInt8>, _ place: Int) {
            text[place] = 0x30 + UInt8(value / 10 % 10)
            text[place + 1] = 0x30 + UInt8(value % 10)
        }
        let civil = latest.pointee
        put(Int(civil.year) / 100, text, 0)
        put(Int(civil.year) % 100, text, 2)
        put(Int(civil.month), text, 5)
        put(Int(civil.day), text, 8)
        put(Int(civil.hour), text, 11)
        put(Int(civil.minute), text, 14)
        put(Int(civil.second_of_minute), text, 17)
        for (place, sign) in [(4, 0x2D), (7, 0x2D), (10, 0x54), (13, 0x3A), (16, 0x3A)] { text[place] = UInt8(sign) }
        let minutes = Int(civil.offset).magnitude / 60
        offset[0] = civil.offset < 0 ? 0x2D : 0x2B
        put(Int(minutes / 60), offset, 1)
        offset[3] = 0x3A
        put(Int(minutes % 60), offset, 4)
    }

    @inline(never)
    private static func calendar(_ whole: Int64, in zone: LogTimeZone) -> logbook_civil {
        let offset = zone.offset(atSecond: whole)
        let seconds = Int(whole) + offset
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let ofDay = seconds - days * 86_400
        // Days from 0000-03-01, in eras of 400 years: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        var civil = logbook_civil()
        civil.second = whole
        civil.zone = zone.key
        civil.year = Int32(yearOfEra + era * 400 + (month <= 2 ? 1 : 0))
        civil.offset = Int32(offset)
        civil.month = UInt8(month)
        civil.day = UInt8(ofYear - (153 * shiftedMonth + 2) / 5 + 1)
        civil.hour = UInt8(ofDay / 3600)
        civil.minute = UInt8(ofDay / 60 % 60)
        civil.second_of_minute = UInt8(ofDay % 60)
        civil.weekday = UInt8(((days + 4) % 7 + 7) % 7)
        civil.known = true
        return civil
    }

    /// Days since 1970-01-01 of a date, which need not exist: the 31st of February is the 2nd or 3rd of March.
    package static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let ofEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear
        return era * 146_097 + ofEra - 719_468
    }

    /// The year that a day since 1970-01-01 lies in.
    static func year(ofDay day: Int) -> Int {
        let guess = 1970 + Int((Double(day) / 365.2425).rounded(.down))
        if days(year: guess, month: 1, day: 1) > day { return guess - 1 }
        return days(year: guess + 1, month: 1, day: 1) <= day ? guess + 1 : guess
    }

    /// The length of a month, `1...12`.
    package static func daysInMonth(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    package static let monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    package static let weekdayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    /// The same names in one text, three letters each: for writing without strings.
    static let monthLetters: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
    static let weekdayLetters: StaticString = "SunMonTueWedThuFriSat"

    /// The moment at which a clock on the wall shows this; nil when it lies outside 1677 to 2262.
    package static func time(days: Int, secondOfDay: Int, nanosecond: Int, offset: Int) -> LogTime? {
        let seconds = days * 86_400 + secondOfDay - offset
        let exact = Int128(seconds) * 1_000_000_000 + Int128(nanosecond)
        if let nanoseconds = Int64(exactly: exact) { return LogTime(nanoseconds: nanoseconds) }
        // A stamp of the very first second, cut to its whole part, lies before the earliest time there is.
        return exact < 0 && exact > Int128(Int64.min) - 1_000_000_000 ? LogTime(nanoseconds: .min) : nil
    }

    /// The same, where the clock hangs in a zone. An hour that comes twice is taken for its first run.
    package static func time(days: Int, secondOfDay: Int, nanosecond: Int, in zone: LogTimeZone) -> LogTime? {
        let local = Int64(days * 86_400 + secondOfDay)
        let guess = zone.offset(atSecond: local)
        let before = zone.offset(atSecond: local - Int64(guess) - 86_400)   // clocks have gone back by up to a day
        let after = zone.offset(atSecond: local - Int64(guess))
        let offset = zone.offset(atSecond: local - Int64(before)) == before ? before : after
        return time(days: days, secondOfDay: secondOfDay, nanosecond: nanosecond, offset: offset)
    }
}

extension LogTime {
    /// Split by a constant divisor, which costs a multiplication instead of a division.
    @inline(__always)
    var secondAndNanosecond: (second: Int64, nanosecond: Int) {
        var second = nanoseconds / 1_000_000_000
        var rest = nanoseconds - second * 1_000_000_000
        if rest < 0 {
            rest += 1_000_000_000
            second -= 1
        }
        return (second, Int(rest))
    }
}
