#if Transactions
import GRDB
import LogbookCore
import LogbookDelivery
import LogbookTestKit
import Testing

@testable import LogbookTransactions

@Suite struct TransactionForkTests {
    private let folder = TemporaryFolder()

    private static func opens(_ path: String) -> TransactionLogProvider? {
        var configuration = TransactionLogConfiguration(storePath: path)
        configuration.storeSharing = .refused
        return try? TransactionLogProvider(configuration: configuration)
    }

    @Test("row 25: a forked child neither writes to its parent's store nor closes or unlocks it, whatever it calls")
    func aChildLeavesTheStoreAlone() async {
        let path = folder.store
        await #expect(processExitsWith: .success) { [path = path as String] in
            let provider = try #require(TransactionForkTests.opens(path)), service = LogService()
            service.register(provider)
            let transaction = service.transaction(usecase: 1)
            transaction.log(0)
            let status = forked {
                transaction.log(1)
                provider.log(LogEvent(sequence: 9, time: LogTime(nanoseconds: 0), level: .info, message: "not of this child"))
                let refusals: [() throws -> Void] = [
                    { _ = try provider.counts() }, { try provider.deleteAll() }, { _ = try provider.allTransactions() },
                    { try provider.flush(by: .seconds(30)) }, { try provider.deliver(by: .seconds(30)) },
                ]
                let isRefused = refusals.allSatisfy { call in
                    do {
                        try call()
                        return false
                    } catch { return error as? TransactionStoreError == .closed(path: path) }
                }
                try? provider.shutdown(by: .seconds(30))
                return isRefused
            }
            #expect(status == 0)
            #expect(TransactionForkTests.opens(path) == nil)   // it is locked still
            transaction.log(2)
            #expect(try provider.counts().entries == 2)
            #expect(service.shutdown(by: .seconds(30)).isComplete)
        }
        #expect(sqlite3(folder.store, "SELECT usecase_event FROM txn_log ORDER BY id") == "0\n2")
    }

    @Test("row 25: nor does a forked child delete what others have left beside the store, or send it again")
    func aChildLeavesWhatIsLeftAlone() async {
        let path = folder.store, lane = path + ".lane-1"
        await #expect(processExitsWith: .success) { [path = path as String, lane = lane as String] in
            let left = try TransactionStore(path: lane, session: TransactionSession(user: "joe"))
            try left.append((1...2).map { number in
                let entry = TransactionEntry(transactionID: "T\(number)", usecase: 1, kind: .happened(number), device: phone)
                return LogEvent(sequence: UInt64(number), time: t0, level: .info, message: "", transaction: entry)
            })
            let limits = ParcelLimits(transactions: 1)
            let parcel = try #require(try left.nextParcel(.v0_0_2, limits: limits, now: t0, randomness: .system))
            try left.settleRejected(parcel.id, because: "no")
            left.close()
            let provider = try TransactionLogProvider(configuration: TransactionLogConfiguration(storePath: path))
            let status = forked {
                let refusals: [() throws -> Void] = [
                    { try provider.reinstateSetAside() }, { try provider.erase(user: "joe") }, { try provider.deleteAll() },
                    { try provider.delete(["T1"]) },
                ]
                provider.setStore(url: "http://127.0.0.1:1", token: "t")
                return provider.token == nil && refusals.allSatisfy { call in
                    do {
                        try call()
                        return false
                    } catch { return error as? TransactionStoreError == .closed(path: path) }
                }
            }
            #expect(status == 0)
            #expect(try provider.counts() == TransactionStoreCounts(transactions: 2, entries: 2, pending: 1, setAside: 1))
            try provider.shutdown(by: .seconds(30))
        }
    }

    @Test("row 25: a forked child that asks what is there waits for no thread of its parent's")
    func aChildAsksWhatIsThere() async {
        await #expect(processExitsWith: .success) { try TransactionForkTests.asksWhileAThreadIsAtWork() }
    }

    /// The thread is at work on what others have left.
    private static func asksWhileAThreadIsAtWork() throws {
        let folder = TemporaryFolder(), lane = folder.store + ".lane-1", isOver = Gate()
        try TransactionStore(path: lane).close()
        let bench = try Bench(in: folder, url: "http://127.0.0.1:9", token: "t") { $0.busyTimeout = .seconds(60) }
        let provider = bench.provider, closed = TransactionStoreError.closed(path: folder.store)
        #expect(try provider.counts() == TransactionStoreCounts())
        let atWork = CourierError.deadlinePassed(pending: 0, reason: "another thread is at work on what other processes have left")
        try DatabaseQueue(path: lane).writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            LogThread.start("logout") {
                try? provider.deleteAll()
                isOver.open()
            }
            let isAtWork = becomesTrue {
                var failure: (any Error)?
                do { try provider.deliver(by: .now) } catch { failure = error }
                return failure as? CourierError == atWork
            }
            #expect(isAtWork)
            let status = forked {
                var failure: (any Error)?
                do { _ = try provider.counts() } catch { failure = error }
                return failure as? TransactionStoreError == closed
            }
            #expect(status == 0)
            try db.execute(sql: "ROLLBACK")
        }
        isOver.wait()
        bench.close()
    }

    @Test("row 25: a forked child that lets go of its parent's store closes and unlocks nothing")
    func aChildLetsGoOfNothing() async {
        let path = folder.store
        await #expect(processExitsWith: .success) { [path = path as String] in
            var store: TransactionStore? = try TransactionStore(path: path)
            let status = forked {
                store?.close()
                let isLeft = store?.state.withLock { $0.value.connection } != nil
                store = nil
                return isLeft && TransactionForkTests.opens(path) == nil
            }
            #expect(status == 0)
            #expect(TransactionForkTests.opens(path) == nil)
            #expect(try store?.counts().entries == 0)
        }
    }
}
#endif
