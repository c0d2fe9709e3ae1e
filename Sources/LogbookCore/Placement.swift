internal import Synchronization

/// Those who have to be done with an event before it is placed, where they are several: its views on their way to queues, and the caller
/// while it gives the event to immediate providers.
final class Placement: Sendable {
    private let left: Atomic<Int>

    init(parties: Int) { left = Atomic(parties) }

    /// One of them is done.
    /// - Returns: Whether it was the last.
    func isDone() -> Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
