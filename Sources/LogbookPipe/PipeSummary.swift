public import LogbookCore

/// What a pipe has read, and what became of it.
public struct PipeSummary: Sendable, Equatable {
    public struct Provider: Sendable, Equatable {
        public var name: String
        public var ledger: LogLedger

        public init(name: String, ledger: LogLedger) {
            self.name = name
            self.ledger = ledger
        }
    }

    public var counts: PipeCounts
    public var providers: [Provider]

    public init(counts: PipeCounts, providers: [Provider]) {
        self.counts = counts
        self.providers = providers
    }

    /// For people: one row per provider, in columns.
    public var table: String {
        var rows = [["provider", "submitted", "delivered", "pending", "dropped"]]
        for provider in providers { rows.append([provider.name] + Self.cells(provider.ledger)) }
        let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
        var text = "read \(counts.lines) lines, \(counts.bytes) bytes: \(counts.events) events\n"
        for row in rows {
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + space : space + cell
            }
            text += cells.joined(separator: "  ") + "\n"
        }
        return text
    }

    /// For scripts: `provider<TAB>pipe <name><TAB>submitted<TAB>delivered<TAB>pending<TAB>dropped`, and
    /// `fact<TAB>pipe lines<TAB><number>`, likewise `pipe bytes` and `pipe events`.
    public var tabSeparated: String {
        var lines = providers.map { (["provider", "pipe \($0.name)"] + Self.cells($0.ledger)).joined(separator: "\t") }
        lines.append("fact\tpipe lines\t\(counts.lines)")
        lines.append("fact\tpipe bytes\t\(counts.bytes)")
        lines.append("fact\tpipe events\t\(counts.events)")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func cells(_ ledger: LogLedger) -> [String] {
        [ledger.submitted, ledger.delivered, ledger.pending, ledger.droppedTotal].map(String.init)
    }
}
