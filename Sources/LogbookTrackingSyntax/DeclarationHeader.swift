/// The header of one declaration, and the text of its body.
package struct DeclarationHeader: Sendable, Equatable {
    /// Without the sign: `MainActor`, `Tracked(except: "pin")`.
    package var attributes: [String] = []
    /// `static`, `mutating`, `nonisolated(unsafe)` without what stands in brackets.
    package var modifiers: [String] = []
    /// `func`, `init`, `deinit`, `var`, `struct`, `class`, `actor`, `enum`, `extension`, `protocol`; empty when there is none.
    package var keyword = ""
    package var name = ""
    /// `<T: P>`; empty when there is none.
    package var generics = ""
    package var parameters: [ParameterHeader] = []
    package var isAsync = false
    /// `nonisolated(nonsending)`: it runs where its caller does.
    package var isNonsending = false
    package var isThrowing = false
    package var isRethrowing = false
    /// The type in `throws(…)`.
    package var thrownType: String?
    /// Whether an error can come out of it: none does of one that says `throws(Never)`.
    package var mayThrow: Bool { isThrowing && thrownType != "Never" }
    /// The type after the arrow; for a variable, its type.
    package var result: String?
    package var isFailable = false
    package var inheritance: [String] = []
    /// `where T: P`, or whatever stands between a type's inheritance and its body.
    package var whereClause = ""
    /// The text between the outermost braces; nil when there are none.
    package var body: String?
    /// Where the body's opening brace and the keyword stand: bytes from the beginning of the text.
    package var bodyOffset = 0
    package var keywordOffset = 0

    package init() {}

    /// The keywords that begin a type, or the extension of one.
    package static let typeKeywords: Set<String> = ["struct", "class", "enum", "actor", "extension", "protocol"]
    package var isType: Bool { Self.typeKeywords.contains(keyword) }

    /// The Swift full name: `add(_:quantity:)`, `init(maybe:)`, `deinit`.
    package var selector: String {
        if keyword == "deinit" { return keyword }
        return Self.plain(name) + "(" + parameters.map { Self.plain($0.label) + ":" }.joined() + ")"
    }

    /// Its attributes that say where it may be spoken of, a line each, for what is written beside it.
    package var availability: String { attributes.filter { $0.hasPrefix("available(") }.map { "@\($0)\n" }.joined() }
    package var isStatic: Bool { modifiers.contains("static") || modifiers.contains("class") }
    package var isPrivate: Bool { modifiers.contains("private") || modifiers.contains("fileprivate") }
    /// Of a type, as far as it says so itself.
    package var isCopyable: Bool { !inheritance.contains { $0.containsText("~Copyable") } }
    package var isOperator: Bool { !(name.utf8.first.map(DeclarationScanner.beginsName) ?? false) }
    package var returnsNothing: Bool { result == nil || result == "Void" || result == "()" }
    /// ` throws(E)`; empty for a function that throws nothing or anything.
    package var typedThrows: String { thrownType.map { " throws(\($0))" } ?? "" }
    /// ` throws` or ` throws(E)`; empty for a function that throws nothing.
    package var throwsClause: String { isThrowing && thrownType == nil ? " throws" : typedThrows }
    /// The result, where `Int!` cannot be written: `Int?`.
    package var optionalResult: String? { result.map { $0.hasSuffix("!") ? $0.dropLast() + "?" : $0 } }
    package var returnsOpaque: Bool { result.map(Self.isOpaque) ?? false }
    /// Generic by its own account, be it by a parameter of type `some P` or `[some P]`.
    package var isGeneric: Bool { !generics.isEmpty || parameters.contains { Self.isOpaque($0.type) } }

    /// Whether `some` stands anywhere in a type before another; the label of a tuple's element may be called so.
    private static func isOpaque(_ type: String) -> Bool {
        var scanner = DeclarationScanner(type)
        while !scanner.isAtEnd {
            scanner.skipTrivia()
            guard let word = scanner.name() else {
                scanner.position += 1
                continue
            }
            scanner.skipTrivia()
            if word == "some", DeclarationScanner.beginsName(scanner.current) || "(~".utf8.contains(scanner.current) { return true }
        }
        return false
    }

    /// A name without the backticks that let it be a keyword.
    package static func plain(_ name: String) -> String {
        name.hasPrefix("`") && name.utf8.count > 2 ? String(name.dropFirst().dropLast()) : name
    }
}
