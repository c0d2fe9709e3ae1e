/// A destination for events. The one protocol to adopt; the service does the rest.
///
/// Which levels and events a provider hears is said where it is registered, so no provider ever compares levels. A provider
/// that does slow work should be a ``BatchSink`` instead, or be registered with ``LogDelivery/queued(_:)``.
public protocol LogProvider: Sendable {
    /// Takes one event on the thread that logged it, or on the provider's queue: return promptly, never wait, never throw.
    /// Several threads may call at the same time.
    func log(_ event: LogEvent)

    /// Returns once everything taken so far is as safe as this provider can make it.
    /// - Throws: When it cannot be made safe before the deadline; say in words what is missing.
    func flush(by deadline: LogDeadline) throws

    /// The last call: flush, then let go of files and connections. A second call does nothing. Calls ``flush(by:)`` unless
    /// the provider has more to do.
    ///
    /// The service calls ``log(_:)`` no more once it has called this, and calls this when all who were inside have come back. It waits for
    /// those for half of the time at most: one that comes back later finds the provider shut down.
    func shutdown(by deadline: LogDeadline) throws

    /// What the provider wants to hear at all; ``LogInterest/everything`` unless it says otherwise. Asked when it is registered.
    var interest: LogInterest { get }

    /// Whether the provider can use what tasks carry: the metadata of ``LogService/with(_:_:)`` and the id of the current
    /// transaction. Yes unless it says otherwise; where no provider can, no task is asked. Asked when it is registered.
    var wantsContext: Bool { get }

    /// How a ``LogListener`` that says nothing else has it fed, whatever the preset is: `.immediate` for a provider that keeps events safe
    /// itself before ``log(_:)`` returns, or has a queue of its own, where one more in front would keep them in memory for nothing. Nil, as
    /// it is unless the provider says otherwise, for what the preset says.
    static var usualDelivery: LogDelivery? { get }

    /// The provider's own account, when it may still lose what ``log(_:)`` took (it queues, or its writes can fail). Nil when
    /// an event is taken care of as soon as ``log(_:)`` returns.
    ///
    /// This, ``latestFailure`` and ``oldestPending`` answer at once: whoever asks for the account or for ``LogService/health()`` waits for
    /// them on the own thread. A flush and a shutdown do not.
    var ledger: LogLedger? { get }

    /// What it has lost of what it had taken care of, by reasons, since it was made: a spool that is full gives up the oldest of what waits
    /// in it. That stays among the delivered ones in ``ledger``, and is told as ``LogService/lossCategory``. Nil, as it is unless the
    /// provider says otherwise, where nothing of the kind can happen or nobody counts it. Asked with every event, so answer at once.
    var lostAfterwards: [DropReason: UInt64]? { get }

    /// Why the latest of what it took could not be taken care of, in words; nil, as it is unless the provider says otherwise, when all is
    /// well. Asked by ``LogService/health()``, on any thread; a queue in front of the provider knows what its writes throw by itself.
    var latestFailure: String? { get }

    /// When the oldest event was said that the provider holds and has not taken care of; nil when it holds none, or, as it is unless the
    /// provider says otherwise, does not know. Asked in the same way.
    var oldestPending: LogTime? { get }
}

extension LogProvider {
    public func shutdown(by deadline: LogDeadline) throws { try flush(by: deadline) }
    public var interest: LogInterest { .everything }
    public var wantsContext: Bool { true }
    public static var usualDelivery: LogDelivery? { nil }
    public var ledger: LogLedger? { nil }
    public var lostAfterwards: [DropReason: UInt64]? { nil }
    public var latestFailure: String? { nil }
    public var oldestPending: LogTime? { nil }
}

/// Which events a provider can use at all.
public enum LogInterest: Sendable, Hashable {
    /// Every event that passes the registration's level and filter.
    case everything
    /// Transaction entries only, whatever the registration's level: other events cost such a provider nothing.
    case transactionEntries
}

/// The slow half of a provider: one call at a time, on a thread of its own. Throw, and the same batch is offered again.
///
/// ```swift
/// struct Webhook: BatchSink {
///     func write(_ batch: [LogEvent]) throws { try post(batch.map(\.message)) }
/// }
/// LogService.shared.register(sink: Webhook())
/// ```
public protocol BatchSink: Sendable {
    /// Writes events in the order of the batch, all or nothing.
    /// - Parameter batch: `1...QueuePolicy.batchCount` events.
    /// - Throws: Anything: the batch is offered again after a pause. ``BatchWriteError`` says more precisely what became of it.
    func write(_ batch: [LogEvent]) throws

    /// Makes what was written as safe as this sink can; called on the sink's thread, after the batches before it, and before ``close(by:)``.
    func flush(by deadline: LogDeadline) throws

    /// The last call. Does nothing unless the sink has something to let go of.
    /// - Throws: What whoever shuts down is to be told of; it is closed all the same.
    func close(by deadline: LogDeadline) throws
}

extension BatchSink {
    public func flush(by deadline: LogDeadline) throws {}
    public func close(by deadline: LogDeadline) throws {}
}

/// What became of a batch that a sink could not write whole.
///
/// A count that cannot be is taken for the nearest that can, and reported to ``LogDiagnostics``.
public enum BatchWriteError: Error, CustomStringConvertible {
    /// The first `count` events are written, of none to all of them; the rest should be offered again.
    case wroteOnly(count: Int, because: any Error)
    /// The batch can never be written and is dropped, counted under the reason.
    case refused(DropReason, because: any Error)
    /// The first `after` events are written, from none to all but one, and the one behind them can never be: it alone is dropped, counted
    /// under the reason, and the rest should be offered again.
    case refusedOne(DropReason, after: Int, because: any Error)
    /// Of the first `of` events, one at least, `count` are dropped on purpose, counted under the reason, and the others are written; what
    /// stands behind them should be offered again. That is no failure: nothing goes to a fallback, and the sink is not left alone for a
    /// while. Where it speaks of no event the first counts as dropped.
    case dropped(count: Int, of: Int, DropReason)

    public var description: String {
        switch self {
        case .wroteOnly(let count, let cause): "wrote only \(count) events: \(LogMessage(describing: cause))"
        case .refused(let reason, let cause): "refused (\(reason)): \(LogMessage(describing: cause))"
        case .refusedOne(let reason, let count, let cause):
            "refused one event after \(count) (\(reason)): \(LogMessage(describing: cause))"
        case .dropped(let count, let total, let reason): "dropped \(count) of \(total) events (\(reason))"
        }
    }
}
