internal import LogbookCore
internal import LogbookHTTP
internal import Synchronization

/// The working half of a ``Courier``: kept alive by its thread, which ends when the courier is shut down or let go of.
final class CourierEngine: Sendable {
    enum Phase { case running, stopping, stopped }

    struct Pause {
        enum Cause {
            case failure, receiver, misconfiguration
            /// What was set anew waits, because it is not the first that is refused.
            case reconfiguration
        }
        let cause: Cause
        /// On the courier's clock.
        var until: UInt64
        let began: UInt64
        /// Until when the receiver wants to be left alone, whatever else the pause is for.
        var askedUntil: UInt64 = 0
    }

    /// Tokens and addresses in a row that were refused, since something was delivered.
    struct Refused {
        var count = 0
        /// The latest of them, by the count of `reconfigured`.
        var latest: UInt64?
        /// On the courier's clock: until then the next one waits.
        var nextDue: UInt64 = 0
    }

    /// The conditions do not hold.
    struct Obstacle {
        /// In words.
        let reason: String
        /// On the courier's clock: when they are asked again.
        var until: UInt64
    }

    /// A parcel on its way.
    struct Flight {
        let number: UInt64
        let parcel: Parcel
        /// What made its request, and judges the answer.
        let destination: any Destination
        let configuration: UInt64
        /// Pauses that had begun when it was sent: a failure of one that was on its way already is no news.
        let pauses: UInt64
        var cancellation: HTTPCancellation?
        var answer: Result<HTTPResponse, HTTPFailure>?
        /// The receiver has read the parcel and is asked whether it has kept it.
        var asking: Asking?
        /// What its request says that no reason may repeat.
        var secrets: [String] = []
    }

    struct Asking {
        var inquiry: DeliveryInquiry
        /// On the courier's clock: when the next question is due; never while one is on its way.
        var due: UInt64
        /// On the courier's clock: from when on a "not yet" has the parcel sent again.
        let limit: UInt64
    }

    struct Settlement {
        let flight: Flight
        var parcel: Parcel { flight.parcel }
        /// Entries that the receiver will never take.
        var rejected = 0
        /// Entries that go again.
        var again = 0
        var reason = ""
        /// What was said about each entry, where the receiver did.
        var entries: EntryFates?
        /// How many refusals in a row this makes, where nothing was delivered: a parcel that is refused as a whole counts as one entry.
        var refusals = 0
        /// The pause that follows, where entries go again; `.some(nil)` leaves its length to us.
        var pause: Duration??
        var areLettersKept = false
        /// The source could not note it the first time.
        var isLate = false
        var delivered: Int { parcel.count - rejected - again }
    }

    struct HeldParcel {
        /// On the courier's clock.
        let since: UInt64
        let configuration: UInt64
    }

    /// Somebody waits in `deliver`.
    struct Waiter {
        /// Entries to wait for that are not on their way: those of the next flights, as the oldest go first. What comes in front of them is
        /// added. Nil until the thread has counted what the source holds.
        var rest: Int?
        var flights: Set<UInt64> = []
        var outcome: Outcome?
    }
    private enum Work {
        case send
        case prepare
        case weigh(Flight, Result<HTTPResponse, HTTPFailure>)
        case ask(Flight, HTTPRequest)
        case settleAgain
        /// While it ends.
        case settleAtLast
        case letGo
        case stop
    }
    enum Outcome {
        case complete
        case misconfigured(String)
        case heldBack(String)
        case stopped
    }

    /// The waiter that nobody is: what it waits for goes whatever the conditions are. The others are counted from 1.
    static let urgent: UInt64 = 0

    struct State {
        var phase = Phase.running
        var shutdownDeadline = LogDeadline.never
        var hasThread = false
        var thread: UInt64 = 0
        /// The source should be asked for a parcel, once no pause is running.
        var isWanted = false
        /// While an answer is looked at whose parcel is no flight just then.
        var isWeighing = false
        /// While the source is told of a fate, and then whoever listens.
        var isSettling = false
        var pause: Pause?
        /// How many have begun.
        var pauses: UInt64 = 0
        /// No parcel has been settled that was sent since the latest pause: one at a time tries whether the receiver is back.
        var isTrying = false
        /// On the courier's clock: since when nothing goes by itself, because somebody said so.
        var pausedSince: UInt64?
        /// The source was asked for a parcel, and may hold on to what it was made of.
        var hasAsked = false
        var obstacle: Obstacle?
        /// On the courier's clock: since when conditions hold back whatever comes; a pause that somebody asked for does not count.
        var heldBackSince: UInt64?
        /// On the courier's clock: until then conditions that held when they were asked are not asked again.
        var conditionsHoldUntil: UInt64 = 0
        var failures = 0
        /// Entries that were rejected since one was delivered, but for those that were for their time alone, or with a last word.
        var rejectionsInARow = 0
        /// All of whose entries were refused, and which are kept for that, by their ids.
        var heldParcels: [String: HeldParcel] = [:]
        /// The oldest entry's age where the source does not know it.
        var latestSealed: LogTime?
        /// Counts calls of `reconfigured`, so that a refusal of the old token does not stop the new one.
        var configuration: UInt64 = 0
        /// The first of them that was for the receiver of today.
        var receiversFirst: UInt64 = 0
        var refused = Refused()
        var waiters: [UInt64: Waiter] = [:]
        var nextWaiter: UInt64 = 0
        /// By number, so by age; an answer to any other comes too late.
        var flights: [UInt64: Flight] = [:]
        /// When the source was last asked, by the clock's count.
        var latestLook: UInt64
        var latestFlight: UInt64 = 0
        /// The flight that was the latest when the source was asked for what comes behind it.
        var preparedBehind: UInt64 = 0
        var latestAnswer: String?
    }
    typealias Access = Monitor<State>.Access

    let name: String
    let source: any ParcelSource
    /// The source, where it gives several parcels at once.
    private let concurrentSource: (any ConcurrentParcelSource)?
    let destination: any Destination
    private let transport: any HTTPTransport
    let policy: DeliveryPolicy
    let conditions: DeliveryConditions
    let deadLetters: DeadLetterFolder?
    let clock: LogClock
    let randomness: LogRandomness
    let onEvent: (@Sendable (CourierEvent) -> Void)?
    let state: Monitor<State>
    private let startThread: LogThread.Start
    /// Whether the machine had no thread to give when one was needed.
    private let lacksThread = Atomic(false)
    private static let noThread = "the machine gives no thread to deliver on"
    private let observation: ManualClock.Observation?

    init(
        name: String, source: any ParcelSource, destination: any Destination, transport: any HTTPTransport,
        policy: DeliveryPolicy, conditions: DeliveryConditions, deadLetters: DeadLetterFolder?, clock: LogClock,
        randomness: LogRandomness, onEvent: (@Sendable (CourierEvent) -> Void)?,
        startThread: @escaping LogThread.Start
    ) {
        let state = Monitor(State(latestLook: clock.monotonicNanoseconds()))
        self.name = name
        self.source = source
        concurrentSource = source as? any ConcurrentParcelSource
        self.destination = destination
        self.transport = transport
        self.policy = policy
        self.conditions = conditions
        self.deadLetters = deadLetters
        self.clock = clock
        self.randomness = randomness
        self.onEvent = onEvent
        self.startThread = startThread
        self.state = state
        observation = clock.onAdvance { state.withLock { $0.broadcast() } }
    }

    // MARK: The caller's side

    var status: CourierStatus {
        startMissingThread()
        let pending = source.pendingCount
        let oldest = source.oldestPending
        return state.withLock { access in
            let value = access.value
            let sealed = value.flights.values.map(\.parcel.sealed).min() ?? value.latestSealed
            let since = pending == 0 ? nil : oldest ?? sealed
            let age = since.map { clock.now().span(since: $0) }
            let now = clock.monotonicNanoseconds()
            let state: CourierStatus.State
            var until: UInt64?
            var answer = value.latestAnswer
            if value.phase != .running {
                state = .stopped
            } else if let pause = value.pause {   // also while parcels are on their way that started before it
                state = pause.cause == .misconfiguration ? .misconfigured : .waiting
                until = pause.until
            } else if let obstacle = value.obstacle {   // likewise
                state = .heldBack
                until = obstacle.until
                answer = obstacle.reason
            } else {
                state = value.flights.isEmpty && !value.isWeighing ? .idle : .delivering
            }
            if !mayStart(access) { until = nil }
            let nextAttempt = until.map { clock.now().adding(.nanoseconds($0 > now ? Int64(clamping: $0 - now) : 0)) }
            return CourierStatus(
                state: state, pending: pending, oldestAge: age, latestAnswer: answer, nextAttempt: nextAttempt,
                isPaused: value.pausedSince != nil)
        }
    }

    var isCurrentThread: Bool {
        let current = LogThread.currentNumber
        return state.withLock { $0.value.thread == current }
    }

    func wake() { wake { _ in } }

    /// Costs one relaxed load where no thread is missing.
    func startMissingThread() { if lacksThread.load(ordering: .relaxed) { wake() } }

    /// Where the machine has no thread to give that is said, once, when nobody waits for the state any more.
    func wake(after change: (Access) -> Void) {
        let isNews = state.withLock { access in
            change(access)
            return want(access)
        }
        if isNews { sayThatThreadIsMissing() }
    }

    func sayThatThreadIsMissing() { LogDiagnostics.report(name, "\(Self.noThread); everything is kept, and it is asked for again") }

    func reconfigured(forAnotherReceiver isAnotherReceiver: Bool) {
        wake { access in
            access.value.configuration += 1
            if isAnotherReceiver {
                access.value.receiversFirst = access.value.configuration
                access.value.pause?.askedUntil = 0
            }
            access.value.failures = 0
            access.value.isTrying = false
            access.value.rejectionsInARow = 0
            access.value.obstacle?.until = 0
            if let pause = access.value.pause {
                let isAsked = pause.askedUntil > clock.monotonicNanoseconds()
                access.value.isTrying = isAsked
                access.value.pause =
                    isAsked ? Pause(cause: .receiver, until: pause.askedUntil, began: pause.began, askedUntil: pause.askedUntil) : nil
            }
            pauseAfterRefusals(access)
        }
    }

    /// What waits now goes whatever the conditions are.
    func hurry() {
        wake { access in
            access.value.waiters[Self.urgent] = Waiter()   // of what an earlier call was about, what is left waits among the rest
            access.value.obstacle?.until = 0
        }
    }

    /// - Returns: Whether it is news that the machine has no thread to give.
    func want(_ access: Access) -> Bool {
        guard access.value.phase == .running else { return false }
        access.value.isWanted = true
        var isNews = false
        if !access.value.hasThread {
            let isStarted = startThread(name) { self.run() }
            let wasMissing = lacksThread.exchange(!isStarted, ordering: .relaxed)
            access.value.hasThread = isStarted
            if !isStarted { access.value.latestAnswer = Self.noThread } else if wasMissing { access.value.latestAnswer = nil }
            isNews = !isStarted && !wasMissing
        }
        access.broadcast()
        return isNews
    }

    // MARK: The thread's side

    private func run() {
        state.withLock { $0.value.thread = LogThread.currentNumber }
        var unsettled: [Settlement] = []
        var lastTry: LogDeadline? = .now, endOfTries: LogDeadline?
        work: while true {
            switch waitForWork(hasSettlement: !unsettled.isEmpty, lastTry: lastTry) {
            case .send:
                let aim = aim   // before the source makes a parcel for it
                if let parcel = nextParcel(), mayGo(parcel) { send(parcel, at: aim) }
            case .prepare:
                prepareNextParcel()
            case .weigh(let flight, let answer):
                if var settlement = weigh(answer, flight), !settle(&settlement) { unsettled.append(settlement) }
            case .ask(let flight, let request):
                exchange(request, of: flight)
            case .settleAgain:
                settleAgain(&unsettled)
            case .settleAtLast:
                let end = endOfTries ?? .after(Self.lastTries)
                endOfTries = end
                settleAgain(&unsettled)
                lastTry = end.hasPassed ? nil : .after(Self.tryAgain)
            case .letGo:
                source.letGo()
            case .stop:
                break work
            }
        }
        let cancellations = state.withLock { access in
            access.value.phase = .stopped
            access.value.thread = 0
            finishWaiters(.stopped, access)
            return giveUpFlights(access)
        }
        for cancellation in cancellations { cancellation.cancel() }
    }

    /// How long a courier that ends tries to note what has arrived, and how often: what is not noted goes again with the next run.
    private static let lastTries = Duration.seconds(5), tryAgain = Duration.milliseconds(100)

    private func settleAgain(_ unsettled: inout [Settlement]) {
        var rest: [Settlement] = []
        for var settlement in unsettled where !settle(&settlement) { rest.append(settlement) }
        unsettled = rest
    }

    /// - Parameter lastTry: When a courier that ends tries again to note what has arrived; nil when it has given that up.
    private func waitForWork(hasSettlement: Bool, lastTry: LogDeadline?) -> Work {
        let start = clock.monotonicNanoseconds()  // read first: to look a little early does no harm
        let sourcesDue = source.nextParcelIsDue.map { start + $0.nanosecondsAhead }
        return state.withLock { access in
            let intervalsDue = policy.interval.map { access.value.latestLook + $0.nanosecondsAhead }
            let lookAgain = [intervalsDue, sourcesDue].compactMap { $0 }.min()
            while true {
                let isStopping = access.value.phase != .running
                let limit = access.value.shutdownDeadline
                if isStopping, hasSettlement, let lastTry {
                    if lastTry.hasPassed { return .settleAtLast }
                    if !limit.hasPassed, let (flight, request) = takeQuestion(dueAt: clock.monotonicNanoseconds(), access) {
                        return .ask(flight, request)
                    }
                    if !limit.hasPassed, !access.value.flights.values.contains(where: { $0.answer != nil }) {
                        access.wait(until: min(limit, lastTry))
                        continue
                    }
                }
                if isStopping, access.value.flights.isEmpty || limit.hasPassed { return .stop }
                // What the source could not note comes first.
                if !hasSettlement || isStopping, let (flight, answer) = takeAnswer(access) { return .weigh(flight, answer) }
                let now = clock.monotonicNanoseconds()
                if let pause = access.value.pause, now < pause.until {
                    clock.wait(in: access, until: pause.until, limit: isStopping ? limit : .never)
                    continue
                }
                access.value.pause = nil
                if hasSettlement && !isStopping { return .settleAgain }
                if let (flight, request) = takeQuestion(dueAt: now, access) { return .ask(flight, request) }
                var next = access.value.flights.values.compactMap(\.asking?.due).min() ?? .max
                if !isStopping && mayStart(access) && hasRoom(access) {
                    let isHeldBack = access.value.obstacle.map { now < $0.until } ?? false
                    if !isHeldBack, access.value.isWanted || lookAgain.map({ now >= $0 }) ?? false {
                        access.value.isWanted = false
                        access.value.hasAsked = true
                        access.value.latestLook = now
                        return .send
                    }
                    next = min(next, (isHeldBack ? access.value.obstacle?.until : lookAgain) ?? .max)
                }
                if !isStopping, mayPrepare(access) {
                    access.value.preparedBehind = access.value.latestFlight
                    return .prepare
                }
                if !isStopping, access.value.hasAsked, access.value.flights.isEmpty, !mayStart(access) {
                    access.value.hasAsked = false
                    return .letGo
                }
                if next == .max {
                    access.wait(until: isStopping ? limit : .never)
                } else {
                    clock.wait(in: access, until: next, limit: isStopping ? limit : .never)
                }
            }
        }
    }

    private func takeQuestion(dueAt now: UInt64, _ access: Access) -> (Flight, HTTPRequest)? {
        let due = access.value.flights.values.filter { $0.asking.map { $0.due <= now } ?? false }
        guard let flight = due.min(by: { $0.number < $1.number }), let asking = flight.asking else { return nil }
        access.value.flights[flight.number]?.asking?.due = .max
        return (flight, asking.inquiry.request)
    }

    /// The oldest flight that was answered, which is none any more.
    private func takeAnswer(_ access: Access) -> (Flight, Result<HTTPResponse, HTTPFailure>)? {
        let answered = access.value.flights.values.filter { $0.answer != nil }.min { $0.number < $1.number }
        guard let flight = answered, let answer = flight.answer else { return nil }
        access.value.flights[flight.number] = nil
        access.value.isWeighing = true
        return (flight, answer)
    }

    /// Whether one more parcel may be on its way.
    private func hasRoom(_ access: Access) -> Bool {
        let flights = access.value.flights
        guard flights.count < (concurrentSource == nil ? 1 : policy.parcelsInFlight) else { return false }
        return !access.value.isTrying || !flights.values.contains { $0.pauses == access.value.pauses }
    }

    /// While as many are on their way as may be, the source can make the next parcel; it gives the same one when it is asked for it.
    private func mayPrepare(_ access: Access) -> Bool {
        concurrentSource?.preparesNextParcel == true && access.value.isWanted && !access.value.isTrying && mayStart(access)
            && !hasRoom(access) && access.value.preparedBehind != access.value.latestFlight
    }

    /// A source that fails says so again when the parcel is asked for.
    private func prepareNextParcel() {
        let taken = state.withLock { Set($0.value.flights.values.map(\.parcel.id)) }
        _ = try? concurrentSource?.nextParcel(besides: taken)
    }

    /// The oldest parcel that is not on its way, or nil when there is none or the source failed. Tells those who wait when nothing
    /// is left.
    private func nextParcel() -> Parcel? {
        let (uncounted, taken) = state.withLock { access in
            (
                access.value.waiters.filter { $0.value.rest == nil }.map(\.key),
                Set(access.value.flights.values.map(\.parcel.id))
            )
        }
        waitForArrivals()   // before the others are counted, for whom what is there counts
        let pending = uncounted.isEmpty ? 0 : source.pendingCount
        let present = state.withLock { access in
            let flights = access.value.flights
            for number in uncounted {
                access.value.waiters[number]?.flights = Set(flights.keys)
                access.value.waiters[number]?.rest = max(0, pending - flights.values.reduce(0) { $0 + $1.parcel.count })
                // What it was called for is gone, and what comes now is not its concern.
                if pending == 0 && flights.isEmpty { access.value.waiters[number]?.outcome = .complete }
            }
            access.broadcast()
            return Array(access.value.waiters.keys)
        }
        do {
            let parcel = if let concurrentSource { try concurrentSource.nextParcel(besides: taken) } else { try source.nextParcel() }
            let unreadable = parcel == nil && taken.isEmpty ? source.unreadable : nil
            waitForArrivals()
            state.withLock { access in
                if taken.isEmpty { access.value.latestSealed = parcel?.sealed }
                if parcel != nil {
                    access.value.isWanted = true
                    return
                }
                access.value.obstacle = nil
                guard taken.isEmpty else { return }
                access.value.heldBackSince = nil
                access.value.failures = 0
                access.value.isTrying = false
                if let unreadable { access.value.latestAnswer = "the source cannot be read: \(unreadable)" }
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

    /// What has come in front of what was counted is waited for in addition, also by what is urgent: it goes first. Where nobody waits the
    /// source is not asked: it may have to count what there is first.
    private func waitForArrivals() {
        if state.withLock({ $0.value.waiters.isEmpty }) { return }
        let arrivals = source.takeArrivals()
        guard arrivals > 0 else { return }
        state.withLock { access in
            for (number, waiter) in access.value.waiters where waiter.outcome == nil {
                guard let rest = waiter.rest else { continue }
                access.value.waiters[number]?.rest = rest + arrivals
            }
        }
    }

    /// Where the next parcel goes.
    private struct Aim {
        let destination: any Destination
        /// How many destinations there were before it.
        let number: Int
        let configuration: UInt64
    }

    private var aim: Aim {
        // Read first: who changes a destination says so afterwards. So a refusal never stops one that it was not about.
        let configuration = state.withLock { $0.value.configuration }
        let (destination, number) = (destination as? any ChangingDestination)?.current ?? (destination: destination, number: 0)
        return Aim(destination: destination, number: number, configuration: configuration)
    }

    /// - Parameter aim: What was in force before the source was asked.
    private func send(_ parcel: Parcel, at aim: Aim) {
        onEvent?(.attempting(parcel: parcel.id))
        // Another destination may have taken its place since, while the conditions were asked too, and the parcel be in the form of either,
        // or of somebody who has logged out. The source, which is still wanted, is asked again.
        guard self.aim.number == aim.number else { return }
        var flight = state.withLock { access in
            access.value.latestFlight += 1
            return Flight(
                number: access.value.latestFlight, parcel: parcel, destination: aim.destination, configuration: aim.configuration,
                pauses: access.value.pauses)
        }
        let request: HTTPRequest
        do {
            request = try aim.destination.request(for: parcel)
        } catch {
            return refuse(flight, "\(error)", status: nil)
        }
        flight.secrets = request.secrets
        let isOnItsWay = state.withLock { access in
            // A shutdown or a pause came while the request was made. The source is still wanted.
            guard access.value.phase == .running, mayStart(access) else { return false }
            access.value.flights[flight.number] = flight
            for number in Array(access.value.waiters.keys) {
                guard let rest = access.value.waiters[number]?.rest, rest > 0 else { continue }
                access.value.waiters[number]?.rest = max(0, rest - parcel.count)
                access.value.waiters[number]?.flights.insert(flight.number)
            }
            return true
        }
        if isOnItsWay { exchange(request, of: flight) }
    }

    private func exchange(_ request: HTTPRequest, of flight: Flight) {
        let number = flight.number
        var request = request
        // A parcel that needs more time than it has would be sent again for ever, and nothing behind it.
        request.limits = request.limits.allowing(bodyBytes: request.bodyBytes)
        // A receiver may repeat what it was sent. It has said by then what becomes of the parcel, and says the same the next time.
        request.limits.keepsBeginning = true
        let cancellation = transport.send(request, lendingThreadFor: hasNothingElseToDo ? Self.lentSpan : .zero) { [state] result in
            state.withLock { access in
                guard let flight = access.value.flights[number], flight.answer == nil else { return }
                access.value.flights[number]?.answer = result
                access.broadcast()
            }
        }
        let isGivenUp = state.withLock { access in
            access.value.flights[number]?.cancellation = cancellation
            return access.value.flights[number] == nil
        }
        if isGivenUp { cancellation.cancel() }
    }

    /// So long a courier's thread sends and waits itself: an answer of a receiver that is near comes within it, and nobody who wants
    /// something else of the courier waits longer.
    private static var lentSpan: Duration { .milliseconds(2) }

    /// Whether no other parcel may go before the answer, and none is made meanwhile.
    private var hasNothingElseToDo: Bool {
        concurrentSource == nil || policy.parcelsInFlight == 1 && concurrentSource?.preparesNextParcel == false
    }

    /// The flight is over; so many of its entries go again, with one of the next.
    func end(_ flight: Flight, again: Int, _ access: Access) {
        for number in Array(access.value.waiters.keys) {
            guard access.value.waiters[number]?.flights.remove(flight.number) != nil else { continue }
            let rest = (access.value.waiters[number]?.rest ?? 0) + again
            access.value.waiters[number]?.rest = rest
            guard rest == 0, let waiter = access.value.waiters[number], waiter.flights.isEmpty, waiter.outcome == nil else { continue }
            access.value.waiters[number]?.outcome = .complete
        }
        access.value.isWeighing = false
        access.value.isWanted = true
        access.broadcast()
    }
}
