extension String {
    /// Without the white space around it.
    package var trimmed: String {
        var bytes = Substring(self).utf8[...]
        while let first = bytes.first, first.isBlank { bytes = bytes.dropFirst() }
        while let last = bytes.last, last.isBlank { bytes = bytes.dropLast() }
        return String(Substring(bytes))
    }

    /// With blanks in place of the ends of lines.
    package var onOneLine: String { split(whereSeparator: \.isNewline).map { String($0).trimmed }.joined(separator: " ") }

    package func containsText(_ part: String) -> Bool {
        let bytes = Array(utf8), part = Array(part.utf8)
        guard part.count <= bytes.count else { return false }
        return (0...(bytes.count - part.count)).contains { bytes[$0...].starts(with: part) }
    }

    /// How many lines end within the first `count` bytes.
    package func lineEnds(within count: Int) -> Int {
        utf8.prefix(count).reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
    }
}

extension UInt8 {
    /// Space, tab or the end of a line.
    package var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
    package var isDigit: Bool { self >= 0x30 && self <= 0x39 }
}
