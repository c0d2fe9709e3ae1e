package import LogbookCore

/// A sink that stops at a gate before it writes.
package final class GatedSink: BatchSink {
    package let gate = Gate(), inner = FailingSink { _ in nil }

    package init() {}

    package func write(_ batch: [LogEvent]) throws {
        gate.wait()
        try inner.write(batch)
    }
}
