internal import LogbookCore
internal import LogbookDelivery
internal import LogbookFormat
internal import LogbookGzip

/// The events of a remote provider, from the log call to the receiver's acknowledgement: queued as they are, and sealed into
/// parcels by the courier when it asks for one.
final class EventQueue: ParcelSource {
    private struct Sealed {
        let parcel: Parcel
        /// Kept beside their bytes, so that a program can have them back.
        let events: [LogEvent]
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
        var ledger = LogLedger()
        /// Events that were taken and then lost.
        var lost = 0
    }

    private let policy: RemoteQueuePolicy
    private let format: JSONLineFormat
    private let clock: LogClock
    private let state = Locked(State())

    init(policy: RemoteQueuePolicy, origin: LogOrigin, clock: LogClock) {
        self.policy = policy
        format = JSONLineFormat(origin: origin, limits: .highest)   // the parcel has a limit of its own
        self.clock = clock
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

    var ledger: LogLedger { state.withLock { $0.ledger } }
    var lost: Int { state.withLock { $0.lost } }
    var pendingCount: Int { state.withLock { Int($0.ledger.pending) } }

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

    func nextParcel() throws -> Parcel? {
        if let parcel = state.withLock({ $0.sealed.first?.parcel }) { return parcel }
        let events = state.withLock { state in
            if state.inHand.isEmpty, isDue(state) || age(state) >= UInt64(policy.parcelAge.wholeNanoseconds) {
                while state.inHand.count < policy.parcelEvents, let event = removeFirst(&state) {
                    state.inHand.append(event)
                }
                state.waitingSince = clock.monotonicNanoseconds()
            }
            return state.inHand  // what could not be sealed the last time, or what is due now
        }
        guard !events.isEmpty else { return nil }
        let sealed = try seal(events)
        return state.withLock { state in
            state.inHand = []
            state.sealed = sealed
            return sealed.first?.parcel
        }
    }

    /// Formats and compresses, into several parcels where one would be too large.
    private func seal(_ events: [LogEvent]) throws -> [Sealed] {
        var sealed: [Sealed] = []
        var lines: [UInt8] = []
        var first = 0
        for (index, event) in events.enumerated() {
            let end = lines.count
            format.append(event, to: &lines)
            if lines.count > policy.parcelBytes && end > 0 {
                sealed.append(try parcel(Array(lines[..<end]), Array(events[first..<index])))
                lines.removeFirst(end)
                first = index
            }
        }
        sealed.append(try parcel(lines, Array(events[first...])))
        return sealed
    }

    private func parcel(_ lines: [UInt8], _ events: [LogEvent]) throws -> Sealed {
        let compressed = try Gzip.compress(lines, level: policy.compressionLevel)
        // A receiver takes what grows beyond all measure for an attack.
        let isCompressed = lines.count <= compressed.count * (Gzip.maximumRatio * 9 / 10)
        return Sealed(
            parcel: Parcel(
                id: UniqueID.make(), body: isCompressed ? compressed : lines, contentType: "application/x-ndjson",
                contentEncoding: isCompressed ? "gzip" : nil, count: events.count, sealed: clock.now()),
            events: events)
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

    private func settle(_ parcel: Parcel, rejected: Int) {
        state.withLock { state in
            guard state.sealed.first?.parcel.id == parcel.id else { return }
            state.sealed.removeFirst()
            state.ledger.deliver(parcel.count - rejected)
            state.ledger.drop(rejected, .rejectedByServer)
            state.lost += rejected
        }
    }

    func split(_ parcel: Parcel) throws -> Bool {
        let sealed = state.withLock { $0.sealed.first }
        guard let events = sealed?.events, sealed?.parcel.id == parcel.id, events.count > 1 else { return false }
        let halves = try seal(Array(events[..<(events.count / 2)])) + seal(Array(events[(events.count / 2)...]))
        state.withLock { $0.sealed.replaceSubrange(0..<1, with: halves) }
        return true
    }
}
