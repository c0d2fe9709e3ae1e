internal import LogbookCore

// HOT PATH — finds what may not stand raw in a line: control characters (C0, DEL, C1), line and paragraph separators, and
// marks that reverse the direction of text. Escaped alike in every format, so that no event forges a line or moves a cursor.

/// A scalar that must be escaped: where it stands in the bytes, how many it takes, and its number.
struct ControlCharacter {
    let position: Int
    let length: Int
    let scalar: UInt32
}

/// The first character at or after `start` that must be escaped.
@inline(__always)
func nextControl(
    in bytes: UnsafeBufferPointer<UInt8>, from start: Int, also first: UInt8, or second: UInt8
) -> ControlCharacter? {
    var position = start
    while position < bytes.count {
        let byte = bytes[position]
        if byte < 0x20 || byte == 0x7F || byte == first || byte == second {
            return ControlCharacter(position: position, length: 1, scalar: UInt32(byte))
        }
        // Of the longer ones, C1 begins with C2, the Arabic letter mark with D8, and the rest with E2 80 or E2 81.
        if byte == 0xC2, position + 1 < bytes.count, bytes[position + 1] < 0xA0 {
            return ControlCharacter(position: position, length: 2, scalar: UInt32(bytes[position + 1]))
        }
        if byte == 0xD8, position + 1 < bytes.count, bytes[position + 1] == 0x9C {
            return ControlCharacter(position: position, length: 2, scalar: 0x061C)
        }
        if byte == 0xE2, position + 2 < bytes.count {
            let scalar = UInt32(byte & 0x0F) << 12 | UInt32(bytes[position + 1] & 0x3F) << 6 | UInt32(bytes[position + 2] & 0x3F)
            switch scalar {
            case 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
                return ControlCharacter(position: position, length: 3, scalar: scalar)
            default: break
            }
        }
        position += 1
    }
    return nil
}

private let hexDigits: StaticString = "0123456789abcdef"

extension Array where Element == UInt8 {
    mutating func append(hex value: UInt32, width: Int) {
        for shift in stride(from: (width - 1) * 4, through: 0, by: -4) {
            append(hexDigits.utf8Start[Int(value >> UInt32(shift) & 15)])
        }
    }

    private mutating func append(
        text: String, also first: UInt8, or second: UInt8, escape: (ControlCharacter, inout [UInt8]) -> Void
    ) {
        var text = text
        text.withUTF8 { bytes in
            var start = 0
            while let control = nextControl(in: bytes, from: start, also: first, or: second) {
                append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<control.position]))
                escape(control, &self)
                start = control.position + control.length
            }
            append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
        }
    }

    /// Text within a line: a backslash becomes `\\`, control characters `\n`, `\r`, `\t` or `\u{1b}`.
    package mutating func append(escapedLine text: String) {
        append(text: text, also: 0x5C, or: 0x5C) { control, bytes in
            switch control.scalar {
            case 0x5C: bytes.append(#"\\"#)
            case 0x0A: bytes.append(#"\n"#)
            case 0x0D: bytes.append(#"\r"#)
            case 0x09: bytes.append(#"\t"#)
            default:
                bytes.append(#"\u{"#)
                bytes.append(hex: control.scalar, width: control.scalar > 0xFF ? 4 : 2)
                bytes.append(0x7D)
            }
        }
    }

    /// A JSON string with its quotes.
    package mutating func append(jsonString text: String) {
        append(0x22)
        append(text: text, also: 0x22, or: 0x5C) { control, bytes in
            switch control.scalar {
            case 0x22: bytes.append(#"\""#)
            case 0x5C: bytes.append(#"\\"#)
            case 0x0A: bytes.append(#"\n"#)
            case 0x0D: bytes.append(#"\r"#)
            case 0x09: bytes.append(#"\t"#)
            default:
                bytes.append(#"\u"#)
                bytes.append(hex: control.scalar, width: 4)
            }
        }
        append(0x22)
    }
}

/// Reads back what ``Swift/Array/append(escapedLine:)`` wrote.
/// - Returns: Nil when a backslash begins no escape of ours.
package func unescapedLine(_ text: some StringProtocol) -> String? {
    guard text.utf8.contains(0x5C) else { return String(text) }
    var result = ""
    var rest = text[...]
    while let backslash = rest.firstIndex(of: "\\") {
        result += rest[..<backslash]
        rest = rest[rest.index(after: backslash)...]
        guard let kind = rest.popFirst() else { return nil }
        switch kind {
        case "\\": result += "\\"
        case "n": result += "\n"
        case "r": result += "\r"
        case "t": result += "\t"
        case "u":
            guard rest.popFirst() == "{", let close = rest.firstIndex(of: "}"),
                let number = UInt32(rest[..<close], radix: 16), let scalar = Unicode.Scalar(number)
            else { return nil }
            result.unicodeScalars.append(scalar)
            rest = rest[rest.index(after: close)...]
        default: return nil
        }
    }
    return result + rest
}
