/// What somebody who mistyped may have meant.
package enum NearMatches {
    /// `; did you mean "MainScreen"?`, or nothing when nothing is near.
    package static func hint(for word: String, among known: [String]) -> String {
        let base = base(of: word), limit = max(2, word.count / 3)
        var scored: [(word: String, distance: Int)] = []
        for candidate in Set(known) where abs(candidate.utf8.count - word.utf8.count) <= limit || self.base(of: candidate) == base {
            let distance = self.base(of: candidate) == base ? 1 : distance(word, candidate)
            if distance <= limit { scored.append((candidate, distance)) }
        }
        scored.sort { $0.distance == $1.distance ? $0.word < $1.word : $0.distance < $1.distance }
        let near = scored.prefix(3).map { "\"\($0.word)\"" }
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

    /// Levenshtein's, regardless of case.
    private static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.lowercased()), right = Array(right.lowercased())
        var row = Array(0...right.count)
        for i in left.indices {
            var diagonal = row[0]
            row[0] = i + 1
            for j in right.indices {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (left[i] == right[j] ? 0 : 1))
                diagonal = above
            }
        }
        return row[right.count]
    }
}
