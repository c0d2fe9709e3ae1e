/// Why a line is not an event of the format it was read as.
public enum LogLineError: Error, Equatable, CustomStringConvertible {
    /// The line must be an object of JSON and is not.
    case notJSON(String)
    /// The field of that name is missing, or has another type or range than it must.
    case invalid(field: String, expected: String)
    /// At that byte of the line, counted from 0, something else was expected.
    case malformed(expected: String, offset: Int)
    /// The line is in none of the formats that were tried.
    case unrecognised

    public var description: String {
        switch self {
        case .notJSON(let reason): reason
        case .invalid(let field, let expected): "\(field) must be \(expected)"
        case .malformed(let expected, let offset): "\(expected) was expected at byte \(offset)"
        case .unrecognised: "the line is in none of our formats: text, article, JSON lines, logfmt, ECS"
        }
    }
}
