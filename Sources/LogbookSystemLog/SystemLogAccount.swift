internal import LogbookCore

/// Sends events through a channel and keeps account of them, for both providers.
struct SystemLogAccount: Sendable {
    private let name: String
    private let channel: SystemLogChannel
    private struct State {
        var ledger = LogLedger()
        /// Why the latest event that came alone is lost; nil when it was sent.
        var failure: SystemLogError?
    }
    private let state = Locked(State())

    init(_ name: String, _ channel: SystemLogChannel) {
        self.name = name
        self.channel = channel
    }

    var current: LogLedger { state.withLock { $0.ledger } }
    var latestFailure: String? { state.withLock { $0.failure?.description } }

    /// Sends one event; what cannot be sent is counted.
    func log(_ message: [UInt8]) {
        let failure: SystemLogError?
        do throws(SystemLogError) {
            try channel.send(message)
            failure = nil
        } catch { failure = error }
        state.withLock { state in
            state.ledger.submit()
            if let failure { state.ledger.drop(1, failure.dropReason) } else { state.ledger.deliver(1) }
            state.failure = failure
        }
        if let failure, failure.dropReason != .alreadyShutDown { report(failure) }
    }

    /// Sends a batch in order, and says where it broke off. What becomes of it is in the queue's account.
    func write(_ batch: [LogEvent], _ encode: (LogEvent) -> [UInt8]) throws {
        for (index, event) in batch.enumerated() {
            do throws(SystemLogError) { try channel.send(encode(event)) } catch {
                switch error {
                case .tooLarge:   // the queue counts it, and offers what is behind it again
                    report(error)
                    throw BatchWriteError.refusedOne(error.dropReason, after: index, because: error)
                case .closed where index == 0: throw BatchWriteError.refused(error.dropReason, because: error)
                case .closed:   // what is behind it comes again, and is refused as a whole
                    throw BatchWriteError.refusedOne(error.dropReason, after: index, because: error)
                default: throw BatchWriteError.wroteOnly(count: index, because: error)
                }
            }
        }
    }

    /// Not under the lock: whoever listens may log.
    private func report(_ failure: SystemLogError) { LogDiagnostics.report(name, "an event is lost: \(failure)") }
}
