internal import LogbookDelivery

/// What may go wrong with the file that transactions are kept in.
public enum TransactionStoreError: Error, Equatable, CustomStringConvertible {
    /// Another process, or another provider of this one, has the store open, and it is not to be shared
    /// (``TransactionStoreSharing/refused``). Nothing was changed. While it is open: somebody has removed the file of its lock,
    /// `<store>.lock`, and another process has it since; nothing is written to it until that one has gone.
    case storeLocked(path: String)
    /// The store and every one beside it are in use, `lanes` in all (``TransactionStoreSharing/siblings``). Nothing was changed.
    case noFreeLane(path: String, lanes: Int)
    /// A newer version of the library wrote the store. Nothing was changed. A provider that shares its store
    /// (``TransactionStoreSharing/siblings``) writes to one beside it, and is told of this when it is to deliver what is in there.
    case newerSchema(path: String, found: Int, supported: Int)
    /// Not an SQLite file. Nothing was changed.
    case notADatabase(path: String)
    /// An SQLite file of something else. Nothing was changed.
    case notAStore(path: String)
    /// As much as may be is stored, and nothing of it can be given up: it is under way to the receiver. Nothing was written.
    case full(path: String, maximumBytes: Int)
    /// The folder or the file cannot be made, read or written, or what has its name is no file: a link, a pipe, a device, a folder.
    case cannotOpen(path: String, reason: String)
    /// By who would only read it: the file is not there, or this user may not read it.
    case cannotRead(path: String, reason: String)
    /// Nothing was written.
    case diskFull(path: String)
    /// Another program held the file for longer than ``TransactionLogConfiguration/busyTimeout``, or it or another thread did so until the
    /// caller's deadline. Nothing was written. An entry that was logged waits in memory, see ``TransactionLogProvider/log(_:)``.
    case busy(path: String)
    /// The file holds what this library would never have written, and could not be replaced.
    case damaged(path: String, reason: String)
    /// The file was damaged, and a new one has taken its place.
    case recovered(path: String, TransactionStoreRecovery)
    /// Any other failure, with SQLite's extended result code. What was to be written may or may not be there after a restart.
    case failed(path: String, code: Int32, reason: String)
    /// A shutdown has lost so many entries and beginnings of transactions, which waited in memory: another program kept the file locked
    /// until the deadline.
    case lost(path: String, count: Int)
    /// Used after it was closed, or in a forked child, whose parent's it is.
    case closed(path: String)

    public var description: String {
        switch self {
        case .storeLocked(let path):
            "the transaction store \(path) is in use by another process; give each process a store of its own, and leave \(path).lock "
                + "where it is"
        case .noFreeLane(let path, let lanes):
            "the transaction store \(path) and the \(lanes - 1) beside it are in use by other processes; let fewer of them run at a time, "
                + "or give some of them another path"
        case .newerSchema(let path, let found, let supported):
            "the transaction store \(path) has schema version \(found) and this library knows \(supported); update the library, "
                + "or choose another path"
        case .full(let path, let maximumBytes):
            "the transaction store \(path) holds \(maximumBytes) bytes that wait to be delivered; let it reach its receiver, or allow "
                + "more bytes"
        case .recovered(let path, let recovery): "the transaction store \(path) was damaged: \(recovery)"
        case .notADatabase(let path): "\(path) is not an SQLite file; choose another path, or move the file away"
        case .notAStore(let path): "\(path) is an SQLite file of another program; choose another path"
        case .cannotOpen(let path, let reason):
            "cannot open the transaction store \(path): \(reason); check that its folder exists and this user may write there"
        case .cannotRead(let path, let reason):
            "cannot read the transaction store \(path): \(reason); check that it is there and this user may read it"
        case .diskFull(let path): "no room to write to the transaction store \(path); free space on its disk"
        case .busy(let path): "another program, or another thread of this one, is at work on the transaction store \(path); let it finish"
        case .damaged(let path, let reason):
            "the transaction store \(path) is damaged (\(reason)); move it away, and save what can be read with `logbook store repair`"
        case .failed(let path, let code, let reason): "the transaction store \(path) failed: \(reason) (SQLite code \(code))"
        case .lost(let path, let count):
            "\(count.inEntries) \(count == 1 ? "was" : "were") lost: another program kept the transaction store \(path) locked; give the "
                + "shutdown more time"
        case .closed(let path): "the transaction store \(path) is closed"
        }
    }
}
