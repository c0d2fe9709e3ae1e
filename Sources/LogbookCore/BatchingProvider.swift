/// A provider made of a ``BatchSink``: it owns the bounded queue, the thread, the batches, the retries and the account.
///
/// When `log` returns the event is in memory. `flush` returns when the sink has written and flushed everything taken before.
/// A kill loses at most what the queue holds.
public final class BatchingProvider: LogProvider {
    private let engine: BatchEngine

    /// - Parameter name: Names the thread and the provider in diagnostics.
    public convenience init(
        _ sink: any BatchSink, policy: QueuePolicy = QueuePolicy(), name: String? = nil, clock: LogClock = .system
    ) {
        self.init(
            sink, lineSink: sink as? any LineSink, policy: policy, name: name ?? String(describing: type(of: sink)), clock: clock)
    }

    init(_ sink: any BatchSink, lineSink: (any LineSink)?, policy: QueuePolicy, name: String, clock: LogClock) {
        policy.check()
        engine = BatchEngine(sink: sink, lineSink: lineSink, policy: policy, name: name, clock: clock)
    }

    deinit { engine.close() }

    public func log(_ event: LogEvent) { engine.take(event) }
    public func flush(by deadline: LogDeadline) throws { try engine.flush(by: deadline) }
    public func shutdown(by deadline: LogDeadline) throws { try engine.shutdown(by: deadline) }
    public var ledger: LogLedger? { engine.ledger }

    /// The queue's mark in the thread's nesting: what the sink logs from its own thread carries it.
    var token: UInt64 { engine.token }
    var latestFailure: String? { engine.latestFailure }
    var overflow: QueuePolicy.Overflow { engine.overflow }

    var lineLayout: (any LineLayout)? { engine.lineLayout }

    /// Takes items from a distributor, without waiting: lines where there is a layout, otherwise events.
    func take(_ items: [QueueItem], under pressure: Pressure) { engine.take(items, under: pressure) }

    /// Lets a caller wait where the policy says so.
    func awaitRoom(isPrivileged: Bool) { engine.awaitRoom(isPrivileged: isPrivileged) }

    /// Counts events that will not even be queued.
    func lose(_ reason: DropReason, count: Int = 1) { engine.lose(reason, count: count) }
}

/// Lets a queue feed a provider that takes one event at a time.
struct ProviderSink: BatchSink {
    let provider: any LogProvider

    func write(_ batch: [LogEvent]) throws {
        for event in batch { provider.log(event) }
    }
    func flush(by deadline: LogDeadline) throws { try provider.flush(by: deadline) }
    func close(by deadline: LogDeadline) { try? provider.shutdown(by: deadline) }
}
