#if Transactions
internal import GRDB
internal import LogbookCore
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The stores of the processes that were given the same path. Each writes to a lane of its own, on which it holds the lock; what is
/// left in a lane whose process has gone is delivered by whoever sees it first.
///
/// The first lane is the path itself, the others are its siblings, `<path>.lane-1` and so on. A lane stays where it is, for the next
/// process that needs one, which may find entries in it. While one is delivered for somebody who has gone, no other process can have it:
/// so there is one of these at a time, which is let go of when it is empty, the receiver is not to be reached, or nothing may be sent.
final class StoreLanes: Sendable {
    /// Processes that may write at the same time.
    static let maximumCount = 64
    /// How often the lanes of others are looked at.
    static let lookAgain = Duration.seconds(30)

    private struct State {
        /// Of somebody who has gone, while it is delivered.
        var held: TransactionStore?
        /// The lanes in which somebody who has gone has left entries to be delivered, the lowest first; the one that is held, too.
        var left: [Left] = []
        /// Entries that were found in front of what was known, since somebody last asked.
        var arrivals = 0
        /// Why the first lane could not be locked that may hold entries of ours, when they were last looked at.
        var lockFailure: TransactionStoreError?
        /// Lanes that could not be taken over, of which it was said.
        var troubled: Set<String> = []
        var nextLook: UInt64 = 0
        /// When somebody was last said to use the program, by the monotonic clock.
        var hasUserSince: UInt64
        /// When this process last logged out, by the monotonic clock; nil again with the login that follows.
        var loggedOut: UInt64?
        var isClosed = false
    }

    /// A lane as it was when it was last looked at.
    private struct Left {
        let path: String
        /// Entries that wait to be delivered; 1 where that cannot be seen without changing the file, so that it is opened.
        var pending: Int
        /// When the oldest of them was said.
        let oldest: LogTime?
        /// Why it could not be opened or read, when that was last tried.
        var failure: TransactionStoreError?
        /// Not tried again before the lanes are looked at again.
        var rests = false
    }

    /// What this process writes to.
    let own: TransactionStore
    /// Nil where the store is for one process alone.
    private let path: String?
    private let clock: LogClock
    private let open: @Sendable (StoreFile) throws(TransactionStoreError) -> TransactionStore
    private let state: Locked<State>
    /// The thread that looks into lanes, works in them or lets one go. There is one at a time: a lane that another holds for a moment
    /// would be passed over.
    private let worker = Monitor<UInt64?>(nil)

    /// Takes the first lane that is free.
    /// - Parameter open: Opens the store in a file that is locked.
    init(
        at path: String, sharing: TransactionStoreSharing, clock: LogClock,
        open: @escaping @Sendable (StoreFile) throws(TransactionStoreError) -> TransactionStore
    ) throws(TransactionStoreError) {
        let path = StoreFile.absolute(path)
        self.clock = clock
        self.open = open
        state = Locked(State(hasUserSince: clock.monotonicNanoseconds()))
        guard sharing == .siblings else {
            self.path = nil
            own = try Self.opened(try StoreFile(path), open)
            return
        }
        self.path = path
        own = try Self.firstFree(of: path, open)
        if own.path != path {
            LogDiagnostics.report(
                "transactions",
                "this program writes to \(own.path): another process, or a newer version of the library, has \(path)")
        }
    }

    /// Passes over lanes that others have, what a newer version of the library has written, and siblings that cannot be opened, of which
    /// the first is said.
    /// - Throws: Why the path itself cannot be opened, or the first of its siblings, where no other is free.
    private static func firstFree(
        of path: String, _ open: (StoreFile) throws(TransactionStoreError) -> TransactionStore
    ) throws(TransactionStoreError) -> TransactionStore {
        var failure: TransactionStoreError?
        for number in 0..<maximumCount {
            do throws(TransactionStoreError) {
                guard let file = try Self.lock(Self.path(ofLane: number, of: path)) else { continue }
                return try opened(file, open)
            } catch {
                if number == 0 { guard case .newerSchema = error else { throw error } }   // that version may be back tomorrow
                if failure == nil { LogDiagnostics.report("transactions", "a store is passed over: \(error)") }
                failure = failure ?? error
            }
        }
        throw failure ?? TransactionStoreError.noFreeLane(path: path, lanes: maximumCount)
    }

    static func path(ofLane number: Int, of path: String) -> String { number == 0 ? path : "\(path).lane-\(number)" }

    /// - Returns: Nil when somebody else has it open.
    private static func lock(_ path: String) throws(TransactionStoreError) -> StoreFile? {
        do {
            return try StoreFile(path)
        } catch .storeLocked {
            return nil
        }
    }

    /// Gives up what a logout elsewhere has ended of what is in it.
    private static func opened(
        _ file: StoreFile, _ open: (StoreFile) throws(TransactionStoreError) -> TransactionStore
    ) throws(TransactionStoreError) -> TransactionStore {
        let store = try open(file)
        do throws(TransactionStoreError) { try store.heedLogout() } catch {
            store.close()
            throw error
        }
        return store
    }

    // MARK: Those who have gone

    /// Looks in which lanes somebody who has gone has left entries to be delivered.
    /// - Returns: False where the deadline has passed while another thread was at work on them.
    @discardableResult
    func look(by deadline: LogDeadline = .never) -> Bool {
        let isDone: Void? = alone(by: deadline) {
            var left: [Left] = []
            let failure = eachLeft { file in
                let contents = file.contents
                let pending = contents?.counts.pending ?? 1
                if pending > 0 { left.append(Left(path: file.path, pending: pending, oldest: contents?.oldest)) }
            }
            let next = clock.monotonicNanoseconds() + UInt64(Self.lookAgain.wholeNanoseconds)
            state.withLock { state in
                let held = state.held?.path, former = state.left
                state.left = former.filter { $0.path == held }
                for var lane in left {
                    let known = former.first { $0.path == lane.path }
                    lane.failure = known?.failure
                    state.arrivals += max(0, lane.pending - (known?.pending ?? 0))
                    state.left.append(lane)
                }
                state.lockFailure = failure
                state.nextLook = next
            }
        }
        return isDone != nil
    }

    /// Goes through the lanes of those who have gone, the lowest first, but not the one that is held. Each is locked meanwhile. What cannot
    /// be opened is said once, and left alone.
    /// - Parameters:
    ///   - others: Hears of the lanes of those who run.
    ///   - unopened: Hears of those that could not be opened and may hold entries of ours.
    /// - Returns: Why the first of these could not be opened.
    @discardableResult
    private func eachLeft(
        _ visit: (StoreFile) throws(TransactionStoreError) -> Void,
        others: (_ lane: String) throws(TransactionStoreError) -> Void = { _ in }, unopened: (_ lane: String) -> Void = { _ in }
    ) -> TransactionStoreError? {
        let (held, isClosed) = state.withLock { ($0.held?.path, $0.isClosed) }
        guard let path, !isClosed else { return nil }
        var failure: TransactionStoreError?
        for number in 0..<Self.maximumCount {
            let lane = Self.path(ofLane: number, of: path)
            let isThere = access(lane, F_OK) == 0 || StoreFile.isBeingReplaced(at: lane)
            // Who runs and whose file somebody has removed makes another.
            guard lane != own.path, lane != held, isThere || access(lane + ".lock", F_OK) == 0 else { continue }
            do throws(TransactionStoreError) {
                if let file = try Self.lock(lane) { if isThere { try visit(file) } } else { try others(lane) }
            } catch {
                say(error, of: lane)
                switch error {
                case .notADatabase, .notAStore: break
                default:
                    failure = failure ?? error
                    unopened(lane)
                }
            }
        }
        return failure
    }

    private func say(_ error: TransactionStoreError, of lane: String) {
        let isNew = state.withLock { $0.troubled.insert(lane).inserted }
        if isNew { LogDiagnostics.report("transactions", "what another process has left cannot be taken over: \(error)") }
    }

    /// Waits until no other thread is at work on the lanes. No lock is held meanwhile: what hears of a recovery may come here again.
    private func alone<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        try alone(by: .never, work)!
    }

    /// The same until a deadline.
    /// - Returns: Nil where that has passed, and nothing was done.
    private func alone<Result, Failure: Error>(
        by deadline: LogDeadline, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let thread = LogThread.currentNumber
        let turn = worker.withLock { access -> Bool? in
            if access.value == thread { return true }
            while access.value != nil { if !access.wait(until: deadline) { return nil } }
            access.value = thread
            return false
        }
        guard let isAtWork = turn else { return nil }
        defer {
            if !isAtWork {
                worker.withLock { access in
                    access.value = nil
                    access.broadcast()
                }
            }
        }
        return try work()
    }

    /// The lane that is held; when there is none, the first in which something is left, which is opened.
    /// One that cannot be opened is passed over until the lanes are looked at again: what is left in it stays with it.
    /// - Parameter tried: Lanes that are passed over as well.
    private func hold(besides tried: Set<String>) -> TransactionStore? {
        alone {
            if let held = state.withLock({ $0.held }) { return held }
            for lane in state.withLock({ $0.left.filter { !$0.rests }.map(\.path) }) where !tried.contains(lane) {
                do throws(TransactionStoreError) {
                    if let file = try Self.lock(lane), let store = keep(try Self.opened(file, open)) {
                        noteContents(of: store)
                        return store
                    }
                } catch {
                    say(error, of: lane)
                    switch error {
                    case .notADatabase, .notAStore: break
                    default:
                        note(error, of: lane)
                        continue
                    }
                }
                state.withLock { state in state.left.removeAll { $0.path == lane } }   // somebody else has it, or it is none of ours
            }
            return nil
        }
    }

    /// - Returns: Nil when it is closed instead, after ``close()``.
    private func keep(_ store: TransactionStore) -> TransactionStore? {
        let isLate = state.withLock { state in
            if !state.isClosed { state.held = store }
            return state.isClosed
        }
        if isLate { store.close() }
        return isLate ? nil : store
    }

    /// A lane that is open may hold more than was seen of it.
    private func noteContents(of store: TransactionStore) {
        guard let pending = try? store.pendingCount() else { return }
        state.withLock { state in
            guard let place = state.left.firstIndex(where: { $0.path == store.path }) else { return }
            state.arrivals += max(0, pending - state.left[place].pending)
            state.left[place].pending = pending
        }
    }

    /// - Parameter failure: Why a lane could not be opened or read; nil where it was.
    private func note(_ failure: TransactionStoreError?, of lane: String) {
        state.withLock { state in
            guard let place = state.left.firstIndex(where: { $0.path == lane }) else { return }
            state.left[place].failure = failure
            state.left[place].rests = failure != nil
        }
    }

    /// Why the first lane could not be opened or read that may hold entries of ours; nil while there is none. It holds up nothing else, and
    /// is tried again when the lanes are looked at again.
    var unopened: TransactionStoreError? {
        state.withLock { state in state.lockFailure ?? state.left.lazy.compactMap(\.failure).first }
    }

    /// Entries that have come in front of what was counted, since this was last asked for: in lanes of others, or as they were set aside
    /// before and are sent again.
    func takeArrivals() -> Int {
        state.withLock { state in
            defer { state.arrivals = 0 }
            return state.arrivals
        }
    }

    /// Lets another process have the lane that is held, if there is one: it is empty, or what is in it is not delivered for now.
    func letGo() {
        alone {
            guard let store = state.withLock({ $0.held }) else { return }
            let pending = try? store.pendingCount()
            state.withLock { state in
                state.held = nil
                guard let pending, let place = state.left.firstIndex(where: { $0.path == store.path }) else { return }
                if pending == 0 { state.left.remove(at: place) } else { state.left[place].pending = pending }
            }
            store.close()
        }
    }

    /// The first parcel that a store gives: those of others first, one after the other. One of them that cannot be opened or read is passed
    /// over, see ``unopened``.
    /// - Throws: Why this process's own cannot be read.
    func nextParcel(
        _ parcel: (TransactionStore) throws(TransactionStoreError) -> StoredParcel?
    ) throws(TransactionStoreError) -> (store: TransactionStore, parcel: StoredParcel)? {
        if state.withLock({ $0.nextLook <= clock.monotonicNanoseconds() }) { look() }
        var tried: Set<String> = []
        while let store = hold(besides: tried) {
            do throws(TransactionStoreError) {
                let found = try parcel(store)
                note(nil, of: store.path)
                if let found { return (store, found) }
                letGo()
            } catch {
                passOver(store, because: error)
            }
            tried.insert(store.path)
        }
        if let parcel = try parcel(own) { return (own, parcel) }
        return nil
    }

    /// Lets go of the lane that is held, which cannot be read or written: it is tried again when the lanes are looked at again, see
    /// ``unopened``.
    func passOver(_ store: TransactionStore, because failure: TransactionStoreError) {
        switch failure {
        case .storeLocked: break   // its lock was removed, and whoever has it by now delivers what is in it
        default:
            say(failure, of: store.path)
            note(failure, of: store.path)
        }
        letGo()
    }

    // MARK: All of them

    /// The lane that is held, and the others as they were when they were last looked at.
    private var gone: (held: TransactionStore?, others: [Left]) {
        state.withLock { state in
            let held = state.held
            return (held, state.left.filter { $0.path != held?.path })
        }
    }

    /// Entries that wait to be delivered.
    /// - Throws: Why they cannot be counted; ``TransactionStoreError/busy(path:)`` where they could not be by the deadline.
    func pendingCount(by deadline: LogDeadline = .never) throws(TransactionStoreError) -> Int {
        let (held, others) = gone
        var count = try own.pendingCount(by: deadline) + others.reduce(0) { $0 + $1.pending }
        if let held {
            // Where it was let go of meanwhile, it is among the others.
            do throws(TransactionStoreError) { count += try held.pendingCount(by: deadline) } catch .closed {
                return try pendingCount(by: deadline)
            }
        }
        return count
    }

    /// When the oldest entry was said that waits to be delivered; nil when none does.
    func oldestPending() throws(TransactionStoreError) -> LogTime? {
        let (held, others) = gone
        var times = [try own.oldestPending()] + others.map(\.oldest)
        if let held {
            do throws(TransactionStoreError) { times.append(try held.oldestPending()) } catch .closed { return try oldestPending() }
        }
        return times.compactMap { $0 }.min()
    }

    /// Deletes everything here, and in the lanes of those who have gone. In those of who runs it is left for whoever opens them next, also
    /// where that one has a lane of ours since its lock was removed. After a kill in the middle of it whoever opens a lane does the rest.
    /// - Throws: The first failure, also of a lane that could not be opened, where the deletion is left for whoever opens it next; what it
    ///   was not about is deleted all the same.
    func deleteAll() throws(TransactionStoreError) {
        let now = clock.monotonicNanoseconds(), since = state.withLock { $0.hasUserSince }
        var doOthersRun = false
        defer { if doOthersRun { leaveOwnMark(at: now) } }
        try alone { () throws(TransactionStoreError) in
            leaveMarks(since: since)
            try inEveryLane(heedsMarks: false) { store throws(TransactionStoreError) in
                do throws(TransactionStoreError) {
                    // When the others have their turn, the transactions of this process are ended, and new ones may have begun.
                    try store.deleteAll(endsTransactions: store === own)
                } catch {
                    if case .storeLocked = error {
                        doOthersRun = true
                        try? LogoutMark.current(in: store.path, since: since)?.leave(for: store.path)
                        store.oweLogout()
                    }
                    throw error
                }
                if store === own { noteLogout(at: now) } else { LogoutMark.say(LogoutMark.forget(for: store.path, .own)) }
            } others: { lane throws(TransactionStoreError) in
                doOthersRun = true
                try LogoutMark.current(in: lane, since: since)?.leave(for: lane)
            } unopened: { lane in
                try? LogoutMark.current(in: lane, since: since)?.leave(for: lane)
            }
        }
    }

    /// Before the first deletion: whoever opens a lane after a kill gives up what was to be deleted. Each store takes the mark away once
    /// its deletion is on disk. Beside the own one, whose turn comes first, it leaves the mark itself.
    private func leaveMarks(since: UInt64) {
        func leave(_ lane: String) { try? LogoutMark.current(in: lane, since: since)?.leave(for: lane) }
        if let held = state.withLock({ $0.held }) { try? LogoutMark(epoch: held.epoch).leave(for: held.path) }
        eachLeft { file in leave(file.path) } others: { lane in leave(lane) }
    }

    /// For who opens this lane after a kill. Those who start later have their users since later: only who runs now can leave a mark that
    /// this one is of use against. Where it cannot be left, that mark is heeded.
    private func leaveOwnMark(at logout: UInt64) {
        state.withLock { state in
            guard !state.isClosed, state.loggedOut == logout else { return }
            try? LogoutMark(epoch: own.epoch, since: logout).leave(for: own.path, .own)
        }
    }

    /// What another's logout has met here is deleted.
    private func noteLogout(at now: UInt64) {
        let obstacle = state.withLock { state -> String? in
            guard !state.isClosed else { return nil }   // somebody else may have the lane
            state.loggedOut = now
            return LogoutMark.forget(for: own.path)
        }
        LogoutMark.say(obstacle)
    }

    /// Somebody uses the program from now on, or still does: what a logout that was before this has ended is not theirs.
    func noteUser() {
        let now = clock.monotonicNanoseconds()
        state.withLock { $0.hasUserSince = now }
    }

    /// A token and an address are set. The first time after this process's own logout they are the next user's, also where those of the
    /// former one were still set, and another's logout of the former one is forgotten. One that comes later may be the next user's, and
    /// is heeded.
    func noteLogin() {
        let now = clock.monotonicNanoseconds()
        let obstacle = state.withLock { state -> String? in
            if state.loggedOut != nil { state.hasUserSince = now }
            return forgetLogout(&state)
        }
        LogoutMark.say(obstacle)
    }

    /// - Returns: What stands in the way, in words; nil where nothing does.
    private func forgetLogout(_ state: inout State) -> String? {
        guard !state.isClosed, let loggedOut = state.loggedOut else { return nil }
        state.loggedOut = nil
        let isCovered = LogoutMark.left(for: own.path)?.isCovered(byLogoutAt: loggedOut) == true
        let obstacle = isCovered ? LogoutMark.forget(for: own.path) : nil
        return obstacle ?? LogoutMark.forget(for: own.path, .own)   // which tells what a mark is about that stays
    }

    /// Deletes what is of a user, here and in the lanes of those who have gone.
    /// - Returns: How many transactions were there.
    /// - Throws: The first failure, also of a lane that could not be opened: what it was about is not deleted, and not owed.
    func erase(user: String) throws(TransactionStoreError) -> Int {
        var count = 0
        try inEveryLane { store throws(TransactionStoreError) in
            count += try store.erase(user: user, endsTransactions: store === own)
        }
        return count
    }

    /// Lets what was set aside be sent again, here and in the lanes of those who have gone.
    /// - Throws: The first failure; the others were asked all the same.
    func reinstateSetAside() throws(TransactionStoreError) {
        try inEveryLane(where: { $0.setAside > 0 }) { store throws(TransactionStoreError) in
            try store.reinstateSetAside { entries in
                state.withLock { state in
                    // In lanes that are not held they are found by the look that follows.
                    if store === own || store === state.held { state.arrivals += entries }
                }
            }
        }
    }

    /// What is here, and in the lanes of those who have gone, as far as that can be seen without changing them.
    func counts() throws(TransactionStoreError) -> TransactionStoreCounts {
        try alone { () throws(TransactionStoreError) in
            var counts = try own.counts()
            if let held = state.withLock({ $0.held }) { counts += try held.counts() }
            eachLeft { file in
                if let contents = file.contents { counts += contents.counts }
            }
            return counts
        }
    }

    /// Does the same in the own store, and then in each lane of somebody who has gone.
    /// - Parameters:
    ///   - isWanted: Passes over a lane, where its contents can be seen. Nil for none: where nothing is in one, bytes of what was may be.
    ///   - heedsMarks: Whether what a logout has ended of a lane is given up first. Who deletes everything deletes that as well.
    ///   - others: Hears of the lanes of those who run.
    ///   - unopened: Hears of the lanes that could not be opened.
    /// - Throws: The first failure; the others had their turn all the same.
    private func inEveryLane(
        where isWanted: ((TransactionStoreCounts) -> Bool)? = nil, heedsMarks: Bool = true,
        _ work: (TransactionStore) throws(TransactionStoreError) -> Void,
        others: (_ lane: String) throws(TransactionStoreError) -> Void = { _ in }, unopened: (_ lane: String) -> Void = { _ in }
    ) throws(TransactionStoreError) {
        try alone { () throws(TransactionStoreError) in
            var failure: TransactionStoreError?
            func run(in store: TransactionStore) {
                do throws(TransactionStoreError) { try work(store) } catch { failure = failure ?? error }
            }
            run(in: own)
            if let held = state.withLock({ $0.held }) { run(in: held) }
            let obstacle = eachLeft { file throws(TransactionStoreError) in
                if let isWanted, let contents = file.contents, !isWanted(contents.counts) { return }
                let store = try heedsMarks ? Self.opened(file, open) : open(file)
                run(in: store)
                store.close()
            } others: { lane throws(TransactionStoreError) in
                try others(lane)
            } unopened: { lane in
                unopened(lane)
            }
            look()   // what was seen before is no longer so
            if let failure = failure ?? obstacle { throw failure }
        }
    }

    func close() {
        let (held, obstacle) = state.withLock { state -> (TransactionStore?, String?) in
            defer { (state.held, state.left, state.lockFailure) = (nil, [], nil) }
            let obstacle = forgetLogout(&state)   // what was stored since is left to whoever opens the lane next
            state.isClosed = true
            return (state.held, obstacle)
        }
        held?.close()
        own.close()
        LogoutMark.say(obstacle)
    }
}

/// What is in a lane.
private struct LaneContents {
    let counts: TransactionStoreCounts
    /// When the oldest entry was said that waits to be delivered.
    let oldest: LogTime?
}

extension StoreFile {
    /// Nil where that cannot be seen without changing the file.
    fileprivate var contents: LaneContents? {
        var configuration = Configuration()
        configuration.readonly = true
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else { return nil }
        defer { try? queue.close() }
        return try? queue.read { db in
            let oldest = try Row.fetchOne(
                db,
                sql: """
                    SELECT timestamp FROM txn_log WHERE parcel IS NULL OR parcel NOT IN (\(TransactionStore.setAside))
                    ORDER BY id LIMIT 1
                    """)
            return LaneContents(counts: try TransactionStore.counts(db), oldest: oldest?.time(0))
        }
    }
}
#endif
