internal import LogbookTrackingPlan

/// What a screen or event does to an application transaction: begins one, says something in it, or ends it.
///
/// A transaction belongs to the object whose method it is, unless `by` says what else tells its runs apart.
public struct TrackingTransaction: Sendable {
    private let action: PlanEntry.Transaction.Action
    private let usecase: String
    private let event: String?
    /// Text with `$` values; nil for the object.
    public var by: String?
    /// Text with `$` values for the entry's error; a value that is nil is no error.
    public var errorCode: String?
    public var errorDescription: String?

    private init(_ action: PlanEntry.Transaction.Action, _ usecase: String, _ event: String?) {
        self.action = action
        self.usecase = usecase
        self.event = event
    }

    /// - Parameters:
    ///   - usecase: A number, or a name that the plan gives to one.
    ///   - event: What happens in it at once, in the same way; nil for nothing.
    public static func opens(_ usecase: String, event: String? = nil) -> TrackingTransaction { Self(.opens, usecase, event) }
    public static func continues(_ usecase: String, event: String) -> TrackingTransaction { Self(.continues, usecase, event) }
    public static func closes(_ usecase: String, event: String? = nil) -> TrackingTransaction { Self(.closes, usecase, event) }

    func written(at place: PlanPlace) -> PlanEntry.Transaction {
        func number(_ text: String) -> Placed<PlanEntry.Number> { Placed(Int(text).map { .number($0) } ?? .name(text), at: place) }
        return PlanEntry.Transaction(
            action, usecase: number(usecase), event: event.map(number), by: by.map { Placed($0, at: place) },
            errorCode: errorCode.map { Placed($0, at: place) }, errorDescription: errorDescription.map { Placed($0, at: place) })
    }
}
