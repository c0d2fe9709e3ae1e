#if Transactions
import GRDB
import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookTransactions

@Suite struct StoreMaintenanceTests {
    private let folder = TemporaryFolder()

    private func entry(_ number: Int, of id: String, text: String? = nil) -> LogEvent {
        LogEvent(
            sequence: UInt64(number), time: t0, level: .info, message: "",
            transaction: TransactionEntry(
                transactionID: id, usecase: 1, kind: .happened(number), errorDescription: text, device: phone))
    }

    @Test func keysThatAreThereTwiceAreFaults() throws {
        let store = try TransactionStore(path: folder.store)
        try store.append((1...3).map { entry($0, of: "a") })
        #expect(try StoreMaintenance.verify(folder.store).faults == [])
        try store.transaction { db in
            try db.execute(
                sql: """
                    INSERT INTO txn_log (id, txn_id, timestamp, usecase_event, epoch, sequence)
                    SELECT id + 10, txn_id, timestamp, usecase_event, epoch, sequence FROM txn_log WHERE sequence > 1
                    """)
        }
        let found = try StoreMaintenance.verify(folder.store)
        #expect(found.faults == (2...3).map { "2 entries have the key \(store.epoch):\($0)" })
        #expect(found.counts.entries == 5)
    }
}
#endif
