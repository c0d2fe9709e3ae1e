// HOT PATH — every message goes through here where the rules seek anything: most bytes are passed over 64 at a time.
internal import CLogbookSystem

/// One pass over a text. Every look at a byte is counted: no detector goes back further than to where its own last find, or failure,
/// ended, or the sign before this one stands, or than a fixed number of bytes, and none looks beyond its line twice, so their number is a
/// multiple of the length.
struct PrivacyScan {
    private let text: UnsafeBufferPointer<UInt8>
    private let seeks: Seeks
    private(set) var steps = 0

    private var position = 0
    /// Where a find may begin, in the 64 bytes from `blockStart` on; see ``nextPlace()``.
    private var block: UInt64 = 0
    private var blockStart = -1
    /// Where an escape (`\n`, `%20`) ends: what comes there begins a word, though a letter or digit is in front of it.
    private var escapeEnd = -1
    /// Up to here no JSON web token begins: the run of letters was looked at, and nothing that follows makes a token of it.
    private var tokenFreeUntil = 0
    /// Up to here a bracket was looked for, across lines, that closes an earlier one: no line is crossed for another.
    private var unclosedUntil = 0
    /// The password of the URL that is being passed.
    private var password: Range<Int>?

    /// Which detectors there are, and what the keys are.
    final class Seeks: Sendable {
        let keys: PrivacyKeyMatcher
        let jsonWebToken, bearerToken, accessKey, privateKey, cardNumber, urlPassword, assignment: Bool
        /// The first two bytes of everything that is told by its beginning.
        let tokenStarts = PrivacyScan.tokenStarts

        init(_ detectors: Set<PrivacyDetector>, keys: PrivacyKeyMatcher) {
            self.keys = keys
            jsonWebToken = detectors.contains(.jsonWebToken)
            bearerToken = detectors.contains(.bearerToken)
            accessKey = detectors.contains(.accessKey)
            privateKey = detectors.contains(.privateKey)
            cardNumber = detectors.contains(.cardNumber)
            urlPassword = detectors.contains(.urlPassword)
            assignment = detectors.contains(.assignment) && !keys.isEmpty
        }
    }

    init(_ text: UnsafeBufferPointer<UInt8>, _ seeks: Seeks) {
        self.text = text
        self.seeks = seeks
    }

    /// What is found next, without overlaps; nil when there is nothing more.
    mutating func next() -> Range<Int>? {
        while let place = nextPlace() {
            position = place
            if let find = find(text[place]) {
                position = find.upperBound
                return find
            }
            position += 1
        }
        return nil
    }

    /// What begins here, or what the byte here ends the name of.
    private mutating func find(_ byte: UInt8) -> Range<Int>? {
        switch byte {
        case UInt8(ascii: ":"):
            noteURL()
            return passwordHere() ?? assignment()
        case UInt8(ascii: "="): return assignment()
        case UInt8(ascii: "-"): return privateKey()
        case UInt8(ascii: "\\"): escapeEnd = position + 2
        case UInt8(ascii: "%"): escapeEnd = position + 3
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return cardNumber()
        default: return jsonWebToken(byte) ?? bearerToken(byte) ?? accessKey(byte)
        }
        return nil
    }

    /// The next place where a word begins that may be a token or a number, or one of the bytes stands that ``find(_:)`` looks at.
    @inline(__always)
    private mutating func nextPlace() -> Int? {
        while position < text.count {
            let start = position & ~63
            if start != blockStart {
                blockStart = start
                let count = min(64, text.count &- start)
                block = logbook_word_starts(text.baseAddress! + start, count, start > 0 && text[start &- 1].isWordPart)
                steps &+= count
            }
            var rest = block & (~0 &<< UInt64(truncatingIfNeeded: position &- start))
            if _slowPath(escapeEnd >= position) {
                // A word that begins within a run of letters and digits, because an escape ends there.
                let next = rest == 0 ? min(start &+ 64, text.count) : start &+ rest.trailingZeroBitCount
                if escapeEnd < next, text[escapeEnd].isWordPart { return escapeEnd }
                if rest != 0 { return next }
            }
            while rest != 0 {
                let place = start &+ rest.trailingZeroBitCount
                if !text[place].isLetter { return place }
                if place &+ 1 < text.count, seeks.tokenStarts.contains(text[place], text[place &+ 1]) { return place }
                rest &= rest &- 1
            }
            position = start &+ 64
        }
        return nil
    }

    private static let tokenStarts: BytePairs = {
        var pairs = BytePairs()
        for pair in ["ey", "be", "bE", "Be", "BE"] { pairs.insert(pair.utf8.first!, pair.utf8.last!) }
        for prefix in prefixes.joined() { pairs.insert(prefix.text.utf8Start[0], prefix.text.utf8Start[1]) }
        return pairs
    }()

    private mutating func look(_ place: Int) -> UInt8? {
        steps += 1
        return place >= 0 && place < text.count ? text[place] : nil
    }

    private mutating func stands(_ literal: StaticString, at place: Int, ignoringCase: Bool = false) -> Bool {
        let literal = UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        for offset in literal.indices {
            guard let byte = look(place + offset) else { return false }
            guard byte == literal[offset] || (ignoringCase && byte | 0x20 == literal[offset]) else { return false }
        }
        return true
    }

    /// The end of the run of bytes that begins at `place`.
    private mutating func end(from place: Int, atMost limit: Int = .max, _ isPart: (UInt8) -> Bool) -> Int {
        var end = place
        while end - place < limit, let byte = look(end), isPart(byte) { end += 1 }
        return end
    }

    // MARK: Tokens

    private static let shortestTokenHead = 10
    private static let shortestTokenBody = 4
    private static let mostTokenParts = 5

    /// `eyJ` is how the base 64 of `{"` begins.
    private mutating func jsonWebToken(_ first: UInt8) -> Range<Int>? {
        guard seeks.jsonWebToken, first == UInt8(ascii: "e"), position >= tokenFreeUntil, stands("eyJ", at: position) else {
            return nil
        }
        let headEnd = end(from: position, \.isBase64URL)
        tokenFreeUntil = headEnd
        guard headEnd - position >= Self.shortestTokenHead else { return nil }
        var last = headEnd, isToken = false
        for _ in 1..<Self.mostTokenParts {
            guard look(last) == UInt8(ascii: ".") else { break }
            let partEnd = end(from: last + 1, \.isBase64URL)
            if partEnd - last > Self.shortestTokenBody { isToken = true }
            last = partEnd
        }
        return isToken ? position..<last : nil
    }

    private mutating func bearerToken(_ first: UInt8) -> Range<Int>? {
        guard seeks.bearerToken, first | 0x20 == UInt8(ascii: "b"), stands("bearer", at: position, ignoringCase: true) else {
            return nil
        }
        var start = end(from: position + 6) { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }
        if stands("%20", at: start) { start += 3 }
        guard start > position + 6 else { return nil }
        // A word of prose is short and has no digit; a token is neither.
        let shown = end(from: start, atMost: 20, \.isBearerPart)
        guard shown - start == 20 || (shown - start >= 8 && text[start..<shown].contains(where: \.isDigit)) else { return nil }
        return start..<end(from: shown, \.isBearerPart)
    }

    private struct Prefix {
        let text: StaticString
        let isPart: @Sendable (UInt8) -> Bool
        let minimum: Int
        var maximum = Int.max
        init(
            _ text: StaticString, _ minimum: Int, upTo maximum: Int = .max,
            _ isPart: @escaping @Sendable (UInt8) -> Bool = { $0.isWordPart }
        ) {
            self.text = text
            self.minimum = minimum
            self.maximum = maximum
            self.isPart = isPart
        }
    }

    private static let prefixes: [[Prefix]] = {
        let capital: @Sendable (UInt8) -> Bool = { $0.isUpper || $0.isDigit }
        let dashed: @Sendable (UInt8) -> Bool = { $0.isBase64URL }
        let all = [
            Prefix("AKIA", 16, upTo: 16, capital), Prefix("ASIA", 16, upTo: 16, capital), Prefix("ABIA", 16, upTo: 16, capital),
            Prefix("ACCA", 16, upTo: 16, capital),
            Prefix("ghp_", 30), Prefix("gho_", 30), Prefix("ghu_", 30), Prefix("ghs_", 30), Prefix("ghr_", 30),
            Prefix("github_pat_", 22, dashed), Prefix("glpat-", 20, dashed),
            Prefix("xoxb-", 10, dashed), Prefix("xoxa-", 10, dashed), Prefix("xoxp-", 10, dashed), Prefix("xoxr-", 10, dashed),
            Prefix("xoxs-", 10, dashed), Prefix("xoxe-", 10, dashed), Prefix("xoxe.", 10) { $0.isBase64URL || $0 == UInt8(ascii: ".") },
            Prefix("xapp-", 10, dashed),
            Prefix("sk_live_", 16), Prefix("sk_test_", 16), Prefix("rk_live_", 16), Prefix("rk_test_", 16),
            Prefix("AIza", 35, dashed), Prefix("npm_", 30),
            Prefix("SG.", 40) { $0.isBase64URL || $0 == UInt8(ascii: ".") },
            Prefix("sk-", 20, dashed),
        ]
        return (UInt8.min...UInt8.max).map { byte in all.filter { $0.text.utf8Start[0] == byte } }
    }()

    private mutating func accessKey(_ first: UInt8) -> Range<Int>? {
        guard seeks.accessKey else { return nil }
        for prefix in Self.prefixes[Int(first)] where stands(prefix.text, at: position) {
            let start = position + prefix.text.utf8CodeUnitCount
            // No further than it takes to say no.
            guard end(from: start, atMost: prefix.minimum, prefix.isPart) == start + prefix.minimum else { continue }
            let last = end(from: start + prefix.minimum, atMost: prefix.maximum - prefix.minimum, prefix.isPart)
            if prefix.maximum < .max, look(last)?.isWordPart == true { continue }
            return position..<last
        }
        return nil
    }

    // MARK: Private keys

    private static let longestLabel = 64

    private mutating func privateKey() -> Range<Int>? {
        guard seeks.privateKey, stands("-----BEGIN ", at: position) else { return nil }
        let label = position + 11
        let labelEnd = end(from: label, atMost: Self.longestLabel) { $0.isUpper || $0.isDigit || $0 == 0x20 }
        let isBlock = stands("PRIVATE KEY BLOCK-----", at: labelEnd - 17)
        guard isBlock || stands("PRIVATE KEY-----", at: labelEnd - 11) else { return nil }
        var last = labelEnd + 5
        while last < text.count {
            last = end(from: last) { $0 != UInt8(ascii: "-") }
            if stands("-----END ", at: last) {
                last = end(from: last + 9, atMost: Self.longestLabel) { $0 != UInt8(ascii: "-") }
                return position..<end(from: last, atMost: 5) { $0 == UInt8(ascii: "-") }
            }
            last = min(last + 1, text.count)
        }
        return position..<text.count
    }

    // MARK: Card numbers

    private static let longestCard = 19, shortestCard = 13
    /// Digits between two separators, but for the last ones.
    private static let shortestGroup = 4

    private mutating func cardNumber() -> Range<Int>? {
        guard seeks.cardNumber else { return nil }
        // Most numbers are too short, alone and with what is joined to them.
        var end = position
        while end < text.count, text[end].isDigit { end += 1 }
        steps += end - position
        if end - position < Self.shortestGroup { return nil }
        if end - position < Self.shortestCard, end + 1 >= text.count || !text[end].joinsDigits || !text[end + 1].isDigit { return nil }
        if look(position - 1) == UInt8(ascii: "."), look(position - 2)?.isDigit == true { return nil }   // a fraction
        var digits = CardDigits(), groups = CardGroups(), place = position, last: Int?
        while let byte = look(place), digits.count <= Self.longestCard {
            if byte.isDigit {
                digits.append(byte & 15)
                groups.latest += 1
            } else {
                if !byte.isLetter, digits.isCard, groups.areOfCard { last = place }
                guard byte.joinsDigits, groups.latest >= Self.shortestGroup, look(place + 1)?.isDigit == true else {
                    return last.map { position..<$0 }
                }
                groups.endLatest()
            }
            place += 1
        }
        if place == text.count, digits.isCard, groups.areOfCard { last = place }
        return last.map { position..<$0 }
    }

    // MARK: URLs

    /// Behind the `//` that begins here, or the `\/\/` of a URL in JSON.
    private mutating func authority(from start: Int) -> Int? {
        var place = start
        for _ in 0..<2 {
            place = end(from: place, \.isBackslash)
            guard look(place) == UInt8(ascii: "/") else { return nil }
            place += 1
        }
        return place
    }

    /// At the colon of `scheme://user:password@host`: remembers where the password is.
    private mutating func noteURL() {
        guard seeks.urlPassword, var place = authority(from: position + 1) else { return }
        var colon: Int?
        while let byte = look(place), byte > 0x20, byte != UInt8(ascii: "/"), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "<") {
            if byte == UInt8(ascii: ":"), colon == nil { colon = place }
            if byte == UInt8(ascii: "@"), let colon, colon + 1 < place { password = colon + 1..<place }
            place += 1
        }
    }

    private mutating func passwordHere() -> Range<Int>? {
        guard let range = password, range.lowerBound == position + 1 else { return nil }
        password = nil
        return range
    }

    // MARK: Assignments

    private static let longestKey = 64

    /// At `:` or `=`: the value behind it, if the word in front of it is a key that the rules name: `password`, `"password"`,
    /// `user[password]`, `user%5Bpassword%5D`, `AnyHashable("password")` or `passwords[0]`; or the end of several that are: `API key`.
    private mutating func assignment() -> Range<Int>? {
        guard seeks.assignment else { return nil }
        var keyEnd = position
        while look(keyEnd - 1)?.isBlank == true { keyEnd -= 1 }
        var bracket: Int?
        if mayEndBracket(at: keyEnd) {
            while let name = indexStart(before: keyEnd) { keyEnd = name }
            bracket = bracketStart(before: keyEnd, "%5d") { $0 == UInt8(ascii: ")") || $0 == UInt8(ascii: "]") }
            keyEnd = bracket ?? keyEnd
        }
        let isQuoted = look(keyEnd - 1)?.isQuote == true
        if isQuoted { keyEnd = backslashes(before: keyEnd - 1) }
        var keyStart = keyEnd
        let longest = max(0, keyEnd - Self.longestKey)
        while keyStart > longest, text[keyStart - 1].isKeyPart { keyStart -= 1 }
        steps += keyEnd - keyStart + 1
        if bracket != nil, stands("%5b", at: keyStart - 1, ignoringCase: true) { keyStart = min(keyStart + 2, keyEnd) }
        guard keyStart < keyEnd, bracket == nil || isIndex(keyStart, isQuoted: isQuoted),
            seeks.keys.names(UnsafeBufferPointer(rebasing: text[keyStart..<keyEnd]), &steps)
                || (bracket == nil && endsKey(keyStart..<keyEnd, from: longest)),
            text[position] == UInt8(ascii: "=") || authority(from: position + 1) == nil   // a scheme, as in `secret://`
        else { return nil }
        return value(from: position + 1, of: keyStart..<keyEnd, isQuoted: isQuoted)
    }

    /// Whether the word is the last of several that the rules name together.
    private mutating func endsKey(_ word: Range<Int>, from longest: Int) -> Bool {
        guard word.count > 1, look(word.lowerBound - 1) == 0x20,
            seeks.keys.mayEnd(with: text[word.lowerBound], text[word.lowerBound + 1])
        else { return false }
        var start = word.lowerBound
        while start > longest, text[start - 1].isKeyPart || text[start - 1] == 0x20 { start -= 1 }
        steps += word.lowerBound - start
        let words = UnsafeBufferPointer(rebasing: text[start..<word.upperBound])
        return seeks.keys.names(words, lastFrom: word.lowerBound - start, &steps)
    }

    /// Says no of most: whether `)`, `]` or `%5D` may end there.
    private mutating func mayEndBracket(at end: Int) -> Bool {
        guard let last = look(end - 1) else { return false }
        return last == UInt8(ascii: ")") || last == UInt8(ascii: "]")
            || last | 0x20 == UInt8(ascii: "d") && look(end - 3) == UInt8(ascii: "%")
    }

    /// Where the bracket begins that ends at `end`, as it is or as it stands in a URL.
    private mutating func bracketStart(before end: Int, _ encoded: StaticString, _ isBracket: (UInt8) -> Bool) -> Int? {
        if let byte = look(end - 1), isBracket(byte) { return end - 1 }
        return stands(encoded, at: end - 3, ignoringCase: true) ? end - 3 : nil
    }

    /// Where the name ends in front of `[0]` or `[]`.
    private mutating func indexStart(before end: Int) -> Int? {
        guard var place = bracketStart(before: end, "%5d", { $0 == UInt8(ascii: "]") }) else { return nil }
        while look(place - 1)?.isDigit == true { place -= 1 }
        return bracketStart(before: place, "%5b") { $0 == UInt8(ascii: "[") }
    }

    /// Whether a bracket opens in front of the key, behind a name where the key has no quotes: `[auth]: ` begins a line, and is no key.
    private mutating func isIndex(_ keyStart: Int, isQuoted: Bool) -> Bool {
        let place = isQuoted ? backslashes(before: keyStart - 1) : keyStart
        guard let bracket = bracketStart(before: place, "%5b", \.isOpening) else { return false }
        if isQuoted { return true }
        guard let before = look(bracket - 1) else { return false }
        return before.isKeyPart || before.isClosing
    }

    /// Where the backslashes begin that end at `end`.
    private mutating func backslashes(before end: Int) -> Int {
        var start = end
        while look(start - 1)?.isBackslash == true { start -= 1 }
        return start
    }

    private mutating func value(from place: Int, of key: Range<Int>, isQuoted: Bool) -> Range<Int>? {
        // The rest of the sign, as of `:=`, `==` and `=>`, is no value.
        var start = end(from: place) { $0.isBlank || $0.isSign }
        let quotePlace = end(from: start, \.isBackslash)
        if let quote = look(quotePlace), quote.isQuote {
            let escapes = quotePlace - start
            start = quotePlace + 1
            let last = quoteEnd(from: start, by: quote, escapes: escapes)
            return start < last ? start..<last : nil
        }
        let isCookie = isNamed("cookie", key)
        if let masked = maskEnd(from: start), look(masked)?.isValuePart != true {   // elsewhere
            guard isCookie else { return nil }
            start = end(from: masked) { $0.isBlank || $0 == UInt8(ascii: ";") }   // one cookie of several
        }
        let last: Int
        if isCookie {
            last = end(from: start) { !$0.isLineBreak }
        } else if isNamed("authorization", key) {
            last = credentials(from: start, isListed: isQuoted)
        } else {
            last = words(from: start)
        }
        return start < last ? start..<last : nil
    }

    private static let headerEndings: [StaticString] = [
        "", "s", "2", "header", "_header", "-header", "headers", "_headers", "-headers", "value", "_value", "-value",
    ]

    /// Whether a key is that of such a header, by its own name or by one that programs give it: `cookies`, `Set-Cookie2`, `cookie_header`.
    private mutating func isNamed(_ name: StaticString, _ key: Range<Int>) -> Bool {
        for ending in Self.headerEndings {
            let tail = key.upperBound - ending.utf8CodeUnitCount, start = tail - name.utf8CodeUnitCount
            guard start >= key.lowerBound, stands(ending, at: tail, ignoringCase: true) else { continue }
            if stands(name, at: start, ignoringCase: true) { return true }
        }
        return false
    }

    /// Behind what stands in the place of something private; nil where nothing of the kind does.
    private mutating func maskEnd(from start: Int) -> Int? {
        if stands("<private>", at: start) { return start + 9 }
        if stands("<secret>", at: start) { return start + 8 }
        guard stands("<private:", at: start) else { return nil }
        let last = start + PrivacyLens.hashBytes - 1
        return stands(">", at: last) ? last + 1 : nil
    }

    /// The end of a value without quotes: of one word, or two where the first names a scheme.
    private mutating func words(from start: Int) -> Int {
        let last = valueEnd(from: start) { !$0.isValuePart }
        guard isScheme(start..<last), look(last)?.isBlank == true else { return last }
        return valueEnd(from: end(from: last, \.isBlank)) { !$0.isValuePart }
    }

    /// The end of what stands in an `Authorization`: of its line, as schemes write what they like; of two words where it is known that
    /// there is no more; in a list of headers, of its item.
    private mutating func credentials(from start: Int, isListed: Bool) -> Int {
        let name = end(from: start, \.isValuePart)
        let isBasic = name - start == 5 && stands("basic", at: start, ignoringCase: true)
        if isBasic || (name - start == 6 && stands("bearer", at: start, ignoringCase: true)), look(name) == 0x20 {
            let last = valueEnd(from: name + 1) { !$0.isValuePart }
            if last > name + 1 { return last }
        }
        return valueEnd(from: start) { $0.isLineBreak || (isListed && $0.endsItem) }
    }

    /// The first byte that ends a value, beyond the brackets and the quoted pieces that it opens.
    private mutating func valueEnd(from start: Int, _ isEnd: (UInt8) -> Bool) -> Int {
        var last = start
        while let byte = look(last) {
            if byte.isOpening {
                last = bracketEnd(from: last)
            } else if byte.isQuote {
                guard let next = behindQuote(at: last) else { break }
                last = next
            } else if isEnd(byte) {
                break
            } else {
                last += 1
            }
        }
        return last
    }

    /// Behind the bracket that closes the one here, beyond quoted pieces, and line breaks where a printer sets them: behind an opening
    /// bracket or a comma, and in front of a closing bracket. Where nothing closes it, the end of its line.
    private mutating func bracketEnd(from start: Int) -> Int {
        var last = start, depth = 0, before: UInt8 = 0, lineEnd: Int?
        while let byte = look(last) {
            if byte.isLineBreak {
                guard start >= unclosedUntil else { break }
                let next = end(from: last) { $0 <= 0x20 }
                guard before.isOpening || before.separatesItems || look(next)?.isClosing == true else { break }
                lineEnd = lineEnd ?? last
                last = next
                continue
            }
            if byte.isQuote, byte != UInt8(ascii: "'") || look(last - 1)?.isWordPart != true {   // `it's` opens nothing
                last = quoteEnd(from: last + 1, by: byte, escapes: 0, inLine: true)
                if look(last) == byte { last += 1 }
                before = byte
                continue
            }
            if byte == UInt8(ascii: "\\"), look(last + 1)?.isQuote == true { last += 1 }
            if byte.isOpening { depth += 1 }
            if byte.isClosing { depth -= 1 }
            last += 1
            if depth == 0 { return last }
            if byte > 0x20 { before = byte }
        }
        last = min(last, text.count)
        unclosedUntil = max(unclosedUntil, last)
        return lineEnd ?? last
    }

    /// Behind a quote within a value, and behind the piece that it opens: `token="…"`, `b'…'`. Nil where it closes what is around the value.
    private mutating func behindQuote(at place: Int) -> Int? {
        let before = backslashes(before: place), escapes = place - before
        guard let quote = look(place), let next = look(place + 1), next.isValuePart, next != UInt8(ascii: ">"),
            escapes == 0 || !next.isBackslash
        else { return nil }
        if look(before - 1)?.isWordPart == true, look(before - 2)?.isWordPart == true { return next.isWordPart ? place + 1 : nil }
        var last = quoteEnd(from: place + 1, by: quote, escapes: escapes, inLine: true)
        last = end(from: last, atMost: escapes, \.isBackslash)
        if look(last) == quote { last += 1 }
        return last
    }

    /// The end of what stands in quotes: at what closes the quote in front of `start`, or the end of the text, or of the line.
    /// - Parameter escapes: The backslashes in front of the opening quote: none, one in JSON within a string, three where that is within
    ///   another. As many stand in front of the closing one, behind pairs of backslashes, each of them written like the quotes; where there
    ///   are fewer, the text around it ends.
    private mutating func quoteEnd(from start: Int, by quote: UInt8, escapes: Int, inLine: Bool = false) -> Int {
        var last = start, run = 0
        while let byte = look(last), !inLine || !byte.isLineBreak || run % 2 == 1 {
            if byte == quote, run < escapes || (run - escapes) / (escapes + 1) % 2 == 0 { return last - min(run, escapes) }
            run = byte.isBackslash ? run + 1 : 0
            last += 1
        }
        return min(last, text.count)
    }

    /// Whether a header's value begins with the name of a scheme, so that the credential is the word after it.
    private mutating func isScheme(_ word: Range<Int>) -> Bool {
        switch word.count {
        case 5: stands("basic", at: word.lowerBound, ignoringCase: true) || stands("token", at: word.lowerBound, ignoringCase: true)
        case 6: stands("bearer", at: word.lowerBound, ignoringCase: true) || stands("digest", at: word.lowerBound, ignoringCase: true)
            || stands("apikey", at: word.lowerBound, ignoringCase: true)
        case 9: stands("negotiate", at: word.lowerBound, ignoringCase: true)
        default: false
        }
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (self | 0x20).isLower }
    fileprivate var joinsDigits: Bool { self == 0x20 || self == UInt8(ascii: "-") }
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
    /// A byte of `:`, `=`, `:=`, `==` or `=>`.
    fileprivate var isSign: Bool { self == UInt8(ascii: ":") || self == UInt8(ascii: "=") || self == UInt8(ascii: ">") }
    fileprivate var isBackslash: Bool { self == UInt8(ascii: "\\") }
    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
    fileprivate var isBase64URL: Bool { isWordPart || self == UInt8(ascii: "-") || self == UInt8(ascii: "_") }
    fileprivate var isBearerPart: Bool {
        isBase64URL || self == UInt8(ascii: ".") || self == UInt8(ascii: "~") || self == UInt8(ascii: "+")
            || self == UInt8(ascii: "/") || self == UInt8(ascii: "=")
    }
    fileprivate var isOpening: Bool { self == UInt8(ascii: "(") || self == UInt8(ascii: "[") || self == UInt8(ascii: "{") }
    fileprivate var isClosing: Bool { self == UInt8(ascii: ")") || self == UInt8(ascii: "]") || self == UInt8(ascii: "}") }
    fileprivate var isLineBreak: Bool { self == 0x0A || self == 0x0D }
    fileprivate var separatesItems: Bool { self == UInt8(ascii: ",") || self == UInt8(ascii: ";") }
    fileprivate var endsItem: Bool { separatesItems || isClosing }
    fileprivate var isKeyPart: Bool { isBase64URL || self == UInt8(ascii: ".") || self >= 0x80 }
    /// What an assigned value without quotes is made of: everything up to white space or the next item of a list.
    fileprivate var isValuePart: Bool {
        switch self {
        case 0...0x20, 0x7F: false
        case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"),
            UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "|"): false
        default: true
        }
    }
}
