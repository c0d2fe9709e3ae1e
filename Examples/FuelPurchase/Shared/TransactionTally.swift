#if Examples
    import Foundation
    public import Logbook

    /// Counts what transactions said, by use case, event and error: enough to compare two accounts of the same thing.
    public final class TransactionTally: LogProvider {
        private let lock = NSLock()
        private nonisolated(unsafe) var counts: [String: Int] = [:]   // only with the lock

        public init() {}
        public var interest: LogInterest { .transactionEntries }

        public func log(_ event: LogEvent) {
            guard let entry = event.transaction else { return }
            let what = entry.event.map { "event \($0)" } ?? "began"
            let error = [entry.errorCode.map { "\($0)" }, entry.errorDescription].compactMap { $0 }.joined(separator: " ")
            lock.withLock { counts["use case \(entry.usecase) \(what) \(error)", default: 0] += 1 }
        }
        public func flush(by deadline: LogDeadline) {}

        public var total: Int { lock.withLock { counts.values.reduce(0, +) } }

        /// How many entries the one account has that the other has not.
        public func difference(from other: TransactionTally) -> Int {
            let mine = lock.withLock { counts }, theirs = other.lock.withLock { other.counts }
            return Set(mine.keys).union(theirs.keys).reduce(0) { $0 + abs(mine[$1, default: 0] - theirs[$1, default: 0]) }
        }
    }
#endif
