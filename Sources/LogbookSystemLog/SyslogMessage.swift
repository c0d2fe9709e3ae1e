internal import LogbookCore
internal import LogbookFormat

/// Makes messages of RFC 5424 of events:
/// `<14>1 2026-11-21T10:29:20.123456Z host checkout 4711 net [meta sequenceId="7"][logbook@32473 level="info" …] payment took 12 ms`.
struct SyslogMessage: Sendable {
    let facility: SyslogFacility
    let enterprise: Int
    let maximumBytes: Int
    private let host: [UInt8]
    private let application: [UInt8]
    private let process: [UInt8]

    /// - Parameter application: That of the program where it is nil.
    init(
        facility: SyslogFacility, host: String, application: String?, process: String, enterprise: Int, maximumBytes: Int
    ) throws(SystemLogError) {
        if !(480...65507).contains(maximumBytes) { throw .invalid("a syslog message has 480 to 65507 bytes, and not \(maximumBytes)") }
        if !(1...999_999_999).contains(enterprise) { throw .invalid("\(enterprise) is no number of an enterprise") }
        self.facility = facility
        self.enterprise = enterprise
        self.maximumBytes = maximumBytes
        self.application = Self.word(application ?? ProgramName.current, atMost: 48)
        let room = maximumBytes - Self.otherBytes
        self.process = Self.word(process, atMost: min(128, room / 4))
        self.host = Self.word(host, atMost: min(255, room - self.process.count))
    }

    /// What a message needs at most beside the names of its host and process: what every head holds, and the beginning of a text.
    private static let otherBytes = 320
    /// So much of a text is worth more than what the head says of it.
    private static let leastText = 64

    /// A message is never larger than `maximumBytes`: first its text is cut, with `…` at the end, then the facts of the event's metadata
    /// are left out, then one after the other what the head need not say.
    func encode(_ event: LogEvent) -> [UInt8] {
        var facts: [UInt8] = []
        for (key, value) in event.metadata where key != LogMetadata.categoryKey { appendFact(key, value, to: &facts) }
        var text: [UInt8] = []
        LineWriter.append(to: &text) { writer in
            writer.escapedLine(event.message)
            if let error = event.error {
                writer.plain(": ")
                writer.escapedLine(error.description)
            }
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

    /// What the head says of an event where there is room for it.
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
        bytes += "<\(facility.rawValue * 8 + event.level.syslogSeverity)>1 ".utf8
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

    // MARK: Words

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
