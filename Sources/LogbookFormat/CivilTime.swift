#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif
package import LogbookCore

/// Which clock on the wall a format reads.
public enum LogTimeZone: Sendable, Hashable {
    /// The zone of the process: `TZ`, or the machine's.
    case local
    case utc
    /// A fixed distance from UTC, positive to the east, less than a day.
    case fixed(seconds: Int)

    /// Seconds to add to UTC at this moment.
    package func offset(at time: LogTime) -> Int {
        switch self {
        case .utc: return 0
        case .fixed(let seconds): return seconds
        case .local:
            var seconds = time_t(time.wholeSeconds)
            var parts = tm()
            return localtime_r(&seconds, &parts) == nil ? 0 : Int(parts.tm_gmtoff)
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

    package init(_ time: LogTime, in zone: LogTimeZone) {
        offset = zone.offset(at: time)
        let seconds = time.wholeSeconds + Int64(offset)
        let days = Int(seconds.flooredQuotient(by: 86400))
        let ofDay = Int(seconds - Int64(days) * 86400)
        (hour, minute, second) = (ofDay / 3600, ofDay / 60 % 60, ofDay % 60)
        nanosecond = Int(time.nanosecondOfSecond)
        weekday = ((days + 4) % 7 + 7) % 7
        // Days from 0000-03-01, in eras of 400 years: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        day = ofYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
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
}
