/// A function that was found in a text.
package struct FoundFunction: Sendable {
    /// With its modifiers, attributes and body.
    package var header: DeclarationHeader
    /// The names of the types around it, dots between them; empty for a free function.
    package var type: String
    package var file: String
    /// Counted from 1.
    package var line: Int
    /// Whether a type around it is generic.
    package var isInGenericType: Bool
    /// The innermost type or extension around it, with its attributes; nil for a free function.
    package var typeHeader: DeclarationHeader?
}

/// A type that was found in a text.
package struct FoundType: Sendable {
    /// With the names of the types around it.
    package var name: String
    package var header: DeclarationHeader
    package var file: String
    package var line: Int
    package var isGeneric: Bool
}

/// Finds types and the functions and initializers in them, in the text of whole files. Extensions are types here: their functions belong to the
/// type they extend.
package struct MemberScanner {
    package private(set) var functions: [FoundFunction] = []
    package private(set) var types: [FoundType] = []

    package init() {}

    private static let modifiers: Set<String> = [
        "static", "dynamic", "private", "fileprivate", "internal", "public", "open", "package", "override", "final", "mutating",
        "nonmutating", "consuming", "borrowing", "nonisolated", "required", "convenience", "distributed", "indirect",
        "isolated", "class",
    ]

    /// - Parameters:
    ///   - file: How the file is named in what is found.
    ///   - path: The types around the text.
    ///   - firstLine: The number of the text's first line.
    ///   - isNested: False to leave the members of nested types alone.
    package mutating func scan(
        _ text: String, file: String, path: [String] = [], firstLine: Int = 1, isInGenericType: Bool = false,
        isNested: Bool = true, in typeHeader: DeclarationHeader? = nil
    ) {
        var scanner = DeclarationScanner(text)
        var modifiers: [String] = [], attributes: [String] = []
        var counted = 0, line = firstLine
        func lineNumber(at position: Int) -> Int {   // positions only grow
            while counted < position {
                if scanner.byte(at: counted) == UInt8(ascii: "\n") { line += 1 }
                counted += 1
            }
            return line
        }
        func forget() {
            modifiers = []
            attributes = []
        }
        while !scanner.isAtEnd {
            scanner.skipTrivia()
            if scanner.isAtEnd { break }
            let byte = scanner.current
            if (byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#")) && scanner.isAtString {
                scanner.skipString()
                continue
            }
            if byte == UInt8(ascii: "@") {
                scanner.position += 1
                attributes.append(scanner.attribute())
                continue
            }
            if "([{".utf8.contains(byte) {
                scanner.skipBalanced()
                forget()
                continue
            }
            let start = scanner.position
            guard let word = scanner.name() else {
                if byte == UInt8(ascii: ";") || byte == UInt8(ascii: "=") { forget() }
                scanner.position += 1
                continue
            }
            if word == "class" && !scanner.isBeforeMember || DeclarationHeader.typeKeywords.contains(word) && word != "class" {
                var ahead = scanner
                ahead.skipTrivia()
                guard DeclarationScanner.beginsName(ahead.current) else { continue }   // a variable may be called `actor`
                scanner.position = start
                var header = scanner.header(isWholeText: false)
                header.attributes = attributes
                header.modifiers = modifiers
                forget()
                guard scanner.current == UInt8(ascii: "{") else { continue }
                let opening = scanner.position
                scanner.skipBalanced()
                let inner = scanner.text(opening + 1..<max(opening + 1, scanner.position - 1))
                header.body = nil
                let names = path + [header.name], isGeneric = isInGenericType || !header.generics.isEmpty
                types.append(
                    FoundType(
                        name: names.joined(separator: "."), header: header, file: file, line: lineNumber(at: start),
                        isGeneric: isGeneric))
                if isNested {
                    scan(
                        inner, file: file, path: names, firstLine: lineNumber(at: opening), isInGenericType: isGeneric,
                        in: header)
                }
            } else if word == "func" || word == "init" && (start == 0 || scanner.byte(at: start - 1) != UInt8(ascii: ".")) {
                scanner.position = start
                var header = scanner.header(isWholeText: false)
                header.attributes = attributes
                header.modifiers = modifiers
                forget()
                guard scanner.current == UInt8(ascii: "{") else { continue }
                let opening = scanner.position
                scanner.skipBalanced()
                header.body = scanner.text(opening + 1..<max(opening + 1, scanner.position - 1))
                functions.append(
                    FoundFunction(
                        header: header, type: path.joined(separator: "."), file: file, line: lineNumber(at: start),
                        isInGenericType: isInGenericType, typeHeader: typeHeader))
            } else if Self.modifiers.contains(word) {
                modifiers.append(word)
                if scanner.current == UInt8(ascii: "(") { scanner.skipBalanced() }
            } else if ["var", "let", "case", "typealias", "subscript", "deinit"].contains(word) {
                forget()
            } else if word == "import" {
                while !scanner.isAtEnd, scanner.current != UInt8(ascii: "\n") { scanner.position += 1 }
                forget()
            }
        }
    }
}
