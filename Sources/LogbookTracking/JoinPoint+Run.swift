internal import CLogbookSystem

extension JoinPoint {
    /// Nil where nothing is to be reported; see ``OpenCall``.
    var currentAdvice: AdviceSet? { logbook_nesting_get().depth == 0 ? advice : nil }

    func run<Result, Failure: Error>(
        _ instance: () -> Any?, _ arguments: () -> [Any], _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard var call = OpenCall(self, instance, arguments) else { return try body() }
        return try call.run(instance, body)
    }

    @inline(never)
    private nonisolated(nonsending) func runAround<Result, Failure: Error>(
        _ call: TrackedCall, _ advice: AdviceSet, _ body: nonisolated(nonsending) () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard let around = advice.around as? AsyncAround<Result> else { return try await body() }
        return try await around.run(call, body)
    }

    /// What a method that returns nothing returns when something happened instead of it.
    @inline(never)
    private func nothing<Result>(as type: Result.Type) -> Result? { () as? Result }

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
        try await runHere(instance, arguments) { () async throws(Failure) in try await body() }
    }

    /// All of it, with the body, runs where the caller is.
    nonisolated(nonsending) func runHere<Result, Failure: Error>(
        _ instance: () -> Any?, _ arguments: () -> [Any], _ body: nonisolated(nonsending) () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard let advice = currentAdvice else { return try await body() }
        var call = TrackedCall(self, advice, instance, arguments)
        if !advice.begin(&call), let nothing = nothing(as: Result.self) { return nothing }
        do {
            let result = try await advice.hasAround ? runAround(call, advice, body) : body()
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
