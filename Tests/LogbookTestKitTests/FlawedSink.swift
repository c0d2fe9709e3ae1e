@testable import LogbookTestKit

/// A sink between a queue and the bench's own, with a bad habit.
struct FlawedSink: BatchSink {
    /// A deadline, over or still to come.
    enum Deadline { case flushOver, tenthFlushOver, flushAhead, closeAhead }

    let inner: BenchSink
    let writing: @Sendable (BenchSink, [LogEvent]) throws -> Void
    /// Not looked at.
    let ignored: Deadline?
    /// Called by what will not come back.
    let announceHang: @Sendable () -> Void

    func write(_ batch: [LogEvent]) throws { try writing(inner, batch) }
    func flush(by deadline: LogDeadline) {
        let isTenth = inner.calls.count { $0 == .flush } == 9
        inner.flush(by: heeded(deadline, deadline != .now ? .flushAhead : isTenth ? .tenthFlushOver : .flushOver))
    }
    func close(by deadline: LogDeadline) {
        inner.close(by: deadline == .now ? deadline : heeded(deadline, .closeAhead))
    }

    private func heeded(_ deadline: LogDeadline, _ kind: Deadline) -> LogDeadline {
        guard kind == ignored, inner.isStalled else { return deadline }
        announceHang()
        return .never
    }
}
