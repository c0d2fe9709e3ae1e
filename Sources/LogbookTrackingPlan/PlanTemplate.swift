/// Text with values in it: `Added $arg.item`. Two dollar signs are one that means itself.
package struct PlanTemplate: Sendable {
    package enum Part: Sendable {
        case text(String)
        case value(PlanPath)
    }

    package private(set) var parts: [Part] = []

    package init(_ text: String) {
        var plain = "", rest = text[...]
        while let character = rest.first {
            rest.removeFirst()
            guard character == "$" else {
                plain.append(character)
                continue
            }
            if rest.first == "$" {
                plain.append("$")
                rest.removeFirst()
                continue
            }
            var path = ""
            while let next = rest.first {
                let continues = next.isLetter || next.isNumber || next == "_"
                    || next == "." && (rest.dropFirst().first.map { $0.isLetter || $0 == "_" } ?? false)
                guard continues else { break }
                path.append(next)
                rest.removeFirst()
            }
            if path.isEmpty {
                plain.append("$")
            } else {
                if !plain.isEmpty { parts.append(.text(plain)) }
                plain = ""
                parts.append(.value(PlanPath(words: path.split(separator: ".").map(String.init))))
            }
        }
        if !plain.isEmpty || parts.isEmpty { parts.append(.text(plain)) }
    }

    package var paths: [PlanPath] { parts.compactMap { if case .value(let path) = $0 { path } else { nil } } }
    /// The text, when there is no value in it.
    package var constant: String? { if parts.count == 1, case .text(let text) = parts[0] { text } else { nil } }
    /// The value, when there is nothing else.
    package var soleValue: PlanPath? { if parts.count == 1, case .value(let path) = parts[0] { path } else { nil } }
}
