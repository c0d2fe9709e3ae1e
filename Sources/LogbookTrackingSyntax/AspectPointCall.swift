/// What stands in the brackets of `#aspectPoint("name", ["key": value])`.
package struct AspectPointCall: Sendable, Equatable {
    package var name: String
    package var values: [Value] = []

    package struct Value: Sendable, Equatable {
        package let key: String
        /// An expression, as it is written.
        package let text: String
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
        var call = AspectPointCall(name: name)
        for sign in [UInt8(ascii: ","), UInt8(ascii: "[")] {
            inner.skipTrivia()
            if inner.current == sign { inner.position += 1 }
        }
        while let key = inner.plainString() {
            inner.skipTrivia()
            guard inner.current == UInt8(ascii: ":") else { break }
            inner.position += 1
            inner.skipTrivia()
            let start = inner.position
            inner.skipExpression()
            call.values.append(AspectPointCall.Value(key: key, text: inner.text(from: start).trimmed))
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

    /// To the comma or bracket that ends an element of a list.
    private mutating func skipExpression() {
        while !isAtEnd, current != UInt8(ascii: ","), current != UInt8(ascii: "]") {
            if "([{".utf8.contains(current) {
                skipBalanced()
            } else if isAtString {
                skipString()
            } else {
                position += 1
            }
        }
    }
}
