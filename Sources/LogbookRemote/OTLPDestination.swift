internal import LogbookCore
public import LogbookDelivery
internal import LogbookFormat
public import LogbookHTTP

/// An OpenTelemetry collector, or whatever takes OTLP over HTTP: `POST <url>/v1/logs`.
///
/// The protocol allows duplicates; each record carries its key as `log.record.uid`, by which a receiver can tell them. Metadata
/// becomes attributes; `trace_id` and `span_id` of 32 and 16 hexadecimal digits become the record's own.
///
/// What the receiver says it rejected (`partialSuccess`) is lost, as the protocol wants it, whatever the reason and however much it is,
/// and counted. It says how many, not which. Loki refuses a request that holds an event which it finds too old or too new: such events are
/// found and counted as well, and hold up nothing.
///
/// A failure of the receiver's own is tried again, also a 500, of which the protocol says otherwise: one that is broken for an hour costs
/// nothing. An event on which it fails each time holds up those behind it.
/// - Note: Source: open-telemetry/opentelemetry-proto, `docs/specification.md`; its `logs.proto` for the severity numbers.
public struct OTLPDestination: LogDestination, Hashable {
    /// How the records are written.
    public enum Encoding: Sendable, Hashable {
        /// About a third of the size, and less work for the receiver.
        case protobuf
        case json
    }

    private struct Fact: Hashable {
        let key: String
        let value: String
    }

    private let url: String
    private let resource: [Fact]
    private let encoding: Encoding
    private let authorization: Authorization

    /// - Parameters:
    ///   - url: Where the receiver is, without a path: `https://otel.example.com:4318`.
    ///   - service: `service.name`.
    ///   - resource: More about where the events come from: `["deployment.environment.name": "production"]`.
    public init(
        url: String, service: String, resource: [String: String] = [:], encoding: Encoding = .protobuf,
        authorization: Authorization = .none
    ) {
        self.url = url.withoutTrailingSlashes + "/v1/logs"
        let facts = resource.filter { $0.key != "service.name" }.sorted { $0.key < $1.key }
        self.resource = [Fact(key: "service.name", value: service)] + facts.map { Fact(key: $0.key, value: $0.value) }
        self.encoding = encoding
        self.authorization = authorization
    }

    public var contentType: String { encoding == .json ? "application/json" : "application/x-protobuf" }
    public var limits: DestinationLimits { DestinationLimits(bytes: 16 << 20) }

    public func encode(_ events: [KeyedEvent]) -> [UInt8] {
        let resource = resource.map { ($0.key, LogValue.string($0.value)) }
        if encoding == .protobuf { return OTLPProtobuf.request(events, resource: resource) }
        var bytes = Array(#"{"resourceLogs":[{"resource":{"attributes":"#.utf8)
        bytes += OTLPAttributes.array(resource)
        bytes += #"},"scopeLogs":[{"scope":{"name":"logbook"},"logRecords":["#.utf8
        for (index, event) in events.enumerated() {
            if index > 0 { bytes.append(0x2C) }
            append(event, to: &bytes)
        }
        return bytes + "]}]}]}".utf8
    }

    private func append(_ keyed: KeyedEvent, to bytes: inout [UInt8]) {
        let event = keyed.event
        let severity = Self.severity(event.level)
        bytes += #"{"timeUnixNano":"\#(Self.nanoseconds(event.time))","severityNumber":\#(severity),"severityText":""#.utf8
        bytes += event.level.name.utf8
        bytes += #"","body":{"stringValue":"#.utf8
        bytes.append(jsonString: event.message)
        bytes += #"},"attributes":"#.utf8
        bytes += OTLPAttributes.array(OTLPAttributes.of(keyed))
        if let trace = Self.identifier(event.metadata["trace_id"], digits: 32) { bytes += #","traceId":"\#(trace)""#.utf8 }
        if let span = Self.identifier(event.metadata["span_id"], digits: 16) { bytes += #","spanId":"\#(span)""#.utf8 }
        bytes.append(0x7D)
    }

    /// The protocol's time has no sign: 0, which stands for an unknown one, for whatever was said before 1970.
    static func nanoseconds(_ time: LogTime) -> UInt64 { UInt64(max(0, time.nanoseconds)) }

    /// `TRACE`, `DEBUG`, `INFO`, `INFO2`, `WARN`, `ERROR` and `FATAL` of the protocol.
    static func severity(_ level: LogLevel) -> Int {
        switch level {
        case .verbose: 1
        case .debug: 5
        case .info: 9
        case .notice: 10
        case .warning: 13
        case .error: 17
        case .critical: 21
        }
    }

    /// Lower-case hexadecimal digits, not all of them zero.
    static func identifier(_ value: LogValue?, digits: Int) -> String? {
        guard case .string(let text)? = value, text.utf8.count == digits,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            text.utf8.contains(where: { $0 != 0x30 })
        else { return nil }
        return text
    }

    public func request(for parcel: Parcel) -> HTTPRequest {
        HTTPRequest(url: url, headers: parcel.contentHeaders + authorization.headers, body: parcel.body, stream: parcel.stream)
    }

    /// The protocol wants 200 and an answer in the form of the request. Loki says 204, Fluent Bit 201, VictoriaLogs and OpenObserve 200
    /// with nothing behind it.
    public func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
        switch response.status {
        case 200, 201, 202, 204:
            // The beginning of a message of protobuf may be one itself, without what it says about rejected records.
            guard !response.isCut, let (rejected, reason) = rejected(by: response) else {
                return .notAcknowledged(response, by: "an OpenTelemetry receiver")
            }
            if rejected <= 0 { return .delivered }
            // Nothing of it may be sent again. Most often it is too old, and the longer the rest waits the more of it is.
            return .deliveredExcept(
                rejected: rejected, isFinal: true, reason.isEmpty ? "the receiver rejected \(rejected) records" : reason)
        default: return .lokisRefusal(by: response)   // it may be Loki, and no other says the like
        }
    }

    /// How many records the receiver rejected, and why; nil where this is no answer of OTLP. One without a type is in the form of the
    /// request. OpenObserve calls it JSON where the request was, and writes Protocol Buffers.
    private func rejected(by response: HTTPResponse) -> (count: Int, reason: String)? {
        let type = response.header("Content-Type")?.lowercased() ?? contentType
        if type.contains("protobuf") { return OTLPProtobuf.rejected(response.body) }   // which may begin as a page does
        if !response.isPage {
            if response.body.isEmpty { return (0, "") }
            if let answer = try? JSONValue.parse(response.body), case .object = answer { return Self.rejected(in: answer) }
        }
        return OTLPProtobuf.rejected(response.body, saysSo: true)
    }

    private static func rejected(in answer: JSONValue) -> (count: Int, reason: String) {
        guard let partial = answer["partialSuccess"], let count = count(partial["rejectedLogRecords"]) else { return (0, "") }
        guard case .string(let reason)? = partial["errorMessage"] else { return (count, "") }
        return (count, reason)
    }

    /// 64-bit numbers are text in the protocol's JSON, and numbers from some receivers.
    private static func count(_ value: JSONValue?) -> Int? {
        switch value {
        case .integer(let number)?: Int(exactly: number)
        case .string(let text)?: Int(text)
        default: nil
        }
    }
}

extension LogDestination where Self == OTLPDestination {
    /// An OpenTelemetry collector.
    public static func otlp(
        url: String, service: String, resource: [String: String] = [:], encoding: OTLPDestination.Encoding = .protobuf,
        authorization: Authorization = .none
    ) -> OTLPDestination {
        OTLPDestination(url: url, service: service, resource: resource, encoding: encoding, authorization: authorization)
    }
}

enum OTLPAttributes {
    /// What is known of an event beside its time, level and message, under OpenTelemetry's names.
    static func of(_ keyed: KeyedEvent) -> [(String, LogValue)] {
        let event = keyed.event
        var facts: [(String, LogValue)] = [("log.record.uid", .string(keyed.key))]
        if event.thread != 0 { facts.append(("thread.id", .unsigned(event.thread))) }
        if event.source != .unknown {
            facts += [
                ("code.file.path", .string("\(event.source.file)")), ("code.function.name", .string("\(event.source.function)")),
                ("code.line.number", .integer(Int64(event.source.line))),
            ]
        }
        if let error = event.error {
            facts += [("exception.type", .string(error.type)), ("exception.message", .string(error.description))]
        }
        if let entry = event.transaction {
            facts += [("transaction.id", .string(entry.transactionID)), ("transaction.usecase", .integer(Int64(entry.usecase)))]
            if let number = entry.event { facts.append(("transaction.event", .integer(Int64(number)))) }
            if let code = entry.errorCode { facts.append(("transaction.error_code", .integer(Int64(code)))) }
            if let text = entry.errorDescription { facts.append(("transaction.error_description", .string(text))) }
        }
        let own = Set(facts.map(\.0))
        // An attribute's key is there once: what the program says under one of these names gets another.
        return facts + event.metadata.map { (own.contains($0.key) ? "metadata.\($0.key)" : $0.key, $0.value) }
    }

    static func array(_ facts: [(String, LogValue)]) -> [UInt8] {
        var bytes: [UInt8] = [0x5B]
        for (key, value) in facts {
            if bytes.count > 1 { bytes.append(0x2C) }
            append(key, value, to: &bytes)
        }
        bytes.append(0x5D)
        return bytes
    }

    private static func append(_ key: String, _ value: LogValue, to bytes: inout [UInt8]) {
        bytes += #"{"key":"#.utf8
        bytes.append(jsonString: key)
        bytes += #","value":"#.utf8
        append(value, to: &bytes)
        bytes.append(0x7D)
    }

    private static func append(_ value: LogValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes += "{}".utf8
        case .bool(let flag): bytes += #"{"boolValue":\#(flag)}"#.utf8
        case .integer(let number): bytes += #"{"intValue":"\#(number)"}"#.utf8
        case .unsigned(let number):
            // The protocol's integers end at Int64.max.
            bytes += (number <= UInt64(Int64.max) ? #"{"intValue":"\#(number)"}"# : #"{"stringValue":"\#(number)"}"#).utf8
        case .double(let number):
            bytes += #"{"doubleValue":"#.utf8
            bytes.append(json: .double(number))   // text for what is no number, as in the protocol
            bytes.append(0x7D)
        case .string(let text):
            bytes += #"{"stringValue":"#.utf8
            bytes.append(jsonString: text)
            bytes.append(0x7D)
        case .array(let values):
            bytes += #"{"arrayValue":{"values":["#.utf8
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(0x2C) }
                append(value, to: &bytes)
            }
            bytes += "]}}".utf8
        case .object(let members):
            bytes += #"{"kvlistValue":{"values":"#.utf8
            bytes += array(members.map { ($0.key, $0.value) })
            bytes += "}}".utf8
        case .protected: bytes += #"{"stringValue":"<private>"}"#.utf8   // no event that a service made holds one
        }
    }
}
