internal import LogbookCore

/// What a program does around a method: it may look at the result, change it, or not proceed at all.
struct Around<Result>: Sendable {
    let body: @Sendable (TrackedCall, () throws -> Result) throws -> Result

    /// What the handler throws of its own accord cannot leave a method that does not throw such errors: then the method's own
    /// result stands, and the library says so.
    func run<Failure: Error>(_ call: TrackedCall, _ original: () throws(Failure) -> Result) throws(Failure) -> Result {
        var produced: Swift.Result<Result, Failure>?
        do {
            return try body(call) {
                let outcome = Swift.Result<Result, Failure> { () throws(Failure) in try original() }
                produced = outcome
                return try outcome.get()
            }
        } catch let error as Failure {
            throw error
        } catch {
            reportForeign(error, around: call.point)
            if let produced { return try produced.get() }
            return try original()
        }
    }
}

/// The same around an asynchronous method. All of it runs where the method's caller is.
struct AsyncAround<Result>: Sendable {
    typealias Proceed = nonisolated(nonsending) () async throws -> Result
    let body: nonisolated(nonsending) @Sendable (TrackedCall, Proceed) async throws -> Result

    nonisolated(nonsending) func run<Failure: Error>(
        _ call: TrackedCall, _ original: nonisolated(nonsending) () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        var produced: Swift.Result<Result, Failure>?
        do {
            return try await body(call) {
                do throws(Failure) {
                    let result = try await original()
                    produced = .success(result)
                    return result
                } catch {
                    produced = .failure(error)
                    throw error
                }
            }
        } catch let error as Failure {
            throw error
        } catch {
            reportForeign(error, around: call.point)
            if let produced { return try produced.get() }
            return try await original()
        }
    }
}

private func reportForeign(_ error: any Error, around point: JoinPoint) {
    LogDiagnostics.report("tracking", "the handler around \(point.id) threw \(type(of: error)), which the method cannot throw")
}
