extension LogService {
    /// Makes everything said so far as safe as each provider can, all at the same time; also what is still in the queue of one that is
    /// leaving, or has left.
    /// - Returns: What was not reached before the deadline.
    @discardableResult
    public func flush(by deadline: LogDeadline) -> LogFlushReport {
        let registrations = registrations, leaving = demandFlushOfLeaving(besides: registrations, by: deadline)
        let report = Self.report(among: registrations, by: deadline) { try $0.flush(by: deadline) }
        return LogFlushReport(unfinished: report.unfinished + leaving.compactMap { $0.awaitEnd(by: deadline) })
    }

    /// Asks what is in the queues of those who are leaving, or have left, to be made safe.
    private func demandFlushOfLeaving(besides registrations: [LogRegistration], by deadline: LogDeadline) -> [QueueFlush] {
        let (departing, remnants) = listening.withLock { ($0.departing, $0.remnants) }
        if !departing.isEmpty { distribute(by: deadline) }   // what their queues have yet to get
        return (departing.map(\.remnant) + remnants).compactMap { $0.demandFlush(besides: registrations, by: deadline) }
    }

    /// Flushes and closes every provider, and waits for what is still in the queue of one that has left. What is logged later is counted
    /// as ``DropReason/alreadyShutDown``. A second call does nothing but wait for one that is under way, as a flush does then. Where the
    /// deadline passes first, it goes on without being waited for.
    /// - Returns: What was not reached before the deadline.
    @discardableResult
    public func shutdown(by deadline: LogDeadline) -> LogFlushReport {
        Self.tellLastLosses(of: [self], by: deadline)
        let registrations = registrations.filter(\.isOfThisProcess)
        let others = registrations.filter { $0.witness == nil }, end = SafeEnd(of: registrations, by: deadline)
        let leaving = demandFlushOfLeaving(besides: registrations, by: deadline)
        let report = Self.report(among: others, by: deadline, isLast: true) { try $0.shutDown(by: deadline) }
        let left = leaving.compactMap { $0.awaitEnd(by: deadline) }
        // Who keeps something for a bad end closes last, when it is known how the others ended.
        if report.isComplete, left.isEmpty { end.isReached() }
        let limit = max(deadline, .after(Self.longestClosing))
        let own = Self.report(among: registrations.filter { $0.witness != nil }, by: limit, isLast: true) { try $0.shutDown(by: limit) }
        return LogFlushReport(unfinished: report.unfinished + left + own.unfinished)
    }

    /// What those who close last may take when the deadline has passed.
    private static let longestClosing = Duration.seconds(1)

    /// Runs one call per registration, of any services, each on a thread of its own, and waits for all of them together: a provider
    /// that ignores its deadline holds up neither the others nor the caller.
    static func report(
        among registrations: [LogRegistration], by deadline: LogDeadline, isLast: Bool = false,
        _ call: @escaping @Sendable (LogRegistration) throws -> Void
    ) -> LogFlushReport {
        let registrations = registrations.filter(\.isOfThisProcess)
        typealias Answer = LogRegistration.CallAnswer
        let answers = Monitor([Answer?](repeating: nil, count: registrations.count))
        var calls: [UInt64?] = []
        for (index, registration) in registrations.enumerated() {
            let answer: @Sendable (Answer) -> Void = { answer in
                answers.withLock { access in
                    access.value[index] = answer
                    if !answer.isPreliminary { access.broadcast() }
                }
            }
            if registration.isCurrent {
                answer(.failed(.init(reason: "it was asked from inside itself")))
                calls.append(nil)
            } else {
                calls.append(registration.call(call, by: deadline, isLast: isLast, answer: answer))
            }
        }
        let final = answers.withLock { access in
            while access.value.contains(where: { $0?.isPreliminary ?? true }) {
                if deadline.hasPassed || !access.wait(until: deadline) { break }
            }
            return access.value
        }
        var unfinished: [LogFlushReport.Unfinished] = []
        for (index, registration) in registrations.enumerated() {
            let failure: LogRegistration.CallFailure
            switch final[index] {
            case .wentWell: continue
            case .failing(let known), .failed(let known): failure = known
            case nil:
                guard let call = calls[index] else { continue }
                failure = .init(reason: registration.giveUp(call))
            }
            unfinished.append(
                .init(
                    name: registration.name, pending: failure.pending ?? registration.pendingOutside(by: deadline),
                    reason: failure.reason))
        }
        return LogFlushReport(unfinished: unfinished)
    }

    /// How every provider fares. It asks each of them for its ``LogProvider/ledger``, latest failure and oldest event, on this thread: one
    /// that does not answer holds this up, and neither a flush nor a shutdown. What was said before is handed out first; where a caller
    /// stands still in the middle of it, ten seconds are waited, once.
    public func health() -> LogHealth {
        settleInterruptedCalls()
        distribute()
        return LogHealth(
            providers: registrations.map {
                .init(
                    name: $0.name, level: $0.level, levels: $0.levels, unheard: $0.unheardSoFar,
                    suppression: $0.suppression, ledger: $0.ledgerSoFar, lostAfterwards: $0.lostAfterwards,
                    condition: $0.condition, latestFailure: $0.latestFailure, oldestPending: $0.oldestPending)
            },
            latestSequence: latestSequence)
    }
}
