/// Consecutive events of a chunk, as one queue holds them.
struct ChunkRun<Chunk: QueueChunk>: Sendable {
    let chunk: Chunk
    /// Where they are in the chunk.
    private(set) var places: Range<Int>
    /// How many providers stand between the application and what was said.
    let nesting: UInt32
    /// Whether they may use the reserved room of a queue.
    let isPrivileged: Bool

    init(_ chunk: Chunk, _ places: Range<Int>, nesting: UInt32, isPrivileged: Bool) {
        self.chunk = chunk
        self.places = places
        self.nesting = nesting
        self.isPrivileged = isPrivileged
    }

    var count: Int { places.count }
    var isWholeChunk: Bool { count == chunk.count }
    var estimatedBytes: Int { chunk.estimatedBytes(of: places) }
    func stamp(at place: Int) -> PendingSlot.Stamp { PendingSlot.Stamp(sequence: chunk.sequence(at: place), time: chunk.time(at: place)) }

    /// Takes events off the beginning.
    mutating func removeFirst(_ count: Int) -> ChunkRun {
        var first = self
        first.places = places.lowerBound..<places.lowerBound + count
        places = first.places.upperBound..<places.upperBound
        return first
    }

    /// The same in memory of its own, where most of the chunk belongs to others: a queue that hears little keeps little.
    var compacted: ChunkRun {
        if isWholeChunk || estimatedBytes * 2 >= chunk.estimatedBytes(of: 0..<chunk.count) { return self }
        return ChunkRun(chunk.copy(of: places), 0..<count, nesting: nesting, isPrivileged: isPrivileged)
    }
}

typealias LineRun = ChunkRun<LineChunk>
typealias EventRun = ChunkRun<EventChunk>

extension EventRun {
    init(_ event: LogEvent) {
        self.init(EventChunk([event]), 0..<1, nesting: event.nesting, isPrivileged: event.isPrivileged)
    }
}
