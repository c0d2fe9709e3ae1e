extension String {
    /// What stands between the quotes of a literal, on one line.
    package var swiftEscaped: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": escaped += "\\\""
            case "\\": escaped += "\\\\"
            case "\n", "\r": escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    package var swiftLiteral: String { "\"" + swiftEscaped + "\"" }
}
