/// Queues whose owners let go of them before their threads had written everything: nobody else knows of them when the program ends.
enum LeavingQueues {
    private static let queues = Locked<[UInt64: BatchEngine]>([:])

    static func include(_ queue: BatchEngine) {
        ExitFlush.install()
        ProcessLineage.betweenForks { queues.withLock { $0[queue.token] = queue } }
    }

    static func remove(_ queue: BatchEngine) {
        ProcessLineage.betweenForks { queues.withLock { _ = $0.removeValue(forKey: queue.token) } }
    }

    /// In a forked child those of its parent as well, which do nothing there.
    private static var all: [BatchEngine] { queues.withLock { Array($0.values) } }

    /// Asks all of them to flush, at the same time.
    /// - Returns: What to wait for: of each its flush, nil where there is none, or why it cannot.
    static func demandFlush(by deadline: LogDeadline) -> [(queue: BatchEngine, round: Result<UInt64?, any Error>)] {
        all.map { queue in (queue, Result { try queue.demandFlush(by: deadline) }) }
    }
}
