@testable import LogbookCore
import LogbookTestKit
import Testing

@Suite struct RateLimitingTests {
    let clock = ManualClock(now: LogTime(nanoseconds: 0)), provider = RecordingProvider()

    func limiting(_ limit: RateLimit) -> RateLimiting { RateLimiting(provider, to: limit, clock: .manual(clock)) }

    @Test func whatIsBeyondTheLimitIsReportedOnceWhenTheSpanIsOver() throws {
        let limiting = limiting(RateLimit(2, per: .seconds(1)))
        for number in 1...5 { limiting.log(event(UInt64(number), "m\(number)", .info, ["a": 1])) }
        #expect(provider.messages == ["m1", "m2"])
        clock.advance(by: .seconds(1))                       // nobody logs meanwhile
        let report = try #require(provider.events.last)
        #expect(report.message == "3 more like this suppressed (2 in 1.0 seconds pass): m5")
        #expect(report.metadata == ["a": 1, "suppressed": 3])
        #expect(report.sequence == 5 && report.level == .info && report.source == event(1).source)
        clock.advance(by: .seconds(10))
        limiting.log(event(6, "m6"))
        #expect(provider.messages.count == 4 && provider.messages.last == "m6")
        #expect(limiting.suppression == LogSuppression(heldBack: 3, reports: 1))
    }

    /// Notes what it was told, and takes until a gate opens for what stands for others.
    private final class Slow: LogProvider {
        let gate = Gate(), calls = Locked([String]())
        func log(_ event: LogEvent) {
            if event.metadata["suppressed"] != nil { gate.wait() }
            calls.withLock { $0.append(event.message) }
        }
        func flush(by deadline: LogDeadline) { calls.withLock { $0.append("flush") } }
        func shutdown(by deadline: LogDeadline) { calls.withLock { $0.append("shutdown") } }
    }

    @Test("what the wrapper is saying by itself is said before a flush or a shutdown is over", arguments: ["flush", "shutdown"])
    func aFlushWaitsForWhatIsBeingSaid(_ call: String) throws {
        let slow = Slow(), clock = clock
        let limiting = RateLimiting(slow, to: RateLimit(1, per: .seconds(1)), clock: .manual(clock))
        for number in 1...3 { limiting.log(event(UInt64(number), "m")) }
        let isOver = Locked(0)
        LogThread.start("advances") {
            clock.advance(by: .seconds(1))
            isOver.withLock { $0 += 1 }
        }
        #expect(slow.gate.waitForArrivals(1))
        LogThread.start("ends") {
            if call == "flush" { try? limiting.flush(by: .seconds(60)) } else { try? limiting.shutdown(by: .seconds(60)) }
            isOver.withLock { $0 += 1 }
        }
        #expect(becomesTrue { limiting.sayings.hasWaiters })
        slow.gate.open()
        #expect(becomesTrue { isOver.withLock { $0 == 2 } })
        #expect(slow.calls.withLock { $0 } == ["m", "2 more like this suppressed (1 in 1.0 seconds pass): m", call])
    }

    @Test func eachCallSiteHasItsOwnLimit() {
        let limiting = limiting(RateLimit(1, per: .seconds(1)))
        for line in 1...3 { for _ in 1...2 { limiting.log(event(UInt64(line), line: UInt32(line))) } }
        #expect(provider.events.map(\.sequence) == [1, 2, 3])
        clock.advance(by: .seconds(1))
        #expect(provider.events.count == 6)
        #expect(provider.events.suffix(3).allSatisfy { $0.metadata["suppressed"] == 1 })
    }

    @Test func aFlushReportsWhatIsHeldAndTheLimitStays() throws {
        let limiting = limiting(RateLimit(1, per: .seconds(1)))
        limiting.log(event(1))
        limiting.log(event(2))
        try limiting.flush(by: .now)
        limiting.log(event(3))
        try limiting.shutdown(by: .now)
        #expect(provider.events.map(\.sequence) == [1, 2, 3])
        #expect(provider.events.map { $0.metadata["suppressed"] } == [nil, 1, 1])
    }

    @Test func criticalEventsAndEntriesAreSpared() {
        let limiting = limiting(RateLimit(1, per: .seconds(1), key: .everything))
        for level in [LogLevel.info, .error, .critical, .critical] { limiting.log(event(1, level.name, level)) }
        limiting.log(entry(2, of: "T"))
        #expect(provider.messages == ["info", "critical", "critical", "entry"])
    }

    @Test func kindsThatAreOverAreForgottenWhenSomethingIsReported() {
        let limiting = limiting(RateLimit(1, per: .seconds(1), key: .message))
        for message in ["a", "b", "c", "c"] { limiting.log(event(1, message)) }
        clock.advance(by: .milliseconds(500))
        limiting.log(event(2, "d"))
        #expect(limiting.kindCount == 4)
        clock.advance(by: .milliseconds(500))                // one more "c" is reported
        #expect(limiting.kindCount == 1)
        limiting.log(event(3, "d"))
        #expect(provider.messages.count == 5 && limiting.suppression == LogSuppression(heldBack: 2, reports: 1))
    }

    @Test func theMachinesClockEndsTheSpanToo() {
        let provider = BlockingProvider()
        let limiting = RateLimiting(provider, to: RateLimit(1, per: .milliseconds(50), key: .everything, sparing: nil))
        provider.gate.open()
        for number in 1...3 { limiting.log(event(UInt64(number))) }
        #expect(provider.gate.waitForArrivals(2))            // the first, and the report
        withExtendedLifetime(limiting) {}
    }

    @Test func whatIsHeldWhenNobodyHoldsTheWrapperAnyLongerIsReported() {
        do {
            let service = LogService()
            service.register(limiting(RateLimit(1, per: .seconds(1), key: .everything)))
            for number in 1...3 { service.info("m\(number)") }
            #expect(provider.messages == ["m1"])
        }
        // A task's level that another test sets holds every live service for a moment.
        #expect(becomesTrue { provider.messages == ["m1", "2 more like this suppressed (1 in 1.0 seconds pass): m3"] })
    }

    @Test func aThreadThatTheMachineDidNotGiveIsAskedForAgain() {
        let asked = Locked(0), limit = RateLimit(1, per: .milliseconds(50), key: .everything)
        let limiting = RateLimiting(provider, to: limit, clock: .system) { name, body in
            let isFirst = asked.withLock { asked in
                asked += 1
                return asked == 1
            }
            return !isFirst && LogThread.start(name, body)
        }
        #expect(becomesTrue {
            limiting.log(event(1))
            return asked.withLock { $0 } == 2
        })
        // What is held now is said although nobody logs any more.
        #expect(becomesTrue {
            let said = provider.events.reduce(UInt64(0)) { $0 + $1.suppressed }
            return said > 0 && said == limiting.suppression.heldBack
        })
    }

    @Test func theReportedCountsAddUpUnderLoad() async {
        let service = LogService()
        let limiting = RateLimiting(provider, to: RateLimit(5, per: .microseconds(200), key: .metadata("worker"), maximumKinds: 3))
        let registration = service.register(limiting)
        await withTaskGroup { group in
            for worker in 0..<6 {
                group.addTask { for _ in 0..<2_000 { service.info("m", metadata: ["worker": .integer(Int64(worker))]) } }
            }
            group.addTask { for _ in 0..<50 { service.flush(by: .seconds(30)) } }
        }
        #expect(service.flush(by: .seconds(30)).isComplete)
        let events = provider.events
        let reported = events.reduce(Int64(0)) { sum, event in
            if case .integer(let count) = event.metadata["suppressed"] { sum + count } else { sum }
        }
        let reports = events.count { $0.metadata["suppressed"] != nil }
        #expect(Int(reported) + events.count - reports == 12_000)
        let suppression = registration.suppression, ledger = registration.ledger
        #expect(suppression == LogSuppression(heldBack: UInt64(reported), reports: UInt64(reports)))
        #expect(ledger == LogLedger(submitted: UInt64(events.count), delivered: UInt64(events.count)))
        #expect(Set(events.map(\.sequence)).count == events.count)
    }
}
