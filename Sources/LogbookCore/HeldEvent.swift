internal import CLogbookSystem

/// An event that a wrapper holds back, and the registration through which it came.
struct HeldEvent: Sendable {
    let event: LogEvent
    private let registration: UInt64

    init(_ event: LogEvent) {
        self.event = event
        registration = logbook_nesting_get().registration
    }

    /// Gives a provider this event, or one in its place, on any thread, as the registration would: what the provider logs
    /// meanwhile counts as said inside it.
    func give(_ event: LogEvent, to provider: any LogProvider) {
        let outer = logbook_nesting_get()
        logbook_nesting_set(logbook_nesting(depth: event.nesting + 1, registration: registration))
        provider.log(event)
        logbook_nesting_set(outer)
    }

    /// The event that stands for `count` events, of which this is the last.
    func report(_ message: String, standingFor count: UInt64) -> LogEvent {
        var metadata = event.metadata
        metadata[LogSuppression.key] = .integer(Int64(clamping: count))
        var report = event.replacingMessage(message).replacingMetadata(metadata)
        report.isReport = true
        return report
    }
}

extension LogEvent {
    /// How many events like it a wrapper outside held back, as it says itself.
    var suppressed: UInt64 {
        if case .integer(let count) = metadata[LogSuppression.key], count > 0 { UInt64(count) } else { 0 }
    }

    /// How many events are gone with this one: itself, and those that it speaks of.
    var standsFor: UInt64 { isReport ? max(suppressed, 1) : suppressed + 1 }
}
