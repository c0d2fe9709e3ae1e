// HOT PATH — memory in which one message after the other is made of its pieces.

/// Text of the latest message, until the next one is made. Used by one thread at a time.
final class MessageText: @unchecked Sendable {
    private struct Storage {
        var bytes: UnsafeMutablePointer<UInt8>
        var capacity: Int
    }
    /// Room of a new one, and what is kept of it, in bytes.
    private static let keptCapacity = 16 << 10
    private let storage: UnsafeMutablePointer<Storage>

    init() {
        storage = .allocate(capacity: 1)
        storage.initialize(to: Storage(bytes: .allocate(capacity: Self.keptCapacity), capacity: Self.keptCapacity))
    }

    deinit {
        storage.pointee.bytes.deallocate()
        storage.deallocate()
    }

    func make(_ words: MessageWords) -> UnsafeBufferPointer<UInt8> {
        let needed = words.maximumBytes
        if _slowPath(needed > storage.pointee.capacity) { resize(to: needed) }
        return UnsafeBufferPointer(
            start: storage.pointee.bytes, count: words.write(to: storage.pointee.bytes, privacy: .revealed))
    }

    /// Gives back what a long message needed.
    func trim() {
        if storage.pointee.capacity > Self.keptCapacity { resize(to: Self.keptCapacity) }
    }

    private func resize(to capacity: Int) {
        storage.pointee.bytes.deallocate()
        storage.initialize(to: Storage(bytes: .allocate(capacity: capacity), capacity: capacity))
    }
}
