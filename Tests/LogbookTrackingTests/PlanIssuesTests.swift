import LogbookCore
import LogbookTestKit
import LogbookTracking
import Testing

extension TrackingTests {
    /// A plan that does not fit the program is not started, and says why.
    @Suite(.serialized) struct PlanIssues {
        @Test("5: an Objective-C selector is answered with its Swift name")
        func objectiveC() {
            let issues = Tracked.issues(
                #"{ "trackedEvents": [ { "class": "MainScreen", "selector": "loginView:handleError:", "label": "x" } ] }"#)
            #expect(issues == [
                #"plan.json:1:59: error: "MainScreen" has no method "loginView:handleError:"; in Swift it is "loginView(_:handleError:)""#
            ])
        }

        @Test("6: an unknown class is named with its place and what was meant, and nothing is installed")
        func unknownClass() throws {
            let tracked = Tracked()
            let plan = TrackingPlan(json: """
                { "trackedScreens": [
                    { "class": "BaseScreen", "label": "fine" },
                    { "class": "MainScren", "label": "Main" } ] }
                """)
            let error = #expect(throws: TrackingError.self) { try tracked.tracker.start(plan) }
            #expect(error?.description == #"plan.json:3:16: error: unknown class "MainScren"; did you mean "MainScreen"?"#)
            MainScreen().viewDidAppear(true)
            #expect(tracked.analytics.events.isEmpty)
        }

        @Test("6: a program may go on without the plan, and the remark names every issue")
        func goesOn() async {
            await #expect(processExitsWith: .success) {   // in which nothing else was said: diagnostics show a remark a second
                let tracked = Tracked(), remarks = Locked([String]())
                LogDiagnostics.setHandler { remark in remarks.withLock { $0.append(remark.message) } }
                tracked.tracker.start(
                    TrackingPlan(json: #"{ "trackedScreens": [ { "class": "Nowhere", "label": "x" }, { "class": "MainScreen", "lable": "x" } ] }"#),
                    onIssues: .goOnWithoutPlan)
                MainScreen().viewDidAppear(true)
                #expect(tracked.analytics.events.isEmpty)
                #expect(remarks.withLock { $0 } == ["""
                    the plan was not started:
                    plan.json:1:34: error: unknown class "Nowhere"; is it annotated @TrackedType?
                    plan.json:1:61: error: "label" is missing
                    plan.json:1:86: error: unknown key "lable"; did you mean "label"?
                    """])
            }
        }

        @Test("7: three mistakes are three issues, in the order of the plan")
        func allAtOnce() {
            let issues = Tracked.issues("""
                { "trackedEvents": [
                    { "class": "MainScreen", "selector": "shar(_:)", "label": "x" },
                    { "class": "Cart", "selector": "checkout(total:)", "lable": "x" },
                    { "class": "Cart", "selector": "checkout(total:)", "label": "x", "metadata": { "a": "$arg.totl" } } ] }
                """)
            #expect(issues == [
                #"plan.json:2:42: error: "MainScreen" has no method "shar(_:)" that can be tracked; did you mean "share(_:)"?"#,
                #"plan.json:3:5: error: "label" is missing"#,
                #"plan.json:3:56: error: unknown key "lable"; did you mean "label"?"#,
                #"plan.json:4:89: error: Cart.checkout(total:) has no parameter "totl"; did you mean "total"?"#,
            ])
        }

        @Test("8: malformed JSON is one issue with its place", arguments: [
            (#"{ "trackedScreens": [ ], }"#, "1:26: error: malformed plan: \"}\" stands where a key in quotes is missing"),
            ("{\n  \"a\": [1, ]\n}", "2:12: error: malformed plan: \"]\" stands where a value is missing"),
            (#"{ "version": 1, "version": 1 }"#, "1:17: error: malformed plan: the key \"version\" is there twice"),
            ("{ \"a\": \"b\n\" }", "1:10: error: malformed plan: a quote is not closed"),
            ("", "1:1: error: malformed plan: the text ends too early"),
            ("{} {}", "1:4: error: malformed plan: there is text behind the end"),
            ("[007]", "1:5: error: malformed plan: this is no number"), ("[1.]", "1:4: error: malformed plan: this is no number"),
            ("[-.5]", "1:5: error: malformed plan: this is no number"),
            ("[-0.5e1, 0, 10, -1E+2]", "1:1: error: the plan must be an object"),
        ])
        func malformed(plan: String, issue: String) {
            #expect(Tracked.issues(plan) == ["plan.json:" + issue])
        }

        @Test("a plan in another encoding is malformed, and says no other words than somebody wrote", arguments: ["x", "\\u0078"])
        func otherEncodings(text: String) {
            let latin = Array("{ \"trackedScreens\": [\n  { \"label\": \"\(text)".utf8) + [0xF6] + Array("\" } ] }".utf8)
            let issues = Tracker.check(TrackingPlan(json: latin)).map(\.description)
            #expect(issues == ["plan.json:2:14: error: malformed plan: this text is not UTF-8"])
        }

        @Test("a condition may have any number of parts")
        func longConditions() throws {
            let tracked = Tracked()
            for (sign, sense) in [("||", "=="), ("&&", "!=")] {
                let condition = (1...10_000).map { "$arg.quantity \(sense) \($0)" }.joined(separator: " \(sign) ")
                let entry = #""class": "Cart", "selector": "add(_:quantity:)", "label": "\#(sign)""#
                try tracked.following("{ \"trackedEvents\": [ { \(entry), \"when\": \"\(condition)\" } ] }") {
                    var cart = Cart()
                    for quantity in [0, 2] { _ = cart.add("a", quantity: quantity) }
                }
            }
            #expect(tracked.labels == ["||", "&&"])
        }

        @Test("what is wrong with an entry whatever comes late is said at once; what the program gives names to may be late", arguments: [
            (#""advice": "aftr""#, ["1:73: error: unknown advice \"aftr\"; did you mean \"after\"?"]),
            (#""when": "$self.x >""#, ["1:81: error: bad condition: a value is missing at the end (at byte 9)"]),
            (#""level": "wraning""#, ["1:72: error: unknown level \"wraning\"; did you mean \"warning\"?"]),
            (#""transaction": { "opens": "buy" }"#, ["1:89: error: unknown use case \"buy\""]),
            (#""when": "isPaying", "providers": ["later"], "metadataFrom": "basket", "label": "$arg.x""#, []),
        ])
        func lateEntries(words: String, issues: [String]) {
            let label = words.contains("label") ? "" : #", "label": "x""#
            let plan = "{ \"trackedEvents\": [ { \"class\": \"Nowhere\", \"selector\": \"f()\", \(words)\(label), \"late\": true } ] }"
            #expect(Tracked.issues(plan) == issues.map { "plan.json:" + $0 })
        }

        @Test("an event is found by the number of its use case, whichever name of that has it")
        func usecasesOfOneNumber() {
            for number in 0..<20 {   // which of them comes first is another one each time
                let usecases = (0...3).map { #""u\#($0)": { "number": \#(number), "events": { "e\#($0)": \#($0) } }"# }
                let entry = #""class": "MainScreen", "selector": "share(_:)", "label": "x""#
                let transaction = #""transaction": { "opens": \#(number), "event": "e2" }"#
                let plan = #"{ "usecases": { \#(usecases.joined(separator: ", ")) }, "trackedEvents": [ { \#(entry), \#(transaction) } ] }"#
                #expect(Tracked.issues(plan) == [])
            }
        }

        @Test("every rule of the plan says what is wrong", arguments: [
            (#""selector": "count()", "label": "x", "advice": "afterThrowing""#, "Cart.count() does not throw"),
            (#""selector": "count()", "label": "x", "advice": "afterwards""#, "unknown advice \"afterwards\""),
            (#""selector": "count()", "label": "x", "advice": "instead""#, "returns Int, which a plan cannot make up"),
            (#""selector": "count()", "label": "x", "when": "enabld""#, "unknown predicate \"enabld\"; did you mean \"enabled\"?"),
            (#""selector": "count()", "label": "x", "when": "$result >""#, "bad condition: a value is missing at the end (at byte 9)"),
            (#""selector": "count()", "label": "x", "providers": ["mx"]"#, "unknown provider \"mx\"; did you mean \"mix\"?"),
            (#""selector": "count()", "label": "x", "metadataFrom": "basket""#, "unknown metadata source \"basket\""),
            (#""selector": "count()", "label": "x", "level": "wraning""#, "unknown level \"wraning\"; did you mean \"warning\"?"),
            (#""selector": "count()", "label": "x", "every": 0"#, "\"every\" must be a whole number"),
            (#""selector": "count()", "label": "x", "once": "yes""#, "\"once\" must be true or false"),
            (#""selector": "count()", "label": """#, "\"label\" must be text that is not empty"),
            (#""selector": "count()", "label": 3"#, "\"label\" must be text"),
            (#""selector": "count()", "label": "x", "metadata": { "a": null }"#, "the metadata \"a\" must be text, a number, true or false"),
            (#""selector": "count()", "label": "$arg.x""#, "Cart.count() has no parameter \"x\""),
            (#""selector": "count()", "label": "$error""#, "does not throw, so there is no $error"),
            (#""selector": "count()", "label": "$rsult""#, "unknown value \"$rsult\"; did you mean \"result\"?"),
            (#""selector": "count()", "label": "$result", "advice": "before""#, "$result is not known before the call"),
            (#""selector": "onEach(_:)", "label": "$arg.body""#, "the parameter \"body\" of Cart.onEach(_:) cannot be captured"),
            (#""selector": "onEach(_:)", "label": "$result""#, "returns nothing, so there is no $result"),
            (#""selector": "make(_:)", "label": "$self.x""#, "Cart.make(_:) has no instance"),
            (#""selector": "make(_:)", "label": "x", "instances": "promo""#, "has no instance that could be marked"),
            (#""selector": "count()", "label": "x", "private": ["$arg.x"]"#, "nothing in this entry shows \"$arg.x\""),
            (#""selector": "count()", "label": "x", "transaction": { "opens": "buy" }"#, "unknown use case \"buy\"; did you mean \"buying\"?"),
            (#""selector": "count()", "label": "x", "transaction": { "opens": "buying", "event": "strated", "by": "one" }"#, "unknown event \"strated\"; did you mean \"started\"?"),
            (#""selector": "count()", "label": "x", "transaction": { "opens": "buying" }"#, "has no object to which a transaction could belong"),
            (#""selector": "count()", "label": "x", "transaction": { "opens": 1, "closes": 1 }"#, "one of \"opens\", \"continues\" and \"closes\""),
            (#""selector": "add(_:quantity:)", "label": "x", "secret": ["$arg.quantity"], "transaction": { "opens": 1, "by": "1", "errorCode": "$arg.quantity" }"#,
                "an error code is a number that nothing can mask, and $arg.quantity is secret"),
            (#""selector": "count()", "label": "x", "private": ["$result"], "transaction": { "opens": 1, "by": "1", "errorCode": "4$result" }"#,
                "an error code is a number that nothing can mask, and $result is private"),
            (#""point": "vipDiscont", "label": "x""#, "unknown point \"Cart.vipDiscont\"; did you mean \"vipDiscount\"?"),
        ])
        func rules(entry: String, issue: String) {
            let issues = Tracked.issues(
                #"{ "usecases": { "buying": { "number": 4, "events": { "started": 0 } } }, "trackedEvents": [ { "class": "Cart", \#(entry) } ] }"#
            ) { tracker in
                tracker.addPredicate("enabled") { _ in true }
            }
            #expect(issues.contains { $0.contains(issue) }, "\(issues)")
        }

        @Test("what cannot be captured of an instance is refused, and so is a transaction that could belong to none", arguments: [
            (#""class": "Ticket", "selector": "tear()", "label": "x", "advice": "instead""#, "Ticket.tear() consumes its instance, and nothing can"),
            (#""class": "Ticket", "selector": "sell()", "label": "$result""#, "$result is not known of a method that consumes its instance"),
            (#""class": "UniqueSelf", "selector": "take()", "label": "$self.value""#, "UniqueSelf.take() has no instance, so there is no $self"),
            (#""class": "Borrowed", "selector": "count()", "label": "x", "instances": "a""#, "Borrowed.count() has no instance that could be marked"),
            (#""class": "Till", "selector": "pay()", "label": "x", "transaction": { "opens": 1 }"#, "Till.pay() has no object to which"),
            (#""class": "Blind", "selector": "look()", "label": "x", "transaction": { "opens": 1 }"#, "Blind.look() has no object to which"),
            (#""class": "FrontLeaf", "selector": "init(named:)", "label": "x""#, "Leaf.init(named:) has no instance, so those of FrontLeaf cannot be told apart"),
            (#""class": "ListLeaf", "selector": "turn()", "label": "x""#, "Leaf.turn() is inherited, and instances of ListLeaf, as of any generic type"),
            (#""class": "ListLeaf", "selector": "reset()", "label": "x""#, "Leaf.reset() is inherited, and instances of ListLeaf, as of any generic type"),
            (#""class": "BlindToo", "selector": "look()", "label": "x""#, "Blind.look() has no instance, so those of BlindToo cannot be told apart"),
        ])
        func instances(entry: String, issue: String) {
            let issues = Tracked.issues("{ \"trackedEvents\": [ { \(entry) } ] }")
            #expect(issues.count == 1 && issues[0].contains(issue), "\(issues)")
        }

        @Test("what is inside an instance is not read by a function that runs elsewhere; the instance alone is named", arguments: [
            ("Account", "name()", true), ("Account", "deposit(_:)", false), ("Account", "given(_:)", true), ("Account", "stays()", true),
            ("ViewModel", "label()", true), ("ViewModel", "tap()", false), ("Isolations", "stays()", false),
        ])
        func isolation(type: String, selector: String, isRefused: Bool) {
            func issues(_ value: String) -> [String] {
                Tracked.issues(#"{ "trackedEvents": [ { "class": "\#(type)", "selector": "\#(selector)", "label": "\#(value)" } ] }"#)
            }
            #expect(issues("$self.box.value").contains { $0.contains("so $self.box.value may be changing while it is read") } == isRefused)
            #expect(issues("$self") == [])
        }

        @Test("a method of a generic type that is not compiled is not in the program")
        func conditionalMethods() {
            func issues(_ selector: String) -> [String] {
                Tracked.issues(#"{ "trackedEvents": [ { "class": "Sack", "selector": "\#(selector)", "label": "x" } ] }"#)
            }
            #expect(issues("here()") == [])
            #expect(issues("gone()").count == 1)
        }

        @Test("what is wrong with one of several functions of a name says with which; what is wrong with all is said once")
        func namesakes() {
            let wrong = Tracked.issues(
                #"{ "trackedEvents": [ { "class": "Shelf", "selector": "add(_:)", "label": "$arg.item $arg.nothing" } ] }"#)
            #expect(wrong.count == 2)
            #expect(wrong.first == #"plan.json:1:74: error: Shelf.add(_:) has no parameter "nothing""#)
            #expect(wrong.last?.hasPrefix(#"plan.json:1:74: error: Shelf.add(_:) has no parameter "item"; of several, this is the one in "#) == true)
            #expect(Tracked.issues("{}") { tracker in
                tracker.around("Shelf.make()", returning: Int.self) { _, proceed in try proceed() }
            }.map { $0.drop { $0 != "\"" } } == [#""Shelf.make()": the handler returns Int, and the method String"#])
        }

        @Test("a version that nobody knows, and lists that are none, are said")
        func structure() {
            #expect(Tracked.issues(#"{ "version": 2 }"#) == ["plan.json:1:14: error: this program reads plans of version 1"])
            #expect(Tracked.issues(#"{ "trackedScreens": {} }"#) == [#"plan.json:1:21: error: "trackedScreens" must be a list"#])
            #expect(Tracked.issues(#"{ "trackedScrens": [] }"#) == [#"plan.json:1:3: error: unknown key "trackedScrens"; did you mean "trackedScreens"?"#])
            #expect(Tracked.issues("[]") == ["plan.json:1:1: error: the plan must be an object"])
        }

        @Test("14: a handler around an unknown method, or with another result, is an issue")
        func arounds() {
            let issues = Tracked.issues("{}") { tracker in
                tracker.around("Cart.chekout(total:)", returning: Int.self) { _, proceed in try proceed() }
                tracker.around("Cart.checkout(total:)", returning: String.self) { _, proceed in try proceed() }
                tracker.around("Account.slow(_:)", returning: Int.self) { _, proceed in try proceed() }
                tracker.around("Account.deposit(_:)", returning: Int.self) { _, proceed in try await proceed() }
                tracker.around("Child.init(id:)", returning: Child.self) { _, proceed in try proceed() }
                tracker.around("Exact.pay(total:)", returning: Int.self) { _, proceed in try proceed() }
                tracker.around("Ticket.tear()", returning: Void.self) { _, proceed in try proceed() }
                tracker.around("Zoo.eat(_:)", returning: Void.self) { _, proceed in try proceed() }
            }
            #expect(issues.map { $0.drop { $0 != "\"" } } == [
                #""Account.deposit(_:)": the method is not asynchronous, and the handler awaits"#,
                #""Account.slow(_:)": the method is asynchronous, and the handler does not await it"#,
                #""Cart.checkout(total:)": the handler returns String, and the method Int"#,
                #""Cart.chekout(total:)": unknown join point; did you mean "Cart.checkout(total:)"?"#,
                #""Child.init(id:)": only methods and functions have something to proceed with"#,
                #""Exact.pay(total:)": another function takes the method's place, and no handler can stand around that; write @Tracked before it"#,
                #""Ticket.tear()": the method consumes its instance, which no handler can hand on"#,
                #""Zoo.eat(_:)": the method consumes or sends a parameter, which no handler can hand on"#,
            ])
        }

        @Test("the check for a unit test knows the classes, and leaves alone what only the program names")
        func unitTestCheck() {
            let plan = TrackingPlan(json: #"{ "trackedScreens": [ { "class": "MainScreen", "label": "x", "when": "isPaying", "providers": ["ga"] } ] }"#)
            #expect(Tracker.check(plan).isEmpty)
            let wrong = TrackingPlan(json: #"{ "trackedScreens": [ { "class": "MainScren", "label": "x" } ] }"#)
            #expect(Tracker.check(wrong).map(\.column) == [34])
        }

        @Test("a plan in Swift is checked like one in JSON, and names its lines")
        func inSwift() throws {
            let tracked = Tracked()
            let plan = TrackingPlan([
                .screen("MainScreen", label: "Main"),
                .event(#joinPoint(MainScreen.share(_:)), label: "Shared $arg.sender") { $0.metadata = [("r", "$result")] },
            ])
            try tracked.tracker.start(plan)
            MainScreen().viewDidAppear(true)
            _ = MainScreen().share(4)
            tracked.tracker.stop()
            #expect(tracked.labels == ["Main", "Shared 4"])
            #expect(tracked.metadata(1) == ["r": "shared 4 share(_:)"])

            let line = #line + 1
            let issues = tracked.tracker.check(TrackingPlan([.screen("MainScren", label: "Main")]))
            #expect(issues.map(\.description) == [
                "LogbookTrackingTests/PlanIssuesTests.swift:\(line): error: unknown class \"MainScren\"; did you mean \"MainScreen\"?"
            ])
        }

        @Test("a plan in Swift names a point in a body, alone or after its type, as one in JSON does")
        func pointsInSwift() throws {
            let tracked = Tracked()
            try tracked.tracker.start(TrackingPlan([
                .point("vipDiscount", label: "VIP") { $0.metadata = [("off", "$arg.discount")] },
                .point("Odd.odd", label: "Odd"),
            ]))
            #expect(Legacy().blob(200) == 180)
            #expect(try Odd(2).after() == 2)
            tracked.tracker.stop()
            #expect(tracked.labels == ["VIP", "Odd"] && tracked.metadata(0) == ["off": 20.0])
            #expect(tracked.analytics.events.first?.category == "tracking.event")

            let line = #line + 1
            let issues = tracked.tracker.check(TrackingPlan([.point("vipDiscont", label: "VIP")]))
            #expect(issues.map(\.description) == [
                "LogbookTrackingTests/PlanIssuesTests.swift:\(line): error: unknown point \"vipDiscont\"; did you mean \"vipDiscount\"?"
            ])
        }

        @Test("a plan that cannot be read is an issue")
        func unreadable() {
            let issues = Tracker.check(TrackingPlan(path: "/nowhere/plan.json"))
            #expect(issues.map(\.description) == ["/nowhere/plan.json: error: cannot read the plan: No such file or directory"])
            #expect(Tracker.check(TrackingPlan(path: "/")).map(\.description) == ["/: error: cannot read the plan: Is a directory"])
        }
    }
}
