/// What is left of a registration that listens no more: what its queue still has in hand. It does not hold the registration, so that a
/// queue whose owner lets go of it comes to its end as any other does.
final class Remnant: Sendable {
    let name: String
    let losses: LossWatch
    private let mark: UInt64
    private let queue: BatchEngine?
    /// One that its wrappers feed, behind the other.
    private let inner: BatchEngine?
    private let lineage = ProcessLineage.current

    /// - Parameters:
    ///   - mark: The registration's, in the thread's nesting.
    ///   - queue: Nil where it has none.
    ///   - inner: What that feeds in the end; nil where that is no queue, or there is one alone.
    init(name: String, mark: UInt64, losses: LossWatch, queue: BatchEngine?, inner: BatchEngine? = nil) {
        self.name = name
        self.mark = mark
        self.losses = losses
        self.queue = queue
        self.inner = inner === queue ? nil : inner
    }

    var isOfThisProcess: Bool { lineage.isCurrent }

    /// Whether nothing of it is written or lost any more.
    var isOver: Bool { (queue?.isAtRest ?? true) && (inner?.isAtRest ?? true) }

    func notePending(on page: LossPage) {
        queue?.notePending(on: page, as: name)
        inner?.notePending(on: page, as: name)
    }

    func bears(_ mark: UInt64) -> Bool { mark == self.mark || mark == queue?.token || mark == inner?.token }

    /// Asks what is in hand to be made safe; nil where nothing is, or on the queue's own thread, which would wait for itself.
    /// - Parameter registrations: Those that are flushed anyway, and their queues with them.
    func demandFlush(besides registrations: [LogRegistration], by deadline: LogDeadline) -> QueueFlush? {
        // The first flushes the other in the end.
        guard let queue = [queue, inner].lazy.compactMap({ $0 }).first(where: { !$0.isAtRest }), isOfThisProcess,
            !bears(LogRegistration.currentMark), !registrations.contains(where: { $0.bears(queue.token) })
        else { return nil }
        return QueueFlush(of: queue, as: name, by: deadline)
    }
}
