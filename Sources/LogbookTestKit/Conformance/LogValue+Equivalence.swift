internal import LogbookCore

extension LogValue {
    /// Whether a format that has one kind of number and no order of keys would make the same of both.
    func isEquivalent(to other: LogValue) -> Bool {
        switch (self, other) {
        case (.string(let left), .string(let right)): return left.isSame(as: right)
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { $0.isEquivalent(to: $1) }
        case (.object(let left), .object(let right)): return left.isEquivalent(to: right)
        default: break
        }
        if self == other { return true }
        guard let left = wholeNumber, let right = other.wholeNumber else { return false }
        return left == right
    }

    /// Exactly that number: one that was rounded on its way is another.
    private var wholeNumber: Int128? {
        switch self {
        case .integer(let value): Int128(value)
        case .unsigned(let value): Int128(value)
        case .double(let value): Int128(exactly: value)
        default: nil
        }
    }
}

extension LogMetadata {
    /// The same keys with equivalent values, in any order.
    func isEquivalent(to other: LogMetadata) -> Bool { difference(from: other) == nil }

    /// The first key whose value differs, in words; nil when there is none.
    func difference(from other: LogMetadata) -> String? {
        let others = Dictionary(other.map { ($0.key, $0.value) }, uniquingKeysWith: { _, later in later })
        for (key, value) in self {
            guard let found = others[key] else { return "the key \(Reading.quoted(key)) is missing" }
            if !value.isEquivalent(to: found) {
                let texts = [value, found].map { Reading.quoted(String(reflecting: $0)) }
                return "under \(Reading.quoted(key)) \(texts[0]) was read back as \(texts[1])"
            }
        }
        if others.count > count {
            let own = Set(map(\.key))
            let extra = other.first { !own.contains($0.key) }
            return "nobody gave the key \(Reading.quoted(extra?.key))"
        }
        return nil
    }
}
