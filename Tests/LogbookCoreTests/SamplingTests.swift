import LogbookCore
import LogbookTestKit
import Testing

@Suite struct SamplingTests {
    let clock = ManualClock(now: LogTime(nanoseconds: 0)), provider = RecordingProvider()

    func sampling(_ policy: SamplingPolicy) -> Sampling { Sampling(provider, policy, clock: .manual(clock)) }

    @Test func theFirstPassThenEveryManyth() {
        let sampling = sampling(SamplingPolicy(first: 3, every: 10))
        for number in 1...40 { sampling.log(event(UInt64(number))) }
        #expect(provider.events.map(\.sequence) == [1, 2, 3, 13, 23, 33])
        #expect(provider.events.map { $0.metadata["suppressed"] } == [nil, nil, nil, 9, 9, 9])
        #expect(sampling.suppression == LogSuppression(heldBack: 34))
    }

    @Test func withoutEveryNoMorePassUntilTheWindowIsOver() {
        let sampling = sampling(SamplingPolicy(first: 1, window: .seconds(1)))
        for number in 1...3 { sampling.log(event(UInt64(number))) }
        clock.advance(by: .milliseconds(999))
        sampling.log(event(4))
        clock.advance(by: .milliseconds(1))
        sampling.log(event(5))
        #expect(provider.events.map(\.sequence) == [1, 5])
        #expect(provider.events[1].metadata == ["suppressed": 3])
    }

    @Test(arguments: [
        (.callSite, [1, 3]), (.message, [1, 2, 3]), (.category, [1, 2]), (.metadata("user"), [1, 4]), (.everything, [1]),
    ] as [(LogEventKey, [UInt64])])
    func eachKindIsCountedByItself(key: LogEventKey, passed: [UInt64]) {
        let sampling = sampling(SamplingPolicy(first: 1, key: key))
        sampling.log(event(1, "a"))
        sampling.log(event(2, "b", .info, ["category": "net"]))
        sampling.log(event(3, "a", .notice, line: 2))
        sampling.log(event(4, "a", .info, ["user": "north"]))
        #expect(provider.events.map(\.sequence) == passed)
    }

    @Test func errorsAndEntriesAreSpared() {
        let sampling = sampling(SamplingPolicy(first: 0))
        sampling.log(event(1, "m", .warning))
        sampling.log(event(2, "m", .error))
        sampling.log(entry(3, of: "T"))
        #expect(provider.events.map(\.sequence) == [2, 3])
        let unsparing = self.sampling(SamplingPolicy(first: 0, sparing: nil))
        unsparing.log(event(4, "m", .critical))
        #expect(provider.events.count == 2)
    }

    @Test func kindsBeyondTheLimitAreCountedAsOne() {
        let sampling = sampling(SamplingPolicy(first: 1, window: .seconds(1), key: .message, maximumKinds: 2))
        for message in ["a", "b", "c", "d", "a"] { sampling.log(event(1, message)) }
        #expect(provider.messages == ["a", "b", "c"])
        clock.advance(by: .seconds(1))                       // "b" is over and makes room
        sampling.log(event(1, "e"))
        sampling.log(event(1, "f"))
        sampling.log(event(1, "e"))
        #expect(provider.messages.suffix(2) == ["e", "f"])
    }

    @Test func manyThreadsAreCountedExactly() async {
        let service = LogService(), sampling = sampling(SamplingPolicy(first: 10, every: 100, key: .everything))
        let registration = service.register(sampling)
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { for number in 0..<1_000 { service.info("\(number)") } } }
        }
        let passed = UInt64(10 + (8_000 - 10) / 100)
        #expect(provider.events.count == Int(passed))
        #expect(registration.suppression == LogSuppression(heldBack: 8_000 - passed))
        #expect(registration.ledger == LogLedger(submitted: passed, delivered: passed))
    }
}
