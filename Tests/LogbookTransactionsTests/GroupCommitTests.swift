#if Transactions
import GRDB
import LogbookCore
import LogbookDelivery
import LogbookTestKit
import Testing

@testable import LogbookTransactions

extension Bench {
    /// Runs it while another program keeps the store locked.
    func whileLocked(_ work: () throws -> Void) throws {
        var patient = Configuration()
        patient.busyMode = .timeout(30)   // who writes may be done before
        try DatabaseQueue(path: folder.store, configuration: patient).writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN EXCLUSIVE")
            defer { try? db.execute(sql: "ROLLBACK") }
            try work()
        }
    }

    /// Numbers of the use case's events that are stored, in their order.
    var stored: [Int] { sqlite3("SELECT usecase_event FROM txn_log ORDER BY id").split(separator: "\n").compactMap { Int($0) } }

    fileprivate var busy: TransactionStoreError { .busy(path: folder.store) }
}

/// What becomes of entries that another program's lock keeps from being stored.
@Suite struct GroupCommitTests {
    @Test(
        "Row 21: what a lock keeps from being stored waits in memory, and is stored in its order, with what comes next or by a flush",
        arguments: [false, true])
    func itIsParked(isFlushed: Bool) throws {
        let bench = try Bench { $0.busyTimeout = .milliseconds(20) }
        let transaction = bench.service.transaction(usecase: 1)
        try bench.whileLocked {
            for event in 1...3 { transaction.log(event) }
            #expect(bench.registration.ledger == LogLedger(submitted: 4, delivered: 1))
            #expect(bench.errors.all == [bench.busy, bench.busy, bench.busy])
            #expect(bench.provider.oldestPending == t0)
            #expect(bench.provider.deliveryStatus.pending == 3)
            #expect(throws: bench.busy) { try bench.provider.flush(by: .milliseconds(20)) }
            #expect(!bench.service.flush(by: .milliseconds(50)).isComplete)
            #expect(bench.stored == [])
        }
        if isFlushed {
            #expect(bench.service.flush(by: .seconds(30)).isComplete)
            #expect(bench.stored == [1, 2, 3])
        }
        transaction.log(4)
        #expect(bench.stored == [1, 2, 3, 4])
        #expect(bench.registration.ledger == LogLedger(submitted: 5, delivered: 5))
        #expect(bench.provider.oldestPending == nil)
        #expect(bench.provider.deliveryStatus.pending == 4)
    }

    @Test("Row 21: a flush waits for the lock to go")
    func aFlushWaits() throws {
        let bench = try Bench { $0.busyTimeout = .milliseconds(20) }
        let provider = bench.provider, transaction = bench.service.transaction(usecase: 1)
        let hasBegun = Heard<Bool>(), isFlushed = Heard<Bool>()
        try bench.whileLocked {
            transaction.log(1)
            for _ in 0..<2 {
                LogThread.start("flushing") {
                    hasBegun.append(true)
                    isFlushed.append((try? provider.flush(by: .seconds(600))) != nil)
                }
            }
            _ = hasBegun.wait(for: 2)
            #expect(throws: bench.busy) { try provider.flush(by: .milliseconds(50)) }   // in which the others have looked as well
            transaction.log(2)
            #expect(isFlushed.all.isEmpty)
        }
        #expect(isFlushed.wait(for: 2) == [true, true])
        #expect(bench.stored == [1, 2])
    }

    @Test("Row 21: a file that stays locked holds up one call, and not each")
    func oneCallWaits() throws {
        let bench = try Bench { $0.busyTimeout = .seconds(1) }
        let transaction = bench.service.transaction(usecase: 1), isDone = Heard<Bool>()
        try bench.whileLocked {
            LogThread.start("logging") {
                for event in 1...100 { transaction.log(event) }
                isDone.append(true)
            }
            #expect(isDone.wait(for: 1) == [true])   // within half a minute, which is less than a second each
        }
        _ = isDone.wait(for: 1)
        transaction.log(101)
        #expect(bench.stored == Array(1...101))
    }

    @Test("Row 21: so much waits in memory and no more; then the oldest are lost, and counted")
    func theListIsBounded() throws {
        let bench = try Bench { $0.busyTimeout = .zero }
        let transaction = bench.service.transaction(usecase: 1), most = GroupCommit.maximumParked
        try bench.whileLocked {
            for event in 0..<most + 4 { transaction.log(event) }
            #expect(bench.registration.ledger == LogLedger(submitted: UInt64(most) + 5, delivered: 1, dropped: [.inputOutputError: 4]))
        }
        #expect(bench.service.flush(by: .seconds(30)).isComplete)
        #expect(bench.stored == Array(4..<most + 4))
        let ledger = LogLedger(submitted: UInt64(most) + 5, delivered: UInt64(most) + 1, dropped: [.inputOutputError: 4])
        #expect(bench.registration.ledger == ledger)
    }

    @Test("Row 21: one of them that cannot be stored takes no other with it, and is told of when that turns out")
    func oneOfThemFails() throws {
        let bench = try Bench { $0.busyTimeout = .milliseconds(20) }
        let transaction = bench.service.transaction(usecase: 1)
        try bench.provider.store.transaction {
            try $0.execute(
                sql: "CREATE TRIGGER no BEFORE INSERT ON txn_log WHEN new.usecase_event = 2 BEGIN SELECT raise(ABORT, 'no'); END")
        }
        try bench.whileLocked { for event in 1...3 { transaction.log(event) } }
        transaction.log(4)
        #expect(bench.stored == [1, 3, 4])
        #expect(bench.registration.ledger == LogLedger(submitted: 5, delivered: 4, dropped: [.inputOutputError: 1]))
        #expect(bench.errors.all.count == 4)
        #expect(bench.errors.all.last?.description.contains("failed: no") == true)
    }

    @Test("C28: what waits in memory at a logout is not stored, and counted")
    func aLogout() throws {
        let bench = try Bench { $0.busyTimeout = .milliseconds(20) }
        let transaction = bench.service.transaction(usecase: 1)
        try bench.whileLocked { transaction.log(1) }
        bench.clock.advance(by: .microseconds(1))
        try bench.provider.deleteAll()
        let after = bench.service.transaction(usecase: 1)
        after.log(2)
        #expect(try bench.provider.allTransactions().map(\.id) == [after.id])
        #expect(bench.registration.ledger == LogLedger(submitted: 4, delivered: 3, dropped: [.loggedOut: 1]))
    }

    @Test("C11: what waits in memory of a transaction that is deleted does not come back")
    func aDeletion() throws {
        let bench = try Bench { $0.busyTimeout = .milliseconds(20) }
        let transaction = bench.service.transaction(usecase: 1)
        try bench.whileLocked { transaction.log(1) }
        try bench.provider.delete([transaction.id])
        #expect(bench.service.flush(by: .seconds(30)).isComplete)
        #expect(try bench.provider.allTransactions() == [])
        #expect(bench.registration.ledger == LogLedger(submitted: 2, delivered: 2))
    }

    @Test(
        "Row 21: what waits in memory is stored when the time to deliver has come, also where nothing may be sent",
        arguments: [true, false])
    func theCourierStoresIt(isSetUp: Bool) throws {
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: isSetUp ? server.url : nil, token: "t", interval: .seconds(20)) {
            $0.busyTimeout = .milliseconds(20)
        }
        let transaction = bench.service.transaction(usecase: 1)
        try bench.whileLocked { transaction.log(1) }
        let isStored = becomesTrue {
            bench.clock.advance(by: .seconds(20))
            return bench.registration.ledger == LogLedger(submitted: 2, delivered: 2)
        }
        #expect(isStored)
        if isSetUp { #expect(server.waitForRequests(1)) } else { #expect(bench.stored == [1]) }
        bench.close()
        #expect(try server.requests.map(usecaseEvents) == (isSetUp ? [[transaction.id: [1]]] : []))
    }

    @Test("Row 21: a delivery sends what waits in memory, once that can be stored")
    func aDeliverySendsIt() throws {
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: server.url, token: "t") { $0.busyTimeout = .milliseconds(20) }
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1)
        #expect(bench.provider.deliveryStatus.pending == 1)
        try bench.whileLocked {
            transaction.log(2)
            let reason = "another thread or another program is at work on the store"
            #expect(throws: CourierError.deadlinePassed(pending: 2, reason: reason)) {
                try bench.provider.deliver(by: .milliseconds(20))
            }
        }
        try bench.deliver()
        #expect(try server.requests.map(usecaseEvents) == [[transaction.id: [1, 2]]])
    }

    @Test("Row 21: a shutdown that finds the file locked counts what waits in memory as lost; what comes later does not wait")
    func aShutdown() throws {
        let bench = try Bench { $0.busyTimeout = .milliseconds(20) }
        let transaction = bench.service.transaction(usecase: 1)
        try bench.whileLocked {
            for event in 1...2 { transaction.log(event) }
            #expect(throws: TransactionStoreError.lost(path: bench.folder.store, count: 2)) {
                try bench.provider.shutdown(by: .milliseconds(20))
            }
            try bench.provider.shutdown(by: .now)
            transaction.log(3)
        }
        let ledger = LogLedger(submitted: 4, delivered: 1, dropped: [.providerTimeout: 2, .alreadyShutDown: 1])
        #expect(bench.registration.ledger == ledger)
        #expect(bench.errors.all == [bench.busy, bench.busy, bench.busy, .closed(path: bench.folder.store)])
        #expect(bench.sqlite3("SELECT count(*) FROM txn_log") == "0")
    }

    @Test("Row 21: what waits in memory is stored by a shutdown, where the file is free by then")
    func aShutdownInTime() throws {
        let bench = try Bench { $0.busyTimeout = .milliseconds(20) }
        let transaction = bench.service.transaction(usecase: 1)
        try bench.whileLocked { transaction.log(1) }
        #expect(bench.service.shutdown(by: .seconds(30)).isComplete)
        #expect(bench.stored == [1])
        #expect(bench.registration.ledger == LogLedger(submitted: 2, delivered: 2))
    }

    @Test("Row 21: the service's report of a shutdown that loses what waits in memory says so")
    func aShutdownOfTheService() throws {
        /// Has less time than the service has.
        struct Hasty: WrappingProvider {
            let wrapped: any LogProvider
            func log(_ event: LogEvent) { wrapped.log(event) }
            func shutdown(by deadline: LogDeadline) throws { try wrapped.shutdown(by: .milliseconds(20)) }
        }
        let bench = try Bench { $0.busyTimeout = .milliseconds(20) }
        let service = LogService(device: phone, clock: .manual(bench.clock))
        service.register(Hasty(wrapped: bench.provider))
        let transaction = service.transaction(usecase: 1)
        try bench.whileLocked {
            transaction.log(1)
            let lost = TransactionStoreError.lost(path: bench.folder.store, count: 1)
            #expect(service.shutdown(by: .seconds(60)).unfinished.map(\.reason) == ["\(lost)"])
        }
    }

    @Test("Row 21: a shutdown waits for who reads in this process, and stores what waits in memory: closing the file waits for him anyway")
    func aShutdownBesideAReader() throws {
        let bench = try Bench { $0.busyTimeout = .milliseconds(20) }
        let provider = bench.provider, transaction = bench.service.transaction(usecase: 1), turn = provider.store.turn
        try bench.whileLocked { transaction.log(1) }
        let gate = Gate(), reads = Heard<Bool>(), ended = Heard<Bool>()
        LogThread.start("reader") {
            turn.take(by: .never) {
                reads.append(true)
                gate.wait()
            }
        }
        #expect(reads.wait(for: 1) == [true])
        LogThread.start("shutdown") { ended.append((try? provider.shutdown(by: .now)) != nil) }
        #expect(becomesTrue { turn.waitingCount > 0 })
        gate.open()
        #expect(ended.wait(for: 1) == [true])
        #expect(bench.stored == [1])
        #expect(bench.registration.ledger == LogLedger(submitted: 2, delivered: 2))
    }

    @Test("Row 21: a flush without time stores some of what waits in memory, and no more than one group")
    func aFlushWithoutTime() throws {
        let bench = try Bench { $0.busyTimeout = .zero }
        let transaction = bench.service.transaction(usecase: 1)
        try bench.whileLocked { for event in 1...600 { transaction.log(event) } }
        #expect(throws: bench.busy) { try bench.provider.flush(by: .now) }
        #expect(bench.stored == Array(1...512))
        try bench.provider.flush(by: .seconds(60))
        #expect(bench.stored == Array(1...600))
    }

    @Test("process_died: what waits in memory is noted where losses are recorded, and nothing else is")
    func itIsNotedForTheNextRun() throws {
        let page = PageInMemory(), bench = try Bench { $0.busyTimeout = .zero }
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1)
        bench.service.recordLosses(on: page.page)
        #expect(page.losses() == [])
        try bench.whileLocked {
            for event in 2...4 { transaction.log(event) }
            let losses = try #require(page.losses())
            #expect(losses.map(\.count) == [3...3] && losses.map(\.provider) == [bench.registration.name])
        }
        transaction.log(5)
        #expect(bench.stored == [1, 2, 3, 4, 5] && page.losses() == [])
    }

    @Test("what is logged by who hears that the store gives entries up, while what waited in memory is stored, waits for no commit")
    func whoHearsDiagnosticsMayLog() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench {
                $0.busyTimeout = .zero
                $0.maximumStoreBytes = 1 << 20
            }
            let transaction = bench.service.transaction(usecase: 1), other = bench.service.transaction(usecase: 2)
            let said = Locked(0)
            LogDiagnostics.setHandler { remark in
                guard remark.message.contains("gives up") else { return }
                said.withLock { $0 += 1 }
                other.log(7)
            }
            let text = String(repeating: "x", count: 4000)
            try bench.whileLocked { for event in 1...400 { transaction.log(event, error: 1, text) } }
            let isHeard = LogDeadline.seconds(1)   // of one origin no more is said in a second, and that it is locked was
            #expect(becomesTrue { isHeard.hasPassed })
            try bench.provider.flush(by: .seconds(60))
            #expect(said.withLock { $0 } > 0)
            try bench.provider.flush(by: .seconds(60))   // what was logged meanwhile
            #expect(bench.sqlite3("SELECT count(*) FROM txn_log WHERE usecase_event = 7") != "0")
            #expect(bench.registration.ledger.pending == 0)
        }
    }

    @Test("who hears that the store gives entries up may shut it down: what is being stored then is counted once, and the rest is lost")
    func whoHearsDiagnosticsMayShutDown() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench {
                $0.busyTimeout = .zero
                $0.maximumStoreBytes = 1 << 20
            }
            let transaction = bench.service.transaction(usecase: 1), provider = bench.provider
            LogDiagnostics.setHandler { remark in if remark.message.contains("gives up") { try? provider.shutdown(by: .seconds(5)) } }
            let text = String(repeating: "x", count: 4000)
            try bench.whileLocked { for event in 1...600 { transaction.log(event, error: 1, text) } }
            let isHeard = LogDeadline.seconds(1)   // of one origin no more is said in a second, and that it is locked was
            #expect(becomesTrue { isHeard.hasPassed })
            try? provider.flush(by: .seconds(60))
            let ledger = bench.registration.ledger
            #expect(ledger.pending == 0 && ledger.dropped[.providerTimeout] ?? 0 > 0, "\(ledger)")
        }
    }

    @Test("Row 21: who lets go of a provider without a shutdown loses nothing that can be stored")
    func itIsLetGoOf() throws {
        let folder = TemporaryFolder(), service = LogService()
        do {
            var configuration = TransactionLogConfiguration(storePath: folder.store)
            configuration.busyTimeout = .zero
            let registration = service.register(try TransactionLogProvider(configuration: configuration))
            let transaction = service.transaction(usecase: 1)
            try DatabaseQueue(path: folder.store).writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN EXCLUSIVE")
                transaction.log(1)
                try db.execute(sql: "ROLLBACK")
            }
            registration.unregister(by: .now)
        }
        #expect(becomesTrue { sqlite3(folder.store, "SELECT usecase_event FROM txn_log") == "1" })
    }

    @Test("Row 21: that entries wait in memory is said, and that a shutdown loses them")
    func itIsSaid() async {
        await #expect(processExitsWith: .success) {
            let said = Locked<[String]>([])
            LogDiagnostics.setHandler { remark in said.withLock { $0.append(remark.message) } }
            let bench = try Bench { $0.busyTimeout = .zero }
            let transaction = bench.service.transaction(usecase: 1)
            try bench.whileLocked {
                for event in 1...2 { transaction.log(event) }
                try? bench.provider.shutdown(by: .milliseconds(20))
            }
            let path = bench.folder.store
            #expect(
                said.withLock { $0 } == [
                    "\(path) is locked by another program; up to 4096 entries wait in memory meanwhile",
                    "the shutdown loses 2 entries: another program keeps \(path) locked",
                ])
        }
    }
}
#endif
