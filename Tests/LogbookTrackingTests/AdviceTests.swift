import LogbookCore
import LogbookTestKit
import LogbookTracking
import Testing

extension TrackingTests {
    /// What a plan can do, and the article's own list of cons.
    @Suite(.serialized) struct AdviceTests {
        @Test("12: before, after a result and after an error; the caller gets what it got before")
        func beforeAndAfter() throws {
            let tracked = Tracked()
            try tracked.following(
                #"""
                { "trackedEvents": [
                  { "class": "Cart", "selector": "checkout(total:)", "label": "Try", "advice": "before" },
                  { "class": "Cart", "selector": "checkout(total:)", "label": "Paid", "advice": "afterReturning", "metadata": { "r": "$result" } },
                  { "class": "Cart", "selector": "checkout(total:)", "label": "Failed", "advice": "afterThrowing",
                    "metadata": { "e": "$error", "total": "$arg.total" } } ] }
                """#
            ) {
                try #expect(Cart().checkout(total: 2) == 4)
                #expect(throws: PurchaseError.code(7)) { try Cart().checkout(total: 0) }
            }
            #expect(tracked.labels == ["Try", "Paid", "Try", "Failed"])
            #expect(tracked.metadata(1) == ["r": 4])
            #expect(tracked.metadata(3) == ["e": "code(7)", "total": 0.0])
        }

        @Test("an error that marks private parts is reported as it describes itself, with those masked")
        func anErrorKeepsItsPrivateParts() throws {
            let tracked = Tracked()
            try tracked.following(
                #"""
                { "trackedEvents": [
                  { "class": "Counter", "selector": "pay()", "label": "Failed", "advice": "afterThrowing", "metadata": { "e": "$error" } } ] }
                """#
            ) { _ = #expect(throws: Refusal.self) { try Counter().pay() } }
            #expect(tracked.metadata(0) == ["e": "refused for <private>"])
        }

        @Test("13: instead of a method that returns nothing, only the event happens")
        func instead() throws {
            let tracked = Tracked(), screen = MainScreen()
            try tracked.following(
                #"{ "trackedEvents": [ { "class": "BaseScreen", "selector": "viewDidAppear(_:)", "label": "replaced", "advice": "instead" } ] }"#
            ) { screen.viewDidAppear(true) }
            #expect(screen.appearances == 0)
            #expect(tracked.labels == ["replaced"])
        }

        @Test("13: the same of a method whose body no closure may hold")
        func insteadOfABracketedBody() async throws {
            let tracked = Tracked(), mill = Mill()
            try tracked.tracker.start(TrackingPlan(json: #"""
                { "trackedEvents": [
                  { "class": "Mill", "selector": "grind(_:)", "label": "replaced", "advice": "instead" },
                  { "class": "Mill", "selector": "send(_:)", "label": "not sent", "advice": "instead" } ] }
                """#))
            mill.grind([1, 2])
            try await mill.send(Box())
            tracked.tracker.stop()
            #expect(mill.ground == 0)
            #expect(tracked.labels == ["replaced", "not sent"])
            mill.grind([1, 2])
            await #expect(throws: PurchaseError.code(2)) { try await mill.send(Box()) }
        }

        @Test("17: a value is reported as the call has left it, also where its body cannot be in a closure")
        func valuesAfterConsumingMethods() throws {
            let tracked = Tracked(), metadata = #""metadata": { "n": "$self.items.count" }"#
            try tracked.tracker.start(TrackingPlan(json: #"""
                { "trackedEvents": [
                  { "class": "Bag", "selector": "put(_:)", "label": "put", \#(metadata), "when": "$self.items.count > 0" },
                  { "class": "Bag", "selector": "fail(_:)", "label": "fail", \#(metadata) },
                  { "class": "Sack", "selector": "put(_:)", "label": "late", \#(metadata), "late": true } ] }
                """#))
            var bag = Bag(), sack = Sack<Int>()
            bag.put(1)
            #expect(throws: PurchaseError.code(2)) { try bag.fail(2) }
            sack.put(3)
            sack.here()
            tracked.tracker.stop()
            #expect(tracked.labels == ["put", "fail", "late"])
            #expect((0..<3).map { tracked.metadata($0) } == [["n": 1], ["n": 2], ["n": 1]])
        }

        @Test("14: a handler around a method changes its result; its errors pass through")
        func around() throws {
            let tracked = Tracked()
            tracked.tracker.around("Cart.checkout(total:)", returning: Int.self) { _, proceed in try proceed() + 1000 }
            try tracked.following("{}") {
                try #expect(Cart().checkout(total: 2) == 1004)
                #expect(throws: PurchaseError.code(7)) { try Cart().checkout(total: 0) }
            }
            #expect(try Cart().checkout(total: 2) == 4)
        }

        @Test("14: a handler goes around a method whose result has sugar inside")
        func aroundSugar() throws {
            let tracked = Tracked()
            tracked.tracker.around("Offer.pair()", returning: (Int, String?).self) { _, proceed in (try proceed().0, nil) }
            tracked.tracker.around("Offer.pay()", returning: Result<[String]?, PurchaseError>.self) { _, _ in .success(["paid"]) }
            try tracked.following("{}") {
                #expect(Offer().pair() == (1, nil) && Offer().pay() == .success(["paid"]))
            }
        }

        @Test("14: an error that the method cannot throw does not run it twice")
        func foreignError() throws {
            struct Foreign: Error {}
            let tracked = Tracked()
            tracked.tracker.around("Zoo.typed(_:)", returning: Int.self) { _, proceed in
                _ = try proceed()
                throw Foreign()
            }
            try tracked.following("{}") { try #expect(Zoo().typed(false) == 5) }
        }

        @Test("14: a handler around an asynchronous method awaits it where its caller is, and may not proceed at all")
        @MainActor func asynchronousAround() async throws {
            let tracked = Tracked()
            tracked.tracker.around("Account.slow(_:)", returning: Int.self) { call, proceed in
                await Task.yield()
                if call.argument("amount") as? Int == 0 { return 77 }
                let result = try await proceed()
                (call.instance as? Account)?.assertIsolated()
                return result + 1000
            }
            tracked.tracker.around("ViewModel.hop()", returning: Bool.self) { _, proceed in
                MainActor.assertIsolated()
                let hopped = try await proceed()
                MainActor.assertIsolated()
                return !hopped
            }
            try tracked.tracker.start(TrackingPlan(json: #"""
                { "trackedEvents": [ { "class": "Account", "selector": "slow(_:)", "label": "$arg.amount: $result" } ] }
                """#))
            let account = Account()
            try #expect(await account.slow(2) == 1004)
            try #expect(await account.slow(0) == 77)
            try #expect(await account.slow(1) == 1006)
            await #expect(throws: PurchaseError.code(-1)) { try await account.slow(-1) }
            #expect(await ViewModel().hop() == false)
            tracked.tracker.stop()
            #expect(tracked.labels == ["2: 1004", "0: 77", "1: 1006", "-1: nil"])
            #expect(await ViewModel().hop())
        }

        @Test("14: an error that an asynchronous method cannot throw does not run it twice")
        func foreignErrorLater() async throws {
            struct Foreign: Error {}
            let tracked = Tracked(), later = Later()
            tracked.tracker.around("Later.typed(_:)", returning: Int.self) { call, proceed in
                if call.argument("number") as? Int != 3 { _ = try await proceed() }
                throw Foreign()
            }
            try tracked.tracker.start(TrackingPlan(json: "{}"))
            defer { tracked.tracker.stop() }
            try #expect(await later.typed(1) == 1)
            await #expect(throws: PurchaseError.code(2)) { try await later.typed(2) }
            try #expect(await later.typed(3) == 3)   // it did not proceed: then the method alone knows its result
            #expect(later.calls == 3)
        }

        @Test("15: only some instances, by a mark that dies with the object")
        func instances() throws {
            let tracked = Tracked()
            try tracked.following(
                #"{ "trackedEvents": [ { "class": "MainScreen", "selector": "share(_:)", "label": "S", "metadata": { "n": "$arg.sender" }, "instances": "promo" } ] }"#
            ) {
                let plain = MainScreen(), promoted = MainScreen()
                Tracker.mark(promoted, "promo")
                _ = plain.share(1)
                _ = promoted.share(2)
                for number in 10..<200 {   // objects that take the place of marked ones
                    let passing = MainScreen()
                    if number % 2 == 0 { Tracker.mark(passing, "promo") } else { _ = passing.share(number) }
                }
                Tracker.mark(promoted, nil)
                _ = promoted.share(3)
            }
            #expect(tracked.analytics.events.map { $0.metadata["n"] } == [2])
        }

        @Test("16: only under a condition, of the plan or of the program")
        func conditions() throws {
            let tracked = Tracked()
            tracked.tracker.addPredicate("isSmall") { call in (call.argument("quantity") as? Int ?? 0) < 3 }
            try tracked.following(
                #"""
                { "trackedEvents": [
                  { "class": "Cart", "selector": "add(_:quantity:)", "label": "Added $arg.item", "when": "$arg.quantity > 1 && $self.couponCode == null" },
                  { "class": "Cart", "selector": "add(_:quantity:)", "label": "Small $arg.item", "when": "isSmall && !($arg.item == 'b')" } ] }
                """#
            ) {
                var cart = Cart()
                _ = cart.add("a")
                _ = cart.add("b", quantity: 2)
                cart.couponCode = "TEN"
                _ = cart.add("c", quantity: 4)
            }
            #expect(tracked.labels == ["Small a", "Added b"])
        }

        @Test("17: metadata that is computed when it happens")
        func computed() throws {
            let clock = ManualClock(now: LogTime(nanoseconds: 0)), tracked = Tracked(clock: .manual(clock))
            tracked.tracker.addMetadata("math") { _ in ["answer": LogValue(6 * 7)] }
            tracked.tracker.addMetadata("basket", for: Cart.self) { cart, call in ["items": LogValue(cart.items.count)] }
            try tracked.following(
                #"""
                { "trackedEvents": [
                  { "class": "Cart", "selector": "add(_:quantity:)", "label": "a", "metadataFrom": "math",
                    "metadata": { "n": "$result", "size": "$self.items.count", "text": "$arg.quantity of $arg.item", "price": "$$5", "fixed": 2.5, "on": true } },
                  { "class": "Cart", "selector": "onEach(_:)", "label": "b", "metadataFrom": "basket", "metadata": { "ms": "$duration_ms", "s": "$selector" } },
                  { "class": "MainScreen", "selector": "share(_:)", "label": "c", "metadata": { "t": "$type", "title": "$self.title", "deep": "$self.cart.items.count", "none": "$self.cart.couponCode" } } ] }
                """#
            ) {
                var cart = Cart()
                _ = cart.add("b", quantity: 2)
                cart.onEach { _ in clock.advance(by: .milliseconds(4)) }
                _ = MainScreen().share(1)
            }
            #expect(tracked.metadata(0) == ["n": 2, "size": 2, "text": "2 of b", "price": "$5", "fixed": 2.5, "on": true, "answer": 42])
            #expect(tracked.metadata(1) == ["items": 2, "ms": 8.0, "s": "onEach(_:)"])
            #expect(tracked.metadata(2) == ["t": "MainScreen", "title": "base", "deep": 0, "none": nil])
        }

        @Test("17: a text has a count, too, also one that may be missing; what is not stored is null unless its type offers it")
        func propertiesOfTexts() throws {
            let tracked = Tracked()
            try tracked.following(
                #"""
                { "trackedEvents": [
                  { "class": "Note", "selector": "add(_:part:)", "label": "added", "when": "$arg.text.count > 2",
                    "metadata": { "text": "$arg.text.count", "part": "$arg.part.count", "title": "$self.title.count",
                      "first": "$self.title.first", "size": "$self.size", "words": "$self.words", "nothing": "$self.nothing" } } ] }
                """#
            ) {
                Note().add("über", part: "longer".dropLast(2))
                Note().add("no", part: "")
            }
            #expect(tracked.labels == ["added"])
            #expect(tracked.metadata(0) == ["text": 4, "part": 4, "title": 5, "first": nil, "size": nil, "words": 2, "nothing": nil])
        }

        @Test("18: an event that is drowned in a larger method; its values are evaluated only when a plan asks")
        func drowned() throws {
            let tracked = Tracked()
            Evaluations.count = 0
            #expect(Legacy().blob(200) == 180)
            #expect(Evaluations.count == 0)
            try tracked.following(#"{ "trackedEvents": [ { "point": "vipDiscount", "label": "VIP", "metadata": { "d": "$arg.discount", "l": "$arg.label" } } ] }"#) {
                #expect(Legacy().blob(200) == 180)
                #expect(Legacy().blob(50) == 50)
            }
            #expect(tracked.labels == ["VIP"])
            #expect(tracked.metadata(0) == ["d": 20.0, "l": "ten, percent"])
            #expect(Evaluations.count == 1)
        }

        @Test("19: static methods and free functions")
        func statics() throws {
            let tracked = Tracked()
            try tracked.following(#"{ "trackedEvents": [ { "class": "Cart", "selector": "make(_:)", "label": "made", "metadata": { "n": "$arg.numbers.count" } } ] }"#) {
                _ = Cart.make(1, 2)
            }
            #expect(tracked.metadata(0) == ["n": 2])
        }

        @Test("once, and every so often")
        func onceAndEvery() throws {
            let tracked = Tracked()
            try tracked.following(
                #"""
                { "trackedEvents": [
                  { "class": "Cart", "selector": "count()", "label": "once", "once": true },
                  { "class": "Cart", "selector": "count()", "label": "every", "every": 3, "level": "warning" } ] }
                """#
            ) { for _ in 0..<7 { _ = Cart().count() } }
            #expect(tracked.labels.count { $0 == "once" } == 1)
            #expect(tracked.labels.count { $0 == "every" } == 3)
            #expect(tracked.analytics.events.last?.level == .warning)
        }

        @Test("25: what may not be captured is not, whatever the plan or a closure says")
        func notCapturable() throws {
            let issues = Tracked.issues(#"{ "trackedEvents": [ { "class": "Vault", "selector": "logIn(user:pin:)", "label": "x", "metadata": { "p": "$arg.pin" } } ] }"#)
            #expect(issues.count == 1)
            #expect(issues[0].contains(#"the parameter "pin" of Vault.logIn(user:pin:) cannot be captured"#))
            let tracked = Tracked(), seen = Seen()
            tracked.tracker.addMetadata("all") { call in
                seen.values = ["\(call.argument("user") ?? "none")", "\(call.argument("pin") ?? "none")"]
                return [:]
            }
            try tracked.following(#"{ "trackedEvents": [ { "class": "Vault", "selector": "logIn(user:pin:)", "label": "x", "metadataFrom": "all" } ] }"#) {
                Vault().logIn(user: "kim", pin: "1234")
            }
            #expect(seen.values == ["kim", "none"])
        }

        @Test("25: what a type excepts is excepted in each of its functions, whatever word of their own they have", arguments: [
            #""class": "Safe", "selector": "open(code:)", "label": "$arg.code""#,
            #""class": "Safe", "selector": "close(code:)", "label": "$arg.code""#,
            #""class": "Safe", "selector": "change(code:word:)", "label": "$arg.code""#,
            #""class": "Safe", "selector": "change(code:word:)", "label": "$arg.word""#,
            #""class": "Safe", "selector": "lock(code:)", "label": "$arg.code""#,
            #""class": "SafeOf", "selector": "close(code:at:)", "label": "$arg.code""#,
        ])
        func notCapturableInItsType(entry: String) {
            let issues = Tracked.issues("{ \"trackedEvents\": [ { \(entry) } ] }")
            #expect(issues.count == 1 && issues[0].contains("cannot be captured"), "\(issues)")
        }

        @Test("25: in generic code what is excepted takes no other parameter's place")
        func notCapturableInGenericCode() throws {
            let tracked = Tracked()
            try tracked.following(
                #"{ "trackedEvents": [ { "class": "SafeOf", "selector": "close(code:at:)", "label": "closed at $arg.hour" } ] }"#
            ) {
                SafeOf(value: 1).close(code: "1234", at: 7)
            }
            #expect(tracked.labels == ["closed at 7"])
        }

        @Test("captured values are as private as the plan says, in labels and in metadata", arguments: [PrivacyMode.masked, .revealed])
        func privacy(mode: PrivacyMode) throws {
            let tracked = Tracked(privacy: mode)
            try tracked.following(
                #"""
                { "trackedEvents": [ { "class": "Vault", "selector": "logIn(user:pin:)", "label": "$arg.user of $self.city came",
                  "metadata": { "user": "$arg.user", "both": "$arg.user in $self.city", "city": "$self.city", "key": "$self.key", "own": "$self.guarded" },
                  "private": ["$arg.user"], "secret": ["$self.key"] } ] }
                """#
            ) { Vault().logIn(user: "kim", pin: "1234") }
            let isRevealed = mode == .revealed, user: LogValue = isRevealed ? "kim" : "<private>"
            #expect(tracked.labels == [isRevealed ? "kim of Rome came" : "<private> of Rome came"])
            #expect(tracked.metadata(0) == [
                "user": user, "both": isRevealed ? "kim in Rome" : "<private>", "city": "Rome", "key": "<secret>",
                "own": isRevealed ? "mine" : "<private>",
            ])
        }

        @Test("a value is as private by its parameter's other name, and so is what is in it")
        func privacyByAnotherName() throws {
            let tracked = Tracked(privacy: .masked)
            try tracked.following(
                #"""
                { "trackedEvents": [ { "class": "Gatehouse", "selector": "open(by:with:)", "label": "opened by $arg.name",
                  "metadata": { "who": "$arg.by", "first": "$arg.by.first", "key": "$arg.with" }, "private": ["$arg.name"] } ] }
                """#
            ) { Gatehouse().open(by: Gatehouse.Person(first: "kim"), with: 3) }
            #expect(tracked.labels == ["opened by <private>"])
            #expect(tracked.metadata(0) == ["who": "<private>", "first": "<private>", "key": 3])
        }

        @Test("whole numbers of a plan are those that it says, as far as 64 bits go")
        func wholeNumbers() throws {
            let tracked = Tracked()
            try tracked.following(
                #"""
                { "trackedEvents": [ { "class": "Gatehouse", "selector": "open(by:with:)", "label": "opened",
                  "metadata": { "n": 1234567890123456789, "m": -9223372036854775808, "half": 0.5, "more": 1e3, "huge": 9223372036854775808 },
                  "when": "$arg.key == 1234567890123456789 || $arg.key == 2.0 || $arg.key >= 9007199254740993" } ] }
                """#
            ) { for key in [1_234_567_890_123_456_789, 1_234_567_890_123_456_788, 2, 3, 9_007_199_254_740_992] {
                Gatehouse().open(by: Gatehouse.Person(first: "kim"), with: key)
            } }
            #expect(tracked.labels.count == 3)
            #expect(
                tracked.metadata(0) == [
                    "n": 1_234_567_890_123_456_789, "m": .integer(.min), "half": 0.5, "more": 1000, "huge": .double(9_223_372_036_854_775_808),
                ])
        }

        @Test("29: a provider that calls what is tracked reports nothing of its own")
        func noRecursion() throws {
            let tracked = Tracked()
            tracked.service.register(CountingCarts(), name: "carts")
            tracked.tracker.addPredicate("hasCount") { _ in Cart().count() == 0 }
            try tracked.following(#"{ "trackedEvents": [ { "class": "Cart", "selector": "count()", "label": "counted", "when": "hasCount" } ] }"#) {
                _ = Cart().count()
            }
            #expect(tracked.labels == ["counted"])
        }

        @Test("two trackers share a join point, and each stops by itself")
        func twoTrackers() throws {
            let first = Tracked(), second = Tracked()
            let plan = TrackingPlan(json: #"{ "trackedEvents": [ { "class": "Cart", "selector": "count()", "label": "n" } ] }"#)
            try first.tracker.start(plan)
            try second.tracker.start(plan)
            _ = Cart().count()
            first.tracker.stop()
            _ = Cart().count()
            second.tracker.stop()
            _ = Cart().count()
            #expect(first.labels.count == 1)
            #expect(second.labels.count == 2)
        }

        @Test("a plan takes the place of the one before")
        func reload() throws {
            let tracked = Tracked()
            try tracked.tracker.start(TrackingPlan(json: #"{ "trackedEvents": [ { "class": "Cart", "selector": "count()", "label": "old" } ] }"#))
            _ = Cart().count()
            try tracked.tracker.start(TrackingPlan(json: #"{ "trackedScreens": [ { "class": "MainScreen", "label": "new" } ] }"#))
            _ = Cart().count()
            MainScreen().viewDidAppear(true)
            tracked.tracker.stop()
            #expect(tracked.labels == ["old", "new"])
        }

        @Test("levels and filters decide about what a plan reports like about anything else")
        func levels() throws {
            let tracked = Tracked(), quiet = RecordingProvider()
            tracked.service.register(quiet, levels: try LevelRules(parsing: "warning,tracking.screen=info"), name: "quiet")
            try tracked.following(
                #"""
                { "trackedScreens": [ { "class": "MainScreen", "label": "Main" } ],
                  "trackedEvents": [ { "class": "Cart", "selector": "count()", "label": "counted" } ] }
                """#
            ) {
                MainScreen().viewDidAppear(true)
                _ = Cart().count()
            }
            #expect(quiet.messages == ["Main"])
        }

        @Test("functions that have one name report all of them, each its own arguments")
        func namesakes() throws {
            let tracked = Tracked()
            tracked.tracker.around("Shelf.add(_:)", returning: Int.self) { _, proceed in try proceed() + 100 }
            try tracked.following(
                #"""
                { "trackedEvents": [
                  { "class": "Shelf", "selector": "add(_:)", "label": "added $result" },
                  { "class": "Shelf", "selector": "make()", "label": "made $result" },
                  { "class": "Rack", "selector": "put(_:)", "label": "put $arg.item" } ] }
                """#
            ) {
                let shelf = Shelf()
                #expect(shelf.add("tea") == 103 && shelf.add(4) == 104)
                #expect(shelf.make() == "shelf" && Shelf.make() == 1)
                Rack(value: 1).put("a")
                Rack(value: 1).put(2)
            }
            #expect(tracked.labels == ["added 103", "added 104", "made shelf", "made 1", "put a", "put 2"])
        }

        @Test("27: a point of an extension of a generic type is known from its first call on")
        func late() throws {
            let tracked = Tracked()
            try tracked.following(#"{ "trackedEvents": [ { "class": "Late", "selector": "tripled()", "label": "tripled", "metadata": { "r": "$result" }, "late": true } ] }"#) {
                #expect(Late(value: 2).tripled() == 6)
                #expect(Late(value: 3).tripled() == 9)
            }
            #expect(tracked.analytics.events.map { $0.metadata["r"] } == [6, 9])
        }

        @Test("27: of several functions of a name that come late, each reports from its first call on")
        func lateNamesakes() throws {
            let tracked = Tracked(), plan = #"""
                { "trackedEvents": [
                  { "class": "Late", "selector": "times(_:)", "label": "times", "metadata": { "r": "$result" }, "late": true },
                  { "class": "Late", "selector": "times(_:)", "label": "again", "advice": "before", "late": true } ] }
                """#
            try tracked.following(plan) {
                for _ in 0..<2 {
                    #expect(Late(value: 2).times(3) == 6)
                    #expect(Late(value: 2).times("abcd") == 8)
                }
            }
            try tracked.following(plan) { #expect(Late(value: 2).times("a") == 2) }   // both are known at the start
            #expect(tracked.labels == Array(repeating: ["again", "times"], count: 5).flatMap { $0 })
            #expect(tracked.analytics.events.compactMap { $0.metadata["r"] } == [6, 8, 6, 8, 2])
        }

        @Test("2: a static method that is inherited reports for the class that the plan names, and those below it")
        func inheritedStatics() throws {
            let tracked = Tracked()
            try tracked.following(#"""
                { "trackedEvents": [
                  { "class": "FrontLeaf", "selector": "reset()", "label": "front" },
                  { "class": "FrontLeaf", "selector": "turn()", "label": "turned" },
                  { "class": "Leaf", "selector": "reset()", "label": "any" } ] }
                """#) {
                #expect(Leaf.reset() == 1 && ListLeaf<Int>.reset() == 1)
                #expect(tracked.labels == ["any", "any"])
                #expect(FrontLeaf.reset() == 1)
                Leaf(named: "a").turn()
                FrontLeaf(named: "b").turn()
            }
            #expect(tracked.labels.dropFirst(2).sorted() == ["any", "front", "turned"])
        }

        @Test("26: plans come and go while the methods are called")
        func underLoad() async throws {
            let tracked = Tracked()
            let plans = [
                #"{ "trackedEvents": [ { "class": "Cart", "selector": "count()", "label": "a", "metadata": { "r": "$result" } }, { "class": "Holder", "selector": "get(_:)", "label": "g" } ] }"#,
                #"{ "trackedEvents": [ { "class": "Cart", "selector": "count()", "label": "b", "when": "$result == 0" } ] }"#,
            ].map { TrackingPlan(json: $0) }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        for number in 0..<5_000 {
                            #expect(Cart().count() == 0)
                            #expect(Holder(value: number).get(0) == number)
                            if number % 500 == 0 { await Task.yield() }
                        }
                    }
                }
                group.addTask {
                    for number in 0..<60 {
                        _ = try? tracked.tracker.start(plans[number % 2])
                        if number % 7 == 0 { tracked.tracker.stop() }
                        await Task.yield()
                    }
                }
            }
            tracked.tracker.stop()
            let count = tracked.labels.count
            _ = Cart().count()
            #expect(tracked.labels.count == count)
        }
    }
}

@TrackedType final class Vault {
    let city = "Rome"
    let key = "k-1"
    let guarded = LogValue.private("mine")
    @Tracked(except: "pin") func logIn(user: String, pin: String) {}
}

@TrackedType(except: "code") struct Safe {
    func open(code: String) {}
    @Tracked func close(code: String) {}
    @Tracked(except: "word") func change(code: String, word: String) {}
}
@TrackedExtension(except: "code") extension Safe {
    @Tracked func lock(code: String) {}
}

@TrackedType(except: "code") struct SafeOf<Value> {
    let value: Value
    @Tracked func close(code: String, at hour: Int) {}
}

@TrackedType struct Note: TrackingReadable {
    var title: String? = "a b c"
    var size: Int { 3 }
    func add(_ text: String, part: Substring) {}
    func trackingValue(_ name: String) -> Any? { name == "words" ? 2 : nil }
}

@TrackedType struct Offer {
    func pair() -> (Int, String?) { (1, "one") }
    func pay() -> Result<[String]?, PurchaseError> { .failure(.code(1)) }
}

@TrackedType final class Later {
    var calls = 0
    func typed(_ number: Int) async throws(PurchaseError) -> Int {
        calls += 1
        await Task.yield()
        if number == 2 { throw .code(2) }
        return number
    }
}

@TrackedType final class Gatehouse {
    struct Person { let first: String }
    func open(by name: Person, with key: Int) {}
}

struct Late<Value> { var value: Value }
@TrackedExtension(generic: true) extension Late where Value == Int {
    func tripled() -> Int { value * 3 }
    func times(_ number: Int) -> Int { value * number }
    func times(_ text: String) -> Int { value * text.count }
}

@TrackedType(initializers: true) class Leaf {
    init(named name: String) {}
    func turn() {}
    class func reset() -> Int { 1 }
}
@TrackedType final class FrontLeaf: Leaf {}
@TrackedType final class ListLeaf<Row>: Leaf {}

@TrackedType final class Mill {
    var ground = 0
    func grind(_ corn: consuming [Int]) { ground += corn.count }
    func send(_ box: sending Box) async throws(PurchaseError) { throw .code(ground) }
}

@TrackedType final class Shelf {
    func add(_ item: String) -> Int { item.count }
    func add(_ number: Int) -> Int { number }
    func make() -> String { "shelf" }
    static func make() -> Int { 1 }
}

@TrackedType struct Rack<Value> {
    var value: Value
    func put(_ item: String) {}
    func put(_ item: Int) {}
}

final class Seen: @unchecked Sendable { var values: [String] = [] }

struct CountingCarts: LogProvider {
    func log(_ event: LogEvent) { _ = Cart().count() }
    func flush(by deadline: LogDeadline) {}
}

private struct Refusal: LogDescribableError {
    let customer: String
    var logDescription: LogMessage { "refused for \(customer, privacy: .private)" }
}

@TrackedType private final class Counter {
    func pay() throws { throw Refusal(customer: "jane") }
}
