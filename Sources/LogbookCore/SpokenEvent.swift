/// An event with more to it than a record says, and the queued registrations that hear it.
final class SpokenEvent: Sendable {
    let event: LogEvent
    let hearers: [LogRegistration]
    let estimatedBytes: Int
    /// With whom it is placed; nil where nobody else has to be done with the event.
    let placement: Placement?

    init(_ event: LogEvent, hearers: [LogRegistration], placement: Placement? = nil) {
        self.event = event
        self.hearers = hearers
        self.placement = placement
        estimatedBytes = event.estimatedBytes
    }
}
