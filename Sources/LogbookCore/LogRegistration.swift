internal import CLogbookSystem
internal import Synchronization

/// A provider that listens to a service: what it hears, how it is fed, and what became of the events.
public final class LogRegistration: Sendable {
    private enum Feed { case immediate, queued(BatchingProvider) }
    private enum Phase: UInt8, AtomicRepresentable { case open, shutDown, unregistered }

    /// The provider's name in tables and diagnostics.
    public let name: String
    /// The provider as it was registered.
    public let provider: any LogProvider
    public let delivery: LogDelivery

    let interest: LogInterest
    private let id = Tokens.next()
    private let feed: Feed
    private let filter: (@Sendable (LogEvent) -> Bool)?
    private let floor: Atomic<UInt8>
    private let phase = Atomic<Phase>(.open)
    private let submitted = Atomic<UInt64>(0)
    private let delivered = Atomic<UInt64>(0)
    private let dropped = Locked<[DropReason: UInt64]>([:])
    private let calls = Locked(0)
    private let service: @Sendable () -> LogService?

    init(
        _ provider: any LogProvider, name: String, from level: LogLevel, delivery: LogDelivery,
        filter: (@Sendable (LogEvent) -> Bool)?, clock: LogClock, service: LogService
    ) {
        self.provider = provider
        self.name = name
        self.delivery = delivery
        self.filter = filter
        interest = provider.interest
        floor = Atomic(level.rawValue)
        switch (delivery, provider) {
        case (_, let queue as BatchingProvider): feed = .queued(queue)   // it has its queue already
        case (.immediate, _): feed = .immediate
        case (.queued(let policy), _):
            let sink = (provider as? any BatchSink) ?? ProviderSink(provider: provider)
            feed = .queued(BatchingProvider(sink, policy: policy, name: name, clock: clock))
        }
        self.service = { [weak service] in service }
    }

    /// The lowest level this provider hears; may be changed at any time. Transaction entries reach a provider whose interest is
    /// ``LogInterest/transactionEntries`` at any level.
    public var level: LogLevel {
        get { LogLevel(rawValue: floor.load(ordering: .relaxed))! }
        set {
            floor.store(newValue.rawValue, ordering: .relaxed)
            service()?.audienceChanged()
        }
    }

    /// What became of everything this registration was offered.
    public var ledger: LogLedger {
        switch feed {
        case .queued(let queue):
            // A sink that is fed in batches reports failures to the queue; only a provider fed one by one keeps its own account.
            let outer = queue.ledger!
            if provider is any BatchSink || provider is BatchingProvider { return outer }
            return provider.ledger.map(outer.followed(by:)) ?? outer
        case .immediate:
            let outer = ownLedger
            return provider.ledger.map(outer.followed(by:)) ?? outer
        }
    }

    /// The latest failure of the provider's queue, in words; nil when all is well or the provider has no queue.
    public var latestFailure: String? {
        switch feed {
        case .queued(let queue): queue.latestFailure
        case .immediate: nil
        }
    }

    private var ownLedger: LogLedger {
        // Read the ends before the beginning, so that a log call on another thread can only look pending.
        let dropped = dropped.withLock { $0 }
        let delivered = delivered.load(ordering: .acquiring)
        return LogLedger(submitted: submitted.load(ordering: .acquiring), delivered: delivered, dropped: dropped)
    }

    /// Stops listening. Queued events are still written until the deadline; the provider is not shut down.
    public func unregister(by deadline: LogDeadline = .seconds(2)) {
        service()?.unregister(self, by: deadline)
    }

    // MARK: For the service

    func hears(_ event: LogEvent) -> Bool {
        if interest == .transactionEntries {
            if event.transaction == nil { return false }
        } else if event.level.rawValue < floor.load(ordering: .relaxed) {
            return false
        }
        return filter?(event) ?? true
    }

    /// What this registration adds to the service's floors: for ordinary messages, and for transaction entries.
    var floors: (messages: UInt8, entries: UInt8) {
        let level = floor.load(ordering: .relaxed)
        return interest == .transactionEntries ? (.max, 0) : (level, level)
    }

    func take(_ event: LogEvent) {
        switch phase.load(ordering: .acquiring) {
        case .open: break
        case .shutDown: return lose(.alreadyShutDown)
        case .unregistered: return
        }
        let outer = logbook_nesting_get()
        if event.nesting > LogService.maximumNesting || outer.registration == id { return lose(.reentrant) }
        switch feed {
        case .queued(let queue):
            queue.log(event)
        case .immediate:
            submitted.add(1, ordering: .acquiringAndReleasing)
            logbook_nesting_set(logbook_nesting(depth: event.nesting + 1, registration: id))
            provider.log(event)
            logbook_nesting_set(outer)
            delivered.add(1, ordering: .acquiringAndReleasing)
        }
    }

    private func lose(_ reason: DropReason) {
        if case .queued(let queue) = feed { return queue.lose(reason) }
        submitted.add(1, ordering: .acquiringAndReleasing)
        dropped.withLock { $0[reason, default: 0] += 1 }
    }

    /// True on a thread that is inside this registration's provider.
    var isCurrent: Bool { bears(Self.currentMark) }

    /// The mark of the registration whose provider this thread is inside; 0 outside of every provider.
    package static var currentMark: UInt64 { logbook_nesting_get().registration }

    func bears(_ mark: UInt64) -> Bool {
        if case .queued(let queue) = feed, queue.token == mark { return true }
        return mark == id
    }

    func flush(by deadline: LogDeadline) throws {
        // A shutdown was a flush, and the last one: the exit hook has nothing to add.
        guard phase.load(ordering: .acquiring) == .open else { return }
        switch feed {
        case .queued(let queue): try queue.flush(by: deadline)
        case .immediate: try provider.flush(by: deadline)
        }
    }

    func shutDown(by deadline: LogDeadline) throws {
        guard phase.compareExchange(expected: .open, desired: .shutDown, ordering: .acquiringAndReleasing).exchanged else {
            return
        }
        switch feed {
        case .queued(let queue):
            try queue.shutdown(by: deadline)
            if provider is any BatchSink { try provider.shutdown(by: deadline) }
        case .immediate: try provider.shutdown(by: deadline)
        }
    }

    func leave(by deadline: LogDeadline) {
        phase.store(.unregistered, ordering: .releasing)
        if case .queued(let queue) = feed { try? queue.flush(by: deadline) }
    }

    /// Flushes and shutdowns that may be on their way into one provider at a time. A provider that never comes back holds as many
    /// threads, and not one more for every further call.
    private static let maximumCalls = 4

    /// Runs a flush or a shutdown on a thread of its own.
    /// - Parameter answer: Called once: with nil when it went well, otherwise with the reason in words.
    func call(
        _ body: @escaping @Sendable (LogRegistration) throws -> Void, answer: @escaping @Sendable (String?) -> Void
    ) {
        let isAllowed = calls.withLock { calls in
            guard calls < Self.maximumCalls else { return false }
            calls += 1
            return true
        }
        guard isAllowed else { return answer("\(Self.maximumCalls) earlier calls have not come back from it") }
        let started = LogThread.start("logbook-flush") {
            var reason: String?
            do { try body(self) } catch { reason = String(describing: error) }
            self.calls.withLock { $0 -= 1 }
            answer(reason)
        }
        if !started {
            calls.withLock { $0 -= 1 }
            answer("the machine gives no thread for it")
        }
    }
}
