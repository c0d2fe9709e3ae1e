public import LogbookCore

extension JSONLineFormat {
    public func event(from line: [UInt8]) throws(LogLineError) -> LogEvent { try Self.parse(line).event }

    /// Reads one line that this format wrote, with or without its newline. Members it does not know are passed over.
    /// - Returns: The event, and where it came from when the line says so.
    public static func parse(_ line: [UInt8]) throws(LogLineError) -> (event: LogEvent, origin: LogOrigin?) {
        try line.withUnsafeBufferPointer { line throws(LogLineError) in
            var reader = JSONLineReader()
            return try reader.read(line)
        }
    }

    static func transaction(_ fields: JSONFields) throws(LogLineError) -> TransactionEntry {
        let device = try fields.nested("device")
        return TransactionEntry(
            transactionID: try fields.required("id", Expected.text, \.text),
            usecase: try fields.required("usecase", Expected.number, \.number),
            kind: try fields.optional("event", Expected.number, \.number).map { .happened($0) } ?? .began,
            errorCode: try fields.optional("error_code", Expected.number, \.number),
            errorDescription: try fields.optional("error_description", Expected.text, \.text),
            device: DeviceFacts(
                make: try device?.optional("make", Expected.text, \.text) ?? "",
                os: try device?.optional("os", Expected.text, \.text) ?? "",
                osVersion: try device?.optional("os_version", Expected.text, \.text) ?? ""))
    }
}

extension JSONValue {
    package var text: String? { if case .string(let text) = self { text } else { nil } }
    package var number: Int? { if case .integer(let number) = self { Int(exactly: number) } else { nil } }
    package var natural: UInt64? {
        switch self {
        case .integer(let number): UInt64(exactly: number)
        case .unsigned(let number): number
        default: nil
        }
    }

    var metadata: LogMetadata? {
        guard case .object(let members) = self else { return nil }
        return LogMetadata(distinct: members.map { ($0.key, $0.value.logValue) })
    }

    package var logValue: LogValue {
        switch self {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .integer(let number): .integer(number)
        case .unsigned(let number): .unsigned(number)
        case .double(let number): .double(number)
        case .string(let text): .string(text)
        case .array(let values): .array(values.map(\.logValue))
        case .object(let members): .object(LogMetadata(distinct: members.map { ($0.key, $0.value.logValue) }))
        }
    }
}
