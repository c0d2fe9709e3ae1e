/// What a provider has lost of what it had taken care of, by its own count, and nobody was told of yet.
struct LaterLosses {
    /// By reasons, as it was seen last.
    private var known: [DropReason: UInt64]
    private var untold: [DropReason: UInt64] = [:]
    /// When each was told last, on the service's monotonic clock.
    private var told: [DropReason: UInt64] = [:]
    /// Events that the provider was given, without those that tell of losses, and as many when it was told of last: what it is told of losses
    /// may cost it other events, of which nobody is told before something else has come.
    private var given: UInt64 = 0, givenBefore: UInt64 = 0
    /// Whether the service knows that there is something to tell.
    private var isAnnounced = false

    init(_ known: [DropReason: UInt64]) { self.known = known }

    /// - Parameter count: Without what tells of losses.
    mutating func give(_ count: Int) { given += UInt64(count) }

    /// - Returns: Whether the service should be told.
    mutating func see(_ current: [DropReason: UInt64]) -> Bool {
        if current != known {
            for (reason, count) in current {
                let new = count - min(count, known[reason] ?? 0)   // another thread may have seen a later one
                if new > 0 { untold[reason, default: 0] += new }
            }
            known.merge(current, uniquingKeysWith: max)
        }
        guard !untold.isEmpty, given > givenBefore, !isAnnounced else { return false }
        isAnnounced = true
        return true
    }

    /// - Parameter isLast: Whether this is the last occasion: then everything is told.
    /// - Returns: What to tell, and when the rest may be.
    mutating func take(at now: UInt64, isLast: Bool) -> (counts: [(DropReason, UInt64)], next: UInt64?) {
        isAnnounced = false
        guard isLast || given > givenBefore else { return ([], nil) }
        var due: [(DropReason, UInt64)] = [], next: UInt64?
        for (reason, count) in untold {
            let earliest = told[reason].map { $0 + UInt64(LossWatch.spacing.wholeNanoseconds) } ?? 0
            if now >= earliest || isLast { due.append((reason, count)) } else { next = min(next ?? .max, earliest) }
        }
        for (reason, _) in due {
            untold[reason] = nil
            told[reason] = now
        }
        if !due.isEmpty { givenBefore = given }
        isAnnounced = next != nil
        return (due.sorted { $0.0.rawValue < $1.0.rawValue }, next)
    }
}
