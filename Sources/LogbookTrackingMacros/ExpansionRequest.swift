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

        init(_ syntax: PositionedJSON?) {
            guard let location = syntax?["location"] else { return }
            fileName = location["fileName"]?.string ?? ""
            fileID = location["fileID"]?.string ?? ""
            line = location["line"]?.integer ?? 0
            offset = location["offset"]?.integer ?? 0
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
    /// The expression; nil for a declaration.
    let expression: String?
    let expressionPlace: Place
    let attribute: Attribute
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
        expression = question["syntax"]?["source"]?.string
        expressionPlace = Place(question["syntax"])
        attribute = Attribute(question["attributeSyntax"]?["source"]?.string ?? "")
        attributePlace = Place(question["attributeSyntax"] ?? question["syntax"])
        extendedType = question["extendedTypeSyntax"]?["source"]?.string?.trimmed
        context = (question["lexicalContext"]?.elements ?? []).compactMap { $0["source"]?.string }.map { text in
            var scanner = DeclarationScanner(text)
            return scanner.header()
        }
        discriminator = question["discriminator"]?.string ?? ""
    }

    /// What is written in an attribute's brackets.
    struct Attribute {
        /// The parameters that may never be captured.
        let exceptions: [String]
        let isGeneric: Bool
        let includesInitializers: Bool
        let leavesInstanceAlone: Bool

        init(_ text: String) {
            var scanner = DeclarationScanner(text), exceptions: [String] = []
            while !scanner.isAtEnd {
                guard scanner.isAtString else {
                    scanner.position += 1
                    continue
                }
                let start = scanner.position
                scanner.skipString()
                exceptions.append(String(scanner.text(from: start).drop { $0 == "#" || $0 == "\"" }.prefix { $0 != "\"" }))
            }
            self.exceptions = exceptions
            let plain = text.split(whereSeparator: \.isWhitespace).joined()
            isGeneric = plain.containsText("generic:true")
            includesInitializers = plain.containsText("initializers:true")
            leavesInstanceAlone = plain.containsText("instance:false")
        }

        /// The same for one member.
        var forMember: String {
            var arguments: [String] = []
            if isGeneric { arguments.append("generic: true") }
            if !exceptions.isEmpty { arguments.append("except: " + exceptions.map(\.swiftLiteral).joined(separator: ", ")) }
            return arguments.isEmpty ? "@Tracked" : "@Tracked(\(arguments.joined(separator: ", ")))"
        }
    }
}
