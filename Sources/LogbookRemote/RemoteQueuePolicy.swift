/// How many events a remote provider holds, and when it seals them into a parcel.
public struct RemoteQueuePolicy: Sendable, Hashable {
    /// What happens to an event that finds the queue full.
    public enum Overflow: Sendable, Hashable {
        /// The oldest queued event is dropped and counted, and the new one taken.
        case dropOldest
        /// The new event is dropped and counted.
        case dropNewest
    }

    /// Events that wait at most, `1...10_000_000`; beyond those of the parcel that is being delivered.
    public var maximumEvents: Int
    /// Bytes that wait at most, by estimate (text, metadata and a fixed share per event). One event always fits.
    public var maximumBytes: Int
    public var overflow: Overflow
    /// Events of one parcel at most, `1...100_000`. While the receiver finds so many too large, parcels hold fewer.
    public var parcelEvents: Int
    /// Bytes of one parcel at most, before compression. A single event that is larger travels alone.
    public var parcelBytes: Int
    /// How long an event may wait for company. Errors and flushes do not wait.
    public var parcelAge: Duration
    /// gzip's level, `1...9`.
    public var compressionLevel: Int

    public init(
        maximumEvents: Int = 50_000, maximumBytes: Int = 32 << 20, overflow: Overflow = .dropOldest,
        parcelEvents: Int = 1000,
        parcelBytes: Int = 1 << 20, parcelAge: Duration = .seconds(1), compressionLevel: Int = 1
    ) {
        self.maximumEvents = maximumEvents
        self.maximumBytes = maximumBytes
        self.overflow = overflow
        self.parcelEvents = parcelEvents
        self.parcelBytes = parcelBytes
        self.parcelAge = parcelAge
        self.compressionLevel = compressionLevel
    }

    func check() {
        precondition((1...10_000_000).contains(maximumEvents), "RemoteQueuePolicy.maximumEvents must be 1...10_000_000")
        precondition((1...100_000).contains(parcelEvents), "RemoteQueuePolicy.parcelEvents must be 1...100_000")
        precondition(maximumBytes > 0 && parcelBytes > 0, "RemoteQueuePolicy bytes must be positive")
        precondition(parcelAge >= .zero, "RemoteQueuePolicy.parcelAge must not be negative")
        precondition((1...9).contains(compressionLevel), "RemoteQueuePolicy.compressionLevel must be 1...9")
    }
}
