internal import Synchronization

/// Log calls of signal handlers that interrupted the library on the same thread. All that can be done about them there is to count.
final class InterruptedCalls: Sendable {
    struct Kind {
        let level: LogLevel
        let isEntry: Bool
    }

    private static let kinds = LogLevel.allCases.flatMap { [Kind(level: $0, isEntry: false), Kind(level: $0, isEntry: true)] }
    /// One for each kind; behind a pointer because arrays hold no atomics.
    private nonisolated(unsafe) let counts: UnsafeMutablePointer<Atomic<UInt64>>
    private let isEmpty = Atomic<Bool>(true)
    private let settling = Locked(())

    init() {
        counts = .allocate(capacity: Self.kinds.count)
        for kind in Self.kinds.indices { (counts + kind).initialize(to: Atomic(0)) }
    }

    deinit { counts.deallocate() }

    /// The only function of the library that may run where anything was interrupted: no lock, no memory.
    func count(_ level: LogLevel, isEntry: Bool) {
        counts[Int(level.rawValue) * 2 + (isEntry ? 1 : 0)].add(1, ordering: .relaxed)
        isEmpty.store(false, ordering: .releasing)
    }

    /// Enters what was counted since the last time into accounts. While one thread does, others wait: whoever reads an account
    /// afterwards finds all of it there.
    func settle(_ enter: (Kind, _ count: Int) -> Void) {
        settling.withLock { _ in
            if isEmpty.exchange(true, ordering: .acquiring) { return }
            for (place, kind) in Self.kinds.enumerated() {
                let count = counts[place].exchange(0, ordering: .relaxed)
                if count > 0 { enter(kind, Int(count)) }
            }
        }
    }
}
