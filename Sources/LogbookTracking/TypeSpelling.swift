/// Compares a type's description with how a declaration spells it: `Optional<Int>` with `Int?`.
enum TypeSpelling {
    static func isSame(_ description: String, _ spelling: String) -> Bool { plain(description) == plain(spelling) }

    /// Without blanks, modules and sugar.
    private static func plain(_ text: String) -> String {
        var text = text.filter { !$0.isWhitespace }
        if text == "Void" { text = "()" }
        while text.hasSuffix("?") || text.hasSuffix("!") { text = "Optional<" + text.dropLast() + ">" }
        if text.hasPrefix("["), text.hasSuffix("]") {
            let inner = text.dropFirst().dropLast()
            var depth = 0, colon: Substring.Index?
            for place in inner.indices {
                switch inner[place] {
                case "[", "<", "(": depth += 1
                case "]", ">", ")": depth -= 1
                case ":" where depth == 0: colon = place
                default: break
                }
            }
            text = colon.map { "Dictionary<\(plain(String(inner[..<$0]))),\(plain(String(inner[inner.index(after: $0)...])))>" }
                ?? "Array<\(plain(String(inner)))>"
        }
        if let generic = text.firstIndex(of: "<"), text.hasSuffix(">") {
            let arguments = text[text.index(after: generic)...].dropLast()
            let isOne = !arguments.contains(",")
            return lastName(String(text[..<generic])) + "<" + (isOne ? plain(String(arguments)) : String(arguments)) + ">"
        }
        return text.hasPrefix("(") ? text : lastName(text)
    }

    private static func lastName(_ name: String) -> String { name.split(separator: ".").last.map(String.init) ?? name }
}
