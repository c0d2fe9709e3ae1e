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
/// The first lane is the path itself, the others are its siblings, `<path>.lane-1` and so on. An emptied lane stays where it is, for
/// the next process that needs one.
final class StoreLanes: Sendable {
    /// Processes that may write at the same time.
    static let maximumCount = 64
    /// How often the lanes of others are looked at.
    static let lookAgain = Duration.seconds(30)

    private struct State {
        /// Of those who have gone, the lowest first.
        var adopted: [TransactionStore] = []
        /// Lanes that could not be taken over, of which it was said.
        var troubled: Set<String> = []
        var nextLook: UInt64 = 0
        var isClosed = false
    }

    /// What this process writes to.
    let own: TransactionStore
    /// Nil where the store is for one process alone.
    private let path: String?
    private let clock: LogClock
    private let open: @Sendable (StoreFile) throws(TransactionStoreError) -> TransactionStore
    private let state = Locked(State())
    /// The thread that takes lanes over, deletes in them or lets them go. There is one at a time: a lane that another holds for a moment
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
        guard sharing == .siblings else {
            self.path = nil
            own = try open(try StoreFile(path))
            return
        }
        self.path = path
        own = try Self.firstFree(of: path, open)
        if own.path != path { LogDiagnostics.report("transactions", "\(path) is in use by another process; this one writes to \(own.path)") }
    }

    /// Passes over lanes that others have, and siblings that cannot be opened, of which the first is said.
    /// - Throws: Why the path itself cannot be opened, or the first of its siblings, where no other is free.
    private static func firstFree(
        of path: String, _ open: (StoreFile) throws(TransactionStoreError) -> TransactionStore
    ) throws(TransactionStoreError) -> TransactionStore {
        var failure: TransactionStoreError?
        for number in 0..<maximumCount {
            do throws(TransactionStoreError) {
                guard let file = try Self.lock(Self.path(ofLane: number, of: path)) else { continue }
                return try open(file)
            } catch {
                if number == 0 { throw error }
                if failure == nil { LogDiagnostics.report("transactions", "a store beside \(path) is passed over: \(error)") }
                failure = failure ?? error
            }
        }
        throw failure ?? TransactionStoreError.storeLocked(path: path)
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

    // MARK: Those who have gone

    /// Opens every lane in which somebody who has gone has left entries to be delivered. What cannot be opened is said once, and left
    /// alone.
    func takeOver() { takeOver { $0.contains(Self.pending) } }

    private static let pending = "FROM txn_log WHERE parcel IS NULL OR parcel NOT IN (SELECT number FROM parcel WHERE state = 1)"

    private func takeOver(_ isWanted: (StoreFile) -> Bool) { alone { adoptLanes(isWanted) } }

    /// Waits until no other thread is at work on the lanes. No lock is held meanwhile: what hears of a recovery may come here again.
    private func alone<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        let thread = LogThread.currentNumber
        let isAtWork = worker.withLock { access in
            if access.value == thread { return true }
            while access.value != nil { access.wait() }
            access.value = thread
            return false
        }
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

    private func adoptLanes(_ isWanted: (StoreFile) -> Bool) {
        guard let path, !state.withLock({ $0.isClosed }) else { return }
        for number in 0..<Self.maximumCount {
            let lane = Self.path(ofLane: number, of: path)
            guard lane != own.path, access(lane, F_OK) == 0 else { continue }
            do throws(TransactionStoreError) {
                guard let file = try Self.lock(lane), isWanted(file) else { continue }
                adopt(try open(file))
            } catch {
                let isNew = state.withLock { $0.troubled.insert(lane).inserted }
                if isNew { LogDiagnostics.report("transactions", "what another process has left cannot be taken over: \(error)") }
            }
        }
        let next = clock.monotonicNanoseconds() + UInt64(Self.lookAgain.wholeNanoseconds)
        state.withLock { $0.nextLook = next }
    }

    private func adopt(_ store: TransactionStore) {
        let isLate = state.withLock { state in
            if !state.isClosed { state.adopted.append(store) }
            return state.isClosed
        }
        if isLate { store.close() }
    }

    /// The first parcel that a store gives: those of others first, and let go of when they are empty.
    /// - Throws: Why one of the others could not be read, once there is nothing else to send.
    func nextParcel(
        _ parcel: (TransactionStore) throws(TransactionStoreError) -> StoredParcel?
    ) throws(TransactionStoreError) -> (store: TransactionStore, parcel: StoredParcel)? {
        if state.withLock({ $0.nextLook <= clock.monotonicNanoseconds() }) { takeOver() }
        var failure: TransactionStoreError?
        for store in state.withLock({ $0.adopted }) {
            do throws(TransactionStoreError) {
                if let parcel = try parcel(store) { return (store, parcel) }
                alone {
                    state.withLock { state in state.adopted.removeAll { $0 === store } }
                    store.close()
                }
            } catch {
                failure = failure ?? error
            }
        }
        if let parcel = try parcel(own) { return (own, parcel) }
        if let failure { throw failure }
        return nil
    }

    // MARK: All of them

    func pendingCount() throws(TransactionStoreError) -> Int {
        var count = try own.pendingCount()
        for store in state.withLock({ $0.adopted }) {
            do throws(TransactionStoreError) { count += try store.pendingCount() } catch .closed {}   // empty, and let go of meanwhile
        }
        return count
    }

    /// When the oldest entry was said that waits to be delivered; nil when none does.
    func oldestPending() throws(TransactionStoreError) -> LogTime? {
        var oldest = try own.oldestPending()
        for store in state.withLock({ $0.adopted }) {
            do throws(TransactionStoreError) {
                guard let time = try store.oldestPending() else { continue }
                oldest = min(oldest ?? time, time)
            } catch .closed {}   // empty, and let go of meanwhile
        }
        return oldest
    }

    /// Deletes everything here, and in the lanes of those who have gone.
    /// - Throws: The first failure; what it was not about is deleted all the same.
    func deleteAll() throws(TransactionStoreError) {
        try alone { () throws(TransactionStoreError) in
            takeOver { $0.contains("FROM txn") }
            var failure: TransactionStoreError?
            do throws(TransactionStoreError) { try own.deleteAll() } catch { failure = error }
            for store in state.withLock({ $0.adopted }) {
                // The transactions of this process are ended by now: new ones may have begun.
                do throws(TransactionStoreError) { try store.deleteAll(endsTransactions: false) } catch .closed {} catch {
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
        }
    }

    func close() {
        let adopted = state.withLock { state in
            defer { state.adopted = [] }
            state.isClosed = true
            return state.adopted
        }
        for store in adopted { store.close() }
        own.close()
    }
}

extension StoreFile {
    /// Whether the database has such a row; also when that cannot be seen without changing the file.
    fileprivate func contains(_ rows: String) -> Bool {
        var configuration = Configuration()
        configuration.readonly = true
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else { return true }
        defer { try? queue.close() }
        let found = try? queue.read { db in try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 \(rows))") }
        return found ?? true
    }
}
#endif
