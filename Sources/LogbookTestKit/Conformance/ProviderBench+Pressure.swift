internal import LogbookCore

// A destination that does not answer, or fails.
extension ProviderBench {
    /// Calls of one kind while the destination does not answer: who waits a little in each, for whatever, waits in all of them for longer
    /// than a check may take. That is found without a clock, and no slow machine makes each of them long.
    static let stalledLogs = 100, stalledFlushes = 20

    func logDoesNotWait() throws {
        let events = events(Self.stalledLogs)
        try stalled {
            doing("log while the destination does not answer") { for event in events { provider.log(event) } }
        }
        try requireIntact(settled(events))
    }

    /// Events are on their way meanwhile, logged by another thread: one that waits is another check's finding.
    func accountAnswersAtOnce() throws {
        let events = events(Self.stalledLogs), provider = provider
        var crew: Crew?
        try stalled {
            crew = try startThreads(1) { _ in for event in events { provider.log(event) } }
            doing("the account while the destination does not answer") {
                for _ in 1...Self.stalledLogs {
                    _ = (provider.ledger, provider.lostAfterwards, provider.latestFailure, provider.oldestPending)
                }
            }
        }
        crew?.wait("log when the destination answers again", progress)
        try requireIntact(settled(events))
    }

    /// Ahead when a call begins, and soon over.
    static let aheadBy = Duration.milliseconds(50)

    func flushKeepsToDeadline() throws {
        try flushWhileStalled("flush whose deadline was over", by: .now, times: Self.stalledFlushes)
    }
    func flushEndsAtDeadline() throws { try flushWhileStalled("flush whose deadline lay ahead", by: .after(Self.aheadBy)) }

    private func flushWhileStalled(_ step: String, by deadline: @autoclosure () -> LogDeadline, times: Int = 1) throws {
        let events = events(10)
        try whileStalledIfPossible {
            log(events)
            try flushInTrouble(step, events, by: deadline())
            doing(step) { for _ in 1..<times { try? provider.flush(by: deadline()) } }
        }
        try requireIntact(settled(events))
    }

    /// A flush that returns all the same has said that everything is safe.
    private func flushInTrouble(_ step: String, _ logged: [LogEvent], by deadline: LogDeadline) throws {
        do { try doing(step) { try provider.flush(by: deadline) } } catch { return }
        guard let ledger = provider.ledger else {
            return try refuse(readBack(logged).missingInWords.map { $0 + ", and flush has not thrown" })
        }
        // What is delivered need not be where it is read back: in a folder it is safe, and still on its way.
        try require(ledger.pending == 0, "flush has not thrown, and something is pending" + Self.inWords(ledger))
    }

    func shutdownKeepsToDeadline() throws { try shutdownWhileStalled("shutdown whose deadline was over", by: .now) }
    func shutdownEndsAtDeadline() throws {
        try shutdownWhileStalled("shutdown whose deadline lay ahead", by: .after(Self.aheadBy))
    }

    private func shutdownWhileStalled(_ step: String, by soon: @autoclosure () -> LogDeadline) throws {
        let events = events(10)
        var hasThrown = false
        try whileStalledIfPossible {
            log(events)
            do { try doing(step) { try provider.shutdown(by: soon()) } } catch { hasThrown = true }
        }
        // Let what is still on its way come to its end; the first call has said already that it could not wait.
        try? doing("the second shutdown") { try provider.shutdown(by: deadline) }
        let reading = try readBack(events)
        try requireOnce(reading)
        if provider.ledger != nil { return try requireAccount(reading, mayLeavePending: hasThrown) }
        if !hasThrown { try refuse(reading.missingInWords.map { $0 + ", and shutdown has not thrown" }) }
    }

    /// Without a way to stall it, a call whose deadline is over must still return.
    private func whileStalledIfPossible(_ body: () throws -> Void) throws {
        if specimen.stall == nil { try body() } else { try stalled(body) }
    }

    func staysBounded() throws {
        guard let capacity = claims.capacity else { throw CheckNotApplicable("the provider claims no capacity") }
        guard provider.ledger != nil else {
            throw CheckFailed("a capacity of \(capacity) is claimed, and there is no ledger to count what exceeds it")
        }
        let events = events(capacity * 2 + 100)
        try stalled {
            doing("log beyond the capacity") { for event in events { provider.log(event) } }
            let ledger = provider.ledger
            try require(
                (ledger?.pending ?? 0) <= UInt64(capacity),
                "more is held than the capacity of \(capacity) that is claimed" + Self.inWords(ledger))
        }
        let reading = try settled(events)
        try requireOnce(reading)
        try requireAccount(reading)
    }

    func failurePasses() throws {
        try failing {
            let during = events(20, "while it fails,")
            log(during)
            try flushInTrouble("flush while the destination fails", during, by: .after(Self.failingFor))
        }
        try logWithinCapacity(events(3, "when it works again,"))
        // As in the check before: the first one may say once more what was not safe.
        try? doing("flush when the destination works again") { try provider.flush(by: deadline) }
        try flush()
        // What is safe may still be on its way, after a pause that began while it failed.
        let end = deadline, pause = Monitor(())
        doing("waiting until latestFailure and oldestPending say nothing") {
            while provider.latestFailure != nil || provider.oldestPending != nil, !end.hasPassed {
                pause.withLock { _ = $0.wait(until: .after(.milliseconds(5))) }
            }
        }
        try refuse(provider.latestFailure.map { "latestFailure still says \"\($0)\" when all is well again" })
        try refuse(provider.oldestPending.map { "oldestPending still says \($0) when everything is written" })
    }

    /// Time for a thread of the provider's own to come to a destination that fails; who tries again and again makes use of all of it.
    static let failingFor = Duration.milliseconds(200)

    func survivesFailure() throws {
        let during = events(20, "while it fails,"), after = events(20, "when it works again,")
        try failing {
            log(during)
            try flushInTrouble("flush while the destination fails", during, by: .after(Self.failingFor))
        }
        try logWithinCapacity(after)
        // The first one that gets through may say once more what was not safe, and the next one may not.
        try? doing("flush when the destination works again") { try provider.flush(by: deadline) }
        let reading = try settled(during + after)
        if !claims.mayRepeatAfterFailure { try refuse(reading.repeatedInWords) }
        try refuse(reading.strangersInWords)
        try refuse(reading.alteredTextInWords)
        let late = after.count - reading.count(of: after)
        try require(
            late <= Int(clamping: reading.suppression.heldBack),
            "\(late) events are missing that were logged when the destination worked again")
        try requireAccount(reading)
    }

    /// Never more at a time than the provider has room for, and that with nothing before it.
    func logWithinCapacity(_ events: [LogEvent]) throws {
        if claims.capacity == nil { return log(events) }
        for first in stride(from: 0, to: events.count, by: room) {
            try flushUnlessFull()
            log(Array(events[first..<min(first + room, events.count)]))
        }
    }
}
