package import LogbookCore

/// A sink that takes everything, cannot make safe what it had been given when it is flushed first, and says so once, as a disk does.
package final class UnsafeOnceSink: BatchSink {
    private let flushes = Locked(0), gate: Gate?

    /// - Parameter gate: Where it stops before it writes.
    package init(gate: Gate? = nil) { self.gate = gate }

    package func write(_ batch: [LogEvent]) { gate?.wait() }
    package func flush(by deadline: LogDeadline) throws {
        let isFirst = flushes.withLock { flushes in
            flushes += 1
            return flushes == 1
        }
        if isFirst { throw ScriptedFailure("the disk did not take it") }
    }
}
