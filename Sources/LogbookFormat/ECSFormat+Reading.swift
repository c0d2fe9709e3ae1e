public import LogbookCore

extension ECSFormat {
    /// Reads a line of this format, or one of another ecs-logging library. A field may be nested (`"log":{"origin":…}`) or
    /// dotted (`"log.origin.file.name"`); fields that are not ours are passed over.
    public func event(from line: [UInt8]) throws(LogLineError) -> LogEvent {
        let fields = try JSONFields(line: line)
        let time = try fields.time("@timestamp")
        guard let level = try fields.at("log.level", Expected.level, { $0.text.flatMap(Self.level) }) else {
            throw .invalid(field: "log.level", expected: Expected.level)
        }
        let file = try fields.at("log.origin.file.name", Expected.text, \.text)
        let function = try fields.at("log.origin.function", Expected.text, \.text)
        let number = try fields.at("log.origin.file.line", Expected.line) {
            $0.natural.flatMap(UInt32.init(exactly:))
        }
        let errorType = try fields.at("error.type", Expected.text, \.text)
        let errorMessage = try fields.at("error.message", Expected.text, \.text)
        let transaction = try fields.at("logbook.transaction", Expected.object) { value in
            if case .object = value { JSONFields(path: "logbook.transaction.", value: value) } else { nil }
        }
        return LogEvent(
            sequence: try fields.at("event.sequence", Expected.natural, \.natural) ?? 0, time: time, level: level,
            message: try fields.required("message", Expected.text, \.text),
            metadata: try fields.optional("labels", Expected.object) { $0.metadata } ?? [:],
            thread: try fields.at("process.thread.id", Expected.natural, \.natural) ?? 0,
            source: LogSource(fileNamed: file ?? "", functionNamed: function ?? "", line: number ?? 0),
            transaction: try transaction.map(JSONLineFormat.transaction),
            error: errorType == nil && errorMessage == nil
                ? nil : LogErrorDetails(type: errorType ?? "", description: errorMessage ?? ""))
    }

    /// Libraries may indent the level so that messages begin in one column.
    private static func level(_ text: String) -> LogLevel? {
        LogLevel(name: String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()))
    }
}

extension JSONFields {
    /// The field of a dotted name, however deep the dots are taken apart.
    fileprivate func at<Result>(
        _ name: String, _ expected: String, _ read: (JSONValue) -> Result?
    ) throws(LogLineError) -> Result? {
        guard let found = value.at(name[...]), found != .null else { return nil }
        guard let result = read(found) else { throw .invalid(field: name, expected: expected) }
        return result
    }
}

extension JSONValue {
    fileprivate func at(_ name: Substring) -> JSONValue? {
        if let member = self[String(name)] { return member }
        var dot = name.startIndex
        while let next = name[dot...].firstIndex(of: ".") {
            dot = name.index(after: next)
            if let found = self[String(name[..<next])]?.at(name[dot...]) { return found }
        }
        return nil
    }
}
