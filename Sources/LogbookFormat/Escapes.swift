internal import CLogbookSystem
package import LogbookCore

// HOT PATH — finds what may not stand raw in a line: control characters (C0, DEL, C1), line and paragraph separators, and
// marks that reverse the direction of text. Escaped alike in every format, so that no event forges a line or moves a cursor.
// Sixteen bytes are looked at in one go

/// The bytes that one kind of text escapes beside control characters: up to four, packed in a word.
struct EscapedBytes: Sendable, Hashable {
    private let packed: UInt32

    /// Of a JSON string: the quote and the backslash.
    static var json: EscapedBytes { EscapedBytes(0x22, 0x5C, 0x5C, 0x5C) }
    /// Of a text within a line: the backslash.
    static var line: EscapedBytes { EscapedBytes(0x5C, 0x5C, 0x5C, 0x5C) }

    @inline(__always)
    init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
        packed = UInt32(first) | UInt32(second) << 8 | UInt32(third) << 16 | UInt32(fourth) << 24
    }

    /// The first character at or after `start` that must be escaped.
    @inline(__always)
    func next(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> EscapedCharacter? {
        guard let base = bytes.baseAddress else { return nil }
        var position = start
        while true {
            position += logbook_find_escape(base + position, bytes.count - position, packed)
            if position >= bytes.count { return nil }
            let byte = bytes[position]
            if byte < 0x80 { return EscapedCharacter(position: position, length: 1, scalar: UInt32(byte)) }
            if let character = Self.longer(byte, at: position, in: bytes) { return character }
            position += 1
        }
    }

    @inline(never)
    private static func longer(_ byte: UInt8, at position: Int, in bytes: UnsafeBufferPointer<UInt8>) -> EscapedCharacter? {
        if byte == 0xC2, position + 1 < bytes.count, bytes[position + 1] < 0xA0 {
            return EscapedCharacter(position: position, length: 2, scalar: UInt32(bytes[position + 1]))
        }
        if byte == 0xD8, position + 1 < bytes.count, bytes[position + 1] == 0x9C {
            return EscapedCharacter(position: position, length: 2, scalar: 0x061C)
        }
        guard byte == 0xE2, position + 2 < bytes.count else { return nil }
        let scalar = UInt32(byte & 0x0F) << 12 | UInt32(bytes[position + 1] & 0x3F) << 6 | UInt32(bytes[position + 2] & 0x3F)
        guard Unicode.Scalar(scalar)?.mayForge == true else { return nil }
        return EscapedCharacter(position: position, length: 3, scalar: scalar)
    }
}

/// A character that must be escaped: where it stands in the bytes, how many it takes, and its number.
struct EscapedCharacter {
    let position: Int
    let length: Int
    let scalar: UInt32
}

extension Array where Element == UInt8 {
    /// Text within a line: a backslash becomes `\\`, control characters `\n`, `\r`, `\t` or `\u{1b}`.
    package mutating func append(escapedLine text: String) {
        LineWriter.append(to: &self) { $0.escapedLine(text) }
    }

    /// A JSON string with its quotes.
    package mutating func append(jsonString text: String) {
        LineWriter.append(to: &self) { $0.jsonString(text) }
    }

    /// A value as JSON. Numbers that JSON cannot write become the strings `"NaN"`, `"Infinity"` and `"-Infinity"`.
    package mutating func append(json value: LogValue) {
        LineWriter.append(to: &self) { $0.json(value) }
    }

    package mutating func append(json members: LogMetadata) {
        LineWriter.append(to: &self) { $0.json(members) }
    }
}

/// Reads back what ``Swift/Array/append(escapedLine:)`` wrote.
/// - Returns: Nil when a backslash begins no escape of ours.
package func unescapedLine(_ text: some StringProtocol) -> String? { unescapedLine(Array(text.utf8)[...]) }

/// - Returns: Nil also when the bytes are no UTF-8.
func unescapedLine(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.contains(0x5C) else { return String(validating: bytes, as: UTF8.self) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes
    while let byte = rest.popFirst() {
        guard byte == 0x5C else {
            result.append(byte)
            continue
        }
        switch rest.popFirst() {
        case 0x5C: result.append(0x5C)
        case 0x6E: result.append(0x0A)
        case 0x72: result.append(0x0D)
        case 0x74: result.append(0x09)
        case 0x75:
            guard rest.popFirst() == 0x7B, let close = rest.prefix(7).firstIndex(of: 0x7D) else { return nil }
            let digits = rest[..<close]
            rest = rest[(close + 1)...]
            if digits.isEmpty { continue }   // how logfmt writes an empty key
            var number: UInt32 = 0
            for digit in digits {
                guard let value = digit.hexDigit else { return nil }
                number = number << 4 | value
            }
            guard let scalar = Unicode.Scalar(number) else { return nil }
            result.append(contentsOf: UTF8.encode(scalar)!)
        default: return nil
        }
    }
    return String(validating: result, as: UTF8.self)
}

extension UInt8 {
    var isDigit: Bool { self &- 0x30 < 10 }

    /// An ASCII letter in its small form, every other byte as it is.
    package var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

    /// The value of a hexadecimal digit.
    var hexDigit: UInt32? {
        switch self {
        case 0x30...0x39: UInt32(self - 0x30)
        case 0x41...0x46: UInt32(self - 0x41 + 10)
        case 0x61...0x66: UInt32(self - 0x61 + 10)
        default: nil
        }
    }
}
