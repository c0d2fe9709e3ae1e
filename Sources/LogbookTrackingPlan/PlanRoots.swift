/// What the paths of one entry mean at its point. They are few, and a thousand entries are read when a program starts: looking through
/// a list costs less than a dictionary of them.
package struct PlanRoots: Sendable {
    private var roots: [(path: PlanPath, root: PlanPath.Root)] = []

    package subscript(path: PlanPath) -> PlanPath.Root? { roots.first { $0.path == path }?.root }

    package var paths: [PlanPath] { roots.map(\.path) }

    package func contains(where condition: (PlanPath.Root) -> Bool) -> Bool { roots.contains { condition($0.root) } }

    /// - Precondition: The path is not known yet.
    mutating func add(_ path: PlanPath, _ root: PlanPath.Root) { roots.append((path, root)) }
}
