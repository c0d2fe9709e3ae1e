internal import LogbookCore

/// The right to write one path, held by one provider of the process at a time.
final class PathClaim: Sendable {
    private static let taken = Locked<Set<String>>([])
    private let path: String

    /// - Parameter path: Absolute and without symbolic links.
    init(_ path: String) throws(FileLogProviderError) {
        guard Self.taken.withLock({ $0.insert(path).inserted }) else { throw .alreadyOpen(path: path) }
        self.path = path
    }

    deinit { _ = Self.taken.withLock { $0.remove(path) } }
}
