internal import LogbookCore
internal import LogbookHTTP

/// The working half of a ``Courier``: kept alive by its thread, which ends when the courier is shut down or let go of.
final class CourierEngine: Sendable {
    private enum Phase { case running, stopping, stopped }

    private struct Pause {
        enum Cause { case failure, receiver, misconfiguration }
        let cause: Cause
        /// On the courier's clock.
        var until: UInt64
        let began: UInt64
    }

    private struct Settlement {
        let parcel: Parcel
        /// Entries that the receiver will never take.
        var rejected = 0
        /// Entries that go again.
        var again = 0
        var reason = ""
        /// What was said about each entry, where the receiver did.
        var entries: EntryFates?
        /// The pause that follows, where entries go again; `.some(nil)` leaves its length to us.
        var pause: Duration??
        var areLettersKept = false
        var delivered: Int { parcel.count - rejected - again }
    }

    /// Somebody waits in `deliver`.
    private struct Waiter {
        /// The number of settled entries at which the wait is over; nil until the thread has counted what the source holds.
        var target: UInt64?
        var outcome: Outcome?
    }
    private enum Outcome {
        case complete
        case misconfigured(String)
        case stopped
    }

    private struct State {
        var phase = Phase.running
        var shutdownDeadline = LogDeadline.never
        var hasThread = false
        var thread: UInt64 = 0
        /// The source should be asked for a parcel, once no pause is running.
        var isWanted = false
        /// While the source is told of a fate, and then whoever listens.
        var isSettling = false
        var pause: Pause?
        var failures = 0
        /// Entries that were rejected since one was delivered.
        var rejectionsInARow = 0
        /// All of whose entries were refused, and which was kept once for that.
        var heldParcel: String?
        /// The oldest entry's age where the source does not know it.
        var latestSealed: LogTime?
        var settled: UInt64 = 0
        /// Counts calls of `reconfigured`, so that a refusal of the old token does not stop the new one.
        var configuration: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
        var nextWaiter: UInt64 = 0
        /// The exchange in flight; an answer to any other comes too late.
        var exchange: UInt64 = 0
        var isDelivering = false
        var cancellation: HTTPCancellation?
        var answer: Result<HTTPResponse, HTTPFailure>?
        var latestAnswer: String?
    }
    private typealias Access = Monitor<State>.Access

    private let name: String
    private let source: any ParcelSource
    private let destination: any Destination
    private let transport: any HTTPTransport
    private let policy: DeliveryPolicy
    private let deadLetters: DeadLetterFolder?
    private let clock: LogClock
    private let randomness: LogRandomness
    private let onEvent: (@Sendable (CourierEvent) -> Void)?
    private let state: Monitor<State>
    private let observation: ManualClock.Observation?

    init(
        name: String, source: any ParcelSource, destination: any Destination, transport: any HTTPTransport,
        policy: DeliveryPolicy, deadLetters: DeadLetterFolder?, clock: LogClock, randomness: LogRandomness,
        onEvent: (@Sendable (CourierEvent) -> Void)?
    ) {
        let state = Monitor(State())
        self.name = name
        self.source = source
        self.destination = destination
        self.transport = transport
        self.policy = policy
        self.deadLetters = deadLetters
        self.clock = clock
        self.randomness = randomness
        self.onEvent = onEvent
        self.state = state
        observation = clock.onAdvance { state.withLock { $0.broadcast() } }
    }

    // MARK: The caller's side

    var status: CourierStatus {
        let pending = source.pendingCount
        let oldest = source.oldestPending
        return state.withLock { access in
            let value = access.value
            let since = pending == 0 ? nil : oldest ?? value.latestSealed
            let age = since.map { Duration.nanoseconds(max(0, clock.now().nanoseconds - $0.nanoseconds)) }
            let now = clock.monotonicNanoseconds()
            let state: CourierStatus.State
            var nextAttempt: LogTime?
            if value.phase != .running {
                state = .stopped
            } else if value.isDelivering {
                state = .delivering
            } else if let pause = value.pause {
                state = pause.cause == .misconfiguration ? .misconfigured : .waiting
                let left = pause.until > now ? Int64(clamping: pause.until - now) : 0
                nextAttempt = clock.now().adding(.nanoseconds(left))
            } else {
                state = .idle
            }
            return CourierStatus(
                state: state, pending: pending, oldestAge: age, latestAnswer: value.latestAnswer,
                nextAttempt: nextAttempt)
        }
    }

    var isCurrentThread: Bool {
        let current = LogThread.currentNumber
        return state.withLock { $0.value.thread == current }
    }

    func wake() { state.withLock { want($0) } }

    func reconfigured() {
        state.withLock { access in
            access.value.configuration += 1
            access.value.failures = 0
            access.value.rejectionsInARow = 0
            if let pause = access.value.pause, pause.cause != .receiver { access.value.pause = nil }
            want(access)
        }
    }

    private func want(_ access: Access) {
        guard access.value.phase == .running else { return }
        access.value.isWanted = true
        if !access.value.hasThread {
            access.value.hasThread = LogThread.start(name) { self.run() }
        }
        access.broadcast()
    }

    func deliver(by deadline: LogDeadline) throws(CourierError) {
        if isCurrentThread { throw .calledFromOwnThread }
        if source.pendingCount == 0 {
            // What emptied it may not have been told yet.
            state.withLock { access in
                while access.value.isSettling, !deadline.hasPassed, access.wait(until: deadline) {}
            }
            return
        }
        let outcome = state.withLock { access -> Outcome? in
            if access.value.phase != .running { return .stopped }
            if let pause = access.value.pause, pause.cause == .misconfiguration {
                return .misconfigured(access.value.latestAnswer ?? "")
            }
            access.value.nextWaiter += 1
            let number = access.value.nextWaiter
            access.value.waiters[number] = Waiter()
            defer { access.value.waiters[number] = nil }
            if let pause = access.value.pause, pause.cause == .failure {
                let soonest = pause.began + UInt64(policy.firstPause.wholeNanoseconds)
                access.value.pause?.until = min(pause.until, soonest)
            }
            want(access)
            while true {
                if let outcome = access.value.waiters[number]?.outcome { return outcome }
                if deadline.hasPassed || !access.wait(until: deadline) {
                    return access.value.waiters[number]?.outcome
                }
            }
        }
        switch outcome {
        case .complete: return
        case .misconfigured(let reason): throw .misconfigured(pending: source.pendingCount, reason: reason)
        case .stopped: throw .stopped(pending: source.pendingCount)
        case nil:
            let reason = state.withLock { $0.value.latestAnswer }
            throw .deadlinePassed(pending: source.pendingCount, reason: reason)
        }
    }

    func shutdown(by deadline: LogDeadline) {
        let current = LogThread.currentNumber
        let cancellation = state.withLock { access -> HTTPCancellation? in
            if access.value.phase == .running {
                access.value.phase = access.value.hasThread ? .stopping : .stopped
                access.value.shutdownDeadline = deadline
                finishWaiters(.stopped, access)
            } else {
                access.value.shutdownDeadline = min(deadline, access.value.shutdownDeadline)
            }
            access.broadcast()
            while access.value.phase != .stopped && access.value.thread != current {
                if deadline.hasPassed || !access.wait(until: deadline) { break }
            }
            access.value.exchange += 1  // an answer that comes from here on settles nothing
            access.broadcast()
            defer { access.value.cancellation = nil }
            return access.value.cancellation
        }
        cancellation?.cancel()
    }

    private func finishWaiters(_ outcome: Outcome, _ access: Access) {
        for number in Array(access.value.waiters.keys) where access.value.waiters[number]?.outcome == nil {
            access.value.waiters[number]?.outcome = outcome
        }
        access.broadcast()
    }

    // MARK: The thread's side

    private func run() {
        state.withLock { $0.value.thread = LogThread.currentNumber }
        var unsettled: Settlement?
        while waitForWork(hasSettlement: unsettled != nil) {
            if var settlement = unsettled {
                unsettled = settle(&settlement) ? nil : settlement
                continue
            }
            guard let parcel = nextParcel() else { continue }
            guard var settlement = attempt(parcel) else { continue }
            unsettled = settle(&settlement) ? nil : settlement
        }
        state.withLock { access in
            access.value.phase = .stopped
            access.value.thread = 0
            finishWaiters(.stopped, access)
        }
    }

    /// - Returns: False when the courier stops.
    private func waitForWork(hasSettlement: Bool) -> Bool {
        let start = clock.monotonicNanoseconds()  // read first: to look a little early does no harm
        let due = [policy.interval, source.nextParcelIsDue].compactMap { $0 }.min()
        let lookAgain = due.map { start + UInt64(max(0, $0.wholeNanoseconds)) }
        return state.withLock { access in
            while access.value.phase == .running {
                let now = clock.monotonicNanoseconds()
                if let pause = access.value.pause, now < pause.until {
                    clock.wait(in: access, until: pause.until)
                    continue
                }
                access.value.pause = nil
                if hasSettlement { return true }
                if access.value.isWanted {
                    access.value.isWanted = false
                    return true
                }
                guard let lookAgain else {
                    access.wait()
                    continue
                }
                if now >= lookAgain { return true }
                clock.wait(in: access, until: lookAgain)
            }
            return false
        }
    }

    /// The oldest parcel, or nil when there is none or the source failed. Tells those who wait when nothing is left.
    private func nextParcel() -> Parcel? {
        let uncounted = state.withLock { access in
            access.value.waiters.filter { $0.value.target == nil }.map(\.key)
        }
        let pending = uncounted.isEmpty ? 0 : source.pendingCount
        let present = state.withLock { access in
            let target = access.value.settled + UInt64(pending)
            for number in uncounted { access.value.waiters[number]?.target = target }
            return Array(access.value.waiters.keys)
        }
        do {
            let parcel = try source.nextParcel()
            state.withLock { access in
                access.value.latestSealed = parcel?.sealed
                if parcel != nil {
                    access.value.isWanted = true
                    return
                }
                access.value.failures = 0
                for number in present where access.value.waiters[number]?.outcome == nil {
                    access.value.waiters[number]?.outcome = .complete
                }
                access.broadcast()
            }
            return parcel
        } catch {
            holdBack(because: "the source cannot be read: \(error)")
            return nil
        }
    }

    /// Sends the parcel and weighs the answer.
    /// - Returns: The parcel's fate, or nil when it is not known yet.
    private func attempt(_ parcel: Parcel) -> Settlement? {
        onEvent?(.attempting(parcel: parcel.id))
        let configuration = state.withLock { $0.value.configuration }
        let request: HTTPRequest
        do {
            request = try destination.request(for: parcel)
        } catch {
            refuse(parcel, "\(error)", status: nil, configuration: configuration)
            return nil
        }
        guard let answer = exchange(request) else { return nil }
        switch answer {
        case .success(let response):
            switch destination.verdict(on: response, for: parcel) {
            case .delivered:
                return Settlement(parcel: parcel)
            case .deliveredExcept(let rejected, let reason):
                return Settlement(parcel: parcel, rejected: min(max(rejected, 0), parcel.count), reason: reason)
            case .partly(let fates, let asked):
                let fates = fates.within(parcel.count)
                if fates.again.count == parcel.count {
                    retry(parcel, fates.summary, status: response.status, asked: asked)
                    return nil
                }
                if holdsFirst(parcel, fates, configuration: configuration) { return nil }
                return Settlement(
                    parcel: parcel, rejected: fates.rejected.count, again: fates.again.count, reason: fates.summary,
                    entries: fates, pause: fates.again.isEmpty ? nil : .some(asked))
            case .rejected(let reason), .tooLarge(let reason):
                return split(parcel, reason)
            case .retry(let asked, let reason):
                retry(parcel, reason, status: response.status, asked: asked)
            case .misconfigured(let reason):
                refuse(parcel, reason, status: response.status, configuration: configuration)
            }
        case .failure(.invalidRequest), .failure(.untrusted):
            guard case .failure(let failure) = answer else { return nil }
            refuse(parcel, "\(failure)", status: nil, configuration: configuration)
        case .failure(let failure):
            retry(parcel, "\(failure)", status: nil, asked: nil)
        }
        return nil
    }

    /// - Returns: Nil when the courier stopped before the answer came.
    private func exchange(_ request: HTTPRequest) -> Result<HTTPResponse, HTTPFailure>? {
        let number: UInt64? = state.withLock { access in
            guard access.value.phase == .running else { return nil }   // a shutdown came while the request was made
            access.value.exchange += 1
            access.value.isDelivering = true
            access.value.answer = nil
            return access.value.exchange
        }
        guard let number else { return nil }
        let cancellation = transport.send(request) { [state] result in
            state.withLock { access in
                guard access.value.exchange == number, access.value.answer == nil else { return }
                access.value.answer = result
                access.broadcast()
            }
        }
        let (answer, isGivenUp) = state.withLock { access in
            access.value.cancellation = cancellation
            while access.value.answer == nil && access.value.exchange == number {
                let limit = access.value.phase == .running ? LogDeadline.never : access.value.shutdownDeadline
                if limit.hasPassed { break }
                access.wait(until: limit)
            }
            access.value.exchange += 1  // from here on an answer comes too late
            access.value.isDelivering = false
            access.value.cancellation = nil
            return (access.value.answer, access.value.answer == nil)
        }
        if isGivenUp { cancellation.cancel() }
        return answer
    }

    /// - Returns: False when the source has to be told again.
    private func settle(_ settlement: inout Settlement) -> Bool {
        let parcel = settlement.parcel
        state.withLock { $0.value.isSettling = true }
        defer {
            state.withLock { access in
                access.value.isSettling = false
                access.broadcast()
            }
        }
        do {
            if !settlement.areLettersKept, settlement.rejected > 0 {
                keepLetters(of: settlement)
                settlement.areLettersKept = true
            }
            guard try tellSource(settlement) else {
                retry(parcel, settlement.reason, status: nil, asked: settlement.pause ?? nil)   // all of it
                return true
            }
        } catch {
            holdBack(because: "the source cannot note that \(parcel.id) is done: \(error)")
            return false
        }
        // Before those who wait for a delivery go on: they may ask what became of it.
        if settlement.delivered > 0 { onEvent?(.delivered(parcel: parcel.id, count: settlement.delivered)) }
        if settlement.rejected > 0 {
            LogDiagnostics.report(
                name,
                "the receiver will never take \(settlement.rejected) entries of \(parcel.id): \(settlement.reason)")
            onEvent?(.rejected(parcel: parcel.id, count: settlement.rejected, reason: settlement.reason))
        }
        let refusesAll = state.withLock { access in
            let more = settlement.entries == nil ? min(1, settlement.rejected) : settlement.rejected
            let value = settlement.delivered > 0 ? 0 : access.value.rejectionsInARow + more
            access.value.rejectionsInARow = value
            access.value.failures = 0
            access.value.settled += UInt64(parcel.count - settlement.again)
            access.value.isWanted = true
            access.value.latestAnswer = settlement.rejected + settlement.again == 0 ? nil : settlement.reason
            for (number, waiter) in access.value.waiters where waiter.outcome == nil {
                if let target = waiter.target, access.value.settled >= target {
                    access.value.waiters[number]?.outcome = .complete
                }
            }
            access.broadcast()
            return value >= policy.rejectionsInARow
        }
        if let asked = settlement.pause { retry(parcel, settlement.reason, status: nil, asked: asked) }
        if refusesAll { holdAll(parcel, settlement.reason) }
        return true
    }

    /// - Returns: False when the source cannot take the parcel apart, and all of it has to go again.
    private func tellSource(_ settlement: Settlement) throws -> Bool {
        let parcel = settlement.parcel
        if settlement.rejected == 0 && settlement.again == 0 {
            try source.settle(parcel, as: .delivered)
        } else if settlement.rejected == parcel.count {
            try source.settle(parcel, as: .rejected(settlement.reason))
        } else if let entries = settlement.entries {
            if try source.settle(parcel, entries: entries) { return true }
            if settlement.again > 0 { return false }
            try source.settle(parcel, rejecting: settlement.rejected, because: settlement.reason)
        } else {
            try source.settle(parcel, rejecting: settlement.rejected, because: settlement.reason)
        }
        return true
    }

    /// One letter for the whole parcel, or one for each entry that the receiver named.
    private func keepLetters(of settlement: Settlement) {
        guard let deadLetters else { return }
        let parcel = settlement.parcel
        do throws(SystemError) {
            guard settlement.rejected < parcel.count else {
                let readable = source.excerpt(of: parcel, entries: Set(0..<parcel.count)) ?? parcel
                return try deadLetters.keep(readable, because: settlement.reason, now: clock.now())
            }
            for (place, reason) in (settlement.entries?.rejected ?? [:]).sorted(by: { $0.key < $1.key }) {
                guard let entry = source.excerpt(of: parcel, entries: [place]) else { continue }
                try deadLetters.keep(entry, because: reason, now: clock.now())
            }
        } catch {
            LogDiagnostics.report(name, "cannot keep a dead letter in \(deadLetters.path): \(error)")
        }
    }

    private func split(_ parcel: Parcel, _ reason: String) -> Settlement? {
        do {
            guard parcel.count > 1, try source.split(parcel) else {
                return Settlement(parcel: parcel, rejected: parcel.count, reason: reason)
            }
        } catch {
            holdBack(because: "the source cannot split \(parcel.id): \(error)")
            return nil
        }
        onEvent?(.split(parcel: parcel.id, reason: reason))
        return nil
    }

    // MARK: Pauses

    private func retry(_ parcel: Parcel, _ reason: String, status: Int?, asked: Duration?) {
        let (pause, isFirst) = hold(reason, cause: asked == nil ? .failure : .receiver, asked: asked)
        if isFirst { LogDiagnostics.report(name, "cannot deliver, will try again: \(reason)") }
        onEvent?(
            .willRetry(
                parcel: parcel.id, after: pause, reason: reason, status: status, askedByReceiver: asked != nil))
    }

    private func holdBack(because reason: String) {
        let (_, isFirst) = hold(reason, cause: .failure, asked: nil)
        if isFirst { LogDiagnostics.report(name, reason) }
    }

    private func hold(_ reason: String, cause: Pause.Cause, asked: Duration?) -> (Duration, isFirst: Bool) {
        state.withLock { access in
            access.value.failures += 1
            access.value.latestAnswer = reason
            access.value.isWanted = true
            let pause =
                asked.map(policy.pause(asked:))
                ?? policy.backoff(afterFailures: access.value.failures, fraction: randomness.fraction())
            begin(cause, pause, access)
            return (pause, access.value.failures == 1)
        }
    }

    private func refuse(_ parcel: Parcel, _ reason: String, status: Int?, configuration: UInt64) {
        let stands = state.withLock { access in
            access.value.isWanted = true
            // The token or the address changed while the old one was being refused.
            guard access.value.configuration == configuration else { return false }
            access.value.latestAnswer = reason
            begin(.misconfiguration, policy.misconfiguredPause, access)
            finishWaiters(.misconfigured(reason), access)
            return true
        }
        guard stands else { return }
        LogDiagnostics.report(name, "the receiver refuses us, everything is kept: \(reason)")
        onEvent?(.misconfigured(parcel: parcel.id, reason: reason, status: status))
    }

    /// A parcel of many entries of which the receiver refuses each: the first time it is kept, since the fault may be ours.
    private func holdsFirst(_ parcel: Parcel, _ fates: EntryFates, configuration: UInt64) -> Bool {
        guard fates.rejected.count == parcel.count, parcel.count >= policy.rejectionsInARow else { return false }
        let isFirst = state.withLock { access in
            defer { access.value.heldParcel = parcel.id }
            return access.value.heldParcel != parcel.id
        }
        if isFirst {
            refuse(
                parcel, "it refuses every entry of \(parcel.id): \(fates.summary)", status: nil, configuration: configuration)
        }
        return isFirst
    }

    /// The receiver has refused one entry after the other: rather than lose all, wait until somebody has looked.
    private func holdAll(_ parcel: Parcel, _ reason: String) {
        let text = "it has refused \(policy.rejectionsInARow) entries in a row, and may refuse any; the latest reason: \(reason)"
        let configuration = state.withLock { access in
            access.value.rejectionsInARow = 0
            return access.value.configuration
        }
        refuse(parcel, text, status: nil, configuration: configuration)
    }

    private func begin(_ cause: Pause.Cause, _ span: Duration, _ access: Access) {
        let now = clock.monotonicNanoseconds()
        access.value.pause = Pause(cause: cause, until: now + UInt64(span.wholeNanoseconds), began: now)
    }
}
