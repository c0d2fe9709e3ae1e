internal import LogbookTrackingPlan
internal import LogbookTrackingSyntax

/// A condition of a plan, ready to be asked.
struct Condition: Sendable {
    private indirect enum Node: Sendable {
        case literal(PlanLiteral)
        case value(ValuePath)
        case predicate(@Sendable (TrackedCall) -> Bool)
        case not(Node)
        case and(Node, Node)
        case or(Node, Node)
        case compare(PlanCondition.Comparison, Node, Node)
    }
    private let root: Node
    let hasPredicates: Bool

    init(_ condition: PlanCondition, _ entry: CheckedEntry, _ predicates: [String: @Sendable (TrackedCall) -> Bool]) {
        hasPredicates = !condition.predicates.isEmpty
        root = Self.node(condition, entry, predicates)
    }

    private static func node(
        _ condition: PlanCondition, _ entry: CheckedEntry, _ predicates: [String: @Sendable (TrackedCall) -> Bool]
    ) -> Node {
        switch condition {
        case .literal(let literal): .literal(literal)
        case .value(let path): ValuePath(path, entry).map(Node.value) ?? .literal(.null)
        case .predicate(let name): predicates[name].map(Node.predicate) ?? .literal(.bool(false))
        case .not(let inner): .not(node(inner, entry, predicates))
        case .and(let left, let right): .and(node(left, entry, predicates), node(right, entry, predicates))
        case .or(let left, let right): .or(node(left, entry, predicates), node(right, entry, predicates))
        case .compare(let comparison, let left, let right):
            .compare(comparison, node(left, entry, predicates), node(right, entry, predicates))
        }
    }

    func holds(_ call: TrackedCall) -> Bool { Self.value(of: root, call).holds }

    private static func value(of node: Node, _ call: TrackedCall) -> PlanLiteral {
        switch node {
        case .literal(let literal): literal
        case .value(let path): path.literal(in: call)
        case .predicate(let body): .bool(body(call))
        case .not(let inner): .bool(!value(of: inner, call).holds)
        case .and(let left, let right): .bool(value(of: left, call).holds && value(of: right, call).holds)
        case .or(let left, let right): .bool(value(of: left, call).holds || value(of: right, call).holds)
        case .compare(let comparison, let left, let right):
            .bool(compares(value(of: left, call), comparison, value(of: right, call)))
        }
    }

    /// Values of different kinds are unequal, and neither more nor less than each other; only numbers and texts have an order.
    private static func compares(_ left: PlanLiteral, _ comparison: PlanCondition.Comparison, _ right: PlanLiteral) -> Bool {
        switch (comparison, left, right) {
        case (.equal, _, _): left == right
        case (.unequal, _, _): left != right
        case (.less, .number(let left), .number(let right)): left < right
        case (.atMost, .number(let left), .number(let right)): left <= right
        case (.more, .number(let left), .number(let right)): left > right
        case (.atLeast, .number(let left), .number(let right)): left >= right
        case (.less, .text(let left), .text(let right)): left < right
        case (.atMost, .text(let left), .text(let right)): left <= right
        case (.more, .text(let left), .text(let right)): left > right
        case (.atLeast, .text(let left), .text(let right)): left >= right
        default: false
        }
    }
}
