/// How many of the oldest are removed at a time where more is stored than may be. What room one of them takes is only seen once it is gone:
/// so the first step is one of them, each further one at most twice as many as the one before, and no step is to free more than half of
/// what is still too much.
struct RemovalPace {
    /// Bytes that are to be left.
    let target: Int
    /// How many to remove next, 1 or more.
    private(set) var step = 1
    private let most: Int
    private let first: Int
    private var latest: Int
    private var removed = 0

    /// - Parameters:
    ///   - stored: Bytes that are stored now.
    ///   - most: Of one step at most.
    init(from stored: Int, to target: Int, most: Int) {
        (first, latest, self.target, self.most) = (stored, stored, target, most)
    }

    /// - Parameters:
    ///   - isEmpty: Whether the latest step has found nothing that could go.
    ///   - stored: Bytes that are stored now, with what came meanwhile.
    mutating func note(isEmpty: Bool, leaving stored: Int) {
        // The names of parcels take room as well.
        if !isEmpty || stored < latest { removed += step }
        latest = stored
        let twice = step > most / 2 ? most : step * 2
        let freed = Double(first - stored), half = Double(stored - target) / 2
        let fitting = freed > 0 && removed > 0 ? half * Double(removed) / freed : .infinity
        step = max(1, fitting < Double(twice) ? Int(fitting) : twice)
    }
}
