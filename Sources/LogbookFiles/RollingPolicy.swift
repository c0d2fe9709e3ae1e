internal import LogbookCore

/// When a log file is closed and the next one begins, and how long closed ones stay. Limits of all kinds may be combined.
///
/// ```swift
/// RollingPolicy(boundary: .daily(in: .local), maximumArchives: 0, maximumAge: .seconds(14 * 86_400))   // a file a day, for two weeks
/// ```
/// Each limit holds by itself: with the five archives of the default the seventh day would delete the first.
/// Nothing is ever deleted that no limit asks for, and nothing but archives that the log's own manifest lists. A negative number, or a
/// value outside its range, ends the program when the policy is put to use.
public struct RollingPolicy: Sendable, Hashable {
    /// Largest file, in bytes, at least 1. An event that would cross it starts the next file; one that is larger by itself gets
    /// a file of its own. Default 10 MiB.
    public var maximumBytes: Int
    /// How long one file takes events, counted from its first, on a clock that nobody sets; a restart counts on by the machine's
    /// clock. Longer than none; nil, the default, for as long as it has room. A file without events never rolls.
    public var maximumFileAge: Duration?
    /// Where the clock on the wall ends a file; nil, the default, for nowhere. What comes late, from an hour or a day that is over, goes
    /// into the file that is there; one that begins with it ends with an event of a later hour or day, or with that in which it came.
    public var boundary: RollingBoundary?
    /// A program's start closes what the last run left instead of going on with it. Default false.
    public var startsNewFile: Bool
    /// Closed files kept beside the active one; the oldest beyond this number are deleted. 0 keeps all. Default 5.
    public var maximumArchives: Int
    /// Bytes of closed files kept beside the active one; the oldest beyond this are deleted, the newest never. 0, the default,
    /// for no limit.
    public var maximumTotalBytes: Int
    /// Archives whose last event is older than this are deleted: at each roll, at the start, and when their time has come. Longer
    /// than none; nil, the default, for never. A clock that jumps ahead while the program runs makes nothing
    /// old; what is there goes all the same once the program has seen it for so long.
    public var maximumAge: Duration?
    /// Archives wait for somebody who delivers them and then removes them, such as an uploader. Until then the three limits above
    /// do not touch them; only ``maximumUndeliveredBytes`` does. Default false.
    public var awaitsDelivery: Bool
    /// Bytes of archives that may wait for delivery; the oldest beyond this are given up, each said in a
    /// ``LogArchiveEvent/droppedUndelivered(_:events:)`` and all of them in ``LogDiagnostics``. 0 for no limit. Default 1 GiB.
    public var maximumUndeliveredBytes: Int
    /// Compresses archives in the background, such as `.gzip` of `LogbookCompression`; one that somebody delivers meanwhile stays as it is.
    /// Nil, the default, for not at all.
    public var compression: ArchiveCompression?

    public init(
        maximumBytes: Int = 10 << 20, maximumFileAge: Duration? = nil, boundary: RollingBoundary? = nil,
        startsNewFile: Bool = false, maximumArchives: Int = 5, maximumTotalBytes: Int = 0, maximumAge: Duration? = nil,
        awaitsDelivery: Bool = false, maximumUndeliveredBytes: Int = 1 << 30, compression: ArchiveCompression? = nil
    ) {
        self.maximumBytes = maximumBytes
        self.maximumFileAge = maximumFileAge
        self.boundary = boundary
        self.startsNewFile = startsNewFile
        self.maximumArchives = maximumArchives
        self.maximumTotalBytes = maximumTotalBytes
        self.maximumAge = maximumAge
        self.awaitsDelivery = awaitsDelivery
        self.maximumUndeliveredBytes = maximumUndeliveredBytes
        self.compression = compression
    }

    /// An empty file takes any event, so one huge event cannot roll forever.
    func rolls(before eventBytes: Int, into currentBytes: Int) -> Bool {
        currentBytes > 0 && eventBytes > maximumBytes - currentBytes
    }

    /// Whether time alone may end a file.
    var isTimed: Bool { maximumFileAge != nil || boundary != nil }

    /// Whether any limit may ask for an archive.
    var deletes: Bool {
        awaitsDelivery || maximumArchives > 0 || maximumTotalBytes > 0 || maximumAge != nil
    }

    /// Whether age alone may ask for one.
    var deletesByAge: Bool { !awaitsDelivery && maximumAge != nil }

    /// The archives to delete, oldest first, and why.
    /// - Parameters:
    ///   - archives: Oldest first.
    ///   - now: What ages are measured to.
    func superfluous(_ archives: [KeptArchive], now: LogTime) -> [(archive: KeptArchive, reason: ArchiveDeletionReason)] {
        if awaitsDelivery {
            return oldest(of: archives, beyond: maximumUndeliveredBytes, keepingNewest: false)
                .map { ($0, .maximumUndeliveredBytes) }
        }
        var reasons: [UInt64: ArchiveDeletionReason] = [:]
        if maximumArchives > 0 {
            for archive in archives.dropLast(maximumArchives) { reasons[archive.number] = .maximumArchives }
        }
        for archive in oldest(of: archives, beyond: maximumTotalBytes, keepingNewest: true) {
            reasons[archive.number] = reasons[archive.number] ?? .maximumTotalBytes
        }
        if let maximumAge {
            for archive in archives where archive.agesFrom.adding(maximumAge) < now {
                reasons[archive.number] = reasons[archive.number] ?? .maximumAge
            }
        }
        return archives.compactMap { archive in reasons[archive.number].map { (archive, $0) } }
    }

    private func oldest(of archives: [KeptArchive], beyond limit: Int, keepingNewest: Bool) -> ArraySlice<KeptArchive> {
        guard limit > 0 else { return [] }
        var bytes = 0
        var kept = 0
        for archive in archives.reversed() {
            bytes += archive.bytes
            if bytes > limit && !(keepingNewest && kept == 0) { break }
            kept += 1
        }
        return archives.dropLast(kept)
    }

    /// When the next of these archives is too old; nil when age deletes none of them.
    func nextDeletion(of archives: [KeptArchive]) -> LogTime? {
        guard !awaitsDelivery, let maximumAge else { return nil }
        return archives.map { $0.agesFrom.adding(maximumAge).adding(.nanoseconds(1)) }.min()
    }

    func check() {
        requireValid(maximumBytes >= 1, "RollingPolicy.maximumBytes must be at least 1")
        requireValid(maximumFileAge.map { $0 > .zero } ?? true, "RollingPolicy.maximumFileAge must be positive")
        requireValid(maximumArchives >= 0, "RollingPolicy.maximumArchives must not be negative")
        requireValid(maximumTotalBytes >= 0, "RollingPolicy.maximumTotalBytes must not be negative")
        requireValid(maximumAge.map { $0 > .zero } ?? true, "RollingPolicy.maximumAge must be positive")
        requireValid(maximumUndeliveredBytes >= 0, "RollingPolicy.maximumUndeliveredBytes must not be negative")
    }
}
