@testable import LogbookCore
import LogbookTestKit
import Testing

/// What is lost of what a provider had taken care of.
@Suite struct LaterLossesTests {
    /// Keeps what it takes, until somebody takes some of that away.
    private final class Shelf: LogProvider {
        private let state = Locked((lost: [DropReason: UInt64](), taken: 0, isCrowded: false))

        /// - Parameter isCrowded: Each event that comes from now on costs one that is there.
        init(isCrowded: Bool = false) { state.withLock { $0.isCrowded = isCrowded } }

        func log(_ event: LogEvent) {
            state.withLock { state in
                state.taken += 1
                if state.isCrowded { state.lost[.spoolFull, default: 0] += 1 }
            }
        }
        func lose(_ count: UInt64, _ reason: DropReason) { state.withLock { $0.lost[reason, default: 0] += count } }
        func flush(by deadline: LogDeadline) {}
        var ledger: LogLedger? { state.withLock { LogLedger(submitted: UInt64($0.taken), delivered: UInt64($0.taken)) } }
        var lostAfterwards: [DropReason: UInt64]? { state.withLock { $0.lost } }
    }

    private let clock = ManualClock(now: LogTime(nanoseconds: 1_000))
    private let other = RecordingProvider()
    private let service: LogService

    init() {
        service = LogService(clock: .manual(clock))
        service.register(other)
    }

    private var losses: [LogEvent] { other.events.filter { $0.category == LogService.lossCategory } }

    /// The alarm of a service is heard on a thread of its own.
    private func pass(_ span: Duration, until isTrue: () -> Bool) -> Bool {
        becomesTrue {
            clock.advance(by: span)
            return isTrue()
        }
    }

    @Test(
        "row 61: what is lost of what was stored is told with the next event, without a range, and health shows it",
        arguments: [LogDelivery.immediate, .queued()])
    func whatIsLostAfterwardsIsTold(_ delivery: LogDelivery) throws {
        let shelf = Shelf()
        shelf.lose(7, .spoolFull)   // before it was registered
        let registration = service.register(shelf, delivery: delivery, name: "shelf")
        service.info("1")
        service.flush(by: .seconds(30))
        #expect(registration.lostAfterwards == [:])
        shelf.lose(3, .spoolFull)
        shelf.lose(1, .rejectedByServer)
        service.info("2")
        service.flush(by: .seconds(30))
        #expect(pass(.milliseconds(10)) { losses.count == 2 })
        #expect(losses.map(\.message) == [
            "1 event did not get beyond shelf (rejected_by_server)", "3 events did not get beyond shelf (spool_full)",
        ])
        #expect(
            losses.last?.metadata == [
                "category": "log.loss", "provider": "shelf", "reason": "spool_full", "count": 3, "stored": true,
            ])
        service.flush(by: .seconds(30))
        let health = try #require(service.health().providers.last)
        #expect(health.lostAfterwards == [.spoolFull: 3, .rejectedByServer: 1] && health.ledger.dropped == [:])
        #expect("\(health)".contains(", 0 dropped, 4 lost afterwards (rejected_by_server 1, spool_full 3)"))
        clock.advance(by: .seconds(5))
        service.flush(by: .seconds(30))
        #expect(losses.count == 2)
    }

    @Test("who is told of a loss and loses something for it goes on for ever with none")
    func aToldLossIsNoReasonToTellAnother() throws {
        let registration = service.register(Shelf(isCrowded: true), name: "shelf")
        service.info("1")
        #expect(pass(.milliseconds(10)) { losses.count == 1 })
        for _ in 0..<20 { clock.advance(by: .seconds(1)) }
        #expect(losses.count == 1 && registration.lostAfterwards == [.spoolFull: 2])
        service.info("2")
        #expect(pass(.milliseconds(100)) { losses.count == 2 })
        #expect(losses.last?.metadata["count"] == 2)   // of the event that told the first, and of this one
    }

    @Test("two that lose something for whatever they are told do not keep each other at it")
    func lossesOfTwoAreToldOnceEach() {
        service.register(Shelf(isCrowded: true), name: "one")
        service.register(Shelf(isCrowded: true), name: "two")
        service.info("1")
        #expect(pass(.milliseconds(10)) { losses.count >= 2 })
        for _ in 0..<20 { clock.advance(by: .seconds(1)) }
        #expect(losses.count == 2)
    }

    @Test func whatNobodyWasToldOfIsToldAtTheEnd() throws {
        let shelf = Shelf()
        service.register(shelf, name: "shelf")
        service.info("1")
        shelf.lose(2, .corruptRecovered)
        service.shutdown(by: .seconds(30))
        #expect(losses.map(\.message) == ["2 events did not get beyond shelf (corrupt_recovered)"])
    }

    @Test("of a wrapper and of a queue that somebody has made the provider behind it counts")
    func whatIsBehindAnotherCounts() {
        let shelf = Shelf()
        shelf.lose(2, .spoolFull)
        #expect(FoldingRepeats(shelf).lostAfterwards == [.spoolFull: 2])
        #expect(BatchingProvider(ShelfSink()).lostAfterwards == [.oversize: 1])
        #expect(BatchingProvider(FailingSink { _ in nil }).lostAfterwards == nil)
        #expect(RecordingProvider().lostAfterwards == nil)
    }

    @Test("who watches what a queue's sink loses afterwards holds no queue")
    func aQueueGoes() {
        weak var queue: BatchingProvider?
        do {
            let made = BatchingProvider(ShelfSink())
            queue = made
            let registration = service.register(FoldingRepeats(made))
            service.info("1")
            service.unregister(registration, by: .seconds(30))
        }
        #expect(becomesTrue { queue == nil })
    }

    private struct ShelfSink: BatchSink, LogProvider {
        func log(_ event: LogEvent) {}
        func write(_ batch: [LogEvent]) {}
        func flush(by deadline: LogDeadline) {}
        var lostAfterwards: [DropReason: UInt64]? { [.oversize: 1] }
    }

    @Test func lossesOfAReasonAreToldOnceASecond() {
        var later = LaterLosses([.spoolFull: 5])
        func see(_ lost: [DropReason: UInt64]) -> Bool { later.see(lost) }
        func take(at now: UInt64, isLast: Bool = false) -> (counts: [String: UInt64], next: UInt64?) {
            let due = later.take(at: now, isLast: isLast)
            return (Dictionary(uniqueKeysWithValues: due.counts.map { ($0.0.rawValue, $0.1) }), due.next)
        }
        #expect(!see([.spoolFull: 5]))
        #expect(!see([.spoolFull: 6]))   // nothing was given to it: the next may be what it is told itself
        #expect(take(at: 1).counts == [:])
        later.give(1)
        #expect(see([.spoolFull: 6]))
        #expect(!see([.spoolFull: 7]))   // it is announced
        #expect(take(at: 10).counts == ["spool_full": 2])
        later.give(0)
        #expect(!see([.spoolFull: 8]))
        later.give(1)
        #expect(see([.spoolFull: 8, .oversize: 1]))
        let second = take(at: 20)
        #expect(second.counts == ["oversize": 1] && second.next == 1_000_000_010)
        later.give(2)
        #expect(!see([.spoolFull: 7]))   // of somebody who has looked earlier; an alarm is set already
        let third = take(at: 1_000_000_010)
        #expect(third.counts == ["spool_full": 1] && third.next == nil)
        #expect(!see([.spoolFull: 9]))
        #expect(take(at: 1_000_000_011, isLast: true).counts == ["spool_full": 1])
    }
}
