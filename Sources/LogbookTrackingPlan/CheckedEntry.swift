package import LogbookTrackingSyntax

/// A screen or event of a plan, with everything looked up.
package struct CheckedEntry: Sendable {
    package enum Advice: String, Sendable, CaseIterable {
        case before, after, afterReturning, afterThrowing, instead
    }

    package enum Value: Sendable {
        case template(PlanTemplate)
        case number(PlanNumber)
        case bool(Bool)
    }

    package struct Transaction: Sendable {
        package let action: PlanEntry.Transaction.Action
        package let usecase: Int
        package let event: Int?
        /// What tells its runs apart; nil: the instance.
        package let by: PlanTemplate?
        package let errorCode: PlanTemplate?
        package let errorDescription: PlanTemplate?
    }

    package let kind: PlanEntry.Kind
    /// The point's place in the catalog.
    package let point: Int
    /// Only instances of the type in this place of the catalog; nil for all.
    package let instancesOf: Int?
    package let label: PlanTemplate
    package let advice: Advice
    package let metadata: [(key: String, value: Value)]
    package let condition: PlanCondition?
    package let tag: String?
    package let providers: Set<String>?
    package let level: String?
    package let metadataSource: String?
    /// The paths whose values not every reader, or none, may see.
    package let privateValues: Set<PlanPath>
    package let secretValues: Set<PlanPath>
    package let isOnce: Bool
    package let every: Int
    package let transaction: Transaction?
    /// What each path means at this point.
    package let roots: PlanRoots
    /// Its place among the entries that wait for what comes late; nil when it does not.
    package internal(set) var lateEntry: Int?
}
