/// Finds what ``PrivacyRules`` call private: the rules, ready for use.
final class PrivacyScanner: Sendable {
    let keys: PrivacyKeyMatcher
    private let hasDetectors: Bool
    private let sought: PrivacyScan.Seeks
    private let soughtInNumbers: PrivacyScan.Seeks
    let found: LogPrivacy
    let unmarkedTexts: LogPrivacy
    /// Whether there is anything to be found.
    let seeks: Bool

    /// Nil when the rules find nothing.
    init?(_ rules: PrivacyRules) {
        if rules.isEmpty { return nil }
        keys = PrivacyKeyMatcher(rules)
        hasDetectors = !rules.detectors.isEmpty
        sought = PrivacyScan.Seeks(rules.detectors, keys: keys)
        soughtInNumbers = PrivacyScan.Seeks([.cardNumber], keys: keys)
        found = rules.found
        unmarkedTexts = rules.unmarkedTexts
        seeks = rules.found != .public && !(rules.keys.isEmpty && rules.detectors.isEmpty)
    }

    func names(_ key: String) -> Bool {
        var key = key
        return key.withUTF8(names)
    }

    /// What a text under the key is that nobody marked.
    func unmarkedTexts(under key: String) -> LogPrivacy {
        Self.placeKeys.contains(MetadataKey(key)) || keys.isExempt(key) ? .public : unmarkedTexts
    }

    /// Keys that say where an event belongs.
    private static let placeKeys = Set([LogMetadata.categoryKey, LogMetadata.transactionKey].map { MetadataKey($0) })

    /// Whether anything in the text is private.
    func finds(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        if unmarkedTexts != .public { return true }
        if !hasDetectors || text.count < Self.shortestFind { return false }
        var scan = PrivacyScan(text, sought)
        return scan.next() != nil
    }

    func finds(in text: String) -> Bool {
        var text = text
        return text.withUTF8(finds)
    }

    /// - Parameter message: Without marks that hide anything.
    func finds(in message: LogMessage) -> Bool { message.literal.map { finds(in: $0.bytes) } ?? finds(in: message.plainText) }

    /// Whether a lens might show anything of it otherwise than it is.
    func finds(in metadata: LogMetadata, depth: Int = 0) -> Bool {
        if metadata.isEmpty { return false }
        return unmarkedTexts != .public
            || !metadata.allMembers { key, value in !names(key) && !finds(in: key) && !finds(in: value, depth: depth) }
    }

    /// The same for metadata of plain values.
    func finds(in members: MemberWords) -> Bool {
        if members.count == 0 { return false }
        return unmarkedTexts != .public || !members.allMembers { key, value in !names(key) && !finds(in: key) && !finds(in: value) }
    }

    private func names(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        var steps = 0
        return keys.names(key, &steps)
    }

    private func finds(in value: WritableValue) -> Bool {
        switch value {
        case .text(let text): finds(in: text)
        default: finds(in: value.value, depth: 0)
        }
    }

    private func finds(in value: LogValue, depth: Int) -> Bool {
        switch value {
        case .null, .bool: false
        case .string(let text): finds(in: text)
        case .integer(let number): UInt64(exactly: number).map(isCardNumber) ?? false
        case .unsigned(let number): isCardNumber(number)
        case .double(let number): UInt64(exactly: number).map(isCardNumber) ?? false
        case .array(let values):
            depth == LogLimits.highest.metadataDepth || values.contains { finds(in: $0, depth: depth + 1) }
        case .object(let members): depth == LogLimits.highest.metadataDepth || finds(in: members, depth: depth + 1)
        case .protected: true
        }
    }

    /// What is private in the text, in its order, without overlaps.
    func ranges(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        var steps = 0
        return ranges(in: text, &steps)
    }

    /// - Parameter steps: Grows by the bytes that were looked at, each look counted.
    func ranges(in text: UnsafeBufferPointer<UInt8>, _ steps: inout Int) -> [Range<Int>] {
        if !hasDetectors || text.count < Self.shortestFind { return [] }
        var scan = PrivacyScan(text, sought)
        var found: [Range<Int>] = []
        while let find = scan.next() { found.append(find) }
        steps += scan.steps
        return found
    }

    /// A key of one letter, and a value of one.
    private static let shortestFind = 3

    /// Whether a whole number is one of a payment card.
    func isCardNumber(_ number: UInt64) -> Bool {
        guard sought.cardNumber, number >= 1_000_000_000_000 else { return false }
        var digits: [UInt8] = []
        digits.append(decimal: number)
        return digits.withUnsafeBufferPointer { digits in
            var scan = PrivacyScan(digits, soughtInNumbers)
            return scan.next() == 0..<digits.count
        }
    }
}
