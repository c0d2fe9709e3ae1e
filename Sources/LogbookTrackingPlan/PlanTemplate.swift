/// Text with values in it: `Added $arg.item`. Two dollar signs are one that means itself.
package struct PlanTemplate: Sendable {
    package enum Part: Sendable {
        case text(String)
        case value(PlanPath)
    }

    package private(set) var parts: [Part] = []

    package init(_ text: String) {
        let sign = UInt8(ascii: "$")
        var plain = "", rest = text[...]
        while let dollar = rest.utf8.firstIndex(of: sign) {
            plain.append(contentsOf: rest[..<dollar])
            rest = rest[rest.utf8.index(after: dollar)...]
            if rest.utf8.first == sign {
                plain.append("$")
                rest = rest[rest.utf8.index(after: rest.startIndex)...]
                continue
            }
            let end = Self.endOfPath(in: rest)
            if end == rest.startIndex {
                plain.append("$")
                continue
            }
            if !plain.isEmpty { parts.append(.text(plain)) }
            plain = ""
            parts.append(.value(PlanPath(words: Self.words(of: rest[..<end]))))
            rest = rest[end...]
        }
        plain.append(contentsOf: rest)
        if !plain.isEmpty || parts.isEmpty { parts.append(.text(plain)) }
    }

    /// Where a path ends that begins with the text; by bytes, because a thousand of them are read when a program starts.
    private static func endOfPath(in text: Substring) -> Substring.Index {
        var end = text.startIndex
        while end < text.endIndex {
            let next = text.utf8.index(after: end)
            if text.utf8[end] == UInt8(ascii: ".") {
                guard next < text.endIndex, beginsWord(text.unicodeScalars[next]) else { break }
                end = next
            } else {
                guard continuesWord(text.unicodeScalars[end]) else { break }
                end = text.unicodeScalars.index(after: end)
            }
        }
        return end
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

    private static func words(of path: Substring) -> [String] {
        var words: [String] = [], start = path.startIndex
        while let dot = path[start...].utf8.firstIndex(of: UInt8(ascii: ".")) {
            words.append(String(path[start..<dot]))
            start = path.utf8.index(after: dot)
        }
        words.append(String(path[start...]))
        return words
    }

    package var paths: [PlanPath] { parts.compactMap { if case .value(let path) = $0 { path } else { nil } } }
    /// The text, when there is no value in it.
    package var constant: String? { if parts.count == 1, case .text(let text) = parts[0] { text } else { nil } }
    /// The value, when there is nothing else.
    package var soleValue: PlanPath? { if parts.count == 1, case .value(let path) = parts[0] { path } else { nil } }
}
