import LogbookTestKit

/// The fields of a message of the journal's native protocol, in order.
func journalFields(_ bytes: [UInt8]) throws -> [(name: String, value: [UInt8])] {
    var fields: [(name: String, value: [UInt8])] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        guard let end = rest.firstIndex(of: 0x0A) else { throw ScriptedFailure("a line without an end") }
        let line = rest[..<end]
        rest = rest[(end + 1)...]
        if let equals = line.firstIndex(of: 0x3D) {
            fields.append((String(decoding: line[..<equals], as: UTF8.self), Array(line[(equals + 1)...])))
            continue
        }
        guard rest.count > 8 else { throw ScriptedFailure("a value without a length") }
        let count = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(8)
        guard rest.count > count, rest[rest.startIndex + count] == 0x0A else { throw ScriptedFailure("a length that is wrong") }
        fields.append((String(decoding: line, as: UTF8.self), Array(rest.prefix(count))))
        rest = rest.dropFirst(count + 1)
    }
    return fields
}
