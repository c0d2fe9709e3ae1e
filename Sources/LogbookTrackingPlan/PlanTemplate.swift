internal import LogbookTrackingSyntax

/// Text with values in it: `Added $arg.item`. Two dollar signs are one that means itself.
package struct PlanTemplate: Sendable {
    package enum Part: Sendable {
        case text(String)
        case value(PlanPath)
    }

    package private(set) var parts: [Part] = []

    package init(_ text: String) {
        var text = text
        parts = text.utf8.contains(UInt8(ascii: "$")) ? text.withUTF8(Self.parts) : [.text(text)]
    }

    /// By bytes, because a thousand templates are read when a program starts.
    private static func parts(of bytes: UnsafeBufferPointer<UInt8>) -> [Part] {
        let sign = UInt8(ascii: "$")
        var parts: [Part] = [], plain = "", plainStart = 0, position = 0
        while let dollar = bytes[position...].firstIndex(of: sign) {
            let behind = dollar + 1
            if behind < bytes.count, bytes[behind] == sign {
                plain += text(bytes[plainStart..<behind])
                position = behind + 1
                plainStart = position
                continue
            }
            let (words, end) = path(in: bytes, from: behind)
            position = end
            if words.isEmpty { continue }   // the sign means itself
            if dollar > plainStart { plain += text(bytes[plainStart..<dollar]) }
            if !plain.isEmpty { parts.append(.text(plain)) }
            plain = ""
            plainStart = end
            parts.append(.value(PlanPath(words: words)))
        }
        if plainStart < bytes.count { plain += text(bytes[plainStart...]) }
        if !plain.isEmpty { parts.append(.text(plain)) }
        return parts
    }

    private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// The words of a path that begins here, and where it ends.
    private static func path(in bytes: UnsafeBufferPointer<UInt8>, from begin: Int) -> (words: [String], end: Int) {
        var words: [String] = [], start = begin, end = begin
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: ".") {
                guard end > start, end + 1 < bytes.count, beginsWord(scalar(in: bytes, at: end + 1)) else { break }
                words.append(text(bytes[start..<end]))
                start = end + 1
                end = start
            } else if byte < 0x80 {
                guard byte == UInt8(ascii: "_") || byte.isDigit || (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
                else { break }
                end += 1
            } else {
                let scalar = scalar(in: bytes, at: end)
                guard continuesWord(scalar) else { break }
                end += UTF8.width(scalar)
            }
        }
        if end > start { words.append(text(bytes[start..<end])) }
        return (words, end)
    }

    private static func scalar(in bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> Unicode.Scalar {
        if bytes[position] < 0x80 { return Unicode.Scalar(bytes[position]) }
        return text(bytes[position..<min(position + 4, bytes.count)]).unicodeScalars.first ?? "\u{FFFD}"
    }

    private static func beginsWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_": true
        default: !scalar.isASCII && scalar.properties.isAlphabetic
        }
    }

    private static func continuesWord(_ scalar: Unicode.Scalar) -> Bool {
        if beginsWord(scalar) || "0"..."9" ~= scalar { return true }
        if scalar.isASCII { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return scalar.properties.numericType != nil
        }
    }

    package var paths: [PlanPath] { parts.compactMap { if case .value(let path) = $0 { path } else { nil } } }
    /// The text, when there is no value in it.
    package var constant: String? { if parts.count == 1, case .text(let text) = parts[0] { text } else { nil } }
    /// The value, when there is nothing else.
    package var soleValue: PlanPath? { if parts.count == 1, case .value(let path) = parts[0] { path } else { nil } }
}
