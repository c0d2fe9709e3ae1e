/// The tokens that a collector takes, and what all of them say together. That is found out when they are read: it is asked for with every
/// piece of every body, and a file may have very many lines.
struct KnownTokens: Sendable {
    let all: [CollectorToken]
    /// Whether they are of several tenants.
    let areOfSeveral: Bool

    init(_ all: [CollectorToken]) {
        self.all = all
        areOfSeveral = all.contains { $0.tenant != all[0].tenant }
    }
}
