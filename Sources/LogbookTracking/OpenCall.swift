// HOT PATH — where a plan reports: what depends on the types of a call is compiled into the program that has it, because types that
// are only known at run time cost a third as much as all that tracking does besides. `TrackingBench` has the numbers.

/// A call of a join point that a plan reports from.
@usableFromInline
struct OpenCall {
    private var call: TrackedCall
    private let advice: AdviceSet
    @usableFromInline let needsResult: Bool
    @usableFromInline let hasAround: Bool
    /// Whether the plan has something else happen instead.
    @usableFromInline let isSkipped: Bool

    /// Nil where nothing is to be reported: the plan has just gone, or the call comes from inside a provider, or from the closures
    /// of a plan, which would otherwise track themselves without end.
    init?(_ point: JoinPoint, _ instance: () -> Any?, _ arguments: () -> [Any]) {
        guard let advice = point.currentAdvice else { return nil }
        self.advice = advice
        needsResult = advice.needsResult
        hasAround = advice.hasAround
        call = TrackedCall(point, advice, instance, arguments)
        isSkipped = !advice.begin(&call)
    }

    @inlinable @inline(__always)
    mutating func run<Result, Failure: Error>(
        _ instance: () -> Any?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // What a method that returns nothing returns when something happened instead of it.
        if isSkipped, let nothing = () as? Result { return nothing }
        do {
            let result = try hasAround ? runAround(body) : body()
            if needsResult { returned(result) }
            finish(instance)
            return result
        } catch {
            threw(error)
            finish(instance)
            throw error
        }
    }

    @usableFromInline mutating func returned(_ result: Any) { call.result = result }
    @usableFromInline mutating func threw(_ error: any Error) { call.error = error }
    @usableFromInline mutating func finish(_ instance: () -> Any?) { advice.finish(&call, instance) }

    @usableFromInline @inline(never)
    func runAround<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard let around = advice.around as? Around<Result> else { return try body() }
        return try around.run(call, body)
    }
}
