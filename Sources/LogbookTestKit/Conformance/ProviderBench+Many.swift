internal import LogbookCore

// Many events, from one thread and from many.
extension ProviderBench {
    func keepsEverything() throws {
        let events = events(1_000)
        log(events)
        try requireIntact(settled(events))
    }

    func keepsOrder() throws {
        guard claims.keepsOrder else { throw CheckNotApplicable("the provider does not claim to keep an order") }
        let alone = events(500, "alone")
        log(alone)
        let perThread = (0..<4).map { events(100, "thread \($0), number") }
        try onThreads(perThread.count, "log from \(perThread.count) threads") { [provider] thread in
            for event in perThread[thread] { provider.log(event) }
        }
        var thread: [UInt64: Int] = [:]
        for (number, events) in perThread.enumerated() {
            for event in events { thread[event.sequence] = number + 1 }
        }
        let reading = try settled(alone + perThread.flatMap { $0 })
        try refuse(reading.disorderInWords { thread[$0.sequence] ?? 0 })
    }

    func concurrency() throws {
        let perThread = (0..<8).map { events(250, "thread \($0), number") }
        try onThreads(perThread.count, "log from \(perThread.count) threads") { [provider] thread in
            for event in perThread[thread] { provider.log(event) }
        }
        try requireIntact(settled(perThread.flatMap { $0 }))
    }

    // MARK: The account

    func ledgerAddsUp() throws {
        guard provider.ledger != nil else { throw CheckNotApplicable("the provider keeps no ledger: every event must arrive") }
        var logged: [LogEvent] = []
        for round in 1...20 {
            let events = events(round, "round \(round), number")
            logged += events
            log(events)
            try requireSubmitted(logged.count)
            try flush()
            let ledger = provider.ledger
            try require(ledger?.pending == 0, "after a flush something is pending" + Self.inWords(ledger))
        }
        try requireAccount(settled(logged))
    }

    func ledgerNeverGoesBack() throws {
        guard let first = provider.ledger else { throw CheckNotApplicable("the provider keeps no ledger") }
        let perThread = (0..<4).map { events(200, "thread \($0), number") }
        let crew = try startThreads(perThread.count) { [provider] thread in
            for event in perThread[thread] { provider.log(event) }
        }
        var latest = first
        for probe in 1...400 {
            latest = try look(after: latest)
            if probe.isMultiple(of: 100) { try flushUnlessFull() }
        }
        crew.wait("log from \(perThread.count) threads", progress)
        latest = try look(after: latest)
        try flushUnlessFull()
        latest = try look(after: latest)
        try shutdown()
        _ = try look(after: latest)
        try requireAccount(readBack(perThread.flatMap { $0 }))
    }

    func flushUnderLoad() throws {
        let threads = 4, rounds = 20, perRound = 10
        let perThread = (0..<threads).map { events(rounds * perRound, "thread \($0), number") }
        let flushing = Monitor((begun: 0, ended: 0, working: threads, isOver: false))
        let letGo: @Sendable () -> Void = {
            flushing.withLock { access in
                access.value.isOver = true
                access.broadcast()
            }
        }
        whenAbandoned(letGo)
        defer { letGo() }
        let crew = try startThreads(threads) { [provider] thread in
            var begun = 0
            for round in 0..<rounds {
                // Each round comes beside a flush, however busy the machine is.
                begun = flushing.withLock { [begun] access in
                    while access.value.begun == begun, !access.value.isOver { access.wait() }
                    return access.value.begun
                }
                for (number, event) in perThread[thread][(round * perRound)..<((round + 1) * perRound)].enumerated() {
                    // Spread over the flush, which may begin late on a busy machine, or take long: the last one comes after 50 ms.
                    let limit = LogDeadline.after(.microseconds(50 << number))
                    flushing.withLock { [begun] access in
                        while access.value.ended < begun, !access.value.isOver, access.wait(until: limit) {}
                    }
                    provider.log(event)
                }
            }
            flushing.withLock { $0.value.working -= 1 }
        }
        var isWorking = true
        while isWorking {
            isWorking = flushing.withLock { access in
                access.value.begun += 1
                access.broadcast()
                return access.value.working > 0
            }
            try flushUnlessFull()
            flushing.withLock { access in
                access.value.ended = access.value.begun
                access.broadcast()
            }
        }
        crew.wait("log while another thread flushes", progress)
        try requireIntact(settled(perThread.flatMap { $0 }))
    }

    /// A flush may say that events were lost, where more come than the provider claims to hold.
    func flushUnlessFull() throws {
        do { try flush() } catch {
            if claims.capacity == nil { throw error }
        }
    }

    private func look(after before: LogLedger) throws -> LogLedger {
        guard let now = doing("ledger", { provider.ledger }) else { throw CheckFailed("the ledger was there and is gone") }
        let isSmaller =
            now.submitted < before.submitted || now.delivered < before.delivered
            || before.dropped.contains { now.dropped[$0.key, default: 0] < $0.value }
        try require(!isSmaller, "after" + Self.inWords(before) + " came" + Self.inWords(now))
        try require(
            now.submitted == now.delivered + now.pending + now.droppedTotal, "it does not add up" + Self.inWords(now))
        return now
    }

    private func requireSubmitted(_ count: Int) throws {
        let ledger = provider.ledger
        let held = suppression.missing
        try require(
            ledger.map { $0.submitted + held } == UInt64(count),
            "\(count) events were logged" + (held == 0 ? "" : ", \(held) held back") + Self.inWords(ledger))
    }

    /// The ledger knows every event that was offered and what became of it.
    /// - Parameter mayLeavePending: A shutdown has thrown: what it could not write may stay with the provider, for the program to
    ///   take back.
    func requireAccount(_ reading: Reading, mayLeavePending: Bool = false) throws {
        guard let ledger = provider.ledger else { return try requireEverything(reading) }
        try requireSubmitted(reading.logged.count)
        let there = reading.arrived
        // What a shutdown has given up may have arrived all the same: the answer came to nobody.
        let most = ledger.delivered + (mayLeavePending ? ledger.pending : 0)
        try require(
            (ledger.delivered...most).contains(UInt64(there)) && (ledger.pending == 0 || mayLeavePending),
            "\(there) of \(reading.logged.count) events were read back" + Self.inWords(ledger))
    }
}
