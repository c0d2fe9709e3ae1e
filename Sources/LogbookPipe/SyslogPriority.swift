internal import LogbookCore

/// The `<N>` in front of a syslog or systemd line: `N = facility * 8 + severity`, `0...191` (RFC 5424, section 6.2.1).
struct SyslogPriority {
    let facility: Int
    let level: LogLevel

    /// Takes the priority, and the version number of RFC 5424 after it, off the line. Behind that number stands a time, or a dash in its
    /// place; in front of anything else a 1 is part of the text.
    init?(from line: inout ArraySlice<UInt8>, times: LeadingTime) {
        guard line.first == 0x3C, let close = line.prefix(5).firstIndex(of: 0x3E),
            case let digits = line[(line.startIndex + 1)..<close], digits.allSatisfy({ (0x30...0x39).contains($0) }),   // and no sign
            let number = Int(String(decoding: digits, as: UTF8.self)), (0...191).contains(number)
        else { return nil }
        facility = number / 8
        level = Self.level(severity: number % 8)
        line = line[(close + 1)...]
        if line.starts(with: Array("1 ".utf8)) {
            let rest = line.dropFirst(2)
            var afterTime = rest
            if rest.starts(with: Array("- ".utf8)) || times.take(from: &afterTime) != nil { line = rest }
        }
    }

    /// - Parameter severity: 0, the system is unusable, to 7, debugging.
    static func level(severity: Int) -> LogLevel {
        switch severity {
        case ...2: .critical
        case 3: .error
        case 4: .warning
        case 5: .notice
        case 6: .info
        default: .debug
        }
    }
}
