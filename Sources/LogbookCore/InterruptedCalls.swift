internal import Synchronization

/// Log calls of signal handlers that interrupted the library on the same thread. All that can be done about them there is to count.
final class InterruptedCalls: Sendable {
    struct Kind: Equatable {
        let level: LogLevel
        let isEntry: Bool
    }

    private static let kinds = LogLevel.allCases.count * 2
    private nonisolated(unsafe) let counts: UnsafeMutablePointer<Atomic<UInt64>>
    private let isEmpty = Atomic<Bool>(true)

    init() {
        counts = .allocate(capacity: Self.kinds)
        for kind in 0..<Self.kinds { (counts + kind).initialize(to: Atomic(0)) }
    }

    deinit { counts.deallocate() }

    /// The only function of the library that may run where anything was interrupted: no lock, no memory.
    func count(_ level: LogLevel, isEntry: Bool) {
        (counts + (Int(level.rawValue) * 2 + (isEntry ? 1 : 0))).pointee.add(1, ordering: .relaxed)
        isEmpty.store(false, ordering: .releasing)
    }

    /// What was counted since the last time.
    func take() -> [(kind: Kind, count: Int)] {
        if isEmpty.exchange(true, ordering: .acquiring) { return [] }
        return LogLevel.allCases.flatMap { level in
            [false, true].compactMap { isEntry in
                let count = (counts + (Int(level.rawValue) * 2 + (isEntry ? 1 : 0))).pointee.exchange(0, ordering: .relaxed)
                return count == 0 ? nil : (Kind(level: level, isEntry: isEntry), Int(count))
            }
        }
    }
}
