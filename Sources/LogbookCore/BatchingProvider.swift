/// A provider made of a ``BatchSink``: it owns the bounded queue, the thread, the batches, the retries and the account.
///
/// When `log` returns the event is in memory. `flush` returns when the sink has written and flushed everything taken before.
/// A kill loses at most what the queue holds.
///
/// With a fallback, events go there while the sink keeps failing, and those that it refuses:
///
/// ```swift
/// service.register(BatchingProvider(webhook, fallback: try FileLogProvider(in: "/var/log/shop", name: "webhook")))
/// ```
/// Each event is written by one of the two, in order within each. A sink that hangs instead of failing is not replaced: its queue
/// fills up, and what finds no room is counted.
public final class BatchingProvider: LogProvider, PendingHolder {
    let engine: BatchEngine

    /// - Parameters:
    ///   - fallback: Takes the events while the sink is paused (see ``QueuePolicy/failureThreshold``), or that it refuses: a sink or a
    ///     provider. On the same thread; flushed and closed with the sink.
    ///   - name: Names the thread and the provider in diagnostics.
    public convenience init(
        _ sink: any BatchSink, fallback: (any BatchSink)? = nil, policy: QueuePolicy = QueuePolicy(), name: String? = nil,
        clock: LogClock = .system
    ) {
        self.init(
            sink, lineSink: fallback == nil ? sink as? any LineSink : nil, fallback: fallback, policy: policy,
            name: name ?? String(describing: type(of: sink)), clock: clock)
    }

    /// The same with a provider as the fallback. What that loses by its own account stays among the delivered ones here.
    @_disfavoredOverload
    public convenience init(
        _ sink: any BatchSink, fallback: any LogProvider, policy: QueuePolicy = QueuePolicy(), name: String? = nil,
        clock: LogClock = .system
    ) {
        self.init(
            sink, fallback: (fallback as? any BatchSink) ?? ProviderSink(provider: fallback), policy: policy, name: name, clock: clock)
    }

    init(
        _ sink: any BatchSink, lineSink: (any LineSink)?, fallback: (any BatchSink)? = nil, policy: QueuePolicy, name: String,
        clock: LogClock, startThread: @escaping LogThread.Start = { LogThread.start($0, $1) }
    ) {
        policy.check()
        engine = BatchEngine(
            sink: sink, lineSink: lineSink, fallback: fallback, policy: policy, name: name, clock: clock, startThread: startThread)
    }

    deinit { engine.close() }

    public static var usualDelivery: LogDelivery? { .immediate }

    public func log(_ event: LogEvent) { engine.take(event) }
    public func flush(by deadline: LogDeadline) throws { try engine.flush(by: deadline) }
    public func shutdown(by deadline: LogDeadline) throws { try engine.shutdown(by: deadline) }
    public var ledger: LogLedger? { engine.ledger }
    /// What its sink says, where that is a provider.
    public var lostAfterwards: [DropReason: UInt64]? { sinkAsProvider?.lostAfterwards }
    /// Its sink, where that is a provider.
    var sinkAsProvider: (any LogProvider)? { (engine.sink as? any LogProvider) ?? (engine.sink as? ProviderSink)?.provider }
    /// The account without what wrappers between the queue and its provider have held back.
    func ledger(leavingOut missing: UInt64) -> LogLedger { engine.ledger(leavingOut: missing) }
    /// Why the latest write failed; nil once one has succeeded.
    public var latestFailure: String? { engine.latestFailure }
    /// When the oldest event was said that is queued or being written.
    public var oldestPending: LogTime? { engine.oldestPending }

    package func notePending(on page: LossPage, as name: String) { engine.notePending(on: page, as: name) }

    /// How the queue gets on with its sink.
    public var condition: QueueCondition { engine.condition }
    /// Events that went to the fallback; the ledger has them among the delivered ones.
    public var diverted: UInt64 { engine.diverted }

    /// The queue's mark in the thread's nesting: what the sink logs from its own thread carries it.
    var token: UInt64 { engine.token }
    var policy: QueuePolicy { engine.policy }

    var lineLayout: (any LineLayout)? { engine.lineLayout }

    /// Takes items from a distributor, without waiting: lines where there is a layout, otherwise events.
    func take(_ items: [QueueItem], under pressure: Pressure) { engine.take(items, under: pressure) }

    /// Lets a caller wait where the policy says so.
    func awaitRoom(isPrivileged: Bool) { engine.awaitRoom(isPrivileged: isPrivileged) }

    /// Counts events that will not even be queued.
    func lose(_ reason: DropReason, _ run: LossRun) { engine.lose(reason, run) }

    /// Leaves its sink open when it ends: that is a provider which has left the service.
    func keepSinkOpen() { engine.keepSinkOpen() }

    /// Lets the watch see what the queue loses, and when it writes again.
    func watch(_ losses: LossWatch) { engine.watch(losses) }
}

/// Lets a queue feed a provider that takes one event at a time.
final class ProviderSink: BatchSink {
    let provider: any LogProvider
    private let wrappers: [any WrappingProvider]

    init(provider: any LogProvider) {
        self.provider = provider
        wrappers = provider.wrappers
    }

    /// By how many events fewer have got through the wrappers in front of the provider than came.
    var missing: UInt64 { wrappers.suppression.missing }

    func write(_ batch: [LogEvent]) throws {
        for event in batch { provider.log(event) }
    }
    func flush(by deadline: LogDeadline) throws { try provider.flush(by: deadline) }
    func close(by deadline: LogDeadline) throws { try provider.shutdown(by: deadline) }
}
