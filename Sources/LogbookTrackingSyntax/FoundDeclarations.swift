/// A function that was found in a text.
package struct FoundFunction: Sendable {
    /// With its modifiers, attributes and body.
    package var header: DeclarationHeader
    /// The names of the types around it, dots between them; empty for a free function.
    package var type: String
    /// The innermost type or extension around it, with its attributes; nil for a free function.
    package var typeHeader: DeclarationHeader?
    /// Whether a type or extension around it is private.
    package var isInPrivateType: Bool
    /// Whether a type around its own type is generic.
    package var isNestedInGeneric: Bool
    package var place: SourcePlace
    /// Under which conditions of compilation it is there, as an expression; empty for always.
    package var condition: String
}

/// Code outside functions that was found in a text: an accessor's, an initial value's, or that of the file itself.
package struct FoundCode: Sendable {
    package var text: String
    /// The names of the types around it, dots between them; empty for none.
    package var type: String
    /// Whether static stored properties are not allowed around it.
    package var isInGenericContext: Bool
    package var place: SourcePlace
    package var condition: String
}

/// A type that was found in a text.
package struct FoundType: Sendable {
    /// With the names of the types around it.
    package var name: String
    package var header: DeclarationHeader
    /// Whether it or a type around it is generic.
    package var isGeneric: Bool
    /// Whether it or a type around it is private.
    package var isPrivate: Bool
    package var place: SourcePlace
    package var condition: String
}

/// An `import` that was found in a text.
package struct FoundImport: Sendable {
    package var attributes: [String]
    package var modifiers: [String]
    /// What stands behind the keyword: `Foundation`, `struct Foundation.URL`.
    package var path: String
    package var place: SourcePlace
    package var condition: String
}

/// Where something stands in a source.
package struct SourcePlace: Sendable, Hashable, CustomStringConvertible {
    /// As it was named to the scanner.
    package let file: String
    /// Counted from 1.
    package let line: Int
    /// Bytes of the line, counted from 1.
    package let column: Int

    package var description: String { "\(file):\(line):\(column)" }
}
