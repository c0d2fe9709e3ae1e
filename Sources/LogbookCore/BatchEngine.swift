internal import CLogbookSystem
internal import Synchronization

/// The shared half of a ``BatchingProvider``: kept alive by its thread until the queue is empty.
final class BatchEngine: Sendable {
    enum Phase { case running, closing, closed }

    /// A flush that went wrong.
    struct FlushFailure {
        let round: UInt64
        let error: any Error
        /// Nobody has heard of it yet, and the sink takes it that somebody has, since the deadline that it was given had not passed.
        var isOwed: Bool
    }

    struct State {
        var phase = Phase.running
        var queue = WaitingItems()
        var ledger = LogLedger()
        /// Events that the thread took out and has not settled, and the first of them.
        var inFlight = 0
        var inFlightFirst: PendingSlot.Stamp?
        /// Where what it has in hand outlives the process, and the event that came last.
        var slot: PendingSlot?
        var latest: PendingSlot.Stamp?
        var hasThread = false
        var isParked = false
        var wantsAttention = false
        /// A caller waited in vain; nobody waits again until the queue has moved.
        var isStuck = false
        /// The flush that the thread works towards, and what was asked for since: to wait for that as well would have whoever asks again
        /// and again keep the sink from ever being flushed.
        var flush: Flush?, laterFlush: Flush?
        /// Rounds that were asked for, that the sink was asked for, and that are over.
        var flushRound: UInt64 = 0, flushesBegun: UInt64 = 0, flushesDone: UInt64 = 0
        /// Of the latest flush that failed, and up to which round that was asked for.
        var flushFailure: FlushFailure?
        /// Why a provider behind the queue could not be shut down well.
        var closeFailure: (any Error)?
        var latestFailure: String?
        var shutdownDeadline = LogDeadline.never
        /// What was given up when a shutdown's deadline had passed.
        var abandoned: Abandoned?
        /// Where a full queue shows; nil until a distributor feeds it.
        var pressure: Pressure?
        var isPressing = false
        /// Callers that go on as soon as there is any room.
        var waitingForRoom = 0
        /// What to tell the diagnostics once the lock is let go.
        var notes: [String] = []
        var breaker: Breaker
        var diverted: UInt64 = 0
        /// What wrappers had held back when something was last delivered.
        var settledMissing: UInt64 = 0
        /// When the sink of an open breaker is tried again, where a fallback takes what comes before.
        var nextTry: UInt64 = 0
        var losses: LossWatch?
        /// The sink is somebody else's, and goes on without the queue.
        var keepsSinkOpen = false

        /// A fallback is there, and has taken what it was given last.
        var hasHelp = false

        /// The oldest that it has in hand.
        var oldest: PendingSlot.Stamp? { inFlight > 0 ? inFlightFirst : queue.first?.firstStamp }

        /// Nobody waits for a queue that does not move.
        var isHopeless: Bool { isStuck || isPaused }
        /// Nothing is written for now, by a fallback neither.
        var isPaused: Bool { breaker.isOpen && !hasHelp }
    }
    typealias Access = Monitor<State>.Access

    /// What somebody wants flushed.
    struct Flush {
        /// The number of its latest item.
        var target: UInt64
        var round: UInt64
        var deadline: LogDeadline

        /// Takes a flush in that was asked for later.
        mutating func join(_ later: Flush) {
            (target, round, deadline) = (later.target, later.round, max(deadline, later.deadline))
        }
    }

    struct Abandoned {
        /// Events that were queued or in the sink's hands.
        let count: Int
        /// Those of them that are known to be lost by now.
        var lost: Int
        /// The flushes that wanted them safe.
        let rounds: ClosedRange<UInt64>?
    }

    let sink: any BatchSink
    /// Where lines go, when the sink wants those.
    let lines: (layout: any LineLayout, sink: any LineSink)?
    let fallback: (any BatchSink)?
    let policy: QueuePolicy
    let name: String
    let clock: LogClock
    let startThread: LogThread.Start
    let state: Monitor<State>
    private let lineage = ProcessLineage.current
    private let lostInChild = Atomic<UInt64>(0)
    let token = Tokens.next()

    /// - Parameters:
    ///   - lineSink: Takes the events as lines, in the sink's place; not with a fallback, which wants events.
    ///   - startThread: Starts the queue's thread.
    init(
        sink: any BatchSink, lineSink: (any LineSink)?, fallback: (any BatchSink)?, policy: QueuePolicy, name: String,
        clock: LogClock, startThread: @escaping LogThread.Start = { LogThread.start($0, $1) }
    ) {
        self.sink = sink
        self.fallback = fallback
        state = Monitor(State(breaker: Breaker(threshold: policy.failureThreshold), hasHelp: fallback != nil))
        lines = lineSink.flatMap { sink in sink.lineLayout.map { ($0, sink) } }
        self.policy = policy
        self.name = name
        self.clock = clock
        self.startThread = startThread
    }

    /// In a forked child it begins anew, at the fork: the queue and its thread are the parent's.
    var ledger: LogLedger {
        guard lineage.isCurrent else {
            let lost = lostInChild.load(ordering: .relaxed)
            return LogLedger(submitted: lost, dropped: lost == 0 ? [:] : [.forkChild: lost])
        }
        return state.withLock { $0.value.ledger }
    }
    /// The account without events that wrappers behind the queue have held back.
    func ledger(leavingOut missing: UInt64) -> LogLedger {
        guard lineage.isCurrent else { return ledger }
        let (ledger, settled) = state.withLock { ($0.value.ledger, $0.value.settledMissing) }
        return ledger.leavingOut(missing, settled: settled)
    }
    /// How its items are laid out; nil when they are events.
    var lineLayout: (any LineLayout)? { lines?.layout }
    var latestFailure: String? { lineage.isCurrent ? state.withLock { $0.value.latestFailure } : nil }
    /// When the oldest event was said that is queued or being written.
    var oldestPending: LogTime? {
        guard lineage.isCurrent else { return nil }
        return state.withLock { access in
            access.value.oldest?.time
        }
    }
    var diverted: UInt64 { lineage.isCurrent ? state.withLock { $0.value.diverted } : 0 }
    var condition: QueueCondition {
        guard lineage.isCurrent else { return .working }
        let breaker = state.withLock { $0.value.breaker }
        if breaker.failures == 0 { return .working }
        return breaker.isOpen ? .paused(failures: breaker.failures) : .retrying(failures: breaker.failures)
    }

    /// Whether it has nothing in hand, and nobody waits for a flush: closed, or idle until something comes. Of a forked child's parent's
    /// queues that is so.
    var isAtRest: Bool {
        guard lineage.isCurrent else { return true }
        return state.withLock { access in
            let state = access.value
            switch state.phase {
            case .running: return state.ledger.pending == 0 && state.flushesDone >= state.flushRound
            case .closing: return false
            case .closed: return true
            }
        }
    }

    func watch(_ losses: LossWatch) { state.withLock { $0.value.losses = losses } }

    func keepSinkOpen() { state.withLock { $0.value.keepsSinkOpen = true } }

    /// Works on the state, and reports afterwards: the diagnostics' handler is foreign code and never runs under our lock.
    func locked<Result>(_ body: (Access) throws -> Result) rethrows -> Result {
        var notes: [String] = []
        defer { for note in notes { LogDiagnostics.report(name, note) } }
        return try state.withLock { access throws in
            defer {
                show(access)
                notes = access.value.notes
                access.value.notes = []
            }
            return try body(access)
        }
    }

    // MARK: The caller's side

    func take(_ event: LogEvent) {
        guard lineage.isCurrent else {
            lostInChild.add(1, ordering: .relaxed)
            return
        }
        let isOwnSink = logbook_nesting_get().registration == token
        let item = item(event)
        locked { access in
            access.value.ledger.submit()
            if isOwnSink { return lose(.reentrant, LossRun(event), access) }
            if access.value.phase != .running { return lose(.alreadyShutDown, LossRun(event), access) }
            guard makeRoom(for: item.estimatedBytes, privileged: item.isPrivileged, access) else {
                // A wait for room lets the lock go, so the queue may have been shut down meanwhile.
                let reason = access.value.phase == .running ? DropReason.queueFull : .alreadyShutDown
                lose(reason, LossRun(event), access)
                return access.value.notes.append("queue full; events are dropped and counted (\(reason))")
            }
            let before = access.value.queue.count
            append(item, access)
            alert(before, access)
        }
    }

    private func item(_ event: LogEvent) -> QueueItem {
        guard let lines else { return .events(EventRun(event)) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        lines.layout.append(event, to: &bytes)
        let chunk = LineChunk(bytes, event.time, event.sequence)
        return .lines(LineRun(chunk, 0..<1, nesting: event.nesting, isPrivileged: event.isPrivileged))
    }

    private func append(_ item: QueueItem, _ access: Access) {
        access.value.queue.append(item)
        access.value.latest = item.lastStamp
        if item.isPrivileged { access.value.wantsAttention = true }
    }

    /// Lets the thread know that there is more. Waking a parked thread costs microseconds, so one that lingers for company is
    /// woken only when it has enough of it, or for attention.
    private func alert(_ before: Int, _ access: Access) {
        let count = access.value.queue.count
        if count * 2 >= policy.capacity || access.value.queue.bytes >= policy.summableBytes / 2 { access.value.wantsAttention = true }
        if !access.value.hasThread { seekThread(access) }
        guard access.value.isParked else { return }
        let isEnough = before < policy.batchCount && count >= policy.batchCount
        if before == 0 || isEnough || access.value.wantsAttention { access.broadcast() }
    }

    /// What a queue that lets callers wait takes beyond its capacity, in events: what was said before the callers could see that it was
    /// full. That is a ring of the smallest records, what was taken out of it last, and what callers had in hand, one each.
    static let overdraft = EventRing.cells + DistributionRound.maximumCount + 4096
    /// The same in bytes; more where the policy's own limit is larger.
    private static let overdraftBytes = 16 << 20

    /// Takes events from a distributor, which never waits: where the policy lets callers wait, the queue is overdrawn, and callers
    /// wait in ``awaitRoom(isPrivileged:)`` until it is not.
    func take(_ items: [QueueItem], under pressure: Pressure) {
        locked { access in
            show(to: pressure, access)
            let count = items[...].eventCount
            access.value.ledger.submit(count)
            guard access.value.phase == .running else { return access.value.ledger.drop(count, .alreadyShutDown) }
            let before = access.value.queue.count
            var lost = 0
            for item in items { lost += take(item, access) }
            if lost > 0 {
                access.value.notes.append("queue full; \(lost) events are dropped and counted (\(DropReason.queueFull))")
            }
            alert(before, access)
        }
    }

    /// - Returns: How many events of it had no room.
    private func take(_ item: QueueItem, _ access: Access) -> Int {
        let isPrivileged = item.isPrivileged
        if hasRoom(for: item.estimatedBytes, count: item.count, privileged: isPrivileged, access.value)
            || mayOverdraw(item, access.value)
        {
            append(item, access)
            return 0
        }
        // Event by event, as far as there is room.
        var rest = item, lost = 0
        for left in stride(from: item.count, through: 1, by: -1) {
            let next = left > 1 ? rest.removeFirst(1) : rest
            if makeRoomWithoutWaiting(for: next, access) {
                append(next, access)
            } else {
                lost += 1
                lose(.queueFull, next.asLoss, access)
            }
        }
        return lost
    }

    private func makeRoomWithoutWaiting(for item: QueueItem, _ access: Access) -> Bool {
        if case .block = policy.overflow {
            return hasRoom(for: item.estimatedBytes, privileged: item.isPrivileged, access.value)
                || mayOverdraw(item, access.value)
        }
        return makeRoom(for: item.estimatedBytes, privileged: item.isPrivileged, access)
    }

    private func mayOverdraw(_ item: QueueItem, _ state: State) -> Bool {
        guard case .block = policy.overflow, !state.isHopeless else { return false }
        return state.queue.count + item.count <= policy.capacity + Self.overdraft
            && state.queue.bytes + item.estimatedBytes <= policy.summableBytes + max(policy.summableBytes, Self.overdraftBytes)
    }

    /// Waits until a distributor's queue has room, the policy's span is over, or the queue is shut down.
    func awaitRoom(isPrivileged: Bool) {
        guard lineage.isCurrent, case .block(let span) = policy.overflow else { return }
        locked { access in
            guard access.value.isPressing else { return }
            let deadline = LogDeadline.after(span), patience = min(deadline, .after(Self.longestEasing))
            access.value.wantsAttention = true
            if access.value.isParked { access.broadcast() }
            // To be woken for every bit of room would take longer than to fill it.
            while access.value.isPressing, !isPrivileged, access.value.phase == .running, !access.value.isHopeless {
                if !access.wait(until: patience) { break }
            }
            while access.value.phase == .running, !access.value.isHopeless,
                !hasRoom(for: 1, privileged: isPrivileged, access.value)
            {
                if !waitForRoom(until: deadline, access) {
                    access.value.isStuck = true
                    access.broadcast()   // nobody waits again until the queue has moved
                }
            }
        }
    }

    /// How long callers wait for a full queue to ease, though there is room; also the longest time by which a slow sink's callers are
    /// held up more than it takes.
    private static let longestEasing = Duration.milliseconds(1)

    private func waitForRoom(until deadline: LogDeadline, _ access: Access) -> Bool {
        access.value.waitingForRoom += 1
        defer { access.value.waitingForRoom -= 1 }
        return access.wait(until: deadline)
    }

    /// The latest distributor's callers are those who wait: a queue that two services feed shows at one of them.
    private func show(to pressure: Pressure, _ access: Access) {
        let earlier = access.value.pressure
        access.value.pressure = pressure
        if earlier !== pressure, access.value.isPressing {
            earlier?.fall()
            pressure.rise()
        }
    }

    /// Begins to note what it has in hand, and who is behind it, unless they do already.
    func notePending(on page: LossPage, as name: String) {
        guard lineage.isCurrent else { return }
        if state.withLock({ $0.value.slot == nil }), let slot = page.slot(named: name) {
            locked { access in
                if access.value.slot == nil { access.value.slot = slot }
            }
        }
        for sink in [sink, fallback] {
            let behind = (sink as? ProviderSink)?.provider ?? sink as? any LogProvider
            behind?.notePendingWithin(on: page, as: name)
        }
    }

    /// What others are to see of its state: how full it is, and what it has in hand.
    func show(_ access: Access) {
        showPressure(access)
        guard let slot = access.value.slot else { return }
        slot.note(
            PendingSlot.Tally(access.value.ledger, inHand: access.value.inFlight, oldest: access.value.oldest, latest: access.value.latest))
    }

    /// Lets the callers see whether they should wait: from when it is full until a quarter of it is free.
    private func showPressure(_ access: Access) {
        guard let pressure = access.value.pressure else { return }
        var isPressing = false
        if case .block = policy.overflow, access.value.phase == .running, !access.value.isHopeless {
            let (events, bytes) = access.value.isPressing
                ? (policy.capacity / 4 * 3, policy.maximumBytes / 4 * 3) : (policy.capacity, policy.maximumBytes)
            isPressing = access.value.queue.count > 0 && (access.value.queue.count >= events || access.value.queue.bytes >= bytes)
        }
        if isPressing == access.value.isPressing { return }
        access.value.isPressing = isPressing
        if isPressing {
            pressure.rise()
        } else {
            pressure.fall()
            access.broadcast()
        }
    }

    func lose(_ reason: DropReason, _ run: LossRun) {
        guard lineage.isCurrent else {
            lostInChild.add(UInt64(run.count), ordering: .relaxed)
            return
        }
        state.withLock { access in
            access.value.ledger.submit(run.count)
            lose(reason, run, access)
            show(access)
        }
    }

    /// Counts events that were submitted and are in the queue no more.
    func lose(_ reason: DropReason, _ run: LossRun, _ access: Access) {
        access.value.ledger.drop(run.count, reason)
        access.value.losses?.lost(reason, run)
    }

    private func hasRoom(for bytes: Int, count: Int = 1, privileged: Bool, _ state: State) -> Bool {
        if state.queue.isEmpty && count == 1 { return true }   // one event always fits, however large
        let events = policy.capacity + (privileged ? policy.reservedCapacity : 0)
        let limit = policy.summableBytes + (privileged ? policy.summableBytes / 4 : 0)
        if state.queue.count + count <= events && state.queue.bytes + bytes <= limit { return true }
        // What ordinary events hold beyond the capacity, where callers may wait, takes none of the reserved room.
        return privileged && state.queue.privilegedCount + count <= policy.reservedCapacity
            && state.queue.privilegedBytes + bytes <= policy.summableBytes / 4
    }

    /// Whether an event without a privilege would have room if privileged ones were all there is: none of those gives way to it.
    private func hasRoomBesidePrivileged(for bytes: Int, _ state: State) -> Bool {
        if state.queue.privilegedCount == 0 { return true }
        return state.queue.privilegedCount < policy.capacity && state.queue.privilegedBytes + bytes <= policy.summableBytes
    }

    private func makeRoom(for bytes: Int, privileged: Bool, _ access: Access) -> Bool {
        if hasRoom(for: bytes, privileged: privileged, access.value) { return true }
        switch policy.overflow {
        case .dropNewest:
            return false
        case .dropOldest:
            guard privileged || hasRoomBesidePrivileged(for: bytes, access.value) else { return false }
            while !hasRoom(for: bytes, privileged: privileged, access.value), let oldest = access.value.queue.removeLeastMissed() {
                lose(.queueFull, oldest.asLoss, access)
            }
            return true
        case .block(let span):
            if access.value.isHopeless { return false }
            let deadline = LogDeadline.after(span)
            access.value.wantsAttention = true
            access.broadcast()
            while !hasRoom(for: bytes, privileged: privileged, access.value) {
                if access.value.phase != .running || access.value.isPaused { return false }
                if !waitForRoom(until: deadline, access) {
                    access.value.isStuck = true
                    return false
                }
            }
            return access.value.phase == .running
        }
    }

    private func seekThread(_ access: Access) {
        access.value.hasThread = startThread(name) { self.run() }
        if !access.value.hasThread {
            access.value.notes.append("the machine gives no thread; events wait in the queue until it does")
        }
    }

    func flush(by deadline: LogDeadline) throws {
        if let round = try demandFlush(by: deadline) { try awaitFlush(round, by: deadline) }
    }

    /// Asks the thread to flush, without waiting for it.
    /// - Returns: What to wait for; nil where nothing is left to flush.
    func demandFlush(by deadline: LogDeadline) throws -> UInt64? {
        if !lineage.isCurrent { return nil }
        if logbook_nesting_get().registration == token { throw QueueError.calledFromOwnSink }
        return locked { access in
            if access.value.phase == .closed { return nil }
            if !access.value.hasThread { seekThread(access) }
            requestFlush(by: deadline, access)
            access.value.wantsAttention = true
            access.broadcast()
            return access.value.flushRound
        }
    }

    private func requestFlush(by deadline: LogDeadline, _ access: Access) {
        access.value.flushRound += 1
        let new = Flush(target: access.value.queue.latestNumber, round: access.value.flushRound, deadline: deadline)
        if access.value.flush == nil || access.value.flush?.target == new.target {
            access.value.flush.join(new)
        } else {
            access.value.laterFlush.join(new)
        }
    }

    /// - Throws: Why what had come before that round is not safe: it could not be flushed, or not in time, or a shutdown has given it up.
    func awaitFlush(_ round: UInt64, by deadline: LogDeadline) throws {
        try locked { access in
            while access.value.flushesDone < round && access.value.phase != .closed {
                if deadline.hasPassed || !access.wait(until: deadline) {
                    if access.value.flushesDone >= round { break }
                    throw QueueError.deadlinePassed(
                        pending: Int(access.value.ledger.pending), latestFailure: access.value.latestFailure)
                }
            }
            if let failure = access.value.flushFailure, failure.round >= round || failure.isOwed {
                access.value.flushFailure?.isOwed = false
                throw failure.error
            }
            if let abandoned = access.value.abandoned, abandoned.lost > 0, abandoned.rounds?.contains(round) == true {
                throw QueueError.givenUp(count: abandoned.lost)
            }
        }
    }

    /// How long a queue that its owner let go of may go on trying.
    private static let lastTries = Duration.seconds(5)

    /// Takes no more; the thread writes what is queued, flushes and ends. Until then the program's end waits for it. Where the machine
    /// still gives no thread, what is queued is lost, and says so.
    func close() {
        if !lineage.isCurrent { return }
        LeavingQueues.include(self)   // before the thread, which takes it out again, may have ended
        let (closesHere, isClosed) = locked { access in
            if access.value.phase == .running {
                access.value.phase = .closing
                access.value.shutdownDeadline = .after(Self.lastTries)
                requestFlush(by: access.value.shutdownDeadline, access)
            }
            if access.value.phase == .closing, !access.value.hasThread, !access.value.queue.isEmpty {
                access.value.hasThread = startThread(name) { self.run() }
                if !access.value.hasThread { abandonQueue(access) }
            }
            let closesHere = !access.value.hasThread && access.value.phase == .closing
            if closesHere { access.value.phase = .closed }
            access.value.wantsAttention = true
            access.broadcast()
            return (closesHere, access.value.phase == .closed)
        }
        if isClosed { LeavingQueues.remove(self) }
        if closesHere { _ = closeSinks(by: .now) }
    }

    /// The sink is flushed before it is closed: it may be one that makes nothing safe before.
    /// - Throws: What was given up or is still in the sink's hands; or, whenever it is called, why the last of it was not made safe.
    func shutdown(by deadline: LogDeadline) throws {
        if !lineage.isCurrent { return }
        if logbook_nesting_get().registration == token { throw QueueError.calledFromOwnSink }
        try locked { access in
            let isKnown = access.value.abandoned != nil
            if access.value.phase != .closed {
                access.value.shutdownDeadline = deadline
                requestFlush(by: deadline, access)
            }
            if access.value.phase == .running { access.value.phase = .closing }
            if access.value.phase == .closing && !access.value.hasThread { seekThread(access) }
            access.value.wantsAttention = true
            access.broadcast()
            while access.value.phase != .closed {
                if deadline.hasPassed || !access.wait(until: deadline) {
                    if access.value.phase != .closed { abandonQueue(access) }
                    break
                }
            }
            // Who comes when it is known already is told of what the sink still has in its hands.
            if let abandoned = access.value.abandoned, !isKnown || access.value.phase != .closed {
                let pending = isKnown ? Int(access.value.ledger.pending) : abandoned.count
                throw QueueError.deadlinePassed(pending: pending, latestFailure: access.value.latestFailure)
            }
            if let failure = access.value.closeFailure { throw failure }
            if let failure = access.value.flushFailure, failure.round == access.value.flushesDone || failure.isOwed {
                access.value.flushFailure?.isOwed = false
                throw failure.error
            }
        }
    }

    /// The deadline is over: what still waits is lost, and says so. A batch in the sink's hands stays pending until it returns.
    func abandonQueue(_ access: Access) {
        if access.value.abandoned != nil { return }
        let reason = access.value.latestFailure == nil ? DropReason.providerTimeout : .providerError
        let (first, last) = (access.value.flushesBegun + 1, access.value.flushRound)
        access.value.abandoned = Abandoned(
            count: access.value.queue.count + access.value.inFlight, lost: access.value.queue.count,
            rounds: first <= last ? first...last : nil)
        var waiting: [QueueItem] = []
        while let next = access.value.queue.removeFirst(upTo: .max) { waiting.append(next) }
        giveUp(waiting[...], reason, access)
        access.broadcast()
    }

    /// Loses what was in the queue, and says so.
    func giveUp(_ items: ArraySlice<QueueItem>, _ reason: DropReason, _ access: Access) {
        guard let run = items.asLoss else { return }
        lose(reason, run, access)
        access.value.notes.append("\(run.count) events dropped (\(reason))")
    }
}

extension BatchEngine.Flush? {
    fileprivate mutating func join(_ later: BatchEngine.Flush) {
        if self == nil { self = later } else { self?.join(later) }
    }
}
