/// Why bytes could not be compressed or inflated.
public enum GzipError: Error, Equatable, CustomStringConvertible {
    /// The content is larger than the caller takes, or larger than honest content of that compressed size can be.
    case tooLarge(limit: Int)
    /// Not gzip, cut off, damaged, or followed by something else.
    case corrupt
    case outOfMemory

    public var description: String {
        switch self {
        case .tooLarge(let limit):
            "the compressed content is larger than the \(limit) bytes that are taken; send less at once"
        case .corrupt: "the content is not gzip, or is cut off or damaged; compress it again"
        case .outOfMemory: "there is no memory to compress or inflate with"
        }
    }
}
