internal import CLogbookSystem
package import LogbookCore

/// Time stamps after ISO 8601 (RFC 3339): `2026-11-21T10:29:20.123456+01:00`.
package enum ISO8601 {
    /// - Parameters:
    ///   - digits: Digits of the fraction, `0...9`; cut, never rounded up.
    ///   - zone: UTC ends in `Z`, every other zone in its offset.
    package static func append(_ time: LogTime, digits: Int, in zone: LogTimeZone, to bytes: inout [UInt8]) {
        LineWriter.append(to: &bytes) { write(time, digits: digits, in: zone, to: &$0) }
    }

    // HOT PATH — arithmetic only
    package static func write(_ time: LogTime, digits: Int, in zone: LogTimeZone, to writer: inout LineWriter) {
        let (whole, nanosecond) = time.secondAndNanosecond
        let latest = CivilTime.latest(whole, in: zone)
        writer.bytes(logbook_civil_date_and_time(latest), count: 19)
        if digits > 0 {
            writer.byte(0x2E)
            writer.fraction(nanosecond, digits: digits)
        }
        if zone == .utc { writer.byte(0x5A) } else { writer.bytes(logbook_civil_offset_text(latest), count: 6) }
    }

    static func writeOffset(_ offset: Int, separator: Bool, to writer: inout LineWriter) {
        let minutes = offset.magnitude / 60
        writer.byte(offset < 0 ? 0x2D : 0x2B)
        writer.twoDigits(Int(minutes / 60))
        if separator { writer.byte(0x3A) }
        writer.twoDigits(Int(minutes % 60))
    }

    /// Reads `yyyy-MM-dd`, `T`, `t` or a space, `HH:mm:ss`, a fraction after `.` or `,`, and `Z`, `±HH:mm`, `±HHmm` or `±HH`.
    /// - Parameter zone: Where a time without an offset is at home; nil refuses it.
    /// - Returns: Nil unless the whole text is such a time between 1677-09-21 and 2262-04-11.
    package static func time(_ text: some StringProtocol, in zone: LogTimeZone? = nil) -> LogTime? {
        var scanner = LineScanner(Array(text.utf8))
        let time = time(from: &scanner, in: zone)
        return scanner.isAtEnd ? time : nil
    }

    /// The same for a time at the beginning of what the scanner has left.
    static func time(from scanner: inout LineScanner, in zone: LogTimeZone? = nil) -> LogTime? {
        guard let year = scanner.digits(4), scanner.skip(0x2D), let month = scanner.digits(2), scanner.skip(0x2D),
            let day = scanner.digits(2), scanner.skip(0x54) || scanner.skip(0x74) || scanner.skip(0x20),
            let hour = scanner.digits(2), scanner.skip(0x3A), let minute = scanner.digits(2), scanner.skip(0x3A),
            let second = scanner.digits(2),
            (1677...2262).contains(year), (1...12).contains(month),
            (1...CivilTime.daysInMonth(month, of: year)).contains(day), hour < 24, minute < 60, second < 61
        else { return nil }
        var nanosecond = 0
        if scanner.skip(0x2E) || scanner.skip(0x2C) {
            guard let fraction = scanner.fraction() else { return nil }
            nanosecond = fraction
        }
        let days = CivilTime.days(year: year, month: month, day: day), secondOfDay = hour * 3600 + minute * 60 + second
        if let offset = offset(from: &scanner) {
            return CivilTime.time(days: days, secondOfDay: secondOfDay, nanosecond: nanosecond, offset: offset)
        }
        guard let zone else { return nil }
        return CivilTime.time(days: days, secondOfDay: secondOfDay, nanosecond: nanosecond, in: zone)
    }

    /// `Z`, `z`, `±HH:mm`, `±HHmm` or `±HH`, as seconds east of UTC; nil, and nothing is passed over, for everything else.
    static func offset(from scanner: inout LineScanner) -> Int? {
        if scanner.skip(0x5A) || scanner.skip(0x7A) { return 0 }
        let before = scanner
        let isWest = scanner.skip(0x2D)
        guard isWest || scanner.skip(0x2B), let hours = scanner.digits(2), hours < 24 else {
            scanner = before
            return nil
        }
        let afterHours = scanner
        _ = scanner.skip(0x3A)
        var minutes = 0
        if let read = scanner.digits(2), read < 60 { minutes = read } else { scanner = afterHours }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }
}
