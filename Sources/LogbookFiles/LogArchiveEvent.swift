/// What becomes of a log's archives, as it happens.
public enum LogArchiveEvent: Sendable, Hashable {
    /// The active file was closed, whether it filled up just now or was found too old at the start.
    case archived(LogArchive, because: RollReason)
    /// It has a shorter file and another path now.
    case compressed(LogArchive)
    /// A limit of ``RollingPolicy`` asked for it.
    case deleted(LogArchive, because: ArchiveDeletionReason)
    /// Nobody had delivered it, and ``RollingPolicy/maximumUndeliveredBytes`` asked for room: so many events are lost; nil where it
    /// cannot be read through. ``LogDiagnostics`` says it too, whether somebody listens here or not.
    case droppedUndelivered(LogArchive, events: Int?)
    /// More archives wait for delivery than ``RollingPolicy/maximumArchives`` or ``RollingPolicy/maximumTotalBytes`` allow; said
    /// when it begins.
    case keptBeyondLimits(archives: Int, bytes: Int)
}

/// Why a file was closed.
public enum RollReason: String, Sendable, Hashable {
    /// The next event would have crossed ``RollingPolicy/maximumBytes``.
    case size
    case age
    case boundary
    /// Somebody called ``FileLogProvider/roll()``.
    case asked
    /// ``RollingPolicy/startsNewFile``.
    case start
    /// The machine failed to make the file safe, so a new one goes on.
    case unsafe
    /// The file may not grow: a limit of the process or of the file system.
    case limit
}

/// Which limit of ``RollingPolicy`` an archive was deleted for.
public enum ArchiveDeletionReason: String, Sendable, Hashable {
    case maximumArchives, maximumTotalBytes, maximumAge, maximumUndeliveredBytes
}
