/// Why a delivery that somebody waited for is not complete. Nothing is lost: the source keeps what is pending.
public enum CourierError: Error, Equatable, CustomStringConvertible {
    /// `reason` is the latest failure, or what was waited for; nil when there was none.
    case deadlinePassed(pending: Int, reason: String?)
    /// The receiver refuses us; correct the token or the address and call ``Courier/reconfigured()``.
    case misconfigured(pending: Int, reason: String)
    /// The conditions do not hold; `reason` says which. What is on its way may still arrive.
    case heldBack(pending: Int, reason: String)
    /// The courier was shut down.
    case stopped(pending: Int)
    /// What is to be delivered cannot be looked through, so nobody knows whether anything is left; the reason names the file.
    case sourceUnreadable(reason: String)
    /// The courier's own thread, inside `onEvent` or the source, cannot wait for itself.
    case calledFromOwnThread

    public var description: String {
        switch self {
        case .deadlinePassed(let pending, let reason):
            "\(pending.inEntries) had not been delivered when the deadline passed"
                + (reason.map { "; the latest answer: \($0)" } ?? "")
        case .misconfigured(let pending, let reason):
            "the receiver refuses us: \(reason); \(pending.inEntries) \(pending == 1 ? "is" : "are") kept, correct the token or the address"
        case .heldBack(let pending, let reason):
            "\(pending.inEntries) \(pending == 1 ? "is" : "are") held back until the conditions hold: \(reason)"
        case .stopped(let pending):
            "the courier was shut down; \(pending.inEntries) \(pending == 1 ? "stays with its" : "stay with their") source"
        case .sourceUnreadable(let reason):
            "nobody knows what is still to be delivered: \(reason)"
        case .calledFromOwnThread:
            "a courier was asked to wait for itself; call deliver from another thread"
        }
    }
}
