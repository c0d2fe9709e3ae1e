internal import LogbookCore
internal import LogbookFormat

/// The time that opens a line: ISO 8601, nginx's `2026/11/21 10:35:22`, or syslog's `Nov 21 10:35:22`, also in brackets.
struct LeadingTime {
    let zone: LogTimeZone
    /// For syslog, which names no year.
    let now: () -> LogTime

    /// Takes the time off the line, with its brackets and the space after it.
    /// - Returns: Nil when the line begins with no time; it is left as it is.
    func take(from line: inout ArraySlice<UInt8>) -> LogTime? {
        let isBracketed = line.first == 0x5B
        let text = isBracketed ? line.dropFirst() : line
        guard let (time, length) = calendarTime(text) ?? syslogTime(text) else { return nil }
        var rest = text.dropFirst(length)
        if isBracketed {
            guard rest.first == 0x5D else { return nil }
            rest = rest.dropFirst()
        } else if let next = rest.first, !" \t:".utf8.contains(next) {
            return nil
        }
        if rest.first == 0x3A { rest = rest.dropFirst() }
        line = rest.drop { $0 == 0x20 || $0 == 0x09 }
        return time
    }

    private func calendarTime(_ text: ArraySlice<UInt8>) -> (LogTime, Int)? {
        let bytes = Array(text.prefix(40))
        guard bytes.count >= 19, bytes[0] == 0x31 || bytes[0] == 0x32, bytes[13] == 0x3A else { return nil }
        var end = 19
        if end < bytes.count - 1, bytes[end] == 0x2E || bytes[end] == 0x2C, bytes[end + 1].isDigit {
            end += 1
            while end < bytes.count, bytes[end].isDigit { end += 1 }
        }
        var stamp = Array(bytes[..<end])
        if stamp[4] == 0x2F, stamp[7] == 0x2F { (stamp[4], stamp[7]) = (0x2D, 0x2D) }
        for (zoneName, zoneEnd) in Self.zones(in: bytes, at: end) + [([], end)] {
            // A word that only begins like a zone is none.
            if zoneEnd < bytes.count, !" \t:]".utf8.contains(bytes[zoneEnd]) { continue }
            if let time = ISO8601.time(String(decoding: stamp + zoneName, as: UTF8.self), in: zone) {
                return (time, zoneEnd)
            }
        }
        return nil
    }

    /// What may be an offset behind a time, as ISO 8601 writes it, and where it ends: `Z`, `+01:00`, ` +0100`, ` UTC`.
    private static func zones(in bytes: [UInt8], at start: Int) -> [([UInt8], Int)] {
        var position = start
        if position < bytes.count, bytes[position] == 0x20 { position += 1 }
        let isApart = position > start
        let name = bytes[position...].prefix(3)
        if isApart && (name.elementsEqual("UTC".utf8) || name.elementsEqual("GMT".utf8)) {
            return [([0x5A], position + 3)]
        }
        guard let sign = name.first else { return [] }
        if !isApart && (sign == 0x5A || sign == 0x7A) { return [([0x5A], position + 1)] }
        guard sign == 0x2B || sign == 0x2D else { return [] }
        var end = position + 1
        while end < bytes.count, bytes[end].isDigit || bytes[end] == 0x3A { end += 1 }
        if bytes[end - 1] == 0x3A { end -= 1 }
        let offset = Array(bytes[position..<end])
        return isApart && !isOffsetOfAZone(offset) ? [] : [(offset, end)]
    }

    /// Behind a space may stand any number: those from -12:00 to +14:00 in quarters of an hour are offsets.
    private static func isOffsetOfAZone(_ text: [UInt8]) -> Bool {
        let digits = text.filter(\.isDigit).map { Int($0 - 0x30) }
        guard digits.count == 4 else { return false }
        let minutes = (digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3]
        return minutes % 15 == 0 && minutes <= (text[0] == 0x2D ? 12 : 14) * 60
    }

    /// `Nov 21 10:35:22`, `Nov  1 10:35:22`: the latest such day that is not more than a day ahead of now.
    private func syslogTime(_ text: ArraySlice<UInt8>) -> (LogTime, Int)? {
        let bytes = Array(text.prefix(15))
        guard bytes.count == 15, bytes[3] == 0x20, bytes[6] == 0x20,
            let month = CivilTime.monthNames.firstIndex(of: String(decoding: bytes[..<3], as: UTF8.self))
        else { return nil }
        let day = String(decoding: bytes[4..<6].drop { $0 == 0x20 }, as: UTF8.self)
        let clock = String(decoding: bytes[7...], as: UTF8.self)
        let latest = now().adding(.seconds(86400))
        let thisYear = CivilTime(latest, in: zone).year
        for year in [thisYear, thisYear - 1, thisYear - 2, thisYear - 3, thisYear - 4] {  // 29 February needs four
            let stamp = "\(year)-\(twoDigits(month + 1))-\(day.count == 1 ? "0" + day : day) \(clock)"
            if let time = ISO8601.time(stamp, in: zone), time <= latest { return (time, 15) }
        }
        return nil
    }

    private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
}
