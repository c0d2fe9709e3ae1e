// HOT PATH — lines are written where they stay until their sink has them.

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Room for lines in one piece of memory: where each ends, when it was said and its sequence, and behind that their bytes.
/// Whoever holds it last lets it go.
///
/// `@unchecked`: one thread writes it, and gives it away for others to read.
@usableFromInline
struct LineStorage: @unchecked Sendable {
    /// Of the bytes.
    @usableFromInline private(set) var start: UnsafeMutablePointer<UInt8>
    @usableFromInline private(set) var capacity: Int
    @usableFromInline var count = 0
    /// Offsets behind each line's newline.
    private(set) var ends: UnsafeMutablePointer<Int>
    /// When each line's event was said.
    private(set) var times: UnsafeMutablePointer<LogTime>
    private(set) var sequences: UnsafeMutablePointer<UInt64>
    private(set) var lineCapacity: Int
    private(set) var lineCount = 0

    init(capacity: Int, lineCapacity: Int) {
        let fieldBytes = lineCapacity * MemoryLayout<UInt64>.stride
        precondition(MemoryLayout<LogTime>.stride == MemoryLayout<UInt64>.stride)
        let memory = Self.allocate(byteCount: 3 * fieldBytes + capacity)
        ends = memory.bindMemory(to: Int.self, capacity: lineCapacity)
        times = (memory + fieldBytes).bindMemory(to: LogTime.self, capacity: lineCapacity)
        sequences = (memory + 2 * fieldBytes).bindMemory(to: UInt64.self, capacity: lineCapacity)
        start = (memory + 3 * fieldBytes).bindMemory(to: UInt8.self, capacity: capacity)
        (self.capacity, self.lineCapacity) = (capacity, lineCapacity)
    }

    func deallocate() {
        let memory = UnsafeMutableRawPointer(ends), byteCount = 3 * lineCapacity * MemoryLayout<UInt64>.stride + capacity
        if Self.isMapped(byteCount) { munmap(memory, byteCount) } else { memory.deallocate() }
    }

    /// Large pieces come from the system and go back to it: any caller's thread may make them, and what `malloc` has given one it keeps for
    /// that thread.
    private static func isMapped(_ byteCount: Int) -> Bool { byteCount >= LineMemory.keptCapacity }

    private static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
        guard isMapped(byteCount) else { return .allocate(byteCount: byteCount, alignment: MemoryLayout<UInt64>.alignment) }
        let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard let memory, memory != MAP_FAILED else { fatalError("no memory for \(byteCount) bytes of lines") }
        return memory
    }

    /// The same lines with more room; the memory moves.
    mutating func move(toCapacity capacity: Int, lineCapacity: Int) {
        var moved = LineStorage(capacity: capacity, lineCapacity: lineCapacity)
        moved.append(self, 0..<lineCount)
        // Also what was written of a line that has not ended.
        (moved.start + moved.count).update(from: start + moved.count, count: count - moved.count)
        moved.count = count
        deallocate()
        self = moved
    }

    /// Says that a line ends behind what was written.
    @inline(__always)
    mutating func endLine(_ time: LogTime, _ sequence: UInt64) {
        if _slowPath(lineCount == lineCapacity) { move(toCapacity: capacity, lineCapacity: lineCapacity * 2) }
        ends[lineCount] = count
        times[lineCount] = time
        sequences[lineCount] = sequence
        lineCount &+= 1
    }

    /// Where the bytes of some lines are.
    func range(of places: Range<Int>) -> Range<Int> {
        (places.lowerBound == 0 ? 0 : ends[places.lowerBound - 1])..<(places.isEmpty ? 0 : ends[places.upperBound - 1])
    }

    /// Copies lines, for which there is room.
    mutating func append(_ other: LineStorage, _ places: Range<Int>) {
        if places.isEmpty { return }
        let range = other.range(of: places), shift = count - range.lowerBound
        precondition(count + range.count <= capacity && lineCount + places.count <= lineCapacity)
        (start + count).update(from: other.start + range.lowerBound, count: range.count)
        for (line, place) in places.enumerated() { ends[lineCount + line] = other.ends[place] + shift }
        (times + lineCount).update(from: other.times + places.lowerBound, count: places.count)
        (sequences + lineCount).update(from: other.sequences + places.lowerBound, count: places.count)
        count += range.count
        lineCount += places.count
    }

    mutating func removeAll() { (count, lineCount) = (0, 0) }
}
