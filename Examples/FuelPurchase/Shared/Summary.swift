#if Examples
    import Logbook

    /// What a program says at its end about its log, for people and for scripts: one line per provider, tabs between the columns.
    public struct Summary {
        private var lines: [String] = []
        public init() {}

        public mutating func add(_ providers: Providers, program: String) {
            for provider in providers.service.health().providers {
                let ledger = provider.ledger
                lines.append(
                    "provider\t\(program) \(provider.name)\t\(ledger.submitted)\t\(ledger.delivered)\t\(ledger.pending)\t\(ledger.droppedTotal)")
            }
        }

        public mutating func add(_ name: String, _ value: some CustomStringConvertible) { lines.append("fact\t\(name)\t\(value)") }

        public var text: String { lines.joined(separator: "\n") + "\n" }
    }
#endif
