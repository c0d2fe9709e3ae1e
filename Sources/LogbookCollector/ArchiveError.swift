/// Why an archive cannot be opened, or cannot store or answer.
public enum ArchiveError: Error, Equatable, CustomStringConvertible {
    case cannotOpen(path: String, reason: String)
    /// The address of an archive is none; says what one looks like.
    case invalidAddress(String)
    /// Nobody answers at the address, or lets us in.
    case cannotReach(address: String, reason: String)
    /// Another process has it open for writing.
    case inUse(path: String)
    /// A later version of this software made it.
    case newerSchema(path: String, found: Int, supported: Int)
    /// An earlier version made it, and there is too little room on the disk to bring it to this one; in bytes.
    case noRoomToUpgrade(path: String, needed: Int, free: Int)
    /// The file is something else.
    case notAnArchive(path: String)
    /// It cannot store or answer now; it may later.
    case unavailable(reason: String)
    /// Its file is written anew, without what was erased: what is sent waits for that, and so would whoever asks whether it can be written.
    case beingWrittenAnew
    /// A transaction that was asked for would take more memory than ``TransactionPage/maximumBytesOfOne``. It is there, and can be asked
    /// for in SQL.
    /// - Parameter next: Its own place, where a page would begin with it: a cursor with which whoever lists goes on behind it. Nil where it
    ///   was asked for alone.
    case transactionTooLarge(id: String, next: TransactionCursor? = nil)

    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason):
            "cannot open the archive \(path): \(reason); check that its folder exists and this user may write there"
        case .invalidAddress(let reason): reason
        case .cannotReach(let address, let reason):
            "cannot open the archive \(address): \(reason); check that the server runs, and the user, the password and the database"
        case .inUse(let path):
            """
            the archive \(path) is in use by another process, which has locked \(path).lock; stop that one, or give this one a path of \
            its own
            """
        case .newerSchema(let path, let found, let supported):
            "the archive \(path) has schema version \(found), this program knows up to \(supported); use a newer program"
        case .noRoomToUpgrade(let path, let needed, let free):
            """
            the archive \(path) is of an earlier version, and bringing it to this one takes \(needed >> 20) MiB of the disk for a while, of \
            which \(free >> 20) MiB are free; make room and start again, nothing was changed
            """
        case .notAnArchive(let path):
            "\(path) is not an archive of the collector; give a path that does not exist yet"
        case .unavailable(let reason): "the archive cannot be used now: \(reason)"
        case .beingWrittenAnew: "the archive's file is written anew, without what was erased; what is sent waits for that"
        case .transactionTooLarge(let id, _):
            """
            the transaction \(id) is larger than \(TransactionPage.maximumBytesOfOne >> 20) MiB and is not read; ask the archive for it in SQL
            """
        }
    }
}
