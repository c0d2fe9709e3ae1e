/// A value that a plan asks for: `$arg.total`, `$self.items.count`, `$duration_ms`.
package struct PlanPath: Sendable, Hashable {
    package enum Root: Sendable, Hashable {
        /// The parameter's place among those that are captured.
        case argument(Int)
        case instance, result, error, duration, type, selector
    }

    /// As it is written, without the sign.
    package let words: [String]

    package init(words: [String]) { self.words = words }
    package init?(_ text: String) {
        guard text.hasPrefix("$") else { return nil }
        let words = text.dropFirst().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard words.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.words = words
    }

    /// The names of properties behind the root.
    package func properties(behind root: Root) -> ArraySlice<String> {
        if case .argument = root { words.dropFirst(2) } else { words.dropFirst() }
    }

    package var description: String { "$" + words.joined(separator: ".") }

    static let rootNames = ["arg", "self", "result", "error", "duration_ms", "type", "selector"]
}
