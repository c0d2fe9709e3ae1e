/// What a service holds for private: read once for every event, together with who listens.
struct PrivacyTerms: Sendable, Equatable {
    var mode: PrivacyMode
    var rules = PrivacyRules.none { didSet { scanner = PrivacyScanner(rules) } }
    var key = PrivacyKey.random()
    private(set) var scanner: PrivacyScanner?

    init(mode: PrivacyMode = .masked) { self.mode = mode }

    static func == (left: PrivacyTerms, right: PrivacyTerms) -> Bool {
        left.mode == right.mode && left.rules == right.rules && left.key == right.key
    }

    func lens(_ mode: PrivacyMode) -> PrivacyLens { PrivacyLens(mode: mode, scanner: scanner, key: key) }
}
