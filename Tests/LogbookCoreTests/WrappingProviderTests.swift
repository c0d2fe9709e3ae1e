import LogbookCore
import LogbookTestKit
import Testing

/// Wrappers together, around and inside queues.
@Suite struct WrappingProviderTests {
    /// Changes every message, and says nothing about anything else.
    struct Marking: WrappingProvider {
        let wrapped: any LogProvider
        func log(_ event: LogEvent) { wrapped.log(event.replacingMessage("> " + event.message)) }
    }

    @Test func whatAWrapperDoesNotSayIsPassedOn() throws {
        let sink = FailingSink { $0 == 1 ? BatchWriteError.refused(.oversize, because: ScriptedFailure()) : nil }
        // With a clock that stands still, nobody is told of the loss before the end.
        let service = LogService(clock: .manual(ManualClock(now: LogTime(nanoseconds: 0))))
        let registration = service.register(Marking(wrapped: BatchingProvider(sink)))
        service.info("1")
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(registration.latestFailure == "as the script says")
        service.info("2")
        #expect(service.shutdown(by: .seconds(30)).isComplete)
        #expect(sink.written.map(\.message) == ["> 2", "> 1 event did not reach Marking (oversize)"])
        #expect(registration.ledger == LogLedger(submitted: 3, delivered: 2, dropped: [.oversize: 1]))
        #expect(Marking(wrapped: RecordingProvider(interest: .transactionEntries)).interest == .transactionEntries)
    }

    @Test func wrappersComposeAndTheAccountStaysExact() async {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), time = LogClock.manual(clock)
        let provider = RecordingProvider(), service = LogService(clock: time)
        let chain = Sampling(
            RateLimiting(
                FoldingRepeats(RecentEvents(provider, RecentEventsPolicy(scope: .everything)), clock: time),
                to: RateLimit(50, per: .seconds(1), key: .everything, sparing: .error), clock: time),
            SamplingPolicy(first: 100, every: 2, key: .everything), clock: time)
        let registration = service.register(chain, levels: LevelRules(.debug, ["chatty": .error]), delivery: .queued())
        await withTaskGroup { group in
            for worker in 0..<4 {
                group.addTask {
                    for number in 0..<500 {
                        service.debug("detail")
                        service.info("\(worker) \(number / 10)")
                        service.info("-", metadata: ["category": "chatty"])
                        if number == 400 { service.error("\(worker)") }
                    }
                }
            }
        }
        #expect(service.flush(by: .seconds(30)).isComplete)
        clock.advance(by: .seconds(60))
        #expect(service.flush(by: .seconds(30)).isComplete)
        let written = UInt64(provider.events.count), suppression = registration.suppression
        #expect(service.health().latestSequence == 4 * 1_001)
        #expect(registration.ledger == LogLedger(submitted: written, delivered: written))
        #expect(written + suppression.heldBack - suppression.reports == 4 * 1_001)
        #expect(Set(provider.events.map(\.sequence)).count == Int(written))
        #expect(provider.events.count { $0.level == .error } == 4)
    }

    /// Keeps back what reads "-".
    private final class Dashless: WrappingProvider {
        let wrapped: any LogProvider
        private let heldBack = Locked<UInt64>(0)
        init(_ wrapped: any LogProvider) { self.wrapped = wrapped }
        var suppression: LogSuppression { LogSuppression(heldBack: heldBack.withLock { $0 }) }
        func log(_ event: LogEvent) {
            if event.message == "-" { heldBack.withLock { $0 += 1 } } else { wrapped.log(event) }
        }
    }

    @Test func whatIsHeldBackInABatchThatIsBeingWrittenWasNeverDelivered() {
        /// Stops at an error.
        final class Slow: LogProvider {
            let gate = Gate()
            func log(_ event: LogEvent) { if event.level == .error { gate.wait() } }
            func flush(by deadline: LogDeadline) throws {}
        }
        let service = LogService(), slow = Slow()
        defer { slow.gate.open() }
        let registration = service.register(Dashless(slow), delivery: .queued(QueuePolicy(linger: .seconds(60))))
        for number in 1...10 { service.info("\(number)") }
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(registration.ledger == LogLedger(submitted: 10, delivered: 10))
        for _ in 1...9 { service.info("-") }
        service.error("waits for nobody")
        #expect(slow.gate.waitForArrivals(1))
        #expect(registration.ledger == LogLedger(submitted: 11, delivered: 10) && registration.suppression.heldBack == 9)
        slow.gate.open()
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(registration.ledger == LogLedger(submitted: 11, delivered: 11))
        #expect(registration.unheard.total + registration.ledger.submitted + 9 == service.health().latestSequence)
    }

    @Test func theCountsOfWrappersWithinEachOtherAddUp() throws {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), time = LogClock.manual(clock)
        let limit = RateLimit(1, per: .seconds(1), key: .everything)
        /// Each letter is an event, and each space a flush.
        func arrived(_ said: String, _ wrap: (RecordingProvider) -> any WrappingProvider) throws -> [LogEvent] {
            let provider = RecordingProvider(), chain = wrap(provider)
            for (number, letter) in (said + " ").enumerated() {
                if letter == " " { try chain.flush(by: .now) } else { chain.log(event(UInt64(number), String(letter))) }
            }
            return provider.events
        }
        /// Those that arrived themselves, and those of which that is said.
        func count(_ events: [LogEvent]) -> Int {
            events.reduce(0) { sum, event in
                let itself = event.message.count == 1 ? 1 : 0
                return if case .integer(let count) = event.metadata["suppressed"] { sum + itself + Int(count) } else { sum + itself }
            }
        }
        let sampled = try arrived(String(repeating: "m", count: 42)) {
            Sampling(FoldingRepeats($0, clock: time), SamplingPolicy(first: 2, every: 10), clock: time)
        }
        #expect(sampled.map(\.message) == ["m", "last message repeated once: m", "m", "last message repeated 30 times: m"])
        #expect(count(sampled) == 42)
        // A report stands in the place of one of the events that it speaks of.
        let folded = try arrived("mmm mm") { RateLimiting(FoldingRepeats($0, clock: time), to: limit, clock: time) }
        #expect(folded.count == 3 && count(folded) == 5)
        let limited = try arrived("mmmx") { FoldingRepeats(RateLimiting($0, to: limit, clock: time), clock: time) }
        #expect(limited.count == 2 && count(limited) == 4)
        let both = try arrived("mxxxmx") {
            FoldingRepeats(Sampling($0, SamplingPolicy(first: 1, every: 2, key: .everything), clock: time), clock: time)
        }
        #expect(both.map { $0.metadata["suppressed"] } == [nil, 3, 1])
        #expect(count(both) == 6)
    }

    @Test func aCountOfAnySizeIsTaken() throws {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), provider = RecordingProvider()
        let folding = FoldingRepeats(provider, clock: .manual(clock))
        for number in 1...4 { folding.log(event(UInt64(number), "m", .info, ["suppressed": .integer(.max)])) }
        try folding.flush(by: .now)
        #expect(provider.events.map { $0.metadata["suppressed"] } == [.integer(.max), .integer(.max)])
    }

    @Test func explainLooksThroughTheWrappers() {
        let service = LogService(), provider = RecordingProvider()
        service.register(
            FoldingRepeats(RateLimiting(provider, to: RateLimit(1, per: .hours(1), key: .metadata("kind")))), name: "file")
        service.register(RecentEvents(Sampling(provider, SamplingPolicy(first: 0))), name: "recent")
        func reasons(_ level: LogLevel, _ metadata: LogMetadata) -> [String] {
            service.explain(level, "m", metadata: metadata).answers.map(\.description)
        }
        #expect(
            reasons(.info, ["kind": 1]) == [
                "file: written, level verbose", "recent: not written, sampling: the first 0, then none in 1.0 seconds",
            ])
        service.info("m", metadata: ["kind": 1])
        #expect(
            reasons(.debug, ["kind": 1]) == [
                "file: not written, rate limit: 1 in 3600.0 seconds have passed",
                "recent: not written, kept until an error comes: below info",
            ])
        #expect(reasons(.debug, ["kind": 2])[0] == "file: written, level verbose")
        for _ in 0..<2 {
            #expect(service.explain(.error).isWritten)       // asking counts nothing
        }
    }

    @Test func whatAProviderLogsAboutAReportComesToAnEnd() {
        final class Chatty: LogProvider {
            let service: LogService
            init(_ service: LogService) { self.service = service }
            func log(_ event: LogEvent) { service.info("about \(event.message)") }
            func flush(by deadline: LogDeadline) throws {}
        }
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), service = LogService(clock: .manual(clock))
        let limiting = RateLimiting(
            Chatty(service), to: RateLimit(1, per: .seconds(1), key: .everything), clock: .manual(clock))
        let registration = service.register(limiting)
        service.info("1")
        service.info("2")
        clock.advance(by: .seconds(1))
        // Its words about "1" and about the report are its own echo: counted, and not heard by itself.
        #expect(registration.ledger == LogLedger(submitted: 4, delivered: 2, dropped: [.reentrant: 2]))
        clock.advance(by: .seconds(10))
        #expect(service.health().latestSequence == 4)
    }
}
