import LogbookCore
import LogbookFormat
import Testing

/// Makes events that look as much as possible like something else, the same ones for the same seed.
struct HostileEvents {
    private var generator: SplitMix

    init(seed: UInt64) { generator = SplitMix(state: seed) }

    mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }
    mutating func word() -> UInt64 { generator.next() }
    private mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
    private mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    private static let pieces: [String] = [
        "a", "Z", "0", "9", "word", " ", "  ", "\n", "\r\n", "\r", "\t", "\u{0}", "\u{1B}[31m", "\u{9B}2J", "\u{85}", "\u{7F}",
        "\u{2028}", "\u{2029}", "\u{202E}", "\u{2066}", "\u{200F}", "\u{61C}", "\\", "\\\\", "\\n", "\\u{1b}", "\\u001b", "\"", "'",
        "=", "[", "]", "{", "}", ":", ",", ";", "|", "/", "-", "+", ".", "*", "@", "_", "é", "e\u{301}", "\u{301}", "ß", "д", "–", "…",
        "中文", "🇨🇭", "☠️", "👩‍👩‍👧", "\u{A0}", "\u{FEFF}", "\u{10FFFF}", "\u{E000}", "true", "null", "1e5", "-0", "0x1F", "NaN", "fields.",
        "error.type", "level=info", "time=", "${jndi:ldap://x}", "%n%s", "../", "] forged", "2026-11-21T10:29:20Z error x",
        "{\"a\":1}", "[1]", "logbook.cut", "…[cut from 5 bytes]",
    ]

    mutating func text(_ most: Int = 12) -> String {
        if oneIn(8) { return one(of: ["", "plain", "two words", "[in brackets] first", "12", "true", "-", "{", "level", "msg", "a=b"]) }
        if oneIn(40) { return String(repeating: one(of: Self.pieces), count: below(600)) }
        var text = ""
        for _ in 0..<below(most) {
            if oneIn(4), let scalar = Unicode.Scalar(UInt32(below(oneIn(2) ? 0x300 : 0x11_0000))) {
                text.unicodeScalars.append(scalar)
            } else {
                text += one(of: Self.pieces)
            }
        }
        return text
    }

    private mutating func key() -> String {
        oneIn(4)
            ? one(of: ["time", "level", "msg", "seq", "line", "error.type", "transaction.id", "device.os", "fields.a", "", "a.b", "a_b", "a*b"])
            : text(4)
    }

    private mutating func value(depth: Int = 0) -> LogValue {
        switch below(depth < 4 ? 11 : 8) {
        case 0: return .null
        case 1: return .bool(oneIn(2))
        case 2: return .integer(oneIn(3) ? one(of: [0, 1, -1, .min, .max]) : Int64(bitPattern: word()))
        case 3: return .unsigned(word() | 1 << 63)
        case 4:
            let number = oneIn(3) ? one(of: [0, -0.0, 1, 1e16, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1]) : Double(bitPattern: word())
            return .double(number.isFinite ? number : 0.5)
        case 8: return .array((0..<below(4)).map { _ in value(depth: depth + 1) })
        case 9: return .object(metadata(depth: depth + 1, most: 4))
        default: return .string(text())
        }
    }

    private mutating func metadata(depth: Int = 0, most: Int = 7) -> LogMetadata {
        LogMetadata((0..<below(most)).map { _ in (key(), value(depth: depth)) })
    }

    mutating func time() -> LogTime {
        switch below(8) {
        case 0: LogTime(nanoseconds: one(of: [.min, .max, 0, -1, 1, 951_782_400_000_000_000, -2_203_977_600_000_000_000]))
        case 1: LogTime(nanoseconds: Int64(bitPattern: word()))
        default: LogTime(nanoseconds: Int64(word() % 4_000_000_000_000_000_000))
        }
    }

    private mutating func source() -> LogSource {
        switch below(6) {
        case 0: return .unknown
        case 1: return LogSource()
        case 2: return LogSource(fileNamed: text(4))
        case 3: return LogSource(fileNamed: "", functionNamed: text(4), line: UInt32(below(3)))
        default:
            return LogSource(
                fileNamed: text(4), functionNamed: text(4), line: oneIn(3) ? one(of: [0, 1, .max]) : UInt32(below(5000)))
        }
    }

    mutating func event() -> LogEvent {
        var transaction: TransactionEntry?
        if oneIn(3) {
            transaction = TransactionEntry(
                transactionID: text(4), usecase: oneIn(4) ? .min : below(99),
                kind: oneIn(3) ? .began : .happened(oneIn(4) ? .max : below(99)),
                errorCode: oneIn(2) ? nil : below(2000) - 1000, errorDescription: oneIn(2) ? nil : text(),
                device: DeviceFacts(make: text(3), os: text(3), osVersion: text(3)))
        }
        return LogEvent(
            sequence: oneIn(5) ? .max : word() >> UInt64(below(64)), time: time(), level: one(of: LogLevel.allCases),
            message: text(), metadata: metadata(), thread: oneIn(3) ? 0 : word() >> UInt64(below(64)), source: source(),
            transaction: transaction, error: oneIn(3) ? LogErrorDetails(type: text(4), description: text()) : nil)
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

/// A format under test, and what it keeps of an event.
struct FormatUnderTest: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let format: any ReadableLogFormat
    /// How many events are tried: fewer where another variant of the format tries many.
    var events = 10_000
    let kept: @Sendable (LogEvent) -> LogEvent

    private static func truncated(_ time: LogTime, to unit: Int64) -> LogTime {
        let rest = time.nanoseconds % unit
        let (value, overflow) = time.nanoseconds.subtractingReportingOverflow(rest < 0 ? rest + unit : rest)
        return overflow ? time : LogTime(nanoseconds: value)
    }

    static func event(
        _ event: LogEvent, time: LogTime? = nil, sequence: UInt64? = nil, thread: UInt64? = nil, metadata: LogMetadata? = nil,
        source: LogSource? = nil, transaction: TransactionEntry?? = .none, error: LogErrorDetails?? = .none
    ) -> LogEvent {
        LogEvent(
            sequence: sequence ?? event.sequence, time: time ?? event.time, level: event.level, message: event.message,
            metadata: metadata ?? event.metadata, thread: thread ?? event.thread, source: source ?? event.source,
            transaction: transaction ?? event.transaction, error: error ?? event.error)
    }

    static func withoutDevice(_ entry: TransactionEntry?) -> TransactionEntry? {
        entry.map {
            TransactionEntry(
                transactionID: $0.transactionID, usecase: $0.usecase, kind: $0.kind, errorCode: $0.errorCode,
                errorDescription: $0.errorDescription, device: DeviceFacts(make: "", os: "", osVersion: ""))
        }
    }

    static func fileNameOnly(_ source: LogSource) -> LogSource {
        let bytes = Array(source.file.utf8)
        let name = bytes[(bytes.lastIndex(of: 0x2F).map { $0 + 1 } ?? 0)...]
        return LogSource(fileNamed: String(decoding: name, as: UTF8.self), functionNamed: source.function, line: source.line)
    }

    /// Metadata as ECS wants labels, written here in the plainest way.
    static func labels(_ metadata: LogMetadata) -> LogMetadata {
        func isPlain(_ key: String) -> Bool { !key.isEmpty && !key.unicodeScalars.contains { ".*\\".unicodeScalars.contains($0) } }
        var taken = Set(metadata.map(\.key).filter(isPlain))
        return LogMetadata(
            metadata.map { key, value in
                var name = key
                if !isPlain(key) {
                    var base = String(String.UnicodeScalarView(key.unicodeScalars.map { ".*\\".unicodeScalars.contains($0) ? "_" : $0 }))
                    if base.isEmpty { base = "_" }
                    name = base
                    var number = 2
                    while taken.contains(name) { (name, number) = ("\(base)_\(number)", number + 1) }
                    taken.insert(name)
                }
                switch value {
                case .array, .object:
                    var bytes: [UInt8] = []
                    bytes.append(json: value)
                    return (name, .string(String(decoding: bytes, as: UTF8.self)))
                default: return (name, value)
                }
            })
    }

    static func standard(_ zone: LogTimeZone, events: Int) -> FormatUnderTest {
        FormatUnderTest(testDescription: "text in \(zone)", format: TextFormat.standard(zone: zone), events: events) {
            event($0, time: truncated($0.time, to: 1000), sequence: 0, thread: 0, transaction: withoutDevice($0.transaction))
        }
    }

    static let articlePattern = try! DatePattern("EEE d. MMM yyyy 'at' HH:mm:ss.SSS XXX", zone: .fixed(seconds: -12_600))

    static let all: [FormatUnderTest] = [
        standard(.utc, events: 10_000), standard(.fixed(seconds: 20_700), events: 1000),
        standard(.fixed(seconds: -1), events: 1000), standard(.local, events: 1000),
        FormatUnderTest(testDescription: "article", format: TextFormat.article(date: articlePattern)) {
            event(
                $0, time: truncated($0.time, to: 1_000_000), sequence: 0, thread: 0, metadata: [:],
                source: fileNameOnly($0.source), transaction: .some(nil), error: .some(nil))
        },
        FormatUnderTest(testDescription: "JSON lines", format: JSONLineFormat()) { $0 },
        FormatUnderTest(testDescription: "logfmt", format: LogfmtFormat()) { $0 },
        FormatUnderTest(testDescription: "ECS", format: ECSFormat(service: "till")) { event($0, metadata: labels($0.metadata)) },
        FormatUnderTest(
            testDescription: "a layout with everything",
            format: try! TextFormat.layout(
                "\(.time(digits: 9, zone: .utc)) \(.level(padded: true))| \(.message) <\(.thread):\(.sequence)> \(.file) (\(.function):\(.line))\(.facts)")
        ) { event($0, transaction: withoutDevice($0.transaction)) },
        FormatUnderTest(
            testDescription: "a layout that ends in the message",
            format: try! TextFormat.layout("\(.symbol) \(.time(articlePattern)) u\(.fileName)}\(.line) \(.message)"), events: 1000
        ) {
            event(
                $0, time: truncated($0.time, to: 1_000_000), sequence: 0, thread: 0, metadata: [:],
                source: LogSource(fileNamed: fileNameOnly($0.source).file, line: $0.source.line), transaction: .some(nil),
                error: .some(nil))
        },
    ]
}
