// HOT PATH — `next` and `place` run on the caller's thread.
internal import CLogbookSystem
internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// How many events of a service have a sequence, and how many of them are placed: the immediate providers that hear them have had them, and
/// the queues have them, or have counted them as lost. What is not placed is between the callers and the queues.
///
/// The counts lie in memory of their own or, once losses are recorded, where they outlive the process.
final class LogCounts: Sendable {
    /// Each has cache lines of its own, two, because processors fetch pairs.
    static let bytes = 256
    private static let placedOffset = 128
    /// Above every sequence: the counts are elsewhere by now.
    private static let moved: UInt64 = 1 << 63

    private let address: Atomic<UInt>
    /// Where they were before; 0 unless they have moved. Callers that were slow may still count there.
    private let earlierAddress = Atomic<UInt>(0)
    private nonisolated(unsafe) let own: UnsafeMutableRawPointer
    private let page = Locked<LossPage?>(nil)
    /// Held by who gives the place away, or moves them.
    private let moving = Locked(())
    /// Whether a crash may look at them at any time to come.
    private let isForEver = Atomic<Bool>(false)
    /// Of the process whose events they count.
    private let lineage = Locked(ProcessLineage.current)

    init() {
        own = UnsafeMutableRawPointer.allocate(byteCount: Self.bytes, alignment: Self.placedOffset)
        Self.begin(at: own)
        address = Atomic(UInt(bitPattern: own))
    }

    deinit {
        if !isForEver.load(ordering: .relaxed) { return own.deallocate() }
        if let page = page.withLock({ $0 }) { _ = Unmanaged.passRetained(page) }
    }

    private static func begin(at memory: UnsafeMutableRawPointer) {
        latest(at: memory).initialize(to: Atomic(0))
        placed(at: memory).initialize(to: Atomic(0))
    }

    @inline(__always)
    private static func latest(at memory: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<UInt64>> {
        memory.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    @inline(__always)
    private static func placed(at memory: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (memory + placedOffset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    @inline(__always)
    private var memory: UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(bitPattern: address.load(ordering: .acquiring)).unsafelyUnwrapped
    }

    /// The sequence given last; 0 before the first.
    var latest: UInt64 {
        while true {
            let number = Self.latest(at: memory).pointee.load(ordering: .relaxed)
            if number < Self.moved { return number }
            LogThread.yield()
        }
    }

    /// The next sequence, from 1.
    @inline(__always)
    func next() -> UInt64 {
        let number = Self.latest(at: memory).pointee.wrappingAdd(1, ordering: .relaxed).newValue
        return _fastPath(number < Self.moved) ? number : nextElsewhere()
    }

    @inline(never)
    private func nextElsewhere() -> UInt64 {
        while true {
            let number = Self.latest(at: memory).pointee.wrappingAdd(1, ordering: .relaxed).newValue
            if number < Self.moved { return number }
            LogThread.yield()   // the new place is known in a moment
        }
    }

    /// Says that so many events are placed.
    func place(_ count: Int = 1) {
        let memory = memory
        Self.placed(at: memory).pointee.add(UInt64(count), ordering: .sequentiallyConsistent)
        if _slowPath(address.load(ordering: .sequentiallyConsistent) != UInt(bitPattern: memory)) { bringWhatCameLate() }
    }

    /// Events between the callers and the queues.
    var unplaced: UInt64 {
        let placed = Self.placed(at: memory).pointee.load(ordering: .acquiring)   // first: it can only look too small
        return latest - min(placed, latest)
    }

    /// In a forked child, before its first queue has anything: what its parent had between callers and queues is the parent's.
    func beginAnewInChild() {
        lineage.withLock { lineage in
            if lineage.isCurrent { return }
            lineage = .current
            Self.placed(at: memory).pointee.store(latest, ordering: .releasing)
        }
    }

    // MARK: Outliving the process

    /// Where the counts outlive the process; nil unless losses are recorded in this one.
    var currentPage: LossPage? { page.withLock { $0?.isOfThisProcess == true ? $0 : nil } }

    /// Goes on at another place, without a gap or a sequence that is given twice, whoever counts meanwhile. One thread at a time.
    func move(to page: LossPage) {
        beginAnewInChild()
        moving.withLock { _ in
            bringWhatCameLate()
            let before = memory, new = page.counts
            Self.begin(at: new)
            earlierAddress.store(UInt(bitPattern: before), ordering: .sequentiallyConsistent)
            // Who says something between the two would wait for ever: a signal handler on this thread, or a child of another one.
            var all = sigset_t(), mask = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &mask)
            ProcessLineage.betweenForks {
                let latest = Self.latest(at: before).pointee.exchange(Self.moved, ordering: .acquiringAndReleasing)
                Self.latest(at: new).pointee.store(latest, ordering: .relaxed)
                address.store(UInt(bitPattern: new), ordering: .sequentiallyConsistent)
                logbook_crash_moved(
                    UnsafeRawPointer(before).assumingMemoryBound(to: UInt64.self),
                    UnsafeRawPointer(new).assumingMemoryBound(to: UInt64.self))
            }
            pthread_sigmask(SIG_SETMASK, &mask, nil)
            bringWhatCameLate()
        }
        let earlier = self.page.withLock { current in
            defer { current = page }
            return current
        }
        // A parent's: its memory is this process's own by now, and a caller may still look there.
        if let earlier { _ = Unmanaged.passRetained(earlier) }
    }

    /// Counts here what was counted where the counts were before.
    private func bringWhatCameLate() {
        guard let earlier = UnsafeMutableRawPointer(bitPattern: earlierAddress.load(ordering: .acquiring)) else { return }
        let late = Self.placed(at: earlier).pointee.exchange(0, ordering: .sequentiallyConsistent)
        Self.placed(at: memory).pointee.add(late, ordering: .sequentiallyConsistent)
    }

    /// Says where the latest sequence lies from now on, also when the service has gone.
    func lendForEver<Result>(_ body: (UnsafePointer<UInt64>) -> Result) -> Result {
        moving.withLock { _ in
            isForEver.store(true, ordering: .relaxed)
            return body(UnsafeRawPointer(memory).assumingMemoryBound(to: UInt64.self))
        }
    }

    // MARK: As they lie in memory

    /// What a process that has ended has left of them: the latest sequence, and how many events were not placed.
    /// - Parameter offset: Where they lie.
    static func left(in numbers: LossPage.Numbers, at offset: Int) -> (latest: UInt64, unplaced: UInt64) {
        let latest = numbers[offset], placed = numbers[offset + placedOffset]
        return (latest, latest - min(placed, latest))
    }
}
