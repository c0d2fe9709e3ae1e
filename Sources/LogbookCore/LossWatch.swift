internal import Synchronization

/// What one registration lost and nobody was told of yet.
///
/// A loss is told once its provider writes again: while it cannot, nobody knows how much more is lost.
final class LossWatch: Sendable {
    /// Losses of one reason are told of at most once in this span.
    static let spacing = Duration.seconds(1)

    private struct State {
        var runs: [DropReason: LossRun] = [:]
        /// Whether something was written after the latest loss.
        var isOver = false
        var told: [DropReason: UInt64] = [:]
        /// The provider's own account, as it was seen last.
        var account = LogLedger()

        mutating func lose(_ reason: DropReason, _ run: LossRun) {
            if runs[reason]?.merge(run) == nil { runs[reason] = run }
            isOver = false
        }
    }
    private let state = Locked(State())
    private let isWaiting = Atomic<Bool>(false)
    private let tell: @Sendable () -> Void

    /// - Parameter tell: Called, on any thread, when there is something to tell; under no lock.
    init(tell: @escaping @Sendable () -> Void) { self.tell = tell }

    /// Told by the ledger alone: what came after a shutdown or in a forked child has no writing again to wait for, and a provider that
    /// logs about every event would log about what it is told as well.
    private static let untold: Set<DropReason> = [.alreadyShutDown, .forkChild, .reentrant]

    func lost(_ reason: DropReason, _ run: LossRun) {
        if Self.untold.contains(reason) { return }
        state.withLock { $0.lose(reason, run) }
        isWaiting.store(true, ordering: .releasing)
    }

    /// Whether there may be something to tell.
    var isUntold: Bool { isWaiting.load(ordering: .acquiring) }

    /// The provider has written something.
    func wrote() {
        guard isWaiting.load(ordering: .acquiring) else { return }
        let isNews = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver && !state.runs.isEmpty
        }
        if isNews { tell() }
    }

    /// Looks what a provider's own account says after it was given these events.
    func look(at account: LogLedger, after run: LossRun) {
        let hasWritten = state.withLock { state in
            let earlier = state.account
            // Another thread may have seen a later one.
            guard account.submitted >= earlier.submitted else { return false }
            state.account = account
            if account.dropped == earlier.dropped { return account.delivered > earlier.delivered }
            for (reason, count) in account.dropped where !Self.untold.contains(reason) {
                let new = count - min(count, earlier.dropped[reason] ?? 0)
                if new > 0 { state.lose(reason, LossRun(Int(new), of: run)) }
            }
            isWaiting.store(true, ordering: .releasing)
            return false
        }
        if hasWritten { wrote() }
    }

    /// Takes what may be told now.
    /// - Parameters:
    ///   - now: On the service's monotonic clock.
    ///   - isLast: Whether this is the last occasion: then everything is told.
    /// - Returns: What to tell, and when the rest may be.
    func take(at now: UInt64, isLast: Bool = false) -> (runs: [(DropReason, LossRun)], next: UInt64?) {
        state.withLock { state in
            guard state.isOver || isLast else { return ([], nil) }
            var due: [(DropReason, LossRun)] = [], next: UInt64?
            for (reason, run) in state.runs {
                let earliest = state.told[reason].map { $0 + UInt64(Self.spacing.wholeNanoseconds) } ?? 0
                if now >= earliest || isLast {
                    due.append((reason, run))
                    state.told[reason] = now
                } else {
                    next = min(next ?? .max, earliest)
                }
            }
            for (reason, _) in due { state.runs[reason] = nil }
            if state.runs.isEmpty { isWaiting.store(false, ordering: .releasing) }
            return (due.sorted { $0.0.rawValue < $1.0.rawValue }, next)
        }
    }
}
