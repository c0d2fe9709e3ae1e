import LogbookCore
import LogbookTestKit
import Testing

@Suite struct LogExplanationTests {
    @Test func itSaysForEachRegistrationWhatDecides() {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), service = LogService(clock: .manual(clock))
        service.register(RecordingProvider(), from: .warning, name: "console")
        service.register(RecordingProvider(), levels: LevelRules(.info, ["net": .debug, "net.http": .verbose]), name: "file")
        service.register(RecordingProvider(), name: "audit", where: .metadata("user") && .module("*"))
        service.register(RecordingProvider(), name: "own") { $0.message == "x" }
        service.register(RecordingProvider(interest: .transactionEntries), name: "store")

        let explanation = service.explain(.debug, metadata: ["category": "net.http"])
        #expect(explanation.answers.map(\.isWritten) == [false, true, false, false, false])
        #expect(
            explanation.description == """
                console: not written, level warning
                file: written, rule net.http=verbose
                audit: not written, filter metadata user
                own: not written, the closure of its registration
                store: not written, transaction entries only
                """)

        service.raise(to: .debug, for: "net", during: .minutes(1))
        let raised = service.explain(.debug, metadata: ["category": "net.http"]).answers[0]
        #expect(raised.isWritten)
        #expect(raised.reason == .raised(to: .debug, pattern: "net", end: LogTime(nanoseconds: 60_000_000_000)))
        LogService.withLevel(.verbose) {
            #expect(service.explain(.verbose).answers[0].reason == .task(.verbose))
        }
        #expect(service.explain(.verbose).answers[0].reason == .level(.warning))
    }

    @Test func whatItSaysIsWhatHappens() {
        let service = LogService(), providers = (0..<4).map { _ in RecordingProvider() }
        service.register(providers[0], levels: ["*": .info, "a": .verbose, "b": .off])
        service.register(providers[1], from: .notice, where: .text(containing: "1") || .category("b"))
        service.register(providers[2], from: .debug, where: !.inTransaction)
        service.register(providers[3], from: .error)
        service.raise(to: .info, for: "b", during: .minutes(1))
        for level in LogLevel.allCases {
            let facts: [LogMetadata] = [[:], ["category": "a"], ["category": "b", "transaction_id": "T"]]
            for (number, metadata) in facts.enumerated() {
                let before = providers.map(\.events.count)
                let explanation = service.explain(level, "\(number)", metadata: metadata)
                service.log(level, "\(number)", metadata: metadata)
                #expect(zip(providers, before).map { $0.events.count > $1 } == explanation.answers.map(\.isWritten))
            }
        }
    }

    @Test func itKnowsTheWrappersThatHaveNoRoomForAnotherKind() {
        let clock = ManualClock(now: LogTime(nanoseconds: 0)), service = LogService(clock: .manual(clock))
        let limited = RecordingProvider(), sampled = RecordingProvider(), window = Duration.seconds(1)
        let limit = RateLimit(1, per: window, key: .message, maximumKinds: 2)
        service.register(RateLimiting(limited, to: limit, clock: .manual(clock)))
        let policy = SamplingPolicy(first: 1, window: window, key: .message, maximumKinds: 2)
        service.register(Sampling(sampled, policy, clock: .manual(clock)))
        for round in 0..<2 {
            for number in 0..<12 {
                let before = [limited.messages.count, sampled.messages.count], message = "\(number % 8)"
                let expected = service.explain(.info, "\(message)").answers.map(\.isWritten)
                service.info("\(message)")
                let after = [limited.messages.count, sampled.messages.count]
                #expect(zip(before, after).map { $0 < $1 } == expected, "\(round) \(number)")
            }
            clock.advance(by: window)
        }
    }

    @Test func askingChangesNothing() {
        let service = LogService(), provider = RecordingProvider()
        #expect(service.explain(.critical).description == "nobody is registered")
        let registration = service.register(provider)
        #expect(service.explain(.info, "said?").isWritten)
        #expect(provider.events.isEmpty && registration.ledger == LogLedger() && service.health().latestSequence == 0)
    }

    @Test func aClosedServiceWritesNothing() {
        let service = LogService()
        service.register(RecordingProvider(), name: "file")
        service.shutdown(by: .seconds(30))
        #expect(service.explain(.error).description == "file: not written, it is shut down")
    }
}
