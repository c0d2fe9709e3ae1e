internal import LogbookCore

/// How safe a line is, and when.
public enum FileDurability: Sendable, Hashable {
    /// The kernel has each line when it is written: it survives `kill -9`. A crash of the machine may take what was written since
    /// the last flush.
    case process
    /// As ``process``, and a crash of the machine takes no more than what was written within this span, at least 10 ms.
    case interval(Duration = .seconds(1))
    /// Each line survives a crash of the machine when it is written. Threads that log at the same time wait together for one
    /// call to the disk. When the disk fails, the line is written once more to a new file; it may then be there twice.
    case power

    func check() {
        if case .interval(let span) = self {
            requireValid(span >= .milliseconds(10), "FileDurability.interval must be at least 10 ms")
        }
    }
}
