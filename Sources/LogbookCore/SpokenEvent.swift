/// An event with more to it than a record says, and the queued registrations that hear it.
final class SpokenEvent: Sendable {
    let event: LogEvent
    let hearers: [LogRegistration]
    let estimatedBytes: Int

    init(_ event: LogEvent, hearers: [LogRegistration]) {
        self.event = event
        self.hearers = hearers
        estimatedBytes = event.estimatedBytes
    }
}
