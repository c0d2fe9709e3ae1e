import LogbookCore

/// A layout that was checked, with what each piece must escape so that the line can be read back.
struct CheckedLayout: Sendable, Hashable {
    enum Part: Sendable, Hashable {
        case text([UInt8])
        case piece(TextLayout.Piece.Kind, escaping: EscapedBytes)
    }
    private let parts: [Part]

    init(_ layout: TextLayout) throws(TextLayoutError) {
        var parts: [Part] = []
        var seen: Set<String> = []
        var previous: TextLayout.Piece?
        var afterMessage: UInt8?
        for (index, part) in layout.parts.enumerated() {
            switch part {
            case .text(let text):
                var escaped: [UInt8] = []
                escaped.append(escapedLine: text)
                guard escaped.elementsEqual(text.utf8) else { throw .cannotStandInALine(text) }
                if let previous, previous.endsWithNumber, text.utf8.first?.isDigit == true { throw .digit(beside: previous, text) }
                if index + 1 < layout.parts.count, case .piece(let next) = layout.parts[index + 1], next.beginsWithNumber,
                    text.utf8.last?.isDigit == true
                {
                    throw .digit(beside: next, text)
                }
                parts.append(.text(escaped))
                previous = nil
            case .piece(let piece):
                if case .time(.iso8601(let digits, _)) = piece.kind, !(0...9).contains(digits) { throw .fractionDigits(digits) }
                guard seen.insert(piece.uniqueName).inserted else { throw .twice(piece) }
                if piece.kind == .facts {
                    if index < layout.parts.count - 1 { throw .factsNotLast }
                } else if let previous {
                    throw .adjacent(previous, piece)
                }
                previous = piece
                var ending: UInt8?
                if piece.isText, index + 1 < layout.parts.count, case .text(let next) = layout.parts[index + 1] {
                    guard let first = next.utf8.first, first < 0x80 else { throw .beginsBeyondASCII(next) }
                    ending = first
                }
                switch piece.kind {
                case .message:
                    // A message stays as it is: its end is found from the end of the line.
                    parts.append(.piece(piece.kind, escaping: .line))
                    afterMessage = ending
                case .file, .fileName, .function:
                    let other = afterMessage ?? 0x5C
                    parts.append(.piece(piece.kind, escaping: EscapedBytes(0x5C, ending ?? 0x5C, other, other)))
                default: parts.append(.piece(piece.kind, escaping: .line))
                }
            }
        }
        guard seen.contains("message") else { throw .withoutMessage }
        self.parts = parts
    }

    // HOT PATH — bytes only; no string is made and nothing is allocated.
    func write(_ event: some WritableEvent, to writer: inout LineWriter) {
        for part in parts {
            switch part {
            case .text(let text): text.withUnsafeBufferPointer { writer.bytes($0) }
            case .piece(let kind, let escaping):
                switch kind {
                case .time(let stamp): stamp.write(event.time, to: &writer)
                case .level(let padded):
                    let name = event.level.name
                    writer.plain(name)
                    if padded { for _ in name.utf8.count..<LogLevel.longestName { writer.byte(0x20) } }
                case .symbol: writer.plain(event.level.symbol)
                case .message: event.withMessage { writer.escapedLine($0, isClean: event.isMessageClean) }
                case .file: event.withFile { writer.escapedLine($0, escaping) }
                case .fileName: event.withFile { writer.escapedLine($0.afterLastSlash, escaping) }
                case .function: event.withFunction { writer.escapedLine($0, escaping) }
                case .line: writer.decimal(UInt64(event.line))
                case .thread: writer.decimal(event.thread)
                case .sequence: writer.decimal(event.sequence)
                case .facts: writer.facts(event)
                }
            }
        }
    }

    // MARK: Reading

    /// What has been read so far.
    private struct Found {
        var time = LogTime(nanoseconds: 0), level = LogLevel.info, message = "", file = "", function = ""
        var line: UInt32 = 0, thread: UInt64 = 0, sequence: UInt64 = 0
        var facts = ReadFacts()

        func event() throws(LogLineError) -> LogEvent {
            LogEvent(
                sequence: sequence, time: time, level: level, message: message, metadata: facts.metadata, thread: thread,
                source: LogSource(fileNamed: file, functionNamed: function, line: line),
                transaction: try facts.transaction(), error: try facts.error())
        }
    }

    /// So many ends of a message are tried. Of what follows a message, no more places can look like its end, as long as the
    /// layout does not repeat itself more often than this.
    private static let triedEnds = 64

    func event(from scanner: inout LineScanner) throws(LogLineError) -> LogEvent {
        var found = Found()
        var rest = parts[...]
        if case .piece(.facts, _) = parts.last {
            rest = rest.dropLast()
            // A tab is escaped everywhere else.
            if let tab = scanner.rest.firstIndex(of: 0x09) {
                var facts = scanner
                facts.move(to: tab + 1)
                found.facts = try facts.facts()
                scanner.end(at: tab)
            }
        }
        try read(rest, from: &scanner, into: &found)
        return try found.event()
    }

    private func read(
        _ parts: ArraySlice<Part>, from scanner: inout LineScanner, into found: inout Found
    ) throws(LogLineError) {
        for index in parts.indices {
            let next: [UInt8]? = if index + 1 < parts.endIndex, case .text(let text) = parts[index + 1] { text } else { nil }
            switch parts[index] {
            case .text(let text):
                guard scanner.skip(text) else {
                    throw scanner.expected(String(decoding: text, as: UTF8.self).debugDescription)
                }
            case .piece(.message, _):
                if let next {
                    try readMessage(endingWith: next, then: parts[(index + 1)...], from: &scanner, into: &found)
                    return
                }
                found.message = try scanner.escapedText(endingWith: nil, "a message with our escapes")
            case .piece(let kind, _): try readPiece(kind, endingWith: next, from: &scanner, into: &found)
            }
        }
        guard scanner.isAtEnd else { throw scanner.expected("the end of the line") }
    }

    private func readMessage(
        endingWith text: [UInt8], then parts: ArraySlice<Part>, from scanner: inout LineScanner, into found: inout Found
    ) throws(LogLineError) {
        let start = scanner.position
        var tries = 0
        var place = scanner.rest.endIndex - text.count
        while place >= start, tries < Self.triedEnds {
            defer { place -= 1 }
            guard scanner.bytes[place] == text[0], scanner.bytes[place...].starts(with: text) else { continue }
            tries += 1
            guard let message = unescapedLine(scanner.bytes[start..<place]) else { continue }
            var attempt = scanner, result = found
            attempt.move(to: place)
            result.message = message
            do { try read(parts, from: &attempt, into: &result) } catch { continue }
            scanner = attempt
            found = result
            return
        }
        throw .malformed(
            expected: "a message and then \(String(decoding: text, as: UTF8.self).debugDescription) with what follows it",
            offset: start)
    }

    private func readPiece(
        _ kind: TextLayout.Piece.Kind, endingWith next: [UInt8]?, from scanner: inout LineScanner, into found: inout Found
    ) throws(LogLineError) {
        switch kind {
        case .time(let stamp): found.time = try scanner.time(stamp)
        case .level(let padded):
            let start = scanner.position
            found.level = try scanner.level()
            if padded { while scanner.position < start + LogLevel.longestName, scanner.skip(0x20) {} }
        case .symbol:
            guard let index = scanner.word(of: LogLevel.symbolBytes) else { throw scanner.expected("the sign of a level") }
            found.level = LogLevel.allCases[index]
        case .file, .fileName: found.file = try scanner.escapedText(endingWith: next?[0], "a file")
        case .function: found.function = try scanner.escapedText(endingWith: next?[0], "a function")
        case .line:
            guard let line = scanner.natural().flatMap(UInt32.init(exactly:)) else { throw scanner.expected("a line number") }
            found.line = line
        case .thread:
            guard let thread = scanner.natural() else { throw scanner.expected("the number of a thread") }
            found.thread = thread
        case .sequence:
            guard let sequence = scanner.natural() else { throw scanner.expected("a sequence") }
            found.sequence = sequence
        case .message, .facts: break   // read where they stand
        }
    }
}

extension LineScanner {
    /// Escaped text up to that byte, or to the end of the line. The byte may be part of an escape, and ends nothing there.
    fileprivate mutating func escapedText(endingWith byte: UInt8?, _ what: String) throws(LogLineError) -> String {
        let start = position
        while let current, current != byte {
            move(to: position + 1)
            guard current == 0x5C else { continue }
            if self.current == 0x75 { while let inside = self.current, inside != 0x7D { move(to: position + 1) } }
            move(to: position + 1)
        }
        guard let text = unescapedLine(bytes[start..<position]) else { throw .malformed(expected: what, offset: start) }
        return text
    }
}

extension TextLayout.Piece {
    /// Of the same name are two pieces that say the same.
    fileprivate var uniqueName: String {
        switch kind {
        case .symbol: "level"
        case .fileName: "file"
        default: description
        }
    }

    /// Of as many digits as it needs.
    private var isNumber: Bool { kind == .line || kind == .thread || kind == .sequence }

    fileprivate var beginsWithNumber: Bool { if case .time(.pattern(let date)) = kind { date.beginsEndless } else { isNumber } }
    fileprivate var endsWithNumber: Bool { if case .time(.pattern(let date)) = kind { date.endsEndless } else { isNumber } }

    fileprivate var isText: Bool {
        switch kind {
        case .message, .file, .fileName, .function: true
        default: false
        }
    }
}

extension LogLevel {
    static var longestName: Int { 8 }
}
