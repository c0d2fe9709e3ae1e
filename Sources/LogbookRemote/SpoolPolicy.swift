internal import LogbookCore

/// How much a spool holds, how safe it is, and when events are sealed into a parcel.
public struct SpoolPolicy: Sendable, Hashable {
    /// How safe an event is when `log` returns.
    public enum Durability: Sendable, Hashable {
        /// The kernel has it: it survives `kill -9`. A crash of the machine may take what was logged since the last flush.
        case process
        /// It survives a crash of the machine: each event waits for the disk. What the disk does not confirm is said, and written anew at
        /// once; where that fails, with a flush, or with an event that follows, at the earliest 5 seconds later.
        case power
    }

    /// Bytes on disk at most, at least 64 KiB. Beyond them the oldest events that are no transaction's are dropped and counted;
    /// when only transactions are left, new events are dropped that are none, and for a new transaction the oldest.
    public var maximumBytes: Int
    /// Events of one parcel at most, `1...100_000`; fewer where the destination takes fewer. While the receiver finds so many too large,
    /// parcels hold fewer.
    public var parcelEvents: Int
    /// Bytes of one parcel at most, before compression. A single event that is larger travels alone.
    public var parcelBytes: Int
    /// How long an event may wait for company. Errors and flushes do not wait.
    public var parcelAge: Duration
    public var durability: Durability
    /// gzip's level, `1...9`.
    public var compressionLevel: Int

    public init(
        maximumBytes: Int = 256 << 20, parcelEvents: Int = 2000, parcelBytes: Int = 1 << 20, parcelAge: Duration = .seconds(1),
        durability: Durability = .process, compressionLevel: Int = 1
    ) {
        self.maximumBytes = maximumBytes
        self.parcelEvents = parcelEvents
        self.parcelBytes = parcelBytes
        self.parcelAge = parcelAge
        self.durability = durability
        self.compressionLevel = compressionLevel
    }

    func check() {
        requireValid(maximumBytes >= 64 << 10, "SpoolPolicy.maximumBytes must be at least 64 KiB")
        requireValid((1...100_000).contains(parcelEvents), "SpoolPolicy.parcelEvents must be 1...100_000")
        requireValid(parcelBytes > 0, "SpoolPolicy.parcelBytes must be positive")
        requireValid(parcelAge >= .zero, "SpoolPolicy.parcelAge must not be negative")
        requireValid((1...9).contains(compressionLevel), "SpoolPolicy.compressionLevel must be 1...9")
    }

    /// A file is small beside the whole, so that there is always an old one to drop.
    var segmentBytes: Int { min(parcelBytes, maximumBytes / 8) }
}
