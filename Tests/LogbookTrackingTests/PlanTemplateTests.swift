import LogbookTrackingPlan
import Testing

/// Text with values in it: where a path ends, whatever the writing system.
@Suite struct PlanTemplateTests {
    static func parts(_ text: String) -> [String] {
        PlanTemplate(text).parts.map { part in
            switch part {
            case .text(let text): "'\(text)'"
            case .value(let path): path.words.joined(separator: "|")
            }
        }
    }

    @Test("a path ends before what cannot belong to a name", arguments: [
        ("Added $arg.item!", ["'Added '", "arg|item", "'!'"]),
        ("$self.cart.items.count", ["self|cart|items|count"]),
        ("$arg.a$arg.b", ["arg|a", "arg|b"]),
        ("$arg.a.", ["arg|a", "'.'"]),                                        // the end of a sentence
        ("$arg.a..b", ["arg|a", "'..b'"]),
        ("$arg.a. B", ["arg|a", "'. B'"]),
        ("$arg.a.1", ["arg|a", "'.1'"]),                                      // no name begins with a digit
        ("$duration_ms ms", ["duration_ms", "' ms'"]),
        ("$arg.größe cm", ["arg|größe", "' cm'"]),
        ("$arg.gro\u{308}ße cm", ["arg|gro\u{308}ße", "' cm'"]),              // the same, decomposed
        ("$arg.名前さん", ["arg|名前さん"]),
        ("$arg.x🙂", ["arg|x", "'🙂'"]),
        ("$arg.x²", ["arg|x²"]),
        ("$arg.x–y", ["arg|x", "'–y'"]),
        ("$arg.x\u{A0}y", ["arg|x", "'\u{A0}y'"]),
    ])
    func paths(text: String, parts: [String]) {
        #expect(Self.parts(text) == parts)
    }

    @Test("a dollar sign that begins no path means itself, and two are one", arguments: [
        ("$$5", ["'$5'"]), ("5 $", ["'5 $'"]), ("$ 5", ["'$ 5'"]), ("$$arg.x", ["'$arg.x'"]), ("$$$arg.x", ["'$'", "arg|x"]), ("", ["''"]),
    ])
    func dollars(text: String, parts: [String]) {
        #expect(Self.parts(text) == parts)
    }

    @Test func aTemplateKnowsWhetherItIsConstantOrOneValue() {
        #expect(PlanTemplate("$$5").constant == "$5" && PlanTemplate("$$5").soleValue == nil)
        #expect(PlanTemplate("$result").soleValue?.words == ["result"] && PlanTemplate("$result").constant == nil)
        #expect(PlanTemplate("$result!").soleValue == nil && PlanTemplate("$result of $arg.x").paths.map(\.description) == ["$result", "$arg.x"])
    }
}
