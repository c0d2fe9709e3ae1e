#if Transactions
import GRDB
import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookTransactions

@Suite struct TransactionLogProviderTests {
    @Test func hearsTransactionsAndNothingElse() throws {
        let bench = try Bench()
        bench.service.error("not for us")
        bench.service.transaction(usecase: 1).log(1)
        #expect(bench.registration.ledger == LogLedger(submitted: 2, delivered: 2))
        #expect(bench.provider.ledger == LogLedger(submitted: 2, delivered: 2))
    }

    @Test("C8: what the store refuses is reported once and counted, and changes nothing")
    func reportsAFailureOnce() throws {
        let bench = try Bench()
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1)
        try bench.provider.store.transaction {
            try $0.execute(sql: "CREATE TRIGGER no BEFORE INSERT ON txn_log BEGIN INSERT INTO txn_log (txn_id, timestamp, usecase_event, epoch, sequence) VALUES (999, 0, 0, 0, 0); END; PRAGMA recursive_triggers = OFF")
        }
        transaction.log(2)
        #expect(bench.errors.all.count == 1)
        #expect(bench.errors.all.first?.description.contains("FOREIGN KEY constraint failed") == true)
        #expect(bench.registration.ledger == LogLedger(submitted: 3, delivered: 2, dropped: [.inputOutputError: 1]))
        #expect(bench.sqlite3("SELECT usecase_event FROM txn_log") == "1")
    }

    @Test("an entry from the first or last second that a time can tell does not make the store unreadable")
    func keepsTimesFromEitherEnd() throws {
        let bench = try Bench(), transaction = bench.service.transaction(usecase: 1)
        for nanoseconds in [Int64.min, .min + 1, 0, .max] {
            bench.clock.setWall(LogTime(nanoseconds: nanoseconds))
            transaction.log(1)
        }
        let entries = try bench.provider.store.allTransactions().flatMap(\.entries)
        #expect(entries.map(\.time.wholeSeconds) == [-9_223_372_036, -9_223_372_036, 0, 9_223_372_035])
    }

    @Test func theStatusSaysHowLongTheOldestEntryHasWaited() throws {
        let bench = try Bench()
        #expect(bench.provider.deliveryStatus.oldestAge == nil)
        bench.service.transaction(usecase: 1).log(1)
        bench.clock.advance(by: .seconds(90))
        bench.service.transaction(usecase: 1).log(2)
        #expect(bench.provider.deliveryStatus.oldestAge == .seconds(90))

        let ancient = try Bench()
        ancient.clock.setWall(LogTime(nanoseconds: .min))
        ancient.service.transaction(usecase: 1).log(1)
        ancient.clock.setWall(t0)
        #expect(ancient.provider.deliveryStatus.oldestAge == .nanoseconds(Int64.max))
    }

    @Test("how much waits is known also while another program writes to the file, from the start")
    func theStatusWaitsForNobody() throws {
        let first = try Bench()
        first.service.transaction(usecase: 1).log(1)
        first.close()
        let bench = try Bench(in: first.folder) { $0.busyTimeout = .zero }
        let other = try DatabaseQueue(path: first.folder.store)
        try other.inTransaction(.immediate) { (_: Database) throws in
            #expect(bench.provider.deliveryStatus.pending == 1)
            #expect(try bench.provider.counts().pending == 1)
            return .rollback
        }
    }

    @Test("who hears of a recovery may wait for another thread that logs")
    func aRecoveryIsSaidWhenNothingIsHeld() throws {
        let ended = Heard<Bool>(), hasWaited = Heard<Bool>(), service = Locked<LogService?>(nil)
        let bench = try Bench {
            $0.onError = { error in
                guard case .recovered = error else { return }
                LogThread.start("other") {
                    service.withLock { $0 }?.transaction(usecase: 2).log(2)
                    ended.append(true)
                }
                hasWaited.append(!ended.wait(for: 1).isEmpty)
            }
        }
        service.withLock { $0 = bench.service }
        bench.service.transaction(usecase: 1).log(1)
        _ = shell("rm '\(bench.folder.store)'")
        bench.service.transaction(usecase: 3).log(3)
        #expect(hasWaited.all == [true])
        #expect(try bench.provider.allTransactions().map(\.usecase).sorted() == [1, 2, 3])
    }

    @Test("what stands behind a NUL in an error's description is kept")
    func keepsWhatStandsBehindANUL() throws {
        let bench = try Bench()
        bench.service.transaction(usecase: 1).log(1, error: 2, "nul\0byte")
        #expect(bench.sqlite3("SELECT in_ctx_err_desc FROM txn_log") == "nul␀byte")
    }

    @Test("a text that is longer than receivers take is cut, says so, and is taken")
    func cutsWhatReceiversWouldRefuse() throws {
        let bench = try Bench()
        let long = String(repeating: "x", count: 70_000), longest = String(repeating: "é", count: 1 << 20)
        let transaction = bench.service.transaction(
            continuing: "T", usecase: 1, device: DeviceFacts(make: long, os: long, osVersion: "1"))
        for text in [long, String(repeating: "\0", count: 30_000), longest, String(repeating: "x", count: 65_536)] {
            transaction.log(4, error: 1, text)
        }
        for version in [TransactionSetVersion.v0_0_1, .v0_0_2] {
            let stored = TransactionSet(transactions: try bench.provider.allTransactions())
            let taken = try #require(try TransactionSet.decode(stored.encode(version), version).transactions.first)
            let mark = "x… [cut from 70000 bytes]"
            #expect([taken.deviceMake, taken.deviceOS].allSatisfy { $0?.hasSuffix(mark) == true })
            let texts = taken.entries.compactMap(\.errorDescription)
            let ends = texts.map { String($0.suffix(25)) }
            #expect(ends == [mark, "␀… [cut from 90000 bytes]", " [cut from 2097152 bytes]", String(repeating: "x", count: 25)])
            #expect(texts.allSatisfy { (65_500...65_536).contains($0.utf8.count) })
            #expect(taken.deviceOSVersion == "1")
        }
    }

    @Test("C9: a full disk is reported once for each entry that it costs, and ends with the lack of room")
    func survivesAFullDisk() throws {
        let bench = try Bench()
        let transaction = bench.service.transaction(usecase: 1)
        let pages = try bench.provider.store.transaction { db in
            try Int.fetchOne(db, sql: "PRAGMA max_page_count = 1") ?? 0   // answers the number of pages there are
        }
        var attempts = 0
        while bench.errors.all.count < 3 && attempts < 10_000 {
            transaction.log(attempts, error: 1, String(repeating: "x", count: 1000))
            attempts += 1
        }
        #expect(bench.errors.all == Array(repeating: .diskFull(path: bench.folder.store), count: 3))
        #expect(bench.registration.ledger.dropped == [.inputOutputError: 3])
        try bench.provider.store.transaction { try $0.execute(sql: "PRAGMA max_page_count = \(pages + 1000)") }
        transaction.log(7)
        #expect(bench.registration.ledger.droppedTotal == 3)
        #expect(bench.sqlite3("SELECT count(*) FROM txn_log") == "\(attempts - 3 + 1)")
    }

    @Test(
        "Row 21: a store that is locked may be waited for 24 days; more, and less than nothing, ends no program",
        arguments: [
            (Duration.seconds(-1), 0), (.zero, 0), (.milliseconds(20), 20), (.seconds(25 * 86_400), 24 * 86_400_000),
            (.seconds(Int64.max), 24 * 86_400_000),
        ])
    func waitsForALockedStore(timeout: Duration, milliseconds: Int) throws {
        let bench = try Bench { $0.busyTimeout = timeout }
        bench.service.transaction(usecase: 1).log(1)
        let found = try bench.provider.store.connection().0.inDatabase { try Int.fetchOne($0, sql: "PRAGMA busy_timeout") }
        #expect(found == milliseconds)
    }

    @Test("C9: a callback that is not there crashes nobody")
    func needsNoCallback() throws {
        let bench = try Bench { $0.onError = nil }
        bench.close()
        bench.service.transaction(usecase: 1).log(1)
        #expect(bench.registration.ledger == LogLedger(submitted: 2, dropped: [.alreadyShutDown: 2]))
    }

    @Test func aQueueFeedsItInBatches() throws {
        let bench = try Bench(delivery: .queued())
        let transaction = bench.service.transaction(usecase: 1)
        for event in 0..<500 { transaction.log(event) }
        #expect(bench.service.flush(by: .seconds(30)).unfinished.isEmpty)
        #expect(bench.sqlite3("SELECT count(*), count(DISTINCT sequence), min(usecase_event), max(usecase_event) FROM txn_log") == "500|500|0|499")
        #expect(bench.registration.ledger == LogLedger(submitted: 501, delivered: 501))
    }

    @Test func aBatchThatFailsIsStoredLaterAndOnce() throws {
        let bench = try Bench(delivery: .queued())
        let transaction = bench.service.transaction(usecase: 1)
        #expect(bench.service.flush(by: .seconds(30)).unfinished.isEmpty)
        try bench.provider.store.transaction {
            try $0.execute(sql: "CREATE TRIGGER no BEFORE INSERT ON txn_log BEGIN SELECT raise(ABORT, 'no'); END")
        }
        for event in 0..<3 { transaction.log(event) }
        #expect(!bench.errors.wait(for: 1).isEmpty)
        try bench.provider.store.transaction { try $0.execute(sql: "DROP TRIGGER no") }
        #expect(bench.service.flush(by: .seconds(30)).unfinished.isEmpty)
        #expect(bench.sqlite3("SELECT usecase_event FROM txn_log ORDER BY id") == "0\n1\n2")
        #expect(bench.registration.ledger == LogLedger(submitted: 4, delivered: 4))
    }

    @Test("C28: what waits in a queue at a logout is counted by the registration, too")
    func aQueueCountsWhatALogoutHasEnded() throws {
        let bench = try Bench(delivery: .queued()) { $0.busyTimeout = .zero }
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1)
        #expect(bench.service.flush(by: .seconds(30)).isComplete)
        let stranger = try DatabaseQueue(path: bench.folder.store)
        try stranger.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            for event in 2...4 { transaction.log(event) }
            #expect(!bench.errors.wait(for: 1).isEmpty)
            try db.execute(sql: "ROLLBACK")
        }
        bench.clock.advance(by: .microseconds(1))
        try bench.provider.deleteAll()
        let after = bench.service.transaction(usecase: 1)
        after.log(5)
        transaction.log(6)
        #expect(bench.service.flush(by: .seconds(30)).isComplete)
        #expect(try bench.provider.allTransactions().map(\.id) == [after.id])
        let ledger = bench.registration.ledger
        #expect(ledger.dropped == [.loggedOut: 4])
        #expect(ledger.submitted == 8 && ledger.delivered == 4)
        #expect(bench.service.health().providers.first?.ledger == ledger)
        #expect(bench.registration.latestFailure == nil)
    }

    @Test("what comes to a queue when the provider has been shut down is counted, and held up by nobody")
    func aQueueBehindAShutdown() throws {
        let bench = try Bench(delivery: .queued())
        bench.service.transaction(usecase: 1).log(1)
        #expect(bench.service.flush(by: .seconds(30)).isComplete)
        bench.close()
        bench.service.transaction(usecase: 1).log(2)
        #expect(bench.service.shutdown(by: .seconds(5)).isComplete)
        #expect(bench.registration.ledger == LogLedger(submitted: 4, delivered: 2, dropped: [.alreadyShutDown: 2]))
    }

    @Test("a queue of one's own shuts the provider down with it, also where that is the fallback", arguments: [false, true])
    func aQueueOfOnesOwnClosesIt(isFallback: Bool) throws {
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: server.url, interval: .seconds(20))
        bench.registration.unregister()
        let queue = isFallback
            ? BatchingProvider(FailingSink { _ in ScriptedFailure() }, fallback: bench.provider) : BatchingProvider(bench.provider)
        bench.service.register(queue)
        bench.service.transaction(usecase: 1).log(1)
        _ = bench.service.shutdown(by: .seconds(30))
        #expect(throws: TransactionStoreError.closed(path: bench.folder.store)) { _ = try bench.provider.counts() }
        #expect(bench.sqlite3("SELECT count(*) FROM txn_log") == "1")
        bench.provider.token = "t"
        bench.clock.advance(by: .seconds(60))
        #expect(throws: (any Error).self) { try bench.deliver() }
        #expect(server.requests.isEmpty)
    }

    @Test func leavingTheServiceDoesNotCloseIt() throws {
        let bench = try Bench(delivery: .queued())
        bench.service.transaction(usecase: 1).log(1)
        bench.registration.unregister(by: .seconds(30))
        #expect(try bench.provider.counts().entries == 1)
    }

    @Test func shuttingTheServiceDownClosesIt() throws {
        let folder = TemporaryFolder()
        let bench = try Bench(in: folder)
        bench.service.transaction(usecase: 1).log(1)
        #expect(bench.service.shutdown(by: .seconds(30)).unfinished.isEmpty)
        #expect(throws: TransactionStoreError.closed(path: folder.store)) { _ = try bench.provider.counts() }
        #expect(try Bench(in: folder).provider.counts().entries == 1)
    }

    @Test func manyThreadsShareCommitsAndKeepTheirOrder() throws {
        let bench = try Bench()
        let done = Heard<Int>()
        for thread in 0..<8 {
            LogThread.start("storing") {
                let transaction = bench.service.transaction(usecase: thread)
                for event in 0..<40 { transaction.log(event) }
                done.append(thread)
            }
        }
        #expect(done.wait(for: 8).count == 8)
        let all = try bench.provider.allTransactions()
        #expect(all.count == 8)
        for transaction in all { #expect(transaction.entries.map(\.event) == Array(0..<40)) }
        #expect(Set(all.flatMap { $0.entries.map(\.key) }).count == 320)
        #expect(bench.registration.ledger == LogLedger(submitted: 328, delivered: 328))
    }

    @Test func anEntryThatCannotBeStoredTakesNoOtherWithIt() throws {
        let bench = try Bench()
        try bench.provider.store.transaction {
            try $0.execute(sql: "CREATE TRIGGER no BEFORE INSERT ON txn_log WHEN new.usecase_event = 13 BEGIN SELECT raise(ABORT, 'no'); END")
        }
        let done = Heard<Int>()
        for thread in 0..<8 {
            LogThread.start("storing") {
                let transaction = bench.service.transaction(usecase: thread)
                for event in 0..<20 { transaction.log(event) }
                done.append(thread)
            }
        }
        #expect(done.wait(for: 8).count == 8)
        #expect(bench.errors.all.count == 8)
        #expect(bench.registration.ledger == LogLedger(submitted: 168, delivered: 160, dropped: [.inputOutputError: 8]))
        #expect(bench.sqlite3("SELECT count(*), count(DISTINCT sequence), sum(usecase_event = 13) FROM txn_log") == "152|152|0")
    }
}
#endif
