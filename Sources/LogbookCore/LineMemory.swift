// HOT PATH — lines are written where they stay until their chunk is made.

/// Memory that grows, for the lines of one layout. Used by one thread at a time.
package final class LineMemory: @unchecked Sendable {
    private struct Storage {
        var start: UnsafeMutablePointer<UInt8>
        var capacity: Int
        var count = 0
    }
    /// Room of a new one, and what is kept of it, in bytes.
    private static let keptCapacity = DistributionRound.maximumBytes + (4 << 10)
    /// Behind a pointer, because the fields of an object are checked at every access.
    private let storage: UnsafeMutablePointer<Storage>

    init() {
        storage = .allocate(capacity: 1)
        storage.initialize(to: Storage(start: .allocate(capacity: Self.keptCapacity), capacity: Self.keptCapacity))
    }

    deinit {
        storage.pointee.start.deallocate()
        storage.deallocate()
    }

    /// Bytes written so far.
    package var count: Int { storage.pointee.count }
    /// Where the next byte goes, and the end of the room.
    package var next: UnsafeMutablePointer<UInt8> { storage.pointee.start + storage.pointee.count }
    package var end: UnsafeMutablePointer<UInt8> { storage.pointee.start + storage.pointee.capacity }

    /// Says how far it was written.
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

    func append(_ bytes: [UInt8]) {
        grow(by: bytes.count)
        next.update(from: bytes, count: bytes.count)
        finish(at: next + bytes.count)
    }

    /// Everything that was written, which is forgotten here.
    func take() -> [UInt8] {
        let bytes = Array(UnsafeBufferPointer(start: storage.pointee.start, count: storage.pointee.count))
        storage.pointee.count = 0
        if storage.pointee.capacity > Self.keptCapacity {
            storage.pointee.start.deallocate()
            storage.initialize(to: Storage(start: .allocate(capacity: Self.keptCapacity), capacity: Self.keptCapacity))
        }
        return bytes
    }
}
