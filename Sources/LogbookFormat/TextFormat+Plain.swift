// HOT PATH — the line of nearly every event: no escapes in message and place, room for all of it asked for once.
internal import CLogbookSystem
internal import LogbookCore

extension TextFormat {
    /// Digits of the fraction of a second in the standard style.
    static let plainDigits = 6
    /// More than everything in a line but its texts: the time stamp, the level, the number of the line and what stands between.
    private static let plainBytes = 96

    /// What ``write(_:to:)`` writes of an event that has a place, and no escapes in that and its message, in the standard style.
    @inline(__always)
    static func appendPlain(_ event: PlainEvent, in zone: LogTimeZone, to memory: LineMemory) {
        let message = event.message, room = plainBytes &+ event.file.count &+ event.function.count &+ message.count
        if _slowPath(memory.end - memory.next < room) { memory.grow(by: room) }
        var next = memory.next
        let (second, nanosecond) = event.time.secondAndNanosecond
        let latest = CivilTime.latest(second, in: zone)
        copyEnds(SIMD16<UInt8>.self, 16, 19, logbook_civil_date_and_time(latest), next)
        next += 19
        put(0x2E, to: &next)
        writeSixDigits(UInt32(truncatingIfNeeded: nanosecond) / 1000, to: next)
        next += 6
        if zone == .utc { put(0x5A, to: &next) } else { put(logbook_civil_offset_text(latest), 6, to: &next) }
        writePlace(of: event, to: &next)
        if let start = message.baseAddress { put(start, message.count, to: &next) }
        if event.hasFacts {
            memory.finish(at: next)
            return LineWriter.append(to: memory) { writer in
                writer.facts(event)
                writer.byte(0x0A)
            }
        }
        put(0x0A, to: &next)
        memory.finish(at: next)
    }

    /// What stands between the time stamp and the message: ` info [Checkout/Cart.swift:12 pay()] `.
    @inline(__always)
    static func writePlace(of event: PlainEvent, to next: inout UnsafeMutablePointer<UInt8>) {
        let level = event.level.literalName
        put(0x20, to: &next)
        put(level.utf8Start, level.utf8CodeUnitCount, to: &next)
        put(0x20, to: &next)
        put(0x5B, to: &next)
        put(event.file.start, event.file.count, to: &next)
        if event.line > 0 {
            put(0x3A, to: &next)
            next += writeDecimal(UInt64(event.line), isNegative: false, to: next)
        }
        if event.function.count > 0 {
            put(0x20, to: &next)
            put(event.function.start, event.function.count, to: &next)
        }
        put(0x5D, to: &next)
        put(0x20, to: &next)
    }

    @inline(__always)
    private static func put(_ source: UnsafePointer<UInt8>, _ count: Int, to next: inout UnsafeMutablePointer<UInt8>) {
        copyBytes(count, from: source, to: next)
        next += count
    }

    @inline(__always)
    private static func put(_ byte: UInt8, to next: inout UnsafeMutablePointer<UInt8>) {
        next.pointee = byte
        next += 1
    }
}
