@testable import LogbookTrackingExpansion
import LogbookTrackingSyntax
import Testing

/// The plug-in's side of the compiler's protocol.
@Suite struct ConversationTests {
    static func capability(_ version: Int) throws -> PositionedJSON {
        try PositionedJSONReader.read(Array(#"{"getCapability":{"capability":{"protocolVersion":\#(version)}}}"#.utf8))
    }

    static func expansion(_ role: String = "memberAttribute", of text: String) throws -> PositionedJSON {
        try PositionedJSONReader.read(Array("""
            {"expandAttachedMacro":{"macro":{"moduleName":"LogbookTrackingMacros","typeName":"TrackedTypeMacro","name":"TrackedType "},
             "macroRole":"\(role)","discriminator":"$s1","attributeSyntax":{"kind":"attribute","source":"@TrackedType",
             "location":{"fileID":"A/a.swift","fileName":"/a.swift","line":1,"column":1,"offset":17}},
             "declSyntax":{"kind":"declaration","source":\(text),"location":{"fileID":"A/a.swift","fileName":"/a.swift","line":2,"column":1,"offset":30}},
             "lexicalContext":[]}}
            """.utf8))
    }

    @Test func theVersionIsAgreedUpon() throws {
        var conversation = Conversation()
        #expect(conversation.answer(to: try Self.capability(7)) == #"{"getCapabilityResult":{"capability":{"protocolVersion":7}}}"#)
        #expect(conversation.answer(to: try Self.expansion(of: #""func f() { }""#)) == #"{"expandMacroResult":{"expandedSource":"@Tracked","diagnostics":[]}}"#)
    }

    @Test("a compiler of an unknown version gets one clear error, at the attribute")
    func unknownVersion() throws {
        var conversation = Conversation()
        _ = conversation.answer(to: try Self.capability(8))
        let first = conversation.answer(to: try Self.expansion(of: #""func f() { }""#))
        #expect(first.contains("this compiler speaks version 8 of the macro protocol, and LogbookTracking knows version 7 only"))
        #expect(first.contains(#""severity":"error","position":{"fileName":"/a.swift","offset":17}"#))
        #expect(conversation.answer(to: try Self.expansion(of: #""func g() { }""#)) == #"{"expandMacroResult":{"expandedSource":"","diagnostics":[]}}"#)
    }

    @Test("what cannot be tracked is refused with a reason, or left alone by its type")
    func refusals() throws {
        var conversation = Conversation()
        _ = conversation.answer(to: try Self.capability(7))
        for text in [
            #""@inlinable public func f() { }""#, #""func take(_ x: consuming X) -> Int { 1 }""#,
            #""func take(_ x: sending X) -> Int { 1 }""#, #""func give() -> sending X { X() }""#,
        ] {
            #expect(conversation.answer(to: try Self.expansion(of: text)).contains(#""expandedSource":"""#))
            #expect(conversation.answer(to: try Self.expansion("body", of: text)).contains("cannot be tracked"))
        }
        #expect(conversation.answer(to: try Self.expansion("body", of: #""func f()""#)).contains("needs a function with a body"))
        for text in [#""var a: Int { 1 }""#, #""static func + (a: X, b: X) -> X { a }""#, #""init() { }""#, #""@NotTracked func f() { }""#] {
            #expect(conversation.answer(to: try Self.expansion(of: text)).contains(#""expandedSource":"""#))
        }
    }

    @Test("what an attribute says in vain is refused at the attribute, once", arguments: [
        (#"@Tracked(except: "pn")"#, "body", "func open(pin: String) {}", #"no parameter here is called "pn""#),
        (#"@Tracked(except: "pin", code)"#, "body", "func open(pin: String) {}", "`code` says no name"),
        (#"@Tracked(instance: !true)"#, "body", "func open(pin: String) {}", "`!true` cannot be read here"),
        (#"@TrackedType(except: "pin", "pn")"#, "peer", "struct S { func open(pin: String) {}; struct T { func f(pn: Int) {} } }", #"called "pn""#),
        (#"@TrackedExtension(except: "pn")"#, "memberAttribute", "func open(pin: String) {}", #"called "pn""#),
    ])
    func vainArguments(attribute: String, role: String, declaration: String, issue: String) throws {
        func answer(_ role: String, to attribute: String, _ declaration: String) throws -> String {
            let parent = "extension S { var n: Int { 1 }; func open(pin: String) {}; func shut(code: Int) {} }"
            return try ExpansionTests.answer(role, attribute, declaration, parent: parent).json
        }
        let refused = try answer(role, to: attribute, declaration)
        #expect(refused.contains(issue.jsonLiteral.dropFirst().dropLast()) && refused.contains(#""severity":"error""#), "\(refused)")
        for other in ["body", "peer", "memberAttribute", "extension"] where other != role {
            #expect(try !answer(other, to: attribute, declaration).contains("severity"), "\(other)")
        }
        #expect(try !answer("memberAttribute", to: attribute, "func shut(code: Int) {}").contains("severity"))
    }

    @Test("what is refused is so where the attribute stands, not where the comment before it does")
    func placeOfRefusals() throws {
        let refused = try ExpansionTests.answer("body", "\n/// Opens it.\n@Tracked(except: \"pn\")", "func open(pin: String) {}")
        #expect(refused.place?.offset == 15 && refused.problem != nil)
    }

    @Test("a name of a parameter or of its label is kept from plans, in a function of an extension and in an initializer, too", arguments: [
        (#"@Tracked(except: "pin", "by")"#, "body", "init(pin: String, by name: String) {}"),
        (#"@TrackedType(except: "default", "n")"#, "peer", "class S { #if A\nfunc f(`default`: Int) {}\n#endif\ninit(_ n: Int) {} }"),
        (#"@TrackedExtension(except: "code", "pin")"#, "memberAttribute", "func open(pin: String) {}"),
    ])
    func usefulArguments(attribute: String, role: String, declaration: String) throws {
        let parent = "extension S { func open(pin: String) {}; func shut(code: Int) {} }"
        #expect(try ExpansionTests.answer(role, attribute, declaration, parent: parent).problem == nil)
    }

    @Test("a question that is not understood gets an empty answer")
    func nonsense() throws {
        var conversation = Conversation()
        let answer = conversation.answer(to: try PositionedJSONReader.read(Array(#"{"loadPluginLibrary":{}}"#.utf8)))
        #expect(answer == #"{"expandMacroResult":{"expandedSource":null,"diagnostics":[]}}"#)
    }
}
