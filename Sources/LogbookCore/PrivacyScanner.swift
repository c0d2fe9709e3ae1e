/// Finds what ``PrivacyRules`` call private: the rules, ready for use.
struct PrivacyScanner: Sendable {
    let keys: PrivacyKeyMatcher
    let detectors: Set<PrivacyDetector>
    let found: LogPrivacy
    let unmarkedTexts: LogPrivacy
    /// Whether there is anything to be found.
    let seeks: Bool
    /// Keys whose texts are as they are, whatever ``unmarkedTexts`` says.
    private let openKeys: Set<String>

    /// Nil when the rules find nothing.
    init?(_ rules: PrivacyRules) {
        if rules.isEmpty { return nil }
        keys = PrivacyKeyMatcher(rules)
        detectors = rules.detectors
        found = rules.found
        unmarkedTexts = rules.unmarkedTexts
        seeks = rules.found != .public && !(rules.keys.isEmpty && rules.detectors.isEmpty)
        openKeys = rules.exemptKeys.union([LogMetadata.categoryKey, LogMetadata.transactionKey])
    }

    func names(_ key: String) -> Bool {
        var steps = 0
        return keys.names(key.utf8, &steps)
    }

    /// What a text under the key is that nobody marked.
    func unmarkedTexts(under key: String) -> LogPrivacy { openKeys.contains(key) ? .public : unmarkedTexts }

    /// What is private in the text, in its order, without overlaps.
    func ranges(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        var steps = 0
        return ranges(in: text, &steps)
    }

    /// - Parameter steps: Grows by the bytes that were looked at, each look counted.
    func ranges(in text: UnsafeBufferPointer<UInt8>, _ steps: inout Int) -> [Range<Int>] {
        if detectors.isEmpty || text.count < Self.shortestFind { return [] }
        var scan = PrivacyScan(text, keys: keys, detectors: detectors)
        scan.run()
        steps += scan.steps
        return scan.found
    }

    /// A key of one letter, and a value of one.
    private static let shortestFind = 3

    /// Whether a whole number is one of a payment card.
    func isCardNumber(_ number: UInt64) -> Bool {
        guard number >= 1_000_000_000_000, detectors.contains(.cardNumber) else { return false }
        var digits: [UInt8] = []
        digits.append(decimal: number)
        return digits.withUnsafeBufferPointer { digits in
            var scan = PrivacyScan(digits, keys: keys, detectors: [.cardNumber])
            scan.run()
            return scan.found == [0..<digits.count]
        }
    }
}
