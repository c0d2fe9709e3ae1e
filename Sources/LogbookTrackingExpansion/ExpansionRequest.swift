internal import LogbookTrackingSyntax

/// What the compiler asks: one macro, in one role, at one declaration or expression.
struct ExpansionRequest {
    /// Where something stands in a file of the user.
    struct Place {
        var fileName = ""
        /// `Module/File.swift`.
        var fileID = ""
        /// Counted from 1.
        var line = 0
        /// Bytes from the beginning of the file.
        var offset = 0

        /// - Parameter isBehindTrivia: Whether it is where the first word stands, behind the blanks and comments that come with it.
        init(_ syntax: PositionedJSON?, isBehindTrivia: Bool = false) {
            guard let location = syntax?["location"] else { return }
            fileName = location["fileName"]?.string ?? ""
            fileID = location["fileID"]?.string ?? ""
            line = location["line"]?.integer ?? 0
            offset = location["offset"]?.integer ?? 0
            guard isBehindTrivia else { return }
            var scanner = DeclarationScanner(syntax?["source"]?.string ?? "")
            scanner.skipTrivia()
            offset += scanner.position
        }

        var module: String { String(fileID.prefix { $0 != "/" }) }
    }

    /// `Tracked`, `TrackedType`, `joinPoint` …
    let macro: String
    /// `body`, `peer`, `memberAttribute`, `extension`, `expression`.
    let role: String
    /// The declaration with what stands before it; nil for an expression.
    let declaration: String?
    let declarationPlace: Place
    /// The declaration whose member it is, where the compiler says that.
    let parent: String?
    /// The expression; nil for a declaration.
    let expression: String?
    let expressionPlace: Place
    let attribute: TrackingAttribute
    let attributePlace: Place
    let extendedType: String?
    /// The declarations around it, the innermost first.
    let context: [DeclarationHeader]
    /// What makes a name unique.
    let discriminator: String

    init(_ question: PositionedJSON) {
        macro = (question["macro"]?["name"]?.string ?? "").trimmed   // a blank may follow
        role = question["macroRole"]?.string ?? ""
        declaration = question["declSyntax"]?["source"]?.string
        declarationPlace = Place(question["declSyntax"])
        parent = question["parentDeclSyntax"]?["source"]?.string
        expression = question["syntax"]?["source"]?.string
        expressionPlace = Place(question["syntax"])
        attribute = TrackingAttribute(question["attributeSyntax"]?["source"]?.string ?? "")
        attributePlace = Place(question["attributeSyntax"] ?? question["syntax"], isBehindTrivia: true)
        extendedType = question["extendedTypeSyntax"]?["source"]?.string?.trimmed
        context = (question["lexicalContext"]?.elements ?? []).compactMap { $0["source"]?.string }.map { text in
            var scanner = DeclarationScanner(text)
            return scanner.header()
        }
        discriminator = question["discriminator"]?.string ?? ""
    }
}
