/// Counts the failures of a sink in a row, and decides when it is left alone.
struct Breaker: Sendable, Equatable {
    /// Failures in a row with which it opens.
    let threshold: Int
    private(set) var failures = 0

    init(threshold: Int) { self.threshold = threshold }

    /// Whether the sink is left alone, but for a try after each pause.
    var isOpen: Bool { failures >= threshold }

    /// - Returns: Whether it opened with this failure.
    mutating func fail() -> Bool {
        if failures < .max { failures += 1 }
        return failures == threshold
    }

    /// - Returns: Whether it was open.
    mutating func succeed() -> Bool {
        defer { failures = 0 }
        return isOpen
    }
}
