import LogbookCore

/// The members of an object that is read, with the path to name them by.
struct JSONFields {
    let path: String
    let value: JSONValue

    init(path: String, value: JSONValue) {
        self.path = path
        self.value = value
    }

    /// The object that one line is, within the limits of what our formats write. Whole numbers that only others write, beyond 64 bits, are
    /// texts of their digits.
    init(line: [UInt8]) throws(LogLineError) {
        let document: JSONValue
        var limits = JSONLimits.line
        limits.keepsLongNumbers = true
        do { document = try JSONValue.parse(line, limits: limits) } catch { throw .notJSON(error.description) }
        guard case .object = document else { throw .notJSON("no valid JSON: the line must be an object") }
        self.init(path: "", value: document)
    }

    func optional<Result>(
        _ key: String, _ expected: String, _ read: (JSONValue) -> Result?
    ) throws(LogLineError) -> Result? {
        guard let member = value[key], member != .null else { return nil }
        guard let result = read(member) else { throw .invalid(field: path + key, expected: expected) }
        return result
    }

    func required<Result>(
        _ key: String, _ expected: String, _ read: (JSONValue) -> Result?
    ) throws(LogLineError) -> Result {
        guard let result = try optional(key, expected, read) else { throw .invalid(field: path + key, expected: expected) }
        return result
    }

    func nested(_ key: String) throws(LogLineError) -> JSONFields? {
        try optional(key, Expected.object) { value in
            guard case .object = value else { return nil }
            return JSONFields(path: path + key + ".", value: value)
        }
    }

    func time(_ key: String) throws(LogLineError) -> LogTime {
        try required(key, Expected.time) { $0.text.flatMap { ISO8601.time($0) } }
    }

    func level(_ key: String) throws(LogLineError) -> LogLevel {
        try required(key, Expected.level) { $0.text.flatMap { LogLevel(name: $0) } }
    }
}
