package import LogbookCore

/// Reads lines that ``JSONLineFormat`` wrote, one after the other: in one pass, and what a line has in common with those before it, such
/// as its origin, is made once.
package struct JSONLineReader {
    /// The members that are known, in the order in which the format writes them.
    private enum Member: Int, CaseIterable {
        case time, level, message, sequence, thread, file, function, line, metadata, error, transaction, installation, epoch

        var name: StaticString {
            switch self {
            case .time: "time"
            case .level: "level"
            case .message: "message"
            case .sequence: "sequence"
            case .thread: "thread"
            case .file: "file"
            case .function: "function"
            case .line: "line"
            case .metadata: "metadata"
            case .error: "error"
            case .transaction: "transaction"
            case .installation: "installation"
            case .epoch: "epoch"
            }
        }
    }

    private static let keys = JSONKeys(Member.allCases.map(\.name))

    /// What a line says, as far as it was read.
    private struct Line {
        var time: LogTime?
        var level: LogLevel?
        var message: String?
        var sequence: UInt64?
        var thread: UInt64?
        var file: String?
        var function: String?
        var line: UInt32?
        var metadata: LogMetadata?
        var error: LogErrorDetails?
        var transaction: TransactionEntry?
        var installation: String?
        var epoch: UInt64?
        /// The first member that is JSON but says nothing that it may.
        var fault: LogLineError?
        /// The same of what only counts beside a file.
        var placeFault: LogLineError?
    }

    // What the latest lines said, for the next ones to say again.
    private var second = RecentSecond()
    private var file = RecentText()
    private var function = RecentText()
    private var installation = RecentText()
    private var source = LogSource.unknown

    package init() {}

    /// - Parameter bytes: One line, with or without its newline. Members that the format does not know are passed over.
    package mutating func read(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(LogLineError) -> (event: LogEvent, origin: LogOrigin?) {
        var line = Line()
        do throws(JSONError) { try read(bytes, into: &line) } catch { throw .notJSON(error.description) }
        if let fault = line.fault ?? (line.file == nil ? nil : line.placeFault) { throw fault }
        let time = try Self.required(line.time, "time", Expected.time), level = try Self.required(line.level, "level", Expected.level)
        let event = LogEvent(
            sequence: try Self.required(line.sequence, "sequence", Expected.natural), time: time, level: level,
            message: try Self.required(line.message, "message", Expected.text), metadata: line.metadata ?? [:],
            thread: line.thread ?? 0, source: place(line), transaction: line.transaction, error: line.error)
        switch (line.installation, line.epoch) {
        case (let installation?, let epoch?): return (event, LogOrigin(installation: installation, epoch: epoch))
        case (nil, nil): return (event, nil)
        case (nil, _): throw .invalid(field: "installation", expected: "given together with epoch")
        case (_, nil): throw .invalid(field: "epoch", expected: "given together with installation")
        }
    }

    private static func required<Value>(_ value: Value?, _ field: String, _ expected: String) throws(LogLineError) -> Value {
        guard let value else { throw .invalid(field: field, expected: expected) }
        return value
    }

    /// A place without a file is none.
    private mutating func place(_ line: Line) -> LogSource {
        guard let file = line.file else { return .unknown }
        let function = line.function ?? "", number = line.line ?? 0
        if source.line != number || !source.file.isSameText(as: file) || !source.function.isSameText(as: function) {
            source = LogSource(fileNamed: file, functionNamed: function, line: number)
        }
        return source
    }

    // MARK: One pass

    private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, into line: inout Line) throws(JSONError) {
        var reader = JSONReader(bytes, limits: .line), members = JSONMembers(Self.keys, depth: 1)
        reader.skipSpace()
        guard reader.isAtObject else {
            _ = try reader.value(depth: 0)
            throw .malformed("the line must be an object", offset: 0)
        }
        while let member = try members.next(&reader) { try read(Member(rawValue: member)!, &reader, &line) }   // one of all
        try reader.end()
    }

    private mutating func read(_ member: Member, _ reader: inout JSONReader, _ line: inout Line) throws(JSONError) {
        switch member {
        case .time: line.time = try second.time(&reader, else: &line.fault)
        case .level:
            let name = try reader.value(depth: 1).text
            line.level = name.flatMap { LogLevel(name: $0) }
            Self.expect(line.level, member, Expected.level, &line)
        case .message:
            line.message = try reader.value(depth: 1).text
            Self.expect(line.message, member, Expected.text, &line)
        case .sequence: line.sequence = try Self.natural(member, &reader, &line)
        case .thread: line.thread = try Self.natural(member, &reader, &line)
        case .epoch: line.epoch = try Self.natural(member, &reader, &line)
        case .file: line.file = try file.text(&reader, member.name, else: &line.fault)
        case .function: line.function = try function.text(&reader, member.name, else: &line.placeFault)
        case .installation: line.installation = try installation.text(&reader, member.name, else: &line.fault)
        case .line:
            let value = try reader.value(depth: 1)
            line.line = value.natural.flatMap(UInt32.init(exactly:))
            if line.line == nil, line.placeFault == nil {
                line.placeFault = .invalid(field: "line", expected: Expected.line)
            }
        case .metadata:
            line.metadata = try reader.value(depth: 1).metadata
            Self.expect(line.metadata, member, Expected.object, &line)
        case .error, .transaction:
            let value = try reader.value(depth: 1)
            do throws(LogLineError) { try Self.read(member, value, &line) } catch { line.fault = line.fault ?? error }
        }
    }

    private static func natural(
        _ member: Member, _ reader: inout JSONReader, _ line: inout Line
    ) throws(JSONError) -> UInt64? {
        if let number = reader.plainNatural() { return number }
        let number = try reader.value(depth: 1).natural
        expect(number, member, Expected.natural, &line)
        return number
    }

    private static func expect<Value>(_ value: Value?, _ member: Member, _ expected: String, _ line: inout Line) {
        if value == nil, line.fault == nil { line.fault = .invalid(field: member.name.description, expected: expected) }
    }

    private static func read(_ member: Member, _ value: JSONValue, _ line: inout Line) throws(LogLineError) {
        guard case .object = value else { throw .invalid(field: member.name.description, expected: Expected.object) }
        let fields = JSONFields(path: member.name.description + ".", value: value)
        if member == .transaction {
            line.transaction = try JSONLineFormat.transaction(fields)
        } else {
            line.error = LogErrorDetails(
                type: try fields.required("type", Expected.text, \.text),
                description: try fields.required("message", Expected.text, \.text))
        }
    }
}
