internal import LogbookCore

/// Why the rules of a named time zone are not to be had.
public enum LogTimeZoneError: Error, Equatable, CustomStringConvertible {
    /// A name that no zone can have: letters, digits, `_`, `+` and `-`, in parts with a `/` between them, are what there is.
    case invalidName(String)
    /// None of the folders has such a file.
    case unknown(name: String, folders: [String])
    case cannotRead(name: String, path: String, errno: Int32)
    case damaged(name: String, path: String, reason: String)

    public var description: String {
        switch self {
        case .invalidName(let name):
            "\(name.debugDescription) cannot be the name of a time zone; give one such as Europe/Berlin"
        case .unknown(let name, let folders):
            "no time zone \(name) in \(folders.joined(separator: ", ")); check its spelling (Europe/Berlin), install the "
                + "system's time zones (Debian: tzdata), or set TZDIR to the folder that holds them"
        case .cannotRead(let name, let path, let errno):
            "cannot read \(path) for the time zone \(name): \(SystemError.text(of: errno)); check that it is a file that this "
                + "user may read"
        case .damaged(let name, let path, let reason):
            "\(path) does not hold the rules of the time zone \(name): \(reason); install the system's time zones again "
                + "(Debian: tzdata)"
        }
    }
}
