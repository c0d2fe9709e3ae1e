#if Transactions
import GRDB
import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookTransactions

@Suite struct StorePatienceTests {
    @Test("another program is waited for as long as the store does always, or until the deadline where that is sooner")
    func milliseconds() {
        #expect(StorePatience.usual.milliseconds(atMost: 5000) == 5000)
        #expect(StorePatience.until(.never).milliseconds(atMost: 5000) == 5000)
        #expect(StorePatience.until(.seconds(600)).milliseconds(atMost: 5000) == 5000)
        #expect(StorePatience.until(.after(.seconds(Int64.max))).milliseconds(atMost: 5000) == 5000)
        #expect((1...60_001).contains(StorePatience.until(.seconds(60)).milliseconds(atMost: .max)))
        #expect(StorePatience.until(.now).milliseconds(atMost: 5000) == 0)
        #expect(StorePatience.attempt(by: .never).milliseconds(atMost: 5000) == 0)
        #expect(StorePatience.attempt(by: .now).deadline == .now)
    }

    @Test("Row 21: a call with a deadline waits for another program until then, and the next one as long as ever")
    func aDeadlineEndsTheWait() throws {
        let folder = TemporaryFolder(), store = try TransactionStore(path: folder.store, busyTimeout: 600)
        let failures = Heard<TransactionStoreError>()
        let event = LogEvent(
            sequence: 1, time: t0, level: .info, message: "",
            transaction: TransactionEntry(transactionID: "a", usecase: 1, kind: .happened(1), device: phone))
        try DatabaseQueue(path: folder.store).writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN EXCLUSIVE")
            LogThread.start("storing") {
                do throws(TransactionStoreError) {
                    try store.append([event], .until(.milliseconds(20)))
                } catch {
                    failures.append(error)
                }
            }
            #expect(failures.wait(for: 1) == [.busy(path: folder.store)])   // and the file is locked still
            try db.execute(sql: "ROLLBACK")
        }
        #expect(try store.connection().0.inDatabase { try Int.fetchOne($0, sql: "PRAGMA busy_timeout") } == 600_000)
        try store.append([event])
        #expect(try store.counts().entries == 1)
    }
}
#endif
