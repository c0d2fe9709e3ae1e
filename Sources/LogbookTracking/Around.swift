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
            LogDiagnostics.report("tracking", "the handler around \(call.point.id) threw \(type(of: error)), which the method cannot throw")
            if let produced { return try produced.get() }
            return try original()
        }
    }
}
