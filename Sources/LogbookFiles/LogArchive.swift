public import LogbookCore

/// A log file that was closed and is not written any more.
public struct LogArchive: Sendable, Hashable {
    /// The same for good, over retries, restarts and compression, and of no other file:
    /// `586AB00B-F16E-4AE6-8A91-0210264925C7-00000042`.
    public let id: String
    /// Counts up by one with each file of the log.
    public let number: UInt64
    /// Absolute.
    public let path: String
    public let bytes: Int
    /// When its last event was written.
    public let ended: LogTime
    public let isCompressed: Bool
    /// Its receiver will never take it as it is: an uploader leaves it alone.
    package let isSetAside: Bool

    package init(
        id: String, number: UInt64, path: String, bytes: Int, ended: LogTime, isCompressed: Bool, isSetAside: Bool = false
    ) {
        self.id = id
        self.number = number
        self.path = path
        self.bytes = bytes
        self.ended = ended
        self.isCompressed = isCompressed
        self.isSetAside = isSetAside
    }
}
