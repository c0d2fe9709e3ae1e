/// Events that one registration lost for one reason, one after the other.
struct LossRun: Sendable, Equatable {
    private(set) var count: Int
    /// From the lowest to the highest of them; what lies between was not necessarily lost.
    private(set) var sequences: ClosedRange<UInt64>
    private(set) var times: ClosedRange<LogTime>

    init(_ event: LogEvent) { self.init(sequence: event.sequence, time: event.time) }

    init(sequence: UInt64, time: LogTime) {
        count = 1
        sequences = sequence...sequence
        times = time...time
    }

    /// - Parameter run: One event at least.
    init(_ run: ChunkRun<some QueueChunk>) {
        self.init(sequence: run.chunk.sequence(at: run.places.lowerBound), time: run.chunk.time(at: run.places.lowerBound))
        for place in run.places.dropFirst() {
            merge(LossRun(sequence: run.chunk.sequence(at: place), time: run.chunk.time(at: place)))
        }
    }

    /// - Parameter count: How many of them were lost.
    init(_ count: Int, of batch: LossRun) {
        self = batch
        self.count = count
    }

    mutating func merge(_ other: LossRun) {
        count += other.count
        sequences = min(sequences.lowerBound, other.sequences.lowerBound)...max(sequences.upperBound, other.sequences.upperBound)
        times = min(times.lowerBound, other.times.lowerBound)...max(times.upperBound, other.times.upperBound)
    }
}

extension QueueItem {
    var asLoss: LossRun {
        switch self {
        case .events(let run): LossRun(run)
        case .lines(let run): LossRun(run)
        }
    }
}

extension ArraySlice<QueueItem> {
    /// Everything in it; nil when it is empty.
    var asLoss: LossRun? {
        guard var run = first?.asLoss else { return nil }
        for item in dropFirst() { run.merge(item.asLoss) }
        return run
    }
}
