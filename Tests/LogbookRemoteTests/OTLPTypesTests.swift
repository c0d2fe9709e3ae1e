import LogbookCore
import LogbookFormat
import LogbookRemote
import LogbookTestKit
import Testing

/// OpenTelemetry's own types, in Python.
private enum OpenTelemetryTypes {
    static let isPossible =
        (try? ChildProcess.run(["python3", "-c", "import opentelemetry.proto.collector.logs.v1.logs_service_pb2"], by: .seconds(60)))
        == .exited(0)
    private static let program = "\(#filePath)".split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/otlp-decode.py"

    /// The records in a body, as these types read them.
    static func records(in body: [UInt8], _ encoding: OTLPDestination.Encoding) throws -> [JSONValue] {
        let folder = TemporaryFolder(), name = encoding == .json ? "body.json" : "body.protobuf"
        folder.write(body, to: name)
        let end = try ChildProcess.run(
            ["python3", program, folder(name)], output: folder("records"), errors: folder("complaints"), by: .seconds(120))
        guard end == .exited(0) else { throw ScriptedFailure("\(end): \(folder.text("complaints"))") }
        var limits = JSONLimits()
        limits.depth = 128   // three levels for each of ours
        return try folder.bytes("records").split(separator: 0x0A).map { try JSONValue.parse(Array($0), limits: limits) }
    }
}

/// What a receiver reads that has OpenTelemetry's types, and not ours, is what was said.
@Suite(.enabled(if: OpenTelemetryTypes.isPossible, "needs opentelemetry-proto from PyPI"))
struct OTLPTypesTests {
    private static func destination(_ encoding: OTLPDestination.Encoding) -> OTLPDestination {
        OTLPDestination(url: "https://h:4318", service: "shop \u{0} 🔥", resource: ["host.name": "", "a\"b": "n1"], encoding: encoding)
    }

    private static let resource: [(String, LogValue)] = [("service.name", "shop \u{0} 🔥"), ("a\"b", "n1"), ("host.name", "")]

    @Test("OpenTelemetry's own types read each of many hostile events as it was said", arguments: [
        OTLPDestination.Encoding.protobuf, .json,
    ])
    func hostileEventsAreReadAsTheyWereSaid(encoding: OTLPDestination.Encoding) async throws {
        let events = Self.hostileEvents
        let body = Self.destination(encoding).encode(events.map { KeyedEvent($0, origin: Sample.origin) })
        let records = try await onThread { try OpenTelemetryTypes.records(in: body, encoding) }
        try #require(records.count == events.count)
        for (event, record) in zip(events, records) {
            var attributes: [(String, LogValue)] = [("log.record.uid", .string("I-7-\(event.sequence)"))]
            for (key, value) in event.metadata { attributes.append((key, value)) }
            #expect(record == Self.record(event, attributes))
        }
    }

    @Test("OpenTelemetry's own types read all that an event can have", arguments: [
        OTLPDestination.Encoding.protobuf, .json,
    ])
    func allThatAnEventCanHaveIsRead(encoding: OTLPDestination.Encoding) async throws {
        let trace = "0af7651916cd43dd8448eb211c80319c", span = "00f067aa0ba902b7"
        let full = LogEvent(
            sequence: .max, time: Sample.time, level: .error, message: "all",
            metadata: ["trace_id": .string(trace), "span_id": .string(span), "thread.id": "mine", "": .private("a card's number")],
            thread: .max, source: LogSource(fileNamed: "A/é.swift", functionNamed: "f(_:)", line: .max),
            transaction: TransactionEntry(
                transactionID: "TXN7-\u{0}", usecase: .min, kind: .happened(.max), errorCode: -1, errorDescription: "",
                device: DeviceFacts(make: "m", os: "o", osVersion: "v")),
            error: LogErrorDetails(type: "", description: "no\ngateway"))
        let begun = LogEvent(
            sequence: 0, time: Sample.time, level: .info, message: "",
            transaction: TransactionEntry(
                transactionID: "", usecase: 0, kind: .began, device: DeviceFacts(make: "m", os: "o", osVersion: "v")))
        let body = Self.destination(encoding).encode([full, begun].map { KeyedEvent($0, origin: Sample.origin) })
        let records = try await onThread { try OpenTelemetryTypes.records(in: body, encoding) }
        let attributes: [(String, LogValue)] = [
            ("log.record.uid", "I-7-18446744073709551615"), ("thread.id", "18446744073709551615"), ("code.file.path", "A/é.swift"),
            ("code.function.name", "f(_:)"), ("code.line.number", 4_294_967_295), ("exception.type", ""),
            ("exception.message", "no\ngateway"), ("transaction.id", "TXN7-\u{0}"), ("transaction.usecase", .integer(.min)),
            ("transaction.event", .integer(.max)), ("transaction.error_code", -1), ("transaction.error_description", ""),
            ("trace_id", .string(trace)), ("span_id", .string(span)), ("metadata.thread.id", "mine"), ("", "<private>"),
        ]
        let beginning: [(String, LogValue)] = [("log.record.uid", "I-7-0"), ("transaction.id", ""), ("transaction.usecase", 0)]
        #expect(records == [Self.record(full, attributes, trace: trace, span: span), Self.record(begun, beginning)])
    }

    // MARK: What is said

    private static let texts = [
        "", "plain", "two\nlines\r\n", "null \u{0} and \u{1B}[31m", "ü e\u{301} 🔥 👩‍👩‍👧 \u{10FFFF}", "\u{2028}\u{FEFF}\u{202E}ltr",
        "\"q\" \\ \\u0000", "NaN", "{\"a\":[1]}", "<private>", String(repeating: "long ", count: 2000),
    ]

    private static let values: [LogValue] = [
        .null, .bool(true), .bool(false), .integer(0), .integer(-1), .integer(127), .integer(128), .integer(.min), .integer(.max),
        .unsigned(0), .unsigned(UInt64(Int64.max)), .unsigned(1 << 63), .unsigned(.max), .double(0), .double(-0.0), .double(0.1),
        .double(1e300), .double(.leastNonzeroMagnitude), .double(.greatestFiniteMagnitude), .double(.nan), .double(.infinity),
        .double(-.infinity), .string(""), .string("\u{0}🔥"), .array([]), .object([:]), .array([.null, .unsigned(.max), .array([]), .double(.nan)]),
        .object(["": .null, "k": .array([.object(["\u{0}": .integer(-1)])]), "🔥": .bool(false)]),
        nested { .array([.null, $0]) }, nested { .object(["k": $0]) },
    ]

    /// As deep as a service lets it be.
    private static func nested(_ wrap: (LogValue) -> LogValue) -> LogValue {
        (0..<LogLimits.highest.metadataDepth).reduce(LogValue.string("deepest")) { value, _ in wrap(value) }
    }

    private static let times: [Int64] = [.min, -1, 0, 1, Sample.time.nanoseconds, .max]

    private static let hostileEvents: [LogEvent] = (0..<700).map { number in
        let text = texts[number % texts.count], other = texts[(number + 3) % texts.count]
        let metadata: LogMetadata = [
            "value": values[number % values.count], other: values[(number / 7) % values.count], "log.record": .string(text),
        ]
        return LogEvent(
            sequence: UInt64(number) << 54, time: LogTime(nanoseconds: times[number % times.count]),
            level: LogLevel.allCases[number % LogLevel.allCases.count], message: text, metadata: metadata)
    }

    // MARK: What is to be read

    private static let severities: [LogLevel: Int64] = [
        .verbose: 1, .debug: 5, .info: 9, .notice: 10, .warning: 13, .error: 17, .critical: 21,
    ]

    private static func record(
        _ event: LogEvent, _ attributes: [(String, LogValue)], trace: String = "", span: String = ""
    ) -> JSONValue {
        object([
            "resource": members(resource), "scope": .string("logbook"), "time": .string("\(max(0, event.time.nanoseconds))"),
            "severity": .integer(severities[event.level] ?? 0), "name": .string(event.level.name),
            "body": object(["string": .string(event.message)]), "attributes": members(attributes), "trace": .string(trace),
            "span": .string(span),
        ])
    }

    private static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { JSONMember(key: $0.key, value: $0.value) })
    }

    private static func members(_ facts: [(String, LogValue)]) -> JSONValue {
        .array(facts.map { key, value in .array([.string(key), read(value)]) })
    }

    /// Numbers that the protocol has no room for are text; what must not be seen reads so.
    private static func read(_ value: LogValue) -> JSONValue {
        switch value {
        case .null: object([:])
        case .bool(let flag): object(["bool": .bool(flag)])
        case .integer(let number): object(["int": .string("\(number)")])
        case .unsigned(let number) where number > UInt64(Int64.max): object(["string": .string("\(number)")])
        case .unsigned(let number): object(["int": .string("\(number)")])
        case .double(let number): object(["double": .string(digits(number.bitPattern))])
        case .string(let text): object(["string": .string(text)])
        case .array(let values): object(["array": .array(values.map { read($0) })])
        case .object(let inner): object(["list": members(inner.map { ($0.key, $0.value) })])
        case .protected: object(["string": .string("<private>")])
        }
    }

    private static func digits(_ bits: UInt64) -> String {
        let text = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
}
