/// What stands in the brackets of `#aspectPoint("name", ["key": value])`.
package struct AspectPointCall: Sendable, Equatable {
    package var name: String
    /// Whether it says that it stands in generic code.
    package var isGeneric = false
    package var values: [Value] = []
    /// Why it cannot be a named point, as a sentence; nil when it can.
    package var problem: String?

    package struct Value: Sendable, Equatable {
        package let key: String
        /// An expression, as it is written; no comment ends it.
        package let text: String
    }
}

extension AspectPointCall {
    static let keys = "the values of a named point are written at the point, each behind a plain text: [\"total\": total]"
}

extension AspectPointCall.Value {
    /// It is evaluated later, in a closure of its own.
    fileprivate var problem: String? {
        var scanner = DeclarationScanner(text), choices = 0
        while !scanner.isAtEnd {
            scanner.skipTrivia()
            switch scanner.current {
            case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["): scanner.skipBalanced()
            case UInt8(ascii: "?"):
                // `?.`, `try?` and `??` are none.
                let isSpaced = scanner.position > 0 && scanner.byte(at: scanner.position - 1) <= UInt8(ascii: " ")
                scanner.position += 1
                if scanner.current == UInt8(ascii: "?") { scanner.position += 1 } else if isSpaced { choices += 1 }
            case UInt8(ascii: ":"):   // without a choice it ends a key
                if choices == 0 { return AspectPointCall.keys }
                choices -= 1
                scanner.position += 1
            default:
                if scanner.isAtLiteral { scanner.skipLiteral() } else if scanner.name() == nil { scanner.position += 1 }
            }
        }
        return Self.evaluation(text)
    }

    /// What the expression asks of what is around it and does not get in a closure.
    private static func evaluation(_ text: String) -> String? {
        var scanner = DeclarationScanner(text)
        while !scanner.isAtEnd {
            scanner.skipTrivia()
            let start = scanner.position
            if scanner.current == UInt8(ascii: "{") {
                scanner.skipBalanced()   // a closure's parameters are its own
            } else if scanner.isAtLiteral {
                scanner.skipLiteral()
                for inner in scanner.text(from: start).interpolations { if let problem = evaluation(inner) { return problem } }
            } else if scanner.current == UInt8(ascii: "$") {
                scanner.position += 1
                if scanner.current.isDigit { return "the value of a named point is evaluated later: give the closure's parameter a name" }
            } else if let word = scanner.name() {
                let isHandled = word == "try" && "?!".utf8.contains(scanner.current)
                if word == "await" || word == "try" && !isHandled {
                    return "the value of a named point is evaluated later, where nothing may throw or wait: name what it needs before it"
                }
            } else {
                scanner.position += 1
            }
        }
        return nil
    }
}

extension String {
    /// What stands in the brackets of each `\(…)` of a literal.
    fileprivate var interpolations: [String] {
        guard containsText("\\") else { return [] }
        var scanner = DeclarationScanner(self), found: [String] = []
        let hashes = utf8.prefix { $0 == UInt8(ascii: "#") }.count
        while !scanner.isAtEnd {
            guard scanner.current == UInt8(ascii: "\\") else {
                scanner.position += 1
                continue
            }
            scanner.position += 1
            var count = 0
            while scanner.current == UInt8(ascii: "#"), count < hashes { (scanner.position, count) = (scanner.position + 1, count + 1) }
            if count == hashes, scanner.current == UInt8(ascii: "(") {
                let start = scanner.position
                scanner.skipBalanced()
                found.append(scanner.text(start + 1..<max(start + 1, scanner.position - 1)))
            } else {
                scanner.position += 1
            }
        }
        return found
    }

    /// With `generic: true` in its named points: a macro that stands in the body that another has written is not told what is around it.
    package var withGenericPoints: String {
        guard containsText("#aspectPoint") else { return self }
        var scanner = DeclarationScanner(self), text = "", written = 0
        while !scanner.isAtEnd {
            scanner.skipTrivia()
            if scanner.isAtLiteral {
                scanner.skipLiteral()
                continue
            }
            let isSign = scanner.current == UInt8(ascii: "#")
            scanner.position += 1
            guard isSign, scanner.name() == "aspectPoint" else { continue }
            var ahead = scanner
            guard let call = ahead.aspectPoint(), !call.isGeneric else { continue }
            scanner.skipTrivia()
            scanner.position += 1
            scanner.skipTrivia()
            scanner.skipLiteral()
            text += scanner.text(written..<scanner.position) + ", generic: true"
            written = scanner.position
        }
        return text + scanner.text(written..<utf8.count)
    }
}

extension DeclarationScanner {
    /// Reads the call's arguments, from the opening bracket on; nil when they are of another kind.
    package mutating func aspectPoint() -> AspectPointCall? {
        skipTrivia()
        guard current == UInt8(ascii: "(") else { return nil }
        let opening = position
        skipBalanced()
        var inner = DeclarationScanner(text(opening + 1..<max(opening + 1, position - 1)))
        guard let name = inner.plainString() else { return nil }
        var call = AspectPointCall(name: name), ahead = inner
        ahead.skipTrivia()
        if ahead.current == UInt8(ascii: ",") {
            ahead.position += 1
            ahead.skipTrivia()
            if ahead.name() == "generic" {
                ahead.skipTrivia()
                ahead.position += 1
                ahead.skipTrivia()
                call.isGeneric = ahead.name() == "true"
                inner = ahead
            }
        }
        inner.skipTrivia()
        if inner.isAtEnd { return call }
        for sign in [UInt8(ascii: ","), UInt8(ascii: "[")] {
            inner.skipTrivia()
            if inner.current == sign { inner.position += 1 }
        }
        while let key = inner.plainString() {
            inner.skipTrivia()
            guard inner.current == UInt8(ascii: ":") else { break }
            inner.position += 1
            inner.skipTrivia()
            call.values.append(AspectPointCall.Value(key: key, text: inner.expression()))
            inner.skipTrivia()
            if inner.current == UInt8(ascii: ",") { inner.position += 1 }
        }
        call.problem = inner.hasOnlyTheEndOfADictionary ? call.values.lazy.compactMap(\.problem).first : AspectPointCall.keys
        return call
    }

    /// Whether `]` stands here and nothing behind it, or, of an empty one, `:]`.
    private var hasOnlyTheEndOfADictionary: Bool {
        var ahead = self
        ahead.skipTrivia()
        if ahead.current == UInt8(ascii: ":") {
            ahead.position += 1
            ahead.skipTrivia()
        }
        guard ahead.current == UInt8(ascii: "]") else { return false }
        ahead.position += 1
        ahead.skipTrivia()
        if ahead.current == UInt8(ascii: ",") {
            ahead.position += 1
            ahead.skipTrivia()
        }
        return ahead.isAtEnd
    }

    private mutating func plainString() -> String? {
        skipTrivia()
        guard current == UInt8(ascii: "\"") else { return nil }
        let start = position
        skipString()
        return String(text(from: start).dropFirst().dropLast())
    }

    /// The expression that begins here, to the comma or bracket that ends an element of the dictionary, without a comment behind it.
    private mutating func expression() -> String {
        let start = position
        var end = position
        while !isAtEnd, current != UInt8(ascii: "]"), !isBeforeKey {
            let before = position
            skipTrivia()
            if position > before { continue }
            if "([{".utf8.contains(current) {
                skipBalanced()
            } else if isAtLiteral {
                skipLiteral()
            } else {
                position += 1
            }
            end = position
        }
        return text(start..<min(end, bytes.count))
    }

    /// Whether a comma stands here that the next key, or nothing, follows: an expression may have commas of its own.
    private var isBeforeKey: Bool {
        guard current == UInt8(ascii: ",") else { return false }
        var ahead = self
        ahead.position += 1
        ahead.skipTrivia()
        if ahead.isAtEnd || ahead.current == UInt8(ascii: "]") { return true }
        guard ahead.plainString() != nil else { return false }
        ahead.skipTrivia()
        return ahead.current == UInt8(ascii: ":")
    }
}
