internal import LogbookTrackingPlan

/// The name of a join point, as `#joinPoint` makes it, or as text: `Cart.add(_:quantity:)`.
public struct JoinPointName: Sendable, Hashable, ExpressibleByStringLiteral {
    public let text: String

    public init(stringLiteral value: String) { text = value }

    /// - Parameter reference: Never called; it makes the compiler look up what the text names.
    ///   The arguments of a generic type, without which there is no such reference, are no part of the name: `Box.get` for `Box<Int>.get`.
    public init(_ text: String, _ reference: () -> Any) { self.text = PlanCatalog.withoutArguments(text) }

    /// What stands before the selector: `Cart`; empty for a free function.
    var type: String {
        let end = text.firstIndex(of: "(") ?? text.endIndex
        return text[..<end].lastIndex(of: ".").map { String(text[..<$0]) } ?? ""
    }

    /// `add(_:quantity:)`; backticks are no part of it.
    var selector: String {
        let text = text.filter { $0 != "`" }, end = text.firstIndex(of: "(") ?? text.endIndex
        let name = text[..<end].lastIndex(of: ".").map { String(text[text.index(after: $0)...]) } ?? text
        return name.contains("(") || name == "deinit" ? name : name + "()"
    }
}
