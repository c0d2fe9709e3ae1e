/// How the queue in front of a provider behaves: its size, its patience, and what happens when it is full. A value outside its range
/// ends the program when the policy is put to use.
public struct QueuePolicy: Sendable, Hashable {
    /// What happens to an event that finds the queue full.
    public enum Overflow: Sendable, Hashable {
        /// The caller waits this long for room; then the event is dropped and counted. Until the queue moves again, later
        /// callers do not wait.
        case block(upTo: Duration)
        /// The event is dropped and counted.
        case dropNewest
        /// The oldest queued event is dropped and counted, and the new one taken. Errors, critical events and transaction entries give way
        /// to none but their own kind, when nothing else is left; where there is no room beside them, other events are dropped.
        case dropOldest
    }

    /// Events held at most, `1...1_000_000`. Where callers wait (``Overflow/block(upTo:)``), it holds more for a moment: what was said
    /// before they could see that it is full, as much as the service's ring has room for.
    public var capacity: Int
    /// Room beyond `capacity` that only errors, critical events and transaction entries may use, `0...1_000_000` events.
    public var reservedCapacity: Int
    /// Bytes held at most, at least 1, by estimate (text, metadata and a fixed share per event); the reserve may exceed it by a quarter.
    public var maximumBytes: Int
    /// Events given to the sink in one call at most, `1...capacity`.
    public var batchCount: Int
    /// Some 256 KiB of lines: what a file is best given at once.
    static let defaultBatchCount = 1536
    /// How long the first event of a batch may wait for company, zero or longer. Errors and flushes do not wait.
    public var linger: Duration
    /// What happens to an event that finds the queue full.
    public var overflow: Overflow
    /// The pause after a failed write, longer than none; doubled with each further one up to ``longestPause``, and each shortened by
    /// up to half at random.
    public var firstPause: Duration
    /// The longest pause between two failed writes, at least ``firstPause``.
    public var longestPause: Duration
    /// Failed writes in a row, 1 or more, with which the sink is paused: see ``QueueCondition/paused(failures:)``.
    public var failureThreshold: Int

    /// - Parameter batchCount: 1536 unless said otherwise, or `capacity` where that is less.
    public init(
        capacity: Int = 8192, reservedCapacity: Int = 1024, maximumBytes: Int = 16 << 20, batchCount: Int? = nil,
        linger: Duration = .milliseconds(20), overflow: Overflow = .block(upTo: .milliseconds(250)),
        firstPause: Duration = .milliseconds(100), longestPause: Duration = .seconds(10), failureThreshold: Int = 5
    ) {
        self.capacity = capacity
        self.reservedCapacity = reservedCapacity
        self.maximumBytes = maximumBytes
        self.batchCount = batchCount ?? min(Self.defaultBatchCount, max(1, capacity))
        self.linger = linger
        self.overflow = overflow
        self.firstPause = firstPause
        self.longestPause = longestPause
        self.failureThreshold = failureThreshold
    }

    /// ``maximumBytes``, far enough from what an `Int` can hold to be added to: `Int.max` is how one says that events alone count.
    var summableBytes: Int { min(maximumBytes, .max / 4) }

    func check() {
        requireValid((1...1_000_000).contains(capacity), "QueuePolicy.capacity must be 1...1_000_000")
        requireValid((0...1_000_000).contains(reservedCapacity), "QueuePolicy.reservedCapacity must be 0...1_000_000")
        requireValid((1...capacity).contains(batchCount), "QueuePolicy.batchCount must be 1...capacity")
        requireValid(maximumBytes > 0, "QueuePolicy.maximumBytes must be positive")
        requireValid(failureThreshold >= 1, "QueuePolicy.failureThreshold must be 1 or more")
        requireValid(linger >= .zero, "QueuePolicy.linger must not be negative")
        requireValid(firstPause > .zero, "QueuePolicy.firstPause must be positive")
        requireValid(longestPause >= firstPause, "QueuePolicy.longestPause must not be shorter than firstPause")
    }
}

/// How a registration feeds its provider.
public enum LogDelivery: Sendable, Hashable {
    /// On the thread that logged: the provider has the event when the log call returns.
    case immediate
    /// Through a bounded queue, on a thread of the provider's own.
    case queued(QueuePolicy)

    public static func queued() -> LogDelivery { .queued(QueuePolicy()) }
}
