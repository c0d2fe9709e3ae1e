/// Lines of one layout, one after the other; shared by the queues of every registration that has the layout.
final class LineChunk: Sendable {
    let bytes: [UInt8]
    /// Offsets behind each line's newline.
    let ends: [Int]
    /// When each line's event was said.
    let times: [LogTime]
    let sequences: [UInt64]

    init(_ bytes: [UInt8], ends: [Int], times: [LogTime], sequences: [UInt64]) {
        self.bytes = bytes
        self.ends = ends
        self.times = times
        self.sequences = sequences
    }
}

/// Consecutive lines of a chunk, as one queue holds them.
struct LineRun: Sendable {
    let chunk: LineChunk
    /// Numbers of lines within the chunk.
    private(set) var lines: Range<Int>
    let nesting: UInt32
    let isPrivileged: Bool

    init(_ chunk: LineChunk, _ lines: Range<Int>, nesting: UInt32, isPrivileged: Bool) {
        self.chunk = chunk
        self.lines = lines
        self.nesting = nesting
        self.isPrivileged = isPrivileged
    }

    var count: Int { lines.count }
    /// From the lowest to the highest; there is a line.
    var sequences: ClosedRange<UInt64> {
        chunk.sequences[lines].reduce(chunk.sequences[lines.lowerBound]...chunk.sequences[lines.lowerBound]) {
            min($0.lowerBound, $1)...max($0.upperBound, $1)
        }
    }
    var times: ClosedRange<LogTime> {
        chunk.times[lines].reduce(chunk.times[lines.lowerBound]...chunk.times[lines.lowerBound]) {
            min($0.lowerBound, $1)...max($0.upperBound, $1)
        }
    }
    var range: Range<Int> {
        (lines.lowerBound == 0 ? 0 : chunk.ends[lines.lowerBound - 1])..<(lines.isEmpty ? 0 : chunk.ends[lines.upperBound - 1])
    }
    /// What the lines hold in memory: their bytes and a fixed share each.
    var estimatedBytes: Int { lines.isEmpty ? 0 : range.count + 32 * count }

    /// Takes lines off the beginning.
    mutating func removeFirst(_ count: Int) -> LineRun {
        var first = self
        first.lines = lines.lowerBound..<lines.lowerBound + count
        lines = first.lines.upperBound..<lines.upperBound
        return first
    }

    /// The same in memory of its own, where most of the chunk belongs to others: a queue that hears little keeps little.
    var compacted: LineRun {
        let range = range
        guard range.count * 2 < chunk.bytes.count else { return self }
        let copy = LineChunk(
            Array(chunk.bytes[range]), ends: chunk.ends[lines].map { $0 - range.lowerBound }, times: Array(chunk.times[lines]),
            sequences: Array(chunk.sequences[lines]))
        return LineRun(copy, 0..<count, nesting: nesting, isPrivileged: isPrivileged)
    }
}
