internal import LogbookCore

/// Why a pipe cannot begin.
public enum PipeError: Error, Equatable, CustomStringConvertible {
    /// The process has no file descriptor left.
    case noDescriptors(errno: Int32)
    /// The folder for what could not be delivered, or the summary, cannot be written.
    case cannotWrite(path: String, errno: Int32)
    /// What could not be delivered would be saved in a folder, a FIFO or nothing.
    case notAFile(path: String)

    public var description: String {
        switch self {
        case .noDescriptors(let errno):
            "no file descriptor is left to wait with: \(SystemError.text(of: errno)); raise the limit (ulimit -n)"
        case .cannotWrite(let path, let errno):
            "cannot write \(path): \(SystemError.text(of: errno)); check that its folder exists and this user may write there"
        case .notAFile(let path): "\"\(path)\" is no file that events could be saved in; give the path of one, or of one to be made"
        }
    }
}
