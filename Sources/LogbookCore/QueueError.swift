/// Why a queue could not do what a flush or a shutdown asked for.
public enum QueueError: Error, Equatable, CustomStringConvertible {
    case deadlinePassed(pending: Int, latestFailure: String?)
    case calledFromOwnSink
    /// Another thread had begun to shut the provider down.
    case shutdownNotOver

    public var description: String {
        switch self {
        case .deadlinePassed(let pending, let failure):
            "\(pending) events had not been written when the deadline passed"
                + (failure.map { "; the latest failure: \($0)" } ?? "")
        case .calledFromOwnSink:
            "a sink asked its own queue to wait for it; flush from another thread"
        case .shutdownNotOver:
            "another thread is shutting it down, and had not done so when the deadline passed"
        }
    }
}
