#if Transactions
import GRDB
import LogbookTestKit
import Testing

@testable import LogbookCore
@testable import LogbookTransactions

@Suite struct TransactionRowsTests {
    private let folder = TemporaryFolder()

    private func event(_ id: String, _ number: Int? = nil, isContinued: Bool = false) -> LogEvent {
        var entry = TransactionEntry(
            transactionID: id, usecase: 1, kind: number.map { .happened($0) } ?? .began, device: phone)
        entry.uptime = .max / 2   // after any session's beginning
        entry.isContinued = isContinued
        return LogEvent(sequence: 1, time: t0, level: .info, message: "", transaction: entry)
    }

    private func sqlite3(_ sql: String) -> String { LogbookTransactionsTests.sqlite3(folder.store, sql) }

    private let entries = """
        SELECT guid, group_concat(usecase_event, ' ') FROM (SELECT * FROM txn_log ORDER BY id) l JOIN txn ON txn.id = txn_id
        GROUP BY guid ORDER BY txn.id
        """

    @Test("transactions that begin together have each a row, in their order, and their own entries", arguments: [1, 2, 10, 61, 150])
    func together(count: Int) throws {
        let store = try TransactionStore(path: folder.store)
        let ids = (0..<count).map { "T\($0)" }
        // Others say something between one's beginning and its entries, and nothing at all.
        let events = ids.map { event($0) } + ids.reversed().dropFirst().flatMap { [event($0, 1), event("T0", 2), event($0, 3)] }
        try store.append(events)
        #expect(sqlite3("SELECT guid FROM txn WHERE session IS NOT NULL ORDER BY id") == ids.joined(separator: "\n"))
        var expected = ids.dropLast().map { "\($0)|1 3" }
        if count > 1 { expected[0] = "T0|" + Array(repeating: "2", count: count - 2).joined(separator: " ") + (count > 2 ? " " : "") + "1 2 3" }
        #expect(sqlite3(entries) == expected.joined(separator: "\n"))
        #expect(sqlite3("SELECT DISTINCT id - sequence FROM txn_log") == (count > 1 ? "0" : ""))
    }

    @Test("one that is there already is found, whoever has begun it, and keeps what was said of it first")
    func someAreThere() throws {
        try TransactionStore(path: folder.store).append([event("A"), event("A", 1)])
        let store = try TransactionStore(path: folder.store)
        let batch = [event("B"), event("A"), event("A", 2), event("B", 3), event("C"), event("C"), event("C", 4)]
        for _ in 0..<2 { try store.append(batch) }
        #expect(sqlite3(entries) == "A|1 2 2\nB|3 3\nC|4 4")
        #expect(sqlite3("SELECT count(DISTINCT session) FROM txn") == "2")
        #expect(sqlite3("SELECT DISTINCT guid, offset IS NULL FROM txn_log JOIN txn ON txn.id = txn_id ORDER BY txn_log.id") == "A|0\nA|1\nB|0\nC|0")
    }

    @Test("what goes on with a transaction from elsewhere says nothing of this session, also among those that begin here")
    func continued() throws {
        let store = try TransactionStore(path: folder.store)
        try store.append([event("A", isContinued: true), event("A", 1, isContinued: true), event("B"), event("B", 2)])
        #expect(sqlite3("SELECT guid, session IS NULL FROM txn ORDER BY guid") == "A|1\nB|0")
        #expect(sqlite3("SELECT usecase_event, offset IS NULL FROM txn_log ORDER BY id") == "1|1\n2|0")
    }

    @Test("what has no id begins once, however often that is said")
    func nameless() throws {
        let store = try TransactionStore(path: folder.store)
        try store.append([event(""), event("", 1), event("B"), event(""), event("", 2), event("B", 3)])
        #expect(sqlite3("SELECT count(*) FROM txn") == "2")
        #expect(sqlite3("SELECT group_concat(usecase_event, ' ') FROM txn_log GROUP BY txn_id ORDER BY txn_id") == "1 2\n3")
    }

    @Test("an entry's row bears its number, whatever was deleted or stands behind it")
    func numbers() throws {
        let store = try TransactionStore(path: folder.store)
        func append(_ count: Int) throws { try store.append([event("A")] + (0..<count).map { event("A", $0) }) }
        for _ in 0..<2 { try append(60) }
        try store.deleteAll(endsTransactions: false)
        for _ in 0..<2 { try append(7) }
        try store.transaction { try $0.execute(sql: "DELETE FROM txn_log WHERE id = 134") }
        for _ in 0..<2 { try append(7) }
        #expect(sqlite3("SELECT DISTINCT id - sequence FROM txn_log") == "0")
        #expect(sqlite3("SELECT min(id), max(id), count(*) FROM txn_log") == "121|148|27")
    }
}
#endif
