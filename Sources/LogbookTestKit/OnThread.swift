internal import LogbookCore

/// Runs what waits, for processes or servers, on a thread of its own: the pool that runs the tests has none to spare for it. Also for what
/// a thread keeps to itself.
package func onThread<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
        let isStarted = LogThread.start("waiting") { continuation.resume(returning: Result(catching: body)) }
        if !isStarted { fatalError("the machine has no thread for what waits") }
    }
    return try result.get()
}
