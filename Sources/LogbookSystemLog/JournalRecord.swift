internal import LogbookCore
internal import LogbookFormat

/// An event as the fields of systemd's journal, in its native protocol: `NAME=value` and a newline, or, where the value holds one,
/// `NAME`, a newline, eight bytes of length, the value and a newline.
struct JournalRecord {
    private(set) var bytes: [UInt8] = []

    init(_ event: LogEvent, identifier: String) {
        bytes.reserveCapacity(512)
        add("MESSAGE", event.error.map { "\(event.message): \($0.description)" } ?? event.message)
        add("PRIORITY", String(event.level.syslogSeverity))
        add("SYSLOG_IDENTIFIER", identifier)
        if !event.source.isUnknown {
            add("CODE_FILE", event.source.file)
            add("CODE_LINE", String(event.source.line))
            add("CODE_FUNC", event.source.function)
        }
        if event.thread != 0 { add("TID", String(event.thread)) }
        add("LOGBOOK_LEVEL", event.level.name)
        add("LOGBOOK_SEQUENCE", String(event.sequence))
        var time: [UInt8] = []
        ISO8601.append(event.time, digits: 9, in: .utc, to: &time)
        add("LOGBOOK_TIME", time)
        if let error = event.error {
            add("ERROR_TYPE", error.type)
            add("ERROR_MESSAGE", error.description)
        }
        if let entry = event.transaction {
            add("TRANSACTION_ID", entry.transactionID)
            add("TRANSACTION_USECASE", String(entry.usecase))
            if let number = entry.event { add("TRANSACTION_EVENT", String(number)) }
            if let code = entry.errorCode { add("TRANSACTION_ERROR_CODE", String(code)) }
            if let text = entry.errorDescription { add("TRANSACTION_ERROR", text) }
        }
        for (key, value) in event.metadata { add(Self.fieldName(of: key), Self.text(of: value)) }
    }

    private mutating func add(_ name: String, _ value: String) {
        var value = value
        value.withUTF8 { add(name, $0) }
    }

    private mutating func add(_ name: String, _ value: some Collection<UInt8>) {
        bytes += name.utf8
        if value.contains(0x0A) {
            bytes.append(0x0A)
            withUnsafeBytes(of: UInt64(value.count).littleEndian) { bytes += $0 }
        } else {
            bytes.append(0x3D)
        }
        bytes += value
        bytes.append(0x0A)
    }

    private static func text(of value: LogValue) -> [UInt8] {
        if case .string(let text) = value { return Array(text.utf8) }
        var bytes: [UInt8] = []
        LineWriter.append(to: &bytes) { $0.json(value) }
        return bytes
    }

    // MARK: Names

    /// The journal's own limit.
    private static let longestName = 64

    /// What the journal, or this record, means something else by.
    private static let takenNames: Set<String> = [
        "MESSAGE", "MESSAGE_ID", "PRIORITY", "SYSLOG_IDENTIFIER", "SYSLOG_FACILITY", "SYSLOG_PID", "SYSLOG_TIMESTAMP", "SYSLOG_RAW",
        "CODE_FILE", "CODE_LINE", "CODE_FUNC", "TID", "ERRNO", "DOCUMENTATION", "ERROR_TYPE", "ERROR_MESSAGE", "OBJECT_PID",
    ]

    /// `TRANSACTION_ID` for `transaction_id`: capitals, digits and underscores, where the first is a letter.
    static func fieldName(of key: String) -> String {
        var name = ""
        for byte in key.utf8.prefix(longestName) {
            switch byte {
            case 0x61...0x7A: name.unicodeScalars.append(Unicode.Scalar(byte - 0x20))
            case 0x41...0x5A, 0x30...0x39: name.unicodeScalars.append(Unicode.Scalar(byte))
            default: name.append("_")
            }
        }
        let isTaken = takenNames.contains(name) || name.hasPrefix("LOGBOOK_")
        if isTaken || !(name.utf8.first.map { (0x41...0x5A).contains($0) } ?? false) {
            name = "X_" + name.drop { $0 == "_" }
        }
        return String(name.prefix(longestName))
    }
}
