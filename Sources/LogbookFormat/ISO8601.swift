package import LogbookCore

/// Time stamps after ISO 8601 (RFC 3339): `2026-11-21T10:29:20.123456+01:00`.
package enum ISO8601 {
    /// - Parameters:
    ///   - digits: Digits of the fraction, `0...9`; cut, never rounded up.
    ///   - zone: UTC ends in `Z`, every other zone in its offset.
    package static func append(_ time: LogTime, digits: Int, in zone: LogTimeZone, to bytes: inout [UInt8]) {
        let civil = CivilTime(time, in: zone)
        bytes.append(decimal: civil.year, width: 4)
        bytes.append(0x2D)
        bytes.append(decimal: civil.month, width: 2)
        bytes.append(0x2D)
        bytes.append(decimal: civil.day, width: 2)
        bytes.append(0x54)
        bytes.append(decimal: civil.hour, width: 2)
        bytes.append(0x3A)
        bytes.append(decimal: civil.minute, width: 2)
        bytes.append(0x3A)
        bytes.append(decimal: civil.second, width: 2)
        if digits > 0 {
            bytes.append(0x2E)
            appendFraction(civil.nanosecond, digits: digits, to: &bytes)
        }
        if zone == .utc { bytes.append(0x5A) } else { appendOffset(civil.offset, separator: true, to: &bytes) }
    }

    static func appendFraction(_ nanosecond: Int, digits: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        for _ in digits..<9 { divisor *= 10 }
        bytes.append(decimal: nanosecond / divisor, width: digits)
    }

    static func appendOffset(_ offset: Int, separator: Bool, to bytes: inout [UInt8]) {
        bytes.append(offset < 0 ? 0x2D : 0x2B)
        bytes.append(decimal: abs(offset) / 3600, width: 2)
        if separator { bytes.append(0x3A) }
        bytes.append(decimal: abs(offset) / 60 % 60, width: 2)
    }

    /// Reads `yyyy-MM-dd`, `T`, `t` or a space, `HH:mm:ss`, a fraction after `.` or `,`, and `Z`, `±HH:mm`, `±HHmm` or `±HH`.
    /// - Parameter zone: Where a time without an offset is at home; nil refuses it.
    /// - Returns: Nil unless the whole text is such a time between 1678 and 2262.
    package static func time(_ text: some StringProtocol, in zone: LogTimeZone? = nil) -> LogTime? {
        var scanner = DigitScanner(Array(text.utf8))
        guard let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2), scanner.skip("-"),
            let day = scanner.digits(2), scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
            let hour = scanner.digits(2), scanner.skip(":"), let minute = scanner.digits(2), scanner.skip(":"),
            let second = scanner.digits(2),
            (1678..<2262).contains(year), (1...12).contains(month),
            (1...CivilTime.daysInMonth(month, of: year)).contains(day), hour < 24, minute < 60, second < 61
        else { return nil }
        var nanosecond = 0
        if scanner.skip(".") || scanner.skip(",") {
            guard let fraction = scanner.fraction() else { return nil }
            nanosecond = fraction
        }
        let seconds = CivilTime.days(year: year, month: month, day: day) * 86400 + hour * 3600 + minute * 60 + second
        let local = Int64(seconds) * 1_000_000_000 + Int64(nanosecond)
        if scanner.isAtEnd {
            guard let zone else { return nil }
            let guess = zone.offset(at: LogTime(nanoseconds: local))
            let offset = zone.offset(at: LogTime(nanoseconds: local - Int64(guess) * 1_000_000_000))
            return LogTime(nanoseconds: local - Int64(offset) * 1_000_000_000)
        }
        if scanner.skip("Z") || scanner.skip("z") { return scanner.isAtEnd ? LogTime(nanoseconds: local) : nil }
        let isWest = scanner.skip("-")
        guard isWest || scanner.skip("+"), let hours = scanner.digits(2), hours < 24 else { return nil }
        var minutes = 0
        if !scanner.isAtEnd {
            _ = scanner.skip(":")
            guard let read = scanner.digits(2), read < 60, scanner.isAtEnd else { return nil }
            minutes = read
        }
        let offset = Int64(hours * 3600 + minutes * 60) * 1_000_000_000
        return LogTime(nanoseconds: isWest ? local + offset : local - offset)
    }
}

/// Walks over bytes that should be digits and signs.
private struct DigitScanner {
    private let bytes: [UInt8]
    private var position = 0
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func skip(_ sign: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: sign) else { return false }
        position += 1
        return true
    }

    mutating func digits(_ count: Int) -> Int? {
        guard position + count <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[position..<position + count] {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        position += count
        return value
    }

    /// One digit or more as nanoseconds; digits beyond the ninth are read and dropped.
    mutating func fraction() -> Int? {
        var value = 0, count = 0
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
            if count < 9 { value = value * 10 + Int(bytes[position] - 0x30) }
            count += 1
            position += 1
        }
        guard count > 0 else { return nil }
        for _ in min(count, 9)..<9 { value *= 10 }
        return value
    }
}
