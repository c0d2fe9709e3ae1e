internal import LogbookCore

/// The right to write one path, held by one provider of the process at a time.
final class PathClaim: Sendable {
    /// A forked child begins without claims: its parent's providers do not write there.
    private static let taken = Locked<[String: ProcessLineage]>([:])
    private let path: String
    private let lineage = ProcessLineage.current

    /// - Parameter path: Absolute and without symbolic links.
    init(_ path: String) throws(FileLogProviderError) {
        let isFree = Self.taken.withLock { taken in
            guard taken[path]?.isCurrent != true else { return false }
            taken[path] = .current
            return true
        }
        guard isFree else { throw .alreadyOpen(path: path) }
        self.path = path
    }

    deinit {
        Self.taken.withLock { taken in
            if taken[path] == lineage { taken[path] = nil }
        }
    }
}
