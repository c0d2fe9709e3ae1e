public import LogbookCore

extension TextFormat {
    public func event(from line: [UInt8]) throws(LogLineError) -> LogEvent {
        var scanner = LineScanner(line: line)
        switch style {
        case .standard(let stamp): return try Self.readStandard(&scanner, stamp)
        case .article(let date): return try Self.readArticle(&scanner, date)
        case .layout(let layout): return try layout.event(from: &scanner)
        }
    }

    private static func readStandard(
        _ scanner: inout LineScanner, _ stamp: TimeStamp
    ) throws(LogLineError) -> LogEvent {
        let time = try scanner.time(stamp)
        guard scanner.skip(0x20) else { throw scanner.expected("a space after the time stamp") }
        let level = try scanner.level()
        guard scanner.skip(0x20) else { throw scanner.expected("a space after the level") }
        let source = try scanner.current == 0x5B ? scanner.standardPlace() : .unknown
        let (message, facts) = try scanner.messageAndFacts()
        return LogEvent(
            sequence: 0, time: time, level: level, message: message, metadata: facts.metadata, source: source,
            transaction: try facts.transaction(), error: try facts.error())
    }

    private static func readArticle(_ scanner: inout LineScanner, _ date: DatePattern) throws(LogLineError) -> LogEvent {
        guard scanner.skip(0x5B) else { throw scanner.expected("[") }
        guard let index = scanner.word(of: LogLevel.symbolBytes) else { throw scanner.expected("the sign of a level") }
        guard scanner.skip(0x20) else { throw scanner.expected("a space after the level") }
        let time = try scanner.time(.pattern(date))
        guard scanner.skip(0x20) else { throw scanner.expected("a space after the time stamp") }
        let start = scanner.position
        guard let place = scanner.upTo(0x5D), let colon = place.firstIndex(of: 0x3A),
            let lastColon = place.lastIndex(of: 0x3A), lastColon > colon,
            let file = unescapedLine(place[..<colon]), let function = unescapedLine(place[(colon + 1)..<lastColon]),
            let number = scanner.lineNumber(place[(lastColon + 1)...])
        else { throw .malformed(expected: "a place of the form file:function:line]", offset: start) }
        guard scanner.skip(0x20) else { throw scanner.expected("a space after the place") }
        let messageStart = scanner.position
        guard let message = unescapedLine(scanner.rest) else {
            throw .malformed(expected: "a message with our escapes", offset: messageStart)
        }
        return LogEvent(
            sequence: 0, time: time, level: LogLevel.allCases[index], message: message,
            source: LogSource(fileNamed: file, functionNamed: function, line: number))
    }
}

extension TextFormat {
    /// Whether an event that was read of a line in the standard style says all that it does: behind the time stamp, which may be another
    /// program's, it would be written like this. In another program's line a key may be there twice, or a number have digits that no number
    /// keeps.
    package static func says(_ event: LogEvent, allOf line: [UInt8]) -> Bool {
        var written: [UInt8] = []
        TextFormat.standard(zone: .utc, limits: .highest).append(event, to: &written)
        let behindStamp = written.dropLast().drop { $0 != 0x20 }
        return line.suffix(behindStamp.count).elementsEqual(behindStamp)
    }

    /// The same of a line that also shows that we wrote it: by a time stamp as the standard style has it, a place with a line, or facts.
    package static func wrote(_ line: [UInt8], of event: LogEvent) -> Bool {
        let hasOwnStamp = line.count > 26 && line[10] == 0x54 && line[19] == 0x2E && "Z+-".utf8.contains(line[26])
        guard hasOwnStamp || event.source.line > 0 || !event.metadata.isEmpty || event.hasAttachment else { return false }
        return says(event, allOf: line)
    }
}

extension LineScanner {
    mutating func time(_ stamp: TimeStamp) throws(LogLineError) -> LogTime {
        let start = position
        guard let time = stamp.time(from: &self) else { throw .malformed(expected: "a time stamp", offset: start) }
        return time
    }

    mutating func level() throws(LogLineError) -> LogLevel {
        guard let index = word(of: LogLevel.nameBytes) else { throw expected("a level: " + Expected.level) }
        return LogLevel.allCases[index]
    }

    func lineNumber(_ digits: ArraySlice<UInt8>) -> UInt32? {
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self))
    }

    /// `[file:line function]` and the space behind it.
    fileprivate mutating func standardPlace() throws(LogLineError) -> LogSource {
        move(to: position + 1)
        let start = position
        func malformed() -> LogLineError { .malformed(expected: "a place of the form [file:line function]", offset: start) }
        guard let place = upTo(0x5D), skip(0x20) else { throw malformed() }
        let fileEnd = place.firstIndex(of: 0x20) ?? place.endIndex
        var number: UInt32 = 0
        var file = place[..<fileEnd]
        if let colon = file.firstIndex(of: 0x3A) {
            guard let read = lineNumber(file[(colon + 1)...]) else { throw malformed() }
            number = read
            file = file[..<colon]
        }
        guard let fileName = unescapedLine(file), let function = unescapedLine(place[fileEnd...].dropFirst()) else {
            throw malformed()
        }
        return LogSource(fileNamed: fileName, functionNamed: function, line: number)
    }

    /// The message up to the first tab, and the facts after it.
    mutating func messageAndFacts() throws(LogLineError) -> (String, ReadFacts) {
        let start = position
        let text = upTo(0x09)
        let bytes = text ?? rest
        guard let message = unescapedLine(bytes) else {
            throw .malformed(expected: "a message with our escapes", offset: start)
        }
        return (message, text == nil ? ReadFacts() : try facts())
    }
}

extension LogLevel {
    static let nameBytes = allCases.map { Array($0.name.utf8) }
    static let symbolBytes = allCases.map { Array($0.symbol.utf8) }
}
