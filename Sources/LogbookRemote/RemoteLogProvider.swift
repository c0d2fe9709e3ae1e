public import LogbookCore
public import LogbookDelivery
public import LogbookHTTP

/// Sends events to a receiver over HTTP, in batches.
///
/// ```swift
/// let remote = RemoteLogProvider(to: .collector(url: "https://logs.example.com", token: Secret(token)))
/// LogService.shared.register(remote, from: .info)
/// ```
///
/// **In memory**, as above: when `log` returns, the event is in memory. Memory is no safe place, so `flush` returns when the
/// receiver has acknowledged everything taken before it. A kill loses what is queued, at most
/// ``RemoteQueuePolicy/maximumEvents`` and the parcels on their way, one unless ``DeliveryPolicy/parcelsInFlight`` says more; while the
/// receiver is away events wait, and beyond the queue's limits they are dropped and counted, errors and what transactions said last
/// (``RemoteQueuePolicy/Overflow``).
///
/// **In a folder** (``init(to:spool:policy:origin:delivery:conditions:transport:deadLetters:name:clock:randomness:onEvent:)``): when `log`
/// returns, the kernel has the event, and a kill loses nothing. `flush` returns when a crash of the machine loses nothing either;
/// ``deliver(by:)`` waits for the receiver. What one run leaves the next one sends. Several programs may have the same folder.
/// A file there that cannot be read keeps no other from going: it stays and is tried again every minute, and ``status`` says why.
///
/// **Conditions** hold back what would be sent, such as while the network costs by the byte: events are taken and kept as ever,
/// ``status`` says why they wait, and a flush that needs the receiver throws at once. In memory those that find no room are dropped and
/// counted, and a shutdown does not send what waits: with conditions a folder is the better place.
///
/// Each event carries a key (installation, epoch, sequence), so that a receiver stores it once, however often it is sent; register
/// a provider with one service only, because sequences are counted by service.
///
/// Events that are logged on the courier's own thread, such as by `onEvent`, are not sent: a remark about a delivery would
/// cause the next.
public final class RemoteLogProvider: LogProvider, PendingHolder {
    private let name: String
    private let events: any EventStore
    private let destination: CurrentDestination
    private let conditions: DeliveryConditions
    private let courier: Courier
    private let lineage = ProcessLineage.current

    /// Keeps events in memory until the receiver has them.
    ///
    /// - Parameters:
    ///   - origin: Names this run of the program in every event.
    ///   - conditions: When anything may be sent.
    ///   - deadLetters: Keeps what the receiver will never take; without it, that is counted and let go of.
    ///   - name: Names the provider in diagnostics and its thread.
    ///   - onEvent: Hears what the courier does, on its thread.
    public convenience init(
        to destination: some LogDestination, origin: LogOrigin = .ephemeral(),
        queue: RemoteQueuePolicy = RemoteQueuePolicy(),
        delivery: DeliveryPolicy = DeliveryPolicy(), conditions: DeliveryConditions = .none,
        transport: any HTTPTransport = CurlTransport.shared, deadLetters: DeadLetterFolder? = nil, name: String = "remote",
        clock: LogClock = .system, randomness: LogRandomness = .system, onEvent: (@Sendable (CourierEvent) -> Void)? = nil
    ) {
        self.init(
            to: destination, origin: origin, queue: queue, delivery: delivery, conditions: conditions, transport: transport,
            deadLetters: deadLetters, name: name, clock: clock, randomness: randomness, onRefused: nil, onEvent: onEvent)
    }

    /// - Parameter onRefused: Has the events that the receiver will never take, on the courier's thread, before they are let go of; where
    ///   it says how many of a parcel they are and not which, the whole parcel's.
    package init(
        to destination: some LogDestination, origin: LogOrigin, queue: RemoteQueuePolicy, delivery: DeliveryPolicy = DeliveryPolicy(),
        conditions: DeliveryConditions = .none, transport: any HTTPTransport = CurlTransport.shared,
        deadLetters: DeadLetterFolder? = nil, name: String = "remote", clock: LogClock = .system, randomness: LogRandomness = .system,
        onRefused: (@Sendable ([LogEvent]) -> Void)?, onEvent: (@Sendable (CourierEvent) -> Void)? = nil
    ) {
        queue.check()
        self.name = name
        self.conditions = conditions
        self.destination = CurrentDestination(destination)
        let events = EventQueue(policy: queue, destination: self.destination, origin: origin, clock: clock, onRefused: onRefused)
        self.events = events
        courier = Courier(
            name: name, source: events, destination: self.destination, transport: transport, policy: delivery, conditions: conditions,
            deadLetters: deadLetters, clock: clock, randomness: randomness, onEvent: onEvent)
    }

    /// Keeps events in a folder until the receiver has them, and sends what earlier runs have left there.
    ///
    /// - Parameters:
    ///   - folder: Made, for this user alone, when it is not there; the folder around it must be.
    ///   - origin: Names this run of the program in every event.
    ///   - conditions: When anything may be sent.
    ///   - deadLetters: Keeps what the receiver will never take; without it, that is counted and let go of.
    ///   - name: Names the provider in diagnostics and its thread.
    ///   - onEvent: Hears what the courier does, on its thread.
    /// - Throws: ``RemoteLogProviderError/cannotOpenSpool(folder:reason:)``, ``RemoteLogProviderError/noFreeLane(folder:lanes:)``.
    public convenience init(
        to destination: some LogDestination, spool folder: String, policy: SpoolPolicy = SpoolPolicy(),
        origin: LogOrigin = .ephemeral(), delivery: DeliveryPolicy = DeliveryPolicy(), conditions: DeliveryConditions = .none,
        transport: any HTTPTransport = CurlTransport.shared, deadLetters: DeadLetterFolder? = nil, name: String = "remote",
        clock: LogClock = .system, randomness: LogRandomness = .system, onEvent: (@Sendable (CourierEvent) -> Void)? = nil
    ) throws(RemoteLogProviderError) {
        try self.init(
            to: destination, spool: folder, policy: policy, origin: origin, delivery: delivery, conditions: conditions,
            transport: transport, deadLetters: deadLetters, name: name, clock: clock, randomness: randomness,
            files: SystemFileSystem(), onEvent: onEvent)
    }

    package init(
        to destination: some LogDestination, spool folder: String, policy: SpoolPolicy, origin: LogOrigin,
        delivery: DeliveryPolicy, conditions: DeliveryConditions = .none, transport: any HTTPTransport,
        deadLetters: DeadLetterFolder?, name: String, clock: LogClock, randomness: LogRandomness, files: some FileSystem,
        onEvent: (@Sendable (CourierEvent) -> Void)?
    ) throws(RemoteLogProviderError) {
        policy.check()
        self.name = name
        self.conditions = conditions
        let current = CurrentDestination(destination)
        self.destination = current
        let spool = try Spool(
            at: folder, policy: policy, destination: current, origin: origin, clock: clock, name: name, files: files)
        events = spool
        courier = Courier(
            name: name, source: spool, destination: current, transport: transport, policy: delivery, conditions: conditions,
            deadLetters: deadLetters, clock: clock, randomness: randomness, onEvent: onEvent)
        courier.wake()
    }

    deinit {
        guard lineage.isCurrent else { return }
        let isCounted = events.isCounted, pending = events.pendingCount
        if pending > 0, (try? events.makeSafe(by: .never)) != true {
            let count = isCounted ? "\(pending)" : "up to \(pending)"
            LogDiagnostics.report(name, "let go of with \(count) events that are not delivered; shut it down first")
        }
        courier.shutdown(by: .now)
        events.release()
    }

    public func log(_ event: LogEvent) {
        guard lineage.isCurrent else { return }   // what is the parent's: a registration counts it as lost in the child
        if courier.isCurrentThread { return events.lose(.reentrant) }
        if events.take(event) { courier.wake() } else { courier.startMissingThread() }
        if conditions.isUrgent(event) { hurry() }
    }

    /// What waits now goes without regard to the conditions: something happened that somebody should see soon.
    public func hurry() {
        events.hurry()
        courier.hurry()
    }

    /// In memory: returns once the receiver has acknowledged everything taken before the call. In a folder: once that survives a
    /// crash of the machine; it is sent soon.
    /// - Throws: ``RemoteLogProviderError``: how many events are not acknowledged and why, how many were lost meanwhile, or that
    ///   the disk did not take them, or not in time. In memory it does so at once while the conditions do not hold.
    public func flush(by deadline: LogDeadline) throws {
        try checkProcess()
        events.hurry()
        let safety = Result { () throws(RemoteLogProviderError) in try events.makeSafe(by: deadline) }
        if case .success(false) = safety { return try deliver(by: deadline) }
        courier.wake()   // also where the disk fails: the receiver may have it sooner
        _ = try safety.get()
    }

    /// Returns once the receiver has acknowledged everything taken before the call. Conditions are asked at once, and honoured; after
    /// ``hurry()`` they are not asked.
    /// - Throws: ``RemoteLogProviderError``: how many events are not acknowledged and why, or how many were lost meanwhile. Nothing is
    ///   waited for while the conditions do not hold.
    public func deliver(by deadline: LogDeadline) throws(RemoteLogProviderError) {
        try checkProcess()
        try deliver(by: deadline, lostBefore: events.lost)
    }

    private func deliver(by deadline: LogDeadline, lostBefore lost: Int) throws(RemoteLogProviderError) {
        events.hurry()
        try waitForDelivery(by: deadline)
        // The courier counts what goes, which may be what came later.
        if let reason = events.unreadable { throw .notDelivered(pending: events.pendingCount, reason: reason) }
        let lostNow = events.lost - lost
        if lostNow > 0 { throw .lost(count: lostNow) }
    }

    /// Takes no more, delivers what it can until the deadline, and stops. What the conditions hold back it neither sends nor waits for;
    /// after ``hurry()`` they hold nothing back. What is left in memory stays pending in the ledger; see ``undelivered()``. What is
    /// left in a folder the next run sends.
    public func shutdown(by deadline: LogDeadline) throws {
        guard lineage.isCurrent else { return }
        let lost = events.lost   // before anything is made safe, which may find that something is gone
        events.close()
        defer {
            courier.shutdown(by: deadline)
            events.release()
        }
        let safety = Result { () throws(RemoteLogProviderError) in try events.makeSafe(by: deadline) }
        do throws(RemoteLogProviderError) { try deliver(by: deadline, lostBefore: lost) } catch {
            // Both are so, and one can be thrown: what is left in the folder may not be there when the next run sends it.
            switch safety {
            case .success, .failure(.notSafeInTime): break
            case .failure(let failure): LogDiagnostics.report("remote, shutting down", "\(failure)")
            }
            throw error
        }
        switch safety {
        case .success, .failure(.notSafe), .failure(.notSafeInTime): return   // the receiver has it
        case .failure(let failure): throw failure
        }
    }

    /// In a forked child files, locks and what waits are its parent's.
    private func checkProcess() throws(RemoteLogProviderError) {
        if !lineage.isCurrent { throw .notDelivered(pending: 0, reason: "the provider is of the process that was forked") }
    }

    private func waitForDelivery(by deadline: LogDeadline) throws(RemoteLogProviderError) {
        do throws(CourierError) {
            try courier.deliver(by: deadline)
        } catch {
            switch error {
            case .deadlinePassed(let pending, let reason):
                throw .notDelivered(pending: pending, reason: reason ?? "the deadline passed")
            case .misconfigured(let pending, let reason), .heldBack(let pending, let reason):
                throw .notDelivered(pending: pending, reason: reason)
            case .stopped(let pending):
                throw .notDelivered(pending: pending, reason: "the provider was shut down")
            case .sourceUnreadable, .calledFromOwnThread:
                throw .notDelivered(pending: events.pendingCount, reason: error.description)
            }
        }
    }

    /// The events that no receiver has acknowledged, oldest first: after a shutdown that could not deliver everything, a program
    /// may write them somewhere else. They stay in the provider, and pending in its ledger. Empty where events are kept in a folder.
    public func undelivered() -> [LogEvent] { events.pendingEvents }

    /// Lets go of what waits in memory, once somebody has saved it: what a parcel holds already stays and is sent. What is let go of is
    /// counted as ``DropReason/keptElsewhere``. A receiver may have some of what is saved as well.
    /// - Parameter save: Has the oldest first; where it says that they are not saved, all of them stay. Not called for none.
    /// - Returns: How many were let go of; none where events are kept in a folder.
    package func handOver(_ save: ([LogEvent]) -> Bool) -> Int { events.handOver(save) }

    package func notePending(on page: LossPage, as name: String) { events.notePending(on: page, as: name) }
    public static var usualDelivery: LogDelivery? { .immediate }

    /// What became of the events that were logged here. Delivered are, in memory, those that the receiver has acknowledged, and
    /// with a folder those that are in it; see ``deliveries``.
    public var ledger: LogLedger? { events.ledger }

    /// With a folder, what was lost of the events in it, also of those that earlier runs have left: the spool was full, its disk has lost
    /// them, or the receiver will never take them, also where a folder for dead letters has them. Nil without one.
    public var lostAfterwards: [DropReason: UInt64]? { events.lostAfterwards }

    /// Why the latest delivery failed; nil when it did not, or none was tried. See ``status``.
    public var latestFailure: String? {
        let status = courier.status
        return status.state == .heldBack ? nil : status.latestAnswer   // who waits for conditions has not failed
    }

    /// When the oldest event was said that no receiver has acknowledged; in a folder, since when the oldest file waits.
    public var oldestPending: LogTime? { events.oldestPending }

    /// What became of events on their way to the receiver: `pending` ones it has not acknowledged. In memory that is
    /// ``ledger``; with a folder it is about everything that has been in it since the provider was made, also what earlier runs
    /// and other programs have left there: asked early, it waits until that is counted. What is in a file that cannot be read yet is added
    /// when it can.
    public var deliveries: LogLedger { events.deliveries }

    /// How the deliveries fare. With a folder `pending` may be more than there are until what earlier runs have left there is counted;
    /// ``deliveries`` waits for that.
    public var status: CourierStatus { courier.status }

    /// Puts another token, address or kind of receiver in force, and tries now: what waits goes there. A pause that the receiver asked
    /// for is kept, unless that was one of another kind, or at another host or port.
    public func update(to destination: some LogDestination) {
        let isAnotherReceiver = self.destination.change(to: destination)
        courier.reconfigured(forAnotherReceiver: isAnotherReceiver)
    }

    /// The token or the address that the destination reads changed: try now.
    public func reconfigured() { courier.reconfigured() }
}
