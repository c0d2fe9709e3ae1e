extension LogService {
    /// The category of the events in which a service says what was lost.
    ///
    /// Such an event is a warning, heard like any other: `12 events did not reach orders (queue_full)`, with the metadata
    /// `provider`, `reason` (see ``DropReason``), `count`, `firstSeq` and `lastSeq` (the lost events are among these sequences),
    /// `firstAt` and `lastAt` (when they were said, in nanoseconds since 1970). It is said once the provider can write again, at
    /// most once a second for each provider and reason; what is lost meanwhile is in the next one.
    public static let lossCategory = "log.loss"

    /// Tells what may be told, and sets the alarm for the rest.
    func tellLosses(isLast: Bool = false) {
        let now = clock.monotonicNanoseconds()
        var next: UInt64?
        for registration in registrations where registration.isOfThisProcess && registration.isOpen {
            let (runs, later) = registration.losses.take(at: now, isLast: isLast)
            for (reason, run) in runs { tell(reason, run, of: registration) }
            if let later { next = min(next ?? .max, later) }
        }
        if let next { setLossAlarm(at: next) }
    }

    private func tell(_ reason: DropReason, _ run: LossRun, of registration: LogRegistration) {
        let events = run.count == 1 ? "1 event" : "\(run.count) events"
        relay(
            .warning, LogMessage(text: "\(events) did not reach \(registration.name) (\(reason))"),
            metadata: [
                "category": .string(Self.lossCategory), "provider": .string(registration.name),
                "reason": .string(reason.rawValue), "count": .integer(Int64(run.count)),
                "firstSeq": .unsigned(run.sequences.lowerBound), "lastSeq": .unsigned(run.sequences.upperBound),
                "firstAt": .integer(run.times.lowerBound.nanoseconds), "lastAt": .integer(run.times.upperBound.nanoseconds),
            ])
    }
}
