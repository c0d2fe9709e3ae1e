// HOT PATH — what a caller leaves in the ring: eight words, and behind them the pieces of the message and the metadata.

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
    /// The line in the lower half; then the words of the message and the members of the metadata, in 16 bits each.
    let place: UInt64

    static let bytes = 64
    /// Words of message and metadata that fit behind the header; what is longer travels in a ``SpokenEvent``.
    static let maximumWords = (EventRing.maximumRecordBytes - bytes) / 8

    private static let objectFlag: UInt64 = 1 << 48
    fileprivate static let ticksFlag: UInt64 = 1 << 49
    private static let entryFlag: UInt64 = 1 << 50

    @inline(__always)
    static func mark(bytes: Int, level: LogLevel, isObject: Bool = false, isEntry: Bool = false) -> UInt64 {
        UInt64(truncatingIfNeeded: bytes) | UInt64(level.rawValue) << 32 | (isObject ? objectFlag : 0) | (isEntry ? entryFlag : 0)
    }

    /// The literal of which ``CallSite/words`` has the address and the length in one word.
    private static func unpacked(_ word: UInt64) -> StaticText {
        StaticText(start: UnsafePointer(bitPattern: UInt(word >> 16))!, count: Int(word & 0xFFFF))
    }

    @inline(__always)
    var level: LogLevel { LogLevel(rawValue: UInt8(truncatingIfNeeded: mark >> 32))! }
    /// Whether the time is the processor's count, see ``RecordTime``.
    @inline(__always)
    static func countsTicks(_ mark: UInt64) -> Bool { mark & ticksFlag != 0 }
    /// Puts the time in the place of the processor's count.
    @inline(__always)
    static func setTime(of memory: UnsafeMutableRawPointer, by ticks: inout TickClock) {
        let time = ticks.time(of: memory.load(fromByteOffset: 16, as: UInt64.self))
        memory.storeBytes(of: time, toByteOffset: 16, as: Int64.self)
    }
    /// Whether an ``EntryRecord`` does.
    @inline(__always)
    static func isEntry(_ mark: UInt64) -> Bool { mark & entryFlag != 0 }
    /// A number that is among ``messageKinds(isPrivileged:)`` for messages of such levels, and for nothing else.
    @inline(__always)
    static func kind(_ mark: UInt64) -> UInt64 { mark & (objectFlag | entryFlag | 0xFF << 32) }
    static func messageKinds(isPrivileged: Bool) -> (first: UInt64, count: UInt64) {
        let border = UInt64(LogLevel.error.rawValue) << 32
        return isPrivileged ? (border, 0x100 << 32 - border) : (0, border)
    }
    /// Of a message.
    @inline(__always)
    static func isPrivileged(_ mark: UInt64) -> Bool { UInt8(truncatingIfNeeded: mark >> 32) >= LogLevel.error.rawValue }
    /// The object that travels in the record's place, taken over; once.
    @inline(__always)
    func takeObject() -> SpokenEvent? {
        if _fastPath(mark & Self.objectFlag == 0) { return nil }
        return Unmanaged<SpokenEvent>.fromOpaque(UnsafeRawPointer(bitPattern: UInt(file))!).takeRetainedValue()
    }

    @inline(__always)
    static func place(line: UInt32, messageWords: Int, members: Int) -> UInt64 {
        UInt64(line) | UInt64(truncatingIfNeeded: messageWords) << 32 | UInt64(truncatingIfNeeded: members) << 48
    }

    /// Everything but the mark, with which the record is committed.
    /// - Returns: Where the words of the message go.
    @inline(__always)
    static func writeHeader(
        to memory: UnsafeMutableRawPointer, _ hearing: Hearing, _ time: RecordTime, _ sequence: UInt64, _ thread: UInt64, _ file: UInt64,
        _ function: UInt64, _ place: UInt64
    ) -> UnsafeMutablePointer<UInt64> {
        let header = memory.assumingMemoryBound(to: UInt64.self)
        header[1] = hearing.bits
        header[2] = time.word
        header[3] = sequence
        header[4] = thread
        header[5] = file
        header[6] = function
        header[7] = place
        return header + bytes / 8
    }

    private var messageWords: Int { Int(place >> 32 & 0xFFFF) }

    /// Where the program said it.
    var source: LogSource {
        LogSource(file: Self.unpacked(file), function: Self.unpacked(function), line: UInt32(truncatingIfNeeded: place))
    }

    /// What lies behind the header.
    static func body(of memory: UnsafeRawPointer) -> UnsafePointer<UInt64> {
        (memory + bytes).assumingMemoryBound(to: UInt64.self)
    }

    /// The pieces of the message behind a record.
    static func message(of memory: UnsafeRawPointer) -> MessageWords {
        let count = memory.assumingMemoryBound(to: EventRecord.self).pointee.messageWords
        return MessageWords(words: UnsafeBufferPointer(start: body(of: memory), count: count))
    }

    /// The metadata behind the message.
    private static func members(of memory: UnsafeRawPointer) -> MemberWords {
        let record = memory.assumingMemoryBound(to: EventRecord.self).pointee
        let words = (Int(record.mark & 0xFFFF_FFFF) - bytes) / 8 - record.messageWords
        return MemberWords(
            UnsafeBufferPointer(start: body(of: memory) + record.messageWords, count: words), count: Int(record.place >> 48))
    }

    /// A view of the record at this place, with its message made in `text`.
    @inline(__always)
    static func view(of memory: UnsafeRawPointer, in text: MessageText) -> PlainEvent {
        view(of: memory, text.make(message(of: memory)), in: text)
    }

    /// The same with an empty message.
    static func viewWithoutMessage(of memory: UnsafeRawPointer, in text: MessageText) -> PlainEvent {
        view(of: memory, (UnsafeBufferPointer(start: nil, count: 0), true), in: text)
    }

    /// A view that has nothing but the metadata.
    static func membersAlone(of memory: UnsafeRawPointer) -> PlainEvent {
        PlainEvent(
            time: LogTime(nanoseconds: 0), sequence: 0, thread: 0, message: UnsafeBufferPointer(start: nil, count: 0), members: members(of: memory),
            file: .empty, function: .empty, line: 0, level: .verbose, isMessageClean: true, isFileClean: true, isFunctionClean: true)
    }

    @inline(__always)
    private static func view(
        of memory: UnsafeRawPointer, _ message: (text: UnsafeBufferPointer<UInt8>, isClean: Bool), in text: MessageText
    ) -> PlainEvent {
        let record = memory.assumingMemoryBound(to: EventRecord.self)
        let file = unpacked(record.pointee.file), function = unpacked(record.pointee.function)
        return PlainEvent(
            time: record.pointee.time, sequence: record.pointee.sequence, thread: record.pointee.thread,
            message: message.text, members: members(of: memory), file: file, function: function,
            line: UInt32(truncatingIfNeeded: record.pointee.place),
            level: record.pointee.level, isMessageClean: message.isClean,
            isFileClean: text.isCleanFile(file, record.pointee.file),
            isFunctionClean: text.isCleanFunction(function, record.pointee.function))
    }
}

/// When something was said: nanoseconds since 1970, or the processor's count, which the reader makes a time of.
struct RecordTime {
    let word: UInt64
    /// What it adds to the record's mark.
    let mark: UInt64

    @inline(__always)
    init(_ time: LogTime) { (word, mark) = (UInt64(bitPattern: time.nanoseconds), 0) }
    @inline(__always)
    init(ticks: UInt64) { (word, mark) = (ticks, EventRecord.ticksFlag) }
}
