package import LogbookTrackingSyntax

/// What has to be true for an entry to report: `$arg.quantity > 1 && ($self.coupon == null || isPaying)`.
package indirect enum PlanCondition: Sendable {
    package enum Comparison: String, Sendable, CaseIterable {
        case equal = "==", unequal = "!=", atMost = "<=", atLeast = ">=", less = "<", more = ">"
    }

    case literal(PlanLiteral)
    case value(PlanPath)
    /// A closure that the program has given a name.
    case predicate(String)
    case not(PlanCondition)
    case and(PlanCondition, PlanCondition)
    case or(PlanCondition, PlanCondition)
    case compare(Comparison, PlanCondition, PlanCondition)

    package var paths: [PlanPath] {
        switch self {
        case .value(let path): [path]
        case .literal, .predicate: []
        case .not(let condition): condition.paths
        case .and(let left, let right), .or(let left, let right), .compare(_, let left, let right): left.paths + right.paths
        }
    }

    package var predicates: [String] {
        switch self {
        case .predicate(let name): [name]
        case .literal, .value: []
        case .not(let condition): condition.predicates
        case .and(let left, let right), .or(let left, let right), .compare(_, let left, let right):
            left.predicates + right.predicates
        }
    }
}

/// A value that is written in a condition, or that one compares with.
package enum PlanLiteral: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(PlanNumber)
    case text(String)

    /// Null, false, 0 and empty text do not hold; everything else does.
    package var holds: Bool {
        switch self {
        case .null: false
        case .bool(let bool): bool
        case .number(let number): number.double != 0
        case .text(let text): !text.isEmpty
        }
    }
}
