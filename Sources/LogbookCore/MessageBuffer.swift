// HOT PATH — the pieces of a message, in memory that each thread uses again: no allocation per message.
internal import CLogbookSystem

/// Words of a message; see ``MessageWord``. Written by one interpolation, never changed afterwards.
@usableFromInline
final class MessageBuffer: @unchecked Sendable {
    /// Room of a new buffer, in words: 1 KiB. There is always room for a multiple of eight.
    static let initialCapacity = 128
    /// The largest buffer a thread keeps for its next message; larger ones are freed.
    static let maximumKeptCapacity = 2048

    @usableFromInline
    struct Storage {
        var words: UnsafeMutablePointer<UInt64>
        var capacity: Int
        /// Behind what was written.
        @usableFromInline var end: UnsafeMutablePointer<UInt64>
        var isMarked = false
    }
    /// Behind a pointer, because the fields of an object are checked at every access.
    @usableFromInline let storage: UnsafeMutablePointer<Storage>

    var start: UnsafeMutablePointer<UInt64> { storage.pointee.words }
    var end: UnsafeMutablePointer<UInt64> { storage.pointee.words + storage.pointee.capacity }
    var words: MessageWords {
        // The end is never before the start, which the compiler cannot know.
        let bytes = UInt(bitPattern: storage.pointee.end) &- UInt(bitPattern: storage.pointee.words)
        return MessageWords(words: UnsafeBufferPointer(start: storage.pointee.words, count: Int(truncatingIfNeeded: bytes >> 3)))
    }
    /// Whether some of it is private or secret.
    var isMarked: Bool {
        get { storage.pointee.isMarked }
        set { storage.pointee.isMarked = newValue }
    }

    private init() {
        storage = .allocate(capacity: 1)
        let words = UnsafeMutablePointer<UInt64>.allocate(capacity: Self.initialCapacity)
        storage.initialize(to: Storage(words: words, capacity: Self.initialCapacity, end: words))
    }

    deinit {
        storage.pointee.words.deallocate()
        storage.deallocate()
    }

    /// The thread's buffer when it is at home, otherwise a new one: inside an interpolation, another one is open.
    static func take() -> MessageBuffer {
        guard let kept = logbook_buffer_take() else { return MessageBuffer() }
        return Unmanaged<MessageBuffer>.fromOpaque(kept).takeRetainedValue()
    }

    /// Keeps the buffer for the thread's next message, unless somebody else still holds it.
    @inline(__always)
    static func giveBack(_ buffer: consuming MessageBuffer) {
        guard isKnownUniquelyReferenced(&buffer), buffer.storage.pointee.capacity <= maximumKeptCapacity else { return }
        buffer.isMarked = false
        let opaque = Unmanaged.passRetained(consume buffer).toOpaque()
        let isKept = logbook_buffer_keep(opaque) { Unmanaged<MessageBuffer>.fromOpaque($0!).release() }
        if !isKept { Unmanaged<MessageBuffer>.fromOpaque(opaque).release() }
    }

    /// Says how far it was written.
    @inlinable
    @inline(__always)
    func finish(at next: UnsafeMutablePointer<UInt64>) { storage.pointee.end = next }

    /// Makes room for so many words more.
    /// - Parameter next: How far it was written; moves with the memory.
    func grow(by count: Int, next: inout UnsafeMutablePointer<UInt64>) {
        let used = next - start
        if used + count <= storage.pointee.capacity { return }
        let capacity = (max(used + count, storage.pointee.capacity * 2) + 7) & ~7
        let moved = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
        moved.update(from: start, count: used)
        start.deallocate()
        storage.pointee.words = moved
        storage.pointee.capacity = capacity
        next = moved + used
    }
}
