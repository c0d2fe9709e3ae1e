public import LogbookCore

/// A sink that writes into memory and fails when its script says so.
public final class FailingSink: BatchSink {
    /// What the n-th call of `write` does, counted from 1: nil writes, an error is thrown and nothing written.
    private let script: @Sendable (Int) -> (any Error)?
    private struct State {
        var calls = 0
        var written: [LogEvent] = []
        var batches: [[LogEvent]] = []
    }
    private let state = Locked(State())

    public init(_ script: @escaping @Sendable (Int) -> (any Error)?) { self.script = script }

    public func write(_ batch: [LogEvent]) throws {
        let call = state.withLock { state in
            state.calls += 1
            return state.calls
        }
        if let failure = script(call) { throw failure }
        state.withLock { state in
            state.written.append(contentsOf: batch)
            state.batches.append(batch)
        }
    }

    public var calls: Int { state.withLock { $0.calls } }
    public var written: [LogEvent] { state.withLock { $0.written } }
    public var batches: [[LogEvent]] { state.withLock { $0.batches } }
}
