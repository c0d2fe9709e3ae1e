#if Transactions
import GRDB
import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookTransactions

/// A server's part of transactions, when the store that it goes to is in trouble.
@Suite struct ServerTransactionStoreTests {
    private struct Broken: Error {}

    /// A request that succeeds, and one that fails.
    /// - Returns: Whether both ended as they would have without a transaction.
    private func serve(_ bench: Bench, _ id: String) async -> Bool {
        func run<Answer: Sendable>(_ work: @Sendable () async throws -> Answer) async rethrows -> Answer {
            try await ServerTransaction.run(
                headers: [("logbook-apptxn-id", id)], usecase: 1,
                events: ServerTransaction.Events(started: 3, success: 6, invalid: 5, error: 4), service: bench.service, work)
        }
        let answer = await run { 7 }
        do { try await run { throw Broken() } } catch { return answer == 7 && error is Broken }
        return false
    }

    /// Another program's connection to the store's file.
    private func stranger(_ bench: Bench) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: bench.folder.store, configuration: configuration)
    }

    @Test("W6, W7, B16: while another program keeps the store locked, requests are answered as ever, and what they say is stored later")
    func locked() async throws {
        let bench = try Bench { $0.busyTimeout = .milliseconds(20) }
        #expect(await serve(bench, "before"))
        let stranger = try stranger(bench)
        try await stranger.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        #expect(await serve(bench, "meanwhile"))
        #expect(bench.registration.ledger == LogLedger(submitted: 8, delivered: 4))
        #expect(bench.errors.all == Array(repeating: .busy(path: bench.folder.store), count: 4))
        try await stranger.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        #expect(await serve(bench, "after"))
        #expect(try bench.provider.allTransactions().map(\.id) == ["before", "meanwhile", "after"])
        #expect(bench.registration.ledger == LogLedger(submitted: 12, delivered: 12))
    }

    @Test("W6, B16: with a queue before it, a locked store costs a request nothing, and nothing is lost")
    func lockedBehindAQueue() async throws {
        let bench = try Bench(delivery: .queued()) { $0.busyTimeout = .milliseconds(20) }
        let stranger = try stranger(bench)
        try await stranger.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        for number in 0..<25 { #expect(await serve(bench, "T\(number)")) }
        #expect(!bench.errors.wait(for: 1).isEmpty)
        try await stranger.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        #expect(bench.service.flush(by: .seconds(30)).unfinished.isEmpty)
        #expect(try bench.provider.counts().entries == 100)
        #expect(bench.registration.ledger == LogLedger(submitted: 100, delivered: 100))
    }

    @Test("W6, W7, B16: a full disk changes no answer, and what could not be stored is counted")
    func full() async throws {
        let bench = try Bench()
        #expect(await serve(bench, "before"))
        let pages = try bench.provider.store.transaction { try Int.fetchOne($0, sql: "PRAGMA max_page_count = 1") ?? 0 }
        var requests = 1
        while bench.errors.all.count < 3 && requests < 2000 {
            #expect(await serve(bench, "T\(requests)"))
            requests += 1
        }
        let lost = bench.registration.ledger.droppedTotal
        #expect(lost >= 3 && bench.registration.ledger.dropped == [.inputOutputError: lost])
        #expect(bench.errors.all.allSatisfy { $0 == .diskFull(path: bench.folder.store) })
        #expect(try bench.provider.counts().entries == 4 * requests - Int(lost))
        try bench.provider.store.transaction { try $0.execute(sql: "PRAGMA max_page_count = \(pages + 1000)") }
        #expect(await serve(bench, "after"))
        #expect(bench.registration.ledger.droppedTotal == lost)
    }

    @Test("W6, W7, B16: a store that was closed changes no answer, and what comes then is counted")
    func closed() async throws {
        let bench = try Bench()
        bench.close()
        #expect(await serve(bench, "late"))
        #expect(bench.registration.ledger == LogLedger(submitted: 4, dropped: [.alreadyShutDown: 4]))
    }

    @Test("W6, B16: those who wait for a locked store at the same time wait as long as one, not one after the other")
    func waitingTogether() throws {
        let bench = try Bench { $0.busyTimeout = .seconds(1) }, done = Heard<Int>(), count = 60
        let stranger = try stranger(bench)
        try stranger.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        for number in 0..<count {
            LogThread.start("serving") {
                bench.service.transaction(
                    continuing: "T\(number)", usecase: 1, device: phone
                ).log(1)
                done.append(number)
            }
        }
        #expect(done.wait(for: count).count == count)   // within half a minute, which is less than a second each
        #expect(bench.registration.ledger.pending == UInt64(count))
        try stranger.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        bench.service.transaction(continuing: "T", usecase: 1, device: phone).log(1)
        #expect(try bench.provider.counts().entries == count + 1)
        #expect(bench.registration.ledger.droppedTotal == 0)
    }
}
#endif
