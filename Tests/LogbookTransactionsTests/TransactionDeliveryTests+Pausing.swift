#if Transactions
import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookTransactions

// An app that is in the background for a while.
extension TransactionDeliveryTests {
    /// So long the tests watch for a request that must not come: one that came all the same would be there within it.
    private static var watch: LogDeadline { .milliseconds(100) }

    /// A server that notes when, by the clock, each request came.
    private func timed(
        _ clock: ManualClock, _ answer: @escaping @Sendable (Int) -> LoopbackServer.Answer
    ) throws -> (server: LoopbackServer, arrivals: Heard<LogTime>) {
        let arrivals = Heard<LogTime>()
        let server = try LoopbackServer { _ in
            arrivals.append(clock.now)
            return answer(arrivals.all.count)
        }
        return (server, arrivals)
    }

    /// Returns once so many entries have been delivered in all, in one request or several.
    private func areDelivered(_ count: Int, _ bench: Bench) -> Bool {
        func sum(_ events: [TransactionDeliveryEvent]) -> Int {
            events.reduce(0) { if case .delivered(_, let entries) = $1 { $0 + entries } else { $0 } }
        }
        return sum(bench.events.wait { sum($0) >= count }) == count
    }

    @Test("A1: while deliveries are paused nothing goes by itself, and what has come meanwhile goes at once when they are resumed")
    func aPauseSendsNothing() throws {
        let clock = ManualClock(now: t0)
        let (server, arrivals) = try timed(clock) { _ in .status(202) }
        let bench = try Bench(clock: clock, url: server.url, token: "t", interval: .seconds(20)) { $0.deliverAfterEntries = 2 }
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1)
        clock.advance(by: .seconds(20))
        #expect(areDelivered(1, bench))
        #expect(!bench.provider.deliveryStatus.isPaused)

        bench.provider.pauseDelivery()
        bench.provider.pauseDelivery()   // twice is once
        for event in 2...5 { transaction.log(event) }   // more than deliveries wait for
        for _ in 0..<3 { clock.advance(by: .seconds(20)) }
        bench.provider.token = "new"
        try bench.provider.reinstateSetAside()
        #expect(!server.waitForRequests(2, by: Self.watch))
        let status = bench.provider.deliveryStatus
        #expect(status.isPaused && status.pending == 4 && status.nextAttempt == nil)
        #expect(bench.sqlite3("SELECT count(*) FROM txn_log") == "4")

        clock.advance(by: .seconds(1))
        let resumed = clock.now
        bench.provider.resumeDelivery()
        #expect(areDelivered(5, bench))
        bench.provider.resumeDelivery()
        #expect(arrivals.all.dropFirst().allSatisfy { $0 == resumed })
        #expect(server.requests.dropFirst().allSatisfy { $0.header("Authorization") == "fp-auth fp-token=\"new\"" })
        #expect(!bench.provider.deliveryStatus.isPaused)

        transaction.log(6)
        clock.advance(by: .seconds(20))
        #expect(areDelivered(6, bench))
        #expect(try server.requests.flatMap { try usecaseEvents($0)[transaction.id] ?? [] } == Array(1...6))
    }

    @Test("A1: what a busy server asked for is remembered when deliveries are paused and resumed meanwhile")
    func intervalAndPause() throws {
        let clock = ManualClock(now: t0)
        let (server, arrivals) = try timed(clock) {
            $0 == 1 ? .status(503, headers: [HTTPHeader("Retry-After", "90")]) : .status(202)
        }
        let bench = try Bench(clock: clock, url: server.url, interval: .seconds(20))
        bench.service.transaction(usecase: 1).log(1)
        bench.provider.token = "t"
        let asked = t0.adding(.seconds(90))
        #expect(bench.events.wait(for: 1) == [.serverBusy(until: asked)])

        // In the background, and back again before the server wants to be asked.
        bench.provider.pauseDelivery()
        for _ in 0..<2 { clock.advance(by: .seconds(20)) }
        #expect(bench.provider.deliveryStatus.nextAttempt == nil)
        bench.provider.resumeDelivery()
        #expect(!server.waitForRequests(2, by: Self.watch))
        #expect(bench.provider.deliveryStatus.nextAttempt == asked)
        for _ in 0..<3 { clock.advance(by: .seconds(20)) }
        #expect(areDelivered(1, bench))
        #expect(arrivals.all.count == 2 && arrivals.all[1] >= asked)
    }

    @Test("A1: what is on its way when deliveries are paused arrives, and what is asked for then goes, and nothing behind it")
    func askedForDuringAPause() throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .after(gate, .status(202)) }
        let bench = try Bench(url: server.url, interval: .seconds(20))
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1)
        bench.provider.token = "t"
        #expect(server.waitForRequests(1))
        transaction.log(2)
        bench.provider.pauseDelivery()
        gate.open()
        #expect(areDelivered(1, bench))
        #expect(!server.waitForRequests(2, by: Self.watch))

        try bench.deliver()
        transaction.log(3)
        bench.provider.hurry()
        #expect(areDelivered(3, bench))
        transaction.log(4)
        for _ in 0..<3 { bench.clock.advance(by: .seconds(20)) }
        #expect(!server.waitForRequests(4, by: Self.watch))
        #expect(try server.requests.map(usecaseEvents) == (1...3).map { [transaction.id: [$0]] })
        #expect(bench.provider.deliveryStatus.isPaused)

        let deadline = LogDeadline.seconds(60)
        try bench.provider.shutdown(by: deadline)   // while they are paused
        #expect(!deadline.hasPassed)
        #expect(bench.sqlite3("SELECT usecase_event FROM txn_log") == "4")
    }

    @Test("A1: an entry that is urgent goes also while deliveries are paused, with what waits before it; the next one that is not waits")
    func urgentDuringAPause() throws {
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: server.url, token: "t", interval: .seconds(20)) {
            $0.conditions = DeliveryConditions(urgentFrom: .warning)
        }
        bench.provider.pauseDelivery()
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1)
        transaction.log(2, error: 42, "Baad!")
        #expect(areDelivered(2, bench))
        let sent = server.requests.count
        transaction.log(3)
        bench.clock.advance(by: .seconds(20))
        #expect(!server.waitForRequests(sent + 1, by: Self.watch))
        #expect(try bench.provider.counts().pending == 1)
    }
}
#endif
