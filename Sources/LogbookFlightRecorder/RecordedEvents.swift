internal import LogbookCore
internal import LogbookFormat

/// What a file holds of the runs before this one.
struct RecordedEvents {
    /// Not handed over yet, oldest first, marked as recovered.
    var events: [LogEvent] = []
    /// The number of the newest record, whether handed over or not.
    var latestNumber: UInt64 = 0
    /// Where the record after it begins.
    var position = 0
    let verdict: RingHeader.Verdict
    /// Of the ring, as the file's size says.
    let capacity: Int

    init(_ file: [UInt8]) {
        verdict = RingHeader.verdict(on: file)
        capacity = max(0, file.count - RingHeader.bytes) / 8 * 8
        guard case .ring(let settled) = verdict else { return }
        latestNumber = settled
        for (frame, end) in RingFrame.all(in: file[RingHeader.bytes..<(RingHeader.bytes + capacity)]) {
            if frame.number >= latestNumber {
                latestNumber = frame.number
                position = end
            }
            if frame.number > settled, let event = Self.event(frame) { events.append(event) }
        }
    }

    var isRing: Bool { if case .ring = verdict { true } else { false } }

    /// The marks stand first, as formats leave out the last members where there are too many.
    private static func event(_ frame: RingFrame) -> LogEvent? {
        guard let (event, _) = try? JSONLineFormat.parse(frame.payload) else { return nil }
        var metadata: LogMetadata = [
            FlightRecorder.recoveredKey: true, FlightRecorder.epochKey: .unsigned(frame.epoch),
            FlightRecorder.sequenceKey: .unsigned(event.sequence),
        ]
        var keys = NumberedKeys(taken: metadata.map(\.key) + event.metadata.map(\.key))
        for (key, value) in event.metadata { metadata[metadata[key] == nil ? key : keys.take(key)] = value }
        return event.replacingMetadata(metadata).showingPrivate(frame.showsPrivate)
    }
}
