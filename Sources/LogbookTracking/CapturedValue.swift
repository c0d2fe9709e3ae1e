internal import LogbookCore
internal import LogbookTrackingPlan

/// What becomes of a value of any type: everything is copied out of it during the call, in the caller's isolation.
enum CapturedValue {
    /// Typed where stores can compare and sum it, otherwise its description.
    static func logValue(_ value: Any?) -> LogValue {
        guard let value else { return .null }
        // One look at the type, so that the first cast is the one that succeeds.
        let type = type(of: value)
        if type == Int.self, let number = value as? Int { return .integer(Int64(number)) }
        if type == String.self, let text = value as? String { return .string(text) }
        switch value {
        case let text as String: return .string(text)   // one in an optional
        case let number as Int: return .integer(Int64(number))
        case let bool as Bool: return .bool(bool)
        case let number as Double: return .double(number)
        case let value as LogValue: return value
        case let number as Float: return .double(Double(number))
        case let number as any BinaryInteger: return Int64(exactly: number).map(LogValue.integer) ?? .string(String(describing: number))
        default:
            if isEmptyOptional(value) { return .null }
            return .string(String(describing: unwrapped(value)))
        }
    }

    static func text(_ value: Any?) -> String {
        guard let value, !isEmptyOptional(value) else { return "nil" }
        return value as? String ?? String(describing: unwrapped(value))
    }

    static func literal(_ value: Any?) -> PlanLiteral {
        guard let value else { return .null }
        switch value {
        case let text as String: return .text(text)
        case let number as Int: return .number(Double(number))
        case let bool as Bool: return .bool(bool)
        case let number as Double: return .number(number)
        case let number as Float: return .number(Double(number))
        case let number as any BinaryInteger: return .number(Double(number))
        default: return isEmptyOptional(value) ? .null : .text(String(describing: unwrapped(value)))
        }
    }

    /// A stored property, also of a superclass or behind an optional, or one that the type offers by ``TrackingReadable``; `count`
    /// of any collection.
    static func property(_ name: String, of holder: Any) -> Any? {
        if let readable = holder as? any TrackingReadable, let value = readable.trackingValue(name) { return value }
        let holder = unwrapped(holder)
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
