internal import LogbookCore

/// Why the system's log cannot be reached.
public enum SystemLogError: Error, Equatable, CustomStringConvertible {
    /// What was given cannot be right; says what was expected.
    case invalid(String)
    /// Nobody takes messages there at the moment.
    case unreachable(address: String, reason: String)
    /// It takes no more messages at the moment: it is slower than the program.
    case busy(address: String)
    /// The message is larger than the receiver takes.
    case tooLarge(address: String, bytes: Int)
    /// The provider was shut down.
    case closed(address: String)

    public var description: String {
        switch self {
        case .invalid(let text): text
        case .unreachable(let address, let reason): "\(address) takes no messages: \(reason); check that its server runs and may be reached"
        case .busy(let address): "\(address) takes no more messages at the moment; log less, or register from a higher level"
        case .tooLarge(let address, let bytes): "\(address) takes no message of \(bytes) bytes"
        case .closed(let address): "\(address) was closed"
        }
    }

    /// What an event that is lost because of it counts as.
    var dropReason: DropReason {
        switch self {
        case .tooLarge: .oversize
        case .closed: .alreadyShutDown
        case .invalid, .unreachable, .busy: .inputOutputError
        }
    }
}
