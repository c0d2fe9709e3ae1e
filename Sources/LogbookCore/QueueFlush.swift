/// A flush that a queue was asked for, for who waits later.
struct QueueFlush {
    private let queue: BatchEngine
    private let name: String
    /// Nil where there is nothing to wait for.
    private let round: Result<UInt64?, any Error>

    /// Asks for it, without waiting.
    /// - Parameter name: Whose it is; nil for its own.
    init(of queue: BatchEngine, as name: String? = nil, by deadline: LogDeadline) {
        self.queue = queue
        self.name = name ?? queue.name
        round = Result { try queue.demandFlush(by: deadline) }
    }

    /// Waits for it.
    /// - Throws: Why not everything is safe.
    func wait(by deadline: LogDeadline) throws {
        if let round = try round.get() { try queue.awaitFlush(round, by: deadline) }
    }

    /// Waits for it.
    /// - Returns: What it did not reach.
    func awaitEnd(by deadline: LogDeadline) -> LogFlushReport.Unfinished? {
        do {
            try wait(by: deadline)
            return nil
        } catch {
            return LogFlushReport.Unfinished(name: name, pending: queue.ledger.pending, because: error)
        }
    }
}
