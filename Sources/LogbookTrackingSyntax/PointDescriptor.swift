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

    package init(
        module: String, type: String, kind: String, header: DeclarationHeader, exceptions: [String], fileID: String, line: Int
    ) {
        self.module = module
        self.type = type
        self.kind = kind
        self.header = header
        self.exceptions = exceptions
        self.fileID = fileID
        self.line = line
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
            header.isAsync ? "1" : "0", header.isThrowing ? "1" : "0", fileID.swiftEscaped, String(line),
        ].joined(separator: Self.separators.field)
    }

    /// An expression for everything that may be captured, in the order of the parameters.
    /// - Parameter names: What the parameters are called where it stands; nil for what the function calls them.
    package func arguments(named names: [String]? = nil) -> String {
        let values = zip(header.parameters, names ?? header.parameters.map(\.name)).filter { parameter, _ in
            parameter.isCapturable(except: exceptions)
        }
        return "[" + values.map { $1 + " as Any" }.joined(separator: ", ") + "]"
    }
}
