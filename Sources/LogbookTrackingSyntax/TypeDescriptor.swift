/// What the running program knows about a type whose functions are join points; a string literal, as ``PointDescriptor`` is.
package struct TypeDescriptor {
    let module: String
    /// With the names of the types around it, dots between them.
    let name: String
    let header: DeclarationHeader
    let fileID: String
    let line: Int

    package init(module: String, name: String, header: DeclarationHeader, fileID: String, line: Int) {
        self.module = module
        self.name = name
        self.header = header
        self.fileID = fileID
        self.line = line
    }

    /// What stands between the quotes.
    package var literal: String {
        let separators = PointDescriptor.separators
        return [
            module.swiftEscaped, name.swiftEscaped, header.keyword,
            header.inheritance.map(\.swiftEscaped).joined(separator: separators.parameter), fileID.swiftEscaped, String(line),
        ].joined(separator: separators.field)
    }

    /// An expression that tells instances of the type, and the type itself, to which its static methods belong; `nil` where there can be
    /// none to ask about.
    package func instanceTest(isGeneric: Bool) -> String {
        header.hasInstanceTest(isGeneric: isGeneric) ? "{ $0 is \(name) || $0 is \(name).Type }" : "nil"
    }
}

extension DeclarationHeader {
    /// Whether it can be asked of a value whether it is an instance of this type.
    /// - Parameter isGeneric: Whether the type or one around it is.
    package func hasInstanceTest(isGeneric: Bool) -> Bool { !isGeneric && keyword != "protocol" && isCopyable }
}
