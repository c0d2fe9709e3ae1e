/// Why an address names no destination.
public enum DestinationAddressError: Error, Equatable, CustomStringConvertible {
    /// The address does not look like `kind://host`.
    case unreadable
    case unknownKind(String)
    /// Something the kind of receiver needs is not there, or something else is.
    case invalid(kind: String, reason: String)

    public var description: String {
        switch self {
        case .unreadable: "the address should look like loki://logs.example.com:3100"
        case .unknownKind(let kind): "\(kind) is no kind of receiver; there are \(DestinationAddress.kinds.joined(separator: ", "))"
        case .invalid(let kind, let reason): "\(kind): \(reason)"
        }
    }
}
