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

/// Writes plain records in the standard style. What the records of one second share, and those of one place, is kept as text; also the
/// first literals of a place's messages, where they can be copied in whole pieces.
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
        var count: UInt32 = 0
        /// Bytes from its beginning to the line's end at most: behind a newline, where nothing else follows the message.
        var most: UInt32 = 0
    }
    /// A literal of the place's messages in which nothing has to be escaped: its word, and behind that its text.
    private struct Literal {
        static let textBytes = 56
        /// A cache line.
        static let bytes = 64
        /// No literal's word.
        static let none: UInt64 = 1
    }
    /// Literals that are kept of a place, and one that is never: behind it nothing is looked for.
    private static let literals = 8
    private static let literalsPlace = MemoryLayout<Place>.size + placeBytes
    private static let slotBytes = literalsPlace + literals * Literal.bytes
    private static let alignment = 64

    /// The second whose text is kept, in nanoseconds.
    private struct Second {
        var start: Int64 = 0
        /// Nanoseconds of it; none of the one that begins before the first moment there is.
        var length: UInt64 = 0
        var offset: UInt64 = 0
        /// Bytes of the whole time stamp.
        var stampCount = 0
    }
    private static let stampBytes = 32
    /// Of them, those before the offset.
    private static let offsetPlace = 26

    private let zone: LogTimeZone
    private let format: TextFormat
    private let maximumMessage: Int
    private let second: UnsafeMutablePointer<Second>
    /// `2026-11-21T10:29:20.`, and room up to ``stampBytes``.
    private let stamp: UnsafeMutableRawPointer
    private let places: UnsafeMutableRawPointer
    private let placesMemory: UnsafeMutableRawPointer

    init(_ format: TextFormat, in zone: LogTimeZone) {
        self.format = format
        self.zone = zone
        maximumMessage = min(format.limits.textBytes, LogLimits.highest.textBytes)
        second = .allocate(capacity: 1)
        second.initialize(to: Second())
        stamp = .allocate(byteCount: Self.stampBytes, alignment: 16)
        stamp.initializeMemory(as: UInt8.self, repeating: 0, count: Self.stampBytes)
        // Pages without a place in them cost nothing.
        placesMemory = calloc(Self.slots * Self.slotBytes + Self.alignment, 1)!
        places = placesMemory.alignedUp(toMultipleOf: Self.alignment)
    }

    deinit {
        second.deallocate()
        stamp.deallocate()
        free(placesMemory)
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
        let before = memory.count
        // What is written without asking for room: the head and the kept literals, each with what is copied too much, eight digits for each
        // word of the message, and the newline.
        let wordCount = record.messageWords, room = Self.headBytes &+ Self.pieceBytes &+ wordCount &* 8
        if _slowPath(memory.end - memory.next < room) { memory.grow(by: room) }
        let line = UnsafeMutableRawPointer(memory.next)

        var nanosecond = UInt64(bitPattern: record.nanoseconds &- second.pointee.start)
        if _slowPath(nanosecond >= second.pointee.length) { nanosecond = keepSecond(of: record.nanoseconds) }
        line.storeBytes(of: stamp.loadUnaligned(as: SIMD32<UInt8>.self), as: SIMD32<UInt8>.self)
        writeSixDigits(UInt32(truncatingIfNeeded: nanosecond) / 1000, to: (line + 20).assumingMemoryBound(to: UInt8.self))
        line.storeBytes(of: second.pointee.offset, toByteOffset: Self.offsetPlace, as: UInt64.self)
        let text = line + second.pointee.stampCount, count = Int(place.pointee.count)
        // In whole pieces: there is room for all of a slot.
        let placeText = slot + MemoryLayout<Place>.size
        text.storeBytes(of: placeText.loadUnaligned(as: SIMD64<UInt8>.self), as: SIMD64<UInt8>.self)
        var done = 64
        while _slowPath(done < count) {
            let piece = placeText.loadUnaligned(fromByteOffset: done, as: SIMD32<UInt8>.self)
            text.storeBytes(of: piece, toByteOffset: done, as: SIMD32<UInt8>.self)
            done &+= 32
        }
        var next = (text + count).assumingMemoryBound(to: UInt8.self)

        let most = before &+ second.pointee.stampCount &+ Int(place.pointee.most)
        var word = record.message, literal = slot + Self.literalsPlace
        let end = word + wordCount
        while word < end {
            let bits = word.pointee, number = MessageWord.upToEightDigits(bits)
            if bits == literal.load(as: UInt64.self) {
                let count = MessageWord.literalBytes(bits)
                Self.copy(literal + 8, count, to: next)
                next += count
                literal += Literal.bytes
                word += 1
            } else if _fastPath(number < MessageWord.endOfEightDigits) {
                next = writeUpToEight(UInt32(truncatingIfNeeded: number), to: next)
                word += 1
            } else {
                // In places of their own, so that those of the loop need no memory.
                var behind = word
                let moved = texts.writePiece(at: &behind, of: end, to: next, leaving: Self.pieceBytes, upTo: most, in: memory)
                guard let moved else {
                    memory.shorten(to: before)
                    return false
                }
                (word, next) = (behind, moved)
                if MessageWord.isLiteral(bits) { literal = Self.keep(bits, endingAt: next, in: literal, of: slot) }
            }
        }
        next.pointee = 0x0A
        memory.finish(at: next + 1)
        if _slowPath(memory.count > most) {
            memory.shorten(to: before)
            return false
        }
        if _slowPath(record.hasMembers) {
            memory.finish(at: next)   // the newline comes behind them
            Self.append(record.members, to: memory)
        }
        return true
    }
    /// Room for the time stamp and the place.
    private static let headBytes = stampBytes + 8 + placeBytes
    /// Room for all kept literals, what the last of them is copied too much, and the newline.
    private static let pieceBytes = (literals + 1) * Literal.bytes

    /// Copies the text of a kept literal, and some of what lies behind it.
    @inline(__always)
    private static func copy(_ source: UnsafeMutableRawPointer, _ count: Int, to target: UnsafeMutablePointer<UInt8>) {
        let target = UnsafeMutableRawPointer(target)
        target.storeBytes(of: source.loadUnaligned(as: SIMD32<UInt8>.self), as: SIMD32<UInt8>.self)
        if count > 32 {
            let sixteen = source.loadUnaligned(fromByteOffset: 32, as: SIMD16<UInt8>.self)
            target.storeBytes(of: sixteen, toByteOffset: 32, as: SIMD16<UInt8>.self)
            target.storeBytes(of: source.loadUnaligned(fromByteOffset: 48, as: UInt64.self), toByteOffset: 48, as: UInt64.self)
        }
    }

    /// Keeps a literal, unless it is long or there are enough of them.
    /// - Parameters:
    ///   - next: Behind its text.
    ///   - literal: Where it is to be.
    /// - Returns: Where the next one is.
    @inline(never)
    private static func keep(
        _ word: UInt64, endingAt next: UnsafeMutablePointer<UInt8>, in literal: UnsafeMutableRawPointer, of slot: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        let count = MessageWord.literalBytes(word)
        guard count <= Literal.textBytes, literal < slot + (slotBytes - Literal.bytes) else { return literal }
        literal.storeBytes(of: word, as: UInt64.self)
        (literal + 8).copyMemory(from: next - count, byteCount: count)
        return literal + Literal.bytes
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
        let mixed = (record.fileWord &+ record.functionWord &+ record.lineAndLevelWord) &* 0x9E37_79B9_7F4A_7C15
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
        place.pointee = Place(
            file: record.fileWord, function: record.functionWord, lineAndLevel: record.lineAndLevelWord, count: UInt32(count),
            most: UInt32(count + maximumMessage + 1))
        let literals = UnsafeMutableRawPointer(place) + Self.literalsPlace
        for number in 0..<Self.literals { literals.storeBytes(of: Literal.none, toByteOffset: number * Literal.bytes, as: UInt64.self) }
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
            (second.pointee.offset, second.pointee.stampCount) = (UInt64(0x5A).littleEndian, Self.offsetPlace + 1)
        } else {
            second.pointee.offset = 0
            UnsafeMutableRawPointer(second.pointer(to: \.offset)!).copyMemory(from: logbook_civil_offset_text(latest), byteCount: 6)
            second.pointee.stampCount = Self.offsetPlace + 6
        }
        return UInt64(nanosecond)
    }
}
