@testable import LogbookTestKit

/// A queue that writes when it is flushed, on a thread that lives as long as that takes; sound but for its flaw.
final class FlawedQueue: LogProvider {
    enum Flaw: Sendable {
        case none, writesFromEveryThread, flushesFirst, neverFlushes, closesTwice, closesUnflushed, givesUpAfterFailure,
            reversesFailedBatch, offersPartAgain, forgetsRefused, offersRefusedAgain, dropsBehindRefused, offersEmptyBatches,
            offersDroppedAgain, dropsBesideDropped
    }

    private struct State {
        var waiting: [LogEvent] = []
        var ledger = LogLedger()
        var isShut = false
        var isWriting = false
    }
    private let sink: any BatchSink
    private let flaw: Flaw
    private let state = Monitor(State())
    private let capacity: Int
    static func batchCount(of capacity: Int) -> Int { min(10, capacity) }

    init(_ sink: any BatchSink, _ flaw: Flaw, capacity: Int = .max) {
        self.sink = sink
        self.flaw = flaw
        self.capacity = capacity
    }

    var ledger: LogLedger? { state.withLock { $0.value.ledger } }

    func log(_ event: LogEvent) {
        if flaw == .writesFromEveryThread, event.message.contains("thread") {
            state.withLock { $0.value.ledger.submit() }
            try? sink.write([event])
            return state.withLock { $0.value.ledger.deliver(1) }
        }
        state.withLock { access in
            access.value.ledger.submit()
            if access.value.isShut { return access.value.ledger.drop(1, .alreadyShutDown) }
            if access.value.waiting.count >= capacity { return access.value.ledger.drop(1, .queueFull) }
            access.value.waiting.append(event)
        }
    }

    func flush(by deadline: LogDeadline) throws { try flush(by: deadline, closing: false) }

    func shutdown(by deadline: LogDeadline) throws {
        let isFirst = state.withLock { access in
            defer { access.value.isShut = true }
            return !access.value.isShut
        }
        guard isFirst else {
            return state.withLock { access in
                while access.value.isWriting, access.wait(until: deadline) {}
            }
        }
        var failure: (any Error)?
        do { try flush(by: deadline, closing: true) } catch { failure = error }
        state.withLock { access in
            access.value.ledger.drop(access.value.waiting.count, .providerTimeout)
            access.value.waiting = []
        }
        if let failure { throw failure }
    }

    private func flush(by deadline: LogDeadline, closing: Bool) throws {
        let isMine = state.withLock { access in
            while access.value.isWriting {
                if !access.wait(until: deadline) { return false }
            }
            access.value.isWriting = true
            return true
        }
        guard isMine else { throw ScriptedFailure("another thread is writing") }
        if deadline.hasPassed {
            release()
            throw ScriptedFailure("the deadline was over")
        }
        // The bench's sink waits without a limit; whoever flushes does not.
        let outcome = Monitor<Result<Void, any Error>?>(nil)
        let started = LogThread.start("flawed-queue") { [self] in
            let result = Result { try writeAndFlush(by: deadline, closing: closing) }
            release()
            outcome.withLock { access in
                access.value = result
                access.broadcast()
            }
        }
        guard started else {
            release()
            throw ScriptedFailure("the machine gives no thread")
        }
        let result = outcome.withLock { access in
            while access.value == nil, access.wait(until: deadline) {}
            return access.value
        }
        guard let result else { throw ScriptedFailure("the sink does not answer") }
        try result.get()
    }

    private func writeAndFlush(by deadline: LogDeadline, closing: Bool) throws {
        if flaw == .flushesFirst { try sink.flush(by: deadline) }
        if flaw == .offersEmptyBatches { try sink.write([]) }
        try writeAll(by: deadline)
        if flaw != .flushesFirst, flaw != .neverFlushes, flaw != .closesUnflushed || !closing { try sink.flush(by: deadline) }
        if closing {
            try sink.close(by: deadline)
            if flaw == .closesTwice { try sink.close(by: deadline) }
        }
    }

    private func release() {
        state.withLock { access in
            access.value.isWriting = false
            access.broadcast()
        }
    }

    private func writeAll(by deadline: LogDeadline) throws {
        while true {
            var batch = state.withLock { access in
                let batch = Array(access.value.waiting.prefix(Self.batchCount(of: capacity)))
                access.value.waiting.removeFirst(batch.count)
                return batch
            }
            if batch.isEmpty { return }
            while !batch.isEmpty {
                do {
                    try sink.write(batch)
                    settle(batch.count)
                    batch = []
                } catch BatchWriteError.refused(let reason, _) {
                    if flaw == .forgetsRefused { settle(batch.count) } else { drop(batch.count, reason) }
                    batch = []
                } catch BatchWriteError.refusedOne(let reason, let count, _) {
                    settle(count)
                    batch.removeFirst(count)
                    if flaw == .offersRefusedAgain { continue }
                    let lost = flaw == .dropsBehindRefused ? batch.count : 1
                    drop(lost, reason)
                    batch.removeFirst(lost)
                } catch BatchWriteError.dropped(let count, let total, let reason) where flaw != .offersDroppedAgain {
                    let lost = flaw == .dropsBesideDropped ? total : count
                    settle(total - lost)
                    drop(lost, reason)
                    batch.removeFirst(total)
                } catch BatchWriteError.wroteOnly(let count, _) {
                    if flaw == .offersPartAgain { continue }
                    settle(count)
                    batch.removeFirst(count)
                } catch {
                    if flaw == .givesUpAfterFailure {
                        drop(batch.count, .providerError)
                        batch = []
                    }
                    if flaw == .reversesFailedBatch { batch.reverse() }
                    if deadline.hasPassed {
                        state.withLock { [batch] in $0.value.waiting.insert(contentsOf: batch, at: 0) }
                        throw error
                    }
                }
            }
        }
    }

    private func settle(_ count: Int) { state.withLock { $0.value.ledger.deliver(count) } }
    private func drop(_ count: Int, _ reason: DropReason) { state.withLock { $0.value.ledger.drop(count, reason) } }
}
