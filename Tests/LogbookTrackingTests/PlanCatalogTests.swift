@testable import LogbookTracking
import LogbookTrackingPlan
import Testing

/// How what a plan names is found.
@Suite struct PlanCatalogTests {
    static func catalog() -> PlanCatalog {
        var sources = SourceCatalog()
        sources.add(
            """
            @TrackedType class Base { func show() { #aspectPoint("shown") } }
            enum Outer { @TrackedType class Inner: Base { func leave() { #aspectPoint("left") }; func same() { #aspectPoint("shown") } } }
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
}
