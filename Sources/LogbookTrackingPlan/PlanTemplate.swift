internal import LogbookTrackingSyntax

/// Text with values in it: `Added $arg.item`. Two dollar signs are one that means itself.
package struct PlanTemplate: Sendable {
    package enum Part: Sendable {
        case text(String)
        case value(PlanPath)
    }

    package private(set) var parts: [Part] = []

    package init(_ text: String) {
        let sign = UInt8(ascii: "$")
        guard var dollar = text.utf8.firstIndex(of: sign) else {
            parts = [.text(text)]
            return
        }
        var plain = "", rest = text[...]
        while true {
            if dollar > rest.startIndex { plain.append(contentsOf: rest[..<dollar]) }
            rest = rest[rest.utf8.index(after: dollar)...]
            if rest.utf8.first == sign {
                plain.append("$")
                rest = rest[rest.utf8.index(after: rest.startIndex)...]
            } else {
                let (words, end) = Self.path(in: rest)
                if words.isEmpty {
                    plain.append("$")
                } else {
                    if !plain.isEmpty { parts.append(.text(plain)) }
                    plain = ""
                    parts.append(.value(PlanPath(words: words)))
                    rest = rest[end...]
                }
            }
            guard let next = rest.utf8.firstIndex(of: sign) else { break }
            dollar = next
        }
        if !rest.isEmpty { plain.append(contentsOf: rest) }
        if !plain.isEmpty { parts.append(.text(plain)) }
    }

    /// The words of a path with which the text begins, and where it ends; by bytes as long as they are ASCII, because a thousand of
    /// them are read when a program starts.
    private static func path(in text: Substring) -> (words: [String], end: Substring.Index) {
        let bytes = text.utf8
        var words: [String] = [], start = text.startIndex, end = start
        while end < text.endIndex {
            let byte = bytes[end]
            if byte == UInt8(ascii: ".") {
                let next = bytes.index(after: end)
                guard end > start, next < text.endIndex, beginsWord(text.unicodeScalars[next]) else { break }
                words.append(String(text[start..<end]))
                start = next
                end = next
            } else if byte < 0x80 {
                guard byte == UInt8(ascii: "_") || byte.isDigit || (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
                else { break }
                end = bytes.index(after: end)
            } else {
                guard continuesWord(text.unicodeScalars[end]) else { break }
                end = text.unicodeScalars.index(after: end)
            }
        }
        if end > start { words.append(String(text[start..<end])) }
        return (words, end)
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
