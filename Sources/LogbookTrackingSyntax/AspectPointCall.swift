/// What stands in the brackets of `#aspectPoint("name", ["key": value])`.
package struct AspectPointCall: Sendable, Equatable {
    package var name: String
    /// Whether it says that it stands in generic code.
    package var isGeneric = false
    package var values: [Value] = []

    package struct Value: Sendable, Equatable {
        package let key: String
        /// An expression, as it is written; no comment ends it.
        package let text: String
    }
}

extension String {
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
        return call
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
