// HOT PATH — appends to byte buffers without making strings.

extension Array where Element == UInt8 {
    package mutating func append(utf8Of text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }

    package mutating func append(_ literal: StaticString) {
        literal.withUTF8Buffer { append(contentsOf: $0) }
    }

    /// The number, of at most 64 bits, in decimal, with a minus sign where it needs one.
    @inlinable
    package mutating func append(decimal value: some FixedWidthInteger) {
        append(decimal: UInt64(value.magnitude), isNegative: value < 0, width: 1)
    }

    /// The number in decimal, filled up with zeros on the left to `width` digits.
    package mutating func append(decimal value: Int, width: Int) {
        append(decimal: UInt64(value.magnitude), isNegative: value < 0, width: width)
    }

    @usableFromInline
    package mutating func append(decimal magnitude: UInt64, isNegative: Bool, width: Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            let count = writeDecimal(magnitude, isNegative: isNegative, to: digits.baseAddress!)   // it has room
            if count < width { append(contentsOf: repeatElement(0x30, count: width - count)) }
            append(contentsOf: digits[..<count])
        }
    }
}
