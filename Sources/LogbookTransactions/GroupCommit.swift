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
    /// Entries that are parked at most; beyond so many the oldest are given up.
    static let maximumParked = 4096
    /// How often ``storeParked(by:)`` looks whether the file is free.
    private static let lookAgain = Duration.milliseconds(10)

    /// What became of an entry.
    enum Fate {
        case stored
        /// A logout has ended what it belongs to.
        case ended
        case failed(TransactionStoreError)

        /// Whether another program's lock has kept it from being stored.
        var isBusy: Bool { if case .failed(.busy) = self { true } else { false } }
    }

    private struct State {
        var waiting: [(ticket: UInt64, event: LogEvent)] = []
        var latestTicket: UInt64 = 0
        var isCommitting = false
        var fates: [UInt64: Fate] = [:]
        /// The oldest first. Changed by whoever commits.
        var parked: [LogEvent] = []
        var isClosed = false
    }
    private enum Turn {
        case done(Fate)
        case commit([(ticket: UInt64, event: LogEvent)])
    }

    private let store: TransactionStore
    private let settle: @Sendable (Fate) -> Void
    private let state = Monitor(State())

    /// - Parameter settle: Learns what became of each entry that was parked, on the thread that finds out.
    init(_ store: TransactionStore, settle: @escaping @Sendable (Fate) -> Void) {
        self.store = store
        self.settle = settle
    }

    /// Returns once the entry is stored, or parked.
    /// - Returns: False when it is not stored, because a logout has ended what it belongs to.
    /// - Throws: ``TransactionStoreError/busy(path:)``: it is parked.
    func append(_ event: LogEvent) throws(TransactionStoreError) -> Bool {
        let ticket = state.withLock { access in
            access.value.latestTicket += 1
            access.value.waiting.append((access.value.latestTicket, event))
            return access.value.latestTicket
        }
        while true {
            switch turn(of: ticket) {
            case .done(.stored): return true
            case .done(.ended): return false
            case .done(.failed(let failure)): throw failure
            case .commit(let group): commit(group)
            }
        }
    }

    private func turn(of ticket: UInt64) -> Turn {
        state.withLock { access in
            while true {
                if let fate = access.value.fates.removeValue(forKey: ticket) { return .done(fate) }
                if !access.value.isCommitting {
                    access.value.isCommitting = true
                    let group = access.value.waiting.prefix(Self.maximumCount)
                    access.value.waiting.removeFirst(group.count)
                    return .commit(Array(group))
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
            let wasEmpty = access.value.parked.isEmpty
            for (entry, fate) in zip(group, fates) {
                access.value.fates[entry.ticket] = fate
                if fate.isBusy { access.value.parked.append(entry.event) }
            }
            let surplus = max(0, access.value.parked.count - Self.maximumParked)
            access.value.parked.removeFirst(surplus)
            access.value.isCommitting = false
            access.broadcast()
            return (wasEmpty && !access.value.parked.isEmpty, surplus)
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
    /// them could be, nobody waits for the same again, and nothing overtakes what comes before it.
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
            if case .failed(let failure)? = first.last, failure.isOfTheWholeStore {
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
            let isOurs = state.withLock { access -> Bool? in
                while !access.value.parked.isEmpty {
                    if !access.value.isCommitting {
                        access.value.isCommitting = true
                        return true
                    }
                    if !access.wait(until: deadline) { return false }
                }
                return nil
            }
            guard let isOurs else { return }
            if isOurs {
                let (settled, isDone) = tryParked(by: deadline)
                state.withLock { access in
                    access.value.isCommitting = false
                    access.broadcast()
                }
                for fate in settled { settle(fate) }
                if isDone { return }
                let next = min(deadline, .after(Self.lookAgain))
                // However many others look meanwhile.
                state.withLock { access in while !access.value.parked.isEmpty, access.wait(until: next) {} }
            }
            if deadline.hasPassed { throw .busy(path: store.path) }
        }
    }

    /// By whoever commits, who tells of it when he does no more.
    /// - Returns: What became of some of what is parked, and whether nothing is any more.
    private func tryParked(by deadline: LogDeadline) -> (settled: [Fate], isDone: Bool) {
        var settled: [Fate] = []
        while true {
            let events = state.withLock { $0.value.parked.prefix(Self.maximumCount) }
            if events.isEmpty { return (settled, true) }
            let fates = write(events, .attempt(by: deadline)).prefix { !$0.isBusy }
            settled += fates
            state.withLock { $0.value.parked.removeFirst(fates.count) }
            if fates.count < events.count { return (settled, false) }
        }
    }

    /// Parks nothing from now on, and gives up what is parked.
    /// - Returns: How many entries, and beginnings of transactions, that are.
    func close() -> Int {
        state.withLock { access in
            access.value.isClosed = true
            // Who commits then waits for no other program.
            while access.value.isCommitting && !access.value.parked.isEmpty { access.wait() }
            defer { access.value.parked = [] }
            return access.value.parked.count
        }
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
