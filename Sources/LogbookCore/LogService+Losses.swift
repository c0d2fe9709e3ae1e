internal import CLogbookSystem

extension LogService {
    /// The category of the events in which a service says what was lost.
    ///
    /// Such an event is a warning, heard like any other: `12 events did not reach orders (queue_full)`, with the metadata
    /// `provider`, `reason` (see ``DropReason``), `count`, `firstSeq` and `lastSeq` (the lost events are among these sequences),
    /// `firstAt` and `lastAt` (when they were said, in nanoseconds since 1970). It is said once the provider can write again, at
    /// most once a second for each provider and reason; what is lost meanwhile is in the next one. Of a provider that stops listening it
    /// is said then, and of what its queue has in hand at that time once that is written or lost. Of a provider that keeps an account of
    /// its own the range is that of everything it had in hand when it lost them.
    ///
    /// Of what a provider had stored before it lost it (see ``LogProvider/lostAfterwards``) nobody knows the range: `stored` is true in its
    /// place. That is said with the next event that the provider takes, or at the end, as `12 events did not get beyond orders
    /// (spool_full)`.
    public static let lossCategory = "log.loss"

    /// Tells what may be told, and sets the alarm for the rest. Immediate providers are told on this thread.
    func tellLosses(isLast: Bool = false) {
        let now = clock.monotonicNanoseconds()
        var next: UInt64?
        for registration in registrations where registration.isOfThisProcess && registration.isOpen {
            let due = registration.losses.take(at: now, isLast: isLast)
            tell(due, of: registration.name)
            if let later = due.next { next = min(next ?? .max, later) }
        }
        for remnant in listening.withLock({ $0.remnants }) where remnant.isOfThisProcess {
            let isOver = remnant.isOver   // before its losses are taken: afterwards there are no more
            let due = remnant.losses.take(at: now, isLast: isLast || isOver)
            tell(due, of: remnant.name)
            if isOver { forget(remnant) } else { next = min(next ?? .max, due.next ?? now + UInt64(LossWatch.spacing.wholeNanoseconds)) }
        }
        if let next { setLossAlarm(at: next) }
    }

    /// Looks after what is left of those who listen no more, until it is written or lost.
    func follow(_ registrations: [LogRegistration]) {
        if registrations.isEmpty { return }
        let remnants = registrations.map(\.remnant)
        ProcessLineage.betweenForks { listening.withLock { $0.remnants += remnants } }
        setLossAlarm(at: 0)
    }

    /// The caller holds it, so nothing is let go under the lock.
    private func forget(_ remnant: Remnant) {
        ProcessLineage.betweenForks { listening.withLock { $0.remnants.removeAll { $0 === remnant } } }
    }

    /// Tells the others, on this thread, what is left of a registration that listens no more.
    func tellLastLosses(of registration: LogRegistration) {
        guard registration.isOfThisProcess, registration.losses.isUntold else { return }
        tell(registration.losses.take(at: clock.monotonicNanoseconds(), isLast: true), of: registration.name)
    }

    /// The same on a thread of its own: an immediate provider that hangs does not hold up the caller. Where the deadline has passed, as
    /// where a sink hangs, the others have a moment to hear of it.
    func tellLastLosses(of registration: LogRegistration, by deadline: LogDeadline) {
        guard registration.isOfThisProcess, registration.losses.isUntold else { return }
        let nesting = logbook_nesting_get()
        Self.onThreads([registration], by: max(deadline, .after(Self.shortestTelling))) { registration in
            logbook_nesting_set(nesting)   // a provider from within which this is called does not hear of it
            self.tellLastLosses(of: registration)
        }
    }

    /// What telling may take where the deadline has passed.
    private static let shortestTelling = Duration.milliseconds(250)

    private func tell(_ due: LossWatch.Due, of name: String) {
        for (reason, run) in due.runs { tell(reason, run, of: name) }
        for (reason, count) in due.later {
            let message = "\(count == 1 ? "1 event" : "\(count) events") did not get beyond \(name) (\(reason))"
            sayWithoutWaiting(
                "\(message, privacy: .public)",
                [
                    "category": .string(Self.lossCategory), "provider": .public(.string(name)),
                    "reason": .public(.string(reason.rawValue)), "count": .public(.integer(Int64(clamping: count))),
                    "stored": .public(true),
                ])
        }
    }

    private func tell(_ reason: DropReason, _ run: LossRun, of name: String) {
        let events = run.count == 1 ? "1 event" : "\(run.count) events"
        let message = "\(events) did not reach \(name) (\(reason))"
        sayWithoutWaiting(
            "\(message, privacy: .public)",
            [
                "category": .string(Self.lossCategory), "provider": .public(.string(name)),
                "reason": .public(.string(reason.rawValue)), "count": .public(.integer(Int64(run.count))),
                "firstSeq": .public(.unsigned(run.sequences.lowerBound)), "lastSeq": .public(.unsigned(run.sequences.upperBound)),
                "firstAt": .public(.integer(run.times.lowerBound.nanoseconds)),
                "lastAt": .public(.integer(run.times.upperBound.nanoseconds)),
            ])
    }

    /// Tells whoever listens what an earlier run lost, each loss in an event like those of this run: `count` is the largest number that it
    /// can be, `atLeast` the smallest, `process` and `began` say which run it was, and the sequences are that run's.
    package func tell(_ losses: [LossRecord]) {
        for loss in losses {
            var metadata: LogMetadata = [
                "category": .string(Self.lossCategory), "provider": .public(.string(loss.provider)),
                "reason": .public(.string(DropReason.processDied.rawValue)), "count": .public(.unsigned(loss.count.upperBound)),
                "atLeast": .public(.unsigned(loss.count.lowerBound)), "firstSeq": .public(.unsigned(loss.sequences.lowerBound)),
                "lastSeq": .public(.unsigned(loss.sequences.upperBound)),
            ]
            if let times = loss.times {
                metadata["firstAt"] = .public(.integer(times.lowerBound.nanoseconds))
                metadata["lastAt"] = .public(.integer(times.upperBound.nanoseconds))
            }
            metadata["process"] = .public(.integer(Int64(loss.process)))
            metadata["began"] = .public(.integer(loss.began.nanoseconds))
            sayWithoutWaiting("\(loss.description, privacy: .public)", metadata)
        }
    }

    /// Claims the right to record losses, which one has for a service and process.
    /// - Returns: False where somebody has it.
    package func claimRecording() -> Bool {
        recording.withLock { recording in
            if recording?.isCurrent == true { return false }
            recording = .current
            return true
        }
    }

    /// Gives it back.
    package func disclaimRecording() { recording.withLock { $0 = nil } }

    /// Counts from now on, on a page that outlives the process, what every queue has in hand, those of later registrations too and those
    /// that are leaving, and what is on its way there. For who has claimed it.
    package func recordLosses(on page: LossPage) {
        counts.move(to: page)
        notePending(on: page)
    }

    /// Has everybody note what is in hand who does not yet.
    func notePending(on page: LossPage) {
        let (registrations, departing, remnants) = listening.withLock { ($0.registrations, $0.departing, $0.remnants) }
        for registration in registrations + departing { registration.notePending(on: page) }
        for remnant in remnants { remnant.notePending(on: page) }
    }

    /// Says it without what the task carries, and without waiting for room: a queue that is full may be the very one it tells of.
    private func sayWithoutWaiting(_ message: LogMessage, _ metadata: LogMetadata) {
        let level = LogLevel.warning
        guard mayHear(level) else { return }
        let admission = admission(of: level, from: .unknown, isSaidNow: false)
        if admission == .refused || (admission == .open && !admits(level, metadata, from: .unknown, isSaidNow: false)) { return }
        say(level, message, metadata, nil, at: clock.now(), .unknown, mayWait: false)
    }

    // MARK: At the end

    /// What telling takes at most where the deadline never passes.
    private static let longestTelling = Duration.seconds(30)

    /// Tells everything that is left, of each service on a thread of its own: an immediate provider that hangs holds up neither the
    /// other services nor the caller. Half of the time that is left is for the flush or shutdown that follows.
    static func tellLastLosses(of services: [LogService], by deadline: LogDeadline) {
        let services = services.filter(\.mayHaveLosses)
        if services.isEmpty { return }
        let share: Duration = deadline.remaining.map { $0 / 2 } ?? longestTelling
        onThreads(services, by: min(deadline, .after(share))) { $0.tellLosses(isLast: true) }
    }

    /// Tells the losses of each on a thread of its own, and waits for all of them together.
    private static func onThreads<Loser: Sendable>(
        _ losers: [Loser], by limit: LogDeadline, _ tell: @escaping @Sendable (Loser) -> Void
    ) {
        let untold = Monitor(losers.count)
        @Sendable func end() {
            untold.withLock { access in
                access.value -= 1
                access.broadcast()
            }
        }
        for loser in losers {
            let started = LogThread.start("logbook-losses") {
                tell(loser)
                end()
            }
            if !started { end() }   // the ledgers say it
        }
        untold.withLock { access in
            while access.value > 0, !limit.hasPassed, access.wait(until: limit) {}
        }
    }

    private var mayHaveLosses: Bool {
        registrations.contains { $0.isOfThisProcess && $0.isOpen && $0.losses.isUntold }
            || listening.withLock { $0.remnants }.contains { $0.isOfThisProcess && $0.losses.isUntold }
    }
}

extension LogEvent {
    /// Whether a service says in it what was lost.
    var tellsOfLosses: Bool { category == LogService.lossCategory }
}
