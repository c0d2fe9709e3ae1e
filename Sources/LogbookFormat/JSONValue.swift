import LogbookCore

/// A JSON document that was read.
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A whole number beyond `Int64`.
    case unsigned(UInt64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    /// In the order of the document, each key once.
    case object([JSONMember])

    /// The member of that name, when this is an object that has one.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.isSameText(as: key) }?.value
    }
}

package struct JSONMember: Sendable, Equatable {
    package let key: String
    package let value: JSONValue
    package init(key: String, value: JSONValue) {
        self.key = key
        self.value = value
    }
}

/// What a document may hold at most; a longer one is refused before it costs memory.
package struct JSONLimits: Sendable, Equatable {
    /// Arrays and objects within each other.
    package var depth = 32
    /// Members of one object.
    package var members = 256
    /// Elements of one array.
    package var elements = 100_000
    /// Bytes of one string or key, as written.
    package var stringBytes = 1 << 20
    /// Characters of one number.
    package var numberLength = 64
    /// Whether a whole number beyond 64 bits is read as text, with all its digits, rather than rounded.
    package var keepsLongNumbers = false
    package init() {}

    /// What a line of our own formats may hold: the longest array, and the longest string, which is a document of all the metadata
    /// there may be. A byte of that may take six, and seven as the backslash is escaped again; what stands around a value and its
    /// key takes ten at most, and a value counts as eight bytes at least.
    static var line: JSONLimits {
        var limits = JSONLimits()
        limits.elements = LogLimits.highest.maximumElements
        limits.stringBytes = (7 * 8 + 10) * (limits.elements + 1)
        return limits
    }
}

/// Why bytes are no JSON, or more JSON than is taken.
package enum JSONError: Error, Equatable, CustomStringConvertible {
    case malformed(String, offset: Int)
    case tooLarge(String, offset: Int)

    package var description: String {
        switch self {
        case .malformed(let what, let offset): "no valid JSON: \(what) at byte \(offset)"
        case .tooLarge(let what, let offset): "too much JSON: \(what) at byte \(offset)"
        }
    }
}

extension JSONValue {
    /// Reads one document, strictly after RFC 8259: UTF-8 only, no duplicate keys, nothing after the end.
    package static func parse(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            var reader = JSONReader(bytes, limits: limits)
            let value = try reader.value(depth: 0)
            try reader.end()
            return value
        }
    }
}

extension LineScanner {
    /// Reads the value of JSON that begins here.
    mutating func json() throws(LogLineError) -> JSONValue {
        do {
            let (value, end) = try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
                var reader = JSONReader(bytes, limits: .line, from: position)
                return (try reader.value(depth: 0), reader.position)
            }
            move(to: end)
            return value
        } catch { throw .notJSON(error.description) }
    }
}
