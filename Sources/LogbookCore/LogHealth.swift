/// How a service and its providers fare: cheap to ask for at any time.
///
/// In words it has a line for each provider: `orders: 12 submitted, 9 delivered, 2 pending (the oldest since 2026-11-21T10:29:23.5Z),
/// 1 dropped (queue_full 1), retrying after 3 failed writes; latest failure: no connection`.
public struct LogHealth: Sendable, Equatable, CustomStringConvertible {
    public struct Provider: Sendable, Equatable, CustomStringConvertible {
        public let name: String
        public let level: LogLevel
        public let levels: LevelRules
        /// What it was not meant to hear.
        public let unheard: LogUnheard
        /// What wrappers in front of it held back on purpose.
        public let suppression: LogSuppression
        public let ledger: LogLedger
        /// What the provider has lost of what the ledger has as delivered, by reasons; see ``LogProvider/lostAfterwards``.
        public let lostAfterwards: [DropReason: UInt64]
        /// Whether its queue can write, tries again, or has paused it; ``QueueCondition/working`` when it has none.
        public let condition: QueueCondition
        /// The latest failure, of its queue or of the provider itself, in words; nil when all is well.
        public let latestFailure: String?
        /// When the oldest event was said that is pending, as far as queue and provider know.
        public let oldestPending: LogTime?

        public var description: String {
            var text = "\(name): \(ledger.submitted) submitted, \(ledger.delivered) delivered, \(ledger.pending) pending"
            if let oldestPending { text += " (the oldest since \(oldestPending))" }
            text += ", \(ledger.droppedTotal) dropped"
            if !ledger.dropped.isEmpty { text += Self.inWords(ledger.dropped) }
            if !lostAfterwards.isEmpty { text += ", \(lostAfterwards.values.reduce(0, +)) lost afterwards" + Self.inWords(lostAfterwards) }
            if condition != .working { text += ", \(condition)" }
            if let latestFailure { text += "; latest failure: \(latestFailure)" }
            return text
        }

        private static func inWords(_ reasons: [DropReason: UInt64]) -> String {
            " (" + reasons.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ") + ")"
        }
    }
    /// In the order of registration.
    public let providers: [Provider]
    /// The sequence of the newest event; 0 before the first.
    public let latestSequence: UInt64

    public var description: String { providers.map(\.description).joined(separator: "\n") }
}

/// What a flush or a shutdown could not reach before its deadline.
public struct LogFlushReport: Sendable, Equatable, CustomStringConvertible {
    public struct Unfinished: Sendable, Equatable {
        public let name: String
        public let pending: UInt64
        /// What the provider said, or that it had not answered in time.
        public let reason: String

        package init(name: String, pending: UInt64, reason: String) { (self.name, self.pending, self.reason) = (name, pending, reason) }

        init(name: String, pending: UInt64, because error: any Error) {
            self.init(name: name, pending: pending, reason: Self.reason(error))
        }

        /// What an error says of itself, for whoever runs the program.
        static func reason(_ error: any Error) -> String { PrivacyLens.forDiagnostics.masked(LogMessage(describing: error).description) }
    }
    /// Empty when everything is safe that was not dropped before; what was, ``LogRegistration/ledger`` counts.
    public let unfinished: [Unfinished]

    package init(unfinished: [Unfinished]) { self.unfinished = unfinished }

    package static let everythingIsSafe = LogFlushReport(unfinished: [])
    public var isComplete: Bool { unfinished.isEmpty }

    public var description: String {
        isComplete
            ? "everything is safe that was not dropped"
            : unfinished.map { "\($0.name): \($0.reason) (\($0.pending) pending)" }.joined(separator: "; ")
    }
}
