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
/// `@unchecked`: its memory changes hands when nobody holds it any more, and at no other time.
final class LineChunk: QueueChunk, @unchecked Sendable {
    private var memory: [UInt8]
    private let pool: LinePool?
    var bytes: [UInt8] { memory }
    /// Offsets behind each line's newline.
    let ends: [Int]
    /// When each line's event was said.
    let times: [LogTime]
    let sequences: [UInt64]

    /// - Parameter pool: Where the bytes come from.
    init(_ bytes: [UInt8], ends: [Int], times: [LogTime], sequences: [UInt64], pool: LinePool? = nil) {
        memory = bytes
        self.pool = pool
        self.ends = ends
        self.times = times
        self.sequences = sequences
    }

    deinit {
        guard let pool else { return }
        var bytes: [UInt8] = []
        swap(&bytes, &memory)   // nobody else holds it: what is put into it next is not copied
        pool.give(bytes)
    }

    var count: Int { ends.count }
    func sequence(at place: Int) -> UInt64 { sequences[place] }
    func time(at place: Int) -> LogTime { times[place] }

    /// Where the bytes of some lines are.
    func range(of places: Range<Int>) -> Range<Int> {
        (places.lowerBound == 0 ? 0 : ends[places.lowerBound - 1])..<(places.isEmpty ? 0 : ends[places.upperBound - 1])
    }

    /// Their bytes and a fixed share each.
    func estimatedBytes(of places: Range<Int>) -> Int { places.isEmpty ? 0 : range(of: places).count + 32 * places.count }

    func copy(of places: Range<Int>) -> LineChunk {
        let range = range(of: places)
        return LineChunk(
            Array(bytes[range]), ends: ends[places].map { $0 - range.lowerBound }, times: Array(times[places]),
            sequences: Array(sequences[places]))
    }
}

/// Events as they are; shared by the queues of every registration that wants those.
final class EventChunk: QueueChunk {
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
