/// Why bytes are not a transaction set. Paths name the place, counted from 0: `apptxns[0].apptxn/logs[2].apptxnlog/timestamp`.
public enum TransactionSetError: Error, Equatable, CustomStringConvertible {
    /// Not JSON, or more of it than is taken.
    case notJSON(String)
    case missing(path: String)
    /// A value of the wrong kind; `expected` says in words what belongs there.
    case invalid(path: String, expected: String)
    /// More than ``TransactionSetLimits`` allow.
    case tooLarge(path: String, limit: Int)

    public var description: String {
        switch self {
        case .notJSON(let reason): reason
        case .missing(let path): "\(path) is missing"
        case .invalid(let path, let expected): "\(path) must be \(expected)"
        case .tooLarge(let path, let limit): "\(path) holds more than \(limit)"
        }
    }
}
