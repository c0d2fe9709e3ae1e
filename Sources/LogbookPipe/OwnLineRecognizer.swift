internal import LogbookCore
internal import LogbookFormat

/// Reads the lines that a logbook wrote, in whichever of its formats.
///
/// What a relayed event has no place for becomes metadata, under the names that ``JSONLineFormat`` gives it: `sequence`, `thread`,
/// `transaction`, `installation`, `epoch`, and the transaction's id where a message has it; behind a key that the line has already stands a
/// number.
struct OwnLineRecognizer: Sendable {
    private let reader: LogLineReader

    init(zone: LogTimeZone) { reader = LogLineReader(text: .standard(zone: zone), article: .article(in: zone)) }

    /// - Returns: Nil for a line that another program may have written, unless an event says all that it does.
    func recognize(_ line: [UInt8]) -> RecognizedLine? {
        let kind = LogLineReader.kind(of: line)
        let read = kind == .ecs ? try? ECSFormat().event(from: line, keepingService: true) : try? reader.event(from: line)
        guard let event = read else { return nil }
        switch kind {
        case .jsonLines: return recognized(event, of: line)
        case .article, .ecs: break
        case .logfmt:
            guard Self.written(event, LogfmtFormat(limits: .highest)).elementsEqual(line) else {
                return RecognizedLine(level: event.level, message: LineText.decoded(line), time: event.time)
            }
        case .text, nil: guard TextFormat.wrote(line, of: event) else { return nil }
        }
        return recognized(event, of: Array(Self.written(event.replacingMetadata([:]), JSONLineFormat(limits: .highest))))
    }

    /// Without the newline.
    private static func written(_ event: LogEvent, _ format: some LogFormat) -> ArraySlice<UInt8> {
        var line: [UInt8] = []
        format.append(event, to: &line)
        return line.dropLast()
    }

    /// - Parameter document: The event as JSON, and what else is known.
    private func recognized(_ event: LogEvent, of document: [UInt8]) -> RecognizedLine? {
        var limits = JSONLimits()
        limits.keepsLongNumbers = true
        guard case .object(let members)? = try? JSONValue.parse(document, limits: limits) else { return nil }
        var metadata = event.metadata, keys = NumberedKeys(taken: metadata.map(\.key))
        for member in members where !Self.isSaid(member, by: event) { metadata[keys.take(member.key)] = member.value.logValue }
        if let id = event.entryTransactionID { metadata[keys.take(LogMetadata.transactionKey)] = .string(id) }
        // What would be cut of an event stands in its line.
        guard event.replacingMetadata(metadata).isWithin(.highest) else { return nil }
        return RecognizedLine(
            level: event.level, message: event.message, metadata: metadata, time: event.time, source: event.source, error: event.error)
    }

    private static func isSaid(_ member: JSONMember, by event: LogEvent) -> Bool {
        switch (member.key, member.value) {
        case ("time", _), ("level", _), ("message", _), ("metadata", _), (_, .null): true
        case ("file", _), ("function", _), ("line", _): !event.source.isUnknown
        case ("error", .object(let members)): members.count == 2
        case ("sequence", .integer(let number)): number == 0
        default: false
        }
    }
}
