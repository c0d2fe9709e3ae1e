internal import CLogbookSystem

/// What tells one kind of event from others, where it is too long to be remembered: its SHA-256.
struct KindDigest: Hashable {
    private let digest: [UInt8]

    init(_ source: LogSource) {
        var hash = Hash()
        hash.add(source.file)
        hash.add(source.function)
        hash.add(number: UInt64(source.line))
        self.init(hash)
    }

    init(_ level: LogLevel, _ message: String) {
        var hash = Hash()
        hash.add(number: UInt64(level.rawValue))
        hash.add(message)
        self.init(hash)
    }

    init(_ value: LogValue) {
        var hash = Hash()
        hash.add(value)
        self.init(hash)
    }

    private init(_ hash: Hash) { digest = hash.end() }
}

/// Takes texts, numbers and values so that no two sequences of them are the same bytes.
private struct Hash {
    private var hash = logbook_sha256()

    init() { logbook_sha256_begin(&hash) }

    func end() -> [UInt8] {
        var hash = hash
        return HexadecimalDigest.bytes(&hash)
    }

    mutating func add(number: UInt64) {
        withUnsafeBytes(of: number) { logbook_sha256_add(&hash, $0.baseAddress, $0.count) }
    }

    mutating func add(_ text: String) {
        var text = text
        add(number: UInt64(text.utf8.count))
        text.withUTF8 { if !$0.isEmpty { logbook_sha256_add(&hash, $0.baseAddress, $0.count) } }
    }

    mutating func add(_ value: LogValue) {
        switch value {
        case .null: add(number: 0)
        case .bool(let value): add(number: value ? 1 : 2)
        case .integer(let number):
            add(number: 3)
            add(number: UInt64(bitPattern: number))
        case .unsigned(let number):
            add(number: 4)
            add(number: number)
        case .double(let number):
            add(number: 5)
            add(number: number.bitPattern)
        case .string(let text):
            add(number: 6)
            add(text)
        case .array(let values):
            add(number: 7)
            add(number: UInt64(values.count))
            for value in values { add(value) }
        case .object(let members):
            add(number: 8)
            add(number: UInt64(members.count))
            for (key, value) in members {
                add(key)
                add(value)
            }
        case .protected(_, let value):   // no provider gets one
            add(number: 9)
            add(value)
        }
    }
}
