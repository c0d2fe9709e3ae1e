#if Transactions
import GRDB
import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookTransactions

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct StoreMaintenanceTests {
    private let folder = TemporaryFolder()

    private func entry(_ number: Int, of id: String, text: String? = nil) -> LogEvent {
        LogEvent(
            sequence: UInt64(number), time: t0, level: .info, message: "",
            transaction: TransactionEntry(
                transactionID: id, usecase: 1, kind: .happened(number), errorDescription: text, device: phone))
    }

    private func lines() throws -> [String] {
        var lines: [String] = []
        try StoreMaintenance.dump(folder.store) { line in
            lines.append(String(decoding: line.dropLast(), as: UTF8.self))
            return true
        }
        return lines
    }

    @Test("a dump has every transaction once, also where it takes several readings", arguments: [0, 1, 499, 500, 501, 1250])
    func everyTransactionIsDumped(count: Int) throws {
        let store = try TransactionStore(path: folder.store)
        for start in stride(from: 0, to: count, by: 100) {
            try store.append((start..<min(start + 100, count)).map { entry($0, of: "T\($0)") })
        }
        let dumped = try lines().flatMap { line in
            try TransactionSet.decode(Array("{\"apptxns\":[\(line)]}".utf8), .v0_0_2).transactions
        }
        #expect(dumped.map(\.id) == (0..<count).map { "T\($0)" })
        #expect(dumped.map { $0.entries.map(\.event) } == (0..<count).map { [$0] })
    }

    @Test("who would read a store that is not there is not told to check who may write")
    func aStoreThatIsNotThere() {
        let refusal = TransactionStoreError.cannotRead(path: folder.store, reason: StoreFile.reason(ENOENT))
        #expect(throws: refusal) { try StoreMaintenance.verify(folder.store) }
        #expect(throws: refusal) { try lines() }
        #expect(throws: refusal) { try StoreMaintenance.repair(folder.store, to: folder("new.sqlite")) }
        #expect(!refusal.description.contains("write"))
    }

    @Test("a dump that is ended early says no more")
    func aDumpIsEnded() throws {
        let store = try TransactionStore(path: folder.store)
        try store.append((0..<600).map { entry($0, of: "T\($0)") })
        var count = 0
        try StoreMaintenance.dump(folder.store) { _ in
            count += 1
            return count < 501
        }
        #expect(count == 501)
    }

    @Test("a dump whose reader waits does not let the write-ahead log grow")
    func aDumpThatIsHeld() throws {
        let folder = TemporaryFolder(inMemory: true), begun = Gate(), gate = Gate(), done = Heard<Int>()
        let store = try TransactionStore(path: folder.store)
        try store.append((0..<600).map { entry($0, of: "T\($0)") })
        LogThread.start("dump") {
            var count = 0
            try? StoreMaintenance.dump(folder.store) { _ in
                count += 1
                if count == 1 {
                    begun.open()
                    gate.wait()
                }
                return true
            }
            done.append(count)
        }
        begun.wait()
        let text = String(repeating: "x", count: 4000)
        for round in 0..<100 { try store.append((0..<50).map { entry(round * 50 + $0, of: "T0", text: text) }) }
        #expect(try #require(folder.status("store.sqlite")).bytes > 12 << 20)
        #expect(try #require(folder.status("store.sqlite-wal")).bytes < 8 << 20)
        gate.open()
        #expect(done.wait(for: 1) == [600])
    }

    @Test("a write-ahead log that has grown while somebody read is short again afterwards")
    func theLogIsShortenedAgain() throws {
        let folder = TemporaryFolder(inMemory: true), store = try TransactionStore(path: folder.store)
        let text = String(repeating: "x", count: 4000)
        func append(_ rounds: Range<Int>) throws {
            for round in rounds { try store.append((0..<50).map { entry(round * 50 + $0, of: "T", text: text) }) }
        }
        func bytes() throws -> Int { try #require(folder.status("store.sqlite-wal")).bytes }
        try append(0..<1)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: folder.store, configuration: configuration)
        _ = try reader.inDatabase { db in
            try db.execute(sql: "BEGIN")
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM txn_log")
        }
        try append(1..<60)
        #expect(try bytes() > 8 << 20)
        try reader.inDatabase { try $0.execute(sql: "COMMIT") }
        try append(60..<63)
        #expect(try bytes() < 8 << 20)
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
