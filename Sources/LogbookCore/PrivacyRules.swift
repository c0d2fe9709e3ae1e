/// Which values are private although nobody marked them: by their key, and by their looks.
///
/// ```swift
/// service.privacyRules = .standard
/// service.privacyRules.keys.append("iban")
/// service.privacyRules.exemptKeys.insert("token_count")
/// ```
/// They are applied to messages, metadata with its keys and everything nested in it, errors' texts and the error descriptions of
/// transaction entries, in time that grows with the length of the text and no faster. A value marked ``LogPrivacy/public`` is left alone.
public struct PrivacyRules: Sendable, Hashable {
    /// Which keys make their value private, with everything in it.
    public var keys: [PrivacyKeyRule]
    /// Keys that do not, whatever ``keys`` says; compared as those are.
    public var exemptKeys: Set<String>
    public var detectors: Set<PrivacyDetector>
    /// What a value is that was found: private, or secret, which nobody sees whatever the registration.
    public var found: LogPrivacy
    /// What a text is that nobody marked and that is no literal of the program: public, unless set. Private shows literals, numbers and
    /// truth values alone, as the logs of Apple's systems do: `"user \(name) has \(count) carts"` reads `user <private> has 2 carts`.
    ///
    /// It is about interpolated texts and described values, messages that are at hand as a `String` (those of swift-log among them),
    /// texts in metadata except under ``exemptKeys``, `category` and `transaction_id`, and the descriptions of errors.
    public var unmarkedTexts: LogPrivacy

    public init(
        keys: [PrivacyKeyRule] = [], exemptKeys: Set<String> = [], detectors: Set<PrivacyDetector> = [],
        found: LogPrivacy = .private, unmarkedTexts: LogPrivacy = .public
    ) {
        self.keys = keys
        self.exemptKeys = exemptKeys
        self.detectors = detectors
        self.found = found
        self.unmarkedTexts = unmarkedTexts
    }

    /// Only what is marked is private.
    public static let none = PrivacyRules()

    /// Every detector, and the keys under which programs commonly carry passwords, tokens, cookies, keys and card numbers.
    public static let standard = PrivacyRules(
        keys: [
            "password", "passwd", "passphrase", "passcode", "secret", "token", "authorization", "cookie", "credential", "apikey",
            "accesskey", "privatekey", "signingkey", "encryptionkey", "sessionid", "cardnumber", "creditcard", "securitycode",
            .word("pwd"), .word("auth"), .word("jwt"), .word("bearer"), .word("csrf"), .word("xsrf"), .word("pin"), .word("otp"),
            .word("cvv"), .word("cvc"), .word("ssn"),
        ],
        detectors: Set(PrivacyDetector.allCases))

    /// What these find and what others find, as secret as either says.
    func joined(with others: PrivacyRules) -> PrivacyRules {
        PrivacyRules(
            keys: keys + others.keys.filter { !keys.contains($0) }, exemptKeys: exemptKeys.union(others.exemptKeys),
            detectors: detectors.union(others.detectors), found: Self.stricter(found, others.found),
            unmarkedTexts: Self.stricter(unmarkedTexts, others.unmarkedTexts))
    }

    private static func stricter(_ one: LogPrivacy, _ other: LogPrivacy) -> LogPrivacy {
        [.secret, .private].first { $0 == one || $0 == other } ?? .public
    }

    /// Whether nothing can be found.
    public var isEmpty: Bool { unmarkedTexts == .public && (found == .public || (keys.isEmpty && detectors.isEmpty)) }

    /// The text with `<private>`, or `<secret>`, for everything that is found in it: for what does not come to the service as an event.
    public func masking(_ text: String) -> String { PrivacyLens.masking(self).masked(text) }
}
