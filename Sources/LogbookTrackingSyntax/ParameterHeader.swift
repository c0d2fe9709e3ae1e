/// One parameter of a function, as it is written.
package struct ParameterHeader: Sendable, Equatable {
    /// What a caller writes; `_` for nothing.
    package var label: String
    /// What the body writes.
    package var name: String
    /// The type without ``modifiers``, with its attributes: `@escaping () -> Int`, `Int...`.
    package var type: String
    /// `inout`, `consuming`, `borrowing`, `sending`, `isolated`, `repeat` and their older spellings.
    package var modifiers: [String]
    /// ``name`` as a body has to write it: one that is a keyword needs backticks there, and in the header it does not.
    var quotedName: String { name.hasPrefix("`") || name == "self" ? name : "`" + name + "`" }

    package init(label: String, name: String, type: String, modifiers: [String] = []) {
        self.label = label
        self.name = name
        self.type = type
        self.modifiers = modifiers
    }
}
