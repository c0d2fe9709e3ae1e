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

    package init(module: String, name: String, keyword: String, inheritance: [String], file: String, line: Int) {
        self.module = module
        self.name = name
        self.keyword = keyword
        self.inheritance = inheritance
        self.file = file
        self.line = line
    }

    /// Takes apart what the macro plug-in wrote.
    package init?(descriptor: UnsafeBufferPointer<UInt8>) {
        let fields = DescriptorFields.split(descriptor, at: 0x1F)
        guard fields.count == 6 else { return nil }
        func text(_ place: Int) -> String { String(decoding: fields[place], as: UTF8.self) }
        self.init(
            module: text(0), name: text(1), keyword: text(2),
            inheritance: DescriptorFields.split(fields[3], at: 0x1E).filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) },
            file: text(4),
            line: Int(text(5)) ?? 0)
    }

    package var id: String { module + "." + name }
    /// Whether two variables can hold the same instance.
    package var isReference: Bool { keyword == "class" || keyword == "actor" }
}
