/// How keys are spelled that are not all ASCII: each character in lower case, and in the bytes in which a rule has it, so that `Пароль`
/// is `пароль`, and `ñ` in one scalar and in two is one letter.
///
/// Unicode compares characters in time with the square of their length where somebody means it to; no letter of a rule is that long.
struct PrivacyKeyFolding: Sendable {
    /// UTF-8 bytes of a character that is looked up.
    private static let longestCharacter = 32

    /// The characters of the rules that are not ASCII, folded.
    private var spellings: [String: [UInt8]] = [:]

    /// Whether there is any: without one, bytes say it all.
    var isEmpty: Bool { spellings.isEmpty }

    init(_ texts: some Sequence<String>) {
        for character in texts.joined() where !Self.isASCII(character) {
            guard Self.isShort(character) else { continue }
            let folded = Self.folded(character)
            if spellings[folded] == nil { spellings[folded] = Array(folded.utf8) }
        }
    }

    /// By way of upper case, in which `ς` and `σ` are one.
    private static func folded(_ character: Character) -> String { character.uppercased().lowercased() }

    // Not as Character says it, which compares what is long as well.
    static func isASCII(_ character: Character) -> Bool { character.utf8.allSatisfy { $0 < 0x80 } }
    static func isUpper(_ character: Character) -> Bool { isShort(character) && character.isUppercase }
    static func isLower(_ character: Character) -> Bool { isShort(character) && character.isLowercase }
    private static func isShort(_ character: Character) -> Bool { character.utf8.count <= longestCharacter }

    /// What stands for the character in a pattern.
    func spelling(of character: Character) -> [UInt8] {
        guard Self.isShort(character) else { return Array(character.utf8) }
        let folded = Self.folded(character)
        return spellings[folded] ?? Array(folded.utf8)
    }
}
