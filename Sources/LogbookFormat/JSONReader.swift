internal import LogbookCore

/// Walks once over the bytes of a document; nothing is built for what the limits refuse.
package struct JSONReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let limits: JSONLimits
    package private(set) var position: Int

    /// - Parameter bytes: Those that outlive the reader.
    package init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits, from position: Int = 0) {
        self.bytes = bytes
        self.limits = limits
        self.position = position
    }

    func malformed(_ what: String) -> JSONError { .malformed(what, offset: position) }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    package mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Nothing but space may follow.
    package mutating func end() throws(JSONError) {
        skipSpace()
        guard position == bytes.count else { throw malformed("something follows the end") }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    var isAtNull: Bool { current == 0x6E }
    package var isAtObject: Bool { current == 0x7B }
    package var isAtArray: Bool { current == 0x5B }
    package var isAtString: Bool { current == 0x22 }

    package mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipSpace()
        switch current {
        case 0x7B: return try object(depth: depth + 1)
        case 0x5B: return try array(depth: depth + 1)
        case 0x22: return .string(try string())
        case 0x74: return try word("true", .bool(true))
        case 0x66: return try word("false", .bool(false))
        case 0x6E: return try word("null", .null)
        case .some(0x2D), .some(0x30...0x39): return try number()
        case nil: throw malformed("the document ends too early")
        default: throw malformed("no value begins here")
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let count = word.utf8CodeUnitCount
        guard position + count <= bytes.count,
            bytes[position..<position + count].elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: count))
        else { throw malformed("no value begins here") }
        position += count
        return value
    }

    private func checkDepth(_ depth: Int) throws(JSONError) {
        if depth > limits.depth { throw .tooLarge("more than \(limits.depth) levels", offset: position) }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        var members: [JSONMember] = []
        var keys: Set<[UInt8]> = []   // of a long object
        guard try begin(depth: depth) else { return .object([]) }
        repeat {
            try beginKey(behind: members.count)
            let key = try string()
            guard isNew(key, beside: members, &keys) else { throw twice(key.utf8) }
            try endKey()
            members.append(JSONMember(key: key, value: try value(depth: depth)))
        } while try goesOn()
        return .object(members)
    }

    // MARK: Objects, piece by piece

    /// - Returns: Whether a member follows.
    mutating func begin(depth: Int) throws(JSONError) -> Bool {
        try checkDepth(depth)
        position += 1
        skipSpace()
        return !skip(0x7D)
    }

    /// - Parameter count: How many members came before.
    mutating func beginKey(behind count: Int) throws(JSONError) {
        skipSpace()
        guard current == 0x22 else { throw malformed("a key between quotes is missing") }
        if count == limits.members { throw .tooLarge("more than \(limits.members) members", offset: position) }
    }

    mutating func endKey() throws(JSONError) {
        skipSpace()
        guard skip(0x3A) else { throw malformed("a colon is missing") }
    }

    /// Passes over a key that is this one, as it is mostly written: nothing escaped, and nothing between it and its colon.
    /// - Parameter count: How many members came before.
    /// - Returns: False, and nothing is passed over, for every other, and where there may be no more members.
    mutating func passKey(_ name: StaticString, behind count: Int) -> Bool {
        let start = position + 1, end = start + name.utf8CodeUnitCount
        guard end + 1 < bytes.count, count < limits.members, bytes[position] == 0x22, bytes[end] == 0x22, bytes[end + 1] == 0x3A,
            name.equals(UnsafeBufferPointer(rebasing: bytes[start..<end]))
        else { return false }
        position = end + 2
        return true
    }

    mutating func goesOn() throws(JSONError) -> Bool {
        skipSpace()
        if skip(0x2C) { return true }
        guard skip(0x7D) else { throw malformed("a comma or the end of the object is missing") }
        return false
    }

    /// Of a key that is told in an answer, or a remark.
    private static let toldKeyBytes = 64

    func twice(_ key: some Collection<UInt8>) -> JSONError {
        malformed("the key \"\(String(decoding: key.prefix(Self.toldKeyBytes), as: UTF8.self))\" comes twice")
    }

    /// Up to so many members a key is compared with each; beyond, it is looked up.
    private static let comparedMembers = 16

    /// By their bytes: to compare texts as Unicode does takes time with the square of their length, where somebody means it to.
    private func isNew(_ key: String, beside members: [JSONMember], _ keys: inout Set<[UInt8]>) -> Bool {
        if members.count < Self.comparedMembers { return !members.contains { $0.key.isSameText(as: key) } }
        if keys.isEmpty { keys = Set(members.map { Array($0.key.utf8) }) }
        return keys.insert(Array(key.utf8)).inserted
    }

    // MARK: Values that nobody asks for

    /// Passes over the value that begins here. It is as strict as ``value(depth:)``, and makes nothing of it; the keys of the objects that
    /// are open are kept meanwhile.
    package mutating func pass(depth: Int) throws(JSONError) {
        skipSpace()
        switch current {
        case 0x7B: try passObject(depth: depth + 1)
        case 0x5B:
            var count = 0
            while try nextElement(behind: count, depth: depth + 1) {
                try pass(depth: depth + 1)
                count += 1
            }
        case 0x22: if plainString() == nil { _ = try string() }
        default: _ = try value(depth: depth)
        }
    }

    private mutating func passObject(depth: Int) throws(JSONError) {
        var keys: Set<[UInt8]> = [], count = 0
        guard try begin(depth: depth) else { return }
        repeat {
            try beginKey(behind: count)
            count += 1
            let key = try keyBytes()
            guard keys.insert(key).inserted else { throw twice(key) }
            try endKey()
            try pass(depth: depth)
        } while try goesOn()
    }

    private mutating func keyBytes() throws(JSONError) -> [UInt8] {
        if let plain = plainString() { return Array(plain) }
        return Array(try string().utf8)
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        var elements: [JSONValue] = []
        while try nextElement(behind: elements.count, depth: depth) { elements.append(try value(depth: depth)) }
        return .array(elements)
    }

    /// Goes on to the next element of the array that begins here, or within which it stands.
    /// - Parameter count: How many elements came before.
    /// - Returns: False behind the array's end.
    package mutating func nextElement(behind count: Int, depth: Int) throws(JSONError) -> Bool {
        if count == 0 {
            try checkDepth(depth)
            position += 1
            skipSpace()
            if skip(0x5D) { return false }
        } else {
            skipSpace()
            if !skip(0x2C) {
                guard skip(0x5D) else { throw malformed("a comma or the end of the array is missing") }
                return false
            }
            skipSpace()
        }
        if count == limits.elements { throw .tooLarge("more than \(limits.elements) elements", offset: position) }
        return true
    }

    /// The bytes of the string that begins here, where they stand as they are written; nil, and nothing is passed over, for every other.
    package mutating func plainString() -> UnsafeBufferPointer<UInt8>? {
        guard current == 0x22 else { return nil }
        let begin = position + 1, (end, isASCII) = run(from: begin)
        guard isASCII, end < bytes.count, bytes[end] == 0x22, end - position <= limits.stringBytes else { return nil }
        position = end + 1
        return UnsafeBufferPointer(rebasing: bytes[begin..<end])
    }

    /// The number of a few digits that begins here; nil, and nothing is passed over, for every other value.
    package mutating func plainNatural() -> UInt64? {
        var end = position, number: UInt64 = 0
        while end < bytes.count, case let digit = bytes[end] &- 0x30, digit < 10, end - position < Self.naturalDigits {
            number = number &* 10 &+ UInt64(digit)
            end += 1
        }
        guard end > position, end < bytes.count, bytes[end] == 0x2C || bytes[end] == 0x7D else { return nil }
        guard bytes[position] != 0x30 || end == position + 1 else { return nil }
        position = end
        return number
    }

    package mutating func string() throws(JSONError) -> String {
        let start = position
        position += 1
        var text: [UInt8] = []   // of a string with escapes
        while true {
            let begin = position
            let (end, isASCII) = run(from: begin)
            position = end
            if position - start > limits.stringBytes {
                throw .tooLarge("a string of more than \(limits.stringBytes) bytes", offset: start)
            }
            switch current {
            case 0x22:
                defer { position += 1 }
                if text.isEmpty, isASCII { return string(begin..<position) }
                text.append(contentsOf: bytes[begin..<position])
                let string = String(decoding: text, as: UTF8.self)
                // What is no UTF-8 reads otherwise than it is written. Asking the standard library costs many times as much.
                guard string.utf8.elementsEqual(text) else { throw .malformed("a string that is no UTF-8", offset: start) }
                return string
            case 0x5C:
                text.append(contentsOf: bytes[begin..<position])
                position += 1
                try escape(into: &text)
            case nil: throw .malformed("a string that never ends", offset: start)
            default: throw malformed("a control character within a string")
            }
        }
    }

    /// Where the next quote, backslash or control character stands, or the document ends; and whether all before it is ASCII.
    private func run(from start: Int) -> (end: Int, isASCII: Bool) {
        var end = start, all: UInt64 = 0
        while end + 8 <= bytes.count {
            let eight = UInt64(littleEndian: UnsafeRawPointer(bytes.baseAddress! + end).loadUnaligned(as: UInt64.self))
            let ends = Self.zeros(eight ^ 0x2222_2222_2222_2222) | Self.zeros(eight ^ 0x5C5C_5C5C_5C5C_5C5C)
                | (eight &- 0x2020_2020_2020_2020) & ~eight & 0x8080_8080_8080_8080
            if ends != 0 {
                let before = ends.trailingZeroBitCount / 8
                return (end + before, (all | eight & ~(~0 << UInt64(8 * before))) & 0x8080_8080_8080_8080 == 0)
            }
            all |= eight
            end += 8
        }
        while end < bytes.count, bytes[end] != 0x22, bytes[end] != 0x5C, bytes[end] >= 0x20 {
            all |= UInt64(bytes[end])
            end += 1
        }
        return (end, all & 0x8080_8080_8080_8080 == 0)
    }

    /// The highest bit of the first byte that is 0, and perhaps of some behind it.
    @inline(__always)
    private static func zeros(_ eight: UInt64) -> UInt64 {
        (eight &- 0x0101_0101_0101_0101) & ~eight & 0x8080_8080_8080_8080
    }

    /// Of ASCII.
    private func string(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        guard let kind = current else { throw malformed("the document ends within an escape") }
        position += 1
        switch kind {
        case 0x22, 0x5C, 0x2F: text.append(kind)
        case 0x62: text.append(0x08)
        case 0x66: text.append(0x0C)
        case 0x6E: text.append(0x0A)
        case 0x72: text.append(0x0D)
        case 0x74: text.append(0x09)
        case 0x75:
            var number = try codeUnit()
            if (0xD800..<0xDC00).contains(number) {
                guard skip(0x5C), skip(0x75) else { throw malformed("half of a surrogate pair") }
                let low = try codeUnit()
                guard (0xDC00..<0xE000).contains(low) else { throw malformed("half of a surrogate pair") }
                number = 0x10000 + (number - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(number) else { throw malformed("half of a surrogate pair") }
            if number < 0x80 { text.append(UInt8(number)) } else { text.append(contentsOf: UTF8.encode(scalar)!) }
        default: throw malformed("an unknown escape")
        }
    }

    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch current {
            case .some(let byte) where byte &- 0x30 < 10: digit = byte - 0x30
            case .some(let byte) where (byte | 0x20) &- 0x61 < 6: digit = (byte | 0x20) - 0x57
            default: throw malformed("four hexadecimal digits are missing")
            }
            number = number << 4 | UInt32(digit)
            position += 1
        }
        return number
    }

    private mutating func digits() throws(JSONError) {
        guard let byte = current, (0x30...0x39).contains(byte) else { throw malformed("a digit is missing") }
        while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
    }

    /// So many characters of a whole number fit into 64 bits, whatever they are.
    private static let shortDigits = 18
    private static let naturalDigits = 19

    private func integer(_ range: Range<Int>) -> Int64 {
        let isNegative = bytes[range.lowerBound] == 0x2D
        let value = bytes[range].dropFirst(isNegative ? 1 : 0).reduce(0 as Int64) { $0 * 10 + Int64($1 - 0x30) }
        return isNegative ? -value : value
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        var isWhole = true
        _ = skip(0x2D)
        if skip(0x30) {
            if let byte = current, (0x30...0x39).contains(byte) { throw malformed("a number with a leading zero") }
        } else {
            try digits()
        }
        if skip(0x2E) {
            isWhole = false
            try digits()
        }
        if skip(0x65) || skip(0x45) {
            isWhole = false
            if !skip(0x2B) { _ = skip(0x2D) }
            try digits()
        }
        if position - start > limits.numberLength {
            throw .tooLarge("a number of more than \(limits.numberLength) characters", offset: start)
        }
        if isWhole, position - start <= Self.shortDigits { return .integer(integer(start..<position)) }
        let text = string(start..<position)
        if isWhole {
            if let integer = Int64(text) { return .integer(integer) }
            if let unsigned = UInt64(text) { return .unsigned(unsigned) }
            if limits.keepsLongNumbers { return .string(text) }
        }
        guard let double = Double(text), double.isFinite else {
            throw .tooLarge("a number beyond what a double holds", offset: start)
        }
        return .double(double)
    }
}
