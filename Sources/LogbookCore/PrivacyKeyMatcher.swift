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
    /// Two bytes with which the last of several words may begin that are a key together, letters in lower case.
    private let continuations: BytePairs
    private let exempt: Set<[UInt8]>
    let isEmpty: Bool
    private let folding: PrivacyKeyFolding
    /// Whether keys are looked at byte by byte and in no other way, as they are where every rule is ASCII.
    private let isOfBytes: Bool

    init(_ rules: PrivacyRules) {
        let texts = rules.keys.map { rule in
            switch rule {
            case .containing(let text), .word(let text): text
            }
        }
        let folding = PrivacyKeyFolding(texts + rules.exemptKeys)
        var patterns = [[Pattern]](repeating: [], count: 256), starts = BytePairs(), continuations = BytePairs()
        for rule in rules.keys {
            let (text, isWord) =
                switch rule {
                case .containing(let text): (text, false)
                case .word(let text): (text, true)
                }
            let bytes = Self.folded(text, folding)
            guard let first = bytes.first else { continue }
            patterns[Int(first)].append(Pattern(bytes: bytes, isWord: isWord))
            for second in bytes.count > 1 ? bytes[1]...bytes[1] : 0...UInt8.max { starts.insert(first, second) }
            for place in bytes.indices.dropFirst(Self.leastOfFirstWord).dropLast() {
                continuations.insert(bytes[place] | 0x20, bytes[place + 1] | 0x20)
            }
        }
        if !folding.isEmpty {
            for first in UInt8.min...UInt8.max {
                for second in (first < 0x80 ? 0x80 : 0)...UInt8.max { continuations.insert(first, second) }
            }
        }
        self.patterns = patterns
        self.starts = starts
        self.continuations = continuations
        self.folding = folding
        exempt = Set(rules.exemptKeys.map { Self.folded($0, folding) })
        isEmpty = patterns.allSatisfy(\.isEmpty)
        isOfBytes = !isEmpty && folding.isEmpty
    }

    /// Looks at each byte of the key once for every pattern that begins with it, and then at no more than the pattern's length.
    func names(_ key: UnsafeBufferPointer<UInt8>, _ steps: inout Int) -> Bool {
        if !isOfBytes || key.isEmpty { return namesByCharacters(key, &steps) }
        steps += 2 * key.count
        return withUnsafeTemporaryAllocation(of: FoldedByte.self, capacity: key.count) { room in
            names(folded: UnsafeBufferPointer(rebasing: room[..<Self.fold(key, into: room.baseAddress!)]), &steps)
        }
    }

    @inline(__always)
    private func names(folded: UnsafeBufferPointer<FoldedByte>, _ steps: inout Int) -> Bool {
        for start in folded.indices
        where start + 1 == folded.count || starts.contains(folded[start].byte, folded[start + 1].byte) {
            if isPattern(folded, at: start, reaching: 0, &steps) { return !exempt.contains(folded.map(\.byte)) }
        }
        return false
    }

    @inline(never)
    private func namesByCharacters(_ key: UnsafeBufferPointer<UInt8>, _ steps: inout Int) -> Bool {
        if isEmpty || key.isEmpty { return false }
        let folded = Self.fold(String(decoding: key, as: UTF8.self), folding)
        steps += 2 * max(key.count, folded.count)
        return folded.withUnsafeBufferPointer { names(folded: $0, &steps) }
    }

    /// Whether the key does not count, whatever pattern it holds.
    func isExempt(_ key: String) -> Bool { !exempt.isEmpty && exempt.contains(Self.folded(key, folding)) }

    /// What a key of several words has of its first one and of its last one: `sent to Ken` is no token.
    private static let leastOfFirstWord = 3, leastOfLastWord = 2

    /// Whether a word that begins with these may be the last of several that are a key together; says no of most.
    func mayEnd(with first: UInt8, _ second: UInt8) -> Bool { continuations.contains(first | 0x20, second | 0x20) }

    /// Whether words are a key together, from the beginning of one of them into the last: `API key` in `the API key`.
    /// - Parameter place: Where the last one begins.
    func names(_ words: UnsafeBufferPointer<UInt8>, lastFrom place: Int, _ steps: inout Int) -> Bool {
        steps += 2 * words.count
        if !isOfBytes {
            let folded = Self.fold(String(decoding: words, as: UTF8.self), folding)
            let inLast = Self.fold(String(decoding: words[place...], as: UTF8.self), folding).count
            return folded.withUnsafeBufferPointer { names(folded: $0, last: $0.count - inLast, &steps) }
        }
        return withUnsafeTemporaryAllocation(of: FoldedByte.self, capacity: words.count) { room in
            let inLast = Self.fold(UnsafeBufferPointer(rebasing: words[place...]), into: room.baseAddress!)
            let folded = UnsafeBufferPointer(rebasing: room[..<Self.fold(words, into: room.baseAddress!)])
            return names(folded: folded, last: folded.count - inLast, &steps)
        }
    }

    private func names(folded: UnsafeBufferPointer<FoldedByte>, last: Int, _ steps: inout Int) -> Bool {
        for start in 0..<max(0, last - Self.leastOfFirstWord + 1)
        where folded[start].startsWord && !folded[start + 1..<start + Self.leastOfFirstWord].contains(where: \.startsWord) {
            if isPattern(folded, at: start, reaching: last + Self.leastOfLastWord, &steps) {
                return !(0...start).contains { folded[$0].startsWord && exempt.contains(folded[$0...].map(\.byte)) }
            }
        }
        return false
    }

    @inline(never)
    private func isPattern(
        _ folded: UnsafeBufferPointer<FoldedByte>, at start: Int, reaching least: Int, _ steps: inout Int
    ) -> Bool {
        for pattern in patterns[Int(folded[start].byte)] {
            let end = start + pattern.bytes.count
            guard end >= least, end <= folded.count else { continue }
            if pattern.isWord, !folded[start].startsWord || (end < folded.count && !folded[end].startsWord) { continue }
            var length = 1
            while length < pattern.bytes.count, folded[start + length].byte == pattern.bytes[length] { length += 1 }
            steps += length
            if length == pattern.bytes.count { return true }
        }
        return false
    }

    private static func folded(_ text: String, _ folding: PrivacyKeyFolding) -> [UInt8] { fold(text, folding).map(\.byte) }

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

    /// The same by characters, where rules have some that are not ASCII; they count as letters.
    private static func fold(_ text: String, _ folding: PrivacyKeyFolding) -> [FoldedByte] {
        var text = text, folded: [FoldedByte] = []
        if folding.isEmpty || text.utf8.allSatisfy({ $0 < 0x80 }) {
            return text.withUTF8 { bytes in
                withUnsafeTemporaryAllocation(of: FoldedByte.self, capacity: bytes.count) { room in
                    bytes.isEmpty ? [] : Array(room[..<fold(bytes, into: room.baseAddress!)])
                }
            }
        }
        var isInWord = false, isAfterUpper = false, startsWord = false
        for (character, next) in zip(text, text.dropFirst().map(Optional.some) + [nil]) {
            let isUpper = PrivacyKeyFolding.isUpper(character)
            if isUpper || !PrivacyKeyFolding.isASCII(character) || character.utf8.allSatisfy(\.isWordPart) {
                startsWord = !isInWord || (isUpper && (!isAfterUpper || next.map(PrivacyKeyFolding.isLower) ?? false))
                for byte in folding.spelling(of: character) {
                    folded.append(FoldedByte(byte: byte, startsWord: startsWord))
                    startsWord = false
                }
                isInWord = true
            } else {
                isInWord = false
            }
            isAfterUpper = isUpper
        }
        return folded
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
