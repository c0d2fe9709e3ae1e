// HOT PATH — `push` runs on the caller's thread; everything else here runs in batches.
internal import CLogbookSystem
internal import Synchronization

/// Brings events from the callers to the queued registrations of one service: callers, who know who hears them, push into a ring,
/// and one thread at a time takes them out and hands them on in batches.
///
/// Usually that is the distributor's own thread. Whoever needs to see the effect of what was said before does it himself first.
final class Distributor: Sendable {
    /// The distributor's thread looks at the ring after pauses that double from the first to the longest while nothing is said.
    static let firstPause = Duration.milliseconds(1)
    static let longestPause = Duration.milliseconds(50)
    /// It rests so long after each round while a queue that lets callers wait is full: what lies in the ring need not lie in that queue
    /// as well. Other queues get what is behind that round by so much later.
    static let pressedPause = Duration.microseconds(200)
    /// How long a caller waits for room in a ring that does not move before the event is dropped and counted; longer where a
    /// queue lets callers wait longer. After that nobody waits until the ring has moved.
    static let shortestPatience = Duration.milliseconds(250)
    /// What the objects in the ring hold in memory, by estimate: above this, callers distribute before they go on, and lose what they say
    /// where that was waited for in vain.
    static let maximumHeldBytes = 4 << 20

    private enum ThreadState {
        /// Nobody has a seat yet.
        case unneeded
        /// The machine gave none when it was last asked.
        case missing
        case running
    }

    private struct State {
        var plan = SeatPlan([])
        /// The thread that distributes; 0 when none does.
        var owner: UInt64 = 0
        var thread = ThreadState.unneeded
        /// It was said that the machine gives none.
        var isMissingSaid = false
        var isClosed = false
        /// The thread should look at once.
        var isCalled = false
        var patience = Distributor.shortestPatience
        /// Where the ring stood when a caller gave up.
        var stuckPosition: Int?
        var waitingForRoom = 0
        /// What its thread is to do once the queues have what the ring had up to here.
        var errand: (target: Int, action: @Sendable () -> Void)?
    }

    let lineage = ProcessLineage.current
    let ring = EventRing()
    private let state = Monitor(State())
    /// Whether somebody distributes, for a look without the lock: what it says may be out of date.
    private let isOwned = Atomic<Bool>(false)
    /// How far the queues have what the ring had. The ring's own position is ahead of it while a round is handed on.
    private let handedOn = Atomic<Int>(0)
    /// Whether the thread waits to be called; true as well where there is none.
    private let isParked = Atomic<Bool>(true)
    private let isThreadMissing = Atomic<Bool>(false)
    /// Where the ring stood when a caller, for want of the thread, had waited in vain to hand it out; negative at first.
    private let standstill = Atomic<Int>(-1)
    private let heldBytes = Atomic<Int>(0)
    private let pressure = Pressure()
    /// Belongs to the thread that distributes.
    private let text = MessageText()
    private nonisolated(unsafe) let round: UnsafeMutablePointer<DistributionRound>
    private nonisolated(unsafe) let ticks: UnsafeMutablePointer<TickClock>
    private let clock: LogClock
    private let counts: LogCounts
    private let startThread: LogThread.Start
    /// Whether callers take their time from the processor, and whether they ever did.
    private let countsTicks: Atomic<Bool>, hasTicks: Bool
    /// Of messages by their levels, then of entries.
    private nonisolated(unsafe) let hearings: UnsafeMutablePointer<Atomic<UInt64>>
    private static let levels = LogLevel.allCases.count

    /// - Parameters:
    ///   - clock: Gives the time of what is said.
    ///   - device: The service's.
    ///   - counts: The service's.
    ///   - startThread: Starts its thread.
    init(
        _ clock: LogClock, device: Locked<DeviceFacts> = Locked(.current), counts: LogCounts = LogCounts(),
        startThread: @escaping LogThread.Start = { LogThread.start($0, $1) }
    ) {
        self.clock = clock
        self.counts = counts
        self.startThread = startThread
        hasTicks = clock.isSystem && logbook_ticks_usable()
        countsTicks = Atomic(hasTicks)
        ticks = .allocate(capacity: 1)
        ticks.initialize(to: TickClock())
        round = .allocate(capacity: 1)
        round.initialize(to: DistributionRound(text: text, device: device))
        hearings = .allocate(capacity: 2 * Self.levels)
        for place in 0..<2 * Self.levels { (hearings + place).initialize(to: Atomic(Hearing.undecided.bits)) }
    }

    deinit {
        ring.drain(upTo: .max) {
            _ = $0.assumingMemoryBound(to: EventRecord.self).pointee.takeObject()
            return true
        }
        hearings.deallocate()
        round.deinitialize(count: 1)
        round.deallocate()
        ticks.deallocate()
    }

    // MARK: The audience

    /// Who hears a plain message of the level.
    @inline(__always)
    func hearing(_ level: LogLevel) -> Hearing { Hearing(bits: word(level, isEntry: false).pointee.load(ordering: .relaxed)) }

    /// Who hears an entry of the level.
    @inline(__always)
    func hearing(ofEntries level: LogLevel) -> Hearing { Hearing(bits: word(level, isEntry: true).pointee.load(ordering: .relaxed)) }

    /// Callers that have not reserved their cells yet find that somebody else hears them, and whoever hands out what is there afterwards
    /// finds the cells of all others.
    func set(_ hearing: Hearing, for level: LogLevel, isEntry: Bool) {
        word(level, isEntry: isEntry).pointee.store(hearing.bits, ordering: .sequentiallyConsistent)
    }

    /// Whether the same hear it as before its cells were reserved. Only then the record may name them: who has left since has no seat any
    /// more when it is handed out, and who has come may have none yet.
    @inline(__always)
    private func isStill(_ hearing: Hearing, _ level: LogLevel, isEntry: Bool) -> Bool {
        _fastPath(word(level, isEntry: isEntry).pointee.load(ordering: .sequentiallyConsistent) == hearing.bits)
    }

    @inline(__always)
    private func word(_ level: LogLevel, isEntry: Bool) -> UnsafeMutablePointer<Atomic<UInt64>> {
        hearings + ((isEntry ? Self.levels : 0) + Int(level.rawValue))
    }

    /// Who sits where and may see what, from the next round on.
    func set(_ seats: [SeatPlan.Seat?], _ privacies: [SeatPlan.Privacy]) {
        let plan = SeatPlan(seats, privacies)
        let earlier = state.withLock { access in
            if access.value.isClosed { return plan }
            let earlier = access.value.plan
            access.value.plan = plan
            access.value.patience = seats.reduce(Self.shortestPatience) { longest, seat in
                guard case .block(let span)? = seat?.registration.overflow else { return longest }
                return max(longest, span)
            }
            needThread(access)
            return earlier
        }
        withExtendedLifetime(earlier) {}   // what it alone held is let go here, not under the lock
    }

    private static let threadName = "logbook-events"

    private func needThread(_ access: Monitor<State>.Access) {
        if access.value.thread == .running || access.value.isClosed { return }
        access.value.thread = startThread(Self.threadName) { self.run() } ? .running : .missing
        isThreadMissing.store(access.value.thread == .missing, ordering: .relaxed)
    }

    /// Asks the machine again for the thread that it did not give, and says once that there is none. Not to be called under a lock: the
    /// diagnostics' handler is foreign code.
    func seekMissingThread() {
        guard isThreadMissing.load(ordering: .relaxed) else { return }
        let isNews = state.withLock { access in
            needThread(access)
            defer { access.value.isMissingSaid = true }
            return access.value.thread == .missing && !access.value.isMissingSaid
        }
        guard isNews else { return }
        LogDiagnostics.report(
            Self.threadName, "the machine gives no thread; errors are handed out by those who say them, the rest by whoever finds it crowded or flushes")
    }

    /// The service is gone: hands out what is left, and lets go of the queues; the thread ends.
    func close() {
        let limit = LogDeadline.seconds(1), thread = LogThread.currentNumber
        distribute(by: limit)
        let earlier = state.withLock { access in
            let earlier = access.value.plan
            access.value.plan = SeatPlan([])
            access.value.isClosed = true
            access.broadcast()
            // Whoever has handed out the last round may still have the plan in hand, and would let go of the queues later than this.
            while access.value.owner != 0, access.value.owner != thread, access.wait(until: limit) {}
            return earlier
        }
        withExtendedLifetime(earlier) {}
    }

    // MARK: The caller's side

    /// The time of what is said now.
    @inline(__always)
    var now: RecordTime {
        _fastPath(countsTicks.load(ordering: .relaxed)) ? RecordTime(ticks: logbook_ticks()) : RecordTime(clock.now())
    }

    /// Takes a message about which a record says everything, or loses and counts it.
    /// - Parameters:
    ///   - words: Of the pieces.
    ///   - memberWords: Of the metadata.
    ///   - mayRelieve: Whether the caller may hand out a round of a crowded ring, which takes memory: not where a signal handler may be it,
    ///     as long as the ring has room.
    ///   - expected: Who hears it, as the caller has seen. Others may hear it by the time that there are cells for it.
    ///   - sequence: Asked for once it is taken or lost.
    /// - Returns: False where the levels alone do not decide any more who hears it: nothing was said.
    @inline(__always)
    func push(
        _ pieces: LogMessage.Pieces, words: Int, _ metadata: LogMetadata, memberWords: Int, mayRelieve: Bool, level: LogLevel,
        hearing expected: Hearing, time: RecordTime, sequence: @autoclosure () -> UInt64, thread: UInt64, file: UInt64, function: UInt64,
        line: UInt32
    ) -> Bool {
        if _slowPath(pressure.isOn) { awaitRoom(expected, isPrivileged: level >= .error) }
        let bytes = EventRecord.bytes &+ (words &+ memberWords) &* 8
        let memory: UnsafeMutableRawPointer, isCrowded: Bool, hearing: Hearing
        switch reserve(bytes: bytes, for: expected, level, isEntry: false) {
        case .cells(let cells, let areCrowded, let heard): (memory, isCrowded, hearing) = (cells, areCrowded, heard)
        case .undecided: return false
        case .full:
            lose(expected, sequence(), level, isEntry: false)
            return true
        }
        let body = EventRecord.writeHeader(
            to: memory, hearing, time, sequence(), thread, file, function,
            EventRecord.place(line: line, messageWords: words, members: metadata.count))
        switch pieces {
        case .words(let source):
            // A record lies in whole cells, a message in as many words.
            if let start = source.baseAddress { copyWords(source.count, from: start, to: body) }
        case .word(let word): body.pointee = word
        case .text(let text):
            body.pointee = MessageWord.make(.text, UInt64(truncatingIfNeeded: text.count))
            if let start = text.baseAddress { UnsafeMutableRawPointer(body + 1).copyMemory(from: start, byteCount: text.count) }
        }
        if memberWords > 0 {
            let end = MemberWords.write(metadata, to: body + words)
            precondition(end == body + words + memberWords)   // others' records lie behind
        }
        ring.commit(memory, mark: EventRecord.mark(bytes: bytes, level: level) | time.mark)
        if _slowPath(isCrowded || level >= .error) {
            if isCrowded, mayRelieve { relieve() }
            if !mayRelieve || level >= .error { call() }
        }
        return true
    }

    /// Takes the pieces of a message without metadata, or loses and counts it: the everyday case of the other.
    /// - Parameters:
    ///   - words: A record carries them; can be read up to the next multiple of eight.
    ///   - sequence: Asked for, like what follows it, once there is a record to store it in.
    @inline(__always)
    func push(
        _ words: UnsafeBufferPointer<UInt64>, level: LogLevel, hearing expected: Hearing, time: RecordTime,
        sequence: @autoclosure () -> UInt64, thread: @autoclosure () -> UInt64, file: @autoclosure () -> UInt64,
        function: @autoclosure () -> UInt64, line: @autoclosure () -> UInt32
    ) -> Bool {
        if _slowPath(pressure.isOn) { awaitRoom(expected, isPrivileged: level >= .error) }
        let bytes = EventRecord.bytes &+ words.count &* 8
        let memory: UnsafeMutableRawPointer, isCrowded: Bool, hearing: Hearing
        switch reserve(bytes: bytes, for: expected, level, isEntry: false) {
        case .cells(let cells, let areCrowded, let heard): (memory, isCrowded, hearing) = (cells, areCrowded, heard)
        case .undecided: return false
        case .full:
            lose(expected, sequence(), level, isEntry: false)
            return true
        }
        let body = EventRecord.writeHeader(
            to: memory, hearing, time, sequence(), thread(), file(), function(),
            EventRecord.place(line: line(), messageWords: words.count, members: 0))
        if let start = words.baseAddress { copyWords(words.count, from: start, to: body) }
        ring.commit(memory, mark: EventRecord.mark(bytes: bytes, level: level) | time.mark)
        if _slowPath(isCrowded || level >= .error) {
            if isCrowded { relieve() }
            if level >= .error { call() }
        }
        return true
    }

    /// Takes a transaction's entry, or loses and counts it.
    /// - Parameter id: The transaction's, of ``EntryRecord/maximumIDBytes`` at most.
    /// - Returns: As of a message.
    @inline(__always)
    func push(
        _ entry: EntryRecord, id: UnsafeBufferPointer<UInt8>, level: LogLevel, hearing expected: Hearing, time: RecordTime,
        sequence: @autoclosure () -> UInt64, thread: UInt64, file: UInt64, function: UInt64, line: UInt32
    ) -> Bool {
        if _slowPath(pressure.isOn) { awaitRoom(expected, isPrivileged: true) }
        let bytes = EventRecord.bytes &+ EntryRecord.bytes(idBytes: id.count)
        let memory: UnsafeMutableRawPointer, isCrowded: Bool, hearing: Hearing
        switch reserve(bytes: bytes, for: expected, level, isEntry: true) {
        case .cells(let cells, let areCrowded, let heard): (memory, isCrowded, hearing) = (cells, areCrowded, heard)
        case .undecided: return false
        case .full:
            lose(expected, sequence(), level, isEntry: true)
            return true
        }
        let body = EventRecord.writeHeader(
            to: memory, hearing, time, sequence(), thread, file, function, EventRecord.place(line: line, messageWords: 0, members: 0))
        entry.write(id, to: body)
        ring.commit(memory, mark: EventRecord.mark(bytes: bytes, level: level, isEntry: true) | time.mark)
        if _slowPath(isCrowded) { relieve() }
        call()   // as for all that is privileged
        return true
    }

    private enum Reservation {
        case cells(UnsafeMutableRawPointer, isCrowded: Bool, Hearing)
        case full
        /// The levels alone do not decide any more.
        case undecided
    }

    /// Takes cells for a record, and who hears it: as before they were reserved, so that the record may name them.
    @inline(__always)
    private func reserve(bytes: Int, for hearing: Hearing, _ level: LogLevel, isEntry: Bool) -> Reservation {
        if let (memory, isCrowded) = ring.reserveAndLook(bytes: bytes) {
            if isStill(hearing, level, isEntry: isEntry) { return .cells(memory, isCrowded: isCrowded, hearing) }
            ring.abandon(memory, bytes: bytes)
        }
        return reserveSlowly(bytes: bytes, level, isEntry: isEntry)
    }

    /// The same of a ring that is full, or where somebody has come or left meanwhile. As often as that happens it begins anew.
    @inline(never)
    private func reserveSlowly(bytes: Int, _ level: LogLevel, isEntry: Bool) -> Reservation {
        while true {
            let hearing = Hearing(bits: word(level, isEntry: isEntry).pointee.load(ordering: .relaxed))
            guard hearing.isDecided else { return .undecided }
            guard let (memory, isCrowded) = ring.reserveAndLook(bytes: bytes) ?? reserveWhenThereIsRoom(bytes: bytes).map({ ($0, true) })
            else { return .full }
            if isStill(hearing, level, isEntry: isEntry) { return .cells(memory, isCrowded: isCrowded, hearing) }
            ring.abandon(memory, bytes: bytes)
        }
    }

    /// Whether who says something may have to wait for a queue that is full, or for room here.
    var mayHoldUp: Bool {
        pressure.isOn || ring.usedCells > EventRing.crowdedCells || heldBytes.load(ordering: .relaxed) > Self.maximumHeldBytes
    }

    /// Takes an event with everything that belongs to it, or loses and counts it.
    func push(_ spoken: SpokenEvent) {
        if pressure.isOn { awaitRoom(spoken) }
        put(spoken, into: ring.reserve(bytes: EventRecord.bytes) ?? reserveWhenThereIsRoom(bytes: EventRecord.bytes))
    }

    /// The same without waiting for room: where the ring is full, this thread hands out what is in it, if nobody else does.
    func pushWithoutWaiting(_ spoken: SpokenEvent) {
        var memory = ring.reserve(bytes: EventRecord.bytes)
        if memory == nil {
            distribute(by: .now)
            memory = ring.reserve(bytes: EventRecord.bytes)
        }
        put(spoken, into: memory, mayWait: false)
    }

    /// - Parameters:
    ///   - memory: Nil where the ring has no room: then the event is lost and counted.
    ///   - mayWait: Whether the caller may wait for a ring that holds much and does not move.
    @inline(__always)
    private func put(_ spoken: SpokenEvent, into memory: UnsafeMutableRawPointer?, mayWait: Bool = true) {
        guard let memory else { return lose(spoken) }
        let held = heldBytes.add(spoken.estimatedBytes, ordering: .relaxed).newValue
        if _slowPath(held > Self.maximumHeldBytes) {
            guard putBesideMuch(spoken, into: memory, mayWait: mayWait) else { return }
        } else {
            commit(spoken, to: memory)
        }
        if spoken.event.isPrivileged || ring.usedCells > EventRing.crowdedCells { call(mayWait: mayWait) }
    }

    @inline(__always)
    private func commit(_ spoken: SpokenEvent, to memory: UnsafeMutableRawPointer) {
        let header = memory.assumingMemoryBound(to: UInt64.self)
        header[1] = Hearing.nobody.bits
        header[5] = UInt64(UInt(bitPattern: Unmanaged.passRetained(spoken).toOpaque()))
        ring.commitReference(memory, mark: EventRecord.mark(bytes: EventRecord.bytes, level: spoken.event.level, isObject: true))
    }

    /// Puts an event beside objects that hold much, and hands out what is there before the caller goes on. Where the ring stands still, one
    /// caller's patience is enough: what is said after that is lost and counted until it moves.
    /// - Returns: Whether the ring has the event.
    @inline(never)
    private func putBesideMuch(_ spoken: SpokenEvent, into memory: UnsafeMutableRawPointer, mayWait: Bool) -> Bool {
        let before = ring.position
        let (isStuck, patience) = state.withLock { ($0.value.stuckPosition == before, $0.value.patience) }
        if isStuck {
            distribute(by: .now)
            if ring.position == before {
                heldBytes.subtract(spoken.estimatedBytes, ordering: .relaxed)
                ring.abandon(memory, bytes: EventRecord.bytes)
                lose(spoken)
                return false
            }
        }
        commit(spoken, to: memory)
        let position = ring.position, limit = mayWait ? LogDeadline.after(patience) : .now
        if !distribute(by: limit), mayWait, limit.hasPassed {
            state.withLock { access in
                if ring.position == position { access.value.stuckPosition = position }
            }
        }
        return true
    }

    /// One call's wait for the queues that are full: not for each of them anew.
    private struct Waiting {
        let isPrivileged: Bool
        /// When the first of them was asked for room.
        private var start: UInt64?
        /// What takes no longer is no wait, in nanoseconds.
        private static let shortest: Int64 = 1_000_000

        init(isPrivileged: Bool) { self.isPrivileged = isPrivileged }

        /// Waits for a registration's queue, unless the call has waited for others as long as its policy says. That queue then takes the
        /// event beyond its capacity; whether it moves, a later call finds out.
        mutating func awaitRoom(of registration: LogRegistration) {
            guard case .block(let span)? = registration.overflow else { return }
            let now = logbook_monotonic_nanoseconds()
            if let start, now - start >= UInt64(max(Self.shortest, span.wholeNanoseconds)) { return }
            if start == nil { start = now }
            registration.awaitRoom(isPrivileged: isPrivileged)
        }
    }

    @inline(never)
    private func awaitRoom(_ spoken: SpokenEvent) {
        var waiting = Waiting(isPrivileged: spoken.event.isPrivileged)
        for hearer in spoken.hearers { waiting.awaitRoom(of: hearer) }
    }

    /// Who leaves meanwhile does not hear it any more.
    @inline(never)
    private func awaitRoom(_ hearing: Hearing, isPrivileged: Bool) {
        // Without an array of them: a signal handler that logs a literal comes here, too.
        let plan = state.withLock { $0.value.plan }
        var waiting = Waiting(isPrivileged: isPrivileged)
        for place in plan.seats.indices where hearing.includes(seat: place) {
            guard let seat = plan.seats[place], hearing.isAfter(seat.since) else { continue }
            waiting.awaitRoom(of: seat.registration)
        }
    }

    @inline(never)
    private func lose(_ spoken: SpokenEvent) {
        for hearer in spoken.hearers { hearer.lose(.queueFull, LossRun(spoken.event)) }
        if spoken.placement?.isDone() != false { counts.place() }
    }

    /// - Parameter expected: Who heard it when it was said; used where more than the level decides by now.
    @inline(never)
    private func lose(_ expected: Hearing, _ sequence: UInt64, _ level: LogLevel, isEntry: Bool) {
        // Whoever leaves has a word without him made before he has no seat: all that it names now have one.
        let (plan, latest) = state.withLock { access in
            (access.value.plan, Hearing(bits: word(level, isEntry: isEntry).pointee.load(ordering: .sequentiallyConsistent)))
        }
        let hearing = latest.isDecided ? latest : expected
        let run = LossRun(sequence: sequence, time: clock.now())
        for (place, seat) in plan.seats.enumerated() {
            guard let seat, hearing.isAfter(seat.since) else { continue }
            if hearing.includes(seat: place) {
                seat.registration.lose(.queueFull, run)
            } else {
                seat.registration.passOverPlain(count: run.count)
            }
        }
        counts.place()
    }

    /// Hands out one round of a crowded ring, if nobody is at it: the distributor's thread, once it were woken, would have to wait for a
    /// processor, and soon the caller for it.
    @inline(never)
    private func relieve() {
        // As long as the ring is crowded every caller comes here: they would have the lock from each other, and from who distributes.
        if isOwned.load(ordering: .relaxed) { return }
        let thread = LogThread.currentNumber
        let isFree = state.withLock { access in
            guard access.value.owner == 0, !access.value.isClosed else { return false }
            own(access, thread)
            return true
        }
        guard isFree else { return }
        handOut(upTo: ring.end, onlyOnce: true)
        release()
        seekMissingThread()
    }

    /// Wakes the thread when it is parked: this costs microseconds. Where the machine has given none, the caller does its work; where the
    /// ring stands still, one caller waits for it, and no other until it has moved.
    /// - Parameter mayWait: Whether the caller may be that one.
    @inline(never)
    private func call(mayWait: Bool = true) {
        guard isParked.load(ordering: .relaxed), isParked.exchange(false, ordering: .relaxed) else { return }
        state.withLock { access in
            access.value.isCalled = true
            access.broadcast()
        }
        guard isThreadMissing.load(ordering: .relaxed) else { return }
        isParked.store(true, ordering: .relaxed)
        let position = ring.position
        guard mayWait, standstill.load(ordering: .relaxed) != position else {
            distribute(by: .now)
            return
        }
        let limit = LogDeadline.after(Self.shortestPatience)
        if !distribute(by: limit), limit.hasPassed, ring.position == position { standstill.store(position, ordering: .relaxed) }
    }

    @inline(never)
    private func reserveWhenThereIsRoom(bytes: Int) -> UnsafeMutableRawPointer? {
        let thread = LogThread.currentNumber
        /// Where the ring stands still, until when its thread is given time to come, and until when anybody is; and whether this one has
        /// found nothing there that could be handed out.
        var still: (position: Int, thread: LogDeadline, anybody: LogDeadline, isTried: Bool)?, looks = 0
        while true {
            if let memory = ring.reserve(bytes: bytes) { return memory }
            call(mayWait: false)   // it waits here
            enum Step { case again, distribute, giveUp }
            let step: Step = state.withLock { access in
                // Somebody whom the distribution itself reports to has logged: nobody else can make room.
                if access.value.owner == thread || access.value.stuckPosition == ring.position { return .giveUp }
                if still?.position != ring.position {
                    still = (ring.position, .after(Self.firstPause), .after(access.value.patience), false)
                    looks = 0
                }
                let isAlone = access.value.owner == 0
                if isAlone, still!.isTried, still!.anybody.hasPassed {   // what is first there was begun by somebody who does not end it
                    access.value.stuckPosition = still!.position
                    return .giveUp
                }
                // Nobody is at it, and the distributor's thread may have to wait for a processor.
                if isAlone, access.value.thread != .running || still!.thread.hasPassed { return .distribute }
                access.value.waitingForRoom += 1
                access.wait(until: isAlone ? still!.thread : still!.anybody)
                access.value.waitingForRoom -= 1
                guard !isAlone, still!.anybody.hasPassed, ring.position == still!.position else { return .again }
                access.value.stuckPosition = still!.position
                return .giveUp
            }
            switch step {
            case .again: continue
            case .distribute:
                distribute(by: .now)
                still?.isTried = true
                awaitOthers(&looks, by: still?.anybody ?? .now)
            case .giveUp: return ring.reserve(bytes: bytes)
            }
        }
    }

    // MARK: Distribution

    /// Hands out everything that was said before the call. Does nothing on a thread that is distributing already, nor in a forked
    /// child, and gives up at the deadline.
    /// - Returns: Whether all of it is handed out.
    @discardableResult
    func distribute(by deadline: LogDeadline) -> Bool {
        guard lineage.isCurrent else { return false }
        seekMissingThread()
        let target = ring.end
        // A signal handler on this thread could neither hand out nor wait for it.
        Inside.begin()
        defer { Inside.end() }
        if handedOn.load(ordering: .acquiring) >= target { return true }
        switch acquire(unlessHandedOn: target, by: deadline) {
        case .mine: break
        case .notNeeded: return true
        case .notHad: return false
        }
        defer { release() }
        var looks = 0
        while true {
            let before = ring.position
            handOut(upTo: target)
            if ring.position >= target { return true }
            if deadline.hasPassed { return false }
            if ring.position > before { looks = 0 }
            awaitOthers(&looks, by: deadline)
        }
    }

    /// Gives way to a caller that has not finished its record. That takes it nanoseconds once it runs; one that does not run is not spun for.
    private func awaitOthers(_ looks: inout Int, by deadline: LogDeadline) {
        looks += 1
        if looks <= Self.looksWithoutPause { return LogThread.yield() }
        state.withLock { access in _ = access.wait(until: min(deadline, .after(Self.firstPause))) }
    }
    private static let looksWithoutPause = 16

    /// Has its thread do something, under no lock, once what is in the ring now is handed out. Of several things only the latest is done.
    func onceHandedOut(_ action: @escaping @Sendable () -> Void) {
        let target = ring.end
        state.withLock { $0.value.errand = (target, action) }
    }

    private enum Turn { case mine, notNeeded, notHad }

    /// Waits until nobody else distributes, or what was wanted is handed on: callers that relieve the ring may always be first.
    private func acquire(unlessHandedOn target: Int, by deadline: LogDeadline) -> Turn {
        let thread = LogThread.currentNumber
        return state.withLock { access in
            while access.value.owner != 0 {
                if access.value.owner == thread { return .notHad }
                let isInTime = access.wait(until: deadline)
                if handedOn.load(ordering: .acquiring) >= target { return .notNeeded }
                if !isInTime { return .notHad }
            }
            own(access, thread)
            return .mine
        }
    }

    private func release() {
        state.withLock { access in
            own(access, 0)
            access.broadcast()
        }
    }

    private func own(_ access: Monitor<State>.Access, _ thread: UInt64) {
        access.value.owner = thread
        isOwned.store(thread != 0, ordering: .relaxed)
    }

    /// - Parameters:
    ///   - restsUnderPressure: Whether to leave the rest for later once a queue that lets callers wait is full.
    ///   - onlyOnce: Whether to leave the rest for later after one round.
    private func handOut(upTo target: Int, restsUnderPressure: Bool = false, onlyOnce: Bool = false) {
        while true {
            round.pointee.begin(state.withLock { $0.value.plan })
            if hasTicks, !ticks.pointee.look() { countsTicks.store(false, ordering: .relaxed) }
            let before = ring.position
            ring.drain(upTo: target) { memory in
                if EventRecord.countsTicks(memory.load(as: UInt64.self)) { EventRecord.setTime(of: memory, by: &ticks.pointee) }
                return round.pointee.add(memory)
            }
            counts.place(round.pointee.handOn(under: pressure))
            handedOn.store(ring.position, ordering: .releasing)
            if round.pointee.heldBytes > 0 { heldBytes.subtract(round.pointee.heldBytes, ordering: .relaxed) }
            let isLast = onlyOnce || ring.position == before || ring.position >= target || restsUnderPressure && pressure.isOn
            state.withLock { access in
                if ring.position != before { access.value.stuckPosition = nil }
                // To be woken for every bit of room would take longer than to fill it.
                let isWorthIt = isLast || ring.usedCells <= EventRing.crowdedCells
                if access.value.waitingForRoom > 0, isWorthIt { access.broadcast() }
            }
            if isLast { return text.trim() }
        }
    }

    private func run() {
        var pause = Self.firstPause
        var populated = 0
        while true {
            populated = ring.populate(from: populated)
            let before = ring.position
            let end = ring.end
            if end > before, case .mine = acquire(unlessHandedOn: end, by: .never) {
                handOut(upTo: ring.end, restsUnderPressure: true)
                release()
            }
            pause = ring.position == before ? min(pause * 2, Self.longestPause) : Self.firstPause
            let rests = pressure.isOn && ring.position > before
            var errand: (@Sendable () -> Void)?
            let goesOn = state.withLock { access in
                if access.value.isClosed { return false }
                if let next = access.value.errand, handedOn.load(ordering: .acquiring) >= next.target {
                    access.value.errand = nil
                    errand = next.action
                    return true
                }
                if rests {   // not parked: a call cannot hurry it
                    access.wait(until: .after(Self.pressedPause))
                } else if !access.value.isCalled {
                    isParked.store(true, ordering: .relaxed)
                    access.wait(until: .after(pause))
                    isParked.store(false, ordering: .relaxed)
                }
                access.value.isCalled = false
                return true
            }
            if !goesOn { return }
            errand?()
        }
    }
}
