/// How long to leave a failing thing alone: the first pause, doubled each time up to the last.
struct RetryPause: Sendable {
    static let first: UInt64 = 100_000_000
    static let last: UInt64 = 5_000_000_000
    private var next = RetryPause.first
    private var over: UInt64 = 0

    /// - Parameter now: Monotonic nanoseconds.
    func isOver(_ now: UInt64) -> Bool { now >= over }

    /// When it is over, in monotonic nanoseconds.
    var end: UInt64 { over }

    mutating func begin(_ now: UInt64) {
        over = now + next
        next = min(next * 2, Self.last)
    }

    mutating func reset() { self = RetryPause() }
}
