// HOT PATH — lines are written where they stay until their sink has them.

/// Memory that grows, for the lines of one layout. Used by one thread at a time.
@usableFromInline
package final class LineMemory: @unchecked Sendable {
    /// Room of a new one, in bytes; also what is kept of it.
    static let keptCapacity = DistributionRound.maximumBytes + (4 << 10)
    /// Room of a new one in lines.
    private static let lineCapacity = DistributionRound.maximumCount
    /// Behind a pointer, because the fields of an object are checked at every access.
    @usableFromInline let storage: UnsafeMutablePointer<LineStorage>
    private let pool = LinePool()

    init() {
        storage = .allocate(capacity: 1)
        storage.initialize(to: LineStorage(capacity: Self.keptCapacity, lineCapacity: Self.lineCapacity))
    }

    deinit {
        storage.pointee.deallocate()
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

    /// Forgets what was written beyond so many bytes.
    @inlinable
    @inline(__always)
    package func shorten(to count: Int) { storage.pointee.count = count }

    /// Makes room for more behind what was written; the memory may move.
    package func grow(by count: Int) {
        let needed = storage.pointee.count + count
        if needed <= storage.pointee.capacity { return }
        storage.pointee.move(
            toCapacity: max(needed, storage.pointee.capacity * 2), lineCapacity: storage.pointee.lineCapacity)
    }

    /// Lines written so far.
    var lineCount: Int { storage.pointee.lineCount }

    /// Says that a line ends here.
    @inline(__always)
    func endLine(_ time: LogTime, _ sequence: UInt64) { storage.pointee.endLine(time, sequence) }

    /// Everything that was written, which is forgotten here.
    func take() -> LineChunk {
        let written = storage.pointee
        if written.lineCount == 0 { return .empty }
        // A few lines that wait for their turn do not hold the room of many. What had to grow is never used again.
        if written.count < Self.keptCapacity / 2, written.capacity == Self.keptCapacity {
            storage.pointee.removeAll()
            return LineChunk(copying: 0..<written.lineCount, of: written)
        }
        storage.pointee = pool.take() ?? LineStorage(capacity: Self.keptCapacity, lineCapacity: Self.lineCapacity)
        return LineChunk(written, pool: pool)
    }
}
