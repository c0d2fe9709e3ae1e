import LogbookCore

/// Runs what waits on a thread of its own: the pool has no thread to spare for it.
func offPool<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        LogThread.start("waiting") { continuation.resume(returning: body()) }
    }
}
