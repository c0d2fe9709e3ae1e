#if Collector
internal import LogbookHTTP

/// Whether an `Authorization` field carries the token.
struct TokenCheck: Sendable {
    let token: Secret
    let scheme: String?
    let parameter: String?

    /// `Bearer <token>`, or the original `<scheme> <parameter>="<token>"`, where the token may hold anything.
    func accepts(_ field: String?) -> Bool {
        guard let field, let space = field.firstIndex(of: " ") else { return false }
        let name = field[..<space]
        var value = field[space...].drop { $0 == " " }
        while value.last == " " { value.removeLast() }
        if name.lowercased() == "bearer" && isToken(value) { return true }
        guard scheme == nil || name.lowercased() == scheme?.lowercased(), let equals = value.firstIndex(of: "="),
            parameter == nil || value[..<equals].lowercased() == parameter?.lowercased()
        else { return false }
        return isToken(Self.unquoted(value[value.index(after: equals)...]))
    }

    private static func unquoted(_ text: Substring) -> Substring {
        guard text.count >= 2, let quote = text.first, quote == "\"" || quote == "'", text.last == quote else { return text }
        let inner = text.dropFirst().dropLast()
        guard inner.contains("\\") else { return inner }
        var plain = ""
        var isEscaped = false
        for character in inner {
            if character == "\\" && !isEscaped {
                isEscaped = true
            } else {
                plain.append(character)
                isEscaped = false
            }
        }
        return plain[...]
    }

    /// Looks at every byte of what was given, whether or not an earlier one was wrong, so that the time says nothing.
    private func isToken(_ text: Substring) -> Bool {
        let given = Array(text.utf8), expected = Array(token.revealed.utf8)
        if expected.isEmpty { return false }
        var difference = given.count ^ expected.count
        for index in given.indices { difference |= Int(given[index] ^ expected[index % expected.count]) }
        return difference == 0
    }
}
#endif
