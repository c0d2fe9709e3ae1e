/// Why a plan was not started.
public enum TrackingError: Error, Equatable, CustomStringConvertible {
    /// The plan does not fit the program. Everything that is wrong, in the order of the plan; nothing of it was started.
    case planHasIssues([TrackingPlanIssue])

    public var issues: [TrackingPlanIssue] {
        switch self {
        case .planHasIssues(let issues): issues
        }
    }

    public var description: String { issues.map(\.description).joined(separator: "\n") }
}
