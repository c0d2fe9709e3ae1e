// HOT PATH — the line of nearly every event: the second and the place are there as text already.
internal import CLogbookSystem
internal import LogbookCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Writes plain records in the standard style. What the records of one second share, and those of one place, is kept as text.
///
/// `@unchecked`: one thread at a time uses it.
final class PlainTextWriter: RecordWriter, @unchecked Sendable {
    /// Places that are kept; two that meet in one slot take turns in it.
    private static let slots = 256
    /// The longest text of a place that is kept.
    private static let placeBytes = 224

    /// What lies before the message, behind the time stamp: ` info [Checkout/Cart.swift:12 pay()] `.
    private struct Place {
        var file: UInt64 = 0
        var function: UInt64 = 0
        var lineAndLevel: UInt64 = 0
        var count = 0
    }
    private static let slotBytes = MemoryLayout<Place>.size + placeBytes

    /// The second whose text is kept, in nanoseconds.
    private struct Second {
        var start: Int64 = 0
        /// Nanoseconds of it; none of the one that begins before the first moment there is.
        var length: UInt64 = 0
        var offset: UInt64 = 0
        var offsetCount = 0
    }
    private static let stampBytes = 32

    private let zone: LogTimeZone
    private let format: TextFormat
    private let maximumMessage: Int
    private let second: UnsafeMutablePointer<Second>
    /// `2026-11-21T10:29:20.`, and room up to ``stampBytes``.
    private let stamp: UnsafeMutableRawPointer
    private let places: UnsafeMutableRawPointer

    init(_ format: TextFormat, in zone: LogTimeZone) {
        self.format = format
        self.zone = zone
        maximumMessage = min(format.limits.textBytes, LogLimits.highest.textBytes)
        second = .allocate(capacity: 1)
        second.initialize(to: Second())
        stamp = .allocate(byteCount: Self.stampBytes, alignment: 16)
        stamp.initializeMemory(as: UInt8.self, repeating: 0, count: Self.stampBytes)
        // Pages without a place in them cost nothing.
        places = calloc(Self.slots, Self.slotBytes)!
    }

    deinit {
        second.deallocate()
        stamp.deallocate()
        free(places)
    }

    func append(_ record: PlainRecord, _ texts: MessageText, to memory: LineMemory) -> Bool {
        let slot = places + Self.slot(of: record) &* Self.slotBytes, place = slot.assumingMemoryBound(to: Place.self)
        if _slowPath(
            place.pointee.file != record.fileWord || place.pointee.function != record.functionWord
                || place.pointee.lineAndLevel != record.lineAndLevelWord)
        {
            guard keep(record, texts, in: place) else { return false }
        }
        if _slowPath(record.hasMembers), !format.limits.surelyHold(record.members) { return false }
        let before = memory.count, head = Self.stampBytes + 8 + Self.placeBytes + LineMemory.slack
        if _slowPath(memory.end - memory.next < head) { memory.grow(by: head) }
        let next = UnsafeMutableRawPointer(memory.next)

        var nanosecond = UInt64(bitPattern: record.nanoseconds &- second.pointee.start)
        if _slowPath(nanosecond >= second.pointee.length) { nanosecond = keepSecond(of: record.nanoseconds) }
        next.storeBytes(of: stamp.loadUnaligned(as: SIMD32<UInt8>.self), as: SIMD32<UInt8>.self)
        writeSixDigits(UInt32(truncatingIfNeeded: nanosecond) / 1000, to: (next + 20).assumingMemoryBound(to: UInt8.self))
        next.storeBytes(of: second.pointee.offset, toByteOffset: 26, as: UInt64.self)
        let text = next + (26 &+ second.pointee.offsetCount), count = place.pointee.count
        var done = 0
        while done < count {   // in whole pieces: there is room for all of a slot
            let piece = (slot + (MemoryLayout<Place>.size &+ done)).loadUnaligned(as: SIMD32<UInt8>.self)
            text.storeBytes(of: piece, toByteOffset: done, as: SIMD32<UInt8>.self)
            done &+= 32
        }
        memory.finish(at: (text + count).assumingMemoryBound(to: UInt8.self))

        let start = memory.count
        guard record.writeMessage(texts, upTo: maximumMessage, to: memory), memory.count &- start <= maximumMessage else {
            memory.shorten(to: before)
            return false
        }
        if _slowPath(record.hasMembers) {
            Self.append(record.members, to: memory)
        } else {
            memory.next.pointee = 0x0A
            memory.finish(at: memory.next + 1)
        }
        return true
    }

    /// With the newline.
    @inline(never)
    private static func append(_ members: PlainEvent, to memory: LineMemory) {
        LineWriter.append(to: memory) { writer in
            writer.facts(members)
            writer.byte(0x0A)
        }
    }

    @inline(__always)
    private static func slot(of record: PlainRecord) -> Int {
        let mixed = (record.fileWord &+ record.functionWord &* 31 &+ record.lineAndLevelWord) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> 56)
    }

    /// Keeps the text of a place.
    /// - Returns: False where the standard style has to escape something of it, it is too long, or there is none.
    @inline(never)
    private func keep(_ record: PlainRecord, _ texts: MessageText, in place: UnsafeMutablePointer<Place>) -> Bool {
        let view = record.withoutMessage(texts)
        let room = 32 + view.file.count + view.function.count   // the level, the line's number, and what stands between
        guard view.isClean, view.hasPlace, room <= Self.placeBytes else { return false }
        var next = UnsafeMutableRawPointer(place + 1).assumingMemoryBound(to: UInt8.self)
        TextFormat.writePlace(of: view, to: &next)
        let count = UnsafeMutableRawPointer(next) - UnsafeMutableRawPointer(place + 1)
        place.pointee = Place(file: record.fileWord, function: record.functionWord, lineAndLevel: record.lineAndLevelWord, count: count)
        return true
    }

    /// Keeps the text of a second.
    /// - Returns: The nanosecond within it.
    @inline(never)
    private func keepSecond(of nanoseconds: Int64) -> UInt64 {
        let (whole, nanosecond) = LogTime(nanoseconds: nanoseconds).secondAndNanosecond
        let latest = CivilTime.latest(whole, in: zone)
        stamp.copyMemory(from: logbook_civil_date_and_time(latest), byteCount: 19)
        stamp.storeBytes(of: 0x2E, toByteOffset: 19, as: UInt8.self)
        let (start, isBeforeAllTimes) = nanoseconds.subtractingReportingOverflow(Int64(nanosecond))
        (second.pointee.start, second.pointee.length) = (start, isBeforeAllTimes ? 0 : 1_000_000_000)
        if zone == .utc {
            (second.pointee.offset, second.pointee.offsetCount) = (UInt64(0x5A).littleEndian, 1)
        } else {
            second.pointee.offset = 0
            UnsafeMutableRawPointer(second.pointer(to: \.offset)!).copyMemory(from: logbook_civil_offset_text(latest), byteCount: 6)
            second.pointee.offsetCount = 6
        }
        return UInt64(nanosecond)
    }
}
