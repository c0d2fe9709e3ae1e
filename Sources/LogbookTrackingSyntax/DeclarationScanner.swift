/// Reads declaration headers out of Swift text that the compiler has parsed already, so that what is written is well formed.
///
/// It knows names, brackets, strings, regular expressions and comments, and no more of the language: enough for a header, because what
/// stands in the body is only carried along. `Tests/SwiftParserComparison` compares it with SwiftParser.
package struct DeclarationScanner {
    let bytes: [UInt8]
    package var position = 0

    package init(_ text: String) { bytes = Array(text.utf8) }

    package var isAtEnd: Bool { position >= bytes.count }
    package var current: UInt8 { byte(at: position) }
    /// 0 beyond the end.
    package func byte(at index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }
    package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    package func text(from start: Int) -> String { text(start..<max(start, min(position, bytes.count))) }

    package static func beginsName(_ byte: UInt8) -> Bool {
        (byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")) || (byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z"))
            || byte == UInt8(ascii: "_") || byte >= 0x80 || byte == UInt8(ascii: "`") || byte == UInt8(ascii: "$")
    }

    static func continuesName(_ byte: UInt8) -> Bool { beginsName(byte) || byte.isDigit }

    static func isOperator(_ byte: UInt8) -> Bool { "!%&*+-./<=>?^|~".utf8.contains(byte) || byte >= 0x80 }

    /// A name behind a dot is one of a member.
    var isBehindDot: Bool { position > 0 && bytes[position - 1] == UInt8(ascii: ".") }

    // MARK: Steps

    package mutating func skipTrivia() {
        while !isAtEnd {
            if current.isBlank {
                position += 1
            } else if current == UInt8(ascii: "/"), byte(at: position + 1) == UInt8(ascii: "/") {
                while !isAtEnd, current != UInt8(ascii: "\n") { position += 1 }
            } else if current == UInt8(ascii: "/"), byte(at: position + 1) == UInt8(ascii: "*") {
                skipBlockComment()
            } else {
                break
            }
        }
    }

    private mutating func skipBlockComment() {
        position += 2
        var depth = 1
        while !isAtEnd, depth > 0 {
            let next = byte(at: position + 1)
            if current == UInt8(ascii: "/"), next == UInt8(ascii: "*") {
                depth += 1
                position += 2
            } else if current == UInt8(ascii: "*"), next == UInt8(ascii: "/") {
                depth -= 1
                position += 2
            } else {
                position += 1
            }
        }
    }

    /// The name that begins here, with its backticks.
    package mutating func name() -> String? {
        guard Self.beginsName(current) else { return nil }
        let start = position
        if current == UInt8(ascii: "`") {
            position += 1
            while !isAtEnd, current != UInt8(ascii: "`") { position += 1 }
            position += 1
        } else {
            while Self.continuesName(current) { position += 1 }
        }
        return text(from: start)
    }

    /// From an opening bracket of any kind to behind its match.
    package mutating func skipBalanced() {
        var depth = 0
        while !isAtEnd {
            switch current {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                position += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                position += 1
                if depth == 0 { return }
            case UInt8(ascii: "\""), UInt8(ascii: "#"):
                if isAtLiteral { skipLiteral() } else { position += 1 }
            case UInt8(ascii: "/"):
                let next = byte(at: position + 1)
                if next == UInt8(ascii: "/") || next == UInt8(ascii: "*") {
                    skipTrivia()
                } else if let end = endOfRegex {
                    position = end
                } else {
                    position += 1
                }
            default: position += 1
            }
        }
    }

    /// From `<` to behind its match; an arrow inside is none.
    private mutating func skipAngles() {
        var depth = 0
        while !isAtEnd {
            switch current {
            case UInt8(ascii: "<"):
                depth += 1
                position += 1
            case UInt8(ascii: ">"):
                position += 1
                if byte(at: position - 2) == UInt8(ascii: "-") { continue }
                depth -= 1
                if depth == 0 { return }
            case UInt8(ascii: "("), UInt8(ascii: "["): skipBalanced()
            default: position += 1
            }
        }
    }

    /// An attribute without its sign, and what is in its brackets.
    mutating func attribute() -> String {
        let start = position
        _ = name()
        while current == UInt8(ascii: ".") {
            position += 1
            _ = name()
        }
        if current == UInt8(ascii: "<") { skipAngles() }
        if current == UInt8(ascii: "(") { skipBalanced() }
        return text(from: start)
    }

    private mutating func skipAttributes() {
        while current == UInt8(ascii: "@") {
            position += 1
            _ = attribute()
            skipTrivia()
        }
    }

    /// What stands before the line's end, a semicolon or a comment.
    mutating func restOfLine() -> String {
        let start = position
        while !isAtEnd, current != UInt8(ascii: "\n"), current != UInt8(ascii: ";") {
            if current == UInt8(ascii: "/"), "/*".utf8.contains(byte(at: position + 1)) { break }
            position += 1
        }
        return text(from: start).trimmed
    }

    /// The arguments of an attribute, as they are written, without the comments around them.
    static func arguments(of attribute: String) -> [(label: String?, value: String)] {
        var scanner = DeclarationScanner(attribute)
        while !scanner.isAtEnd, scanner.current != UInt8(ascii: "(") { scanner.position += 1 }
        scanner.position += 1
        var arguments: [(label: String?, value: String)] = []
        while true {
            scanner.skipTrivia()
            if scanner.isAtEnd || scanner.current == UInt8(ascii: ")") { return arguments }
            var label: String?, ahead = scanner
            if let name = ahead.name() {
                ahead.skipTrivia()
                if ahead.current == UInt8(ascii: ":") {
                    label = name
                    scanner.position = ahead.position + 1
                    scanner.skipTrivia()
                }
            }
            let start = scanner.position
            var end = start
            while !scanner.isAtEnd, !",)".utf8.contains(scanner.current) {
                let before = scanner.position
                scanner.skipTrivia()
                if scanner.position > before { continue }
                if "([{".utf8.contains(scanner.current) {
                    scanner.skipBalanced()
                } else if scanner.isAtLiteral {
                    scanner.skipLiteral()
                } else {
                    scanner.position += 1
                }
                end = scanner.position
            }
            arguments.append((label, scanner.text(start..<min(end, scanner.bytes.count))))
            if scanner.current == UInt8(ascii: ",") { scanner.position += 1 }
        }
    }

    // MARK: Parts of a header

    /// A type, up to what cannot belong to one; a comment behind it is left out.
    private mutating func type(endsAtComma: Bool) -> String {
        let start = position
        var end = position
        loop: while !isAtEnd {
            switch current {
            case UInt8(ascii: "("), UInt8(ascii: "["):
                skipBalanced()
                end = position
            case UInt8(ascii: "<"):
                skipAngles()
                end = position
            case UInt8(ascii: "{"), UInt8(ascii: "="), UInt8(ascii: ")"): break loop
            case UInt8(ascii: ",") where endsAtComma: break loop
            case UInt8(ascii: "/")
            where byte(at: position + 1) == UInt8(ascii: "/") || byte(at: position + 1) == UInt8(ascii: "*"):
                skipTrivia()
            case UInt8(ascii: "\n") where !endsAtComma:
                let lineEnd = position
                skipTrivia()
                if !typeContinues(from: start, to: lineEnd) {
                    position = lineEnd
                    break loop
                }
            default:
                let before = position
                if let word = name() {
                    if word == "where" {
                        position = before
                        break loop
                    }
                    end = position
                } else {
                    if !current.isBlank { end = position + 1 }
                    position += 1
                }
            }
        }
        return text(start..<end).trimmed
    }

    /// A requirement without a body ends with its line, unless what stands before or after the line's end cannot stand alone.
    private func typeContinues(from start: Int, to lineEnd: Int) -> Bool {
        var end = lineEnd
        while end > start, bytes[end - 1].isBlank { end -= 1 }
        guard end > start else { return true }
        let last = bytes[end - 1]
        if "&.,:-".utf8.contains(last) { return true }
        if last == UInt8(ascii: ">"), end >= 2, bytes[end - 2] == UInt8(ascii: "-") { return true }
        if "{.&=),".utf8.contains(current) { return true }
        if current == UInt8(ascii: "-"), byte(at: position + 1) == UInt8(ascii: ">") { return true }
        var ahead = self
        return ahead.name() == "where"
    }

    private static let typeModifiers = [
        "inout", "consuming", "borrowing", "__owned", "sending", "isolated", "repeat", "__shared", "_const",
    ]

    /// The parameters in the brackets that open here.
    private mutating func parameters() -> [ParameterHeader] {
        guard current == UInt8(ascii: "(") else { return [] }
        let start = position
        skipBalanced()
        guard position - 1 >= start + 1 else { return [] }
        var inner = DeclarationScanner(text(start + 1..<position - 1))
        var parameters: [ParameterHeader] = []
        while true {
            inner.skipTrivia()
            if inner.isAtEnd { break }
            inner.skipAttributes()
            guard let first = inner.name() else { break }
            inner.skipTrivia()
            let second = inner.name()
            inner.skipTrivia()
            guard inner.current == UInt8(ascii: ":") else { break }
            inner.position += 1
            inner.skipTrivia()
            var type = inner.type(endsAtComma: true)
            inner.skipTrivia()
            if inner.current == UInt8(ascii: "=") { inner.skipDefaultValue() }
            var modifiers: [String] = []
            for modifier in Self.typeModifiers where type.hasPrefix(modifier + " ") {
                modifiers.append(modifier)
                type = String(type.dropFirst(modifier.count + 1)).trimmed
            }
            parameters.append(ParameterHeader(label: first, name: second ?? first, type: type, modifiers: modifiers))
            if inner.current == UInt8(ascii: ",") { inner.position += 1 }
        }
        return parameters
    }

    /// To the comma behind which a parameter begins: a default value may have commas of its own.
    private mutating func skipDefaultValue() {
        while !isAtEnd {
            skipTrivia()
            if current == UInt8(ascii: ",") {
                var ahead = self
                ahead.position += 1
                if ahead.isAtParameter() { return }
                position += 1
            } else if isAtLiteral {
                skipLiteral()
            } else if "([{".utf8.contains(current) {
                skipBalanced()
            } else {
                position += 1
            }
        }
    }

    private mutating func isAtParameter() -> Bool {
        skipTrivia()
        skipAttributes()
        guard name() != nil else { return false }
        skipTrivia()
        _ = name()
        skipTrivia()
        return current == UInt8(ascii: ":")
    }

    private mutating func genericClause() -> String {
        skipTrivia()
        guard current == UInt8(ascii: "<") else { return "" }
        let start = position
        skipAngles()
        defer { skipTrivia() }
        return text(from: start)
    }

    /// The name of an operator function; a `<` behind it may open its generic clause.
    private mutating func operatorName() -> String {
        let start = position
        while Self.isOperator(current) { position += 1 }
        if position - start > 1, byte(at: position - 1) == UInt8(ascii: "<"), current != UInt8(ascii: "("), current != 0x20 {
            position -= 1
        }
        return text(from: start)
    }

    /// What begins a declaration, and is no name unless in backticks.
    private static let reservedKeywords: Set<String> = [
        "func", "init", "deinit", "var", "let", "subscript", "struct", "class", "enum", "extension", "protocol", "typealias", "case",
        "import", "associatedtype", "operator", "precedencegroup",
    ]
    private static let keywords = reservedKeywords.union(["actor", "macro", "get", "set", "willSet", "didSet", "_read", "_modify"])

    static let modifiers: Set<String> = [
        "static", "dynamic", "private", "fileprivate", "internal", "public", "open", "package", "override", "final", "mutating",
        "nonmutating", "consuming", "borrowing", "nonisolated", "required", "convenience", "distributed", "indirect",
        "isolated", "class",
    ]

    /// The header of the declaration that begins here. The scanner stands at the body's opening brace afterwards, or behind a
    /// declaration that has none.
    /// - Parameter isWholeText: Whether the text ends with the declaration, so that its body can be told.
    package mutating func header(isWholeText: Bool = true) -> DeclarationHeader {
        var header = headerWithoutBody()
        if isWholeText { readBody(of: &header) }
        return header
    }

    private mutating func headerWithoutBody() -> DeclarationHeader {
        var header = DeclarationHeader()
        while true {
            skipTrivia()
            if current == UInt8(ascii: "#") {   // a condition between attributes
                while !isAtEnd, current != UInt8(ascii: "\n") { position += 1 }
                continue
            }
            if current == UInt8(ascii: "@") {
                position += 1
                header.attributes.append(attribute())
                continue
            }
            let start = position
            guard let word = name() else { return header }
            if word == "class", isBeforeDeclaration {
                header.modifiers.append(word)
                continue
            }
            if Self.keywords.contains(word) {
                header.keyword = word
                header.keywordOffset = start
                break
            }
            header.modifiers.append(word)
            if current == UInt8(ascii: "(") {
                let opening = position
                skipBalanced()
                if text(from: opening).containsText("nonsending") { header.isNonsending = true }
            }
        }
        switch header.keyword {
        case "func":
            skipTrivia()
            header.name = name() ?? operatorName()
            header.generics = genericClause()
            header.parameters = parameters()
            readTail(of: &header)
        case "init":
            header.name = "init"
            if current == UInt8(ascii: "?") || current == UInt8(ascii: "!") {
                header.isFailable = true
                position += 1
            }
            header.generics = genericClause()
            header.parameters = parameters()
            readTail(of: &header)
        case "deinit":
            header.name = "deinit"
            skipTrivia()
        case "subscript":
            header.name = "subscript"
            header.generics = genericClause()
            header.parameters = parameters()
            readTail(of: &header)
        case _ where header.isType: readType(&header)
        case "var", "let":
            skipTrivia()
            header.name = name() ?? ""
            skipTrivia()
            if current == UInt8(ascii: ":") {
                position += 1
                skipTrivia()
                header.result = type(endsAtComma: true)
            }
        default: break
        }
        return header
    }

    /// Whether another declaration follows what was just read: then `class` means a member of the type, not a class, and `actor` is a
    /// value of that name.
    var isBeforeDeclaration: Bool {
        var ahead = self
        while true {
            ahead.skipTrivia()
            guard let word = ahead.name() else { return false }
            if Self.reservedKeywords.contains(word) { return true }
            guard Self.modifiers.contains(word) else { return false }
            if ahead.current == UInt8(ascii: "(") { ahead.skipBalanced() }
        }
    }

    private mutating func readType(_ header: inout DeclarationHeader) {
        skipTrivia()
        let start = position
        header.name = name() ?? ""
        while current == UInt8(ascii: ".") {
            position += 1
            _ = name()
            header.name = text(from: start)
        }
        header.generics = genericClause()
        if current == UInt8(ascii: ":") {
            position += 1
            while true {
                skipTrivia()
                let type = type(endsAtComma: true)
                if !type.isEmpty { header.inheritance.append(type) }
                guard current == UInt8(ascii: ",") else { break }
                position += 1
            }
        }
        skipTrivia()
        header.whereClause = textBeforeBody()
    }

    private mutating func readTail(of header: inout DeclarationHeader) {
        while true {
            skipTrivia()
            let start = position
            if let word = name() {
                switch word {
                case "async", "reasync": header.isAsync = true
                case "throws":
                    header.isThrowing = true
                    skipTrivia()
                    if current == UInt8(ascii: "(") {
                        let opening = position
                        skipBalanced()
                        header.thrownType = text(opening + 1..<max(opening + 1, position - 1)).trimmed
                    }
                case "rethrows":
                    header.isThrowing = true
                    header.isRethrowing = true
                case "where":
                    position = start
                    header.whereClause = textBeforeBody()
                default:
                    position = start
                    return
                }
            } else if current == UInt8(ascii: "-"), byte(at: position + 1) == UInt8(ascii: ">") {
                position += 2
                skipTrivia()
                header.result = type(endsAtComma: false)
            } else {
                return
            }
        }
    }

    private mutating func textBeforeBody() -> String {
        let start = position
        while !isAtEnd, current != UInt8(ascii: "{") {
            if current == UInt8(ascii: "(") { skipBalanced() } else { position += 1 }
        }
        return text(from: start).trimmed
    }

    /// What stands between this brace and the one behind which nothing comes but blanks and comments: the compiler has cut the declaration
    /// out. That is its match, unless something in between is no bracket and could not be told to be none. Not every brace will do:
    /// behind the one in `"${HOME}/*"` a comment seems to begin.
    private mutating func readBody(of header: inout DeclarationHeader) {
        guard current == UInt8(ascii: "{") else { return }
        header.bodyOffset = position
        let start = position + 1
        defer { position = start - 1 }
        header.body = ""
        skipBalanced()
        let match = position - 1
        skipTrivia()
        if isAtEnd, match >= start, byte(at: match) == UInt8(ascii: "}") { return header.body = text(start..<match) }
        for place in start..<max(start, bytes.count) where bytes[place] == UInt8(ascii: "}") {
            position = place + 1
            skipTrivia()
            if isAtEnd { return header.body = text(start..<place) }
        }
    }
}
