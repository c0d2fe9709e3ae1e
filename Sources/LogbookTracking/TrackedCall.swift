internal import LogbookCore
internal import LogbookTrackingPlan

/// One call of a join point, as the program's own closures see it. It does not outlive the call.
public struct TrackedCall {
    public let point: JoinPoint
    /// The object or value whose method it is, as it is now; the type for a static method; nil when there is none.
    public internal(set) var instance: Any?
    /// What the call returned; nil before, and when it threw.
    public internal(set) var result: Any?
    /// What the call threw.
    public internal(set) var error: (any Error)?
    /// How long the call took, in nanoseconds; 0 before its end.
    public internal(set) var nanoseconds: UInt64 = 0
    /// What may be captured, in the order of the parameters.
    let arguments: [Any]
    let start: UInt64

    init(_ point: JoinPoint, _ advice: AdviceSet, _ instance: () -> Any?, _ arguments: () -> [Any]) {
        self.point = point
        self.arguments = advice.needsArguments ? arguments() : []
        if advice.needsInstance { self.instance = instance() }
        start = advice.clock?.monotonicNanoseconds() ?? 0
    }

    /// The argument of this parameter; nil when there is none, or it may not be captured.
    public func argument(_ name: String) -> Any? {
        let capturable = point.record.parameters.filter(\.isCapturable)
        guard let place = capturable.firstIndex(where: { $0.name == name || $0.label == name }), place < arguments.count else {
            return nil
        }
        return arguments[place]
    }
}
