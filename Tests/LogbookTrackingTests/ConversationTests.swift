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

    @Test("a question that is not understood gets an empty answer")
    func nonsense() throws {
        var conversation = Conversation()
        let answer = conversation.answer(to: try PositionedJSONReader.read(Array(#"{"loadPluginLibrary":{}}"#.utf8)))
        #expect(answer == #"{"expandMacroResult":{"expandedSource":null,"diagnostics":[]}}"#)
    }
}
