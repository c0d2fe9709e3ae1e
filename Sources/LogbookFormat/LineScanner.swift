/// Walks over the bytes of one line that is read back.
struct LineScanner {
    let bytes: [UInt8]
    private(set) var position: Int
    /// Behind the last byte of the line, without what ended it.
    private(set) var end: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = 0
        end = bytes.count
    }

    /// Takes a whole line, with or without its newline (or carriage return and newline).
    init(line bytes: [UInt8]) {
        self.init(bytes)
        if end > 0, bytes[end - 1] == 0x0A { end -= 1 }
        if end > 0, end < bytes.count, bytes[end - 1] == 0x0D { end -= 1 }
    }

    var isAtEnd: Bool { position == end }
    var current: UInt8? { position < end ? bytes[position] : nil }
    var rest: ArraySlice<UInt8> { bytes[position..<end] }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    mutating func skip(_ text: some Collection<UInt8>) -> Bool {
        guard rest.starts(with: text) else { return false }
        position += text.count
        return true
    }

    /// Leaves out what stands from there on.
    mutating func end(at place: Int) { end = place }

    mutating func move(to position: Int) { self.position = min(max(position, 0), end) }

    /// Exactly so many digits.
    mutating func digits(_ count: Int) -> Int? {
        guard position + count <= end else { return nil }
        return number(upTo: position + count, atLeast: count)
    }

    /// One digit at least and so many at most.
    mutating func digits(atMost count: Int) -> Int? { number(upTo: min(position + count, end), atLeast: 1) }

    private mutating func number(upTo limit: Int, atLeast least: Int) -> Int? {
        var value = 0, reached = position
        while reached < limit, bytes[reached].isDigit {
            value = value * 10 + Int(bytes[reached] - 0x30)
            reached += 1
        }
        guard reached - position >= least else { return nil }
        position = reached
        return value
    }

    /// A whole number without a sign, at least one digit.
    mutating func natural() -> UInt64? {
        var value: UInt64 = 0, reached = position
        while reached < end, bytes[reached].isDigit {
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = product.addingReportingOverflow(UInt64(bytes[reached] - 0x30))
            if tooLarge || overflow { return nil }
            value = sum
            reached += 1
        }
        guard reached > position else { return nil }
        position = reached
        return value
    }

    /// One digit or more as nanoseconds; digits beyond the ninth are read and dropped.
    mutating func fraction() -> Int? {
        let start = position
        var value = 0
        while let byte = current, byte.isDigit {
            if position - start < 9 { value = value * 10 + Int(byte - 0x30) }
            position += 1
        }
        guard position > start else { return nil }
        for _ in min(position - start, 9)..<9 { value *= 10 }
        return value
    }

    /// The bytes before the next `byte`, which is passed over too; nil when it does not come.
    mutating func upTo(_ byte: UInt8) -> ArraySlice<UInt8>? {
        guard let place = rest.firstIndex(of: byte) else { return nil }
        defer { position = place + 1 }
        return bytes[position..<place]
    }

    /// One of the words, the longest that fits, as its place among them.
    mutating func word(of words: [[UInt8]]) -> Int? {
        var best: Int?
        for (place, word) in words.enumerated() where rest.starts(with: word) && word.count > best.map({ words[$0].count }) ?? -1 {
            best = place
        }
        if let best { position += words[best].count }
        return best
    }
}
