/// What somebody who mistyped may have meant.
package enum NearMatches {
    /// `; did you mean "MainScreen"?`, or nothing when nothing is near.
    package static func hint(for word: String, among known: [String]) -> String {
        let base = base(of: word), limit = max(2, word.count / 3)
        var scored: [(word: String, distance: Int)] = []
        for candidate in Set(known) {
            let begins = word.utf8.count > 2 && candidate.hasPrefix(word)
            let distance = self.base(of: candidate) == base ? 1 : begins ? 2 : distance(word, candidate, atMost: limit)
            if distance <= limit { scored.append((candidate, distance)) }
        }
        let nearest = scored.map(\.distance).min()
        let near = scored.filter { $0.distance == nearest }.map(\.word).sorted().prefix(3).map { "\"\($0)\"" }
        return near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
    }

    /// The Swift spelling of an Objective-C selector: `loginView(_:handleError:)` for `loginView:handleError:`.
    package static func swiftSelector(_ selector: String) -> String {
        if selector.contains("(") { return selector }
        guard selector.contains(":") else { return selector + "()" }
        let parts = selector.split(separator: ":", omittingEmptySubsequences: false).dropLast()
        guard let first = parts.first else { return selector }
        return first + "(_:" + parts.dropFirst().map { ($0.isEmpty ? "_" : $0) + ":" }.joined() + ")"
    }

    private static func base(of selector: String) -> Substring { selector.prefix { $0 != "(" && $0 != ":" } }

    /// Damerau's: characters to add, leave out, exchange or swap with their neighbours; regardless of case.
    private static func distance(_ left: String, _ right: String, atMost limit: Int) -> Int {
        let left = Array(left.lowercased()), right = Array(right.lowercased())
        guard abs(left.count - right.count) <= limit else { return limit + 1 }
        var rows = [Array(0...right.count)]
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { best = min(best, rows[i - 1][j - 1] + 1) }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
