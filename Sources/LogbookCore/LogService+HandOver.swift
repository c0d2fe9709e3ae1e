internal import CLogbookSystem
internal import Synchronization

extension LogService {
    /// Gives events of an earlier run to registrations, whatever their level and filter, and flushes those. The events get
    /// sequences of this run: under the old ones a receiver would take them for events of this run that it has. Whoever else listens
    /// counts them as kept back by its filter, so that its accounts name every sequence.
    package func handOver(
        _ events: [LogEvent], to registrations: [LogRegistration], by deadline: LogDeadline
    ) -> LogFlushReport {
        let privacy = audience.privacy
        for event in events {
            let stamped = LogEvent(
                sequence: nextSequence(), time: event.time, level: event.level,
                message: event.message, metadata: event.metadata, thread: event.thread, source: event.source,
                transaction: event.transaction, error: event.error, nesting: logbook_nesting_get().depth)
            for other in self.registrations where !registrations.contains(where: { $0 === other }) { other.pass(over: .filter) }
            guard privacy.scanner != nil else {
                for registration in registrations { registration.take(stamped) }
                continue
            }
            var views = PrivateViews(of: PrivateEvent(recovered: stamped), privacy)
            for registration in registrations { registration.take(views.view(registration.privacy ?? privacy.mode)) }
        }
        return Self.report(among: registrations, by: deadline) { try $0.flush(by: deadline) }
    }
}
