/// Counts what was sent over a connection in the latest second or two: what may not have been read when it breaks.
struct LatestMessages {
    private var start: UInt64 = 0
    private var current = 0
    private var earlier = 0
    private var doubtful = 0

    private static let span: UInt64 = 1_000_000_000

    /// Over another connection now.
    mutating func beginAnew() { (start, current, earlier) = (0, 0, 0) }

    /// - Parameter now: On the monotonic clock.
    mutating func add(at now: UInt64) {
        let age = now - min(now, start)
        if age >= Self.span {
            earlier = age < 2 * Self.span ? current : 0
            (start, current) = (now, 0)
        }
        current += 1
    }

    /// The connection broke.
    mutating func doubt() {
        doubtful += earlier + current
        beginAnew()
    }

    /// How many may be lost that were not asked for yet.
    mutating func takeDoubtful() -> Int {
        defer { doubtful = 0 }
        return doubtful
    }
}
