@testable import LogbookCore
import LogbookTestKit
import Testing

/// What a queue's records hold is searched on their way to the providers.
@Suite struct QueuedPrivacyTests {
    private static let modes: [PrivacyMode] = [.masked, .revealed, .hashed, .dropped]

    /// Says something, the same for the same number: nothing private, secrets of several kinds, marks, and what is no plain message.
    private func say(_ number: Int, to service: LogService) {
        let level: LogLevel = number % 11 == 0 ? .error : .info
        switch number % 21 {
        case 0: service.log(level, "token=\("abc\(number)") and user \(number)")
        case 1: service.log(level, "card \(4111_1111_1111_1111), \("jane", privacy: .private)")
        case 2: service.log(level, "token=\("abc", privacy: .public) pin=\(number)")
        case 3: service.log(level, "password: hunter2")
        case 4: service.log(level, "to db://app:h\(number)@host", metadata: ["cookie": "a", "n": .integer(Int64(number))])
        case 5: service.log(level, LogMessage(text: "Authorization: Bearer mF_9.B5f-4.1JqM \(number)"))
        case 6: service.log(level, "in", metadata: ["user": "jane", "n": .integer(Int64(number)), "share": 0.5, "new": true, "gone": nil])
        case 7: service.log(level, "in", metadata: ["n": .integer(Int64(number)), "Password": "hunter2"])
        case 8: service.log(level, "paid with \(number)", metadata: ["card": "4111 1111 1111 1111", "n": .integer(Int64(number))])
        case 9: service.log(level, "paid", metadata: ["number": .integer(4_111_111_111_111_111)])
        case 10: service.log(level, "paid", metadata: ["number": .unsigned(4_111_111_111_111_111), "n": .integer(Int64(number))])
        case 11: service.log(level, "sent", metadata: ["token=abc\(number)": "a key that holds something"])
        case 12: service.log(level, "to db://app:h\(number)@host", metadata: ["n": .integer(Int64(number))])
        case 13: service.log(level, "\("jane", privacy: .private)", metadata: ["n": .integer(Int64(number))])
        case 14: service.log(level, "nested", metadata: ["all": ["pin": .integer(Int64(number))], "some": .private("x")])
        case 15: service.log(level, "long", metadata: ["text": .string(String(repeating: "x", count: 20_000)), "pin": 1])
        default: service.log(level, "request \(number): GET /api/v2/orders took \(1.5) s")
        }
    }

    @Test("S4: a queue sees what a provider sees that is fed at once, each registration its own way, in order, and counted")
    func queuesSeeTheSame() {
        let atOnce = LogService(), queued = LogService(), key = PrivacyKey.random()
        var heard: [PrivacyMode: RecordingProvider] = [:], sinks: [PrivacyMode: FailingSink] = [:], lines: [PrivacyMode: LineKeeper] = [:]
        for service in [atOnce, queued] { (service.privacyRules, service.privacyKey) = (.standard, key) }
        for mode in Self.modes {
            let provider = RecordingProvider(), sink = FailingSink { _ in nil }, keeper = LineKeeper()
            atOnce.register(provider).privacy = mode
            queued.register(sink: sink).privacy = mode
            queued.register(sink: keeper).privacy = mode
            keeper.gate.open()
            (heard[mode], sinks[mode], lines[mode]) = (provider, sink, keeper)
        }
        let errors = LineKeeper(), ofErrors = queued.register(sink: errors, from: .error)
        errors.gate.open()
        let count = 2_000
        for number in 0..<count {
            say(number, to: atOnce)
            say(number, to: queued)
        }
        #expect(queued.flush(by: .seconds(30)).isComplete)
        for mode in Self.modes {
            let expected = heard[mode]!.messages
            #expect(expected.count == count)
            #expect(sinks[mode]!.written.map(\.message) == expected)
            let metadata = sinks[mode]!.written.map(\.metadata), other = zip(metadata, heard[mode]!.events).first { $0 != $1.metadata }
            #expect(other == nil)
            #expect(sinks[mode]!.written.map(\.sequence) == (1...UInt64(count)).map { $0 })
            #expect(lines[mode]!.lines == expected.map { ">\($0)" })
        }
        let ofThose = heard[.masked]!.events.filter { $0.level == .error }.map { ">\($0.message)" }
        #expect(errors.lines == ofThose && ofThose.contains { $0.contains("<private>") })
        #expect(ofErrors.ledger == LogLedger(submitted: UInt64(ofThose.count), delivered: UInt64(ofThose.count)))
        #expect(ofErrors.unheard.level == UInt64(count - ofThose.count))
    }

    @Test("S4: what was said is seen as it was to be seen then, whatever changes before it is written")
    func changesComeInTheirOrder() {
        let service = LogService(), keeper = LineKeeper(), sink = FailingSink { _ in nil }
        let registration = service.register(sink: keeper)
        service.register(sink: sink).privacy = .dropped
        keeper.gate.open()
        var expected: [String] = []
        func say(_ shown: String) {
            for number in 0..<3 {
                service.info("token=\(number)")
                expected.append(">token=" + (shown == "" ? "\(number)" : shown))
            }
        }
        for _ in 0..<20 {
            service.privacyRules = .standard
            say("<private>")
            registration.privacy = .revealed
            say("")
            registration.privacy = nil
            say("<private>")
            let late = LineKeeper(), short = service.register(sink: late)
            late.gate.open()
            say("<private>")
            short.unregister(by: .seconds(60))
            #expect(late.lines == expected.suffix(3))
            service.privacyRules = .none
            say("")
            var rules = PrivacyRules.standard
            rules.found = .secret
            service.privacyRules = rules
            say("<secret>")
            service.privacyRules.unmarkedTexts = .private
            service.info("token \("a")")
            expected.append(">token <private>")
        }
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(keeper.lines == expected)
        #expect(sink.written.count == expected.count)
    }

    @Test func rulesLeaveTheWayThroughTheRingOpen() {
        var terms = PrivacyTerms()
        func isDecided() -> Bool {
            let service = LogService(), sink = FailingSink { _ in nil }
            let listener = Audience.Listener(service.register(sink: sink))
            return Audience([listener], privacy: terms).hearing(.info, isEntry: false, generation: 1) { _ in 0 }.isDecided
        }
        #expect(isDecided())
        terms.rules = .standard
        #expect(isDecided())
        terms.rules.unmarkedTexts = .private
        #expect(!isDecided())
    }
}
