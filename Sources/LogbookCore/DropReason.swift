/// Why an accepted event did not arrive: a stable word that dashboards may rely on.
public struct DropReason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// A bounded queue had no room.
    public static let queueFull = DropReason(rawValue: "queue_full")
    /// A bounded spool or store had no room.
    public static let spoolFull = DropReason(rawValue: "spool_full")
    /// The event is larger than the destination takes.
    public static let oversize = DropReason(rawValue: "oversize")
    /// What a spool or a store held of it was damaged on disk, or is gone from there.
    public static let corruptRecovered = DropReason(rawValue: "corrupt_recovered")
    /// The receiver will never take it.
    public static let rejectedByServer = DropReason(rawValue: "rejected_by_server")
    /// Writing failed: disk full, device error, closed pipe.
    public static let inputOutputError = DropReason(rawValue: "io_error")
    /// Logged after the service or the provider was shut down.
    public static let alreadyShutDown = DropReason(rawValue: "already_shutdown")
    /// The provider failed and was closed before it could take it.
    public static let providerError = DropReason(rawValue: "provider_error")
    /// The provider did not get to it before a deadline.
    public static let providerTimeout = DropReason(rawValue: "provider_timeout")
    /// A provider logged while it was being logged to, deeper than the library follows.
    public static let reentrant = DropReason(rawValue: "reentrant")
    /// Logged in a forked child to a provider that belongs to its parent.
    public static let forkChild = DropReason(rawValue: "fork_child")
    /// The process came to its end, as by `kill -9`, while a queue had it in hand: what the next run says of it, see ``LossRecord``. No
    /// ledger has it, as those are of one run.
    public static let processDied = DropReason(rawValue: "process_died")
    /// Its provider has let go of it for somebody who keeps it in another place, such as `logbook pipe --undelivered`. No loss.
    public static let keptElsewhere = DropReason(rawValue: "kept_elsewhere")
}
