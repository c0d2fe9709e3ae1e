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

/// UUIDs in capitals: `586AB00B-F16E-4AE6-8A91-0210264925C7`.
package enum UniqueID {
    /// A random one (version 4).
    package static func make(_ randomness: LogRandomness = .system) -> String {
        text(version: 4, randomness.next(), randomness.next())
    }

    /// One that begins with a moment (version 7), for what is stored under many of them: those of one hour lie side by side in an index,
    /// where random ones touch a page of the disk each.
    /// - Parameter moment: Counts to the millisecond; one before 1970 counts as 1970.
    package static func make(at moment: LogTime, _ randomness: LogRandomness = .system) -> String {
        let milliseconds = UInt64(max(0, moment.nanoseconds / 1_000_000))
        return text(version: 7, milliseconds << 16 | randomness.next() & 0xFFFF, randomness.next())
    }

    private static func text(version: UInt64, _ high: UInt64, _ low: UInt64) -> String {
        let words = [high & ~0xF000 | version << 12, low & ~(0b11 << 62) | 0b10 << 62]
        return String(unsafeUninitializedCapacity: 36) { text in
            var place = 0
            for nibble in 0..<32 {
                if [8, 12, 16, 20].contains(nibble) {
                    text[place] = UInt8(ascii: "-")
                    place += 1
                }
                text[place] = UInt8(truncatingIfNeeded: words[nibble >> 4] >> UInt64(60 - nibble % 16 * 4) & 15).capitalHexadecimalDigit
                place += 1
            }
            return place
        }
    }
}
