import LogbookCore

/// Runs what waits on a thread of its own: the pool has no thread to spare for it.
func offPool<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        LogThread.start("waiting") { continuation.resume(returning: body()) }
    }
}

/// Opened once, waited for with a deadline.
final class Flag: Sendable {
    private let isOpen = Monitor(false)

    func open() {
        isOpen.withLock { access in
            access.value = true
            access.broadcast()
        }
    }

    /// - Returns: False when the deadline has passed.
    func wait(until deadline: LogDeadline = .seconds(60)) -> Bool {
        isOpen.withLock { access in
            while !access.value { if !access.wait(until: deadline) { return access.value } }
            return true
        }
    }
}
