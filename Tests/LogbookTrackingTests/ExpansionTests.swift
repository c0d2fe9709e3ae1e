import Foundation
@testable import LogbookTrackingExpansion
import LogbookTrackingSyntax
import Testing

/// What is written at a declaration. The other tests compile it with everything that is tracked here, and call it.
@Suite struct ExpansionTests {
    /// - Parameter context: The declarations around it, the innermost first, as the compiler hands them over: without their members.
    static func expand(_ role: String, _ attribute: String, _ declaration: String, in context: String...) throws -> String {
        try answer(role, attribute, declaration, in: context).source ?? ""
    }

    static func answer(
        _ role: String, _ attribute: String, _ declaration: String, in context: [String] = [], parent: String = ""
    ) throws -> Expansion.Answer {
        func syntax(_ text: String) -> String {
            #"{"source":\#(text.jsonLiteral),"location":{"fileID":"App/a.swift","fileName":"/a.swift","line":1,"column":1,"offset":0}}"#
        }
        let name = attribute.drop { $0 != "@" }.dropFirst().prefix { $0 != "(" }
        let question = try PositionedJSONReader.read(Array("""
            {"macro":{"name":"\(name)"},"macroRole":"\(role)","discriminator":"$s1","attributeSyntax":\(syntax(attribute)),
             "declSyntax":\(syntax(declaration)),"parentDeclSyntax":\(syntax(parent)),"lexicalContext":[\(context.map(syntax).joined(separator: ","))]}
            """.utf8))
        return Expansion(ExpansionRequest(question)).answer()
    }

    @Test("what the type around a function excepts is not captured in its body, nor said to be", arguments: [
        #"@TrackedType(except: "pin") final class Safe {}"#, #"@TrackedExtension(except: "pin") extension Safe {}"#,
        #"@MainActor @LogbookTracking.TrackedType(initializers: true, except: "code", "pin") struct Safe<Value> {}"#,
    ])
    func exceptionsOfTheType(type: String) throws {
        let body = try Self.expand("body", "@Tracked", "@Tracked func open(pin: String, by name: String) {}", in: type)
        #expect(body.contains("{ [`name` as Any] }"), "\(body)")
        #expect(body.contains(#"pin\u{1D}pin\u{1D}String\u{1D}0"#) && body.contains(#"by\u{1D}name\u{1D}String\u{1D}1"#))
        let inner = try Self.expand("body", "@Tracked", "@Tracked func open(pin: String) {}", in: "func inside() {}", type)
        #expect(inner.contains("{ [] }"), "\(inner)")
    }

    @Test("a type in an extension whose type is generic has no record, where it is said to be in a generic one")
    func inAnExtensionOfAGenericType() throws {
        func peer(_ attribute: String) throws -> String {
            try Self.expand("peer", attribute, "\(attribute) final class Inner { func f() {} }", in: "extension Box {}")
        }
        #expect(try peer("@TrackedType(generic: true)").isEmpty)
        #expect(try peer("@TrackedType").contains("registerType"))
    }

    @Test("the record of a generic type and the bodies of its functions agree about what is captured")
    func exceptionsInGenericTypes() throws {
        let function = "@Tracked func open(pin: String, by name: String) {}", type = #"@TrackedType(except: "pin") struct Safe<Value>"#
        let body = try Self.expand("body", "@Tracked", function, in: type + " {}")
        let peer = try Self.expand("peer", #"@TrackedType(except: "pin")"#, "\(type) { \(function) }")
        let parameters = #"pin\u{1D}pin\u{1D}String\u{1D}0\u{1E}by\u{1D}name\u{1D}String\u{1D}1"#
        #expect(body.contains(parameters) && body.contains("{ [`name` as Any] }") && peer.contains(parameters), "\(body)\n\(peer)")
    }

    @Test("what is written beside a type is spoken of where the type may be")
    func availability() throws {
        let type = "@available(iOS 26, macOS 26, *) @available(*, deprecated) @TrackedType final class Screen { dynamic func show() {} }"
        let words = "@available(iOS 26, macOS 26, *)\n@available(*, deprecated)\n"
        #expect(try Self.expand("peer", "@TrackedType", type).hasPrefix(words + "nonisolated enum "))
        #expect(try Self.expand("extension", "@TrackedType", type).hasPrefix(words + "extension Screen {"))
    }

    @Test("a method of a generic type has a record where it is compiled")
    func conditionsInGenericTypes() throws {
        let peer = try Self.expand(
            "peer", "@TrackedType", "@TrackedType struct Sheaf<Value> { #if NOWHERE\nfunc gone() {}\n#else\nfunc here() {}\n#endif\nfunc always() {} }")
        let first = try #require(peer.range(of: "registerType(\""))
        let unconditional = peer[first.upperBound...].prefix { $0 != "\n" }
        #expect(unconditional.contains("always()") && !unconditional.contains("gone()") && !unconditional.contains("here()"), "\(peer)")
        for (condition, selector) in [("#if (NOWHERE)", "gone()"), ("#if !(NOWHERE)", "here()")] {
            let place = try #require(peer.range(of: condition + "\n"), "\(peer)")
            let text = peer[place.upperBound...].components(separatedBy: "#endif\n}\n#endif")[0]
            #expect(text.contains("registerLate(\"") && text.contains(selector), "\(text)")
        }
    }

    @Test("where a parameter is of an opaque type, no static stored property is written", arguments: [
        "some Equatable", "[some Equatable]", "Set<some Hashable>", "Array<some Equatable>", "[String: some Equatable]",
        "(Int, some Equatable)",
    ])
    func opaqueParameters(type: String) throws {
        let function = "@Tracked func count(_ values: \(type)) -> Int { 1 }"
        let body = try Self.expand("body", "@Tracked", function), peer = try Self.expand("peer", "@Tracked", function)
        #expect(body.contains("runLate(") && !body.contains("static let") && peer.contains("registerLate("), "\(body)")
    }

    @Test("behind the beginning of a call that nothing follows, no defer is written, because it would warn", arguments: [
        "", " ", "// nothing to do", " /* nothing */ // to do\n",
    ])
    func emptyBodies(body: String) throws {
        for function in ["init() {\(body)}", "deinit {\(body)}", "func take(_ x: consuming X) {\(body)}"] {
            let text = try Self.expand("body", "@Tracked", "@Tracked " + function, in: "final class Screen {}")
            #expect(!text.contains("defer") && text.contains("?.end()"), "\(text)")
        }
        let text = try Self.expand("body", "@Tracked", "@Tracked deinit {\(body)\n leave() }", in: "final class Screen {}")
        #expect(text.contains("defer") && text.contains("leave()"), "\(text)")
    }

    @Test("the record of a type has its generic methods that something takes the place of: they have none of their own")
    func genericReplacements() throws {
        let peer = try Self.expand("peer", "@TrackedType", """
            @TrackedType struct Screen {
                dynamic func each<Value>(_ value: Value) {}
                dynamic func all(_ values: [some P]) {}
                dynamic func none() {}
                func wrapped<Value>(_ value: Value) {}
            }
            """)
        #expect(peer.contains("each(_:)") && peer.contains("all(_:)") && !peer.contains("none()") && !peer.contains("wrapped"), "\(peer)")
    }
}
