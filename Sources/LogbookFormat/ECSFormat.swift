public import LogbookCore

/// One event as one line of JSON after the Elastic Common Schema, for Elasticsearch and what reads its logs.
///
/// ```json
/// {"@timestamp":"2026-11-21T09:29:20.123456789Z","log.level":"warning","message":"payment took 812 ms","ecs.version":"8.11.0",
///  "event":{"sequence":7},"process":{"thread":{"id":4711}},
///  "log":{"origin":{"file":{"name":"Checkout/Cart.swift","line":12},"function":"pay()"}},"labels":{"gateway":"north","attempt":2}}
/// ```
/// (Wrapped here; a line has no line breaks.) `error.type` and `error.message` come with an error; a transaction gives
/// `transaction.id` and an object `logbook.transaction` with the rest.
///
/// Metadata becomes `labels`, as the schema wants them: in a key, `.`, `*` and `\` become `_`, an empty key is `_`, and of two
/// keys that become the same the later gets a number; arrays and objects become their JSON as text. All else is kept, and can
/// be read back.
/// - Note: Source: elastic/ecs-logging, `spec/spec.json` and `spec/README.md`: order of the first fields, top-level `log.level`,
///   keys of `labels`.
public struct ECSFormat: ReadableLogFormat, LineFormat, Hashable {
    /// The version of the schema whose fields these are.
    public static let version = "8.11.0"

    /// Written as `service.name`, and into `event.dataset` with `.log` behind it.
    public let service: String?

    /// How much of one event is written.
    public let limits: LogLimits

    public init(service: String? = nil, limits: LogLimits = .standard) {
        self.service = service
        self.limits = limits
    }

    // HOT PATH — bytes only; no string is made and nothing is allocated.
    public func append(_ event: LogEvent, to bytes: inout [UInt8]) { appendWithinLimits(event, to: &bytes) }
    package func append(_ event: PlainEvent, to memory: LineMemory) { appendWithinLimits(event, to: memory) }

    func write(_ event: some WritableEvent, to writer: inout LineWriter) {
        writer.literal(#"{"@timestamp":""#)
        ISO8601.write(event.time, digits: 9, in: .utc, to: &writer)
        writer.literal(#"","log.level":""#)
        writer.literal(event.level.literalName)
        writer.literal(#"","message":"#)
        event.withMessage { writer.jsonString($0, isClean: event.isMessageClean) }
        writer.literal(#","ecs.version":"8.11.0","event":{"sequence":"#)
        writer.decimal(event.sequence)
        if let service {
            writer.literal(#","dataset":"#)
            writer.jsonString(service + ".log")
            writer.literal(#"},"service":{"name":"#)
            writer.jsonString(service)
        }
        writer.byte(0x7D)
        if event.thread != 0 {
            writer.literal(#","process":{"thread":{"id":"#)
            writer.decimal(event.thread)
            writer.literal("}}")
        }
        if event.hasPlace {
            writer.literal(#","log":{"origin":{"file":{"name":"#)
            event.withFile { writer.jsonString($0, isClean: event.isFileClean) }
            writer.literal(#","line":"#)
            writer.decimal(UInt64(event.line))
            writer.literal(#"},"function":"#)
            event.withFunction { writer.jsonString($0, isClean: event.isFunctionClean) }
            writer.literal("}}")
        }
        if event.hasFacts { writeFacts(event, to: &writer) }
        writer.literal("}\n")
    }

    private func writeFacts(_ event: some WritableEvent, to writer: inout LineWriter) {
        if event.hasAttachment { writeAttachment(event, to: &writer) }
        if event.hasMetadata {
            writer.literal(#","labels":"#)
            writer.labels(event)
        }
    }

    private func writeAttachment(_ event: some WritableEvent, to writer: inout LineWriter) {
        if let error = event.error {
            writer.literal(#","error":{"type":"#)
            writer.jsonString(error.type)
            writer.literal(#","message":"#)
            writer.jsonString(error.description)
            writer.byte(0x7D)
        }
        if let entry = event.transaction {
            writer.literal(#","transaction":{"id":"#)
            writer.jsonString(entry.transactionID)
            writer.literal(#"},"logbook":{"transaction":"#)
            writer.json(entry)
            writer.byte(0x7D)
        }
    }
}

extension LogFormat where Self == ECSFormat {
    /// ``ECSFormat`` without the name of a service.
    public static var ecs: ECSFormat { ECSFormat() }
}

extension LineWriter {
    fileprivate mutating func labels(_ event: some WritableEvent) {
        var stands = true
        event.forEachMember { key, _ in if !ECSLabels.stands(key) { stands = false } }
        let keys = stands ? nil : ECSLabels.keys(event.event.metadata)
        var separator: UInt8 = 0x7B, index = 0
        event.forEachMember { key, value in
            byte(separator)
            separator = 0x2C
            if let keys { jsonString(keys[index]) } else { jsonString(key) }
            index += 1
            byte(0x3A)
            if case .nested(let value) = value { document(value) } else { json(value) }
        }
        byte(0x7D)
    }
}

/// The keys that metadata gets as labels.
enum ECSLabels {
    static func stands(_ key: some Collection<UInt8>) -> Bool {
        !key.isEmpty && !key.contains { $0 == 0x2E || $0 == 0x2A || $0 == 0x5C }
    }

    static func keys(_ metadata: LogMetadata) -> [String] {
        var keys = NumberedKeys(taken: metadata.lazy.map(\.key).filter { stands($0.utf8) })
        return metadata.map { key, _ in
            if stands(key.utf8) { return key }
            let bytes = key.isEmpty ? [0x5F] : key.utf8.map { $0 == 0x2E || $0 == 0x2A || $0 == 0x5C ? 0x5F : $0 }
            return keys.take(String(decoding: bytes, as: UTF8.self))
        }
    }
}
