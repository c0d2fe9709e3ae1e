/// A flush that a queue was asked for, for who waits later.
struct QueueFlush {
    private let queue: BatchEngine
    /// Nil where there is nothing to wait for.
    private let round: Result<UInt64?, any Error>

    /// Asks for it, without waiting.
    init(of queue: BatchEngine, by deadline: LogDeadline) {
        self.queue = queue
        round = Result { try queue.demandFlush(by: deadline) }
    }

    /// Waits for it.
    /// - Returns: What it did not reach.
    func awaitEnd(by deadline: LogDeadline) -> LogFlushReport.Unfinished? {
        do {
            if let round = try round.get() { try queue.awaitFlush(round, by: deadline) }
            return nil
        } catch {
            return LogFlushReport.Unfinished(
                name: queue.name, pending: queue.ledger.pending, 
                reason: PrivacyLens.forDiagnostics.masked(LogMessage(describing: error).description))
        }
    }
}
