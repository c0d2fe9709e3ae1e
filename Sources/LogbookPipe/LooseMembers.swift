/// The members of a line that begins as an object of JSON and goes on as it likes: those whose keys and values can be told apart, up to
/// where that ends. Values are the bytes between colon and comma.
struct LooseMembers: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    /// - Parameter line: A line whose first byte, beside spaces, is `{`.
    init(_ line: [UInt8]) {
        rest = line[...]
        skipSpace()
        rest = rest.dropFirst()
    }

    mutating func next() -> (key: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
        skipSpace()
        guard rest.first == 0x22, let key = string() else { return nil }
        skipSpace()
        guard rest.popFirst() == 0x3A else { return nil }
        skipSpace()
        let value = value()
        // A number may go on where the line was cut.
        if rest.popFirst() == nil, value.last != 0x22 { return nil }
        return (key.dropFirst().dropLast(), value)
    }

    private mutating func skipSpace() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }

    /// The string that begins here, with its quotes; nil when it never ends, and then nothing is left.
    private mutating func string() -> ArraySlice<UInt8>? {
        let start = rest
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if byte == 0x22 { return start[..<rest.startIndex] }
            if byte == 0x5C { rest = rest.dropFirst() }
        }
        return nil
    }

    /// Up to the comma or the bracket that ends it.
    private mutating func value() -> ArraySlice<UInt8> {
        let start = rest
        var depth = 0
        while let byte = rest.first {
            switch byte {
            case 0x22:
                _ = string()
                continue
            case 0x7B, 0x5B: depth += 1
            case 0x7D, 0x5D:
                if depth == 0 { return start[..<rest.startIndex] }
                depth -= 1
            case 0x2C: if depth == 0 { return start[..<rest.startIndex] }
            default: break
            }
            rest = rest.dropFirst()
        }
        return start
    }
}
