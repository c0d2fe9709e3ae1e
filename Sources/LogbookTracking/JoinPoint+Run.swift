internal import CLogbookSystem

extension JoinPoint {
    /// Nil where nothing is to be reported: the plan has just gone, or the call comes from inside a provider, or from the closures
    /// of a plan, which would otherwise track themselves without end.
    private var currentAdvice: AdviceSet? { logbook_nesting_get().depth == 0 ? advice : nil }

    func run<Result, Failure: Error>(
        _ instance: () -> Any?, _ arguments: () -> [Any], _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let advice = currentAdvice else { return try body() }
        var call = TrackedCall(self, advice, instance, arguments)
        if !advice.begin(&call), let nothing = () as? Result { return nothing }
        do {
            let result: Result
            if let around = advice.around as? Around<Result> {
                result = try around.run(call, body)
            } else {
                result = try body()
            }
            if advice.needsResult { call.result = result }
            advice.finish(&call, instance)
            return result
        } catch {
            call.error = error
            advice.finish(&call, instance)
            throw error
        }
    }

    func runUncopied<Result: ~Copyable, Failure: Error>(
        _ instance: () -> Any?, _ arguments: () -> [Any], _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let advice = currentAdvice else { return try body() }
        var call = TrackedCall(self, advice, instance, arguments)
        _ = advice.begin(&call)
        do {
            let result = try body()
            advice.finish(&call, instance)
            return result
        } catch {
            call.error = error
            advice.finish(&call, instance)
            throw error
        }
    }

    func run<Result, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ instance: () -> Any?, _ arguments: () -> [Any],
        _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard let advice = currentAdvice else { return try await body() }
        var call = TrackedCall(self, advice, instance, arguments)
        if !advice.begin(&call), let nothing = () as? Result { return nothing }
        do {
            let result = try await body()
            if advice.needsResult { call.result = result }
            advice.finish(&call, instance)
            return result
        } catch {
            call.error = error
            advice.finish(&call, instance)
            throw error
        }
    }

    func begin(_ instance: () -> Any?, _ arguments: () -> [Any]) -> TrackedCallInProgress? {
        guard let advice = currentAdvice else { return nil }
        var call = TrackedCall(self, advice, instance, arguments)
        let goesOn = advice.begin(&call)
        return TrackedCallInProgress(call, advice, isSkipped: !goesOn)
    }
}
