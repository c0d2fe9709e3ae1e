// HOT PATH — whole numbers as decimal digits, two at a time.
internal import CLogbookSystem

private let pairs: StaticString =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"

/// Writes the digits, most significant first, with a minus sign where it is asked for.
/// - Parameter target: Room for 20 bytes.
/// - Returns: Bytes written, `1...20`.
@inline(__always)
package func writeDecimal(_ magnitude: UInt64, isNegative: Bool, to target: UnsafeMutablePointer<UInt8>) -> Int {
    var start = 0
    if isNegative {
        target[0] = 0x2D
        start = 1
    }
    if magnitude < 10 {
        target[start] = 0x30 &+ UInt8(truncatingIfNeeded: magnitude)
        return start &+ 1
    }
    let count = start &+ Int(logbook_decimal_digits(magnitude))
    var end = count
    var rest = magnitude
    let table = pairs.utf8Start
    while rest >= 100 {
        let quotient = rest / 100
        let pair = Int(truncatingIfNeeded: rest &- quotient &* 100) &* 2
        end &-= 2
        target[end] = table[pair]
        target[end &+ 1] = table[pair &+ 1]
        rest = quotient
    }
    if rest >= 10 {
        let pair = Int(truncatingIfNeeded: rest) &* 2
        target[end &- 2] = table[pair]
        target[end &- 1] = table[pair &+ 1]
    } else {
        target[end &- 1] = 0x30 &+ UInt8(truncatingIfNeeded: rest)
    }
    return count
}
