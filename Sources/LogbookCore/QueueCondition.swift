/// How a queue gets on with its sink.
public enum QueueCondition: Sendable, Hashable, CustomStringConvertible {
    case working
    /// The latest writes failed; what they held is tried again after a pause.
    case retrying(failures: Int)
    /// So many writes have failed in a row that the sink is left alone, but for a try after each pause. Meanwhile callers do not wait
    /// for room, unless there is a fallback that takes the events.
    case paused(failures: Int)

    public var description: String {
        switch self {
        case .working: "working"
        case .retrying(let failures): "retrying after \(failures) failed \(failures == 1 ? "write" : "writes")"
        case .paused(let failures): "paused after \(failures) failed \(failures == 1 ? "write" : "writes")"
        }
    }
}
