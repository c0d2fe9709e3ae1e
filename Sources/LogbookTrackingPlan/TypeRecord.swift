/// What is known about a type that a plan can name.
package struct TypeRecord: Sendable {
    package let module: String
    package let name: String
    /// `class`, `actor`, `struct`, `enum`.
    package let keyword: String
    /// What stands behind the colon, as it is written.
    package let inheritance: [String]
    package let file: String
    package let line: Int
    /// Whether its instances can be told from those of the type that it inherits from.
    package let hasInstanceTest: Bool

    package init(
        module: String, name: String, keyword: String, inheritance: [String], file: String, line: Int, hasInstanceTest: Bool
    ) {
        self.module = module
        self.name = name
        self.keyword = keyword
        self.inheritance = inheritance
        self.file = file
        self.line = line
        self.hasInstanceTest = hasInstanceTest
    }

    /// Takes apart what the macro plug-in wrote.
    package init?(descriptor: UnsafeBufferPointer<UInt8>, hasInstanceTest: Bool) {
        var fields = DescriptorFields(descriptor, separatedBy: 0x1F)
        guard let module = fields.nextText(), let name = fields.nextText(), let keyword = fields.nextText(),
            let parents = fields.next(), let file = fields.nextText(), let line = fields.nextText()
        else { return nil }
        var inheritance: [String] = [], rest = DescriptorFields(parents, separatedBy: 0x1E)
        while let parent = rest.nextText() { if !parent.isEmpty { inheritance.append(parent) } }
        self.init(
            module: module, name: name, keyword: keyword, inheritance: inheritance, file: file, line: Int(line) ?? 0,
            hasInstanceTest: hasInstanceTest)
    }

    package var id: String { module + "." + name }
    /// Whether two variables can hold the same instance.
    package var isReference: Bool { keyword == "class" || keyword == "actor" }
}
