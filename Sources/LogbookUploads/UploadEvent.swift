/// What becomes of files on their way, as it happens; each names the file's id. Where a file goes in several requests
/// (``UploadRequest/maximumBytes``), an attempt and what comes of it name the piece as well: `<id>@<from>-<to>`, in bytes of the file.
public enum UploadEvent: Sendable, Hashable {
    /// Said before every attempt.
    case attempting(id: String)
    /// The receiver has it, and it is deleted here.
    case delivered(id: String)
    /// It is kept, and sent again.
    case willRetry(id: String, after: Duration, reason: String, status: Int?)
    /// The receiver refuses us: address, token or certificate. Everything is kept until ``LogUploader/update(_:)`` or the end of
    /// a pause.
    case refused(id: String, reason: String, status: Int?)
    /// The receiver will never take it, or it was damaged here: it is kept and, also after a restart, not sent again before
    /// ``LogUploader/update(_:)`` or ``LogUploader/retrySetAside()``.
    case setAside(id: String, reason: String)
    /// The receiver has it, and it could not be deleted here; that is tried again.
    case cannotDelete(id: String)
    /// It cannot be opened or read here: it is kept and tried again, and the others go on. Told once for each reason.
    case cannotRead(id: String, reason: String)
    /// So many events are lost: nobody received them before ``RollingPolicy/maximumUndeliveredBytes`` asked for room. Nil where the
    /// file could not be read through.
    case droppedByRetention(id: String, events: Int?)
}
