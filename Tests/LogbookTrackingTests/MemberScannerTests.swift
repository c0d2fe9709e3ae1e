import LogbookTrackingSyntax
import Testing

/// What is found in whole files.
@Suite struct MemberScannerTests {
    static func scan(_ text: String) -> MemberScanner {
        var scanner = MemberScanner()
        scanner.scan(text, file: "x.swift")
        return scanner
    }

    static func say(_ function: FoundFunction) -> String {
        (function.header.modifiers + [(function.type.isEmpty ? "" : function.type + ".") + function.header.selector]).joined(separator: " ")
    }

    @Test("a name is no word of the next declaration, though it may be spelled like one", arguments: [
        "case fixed, dynamic", "case dynamic", "indirect case open(Int), final", "case a = 1, override = 2, dynamic", "case actor",
        "case open, // not yet\n    dynamic", "case `func`, `struct`", "var body: Body = .dynamic", "let p: LogPrivacy = .private",
        "static let p = LogPrivacy\n    .static", "var kind = Kind.struct", "let kind: Kind = .actor", "let kind: Kind = .func",
        "var dynamic = 1", "var a = 1, final = 2", "let (open, final) = (1, 2)", "let actor: Kind", "var copy = actor", "let all = 1...",
        "typealias open = Int", "lazy var made = Thing(.dynamic)", "var table: Dictionary<String, Int> = [:], dynamic: Int",
        "var next: Kind { .dynamic }", "static func == (a: Self, b: Self) -> Bool { true }", "subscript(final: Int) -> Kind { .final }",
        "let kind = isOpen ? Kind.open : .dynamic",
    ])
    func names(member: String) {
        let found = Self.scan("enum Layout {\n    \(member)\n    func apply() {}\n    static func make() {}\n}")
        #expect(found.functions.filter { !$0.header.isOperator }.map(Self.say) == ["Layout.apply()", "static Layout.make()"])
        #expect(found.types.map(\.name) == ["Layout"])
    }

    @Test("the words before a declaration belong to it", arguments: [
        ("dynamic private func f() {}", "dynamic private S.f()"), ("class override func f() {}", "class override S.f()"),
        ("case a, b\n    dynamic func f() {}", "dynamic S.f()"), ("let x: Kind = .open\n    private func f() {}", "private S.f()"),
        ("let all = 0...\n    public func f() {}", "public S.f()"), ("var x = 1, y = 2\n    final func f() {}", "final S.f()"),
        ("let x = try! `dynamic`()\n    mutating func f() {}", "mutating S.f()"),
    ])
    func words(members: String, function: String) {
        #expect(Self.scan("struct S {\n    \(members)\n}").functions.map(Self.say) == [function])
    }

    @Test("a type keyword begins a type only before a name", arguments: [
        ("let a = b ?? actor\nfunc f() {}", []), ("let a = b ?? actor\nprivate func f() {}", []),
        ("actor Account {}\nfunc f() {}", ["Account"]),
        ("actor `func` {}\nfunc f() {}", ["`func`"]), ("infix operator +.: AdditionPrecedence\nstruct S {}\nfunc f() {}", ["S"]),
        ("postfix operator ...\nstruct S {}\nfunc f() {}", ["S"]),
    ] as [(String, [String])])
    func types(text: String, names: [String]) {
        let found = Self.scan(text)
        #expect(found.types.map(\.name) == names && found.functions.map(\.header.selector) == ["f()"])
    }
}
