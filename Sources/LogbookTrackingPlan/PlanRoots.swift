/// What the paths of one entry mean at its point. They are few, and a thousand entries are read when a program starts: looking through
/// a list costs less than a dictionary of them.
package struct PlanRoots: Sendable {
    private var roots: [(path: PlanPath, root: PlanPath.Root)] = []

    package subscript(path: PlanPath) -> PlanPath.Root? { roots.first { $0.path == path }?.root }

    package var paths: [PlanPath] { roots.map(\.path) }

    /// Those that mean what a known one means, by whatever name of a parameter, or something in that.
    func paths(within path: PlanPath) -> [PlanPath] {
        guard let root = self[path] else { return [] }
        let properties = path.properties(behind: root)
        return roots.filter { $0.root == root && $0.path.properties(behind: root).starts(with: properties) }.map(\.path)
    }

    package func contains(where condition: (PlanPath.Root) -> Bool) -> Bool { roots.contains { condition($0.root) } }

    /// - Precondition: The path is not known yet.
    mutating func add(_ path: PlanPath, _ root: PlanPath.Root) { roots.append((path, root)) }
}
