internal import Synchronization

/// Numbers that are given once per process: for registrations and queues.
enum Tokens {
    private static let latest = Atomic<UInt64>(0)
    static func next() -> UInt64 { latest.add(1, ordering: .relaxed).newValue }
}
