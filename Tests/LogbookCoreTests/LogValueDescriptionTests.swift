import LogbookCore
import LogbookTestKit
import Testing

@Suite struct LogValueDescriptionTests {
    private static let facts: LogMetadata = [
        "user": .private("jane"), "key": .secret("hunter2"), "n": 1, "open": .public("x"),
        "list": [1.5, nil, true, .private(2), ["deep": .secret("hunter3")]],
    ]
    private static let shown = #"["user": <private>, "key": <secret>, "n": 1, "open": "x", "#
        + #""list": [1.5, null, true, <private>, ["deep": <secret>]]]"#

    private struct Refused: Error {
        var facts = LogValueDescriptionTests.facts
        var cause = LogValue.private("jane")
    }

    private static func hidesAll(_ text: String) -> Bool { !text.contains("jane") && !text.contains("hunter") }

    @Test("S4: metadata that is put into text shows nothing of what is marked in it")
    func whatIsMarkedIsMaskedInText() {
        #expect("\(Self.facts)" == Self.shown && String(reflecting: Self.facts) == Self.shown)
        #expect("\(Self.facts["user"]!) \(LogValue.secret(1)) \(LogValue.private(["a": 1]))" == "<private> <secret> <private>")
        #expect("\([Self.facts])" == "[\(Self.shown)]")
        #expect("\(Refused())" == "Refused(facts: \(Self.shown), cause: <private>)")
        var dumped = ""
        dump(Refused(), to: &dumped)
        dump(Self.facts["user"], to: &dumped)
        #expect(Self.hidesAll(dumped) && dumped.contains("<private>"))
    }

    @Test("S4: nor does an event of which it is the message, a part of it, a described value or an error")
    func whatIsMarkedIsMaskedInEvents() {
        let service = LogService(privacy: .revealed), heard = RecordingProvider(), anything: Any = Self.facts
        service.register(heard)
        service.info("order \(Self.facts)")
        service.info(Self.facts)
        service.info("order \(anything, privacy: .public)")
        service.error("order", metadata: ["a": .describing(Self.facts), "b": .describing(LogValue.private("jane"))], error: Refused())
        #expect(heard.messages == ["order \(Self.shown)", Self.shown, "order \(Self.shown)", "order"])
        #expect(heard.events.last?.metadata == ["a": .string(Self.shown), "b": "<private>"])
        #expect(heard.events.last?.error?.description == "Refused(facts: \(Self.shown), cause: <private>)")
    }

    @Test(arguments: [
        (nil, "null"), (true, "true"), (-7, "-7"), (.unsigned(.max), "18446744073709551615"), (0.5, "0.5"), (#"a "b""#, #"a "b""#),
        (.public("x"), "x"), (.public(.public(["x"])), #"["x"]"#), ([], "[]"), ([:], "[:]"), ([#"a "b""#, 1], #"["a \"b\"", 1]"#),
        (["a": ["b": nil]], #"["a": ["b": null]]"#),
    ] as [(LogValue, String)])
    func valuesAreShownAsTheirLiterals(value: LogValue, text: String) {
        #expect("\(value)" == text)
        let quoted = value == #"a "b""# || value == .public("x")
        #expect(String(reflecting: value) == (quoted ? text.debugDescription : text))
    }

    @Test func nestingOfAnyDepthHarmsNobody() {
        var value = LogValue.string("x")
        for level in 0..<10_000 { value = level.isMultiple(of: 2) ? .public(value) : [value] }
        #expect("\(value)".hasPrefix("[[["))
        #expect("\(LogValue.public(value))".contains("…"))
    }
}
