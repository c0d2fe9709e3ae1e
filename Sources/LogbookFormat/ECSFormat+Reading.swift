public import LogbookCore

extension ECSFormat {
    /// Reads a line of this format, or one of another ecs-logging library. A field may be nested (`"log":{"origin":…}`) or
    /// dotted (`"log.origin.file.name"`). A field that is not ours becomes metadata under its name as it stands, and what is left of an
    /// object whose other fields are ours likewise; where a label has that name, with a number behind it.
    public func event(from line: [UInt8]) throws(LogLineError) -> LogEvent { try event(from: line, keepingService: false) }

    /// - Parameter keepingService: Whether what a line of ours says of the service becomes metadata too: for who passes the event on as
    ///   part of another one.
    package func event(from line: [UInt8], keepingService: Bool) throws(LogLineError) -> LogEvent {
        let fields = try JSONFields(line: line)
        let time = try fields.time("@timestamp")
        var rest = ECSRest(value: fields.value)
        guard let level = try rest.take("log.level", Expected.level, { $0.text.flatMap(Self.level) }) else {
            throw .invalid(field: "log.level", expected: Expected.level)
        }
        let file = try rest.take("log.origin.file.name", Expected.text, \.text)
        let function = try rest.take("log.origin.function", Expected.text, \.text)
        let number = try rest.take("log.origin.file.line", Expected.line) {
            $0.natural.flatMap(UInt32.init(exactly:))
        }
        let errorType = try rest.take("error.type", Expected.text, \.text)
        let errorMessage = try rest.take("error.message", Expected.text, \.text)
        let transaction = try rest.take("logbook.transaction", Expected.object) { value in
            if case .object = value { JSONFields(path: "logbook.transaction.", value: value) } else { nil }
        }
        let sequence = try rest.take("event.sequence", Expected.natural, \.natural)
        let message = try fields.required("message", Expected.text, \.text)
        let labels = try rest.take("labels", Expected.object) { $0.metadata } ?? [:]
        let thread = try rest.take("process.thread.id", Expected.natural, \.natural) ?? 0
        for name in ["@timestamp", "message", "ecs.version"] { rest.drop(name) }
        if transaction != nil { rest.drop("transaction.id") }
        if sequence != nil, !keepingService { rest.dropService() }
        return LogEvent(
            sequence: sequence ?? 0, time: time, level: level, message: message, metadata: rest.members(beside: labels), thread: thread,
            source: LogSource(fileNamed: file ?? "", functionNamed: function ?? "", line: number ?? 0),
            transaction: try transaction.map(JSONLineFormat.transaction),
            error: errorType == nil && errorMessage == nil
                ? nil : LogErrorDetails(type: errorType ?? "", description: errorMessage ?? ""))
    }

    /// Libraries may indent the level so that messages begin in one column.
    private static func level(_ text: String) -> LogLevel? {
        LogLevel(name: String(decoding: text.utf8.drop { $0 == 0x20 }.reversed().drop { $0 == 0x20 }.reversed(), as: UTF8.self))
    }
}

/// The fields of a line that were not taken out of it yet.
private struct ECSRest {
    var value: JSONValue

    /// The field of a dotted name, however deep the dots are taken apart.
    mutating func take<Result>(
        _ name: String, _ expected: String, _ read: (JSONValue) -> Result?
    ) throws(LogLineError) -> Result? {
        guard let found = value.take(name[...]), found != .null else { return nil }
        guard let result = read(found) else { throw .invalid(field: name, expected: expected) }
        return result
    }

    mutating func drop(_ name: String) { _ = value.take(name[...]) }

    /// What a line of ours says of the service says nothing of the event.
    mutating func dropService() {
        var others = value
        guard let service = others.take("service.name")?.text, let dataset = others.take("event.dataset")?.text,
            dataset.isSameText(as: service + ".log")
        else { return }
        value = others
    }

    func members(beside labels: LogMetadata) -> LogMetadata {
        guard case .object(let members) = value else { return labels }
        var metadata = labels, keys = NumberedKeys(taken: labels.map(\.key))
        for member in members { metadata[keys.take(member.key)] = member.value.logValue }
        return metadata
    }
}

extension JSONValue {
    /// An object of which nothing else is left goes with its last field. Names are compared by their bytes, as those in a line are a
    /// stranger's.
    fileprivate mutating func take(_ name: Substring) -> JSONValue? {
        guard case .object(var members) = self else { return nil }
        if let place = members.firstIndex(where: { $0.key.utf8.elementsEqual(name.utf8) }) {
            let found = members.remove(at: place).value
            self = .object(members)
            return found
        }
        var dot = name.startIndex
        while let next = name[dot...].firstIndex(of: ".") {
            dot = name.index(after: next)
            guard let place = members.firstIndex(where: { $0.key.utf8.elementsEqual(name.utf8[..<next]) }) else { continue }
            var inner = members[place].value
            guard let found = inner.take(name[dot...]) else { continue }
            if inner == .object([]) {
                members.remove(at: place)
            } else {
                members[place] = JSONMember(key: members[place].key, value: inner)
            }
            self = .object(members)
            return found
        }
        return nil
    }
}
