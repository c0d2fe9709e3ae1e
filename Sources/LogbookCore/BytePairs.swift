/// A set of pairs of bytes, for a first look that costs next to nothing: a bit for each pair.
struct BytePairs: Sendable {
    private var bits = [UInt64](repeating: 0, count: (1 << 16) / 64)

    mutating func insert(_ first: UInt8, _ second: UInt8) {
        let place = Int(first) << 8 | Int(second)
        bits[place >> 6] |= 1 << UInt64(place & 63)
    }

    @inline(__always)
    func contains(_ first: UInt8, _ second: UInt8) -> Bool {
        let place = Int(first) << 8 | Int(second)
        // Two bytes are never beyond the end: nothing is checked.
        return bits.withUnsafeBufferPointer { $0[place >> 6] } >> UInt64(place & 63) & 1 == 1
    }
}
