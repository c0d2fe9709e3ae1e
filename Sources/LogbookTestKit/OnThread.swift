internal import LogbookCore

/// Runs what waits, for processes or servers, on a thread of its own: the pool that runs the tests has none to spare for it.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        LogThread.start("waiting") { continuation.resume(with: Result { try body() }) }
    }
}
