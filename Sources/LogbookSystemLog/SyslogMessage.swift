internal import LogbookCore
internal import LogbookFormat

/// Makes messages of events, of RFC 5424 or as syslog(3) does:
/// `<14>1 2026-11-21T10:29:20.123456Z host checkout 4711 net [meta sequenceId="7"][logbook@32473 level="info" …] payment took 12 ms`,
/// `<14>Nov 21 10:29:20 checkout[4711]: payment took 12 ms category=net level=info seq=7`.
struct SyslogMessage: Sendable {
    let form: SyslogForm
    let facility: SyslogFacility
    let enterprise: Int
    let maximumBytes: Int
    private let host: [UInt8]
    private let application: [UInt8]
    private let process: [UInt8]
    private let zone: LogTimeZone

    /// - Parameters:
    ///   - application: That of the program where it is nil.
    ///   - zone: Of the time as syslog(3) writes it.
    init(
        _ form: SyslogForm = .rfc5424, facility: SyslogFacility, host: String, application: String?, process: String, enterprise: Int,
        maximumBytes: Int, zone: LogTimeZone = .local
    ) throws(SystemLogError) {
        if !(480...65507).contains(maximumBytes) { throw .invalid("a syslog message has 480 to 65507 bytes, and not \(maximumBytes)") }
        if !(1...999_999_999).contains(enterprise) { throw .invalid("\(enterprise) is no number of an enterprise") }
        self.form = form
        self.facility = facility
        self.enterprise = enterprise
        self.maximumBytes = maximumBytes
        self.zone = zone
        let name = Self.word(application ?? ProgramName.current, atMost: 48)
        self.application = form == .traditional ? name.map { Self.endsTag($0) ? 0x5F : $0 } : name
        let room = maximumBytes - Self.otherBytes
        self.process = Self.word(process, atMost: min(128, room / 4))
        self.host = Self.word(host, atMost: min(255, room - self.process.count))
    }

    /// What a message needs at most beside the names of its host and process: what every head holds, and the beginning of a text.
    private static let otherBytes = 320
    /// So much of a text is worth more than what the head says of it.
    private static let leastText = 64

    /// A message is never larger than `maximumBytes`: first its text is cut, with `…` at the end, then the facts of the event's metadata
    /// are left out, then one after the other what need not be said beside them.
    func encode(_ event: LogEvent) -> [UInt8] {
        var text: [UInt8] = []
        LineWriter.append(to: &text) { writer in
            writer.escapedLine(event.message)
            if let error = event.error {
                writer.plain(": ")
                writer.escapedLine(error.description)
            }
        }
        return switch form {
        case .rfc5424: structured(event, text)
        case .traditional: traditional(event, text)
        }
    }

    private func structured(_ event: LogEvent, _ text: [UInt8]) -> [UInt8] {
        var facts: [UInt8] = []
        // A category that is a text is the head's; any other value is none.
        for (key, value) in event.metadata where key != LogMetadata.categoryKey || event.category == nil {
            appendFact(key, value, to: &facts)
        }
        let most = maximumBytes - 1 - min(text.count, Self.leastText)
        var said = HeadFacts.all
        var bytes = head(event, saying: said)
        for fact in HeadFacts.leastFirst where bytes.count > most {
            said.remove(fact)
            bytes = head(event, saying: said)
        }
        let frame = facts.isEmpty ? 0 : 14 + String(enterprise).utf8.count
        if bytes.count + facts.count + frame > most { facts = [] }
        if !facts.isEmpty {
            bytes += "[metadata@\(enterprise)".utf8
            bytes += facts
            bytes.append(0x5D)
        }
        bytes.append(0x20)
        let room = maximumBytes - bytes.count
        bytes += text.count <= room ? text : Self.cut(text, to: room)
        return bytes
    }

    /// `<14>`
    private func priority(of event: LogEvent) -> String.UTF8View {
        "<\(facility.rawValue * 8 + event.level.syslogSeverity)>".utf8
    }

    /// What is said of an event beside its text and metadata, where there is room for it.
    private struct HeadFacts: OptionSet {
        let rawValue: UInt8
        static let function = HeadFacts(rawValue: 1)
        static let place = HeadFacts(rawValue: 2)
        static let error = HeadFacts(rawValue: 4)
        static let transaction = HeadFacts(rawValue: 8)
        /// Of a transaction's entry: use case, event and code.
        static let numbers = HeadFacts(rawValue: 16)

        static let all: HeadFacts = [.function, .place, .error, .transaction, .numbers]
        /// In the order in which they are left out.
        static let leastFirst: [HeadFacts] = [.function, .place, .error, .transaction, .numbers]
    }

    private func head(_ event: LogEvent, saying said: HeadFacts) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        bytes += priority(of: event)
        bytes += [0x31, 0x20]
        ISO8601.append(event.time, digits: 6, in: .utc, to: &bytes)
        bytes.append(0x20)
        bytes += host
        bytes.append(0x20)
        bytes += application
        bytes.append(0x20)
        bytes += process
        bytes.append(0x20)
        bytes += Self.word(event.category ?? "", atMost: 32)
        // Registered with IANA, from 1 to 2^31 - 1, and then from 1 again.
        bytes += " [meta sequenceId=\"\((max(1, event.sequence) - 1) % 2_147_483_647 + 1)\"]".utf8
        bytes += "[logbook@\(enterprise) level=\"\(event.level.name)\" sequence=\"\(event.sequence)\"".utf8
        if event.thread != 0 { bytes += " thread=\"\(event.thread)\"".utf8 }
        if !event.source.isUnknown {
            if said.contains(.place) {
                appendFact("file", .string(Self.short(event.source.file)), to: &bytes)
                appendFact("line", .integer(Int64(event.source.line)), to: &bytes)
            }
            if said.contains(.function) { appendFact("function", .string(Self.short(event.source.function)), to: &bytes) }
        }
        if let error = event.error, said.contains(.error) { appendFact("error", .string(Self.short(error.type)), to: &bytes) }
        if let entry = event.transaction, said.contains(.transaction) {
            appendFact("transaction", .string(Self.short(entry.transactionID)), to: &bytes)
        }
        if let entry = event.transaction, said.contains(.numbers) {
            appendFact("usecase", .integer(Int64(entry.usecase)), to: &bytes)
            if let number = entry.event { appendFact("event", .integer(Int64(number)), to: &bytes) }
            if let code = entry.errorCode { appendFact("code", .integer(Int64(code)), to: &bytes) }
        }
        bytes.append(0x5D)
        return bytes
    }

    /// ` name="value"`, where the value is a text within a line with quotes, brackets and backslashes escaped once more.
    private func appendFact(_ name: String, _ value: LogValue, to bytes: inout [UInt8]) {
        bytes.append(0x20)
        bytes += Self.name(name)
        bytes += [0x3D, 0x22]
        var text: [UInt8] = []
        LineWriter.append(to: &text) { writer in
            if case .string(let string) = value { writer.escapedLine(string) } else { writer.json(value) }
        }
        for byte in text {
            if byte == 0x22 || byte == 0x5C || byte == 0x5D { bytes.append(0x5C) }
            bytes.append(byte)
        }
        bytes.append(0x22)
    }

    // MARK: The form of syslog(3)

    private func traditional(_ event: LogEvent, _ text: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        bytes += priority(of: event)
        let time = CivilTime(event.time, in: zone)
        bytes += CivilTime.monthNames[time.month - 1].utf8
        bytes.append(0x20)
        if time.day < 10 { bytes.append(0x20) }
        bytes.append(decimal: time.day)
        for (before, number) in [(0x20, time.hour), (0x3A, time.minute), (0x3A, time.second)] as [(UInt8, Int)] {
            bytes.append(before)
            bytes.append(decimal: number, width: 2)
        }
        bytes.append(0x20)
        bytes += application
        bytes.append(0x5B)
        bytes += process
        bytes += [0x5D, 0x3A, 0x20]

        let most = maximumBytes - bytes.count - min(text.count, Self.leastText)
        var said = HeadFacts.all
        var facts = Self.facts(of: event, saying: said)
        for fact in HeadFacts.leastFirst where facts.count > most {
            said.remove(fact)
            facts = Self.facts(of: event, saying: said)
        }
        var members = Self.facts(of: event.metadata)
        if members.count + facts.count > most { members = [] }
        let room = maximumBytes - bytes.count - members.count - facts.count
        bytes += text.count <= room ? text : Self.cut(text, to: room)
        bytes += members
        bytes += facts
        return bytes
    }

    /// ` gateway=north attempt=2`, as ``LogfmtFormat`` writes metadata.
    private static func facts(of metadata: LogMetadata) -> [UInt8] {
        metadata.isEmpty ? [] : Array(line(of: metadata).dropFirst(bareBytes))
    }

    /// Of a line without metadata.
    private static let bareBytes = line(of: [:]).count

    private static func line(of metadata: LogMetadata) -> [UInt8] {
        var line: [UInt8] = []
        let event = LogEvent(sequence: 0, time: LogTime(nanoseconds: 0), level: .info, message: "", metadata: metadata)
        LogfmtFormat(limits: .highest).append(event, to: &line)
        return Array(line.dropLast())   // the newline
    }

    /// ` level=warning seq=7 thread=12 file="Shop/Till.swift" line=34 func="pay()"`, under the names of ``LogfmtFormat``.
    private static func facts(of event: LogEvent, saying said: HeadFacts) -> [UInt8] {
        var bytes: [UInt8] = []
        LineWriter.append(to: &bytes) { writer in
            writer.literal(" level=")
            writer.plain(event.level.name)
            writer.literal(" seq=")
            writer.decimal(event.sequence)
            if event.thread != 0 {
                writer.literal(" thread=")
                writer.decimal(event.thread)
            }
            if !event.source.isUnknown {
                if said.contains(.place) {
                    writer.literal(" file=")
                    writer.jsonString(short(event.source.file))
                    writer.literal(" line=")
                    writer.decimal(UInt64(event.source.line))
                }
                if said.contains(.function) {
                    writer.literal(" func=")
                    writer.jsonString(short(event.source.function))
                }
            }
            if let error = event.error, said.contains(.error) {
                writer.literal(" error.type=")
                writer.jsonString(short(error.type))
            }
            guard let entry = event.transaction else { return }
            if said.contains(.transaction) {
                writer.literal(" transaction.id=")
                writer.jsonString(short(entry.transactionID))
            }
            if said.contains(.numbers) {
                writer.literal(" transaction.usecase=")
                writer.decimal(Int64(entry.usecase))
                if let number = entry.event {
                    writer.literal(" transaction.event=")
                    writer.decimal(Int64(number))
                }
                if let code = entry.errorCode {
                    writer.literal(" transaction.error_code=")
                    writer.decimal(Int64(code))
                }
            }
        }
        return bytes
    }

    // MARK: Words

    /// Whether a receiver would take the program's name to end there, or its process to begin.
    private static func endsTag(_ byte: UInt8) -> Bool { byte == 0x3A || byte == 0x5B || byte == 0x5D }

    /// What the head holds of a text that others choose: whole characters, 128 bytes at most.
    private static func short(_ text: String) -> String {
        let most = 128
        return text.utf8.count <= most ? text : LogLimits.cut(text, toFit: most, endingIn: "")
    }

    /// Printable ASCII without spaces; `-` for nothing.
    private static func word(_ text: String, atMost count: Int) -> [UInt8] {
        let bytes = text.utf8.prefix(count).map { (0x21...0x7E).contains($0) ? $0 : 0x5F }
        return bytes.isEmpty ? [0x2D] : bytes
    }

    /// At most 32 of printable ASCII without spaces, `=`, `]` and quotes.
    private static func name(_ key: String) -> [UInt8] {
        let bytes = key.utf8.prefix(32).map { byte -> UInt8 in
            (0x21...0x7E).contains(byte) && byte != 0x3D && byte != 0x5D && byte != 0x22 ? byte : 0x5F
        }
        return bytes.isEmpty ? [0x5F] : bytes
    }

    /// Whole characters, and `…`.
    private static func cut(_ text: [UInt8], to room: Int) -> [UInt8] {
        let mark = Array("…".utf8)
        var end = max(0, room - mark.count)
        while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
        return Array(text[..<end]) + mark
    }
}
