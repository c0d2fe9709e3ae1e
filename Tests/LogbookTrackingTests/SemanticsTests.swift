import LogbookTestKit
import LogbookTracking
import Testing

extension TrackingTests {
    /// A tracked function does what it did before, whether or not anybody listens.
    @Suite(.serialized) struct Semantics {
        /// A plan that names everything there is.
        static func everything() -> String {
            let entries = Tracker.joinPoints.filter { $0.selector != "deinit" && $0.module == "LogbookTrackingTests" && !$0.type.isEmpty }
                .map { "{ \"class\": \"\($0.type)\", \"\($0.selector.contains("(") ? "selector" : "point")\": \"\($0.selector)\", \"label\": \"\($0.type).\($0.selector)\" }" }
            return "{ \"trackedEvents\": [\(entries.joined(separator: ",\n"))] }"
        }

        @Test("20 and 21: the zoo behaves the same with its points closed and open", arguments: [false, true])
        func zoo(isOpen: Bool) async throws {
            let tracked = Tracked()
            if isOpen { try tracked.tracker.start(TrackingPlan(json: Self.everything())) }
            defer { tracked.tracker.stop() }

            var zoo = Zoo()
            #expect(throws: PurchaseError.code(1)) { try zoo.typed(true) }
            #expect(try zoo.typed(false) == 5)
            #expect(zoo.single() == 3)
            #expect(zoo.choice(true) == "yes" && zoo.choice(false) == "no")
            #expect(Array(zoo.opaque()) == [2, 3] && Array(zoo.opaqueSingle()) == [1, 2])
            let unique = zoo.unique()
            #expect(unique.number == 4)
            zoo.eat(unique)
            #expect(zoo.mapAll { $0 + "!" } == ["x!"])
            #expect(throws: PurchaseError.code(2)) { try zoo.mapAll { _ in throw PurchaseError.code(2) } }
            #expect(Zoo.make(1, 2, 3) == 3)
            var number = 1
            zoo.change(&number, by: 4)
            #expect(number == 5)
            #expect(zoo.optional("abc") == 3 && zoo.optional(nil) == nil)
            #expect(zoo.tuple().b == "x")
            #expect(zoo.closure { 9 } == 9 && zoo.escaping { 8 } == 8 && zoo.automatic(7) == 7)
            #expect(zoo.defaulted() == 8 && zoo.repeat(6) == 6 && zoo.tables([:], dictionary: [:]) == 0)
            #expect(zoo.keywords(default: 1, for: "ab", in: 3, where: 4, is: 5) == 15)
            #expect(zoo.nested(4) == 8 && zoo.texts().count == 4 && zoo.texts()[2] == "<x>")
            #expect(zoo.pattern("baab") && zoo.conditional() == 1 && zoo.callsHidden() == 11)
            zoo.discarded()
            zoo.push("y")
            #expect(zoo.items == ["x", "y"])

            #expect(Made(3).value == 3 && Made(maybe: -1) == nil && Made(maybe: 1)?.value == 1)
            #expect(throws: PurchaseError.code(-2)) { try Made(throwing: -2) }
            let before = Destroyed.count
            do {
                let child = Child(text: "3")
                #expect(child.id == 3 && child.hello() == "hello child")
                #expect(await child.helloLater() == "hello child")
            }
            #expect(Destroyed.count == before + 1)

            let account = Account()
            #expect(await account.deposit(5) == 5)
            #expect(try await account.slow(2) == 4)
            await #expect(throws: PurchaseError.code(-1)) { try await account.slow(-1) }
            #expect(account.name() == "account")
            #expect(await ViewModel().hop())
            await ViewModel().tap()
            #expect(await Isolations().stays() == 1)
            #expect(await Isolations().leaves() == 2)

            #expect(Holder(value: "q").get(1) == "q" && Holder(value: 2).map { $0 + 1 } == 3 && Holder<Int>.zero() == 0)
            #expect(Holder(value: 4).doubled() == 8)
            #expect(genericFree("g") == "g" && genericBySome(1) && freeFunction(a: 1, b: "z") == "1z")
            var own = UniqueSelf()
            own.bump()
            #expect(own.take() == 2)
            #expect(local() == 2 && Legacy().extra(n: 4) == 8 && Outer.Inner().deep() == 1 && Greeter().greet() == "hi")
            #expect(Legacy().blob(200) == 180)

            let exact = Exact()
            #expect(try exact.pay(total: 2) == 2)
            #expect(throws: PurchaseError.code(-3)) { try exact.pay(total: -3) }
            #expect(throws: PurchaseError.code(4)) { try exact.typed() }
            #expect(await exact.later() == 2)
            exact.reset()
            #expect(exact.total == 0 && Exact.shared() == 7)
            let more = MoreExact()
            more.reset()
            #expect(more.total == 1 && more.half() == 0)

            let odd = try Odd(2)
            #expect(throws: PurchaseError.code(-1)) { try Odd(-1) }
            #expect(throws: PurchaseError.code(5)) { try eatOrFail(Unique(number: 5)) }
            #expect(odd.maybe() == 2 && odd.maybeWoven() == 2 && odd.total(total: 3) == 4 && Odd.share("x") == "x!")
            #expect(odd.ignore(9) == 2 && odd.here() == 1 && odd.give().value == 0 && odd.quote("{") && odd.after() == 2)
            await odd.send(Box())
            odd.sendWoven(Box())
            #expect(Borrowed().count() == 1 && Borrowed().countWoven() == 1)
            #expect(Opaques().count([1, 2], ["x"]) == 3 && Opaques().pairs().count == 2 && genericBySomeInside(["a"]) == 1)
            #expect(Ticket(number: 3).sell() == 3 && Ticket(number: 4).give().number == 4 && Ticket(number: 5).twice() == 10)
            #expect(Ticket(number: 6).choose(true) == 6)
            Ticket(number: 7).tear()
            #expect(try Ticket(number: 8).pass(true).number == 8)
            #expect(throws: PurchaseError.code(9)) { _ = try Ticket(number: 9).pass(false).number }
            #expect(Ward.Patient().lie(in: .first) == .first && Ward.Patient().turn(2) == 2)
            #expect(Opaques().woven([1]) == 1 && Opaques().wovenToo("x") == "x")
            let plain = try Plain(2), later = try await Plain(later: 5)
            #expect(try plain.number == 2 && later.number == 5 && Plain(typed: 3).number == 3)
            #expect(try Plain(maybe: 0) == nil && Plain(maybe: 4)?.number == 4)
            try plain.take([1])
            let _: Void = plain.get()
            #expect(plain.never() == 1 && plain.neverWoven() == 2 && plain.get() == 3 && plain.change(`inout`: 4) == 4)
            #expect(plain.check(try { throw PurchaseError.code(1) }()) == false && plain.passOn(true))
            #expect(plain.glob() == "${HOME}/*.swift" && plain.path() == "{scheme}//{host}")

            let labels = Set(tracked.labels)
            guard isOpen else {
                #expect(labels.isEmpty)
                return
            }
            for label in [
                "Zoo.typed(_:)", "Zoo.opaque()", "Zoo.unique()", "Zoo.eat(_:)", "Zoo.mapAll(_:)", "Zoo.make(_:)", "Zoo.repeat(_:)", "Zoo.keywords(default:for:in:where:is:)",
                "Zoo.hidden()", "Zoo.push(_:)", "Made.init(_:)", "Made.init(maybe:)", "Made.init(throwing:)", "Parent.init(name:)",
                "Child.init(id:)", "Child.init(text:)", "Child.hello()", "Child.helloLater()", "Account.deposit(_:)", "Account.slow(_:)",
                "Account.name()", "ViewModel.hop()", "ViewModel.tap()", "Isolations.stays()", "Isolations.leaves()", "Holder.get(_:)",
                "Holder.map(_:)", "Holder.zero()", "UniqueSelf.take()", "UniqueSelf.bump()", "Legacy.extra(n:)", "Outer.Inner.deep()",
                "Legacy.vipDiscount", "Exact.pay(total:)", "Exact.reset()", "Exact.shared()", "Exact.later()", "Exact.typed()",
                "MoreExact.half()", "MoreExact.reset()", "Odd.init(_:)", "Odd.maybe()", "Odd.maybeWoven()", "Odd.total(total:)",
                "Odd.share(_:)", "Odd.ignore(_:)", "Odd.here()", "Odd.send(_:)", "Odd.sendWoven(_:)", "Odd.quote(_:)",
                "Odd.odd", "Borrowed.count()", "Borrowed.countWoven()", "Opaques.count(_:_:)", "Opaques.pairs()", "Opaques.woven(_:)",
                "Opaques.wovenToo(_:)", "Ticket.tear()", "Ticket.sell()", "Ticket.give()", "Ticket.pass(_:)", "Ticket.twice()",
                "Ticket.choose(_:)", "Ward.Patient.lie(in:)", "Ward.Patient.turn(_:)",
                "Plain.init(_:)", "Plain.init(maybe:)", "Plain.init(later:)", "Plain.take(_:)", "Plain.neverWoven()", "Plain.get()",
                "Plain.check(_:)", "Plain.passOn(_:)", "Plain.change(inout:)", "Plain.glob()",
            ] {
                #expect(labels.contains(label), "\(label)")
            }
        }

        @Test("22: an asynchronous body runs where its function does, whether or not it names that", arguments: [false, true])
        @MainActor func asynchronousBodiesStay(isOpen: Bool) async throws {
            let tracked = Tracked()
            if isOpen { try tracked.tracker.start(TrackingPlan(json: Self.everything())) }
            defer { tracked.tracker.stop() }
            let quiet = Quiet.shared, guests = Guests()
            await quiet.work()
            await quiet.more()
            await quiet.most()
            await #expect(throws: PurchaseError.code(0)) { try await quiet.fails(Box()) }
            #expect(await quiet.each(3) == 3)
            #expect(await Array(quiet.opaque()) == [1])
            await guests.stays()
            await guests.given()
            await guests.knows()
            #expect(await guests.each("x") == "x")
            MainActor.preconditionIsolated()
            await Self.walks()
            #expect(tracked.labels.count == (isOpen ? 17 : 0))
        }

        @concurrent static func walks() async {
            let walker = Walker()
            #expect(await walker.walk(Box()) == 1)
            #expect(await walker.stroll() == 1)
            #expect(await walker.run(Box()).value == 0)
            #expect(await Walker.carry(Box()).value == 0)
            #expect(await Quiet.shared.passes(Box()).value == 0)
        }

        @Test("what is not annotated is no join point")
        func whatIsThere() {
            let names = Set(Tracker.joinPoints.map(\.id))
            #expect(!names.contains("LogbookTrackingTests.MainScreen.untracked()"))
            #expect(!names.contains("LogbookTrackingTests.Parent.hello()"))
            #expect(names.contains("LogbookTrackingTests.genericFree(_:)"))
            #expect(names.contains("LogbookTrackingTests.genericBySome(_:)"))
            #expect(names.contains("LogbookTrackingTests.genericBySomeInside(_:)"))
        }

        @Test("23: in a dynamic method the line is the source's own, and the events are the same")
        func dynamicKeepsItsLines() throws {
            let tracked = Tracked()
            try tracked.following(
                #"""
                { "trackedEvents": [
                  { "class": "Exact", "selector": "line()", "label": "line", "metadata": { "r": "$result" } },
                  { "class": "Exact", "selector": "pay(total:)", "label": "Paid", "advice": "afterReturning",
                    "metadata": { "all": "$self.total", "given": "$arg.total" } },
                  { "class": "Exact", "selector": "pay(total:)", "label": "Failed", "advice": "afterThrowing", "metadata": { "e": "$error" } },
                  { "class": "Exact", "selector": "reset()", "label": "no reset", "advice": "instead" } ] }
                """#
            ) {
                let exact = Exact()
                #expect(exact.line() == 218)
                _ = try exact.pay(total: 5)
                _ = try? exact.pay(total: -1)
                exact.reset()
                #expect(exact.total == 5)
            }
            #expect(tracked.labels == ["line", "Paid", "Failed", "no reset"])
            #expect(tracked.metadata(1) == ["all": 5, "given": 5])
            #expect(tracked.metadata(2) == ["e": "code(-1)"])
            #expect(Exact().line() == 218)
        }

        @Test("24: a point in a generic body that is tracked itself reports, with its values")
        func pointsInGenericBodies() throws {
            let tracked = Tracked()
            try tracked.following(#"""
                { "trackedEvents": [
                  { "point": "inGenericFree", "label": "free $arg.value", "late": true },
                  { "point": "inGenericType", "label": "type", "late": true } ] }
                """#) {
                #expect(genericWithPoint(3) == 3 && genericWithPoint("x") == "x" && PointBox(value: 4).open() == 4)
            }
            #expect(tracked.labels == ["free 3", "free x", "type"])
        }

        @Test("24: generic types and functions report, and a wrong selector of a generic class has near matches")
        func generics() throws {
            let tracked = Tracked()
            try tracked.following(
                #"""
                { "trackedEvents": [
                  { "class": "Holder", "selector": "get(_:)", "label": "got", "metadata": { "n": "$arg.n", "r": "$result", "v": "$self.value" } } ] }
                """#
            ) {
                _ = Holder(value: "q").get(3)
                _ = Holder(value: 1.5).get(4)
                _ = Holder(value: 1).map { $0 }
            }
            #expect(tracked.labels == ["got", "got"])
            #expect(tracked.metadata(0) == ["n": 3, "r": "q", "v": "q"])
            #expect(tracked.metadata(1) == ["n": 4, "r": 1.5, "v": 1.5])
            let issues = Tracked.issues(#"{ "trackedEvents": [ { "class": "Holder", "selector": "gett(_:)", "label": "x" } ] }"#)
            #expect(issues == [#"plan.json:1:55: error: "Holder" has no method "gett(_:)" that can be tracked; did you mean "get(_:)"?"#])
        }
    }
}
