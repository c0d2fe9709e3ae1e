import Foundation
import LogbookTracking
import LogbookTrackingPlan
import LogbookTrackingSyntax
import Testing

extension TrackingTests {
    /// What the check before the build finds in sources is what the program finds in itself.
    @Suite struct SourceCatalogs {
        static func catalog() throws -> PlanCatalog {
            var sources = SourceCatalog()
            let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            where file.pathExtension == "swift" {
                sources.add(
                    try String(contentsOf: file, encoding: .utf8), module: "LogbookTrackingTests", path: file.path)
            }
            return sources.catalog
        }

        static func say(_ point: JoinPointRecord) -> String {
            let parameters = point.parameters.map { "\($0.label) \($0.name): \($0.type)\($0.isCapturable ? "" : " (not capturable)")" }
            return "\(point.id) \(point.kind) [\(parameters.joined(separator: ", "))] \(point.result) \(point.isAsync) \(point.isThrowing) \(point.form) \(point.owner) \(point.leavesIsolation)"
        }

        @Test("sources and program agree about every join point")
        func agree() throws {
            let inSources = Set(try Self.catalog().points.map(Self.say))
            let inProgram = Set(Tracker.joinPoints.filter { $0.module == "LogbookTrackingTests" }.map { Self.say($0.record) })
            // What only the program sees: functions inside functions; points of generic extensions come late.
            let onlyThere = inProgram.subtracting(inSources).filter { !$0.contains(".inner(_:) function") }
            #expect(onlyThere.filter { !$0.contains("doubled()") && !$0.contains("tripled()") && !$0.contains("drop(_:)") && !$0.contains("times(_:)") && !$0.contains("greet()") && !$0.contains(".inGeneric") }.isEmpty)
            // What only the sources have: a method of a generic type under a condition that does not hold.
            #expect(inSources.subtracting(inProgram).filter { !$0.contains("Sack.gone()") }.isEmpty)
            #expect(inSources.count > 70)
        }

        @Test("a class that is there but not annotated is told apart from one that is not there", arguments: [
            (#"{ "class": "Parent", "selector": "hello()", "label": "x" }"#, #""Parent" has the method "hello()", but it is not tracked"#),
            (#"{ "class": "Box", "selector": "hello()", "label": "x" }"#, #"the class "Box" is there, but not annotated @TrackedType"#),
            (#"{ "class": "MainScreen", "selector": "untracked()", "label": "x" }"#, #"has the method "untracked()", but it is not tracked"#),
            (#"{ "class": "MainScren", "selector": "untracked()", "label": "x" }"#, #"did you mean "MainScreen"?"#),
        ])
        func unannotated(entry: String, issue: String) throws {
            let plan = PlanReader.read(Array("{ \"trackedEvents\": [ \(entry) ] }".utf8), file: "plan.json")
            let issues = PlanCheck.check(plan, against: try Self.catalog(), names: PlanCheck.Names()).issues
            #expect(issues.count == 1 && issues[0].description.contains(issue), "\(issues.map(\.description))")
        }

        @Test("a class that two modules have is named with its module, and inherits from its own module's types")
        func severalModules() throws {
            var sources = SourceCatalog()
            for module in ["A", "B"] {
                sources.add(
                    "@TrackedType class Base { func show() {} }\n@TrackedType final class Home: Base {}", module: module, path: "x.swift")
            }
            func issues(_ type: String) -> [String] {
                let plan = PlanReader.read(
                    Array("{ \"trackedEvents\": [ { \"class\": \"\(type)\", \"selector\": \"show()\", \"label\": \"x\" } ] }".utf8), file: "p")
                return PlanCheck.check(plan, against: sources.catalog, names: PlanCheck.Names()).issues.map(\.description)
            }
            #expect(issues("Home") == [#"p:1:33: error: the class "Home" is in several modules; write "A.Home" or "B.Home""#])
            #expect(issues("B.Home") == [])
            let found = sources.catalog.lookup("B.Home", "show()")
            #expect(found.map { sources.catalog.points[$0.point].module } == "B")
        }

        @Test("a free function that two modules have is named with its module; one that is alone needs none")
        func freeFunctionsOfSeveralModules() {
            var sources = SourceCatalog()
            sources.add("@Tracked func track(_ n: Int) {}; @Tracked func both() {}", module: "A", path: "x.swift")
            sources.add("@Tracked func both() { #aspectPoint(\"inside\") }", module: "B", path: "x.swift")
            func issues(_ name: String) -> [String] {
                let plan = TrackingPlan([.event(JoinPointName(stringLiteral: name), label: "x", file: "p", line: 1)])
                return PlanCheck.check(plan.document, against: sources.catalog, names: PlanCheck.Names()).issues.map(\.description)
            }
            #expect(issues("track(_:)") == [] && issues("B.both()") == [])
            #expect(issues("both()") == [#"p:1: error: the function "both()" is in several modules; write "A.both()" or "B.both()""#])
        }

        @Test("what the program knows from its first call on is not known before, and a plan says that it waits for it")
        func late() throws {
            var sources = SourceCatalog()
            sources.add("""
                @TrackedType(initializers: true) class Cart {
                    init() {}
                    init<S: Sequence>(all: S) {}
                    func add<S: Sequence>(_ items: S) {}
                }
                @TrackedExtension extension Cart { func addAll(_ items: some Sequence) {} }
                @TrackedType(initializers: true) struct Box<T> {
                    init(v: T) {}
                    func get() -> T { v }
                    struct In { @Tracked(generic: true) func deep() {} }
                }
                struct Gen<T> {
                    @TrackedType(generic: true) struct Inner { func deep() {} }
                    @Tracked func one() {}
                    func blob() { #aspectPoint("inGeneric", ["n": 1]) }
                }
                extension Gen where T == Int { @Tracked func two() {} }
                @TrackedExtension extension Gen<String> { func three() {} }
                struct Plain { @Tracked func one<T>(_ t: T) {} }
                extension Plain { @Tracked func two<T>(_ t: T) {} }
                @Tracked func free<T>(_ t: T) {}
                """, module: "App", path: "x.swift")
            #expect(sources.catalog.points.map(\.name) == ["Cart.init()", "Cart.add(_:)", "Box.get()", "Plain.one(_:)", "free(_:)"])
        }

        @Test("a point is found wherever it stands, and a deinitializer where it is tracked")
        func everywhere() {
            var sources = SourceCatalog()
            sources.add("""
                #aspectPoint("first", ["n": 1])
                if isSlow { #aspectPoint("slow") }
                let all = items.map { #aspectPoint("each"); return $0 }
                class Cart {
                    var count: Int { #aspectPoint("getter"); return 1 }
                    var total = 0 { willSet { #aspectPoint("willSet") } }
                    let made: Int = { #aspectPoint("made"); return 1 }()
                    subscript(_ n: Int) -> Int { get { #aspectPoint("subscript"); return n } }
                    subscript<T>(_ n: T) -> Int { #aspectPoint("late"); return 1 }
                    enum Inner { static let one: Int = { #aspectPoint("inner"); return 1 }() }
                    #if DEBUG
                    deinit { #aspectPoint("end") }
                    #endif
                }
                struct Box<T> { var count: Int { #aspectPoint("generic"); return 1 } }
                extension Box where T == Int { var twice: Int { #aspectPoint("constrained"); return 1 } }
                protocol P {}
                extension P { var name: String { #aspectPoint("extension"); return "" } }
                class Door { @Tracked deinit {} }
                class Gate { deinit {} }
                class Late<T> { @Tracked deinit {} }
                """, module: "App", path: "main.swift")
            #expect(Set(sources.catalog.points.map(\.name)) == [
                "first", "slow", "each", "Cart.getter", "Cart.willSet", "Cart.made", "Cart.subscript", "Cart.Inner.inner", "Cart.end",
                "P.extension", "Door.deinit",
            ])
            #expect(sources.catalog.points.first { $0.selector == "deinit" }?.kind == .deinitializer)
            #expect(sources.catalog.points.first { $0.selector == "first" }?.parameters.map(\.name) == ["n"])
            #expect(sources.catalog.unannotated.contains("Gate.deinit"))
        }

        @Test("a point in a body that a macro wraps is known by its name alone")
        func inWrappedBodies() throws {
            let inProgram = Tracker.joinPoints.filter { $0.module == "LogbookTrackingTests" }.map(\.record.name)
            for names in [try Self.catalog().points.map(\.name), inProgram] {
                #expect(Set(names).isSuperset(of: ["inWrapped", "Wrapped.inWoven", "Wrapped.inPlain"]))
                #expect(!names.contains("Wrapped.inWrapped"))
            }
        }

        @Test("the skeleton of a plan names everything, and fits")
        func skeleton() throws {
            let catalog = try Self.catalog()
            let plan = PlanReader.read(Array(SourceCatalog.skeleton(of: catalog).utf8), file: "plan.json")
            #expect(plan.entries.count == catalog.points.count)
            #expect(PlanCheck.check(plan, against: catalog, names: PlanCheck.Names()).issues.map(\.description) == [])
        }
    }

    /// What the plug-in answers the compiler.
    @Suite struct Headers {
        func header(_ text: String) -> DeclarationHeader {
            var scanner = DeclarationScanner(text)
            return scanner.header()
        }

        @Test func aHeaderIsReadWhateverItsDefaultValuesSay() {
            let header = header(#"""
                /// doc
                @MainActor @discardableResult
                public static func `do`<T: P>(_ a: inout [String: (Int, Int)], b c: @escaping () throws -> Void = { f(",") }, d: String = "a, b: \(x)") async throws(E) -> [T]? where T: Q { "}" }
                """#)
            #expect(header.selector == "do(_:b:d:)")
            #expect(header.attributes == ["MainActor", "discardableResult"])
            #expect(header.modifiers == ["public", "static"])
            #expect(header.parameters.map(\.type) == ["[String: (Int, Int)]", "@escaping () throws -> Void", "String"])
            #expect(header.parameters.map(\.modifiers) == [["inout"], [], []])
            #expect(header.isAsync && header.isThrowing && header.thrownType == "E" && header.result == "[T]?")
            #expect(header.whereClause == "where T: Q" && header.generics == "<T: P>" && header.body == #" "}" "#)
        }

        @Test("what stands behind a declaration's last brace is no part of its body", arguments: [
            ("init(n: Int) throws {\n    x = n\n} // was: init?(n: Int) { … }", "\n    x = n\n"), ("func a() -> Int { 1 } /* see { b } */", " 1 "),
            ("func a() { print(\"}\") }", " print(\"}\") "), ("func a() { b() // }\n}", " b() // }\n"), ("func a() { /* } */ b() }\n\n// }", " /* } */ b() "),
            ("func a() { if c { b() } }", " if c { b() } "), ("func a() {}", ""),
            (#"func a() -> S { "${HOME}/*.swift" }"#, #" "${HOME}/*.swift" "#), (#"func a() -> S { "{b}//c" } // }"#, #" "{b}//c" "#),
            ("func a() -> S {\n    b(#\"}/*\"#)\n} /* } */", "\n    b(#\"}/*\"#)\n"), ("func a() -> R { /}\\/*/ }", " /}\\/*/ "),
        ])
        func bodies(declaration: String, body: String) { #expect(header(declaration).body == body) }

        @Test func attributesOfParametersMayBeGeneric() {
            let header = header("func f(_ a: Int = 1, @Builder<A, B>(x) build c: () -> Int, @Module.Other d: Int) {}")
            #expect(header.selector == "f(_:build:d:)")
        }

        @Test func aCommentBehindATypeIsNotPartOfIt() {
            let header = header("func f(a: Int // the first\n, b: [Int] /* the second */) -> Int // none\n{}")
            #expect(header.parameters.map(\.type) == ["Int", "[Int]"])
            #expect(header.result == "Int")
        }

        @Test("a function is generic by a parameter of an opaque type, wherever in the type that stands", arguments: [
            ("some P", true), ("[some P]", true), ("Set<some P>", true), ("Array<some P>", true), ("[String: some P]", true),
            ("(Int, some P)", true), ("(a: Int, some P)", true), ("inout some P", true), ("borrowing [some P]", true), ("(some P)?", true),
            ("Result<Int,some P>", true), ("some /* a */ P", true), ("some (P & Q)", true), ("some ~Copyable", true),
            ("@escaping (Int) -> [some P]", true),
            ("[P]", false), ("Awesome", false), ("some", false), ("Some<P>", false), ("`some`", false), ("(some: Int)", false),
            ("(_ some: Int) -> Void", false), ("[P /* some P */]", false), ("any P", false), ("Handsome<P>", false),
        ])
        func opaqueParameters(type: String, isGeneric: Bool) {
            #expect(header("func f(_ a: \(type)) {}").isGeneric == isGeneric)
            #expect(header("func f() -> \(type) {}").returnsOpaque == isGeneric)
        }

        @Test func attributesSayWhatMayNotBeCaptured() {
            let attribute = TrackingAttribute(#"Tracked(generic : true, except: "pin", "code")"#)
            #expect(attribute.exceptions == ["pin", "code"] && attribute.isGeneric && !attribute.includesInitializers)
        }

        @Test("an argument of an attribute that is no plain literal is said to be wrong, since nothing would come of it", arguments: [
            (#"except: pin"#, "`pin`"), (#"except: "pin", Names.code"#, "`Names.code`"), (#"except: "p\("in")""#, #"`"p\("in")"`"#),
            (#"except: "p\u{69}n""#, #"`"p\u{69}n"`"#), (##"except: #"pin"#"##, ##"`#"pin"#`"##), ("generic: isGeneric", "`isGeneric`"),
            ("generic: !false", "`!false`"), ("instance: (false)", "`(false)`"), ("initializers: 1 < 2", "`1 < 2`"),
            ("except: \"\"\"\npin\n\"\"\"", "`\"\"\" pin \"\"\"`"),
        ])
        func whatIsNoLiteral(arguments: String, argument: String) {
            #expect(TrackingAttribute("@Tracked(\(arguments))").problem?.contains(argument) == true)
        }

        @Test("literals, with whatever blanks and comments between them, are right")
        func whatIsALiteral() {
            let attribute = TrackingAttribute("""
                @LogbookTracking.TrackedType ( generic: true /* nested */, initializers : false,
                    except: "pin",   // and "word"
                    "code" )
                """)
            #expect(attribute.problem == nil && attribute.exceptions == ["pin", "code"])
            #expect(attribute.isGeneric && !attribute.includesInitializers && TrackingAttribute("@Tracked").problem == nil)
        }

        @Test func pointsInABodyAreRead() {
            var scanner = DeclarationScanner(#"("vip", ["a": f(1, 2), "b": "x, y"])"#)
            let call = scanner.aspectPoint()
            #expect(call?.name == "vip")
            #expect(call?.values.map(\.key) == ["a", "b"])
            #expect(call?.values.map(\.text) == ["f(1, 2)", #""x, y""#])
        }

        @Test("the points in a generic body are told that they are, once each")
        func genericPoints() {
            let body = ##"""
                #aspectPoint("one")
                say("#aspectPoint(\"none\")", #"\#(1)"#)   // #aspectPoint("none")
                each { #aspectPoint( "two" , ["n": $0]) }; #aspectPoint("three", generic: true, ["n": 1]); #if A
                #endif
                """##
            #expect(body.withGenericPoints == ##"""
                #aspectPoint("one", generic: true)
                say("#aspectPoint(\"none\")", #"\#(1)"#)   // #aspectPoint("none")
                each { #aspectPoint( "two", generic: true , ["n": $0]) }; #aspectPoint("three", generic: true, ["n": 1]); #if A
                #endif
                """##)
            var scanner = DeclarationScanner(#"("three", generic: true, ["n": 1])"#), other = DeclarationScanner(#"("x", generic: false)"#)
            let call = scanner.aspectPoint()
            #expect(call?.name == "three" && call?.isGeneric == true && call?.values.map(\.key) == ["n"])
            #expect(other.aspectPoint()?.isGeneric == false)
        }

        @Test func valuesOfPointsMayHaveCommentsAndCommasOfTheirOwn() {
            var scanner = DeclarationScanner("""
                ("vip", [
                    "a": n + // why, "z": no
                        1,   // the first ]
                    "b": Dictionary<String, Int>() /* , */, "c": yes ? "x" : "y", "d": text.contains(/[,"]/),
                ])
                """)
            let call = scanner.aspectPoint()
            #expect(call?.values.map(\.key) == ["a", "b", "c", "d"])
            #expect(call?.values.dropFirst().map(\.text) == ["Dictionary<String, Int>()", #"yes ? "x" : "y""#, #"text.contains(/[,"]/)"#])
            #expect(call?.values.first?.text.hasSuffix("1") == true)
        }

        @Test("what a closure cannot give later, and keys that nobody can read, are refused where the point stands", arguments: [
            (#"("x", ["n": $0])"#, "give the closure's parameter a name"), (#"("x", ["n": f($1.count)])"#, "give the closure's parameter a name"),
            (#"("x", ["n": "\(1 + $0)"])"#, "give the closure's parameter a name"), (##"("x", ["n": #"\#($0)"#])"##, "a name"),
            (#"("x", ["n": try f()])"#, "nothing may throw or wait"), (#"("x", ["n": g(await f())])"#, "nothing may throw or wait"),
            (#"("x", [Keys.total: total])"#, "each behind a plain text"), (#"("x", facts)"#, "each behind a plain text"),
            (##"("x", [#"n"#: 1])"##, "each behind a plain text"), (#"("x", ["a": 1, Keys.b: 2])"#, "each behind a plain text"),
            (#"("x", ["a": n ?? 0, Keys.b: 2])"#, "each behind a plain text"), (#"("x", ["a": n?.m, Keys.b: 2])"#, "each behind a plain text"),
            (#"("x", generic: true, facts)"#, "each behind a plain text"),
            (#"("x")"#, nil), (#"("x", [:])"#, nil), (#"("x", generic: true)"#, nil), (#"("x", ["n": items.map { $0 + 1 }, ])"#, nil),
            (##"("x", ["n": "costs $5", "m": #"\($0)"#])"##, nil), (#"("x", ["n": (try? f()) ?? 0, "m": try! g()])"#, nil),
            (#"("x", ["n": a ? b : c, "m": a ? b ? 1 : 2 : d(e: 1), "o": ["k": 1]])"#, nil), (#"("x", ["a": tryAgain, "b": n?.awaited])"#, nil),
        ] as [(String, String?)])
        func pointsThatCannotBe(call: String, problem: String?) {
            var scanner = DeclarationScanner(call)
            let found = scanner.aspectPoint()?.problem
            #expect(problem.map { found?.contains($0) == true } ?? (found == nil), "\(found ?? "no problem")")
        }

        /// A quotation mark is written `'` here.
        @Test("a string ends where the compiler ends it, and hides nothing that comes after it", arguments: [
            "''", "'{'", "#''#", "#'{' '#", "#'\\#('}')'#", "#'''#", "#''''#", "##'''##", "#'''{'#", "##'''#'# {'##", "'''\n{ ' }\n'''",
            "#'''\n{ '# }\n'''#", "##'''\n{ '''# }\n'''##",
        ])
        func strings(expression: String) {
            let expression = String(expression.map { $0 == "'" ? "\"" : $0 })
            var scanner = MemberScanner()
            let type = "struct S { func f(_ a: R = \(expression), b: Int) { g(\(expression)) }\nfunc h() {} }"
            scanner.scan("let all = \(expression)\n\(type)", file: "x")
            #expect(scanner.functions.map(\.header.selector) == ["f(_:b:)", "h()"])
        }

        @Test("a regular expression hides nothing that comes after it, and a division is none", arguments: [
            #"/["']/"#, #"/\{/"#, #"#/"/#"#, #"##/ /# " { /##"#, #"/\/"/"#, #"/(["(])/"#, "1 / (2) / 3", "[4, 2].reduce(8, /)", "8 /* { */ / 2",
            #""a" + /*"*/ "b""#, "{ n /= 2 } // don't\n", "{ n! /= 2 } // don't\n", #"{ return /"/ }"#, #"{ $0 == "" ? /"/ : /'"/ }"#, "#/\n  \" # {\n/#",
        ])
        func regularExpressions(expression: String) {
            var scanner = MemberScanner()
            scanner.scan("let all = \(expression)\nstruct S { func f(_ a: R = \(expression), b: Int) { g(\(expression)) }\nfunc h() {} }", file: "x")
            #expect(scanner.functions.map(\.header.selector) == ["f(_:b:)", "h()"])
        }
    }
}
