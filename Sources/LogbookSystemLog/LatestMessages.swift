/// Counts what was sent over a connection in the latest second or two: what may not have been read when it breaks.
struct LatestMessages {
    /// How many messages may be lost.
    struct Doubt: Sendable {
        var count = 0
        /// More went over the connection, and nobody knows what became of those either.
        var isLeast = false
    }

    private var start: UInt64 = 0
    private var current = 0
    private var earlier = 0
    /// All that this connection was given.
    private var sent = 0
    private var doubtful = Doubt()

    private static let span: UInt64 = 1_000_000_000

    /// Over another connection now.
    mutating func beginAnew() { (start, current, earlier, sent) = (0, 0, 0, 0) }

    /// - Parameter now: On the monotonic clock.
    mutating func add(at now: UInt64) {
        let age = now - min(now, start)
        if age >= Self.span {
            earlier = age < 2 * Self.span ? current : 0
            (start, current) = (now, 0)
        }
        current += 1
        sent += 1
    }

    /// The connection broke, or was given up.
    mutating func doubt() {
        let latest = earlier + current
        doubtful.count += latest
        if sent > latest { doubtful.isLeast = true }
        beginAnew()
    }

    /// How many may be lost that were not asked for yet.
    mutating func takeDoubtful() -> Doubt {
        defer { doubtful = Doubt() }
        return doubtful
    }
}
