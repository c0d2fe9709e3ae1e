public import LogbookCore

extension JSONLineFormat {
    public func event(from line: [UInt8]) throws(LogLineError) -> LogEvent { try Self.parse(line).event }

    /// Reads one line that this format wrote, with or without its newline. Members it does not know are passed over.
    /// - Returns: The event, and where it came from when the line says so.
    public static func parse(_ line: [UInt8]) throws(LogLineError) -> (event: LogEvent, origin: LogOrigin?) {
        let fields = try JSONFields(line: line)
        let time = try fields.time("time"), level = try fields.level("level")
        let event = LogEvent(
            sequence: try fields.required("sequence", "a whole number of at least 0", \.natural), time: time, level: level,
            message: try fields.required("message", "a string", \.text),
            metadata: try fields.optional("metadata", "an object") { $0.metadata } ?? [:],
            thread: try fields.optional("thread", "a whole number of at least 0", \.natural) ?? 0,
            source: try source(fields),
            transaction: try fields.nested("transaction").map(transaction),
            error: try fields.nested("error").map { fields throws(LogLineError) in
                LogErrorDetails(
                    type: try fields.required("type", "a string", \.text),
                    description: try fields.required("message", "a string", \.text))
            })
        let installation = try fields.optional("installation", "a string", \.text)
        let epoch = try fields.optional("epoch", "a whole number of at least 0", \.natural)
        switch (installation, epoch) {
        case (let installation?, let epoch?): return (event, LogOrigin(installation: installation, epoch: epoch))
        case (nil, nil): return (event, nil)
        case (nil, _): throw .invalid(field: "installation", expected: "given together with epoch")
        case (_, nil): throw .invalid(field: "epoch", expected: "given together with installation")
        }
    }

    private static func source(_ fields: JSONFields) throws(LogLineError) -> LogSource {
        guard let file = try fields.optional("file", "a string", \.text) else { return .unknown }
        return LogSource(
            fileNamed: file, functionNamed: try fields.optional("function", "a string", \.text) ?? "",
            line: try fields.optional("line", "a whole number from 0 to 4294967295") { $0.natural.flatMap(UInt32.init(exactly:)) }
                ?? 0)
    }

    static func transaction(_ fields: JSONFields) throws(LogLineError) -> TransactionEntry {
        let device = try fields.nested("device")
        return TransactionEntry(
            transactionID: try fields.required("id", "a string", \.text),
            usecase: try fields.required("usecase", "a whole number", \.number),
            kind: try fields.optional("event", "a whole number", \.number).map { .happened($0) } ?? .began,
            errorCode: try fields.optional("error_code", "a whole number", \.number),
            errorDescription: try fields.optional("error_description", "a string", \.text),
            device: DeviceFacts(
                make: try device?.optional("make", "a string", \.text) ?? "",
                os: try device?.optional("os", "a string", \.text) ?? "",
                osVersion: try device?.optional("os_version", "a string", \.text) ?? ""))
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
        return LogMetadata(members.map { ($0.key, $0.value.logValue) })
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
        case .object(let members): .object(LogMetadata(members.map { ($0.key, $0.value.logValue) }))
        }
    }
}
