internal import Synchronization

/// How many queues are full and have callers wait. Shared by the queues of one service, looked at by every log call.
final class Pressure: Sendable {
    private let fullQueues = Atomic<Int>(0)

    /// Whether a caller should look who is full.
    @inline(__always)
    var isOn: Bool { fullQueues.load(ordering: .relaxed) > 0 }

    func rise() { fullQueues.add(1, ordering: .relaxed) }
    func fall() { fullQueues.subtract(1, ordering: .relaxed) }
}
