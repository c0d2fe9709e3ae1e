internal import CLogbookSystem

/// The thread's side of the queue: what is taken out of it, written, and given up.
extension BatchEngine {
    func run() {
        var pause = policy.firstPause, batch: [QueueItem] = []
        work: while true {
            switch nextWork(&batch) {
            case .write: break
            case .flush(let round, let deadline):
                flushSink(round, by: deadline)
                continue
            case .end: break work
            }
            var rest = batch[...]
            if isDiverting { divert(&rest) }
            while !rest.isEmpty {
                let (flushRound, losses) = state.withLock { ($0.value.flushRound, $0.value.losses) }
                switch write(rest, watchedBy: losses) {
                case .none:
                    settle(written: rest.eventCount)
                    rest = []
                    pause = policy.firstPause
                case .some(BatchWriteError.refused(let reason, let cause)):
                    divert(&rest)
                    if !rest.isEmpty { settle(lost: rest, reason, because: words(cause, about: rest)) }
                    rest = []
                case .some(BatchWriteError.refusedOne(let reason, let after, let cause)):
                    let count = refusedPlace(after, of: rest.eventCount, by: name)
                    settle(written: count)
                    rest = rest.droppingEvents(count)
                    var refused = rest.firstEvents(1)
                    rest = rest.droppingEvents(1)
                    divert(&refused)
                    if !refused.isEmpty { settle(lost: refused, reason, because: words(cause, about: refused)) }
                    goOn(with: rest)
                    pause = policy.firstPause
                case .some(BatchWriteError.dropped(let said, let total, let reason)):
                    settle(&rest, dropped: said, of: total, reason, by: name)
                    goOn(with: rest)
                    pause = policy.firstPause
                case .some(let failure):
                    if case BatchWriteError.wroteOnly(let said, _) = failure {
                        let count = writtenCount(said, of: rest.eventCount, by: name)
                        settle(written: count)
                        rest = rest.droppingEvents(count)
                        if count > 0 { pause = policy.firstPause }
                    }
                    if rest.isEmpty { break }
                    let reason = words(failure, about: rest)
                    if fail(because: reason, for: pause) { divert(&rest) }
                    goOn(with: rest)
                    if !rest.isEmpty, !holdBack(for: pause, unlessFlushedSince: flushRound, because: reason) {
                        settle(lost: rest, .providerError, because: reason, isGivenUp: true)
                        rest = []
                    }
                    pause = min(pause * 2, policy.longestPause)
                }
            }
        }
        let deadline = state.withLock { $0.value.shutdownDeadline }
        let failure = closeSinks(by: deadline)
        state.withLock { access in
            access.value.closeFailure = failure
            access.value.phase = .closed
            access.broadcast()
        }
        LeavingQueues.remove(self)
    }

    /// What is left of a batch is in hand.
    private func goOn(with rest: ArraySlice<QueueItem>) {
        guard let first = rest.first?.firstStamp else { return }
        state.withLock { access in
            access.value.inFlightFirst = first
            show(access)
        }
    }

    private enum Work {
        case write
        /// For those who asked up to this round: everything they wait for has left the queue. Who asks later asks for more.
        case flush(round: UInt64, by: LogDeadline)
        case end
    }

    /// - Parameter batch: Memory for what is to be written.
    private func nextWork(_ batch: inout [QueueItem]) -> Work {
        batch.removeAll(keepingCapacity: true)
        return state.withLock { access in
            while true {
                if let flush = access.value.flush, access.value.queue.holdsNothing(upTo: flush.target) {
                    let later = access.value.laterFlush
                    (access.value.flush, access.value.laterFlush) = (later, nil)
                    access.value.flushesBegun = flush.round
                    return .flush(round: flush.round, by: max(flush.deadline, later?.deadline ?? .now))
                }
                if !access.value.queue.isEmpty {
                    if !access.value.wantsAttention && access.value.phase == .running
                        && access.value.queue.count < policy.batchCount && policy.linger > .zero
                    {
                        let deadline = LogDeadline.after(policy.linger)
                        access.value.isParked = true
                        while !access.value.wantsAttention && access.value.phase == .running
                            && access.value.queue.count < policy.batchCount && access.wait(until: deadline)
                        {}
                        access.value.isParked = false
                        if access.value.queue.isEmpty { continue }
                    }
                    var count = 0
                    // One batch holds events of one nesting, so that what the sink logs about it can be told apart.
                    while let next = access.value.queue.first, batch.isEmpty || next.nesting == batch[0].nesting,
                        batch.isEmpty || count + next.count <= policy.batchCount,
                        let item = access.value.queue.removeFirst(upTo: policy.batchCount)
                    {
                        batch.append(item)
                        count += item.count
                    }
                    access.value.inFlight = count
                    access.value.inFlightFirst = batch.first?.firstStamp
                    if access.value.queue.isEmpty { access.value.wantsAttention = false }
                    show(access)
                    if access.value.waitingForRoom > 0 { access.broadcast() }
                    return .write
                }
                if access.value.phase == .closing { return .end }
                access.value.wantsAttention = false
                access.value.isParked = true
                access.wait()
                access.value.isParked = false
            }
        }
    }

    private func write(_ batch: ArraySlice<QueueItem>, watchedBy losses: LossWatch?) -> (any Error)? {
        // A provider with an account of its own tells nobody else what it loses.
        let watch = losses?.looksAtProvider == true ? losses : nil
        if let watch, let run = batch.asLoss {
            // Of lines nobody knows what they tell.
            let telling = watch.countsLaterLosses && lines == nil ? batch.events.count(where: \.tellsOfLosses) : 0
            watch.gives(run, telling: telling)
        }
        defer { watch?.gave() }
        return inside(nesting: batch[batch.startIndex].nesting) {
            if let lines {
                try batch.lines.lend { try lines.sink.write($0) }   // the method by itself would be a closure on the heap
            } else {
                try sink.write(batch.events)
            }
        }
    }

    /// Runs foreign code; what it logs on this thread is told from what others say.
    private func inside(nesting: UInt32, _ body: () throws -> Void) -> (any Error)? {
        let outer = logbook_nesting_get()
        logbook_nesting_set(logbook_nesting(depth: nesting + 1, registration: token))
        defer { logbook_nesting_set(outer) }
        do { try body() } catch { return error }
        return nil
    }

    /// An error in words. They are foreign code as well: never asked for under our lock, and what they log is told from what others say.
    private func words(_ failure: any Error, about batch: ArraySlice<QueueItem>) -> String {
        var words = ""
        _ = inside(nesting: batch[batch.startIndex].nesting) { words = LogMessage(describing: failure).description }
        return words
    }

    /// How many events a sink has written of those that it was given. One that says what cannot be is reported, and ends no program.
    private func writtenCount(_ said: Int, of count: Int, by origin: String) -> Int {
        let written = min(max(said, 0), count)
        if written != said { LogDiagnostics.report(origin, "said that it wrote \(said) of \(count) events; it counts as \(written)") }
        return written
    }

    /// Behind how many events of those that it was given the one stands that a sink refuses.
    private func refusedPlace(_ said: Int, of count: Int, by origin: String) -> Int {
        let place = min(max(said, 0), count - 1)
        if place != said {
            LogDiagnostics.report(origin, "refused the event after \(said) of \(count); it counts as the one after \(place)")
        }
        return place
    }

    /// Settles the events at the beginning of a batch of which a sink has dropped some on purpose. Of one that speaks of none the first
    /// counts as dropped: it would be offered again at once, and for ever.
    private func settle(
        _ batch: inout ArraySlice<QueueItem>, dropped said: Int, of total: Int, _ reason: DropReason, diverted: Bool = false,
        by origin: String
    ) {
        let offered = batch.eventCount
        var done = min(max(total, 0), offered), count = min(max(said, 0), done)
        if done == 0 { (done, count) = (1, 1) }
        if (count, done) != (said, total) {
            LogDiagnostics.report(
                origin, "dropped \(said) of the first \(total) of \(offered) events; it counts as \(count) of the first \(done)")
        }
        let run = count > 0 ? batch.firstEvents(done).asLoss.map { LossRun(count, of: $0) } : nil
        settle(written: done - count, diverted: diverted, dropping: run.map { (reason, $0) })
        batch = batch.droppingEvents(done)
    }

    private func settle(written: Int, diverted: Bool = false, dropping loss: (reason: DropReason, run: LossRun)? = nil) {
        let missing = (sink as? ProviderSink)?.missing ?? 0
        let losses = locked { access in
            access.value.settledMissing = missing
            access.value.ledger.deliver(written)
            if let loss { lose(loss.reason, loss.run, access) }
            access.value.inFlight -= written + (loss?.run.count ?? 0)
            access.value.isStuck = false
            if diverted {
                access.value.diverted += UInt64(written)
                access.value.hasHelp = true
            } else if written > 0 || loss != nil {
                access.value.latestFailure = nil
                if access.value.breaker.succeed() { access.value.notes.append("writes again") }
            }
            return access.value.losses
        }
        if written > 0 { losses?.wrote() }
    }

    /// - Parameter isGivenUp: Whether a shutdown's deadline has passed: flushes that want it safe are told.
    private func settle(lost batch: ArraySlice<QueueItem>, _ reason: DropReason, because cause: String, isGivenUp: Bool = false) {
        locked { access in
            access.value.inFlight -= batch.eventCount
            access.value.isStuck = false
            access.value.latestFailure = cause
            if isGivenUp { access.value.abandoned?.lost += batch.eventCount }
            giveUp(batch, reason, access)
        }
    }

    // MARK: The fallback

    /// Whether the sink is left alone for now, and the fallback takes what comes.
    private var isDiverting: Bool {
        guard fallback != nil else { return false }
        let now = clock.monotonicNanoseconds()
        return state.withLock { $0.value.breaker.isOpen && now < $0.value.nextTry }
    }

    /// Counts a failed write.
    /// - Parameter pause: How long the sink is then left alone, where the fallback takes what comes.
    /// - Returns: Whether the fallback should have the batch.
    private func fail(because failure: String, for pause: Duration) -> Bool {
        locked { access in
            access.value.latestFailure = failure
            if access.value.breaker.fail() {
                let taker = fallback == nil ? "callers do not wait for it" : "the fallback takes its events"
                access.value.notes.append("paused after \(access.value.breaker.failures) failed writes, \(taker): \(failure)")
                access.broadcast()   // to callers that wait for room
            }
            access.value.nextTry = clock.monotonicNanoseconds() + UInt64(pause.wholeNanoseconds)
            // When it closes, there is no later.
            return access.value.breaker.isOpen || access.value.phase == .closing
        }
    }

    /// Gives a batch to the fallback, if there is one.
    /// - Parameter batch: Keeps what the fallback could not write either. An event that it can never write is lost: it would come again
    ///   before all others.
    private func divert(_ batch: inout ArraySlice<QueueItem>) {
        guard let fallback else { return }
        let origin = name + ", fallback"
        while !batch.isEmpty {
            let events = batch.events
            guard let failure = inside(nesting: batch[batch.startIndex].nesting, { try fallback.write(events) }) else {
                settle(written: events.count, diverted: true)
                batch = []
                return
            }
            if case BatchWriteError.refusedOne(let reason, let after, let cause) = failure {
                let count = refusedPlace(after, of: events.count, by: origin)
                settle(written: count, diverted: true)
                batch = batch.droppingEvents(count)
                settle(lost: batch.firstEvents(1), reason, because: words(cause, about: batch))
                batch = batch.droppingEvents(1)
                continue
            }
            if case BatchWriteError.dropped(let said, let total, let reason) = failure {
                settle(&batch, dropped: said, of: total, reason, diverted: true, by: origin)
                continue
            }
            var written = 0
            if case BatchWriteError.wroteOnly(let said, _) = failure { written = writtenCount(said, of: events.count, by: origin) }
            LogDiagnostics.report(origin, "cannot write either: \(words(failure, about: batch))")
            if written > 0 {
                settle(written: written, diverted: true)
                batch = batch.droppingEvents(written)
            }
            locked { access in
                access.value.hasHelp = false
                access.broadcast()   // to callers that wait for room
            }
            return
        }
    }

    /// Pauses after a failed write; a flush or a shutdown ends the pause early, also one that came while the write was failing.
    /// - Returns: False when the queue was given up meanwhile, so the batch should not be tried again.
    private func holdBack(for pause: Duration, unlessFlushedSince flushRound: UInt64, because failure: String) -> Bool {
        LogDiagnostics.report(name, "cannot write, will try again: \(failure)")
        let share = 0.5 + LogRandomness.system.fraction() / 2
        let nanoseconds = UInt64(Double(pause.wholeNanoseconds) * share)
        let until = clock.monotonicNanoseconds() + nanoseconds
        let observation = clock.onAdvance { [state] in state.withLock { $0.broadcast() } }
        defer { withExtendedLifetime(observation) {} }
        return locked { access in
            access.value.latestFailure = failure
            while access.value.abandoned == nil && access.value.flushRound == flushRound
                && clock.monotonicNanoseconds() < until
            {
                // While it closes, look at the shutdown's deadline as well.
                let limit = access.value.phase == .closing ? access.value.shutdownDeadline : .never
                if limit.hasPassed {
                    abandonQueue(access)
                    break
                }
                clock.wait(in: access, until: until, limit: limit)
            }
            return access.value.abandoned == nil
        }
    }

    private func flushSink(_ round: UInt64, by deadline: LogDeadline) {
        let first = inside(nesting: 0) { try sink.flush(by: deadline) }
        let second = inside(nesting: 0) { try fallback?.flush(by: deadline) }
        let failure = first ?? second
        let earlier = state.withLock { access in
            let earlier = failure == nil ? nil : access.value.flushFailure
            if let failure { access.value.flushFailure = FlushFailure(round: round, error: failure, isOwed: !deadline.hasPassed) }
            access.value.flushesDone = round
            access.broadcast()
            return earlier
        }
        withExtendedLifetime(earlier) {}   // foreign as well: let go here, not under the lock
    }

    /// The last call of both, on the queue's thread or, where there was none, on its owner's.
    /// - Returns: What the first of them says that could not be closed well.
    func closeSinks(by deadline: LogDeadline) -> (any Error)? {
        if state.withLock({ $0.value.keepsSinkOpen }) { return nil }
        let nesting = logbook_nesting_get().depth
        let first = inside(nesting: nesting) { try sink.close(by: deadline) }
        let second = inside(nesting: nesting) { try fallback?.close(by: deadline) }
        return first ?? second
    }
}
