internal import LogbookCore

/// How many events a remote provider holds, and when it seals them into a parcel.
public struct RemoteQueuePolicy: Sendable, Hashable {
    /// What happens when an event finds the queue full. Ordinary events give way first: errors, and what transactions said, are dropped
    /// only where nothing else is queued, and none of them for an ordinary event. Whatever is dropped is counted.
    public enum Overflow: Sendable, Hashable {
        /// The oldest ordinary event is dropped, and the new one taken. Where there is none it is the new one, or where that is an error or
        /// a transaction's the oldest of these.
        case dropOldest
        /// The new event is dropped; for an error, or a transaction's, it is the newest ordinary one that is queued.
        case dropNewest
    }

    /// Events that wait at most, `1...10_000_000`; beyond those of the parcels that are being delivered.
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
        requireValid((1...10_000_000).contains(maximumEvents), "RemoteQueuePolicy.maximumEvents must be 1...10_000_000")
        requireValid((1...100_000).contains(parcelEvents), "RemoteQueuePolicy.parcelEvents must be 1...100_000")
        requireValid(maximumBytes > 0 && parcelBytes > 0, "RemoteQueuePolicy bytes must be positive")
        requireValid(parcelAge >= .zero, "RemoteQueuePolicy.parcelAge must not be negative")
        requireValid((1...9).contains(compressionLevel), "RemoteQueuePolicy.compressionLevel must be 1...9")
    }
}
