/// A plan as it is written, with what is wrong in the writing itself.
package struct PlanDocument: Sendable {
    /// A use case by name: its number, and the numbers of its events by their names.
    package struct Usecase: Sendable {
        package var number: Int
        package var events: [String: Int]
        package init(number: Int, events: [String: Int] = [:]) {
            self.number = number
            self.events = events
        }
    }

    package var entries: [PlanEntry] = []
    package var usecases: [String: Usecase] = [:]
    package var issues: [PlanIssue] = []

    package init() {}

    /// Both; where both name a use case, the later one decides.
    package mutating func append(_ other: PlanDocument) {
        entries += other.entries
        usecases.merge(other.usecases) { $1 }
        issues += other.issues
    }
}
