public import LogbookCore

extension LogfmtFormat {
    /// Reads a line of this format. A bare key without `=` is `null`, and facts may stand in any order.
    public func event(from line: [UInt8]) throws(LogLineError) -> LogEvent {
        var scanner = LineScanner(line: line)
        let facts = try scanner.logfmtFacts()
        let time = try facts.required(.time, try facts.text(.time))
        guard let time = ISO8601.time(time) else {
            throw .invalid(field: OwnFact.time.rawValue, expected: "a time after ISO 8601 with an offset")
        }
        guard let level = LogLevel(name: try facts.required(.level, try facts.text(.level))) else {
            throw .invalid(field: OwnFact.level.rawValue, expected: Expected.level)
        }
        var source = LogSource.unknown
        if let file = try facts.text(.file) {
            guard let number = UInt32(exactly: try facts.natural(.line) ?? 0) else {
                throw .invalid(field: OwnFact.line.rawValue, expected: Expected.line)
            }
            source = LogSource(fileNamed: file, functionNamed: try facts.text(.function) ?? "", line: number)
        }
        return LogEvent(
            sequence: try facts.natural(.sequence) ?? 0, time: time, level: level,
            message: try facts.required(.message, try facts.text(.message)), metadata: facts.metadata,
            thread: try facts.natural(.thread) ?? 0, source: source, transaction: try facts.transaction(),
            error: try facts.error())
    }
}

extension LineScanner {
    fileprivate mutating func logfmtFacts() throws(LogLineError) -> ReadFacts {
        var facts = ReadFacts()
        while true {
            while skip(0x20) {}
            if isAtEnd { return facts }
            let start = position
            while let byte = current, byte > 0x20, byte != 0x3D, byte != 0x22 { move(to: position + 1) }
            guard position > start, let key = unescapedLine(bytes[start..<position]) else {
                throw .malformed(expected: "a key", offset: start)
            }
            let value: LogValue = skip(0x3D) ? try logfmtValue() : .null
            if let fact = OwnFact.named(key) {
                try facts.add(fact, value)
            } else if key.utf8.starts(with: LogfmtFormat.fieldsPrefixBytes) {
                facts.add(String(key.unicodeScalars.dropFirst(LogfmtFormat.fieldsPrefixBytes.count)), value)
            } else {
                facts.add(key, value)
            }
            guard isAtEnd || current == 0x20 else { throw expected("a space or the end of the line after a value") }
        }
    }

    private mutating func logfmtValue() throws(LogLineError) -> LogValue {
        let start = position
        if current == 0x22 {
            let isDocument = rest.dropFirst().first == 0x5B || rest.dropFirst().first == 0x7B
            let text = try jsonText()
            guard isDocument else { return .string(text) }
            do { return try JSONValue.parse(Array(text.utf8), limits: .line).logValue } catch {
                throw .malformed(expected: "JSON between quotes", offset: start)
            }
        }
        while let byte = current, byte > 0x20, byte != 0x22 { move(to: position + 1) }
        if position == start { return .string("") }
        guard let value = Word.value(bytes[start..<position]) else { throw .malformed(expected: "a value", offset: start) }
        return value
    }
}
