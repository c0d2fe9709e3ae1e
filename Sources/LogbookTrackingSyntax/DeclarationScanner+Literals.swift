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
        let quotes = byte(at: position + 1) == quote && byte(at: position + 2) == quote ? 3 : 1
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

    /// Whether a string or a regular expression begins here.
    package var isAtLiteral: Bool { isAtString || endOfRegex != nil }

    package mutating func skipLiteral() {
        if isAtString { skipString() } else if let end = endOfRegex { position = end }
    }

    /// Where the regular expression ends that begins here, be it after number signs; nil when none does. A slash begins one where no
    /// operator between two values can stand, with nothing blank behind it and another slash in its line.
    var endOfRegex: Int? {
        var index = position, signs = 0
        while byte(at: index) == UInt8(ascii: "#") {
            signs += 1
            index += 1
        }
        guard byte(at: index) == UInt8(ascii: "/") else { return nil }
        index += 1
        if signs == 0 {
            let before = position > 0 ? bytes[position - 1] : 0x20
            guard before.isBlank || "([{,;:".utf8.contains(before) else { return nil }
            guard !byte(at: index).isBlank, !"/*".utf8.contains(byte(at: index)) else { return nil }
        }
        var depth = 0, isInClass = false
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\\"): index += 1
            case UInt8(ascii: "\n") where signs == 0: return nil
            case UInt8(ascii: "/"):
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
}
