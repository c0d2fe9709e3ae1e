/// What a queue holds in one place: events of one nesting, as they are or as lines.
enum QueueItem: Sendable {
    case events(EventRun)
    case lines(LineRun)

    var count: Int {
        switch self {
        case .events(let run): run.count
        case .lines(let run): run.count
        }
    }

    var estimatedBytes: Int {
        switch self {
        case .events(let run): run.estimatedBytes
        case .lines(let run): run.estimatedBytes
        }
    }

    var isPrivileged: Bool {
        switch self {
        case .events(let run): run.isPrivileged
        case .lines(let run): run.isPrivileged
        }
    }

    var nesting: UInt32 {
        switch self {
        case .events(let run): run.nesting
        case .lines(let run): run.nesting
        }
    }

    /// Of its first event, and of its last.
    var firstStamp: PendingSlot.Stamp {
        switch self {
        case .events(let run): run.stamp(at: run.places.lowerBound)
        case .lines(let run): run.stamp(at: run.places.lowerBound)
        }
    }
    var lastStamp: PendingSlot.Stamp {
        switch self {
        case .events(let run): run.stamp(at: run.places.upperBound - 1)
        case .lines(let run): run.stamp(at: run.places.upperBound - 1)
        }
    }

    /// In memory of its own, where most of what it holds on to belongs to others.
    var compacted: QueueItem {
        switch self {
        case .events(let run): .events(run.compacted)
        case .lines(let run): .lines(run.compacted)
        }
    }

    /// Takes so many events off the beginning.
    mutating func removeFirst(_ count: Int) -> QueueItem {
        switch self {
        case .events(var run):
            let first = run.removeFirst(count)
            self = .events(run)
            return .events(first)
        case .lines(var run):
            let first = run.removeFirst(count)
            self = .lines(run)
            return .lines(first)
        }
    }
}

extension ArraySlice<QueueItem> {
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

    /// So many events at the beginning alone.
    func firstEvents(_ count: Int) -> ArraySlice<QueueItem> {
        var events: ArraySlice<QueueItem> = [], left = count
        for var item in self where left > 0 {
            if item.count > left { item = item.removeFirst(left) }
            events.append(item)
            left -= item.count
        }
        return events
    }

    /// The events in one piece.
    var events: [LogEvent] {
        if count == 1, case .events(let run)? = first, run.isWholeChunk { return run.chunk.events }
        var events: [LogEvent] = []
        events.reserveCapacity(eventCount)
        for case .events(let run) in self { events += run.chunk.events[run.places] }
        return events
    }

    /// The lines in one piece.
    var lines: LineChunk {
        if count == 1, case .lines(let run)? = first, run.isWholeChunk { return run.chunk }
        return LineChunk(
            joining: compactMap { item in
                if case .lines(let run) = item { run } else { nil }
            })
    }
}
