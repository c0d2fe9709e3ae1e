/// A configuration that cannot be read or applied.
public enum LogConfigurationError: Error, Equatable, CustomStringConvertible {
    case invalidVariable(name: String, value: String, reason: String)
    case nameTakenTwice(String)

    public var description: String {
        switch self {
        case .invalidVariable(let name, let value, let reason): "\(name) is \"\(value)\": \(reason)"
        case .nameTakenTwice(let name):
            "two listeners of the configuration are named \"\(name)\"; give each a name of its own"
        }
    }
}
