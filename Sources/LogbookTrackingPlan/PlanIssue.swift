/// One thing that is wrong with a plan.
package struct PlanIssue: Sendable, Hashable {
    package let place: PlanPlace
    package let message: String

    package init(_ place: PlanPlace, _ message: String) {
        self.place = place
        self.message = message
    }

    /// `plan.json:4:18: error: unknown class "MainScren"; did you mean "MainScreen"?`, as compilers say it.
    package var description: String {
        let column = place.column > 0 ? ":\(place.column)" : ""
        return place.line > 0 ? "\(place.file):\(place.line)\(column): error: \(message)" : "\(place.file): error: \(message)"
    }
}
