internal import LogbookCore

/// Why a log file could not be opened, written or made safe.
public enum FileLogProviderError: Error, Equatable, CustomStringConvertible {
    /// The name is not 1...64 of `A-Z a-z 0-9 . _ -`, begins with a dot, or reads like one of our archives.
    case invalidName(String)
    case cannotOpenFolder(path: String, errno: Int32)
    /// Another provider of this process writes there.
    case alreadyOpen(path: String)
    case cannotOpen(path: String, errno: Int32)
    /// A symbolic link, a pipe, a folder or a device stands where the file should be.
    case notARegularFile(path: String)
    case ownedBySomeoneElse(path: String, user: UInt32)
    /// The file has a second name, so writing to it might change what somebody else keeps there.
    case hasSeveralNames(path: String)
    case cannotWrite(path: String, errno: Int32)
    /// Not even an empty file may hold the event, by a limit of the process or the file system.
    case eventTooLarge(path: String, bytes: Int)
    /// The file could not be closed and archived now; it goes on.
    case cannotRoll(path: String)
    case cannotSynchronize(path: String, errno: Int32)
    case cannotRead(path: String, errno: Int32)
    /// A compressed archive cannot be inflated to its end; the reason in words.
    case damaged(path: String, reason: String)
    /// A compressed archive cannot be read without knowing how it was compressed.
    case unknownCompression(path: String)
    case deadlinePassed(path: String)
    case closed(path: String)

    public var description: String {
        switch self {
        case .invalidName(let name):
            "\(String(name.prefix(100)).debugDescription) cannot be a log file's name: it must be 1 to 64 letters, digits, dots, dashes or "
                + "underscores (.log is added to it), must not begin with a dot, and must not end like an archive's name"
        case .cannotOpenFolder(let path, let errno):
            "cannot open or make the folder \(path): \(SystemError.text(of: errno)); check that this user may write there"
        case .alreadyOpen(let path):
            "\(path) is already written by another provider of this process; register one provider several times, or give "
                + "each a name of its own"
        case .cannotOpen(let path, let errno):
            "cannot open \(path) for appending: \(SystemError.text(of: errno)); check that its folder exists and this user "
                + "may write there"
        case .notARegularFile(let path):
            "\(path) is a link, a pipe, a folder or a device; move it away or choose another name"
        case .ownedBySomeoneElse(let path, let user):
            "\(path) belongs to the user with the id \(user); move it away or choose another folder"
        case .hasSeveralNames(let path):
            "\(path) has a second name (a hard link); move it away or choose another name"
        case .cannotWrite(let path, let errno):
            "cannot write to \(path): \(SystemError.text(of: errno)); check that its disk has room and takes writes"
        case .eventTooLarge(let path, let bytes):
            "an event of \(bytes) bytes is larger than \(path) may become; raise the limit of the file size (ulimit -f)"
        case .cannotRoll(let path):
            "\(path) cannot be rolled now and grows on; the diagnostics say why, or another process is rolling it"
        case .cannotSynchronize(let path, let errno):
            "cannot make \(path) safe: \(SystemError.text(of: errno)); what was written since the last flush may not survive "
                + "a crash of the machine"
        case .cannotRead(let path, let errno):
            "cannot read \(path): \(SystemError.text(of: errno)); check that it is there and this user may read it"
        case .damaged(let path, let reason):
            "\(path) is damaged: \(reason); what stands before the damage can be read"
        case .unknownCompression(let path):
            "\(path) is compressed; give the reader a compression, such as .gzip of LogbookCompression"
        case .deadlinePassed(let path):
            "the deadline passed before \(path) was safe from a crash of the machine"
        case .closed(let path):
            "\(path) was closed"
        }
    }
}
