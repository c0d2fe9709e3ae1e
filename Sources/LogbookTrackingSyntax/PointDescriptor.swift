/// What the running program knows about a join point: one string literal per point, taken apart only when somebody asks. A value
/// built in the program's text instead costs three times the compile time.
package struct PointDescriptor {
    let module: String
    /// The names of the types around it, dots between them.
    let type: String
    let kind: String
    let header: DeclarationHeader
    /// The parameters that may not be captured, whatever the plan says.
    let exceptions: [String]
    let fileID: String
    let line: Int
    /// How a call is noticed; see ``form(of:isReplaced:)``.
    let form: String
    /// Whom a call belongs to; see ``owner(of:kind:in:isLeftAlone:)``.
    let owner: String
    /// Whether what is inside the instance may be changing meanwhile; see ``DeclarationHeader/leavesIsolation(of:)``.
    let leavesIsolation: Bool

    package init(
        module: String, type: String, kind: String, header: DeclarationHeader, exceptions: [String], fileID: String, line: Int,
        form: String, owner: String, leavesIsolation: Bool = false
    ) {
        self.module = module
        self.type = type
        self.kind = kind
        self.header = header
        self.exceptions = exceptions
        self.fileID = fileID
        self.line = line
        self.form = form
        self.owner = owner
        self.leavesIsolation = leavesIsolation
    }

    /// `wrapped`: the body is in a closure; `bracketed`: it stands behind a statement that begins the call; `consumed`: so does one
    /// that consumes its instance; `replaced`: another function takes its place and calls it.
    package static func form(of header: DeclarationHeader, isReplaced: Bool = false) -> String {
        if isReplaced { return "replaced" }
        if header.consumesSelf { return "consumed" }
        return header.keyword == "init" || header.keyword == "deinit" || header.consumes ? "bracketed" : "wrapped"
    }

    /// `object` or `value`: what can be captured of the instance; `unknown`: one of the two; `none`: nothing can.
    /// - Parameter type: Around the function, where there is one.
    package static func owner(
        of header: DeclarationHeader, kind: String, in type: DeclarationHeader?, isLeftAlone: Bool = false
    ) -> String {
        guard kind == "method", header.isSelfCapturable, !isLeftAlone, type?.isCopyable ?? true else { return "none" }
        switch type?.keyword {
        case "class", "actor": return "object"
        case "struct", "enum": return "value"
        default: return "unknown"
        }
    }

    /// What the fields are separated by, and the parameters, and the fields of a parameter.
    package static let separators = (field: "\\u{1F}", parameter: "\\u{1E}", parameterField: "\\u{1D}", point: "\\u{1C}")

    private var selector: String { kind == "point" ? header.name : header.selector }

    /// What a point is registered with.
    package var registration: String { "\"\(literal)\", \(fileID.swiftLiteral), \(selector.swiftLiteral)" }

    /// What stands between the quotes.
    package var literal: String {
        let parameters = header.parameters.map { parameter in
            [
                DeclarationHeader.plain(parameter.label).swiftEscaped, DeclarationHeader.plain(parameter.name).swiftEscaped,
                parameter.type.swiftEscaped, parameter.isCapturable(except: exceptions) ? "1" : "0",
            ].joined(separator: Self.separators.parameterField)
        }
        return [
            module.swiftEscaped, type.swiftEscaped, selector.swiftEscaped, kind,
            parameters.joined(separator: Self.separators.parameter), (header.result ?? "Void").swiftEscaped,
            header.isAsync ? "1" : "0", header.mayThrow ? "1" : "0", fileID.swiftEscaped, String(line),
            form, owner, leavesIsolation ? "1" : "0",
        ].joined(separator: Self.separators.field)
    }

    /// An expression for everything that may be captured, in the order of the parameters.
    /// - Parameter names: What the parameters are called where it stands; nil for what the function calls them.
    package func arguments(named names: [String]? = nil) -> String {
        let values = zip(header.parameters, names ?? header.parameters.map(\.quotedName)).filter { parameter, _ in
            parameter.isCapturable(except: exceptions)
        }
        return "[" + values.map { $1 + " as Any" }.joined(separator: ", ") + "]"
    }
}
