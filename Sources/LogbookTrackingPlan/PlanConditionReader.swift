internal import LogbookTrackingSyntax

/// Reads a condition.
struct PlanConditionReader {
    struct Failure: Error {
        let message: String
        /// Bytes from the condition's beginning.
        let offset: Int
    }

    /// Deeper conditions are refused.
    private static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    private init(_ text: String) { bytes = Array(text.utf8) }

    static func read(_ text: String) throws(Failure) -> PlanCondition {
        var reader = PlanConditionReader(text)
        let condition = try reader.alternatives()
        reader.skipBlanks()
        guard reader.position == reader.bytes.count else { throw reader.failure("this does not belong here") }
        return condition
    }

    private func failure(_ message: String) -> Failure { Failure(message: message, offset: position) }
    private var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func skipBlanks() {
        while position < bytes.count, current.isBlank { position += 1 }
    }

    private mutating func take(_ sign: String) -> Bool {
        skipBlanks()
        guard bytes[position...].starts(with: sign.utf8) else { return false }
        position += sign.utf8.count
        return true
    }

    private mutating func alternatives() throws(Failure) -> PlanCondition {
        var parts = [try conjunction()]
        while take("||") { parts.append(try conjunction()) }
        return Self.joined(parts[...], by: PlanCondition.or)
    }

    private mutating func conjunction() throws(Failure) -> PlanCondition {
        var parts = [try comparison()]
        while take("&&") { parts.append(try comparison()) }
        return Self.joined(parts[...], by: PlanCondition.and)
    }

    /// In halves, which means the same: ten thousand alternatives in a row, each inside the next, would exhaust the stack of whoever asks.
    private static func joined(
        _ parts: ArraySlice<PlanCondition>, by join: (PlanCondition, PlanCondition) -> PlanCondition
    ) -> PlanCondition {
        if parts.count == 1 { return parts[parts.startIndex] }
        let middle = parts.startIndex + parts.count / 2
        return join(joined(parts[..<middle], by: join), joined(parts[middle...], by: join))
    }

    private mutating func comparison() throws(Failure) -> PlanCondition {
        let left = try operand()
        for comparison in PlanCondition.Comparison.allCases where take(comparison.rawValue) {
            return .compare(comparison, left, try operand())
        }
        return left
    }

    private mutating func operand() throws(Failure) -> PlanCondition {
        guard depth < Self.maximumDepth else { throw failure("this is nested too deeply") }
        depth += 1
        defer { depth -= 1 }
        if take("!") { return .not(try operand()) }
        if take("(") {
            let inner = try alternatives()
            guard take(")") else { throw failure("a closing bracket is missing") }
            return inner
        }
        return try atom()
    }

    private mutating func atom() throws(Failure) -> PlanCondition {
        skipBlanks()
        switch current {
        case 0: throw failure("a value is missing at the end")
        case UInt8(ascii: "$"):
            position += 1
            let start = position
            while isWord || current == UInt8(ascii: ".") { position += 1 }
            guard let path = PlanPath("$" + text(from: start)), start != position else { throw failure("a value's name is missing") }
            return .value(path)
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let quote = current, start = position + 1
            position += 1
            while position < bytes.count, current != quote { position += 1 }
            guard current == quote else { throw failure("a quote is not closed") }
            defer { position += 1 }
            return .literal(.text(text(from: start)))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let start = position
            position += 1
            while current.isDigit || current == UInt8(ascii: ".") { position += 1 }
            guard let number = PlanNumber(text(from: start)) else { throw failure("this is no number") }
            return .literal(.number(number))
        default:
            let start = position
            while isWord { position += 1 }
            switch text(from: start) {
            case "": throw failure("a value is missing")
            case "true": return .literal(.bool(true))
            case "false": return .literal(.bool(false))
            case "null", "nil": return .literal(.null)
            case let name: return .predicate(name)
            }
        }
    }

    private var isWord: Bool { DeclarationScanner.beginsName(current) && current != UInt8(ascii: "`") && current != UInt8(ascii: "$") || current.isDigit }
    private func text(from start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }
}
