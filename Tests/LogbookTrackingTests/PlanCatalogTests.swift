@testable import LogbookTracking
import LogbookTrackingPlan
import Testing

/// How what a plan names is found.
@Suite struct PlanCatalogTests {
    static func catalog() -> PlanCatalog {
        var sources = SourceCatalog()
        sources.add(
            """
            @TrackedType class Base { func show() {}; deinit { #aspectPoint("shown") } }
            enum Outer { @TrackedType class Inner: Base { func leave() {}; deinit { #aspectPoint("left"); #aspectPoint("shown") } } }
            @Tracked func free() { #aspectPoint("alone") }
            """, module: "App", path: "x.swift")
        return sources.catalog
    }

    @Test("a point in a body is found by its name, after its type, and after its module", arguments: [
        ("left", "App.Outer.Inner.left"), ("Inner.left", nil), ("Outer.Inner.left", "App.Outer.Inner.left"),
        ("App.Outer.Inner.left", "App.Outer.Inner.left"), ("alone", "App.alone"), ("App.alone", "App.alone"), ("Base.left", nil),
        ("shown", "App.Base.shown"),   // of two with one name, the earlier one stands
        ("Outer.Inner.shown", "App.Outer.Inner.shown"), ("Base.shown", "App.Base.shown"), (".left", nil), ("left.", nil), ("", nil),
    ] as [(String, String?)])
    func aspectPoints(name: String, id: String?) {
        let catalog = Self.catalog()
        #expect(catalog.aspectPoint(name, in: nil).map { catalog.points[$0].id } == id)
    }

    @Test("points of one name that stand in several types or modules are told apart, and those of one type are not")
    func sharedPoints() {
        var sources = SourceCatalog()
        sources.add(
            """
            class Cart { func add() { #aspectPoint("cart.saved"); #aspectPoint("twice"); #aspectPoint("twice") } }
            @Tracked func free() { #aspectPoint("cart.saved"); #aspectPoint("alone") }
            #if A
            class Old { deinit { #aspectPoint("ended") } }
            #else
            class New { deinit { #aspectPoint("ended") } }
            #endif
            """, module: "App", path: "x.swift")
        sources.add("class Cart { func add() { #aspectPoint(\"cart.saved\") } }", module: "Shop", path: "x.swift")
        let catalog = sources.catalog
        func issues(_ entry: String) -> [String] {
            let plan = PlanReader.read(Array("{ \"trackedEvents\": [ { \(entry), \"label\": \"x\" } ] }".utf8), file: "p")
            return PlanCheck.check(plan, against: catalog, names: PlanCheck.Names()).issues.map(\.description)
        }
        let issue = #"p:1:33: error: the point "cart.saved" is in several places; write "#
            + #""App.Cart.cart.saved" or "App.cart.saved" or "Shop.Cart.cart.saved""#
        #expect(issues(#""point": "cart.saved""#) == [issue] && issues(#""point": "cart.saved", "late": true"#) == [issue])
        for name in ["App.Cart.cart.saved", "App.cart.saved", "Shop.Cart.cart.saved"] {
            #expect(issues("\"point\": \"\(name)\"") == [])
            #expect(catalog.aspectPoint(name, in: nil).map { catalog.points[$0].id } == name)
        }
        for name in ["twice", "alone", "ended"] { #expect(issues("\"point\": \"\(name)\"") == []) }
        #expect(SourceCatalog.skeleton(of: catalog).contains(#""point": "Shop.Cart.cart.saved""#))
    }

    @Test("a method is found by its type and selector, also where it is inherited; a free function by its module", arguments: [
        ("Base", "show()", "App.Base.show()", nil), ("App.Base", "show()", "App.Base.show()", nil),
        ("Outer.Inner", "leave()", "App.Outer.Inner.leave()", nil), ("Outer.Inner", "show()", "App.Base.show()", "App.Outer.Inner"),
        ("App.Outer.Inner", "show()", "App.Base.show()", "App.Outer.Inner"), ("App", "free()", "App.free()", nil),
        ("Inner", "leave()", nil, nil), ("Base", "leave()", nil, nil),
    ] as [(String, String, String?, String?)])
    func methods(type: String, selector: String, id: String?, instancesOf: String?) {
        let catalog = Self.catalog(), found = catalog.lookup(type, selector)
        #expect(found.map { catalog.points[$0.point].id } == id)
        #expect(found?.instancesOf.map { catalog.types[$0].id } == instancesOf)
    }

    @Test("an extension of another module's class hides nothing of it, and makes it no second one", arguments: [
        "@TrackedExtension extension Base { func more() {} }", #"extension Base { func more() { #aspectPoint("more") } }"#,
    ])
    func extendedElsewhere(text: String) {
        var sources = SourceCatalog()
        sources.add("@TrackedType open class Base { open func show() {} }", module: "Core", path: "x.swift")
        sources.add("@TrackedType final class Home: Base {}\n" + text, module: "App", path: "x.swift")
        let catalog = sources.catalog, found = catalog.lookup("Home", "show()")
        #expect(found.map { catalog.points[$0.point].id } == "Core.Base.show()")
        #expect(found?.instancesOf.map { catalog.types[$0].id } == "App.Home")
        #expect(catalog.modules(sharing: "Base", with: "show()") == [])
        #expect(catalog.lookup("Base", "show()").map { catalog.points[$0.point].id } == "Core.Base.show()")
        sources.add("@TrackedType class Base { func show() {} }", module: "Other", path: "x.swift")
        #expect(sources.catalog.modules(sharing: "Base", with: "show()").count > 1)
    }

    @Test("a superclass is found as Swift finds it, whatever its arguments and however short its name", arguments: [
        ("Orders", "App.List.show()"), ("Pairs", "App.List.show()"), ("Outer.Short", "App.Outer.Base.show()"),
        ("Outer.Middle.Deep", "App.Outer.Base.show()"), ("Outer.Middle.Long", "App.Outer.Base.show()"),
        ("Outer.Middle.Generic", "App.Outer.List.show()"), ("Outer.Same.Base", "App.Outer.Base.show()"), ("Far", "App.Base.show()"),
        ("Rows", nil), ("Outer.Bare", nil),   // a method of a type inside a generic one is known late
    ] as [(String, String?)])
    func superclasses(type: String, id: String?) {
        var sources = SourceCatalog()
        sources.add(
            """
            @TrackedType class List<Model> { func show() {}; @TrackedType(generic: true) class Row { func show() {} } }
            @TrackedType class Orders: List <Order> {}
            @TrackedType class Pairs: List<(Order) -> [String: Int]>, P {}
            @TrackedType class Rows: List<Order>.Row {}
            @TrackedType class Base { func show() {} }
            @TrackedType class Far: App.Base {}
            enum Outer {
                @TrackedType class Base { func show() {} }
                @TrackedType class List<Model> { func show() {} }
                @TrackedType class Short: Base {}
                @TrackedType class Bare {}
                enum Same { @TrackedType class Base: Outer.Base {} }
                enum Middle {
                    @TrackedType class Deep: Base {}
                    @TrackedType class Long: Outer.Base {}
                    @TrackedType class Generic: List<Order> {}
                }
            }
            """, module: "App", path: "x.swift")
        let catalog = sources.catalog
        #expect(catalog.lookup(type, "show()").map { catalog.points[$0.point].id } == id)
    }

    @Test("every function of a name is found, but of those under conditions of compilation only the first")
    func namesakes() {
        var sources = SourceCatalog()
        sources.add(
            """
            @TrackedType class Cart {
                func add(_ item: String) {}
                func count() {}
                func add(_ id: Int) {}
                #if A
                func drop() {}
                #else
                func drop() {}
                #endif
            }
            @TrackedExtension extension Cart { static func add(_ id: Double) {} }
            """, module: "App", path: "x.swift")
        func lines(_ selector: String) -> [Int] {
            let catalog = sources.catalog
            return catalog.point("Cart", selector).map { catalog.all($0).map { catalog.points[$0].line } } ?? []
        }
        #expect(lines("add(_:)") == [2, 4, 11] && lines("count()") == [3] && lines("drop()") == [6])
    }

    @Test("the name of a join point is split at the last dot before its brackets", arguments: [
        ("Cart.add(_:quantity:)", "Cart", "add(_:quantity:)"), ("App.Outer.Inner.leave()", "App.Outer.Inner", "leave()"),
        ("free(_:)", "", "free(_:)"), ("Cart.add", "Cart", "add()"), ("Cart.deinit", "Cart", "deinit"), ("free", "", "free()"),
    ])
    func names(text: String, type: String, selector: String) {
        let name = JoinPointName(stringLiteral: text)
        #expect(name.type == type && name.selector == selector)
    }

    @Test("what the compiler looks up is named without the arguments of a generic type, and without backticks")
    func references() {
        let names = [
            #joinPoint(Holder<Int>.get(_:)), #joinPoint(PointBox<(Int, [String: Int])>.open), #joinPoint(Zoo.`repeat`(_:)),
            #joinPoint(Outer.Inner.deep),
        ]
        #expect(names.map(\.type) == ["Holder", "PointBox", "Zoo", "Outer.Inner"])
        #expect(names.map(\.selector) == ["get(_:)", "open()", "repeat(_:)", "deep()"])
    }
}
