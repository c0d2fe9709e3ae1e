// HOT PATH — the caller stores one word per piece of a message; digits and characters are made when somebody reads it.

/// A piece of a message as one word: what it is, in the lowest three bits, and as much of it as fits. Text, and what needs all 64
/// bits, lies in the words behind it.
@usableFromInline
package enum MessageWord {
    @usableFromInline
    enum Kind: UInt64 {
        /// UTF-8 of `rest` bytes in the words behind, filled up to whole words.
        case text
        /// A literal of the program: 48 bits of address, 13 of length.
        case literal
        /// A whole number of 61 bits.
        case small
        /// The word behind is an `Int64`, a `UInt64`, or the bits of a `Double`.
        case signed, unsigned, double
        /// What lies between these two is for certain readers; `rest` of the first says for which.
        case markBegin, markEnd
    }
    static let kindBits = 3, kindMask: UInt64 = 7
    static let literalLengthBits = 13
    static let literalAddressShift = kindBits + literalLengthBits

    @inline(__always)
    static func make(_ kind: Kind, _ rest: UInt64 = 0) -> UInt64 { rest << UInt64(kindBits) | kind.rawValue }

    static func begin(_ privacy: LogPrivacy) -> UInt64 {
        switch privacy {
        case .public: make(.markBegin, 0)
        case .private: make(.markBegin, 1)
        case .secret: make(.markBegin, 2)
        }
    }

    /// For whom is what lies behind the word.
    static func privacy(of begin: UInt64) -> LogPrivacy {
        switch begin >> UInt64(kindBits) {
        case 0: .public
        case 1: .private
        default: .secret
        }
    }

    /// Nil when the literal is too long, or lies where no program is loaded today.
    @inline(__always)
    static func literal(_ text: StaticText) -> UInt64? {
        let address = UInt64(UInt(bitPattern: text.start)), count = UInt64(truncatingIfNeeded: text.count)
        guard count >> UInt64(literalLengthBits) == 0, address >> 48 == 0 else { return nil }
        return address << UInt64(literalAddressShift) | count << UInt64(kindBits) | Kind.literal.rawValue
    }

    static func textWords(_ count: Int) -> Int { (count + 7) / 8 }

    @inlinable
    @inline(__always)
    package static func isLiteral(_ word: UInt64) -> Bool { word & 7 == 1 }

    /// The length of a literal.
    @inlinable
    @inline(__always)
    package static func literalBytes(_ word: UInt64) -> Int { Int(truncatingIfNeeded: word >> 3) & 0x1FFF }

    /// The number in a word, or something that is no less than ``endOfEightDigits`` where it has none, or a negative or longer one.
    @inlinable
    @inline(__always)
    package static func upToEightDigits(_ word: UInt64) -> UInt64 {
        // Of the right kind nothing is left, of another one the topmost bits are.
        let number = word &- 2
        return number >> 3 | number << 61
    }
    @inlinable
    @inline(__always)
    package static var endOfEightDigits: UInt64 { 100_000_000 }
}
