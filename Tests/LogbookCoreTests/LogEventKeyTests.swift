@testable import LogbookCore
import LogbookTestKit
import Testing

@Suite struct LogEventKeyTests {
    private static let long = String(repeating: "x", count: 1 << 20)
    /// What each kind is told by, in a short and in several long forms.
    private static let keys: [(LogEventKey, @Sendable (String) -> LogEvent)] = [
        (.message, { event(1, $0) }),
        (.category, { event(1, "m", .info, ["category": .string($0)]) }),
        (.metadata("user"), { event(1, "m", .info, ["user": .string($0)]) }),
        (.metadata("user"), { event(1, "m", .info, ["user": ["id": 1, "names": [.string($0), true]]]) }),
        (.callSite, { text in
            LogEvent(
                sequence: 1, time: LogTime(nanoseconds: 0), level: .info, message: "m", source: LogSource(fileNamed: text, line: 7))
        }),
    ]

    @Test("a kind holds no long text, and is told from others by all of it", arguments: 0..<5)
    func longTexts(place: Int) {
        let (key, event) = Self.keys[place]
        let value = key.value(of: event(Self.long))
        var text = ""
        dump(value, to: &text)
        #expect(text.utf8.count < 4096)
        #expect(value == key.value(of: event(Self.long)))
        #expect(value != key.value(of: event(Self.long + "y")))
        #expect(value != key.value(of: event("y" + Self.long.dropFirst())))
        #expect(key.value(of: event("a")) != key.value(of: event("b")))
        let limit = String(repeating: "x", count: LogEventKey.longestText)
        #expect(key.value(of: event(limit)) != key.value(of: event(limit + "x")))
    }

    @Test func longValuesOfOtherTypesAreOtherKinds() {
        func kind(_ value: LogValue) -> LogEventKey.Value { LogEventKey.metadata("v").value(of: event(1, "m", .info, ["v": value])) }
        let tail = LogValue.string(Self.long)
        let firsts: [LogValue] = [nil, false, true, 1, .unsigned(1), 1.5, "1", [], [1], [:], ["1": 1], ["1": "1"]]
        let values = firsts.map { LogValue.array([$0, tail]) } + [.array([tail]), .array([tail, nil]), ["1": tail], ["2": tail], tail]
        #expect(Set(values.map(kind)).count == values.count)
        #expect(kind(["a": 1, "b": tail]) != kind(["ab": 1, "": tail]))
        // What stands between two texts, within a text.
        let border = "\u{6}\0\0\0\0\0\0\0"
        #expect(kind([.string("a" + border + "b"), "c", tail]) != kind(["a", .string("b" + border + "c"), tail]))
    }

    @Test func numbersThatAreNoneAreOneKind() {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), limited = RecordingProvider(), sampled = RecordingProvider()
        let folded = RecordingProvider(), folding = FoldingRepeats(folded, clock: .manual(clock))
        let limiting = RateLimiting(limited, to: RateLimit(1, per: .seconds(1), key: .metadata("v")), clock: .manual(clock))
        let sampling = Sampling(sampled, SamplingPolicy(first: 1, key: .metadata("v")), clock: .manual(clock))
        let values: [LogValue] = [.double(.nan), [.double(.nan)]]
        for value in values {
            for number in 1...100 {
                for provider in [limiting, sampling, folding] as [any LogProvider] {
                    provider.log(event(UInt64(number), "m", .info, ["v": value]))
                }
            }
        }
        for heard in [limited, sampled, folded] { #expect(heard.events.filter { $0.metadata["suppressed"] == nil }.count == values.count) }
        #expect(Set(values + values + [.double(-.nan), 0.0, -0.0, 0, .unsigned(0)]).count == 5)
    }

    @Test func messagesOfOtherLevelsAreOtherKinds() {
        #expect(LogEventKey.message.value(of: event(1, Self.long, .info)) != LogEventKey.message.value(of: event(1, Self.long, .notice)))
    }
}
