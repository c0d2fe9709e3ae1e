/// Literals are skipped as a whole: what is in them is no bracket and no declaration.
extension DeclarationScanner {
    /// Whether a string literal begins here, be it after number signs.
    package var isAtString: Bool {
        var index = position
        while byte(at: index) == UInt8(ascii: "#") { index += 1 }
        return byte(at: index) == UInt8(ascii: "\"")
    }

    package mutating func skipString() {
        let quote = UInt8(ascii: "\""), sign = UInt8(ascii: "#")
        var signs = 0
        while current == sign {
            signs += 1
            position += 1
        }
        let quotes = beginsSeveralLines(signs: signs) ? 3 : 1
        position += quotes
        while !isAtEnd {
            if current == UInt8(ascii: "\\") {
                var found = 0
                while found < signs, byte(at: position + 1 + found) == sign { found += 1 }
                guard found == signs else {
                    position += 1
                    continue
                }
                position += 1 + signs
                if current == UInt8(ascii: "(") { skipBalanced() } else { position += 1 }
            } else if current == quote, (0..<quotes).allSatisfy({ byte(at: position + $0) == quote }) {
                var found = 0
                while found < signs, byte(at: position + quotes + found) == sign { found += 1 }
                if found == signs {
                    position += quotes + signs
                    return
                }
                position += 1
            } else {
                position += 1
            }
        }
    }

    /// Whether the quotation mark that stands here is the first of three that open a string of several lines. Behind number signs they
    /// open none that ends in its line: `#"""#` is one quotation mark.
    private func beginsSeveralLines(signs: Int) -> Bool {
        let quote = UInt8(ascii: "\"")
        guard byte(at: position + 1) == quote, byte(at: position + 2) == quote else { return false }
        if signs == 0 { return true }
        var index = position + 2
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n"), bytes[index] != UInt8(ascii: "\r") {
            if bytes[index] == quote, (1...signs).allSatisfy({ byte(at: index + $0) == UInt8(ascii: "#") }) { return false }
            index += 1
        }
        return true
    }

    /// Whether a string or a regular expression begins here.
    package var isAtLiteral: Bool { isAtString || endOfRegex != nil }

    package mutating func skipLiteral() {
        if isAtString { skipString() } else if let end = endOfRegex { position = end }
    }

    /// Where the regular expression ends that begins here, be it after number signs; nil when none does. A slash alone begins one where
    /// a value can begin, with nothing blank behind it and another slash in its line.
    var endOfRegex: Int? {
        var index = position, signs = 0
        while byte(at: index) == UInt8(ascii: "#") {
            signs += 1
            index += 1
        }
        guard byte(at: index) == UInt8(ascii: "/") else { return nil }
        index += 1
        if signs == 0 {
            guard canBeginValue, !byte(at: index).isBlank, !"/*".utf8.contains(byte(at: index)) else { return nil }
        }
        var depth = 0, isInClass = false
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\\"): index += 1
            case UInt8(ascii: "\n") where signs == 0: return nil
            case UInt8(ascii: "/"):
                if signs == 0, [0x20, 0x09].contains(bytes[index - 1]) { return nil }
                if (0..<signs).allSatisfy({ byte(at: index + 1 + $0) == UInt8(ascii: "#") }) { return index + 1 + signs }
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "(") where !isInClass: depth += 1
            case UInt8(ascii: ")") where !isInClass:
                depth -= 1
                if depth < 0, signs == 0 { return nil }   // `reduce(1, /)`
            default: break
            }
            index += 1
        }
        return nil
    }

    private static let wordsBeforeValues: Set<String> = [
        "return", "in", "try", "await", "case", "where", "throw", "if", "while", "guard", "else", "switch", "is", "yield",
    ]

    /// Whether what stands before is no value, so that a slash is no operator behind one.
    private var canBeginValue: Bool {
        let opening = "([{,;:".utf8
        var end = position
        while end > 0, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        guard end > 0, !bytes[end - 1].isBlank else { return true }
        if opening.contains(bytes[end - 1]) { return true }
        if end == position { return false }
        var start = end
        if Self.continuesName(bytes[end - 1]) {
            while start > 0, Self.continuesName(bytes[start - 1]) { start -= 1 }
            return Self.wordsBeforeValues.contains(text(start..<end))
        }
        while start > 0, Self.isOperator(bytes[start - 1]) { start -= 1 }   // one behind a value, such as `!`, belongs to it
        return start < end && (start == 0 || bytes[start - 1].isBlank || opening.contains(bytes[start - 1]))
    }
}
