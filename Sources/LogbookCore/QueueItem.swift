/// What a queue holds in one place: an event, or lines.
enum QueueItem: Sendable {
    case event(LogEvent)
    case lines(LineRun)

    /// Events that it stands for.
    var count: Int {
        switch self {
        case .event: 1
        case .lines(let run): run.count
        }
    }

    var estimatedBytes: Int {
        switch self {
        case .event(let event): event.estimatedBytes
        case .lines(let run): run.estimatedBytes
        }
    }

    /// Whether it may use the reserved room of a queue.
    var isPrivileged: Bool {
        switch self {
        case .event(let event): event.isPrivileged
        case .lines(let run): run.isPrivileged
        }
    }

    /// How many providers stand between the application and what was said.
    var nesting: UInt32 {
        switch self {
        case .event(let event): event.nesting
        case .lines(let run): run.nesting
        }
    }

    /// Takes so many events off the beginning, fewer than ``count``.
    mutating func removeFirst(_ count: Int) -> QueueItem {
        guard case .lines(var run) = self else { preconditionFailure("an event is not divided") }
        let first = run.removeFirst(count)
        self = .lines(run)
        return .lines(first)
    }
}

extension ArraySlice<QueueItem> {
    var events: [LogEvent] {
        compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    var eventCount: Int { reduce(0) { $0 + $1.count } }

    /// Without so many events at the beginning.
    func droppingEvents(_ count: Int) -> ArraySlice<QueueItem> {
        var rest = self, left = count
        while left > 0, var first = rest.popFirst() {
            if first.count <= left {
                left -= first.count
            } else {
                _ = first.removeFirst(left)
                return [first] + rest
            }
        }
        return rest
    }

    /// The lines in one piece.
    var lines: LineChunk {
        if count == 1, case .lines(let run)? = first, run.count == run.chunk.ends.count {
            return run.chunk
        }
        var bytes: [UInt8] = [], ends: [Int] = [], times: [LogTime] = [], sequences: [UInt64] = []
        ends.reserveCapacity(eventCount)
        for case .lines(let run) in self {
            let range = run.range, offset = bytes.count - range.lowerBound
            for end in run.chunk.ends[run.lines] { ends.append(end + offset) }
            times += run.chunk.times[run.lines]
            sequences += run.chunk.sequences[run.lines]
            bytes.append(contentsOf: run.chunk.bytes[range])
        }
        return LineChunk(bytes, ends: ends, times: times, sequences: sequences)
    }
}
