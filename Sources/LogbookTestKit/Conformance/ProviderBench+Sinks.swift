internal import LogbookCore

// A sink, driven directly: one call at a time, as its queue would.
extension ProviderBench {
    private func write(_ batch: [LogEvent], to sink: any BatchSink) throws {
        try doing("write of \(batch.count) events") { try sink.write(batch) }
    }

    /// In batches as large as may be.
    private func writeAll(_ events: [LogEvent], to sink: any BatchSink) throws {
        for first in stride(from: 0, to: events.count, by: batchCount) {
            try write(Array(events[first..<min(first + batchCount, events.count)]), to: sink)
        }
    }

    private func settled(_ sink: any BatchSink, _ logged: [LogEvent]) throws -> Reading {
        try doing("flush of the sink") { try sink.flush(by: deadline) }
        try doing("close of the sink") { try sink.close(by: deadline) }
        return try readBack(logged)
    }

    func sinkTakesOne() throws {
        let sink = try sink, events = events(2)
        for event in events { try write([event], to: sink) }
        try requireIntact(settled(sink, events))
    }

    func sinkTakesMany() throws {
        let sink = try sink, events = events(512)
        try writeAll(events, to: sink)
        try requireIntact(settled(sink, events))
    }

    func sinkKeepsBatchOrder() throws {
        let sink = try sink, events = events(100)
        guard claims.keepsOrder else { throw CheckNotApplicable("the sink does not claim to keep an order") }
        try writeAll(Array(events[..<60]), to: sink)
        try writeAll(Array(events[60...]), to: sink)
        try refuse(settled(sink, events).disorderInWords { _ in 0 })
    }

    func sinkFailsHonestly() throws {
        let sink = try sink, before = events(3, "before"), batch = events(min(20, batchCount)), after = events(3, "after")
        try writeAll(before, to: sink)
        var rest = batch, lost = 0
        try failing {
            do {
                try write(batch, to: sink)
                rest = []
                // One that says so in its flush has hidden nothing: what has become of the batch is seen when the destination works again.
                guard (try? doing("flush of the sink") { try sink.flush(by: deadline) }) != nil else { return }
                if try readBack(before + batch).count(of: batch) < batch.count {
                    throw CheckFailed("a write returned although the destination failed, and its events are not there")
                }
            } catch let failure as CheckFailed {
                throw failure
            } catch BatchWriteError.wroteOnly(let count, _) {
                try require((0...batch.count).contains(count), "wroteOnly says \(count) of a batch of \(batch.count)")
                rest = Array(batch[count...])
            } catch BatchWriteError.refused {
                (rest, lost) = ([], batch.count)
            } catch BatchWriteError.refusedOne(_, let count, _) {
                try require(batch.indices.contains(count), "refusedOne says that it was event \(count) of a batch of \(batch.count)")
                (rest, lost) = (Array(batch[(count + 1)...]), 1)
            } catch BatchWriteError.dropped(let count, let total, _) {
                try require(
                    (1...batch.count).contains(total) && (0...total).contains(count),
                    "dropped says \(count) of the first \(total) of a batch of \(batch.count)")
                (rest, lost) = (Array(batch[total...]), count)
            } catch {}
        }
        if !rest.isEmpty { try write(rest, to: sink) }
        try writeAll(after, to: sink)
        let reading = try settled(sink, before + batch + after)
        let expected = before.count + batch.count + after.count - lost
        try require(
            reading.logged.count - reading.missing.count == expected,
            reading.missingInWords ?? "events are there that the sink has refused or dropped")
        if !claims.mayRepeatAfterFailure {
            try refuse(
                reading.repeatedInWords.map { $0 + "; a write that writes a part must throw BatchWriteError.wroteOnly" })
        }
        if claims.keepsOrder, !claims.mayRepeatAfterFailure { try refuse(reading.disorderInWords { _ in 0 }) }
    }

    func sinkKeepsToDeadline() throws { try endWhileStalled("whose deadline was over", by: .now, times: Self.stalledFlushes) }
    func sinkEndsAtDeadline() throws { try endWhileStalled("whose deadline lay ahead", by: .after(Self.aheadBy)) }

    private func endWhileStalled(_ words: String, by deadline: @autoclosure () -> LogDeadline, times: Int = 1) throws {
        let sink = try sink
        try writeAll(events(3), to: sink)
        try stalled {
            doing("flush of the sink \(words)") { for _ in 1...times { try? sink.flush(by: deadline()) } }
            doing("close of the sink \(words)") { try? sink.close(by: deadline()) }
        }
    }
}
