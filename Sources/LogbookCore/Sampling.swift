/// Which events of a kind a ``Sampling`` lets pass.
public struct SamplingPolicy: Sendable, Hashable {
    /// The first so many of each kind pass, in each window; 0 or more.
    public var first: Int
    /// Of the rest, every so many-th passes; 0: none.
    public var every: Int
    /// After this span the count of a kind begins anew.
    public var window: Duration
    /// What is counted together.
    public var key: LogEventKey
    /// From this level on everything passes; nil: no level is spared. Transaction entries always pass.
    public var sparing: LogLevel?
    /// Kinds counted at the same time at most, at least 1; kinds beyond that are counted as one.
    public var maximumKinds: Int

    public init(
        first: Int, every: Int = 0, window: Duration = .seconds(1), key: LogEventKey = .callSite,
        sparing: LogLevel? = .error, maximumKinds: Int = 1024
    ) {
        self.first = first
        self.every = every
        self.window = window
        self.key = key
        self.sparing = sparing
        self.maximumKinds = maximumKinds
    }

    func check() {
        requireValid(first >= 0 && every >= 0, "SamplingPolicy.first and .every must not be negative")
        requireValid(window > .zero && maximumKinds > 0, "SamplingPolicy.window and .maximumKinds must be positive")
    }

    /// The count of one kind.
    struct Count: Equatable {
        let end: UInt64
        private(set) var seen = 0
        /// Held back since one passed.
        private(set) var held: UInt64

        init(_ policy: SamplingPolicy, from now: UInt64, held: UInt64 = 0) {
            let (end, isTooFar) = now.addingReportingOverflow(policy.window.nanosecondsAhead)
            self.end = isTooFar ? .max : end
            self.held = held
        }

        /// Counts one event. Nil when it is held back; otherwise how many were, since one passed.
        mutating func pass(_ event: LogEvent, _ policy: SamplingPolicy, at now: UInt64) -> UInt64? {
            if now >= end { self = Count(policy, from: now, held: held) }
            seen += 1
            let beyond = seen - policy.first
            guard beyond <= 0 || (policy.every > 0 && beyond.isMultiple(of: policy.every)) else {
                held = held.cappedSum(event.standsFor)
                return nil
            }
            defer { held = 0 }
            return held
        }
    }
}

/// Lets the first events of a kind pass and then every so many-th, so that a busy loop is seen without filling the disk.
///
/// An event that passes after others of its kind were held back says how many, as the metadata `suppressed`, unless its kind had
/// to be forgotten meanwhile. ``suppression`` counts all of them.
public final class Sampling: WrappingProvider {
    private struct State {
        var table: KindTable<SamplingPolicy.Count>
        var heldBack: UInt64 = 0
    }
    public let wrapped: any LogProvider
    public let policy: SamplingPolicy
    private let clock: LogClock
    private let state: Locked<State>

    public init(_ wrapped: any LogProvider, _ policy: SamplingPolicy, clock: LogClock = .system) {
        policy.check()
        self.wrapped = wrapped
        self.policy = policy
        self.clock = clock
        state = Locked(State(table: KindTable(maximumKinds: policy.maximumKinds)))
    }

    public func log(_ event: LogEvent) {
        if spares(event) { return wrapped.log(event) }
        let now = clock.monotonicNanoseconds(), kind = policy.key.value(of: event)
        let held = state.withLock { state -> UInt64? in
            let place = state.table.place(for: kind) { $0.end <= now }
            let held = state.table[place, default: SamplingPolicy.Count(policy, from: now)].pass(event, policy, at: now)
            if held == nil { state.heldBack += 1 }
            return held
        }
        guard let held else { return }
        if held == 0 { return wrapped.log(event) }
        var metadata = event.metadata
        metadata[LogSuppression.key] = .integer(Int64(clamping: held.cappedSum(event.suppressed)))
        wrapped.log(event.replacingMetadata(metadata))
    }

    public var suppression: LogSuppression { LogSuppression(heldBack: state.withLock { $0.heldBack }) }

    public func reasonToHoldBack(_ event: LogEvent) -> String? {
        if spares(event) { return nil }
        let now = clock.monotonicNanoseconds(), kind = policy.key.value(of: event)
        var count = state.withLock { $0.table.known(for: kind) { $0.end <= now } } ?? SamplingPolicy.Count(policy, from: now)
        if count.pass(event, policy, at: now) != nil { return nil }
        return "sampling: the first \(policy.first), then "
            + (policy.every == 0 ? "none" : "one of \(policy.every)") + " in \(policy.window)"
    }

    private func spares(_ event: LogEvent) -> Bool {
        event.isEntry || policy.sparing.map { event.level >= $0 } ?? false
    }
}
