// HOT PATH — appends to byte buffers without making strings.

extension Array where Element == UInt8 {
    package mutating func append(utf8Of text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }

    package mutating func append(_ literal: StaticString) {
        literal.withUTF8Buffer { append(contentsOf: $0) }
    }

    /// The number in decimal, with a minus sign where it needs one.
    package mutating func append(decimal value: some FixedWidthInteger) {
        if value == 0 {
            append(0x30)
            return
        }
        if value < 0 { append(0x2D) }
        var magnitude = value.magnitude
        let start = count
        while magnitude > 0 {
            let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: 10)
            append(0x30 + UInt8(truncatingIfNeeded: remainder))
            magnitude = quotient
        }
        self[start...].reverse()
    }

    /// The number in decimal, filled up with zeros on the left to `width` digits.
    package mutating func append(decimal value: Int, width: Int) {
        var divisor = 1
        for _ in 1..<Swift.max(width, 1) { divisor *= 10 }
        while divisor > 1, value < divisor {
            append(0x30)
            divisor /= 10
        }
        append(decimal: value)
    }
}
