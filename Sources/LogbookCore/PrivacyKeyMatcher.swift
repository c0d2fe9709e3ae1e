/// The keys of ``PrivacyRules``, ready to be looked up.
struct PrivacyKeyMatcher: Sendable {
    private struct Pattern: Sendable {
        let bytes: [UInt8]
        let isWord: Bool
    }
    /// By the first byte of a pattern.
    private let patterns: [[Pattern]]
    private let exempt: Set<[UInt8]>
    let isEmpty: Bool

    init(_ rules: PrivacyRules) {
        var patterns = [[Pattern]](repeating: [], count: 256)
        for rule in rules.keys {
            let (text, isWord) =
                switch rule {
                case .containing(let text): (text, false)
                case .word(let text): (text, true)
                }
            let bytes = Self.folded(Array(text.utf8))
            if let first = bytes.first { patterns[Int(first)].append(Pattern(bytes: bytes, isWord: isWord)) }
        }
        self.patterns = patterns
        exempt = Set(rules.exemptKeys.map { Self.folded(Array($0.utf8)) })
        isEmpty = patterns.allSatisfy(\.isEmpty)
    }

    /// Looks at each byte of the key once for every pattern that begins with it, and then at no more than the pattern's length.
    func names(_ key: some BidirectionalCollection<UInt8>, _ steps: inout Int) -> Bool {
        if isEmpty || key.isEmpty { return false }
        var folded: [UInt8] = [], wordStarts: [Bool] = []
        folded.reserveCapacity(key.count)
        wordStarts.reserveCapacity(key.count + 1)
        Self.fold(key) { byte, startsWord in
            folded.append(byte)
            wordStarts.append(startsWord)
        }
        wordStarts.append(true)
        steps += key.count
        for start in folded.indices {
            steps += 1
            for pattern in patterns[Int(folded[start])] where start + pattern.bytes.count <= folded.count {
                if pattern.isWord, !wordStarts[start] || !wordStarts[start + pattern.bytes.count] { continue }
                var length = 1
                while length < pattern.bytes.count, folded[start + length] == pattern.bytes[length] { length += 1 }
                steps += length
                if length == pattern.bytes.count { return !exempt.contains(folded) }
            }
        }
        return false
    }

    private static func folded(_ text: [UInt8]) -> [UInt8] {
        var folded: [UInt8] = []
        fold(text) { byte, _ in folded.append(byte) }
        return folded
    }

    /// Letters in lower case and digits, and whether a word begins there: after anything else, and at `P` in `userPin` and `APIPin`.
    private static func fold(_ text: some BidirectionalCollection<UInt8>, _ body: (UInt8, Bool) -> Void) {
        var previous: UInt8 = 0, index = text.startIndex
        while index != text.endIndex {
            let byte = text[index]
            text.formIndex(after: &index)
            defer { previous = byte }
            guard byte.isWordPart || byte >= 0x80 else { continue }
            let isUpper = byte.isUpper
            let isBeforeLower = index != text.endIndex && text[index].isLower
            let startsWord = !(previous.isWordPart || previous >= 0x80) || (isUpper && (!previous.isUpper || isBeforeLower))
            body(isUpper ? byte | 0x20 : byte, startsWord)
        }
    }
}

extension UInt8 {
    var isUpper: Bool { self >= 0x41 && self <= 0x5A }
    var isLower: Bool { self >= 0x61 && self <= 0x7A }
    var isDigit: Bool { self >= 0x30 && self <= 0x39 }
    /// An ASCII letter or digit.
    var isWordPart: Bool { isLower || isUpper || isDigit }
}
