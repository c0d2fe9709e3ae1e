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

@Suite struct StoreRoomTests {
    private let text = String(repeating: "x", count: 4000)

    @Test func aFullStoreGivesUpWhatIsOldestAndSaysHowMuch() throws {
        let bench = try Bench(delivery: .queued()) { $0.maximumStoreBytes = 1 << 20 }
        let transactions = (0..<100).map { bench.service.transaction(usecase: $0) }
        for event in 0..<10 {
            for transaction in transactions { transaction.log(event, error: 1, text) }
            try #require(bench.service.flush(by: .seconds(60)).unfinished.isEmpty)
        }
        let counts = try bench.provider.counts()
        #expect(counts.entries + counts.dropped == 1000)
        #expect(counts.entries > 150 && counts.dropped > 600)
        // The latest are there, without a gap; the reason for the gap before them is, too.
        let sequences = try bench.provider.allTransactions().flatMap { $0.entries.compactMap { $0.key?.sequence } }.sorted()
        #expect(sequences == Array(Int64(counts.dropped + 1)...1000))
        #expect(bench.sqlite3("SELECT epoch, reason, first, last, count FROM loss") == "\(bench.provider.store.epoch)|spool_full|1|\(counts.dropped)|\(counts.dropped)")
        let pages = Int(bench.sqlite3("PRAGMA page_count")) ?? 0
        #expect(pages * 4096 <= 1 << 20 + 1 << 19)
        #expect(bench.registration.ledger == LogLedger(submitted: 1100, delivered: 1100))
        #expect(bench.registration.lostAfterwards == [.spoolFull: UInt64(counts.dropped)])
    }

    @Test func whatWasSetAsideGoesFirstAndWhatIsUnderWayNever() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store, maximumBytes: 1 << 20)
        func entry(_ number: Int) -> LogEvent {
            LogEvent(
                sequence: UInt64(number), time: t0, level: .info, message: "",
                transaction: TransactionEntry(
                    transactionID: "T\(number)", usecase: 1, kind: .happened(number), errorDescription: text, device: phone))
        }
        func next() throws -> StoredParcel? {
            try store.nextParcel(.v0_0_2, limits: ParcelLimits(transactions: 20), now: t0, randomness: .system)
        }
        for number in 0..<40 { try store.append([entry(number)]) }
        let refused = try #require(try next())
        try store.settleRejected(refused.id, because: "no")
        let underWay = try #require(try next())
        for number in 40..<500 { try store.append([entry(number)]) }
        #expect(try next() == underWay)
        let counts = try store.counts()
        #expect(counts.setAside == 0)
        #expect(counts.entries + counts.dropped == 500)
        #expect(try store.settleDelivered(underWay.id)?.transactions == 20)
    }

    @Test func aStoreFullOfWhatIsUnderWayRefusesAndCounts() throws {
        let bench = try Bench(delivery: .immediate) { $0.maximumStoreBytes = 1 << 20 }
        let transaction = bench.service.transaction(usecase: 1)
        var count = 0
        while count < 1000, Int(bench.sqlite3("PRAGMA page_count")) ?? 0 <= 246 {
            transaction.log(count, error: 1, text)
            count += 1
        }
        let parcel = try bench.provider.store.nextParcel(
            .v0_0_2, limits: ParcelLimits(bytes: 16 << 20), now: t0, randomness: .system)
        #expect(parcel?.set.entryCount == count)
        for event in 0..<10 { transaction.log(event, error: 1, String(repeating: "y", count: 60_000)) }
        #expect(try bench.provider.counts() == TransactionStoreCounts(transactions: 1, entries: count, pending: count))
        #expect(bench.registration.ledger.dropped == [.spoolFull: 10])
        #expect(bench.errors.all == Array(repeating: .full(path: bench.folder.store, maximumBytes: 1 << 20), count: 10))
        #expect(try bench.provider.store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system) == parcel)
    }

    /// Of each transaction its beginning alone, or one entry.
    private func transactions(_ numbers: Range<Int>, hasEntry: (Int) -> Bool) -> [LogEvent] {
        numbers.map { number in
            LogEvent(
                sequence: UInt64(number), time: t0, level: .info, message: "",
                transaction: TransactionEntry(
                    transactionID: "E\(number)", usecase: 1, kind: hasEntry(number) ? .happened(1) : .began, device: phone))
        }
    }

    @Test("empty transactions that lie among others are looked for a few times, and then entries are given up")
    func emptyOnesAmongOthers() throws {
        let folder = TemporaryFolder(), store = try TransactionStore(path: folder.store, maximumBytes: 2 << 20)
        let looks = Locked(0)
        try store.connection().0.inDatabase { db in
            db.trace { event in
                guard case .statement(let statement) = event, statement.sql.hasPrefix("DELETE FROM txn WHERE id ") else { return }
                if !statement.sql.contains("id = ?") { looks.withLock { $0 += 1 } }
            }
        }
        var count = 0, most = 0
        while try count < 100_000 && store.counts().dropped == 0 {
            looks.withLock { $0 = 0 }
            try store.append(transactions(count..<count + 500) { $0 % 10 != 0 })
            most = max(most, looks.withLock { $0 })
            count += 500
        }
        #expect(most > 0 && most <= 16)
        let counts = try store.counts()
        #expect(counts.dropped > 0 && counts.entries + counts.dropped == count / 10 * 9)
        #expect(try store.allTransactions().last?.id == "E\(count - 1)")
    }

    @Test("a store full of transactions in which nothing happened makes room, and one that was given up is made again")
    func nothingButEmptyOnes() throws {
        let folder = TemporaryFolder(), store = try TransactionStore(path: folder.store, maximumBytes: 1 << 20)
        for start in stride(from: 0, to: 20_000, by: 500) { try store.append(transactions(start..<start + 500) { _ in false }) }
        let counts = try store.counts()
        #expect(counts.dropped == 0 && (1000..<20_000).contains(counts.transactions))
        try store.append(transactions(0..<1) { _ in true })
        let latest = try store.allTransactions().last
        #expect(latest?.id == "E0" && latest?.entries.map(\.event) == [1])
    }

    @Test("empty transactions behind many that are under way make room as well")
    func emptyOnesBehindWhatIsUnderWay() throws {
        let folder = TemporaryFolder(), store = try TransactionStore(path: folder.store, maximumBytes: 1 << 20)
        func next() throws -> StoredParcel? {
            try store.nextParcel(
                .v0_0_2, limits: ParcelLimits(transactions: 5000, bytes: 16 << 20), now: t0, randomness: .system)
        }
        for start in stride(from: 0, to: 2500, by: 500) { try store.append(transactions(start..<start + 500) { _ in true }) }
        let parcel = try #require(try next())
        #expect(parcel.set.entryCount == 2500)
        for start in stride(from: 2500, to: 20_000, by: 500) { try store.append(transactions(start..<start + 500) { _ in false }) }
        let counts = try store.counts()
        #expect(counts.dropped == 0 && counts.entries == 2500 && counts.transactions < 20_000)
        #expect(try next() == parcel)
    }

    private func entries(_ numbers: Range<Int>) -> [LogEvent] {
        numbers.map { number in
            LogEvent(
                sequence: UInt64(number), time: t0, level: .info, message: "",
                transaction: TransactionEntry(
                    transactionID: "T", usecase: 1, kind: .happened(number), errorDescription: text, device: phone))
        }
    }

    @Test func aBatchThatIsLargerThanTheStoreGoesInByHalves() throws {
        let bench = try Bench { $0.maximumStoreBytes = 1 << 20 }
        try bench.provider.write(entries(0..<512))
        let counts = try bench.provider.counts()
        #expect(counts.entries + counts.dropped == 512)
        #expect(counts.entries > 100 && counts.dropped > 100)
        #expect(Int(bench.sqlite3("SELECT count(*) FROM txn_log")) == counts.entries)
        #expect(bench.sqlite3("SELECT max(usecase_event) FROM txn_log") == "511")
        #expect(bench.provider.ledger == LogLedger(submitted: 512, delivered: 512))
        #expect(bench.errors.all.isEmpty)
    }

    @Test func whereTheSecondHalfFailsOnlyThatIsOfferedAgain() throws {
        let bench = try Bench { $0.maximumStoreBytes = 1 << 20 }
        try bench.provider.store.transaction {
            try $0.execute(
                sql: "CREATE TRIGGER no BEFORE INSERT ON txn_log WHEN new.usecase_event = 300 BEGIN SELECT raise(ABORT, 'no'); END")
        }
        #expect {
            try bench.provider.write(entries(0..<512))
        } throws: { error in
            guard case BatchWriteError.wroteOnly(let count, _) = error else { return false }
            return count == 256
        }
        #expect(bench.errors.all.count == 1)
        try bench.provider.store.transaction { try $0.execute(sql: "DROP TRIGGER no") }
        try bench.provider.write(entries(256..<512))
        let counts = try bench.provider.counts()
        #expect(counts.entries + counts.dropped == 512)
        #expect(bench.provider.ledger == LogLedger(submitted: 512, delivered: 512))
    }

    @Test("Row 21: a store that another program keeps locked is said to be busy, and a queue keeps everything until it is free")
    func busy() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store, busyTimeout: 0.05)
        let event = LogEvent(
            sequence: 1, time: t0, level: .info, message: "",
            transaction: TransactionEntry(transactionID: "a", usecase: 1, kind: .happened(1), device: phone))
        let other = try DatabaseQueue(path: folder.store)
        try other.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN EXCLUSIVE")
            #expect(throws: TransactionStoreError.busy(path: folder.store)) { try store.append([event], isOfferedAgain: true) }
            try db.execute(sql: "ROLLBACK")
        }
        try store.append([event], isOfferedAgain: true)
        #expect(try store.counts().entries == 1)
    }

    @Test("C9: each operation that fails is reported once: a file that became read-only")
    func readOnly() throws {
        let bench = try Bench()
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(0)
        try bench.provider.store.readOnly(true)
        for event in 1...3 { transaction.log(event) }
        #expect(bench.errors.all.count == 3)
        for error in bench.errors.all {
            guard case .cannotOpen(let path, _) = error else {
                Issue.record("\(error)")
                continue
            }
            #expect(path == bench.folder.store)
        }
        try bench.provider.store.readOnly(false)
        transaction.log(4)
        #expect(bench.errors.all.count == 3)
        #expect(bench.registration.ledger == LogLedger(submitted: 6, delivered: 3, dropped: [.inputOutputError: 3]))
        #expect(bench.sqlite3("SELECT group_concat(usecase_event) FROM txn_log") == "0,4")
    }
}

extension TransactionStore {
    /// Lets SQLite refuse to write, as it does where the file system turned read-only.
    fileprivate func readOnly(_ isReadOnly: Bool) throws {
        try connection().0.inDatabase { db in try db.execute(sql: "PRAGMA query_only = \(isReadOnly)") }
    }
}
#endif
