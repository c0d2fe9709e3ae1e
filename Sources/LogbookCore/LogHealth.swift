/// How a service and its providers fare: cheap to ask for at any time.
public struct LogHealth: Sendable, Equatable {
    public struct Provider: Sendable, Equatable {
        public let name: String
        public let level: LogLevel
        public let levels: LevelRules
        /// What it was not meant to hear.
        public let unheard: LogUnheard
        /// What wrappers in front of it held back on purpose.
        public let suppression: LogSuppression
        public let ledger: LogLedger
        /// Whether its queue can write, tries again, or has paused it.
        public let condition: QueueCondition
        /// The latest failure in words; nil when all is well.
        public let latestFailure: String?
    }
    /// In the order of registration.
    public let providers: [Provider]
    /// The sequence of the newest event; 0 before the first.
    public let latestSequence: UInt64
}

/// What a flush or a shutdown could not reach before its deadline.
public struct LogFlushReport: Sendable, Equatable, CustomStringConvertible {
    public struct Unfinished: Sendable, Equatable {
        public let name: String
        public let pending: UInt64
        /// What the provider said, or that it had not answered in time.
        public let reason: String
    }
    /// Empty when everything is safe.
    public let unfinished: [Unfinished]
    package static let everythingIsSafe = LogFlushReport(unfinished: [])
    public var isComplete: Bool { unfinished.isEmpty }

    public var description: String {
        isComplete
            ? "everything is safe"
            : unfinished.map { "\($0.name): \($0.reason) (\($0.pending) pending)" }.joined(separator: "; ")
    }
}
