internal import LogbookCore
internal import Synchronization

// Flushing, shutting down, and what comes after.
extension ProviderBench {
    func flushMakesVisible() throws {
        var logged: [LogEvent] = []
        for round in 1...10 {
            let events = events(5, "round \(round), number")
            logged += events
            log(events)
            try flush()
            try requireEverything(readBack(logged))
        }
    }

    func shutdownWritesTheRest() throws {
        let events = events(20)
        log(events)
        try shutdown()
        let reading = try readBack(events)
        try requireEverything(reading)
        try requireOnce(reading)
    }

    func flushTwice() throws {
        try doing("flush before the first event") { try provider.flush(by: deadline) }
        var logged: [LogEvent] = []
        for round in 1...3 {
            let events = events(3, "round \(round), number")
            logged += events
            log(events)
            try flush()
            try doing("the second flush") { try provider.flush(by: deadline) }
            try requireIntact(readBack(logged))
        }
    }

    func visibleWhenLogReturns() throws {
        guard claims.visibility == .whenLogReturns else { throw CheckNotApplicable("the provider does not claim it") }
        var logged: [LogEvent] = []
        for event in events(20) {
            log(event)
            logged.append(event)
            try requireEverything(readBack(logged))
        }
    }

    func flushAfterShutdown() throws {
        let events = events(3)
        log(events)
        _ = try settled(events)
        try doing("flush after shutdown") { try provider.flush(by: deadline) }
        try requireIntact(readBack(events))
    }

    func shutdownTwice() throws {
        let events = events(3)
        log(events)
        _ = try settled(events)
        try doing("the second shutdown") { try provider.shutdown(by: deadline) }
        try requireIntact(readBack(events))
    }

    func logAfterShutdown() throws {
        let before = events(3, "before"), after = events(5, "after")
        log(before)
        let stood = try settled(before), droppedBefore = provider.ledger?.droppedTotal ?? 0
        doing("log after shutdown") { for event in after { provider.log(event) } }
        try? doing("flush after log after shutdown") { try provider.flush(by: deadline) }
        let reading = try readBack(before + after)
        try require(
            reading.count(of: before) >= stood.count(of: before), "logging after shutdown took away what stood there")
        try requireOnce(reading)
        let lost = reading.lost - stood.lost
        // Of an account that takes back what it has counted, fewer than none.
        let dropped = Int(clamping: provider.ledger?.droppedTotal ?? 0) - Int(clamping: droppedBefore)
        try require(
            dropped == lost,
            "of \(after.count) events logged after shutdown \(lost) are neither written nor counted" + Self.inWords(provider.ledger))
        if provider.ledger != nil { try requireAccount(reading) }
    }

    func closeUnderLoad() throws {
        let closing = Monitor((isClosing: false, isClosed: false, ready: 0))
        let logged = Locked((certain: [LogEvent](), late: [LogEvent]()))
        let threads = 4
        whenAbandoned {
            closing.withLock { access in
                (access.value.isClosing, access.value.isClosed) = (true, true)
                access.broadcast()
            }
        }
        let crew = try startThreads(threads) { [self] thread in
            var certain: [LogEvent] = [], late: [LogEvent] = []
            func log(_ word: String, _ count: Int) {
                for number in 1...count {
                    let event = event("thread \(thread), \(word) \(number)")
                    provider.log(event)
                    // What had returned before anybody called shutdown must stand there.
                    if closing.withLock({ $0.value.isClosing }) { late.append(event) } else { certain.append(event) }
                }
            }
            log("early", 50)
            closing.withLock { access in
                access.value.ready += 1
                access.broadcast()
                while !access.value.isClosing { access.wait() }
            }
            // Go on until shutdown has returned, with a breath now and then, but not for ever.
            for round in 1...200 {
                log("round \(round), number", 10)
                let isClosed = closing.withLock { access in
                    if !access.value.isClosed { access.wait(until: .milliseconds(1)) }
                    return access.value.isClosed
                }
                if isClosed { break }
            }
            log("late", 5)
            logged.withLock { [certain, late] in
                $0.certain += certain
                $0.late += late
            }
        }
        doing("log before shutdown") {
            closing.withLock { access in
                while access.value.ready < threads { access.wait() }
                access.value.isClosing = true
                access.broadcast()
            }
        }
        try shutdown()
        closing.withLock { access in
            access.value.isClosed = true
            access.broadcast()
        }
        crew.wait("log while shutdown runs", progress)
        try? doing("flush after shutdown") { try provider.flush(by: deadline) }

        let (certain, late) = logged.withLock { $0 }
        let reading = try readBack(certain + late)
        try requireOnce(reading)
        if provider.ledger != nil {
            try requireAccount(reading)
            if claims.capacity != nil { return }
        }
        let lost = certain.count - reading.count(of: certain)
        try require(
            lost <= Int(clamping: reading.suppression.heldBack),
            "\(lost) events that were logged before shutdown are missing" + Self.inWords(provider.ledger))
    }
}
