import LogbookCore
import LogbookTestKit
import Testing

@Suite struct FoldingRepeatsTests {
    let clock = ManualClock(now: LogTime(nanoseconds: 0)), provider = RecordingProvider()

    func folding() -> FoldingRepeats { FoldingRepeats(provider, longestWait: .seconds(30), clock: .manual(clock)) }

    @Test func aRunIsWrittenOnceAndThenItsCount() {
        let folding = folding()
        for number in 1...42 { folding.log(event(UInt64(number), "silence")) }
        folding.log(event(43, "other"))
        folding.log(event(44, "silence"))
        folding.log(event(45, "silence"))
        folding.log(event(46, "other"))
        #expect(
            provider.messages == [
                "silence", "last message repeated 41 times: silence", "other", "silence",
                "last message repeated once: silence", "other",
            ])
        #expect(provider.events.map(\.sequence) == [1, 42, 43, 44, 45, 46])
        #expect(provider.events[1].metadata == ["suppressed": 41])
        #expect(folding.suppression == LogSuppression(heldBack: 42, reports: 2))
    }

    @Test(arguments: [
        event(2, "other"), event(2, "m", .notice), event(2, "m", .info, ["a": 1]), event(2, line: 2), entry(2, of: "T"),
    ])
    func whateverDiffersIsNoRepeat(other: LogEvent) {
        let folding = folding()
        for event in [event(1), other, event(3)] { folding.log(event) }
        #expect(provider.events.map(\.sequence) == [1, 2, 3])
        #expect(folding.suppression == LogSuppression())
    }

    @Test("texts of many marks are compared by their bytes")
    func manyMarksAreComparedPromptly() {
        let folding = folding(), limit = LogDeadline.seconds(20)
        let texts = [manyMarks("x"), manyMarks("y")]
        for text in texts { folding.log(event(1, text)) }
        for text in texts { folding.log(event(2, "m", .info, ["a": .string(text)])) }
        for text in texts { folding.log(event(3, "m", .info, [text: 1])) }
        for text in texts {
            let error = LogErrorDetails(type: text, description: text)
            folding.log(LogEvent(sequence: 4, time: LogTime(nanoseconds: 0), level: .info, message: "m", error: error))
        }
        #expect(provider.events.map(\.sequence) == [1, 1, 2, 2, 3, 3, 4, 4] && !limit.hasPassed)
        #expect(Set(texts.map(LogValue.init(stringLiteral:))).count == 2 && Set(texts.map { [$0: 1] as LogMetadata }).count == 2)
        #expect(Set(texts.map { LogErrorDetails(type: "T", description: $0) }).count == 2 && !limit.hasPassed)
    }

    @Test func aRunThatGoesOnIsReportedAfterTheLongestWait() {
        let folding = folding()
        for number in 1...3 { folding.log(event(UInt64(number))) }
        clock.advance(by: .seconds(30))
        #expect(provider.messages == ["m", "last message repeated 2 times: m"])
        folding.log(event(4))
        #expect(provider.events.count == 2)
        clock.advance(by: .seconds(30))
        #expect(provider.messages.last == "last message repeated once: m")
    }

    @Test func leavingTheServiceReportsWhatIsFolded() {
        let service = LogService(), registration = service.register(folding())
        for _ in 0..<3 { service.info("x") }
        registration.unregister(by: .seconds(30))
        #expect(provider.messages == ["x", "last message repeated 2 times: x"])
        #expect(registration.ledger == LogLedger(submitted: 2, delivered: 2))
    }

    @Test("whoever lets go of the service, or has no time to unregister, hears of what is folded all the same", arguments: [true, false])
    func whatNobodyFlushesIsSaid(unregisters: Bool) {
        do {
            let service = LogService(), registration = service.register(folding())
            for _ in 0..<3 { service.info("x") }
            if unregisters { registration.unregister(by: .now) }
            #expect(provider.messages == ["x"])
        }
        // A task's level that another test sets holds every live service for a moment.
        #expect(becomesTrue { provider.messages == ["x", "last message repeated 2 times: x"] })
    }

    @Test func aFlushAndTheEndReportWhatIsFolded() throws {
        let folding = folding()
        folding.log(event(1))
        folding.log(event(2))
        try folding.flush(by: .now)
        folding.log(event(3))
        try folding.shutdown(by: .now)
        #expect(provider.events.map(\.sequence) == [1, 2, 3])
    }
}
