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
    /// As the provider said when it was registered. It is not asked again: audiences are made under a lock, where it may not log.
    let wantsContext: Bool
    /// What it said that it wants to hear; not asked again either.
    private let interest: LogInterest

    private let id = Tokens.next()
    private let lineage = ProcessLineage.current
    private let lostInChild = Atomic<UInt64>(0)
    private let feed: Feed
    private let wrappers: [any WrappingProvider]
    private let listening: Locked<ListeningTerms>
    private let phase = Atomic<Phase>(.open)
    private let unheardByLevel = Atomic<UInt64>(0)
    private let unheardByFilter = Atomic<UInt64>(0)
    private let unheardByInterest = Atomic<UInt64>(0)
    /// What the provider's account and its wrappers said when it was registered: that was not heard through this registration.
    private let ledgerBefore: LogLedger, suppressionBefore: LogSuppression, lostBefore: [DropReason: UInt64]?
    private let submitted = Atomic<UInt64>(0)
    private let delivered = Atomic<UInt64>(0)
    /// What wrappers had held back since it was registered when an event was last delivered.
    private let settledMissing = Atomic<UInt64>(0)
    private let dropped = Locked<[DropReason: UInt64]>([:])
    /// Flushes and shutdowns on their way into the provider.
    let calls = Locked(Calls())
    private let closing = Monitor(Closing())
    /// What it lost and nobody was told of yet.
    let losses: LossWatch
    private let service: @Sendable () -> LogService?

    init(
        _ provider: any LogProvider, name: String, listening: ListeningTerms, delivery: LogDelivery, clock: LogClock,
        service: LogService
    ) {
        self.provider = provider
        self.name = name
        self.delivery = delivery
        wantsContext = provider.wantsContext
        interest = listening.interest
        self.listening = Locked(listening)
        let wrappers = provider.wrappers, ledgerBefore = provider.ledger, lostBefore = provider.lostAfterwards
        self.wrappers = wrappers
        self.ledgerBefore = ledgerBefore ?? LogLedger()
        suppressionBefore = wrappers.suppression
        self.lostBefore = lostBefore
        witness = (wrappers.last?.wrapped ?? provider) as? any SafeEndWitness
        switch (delivery, provider) {
        case (_, let queue as BatchingProvider): feed = .queued(queue)   // it has its queue already
        case (.immediate, _): feed = .immediate
        case (.queued(let policy), _):
            let sink = (provider as? any BatchSink) ?? ProviderSink(provider: provider)
            feed = .queued(
                BatchingProvider(sink, lineSink: provider as? any LineSink, policy: policy, name: name, clock: clock))
        }
        self.service = { [weak service] in service }
        // What says by itself what it loses: a queue, and a sink to its queue.
        let isHeard: Bool
        if case .immediate = feed {
            isHeard = wrappers.last?.wrapped is BatchingProvider
        } else {
            isHeard = provider is any BatchSink || provider is BatchingProvider
        }
        let account: (@Sendable () -> LogLedger?)?
        if isHeard || ledgerBefore == nil { account = nil } else { account = { Inside.runOutside { provider.ledger } } }
        let lostAfterwards: (@Sendable () -> [DropReason: UInt64]?)?, keeper = provider.keeper
        if lostBefore == nil { lostAfterwards = nil } else { lostAfterwards = { Inside.runOutside { keeper.lostAfterwards } } }
        losses = LossWatch(
            tell: { [weak service] in service?.setLossAlarm(at: 0) }, account: account, lostAfterwards: lostAfterwards)
        queue?.watch(losses)
    }

    /// The lowest level this provider hears where no rule of ``levels`` says otherwise; `critical` when that is none. Transaction
    /// entries reach a provider whose interest is ``LogInterest/transactionEntries`` at any level.
    ///
    /// This, ``levels``, ``filter`` and ``isFixed`` may be changed at any time; a log call that begins afterwards heeds it.
    public var level: LogLevel {
        get { levels.default.level ?? .critical }
        set { change { $0.levels.default = LogThreshold(newValue) } }
    }

    /// What this provider hears, by the module and category of an event. Where several threads change it: ``changeLevels(_:)``.
    public var levels: LevelRules {
        get { terms.levels }
        set { change { $0.levels = newValue } }
    }

    /// What of that it hears. A closure that was given to `register` decides as well, afterwards. Where several threads change it:
    /// ``changeFilter(_:)``.
    public var filter: LogFilter {
        get { terms.filter }
        set { change { $0.filter = newValue } }
    }

    /// Whether ``levels`` alone count: raises, the levels of tasks and `LOGBOOK_LEVEL` change nothing. For a provider that wakes
    /// people. False unless set.
    public var isFixed: Bool {
        get { terms.isFixed }
        set { change { $0.isFixed = newValue } }
    }

    /// What its provider sees of private values; nil, as it is unless set, for what ``LogService/privacy`` says. May be changed at
    /// any time as well. A ``LogListener`` of a configuration says it before the first event.
    ///
    /// What a provider keeps (a file, a queue, a flight recorder) it keeps as it was shown. What a flight recorder was shown in clear, and
    /// hands over at the next start, is private again as a whole.
    public var privacy: PrivacyMode? {
        get { terms.privacy }
        set { change { $0.privacy = newValue } }
    }

    /// Changes ``levels`` in one step. `registration.levels["net"] = .debug` reads them and sets them again, and so undoes what another
    /// thread sets meanwhile; this does not: `registration.changeLevels { $0["net"] = .debug }`.
    /// - Parameter body: Called once more where another thread was faster, so that it should do nothing else.
    public func changeLevels(_ body: (inout LevelRules) -> Void) { change(\.levels, body) }

    /// Changes ``filter`` in the same way.
    public func changeFilter(_ body: (inout LogFilter) -> Void) { change(\.filter, body) }

    /// The body is foreign code, so it runs outside of the lock.
    private func change<Value: Equatable>(_ path: WritableKeyPath<ListeningTerms, Value>, _ body: (inout Value) -> Void) {
        var isChanged = false
        while !isChanged {
            let before = terms[keyPath: path]
            var value = before
            body(&value)
            ProcessLineage.betweenForks {
                adopt { terms in
                    isChanged = terms[keyPath: path] == before
                    if isChanged { terms[keyPath: path] = value }
                }
            }
        }
        service()?.audienceChanged()
    }

    private func change(_ body: (inout ListeningTerms) -> Void) {
        ProcessLineage.betweenForks { adopt(body) }
        service()?.audienceChanged()
    }

    /// Changes the terms; the service heeds them when its audience is made anew. To be called between forks.
    func adopt(_ body: (inout ListeningTerms) -> Void) { listening.withLock { body(&$0) } }

    /// Events that other providers of the service heard, or might have, and this one did not, since it was registered. None of
    /// them is lost, or part of the ledger: with what wrappers hold back, `unheard.total + ledger.submitted + suppression.heldBack -
    /// suppression.reports` accounts for every sequence since then.
    public var unheard: LogUnheard {
        service()?.settleInterruptedCalls()
        service()?.distribute()
        return unheardSoFar
    }

    /// The same as far as what was said is handed out.
    var unheardSoFar: LogUnheard {
        LogUnheard(
            level: unheardByLevel.load(ordering: .relaxed), filter: unheardByFilter.load(ordering: .relaxed),
            interest: unheardByInterest.load(ordering: .relaxed))
    }

    /// What became of everything this registration was offered, and that no wrapper held back.
    ///
    /// What a wrapper held back, and a provider's own account, count from the registration on, and for all registrations of that wrapper
    /// or provider at the time together: for exact ledgers register each once at a time. Where it is registered twice, what it has lost
    /// counts in both.
    ///
    /// In a forked child the account of a parent's registration begins anew, at the fork.
    public var ledger: LogLedger { ledger(by: .seconds(10)) }

    /// - Parameter deadline: How long to wait for those who are handing out what was said before.
    func ledger(by deadline: LogDeadline) -> LogLedger {
        service()?.settleInterruptedCalls()
        if isOfThisProcess { service()?.distribute(by: deadline) }
        return ledgerSoFar
    }

    /// The same as far as what was said is handed out.
    var ledgerSoFar: LogLedger {
        if !isOfThisProcess {
            let lost = lostInChild.load(ordering: .relaxed)
            return LogLedger(submitted: lost, dropped: lost == 0 ? [:] : [.forkChild: lost])
        }
        let before = outerLedger
        // A sink that is fed in batches reports failures to the queue; only a provider fed one by one keeps its own account.
        if isQueued, provider is any BatchSink || provider is BatchingProvider { return before }
        guard let inner = provider.ledger else { return before }
        return outerLedger.followed(by: inner.since(ledgerBefore), settled: before.delivered)
    }

    /// What became of the events on their way into the provider.
    private var outerLedger: LogLedger {
        let missing = suppression.missing
        switch feed {
        case .queued(let queue):
            let ledger = queue.ledger(leavingOut: missing)
            return provider is BatchingProvider ? ledger.since(ledgerBefore) : ledger
        case .immediate: return ownLedger.leavingOut(missing, settled: settledMissing.load(ordering: .acquiring))
        }
    }

    /// What is known to be pending without a question to the provider or its wrappers, which may be what does not come back.
    func pendingOutside(by deadline: LogDeadline) -> UInt64 {
        guard isOfThisProcess else { return 0 }
        service()?.settleInterruptedCalls()
        service()?.distribute(by: deadline)
        if case .queued(let queue) = feed { return queue.ledger?.pending ?? 0 }
        return ownLedger.pending
    }

    /// What wrappers in front of the provider held back on purpose since it was registered.
    public var suppression: LogSuppression { wrappers.isEmpty ? LogSuppression() : wrappers.suppression.since(suppressionBefore) }

    /// What the provider has lost since then of what it had taken care of, by reasons; see ``LogProvider/lostAfterwards``. The ledger has it
    /// among the delivered ones.
    public var lostAfterwards: [DropReason: UInt64] {
        guard isOfThisProcess, let lost = provider.lostAfterwards else { return [:] }
        return lost.reduce(into: [:]) { since, lost in
            let new = lost.value - min(lostBefore?[lost.key] ?? 0, lost.value)
            if new > 0 { since[lost.key] = new }
        }
    }

    /// The latest failure of the provider's queue or, where that has none to tell of, of the provider itself, in words; nil when all is
    /// well or neither says.
    public var latestFailure: String? {
        guard isOfThisProcess else { return nil }
        return (queue?.latestFailure ?? provider.latestFailure).map(PrivacyLens.forDiagnostics.masked)
    }

    /// When the oldest event was said that is still in the provider's queue or, as far as it says, in the provider itself; nil when there
    /// is none.
    public var oldestPending: LogTime? {
        guard isOfThisProcess else { return nil }
        return [queue?.oldestPending, provider.oldestPending].compactMap { $0 }.min()
    }

    /// How the provider's queue gets on with it; ``QueueCondition/working`` when it has none.
    public var condition: QueueCondition { queue?.condition ?? .working }

    /// The queue that feeds the provider, or that its wrappers feed.
    private var queue: BatchingProvider? {
        if case .queued(let queue) = feed { return queue }
        return innerQueue
    }
    /// The one that its wrappers feed, also where they have another before them.
    private var innerQueue: BatchingProvider? { wrappers.last?.wrapped as? BatchingProvider }

    private var ownLedger: LogLedger {
        // Read the ends before the beginning, so that a log call on another thread can only look pending.
        let dropped = dropped.withLock { $0 }
        let delivered = delivered.load(ordering: .acquiring)
        return LogLedger(submitted: submitted.load(ordering: .acquiring), delivered: delivered, dropped: dropped)
    }

    /// Stops listening. Queued events are still written until the deadline, and wrappers report what they held back; the provider is
    /// flushed, and not shut down. What had been said and not even reached the queue by then is counted as
    /// ``DropReason/providerTimeout``. See ``LogService/unregister(_:by:)``.
    public func unregister(by deadline: LogDeadline = .seconds(2)) {
        service()?.unregister(self, by: deadline)
    }

    // MARK: For the service

    var terms: ListeningTerms { listening.withLock { $0 } }

    /// The provider, or the one behind its wrappers, where that wants to know how the program ends.
    package let witness: (any SafeEndWitness)?

    /// Whether its provider stands behind a wrapper.
    var isWrapped: Bool { !wrappers.isEmpty }

    /// False once it was shut down or unregistered.
    package var isOpen: Bool { phase.load(ordering: .acquiring) == .open }

    /// What keeps an event back that this registration hears; nil when it would be written.
    func obstacle(for event: LogEvent) -> LogReason? {
        if !isOfThisProcess { return .forkChild }
        if !isOpen { return .shutDown }
        return wrappers.lazy.compactMap { $0.reasonToHoldBack(event) }.first.map(LogReason.wrapper)
    }

    /// Counts events that this registration does not hear.
    func pass(over ground: ListeningTerms.Ground, count: Int = 1) {
        switch ground {
        case .filter, .closure: unheardByFilter.add(UInt64(count), ordering: .relaxed)
        case .interest: unheardByInterest.add(UInt64(count), ordering: .relaxed)
        case .level, .rule, .raise, .task, .entry: unheardByLevel.add(UInt64(count), ordering: .relaxed)
        }
    }

    /// The same for plain messages: no rule or filter but the registration's own level, or its interest, keeps one from it.
    func passOverPlain(count: Int) { pass(over: interest == .transactionEntries ? .interest : .level, count: count) }

    /// False in a forked child, for what its parent registered.
    var isOfThisProcess: Bool { lineage.isCurrent }

    func take(_ event: LogEvent) {
        guard isOfThisProcess else {
            lostInChild.add(1, ordering: .relaxed)
            return
        }
        switch phase.load(ordering: .acquiring) {
        case .open: break
        case .shutDown: return lose(.alreadyShutDown, LossRun(event))
        case .unregistered: return
        }
        let outer = logbook_nesting_get()
        if event.nesting > LogService.maximumNesting || outer.registration == id { return lose(.reentrant, LossRun(event)) }
        switch feed {
        case .queued(let queue):
            queue.log(event)
        case .immediate:
            submitted.add(1, ordering: .sequentiallyConsistent)
            // A shutdown waits for those that it finds counted; who is counted after its beginning finds that here.
            switch phase.load(ordering: .sequentiallyConsistent) {
            case .open: break
            case .shutDown: return drop(.alreadyShutDown, LossRun(event))
            case .unregistered:
                submitted.subtract(1, ordering: .sequentiallyConsistent)
                return
            }
            if losses.looksAtProvider { losses.gives(LossRun(event), telling: losses.countsLaterLosses && event.tellsOfLosses ? 1 : 0) }
            logbook_nesting_set(logbook_nesting(depth: event.nesting + 1, registration: id))
            Inside.runOutside { provider.log(event) }
            logbook_nesting_set(outer)
            if !wrappers.isEmpty { settledMissing.store(suppression.missing, ordering: .releasing) }
            delivered.add(1, ordering: .acquiringAndReleasing)
            if losses.looksAtProvider { losses.gave() }
        }
    }

    // MARK: For the distributor

    /// Whether a distributor feeds it.
    var isQueued: Bool { if case .queued = feed { true } else { false } }

    /// What its queue does when it is full; nil when it has none.
    var overflow: QueuePolicy.Overflow? { if case .queued(let queue) = feed { queue.policy.overflow } else { nil } }

    /// How the queue behaves that feeds the provider, or that its wrappers feed; nil when there is none.
    var queuePolicy: QueuePolicy? { queue?.policy }

    /// Whether an event may go on its way to the queue; counts it when not. To be asked on the thread that says it.
    func admits(_ event: LogEvent) -> Bool {
        guard isOfThisProcess else {
            lostInChild.add(1, ordering: .relaxed)
            return false
        }
        guard event.nesting <= LogService.maximumNesting, !isCurrent else {
            lose(.reentrant, LossRun(event))
            return false
        }
        return true
    }

    /// How its queue wants events laid out; nil when it wants them as they are.
    var lineLayout: (any LineLayout)? { if case .queued(let queue) = feed { queue.lineLayout } else { nil } }

    /// Puts items into the queue, without waiting.
    func feed(_ items: [QueueItem], under pressure: Pressure) {
        guard case .queued(let queue) = feed else { return }
        switch phase.load(ordering: .acquiring) {
        case .open: queue.take(items, under: pressure)
        case .shutDown: if let run = items[...].asLoss { queue.lose(.alreadyShutDown, run) }
        // They were said while it still listened, and nobody could hand them out before its deadline.
        case .unregistered: if let run = items[...].asLoss { queue.lose(.providerTimeout, run) }
        }
    }

    /// Lets a caller wait where the queue is full and its policy says so.
    func awaitRoom(isPrivileged: Bool) {
        if case .queued(let queue) = feed { queue.awaitRoom(isPrivileged: isPrivileged) }
    }

    func lose(_ reason: DropReason, _ run: LossRun) {
        guard isOfThisProcess else {   // another thread may have been in the middle of changing the parent's account
            lostInChild.add(UInt64(run.count), ordering: .relaxed)
            return
        }
        if case .queued(let queue) = feed { return queue.lose(reason, run) }
        submitted.add(UInt64(run.count), ordering: .acquiringAndReleasing)
        drop(reason, run)
    }

    /// Loses what was said while it listened, and comes when it does no more.
    func loseLate(_ run: LossRun) { lose(phase.load(ordering: .acquiring) == .shutDown ? .alreadyShutDown : .providerTimeout, run) }

    /// Loses what is counted as submitted, where there is no queue.
    private func drop(_ reason: DropReason, _ run: LossRun) {
        dropped.withLock { $0[reason, default: 0] += UInt64(run.count) }
        losses.lost(reason, run)
    }

    /// Begins to note what its queue and its provider have in hand, unless they do already.
    func notePending(on page: LossPage) {
        guard isOfThisProcess else { return }
        if case .queued(let queue) = feed { queue.notePending(on: page, as: name) }
        provider.notePendingWithin(on: page, as: name)
    }

    /// Whether its queue still has something in hand.
    var isStillWriting: Bool { queue?.engine.isAtRest == false || innerQueue?.engine.isAtRest == false }

    /// What is left of it when it listens no more.
    var remnant: Remnant { Remnant(name: name, mark: id, losses: losses, queue: queue?.engine, inner: innerQueue?.engine) }

    /// True on a thread that is inside this registration's provider.
    var isCurrent: Bool { bears(Self.currentMark) }

    /// The mark of the registration whose provider this thread is inside; 0 outside of every provider.
    package static var currentMark: UInt64 { logbook_nesting_get().registration }

    func bears(_ mark: UInt64) -> Bool { mark != 0 && (mark == id || mark == queue?.token || mark == innerQueue?.token) }

    func flush(by deadline: LogDeadline) throws {
        switch phase.load(ordering: .acquiring) {
        case .open:
            let isHandedOut = service()?.distribute(by: deadline) ?? true
            switch feed {
            case .queued(let queue):
                try queue.flush(by: deadline)
                // The queue is flushed, but does not have all of it yet. False also for who distributes itself, and cannot wait for it.
                if !isHandedOut, deadline.hasPassed {
                    throw QueueError.deadlinePassed(pending: Int(queue.ledger?.pending ?? 0), latestFailure: queue.latestFailure)
                }
            case .immediate: try inside { try provider.flush(by: deadline) }
            }
        // A shutdown is a flush, and the last one: once it is over, the exit hook has nothing to add.
        case .shutDown: try awaitShutdown(by: deadline) { try $0.flush(by: deadline) }
        // Since whoever flushes has looked who listens.
        case .unregistered: try remnant.demandFlush(besides: [], by: deadline)?.wait(by: deadline)
        }
    }

    /// Flushes and shutdowns that wait for another thread's shutdown.
    var waitingForShutdown: Int { closing.withLock { $0.value.waiting } }

    /// A shutdown that is under way or over.
    private struct Closing {
        var isUnderWay = false
        var failure: (any Error)?
        /// Flushes and shutdowns that wait for it.
        var waiting = 0
    }

    func shutDown(by deadline: LogDeadline) throws {
        guard isOfThisProcess else { return }
        service()?.distribute(by: deadline)
        let isFirst = closing.withLock { access in
            guard phase.compareExchange(expected: .open, desired: .shutDown, ordering: .sequentiallyConsistent).exchanged else {
                return false
            }
            access.value.isUnderWay = true
            return true
        }
        guard isFirst else { return try awaitShutdown(by: deadline) { try $0.shutdown(by: deadline) } }
        let outcome = Result { try close(by: deadline) }
        closing.withLock { access in
            access.value.isUnderWay = false
            if case .failure(let failure) = outcome { access.value.failure = failure }
            access.broadcast()
        }
        try outcome.get()
    }

    private func close(by deadline: LogDeadline) throws {
        switch feed {
        case .queued(let queue):
            var failure: (any Error)?
            do { try queue.shutdown(by: deadline) } catch let error as QueueError { throw error } catch { failure = error }
            // The queue is closed: whatever its sink's last flush says, the last call is made.
            if provider is any BatchSink {
                do { try inside { try provider.shutdown(by: deadline) } } catch { failure = failure ?? error }
            }
            if let failure { throw failure }
        case .immediate:
            awaitCallers(by: deadline)
            try inside { try provider.shutdown(by: deadline) }
        }
    }

    /// Callers that do not come back from a provider keep its shutdown, or its last flush, waiting so long at most, and no longer than half
    /// of its time.
    private static let longestWaitForCallers = Duration.seconds(10)

    /// Lets those who were inside the provider when it was closed to others come back: afterwards it is given nothing.
    private func awaitCallers(by deadline: LogDeadline) {
        let patience = LogDeadline.after(min(Self.longestWaitForCallers, deadline.remaining.map { $0 / 2 } ?? Self.longestWaitForCallers))
        for _ in 0..<Self.looksForCallers {
            if ownLedger.pending == 0 { return }
            LogThread.yield()
        }
        // Nobody says when he comes back: that would cost every call.
        closing.withLock { access in
            while ownLedger.pending > 0, !patience.hasPassed { access.wait(until: min(patience, .milliseconds(1))) }
        }
    }
    private static let looksForCallers = 16

    /// Waits for a shutdown that another thread has begun, if it is not over, and for what that has left in the queue.
    /// - Throws: What that shutdown threw, where it was waited for, or that it is not over.
    private func awaitShutdown(by deadline: LogDeadline, _ ask: (BatchingProvider) throws -> Void) throws {
        let failure = try closing.withLock { access throws -> (any Error)? in
            guard access.value.isUnderWay else { return nil }
            access.value.waiting += 1
            defer { access.value.waiting -= 1 }
            while access.value.isUnderWay, !deadline.hasPassed, access.wait(until: deadline) {}
            if access.value.isUnderWay { throw QueueError.shutdownNotOver }
            return access.value.failure
        }
        if case .queued(let queue) = feed { try ask(queue) }
        if let failure { throw failure }
    }

    /// Runs a call of the provider that gives it nothing: what it logs meanwhile reaches the others. A thread that is inside already, or
    /// inside the queue behind a wrapper, keeps the mark by which that is known.
    private func inside(_ body: () throws -> Void) rethrows {
        if isCurrent { return try body() }
        let outer = logbook_nesting_get()
        logbook_nesting_set(logbook_nesting(depth: outer.depth + 1, registration: id))
        defer { logbook_nesting_set(outer) }
        try body()
    }

    /// Whose provider leaves in the middle of its own work does not wait for that. A queue that cannot be flushed in time is the program's
    /// end's to wait for, unless a shutdown has said already what it left.
    func leave(by deadline: LogDeadline) {
        let wasOpen = phase.exchange(.unregistered, ordering: .sequentiallyConsistent) == .open
        switch feed {
        case .queued(let queue):
            if !isCurrent {
                do { try queue.flush(by: deadline) } catch QueueError.deadlinePassed {
                    // What is not written yet is looked after.
                } catch {
                    sayUnsafe(LogFlushReport.Unfinished.reason(error))
                }
            }
            if wasOpen, !(provider is BatchingProvider) { queue.keepSinkOpen() }
        case .immediate:
            guard wasOpen, isOfThisProcess, !isCurrent, !deadline.hasPassed else { break }
            // A thread that is inside another provider may have come there through this one.
            if logbook_nesting_get().depth == 0 { awaitCallers(by: deadline) }
            // On a thread of its own: it is foreign code, and may ignore the deadline.
            let report = LogService.report(among: [self], by: deadline) { left in
                do {
                    try left.inside { try left.provider.flush(by: deadline) }
                } catch QueueError.deadlinePassed where left.innerQueue != nil {
                    // What is not written yet is looked after.
                }
            }
            for unfinished in report.unfinished { sayUnsafe(unfinished.reason) }
        }
        guard wasOpen, isOfThisProcess else { return }
        if let queue { LeavingQueues.includeUnlessAtRest(queue.engine) }
        if let innerQueue, innerQueue !== queue { LeavingQueues.includeUnlessAtRest(innerQueue.engine) }
    }

    /// Nobody is told in another way of what a flush says for whom no caller waits, and a provider may say it but once: it does not take
    /// its turn behind what its queue has to remark.
    private func sayUnsafe(_ reason: String) {
        LogDiagnostics.report("\(name), leaving", "listens no more, and not everything is safe: \(reason)")
    }
}
