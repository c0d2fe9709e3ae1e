internal import LogbookCore

/// How patient a courier is. A value outside its range ends the program when the policy is put to use.
public struct DeliveryPolicy: Sendable, Hashable {
    /// The shortest pause after a failed attempt, longer than none.
    public var firstPause: Duration
    /// The longest pause after failed attempts in a row, at least ``firstPause``.
    public var longestPause: Duration
    /// How often the courier looks for parcels without being woken, longer than none; nil, which is what a new policy has, for never. Where
    /// somebody's policy has one from the start, as that of transactions and of uploads has, change what you mean and leave it the rest:
    /// `configuration.delivery.longestPause = .seconds(60)`.
    public var interval: Duration?
    /// A receiver that asks for more than this is asked again after this; at least ``firstPause``.
    public var longestRetryAfter: Duration
    /// The pause after an answer that refuses us rather than the parcel, longer than none; ``Courier/reconfigured()`` ends it, and after
    /// two in a row makes it one as after failures.
    public var misconfiguredPause: Duration
    /// A receiver that has refused so many entries in a row, and taken none, is taken to refuse everything, as one does that
    /// expects another format: what is left is kept, as after an answer that refuses us, and after each pause one more entry finds
    /// out whether that is so still. A parcel of so many, of which it refuses each by name or by number, is kept whole for a day, or
    /// until ``Courier/reconfigured()``. A parcel that cannot be split counts as one entry. An entry that is refused for its time alone, or
    /// with the receiver's last word on it, counts as none, and no parcel is kept for it. At least 1.
    public var rejectionsInARow: Int
    /// Parcels on their way at the same time at most, `1...16`: for receivers that do not mind in which order parcels arrive, and
    /// that take their time. They start oldest first; while a pause is running none starts, and after one a single parcel tries
    /// whether the receiver is back. Holds for sources that can give several, as a ``ConcurrentParcelSource`` does.
    public var parcelsInFlight: Int

    public init(
        firstPause: Duration = .seconds(1), longestPause: Duration = .seconds(300), interval: Duration? = nil,
        longestRetryAfter: Duration = .seconds(3600), misconfiguredPause: Duration = .seconds(900),
        rejectionsInARow: Int = 50, parcelsInFlight: Int = 1
    ) {
        self.firstPause = firstPause
        self.longestPause = longestPause
        self.interval = interval
        self.longestRetryAfter = longestRetryAfter
        self.misconfiguredPause = misconfiguredPause
        self.rejectionsInARow = rejectionsInARow
        self.parcelsInFlight = parcelsInFlight
    }

    func check() {
        requireValid(firstPause > .zero, "DeliveryPolicy.firstPause must be positive")
        requireValid(longestPause >= firstPause, "DeliveryPolicy.longestPause must not be shorter than firstPause")
        requireValid(interval.map { $0 > .zero } ?? true, "DeliveryPolicy.interval must be positive")
        requireValid(
            longestRetryAfter >= firstPause, "DeliveryPolicy.longestRetryAfter must not be shorter than firstPause")
        requireValid(misconfiguredPause > .zero, "DeliveryPolicy.misconfiguredPause must be positive")
        requireValid(rejectionsInARow > 0, "DeliveryPolicy.rejectionsInARow must be positive")
        requireValid((1...16).contains(parcelsInFlight), "DeliveryPolicy.parcelsInFlight must be 1...16")
    }

    /// The pause after `failures` failed attempts in a row: a random moment between the first pause and a ceiling that doubles
    /// with each failure, so that many couriers that lost the same receiver do not come back together.
    /// - Parameter fraction: `0..<1`.
    func backoff(afterFailures failures: Int, fraction: Double) -> Duration {
        let first = Double(firstPause.wholeNanoseconds)
        let longest = Double(longestPause.wholeNanoseconds)
        var ceiling = first
        for _ in 0..<min(max(failures, 1), 62) where ceiling < longest { ceiling *= 2 }
        return .nanoseconds(Int64(first + (min(ceiling, longest) - first) * fraction))
    }

    /// The pause that a receiver asked for, within our limits: never shorter than the first pause, so that `Retry-After: 0`
    /// cannot make a storm.
    func pause(asked: Duration) -> Duration { max(firstPause, min(asked, longestRetryAfter)) }
}
