/// Why a queue could not do what a flush or a shutdown asked for.
public enum QueueError: Error, Equatable, CustomStringConvertible {
    case deadlinePassed(pending: Int, latestFailure: String?)
    case calledFromOwnSink
    /// Another thread had begun to shut the provider down.
    case shutdownNotOver
    /// A shutdown's deadline has passed before they were written: what a flush wanted to be safe is lost, and counted.
    case givenUp(count: Int)

    public var description: String {
        switch self {
        case .deadlinePassed(let pending, let failure):
            "\(pending) events had not been written when the deadline passed"
                + (failure.map { "; the latest failure: \($0)" } ?? "")
        case .calledFromOwnSink:
            "a sink asked its own queue to wait for it; flush from another thread"
        case .shutdownNotOver:
            "another thread is shutting it down, and had not done so when the deadline passed"
        case .givenUp(let count):
            "\(count) events were given up by a shutdown whose deadline had passed"
        }
    }
}
