// HOT PATH — nearly every queued line is made this way: out of the ring's memory straight to where it stays.

/// Lays plain records out the short way, and keeps what many of them share. Used by one thread at a time.
package protocol RecordWriter: AnyObject, Sendable {
    /// Appends one record with its newline: the very bytes that its layout would.
    /// - Parameter texts: What is known of the program's literals.
    /// - Returns: False where there is more to the record than the short way knows: nothing was appended.
    func append(_ record: PlainRecord, _ texts: MessageText, to memory: LineMemory) -> Bool
}

/// For layouts without a short way.
final class NoRecordWriter: RecordWriter {
    func append(_ record: PlainRecord, _ texts: MessageText, to memory: LineMemory) -> Bool { false }
}

/// A record that carries everything itself, as it lies in the ring: there only during the call that gets it.
@usableFromInline
package struct PlainRecord {
    @usableFromInline let memory: UnsafeRawPointer

    init(_ memory: UnsafeRawPointer) { self.memory = memory }

    @inlinable
    @inline(__always)
    package func word(_ place: Int) -> UInt64 { memory.load(fromByteOffset: place * 8, as: UInt64.self) }

    @inlinable
    @inline(__always)
    package var nanoseconds: Int64 { Int64(bitPattern: word(2)) }

    /// Two words for a file and a function, and one for line and level: equal for equal places.
    @inlinable
    @inline(__always)
    package var fileWord: UInt64 { word(5) }
    @inlinable
    @inline(__always)
    package var functionWord: UInt64 { word(6) }
    @inlinable
    @inline(__always)
    package var lineAndLevelWord: UInt64 { word(7) & 0xFFFF_FFFF | word(0) & 0xFF_0000_0000 }

    @inlinable
    @inline(__always)
    package var hasMembers: Bool { word(7) >> 48 > 0 }

    /// The metadata, and nothing else of the record.
    package var members: PlainEvent { EventRecord.membersAlone(of: memory) }

    /// Everything but the message.
    package func withoutMessage(_ texts: MessageText) -> PlainEvent { EventRecord.viewWithoutMessage(of: memory, in: texts) }

    /// The words of the message, see ``MessageWord``: where they begin, and how many there are.
    @inlinable
    @inline(__always)
    package var message: UnsafePointer<UInt64> { (memory + 64).assumingMemoryBound(to: UInt64.self) }
    @inlinable
    @inline(__always)
    package var messageWords: Int { Int(truncatingIfNeeded: word(7) >> 32 & 0xFFFF) }
}
