#if Transactions
internal import LogbookCore

/// Lets threads that store entries at the same time share one commit: whoever finds nobody at work commits for all who wait.
///
/// One commit waits for the disk once, however many entries are in it, and an entry that comes alone waits for nobody.
///
/// What another program's lock keeps from being stored is parked: it waits in memory, in its order, and whoever commits next stores it
/// first. While something is parked nobody waits for that program again, so that a file that stays locked holds up one call and not each.
final class GroupCommit: Sendable {
    /// Entries in one commit at most.
    private static let maximumCount = 512
    /// Entries that tell of a disk that takes none of them how it fares with others: one alone may be the one that is too large.
    private static let telling = 8
    /// Entries that are parked at most; beyond so many the oldest are given up.
    static let maximumParked = 4096
    /// How often ``storeParked(by:)`` looks whether the file is free.
    private static let lookAgain = Duration.milliseconds(10)

    /// What became of an entry.
    enum Fate {
        case stored
        /// A logout has ended what it belongs to.
        case ended
        /// It waits in memory, since it was logged by what this commit itself has called.
        case waits
        case failed(TransactionStoreError)

        /// Whether another program's lock has kept it from being stored.
        var isBusy: Bool { if case .failed(.busy) = self { true } else { false } }

        var failure: TransactionStoreError? { if case .failed(let failure) = self { failure } else { nil } }
    }

    private struct State {
        var waiting: [(ticket: UInt64, event: LogEvent)] = []
        var latestTicket: UInt64 = 0
        /// The number of the thread that commits; nil when none does.
        var committer: UInt64?
        var fates: [UInt64: Fate] = [:]
        /// The oldest first. Changed by whoever commits, and by what that calls.
        var parked: [LogEvent] = [] { didSet { note() } }
        /// Of these, the first so many are being stored.
        var inHand = 0 { didSet { note() } }
        /// Whether some of them are parked because of another program, which was said.
        var isLockedOut = false
        var isClosed = false
        var slot: PendingSlot? { didSet { note() } }

        /// Says where it outlives the process what is parked; nothing where nothing is.
        private func note() {
            guard let slot else { return }
            guard let oldest = parked.first, let latest = parked.last else { return slot.noteNothing() }
            slot.note(
                PendingSlot.Tally(
                    LogLedger(submitted: UInt64(parked.count)), inHand: inHand, oldest: PendingSlot.Stamp(oldest),
                    latest: PendingSlot.Stamp(latest)))
        }

        /// Drops the oldest of those that are too many.
        /// - Returns: How many those are.
        mutating func dropSurplus() -> Int {
            let surplus = max(0, parked.count - GroupCommit.maximumParked)
            if surplus > 0 { parked.removeFirst(surplus) }
            return surplus
        }
    }
    private enum Turn {
        case done(Fate)
        case wait(UInt64)
        case commit([(ticket: UInt64, event: LogEvent)], then: UInt64)
    }

    private let store: TransactionStore
    private let settle: @Sendable (Fate) -> Void
    private let state = Monitor(State())

    /// - Parameter settle: Learns what became of each entry that was parked, on the thread that finds out.
    init(_ store: TransactionStore, settle: @escaping @Sendable (Fate) -> Void) {
        self.store = store
        self.settle = settle
    }

    /// Returns once the entry is stored, or parked. What the commit itself has called, such as who hears diagnostics, waits for no commit.
    /// - Throws: ``TransactionStoreError/busy(path:)``: it is parked.
    func append(_ event: LogEvent) throws(TransactionStoreError) -> Fate {
        let thread = LogThread.currentNumber
        var next = state.withLock { access -> Turn in
            guard access.value.committer == thread else {
                access.value.latestTicket += 1
                access.value.waiting.append((access.value.latestTicket, event))
                return .wait(access.value.latestTicket)
            }
            if access.value.isClosed { return .done(.failed(.closed(path: store.path))) }
            access.value.parked.append(event)   // beyond what may be parked the next commit gives the oldest up
            return .done(.waits)
        }
        while true {
            switch next {
            case .done(.failed(let failure)): throw failure
            case .done(let fate): return fate
            case .wait(let ticket): next = turn(of: ticket, thread)
            case .commit(let group, let ticket):
                commit(group)
                next = .wait(ticket)
            }
        }
    }

    private func turn(of ticket: UInt64, _ thread: UInt64) -> Turn {
        state.withLock { access in
            while true {
                if let fate = access.value.fates.removeValue(forKey: ticket) { return .done(fate) }
                if access.value.committer == nil {
                    access.value.committer = thread
                    let group = access.value.waiting.prefix(Self.maximumCount)
                    access.value.waiting.removeFirst(group.count)
                    return .commit(Array(group), then: ticket)
                }
                access.wait()
            }
        }
    }

    /// What stands behind something that is parked is parked, too.
    private func commit(_ group: [(ticket: UInt64, event: LogEvent)]) {
        let (settled, isNothingParked) = tryParked(by: .never)
        var fates = isNothingParked
            ? write(group.map(\.event)[...], .usual) : [Fate](repeating: .failed(.busy(path: store.path)), count: group.count)
        let (isNews, surplus) = state.withLock { access -> (Bool, Int) in
            if access.value.isClosed { fates = fates.map { $0.isBusy ? .failed(.closed(path: store.path)) : $0 } }
            for (entry, fate) in zip(group, fates) { access.value.fates[entry.ticket] = fate }
            let busy = zip(group, fates).filter(\.1.isBusy).map(\.0.event)
            if !busy.isEmpty { access.value.parked += busy }
            let isNews = !busy.isEmpty && !access.value.isLockedOut
            if isNews { access.value.isLockedOut = true }
            let surplus = access.value.dropSurplus()
            access.value.committer = nil
            access.broadcast()
            return (isNews, surplus)
        }
        // Who hears of it may log as well.
        for fate in settled { settle(fate) }
        for _ in 0..<surplus { settle(.failed(.busy(path: store.path))) }
        if isNews {
            LogDiagnostics.report(
                "transactions", "\(store.path) is locked by another program; up to \(Self.maximumParked) entries wait in memory meanwhile")
        }
    }

    /// A group that fails is stored in two halves, and so on, so that an entry that cannot be stored takes no other with it. Where none of
    /// them could be, nobody waits for the same again, and nothing overtakes what comes before it; nor is a disk that fails or is full
    /// asked for each of them, once it has taken none of ``telling`` and more.
    private func write(_ events: ArraySlice<LogEvent>, _ patience: StorePatience) -> [Fate] {
        do throws(TransactionStoreError) {
            var fates = [Fate](repeating: .stored, count: events.count)
            // What has failed comes again: with others, or later. The store forgets in time what does not.
            for place in try store.append(events, isOfferedAgain: true, patience) { fates[place] = .ended }
            return fates
        } catch let failure where events.count == 1 || failure.isOfTheWholeStore {
            return [Fate](repeating: .failed(failure), count: events.count)
        } catch {
            let half = events.count / 2, first = write(events.prefix(half), patience)
            let failsForAll = half >= Self.telling && first.allSatisfy { $0.failure?.isOfTheDisk == true }
            if let failure = first.last?.failure, failure.isOfTheWholeStore || failsForAll {
                return first + [Fate](repeating: .failed(failure), count: events.count - half)
            }
            return first + write(events.dropFirst(half), patience)
        }
    }

    // MARK: What is parked

    /// Stores what is parked, and looks again and again whether the file is free; once, where the deadline has passed.
    /// - Throws: ``TransactionStoreError/busy(path:)`` when some of it is parked at the deadline.
    func storeParked(by deadline: LogDeadline) throws(TransactionStoreError) {
        while true {
            guard let isOurs = beginStoring(by: deadline) else { return }
            if isOurs {
                if storeNow(by: deadline) { return }
                let next = min(deadline, .after(Self.lookAgain))
                // However many others look meanwhile.
                state.withLock { access in while !access.value.parked.isEmpty, access.wait(until: next) {} }
            }
            if deadline.hasPassed {
                if state.withLock({ $0.value.parked.isEmpty }) { return }
                throw .busy(path: store.path)
            }
        }
    }

    /// The same for who closes the file, and waits for those who use it in this process anyway: for them however long, for another program
    /// not at all. What is parked then is for ``close()``.
    func storeParkedAtLast() {
        if beginStoring(by: .never) == true { storeNow(by: .never, .turn) }
    }

    /// - Returns: Whether this thread commits now, which it does not where others did until the deadline; nil when nothing is parked.
    private func beginStoring(by deadline: LogDeadline) -> Bool? {
        let thread = LogThread.currentNumber
        return state.withLock { access -> Bool? in
            while !access.value.parked.isEmpty {
                if access.value.committer == nil {
                    access.value.committer = thread
                    return true
                }
                if access.value.committer == thread { return nil }   // called by what this commit has called
                if !access.wait(until: deadline) { return access.value.parked.isEmpty ? nil : false }
            }
            return nil
        }
    }

    /// By whoever commits, who does no more afterwards.
    /// - Returns: Whether nothing is parked that was.
    @discardableResult
    private func storeNow(by deadline: LogDeadline, _ patience: StorePatience? = nil) -> Bool {
        let (settled, isDone) = tryParked(by: deadline, patience)
        state.withLock { access in
            access.value.committer = nil
            access.broadcast()
        }
        for fate in settled { settle(fate) }
        return isDone
    }

    /// By whoever commits, who tells of it when he does no more. What comes meanwhile is left to the next, and so is what is left when the
    /// deadline has passed, but for the first of it.
    /// - Returns: What became of some of what is parked, and whether nothing is any more.
    private func tryParked(by deadline: LogDeadline, _ patience: StorePatience? = nil) -> (settled: [Fate], isDone: Bool) {
        var settled: [Fate] = [], rest = state.withLock { $0.value.parked.count }
        while rest > 0 {
            if !settled.isEmpty, deadline.hasPassed { return (settled, false) }
            let events = state.withLock { access in
                let events = access.value.parked.prefix(min(rest, Self.maximumCount))
                access.value.inHand = events.count
                return events
            }
            let fates = write(events, patience ?? .attempt(by: deadline)).prefix { !$0.isBusy }
            settled += fates
            state.withLock { access in
                access.value.parked.removeFirst(fates.count)
                access.value.inHand = 0
                rest = min(rest - fates.count, access.value.parked.count)   // who closes gives up what is not in hand
                if access.value.parked.isEmpty {
                    access.value.isLockedOut = false
                    access.broadcast()   // who waits for that need not wait for what is committed next
                }
            }
            if fates.count < events.count { return (settled, false) }
        }
        return (settled, true)
    }

    /// Parks nothing from now on, and gives up what is parked.
    /// - Returns: How many entries, and beginnings of transactions, that are.
    func close() -> Int {
        let thread = LogThread.currentNumber
        return state.withLock { access in
            access.value.isClosed = true
            // Who commits then waits for no other program.
            while let committer = access.value.committer, committer != thread, !access.value.parked.isEmpty { access.wait() }
            // What this thread is storing, where that has called this, is told of there.
            let lost = access.value.parked.count - access.value.inHand
            access.value.parked.removeLast(lost)
            return lost
        }
    }

    /// Begins to note where it outlives the process what is parked.
    func notePending(on page: LossPage, as name: String) {
        guard state.withLock({ $0.value.slot == nil }), let slot = page.slot(named: name) else { return }
        state.withLock { if $0.value.slot == nil { $0.value.slot = slot } }
    }

    /// How long others who use the store wait for another program: while something is parked no longer than who logs, who would wait for
    /// them otherwise.
    var patience: StorePatience { state.withLock { $0.value.parked.isEmpty } ? .usual : .attempt(by: .never) }

    /// Entries that are parked.
    var parkedCount: Int { state.withLock { access in access.value.parked.count { $0.happened != nil } } }

    /// When the oldest was said that is parked; nil when none is.
    var oldestParked: LogTime? { state.withLock { $0.value.parked.first?.time } }
}

extension TransactionStoreError {
    /// Whether every entry would fail alike, and nothing was written.
    fileprivate var isOfTheWholeStore: Bool {
        switch self {
        case .busy, .closed, .storeLocked: true
        default: false
        }
    }
}
#endif
