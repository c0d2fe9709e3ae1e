/// Why a folder for dead letters cannot be used.
public enum DeadLetterError: Error, Equatable, CustomStringConvertible {
    case cannotOpen(folder: String, reason: String)

    public var description: String {
        switch self {
        case .cannotOpen(let folder, let reason):
            "cannot keep dead letters in \(folder): \(reason); check that it is a folder and that this user may write there"
        }
    }
}
