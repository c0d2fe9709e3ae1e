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
        let file = event.file, function = event.function, message = event.message, level = event.level.literalName
        let room = plainBytes &+ file.count &+ function.count &+ message.count
        if _slowPath(memory.end - memory.next < room) { memory.grow(by: room) }
        var next = memory.next
        @inline(__always)
        func put(_ source: UnsafePointer<UInt8>, _ count: Int) {
            copyBytes(count, from: source, to: next)
            next += count
        }
        @inline(__always)
        func put(_ byte: UInt8) {
            next.pointee = byte
            next += 1
        }

        let (second, nanosecond) = event.time.secondAndNanosecond
        let latest = CivilTime.latest(second, in: zone)
        copyEnds(SIMD16<UInt8>.self, 16, 19, logbook_civil_date_and_time(latest), next)
        next += 19
        put(0x2E)
        writeSixDigits(UInt32(truncatingIfNeeded: nanosecond) / 1000, to: next)
        next += 6
        if zone == .utc { put(0x5A) } else { put(logbook_civil_offset_text(latest), 6) }
        put(0x20)
        put(level.utf8Start, level.utf8CodeUnitCount)
        put(0x20)
        put(0x5B)
        put(file.start, file.count)
        if event.line > 0 {
            put(0x3A)
            next += writeDecimal(UInt64(event.line), isNegative: false, to: next)
        }
        if function.count > 0 {
            put(0x20)
            put(function.start, function.count)
        }
        put(0x5D)
        put(0x20)
        if let start = message.baseAddress { put(start, message.count) }
        if event.hasFacts {
            memory.finish(at: next)
            return LineWriter.append(to: memory) { writer in
                writer.facts(event)
                writer.byte(0x0A)
            }
        }
        put(0x0A)
        memory.finish(at: next)
    }

    /// - Parameter value: Below a million.
    @inline(__always)
    private static func writeSixDigits(_ value: UInt32, to target: UnsafeMutablePointer<UInt8>) {
        let thousands = value / 1000, rest = value &- thousands &* 1000
        for (offset, part) in [(0, thousands), (3, rest)] {
            target[offset] = 0x30 &+ UInt8(truncatingIfNeeded: part / 100)
            target[offset + 1] = 0x30 &+ UInt8(truncatingIfNeeded: part / 10 % 10)
            target[offset + 2] = 0x30 &+ UInt8(truncatingIfNeeded: part % 10)
        }
    }
}
