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

extension LogfmtFormat {
    /// Whether an event that was read of a line says all that it does. In another program's line a key may be there twice, a number have
    /// digits that no number keeps, or a fact of ours lack the one beside which it is read.
    package static func says(_ event: LogEvent, allOf line: [UInt8]) -> Bool {
        var written: [UInt8] = []
        LogfmtFormat(limits: .highest).append(event, to: &written)
        guard let facts = Self.facts(in: line), var own = Self.facts(in: written.dropLast()) else { return false }
        if facts[OwnFact.sequence.rawValue] == nil { own[OwnFact.sequence.rawValue] = nil }
        return facts == own
    }

    /// The values of each key as they are written, but for what quotation marks they are in; the time and the level may be written in ways
    /// of their own.
    private static func facts(in line: some Collection<UInt8>) -> [String: [String]]? {
        var scanner = LineScanner(line: Array(line))
        guard let pairs = try? scanner.logfmtPairs() else { return nil }
        var facts = Dictionary(grouping: pairs, by: \.key).mapValues { $0.map(\.value).sorted() }
        for key in [OwnFact.time.rawValue, OwnFact.level.rawValue] { facts[key] = nil }
        return facts
    }
}

extension String {
    /// A document as it is written without blanks between its parts.
    fileprivate var withoutBlanksOfJSON: String {
        var isInString = false, isEscaped = false
        let kept = utf8.filter { byte in
            if isInString {
                isInString = isEscaped || byte != 0x22
                isEscaped = byte == 0x5C && !isEscaped
                return true
            }
            isInString = byte == 0x22
            return byte > 0x20
        }
        return String(decoding: kept, as: UTF8.self)
    }
}

extension LineScanner {
    fileprivate mutating func logfmtPairs() throws(LogLineError) -> [(key: String, value: String)] {
        var pairs: [(key: String, value: String)] = []
        while true {
            while skip(0x20) {}
            if isAtEnd { return pairs }
            let start = position
            while let byte = current, byte > 0x20, byte != 0x3D, byte != 0x22 { move(to: position + 1) }
            guard position > start else { throw .malformed(expected: "a key", offset: start) }
            let key = String(decoding: bytes[start..<position], as: UTF8.self)
            guard skip(0x3D) else {
                pairs.append((key, "null"))
                continue
            }
            if current == 0x22 {
                let text = try jsonText()
                pairs.append((key, "[{".utf8.contains(text.utf8.first ?? 0) ? text.withoutBlanksOfJSON : text))
            } else {
                let first = position
                while let byte = current, byte > 0x20 { move(to: position + 1) }
                pairs.append((key, String(decoding: bytes[first..<position], as: UTF8.self)))
            }
        }
    }

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
