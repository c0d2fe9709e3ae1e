// HOT PATH — asked for every `key: value` in a message; a short key is looked at without an allocation.

/// The keys of ``PrivacyRules``, ready to be looked up.
final class PrivacyKeyMatcher: Sendable {
    private struct Pattern: Sendable {
        let bytes: [UInt8]
        let isWord: Bool
    }
    /// By the first byte of a pattern.
    private let patterns: [[Pattern]]
    /// The first two bytes of every pattern.
    private let starts: BytePairs
    private let exempt: Set<[UInt8]>
    let isEmpty: Bool

    init(_ rules: PrivacyRules) {
        var patterns = [[Pattern]](repeating: [], count: 256), starts = BytePairs()
        for rule in rules.keys {
            let (text, isWord) =
                switch rule {
                case .containing(let text): (text, false)
                case .word(let text): (text, true)
                }
            let bytes = Self.folded(text)
            guard let first = bytes.first else { continue }
            patterns[Int(first)].append(Pattern(bytes: bytes, isWord: isWord))
            for second in bytes.count > 1 ? bytes[1]...bytes[1] : 0...UInt8.max { starts.insert(first, second) }
        }
        self.patterns = patterns
        self.starts = starts
        exempt = Set(rules.exemptKeys.map(Self.folded))
        isEmpty = patterns.allSatisfy(\.isEmpty)
    }

    /// Looks at each byte of the key once for every pattern that begins with it, and then at no more than the pattern's length.
    func names(_ key: UnsafeBufferPointer<UInt8>, _ steps: inout Int) -> Bool {
        if isEmpty || key.isEmpty { return false }
        steps += 2 * key.count
        return withUnsafeTemporaryAllocation(of: FoldedByte.self, capacity: key.count) { room in
            let folded = UnsafeBufferPointer(rebasing: room[..<Self.fold(key, into: room.baseAddress!)])
            for start in folded.indices
            where start + 1 == folded.count || starts.contains(folded[start].byte, folded[start + 1].byte) {
                if isPattern(folded, at: start, &steps) { return !exempt.contains(folded.map(\.byte)) }
            }
            return false
        }
    }

    @inline(never)
    private func isPattern(_ folded: UnsafeBufferPointer<FoldedByte>, at start: Int, _ steps: inout Int) -> Bool {
        for pattern in patterns[Int(folded[start].byte)] where start + pattern.bytes.count <= folded.count {
            let end = start + pattern.bytes.count
            if pattern.isWord, !folded[start].startsWord || (end < folded.count && !folded[end].startsWord) { continue }
            var length = 1
            while length < pattern.bytes.count, folded[start + length].byte == pattern.bytes[length] { length += 1 }
            steps += length
            if length == pattern.bytes.count { return true }
        }
        return false
    }

    private static func folded(_ text: String) -> [UInt8] {
        var text = text
        return text.withUTF8 { bytes in
            withUnsafeTemporaryAllocation(of: FoldedByte.self, capacity: bytes.count) { room in
                bytes.isEmpty ? [] : room[..<fold(bytes, into: room.baseAddress!)].map(\.byte)
            }
        }
    }

    /// A letter in lower case or a digit, and whether a word begins there: after anything else, and at `P` in `userPin` and `APIPin`.
    private struct FoldedByte {
        let byte: UInt8
        let startsWord: Bool
    }

    /// - Parameter room: For as many as there are bytes in the text.
    /// - Returns: How many of them are letters and digits.
    private static func fold(_ text: UnsafeBufferPointer<UInt8>, into room: UnsafeMutablePointer<FoldedByte>) -> Int {
        var count = 0, isInWord = false, isAfterUpper = false
        for place in text.indices {
            let byte = text[place], isUpper = byte.isUpper
            if isUpper || byte.isLower || byte.isDigit || byte >= 0x80 {
                let startsWord = !isInWord || (isUpper && (!isAfterUpper || (place &+ 1 < text.count && text[place &+ 1].isLower)))
                (room + count).initialize(to: FoldedByte(byte: isUpper ? byte | 0x20 : byte, startsWord: startsWord))
                count &+= 1
                isInWord = true
            } else {
                isInWord = false
            }
            isAfterUpper = isUpper
        }
        return count
    }
}

extension UInt8 {
    @inline(__always)
    var isUpper: Bool { self &- 0x41 < 26 }
    @inline(__always)
    var isLower: Bool { self &- 0x61 < 26 }
    @inline(__always)
    var isDigit: Bool { self &- 0x30 < 10 }
    /// An ASCII letter or digit.
    @inline(__always)
    var isWordPart: Bool { (self | 0x20) &- 0x61 < 26 || isDigit }
}
