/// Compares a type's description with how a declaration spells it: `(Int, Optional<String>)` with `(Int, String?)`. What another type has
/// been given as a name, by a `typealias`, is not looked through.
enum TypeSpelling {
    static func isSame(_ description: String, _ spelling: String) -> Bool { plain(description[...]) == plain(spelling[...]) }

    /// What a description calls otherwise; of a composition, it leaves out what is `Any`.
    private static let others: [Substring: String] = ["Void": "()", "Sendable": "Any"]

    /// Without blanks, modules, sugar and the word `any`.
    private static func plain(_ text: Substring) -> String {
        let words = split(text, at: \.isWhitespace).filter { !$0.isEmpty && $0 != "any" }
        guard let first = words.first, let last = words.last else { return "" }
        let text = text[first.startIndex..<last.endIndex]
        if let arrow = arrow(in: text) {
            let words = split(text[..<arrow], at: \.isWhitespace).map { $0.hasPrefix("(") ? plain($0) : String($0) }
            return words.joined() + "->" + plain(text[arrow...].dropFirst(2))
        }
        let parts = split(text) { $0 == "&" }
        if parts.count > 1 { return parts.map(plain).filter { $0 != "Any" }.sorted().joined(separator: "&") }
        if words.count > 1 { return words.dropLast().joined() + plain(last) }   // `inout Int`
        if text.hasSuffix("?") || text.hasSuffix("!") { return "Optional<\(plain(text.dropLast()))>" }
        if text.hasPrefix("["), text.hasSuffix("]") {
            let parts = split(text.dropFirst().dropLast()) { $0 == ":" }.map(plain)
            return (parts.count == 2 ? "Dictionary<" : "Array<") + parts.joined(separator: ",") + ">"
        }
        if text.hasPrefix("("), text.hasSuffix(")") {
            let elements = split(text.dropFirst().dropLast()) { $0 == "," }.map { element in
                split(element) { $0 == ":" }.map(plain).joined(separator: ":")
            }
            return elements.count == 1 && !elements[0].isEmpty ? elements[0] : "(" + elements.joined(separator: ",") + ")"
        }
        let name = split(text) { $0 == "." }.last ?? text
        guard let bracket = name.firstIndex(of: "<"), name.hasSuffix(">") else { return others[name] ?? String(name) }
        let arguments = split(name[bracket...].dropFirst().dropLast()) { $0 == "," }.map(plain)
        return name[..<bracket] + "<" + arguments.joined(separator: ",") + ">"
    }

    /// The parts of a text between separators that stand in no brackets.
    private static func split(_ text: Substring, at isSeparator: (Character) -> Bool) -> [Substring] {
        var parts: [Substring] = [], start = text.startIndex
        for place in placesOutsideBrackets(of: text) where isSeparator(text[place]) {
            parts.append(text[start..<place])
            start = text.index(after: place)
        }
        return parts + [text[start...]]
    }

    /// Where the arrow of a function's type begins.
    private static func arrow(in text: Substring) -> Substring.Index? {
        placesOutsideBrackets(of: text).first { text[$0...].hasPrefix("->") }
    }

    private static func placesOutsideBrackets(of text: Substring) -> [Substring.Index] {
        var depth = 0, places: [Substring.Index] = [], before: Character = " "
        for place in text.indices {
            let character = text[place], isArrow = character == ">" && before == "-"
            if "[(<".contains(character) { depth += 1 }
            if depth == 0 { places.append(place) }
            if "])>".contains(character), !isArrow { depth -= 1 }
            before = character
        }
        return places
    }
}
