/// How much a ``RecentEvents`` keeps, and what lets it go.
public struct RecentEventsPolicy: Sendable, Hashable {
    /// What is kept together, and released together.
    public enum Scope: Sendable, Hashable {
        /// Each transaction has its own events, see ``LogEvent/transactionID``; what is said outside of every one is kept together.
        case transaction
        /// All events are kept together.
        case everything
    }

    /// Events of this level and above pass at once; those below are kept.
    public var passing: LogLevel
    /// An event of this level or above releases what is kept, and so does a transaction's entry that carries an error.
    public var releasing: LogLevel
    /// Events kept at most in each scope, the newest; at least 1.
    public var count: Int
    public var scope: Scope
    /// Transactions whose events are kept at the same time at most; the one that was silent longest is forgotten. At least 1.
    public var maximumTransactions: Int
    /// Bytes kept at most in all scopes, by estimate; what was kept in the scope that was silent longest is forgotten first.
    public var maximumBytes: Int

    public init(
        passing: LogLevel = .info, releasing: LogLevel = .error, count: Int = 100, scope: Scope = .transaction,
        maximumTransactions: Int = 256, maximumBytes: Int = 4 << 20
    ) {
        self.passing = passing
        self.releasing = releasing
        self.count = count
        self.scope = scope
        self.maximumTransactions = maximumTransactions
        self.maximumBytes = maximumBytes
    }

    func check() {
        requireValid(
            count > 0 && maximumTransactions > 0 && maximumBytes > 0,
            "RecentEventsPolicy.count, .maximumTransactions and .maximumBytes must be positive")
    }

    func releases(_ event: LogEvent) -> Bool {
        event.level >= releasing || event.transaction?.errorCode != nil || event.transaction?.errorDescription != nil
    }
}

/// Keeps the last events below a level back, and passes them on when an error comes: detail where it matters, silence elsewhere.
///
/// ```swift
/// service.register(RecentEvents(file, RecentEventsPolicy(passing: .info)), from: .debug)
/// ```
/// Register it from the lowest level that is to be kept. Released events come before the error, in their order, as they were
/// said: with their own sequence and time. What is kept is in memory; it is not written by a flush, and forgotten at the end.
public final class RecentEvents: WrappingProvider {
    /// What is kept, by transaction; nil for what was said outside of every one.
    struct Kept {
        private struct Group {
            var events = RingBuffer<LogEvent>()
            var bytes = 0
            var latestUse: UInt64 = 0
        }
        private var groups: [MetadataKey?: Group] = [:]
        private var uses: UInt64 = 0
        private(set) var bytes = 0
        var count: Int { groups.values.reduce(0) { $0 + $1.events.count } }

        mutating func keep(_ event: LogEvent, of transaction: MetadataKey?, _ policy: RecentEventsPolicy) {
            uses += 1
            var group = groups.removeValue(forKey: transaction) ?? Group()
            group.latestUse = uses
            group.events.append(event)
            change(&group, by: event.estimatedBytes)
            if group.events.count > policy.count { forgetOldest(&group) }
            // Besides this group there may be one for each transaction: one in all is for what belongs to none.
            while (bytes > policy.maximumBytes || groups.count > policy.maximumTransactions), let quietest = quietestGroup {
                bytes -= groups.removeValue(forKey: quietest)?.bytes ?? 0
            }
            while bytes > policy.maximumBytes, group.events.count > 1 { forgetOldest(&group) }
            groups[transaction] = group
        }

        mutating func release(_ transaction: MetadataKey?) -> [LogEvent] {
            guard var group = groups.removeValue(forKey: transaction) else { return [] }
            bytes -= group.bytes
            var released: [LogEvent] = []
            while let event = group.events.removeFirst() { released.append(event) }
            return released
        }

        /// Nil when there is none; the key of a group may be nil itself.
        private var quietestGroup: MetadataKey?? { groups.min { $0.value.latestUse < $1.value.latestUse }.map(\.key) }

        private mutating func forgetOldest(_ group: inout Group) {
            if let oldest = group.events.removeFirst() { change(&group, by: -oldest.estimatedBytes) }
        }

        private mutating func change(_ group: inout Group, by count: Int) {
            group.bytes += count
            bytes += count
        }
    }

    private struct State {
        var kept = Kept()
        var heldBack: UInt64 = 0
    }
    public let wrapped: any LogProvider
    public let policy: RecentEventsPolicy
    private let state = Locked(State())

    public init(_ wrapped: any LogProvider, _ policy: RecentEventsPolicy = RecentEventsPolicy()) {
        policy.check()
        self.wrapped = wrapped
        self.policy = policy
    }

    public func log(_ event: LogEvent) {
        let group = policy.scope == .transaction ? event.transactionID.map { MetadataKey($0) } : nil
        if keeps(event) {
            return state.withLock { state in
                state.kept.keep(event, of: group, policy)
                state.heldBack += 1
            }
        }
        if policy.releases(event) {
            let released = state.withLock { $0.kept.release(group) }
            for event in released {
                wrapped.log(event)
                state.withLock { $0.heldBack -= 1 }
            }
        }
        wrapped.log(event)
    }

    /// Whether the provider behind it wants to know or not: the transaction of an event decides where it is kept.
    public var wantsContext: Bool { policy.scope == .transaction || wrapped.wantsContext }

    /// Events that are kept at the moment.
    public var keptCount: Int { state.withLock { $0.kept.count } }

    /// Events that are kept, or were forgotten, without having been released.
    public var suppression: LogSuppression { LogSuppression(heldBack: state.withLock { $0.heldBack }) }

    public func reasonToHoldBack(_ event: LogEvent) -> String? {
        keeps(event) ? "kept until an error comes: below \(policy.passing.name)" : nil
    }

    private func keeps(_ event: LogEvent) -> Bool {
        event.level < policy.passing && !event.isEntry && !policy.releases(event)
    }
}
