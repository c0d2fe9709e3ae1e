internal import CLogbookSystem

/// Which run of which program an event comes from. With the event's sequence it makes the key under which a receiver stores
/// the event once, however often it arrives.
public struct LogOrigin: Sendable, Hashable {
    /// Stays the same for one installation of a program: a UUID, or any word without spaces.
    public let installation: String
    /// Grows with every start of the program.
    public let epoch: UInt64

    public init(installation: String, epoch: UInt64) {
        self.installation = installation
        self.epoch = epoch
    }

    /// An origin for this process alone: a new UUID, and the time of the call in nanoseconds since 1970.
    public static func ephemeral() -> LogOrigin {
        LogOrigin(installation: UniqueID.make(), epoch: UInt64(max(0, logbook_wall_nanoseconds())))
    }
}
