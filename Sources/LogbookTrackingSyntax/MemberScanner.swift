/// Finds types, the functions, initializers and deinitializers in them, the code outside those, and imports, in the text of whole files.
/// Extensions are types here: their functions belong to the type they extend.
package struct MemberScanner {
    package private(set) var functions: [FoundFunction] = []
    package private(set) var code: [FoundCode] = []
    package private(set) var types: [FoundType] = []
    package private(set) var imports: [FoundImport] = []
    /// The selectors of the functions that protocols ask for.
    package private(set) var requirements: Set<String> = []

    package init() {}

    /// What stands around a text.
    private struct Surroundings {
        var path: [String] = []
        var header: DeclarationHeader?
        var isGeneric = false
        /// Whether that is so without the innermost type.
        var isNestedInGeneric = false
        var isPrivate = false
        var condition = ""
        /// Whether static stored properties are not allowed there.
        var isGenericContext: Bool {
            isGeneric || header?.keyword == "protocol" || header?.keyword == "extension" && header?.whereClause.isEmpty == false
        }
    }

    /// - Parameters:
    ///   - file: How the file is named in what is found.
    ///   - firstLine: The number of the text's first line.
    ///   - isNested: False to leave the members of nested types alone.
    package mutating func scan(_ text: String, file: String, firstLine: Int = 1, isNested: Bool = true) {
        scan(text, from: SourcePlace(file: file, line: firstLine, column: 1), isNested: isNested, in: Surroundings())
    }

    private mutating func scan(_ text: String, from start: SourcePlace, isNested: Bool, in around: Surroundings) {
        var scanner = DeclarationScanner(text)
        var places = Places(start)
        var conditions = CompilationConditions(around.condition)
        var modifiers: [String] = [], attributes: [String] = [], isNonsending = false
        /// Whether the next word is a name or a value, whatever it is spelled like: `case fixed, dynamic`, `var open = final`.
        var isBeforeName = false
        func forget() {
            modifiers = []
            attributes = []
            isNonsending = false
        }
        /// The header that begins at the word, and where its body opens; nil for one without a body. The scanner stands behind it then.
        func declaration(from word: Int) -> (header: DeclarationHeader, opening: Int)? {
            scanner.position = word
            var header = scanner.header(isWholeText: false)
            header.attributes = attributes
            header.modifiers = modifiers
            header.isNonsending = isNonsending
            forget()
            guard scanner.current == UInt8(ascii: "{") else {
                if around.header?.keyword == "protocol", header.keyword == "func" { requirements.insert(header.selector) }
                return nil
            }
            let opening = scanner.position
            scanner.skipBalanced()
            header.body = scanner.text(opening + 1..<max(opening + 1, scanner.position - 1))
            return (header, opening)
        }
        func keep(_ text: String, from start: Int, isGeneric: Bool = false) {
            code.append(
                FoundCode(
                    text: text, type: around.path.joined(separator: "."), isInGenericContext: isGeneric || around.isGenericContext,
                    place: places.place(of: start, in: scanner), condition: conditions.expression))
        }
        while !scanner.isAtEnd {
            scanner.skipTrivia()
            if scanner.isAtEnd { break }
            let byte = scanner.current, isName = isBeforeName || scanner.isBehindDot
            isBeforeName = false
            if "\"#/".utf8.contains(byte), scanner.isAtLiteral {
                scanner.skipLiteral()
                continue
            }
            if byte == UInt8(ascii: "#") {
                let start = scanner.position
                scanner.position += 1
                guard let directive = scanner.name() else { continue }
                if conditions.read(directive, restOfLine: { scanner.restOfLine() }) {
                    forget()
                } else if scanner.current == UInt8(ascii: "(") {
                    scanner.skipBalanced()
                    keep(scanner.text(from: start), from: start)
                }
                continue
            }
            if byte == UInt8(ascii: "@") {
                scanner.position += 1
                attributes.append(scanner.attribute())
                continue
            }
            let start = scanner.position
            if "([{".utf8.contains(byte) {
                scanner.skipBalanced()
                keep(scanner.text(from: start), from: start)
                forget()
                continue
            }
            guard let word = scanner.name() else {
                if byte == UInt8(ascii: ";") || byte == UInt8(ascii: "=") { forget() }
                isBeforeName = ",=:".utf8.contains(byte)
                scanner.position += 1
                continue
            }
            if isName { continue }
            if DeclarationHeader.typeKeywords.contains(word), !scanner.isBeforeDeclaration {
                var ahead = scanner
                ahead.skipTrivia()
                guard DeclarationScanner.beginsName(ahead.current) else { continue }   // a variable may be called `actor`
                guard let (found, opening) = declaration(from: start) else { continue }
                let place = places.place(of: start, in: scanner)
                var header = found
                header.body = nil
                let within = Surroundings(
                    path: around.path + [header.name], header: header, isGeneric: around.isGeneric || !header.generics.isEmpty,
                    isNestedInGeneric: around.isGeneric, isPrivate: around.isPrivate || header.isPrivate, condition: conditions.expression)
                types.append(
                    FoundType(
                        name: within.path.joined(separator: "."), header: header, isGeneric: within.isGeneric,
                        isPrivate: within.isPrivate, place: place, condition: within.condition))
                if isNested { scan(found.body ?? "", from: places.place(of: opening + 1, in: scanner), isNested: true, in: within) }
            } else if ["func", "init", "deinit"].contains(word) {
                guard let (header, _) = declaration(from: start) else { continue }
                functions.append(
                    FoundFunction(
                        header: header, type: around.path.joined(separator: "."), typeHeader: around.header,
                        isInPrivateType: around.isPrivate, isNestedInGeneric: around.isNestedInGeneric, place: places.place(of: start, in: scanner),
                        condition: conditions.expression))
            } else if DeclarationScanner.modifiers.contains(word) {
                modifiers.append(word)
                if scanner.current == UInt8(ascii: "(") {
                    let opening = scanner.position
                    scanner.skipBalanced()
                    if scanner.text(from: opening).containsText("nonsending") { isNonsending = true }
                }
            } else if ["var", "let", "case", "typealias", "associatedtype"].contains(word) {
                forget()
                isBeforeName = true
            } else if word == "operator" {
                forget()
                _ = scanner.restOfLine()
            } else if word == "subscript" {
                guard let (header, opening) = declaration(from: start) else { continue }
                keep(header.body ?? "", from: opening + 1, isGeneric: header.isGeneric)
            } else if word == "import" {
                imports.append(
                    FoundImport(
                        attributes: attributes, modifiers: modifiers, path: scanner.restOfLine(),
                        place: places.place(of: start, in: scanner), condition: conditions.expression))
                forget()
            }
        }
    }
}

/// Lines and columns of positions in a text; asked for in their order.
private struct Places {
    private var counted = 0
    private var line: Int
    private var column: Int
    private let file: String

    init(_ start: SourcePlace) {
        file = start.file
        line = start.line
        column = start.column
    }

    mutating func place(of position: Int, in scanner: DeclarationScanner) -> SourcePlace {
        while counted < position {
            if scanner.byte(at: counted) == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else {
                column += 1
            }
            counted += 1
        }
        return SourcePlace(file: file, line: line, column: column)
    }
}

/// The `#if`s around a place.
private struct CompilationConditions {
    private struct Choice {
        var earlier: [String] = []
        /// Empty behind `#else`.
        var current: String
    }
    private let around: String
    private var choices: [Choice] = []

    init(_ around: String) { self.around = around }

    /// - Returns: Whether it is a directive about conditions.
    mutating func read(_ directive: String, restOfLine: () -> String) -> Bool {
        switch directive {
        case "if": choices.append(Choice(current: restOfLine()))
        case "elseif", "else":
            guard var choice = choices.popLast() else { break }
            choice.earlier.append(choice.current)
            choice.current = restOfLine()
            choices.append(choice)
        case "endif": _ = choices.popLast()
        default: return false
        }
        return true
    }

    var expression: String {
        let parts = choices.flatMap { choice in
            choice.earlier.map { "!(\($0))" } + (choice.current.isEmpty ? [] : ["(\(choice.current))"])
        }
        return ((around.isEmpty ? [] : [around]) + parts).joined(separator: " && ")
    }
}
