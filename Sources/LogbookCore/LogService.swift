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

    /// What becomes of private values before any provider sees an event.
    public let privacy: PrivacyMode
    /// The machine that transactions name.
    public let device: DeviceFacts

    @usableFromInline let messageFloor = Atomic<UInt8>(.max)
    private let entryFloor = Atomic<UInt8>(.max)
    let sequence = Atomic<UInt64>(0)
    private let audience = Locked<[LogRegistration]>([])
    private let clock: LogClock
    let randomness: LogRandomness

    public init(
        privacy: PrivacyMode = .masked, device: DeviceFacts = .current, clock: LogClock = .system,
        randomness: LogRandomness = .system
    ) {
        self.privacy = privacy
        self.device = device
        self.clock = clock
        self.randomness = randomness
    }

    // MARK: Who listens

    /// Lets a provider listen, from now on.
    /// - Parameters:
    ///   - level: The lowest level it hears.
    ///   - delivery: ``LogDelivery/immediate`` on the thread that logs, or through a queue with a thread of its own.
    ///   - name: Its name in tables and diagnostics; its type's name otherwise.
    ///   - filter: Hears only what this is true for; called on the thread that logs.
    /// - Returns: The registration, to change the level, read the ledger or stop listening.
    @discardableResult
    public func register(
        _ provider: any LogProvider, from level: LogLevel = .verbose, delivery: LogDelivery = .immediate,
        name: String? = nil, where filter: (@Sendable (LogEvent) -> Bool)? = nil
    ) -> LogRegistration {
        if case .queued(let policy) = delivery { policy.check() }
        let registration = LogRegistration(
            provider, name: name ?? String(describing: type(of: provider)), from: level, delivery: delivery,
            filter: filter, clock: clock, service: self)
        ProcessLineage.betweenForks { audience.withLock { $0.append(registration) } }
        audienceChanged()
        ExitFlush.include(self)
        return registration
    }

    @discardableResult
    public func register(provider: any LogProvider) -> LogRegistration { register(provider) }

    /// Lets a sink listen through a queue of its own.
    @discardableResult
    public func register(
        sink: any BatchSink, from level: LogLevel = .verbose, queue: QueuePolicy = QueuePolicy(), name: String? = nil,
        where filter: (@Sendable (LogEvent) -> Bool)? = nil
    ) -> LogRegistration {
        let name = name ?? String(describing: type(of: sink))
        return register(
            BatchingProvider(sink, policy: queue, name: name, clock: clock), from: level, name: name, where: filter)
    }

    /// Stops a provider from listening. Queued events are still written until the deadline; the provider is not shut down.
    public func unregister(_ registration: LogRegistration, by deadline: LogDeadline = .seconds(2)) {
        ProcessLineage.betweenForks { audience.withLock { $0.removeAll { $0 === registration } } }
        audienceChanged()
        if !registration.isCurrent { registration.leave(by: deadline) }
    }

    /// Who listens at the moment, in the order of registration.
    public var registrations: [LogRegistration] { audience.withLock { $0 } }

    /// Stops the registrations that a forked child has from its parent from listening, and returns them.
    func removeInherited() -> [LogRegistration] {
        let inherited = registrations.filter { !$0.isOfThisProcess }
        ProcessLineage.betweenForks { audience.withLock { $0.removeAll { !$0.isOfThisProcess } } }
        audienceChanged()
        return inherited
    }

    func audienceChanged() {
        audience.withLock { registrations in
            var floors: (messages: UInt8, entries: UInt8) = (.max, .max)
            for registration in registrations {
                let own = registration.floors
                floors = (min(floors.messages, own.messages), min(floors.entries, own.entries))
            }
            messageFloor.store(floors.messages, ordering: .relaxed)
            entryFloor.store(floors.entries, ordering: .relaxed)
        }
    }

    // MARK: Saying things

    /// Whether a message of this level has a listener: for work that is only worth doing then.
    @inlinable
    public func isEnabled(_ level: LogLevel) -> Bool { level.rawValue >= messageFloor.load(ordering: .relaxed) }

    /// Says something at a level chosen at run time; ``info(_:metadata:error:file:function:line:)`` and its siblings are the
    /// everyday form.
    @inlinable
    public func log(
        _ level: LogLevel, _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        guard isEnabled(level) else { return }
        submit(level, message(), metadata(), error, LogSource(file: file, function: function, line: line))
    }

    /// The same for text, or any value, that is at hand as a variable.
    @inlinable
    @_disfavoredOverload
    public func log<Value>(
        _ level: LogLevel, _ value: @autoclosure () -> Value, metadata: @autoclosure () -> LogMetadata = [:],
        error: (any Error)? = nil, file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
        guard isEnabled(level) else { return }
        let text = String(describing: value())
        submit(level, LogMessage(text: text), metadata(), error, LogSource(file: file, function: function, line: line))
    }

    /// Passes on what was said elsewhere, as a reader of another program's log or a bridge to another logging system does.
    /// Message, metadata and error are evaluated only when somebody listens, once.
    /// - Parameters:
    ///   - error: What is known about the error that was handed to the call.
    ///   - time: When it was said; now unless given.
    public func relay(
        _ level: LogLevel, _ message: @autoclosure () -> LogMessage, metadata: @autoclosure () -> LogMetadata = [:],
        error: @autoclosure () -> LogErrorDetails? = nil, at time: LogTime? = nil, source: LogSource = .unknown
    ) {
        guard isEnabled(level) else { return }
        deliver(
            stamp(
                level, message().text(privacy: privacy), metadata(), time: time, source: source, transaction: nil,
                error: error()))
    }

    /// Whether a provider of this service bears the mark: what that provider passes on, this service has said already.
    /// - Parameter mark: As ``LogRegistration/currentMark`` was inside the provider.
    package func isHeard(by mark: UInt64) -> Bool {
        mark != 0 && registrations.contains { $0.bears(mark) }
    }

    @usableFromInline
    func submit(
        _ level: LogLevel, _ message: LogMessage, _ metadata: LogMetadata, _ error: (any Error)?, _ source: LogSource
    ) {
        deliver(
            stamp(
                level, message.text(privacy: privacy), metadata, time: nil, source: source, transaction: nil,
                error: error.map(LogErrorDetails.init)))
    }

    /// Transaction entries take the same way as every event: at `info`, or at `warning` when they carry an error: it is an
    /// error of the use case, often a person's mistake, not one of the program.
    func log(_ entry: TransactionEntry, source: LogSource) {
        let level: LogLevel = entry.errorCode == nil && entry.errorDescription == nil ? .info : .warning
        guard level.rawValue >= entryFloor.load(ordering: .relaxed) else { return }
        deliver(
            stamp(level, entry.description, [:], time: nil, source: source, transaction: entry, error: nil))
    }

    private func stamp(
        _ level: LogLevel, _ message: String, _ metadata: LogMetadata, time: LogTime?, source: LogSource,
        transaction: TransactionEntry?, error: LogErrorDetails?
    ) -> LogEvent {
        LogEvent(
            sequence: sequence.add(1, ordering: .relaxed).newValue, time: time ?? clock.now(), level: level,
            message: message, metadata: metadata.resolved(privacy), thread: LogThread.currentNumber, source: source,
            transaction: transaction, error: error, nesting: logbook_nesting_get().depth)
    }

    private func deliver(_ event: LogEvent) {
        for registration in audience.withLock({ $0 }) where registration.hears(event) { registration.take(event) }
    }

    // MARK: Safety

    /// Makes everything said so far as safe as each provider can, all at the same time.
    /// - Returns: What was not reached before the deadline.
    @discardableResult
    public func flush(by deadline: LogDeadline) -> LogFlushReport {
        report(by: deadline) { try $0.flush(by: deadline) }
    }

    /// Flushes and closes every provider. What is logged later is counted as ``DropReason/alreadyShutDown``. A second call
    /// does nothing.
    /// - Returns: What was not reached before the deadline.
    @discardableResult
    public func shutdown(by deadline: LogDeadline) -> LogFlushReport {
        report(by: deadline) { try $0.shutDown(by: deadline) }
    }

    /// Runs one call per registration, each on a thread of its own, and waits for all of them together: a provider that ignores
    /// its deadline holds up neither the others nor the caller.
    func report(
        among registrations: [LogRegistration]? = nil, by deadline: LogDeadline,
        _ call: @escaping @Sendable (LogRegistration) throws -> Void
    ) -> LogFlushReport {
        let registrations = (registrations ?? self.registrations).filter(\.isOfThisProcess)
        let answers = Monitor([String??](repeating: nil, count: registrations.count))   // nil: none yet; .some(nil): done
        for (index, registration) in registrations.enumerated() {
            let answer: @Sendable (String?) -> Void = { text in
                answers.withLock { access in
                    access.value[index] = .some(text)
                    access.broadcast()
                }
            }
            if registration.isCurrent {
                answer("it was asked from inside itself")
            } else {
                registration.call(call, answer: answer)
            }
        }
        let final = answers.withLock { access in
            while access.value.contains(where: { $0 == nil }) {
                if deadline.hasPassed || !access.wait(until: deadline) { break }
            }
            return access.value
        }
        var unfinished: [LogFlushReport.Unfinished] = []
        for (registration, answer) in zip(registrations, final) {
            guard let reason = answer ?? "it had not answered when the deadline passed" else { continue }
            unfinished.append(
                .init(name: registration.name, pending: registration.ledger.pending, reason: reason))
        }
        return LogFlushReport(unfinished: unfinished)
    }

    /// How every provider fares.
    public func health() -> LogHealth {
        LogHealth(
            providers: registrations.map {
                .init(name: $0.name, level: $0.level, ledger: $0.ledger, latestFailure: $0.latestFailure)
            },
            latestSequence: sequence.load(ordering: .relaxed))
    }
}

extension TransactionEntry: CustomStringConvertible {
    /// `TXN17-… began`, `TXN17-… event 2`, `TXN17-… event 2, error 42: Baad!`.
    public var description: String {
        var text = transactionID
        switch kind {
        case .began: text += " began"
        case .happened(let event): text += " event \(event)"
        }
        if errorCode != nil || errorDescription != nil {
            text += ", error" + (errorCode.map { " \($0)" } ?? "") + (errorDescription.map { ": \($0)" } ?? "")
        }
        return text
    }
}
