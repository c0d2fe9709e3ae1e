internal import LogbookCore
internal import LogbookTrackingPlan
internal import LogbookTrackingSyntax

/// What becomes of a value of any type: everything is copied out of it during the call, in the caller's isolation.
enum CapturedValue {
    /// Typed where stores can compare and sum it, otherwise its description.
    static func logValue(_ value: Any?) -> LogValue {
        guard let value else { return .null }
        return switch plain(value) {
        case .integer(let number): .integer(Int64(number))
        case .double(let number): .double(number)
        case .bool(let bool): .bool(bool)
        case .text(let text): .string(text)
        case nil: otherLogValue(value)
        }
    }

    private static func otherLogValue(_ value: Any) -> LogValue {
        switch value {
        case let text as String: .string(text)   // one in an optional
        case let number as Int: .integer(Int64(number))
        case let bool as Bool: .bool(bool)
        case let number as Double: .double(number)
        case let value as LogValue: value
        case let number as Float: .double(Double(number))
        case let number as any BinaryInteger: Int64(exactly: number).map(LogValue.integer) ?? .string(String(describing: number))
        default: isEmptyOptional(value) ? .null : .string(description(of: value))
        }
    }

    /// Of an error that marks private parts, what it says of itself with those masked.
    private static func description(of value: Any) -> String {
        let value = unwrapped(value)
        return (value as? any LogDescribableError)?.logDescription.description ?? String(describing: value)
    }

    private enum Plain {
        case integer(Int)
        case double(Double)
        case bool(Bool)
        case text(String)
    }

    /// The kinds of values that are captured most: a look at the type and a copy, where a cast costs three times as much.
    private static func plain<Value>(_ value: Value) -> Plain? {
        if Value.self == Int.self { return .integer(unsafeBitCast(value, to: Int.self)) }
        if Value.self == String.self { return .text(unsafeBitCast(value, to: String.self)) }
        if Value.self == Double.self { return .double(unsafeBitCast(value, to: Double.self)) }
        if Value.self == Bool.self { return .bool(unsafeBitCast(value, to: Bool.self)) }
        return nil
    }

    static func text(_ value: Any?) -> String {
        guard let value else { return "nil" }
        if case .text(let text) = plain(value) { return text }
        if isEmptyOptional(value) { return "nil" }
        return value as? String ?? description(of: value)
    }

    static func literal(_ value: Any?) -> PlanLiteral {
        guard let value else { return .null }
        return switch plain(value) {
        case .integer(let number): .number(PlanNumber(Int64(number)))
        case .double(let number): .number(PlanNumber(number))
        case .bool(let bool): .bool(bool)
        case .text(let text): .text(text)
        case nil: otherLiteral(value)
        }
    }

    private static func otherLiteral(_ value: Any) -> PlanLiteral {
        switch value {
        case let text as String: .text(text)
        case let number as Int: .number(PlanNumber(Int64(number)))
        case let bool as Bool: .bool(bool)
        case let number as Double: .number(PlanNumber(number))
        case let number as Float: .number(PlanNumber(Double(number)))
        case let number as any BinaryInteger: .number(Int64(exactly: number).map { PlanNumber($0) } ?? PlanNumber(Double(number)))
        default: isEmptyOptional(value) ? .null : .text(description(of: value))
        }
    }

    /// A stored property, also of a superclass or behind an optional, or one that the type offers by ``TrackingReadable``; `count`
    /// of any collection and of a text.
    static func property(_ name: String, of holder: Any) -> Any? {
        if let readable = holder as? any TrackingReadable, let value = readable.trackingValue(name) { return value }
        let holder = unwrapped(holder)
        if name == "count", let text = holder as? any StringProtocol { return text.count }
        var mirror: Mirror? = Mirror(reflecting: holder)
        if name == "count", let style = mirror?.displayStyle, style == .collection || style == .set || style == .dictionary {
            return mirror?.children.count
        }
        while let current = mirror {
            if let child = current.children.first(where: { $0.label == name }) { return child.value }
            mirror = current.superclassMirror
        }
        return nil
    }

    private static func isEmptyOptional(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return false }
        guard let inner = mirror.children.first?.value else { return true }
        return isEmptyOptional(inner)
    }

    private static func unwrapped(_ value: Any) -> Any {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional, let inner = mirror.children.first?.value else { return value }
        return unwrapped(inner)
    }
}
