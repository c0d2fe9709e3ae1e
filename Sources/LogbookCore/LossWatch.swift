internal import Synchronization

/// What one registration lost and nobody was told of yet.
///
/// A loss is told once its provider writes again: while it cannot, nobody knows how much more is lost. Where the provider keeps an account
/// of its own, that says whether it does: more is delivered than was before the loss.
final class LossWatch: Sendable {
    /// Losses of one reason are told of at most once in this span; as often at least a provider's account is looked at until it writes.
    static let spacing = Duration.seconds(1)

    private struct State {
        var runs: [DropReason: LossRun] = [:]
        /// Whether something was written after the latest loss, or after the first of ``runs`` by the provider's own account.
        var isOver = false
        var told: [DropReason: UInt64] = [:]

        // Where the provider keeps an account of its own:

        /// As it was seen last.
        var account: LogLedger
        /// What it had delivered before the first of ``runs``.
        var deliveredBefore: UInt64 = 0
        /// Everything that was given to the provider since nothing was pending in it: what it loses is among these events.
        var given: LossRun?
        /// What was given to it last: for a wrapper that says something about events when they are no longer pending.
        var latest: LossRun?
        /// Threads that are giving something to it.
        var givers = 0
        /// Whether the service knows of ``runs``, and looks again until they are told.
        var isAnnounced = false

        /// What it has lost of what it had taken care of.
        var later: LaterLosses

        mutating func lose(_ reason: DropReason, _ run: LossRun) {
            if runs.isEmpty { deliveredBefore = account.delivered }
            if runs[reason]?.merge(run) == nil { runs[reason] = run }
            isOver = false
        }

        mutating func give(_ run: LossRun) {
            givers += 1
            latest = run
            if given?.merge(run) == nil { given = run }
        }

        /// - Returns: Whether the service should be told.
        mutating func see(_ current: LogLedger) -> Bool {
            // Another thread may have seen a later one.
            guard current.submitted >= account.submitted, current.delivered >= account.delivered else { return false }
            let wasOver = isOver && !runs.isEmpty
            if current.dropped != account.dropped {
                guard current.droppedTotal >= account.droppedTotal else { return false }
                for (reason, count) in current.dropped where !LossWatch.untold.contains(reason) {
                    let new = count - min(count, account.dropped[reason] ?? 0)
                    if new > 0, let run = given ?? latest { lose(reason, LossRun(Int(new), of: run)) }
                }
            }
            account = current
            if account.pending == 0, givers == 0 { given = nil }
            if runs.isEmpty { return false }
            isOver = account.delivered > deliveredBefore
            defer { isAnnounced = true }
            return !isAnnounced || isOver && !wasOver
        }
    }
    private let state: Locked<State>
    private let isWaiting = Atomic<Bool>(false)
    private let tell: @Sendable () -> Void
    private let account: (@Sendable () -> LogLedger?)?
    private let lostAfterwards: (@Sendable () -> [DropReason: UInt64]?)?

    /// - Parameters:
    ///   - tell: Called, on any thread, when there is something to tell; under no lock.
    ///   - account: The provider's own account, if it keeps one that nobody else looks at. Called on any thread, under no lock.
    ///   - lostAfterwards: What the provider has lost of what it had taken care of, if it counts that. Called in the same way.
    init(
        tell: @escaping @Sendable () -> Void, account: (@Sendable () -> LogLedger?)? = nil,
        lostAfterwards: (@Sendable () -> [DropReason: UInt64]?)? = nil
    ) {
        self.tell = tell
        self.account = account
        self.lostAfterwards = lostAfterwards
        countsLaterLosses = lostAfterwards != nil
        looksAtProvider = account != nil || lostAfterwards != nil
        state = Locked(State(account: account?() ?? LogLedger(), later: LaterLosses(lostAfterwards?() ?? [:])))
    }

    /// Told by the ledger alone: what came after a shutdown or in a forked child has no writing again to wait for, a provider that
    /// logs about every event would log about what it is told as well, and what is kept elsewhere is not lost.
    private static let untold: Set<DropReason> = [.alreadyShutDown, .forkChild, .reentrant, .keptElsewhere]

    func lost(_ reason: DropReason, _ run: LossRun) {
        if Self.untold.contains(reason) { return }
        state.withLock { $0.lose(reason, run) }
        isWaiting.store(true, ordering: .releasing)
    }

    /// Whether there may be something to tell.
    var isUntold: Bool { looksAtProvider || isWaiting.load(ordering: .acquiring) }

    /// The provider has written something. One that keeps an account of its own says so there.
    func wrote() {
        guard account == nil, isWaiting.load(ordering: .acquiring) else { return }
        let isNews = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver && !state.runs.isEmpty
        }
        if isNews { tell() }
    }

    // MARK: A provider's own account

    /// Whether ``gives(_:telling:)`` and ``gave()`` should be called around what the provider is given.
    let looksAtProvider: Bool

    /// Whether the provider counts what it loses of what it had taken care of.
    let countsLaterLosses: Bool

    /// Says what the provider is about to be given.
    /// - Parameter telling: How many of them tell of losses; anything where ``countsLaterLosses`` is false.
    func gives(_ run: LossRun, telling: Int) {
        if countsLaterLosses { state.withLock { $0.later.give(run.count - telling) } }
        guard let account else { return }
        let isBegun = state.withLock { state in
            if state.account.pending > 0 { return false }
            state.give(run)
            return true
        }
        if isBegun { return }
        // What was pending may have been delivered meanwhile: then it is not among what is lost from now on.
        let current = account()
        let isNews = state.withLock { state in
            defer { state.give(run) }
            return current.map { state.see($0) } ?? false
        }
        if isNews { tell() }
    }

    /// Looks what the provider says of itself now that it has that.
    func gave() {
        if countsLaterLosses { lookAfterwards() }
        guard let account else { return }
        let current = account()
        let isNews = state.withLock { state in
            state.givers -= 1
            guard let current else { return false }
            return state.see(current)
        }
        if isNews { tell() }
    }

    @inline(never)
    private func lookAfterwards() {
        guard let gone = lostAfterwards?() ?? nil else { return }
        if state.withLock({ $0.later.see(gone) }) { tell() }
    }

    /// What may be told at one time.
    struct Due {
        /// Of what the provider was given, and of what it had taken care of.
        var runs: [(DropReason, LossRun)] = [], later: [(DropReason, UInt64)] = []
        /// When the rest may be told; nil where there is none, or something else comes first.
        var next: UInt64?
    }

    /// Takes what may be told now, also of what the provider has come to say of itself meanwhile.
    /// - Parameters:
    ///   - now: On the service's monotonic clock.
    ///   - isLast: Whether this is the last occasion: then everything is told.
    func take(at now: UInt64, isLast: Bool = false) -> Due {
        let current = account?(), gone = lostAfterwards?() ?? nil
        return state.withLock { state in
            if let current = current.flatMap({ $0 }) { _ = state.see(current) }
            if let gone { _ = state.later.see(gone) }
            let later = state.later.take(at: now, isLast: isLast)
            var due = Due(later: later.counts, next: later.next)
            guard state.isOver || isLast || state.runs.isEmpty else {
                // A queue says by itself when it writes again.
                if account != nil { due.next = min(due.next ?? .max, now + UInt64(Self.spacing.wholeNanoseconds)) }
                return due
            }
            for (reason, run) in state.runs {
                let earliest = state.told[reason].map { $0 + UInt64(Self.spacing.wholeNanoseconds) } ?? 0
                if now >= earliest || isLast {
                    due.runs.append((reason, run))
                    state.told[reason] = now
                } else {
                    due.next = min(due.next ?? .max, earliest)
                }
            }
            for (reason, _) in due.runs { state.runs[reason] = nil }
            if state.runs.isEmpty {
                state.isAnnounced = false
                isWaiting.store(false, ordering: .releasing)
            }
            due.runs.sort { $0.0.rawValue < $1.0.rawValue }
            return due
        }
    }
}
