/// Where random numbers come from: the system, or a seed that a test names.
public struct LogRandomness: Sendable {
    private let seeded: Locked<UInt64>?

    /// The system's generator, fit for ids.
    public static let system = LogRandomness(seeded: nil)
    /// The same numbers for the same seed (SplitMix64): for tests and simulations, never for ids that must be unique.
    public static func seeded(_ seed: UInt64) -> LogRandomness { LogRandomness(seeded: Locked(seed)) }

    public func next() -> UInt64 {
        guard let seeded else {
            var system = SystemRandomNumberGenerator()
            return system.next()
        }
        return seeded.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// A fraction in `0..<1`.
    public func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}

/// Random (version 4) UUIDs in capitals: `586AB00B-F16E-4AE6-8A91-0210264925C7`.
package enum UniqueID {
    package static func make(_ randomness: LogRandomness = .system) -> String {
        var bytes: [UInt8] = []
        for word in [randomness.next(), randomness.next()] {
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
        }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(0x2D) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
