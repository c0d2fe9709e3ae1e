#if Transactions
import GRDB
import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookTransactions

/// How SQLite goes about what the store asks for while others wait.
@Suite struct StorePlansTests {
    private let folder = TemporaryFolder()

    private func entries(_ numbers: Range<Int>) -> [LogEvent] {
        numbers.map { number in
            LogEvent(
                sequence: UInt64(number), time: t0, level: .info, message: "",
                transaction: TransactionEntry(
                    transactionID: "T\(number / 2)", usecase: 1, kind: .happened(number),
                    errorDescription: String(repeating: "x", count: 4000), device: phone))
        }
    }

    /// The statements that `work` ran, and the steps of their plans.
    private func plans(
        of store: TransactionStore, _ work: () throws -> Void
    ) throws -> (statements: Set<String>, steps: [(statement: String, step: String)]) {
        let connection = try store.connection().0, said = Locked<Set<String>>([])
        connection.inDatabase { db in
            db.trace { event in
                if case .statement(let statement) = event { said.withLock { _ = $0.insert(statement.sql) } }
            }
        }
        try work()
        let statements = said.withLock { $0 }.filter { sql in
            ["SELECT", "INSERT", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) }
        }
        let steps = try connection.inDatabase { db in
            db.trace(options: [])
            return try statements.flatMap { sql -> [(statement: String, step: String)] in
                let plan = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
                plan.setUncheckedArguments([])
                return try Row.fetchAll(plan).map { (statement: sql, step: $0["detail"] as String) }
            }
        }
        return (statements, steps)
    }

    /// `SCAN txn_log USING INDEX …`, `SCAN l`: every entry there is, from the first one on.
    private func isThroughAll(_ step: String) -> Bool { step.contains(/^SCAN (TABLE )?(txn_log|l)( |$)/) }

    /// The same for transactions.
    private func isThroughAllTransactions(_ step: String) -> Bool { step.contains(/^SCAN (TABLE )?txn( |$)/) }

    @Test("parcels are made, split and settled without going through all entries")
    func parcels() throws {
        let store = try TransactionStore(path: folder.store)
        func next() throws -> StoredParcel {
            try #require(try store.nextParcel(.v0_0_2, limits: ParcelLimits(transactions: 5), now: t0, randomness: .system))
        }
        let (statements, steps) = try plans(of: store) {
            try store.append(entries(0..<60))
            #expect(try store.oldestPending() == t0)
            try store.settleRejected(try next().id, because: "no")
            let whole = try next()
            #expect(try store.split(whole.id, of: whole.set.entryCount, now: t0, randomness: .system))
            for _ in 0..<2 { try store.settleDelivered(try next().id) }
            try store.reinstateSetAside()
            try store.settleDelivered(try next().id)
        }
        #expect(try store.counts().entries == 40)
        #expect(statements.contains { $0.contains("l.parcel IS NULL") } && statements.contains { $0.contains("l.parcel = ?") })
        for (statement, step) in steps where isThroughAll(step) { Issue.record("\(step): \(statement)") }
    }

    @Test("room is made without going through all entries, or all transactions")
    func room() throws {
        let store = try TransactionStore(path: folder.store, maximumBytes: 1 << 20)
        let parcel = ParcelLimits(transactions: 5)
        let (statements, steps) = try plans(of: store) {
            try store.append(entries(0..<40))
            let refused = try #require(try store.nextParcel(.v0_0_2, limits: parcel, now: t0, randomness: .system))
            try store.settleRejected(refused.id, because: "no")
            try store.append(entries(40..<60))
            for start in stride(from: 60, to: 400, by: 20) { try store.append(entries(start..<start + 20)) }
        }
        let counts = try store.counts()
        #expect(counts.setAside == 0 && counts.dropped > 100)
        #expect(statements.contains { $0.hasPrefix("DELETE FROM txn WHERE id > ?") })
        for (statement, step) in steps where statement.hasPrefix("DELETE") && isThroughAllTransactions(step) {
            Issue.record("\(step): \(statement)")
        }
        for condition in ["parcel = ?", "parcel IS NULL"] {
            #expect(statements.contains { $0.hasPrefix("SELECT DISTINCT") && $0.contains(condition) })
            #expect(statements.contains { $0.hasPrefix("DELETE FROM txn_log") && $0.contains(condition) })
        }
        for (statement, step) in steps where isThroughAll(step) { Issue.record("\(step): \(statement)") }
    }
}
#endif
