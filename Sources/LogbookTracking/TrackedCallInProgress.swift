/// A call whose body no closure may hold. What the macros write uses it; not for use by hand.
public final class TrackedCallInProgress {
    private var call: TrackedCall
    private let advice: AdviceSet
    /// Whether the plan has something else happen instead.
    public let isSkipped: Bool

    init(_ call: TrackedCall, _ advice: AdviceSet, isSkipped: Bool) {
        self.call = call
        self.advice = advice
        self.isSkipped = isSkipped
    }

    public func threw(_ error: any Error) { call.error = error }
    public func returned<Result>(_ result: Result) { if advice.needsResult { call.result = result } }
    /// A result that cannot be copied is not captured.
    @_disfavoredOverload public func returned<Result: ~Copyable>(_ result: borrowing Result) {}
    public func end() { end { nil } }
    public func end(_ instance: () -> Any?) { if !isSkipped { advice.finish(&call, instance) } }
}
