internal import LogbookCore
internal import LogbookDelivery

/// The events of a remote provider, from the log call to the receiver's acknowledgement: queued as they are, and sealed into
/// parcels by the courier when it asks for one.
final class EventQueue: EventStore {
    /// Events that the courier has taken from the queue.
    private struct Taken {
        /// Nil while they are in none.
        var parcel: Parcel?
        /// Kept beside their bytes, so that a program can have them back.
        let events: [LogEvent]
        /// Which destination the parcel was written for.
        var term = 0
        /// Of the parcel in which they were for another destination, which may have come to this one as well: it is the same there under
        /// the same id, and sealed at the same time.
        var former: (id: String, sealed: LogTime)?

        func waits(besides onTheirWay: Set<String>) -> Bool { parcel.map { !onTheirWay.contains($0.id) } ?? true }
    }

    private struct State {
        var isOpen = true
        var queue = QueuedEvents()
        /// On the provider's clock: since when the first queued event waits.
        var waitingSince: UInt64 = 0
        /// The number of the latest event that does not wait for company, nor does what came before it.
        var urgentUpTo: UInt64 = 0
        /// How many of those are queued.
        var urgent = 0
        /// The oldest first. Only the courier's thread changes it.
        var taken: [Taken] = []
        var limit: ParcelLimit
        var ledger = LogLedger()
        /// Events that were taken and then lost, or handed over: no flush can promise them any more.
        var lost = 0
        /// Where what is pending outlives the process, and the event that came last.
        var slot: PendingSlot?
        var latest: PendingSlot.Stamp?

        var oldest: LogEvent? { taken.first?.events.first ?? queue.first }

        /// What the receiver may have is that in a parcel.
        func note() {
            guard let slot else { return }
            slot.note(
                PendingSlot.Tally(
                    ledger, inHand: taken.reduce(0) { $0 + $1.events.count }, oldest: oldest.map { PendingSlot.Stamp($0) }, latest: latest))
        }
    }

    private let policy: RemoteQueuePolicy
    private let origin: LogOrigin
    private let destination: CurrentDestination
    private let clock: LogClock
    private let onRefused: (@Sendable ([LogEvent]) -> Void)?
    private let state: Locked<State>

    /// - Parameter onRefused: Has what the receiver will never take, and where it has not said which of a parcel's events those are, all.
    init(
        policy: RemoteQueuePolicy, destination: CurrentDestination, origin: LogOrigin, clock: LogClock,
        onRefused: (@Sendable ([LogEvent]) -> Void)? = nil
    ) {
        self.policy = policy
        self.destination = destination
        self.origin = origin
        self.clock = clock
        self.onRefused = onRefused
        state = Locked(State(limit: ParcelLimit(policy.parcelEvents)))
    }

    /// Changes what is pending.
    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            defer { state.note() }
            return body(&state)
        }
    }

    func notePending(on page: LossPage, as name: String) {
        guard state.withLock({ $0.slot == nil }), let slot = page.slot(named: name) else { return }
        change { state in
            if state.slot == nil { state.slot = slot }
        }
    }

    // MARK: The caller's side

    /// - Returns: True when the courier should be woken.
    func take(_ event: LogEvent) -> Bool {
        let bytes = event.estimatedBytes
        let isUrgent = event.level >= .error, isPrivileged = event.isPrivileged
        return change { state in
            state.ledger.submit()
            guard state.isOpen else {
                state.ledger.drop(1, .alreadyShutDown)
                return false
            }
            guard makeRoom(for: bytes, isPrivileged, &state) else {
                state.ledger.drop(1, .queueFull)
                return false
            }
            let wasDue = isDue(state)
            if state.queue.isEmpty { state.waitingSince = clock.monotonicNanoseconds() }
            state.queue.append(event, bytes: bytes, isPrivileged: isPrivileged)
            state.latest = PendingSlot.Stamp(event)
            if isUrgent { hurry(&state) }
            return state.queue.count == 1 || (!wasDue && isDue(state))
        }
    }

    /// - Returns: False when there is none, and none is made for such an event: nothing was dropped then.
    private func makeRoom(for bytes: Int, _ isPrivileged: Bool, _ state: inout State) -> Bool {
        func hasRoom(beside count: Int, _ queuedBytes: Int) -> Bool {
            count == 0 || count < policy.maximumEvents && queuedBytes + bytes <= policy.maximumBytes   // one event always fits
        }
        if hasRoom(beside: state.queue.count, state.queue.bytes) { return true }
        // An ordinary event drives none out that is missed more than it.
        let dropsPrivileged = isPrivileged && policy.overflow == .dropOldest
        let mayFit = dropsPrivileged || hasRoom(beside: state.queue.privilegedCount, state.queue.privilegedBytes)
        guard mayFit, isPrivileged || policy.overflow == .dropOldest else { return false }
        while !hasRoom(beside: state.queue.count, state.queue.bytes) {
            guard let place = state.queue.removeLeastMissed(policy.overflow) else { return false }
            forget(place, &state)
            state.ledger.drop(1, .queueFull)
            state.lost += 1
        }
        return true
    }

    func lose(_ reason: DropReason) {
        change { state in
            state.ledger.submit()
            state.ledger.drop(1, reason)
        }
    }

    /// What is queued now waits no longer for company.
    func hurry() { state.withLock { hurry(&$0) } }

    private func hurry(_ state: inout State) {
        state.urgentUpTo = state.queue.latestNumber
        state.urgent = state.queue.count
    }

    /// Takes no more.
    func close() {
        state.withLock { state in
            state.isOpen = false
            hurry(&state)
        }
    }

    func release() {}
    func makeSafe(by deadline: LogDeadline) -> Bool { false }

    var deliveries: LogLedger { ledger }
    var ledger: LogLedger { state.withLock { $0.ledger } }
    var lost: Int { state.withLock { $0.lost } }
    /// Its account is that of the whole way.
    var lostAfterwards: [DropReason: UInt64]? { nil }
    var pendingCount: Int { state.withLock { Int($0.ledger.pending) } }
    var isCounted: Bool { true }

    /// When the oldest was said.
    var oldestPending: LogTime? {
        state.withLock { $0.oldest?.time }
    }

    /// The oldest first.
    var pendingEvents: [LogEvent] {
        state.withLock { $0.taken.flatMap(\.events) + $0.queue.elements }
    }

    /// What the courier takes while they are saved is sent as well: both may have some of it, and never neither.
    func handOver(_ save: ([LogEvent]) -> Bool) -> Int {
        let (events, latest) = state.withLock { ($0.queue.elements, $0.queue.latestNumber) }
        guard !events.isEmpty, save(events) else { return 0 }
        return change { state -> Int in
            var count = 0
            while let number = state.queue.firstNumber, number <= latest, removeFirst(&state) != nil { count += 1 }
            state.ledger.drop(count, .keptElsewhere)
            state.lost += count
            return count
        }
    }

    private func removeFirst(_ state: inout State) -> LogEvent? {
        guard let place = state.queue.removeFirst() else { return nil }
        forget(place, &state)
        return place.event
    }

    /// It is in the queue no more.
    private func forget(_ place: QueuedEvents.Place, _ state: inout State) {
        if place.number <= state.urgentUpTo { state.urgent -= 1 }
    }

    /// Whether the queue should be sealed whatever its age.
    private func isDue(_ state: State) -> Bool {
        state.urgent > 0 || state.queue.count >= state.limit.events || state.queue.bytes >= policy.parcelBytes
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
        while let (place, next) = nextTaken(besides: onTheirWay) {
            if let parcel = next.parcel {
                if next.term == term.number { return parcel }
                takeApart(besides: onTheirWay)
            } else {
                try sealFirst(of: place, for: term)
            }
        }
        return nil
    }

    /// The oldest that is not on its way. The queue is asked when there is none, and when it is due.
    private func nextTaken(besides onTheirWay: Set<String>) -> (place: Int, taken: Taken)? {
        change { state -> (place: Int, taken: Taken)? in
            if !state.taken.contains(where: { $0.waits(besides: onTheirWay) }) {
                let isTime = isDue(state) || age(state) >= UInt64(policy.parcelAge.wholeNanoseconds)
                guard isTime, !state.queue.isEmpty else { return nil }
                var events: [LogEvent] = []
                while events.count < state.limit.events, let event = removeFirst(&state) { events.append(event) }
                state.waitingSince = clock.monotonicNanoseconds()
                state.taken.append(Taken(events: events))
            }
            guard let place = state.taken.firstIndex(where: { $0.waits(besides: onTheirWay) }) else { return nil }
            return (place: place, taken: state.taken[place])
        }
    }

    /// Makes a parcel of the first of them, as many as one may hold, or several where it would be too large.
    private func sealFirst(of place: Int, for term: CurrentDestination.Term) throws {
        let (events, former, limit) = state.withLock { ($0.taken[place].events, $0.taken[place].former, $0.limit.events) }
        // When that fails the events are still there.
        var parts = try seal(Array(events.prefix(limit)), for: term, as: events.count <= limit ? former : nil)
        if events.count > limit { parts.append(Taken(events: Array(events.dropFirst(limit)))) }
        state.withLock { $0.taken.replaceSubrange(place...place, with: parts) }
    }

    /// Formats and compresses, into several parcels where one would be too large.
    /// - Parameter former: What they were in before: where they are one parcel again, it is that one.
    private func seal(
        _ events: [LogEvent], for term: CurrentDestination.Term, as former: (id: String, sealed: LogTime)? = nil
    ) throws -> [Taken] {
        let maker = ParcelMaker(
            term.destination, maximumEvents: policy.parcelEvents, maximumBytes: policy.parcelBytes,
            compressionLevel: policy.compressionLevel)
        if let former {
            let parcels = try maker.parcels(keyed(events), sealed: former.sealed) { former.id }
            if parcels.count == 1 { return parcels.map { Taken(parcel: $0.parcel, events: $0.events.map(\.event), term: term.number) } }
        }
        return try maker.parcels(keyed(events), sealed: clock.now()) { UniqueID.make() }
            .map { Taken(parcel: $0.parcel, events: $0.events.map(\.event), term: term.number) }
    }

    private func keyed(_ events: [LogEvent]) -> [KeyedEvent] { events.map { KeyedEvent($0, origin: origin) } }

    /// What was sealed for the destination before goes to the new one, in its form.
    private func takeApart(besides onTheirWay: Set<String>) {
        state.withLock { state in
            for (place, taken) in state.taken.enumerated() where taken.waits(besides: onTheirWay) {
                state.taken[place] = Taken(events: taken.events, former: taken.parcel.map { ($0.id, $0.sealed) } ?? taken.former)
            }
        }
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
        guard let events = taken(parcel)?.taken.events else { return true }
        let again = try seal(entries.again.sorted().map { events[$0] }, for: destination.term)
        settle(parcel, rejected: entries.rejected.count, entries.rejected.keys.sorted().map { events[$0] }, leaving: again)
        return true
    }

    /// - Parameters:
    ///   - refused: Which those are; nil where nobody has said it.
    ///   - again: What goes again, in the parcel's place.
    private func settle(_ parcel: Parcel, rejected: Int, _ refused: [LogEvent]? = nil, leaving again: [Taken] = []) {
        // While they are still here: who asks for what is pending may have them twice, and never not at all.
        if rejected > 0, let onRefused, let events = refused ?? taken(parcel)?.taken.events { onRefused(events) }
        change { state in
            guard let place = state.taken.firstIndex(where: { $0.parcel?.id == parcel.id }) else { return }
            state.taken.replaceSubrange(place...place, with: again)
            state.limit.settle(parcel.count, rejected: rejected)
            state.ledger.deliver(parcel.count - rejected - again.reduce(0) { $0 + $1.events.count })
            state.ledger.drop(rejected, .rejectedByServer)
            state.lost += rejected
        }
    }

    func split(_ parcel: Parcel) throws -> Bool {
        guard let (place, taken) = taken(parcel), taken.events.count > 1 else { return false }
        let events = taken.events, half = events.count / 2, term = destination.term
        let halves = try seal(Array(events[..<half]), for: term) + seal(Array(events[half...]), for: term)
        state.withLock { $0.taken.replaceSubrange(place...place, with: halves) }
        return true
    }

    func splitTooLarge(_ parcel: Parcel) throws -> Bool {
        guard let (place, taken) = taken(parcel), taken.events.count > 1 else { return false }
        state.withLock { state in
            state.taken[place] = Taken(events: taken.events)
            state.limit.refuse(taken.events.count)
        }
        return true
    }

    /// As JSON lines, whatever the receiver's own form is.
    func excerpt(of parcel: Parcel, entries: Set<Int>) -> Parcel? {
        guard let events = taken(parcel)?.taken.events else { return nil }
        let lines = JSONLines.encode(keyed(entries.sorted().map { events[$0] }))
        return Parcel(
            id: parcel.id, body: lines, contentType: "application/x-ndjson", count: entries.count, sealed: parcel.sealed)
    }

    private func taken(_ parcel: Parcel) -> (place: Int, taken: Taken)? {
        state.withLock { state in
            state.taken.firstIndex { $0.parcel?.id == parcel.id }.map { ($0, state.taken[$0]) }
        }
    }
}
