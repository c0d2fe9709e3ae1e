/// Which keys of metadata, and of `key=value` in texts, name a private value. Upper and lower case are the same, and what is neither
/// a letter nor a digit does not count: `api_key`, `apiKey` and `X-API-Key` are one.
public enum PrivacyKeyRule: Sendable, Hashable, ExpressibleByStringLiteral {
    /// Keys in which the text occurs: `"password"` covers `userPassword` and `db.password_hash`.
    case containing(String)
    /// Keys of which it is a word: `.word("pin")` covers `pin`, `card_pin` and `cardPin`, and not `shipping`.
    case word(String)

    /// ``containing(_:)``.
    public init(stringLiteral text: String) { self = .containing(text) }
}
