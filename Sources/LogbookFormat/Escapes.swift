package import LogbookCore

// HOT PATH — finds what may not stand raw in a line: control characters (C0, DEL, C1), line and paragraph separators, and
// marks that reverse the direction of text. Escaped alike in every format, so that no event forges a line or moves a cursor.
// Eight bytes are looked at in one go; Benchmarks: "formatted line".

/// The bytes that one kind of text escapes beside control characters: up to four, each as eight copies in a word.
struct EscapedBytes: Sendable, Hashable {
    private let first: UInt64, second: UInt64, third: UInt64, fourth: UInt64

    /// Of a JSON string: the quote and the backslash.
    static var json: EscapedBytes { EscapedBytes(0x22, 0x5C, 0x5C, 0x5C) }
    /// Of a text within a line: the backslash.
    static var line: EscapedBytes { EscapedBytes(0x5C, 0x5C, 0x5C, 0x5C) }

    @inline(__always)
    init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
        self.first = Self.ones &* UInt64(first)
        self.second = Self.ones &* UInt64(second)
        self.third = Self.ones &* UInt64(third)
        self.fourth = Self.ones &* UInt64(fourth)
    }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var high: UInt64 { 0x8080_8080_8080_8080 }
    private static var low: UInt64 { 0x7F7F_7F7F_7F7F_7F7F }

    /// The high bit of every byte of `word` that differs from the same byte of `pattern`.
    @inline(__always)
    private static func differs(_ word: UInt64, _ pattern: UInt64) -> UInt64 {
        let difference = word ^ pattern
        return (difference & low) &+ low | difference
    }

    /// The high bit of every byte that is to be looked at: an escaped one, or one that begins a longer character of interest.
    @inline(__always)
    func candidates(in word: UInt64) -> UInt64 {
        // Within seven bits no sum carries into the next byte.
        let seven = word & Self.low
        let notControl = (seven &+ Self.ones &* 0x60) & ~(seven &+ Self.ones)   // 0x20 or above, and not 0x7F
        var fine = notControl | word
        fine &= Self.differs(word, first) & Self.differs(word, second) & Self.differs(word, third) & Self.differs(word, fourth)
        if word & Self.high != 0 {
            // C1 begins with C2, the Arabic letter mark with D8, and the rest with E2 80 or E2 81.
            fine &= Self.differs(word, Self.ones &* 0xC2) & Self.differs(word, Self.ones &* 0xD8)
                & Self.differs(word, Self.ones &* 0xE2)
        }
        return ~fine & Self.high
    }

    /// The first byte at or after `start` that is to be looked at.
    @inline(__always)
    private func nextCandidate(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        guard let base = UnsafeRawPointer(bytes.baseAddress) else { return 0 }
        let count = bytes.count
        var position = start
        while position &+ 8 <= count {
            let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let found = candidates(in: word)
            if found != 0 { return position &+ found.trailingZeroBitCount >> 3 }
            position &+= 8
        }
        if position < count {
            // The rest in one word, filled up with letters that need no escape.
            var word = Self.ones &* 0x61
            for offset in 0..<(count &- position) {
                let shift = UInt64(offset &* 8)
                word = word & ~(0xFF << shift) | UInt64(base.load(fromByteOffset: position &+ offset, as: UInt8.self)) << shift
            }
            // The filling itself may be among the escaped bytes; what lies beyond the end is none.
            let found = candidates(in: word)
            if found != 0 { return min(position &+ found.trailingZeroBitCount >> 3, count) }
        }
        return count
    }

    /// The first character at or after `start` that must be escaped.
    @inline(__always)
    func next(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> EscapedCharacter? {
        var position = start
        while true {
            position = nextCandidate(in: bytes, from: position)
            if position >= bytes.count { return nil }
            let byte = bytes[position]
            if byte < 0x80 { return EscapedCharacter(position: position, length: 1, scalar: UInt32(byte)) }
            if let character = Self.longer(byte, at: position, in: bytes) { return character }
            position &+= 1
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
        switch scalar {
        case 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
            return EscapedCharacter(position: position, length: 3, scalar: scalar)
        default: return nil
        }
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
