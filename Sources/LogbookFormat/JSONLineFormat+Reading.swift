public import LogbookCore

/// Why a line is not an event.
public enum JSONLineError: Error, Equatable, CustomStringConvertible {
    case notJSON(String)
    /// The member at that path is missing or has another type or range than it must.
    case invalid(field: String, expected: String)

    public var description: String {
        switch self {
        case .notJSON(let reason): reason
        case .invalid(let field, let expected): "\(field) must be \(expected)"
        }
    }
}

extension JSONLineFormat {
    /// Reads one line that this format wrote, with or without its newline. Members it does not know are passed over.
    /// - Returns: The event, and where it came from when the line says so.
    public static func parse(_ line: [UInt8]) throws(JSONLineError) -> (event: LogEvent, origin: LogOrigin?) {
        let document: JSONValue
        do { document = try JSONValue.parse(line) } catch { throw .notJSON(error.description) }
        guard case .object = document else { throw .notJSON("no valid JSON: the line must be an object") }
        let fields = Fields(path: "", value: document)

        let time = try fields.required("time", "a time after ISO 8601 with an offset, as a string") {
            $0.text.flatMap { ISO8601.time($0) }
        }
        let level = try fields.required("level", "one of " + LogLevel.allCases.map(\.name).joined(separator: ", ")) {
            $0.text.flatMap { LogLevel(name: $0) }
        }
        let event = LogEvent(
            sequence: try fields.required("sequence", "a whole number of at least 0", \.natural), time: time, level: level,
            message: try fields.required("message", "a string", \.text),
            metadata: try fields.optional("metadata", "an object") { $0.metadata } ?? [:],
            thread: try fields.optional("thread", "a whole number of at least 0", \.natural) ?? 0,
            source: try source(fields),
            transaction: try fields.nested("transaction").map(transaction),
            error: try fields.nested("error").map { fields throws(JSONLineError) in
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

    private static func source(_ fields: Fields) throws(JSONLineError) -> LogSource {
        guard let file = try fields.optional("file", "a string", \.text) else { return .unknown }
        return LogSource(
            fileNamed: file, functionNamed: try fields.optional("function", "a string", \.text) ?? "",
            line: try fields.optional("line", "a whole number from 0 to 4294967295") { $0.natural.flatMap(UInt32.init(exactly:)) }
                ?? 0)
    }

    private static func transaction(_ fields: Fields) throws(JSONLineError) -> TransactionEntry {
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

/// The members of an object, with the path to name them by.
private struct Fields {
    let path: String
    let value: JSONValue

    func optional<Result>(
        _ key: String, _ expected: String, _ read: (JSONValue) -> Result?
    ) throws(JSONLineError) -> Result? {
        guard let member = value[key], member != .null else { return nil }
        guard let result = read(member) else { throw .invalid(field: path + key, expected: expected) }
        return result
    }

    func required<Result>(
        _ key: String, _ expected: String, _ read: (JSONValue) -> Result?
    ) throws(JSONLineError) -> Result {
        guard let result = try optional(key, expected, read) else { throw .invalid(field: path + key, expected: expected) }
        return result
    }

    func nested(_ key: String) throws(JSONLineError) -> Fields? {
        try optional(key, "an object") { value in
            guard case .object = value else { return nil }
            return Fields(path: path + key + ".", value: value)
        }
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

    fileprivate var metadata: LogMetadata? {
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
