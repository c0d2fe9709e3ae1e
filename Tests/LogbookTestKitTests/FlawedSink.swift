@testable import LogbookTestKit

/// A sink between a queue and the bench's own, with a bad habit.
struct FlawedSink: BatchSink {
    let inner: BenchSink
    let writing: @Sendable (BenchSink, [LogEvent]) throws -> Void
    /// Not nil: a flush does not look at its deadline, and says so when that is over.
    let announceHang: (@Sendable () -> Void)?

    func write(_ batch: [LogEvent]) throws { try writing(inner, batch) }
    func flush(by deadline: LogDeadline) {
        guard let announceHang else { return inner.flush(by: deadline) }
        if deadline.hasPassed, inner.isStalled { announceHang() }
        inner.flush(by: .never)
    }
    func close(by deadline: LogDeadline) { inner.close(by: deadline) }
}
