/// Events in the order in which they were said, held together and shared by the queues of several registrations.
protocol QueueChunk: AnyObject, Sendable {
    var count: Int { get }
    func sequence(at place: Int) -> UInt64
    func time(at place: Int) -> LogTime
    /// What some of them hold in memory, by estimate.
    func estimatedBytes(of places: Range<Int>) -> Int
    /// Some of them, in memory of their own.
    func copy(of places: Range<Int>) -> Self
}

/// Lines of one layout, one after the other; shared by the queues of every registration that has the layout.
///
/// `@unchecked`: its memory is written before it is made, and given to others when nobody holds it any more.
final class LineChunk: QueueChunk, @unchecked Sendable {
    static let empty = LineChunk(LineStorage(capacity: 0, lineCapacity: 0))

    private let storage: LineStorage
    private let pool: LinePool?

    /// - Parameter pool: Who takes the storage afterwards.
    init(_ storage: LineStorage, pool: LinePool? = nil) {
        self.storage = storage
        self.pool = pool
    }

    /// Takes no more room than they need.
    convenience init(copying places: Range<Int>, of other: LineStorage) {
        var storage = LineStorage(capacity: other.range(of: places).count, lineCapacity: places.count)
        storage.append(other, places)
        self.init(storage)
    }

    /// A single line.
    convenience init(_ line: [UInt8], _ time: LogTime, _ sequence: UInt64) {
        var storage = LineStorage(capacity: line.count, lineCapacity: 1)
        line.withUnsafeBufferPointer { if let bytes = $0.baseAddress { storage.start.update(from: bytes, count: $0.count) } }
        storage.count = line.count
        storage.endLine(time, sequence)
        self.init(storage)
    }

    /// - Parameter runs: Of lines.
    convenience init(joining runs: [LineRun]) {
        var storage = LineStorage(
            capacity: runs.reduce(0) { $0 + $1.chunk.storage.range(of: $1.places).count }, lineCapacity: runs.reduce(0) { $0 + $1.count })
        for run in runs { storage.append(run.chunk.storage, run.places) }
        self.init(storage)
    }

    deinit {
        if let pool { pool.give(storage) } else { storage.deallocate() }
    }

    var count: Int { storage.lineCount }
    func sequence(at place: Int) -> UInt64 {
        precondition(place < count)
        return storage.sequences[place]
    }
    func time(at place: Int) -> LogTime {
        precondition(place < count)
        return storage.times[place]
    }

    /// Lends all of it.
    func lend<Result>(to body: (LineBatch) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) {
            try body(
                LineBatch(
                    bytes: UnsafeBufferPointer(start: storage.start, count: storage.count),
                    ends: UnsafeBufferPointer(start: storage.ends, count: count),
                    times: UnsafeBufferPointer(start: storage.times, count: count)))
        }
    }

    /// Their bytes and a fixed share each.
    func estimatedBytes(of places: Range<Int>) -> Int { places.isEmpty ? 0 : storage.range(of: places).count + 32 * places.count }

    func copy(of places: Range<Int>) -> LineChunk { LineChunk(copying: places, of: storage) }
}

/// Events as they are; shared by the queues of every registration that wants those.
final class EventChunk: QueueChunk {
    static let empty = EventChunk([])

    let events: [LogEvent]
    /// What the events up to and with each of them hold in memory.
    private let sizes: [Int]

    init(_ events: [LogEvent]) {
        self.events = events
        var size = 0
        sizes = events.map { event in
            size += event.estimatedBytes
            return size
        }
    }

    var count: Int { events.count }
    func sequence(at place: Int) -> UInt64 { events[place].sequence }
    func time(at place: Int) -> LogTime { events[place].time }
    func estimatedBytes(of places: Range<Int>) -> Int {
        places.isEmpty ? 0 : sizes[places.upperBound - 1] - (places.lowerBound == 0 ? 0 : sizes[places.lowerBound - 1])
    }
    func copy(of places: Range<Int>) -> EventChunk { EventChunk(Array(events[places])) }
}
