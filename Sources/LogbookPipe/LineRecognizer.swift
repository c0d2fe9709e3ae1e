public import LogbookCore
public import LogbookFormat

/// Reads level, time and facts out of a line, whatever wrote it.
///
/// | Line | Becomes |
/// |---|---|
/// | a line in one of our own formats, such as `[☠️ 2026-11-21 10:35:22125 Cart.swift:pay():12] boom` | what was said there, and then |
/// | `{"level":"warn","msg":"slow","ms":812}` | warning, `slow`, metadata `ms` 812 |
/// | `2026-11-21 10:35:22 status installed curl` | that time, `status installed curl` |
/// | `2026/11/21 10:35:22 [error] 12#12: no such file` | error, that time, the rest as the message |
/// | `Nov 21 10:35:22 host app[7]: WARN low disk` | warning, that time in the year that fits best, the rest |
/// | `<3>cannot mount` | error (syslog priority), `cannot mount` |
/// | `2026-11-21T10:35:22+0100 error com.example.app: [App] boom` | error, that time, the rest with the word |
/// | `E: Unable to locate package`, `app: warning: old flag`, `level=debug …` | error, warning, debug; the line as it stands |
/// | `ERROR:root:boom` | error; the line as it stands |
///
/// A time is taken out of the message, a level word stays in it. Times without an offset are read in ``zone``. Terminal
/// colours are left out; a byte that is no UTF-8 becomes `\xE9`. What begins like JSON and is none, is nested deeper than an event can be
/// written, or has more members, is text with the level and the time of its members.
public struct LineRecognizer: Sendable {
    /// The level of a line that names none.
    public var unknownLevel: LogLevel
    /// Where times without an offset are at home.
    public var zone: LogTimeZone {
        didSet { ownLines = OwnLineRecognizer(zone: zone) }
    }
    private var ownLines: OwnLineRecognizer
    private let clock: LogClock

    public init(unknownLevel: LogLevel = .info, zone: LogTimeZone = .local, clock: LogClock = .system) {
        self.unknownLevel = unknownLevel
        self.zone = zone
        ownLines = OwnLineRecognizer(zone: zone)
        self.clock = clock
    }

    /// - Parameter line: One line without its ending.
    public func recognize(_ line: [UInt8]) -> RecognizedLine {
        let shown = LineText.withoutTerminalSequences(line)
        if let recognized = ownLines.recognize(shown) { return recognized }
        var rest = shown[...]
        var metadata: LogMetadata = [:]
        var level: LogLevel?, time: LogTime?
        if rest.first(where: { $0 != 0x20 && $0 != 0x09 }) == 0x7B {
            if let recognized = recognizeJSON(shown) { return recognized }
            (level, time) = looseLevelAndTime(shown)
        }
        let times = LeadingTime(zone: zone, now: { clock.now() })
        if let priority = SyslogPriority(from: &rest, times: times) {
            level = priority.level
            if priority.facility != 0 { metadata["facility"] = LogValue(priority.facility) }
        }
        time = time ?? times.take(from: &rest)
        return RecognizedLine(
            level: level ?? LevelWord.find(in: rest, behindTime: time != nil) ?? unknownLevel, message: LineText.decoded(rest),
            metadata: metadata, time: time)
    }

    private static let limits: JSONLimits = {
        var limits = JSONLimits()
        limits.depth = 1 + LogLimits.highest.metadataDepth   // the line's own object is none of the metadata's levels
        limits.keepsLongNumbers = true
        return limits
    }()

    private func recognizeJSON(_ line: [UInt8]) -> RecognizedLine? {
        guard case .object(let members)? = try? JSONValue.parse(line, limits: Self.limits) else { return nil }
        var level: LogLevel?
        var message: String?
        var time: LogTime?
        var metadata: LogMetadata = [:], keys = NumberedKeys(taken: [String]())
        for member in members {
            switch KnownMember(key: member.key) {
            case .level:
                if level == nil, let read = LevelWord.level(member.value) {
                    level = read
                    continue
                }
            case .message:
                if message == nil, let text = member.value.text {
                    message = text
                    continue
                }
            case .time:
                if time == nil, let read = moment(member.value) {
                    time = read
                    continue
                }
            case nil: break
            }
            metadata[keys.take(member.key)] = member.value.logValue
        }
        guard let message else {
            return RecognizedLine(level: level ?? unknownLevel, message: LineText.decoded(line), time: time)
        }
        return RecognizedLine(level: level ?? unknownLevel, message: message, metadata: metadata, time: time)
    }

    private enum KnownMember {
        case level, message, time

        init?(key: String) {
            switch key {
            case "level", "lvl", "severity", "log.level": self = .level
            case "message", "msg": self = .message
            case "time", "timestamp", "ts", "@timestamp": self = .time
            default: return nil
            }
        }
    }

    /// Of a line that is no JSON after all, or more than is taken. Of a key that comes twice, the last counts.
    private func looseLevelAndTime(_ line: [UInt8]) -> (LogLevel?, LogTime?) {
        var level: LogLevel?, time: LogTime?
        for (key, value) in LooseMembers(line) {
            guard let known = KnownMember(key: String(decoding: key, as: UTF8.self)), known != .message,
                let value = try? JSONValue.parse(Array(value))
            else { continue }
            if known == .level { level = LevelWord.level(value) ?? level } else { time = moment(value) ?? time }
        }
        return (level, time)
    }

    /// ISO 8601, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by its size.
    private func moment(_ value: JSONValue) -> LogTime? {
        let number: Double
        switch value {
        case .string(let text): return ISO8601.time(text, in: zone)
        case .integer(let whole):
            switch whole {
            case 1_000_000_000..<100_000_000_000: return LogTime(nanoseconds: whole).scaled(1_000_000_000)
            case 100_000_000_000..<100_000_000_000_000: return LogTime(nanoseconds: whole).scaled(1_000_000)
            case 100_000_000_000_000..<100_000_000_000_000_000: return LogTime(nanoseconds: whole).scaled(1000)
            case 100_000_000_000_000_000...: return LogTime(nanoseconds: whole)
            default: return nil
            }
        case .double(let fraction): number = fraction
        default: return nil
        }
        switch number {
        case 1e9..<9.2e9: return LogTime(seconds: number)
        case 1e12..<9.2e12: return LogTime(seconds: number / 1000)
        default: return nil
        }
    }
}

extension LogTime {
    /// A number in a coarser unit than nanoseconds; nil beyond the year 2262.
    fileprivate func scaled(_ unit: Int64) -> LogTime? {
        let (product, overflow) = nanoseconds.multipliedReportingOverflow(by: unit)
        return overflow ? nil : LogTime(nanoseconds: product)
    }
}
