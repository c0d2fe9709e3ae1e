// HOT PATH — a line nobody listens to costs one relaxed load and one compare; the message is not evaluated.
internal import CLogbookSystem
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

    /// The machine that transactions name.
    public let device: DeviceFacts

    @usableFromInline let messageFloor = Atomic<UInt8>(.max)
    @usableFromInline let sureFloor = Atomic<UInt8>(.max)
    private let entryFloor = Atomic<UInt8>(.max)
    /// Lies outside of the object, where a crash can still be told of it.
    private nonisolated(unsafe) let sequenceMemory: UnsafeMutablePointer<Atomic<UInt64>>
    private let listening: Locked<Listening>
    let applied = Locked<[LogRegistration]>([])
    /// Feeds the queues; there once the first of them is registered. What a child has from its parent stays, unused.
    private let distributorAddress = Atomic<UInt>(0)
    private let raiseAlarm = Locked<LogAlarm?>(nil)
    private let lossAlarm = Locked<LogAlarm?>(nil)
    private let interrupted = InterruptedCalls()
    private let hasCrashRecord = Atomic<Bool>(false)
    private let readContext: @Sendable () -> LogContext?
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

    /// - Parameter readContext: Asks the task what it carries; called only when the answer makes a difference.
    package init(
        privacy: PrivacyMode = .masked, device: DeviceFacts = .current, clock: LogClock = .system,
        randomness: LogRandomness = .system, readContext: @escaping @Sendable () -> LogContext?
    ) {
        sequenceMemory = .allocate(capacity: 1)
        sequenceMemory.initialize(to: Atomic(0))
        listening = Locked(Listening(privacy: PrivacyTerms(mode: privacy)))
        self.device = device
        self.clock = clock
        self.randomness = randomness
        self.readContext = readContext
    }

    deinit {
        LiveServices.remove(ObjectIdentifier(self))
        if let distributor {
            distributor.close()
            Unmanaged.passUnretained(distributor).release()
        }
        if !hasCrashRecord.load(ordering: .relaxed) { sequenceMemory.deallocate() }
    }

    /// The sequence given last; 0 before the first.
    var latestSequence: UInt64 { sequenceMemory.pointee.load(ordering: .relaxed) }

    /// The next sequence, from 1.
    @inline(__always)
    func nextSequence() -> UInt64 { sequenceMemory.pointee.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Where the latest sequence lies from now on, also when the service has gone.
    func sequenceForCrashes() -> UnsafePointer<UInt64> {
        hasCrashRecord.store(true, ordering: .relaxed)
        return UnsafeRawPointer(sequenceMemory).assumingMemoryBound(to: UInt64.self)
    }

    // MARK: Who listens

    /// Lets a provider listen, from now on.
    /// - Parameters:
    ///   - level: The lowest level it hears.
    ///   - delivery: ``LogDelivery/immediate`` on the thread that logs, or through a queue with a thread of its own.
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
        if case .queued(let policy) = delivery { policy.check() }
        LiveServices.include(self)
        ExitFlush.install()
        return LogRegistration(
            provider, name: name ?? String(describing: type(of: provider)), listening: terms, delivery: delivery,
            clock: clock, service: self)
    }

    /// Stops a provider from listening. Queued events are still written until the deadline, and wrappers report what they held back; the
    /// provider is flushed, and not shut down. What had been said and not even reached its queue by then is counted as
    /// ``DropReason/providerTimeout``.
    public func unregister(_ registration: LogRegistration, by deadline: LogDeadline = .seconds(2)) {
        let wasOpen = registration.isOpen
        change(by: deadline) { listening in
            listening.registrations.removeAll { $0 === registration }
            listening.departing.append(registration)
        }
        if !registration.isCurrent { registration.leave(by: deadline) }
        haveLeft([registration])
        if wasOpen { tellLastLosses(of: registration) }
    }

    /// Forgets who has left, once each.
    func haveLeft(_ registrations: [LogRegistration]) {
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
    /// - Parameter deadline: How long to wait until what was said before is handed out, where somebody leaves.
    func change(by deadline: LogDeadline = .seconds(10), _ body: (inout Listening) -> Void) {
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
        if hasRaises { setRaiseAlarm() }
    }

    /// Gives everybody new a seat; the first who is queued brings the distributor.
    /// - Returns: Who has a seat and listens no more.
    private func arrangeSeats(_ listening: inout Listening) -> [LogRegistration] {
        if distributor == nil, listening.registrations.contains(where: { $0.isQueued && $0.isOfThisProcess }) {
            let address = UInt(bitPattern: Unmanaged.passRetained(Distributor(clock)).toOpaque())
            distributorAddress.store(address, ordering: .releasing)
            listening.clearSeats()
        }
        return distributor.map { listening.arrangeSeats(for: $0) } ?? []
    }

    /// Hands out what was said before, so that others may have the seats of those who leave, and earlier rules can be forgotten.
    private func settleSeats(_ leaving: [LogRegistration], by deadline: LogDeadline) {
        let latest = listening.withLock { $0.latestPrivacy }
        guard distribute(by: deadline) else { return }   // the next change sees to it
        // The caller holds who leaves, so nothing is let go under the lock.
        listening.withLock { listening in
            listening.forgetPrivacy(before: latest)
            listening.vacateSeats(of: leaving)
            listening.show(distributor)
        }
    }

    /// The distributor of this process; nil when nobody is queued.
    @inline(__always)
    private var distributor: Distributor? {
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
        raiseAlarm.withLock { alarm in
            let expiry = listening.withLock { $0.raises.map(\.expiry).min() }
            if alarm == nil, expiry == nil { return }
            let current = alarm ?? LogAlarm("logbook-raises", clock: clock) { [weak self] in self?.removeExpiredRaises() }
            alarm = current
            current.set(at: expiry)
        }
    }

    /// Lets losses be told on a thread of their own: where they come to light, foreign code may not be called.
    func setLossAlarm(at uptime: UInt64) {
        lossAlarm.withLock { alarm in
            let current = alarm ?? LogAlarm("logbook-losses", clock: clock) { [weak self] in self?.tellLosses() }
            alarm = current
            current.set(at: uptime)
        }
    }

    // MARK: Saying things

    /// Whether a message of this level may have a listener: the first look of every call. Where rules, raises or the levels of
    /// tasks let some messages of a level through, it says yes; ``isEnabled(_:category:file:)`` knows better.
    @inlinable
    public func mayHear(_ level: LogLevel) -> Bool { level.rawValue >= messageFloor.load(ordering: .relaxed) }

    /// Like ``mayHear(_:)``, without being misled by the levels that other tasks carry.
    package func mayHearInThisTask(_ level: LogLevel) -> Bool {
        guard mayHear(level) else { return false }
        guard LevelScope.isAnyOpen, LogContext.current?.levelScope == nil else { return true }
        return level.rawValue >= audience.commonFloor
    }

    /// Whether a message of this level, said here, has a listener: for work that is only worth doing then. Filters are not asked.
    public func isEnabled(_ level: LogLevel, category: String? = nil, file: StaticString = #fileID) -> Bool {
        guard mayHear(level) else { return false }
        if Inside.isInterrupted { return true }   // the call that follows is counted
        let audience = audience, context = context(for: audience)
        let names = EventNames(source: LogSource(file: file), category: category ?? context?.metadata.category)
        return audience.mayHear(level, from: names, occasion(for: audience, context))
    }

    /// Says something at a level chosen at run time; ``info(_:metadata:error:file:function:line:)`` and its siblings are the
    /// everyday form.
    ///
    /// A signal handler may call it with a literal, where every listener is queued: one that has interrupted this library on its own thread
    /// is not written, but counted as ``DropReason/reentrant`` with every registration that would have heard it. Text with values in it
    /// takes memory, and so does an event for an immediate provider: a handler that has interrupted `malloc` would wait for itself. What a
    /// crash should leave behind is written by the ``CrashRecord``.
    @inlinable
    public func log(
        _ level: LogLevel, _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        guard mayHear(level) else { return }
        // Evaluated here, not handed on as closures: those would be made before the first look.
        let isSure = level.rawValue >= sureFloor.load(ordering: .relaxed)
        let admission = isSure ? .granted : admission(of: level, from: LogSource(file: file, function: function, line: line))
        if admission == .refused { return }
        let metadata = metadata()
        if admission == .open, !admits(level, metadata, from: LogSource(file: file, function: function, line: line)) { return }
        submit(level, message(), metadata, error, file, function, line)
    }

    /// The same for text, or any value, that is at hand as a variable. Of a ``LogDescribableError`` it is what that says of itself.
    @inlinable
    @_disfavoredOverload
    public func log<Value>(
        _ level: LogLevel, _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        log(
            level, LogMessage(describing: value()), metadata: metadata(), error: error, file: file,
            function: function, line: line)
    }

    /// Passes on what was said elsewhere, as a reader of another program's log or a bridge to another logging system does.
    /// Message, metadata and error are evaluated only when somebody may listen, once.
    /// - Parameters:
    ///   - error: What is known about the error that was handed to the call.
    ///   - time: When it was said. When it is not given, it is said now, and in what the task carries.
    public func relay(
        _ level: LogLevel, _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: @autoclosure () -> LogErrorDetails? = nil, at time: LogTime? = nil, source: LogSource = .unknown
    ) {
        guard mayHear(level) else { return }
        let admission = admission(of: level, from: source)
        if admission == .refused { return }
        let metadata = metadata()
        if admission == .open, !admits(level, metadata, from: source, isSaidNow: time == nil) { return }
        say(level, message(), metadata, error().map { MarkedError($0) }, at: time, source)
    }

    /// Whether a provider of this service bears the mark, or one that is leaving it: what that provider passes on, this service has said
    /// already.
    /// - Parameter mark: As ``LogRegistration/currentMark`` was inside the provider.
    package func isHeard(by mark: UInt64) -> Bool {
        if mark == 0 { return false }
        let (staying, departing) = listening.withLock { ($0.registrations, $0.departing) }
        return staying.contains { $0.bears(mark) } || departing.contains { $0.bears(mark) }
    }

    /// What is known about a message before its metadata is.
    @usableFromInline
    enum Admission { case granted, refused, open }

    /// The second look: at the source, and at what is raised or carried by the task. It is open where the category may decide.
    @usableFromInline
    func admission(of level: LogLevel, from source: LogSource) -> Admission {
        if level.rawValue >= sureFloor.load(ordering: .relaxed) { return .granted }
        if isRefusedAsInterrupting(level) { return .refused }
        let audience = audience
        if audience.hasRules { return .open }
        let occasion = occasion(for: audience, context(for: audience))
        return audience.mayHear(level, from: EventNames(source: source, category: nil), occasion) ? .granted : .refused
    }

    /// The third look, at the category as well.
    @usableFromInline
    func admits(_ level: LogLevel, _ metadata: LogMetadata, from source: LogSource, isSaidNow: Bool = true) -> Bool {
        let audience = audience, context = context(for: audience)
        let carried = isSaidNow && audience.wantsContext ? context?.messageMetadata.category : nil
        let names = EventNames(source: source, category: metadata.category ?? carried)
        return audience.mayHear(level, from: names, occasion(for: audience, context))
    }

    @usableFromInline
    func submit(
        _ level: LogLevel, _ message: consuming LogMessage, _ metadata: LogMetadata, _ error: (any Error)?,
        _ file: StaticString, _ function: StaticString, _ line: UInt32
    ) {
        if error == nil, metadata.isEmpty, sayAtOnce(level, message, file, function, line) { return message.giveBackBuffer() }
        submitSlowly(level, message, metadata, error, file, function, line)
    }

    /// Says an interpolated message that only queues hear, by their levels alone: nearly every one.
    /// - Returns: False when there is more to it; nothing was said.
    @inline(__always)
    private func sayAtOnce(
        _ level: LogLevel, _ message: borrowing LogMessage, _ file: StaticString, _ function: StaticString, _ line: UInt32
    ) -> Bool {
        guard let buffer = message.heldBuffer, let address = UnsafeRawPointer(bitPattern: distributorAddress.load(ordering: .acquiring)),
            !Inside.isInterrupted, !LogContext.isAnyOpen, !LevelScope.isAnyOpen, logbook_nesting_get().registration == 0,
            let file = StaticText(file).flatMap(EventRecord.packed), let function = StaticText(function).flatMap(EventRecord.packed)
        else { return false }
        // Without counting references: all callers would count in one place. The service keeps the distributor as long as it lives.
        return Unmanaged<Distributor>.fromOpaque(address)._withUnsafeGuaranteedRef { distributor in
            buffer._withUnsafeGuaranteedRef { buffer in
                let hearing = distributor.hearing(level), words = buffer.words.words
                guard hearing.isDecided, distributor.lineage.isCurrent, !buffer.isMarked, words.count <= EventRecord.maximumWords
                else { return false }
                Inside.begin()   // nobody could make room for a handler that has interrupted a record
                distributor.push(
                    words, level: level, hearing: hearing, time: distributor.now, sequence: nextSequence(), thread: LogThread.currentNumber,
                    file: file, function: function, line: line)
                Inside.end()
                return true
            }
        }
    }

    @inline(never)
    private func submitSlowly(
        _ level: LogLevel, _ message: consuming LogMessage, _ metadata: LogMetadata, _ error: (any Error)?,
        _ file: StaticString, _ function: StaticString, _ line: UInt32
    ) {
        if isRefusedAsInterrupting(level) { return }
        if error == nil, sayPlainly(level, message, metadata, file, function, line) {
            message.giveBackBuffer()
            return
        }
        say(
            level, message, metadata, error.map { MarkedError($0) }, at: nil,
            LogSource(file: file, function: function, line: line))
        message.giveBackBuffer()
    }

    /// Says a message that only queues hear, by their levels alone, with metadata of plain values: without a lock, and without memory
    /// of its own.
    /// - Returns: False when there is more to it; nothing was said.
    @inline(__always)
    private func sayPlainly(
        _ level: LogLevel, _ message: borrowing LogMessage, _ metadata: LogMetadata, _ file: StaticString,
        _ function: StaticString, _ line: UInt32
    ) -> Bool {
        guard let address = UnsafeRawPointer(bitPattern: distributorAddress.load(ordering: .acquiring)),
            !LogContext.isAnyOpen, !LevelScope.isAnyOpen, logbook_nesting_get().registration == 0,
            let file = StaticText(file).flatMap(EventRecord.packed),
            let function = StaticText(function).flatMap(EventRecord.packed)
        else { return false }
        // Without counting a reference: all callers would count in one place. The service keeps it as long as it lives.
        return Unmanaged<Distributor>.fromOpaque(address)._withUnsafeGuaranteedRef { distributor in
            let hearing = distributor.hearing(level)
            guard hearing.isDecided, distributor.lineage.isCurrent,
                let memberWords = metadata.isEmpty ? 0 : MemberWords.size(of: metadata)
            else { return false }
            Inside.begin()   // nobody could make room for a handler that has interrupted a record
            defer { Inside.end() }
            return message.withPieces { pieces in
                let words = pieces.words
                guard words &+ memberWords <= EventRecord.maximumWords else { return false }
                distributor.push(
                    pieces, words: words, metadata, memberWords: memberWords, mayRelieve: message.literal == nil, level: level,
                    hearing: hearing, time: distributor.now, sequence: nextSequence(), thread: LogThread.currentNumber, file: file,
                    function: function, line: line)
                return true
            } ?? false
        }
    }

    /// Says something to the providers of these names alone, if they listen; nil for everybody. For rooms that have asked
    /// ``mayHear(_:)``.
    package func say(
        _ level: LogLevel, _ message: LogMessage, _ metadata: LogMetadata, from source: LogSource,
        onlyTo names: Set<String>?
    ) {
        if isRefusedAsInterrupting(level) { return }
        say(level, message, metadata, nil, at: nil, source, onlyTo: names)
    }

    /// Counts what a signal handler says while its thread is inside the library.
    @inline(__always)
    private func isRefusedAsInterrupting(_ level: LogLevel, isEntry: Bool = false) -> Bool {
        guard _slowPath(Inside.isInterrupted) else { return false }
        _ = nextSequence()
        interrupted.count(level, isEntry: isEntry)
        return true
    }

    /// Enters what was counted into everybody's accounts: of who would have heard it, and of who would not.
    func settleInterruptedCalls() {
        interrupted.settle { kind, count in
            let audience = audience, occasion = occasion(for: audience, nil)
            let run = LossRun(count, of: LossRun(sequence: latestSequence, time: clock.now()))
            for listener in audience.listeners {
                let names = EventNames(source: .unknown, category: nil)
                let verdict = listener.terms.verdict(on: kind.level, from: names, isEntry: kind.isEntry, occasion)
                if verdict.isHeard {
                    listener.registration.lose(.reentrant, run)
                } else {
                    listener.registration.pass(over: verdict.ground, count: count)
                }
            }
        }
    }

    /// - Parameter mayWait: False for an event of the service's own, which the task that happens to say it has nothing to do with: it goes
    ///   nowhere rather than wait for a queue that is full.
    func say(
        _ level: LogLevel, _ message: LogMessage, _ metadata: LogMetadata, _ error: MarkedError?, at time: LogTime?,
        _ source: LogSource, onlyTo providers: Set<String>? = nil, mayWait: Bool = true
    ) {
        Inside.begin()
        defer { Inside.end() }
        let audience = audience, context = mayWait ? context(for: audience) : nil
        var metadata = metadata
        if time == nil, audience.wantsContext, let context { metadata = context.messageMetadata.merging(metadata) }
        let category = audience.category(in: metadata), occasion = occasion(for: audience, context)
        if hidesNothing(message, metadata, error, from: audience) {
            let event = stamp(level, message.plainText, metadata, time: time, source: source, error: error?.details)
            deliver(event, to: audience, category, occasion, onlyTo: providers, mayWait: mayWait)
        } else {
            let stamped = stamp(level, "", [:], time: time, source: source)
            let event = PrivateEvent(stamped, message.marked(audience.privacy.rules.unmarkedTexts), metadata, error: error)
            deliver(event, to: audience, category, occasion, onlyTo: providers, mayWait: mayWait)
        }
    }

    /// Transaction entries take the same way as every event: at `info`, or at `warning` when they carry an error: it is an
    /// error of the use case, often a person's mistake, not one of the program.
    /// - Parameter errorText: The entry's error description, where parts of it are marked.
    package func log(
        _ entry: TransactionEntry, errorText: LogMessage? = nil, source: LogSource, onlyTo providers: Set<String>? = nil
    ) {
        let level: LogLevel = entry.errorCode == nil && entry.errorDescription == nil ? .info : .warning
        guard level.rawValue >= entryFloor.load(ordering: .relaxed), !isRefusedAsInterrupting(level, isEntry: true) else { return }
        Inside.begin()
        defer { Inside.end() }
        let entry = entry.said(at: clock.monotonicNanoseconds())
        let audience = audience, context = context(for: audience)
        let metadata = audience.wantsContext ? context?.metadata ?? [:] : [:]
        let category = audience.category(in: metadata), occasion = occasion(for: audience, context)
        if hidesNothing(errorText ?? entry.errorDescription.map(LogMessage.init(text:)), metadata, nil, from: audience) {
            let event = LogEvent(
                sequence: nextSequence(), time: clock.now(), level: level, message: entry.description, metadata: metadata,
                thread: LogThread.currentNumber, source: source, transaction: entry, error: nil,
                nesting: logbook_nesting_get().depth
            ).within(.highest)
            deliver(event, to: audience, category, occasion, onlyTo: providers)
        } else {
            let stamped = stamp(level, "", [:], time: nil, source: source)
            let unmarked = audience.privacy.rules.unmarkedTexts
            let text = errorText?.marked(unmarked) ?? entry.errorDescription.map { MarkedText($0, unmarked) }
            deliver(PrivateEvent(stamped, metadata, entry: entry, text), to: audience, category, occasion, onlyTo: providers)
        }
    }

    /// What the task carries, if that makes a difference.
    func context(for audience: Audience) -> LogContext? {
        (audience.wantsContext && LogContext.isAnyOpen) || LevelScope.isAnyOpen ? readContext() : nil
    }

    func occasion(for audience: Audience, _ context: LogContext?) -> ListeningTerms.Occasion {
        ListeningTerms.Occasion(
            raises: audience.raises, uptime: audience.raises.isEmpty ? 0 : clock.monotonicNanoseconds(),
            taskLevel: context?.levelScope?.level)
    }

    private func stamp(
        _ level: LogLevel, _ message: String, _ metadata: LogMetadata, time: LogTime?, source: LogSource,
        error: LogErrorDetails? = nil
    ) -> LogEvent {
        let sequence = nextSequence(), time = time ?? clock.now(), nesting = logbook_nesting_get().depth
        let thread = LogThread.currentNumber
        let event = error == nil
            ? LogEvent(
                sequence: sequence, time: time, level: level, message: message, metadata: metadata, thread: thread, source: source,
                nesting: nesting)
            : LogEvent(
                sequence: sequence, time: time, level: level, message: message, metadata: metadata, thread: thread, source: source,
                transaction: nil, error: error, nesting: nesting)
        return event.within(.highest)
    }

    private func deliver(
        _ event: LogEvent, to audience: Audience, _ category: String?, _ occasion: ListeningTerms.Occasion,
        onlyTo providers: Set<String>? = nil, mayWait: Bool = true
    ) {
        var hearers: [LogRegistration] = []
        for listener in audience.listeners {
            if let hearer = listener.offer(event, in: category, occasion, onlyTo: providers) { hearers.append(hearer) }
        }
        hand(event, to: hearers, mayWait: mayWait)
    }

    /// Lets the queues of these registrations have an event that they hear.
    func hand(_ event: LogEvent, to hearers: [LogRegistration], mayWait: Bool) {
        if hearers.isEmpty { return }
        guard let distributor else {
            for hearer in hearers { hearer.take(event) }
            return
        }
        let spoken = SpokenEvent(event, hearers: hearers)
        if mayWait { distributor.push(spoken) } else { distributor.pushWithoutWaiting(spoken) }
    }
}
