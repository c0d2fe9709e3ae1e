/// Queues whose owners let go of them, or whose registrations left, before their threads had written everything: nobody else knows of
/// them when the program ends.
enum LeavingQueues {
    private static let queues = Locked<[UInt64: BatchEngine]>([:])

    static func include(_ queue: BatchEngine) {
        ExitFlush.install()
        ProcessLineage.betweenForks { queues.withLock { $0[queue.token] = queue } }
    }

    /// The same for a queue that goes on. It is taken out when it is closed, as it is at the latest when its owner lets go of it.
    static func includeUnlessAtRest(_ queue: BatchEngine) {
        if queue.isAtRest { return }
        include(queue)
        if queue.isAtRest { remove(queue) }   // it may have been closed meanwhile
    }

    static func remove(_ queue: BatchEngine) {
        ProcessLineage.betweenForks { queues.withLock { _ = $0.removeValue(forKey: queue.token) } }
    }

    /// In a forked child those of its parent as well, which do nothing there.
    private static var all: [BatchEngine] { queues.withLock { Array($0.values) } }

    /// Asks all of them that have something in hand to flush, at the same time.
    /// - Parameter registrations: Those that are flushed anyway, and their queues with them.
    static func demandFlush(besides registrations: [LogRegistration], by deadline: LogDeadline) -> [QueueFlush] {
        all.filter { queue in !queue.isAtRest && !registrations.contains { $0.bears(queue.token) } }
            .map { QueueFlush(of: $0, by: deadline) }
    }
}
