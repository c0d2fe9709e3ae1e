public import Synchronization

/// Takes what the application says and fans it out to every provider that listens.
///
/// ```swift
/// LogService.register(provider: ConsoleLogProvider())          // once, at program start
/// LogService.shared.warning("payment \(id) took \(ms) ms")     // from anywhere, on any thread
/// ```
/// ``shared`` is one instance of an ordinary class; tests and libraries make their own.
public final class LogService: Sendable {
    /// The instance that the static calls use.
    public static let shared = LogService()

    /// How many providers deep a log call is followed: one that a provider makes reaches the others, one that this causes in
    /// turn is counted as ``DropReason/reentrant``.
    static let maximumNesting: UInt32 = 1

    /// The machine that transactions and the headers of their requests name: what this one says about itself, unless the program knows
    /// better. Set it at program start, before a transaction begins: `LogService.shared.device = DeviceFacts(make: …)`.
    /// What transactions under way say from then on names the new one.
    public var device: DeviceFacts {
        get { currentDevice.withLock { $0 } }
        set {
            distribute(by: .milliseconds(250))   // what was said before is about the earlier one
            currentDevice.withLock { $0 = newValue }
        }
    }
    private let currentDevice: Locked<DeviceFacts>

    @usableFromInline let messageFloor = Atomic<UInt8>(.max)
    @usableFromInline let sureFloor = Atomic<UInt8>(.max)
    let entryFloor = Atomic<UInt8>(.max)
    let counts = LogCounts()
    /// Of the process in which losses are recorded, or about to be.
    let recording = Locked<ProcessLineage?>(nil)
    let listening: Locked<Listening>
    let applied = Locked<[LogRegistration]>([])
    /// Feeds the queues; there once the first of them is registered. What a child has from its parent stays, unused.
    let distributorAddress = Atomic<UInt>(0)
    private let raiseAlarm = Locked<LogAlarm?>(nil)
    private let lossAlarm = Locked<LogAlarm?>(nil)
    let interrupted = InterruptedCalls()
    let readContext: @Sendable () -> LogContext?
    private let startThread: LogThread.Start
    package let clock: LogClock
    let randomness: LogRandomness

    /// A service that nobody listens to yet.
    /// - Parameters:
    ///   - privacy: What providers see of private values where their registration does not say otherwise.
    ///   - device: The machine that transactions name.
    ///   - clock: Gives every event its time; a test's may be turned by hand.
    ///   - randomness: Where the ids of transactions come from.
    public convenience init(
        privacy: PrivacyMode = .masked, device: DeviceFacts = .current, clock: LogClock = .system,
        randomness: LogRandomness = .system
    ) {
        self.init(
            privacy: privacy, device: device, clock: clock, randomness: randomness, readContext: { LogContext.current })
    }

    /// - Parameters:
    ///   - readContext: Asks the task what it carries; called only when the answer makes a difference.
    ///   - startThread: Starts the thread that hands out what was said.
    package init(
        privacy: PrivacyMode = .masked, device: DeviceFacts = .current, clock: LogClock = .system,
        randomness: LogRandomness = .system, readContext: @escaping @Sendable () -> LogContext?,
        startThread: @escaping LogThread.Start = { LogThread.start($0, $1) }
    ) {
        listening = Locked(Listening(privacy: PrivacyTerms(mode: privacy)))
        currentDevice = Locked(device)
        self.clock = clock
        self.randomness = randomness
        self.readContext = readContext
        self.startThread = startThread
        _ = LogDiagnostics.standardError   // seen before anybody closes it
    }

    deinit {
        LiveServices.remove(ObjectIdentifier(self))
        if let distributor {
            distributor.close()
            Unmanaged.passUnretained(distributor).release()
        }
    }

    /// The sequence given last; 0 before the first.
    var latestSequence: UInt64 { counts.latest }

    /// The next sequence, from 1.
    @inline(__always)
    func nextSequence() -> UInt64 { counts.next() }

    // MARK: Who listens

    /// Lets a provider listen, from now on.
    /// - Parameters:
    ///   - level: The lowest level it hears.
    ///   - delivery: ``LogDelivery/immediate`` on the thread that logs, or through a queue with a thread of its own. A
    ///     ``BatchingProvider`` has its queue already: how that behaves is said when it is made.
    ///   - name: Its name in tables and diagnostics; its type's name otherwise.
    ///   - filter: Hears only what this is true for; called on the thread that logs. A ``LogFilter`` does the same as a value.
    /// - Returns: The registration, to change the level, read the ledger or stop listening.
    @discardableResult
    public func register(
        _ provider: any LogProvider, from level: LogLevel = .verbose, delivery: LogDelivery = .immediate,
        name: String? = nil, where filter: (@Sendable (LogEvent) -> Bool)? = nil
    ) -> LogRegistration {
        let levels = LevelRules(LogThreshold(level))
        return add(
            provider, ListeningTerms(interest: provider.interest, levels: levels, closure: filter), delivery, name: name)
    }

    @discardableResult
    public func register(provider: any LogProvider) -> LogRegistration { register(provider) }

    /// The same with a filter that is a value: it can be exchanged at any time, and explained.
    @discardableResult
    public func register(
        _ provider: any LogProvider, from level: LogLevel = .verbose, delivery: LogDelivery = .immediate,
        name: String? = nil, where filter: LogFilter
    ) -> LogRegistration {
        register(provider, levels: LevelRules(LogThreshold(level)), delivery: delivery, name: name, where: filter)
    }

    /// The same with levels by module and category.
    @discardableResult
    public func register(
        _ provider: any LogProvider, levels: LevelRules, delivery: LogDelivery = .immediate, name: String? = nil,
        where filter: LogFilter = .everything
    ) -> LogRegistration {
        add(provider, ListeningTerms(interest: provider.interest, levels: levels, filter: filter), delivery, name: name)
    }

    /// Lets a sink listen through a queue of its own.
    @discardableResult
    public func register(
        sink: any BatchSink, from level: LogLevel = .verbose, queue: QueuePolicy = QueuePolicy(), name: String? = nil,
        where filter: (@Sendable (LogEvent) -> Bool)? = nil
    ) -> LogRegistration {
        let levels = LevelRules(LogThreshold(level))
        return add(sink, ListeningTerms(interest: .everything, levels: levels, closure: filter), queue, name: name)
    }

    /// The same with levels by module and category, and a filter that is a value.
    @discardableResult
    public func register(
        sink: any BatchSink, levels: LevelRules, queue: QueuePolicy = QueuePolicy(), name: String? = nil,
        where filter: LogFilter = .everything
    ) -> LogRegistration {
        add(sink, ListeningTerms(interest: .everything, levels: levels, filter: filter), queue, name: name)
    }

    private func add(
        _ sink: any BatchSink, _ terms: ListeningTerms, _ queue: QueuePolicy, name: String?
    ) -> LogRegistration {
        let name = name ?? String(describing: type(of: sink))
        return add(BatchingProvider(sink, policy: queue, name: name, clock: clock), terms, .immediate, name: name)
    }

    private func add(
        _ provider: any LogProvider, _ terms: ListeningTerms, _ delivery: LogDelivery, name: String?
    ) -> LogRegistration {
        let registration = registration(of: provider, terms, delivery, name: name)
        change { $0.registrations.append(registration) }
        return registration
    }

    /// A registration that does not listen yet.
    func registration(
        of provider: any LogProvider, _ terms: ListeningTerms, _ delivery: LogDelivery, name: String?
    ) -> LogRegistration {
        let name = name ?? String(describing: type(of: provider))
        if case .queued(let policy) = delivery {
            policy.check()
            if let queue = provider as? BatchingProvider, ![QueuePolicy(), queue.policy].contains(policy) {
                LogDiagnostics.report(
                    name, "a BatchingProvider has its queue already; the policy it is registered with belongs where it is made")
            }
        }
        LiveServices.include(self)
        ExitFlush.install()
        let registration = LogRegistration(
            provider, name: name, listening: terms, delivery: delivery, clock: clock, service: self)
        if let page = counts.currentPage { registration.notePending(on: page) }   // before it has anything
        return registration
    }

    /// Stops a provider from listening. Queued events are still written until the deadline, and wrappers report what they held back; the
    /// provider is flushed, and not shut down. What had been said and not even reached its queue by then is counted as
    /// ``DropReason/providerTimeout``. The others hear what it has lost; this waits for them until the deadline, and where that has passed
    /// for a quarter of a second. What is in its queue then is written later, as long as somebody keeps the provider or the registration,
    /// and for a few seconds after that: the program's end waits for it, and what is lost of it the others hear as well.
    public func unregister(_ registration: LogRegistration, by deadline: LogDeadline = .seconds(2)) {
        let wasOpen = registration.isOpen
        change(by: deadline) { listening in
            listening.registrations.removeAll { $0 === registration }
            listening.departing.append(registration)
        }
        registration.leave(by: deadline)
        haveLeft([registration])
        if wasOpen { tellLastLosses(of: registration, by: deadline) }
    }

    /// Forgets who has left, once each, but for what their queues still have in hand.
    func haveLeft(_ registrations: [LogRegistration]) {
        follow(registrations.filter { $0.isOfThisProcess && $0.isStillWriting })
        ProcessLineage.betweenForks {
            listening.withLock { listening in
                for registration in registrations {
                    if let place = listening.departing.firstIndex(where: { $0 === registration }) { listening.departing.remove(at: place) }
                }
            }
        }
    }

    /// Who listens at the moment, in the order of registration.
    public var registrations: [LogRegistration] { listening.withLock { $0.registrations } }

    var audience: Audience { listening.withLock { $0.audience } }

    /// Stops the registrations that a forked child has from its parent from listening, and returns them.
    func removeInherited() -> [LogRegistration] {
        let inherited = registrations.filter { !$0.isOfThisProcess }
        change { $0.registrations.removeAll { !$0.isOfThisProcess } }
        return inherited
    }

    /// Heeds what changed in a registration, or in the levels of tasks.
    func audienceChanged() { change { _ in } }

    /// Changes who listens or what is raised, and makes the audience anew.
    /// - Parameter deadline: How long to wait until what was said before is handed out, where somebody leaves. Nothing else needs that:
    ///   what cannot be handed out at once is seen later as it was to be seen when it was said.
    func change(by deadline: LogDeadline = .now, _ body: (inout Listening) -> Void) {
        settleInterruptedCalls()
        let (earlier, leaving, isPrivacyNew, hasRaises) = ProcessLineage.betweenForks {
            listening.withLock { listening in
                body(&listening)
                let earlier = listening.renewAudience(), audience = listening.audience
                messageFloor.store(audience.messageFloor, ordering: .relaxed)
                sureFloor.store(audience.sureFloor, ordering: .relaxed)
                entryFloor.store(audience.entryFloor, ordering: .relaxed)
                let leaving = arrangeSeats(&listening)
                return (earlier, leaving, listening.remembersEarlierPrivacy, !listening.raises.isEmpty || !earlier.raises.isEmpty)
            }
        }
        if !leaving.isEmpty || isPrivacyNew { settleSeats(leaving, by: deadline) }
        withExtendedLifetime(earlier) {}   // what it alone held is let go here, not under the lock
        if let page = counts.currentPage { notePending(on: page) }   // it may have come since they were made
        distributor?.seekMissingThread()
        if hasRaises { setRaiseAlarm() }
    }

    /// Gives everybody new a seat; the first who is queued brings the distributor.
    /// - Returns: Who has a seat and listens no more.
    private func arrangeSeats(_ listening: inout Listening) -> [LogRegistration] {
        if distributor == nil, listening.registrations.contains(where: { $0.isQueued && $0.isOfThisProcess }) {
            let distributor = Distributor(clock, device: currentDevice, counts: counts, startThread: startThread)
            counts.beginAnewInChild()
            distributorAddress.store(UInt(bitPattern: Unmanaged.passRetained(distributor).toOpaque()), ordering: .releasing)
            listening.clearSeats()
        }
        return distributor.map { listening.arrangeSeats(for: $0) } ?? []
    }

    /// Hands out what was said before, so that others may have the seats of those who leave, and earlier rules can be forgotten.
    private func settleSeats(_ leaving: [LogRegistration], by deadline: LogDeadline) {
        let latest = listening.withLock { $0.latestPrivacy }
        guard distribute(by: deadline) else {
            // Its thread sees to it later; where it has none, the next change does.
            distributor?.onceHandedOut { [weak self] in self?.audienceChanged() }
            return
        }
        // The caller holds who leaves, so nothing is let go under the lock.
        ProcessLineage.betweenForks {
            listening.withLock { listening in
                listening.forgetPrivacy(before: latest)
                listening.vacateSeats(of: leaving)
                listening.show(distributor)
            }
        }
        // What was handed out after they had left is lost, and nobody was told of it then.
        follow(leaving.filter { $0.isOfThisProcess && !$0.isOpen && $0.losses.isUntold })
    }

    /// The distributor of this process; nil when nobody is queued.
    @inline(__always)
    var distributor: Distributor? {
        guard let address = UnsafeRawPointer(bitPattern: distributorAddress.load(ordering: .acquiring)) else { return nil }
        let distributor = Unmanaged<Distributor>.fromOpaque(address).takeUnretainedValue()
        return distributor.lineage.isCurrent ? distributor : nil
    }

    /// Lets the queues have what was said before.
    /// - Returns: Whether all of it is handed out.
    @discardableResult
    func distribute(by deadline: LogDeadline = .seconds(10)) -> Bool { distributor?.distribute(by: deadline) ?? true }

    /// Lets the floors go back up when the next raise ends. Decisions do not wait for it, they look at the clock.
    private func setRaiseAlarm() {
        let alarm = raiseAlarm.alarm(madeBy: {
            LogAlarm("logbook-raises", clock: clock, startThread: startThread) { [weak self] in self?.removeExpiredRaises() }
        })
        alarm.set { listening.withLock { $0.raises.map(\.expiry).min() } }
    }

    /// Lets losses be told on a thread of their own: where they come to light, foreign code may not be called.
    func setLossAlarm(at uptime: UInt64) {
        let alarm = lossAlarm.alarm(madeBy: {
            LogAlarm("logbook-losses", clock: clock, startThread: startThread) { [weak self] in self?.tellLosses() }
        })
        alarm.set(at: uptime)
    }
}
