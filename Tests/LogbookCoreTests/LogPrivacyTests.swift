import LogbookTestKit
import Testing

@testable import LogbookCore

@Suite struct LogPrivacyTests {
    private struct Declined: LogDescribableError {
        let name: String
        var logDescription: LogMessage { "declined for \(name, privacy: .private)" }
    }
    private struct Plain: Error, CustomStringConvertible { let description: String }

    private static let key = PrivacyKey(hexadecimal: "000102030405060708090a0b0c0d0e0f")!
    private func hash(_ text: String) -> String {
        let digits = String(Self.key.hash(Array(text.utf8)), radix: 16)
        return "<private:" + String(repeating: "0", count: 16 - digits.count) + digits + ">"
    }

    /// One service, and a provider for every mode.
    private struct Bench {
        let service = LogService()
        let heard: [PrivacyMode: RecordingProvider]

        init(_ rules: PrivacyRules = .none) {
            service.privacyRules = rules
            service.privacyKey = LogPrivacyTests.key
            var heard: [PrivacyMode: RecordingProvider] = [:]
            for mode in [PrivacyMode.masked, .revealed, .hashed, .dropped] {
                let provider = RecordingProvider()
                service.register(provider).privacy = mode
                heard[mode] = provider
            }
            self.heard = heard
        }

        func messages(_ mode: PrivacyMode) -> [String] { heard[mode]!.messages }
        func metadata(_ mode: PrivacyMode) -> LogMetadata { heard[mode]!.events.last!.metadata }
    }

    @Test func eachRegistrationSeesPrivateValuesItsOwnWay() {
        let bench = Bench()
        bench.service.info("a \("jane", privacy: .private) b \("key", privacy: .secret) c \(42, privacy: .public) d")
        #expect(bench.messages(.masked) == ["a <private> b <secret> c 42 d"])
        #expect(bench.messages(.revealed) == ["a jane b <secret> c 42 d"])
        #expect(bench.messages(.hashed) == ["a \(hash("jane")) b <secret> c 42 d"])
        #expect(bench.messages(.dropped) == ["a  b  c 42 d"])
    }

    @Test func metadataIsSeenTheSameWayHoweverDeep() {
        let bench = Bench()
        bench.service.info(
            "m",
            metadata: [
                "user": .private("jane"), "list": [1, .private(2), .secret(3), ["deep": .private(true)]], "all": .private(["a": 1]),
                "open": .public("x"),
            ])
        #expect(
            bench.metadata(.masked) == [
                "user": "<private>", "list": [1, "<private>", "<secret>", ["deep": "<private>"]], "all": "<private>", "open": "x",
            ])
        #expect(bench.metadata(.revealed) == ["user": "jane", "list": [1, 2, "<secret>", ["deep": true]], "all": ["a": 1], "open": "x"])
        #expect(bench.metadata(.hashed)["user"] == .string(hash("jane")))
        #expect(bench.metadata(.hashed)["list"] == [1, .string(hash("2")), "<secret>", ["deep": .string(hash("true"))]])
        #expect(bench.metadata(.dropped) == ["list": [1, [:]], "open": "x"])
    }

    @Test func equalValuesHaveEqualHashesWhereverTheyStand() {
        let bench = Bench(.standard)
        bench.service.info("\(42, privacy: .private) token=abc", metadata: ["n": .private(42), "token": "abc", "o": .private("43")])
        let metadata = bench.metadata(.hashed)
        #expect(bench.messages(.hashed) == ["\(hash("42")) token=\(hash("abc"))"])
        #expect(metadata == ["n": .string(hash("42")), "token": .string(hash("abc")), "o": .string(hash("43"))])
        #expect(hash("42") != hash("43"))
        // Within what is found, a mark is one of its own.
        bench.service.info("Authorization: Bearer \("abc", privacy: .private) password=a\("abc", privacy: .private)b")
        #expect(
            bench.messages(.hashed).last
                == "Authorization: \(hash("Bearer "))\(hash("abc")) password=\(hash("a"))\(hash("abc"))\(hash("b"))")
        // What was hashed elsewhere is not hashed again.
        let masked = [hash("abc"), "<private>", "<secret>"]
        for text in masked {
            bench.service.info("token=\(text)", metadata: ["token": .string(text), "o": .private(.string(text))])
            #expect(bench.messages(.hashed).last == "token=\(text)")
            #expect(bench.metadata(.hashed) == ["token": .string(text), "o": .string(text)])
        }
        for text in masked.map({ $0 + " " }) + ["<private:0123456789abcde>", "<private:0123456789abcdeg>", "<private:0123456789abcdef"] {
            bench.service.info("m", metadata: ["token": .string(text)])
            #expect(bench.metadata(.hashed)["token"] == .string(hash(text)))
        }
        bench.service.privacyKey = .random()
        bench.service.info("\(42, privacy: .private)")
        #expect(bench.messages(.hashed).last?.hasPrefix("<private:") == true && bench.messages(.hashed).last != hash("42"))
    }

    @Test func twoListsThatLookAlikeHaveDifferentHashes() {
        let bench = Bench()
        bench.service.info("m", metadata: ["a": .private(["x", "y"]), "b": .private(["xy"]), "c": .private(["x": "y"]), "d": .private("[1:x1:y]")])
        #expect(Set(bench.metadata(.hashed).map(\.value)).count == 3)
    }

    @Test("S4: what the rules find is hidden in messages, nested metadata, keys, errors and entries' error descriptions")
    func whatIsFoundIsHiddenEverywhere() {
        let bench = Bench(.standard), card = "4111111111111111"
        bench.service.error(
            "paid with \(card)", metadata: ["list": [["note": "card \("4111111111111111")"]], "4111111111111111": 1, "n": 4111111111111111],
            error: Plain(description: "refused \(card)"))
        let event = bench.heard[.masked]!.events[0]
        #expect(event.message == "paid with <private>")
        #expect(event.metadata == ["list": [["note": "card <private>"]], "<private>": 1, "n": "<private>"])
        #expect(event.error == LogErrorDetails(type: "Plain", description: "refused <private>"))
        #expect(bench.metadata(.dropped) == ["list": [["note": "card "]]])
        #expect(bench.metadata(.revealed)["4111111111111111"] == 1)

        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(7, error: 401, "refused \(card)")
        let entry = bench.heard[.masked]!.events.last
        #expect(entry?.transaction?.errorDescription == "refused <private>")
        #expect(entry?.message == "\(transaction.id) event 7, error 401: refused <private>")
        #expect(bench.heard[.hashed]!.events.last?.transaction?.errorDescription == "refused \(hash(card))")
    }

    @Test func anErrorAndAnEntryCanSayWhatIsPrivate() {
        let bench = Bench()
        bench.service.error("m", error: Declined(name: "jane"))
        #expect(bench.heard[.masked]!.events.last?.error == LogErrorDetails(type: "Declined", description: "declined for <private>"))
        #expect(bench.heard[.revealed]!.events.last?.error?.description == "declined for jane")
        #expect(LogErrorDetails(Declined(name: "jane")).description == "declined for <private>")

        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(7, error: 404, "no account for \("jane", privacy: .private)")
        #expect(bench.heard[.masked]!.events.last?.transaction?.errorDescription == "no account for <private>")
        #expect(bench.messages(.revealed).last == "\(transaction.id) event 7, error 404: no account for jane")
        #expect(bench.messages(.dropped).last == "\(transaction.id) event 7, error 404: no account for ")

        enum Login: Int { case failed = 9 }
        transaction.log(Login.failed, error: 404, "no account for \("joe", privacy: .private)")
        #expect(bench.heard[.masked]!.events.last?.transaction?.errorDescription == "no account for <private>")
        #expect(bench.heard[.masked]!.events.last?.transaction?.kind == .happened(9))
    }

    @Test func anErrorSaysWhatIsPrivateWithinAMessageToo() {
        let bench = Bench(), error = Declined(name: "jane"), erased: any Error = error, missing: (any Error)? = nil
        let describable: any LogDescribableError = error, optional: (any Error)? = error
        bench.service.info("x \(error)")
        bench.service.info("x \(erased)")
        bench.service.info("x \(describable)")
        bench.service.info("x \(optional)")
        #expect(bench.messages(.masked) == Array(repeating: "x declined for <private>", count: 4))
        #expect(bench.messages(.revealed) == Array(repeating: "x declined for jane", count: 4))
        #expect(bench.messages(.hashed) == Array(repeating: "x declined for \(hash("jane"))", count: 4))
        bench.service.info("\(missing) \(Plain(description: "plain")) \(1)")
        #expect(bench.messages(.masked).last == "nil plain 1")
    }

    @Test func anErrorSaysWhatIsPrivateAsAMessageToo() {
        let bench = Bench(), error = Declined(name: "jane"), erased: any Error = error, anything: Any = error
        bench.service.error(error)
        bench.service.error(erased)
        bench.service.log(.error, anything)
        bench.service.category("net").error(erased)
        #expect(bench.messages(.masked) == Array(repeating: "declined for <private>", count: 4))
        #expect(bench.messages(.revealed) == Array(repeating: "declined for jane", count: 4))
        bench.service.error(Plain(description: "plain"))
        #expect(bench.messages(.masked).last == "plain")
    }

    @Test func anErrorSaysWhatIsPrivateWhereItsTypeIsNotKnownToo() {
        func message<Value>(_ value: Value) -> LogMessage { "x \(value)" }
        let bench = Bench(), error = Declined(name: "jane"), anything: Any = error, optional: Any? = error
        bench.service.info(message(error))
        bench.service.info("x \(anything)")
        bench.service.info(message(optional))
        #expect(bench.messages(.masked) == Array(repeating: "x declined for <private>", count: 3))
        #expect(bench.messages(.revealed) == Array(repeating: "x declined for jane", count: 3))
        bench.service.info("a \(anything, privacy: .private) b \(anything, privacy: .secret) c \(anything, privacy: .public) d")
        #expect(bench.messages(.masked).last == "a <private> b <secret> c declined for <private> d")
        #expect(bench.messages(.revealed).last == "a declined for jane b <secret> c declined for jane d")
    }

    @Test func anErrorThatIsDescribedInMetadataIsMasked() {
        let bench = Bench(), error = Declined(name: "jane"), anything: Any = error
        bench.service.info("m", metadata: ["a": .describing(error), "b": .describing(anything), "c": .describing(Plain(description: "p"))])
        let expected: LogMetadata = ["a": "declined for <private>", "b": "declined for <private>", "c": "p"]
        for mode in [PrivacyMode.masked, .revealed] { #expect(bench.metadata(mode) == expected) }
    }

    @Test("S4: an error masks what it marks wherever it is made a text, within another as well")
    func anErrorThatIsMadeATextIsMasked() {
        enum Failed: Error { case failed(underlying: any Error) }
        let bench = Bench(), error = Declined(name: "jane"), erased: any Error = error, shown = "declined for <private>"
        #expect("\(error)" == shown && "\(erased)" == shown && String(reflecting: error) == shown)
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(4, error: 7, "failed: \(error)")
        bench.service.info("m", metadata: ["cause": "\(error)"])
        let result = Result<Int, any Error>.failure(error), optional: Declined? = error
        bench.service.info("\(result), \([error]), \(Failed.failed(underlying: error))")
        bench.service.error("m", metadata: ["o": .describing(optional)], error: Failed.failed(underlying: error))
        for mode in [PrivacyMode.masked, .revealed] {
            let events = bench.heard[mode]!.events
            #expect(events[1].transaction?.errorDescription == "failed: \(shown)")
            #expect(events[2].metadata == ["cause": .string(shown)])
            #expect(events[3].message == "failure(\(shown)), [\(shown)], failed(underlying: \(shown))")
            #expect(events[4].error?.description == "failed(underlying: \(shown))")
            #expect(events[4].metadata == ["o": .string(shown)])
        }
    }

    @Test func anErrorMayHaveADescriptionOfItsOwn() {
        struct Refused: LogDescribableError {
            let description = "refused"
            var logDescription: LogMessage { "refused for \("jane", privacy: .private)" }
        }
        #expect("\(Refused())" == "refused" && LogErrorDetails(Refused()).description == "refused for <private>")
        #expect("\(BatchWriteError.wroteOnly(count: 1, because: Refused()))" == "wrote only 1 events: refused for <private>")
        #expect("\(BatchWriteError.refused(.oversize, because: Refused()))" == "refused (oversize): refused for <private>")
    }

    @Test func whyASinkWroteOnlyAPartIsMaskedWhereItsHealthIsShown() {
        let service = LogService(), declined = Declined(name: "jane")
        let registration = service.register(sink: FailingSink { _ in BatchWriteError.wroteOnly(count: 0, because: declined) })
        service.info("x")
        #expect(service.flush(by: .milliseconds(50)).unfinished.first?.reason.contains("jane") == false)
        #expect(becomesTrue { registration.latestFailure == "wrote only 0 events: declined for <private>" })
    }

    @Test func theErrorOfASinkIsMaskedWhereItsHealthIsShown() {
        let service = LogService(), declined = Declined(name: "jane")
        let registration = service.register(sink: FailingSink { _ in declined })
        service.info("x")
        #expect(service.flush(by: .milliseconds(50)).unfinished.first?.reason.contains("jane") == false)
        #expect(becomesTrue { registration.latestFailure == "declined for <private>" })
    }

    @Test func anErrorWithinAMarkKeepsItsOwnMarks() {
        let bench = Bench(), error = Declined(name: "jane"), erased: (any Error)? = error
        bench.service.info("a \(error, privacy: .private) b \(error, privacy: .secret) c \(error, privacy: .public) d")
        bench.service.info("a \(erased, privacy: .private) b \(erased, privacy: .secret) c \(erased, privacy: .public) d")
        #expect(bench.messages(.masked) == Array(repeating: "a <private> b <secret> c declined for <private> d", count: 2))
        #expect(bench.messages(.revealed) == Array(repeating: "a declined for jane b <secret> c declined for jane d", count: 2))
    }

    @Test func aLongErrorWithinAMessageIsWhole() {
        let bench = Bench(), name = String(repeating: "jane ", count: 2_000)
        bench.service.info("x \(Declined(name: name)) \("joe", privacy: .private)")
        #expect(bench.messages(.revealed) == ["x declined for \(name) joe"])
        #expect(bench.messages(.masked) == ["x declined for <private> <private>"])
    }

    @Test func eventsThatSayTheSameAreEqualWhetherSomethingInThemIsPrivate() {
        let bench = Bench()
        bench.service.info("for \("jane", privacy: .private)", metadata: ["n": .private(1)])
        bench.service.info("for jane", metadata: ["n": .public(1)])
        let events = bench.heard[.revealed]!.events, shown = events[0]
        let same = LogEvent(
            sequence: shown.sequence, time: shown.time, level: .info, message: "for jane", metadata: ["n": 1], thread: shown.thread,
            source: shown.source)
        #expect(events.map(\.showsPrivate) == [true, false] && shown == same)
        #expect(shown.replacingMessage("x").showsPrivate && shown.replacingMetadata([:]).within(.highest).showsPrivate)
        #expect(bench.heard[.masked]!.events.allSatisfy { !$0.showsPrivate })
    }

    @Test func twoKeysThatAreHiddenStayTwo() {
        let bench = Bench(.standard)
        bench.service.info("m", metadata: ["4111111111111111": 1, "5500000000000004": 2])
        #expect(bench.metadata(.masked) == ["<private>": 1, "<private>#2": 2])
    }

    @Test func whatIsMarkedPublicIsNotSearched() {
        let bench = Bench(.standard)
        bench.service.info(
            "token=\("abc", privacy: .public) \("4111111111111111", privacy: .public)",
            metadata: ["token": .public("abc"), "o": .public(["pin": "4111111111111111"])])
        #expect(bench.messages(.masked) == ["token=abc 4111111111111111"])
        #expect(bench.metadata(.masked) == ["token": "abc", "o": ["pin": "4111111111111111"]])
    }

    @Test func whatIsFoundCanBeSecret() {
        var rules = PrivacyRules.standard
        rules.found = .secret
        let bench = Bench(rules)
        bench.service.info("token=abc \("jane", privacy: .private)", metadata: ["pin": 1])
        #expect(bench.messages(.revealed) == ["token=<secret> jane"])
        #expect(bench.metadata(.revealed) == ["pin": "<secret>"])
    }

    @Test func marksWithinWhatIsFoundStand() {
        var rules = PrivacyRules.standard
        let open = Bench(rules)
        open.service.info("pin=a\("b", privacy: .private)c\("d", privacy: .secret)e\("f", privacy: .public)g h\("i", privacy: .private)")
        #expect(open.messages(.masked) == ["pin=<private><private><private><secret><private>f<private> h<private>"])
        #expect(open.messages(.revealed) == ["pin=abc<secret>efg hi"])
        rules.found = .secret
        let shut = Bench(rules)
        shut.service.info("pin=a\("b", privacy: .private)\("c", privacy: .public) h\("i", privacy: .private)")
        #expect(shut.messages(.revealed) == ["pin=<secret><secret>c hi"])
        let card = "4111111111111111"
        shut.service.info("\(card, privacy: .private) \("pin=1 pin=2", privacy: .private) \("pin=1 pin=2", privacy: .public)")
        #expect(shut.messages(.revealed).last == "<secret> <secret> pin=1 pin=2")
    }

    @Test func aSecretThatIsCutIsHiddenBefore() {
        let bench = Bench(.standard)
        let filling = String(repeating: "x ", count: (LogLimits.highest.textBytes - 8) / 2)
        bench.service.info("\(filling)4111111111111111", metadata: ["m": .string(filling + "4111111111111111")])
        #expect(!bench.messages(.masked)[0].contains("4111"))
        guard case .string(let text)? = bench.metadata(.masked)["m"] else { return #expect(Bool(false)) }
        #expect(!text.contains("4111"))
    }

    @Test func protectedNestingOfAnyDepthHarmsNobody() {
        var value = LogValue.string("x")
        for level in 0..<10_000 { value = level.isMultiple(of: 2) ? .private(value) : [value] }
        let bench = Bench(.standard)
        bench.service.info("m", metadata: ["deep": value, "also": [value]])
        for mode in [PrivacyMode.masked, .revealed, .hashed, .dropped] { #expect(bench.messages(mode) == ["m"]) }
    }

    @Test func aFilterDecidesOnWhatItsRegistrationSees() {
        let service = LogService(), seeing = RecordingProvider(), blind = RecordingProvider()
        service.register(seeing, where: .text(containing: "jane")).privacy = .revealed
        service.register(blind, where: .text(containing: "jane"))
        service.info("\("jane", privacy: .private)")
        #expect(seeing.messages == ["jane"] && blind.messages.isEmpty)
        #expect(service.explain(.info, "\("jane", privacy: .private)").answers.map(\.isWritten) == [true, false])
    }

    @Test func theModeMayBeChangedAtAnyTime() {
        let service = LogService(), heard = RecordingProvider()
        let registration = service.register(heard)
        #expect(service.privacy == .masked && registration.privacy == nil)
        func say() { service.info("\("jane", privacy: .private)") }
        say()
        service.privacy = .revealed
        say()
        registration.privacy = .dropped
        say()
        registration.privacy = nil
        say()
        #expect(heard.messages == ["<private>", "jane", "", "jane"])
    }

    @Test func whatTheTaskCarriesIsProtectedToo() {
        let bench = Bench(.standard)
        LogService.with(["user": .private("jane"), "cookie": "a"]) { bench.service.info("m") }
        #expect(bench.metadata(.masked) == ["user": "<private>", "cookie": "<private>"])
    }

    @Test func withoutMarksAndRulesNothingIsLookedAt() {
        var terms = PrivacyTerms()
        let service = LogService(), plain = Audience(privacy: terms)
        #expect(service.hidesNothing("a \(1) \("b")", ["a": [1, ["b": 2]], "password": "x"], nil, from: plain))
        #expect(!service.hidesNothing("a \(1, privacy: .private)", [:], nil, from: plain))
        #expect(!service.hidesNothing("a", ["a": [1, ["b": .secret(2)]]], nil, from: plain))
        #expect(!service.hidesNothing("a", [:], MarkedError(Declined(name: "jane")), from: plain))
        terms.rules = .standard
        let searched = Audience(privacy: terms)
        #expect(service.hidesNothing("a \("b")", ["a": [1, ["b": 2]]], MarkedError(Plain(description: "c")), from: searched))
        #expect(!service.hidesNothing("token=\(1)", [:], nil, from: searched))
        #expect(!service.hidesNothing("a", ["password": "x"], nil, from: searched))
        #expect(!service.hidesNothing("a", ["a": [["b": "pin=1"]]], nil, from: searched))
        #expect(!service.hidesNothing("a", ["a": [4_111_111_111_111_111]], nil, from: searched))
        #expect(!service.hidesNothing("a", ["pin=1": 1], nil, from: searched))
        #expect(!service.hidesNothing("a", [:], MarkedError(Plain(description: "pin=1")), from: searched))
        terms.rules.unmarkedTexts = .private
        #expect(!service.hidesNothing("a", ["n": 1], nil, from: Audience(privacy: terms)))
    }

    @Test("S37: what a sink says of its failure is masked as well")
    func failuresAreMasked() {
        let service = LogService(), sink = FailingSink { _ in ScriptedFailure("cannot reach db://app:hunter2@host") }
        let registration = service.register(sink: sink, name: "db")
        service.error("m")
        let deadline = LogDeadline.seconds(60)
        var report = service.flush(by: .milliseconds(100))
        while registration.latestFailure == nil, !deadline.hasPassed { report = service.flush(by: .milliseconds(100)) }
        #expect(registration.latestFailure == "cannot reach db://app:<private>@host")
        #expect(service.health().providers.map(\.latestFailure) == ["cannot reach db://app:<private>@host"])
        #expect(!report.isComplete && !report.description.contains("hunter2"))
        service.unregister(registration, by: .now)
    }
}
