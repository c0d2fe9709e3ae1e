internal import LogbookCore
internal import LogbookDelivery

/// The events of a remote provider, from the log call to the receiver's acknowledgement: queued as they are, and sealed into
/// parcels by the courier when it asks for one.
final class EventQueue: EventStore {
    private struct Sealed {
        var parcel: Parcel
        /// Kept beside their bytes, so that a program can have them back.
        let events: [LogEvent]
        /// Which destination it was written for.
        let term: Int
    }

    private struct State {
        var isOpen = true
        var queue = RingBuffer<LogEvent>()
        var queuedBytes = 0
        /// On the provider's clock: since when the first queued event waits.
        var waitingSince: UInt64 = 0
        /// Of the first so many queued events none waits for company.
        var urgent = 0
        /// Taken from the queue, and being formatted.
        var inHand: [LogEvent] = []
        /// Frozen, the oldest first.
        var sealed: [Sealed] = []
        /// Events of one parcel at most, fewer when the receiver found one too large; it grows with each that it takes.
        var parcelEvents: Int
        var ledger = LogLedger()
        /// Events that were taken and then lost.
        var lost = 0
    }

    private let policy: RemoteQueuePolicy
    private let origin: LogOrigin
    private let destination: CurrentDestination
    private let clock: LogClock
    private let state: Locked<State>

    init(policy: RemoteQueuePolicy, destination: CurrentDestination, origin: LogOrigin, clock: LogClock) {
        self.policy = policy
        self.destination = destination
        self.origin = origin
        self.clock = clock
        state = Locked(State(parcelEvents: policy.parcelEvents))
    }

    // MARK: The caller's side

    /// - Returns: True when the courier should be woken.
    func take(_ event: LogEvent) -> Bool {
        let bytes = event.estimatedBytes
        let isUrgent = event.level >= .error
        return state.withLock { state in
            state.ledger.submit()
            guard state.isOpen else {
                state.ledger.drop(1, .alreadyShutDown)
                return false
            }
            while !state.queue.isEmpty
                && (state.queue.count >= policy.maximumEvents || state.queuedBytes + bytes > policy.maximumBytes)
            {
                state.ledger.drop(1, .queueFull)
                if policy.overflow == .dropNewest { return false }
                removeFirst(&state)
                state.lost += 1
            }
            let wasDue = isDue(state)
            if state.queue.isEmpty { state.waitingSince = clock.monotonicNanoseconds() }
            state.queue.append(event)
            state.queuedBytes += bytes
            if isUrgent { state.urgent = state.queue.count }
            return state.queue.count == 1 || (!wasDue && isDue(state))
        }
    }

    func lose(_ reason: DropReason) {
        state.withLock { state in
            state.ledger.submit()
            state.ledger.drop(1, reason)
        }
    }

    /// What is queued now waits no longer for company.
    func hurry() { state.withLock { $0.urgent = $0.queue.count } }

    /// Takes no more.
    func close() {
        state.withLock { state in
            state.isOpen = false
            state.urgent = state.queue.count
        }
    }

    func release() {}
    func makeSafe() -> Bool { false }

    var deliveries: LogLedger { ledger }
    var ledger: LogLedger { state.withLock { $0.ledger } }
    var lost: Int { state.withLock { $0.lost } }
    var pendingCount: Int { state.withLock { Int($0.ledger.pending) } }

    /// When the oldest was said.
    var oldestPending: LogTime? {
        state.withLock { ($0.sealed.first?.events.first ?? $0.inHand.first ?? $0.queue.first)?.time }
    }

    /// The oldest first.
    var pendingEvents: [LogEvent] {
        state.withLock { $0.sealed.flatMap(\.events) + $0.inHand + $0.queue.elements }
    }

    @discardableResult
    private func removeFirst(_ state: inout State) -> LogEvent? {
        guard let event = state.queue.removeFirst() else { return nil }
        state.queuedBytes -= event.estimatedBytes
        state.urgent = max(0, state.urgent - 1)
        return event
    }

    /// Whether the queue should be sealed whatever its age.
    private func isDue(_ state: State) -> Bool {
        state.urgent > 0 || state.queue.count >= policy.parcelEvents || state.queuedBytes >= policy.parcelBytes
    }

    private func age(_ state: State) -> UInt64 {
        let now = clock.monotonicNanoseconds()
        return now > state.waitingSince ? now - state.waitingSince : 0
    }

    // MARK: The courier's side

    var nextParcelIsDue: Duration? {
        state.withLock { state in
            if state.queue.isEmpty { return nil }
            return max(.zero, policy.parcelAge - .nanoseconds(Int64(clamping: age(state))))
        }
    }

    func nextParcel(besides onTheirWay: Set<String>) throws -> Parcel? {
        let term = destination.term
        if let waiting = state.withLock({ $0.sealed.first { !onTheirWay.contains($0.parcel.id) } }) {
            return waiting.term == term.number ? waiting.parcel : try sealAgain(besides: onTheirWay, for: term)
        }
        let events = state.withLock { state in
            if state.inHand.isEmpty, isDue(state) || age(state) >= UInt64(policy.parcelAge.wholeNanoseconds) {
                while state.inHand.count < state.parcelEvents, let event = removeFirst(&state) {
                    state.inHand.append(event)
                }
                state.waitingSince = clock.monotonicNanoseconds()
            }
            return state.inHand  // what could not be sealed the last time, or what is due now
        }
        guard !events.isEmpty else { return nil }
        let sealed = try seal(events, for: term)
        return state.withLock { state in
            state.inHand = []
            state.sealed += sealed
            return sealed.first?.parcel
        }
    }

    /// Formats and compresses, into several parcels where one would be too large.
    private func seal(_ events: [LogEvent], for term: CurrentDestination.Term) throws -> [Sealed] {
        let maker = ParcelMaker(
            term.destination, maximumEvents: policy.parcelEvents, maximumBytes: policy.parcelBytes,
            compressionLevel: policy.compressionLevel)
        return try maker.parcels(keyed(events), sealed: clock.now()) { UniqueID.make() }
            .map { Sealed(parcel: $0.parcel, events: $0.events.map(\.event), term: term.number) }
    }

    private func keyed(_ events: [LogEvent]) -> [KeyedEvent] { events.map { KeyedEvent($0, origin: origin) } }

    /// What was sealed for the destination before goes to the new one, in its form.
    private func sealAgain(besides onTheirWay: Set<String>, for term: CurrentDestination.Term) throws -> Parcel? {
        let sealed = state.withLock { $0.sealed }
        let again = try seal(sealed.filter { !onTheirWay.contains($0.parcel.id) }.flatMap(\.events), for: term)
        state.withLock { $0.sealed = sealed.filter { onTheirWay.contains($0.parcel.id) } + again }
        return again.first?.parcel
    }

    func settle(_ parcel: Parcel, as fate: ParcelFate) {
        switch fate {
        case .delivered: settle(parcel, rejected: 0)
        case .rejected: settle(parcel, rejected: parcel.count)
        }
    }

    func settle(_ parcel: Parcel, rejecting rejected: Int, because reason: String) {
        settle(parcel, rejected: rejected)
    }

    func settle(_ parcel: Parcel, entries: EntryFates) throws -> Bool {
        guard let (place, sealed) = sealed(parcel) else { return true }
        let again = entries.again.sorted().map { sealed.events[$0] }
        let next = again.isEmpty ? [] : try seal(again, for: destination.term)
        state.withLock { state in
            state.sealed.replaceSubrange(place...place, with: next)
            state.ledger.deliver(parcel.count - again.count - entries.rejected.count)
            state.ledger.drop(entries.rejected.count, .rejectedByServer)
            state.lost += entries.rejected.count
        }
        return true
    }

    private func settle(_ parcel: Parcel, rejected: Int) {
        state.withLock { state in
            guard let place = state.sealed.firstIndex(where: { $0.parcel.id == parcel.id }) else { return }
            state.sealed.remove(at: place)
            let taken = max(state.parcelEvents, parcel.count)
            state.parcelEvents = min(policy.parcelEvents, taken + max(1, taken / 8))
            state.ledger.deliver(parcel.count - rejected)
            state.ledger.drop(rejected, .rejectedByServer)
            state.lost += rejected
        }
    }

    func split(_ parcel: Parcel) throws -> Bool {
        guard let (place, sealed) = sealed(parcel), sealed.events.count > 1 else { return false }
        let events = sealed.events, half = events.count / 2, term = destination.term
        let halves = try seal(Array(events[..<half]), for: term) + seal(Array(events[half...]), for: term)
        state.withLock { state in
            state.sealed.replaceSubrange(place...place, with: halves)
            state.parcelEvents = max(1, min(state.parcelEvents, events.count / 2))
        }
        return true
    }

    /// As JSON lines, whatever the receiver's own form is.
    func excerpt(of parcel: Parcel, entries: Set<Int>) -> Parcel? {
        guard let events = sealed(parcel)?.sealed.events else { return nil }
        let lines = JSONLines.encode(keyed(entries.sorted().map { events[$0] }))
        return Parcel(
            id: parcel.id, body: lines, contentType: "application/x-ndjson", count: entries.count, sealed: parcel.sealed)
    }

    /// Only the courier's thread moves them.
    private func sealed(_ parcel: Parcel) -> (place: Int, sealed: Sealed)? {
        state.withLock { state in
            state.sealed.firstIndex { $0.parcel.id == parcel.id }.map { ($0, state.sealed[$0]) }
        }
    }
}
