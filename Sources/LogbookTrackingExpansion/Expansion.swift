internal import LogbookTrackingSyntax

/// Answers one request: what is to be written at a declaration.
///
/// The expansions call entry points of LogbookTracking whose names carry a number. It goes up whenever an expansion changes:
/// SwiftPM does not recompile clients for a new plug-in alone, and a stale client shall not link rather than crash.
struct Expansion {
    struct Answer {
        /// What to write; nil when there is a problem.
        var source: String?
        var problem: String?
        var place: ExpansionRequest.Place?

        init(source: String?, problem: String? = nil, place: ExpansionRequest.Place? = nil) {
            self.source = source
            self.problem = problem
            self.place = place
        }

        var json: String {
            var diagnostics = ""
            if let problem {
                let position = "{\"fileName\":\((place?.fileName ?? "").jsonLiteral),\"offset\":\(place?.offset ?? 0)}"
                diagnostics = "{\"message\":\(problem.jsonLiteral),\"severity\":\"error\",\"position\":\(position),"
                    + "\"highlights\":[],\"notes\":[],\"fixIts\":[]}"
            }
            return "{\"expandMacroResult\":{\"expandedSource\":\(source?.jsonLiteral ?? "null"),\"diagnostics\":[\(diagnostics)]}}"
        }
    }

    let request: ExpansionRequest
    let header: DeclarationHeader
    /// The line of the declaration's keyword.
    let line: Int
    /// The names of the types around the declaration.
    let typePath: String

    init(_ request: ExpansionRequest) {
        self.request = request
        let declaration = request.declaration ?? ""
        var scanner = DeclarationScanner(declaration)
        header = scanner.header()
        line = request.declarationPlace.line + declaration.lineEnds(within: header.keywordOffset)
        typePath = request.context.reversed().filter(\.isType).map(\.name).joined(separator: ".")
    }

    func answer() -> Answer {
        if let expression = request.expression { return freestanding(expression) }
        guard request.declaration != nil, request.macro != "NotTracked" else { return Answer(source: "") }
        if let objection { return refusal(objection) }
        return switch request.role {
        case "memberAttribute": Answer(source: memberAttribute())
        case "extension": Answer(source: replacements())
        case "peer": Answer(source: peer())
        case "body": body()
        default: Answer(source: nil)
        }
    }

    /// What is wrong with the attribute: nothing would come of it, and a value that it was to protect would be seen. Of the questions about
    /// one attribute, one is answered so.
    private var objection: String? {
        let attribute = request.attribute
        if attribute.problem == nil, attribute.exceptions.isEmpty { return nil }
        let functions: [DeclarationHeader]
        switch (request.macro, request.role) {
        case ("Tracked", "body"): functions = [header]
        case ("TrackedType", "peer"): functions = self.functions(of: header).map(\.header)
        case ("TrackedExtension", "memberAttribute"):
            var scanner = DeclarationScanner(request.parent ?? "")
            let all = self.functions(of: scanner.header()), first = (all.first { $0.condition.isEmpty } ?? all.first)?.header
            guard first?.selector == header.selector, first?.parameters == header.parameters else { return nil }
            functions = all.map(\.header)
        default: return nil
        }
        return attribute.problem ?? attribute.exceptionWithoutParameter(in: functions).map {
            "no parameter here is called \"\($0)\", so nothing is kept from plans; say what a parameter is called"
        }
    }

    func refusal(_ problem: String) -> Answer { Answer(source: nil, problem: problem, place: request.attributePlace) }

    /// The line on which the declaration's body opens.
    var bodyLine: Int {
        request.declarationPlace.line + (request.declaration ?? "").lineEnds(within: header.bodyOffset)
    }

    /// A name that a peer may have anywhere: the one that swift-syntax's `makeUniqueName` would give.
    var uniqueName: String { request.discriminator + "9__trackedfMu_" }

    /// Whether a declaration around this one is generic: static stored properties are not allowed there.
    var isInGenericContext: Bool {
        request.context.contains {
            $0.isGeneric || $0.keyword == "protocol" || $0.keyword == "extension" && !$0.whereClause.isEmpty
        }
    }
}
