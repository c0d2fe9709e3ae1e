// HOT PATH — what a caller leaves in the ring: eight words, and behind them the pieces of the message.

/// An event on its way to the queued registrations, as it lies in the ring's memory: plain words.
struct EventRecord {
    /// Size in the lower half; then level and kind.
    let mark: UInt64
    /// Who hears it; nothing for an object.
    let hearing: Hearing
    let time: LogTime
    let sequence: UInt64
    let thread: UInt64
    /// Addresses and lengths of two literals; the first is the address of the ``SpokenEvent`` where one travels.
    let file: UInt64
    let function: UInt64
    let line: UInt64

    static let bytes = 64
    /// Words of a message that fit behind the header; longer messages travel in a ``SpokenEvent``.
    static let maximumMessageWords = (EventRing.maximumRecordBytes - bytes) / 8

    private static let objectFlag: UInt64 = 1 << 48

    @inline(__always)
    static func mark(bytes: Int, level: LogLevel, isObject: Bool = false) -> UInt64 {
        UInt64(truncatingIfNeeded: bytes) | UInt64(level.rawValue) << 32 | (isObject ? objectFlag : 0)
    }

    /// Address and length in one word; nil where they do not fit.
    @inline(__always)
    static func packed(_ text: StaticText) -> UInt64? {
        let address = UInt64(UInt(bitPattern: text.start)), count = UInt64(truncatingIfNeeded: text.count)
        return address >> 48 == 0 && count >> 16 == 0 ? address << 16 | count : nil
    }

    private static func unpacked(_ word: UInt64) -> StaticText {
        StaticText(start: UnsafePointer(bitPattern: UInt(word >> 16))!, count: Int(word & 0xFFFF))
    }

    @inline(__always)
    var level: LogLevel { LogLevel(rawValue: UInt8(truncatingIfNeeded: mark >> 32))! }
    @inline(__always)
    static func isPrivileged(_ mark: UInt64) -> Bool { UInt8(truncatingIfNeeded: mark >> 32) >= LogLevel.error.rawValue }
    /// The object that travels in the record's place, taken over; once.
    @inline(__always)
    func takeObject() -> SpokenEvent? {
        if _fastPath(mark & Self.objectFlag == 0) { return nil }
        return Unmanaged<SpokenEvent>.fromOpaque(UnsafeRawPointer(bitPattern: UInt(file))!).takeRetainedValue()
    }

    /// The pieces of the message behind a record.
    static func message(of memory: UnsafeRawPointer) -> MessageWords {
        let size = Int(memory.load(as: UInt64.self) & 0xFFFF_FFFF) - bytes
        return MessageWords(
            words: UnsafeBufferPointer(start: (memory + bytes).assumingMemoryBound(to: UInt64.self), count: size / 8))
    }

    /// A view of the record at this place, with its message made in `text`.
    @inline(__always)
    static func view(of memory: UnsafeRawPointer, in text: MessageText) -> PlainEvent {
        let record = memory.assumingMemoryBound(to: EventRecord.self)
        let message = text.make(message(of: memory))
        let file = unpacked(record.pointee.file), function = unpacked(record.pointee.function)
        return PlainEvent(
            time: record.pointee.time, sequence: record.pointee.sequence, thread: record.pointee.thread,
            message: message.text, file: file, function: function, line: UInt32(truncatingIfNeeded: record.pointee.line),
            level: record.pointee.level, isMessageClean: message.isClean,
            isFileClean: text.isCleanFile(file, record.pointee.file),
            isFunctionClean: text.isCleanFunction(function, record.pointee.function))
    }
}
