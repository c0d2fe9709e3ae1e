import LogbookTrackingPlan
import Testing

/// What the plan tool writes for classes that carry no annotation. `Tests/tracking-in-a-package` compiles and runs it.
@Suite struct WeavingTests {
    static func weave(
        _ source: String, _ entries: String..., isImplicitlyDynamic: Bool = true, others: [String] = []
    ) -> WovenPlan {
        var sources = SourceCatalog()
        sources.add(source, module: "App", path: "/app/Sources/Screens.swift", isWoven: true)
        for (number, other) in others.enumerated() { sources.add(other, module: "Other\(number)", path: "/other/x.swift") }
        let plan = "{ \"trackedEvents\": [\n" + entries.map { "{ \($0), \"label\": \"x\" }" }.joined(separator: ",\n") + "] }"
        return sources.weave(
            PlanReader.read(Array(plan.utf8), file: "plan.json"), into: "App", isImplicitlyDynamic: isImplicitlyDynamic)
    }

    @Test("what cannot be woven is said at the plan, with line and column, and at the source", arguments: [
        ("func load() async {}", "load()", "is asynchronous, and a replacement that calls the original would call itself"),
        ("private func load() {}", "load()", "is private to its file"),
        ("fileprivate func load() {}", "load()", "is private to its file"),
        ("func load() -> some Sequence<Int> { [1] }", "load()", "returns an opaque type"),
        ("func load() -> sending Page { Page() }", "load()", "sends its result"),
        ("func load(_ n: Int...) {}", "load(_:)", "takes any number of arguments, which cannot be handed on"),
        ("func load<each T>(_ n: repeat each T) {}", "load(_:)", "takes a parameter pack, which cannot be handed on"),
        ("func load(_ n: isolated Account) {}", "load(_:)", "takes an isolated parameter"),
        ("@inlinable func load() {}", "load()", "has a body that other modules get"),
        ("@PageBuilder func load() -> Page { Page() }", "load()", "has the result builder @PageBuilder"),
        ("func `self`() {}", "self()", "has a name that only backticks make one"),
        ("init(_ n: Int) {}", "init(_:)", "is an initializer"), ("deinit {}", "deinit", "is a deinitializer"),
    ])
    func obstacles(declaration: String, selector: String, obstacle: String) {
        let woven = Self.weave("class Screen {\n    \(declaration)\n}", "\"class\": \"Screen\", \"selector\": \"\(selector)\"")
        let column = 5 + ["func", "deinit", "init"].compactMap(declaration.range).first!
        #expect(woven.issues == [
            "plan.json:2:34: error: Screen.\(selector) cannot be woven: it \(obstacle)",
            "/app/Sources/Screens.swift:2:\(column): note: Screen.\(selector) is declared here",
        ])
        #expect(woven.text.isEmpty)
    }

    @Test("a type that other files do not see cannot be woven, nor told apart when it only inherits a method")
    func privateTypes() {
        let source = "class Base { func show() {} }\nprivate final class Home: Base { func leave() {} }"
        #expect(Self.weave(source, #""class": "Home", "selector": "leave()""#).issues.first
            == "plan.json:2:32: error: Home.leave() cannot be woven: it is in a type that is private to its file")
        #expect(Self.weave(source, #""class": "Home", "selector": "show()""#).issues == [
            "plan.json:2:12: error: Home cannot be woven: it is private to its file",
            "/app/Sources/Screens.swift:2:15: note: Home is declared here",
        ])
    }

    @Test("what is inherited is woven with a test for the class that the plan names; a generic one has none")
    func inherited() {
        let source = "class Base { func show() {}; class func reset() {} }\nfinal class Home: Base {}\nfinal class List<Row>: Base {}"
        #expect(Self.weave(source, #""class": "Home", "selector": "reset()""#).text.contains("{ $0 is Home || $0 is Home.Type })"))
        #expect(Self.weave(source, #""class": "List", "selector": "show()""#).issues.first?.contains("instances of List, as of any") == true)
    }

    @Test("what may stand for a protocol's requirement cannot be woven: its original would be the replacement", arguments: [
        ("protocol P { func f() -> Int; init() }", "P", "f()", false), ("protocol Q { func f() }\nprotocol P: Q {}", "P", "f()", false),
        ("protocol P: Codable {}", "P", "f()", false), ("protocol P: AnyObject, Sendable { func f(_ n: Int) }", "P", "f()", true),
        ("protocol Q { func g() }\nprotocol P: App.Q {}", "P", "f()", true), ("protocol Q { func f() }\nstruct P: Q {}", "P", "f()", true),
        ("enum Out { protocol P { static func f() } }", "Out.P", "f()", false),
    ])
    func requirements(types: String, type: String, selector: String, isWoven: Bool) {
        let woven = Self.weave("\(types)\nextension \(type) { func f() {} }", "\"class\": \"\(type)\", \"selector\": \"\(selector)\"")
        let issue = "\(type).\(selector) cannot be woven: it may stand for what a protocol asks for"
        #expect(isWoven ? woven.issues.isEmpty : woven.issues.first?.contains(issue) == true, "\(woven.issues)")
    }

    @Test("what an extension of a type inside another does not see is said", arguments: [
        ("func f(_ kind: Kind) {}", "Outer.Kind"), ("func f(_ all: [Int: Kind]) -> Int { 1 }", "Outer.Kind"),
        ("func f(_ n: Int) throws(Deep) {}", "Outer.Mid.Deep"),
        ("func f<T>(_ t: T) where T: Proto {}", "Outer.Proto"), ("func f(_ kind: Outer.Kind) {}", nil), ("func f(_ own: Own) {}", nil),
        ("func f(_ top: Top) {}", nil), ("func f(_ kind: Other.Kind) {}", nil),
    ] as [(String, String?)])
    func outerNames(declaration: String, name: String?) {
        let woven = Self.weave("""
            struct Top {}
            enum Outer {
                enum Kind {}
                protocol Proto {}
                enum Own {}
                enum Mid {
                    struct Deep: Error {}
                    struct Inner {
                        enum Own {}
                        \(declaration)
                    }
                }
            }
            """, #""class": "Outer.Mid.Inner", "selector": "f(_:)""#)
        let issue = name.map { "it names a type around its own; write \($0) there" }
        #expect(issue.map { text in woven.issues.contains { $0.contains(text) } } ?? woven.issues.isEmpty, "\(woven.issues)")
    }

    @Test("without implicit dynamic, only what says so itself can be woven")
    func explicitDynamic() {
        let source = "class Screen {\n    func show() {}\n    dynamic func leave() {}\n}"
        let show = #""class": "Screen", "selector": "show()""#, leave = #""class": "Screen", "selector": "leave()""#
        #expect(Self.weave(source, show, isImplicitlyDynamic: false).issues.first == """
            plan.json:2:34: error: Screen.show() cannot be woven: it is not dynamic; write dynamic before it, or build its target with \
            -enable-implicit-dynamic
            """)
        #expect(Self.weave(source, leave, isImplicitlyDynamic: false).text.contains("@_dynamicReplacement(for: leave())"))
    }

    @Test("every mistake of the plan is said, as in any check")
    func mistakes() {
        let woven = Self.weave(
            "class Screen { func show() {} }", #""class": "Scren", "selector": "show()""#, #""class": "Screen", "selector": "shwo()""#)
        #expect(woven.issues == [
            #"plan.json:2:12: error: unknown class "Scren"; did you mean "Screen"?"#,
            #"plan.json:3:34: error: "Screen" has no method "shwo()" that can be tracked; did you mean "show()"?"#,
        ])
    }

    @Test("only what the plan names is woven; what is annotated is left to its annotation")
    func onlyWhatIsNamed() {
        let woven = Self.weave(
            "class Screen { func show() {}; func leave() {} }\n@TrackedType class Other { func show() {} }",
            #""class": "Screen", "selector": "show()""#, #""class": "Other", "selector": "show()""#)
        #expect(woven.issues.isEmpty)
        #expect(woven.text.components(of: "@_dynamicReplacement") == 1 && woven.text.components(of: "registerType") == 1)
    }

    @Test("every function that has the selector is woven")
    func overloads() {
        let woven = Self.weave(
            "class Screen { func show(_ number: Int) {}; func show(_ text: String) {} }", #""class": "Screen", "selector": "show(_:)""#)
        #expect(woven.issues.isEmpty)
        #expect(woven.text.components(of: "@_dynamicReplacement(for: show(_:))") == 2)
    }

    @Test("a method of another module is found where it is annotated, and otherwise said not to be")
    func otherModules() {
        let entry = #""class": "Other", "selector": "show()""#
        #expect(Self.weave("", entry, others: ["@TrackedType class Other { func show() {} }"]).issues.isEmpty)
        #expect(Self.weave("", entry, others: ["class Other { func show() {} }"]).issues
            == [#"plan.json:2:12: error: the class "Other" is there, but not annotated @TrackedType"#])
    }

    @Test("what an annotated type excepts is excepted also where a function of it is woven")
    func exceptions() {
        let woven = Self.weave(
            "@TrackedType(except: \"pin\") class Screen { func take(_ page: consuming Page, pin: String) -> Int { 1 } }",
            #""class": "Screen", "selector": "take(_:pin:)""#)
        #expect(woven.issues.isEmpty)
        #expect(woven.text.contains("{ self }, { [] })") && woven.text.contains(#"pin\u{1D}pin\u{1D}String\u{1D}0"#), "\(woven.text)")
    }

    @Test("the imports of a woven source come along, and the conditions of compilation")
    func surroundings() {
        let woven = Self.weave("""
            public import Foundation
            @preconcurrency import struct Other.Thing   // why
            #if canImport(Darwin)
            import Darwin
            #elseif canImport(Glibc)
            import Glibc
            #endif
            @available(macOS 26, *) struct Page<Value> {
                #if DEBUG
                func show(_ thing: Thing) {}
                #else
                func show(_ thing: Thing) {}
                #endif
            }
            @MainActor extension Page where Value == Int { func doubled() {} }
            """, #""class": "Page", "selector": "show(_:)""#, #""class": "Page", "selector": "doubled()""#)
        #expect(woven.issues.isEmpty)
        for text in [
            "\ninternal import Foundation\n", "\n@preconcurrency import struct Other.Thing\n",
            "#if (canImport(Darwin))\nimport Darwin\n#endif", "#if !(canImport(Darwin)) && (canImport(Glibc))\nimport Glibc\n#endif",
            "#if (DEBUG)\nfileprivate nonisolated enum __WovenPoint0", "#if !(DEBUG)\nfileprivate nonisolated enum __WovenPoint1",
            "@available(macOS 26, *) extension Page {\n@_dynamicReplacement(for: show(_:))",
            "@MainActor extension Page where Value == Int {\n@_dynamicReplacement(for: doubled())",
        ] {
            #expect(woven.text.contains(text), "\(text)\n\n\(woven.text)")
        }
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
    /// How many characters stand before a text.
    fileprivate func range(of text: String) -> Int? { firstRange(of: text).map { distance(from: startIndex, to: $0.lowerBound) } }
}
