#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Reads JSON (RFC 8259) strictly: no comments, no trailing commas, each key of an object once.
package struct PositionedJSONReader {
    /// What is wrong with a text, and where.
    package struct Failure: Error, Sendable {
        package let message: String
        package let place: PositionedJSON.Place
    }

    /// Deeper texts are refused.
    private static let maximumDepth = 128

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    package static func read(_ bytes: [UInt8]) throws(Failure) -> PositionedJSON {
        var reader = PositionedJSONReader(bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.position = 3 }
        let value = try reader.value()
        reader.skipBlanks()
        guard reader.isAtEnd else { throw reader.failure("there is text behind the end") }
        return value
    }

    private var isAtEnd: Bool { position >= bytes.count }
    private var current: UInt8 { isAtEnd ? 0 : bytes[position] }
    private var place: PositionedJSON.Place { PositionedJSON.Place(line: line, column: position - lineStart + 1) }
    private func failure(_ message: String) -> Failure { Failure(message: message, place: place) }

    private mutating func skipBlanks() {
        while !isAtEnd, current.isBlank {
            if current == UInt8(ascii: "\n") {
                line += 1
                lineStart = position + 1
            }
            position += 1
        }
    }

    private mutating func value() throws(Failure) -> PositionedJSON {
        skipBlanks()
        guard !isAtEnd else { throw failure("the text ends too early") }
        guard depth < Self.maximumDepth else { throw failure("it is nested too deeply") }
        depth += 1
        defer { depth -= 1 }
        let start = place
        let value: PositionedJSON.Value
        switch current {
        case UInt8(ascii: "{"): value = .object(try members())
        case UInt8(ascii: "["): value = .array(try elements())
        case UInt8(ascii: "\""): value = .string(try string())
        case UInt8(ascii: "t") where skip("true"): value = .bool(true)
        case UInt8(ascii: "f") where skip("false"): value = .bool(false)
        case UInt8(ascii: "n") where skip("null"): value = .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): value = .number(try number())
        default: throw unexpected("a value")
        }
        return PositionedJSON(value: value, place: start)
    }

    private func unexpected(_ wanted: String) -> Failure {
        if isAtEnd { return failure("the text ends where \(wanted) is missing") }
        let found = current < 0x80 ? "\"\(Character(Unicode.Scalar(current)))\"" : "a character"
        return failure("\(found) stands where \(wanted) is missing")
    }

    private mutating func skip(_ word: String) -> Bool {
        guard bytes[position...].starts(with: word.utf8) else { return false }
        position += word.utf8.count
        return true
    }

    private mutating func members() throws(Failure) -> [PositionedJSON.Member] {
        position += 1
        var members: [PositionedJSON.Member] = []
        skipBlanks()
        if current == UInt8(ascii: "}") {
            position += 1
            return members
        }
        members.reserveCapacity(4)
        while true {
            skipBlanks()
            guard current == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
            let keyPlace = place, key = try string()
            skipBlanks()
            guard current == UInt8(ascii: ":") else { throw unexpected("a colon") }
            position += 1
            if members.contains(where: { $0.key == key }) {
                throw Failure(message: "the key \"\(key)\" is there twice", place: keyPlace)
            }
            members.append(PositionedJSON.Member(key: key, keyPlace: keyPlace, value: try value()))
            skipBlanks()
            if current == UInt8(ascii: ",") {
                position += 1
            } else if current == UInt8(ascii: "}") {
                position += 1
                return members
            } else {
                throw unexpected("a comma or }")
            }
        }
    }

    private mutating func elements() throws(Failure) -> [PositionedJSON] {
        position += 1
        var elements: [PositionedJSON] = []
        skipBlanks()
        if current == UInt8(ascii: "]") {
            position += 1
            return elements
        }
        while true {
            elements.append(try value())
            skipBlanks()
            if current == UInt8(ascii: ",") {
                position += 1
            } else if current == UInt8(ascii: "]") {
                position += 1
                return elements
            } else {
                throw unexpected("a comma or ]")
            }
        }
    }

    private mutating func number() throws(Failure) -> PlanNumber {
        let start = position
        while !isAtEnd, current.isDigit || "+-.eE".utf8.contains(current) { position += 1 }
        let written = bytes[start..<position]
        guard Self.isNumber(written), let number = PlanNumber(String(decoding: written, as: UTF8.self)) else {
            throw failure("this is no number")
        }
        return number
    }

    /// Whether digits stand around the point, and none behind a zero that comes first: `007` may have been meant as anything.
    private static func isNumber(_ written: ArraySlice<UInt8>) -> Bool {
        let digits = written.first == UInt8(ascii: "-") ? written.dropFirst() : written
        if digits.first == UInt8(ascii: "0"), digits.dropFirst().first?.isDigit == true { return false }
        guard digits.first?.isDigit == true else { return false }
        guard let point = digits.firstIndex(of: UInt8(ascii: ".")) else { return true }
        return digits[(point + 1)...].first?.isDigit == true
    }

    private mutating func string() throws(Failure) -> String {
        let start = place
        position += 1
        let bytes = if let plain = plainText() { plain } else { try unescapedText() }
        // A file of another encoding would be read with other words than somebody wrote.
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Failure(message: "this text is not UTF-8", place: start) }
        return text
    }

    private mutating func unescapedText() throws(Failure) -> ArraySlice<UInt8> {
        var text: [UInt8] = []
        while true {
            guard !isAtEnd, current != UInt8(ascii: "\n") else { throw failure("a quote is not closed") }
            let byte = current
            position += 1
            if byte == UInt8(ascii: "\"") { return text[...] }
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            let escape = current
            position += 1
            switch escape {
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(escape)
            case UInt8(ascii: "u"): text.append(contentsOf: String(try unicodeScalar()).utf8)
            default: throw failure("this escape is unknown")
            }
        }
    }

    /// The text up to the closing quote, when nothing in it is escaped and it ends in its line.
    private mutating func plainText() -> ArraySlice<UInt8>? {
        let start = position
        let end: Int? = bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let quote = memchr(base + start, Int32(UInt8(ascii: "\"")), bytes.count - start)
            else { return nil }
            let end = base.distance(to: quote)
            if memchr(base + start, Int32(UInt8(ascii: "\\")), end - start) != nil { return nil }
            return memchr(base + start, Int32(UInt8(ascii: "\n")), end - start) == nil ? end : nil
        }
        guard let end else { return nil }
        position = end + 1
        return bytes[start..<end]
    }

    private mutating func unicodeScalar() throws(Failure) -> Unicode.Scalar {
        let high = try codeUnit()
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard high < 0xDC00, skip("\\u") else { throw failure("this is half of a character") }
        let low = try codeUnit()
        guard low >= 0xDC00, low < 0xE000, let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)) else {
            throw failure("this is half of a character")
        }
        return scalar
    }

    private mutating func codeUnit() throws(Failure) -> UInt32 {
        guard position + 4 <= bytes.count,
            let unit = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { throw failure("four hexadecimal digits are missing") }
        position += 4
        return unit
    }
}
