#if Transactions
import GRDB
import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookTransactions

private func event(_ number: Int, of id: String) -> LogEvent {
    LogEvent(
        sequence: UInt64(number), time: t0.adding(.milliseconds(number)), level: .info, message: "",
        transaction: TransactionEntry(
            transactionID: id, usecase: 1, kind: .happened(number), errorDescription: "é/\"\n", device: phone))
}

extension TransactionStore {
    fileprivate func next(
        _ version: TransactionSetVersion = .v0_0_2, limits: ParcelLimits = ParcelLimits()
    ) throws -> StoredParcel? {
        try nextParcel(version, limits: limits, now: t0, randomness: .system)
    }
}

private final class RefusingCommits: TransactionObserver {
    func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws { throw ScriptedFailure() }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
}

@Suite struct TransactionStoreParcelsTests {
    @Test func aParcelIsFrozenBeforeItIsSentAndAfterARestart() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        try store.append([event(1, of: "a"), event(2, of: "b"), event(3, of: "a")])
        let sealed = try #require(try store.next(.v0_0_1))
        #expect(sqlite3(folder.store, "SELECT count(*) FROM parcel JOIN txn_log ON txn_log.parcel = number WHERE parcel.id = '\(sealed.id)'") == "3")

        try store.append([event(4, of: "a")])
        #expect(try store.next(.v0_0_1) == sealed)
        store.close()

        let again = try TransactionStore(path: folder.store)
        let same = try #require(try again.next(.v0_0_2))   // another version was configured meanwhile
        #expect(same == sealed)
        #expect(same.set.encode(same.version) == sealed.set.encode(sealed.version))
    }

    @Test("C23: what was logged since is not deleted")
    func deliveryDeletesWhatWasSent() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        try store.append([event(1, of: "a"), event(2, of: "b")])
        let parcel = try #require(try store.next())
        try store.append([event(3, of: "a")])
        #expect(try store.settleDelivered(parcel.id)?.transactions == 2)
        #expect(try store.allTransactions().map(\.id) == ["a"])
        #expect(try store.allTransactions().map { $0.entries.map(\.event) } == [[3]])
        #expect(try store.settleDelivered(parcel.id) == nil)
        #expect(try store.counts() == TransactionStoreCounts(transactions: 1, entries: 1, pending: 1))
    }

    @Test("what was given a parcel by a commit that failed is sent all the same")
    func aParcelWhoseCommitFails() throws {
        let folder = TemporaryFolder(), store = try TransactionStore(path: folder.store), refusing = RefusingCommits()
        try store.append([event(1, of: "a")])
        let connection = try store.connection().0
        connection.inDatabase { $0.add(transactionObserver: refusing, extent: .databaseLifetime) }
        #expect(throws: TransactionStoreError.self) { try store.next() }
        connection.inDatabase { $0.remove(transactionObserver: refusing) }
        #expect(try store.next()?.set.entryCount == 1)
    }

    @Test("C30: no request is larger than the limits, and each entry is sent once")
    func parcelsKeepToTheirLimits() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        try store.append((0..<300).map { event($0, of: "TXN1-\($0 % 40)") })
        let limits = ParcelLimits(transactions: 7, bytes: 2000)
        var sent: [Int] = []
        while let parcel = try store.next(limits: limits) {
            #expect(parcel.set.encode(parcel.version).count <= 2000)
            #expect(parcel.set.transactions.count <= 7)
            sent += parcel.set.transactions.flatMap { $0.entries.map(\.event) }
            try store.settleDelivered(parcel.id)
        }
        #expect(sent.sorted() == Array(0..<300))
    }

    @Test func theBytesOfAParcelAreCountedExactly() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        try store.append((0..<10).map { event($0, of: "TXN1-\($0 % 3)") })
        let whole = try #require(try store.next()).set
        let size = whole.encode(.v0_0_2).count
        let estimate = whole.transactions.reduce(TransactionSet.frameBytes) { sum, transaction in
            sum + TransactionSet.encodedBytes(headOf: transaction, .v0_0_2)
                + transaction.entries.reduce(0) { $0 + TransactionSet.encodedBytes(of: $1, .v0_0_2) }
        }
        #expect(estimate >= size && estimate - size <= whole.entryCount + whole.transactions.count)
    }

    @Test("an entry that is offered again is sent, though those behind it were sent before")
    func whatIsOfferedAgainIsSent() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        try store.append([event(1, of: "a")])
        try store.transaction {
            try $0.execute(
                sql: "CREATE TRIGGER no BEFORE INSERT ON txn_log WHEN new.usecase_event = 2 BEGIN SELECT raise(ABORT, 'no'); END")
        }
        #expect(throws: TransactionStoreError.self) { try store.append([event(2, of: "a")], isOfferedAgain: true) }
        try store.transaction { try $0.execute(sql: "DROP TRIGGER no") }
        try store.append([event(3, of: "a")])
        let first = try #require(try store.next())
        #expect(first.set.transactions.flatMap { $0.entries.map(\.event) } == [1, 3])
        try store.settleDelivered(first.id)
        #expect(try store.next() == nil)
        try store.append([event(2, of: "a")], isOfferedAgain: true)
        let second = try #require(try store.next())
        #expect(second.set.transactions.flatMap { $0.entries.map { $0.key?.sequence } } == [2])
        try store.settleDelivered(second.id)
        try store.append([event(4, of: "a")])
        #expect(try store.next()?.set.entryCount == 1)
    }

    @Test(
        "a parcel that is made or halved in the first or last second that a time can tell does not make the store unreadable",
        arguments: [Int64.min, .max])
    func madeAtEitherEnd(nanoseconds: Int64) throws {
        let folder = TemporaryFolder(), store = try TransactionStore(path: folder.store)
        func next() throws -> StoredParcel? {
            try store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: LogTime(nanoseconds: nanoseconds), randomness: .system)
        }
        try store.append([event(1, of: "a"), event(2, of: "b")])
        let whole = try #require(try next())
        #expect(try store.split(whole.id, of: 2, now: LogTime(nanoseconds: nanoseconds), randomness: .system))
        #expect(try next()?.set.transactions.map(\.id) == ["a"])
        #expect(folder.names(in: ".").filter { $0.contains("corrupt") } == [])
    }

    @Test func anEntryLargerThanTheLimitGoesAlone() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        try store.append([event(1, of: "a"), event(2, of: "a")])
        let parcel = try #require(try store.next(limits: ParcelLimits(bytes: 1)))
        #expect(parcel.set.entryCount == 1)
    }

    @Test func whatIsRefusedIsKeptAndNotSentAgainUntilAskedFor() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        try store.append([event(1, of: "a"), event(2, of: "b")])
        let parcel = try #require(try store.next())
        try store.settleRejected(parcel.id, because: "no")
        #expect(try store.next() == nil)
        #expect(try store.counts() == TransactionStoreCounts(transactions: 2, entries: 2, pending: 0, setAside: 2))
        #expect(try store.pendingCount() == 0)
        #expect(sqlite3(folder.store, "SELECT reason FROM parcel WHERE state = 1") == "no")
        try store.reinstateSetAside()
        #expect(try store.next() == parcel)
    }

    @Test func aParcelThatIsTooLargeIsHalved() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        try store.append((1...5).map { event($0, of: "a") })
        let whole = try #require(try store.next())
        #expect(try store.split(whole.id, of: whole.set.entryCount, now: t0, randomness: .system))
        var parts: [[Int]] = []
        while let part = try store.next() {
            #expect(part.id != whole.id)
            parts.append(part.set.transactions.flatMap { $0.entries.map(\.event) })
            try store.settleDelivered(part.id)
        }
        #expect(parts == [[1, 2], [3, 4, 5]])

        try store.append([event(6, of: "a")])
        let single = try #require(try store.next())
        #expect(try !store.split(single.id, of: 1, now: t0, randomness: .system))
    }

    @Test func aParcelThatHasLostEntriesIsNotSplitForWhatWasSent() throws {
        let folder = TemporaryFolder(), store = try TransactionStore(path: folder.store)
        try store.append([event(1, of: "a"), event(2, of: "b"), event(3, of: "c")])
        let sent = try #require(try store.next())
        try store.delete(["a"])
        #expect(try store.split(sent.id, of: 3, now: t0, randomness: .system))
        let left = try #require(try store.next())
        #expect(left.id == sent.id && left.set.transactions.map(\.id) == ["b", "c"])
        #expect(try store.split(left.id, of: 2, now: t0, randomness: .system))
        let half = try #require(try store.next())
        #expect(half.id != sent.id && half.set.transactions.map(\.id) == ["b"])
        try store.delete(["b"])
        #expect(try store.settleRejected(half.id, because: "no") == 0)
        #expect(try store.settleDelivered(half.id) == nil)
        let last = try #require(try store.next())
        #expect(try store.settleRejected(last.id, because: "no") == 1)
    }

    @Test func deletingATransactionEmptiesItsParcel() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        try store.append([event(1, of: "a")])
        _ = try store.next()
        try store.delete(["a"])
        #expect(try store.next() == nil)
        #expect(sqlite3(folder.store, "SELECT count(*) FROM parcel") == "0")
    }
}
#endif
