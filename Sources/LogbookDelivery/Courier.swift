public import LogbookCore
public import LogbookHTTP

/// The one delivery engine: takes parcels from a source, oldest first, sends them to a destination, and decides by the answer. One
/// is on its way at a time, or up to ``DeliveryPolicy/parcelsInFlight``.
///
/// After a failure it pauses, longer with each failure in a row; then one parcel tries whether the receiver is back. A parcel
/// that the receiver refuses or finds too large is split, if the source can, until the entry at fault is alone; that one goes to
/// the dead letters and its neighbours are delivered.
///
/// Only an answer that the destination calls delivered settles a parcel as delivered. Whatever else happens (no connection, a
/// refusal, a page of some hotel's network) the source keeps it. A lost answer means that the parcel is sent again under the
/// same id, so receivers see it at least once.
///
/// While its ``DeliveryConditions`` do not hold nothing more is sent, and everything is kept. They are asked before a parcel is sent,
/// once a second at most while they hold, and every half minute while they do not.
///
/// The courier has one thread, started when there is first something to do; it ends when the courier is let go of. Where the machine has
/// none to give, that is said, and every call asks for it again.
public final class Courier: Sendable {
    private let engine: CourierEngine

    /// - Parameters:
    ///   - name: Names the thread, and the courier in diagnostics.
    ///   - conditions: When anything may be sent.
    ///   - deadLetters: Keeps what the receiver will never take; without it, that is counted and let go of.
    ///   - onEvent: Called on the courier's thread.
    public convenience init(
        name: String, source: any ParcelSource, destination: any Destination,
        transport: any HTTPTransport = CurlTransport.shared, policy: DeliveryPolicy = DeliveryPolicy(),
        conditions: DeliveryConditions = .none, deadLetters: DeadLetterFolder? = nil, clock: LogClock = .system,
        randomness: LogRandomness = .system, onEvent: (@Sendable (CourierEvent) -> Void)? = nil
    ) {
        self.init(
            name: name, source: source, destination: destination, transport: transport, policy: policy, conditions: conditions,
            deadLetters: deadLetters, clock: clock, randomness: randomness, onEvent: onEvent,
            startThread: { LogThread.start($0, $1) })
    }

    /// The same with a thread from elsewhere.
    /// - Parameter startThread: Returns false when there is none; `body` must not run then.
    package init(
        name: String, source: any ParcelSource, destination: any Destination, transport: any HTTPTransport, policy: DeliveryPolicy,
        conditions: DeliveryConditions, deadLetters: DeadLetterFolder?, clock: LogClock, randomness: LogRandomness,
        onEvent: (@Sendable (CourierEvent) -> Void)?,
        startThread: @escaping LogThread.Start
    ) {
        policy.check()
        conditions.check()
        engine = CourierEngine(
            name: name, source: source, destination: destination, transport: transport, policy: policy,
            conditions: conditions, deadLetters: deadLetters, clock: clock, randomness: randomness, onEvent: onEvent,
            startThread: startThread)
        if policy.interval != nil { engine.wake() }
    }

    deinit { engine.shutdown(by: .now) }

    /// Something new may be there: try now. A pause that is still running, of our own or asked for by the receiver, is kept, and so is
    /// what the conditions hold back. After ``pause()`` this sends nothing.
    public func wake() { engine.wake() }

    /// Sends nothing by itself from now on: not after the policy's interval, and not for ``wake()`` or
    /// ``reconfigured(forAnotherReceiver:)``. What is on its way goes on, and what ``deliver(by:)`` and ``hurry()`` ask for is sent, and
    /// nothing behind it. A second call does nothing.
    public func pause() { engine.pause() }

    /// Ends what ``pause()`` began, and tries now. Conditions are asked at once, and honoured; a pause that is still running, of our own or
    /// asked for by the receiver, is kept. Without a ``pause()`` before it this is ``wake()``.
    public func resume() { engine.resume() }

    /// Asks again for the thread that the machine has not given, if it has not: for a source that wakes nobody when something comes. Costs
    /// next to nothing otherwise.
    package func startMissingThread() { engine.startMissingThread() }

    /// What waits now goes without regard to the conditions: something happened that somebody should see soon. What comes later waits
    /// for them again.
    public func hurry() { engine.hurry() }

    /// The token or the address changed: forget that the receiver refused us and try now. What was under way is judged as it was sent; if
    /// it does not arrive it goes again at once. Where two or more of them in a row were refused, and nothing was delivered in between, the
    /// next one waits since the latest refusal as after failures: a program may set another each time. ``deliver(by:)`` ends that pause.
    /// - Parameter isAnotherReceiver: A pause that the receiver asked for with `Retry-After` ends, for it was asked for by another one.
    ///   Otherwise it is kept.
    public func reconfigured(forAnotherReceiver isAnotherReceiver: Bool = false) {
        engine.reconfigured(forAnotherReceiver: isAnotherReceiver)
    }

    /// Another courier of the same receiver was asked to leave it alone for so long: until then nothing more is sent. What is on its way
    /// goes on.
    package func leaveAlone(for span: Duration, because reason: String) { engine.leaveAlone(for: span, because: reason) }

    /// Returns once everything the source had at the call is delivered or rejected. Ends a pause of our own early, though not
    /// before ``DeliveryPolicy/firstPause`` has passed since the latest attempt, and one that was for refused tokens at once; a
    /// `Retry-After` is honoured. Conditions are asked at once and honoured: while they do not hold this throws
    /// ``CourierError/heldBack(pending:reason:)`` without waiting for the deadline; after ``hurry()`` it does not ask them.
    /// - Throws: ``CourierError``; what was not delivered stays with the source.
    public func deliver(by deadline: LogDeadline) throws(CourierError) { try engine.deliver(by: deadline) }

    /// Starts nothing new, waits for what is on its way, and gives that up at the deadline. What is not settled, or is held back, stays
    /// with the source. Returns at the deadline at the latest; a second call does nothing.
    public func shutdown(by deadline: LogDeadline) { engine.shutdown(by: deadline) }

    /// The first half of a shutdown, for who shuts several couriers down: starts nothing new, and does not wait. What is on its way has
    /// until the deadline.
    package func beginShutdown(by deadline: LogDeadline) { engine.beginShutdown(by: deadline) }

    public var status: CourierStatus { engine.status }

    /// True inside `onEvent`, the source and the destination: a provider that hears a log call there must not feed itself.
    package var isCurrentThread: Bool { engine.isCurrentThread }
}
