/// Why a request cannot be made up.
public enum UploadRequestError: Error, Equatable, CustomStringConvertible {
    /// The token holds something else than letters, digits, `-`, `.` and `_`.
    case invalidToken
    case invalidTag(String)

    public var description: String {
        switch self {
        case .invalidToken: "the token must be letters, digits, dashes, dots and underscores; copy it again"
        case .invalidTag(let tag): "the tag \"\(tag)\" must be letters, digits, dashes, dots and underscores"
        }
    }
}
