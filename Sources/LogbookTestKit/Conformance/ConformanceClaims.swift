/// What a provider claims beyond the contract, or does not claim: the checks expect neither more nor less.
///
/// ```swift
/// var claims = ConformanceClaims()
/// claims.timeResolution = .milliseconds(1)    // the format keeps milliseconds
/// claims.capacity = 1_000                     // and the queue no more than this
/// ```
public struct ConformanceClaims: Sendable, Hashable {
    /// From when on an event can be read back.
    public enum Visibility: Sendable, Hashable { case whenLogReturns, whenFlushReturns }

    public var visibility: Visibility
    /// Events of one thread are read back in the order in which it logged them. False for stores without an order.
    public var keepsOrder: Bool
    /// Text is read back byte for byte, whatever it holds. False for a format that replaces control characters; still, one event
    /// then makes one event.
    public var keepsText: Bool
    /// The longest message that is kept whole, in bytes of UTF-8; a longer one may be shortened to a beginning of at least half of
    /// this, or be dropped and counted. Nil: every message is kept whole.
    public var largestMessage: Int?
    /// The most members of one object of metadata that are kept whole; of a larger one all but one of as many are kept, from the first on,
    /// and a mark of the format's own may stand for the others. Nil: every object is kept whole.
    public var mostMembers: Int?
    /// Arrays and objects within each other, not counting the metadata itself, that are kept whole; of what is deeper only the event
    /// is expected. Nil: any depth is kept.
    public var deepestMetadata: Int?
    /// The steps in which the format keeps time.
    public var timeResolution: Duration
    /// Events held at most while the destination does not answer, those being written included. Of more than a third of them that come at
    /// once some may be dropped, and then are counted: a third may be reserved, and a third be what is left of the batch that is being
    /// written. Nil: nothing is dropped as long as the destination answers, and no bound is claimed.
    public var capacity: Int?
    /// An event whose write failed may stand there twice, as with every destination that can lose its answer.
    public var mayRepeatAfterFailure: Bool

    public init(
        visibility: Visibility = .whenFlushReturns, keepsOrder: Bool = true, keepsText: Bool = true,
        largestMessage: Int? = nil, mostMembers: Int? = nil, deepestMetadata: Int? = nil, timeResolution: Duration = .nanoseconds(1), capacity: Int? = nil,
        mayRepeatAfterFailure: Bool = false
    ) {
        precondition(timeResolution > .zero, "ConformanceClaims.timeResolution must be positive")
        precondition(capacity.map { $0 > 0 } ?? true, "ConformanceClaims.capacity must be positive")
        self.visibility = visibility
        self.keepsOrder = keepsOrder
        self.keepsText = keepsText
        self.largestMessage = largestMessage
        self.mostMembers = mostMembers
        self.deepestMetadata = deepestMetadata
        self.timeResolution = timeResolution
        self.capacity = capacity
        self.mayRepeatAfterFailure = mayRepeatAfterFailure
    }
}
