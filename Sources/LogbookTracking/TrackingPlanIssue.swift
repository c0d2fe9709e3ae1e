internal import LogbookTrackingPlan

/// One thing that is wrong with a plan.
public struct TrackingPlanIssue: Sendable, Hashable, CustomStringConvertible {
    /// `plan.json`, or the source file of a plan in Swift.
    public let file: String
    /// Counted from 1; 0 when it is not known.
    public let line: Int
    /// Bytes of the line, counted from 1; 0 for a plan in Swift.
    public let column: Int
    /// What is wrong and, where something similar exists, what may have been meant.
    public let message: String

    init(_ issue: PlanIssue) {
        file = issue.place.file
        line = issue.place.line
        column = issue.place.column
        message = issue.message
    }

    /// `plan.json:4:18: error: unknown class "MainScren"; did you mean "MainScreen"?`: editors and CI know what to do with it.
    public var description: String {
        PlanIssue(PlanPlace(file: file, line: line, column: column), message).description
    }
}
