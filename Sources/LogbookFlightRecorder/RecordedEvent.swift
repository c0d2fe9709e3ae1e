internal import LogbookCore
internal import LogbookFormat

/// One event of an earlier run, as it was written: that takes a fraction of what the event takes.
struct RecordedEvent {
    let line: [UInt8]
    let epoch: UInt64
    let showsPrivate: Bool

    /// Marked as recovered; nil for a line that cannot be read. The marks stand first, as formats leave out the last members where there
    /// are too many.
    var event: LogEvent? {
        guard let (event, _) = try? JSONLineFormat.parse(line) else { return nil }
        var metadata: LogMetadata = [
            FlightRecorder.recoveredKey: true, FlightRecorder.epochKey: .unsigned(epoch),
            FlightRecorder.sequenceKey: .unsigned(event.sequence),
        ]
        var keys = NumberedKeys(taken: metadata.map(\.key) + event.metadata.map(\.key))
        for (key, value) in event.metadata { metadata[metadata[key] == nil ? key : keys.take(key)] = value }
        return event.replacingMetadata(metadata).showingPrivate(showsPrivate)
    }
}
