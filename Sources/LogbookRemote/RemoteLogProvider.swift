public import LogbookCore
public import LogbookDelivery
public import LogbookHTTP

/// Sends events to a receiver over HTTP, in batches of gzip-compressed JSON lines.
///
/// ```swift
/// let remote = RemoteLogProvider(to: CollectorDestination(url: "https://logs.example.com", token: Secret(token)))
/// LogService.shared.register(remote, from: .info)
/// ```
///
/// When `log` returns, the event is in memory. Memory is no safe place, so `flush` returns when the receiver has acknowledged
/// everything taken before it. A kill loses what is queued, at most ``RemoteQueuePolicy/maximumEvents`` and one parcel; while
/// the receiver is away events wait, and beyond the queue's limits they are dropped and counted. Each event carries a key
/// (installation, epoch, sequence), so that a receiver stores it once, however often it is sent; register a provider with one
/// service only, because sequences are counted by service.
///
/// Events that are logged on the courier's own thread, such as by `onEvent`, are not sent: a remark about a delivery would
/// cause the next.
public final class RemoteLogProvider: LogProvider {
    private let name: String
    private let events: EventQueue
    private let destination: CurrentDestination
    private let courier: Courier

    /// - Parameters:
    ///   - origin: Names this run of the program in every event.
    ///   - name: Names the provider in diagnostics and its thread.
    ///   - deadLetters: Keeps what the receiver will never take; without it, that is counted and let go of.
    ///   - onEvent: Hears what the courier does, on its thread.
    public init(
        to destination: some LogDestination, origin: LogOrigin = .ephemeral(),
        queue: RemoteQueuePolicy = RemoteQueuePolicy(),
        delivery: DeliveryPolicy = DeliveryPolicy(), transport: any HTTPTransport = CurlTransport.shared,
        deadLetters: DeadLetterFolder? = nil, name: String = "remote", clock: LogClock = .system, randomness: LogRandomness = .system,
        onEvent: (@Sendable (CourierEvent) -> Void)? = nil
    ) {
        queue.check()
        self.name = name
        self.destination = CurrentDestination(destination)
        events = EventQueue(policy: queue, destination: self.destination, origin: origin, clock: clock)
        courier = Courier(
            name: name, source: events, destination: self.destination, transport: transport, policy: delivery,
            deadLetters: deadLetters, clock: clock, randomness: randomness, onEvent: onEvent)
    }

    deinit {
        let pending = events.pendingCount
        if pending > 0 {
            LogDiagnostics.report(name, "let go of with \(pending) events that are not delivered; shut it down first")
        }
    }

    public func log(_ event: LogEvent) {
        if courier.isCurrentThread { return events.lose(.reentrant) }
        if events.take(event) { courier.wake() }
    }

    /// Returns once the receiver has acknowledged everything taken before the call.
    /// - Throws: ``RemoteLogProviderError``: how many events are not acknowledged and why, or how many were lost meanwhile.
    public func flush(by deadline: LogDeadline) throws {
        let lost = events.lost
        events.hurry()
        try deliver(by: deadline)
        let lostNow = events.lost - lost
        if lostNow > 0 { throw RemoteLogProviderError.lost(count: lostNow) }
    }

    /// Takes no more, delivers what it can until the deadline, and stops. What is left stays pending in the ledger; see
    /// ``undelivered()``.
    public func shutdown(by deadline: LogDeadline) throws {
        let lost = events.lost
        events.close()
        defer { courier.shutdown(by: deadline) }
        try deliver(by: deadline)
        let lostNow = events.lost - lost
        if lostNow > 0 { throw RemoteLogProviderError.lost(count: lostNow) }
    }

    private func deliver(by deadline: LogDeadline) throws(RemoteLogProviderError) {
        do throws(CourierError) {
            try courier.deliver(by: deadline)
        } catch {
            switch error {
            case .deadlinePassed(let pending, let reason):
                throw .notDelivered(pending: pending, reason: reason ?? "the deadline passed")
            case .misconfigured(let pending, let reason):
                throw .notDelivered(pending: pending, reason: reason)
            case .stopped(let pending):
                throw .notDelivered(pending: pending, reason: "the provider was shut down")
            case .calledFromOwnThread:
                throw .notDelivered(pending: events.pendingCount, reason: error.description)
            }
        }
    }

    /// The events that no receiver has acknowledged, oldest first: after a shutdown that could not deliver everything, a program
    /// may write them somewhere else. They stay in the provider, and pending in its ledger.
    public func undelivered() -> [LogEvent] { events.pendingEvents }

    public var ledger: LogLedger? { events.ledger }

    /// How the deliveries fare.
    public var status: CourierStatus { courier.status }

    /// Puts another token, address or kind of receiver in force, and tries now: what waits goes there.
    public func update(to destination: some LogDestination) {
        self.destination.change(to: destination)
        courier.reconfigured()
    }

    /// The token or the address that the destination reads changed: try now.
    public func reconfigured() { courier.reconfigured() }
}
