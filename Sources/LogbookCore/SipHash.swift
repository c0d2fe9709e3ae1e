/// SipHash-2-4: a short keyed hash that says nothing about its input to anyone without the key.
///
/// - Note: Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012); the tests hold its reference vectors.
enum SipHash {
    static func hash(_ bytes: some Collection<UInt8>, key: (UInt64, UInt64)) -> UInt64 {
        var v0 = key.0 ^ 0x736F_6D65_7073_6575, v1 = key.1 ^ 0x646F_7261_6E64_6F6D
        var v2 = key.0 ^ 0x6C79_6765_6E65_7261, v3 = key.1 ^ 0x7465_6462_7974_6573

        func round() {
            v0 &+= v1
            v1 = rotate(v1, 13) ^ v0
            v0 = rotate(v0, 32)
            v2 &+= v3
            v3 = rotate(v3, 16) ^ v2
            v0 &+= v3
            v3 = rotate(v3, 21) ^ v0
            v2 &+= v1
            v1 = rotate(v1, 17) ^ v2
            v2 = rotate(v2, 32)
        }
        func compress(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        var word: UInt64 = 0, count: UInt64 = 0
        for byte in bytes {
            word |= UInt64(byte) << (8 * (count & 7))
            count &+= 1
            if count & 7 == 0 {
                compress(word)
                word = 0
            }
        }
        compress(word | count << 56)
        v2 ^= 0xFF
        for _ in 0..<4 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    private static func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 { word << count | word >> (64 - count) }
}
