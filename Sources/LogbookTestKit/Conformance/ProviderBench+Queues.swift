internal import LogbookCore

// A queue that drives the bench's own sink.
extension ProviderBench {
    func queueCallsOneAtATime() throws {
        let sink = try queueSink
        sink.waitForCompany()
        let perThread = (0..<4).map { events(50, "thread \($0), number") }
        try onThreads(perThread.count, "log and flush from \(perThread.count) threads") { [provider, deadline] thread in
            for event in perThread[thread] { provider.log(event) }
            try? provider.flush(by: deadline)
        }
        _ = try settled(perThread.flatMap { $0 })
        try require(sink.mostInside <= 1, "\(sink.mostInside) calls were inside the sink at the same time")
        try require(!sink.calls.contains(.write([])), "the sink was given an empty batch")
    }

    func queueFlushesAfterBatches() throws {
        let sink = try queueSink, perRound = min(7, room)
        var count = 0
        for round in 1...5 {
            log(events(perRound, "round \(round), number"))
            count += perRound
            let before = sink.calls.count
            try flush()
            let calls = sink.calls
            guard let flush = calls.lastIndex(of: .flush), flush >= before else {
                throw CheckFailed("a flush did not reach the sink")
            }
            let written = calls[..<flush].reduce(0) { $0 + $1.eventCount }
            let due = count - Int(clamping: suppression.missing)
            try require(written == due, "the sink was flushed when \(written) of \(due) events had been written")
        }
        try shutdown()
    }

    func queueClosesOnce() throws {
        let sink = try queueSink
        log(events(5))
        try shutdown()
        try? doing("the second shutdown") { try provider.shutdown(by: deadline) }
        let calls = sink.calls
        let closes = calls.count { $0 == .close }
        try require(closes == 1, "the sink was closed \(closes) times")
        try require(calls.last == .close, "the sink was called again after it had been closed")
    }

    func queueFlushesBeforeClose() throws {
        let sink = try queueSink
        log(events(5))
        try shutdown()
        let calls = sink.calls
        guard let written = calls.lastIndex(where: { $0.eventCount > 0 }) else { throw CheckFailed("nothing was written") }
        try require(
            calls[written...].contains(.flush), "the sink was closed, and not flushed after its last batch: perhaps nothing is safe before")
    }

    func queueOffersAgain() throws {
        let sink = try queueSink, events = events(min(30, room))
        sink.answer([ScriptedFailure("the first"), ScriptedFailure("the second"), ScriptedFailure("the third")])
        log(events)
        let reading = try settled(events)
        try requireIntact(reading)
        let batches = sink.calls.compactMap(\.batch)
        guard let first = batches.first, batches.count > 3 else { throw CheckFailed("a failed batch was not offered again") }
        for batch in batches[1...3] {
            try require(
                batch.starts(with: first),
                "a batch of \(first.count) events failed, and was offered again as another one of \(batch.count)")
        }
        try refuse(reading.disorderInWords { _ in 0 })
    }

    func queueGoesOnAfterPart() throws {
        let sink = try queueSink, events = events(min(30, room))
        sink.answer([BatchWriteError.wroteOnly(count: 1, because: ScriptedFailure())])
        log(events)
        let reading = try settled(events)
        try requireIntact(reading)
        try refuse(reading.disorderInWords { _ in 0 })
        try requireAccount(reading)
    }

    func queueCountsRefused() throws {
        let sink = try queueSink, events = events(min(30, room)), after = self.events(min(5, room), "after")
        let reason = DropReason(rawValue: "refused_by_bench")
        sink.answer([BatchWriteError.refused(reason, because: ScriptedFailure())])
        log(events)
        try flush()
        log(after)
        let reading = try settled(events + after)
        try requireOnce(reading)
        guard let refused = sink.calls.lazy.compactMap(\.batch).first else { throw CheckFailed("nothing was written") }
        try requireMissing(refused, as: reason, in: reading)
    }

    func queueCountsRefusedOne() throws {
        let sink = try queueSink, events = events(min(30, room))
        let reason = DropReason(rawValue: "one_refused_by_bench"), place = 3
        sink.answer([BatchWriteError.refusedOne(reason, after: place, because: ScriptedFailure())])
        log(events)
        let reading = try settled(events)
        try requireOnce(reading)
        guard let first = sink.calls.lazy.compactMap(\.batch).first else { throw CheckFailed("nothing was written") }
        try requireMissing([first[min(place, first.count - 1)]], as: reason, in: reading)
        try refuse(reading.disorderInWords { _ in 0 })
    }

    func queueCountsDropped() throws {
        let sink = try queueSink, events = events(min(30, room))
        let reason = DropReason(rawValue: "dropped_by_bench")
        sink.answer([BatchWriteError.dropped(count: 1, of: 3, reason)])
        log(events)
        let reading = try settled(events)
        try requireOnce(reading)
        guard let dropped = sink.calls.lazy.compactMap(\.batch).first?.first else { throw CheckFailed("nothing was written") }
        try requireMissing([dropped], as: reason, in: reading, "dropped")
        try requireAccount(reading)
        try refuse(reading.disorderInWords { _ in 0 })
    }

    /// - Parameter lost: Events that the sink has not written, and will not.
    private func requireMissing(_ lost: [LogEvent], as reason: DropReason, in reading: Reading, _ word: String = "refused") throws {
        let missing = Set(reading.missing.map { reading.logged[$0].sequence })
        try require(
            reading.lost == lost.count && missing.isSuperset(of: lost.map(\.sequence)),
            "\(reading.lost) events are missing; the sink \(word) \(lost.count)")
        guard let ledger = provider.ledger else { throw CheckFailed("a queue can lose events, and this one keeps no ledger") }
        try require(
            ledger.dropped == [reason: UInt64(lost.count)],
            "the sink \(word) \(lost.count) events as \(reason)" + Self.inWords(ledger))
    }
}

extension BenchSink.Call {
    var batch: [LogEvent]? { if case .write(let batch) = self { batch } else { nil } }
    var eventCount: Int { batch?.count ?? 0 }
}
