import LogbookCore
import Testing

@Suite struct LevelRulesTests {
    let rules = LevelRules(.info, ["net": .debug, "net.http": .warning, "Shop": .error, "*.cache": .off])

    @Test(arguments: [
        (module: "Other", category: nil as String?, threshold: LogThreshold.info),
        (module: "Other", category: "net", threshold: .debug),
        (module: "Other", category: "net.dns", threshold: .debug),
        (module: "Other", category: "net.http.client", threshold: .warning),   // the more specific rule
        (module: "Shop", category: nil, threshold: .error),
        (module: "Shop", category: "basket", threshold: .error),               // no rule for the category: the module's
        (module: "Shop", category: "net", threshold: .debug),                  // the category goes first
        (module: "", category: "net.cache", threshold: .off),                  // two parts are more than one
    ])
    func theMostSpecificRuleDecidesAndTheCategoryGoesFirst(module: String, category: String?, threshold: LogThreshold) {
        #expect(rules.threshold(module: module, category: category) == threshold)
    }

    @Test func ofEquallySpecificRulesTheLaterStands() {
        #expect(LevelRules(.info, ["ab*": .debug, "*bc": .error]).threshold(module: "abc") == .error)
        #expect(LevelRules(.info, ["net": .debug, "net.*": .error]).rules.map(\.description) == ["net.*=error"])
    }

    @Test func aRuleIsSetChangedAndRemoved() {
        var rules: LevelRules = ["net": .debug]
        #expect(rules.default == .verbose && rules["net"] == .debug && rules["other"] == nil)
        rules["net"] = .error
        rules["*"] = .notice
        #expect(rules.description == "notice,net=error")
        rules["net"] = nil
        #expect(rules == LevelRules(.notice))
    }

    @Test func textSaysTheSame() throws {
        #expect(try LevelRules(parsing: "info,net=debug,net.http=warning,Shop=error,*.cache=off") == rules)
        for rules in [rules, LevelRules(.info, ["ab*": .debug, "*bc": .error, "a*c": .off])] {
            #expect(try LevelRules(parsing: rules.description) == rules)
        }
        #expect(try LevelRules(parsing: " net = TRACE , warn ") == LevelRules(.warning, ["net": .verbose]))
        #expect(try LevelRules(parsing: "") == LevelRules())
        #expect(try LevelRules(parsing: "off,net=info").threshold(module: "x") == .off)
    }

    @Test(arguments: [
        ("loud", LevelRulesError.notALevel("loud")),
        ("info,net=loud", .notALevel("loud")),
        ("info,", .notALevel("")),
        ("info,ne t=debug", .notAPattern("ne t")),
        ("=debug", .notAPattern("")),
        ("info,debug", .secondDefault("debug")),
    ])
    func whatCannotBeReadIsNamedWithWhatWasExpected(text: String, error: LevelRulesError) {
        #expect(throws: error) { try LevelRules(parsing: text) }
        #expect(error.description.contains("expected one"))
    }

    @Test func changesLeaveTheRestAsItIs() throws {
        let changes = try LevelChanges(parsing: "net=error,new=debug")
        #expect(changes.applied(to: LevelRules(.info, ["net": .debug, "old": .off])).description == "info,old=off,net=error,new=debug")
        #expect(changes.description == "net=error,new=debug" && LevelChanges().isEmpty)
        #expect(LevelChanges(.warning).applied(to: rules)["net"] == .debug)
    }
}
