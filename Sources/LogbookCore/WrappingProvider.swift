/// A provider that stands in front of another one and changes, or decides, what reaches it. Wrappers compose: each takes any
/// provider, also a wrapper.
///
/// ```swift
/// service.register(Sampling(FoldingRepeats(BatchingProvider(file)), SamplingPolicy(first: 100, every: 10)))
/// ```
/// The queue stands inside, in front of a provider that is a ``BatchSink``: one in front of the wrapper gives it one event after the other,
/// and what the sink cannot write then is counted as lost, while its own queue offers it again.
///
/// To write one, adopt this protocol, say what is ``wrapped`` and write ``LogProvider/log(_:)``; everything else is passed on.
public protocol WrappingProvider: LogProvider {
    /// The provider behind this one.
    var wrapped: any LogProvider { get }

    /// What it held back on purpose; nothing unless it says otherwise. The registration's ledger leaves these events out.
    var suppression: LogSuppression { get }

    /// Why the event would be held back if it came now, in words, for ``LogService/explain(_:)``; nil when it would pass, as it
    /// always does unless the wrapper says otherwise. Changes nothing.
    func reasonToHoldBack(_ event: LogEvent) -> String?
}

extension WrappingProvider {
    public func flush(by deadline: LogDeadline) throws { try wrapped.flush(by: deadline) }
    public func shutdown(by deadline: LogDeadline) throws { try wrapped.shutdown(by: deadline) }
    public var interest: LogInterest { wrapped.interest }
    public var wantsContext: Bool { wrapped.wantsContext }
    public var ledger: LogLedger? { wrapped.ledger }
    public var lostAfterwards: [DropReason: UInt64]? { wrapped.lostAfterwards }
    public var latestFailure: String? { wrapped.latestFailure }
    public var oldestPending: LogTime? { wrapped.oldestPending }
    public var suppression: LogSuppression { LogSuppression() }
    public func reasonToHoldBack(_ event: LogEvent) -> String? { nil }
}

/// What a wrapper held back on purpose. Not a loss: it was asked to.
public struct LogSuppression: Sendable, Hashable {
    /// Metadata key under which an event says how many like it were held back: `suppressed`. Where wrappers stand within each
    /// other, an event that is held back counts with those that it speaks of, so that the counts that arrive add up.
    public static let key = "suppressed"

    /// Events that came and have not reached the wrapped provider.
    public var heldBack: UInt64
    /// Events that the wrapper itself said about those it held back. Each stands in the place of one of them: its sequence and
    /// time are those of the last one.
    public var reports: UInt64

    public init(heldBack: UInt64 = 0, reports: UInt64 = 0) {
        self.heldBack = heldBack
        self.reports = reports
    }

    public static func + (left: LogSuppression, right: LogSuppression) -> LogSuppression {
        LogSuppression(heldBack: left.heldBack + right.heldBack, reports: left.reports + right.reports)
    }

    /// What was held back, and said about it, since then.
    func since(_ earlier: LogSuppression) -> LogSuppression {
        LogSuppression(heldBack: heldBack - min(earlier.heldBack, heldBack), reports: reports - min(earlier.reports, reports))
    }

    /// By how many events fewer reached the wrapped provider than came.
    package var missing: UInt64 { heldBack - min(reports, heldBack) }
}

extension LogProvider {
    /// The wrappers from this provider inwards; empty when it is none.
    package var wrappers: [any WrappingProvider] {
        var wrappers: [any WrappingProvider] = [], next: any LogProvider = self
        while let wrapper = next as? any WrappingProvider {
            wrappers.append(wrapper)
            next = wrapper.wrapped
        }
        return wrappers
    }
}

extension LogProvider {
    /// Tells the provider from every other one, whatever wrappers stand in front of it; nil for a value, whose copies nobody tells apart.
    var identity: ObjectIdentifier? {
        let innermost = wrappers.last?.wrapped ?? self
        return type(of: innermost) is any AnyObject.Type ? ObjectIdentifier(innermost as AnyObject) : nil
    }
}

extension LogProvider {
    /// Whoever knows what this provider loses afterwards: behind wrappers and a queue the one that keeps events. To hold it holds no queue,
    /// which holds who watches it.
    var keeper: any LogProvider {
        guard let queue = (wrappers.last?.wrapped ?? self) as? BatchingProvider else { return self }
        return queue.sinkAsProvider?.keeper ?? self
    }
}

extension [any WrappingProvider] {
    /// What all of them held back.
    package var suppression: LogSuppression { reduce(LogSuppression()) { $0 + $1.suppression } }
}
