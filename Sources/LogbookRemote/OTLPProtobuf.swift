internal import LogbookCore

/// Messages of Protocol Buffers, written field by field.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func tag(_ field: UInt64, _ type: UInt64) { varint(field << 3 | type) }

    mutating func integer(_ field: UInt64, _ value: Int64) {
        tag(field, 0)
        varint(UInt64(bitPattern: value))
    }

    mutating func fixed(_ field: UInt64, _ value: UInt64) {
        tag(field, 1)
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift))) }
    }

    mutating func bytes(_ field: UInt64, _ content: some Collection<UInt8>) {
        tag(field, 2)
        varint(UInt64(content.count))
        bytes += content
    }

    mutating func text(_ field: UInt64, _ text: String) { bytes(field, text.utf8) }

    mutating func message(_ field: UInt64, _ body: (inout ProtobufWriter) -> Void) {
        var inner = ProtobufWriter()
        body(&inner)
        bytes(field, inner.bytes)
    }
}

/// Reads the fields of one message; nil for what is none.
enum ProtobufReader {
    enum Value: Equatable {
        case number(UInt64)
        case bytes([UInt8])
    }

    static func fields(_ bytes: [UInt8]) -> [(field: UInt64, value: Value)]? {
        var fields: [(UInt64, Value)] = [], rest = bytes[...]
        func varint() -> UInt64? {
            var value: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 64, by: 7) {
                guard let byte = rest.popFirst() else { return nil }
                value |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return value }
            }
            return nil
        }
        while !rest.isEmpty {
            guard let tag = varint(), tag >> 3 > 0 else { return nil }
            switch tag & 7 {
            case 0:
                guard let number = varint() else { return nil }
                fields.append((tag >> 3, .number(number)))
            case 1, 5:
                let count = tag & 7 == 1 ? 8 : 4
                guard rest.count >= count else { return nil }
                fields.append((tag >> 3, .number(rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) })))
                rest = rest.dropFirst(count)
            case 2:
                guard let length = varint(), length <= UInt64(rest.count) else { return nil }
                fields.append((tag >> 3, .bytes(Array(rest.prefix(Int(length))))))
                rest = rest.dropFirst(Int(length))
            default: return nil
            }
        }
        return fields
    }
}

/// The messages of `opentelemetry/proto/logs/v1/logs.proto` and `common/v1/common.proto`.
enum OTLPProtobuf {
    static func request(_ events: [KeyedEvent], resource: [(String, LogValue)]) -> [UInt8] {
        var request = ProtobufWriter()
        request.message(1) { resourceLogs in
            resourceLogs.message(1) { message in attributes(1, resource, &message) }
            resourceLogs.message(2) { scopeLogs in
                scopeLogs.message(1) { $0.text(1, "logbook") }
                for event in events { scopeLogs.message(2) { record(event, &$0) } }
            }
        }
        return request.bytes
    }

    private static func record(_ keyed: KeyedEvent, _ record: inout ProtobufWriter) {
        let event = keyed.event
        record.fixed(1, OTLPDestination.nanoseconds(event.time))
        record.integer(2, Int64(OTLPDestination.severity(event.level)))
        record.text(3, event.level.name)
        record.message(5) { $0.text(1, event.message) }
        attributes(6, OTLPAttributes.of(keyed), &record)
        if let trace = OTLPDestination.identifier(event.metadata["trace_id"], digits: 32) { record.bytes(9, binary(trace)) }
        if let span = OTLPDestination.identifier(event.metadata["span_id"], digits: 16) { record.bytes(10, binary(span)) }
    }

    private static func binary(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.utf8.map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x57 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func attributes(_ field: UInt64, _ facts: [(String, LogValue)], _ message: inout ProtobufWriter) {
        for (key, value) in facts {
            message.message(field) { attribute in
                attribute.text(1, key)
                attribute.message(2) { OTLPProtobuf.value(value, &$0) }
            }
        }
    }

    private static func value(_ value: LogValue, _ message: inout ProtobufWriter) {
        switch value {
        case .null: break
        case .bool(let flag): message.integer(2, flag ? 1 : 0)
        case .integer(let number): message.integer(3, number)
        case .unsigned(let number):
            if let number = Int64(exactly: number) { message.integer(3, number) } else { message.text(1, "\(number)") }
        case .double(let number): message.fixed(4, number.bitPattern)
        case .string(let text): message.text(1, text)
        case .array(let values):
            message.message(5) { array in for value in values { array.message(1) { OTLPProtobuf.value(value, &$0) } } }
        case .object(let members):
            message.message(6) { list in attributes(1, members.map { ($0.key, $0.value) }, &list) }
        case .protected: message.text(1, "<private>")   // no event that a service made holds one
        }
    }

    /// How many records the receiver rejected, and why; nil where this is no answer of OTLP.
    /// - Parameter saysSo: Whether it must hold a word about them. Otherwise one without says that all is well.
    static func rejected(_ response: [UInt8], saysSo: Bool = false) -> (count: Int, reason: String)? {
        guard let fields = ProtobufReader.fields(response) else { return nil }
        guard case .bytes(let partial)? = fields.last(where: { $0.field == 1 })?.value else { return saysSo ? nil : (0, "") }
        guard let inner = ProtobufReader.fields(partial) else { return nil }
        var answer = (count: 0, reason: "")
        for (field, value) in inner {
            if field == 1, case .number(let count) = value { answer.count = Int(clamping: Int64(bitPattern: count)) }
            if field == 2, case .bytes(let text) = value { answer.reason = String(decoding: text, as: UTF8.self) }
        }
        return answer
    }
}
