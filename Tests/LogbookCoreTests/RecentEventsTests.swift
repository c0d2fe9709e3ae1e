import LogbookCore
import LogbookTestKit
import Testing

@Suite struct RecentEventsTests {
    let provider = RecordingProvider()

    func said(_ sequence: UInt64, _ level: LogLevel, in transaction: String? = nil) -> LogEvent {
        event(sequence, "m", level, transaction.map { ["transaction_id": .string($0)] } ?? [:])
    }

    @Test func theLastEventsBelowTheLevelComeWithAnError() {
        let recent = RecentEvents(provider, RecentEventsPolicy(count: 2))
        recent.log(said(1, .verbose))
        recent.log(said(2, .info))
        recent.log(said(3, .debug))
        recent.log(said(4, .debug))
        #expect(provider.events.map(\.sequence) == [2] && recent.keptCount == 2)
        recent.log(said(5, .error))
        recent.log(said(6, .error))
        #expect(provider.events.map(\.sequence) == [2, 3, 4, 5, 6])
        #expect(recent.suppression == LogSuppression(heldBack: 1) && recent.keptCount == 0)
    }

    @Test func eachTransactionReleasesItsOwn() {
        let recent = RecentEvents(provider)
        recent.log(said(1, .debug, in: "A"))
        recent.log(said(2, .debug, in: "B"))
        recent.log(said(3, .debug))
        recent.log(said(4, .error, in: "B"))
        #expect(provider.events.map(\.sequence) == [2, 4])
        recent.log(entry(5, of: "A"))
        recent.log(entry(6, of: "A", error: 42))             // an entry's error is one, whatever its level
        #expect(provider.events.map(\.sequence) == [2, 4, 5, 1, 6])
        recent.log(said(7, .critical))
        #expect(provider.events.map(\.sequence) == [2, 4, 5, 1, 6, 3, 7])
    }

    @Test("transactions whose names are many marks are told apart by their bytes")
    func manyMarksAreComparedPromptly() {
        let recent = RecentEvents(provider), limit = LogDeadline.seconds(20)
        for (number, text) in [manyMarks("x"), manyMarks("y")].enumerated() { recent.log(said(UInt64(number), .debug, in: text)) }
        recent.log(said(2, .error, in: manyMarks("y")))
        #expect(provider.events.map(\.sequence) == [1, 2] && !limit.hasPassed)
    }

    @Test func orEverythingIsReleasedTogether() {
        let recent = RecentEvents(provider, RecentEventsPolicy(scope: .everything))
        recent.log(said(1, .debug, in: "A"))
        recent.log(said(2, .debug))
        recent.log(said(3, .error, in: "B"))
        #expect(provider.events.map(\.sequence) == [1, 2, 3])
    }

    @Test func theTransactionThatWasSilentLongestIsForgotten() {
        let recent = RecentEvents(provider, RecentEventsPolicy(maximumTransactions: 1))   // and what belongs to none
        recent.log(said(1, .debug, in: "A"))
        recent.log(said(2, .debug, in: "B"))
        recent.log(said(3, .debug, in: "A"))
        recent.log(said(4, .debug, in: "C"))
        for transaction in ["A", "B", "C"] { recent.log(said(9, .error, in: transaction)) }
        #expect(provider.events.map(\.sequence) == [1, 3, 9, 9, 4, 9])
    }

    @Test func noLimitIsTooHigh() {
        let recent = RecentEvents(provider, RecentEventsPolicy(count: .max, maximumTransactions: .max, maximumBytes: .max))
        recent.log(said(1, .debug, in: "A"))
        recent.log(said(2, .error, in: "A"))
        #expect(provider.events.map(\.sequence) == [1, 2])
    }

    @Test func bytesAreBounded() {
        let recent = RecentEvents(provider, RecentEventsPolicy(count: 1_000, maximumBytes: 10_000))
        for number in 0..<1_000 { recent.log(event(UInt64(number), String(repeating: "x", count: 700), .debug)) }
        #expect(recent.keptCount == 10)
        recent.log(event(1_000, String(repeating: "x", count: 50_000), .debug))
        #expect(recent.keptCount == 1)                       // one event is kept, however large
        recent.log(said(1_001, .error))
        #expect(provider.events.map(\.sequence) == [1_000, 1_001])
    }

    @Test func itFollowsTheCurrentTransactionOfTasks() async {
        let service = LogService()
        service.register(RecentEvents(provider), from: .debug)
        let good = service.transaction(usecase: 1), bad = service.transaction(usecase: 2)
        await withTaskGroup { group in
            group.addTask { good.run { service.debug("good") } }
            group.addTask { bad.run { service.debug("bad") } }
        }
        bad.log(1, error: 7)
        #expect(provider.messages.suffix(2) == ["bad", "\(bad.id) event 1, error 7"])
        #expect(!provider.messages.contains("good"))
    }
}
