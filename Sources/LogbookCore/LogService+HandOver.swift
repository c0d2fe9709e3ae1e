internal import CLogbookSystem
internal import Synchronization

extension LogService {
    /// Gives events of an earlier run to registrations, whatever their level and filter, and flushes those. The events get
    /// sequences of this run: under the old ones a receiver would take them for events of this run that it has. Whoever else listens
    /// counts them as kept back by its filter, so that its accounts name every sequence.
    ///
    /// They come in portions that every queue has room for, each when the queues have written the one before. Who takes more than half of
    /// the time that is left for one of those gets no more, so that it keeps the events from nobody else; the others get them until the
    /// deadline.
    ///
    /// Of an event that shows what was marked private everything is private now, texts and members, since nobody knows the marks.
    /// - Parameter openKeys: Members that who recovers the events has added: they are not.
    /// - Returns: What the flush did not reach before the deadline, and who was not given everything.
    package func handOver(
        _ events: [LogEvent], openKeys: [String], to registrations: [LogRegistration], by deadline: LogDeadline
    ) -> LogFlushReport {
        let privacy = audience.privacy
        var rest = events[...], takers = registrations, failures: [LogFlushReport.Unfinished] = []
        while !rest.isEmpty {
            let portion = Self.portion(of: rest, for: takers.compactMap { $0.queuePolicy })
            for event in portion { give(event, openKeys, to: takers, privacy) }
            rest = rest[portion.endIndex...]
            if rest.isEmpty { break }
            let patience = deadline.remaining.map { LogDeadline.after($0 / 2) } ?? .never
            let (ready, failed) = Self.ready(among: takers, by: patience)
            takers = ready
            for failure in failed where !failures.contains(where: { $0.name == failure.name }) { failures.append(failure) }
            if takers.isEmpty || deadline.hasPassed { break }
        }
        var unfinished: [LogFlushReport.Unfinished] = []
        if rest.isEmpty {
            unfinished = Self.report(among: takers, by: deadline) { try $0.flush(by: deadline) }.unfinished
        } else {
            takers = []   // nobody has everything
        }
        for registration in registrations where registration.isOpen && !takers.contains(where: { $0 === registration }) {
            unfinished.append(
                .init(
                    name: registration.name, pending: registration.pendingOutside(by: deadline),
                    reason: "there was no time to give it everything"))
        }
        return LogFlushReport(
            unfinished: unfinished + failures.filter { failure in !unfinished.contains { $0.name == failure.name } })
    }

    private func give(_ event: LogEvent, _ openKeys: [String], to registrations: [LogRegistration], _ privacy: PrivacyTerms) {
        let stamped = LogEvent(
            sequence: nextSequence(), time: event.time, level: event.level,
            message: event.message, metadata: event.metadata, thread: event.thread, source: event.source,
            transaction: event.transaction, error: event.error, nesting: logbook_nesting_get().depth
        ).showingPrivate(event.showsPrivate)
        defer { counts.place() }
        for other in self.registrations where !registrations.contains(where: { $0 === other }) { other.pass(over: .filter) }
        guard privacy.scanner != nil || stamped.showsPrivate else {
            for registration in registrations { registration.take(stamped) }
            return
        }
        var views = PrivateViews(of: PrivateEvent(recovered: stamped, openKeys: openKeys), privacy)
        for registration in registrations { registration.take(views.view(registration.privacy ?? privacy.mode)) }
    }

    /// Events that are given at once, at most.
    private static let largestPortion = 256

    /// The first of some events, at least one: half of what the smallest queue holds, as others log meanwhile.
    private static func portion(of events: ArraySlice<LogEvent>, for queues: [QueuePolicy]) -> ArraySlice<LogEvent> {
        let count = min(largestPortion, (queues.map { $0.capacity }.min() ?? .max) / 2)
        var bytes = (queues.map { $0.maximumBytes }.min() ?? .max) / 2, end = events.startIndex
        repeat {
            bytes -= events[end].estimatedBytes
            end += 1
        } while end < events.endIndex && end - events.startIndex < count && events[end].estimatedBytes <= bytes
        return events[..<end]
    }

    /// Waits until queues have written what is in them.
    /// - Returns: Those whose queue has, and those that have none; also who could not make all of it safe, which may be said but once.
    private static func ready(
        among registrations: [LogRegistration], by deadline: LogDeadline
    ) -> (ready: [LogRegistration], failed: [LogFlushReport.Unfinished]) {
        let queued = registrations.filter { $0.queuePolicy != nil }
        let late = Locked(Set(queued.map { ObjectIdentifier($0) })), failed = Locked<[LogFlushReport.Unfinished]>([])
        _ = report(among: queued, by: deadline) { registration in
            do {
                try registration.flush(by: deadline)
            } catch QueueError.deadlinePassed {
                return
            } catch {   // its queue is empty all the same
                let failure = LogFlushReport.Unfinished(name: registration.name, pending: 0, because: error)
                failed.withLock { $0.append(failure) }
            }
            _ = late.withLock { $0.remove(ObjectIdentifier(registration)) }
        }
        let slow = late.withLock { $0 }
        return (registrations.filter { !slow.contains(ObjectIdentifier($0)) }, failed.withLock { $0 })
    }
}
