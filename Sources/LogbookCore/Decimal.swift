// HOT PATH — whole numbers as decimal digits, two at a time. How many there are is found by comparing: a processor that has foreseen the
// outcome goes on with what stands behind the number before its digits are there.
internal import CLogbookSystem

/// Writes the digits, most significant first, with a minus sign where it is asked for.
/// - Parameter target: Room for 20 bytes.
/// - Returns: Bytes written, `1...20`.
@inline(__always)
package func writeDecimal(_ magnitude: UInt64, isNegative: Bool, to target: UnsafeMutablePointer<UInt8>) -> Int {
    if _fastPath(magnitude < 100_000_000 && !isNegative) {
        return writeUpToEight(UInt32(truncatingIfNeeded: magnitude), to: target) - target
    }
    return writeAnyDecimal(magnitude, isNegative: isNegative, to: target)
}

/// The same for a number below 100,000,000.
/// - Returns: Where it ends.
@inlinable
@inline(__always)
package func writeUpToEight(_ value: UInt32, to target: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    if value < 100 { return writeUpToTwo(value, isOne: value < 10, to: target) }
    // 32 bits of it lie behind the point, rounded up by less than a unit of the last digit: a digit is never one too small, nor too large.
    if value < 10_000 {
        var scaled = UInt64(value) &* 42_949_673   // 2^32 / 10^2
        let next = writeUpToTwo(UInt32(truncatingIfNeeded: scaled >> 32), isOne: value < 1000, to: target)
        writeNextPair(of: &scaled, to: next)
        return next + 2
    }
    if value < 1_000_000 {
        var scaled = UInt64(value) &* 429_497   // 2^32 / 10^4
        let next = writeUpToTwo(UInt32(truncatingIfNeeded: scaled >> 32), isOne: value < 100_000, to: target)
        writeNextPair(of: &scaled, to: next)
        writeNextPair(of: &scaled, to: next + 2)
        return next + 4
    }
    var scaled = (UInt64(value) &* 281_474_977) >> 16 &+ 1   // 2^48 / 10^6
    let next = writeUpToTwo(UInt32(truncatingIfNeeded: scaled >> 32), isOne: value < 10_000_000, to: target)
    writeNextPair(of: &scaled, to: next)
    writeNextPair(of: &scaled, to: next + 2)
    writeNextPair(of: &scaled, to: next + 4)
    return next + 6
}

/// The next two digits of a number of which 32 bits lie behind the point.
@inlinable
@inline(__always)
func writeNextPair(of scaled: inout UInt64, to target: UnsafeMutablePointer<UInt8>) {
    scaled = (scaled & 0xFFFF_FFFF) &* 100
    writePair(UInt32(truncatingIfNeeded: scaled >> 32), to: target)
}

@inline(never)
func writeAnyDecimal(_ magnitude: UInt64, isNegative: Bool, to target: UnsafeMutablePointer<UInt8>) -> Int {
    var start = 0
    if isNegative {
        target[0] = 0x2D
        start = 1
    }
    let count = start &+ Int(logbook_decimal_digits(magnitude))
    var end = count
    var rest = magnitude
    while rest >= 100 {
        let quotient = rest / 100
        end &-= 2
        writePair(UInt32(truncatingIfNeeded: rest &- quotient &* 100), to: target + end)
        rest = quotient
    }
    if rest >= 10 {
        writePair(UInt32(truncatingIfNeeded: rest), to: target + (end &- 2))
    } else {
        target[end &- 1] = 0x30 &+ UInt8(truncatingIfNeeded: rest)
    }
    return count
}

@inlinable
@inline(__always)
func writeUpToTwo(_ value: UInt32, isOne: Bool, to target: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    if isOne {
        target.pointee = 0x30 &+ UInt8(truncatingIfNeeded: value)
        return target + 1
    }
    writePair(value, to: target)
    return target + 2
}

/// - Parameter value: Below 100.
@inlinable
@inline(__always)
func writePair(_ value: UInt32, to target: UnsafeMutablePointer<UInt8>) {
    let pairs: StaticString =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"
    let pair = UnsafeRawPointer(pairs.utf8Start).loadUnaligned(fromByteOffset: Int(value) &* 2, as: UInt16.self)
    UnsafeMutableRawPointer(target).storeBytes(of: pair, as: UInt16.self)
}

/// Six digits, with zeros in front.
/// - Parameter value: Below a million.
@inlinable
@inline(__always)
package func writeSixDigits(_ value: UInt32, to target: UnsafeMutablePointer<UInt8>) {
    var scaled = UInt64(value) &* 429_497   // see above
    writePair(UInt32(truncatingIfNeeded: scaled >> 32), to: target)
    writeNextPair(of: &scaled, to: target + 2)
    writeNextPair(of: &scaled, to: target + 4)
}
