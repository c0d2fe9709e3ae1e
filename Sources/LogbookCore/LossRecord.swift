/// What one provider lost when an earlier run of the program came to its end: events that its queue had in hand then, and what had been
/// said and not reached the queue.
public struct LossRecord: Sendable, Hashable, CustomStringConvertible {
    /// The provider's name, as it was registered; without its end where that is longer than 120 bytes.
    public let provider: String
    /// How many events are lost: so many at least, and so many at most. They differ by what was being written when the end came, which
    /// may have arrived, and by what had been said and not yet been handed to the queues, which another provider may have been meant to
    /// hear.
    public let count: ClosedRange<UInt64>
    /// Sequences of that run: from the oldest event that had reached the queue and was not settled, or the first that had not reached it, to
    /// the latest. One that a thread was slow to say may have an earlier one.
    public let sequences: ClosedRange<UInt64>
    /// When the oldest of those that had reached the queue was said, and the one that had reached it last; nil when none is lost there.
    public let times: ClosedRange<LogTime>?
    /// The number of the process, and when it began to record.
    public let process: Int32
    public let began: LogTime
    /// Whether the machine has been started since: the counts may then be those of a moment before the end.
    public let isOfEarlierBoot: Bool

    /// `12 to 40 events did not reach orders when process 4711 ended (process_died)`
    public var description: String { "\(events) did not reach \(provider) when process \(process) ended (\(DropReason.processDied))" }

    /// `12 events`, `12 to 40 events`, `up to 40 events`
    private var events: String {
        let most = count.upperBound == 1 ? "1 event" : "\(count.upperBound) events"
        if count.lowerBound == count.upperBound { return most }
        return count.lowerBound == 0 ? "up to \(most)" : "\(count.lowerBound) to \(most)"
    }

    init(
        provider: String, count: ClosedRange<UInt64>, sequences: ClosedRange<UInt64>, times: ClosedRange<LogTime>?, process: Int32,
        began: LogTime, isOfEarlierBoot: Bool
    ) {
        self.provider = provider
        self.count = count
        self.sequences = sequences
        self.times = times
        self.process = process
        self.began = began
        self.isOfEarlierBoot = isOfEarlierBoot
    }
}
