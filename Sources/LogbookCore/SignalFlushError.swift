/// Why the program could not be made to flush on signals.
public enum SignalFlushError: Error, Equatable, CustomStringConvertible {
    /// `SIGKILL` and `SIGSTOP` cannot be caught, and numbers outside `1...64` are no signals.
    case cannotWatch(signal: Int32, errno: Int32)
    case noPipe(errno: Int32)
    case noThread

    public var description: String {
        switch self {
        case .cannotWatch(let signal, let errno):
            "cannot watch for signal \(signal): \(SystemError.text(of: errno)); choose signals that can be caught, such as SIGTERM"
        case .noPipe(let errno):
            "cannot make a pipe to watch for signals: \(SystemError.text(of: errno)); allow the process more open files"
        case .noThread:
            "the machine gives no thread to watch for signals; allow the process more threads"
        }
    }
}
