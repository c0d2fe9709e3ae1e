/// The key with which ``PrivacyMode/hashed`` values are hashed: 128 bits, printed nowhere.
///
/// Without the key nobody can try out which value a hash stands for. Programs with the same key give equal values equal hashes;
/// keep it as you keep a password.
public struct PrivacyKey: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let high: UInt64
    private let low: UInt64

    /// A key of the system's random numbers, different at every call.
    public static func random() -> PrivacyKey {
        var system = SystemRandomNumberGenerator()
        return PrivacyKey(high: system.next(), low: system.next())
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A key that was kept: `000102030405060708090a0b0c0d0e0f`, the 16 bytes in order. Nil unless the text is 32 hexadecimal digits.
    public init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 32, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let high = UInt64(String(decoding: digits[..<16], as: UTF8.self), radix: 16),
            let low = UInt64(String(decoding: digits[16...], as: UTF8.self), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// Equal values have equal hashes; that two different ones do is as likely as guessing 64 random bits.
    func hash(_ bytes: some Collection<UInt8>) -> UInt64 { SipHash.hash(bytes, key: (high.byteSwapped, low.byteSwapped)) }

    public var description: String { "***" }
    public var debugDescription: String { "***" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
