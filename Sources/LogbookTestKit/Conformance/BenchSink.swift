internal import LogbookCore

/// The sink that a queue on the bench is given: it notes every call, stalls and fails when told, and never trusts its caller.
final class BenchSink: BatchSink {
    enum Call: Sendable, Equatable {
        case write([LogEvent])
        case flush
        case close
    }

    private struct State {
        var calls: [Call] = []
        var written: [LogEvent] = []
        var isStalled = false
        var waitsForCompany = false
        var failure: (any Error)?
        var answers: [any Error] = []
        var inside = 0
        var mostInside = 0
        var attempts = 0
    }
    private let state = Monitor(State())

    /// The longest wait for a second caller that should never come.
    private static let companyLimit = Duration.milliseconds(500)

    func write(_ batch: [LogEvent]) throws {
        try inside(.write(batch)) { access in
            if !access.value.answers.isEmpty {
                let answer = access.value.answers.removeFirst()
                switch answer {
                case BatchWriteError.wroteOnly(let count, _):
                    access.value.written.append(contentsOf: batch.prefix(count))
                    throw answer
                case BatchWriteError.refusedOne(let reason, let place, let cause):
                    let count = min(place, batch.count - 1)
                    access.value.written.append(contentsOf: batch.prefix(count))
                    throw BatchWriteError.refusedOne(reason, after: count, because: cause)
                case BatchWriteError.dropped(let said, let total, let reason):
                    let done = min(total, batch.count), count = min(said, done)
                    access.value.written.append(contentsOf: batch[count..<done])
                    throw BatchWriteError.dropped(count: count, of: done, reason)
                default: throw answer
                }
            }
            if let failure = access.value.failure { throw failure }
            access.value.written.append(contentsOf: batch)
        }
    }

    func flush(by deadline: LogDeadline) { inside(.flush, until: deadline) { _ in } }
    func close(by deadline: LogDeadline) { inside(.close, until: deadline) { _ in } }

    private func inside(
        _ call: Call, until deadline: LogDeadline = .never, _ body: (Monitor<State>.Access) throws -> Void
    ) rethrows {
        try state.withLock { access in
            access.value.calls.append(call)
            access.value.attempts += 1
            access.value.inside += 1
            access.value.mostInside = max(access.value.mostInside, access.value.inside)
            access.broadcast()
            defer {
                access.value.inside -= 1
                access.broadcast()
            }
            if access.value.waitsForCompany {
                access.value.waitsForCompany = false
                let limit = LogDeadline.after(Self.companyLimit)
                while access.value.mostInside < 2, access.wait(until: limit) {}
            }
            while access.value.isStalled, access.wait(until: deadline) {}
            try body(access)
        }
    }

    func stall(_ isStalled: Bool) {
        state.withLock { access in
            access.value.isStalled = isStalled
            access.broadcast()
        }
    }

    var isStalled: Bool { state.withLock { $0.value.isStalled } }

    /// What every write throws from now on; nil for success.
    func fail(_ failure: (any Error)?) { state.withLock { $0.value.failure = failure } }
    /// What the next writes throw, one each; of a batch that is too short for it, the last event is the one that is refused. What is
    /// dropped on purpose are the first of a batch.
    func answer(_ answers: [any Error]) { state.withLock { $0.value.answers = answers } }
    /// Lets the next call stay inside for a moment, so that a second caller would be seen.
    func waitForCompany() { state.withLock { $0.value.waitsForCompany = true } }

    var calls: [Call] { state.withLock { $0.value.calls } }
    var written: [LogEvent] { state.withLock { $0.value.written } }
    var mostInside: Int { state.withLock { $0.value.mostInside } }
}
