// HOT PATH — lines are written where they stay until their chunk is made.

/// Memory that grows, for the lines of one layout. Used by one thread at a time.
@usableFromInline
package final class LineMemory: @unchecked Sendable {
    @usableFromInline
    struct Storage {
        @usableFromInline var start: UnsafeMutablePointer<UInt8>
        @usableFromInline var capacity: Int
        @usableFromInline var count = 0
        var lines: UnsafeMutablePointer<Line>
        var lineCapacity: Int
        var lineCount = 0
    }
    struct Line {
        let end: Int
        let time: LogTime
        let sequence: UInt64
    }
    /// Room of a new one, and what is kept of it, in bytes.
    private static let keptCapacity = DistributionRound.maximumBytes + (4 << 10)
    /// Room of a new one in lines.
    private static let lineCapacity = DistributionRound.maximumCount
    /// Behind a pointer, because the fields of an object are checked at every access.
    @usableFromInline let storage: UnsafeMutablePointer<Storage>
    private let pool = LinePool()

    init() {
        storage = .allocate(capacity: 1)
        storage.initialize(
            to: Storage(
                start: .allocate(capacity: Self.keptCapacity), capacity: Self.keptCapacity,
                lines: .allocate(capacity: Self.lineCapacity), lineCapacity: Self.lineCapacity))
    }

    deinit {
        storage.pointee.start.deallocate()
        storage.pointee.lines.deallocate()
        storage.deallocate()
    }

    /// Bytes written so far.
    @inlinable
    @inline(__always)
    package var count: Int { storage.pointee.count }
    /// Where the next byte goes, and the end of the room.
    @inlinable
    @inline(__always)
    package var next: UnsafeMutablePointer<UInt8> { storage.pointee.start + storage.pointee.count }
    @inlinable
    @inline(__always)
    package var end: UnsafeMutablePointer<UInt8> { storage.pointee.start + storage.pointee.capacity }

    /// Says how far it was written.
    @inlinable
    @inline(__always)
    package func finish(at next: UnsafeMutablePointer<UInt8>) { storage.pointee.count = next - storage.pointee.start }

    /// Makes room for more behind what was written; the memory may move.
    package func grow(by count: Int) {
        let needed = storage.pointee.count + count
        if needed <= storage.pointee.capacity { return }
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: max(needed, storage.pointee.capacity * 2))
        moved.update(from: storage.pointee.start, count: storage.pointee.count)
        storage.pointee.start.deallocate()
        storage.pointee.start = moved
        storage.pointee.capacity = max(needed, storage.pointee.capacity * 2)
    }

    /// Lines written so far.
    var lineCount: Int { storage.pointee.lineCount }

    /// Says that a line ends here.
    @inline(__always)
    func endLine(_ time: LogTime, _ sequence: UInt64) {
        if _slowPath(storage.pointee.lineCount == storage.pointee.lineCapacity) { growLines() }
        storage.pointee.lines[storage.pointee.lineCount] = Line(end: storage.pointee.count, time: time, sequence: sequence)
        storage.pointee.lineCount &+= 1
    }

    @inline(never)
    private func growLines() {
        let capacity = storage.pointee.lineCapacity * 2
        let moved = UnsafeMutablePointer<Line>.allocate(capacity: capacity)
        moved.update(from: storage.pointee.lines, count: storage.pointee.lineCount)
        storage.pointee.lines.deallocate()
        storage.pointee.lines = moved
        storage.pointee.lineCapacity = capacity
    }

    /// Everything that was written, which is forgotten here.
    func take() -> LineChunk {
        let lines = UnsafeBufferPointer(start: storage.pointee.lines, count: storage.pointee.lineCount)
        let written = UnsafeBufferPointer(start: storage.pointee.start, count: storage.pointee.count)
        // A few lines that wait for their turn do not hold the room of many.
        let isPooled = (Self.keptCapacity / 2...Self.keptCapacity).contains(written.count)
        var bytes = isPooled ? pool.take(room: Self.keptCapacity) : []
        bytes.append(contentsOf: written)
        let chunk = LineChunk(
            bytes, ends: lines.map(\.end), times: lines.map(\.time), sequences: lines.map(\.sequence), pool: isPooled ? pool : nil)
        storage.pointee.count = 0
        storage.pointee.lineCount = 0
        if storage.pointee.capacity > Self.keptCapacity {
            storage.pointee.start.deallocate()
            storage.pointee.start = .allocate(capacity: Self.keptCapacity)
            storage.pointee.capacity = Self.keptCapacity
        }
        return chunk
    }
}
