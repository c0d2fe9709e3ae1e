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

private func mode(_ path: String) -> UInt32 {
    var facts = stat()
    return stat(path, &facts) == 0 ? UInt32(facts.st_mode) & 0o777 : 0
}

@Suite struct TransactionStoreTests {
    @Test("C1: one row for the transaction, one for each event, in order")
    func storesEvents() throws {
        let bench = try Bench()
        let transaction = bench.service.transaction(usecase: 17)
        transaction.log(0)
        transaction.log(1)

        let row = bench.sqlite3(
            "SELECT guid, usecase, useragent_device_make, useragent_device_os, useragent_device_os_version FROM txn")
        #expect(row == "\(transaction.id)|17|iPhone7,2|iPhone OS|8.1.2")
        #expect(transaction.id.wholeMatch(of: /TXN17-[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/) != nil)
        #expect(bench.sqlite3("SELECT usecase_event FROM txn_log ORDER BY id") == "0\n1")
    }

    @Test("C2: the row is there before the first event")
    func theBeginningIsStored() throws {
        let bench = try Bench()
        _ = bench.service.transaction(usecase: 3)
        #expect(bench.sqlite3("SELECT count(*) FROM txn; SELECT count(*) FROM txn_log") == "1\n0")
    }

    @Test("C3: an error's code is an integer, and what is absent is null")
    func storesErrors() throws {
        let bench = try Bench()
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(2, error: 42, "Baad!")
        transaction.log(3)
        let rows = bench.sqlite3("SELECT typeof(in_ctx_err_code), in_ctx_err_code, typeof(in_ctx_err_desc), in_ctx_err_desc FROM txn_log")
        #expect(rows == "integer|42|text|Baad!\nnull||null|")
    }

    @Test("C6: after a restart everything is there, to the microsecond")
    func survivesARestart() throws {
        let folder = TemporaryFolder()
        let bench = try Bench(in: folder)
        let transaction = bench.service.transaction(usecase: 17)
        bench.clock.setWall(LogTime(nanoseconds: 1_423_202_367_987_654_999))
        transaction.log(0)
        bench.clock.setWall(LogTime(nanoseconds: 1_785_000_000_999_999_999))
        transaction.log(1, error: 7)
        let before = try bench.provider.allTransactions()
        bench.close()

        let again = try Bench(in: folder)
        #expect(try again.provider.allTransactions() == before)
        #expect(before[0].entries.map(\.time.nanoseconds) == [1_423_202_367_987_654_000, 1_785_000_000_999_999_000])
        #expect(before[0].id == transaction.id)
        #expect(again.provider.store.installation == bench.provider.store.installation)
        #expect(again.provider.store.epoch > bench.provider.store.epoch)
    }

    @Test("D2: a fact of the device that nobody knows is none in what is read, and an empty text still in what is sent")
    func unknownFactsAreNone() throws {
        let bench = try Bench(), device = DeviceFacts(make: "", os: "Debian", osVersion: "")
        bench.service.transaction(continuing: "a", usecase: 1, device: device).log(1)
        let stored = try #require(try bench.provider.allTransactions().first)
        #expect([stored.deviceMake, stored.deviceOS, stored.deviceOSVersion] == [nil, "Debian", nil])
        let parcel = try bench.provider.store.nextParcel(.v0_0_1, limits: ParcelLimits(), now: t0, randomness: .system)
        #expect(parcel?.set.transactions.map(\.deviceMake) == [""])
    }

    @Test("a copy of a store goes on with other keys than the original, and both with later ones than before")
    func aCopyHasKeysOfItsOwn() throws {
        let original = TemporaryFolder(), copy = TemporaryFolder()
        func open(_ folder: TemporaryFolder, _ seed: UInt64) throws -> TransactionStore {
            try TransactionStore(path: folder.store, randomness: .seeded(seed))
        }
        let first = try open(original, 1)
        #expect((1...Int64(TransactionStore.maximumEpochStep)).contains(first.epoch))
        first.close()
        _ = shell("cp '\(original.store)' '\(original.store).lock' '\(copy.path)/'")
        let here = try open(original, 2), there = try open(copy, 3)
        #expect(here.installation == there.installation)
        #expect(here.epoch != there.epoch && min(here.epoch, there.epoch) > first.epoch)
        #expect(max(here.epoch, there.epoch) <= first.epoch + Int64(TransactionStore.maximumEpochStep))
        // Far beyond what a few thousand copies would meet in.
        #expect(min(here.epoch, there.epoch) - first.epoch > 1 << 20)
        // Of a thousand copies that are opened a thousand times each no two are in one epoch, but for a chance of one in a thousand.
        #expect(TransactionStore.maximumEpochStep / (1000 * 1000 * 1000) > 1000)
    }

    @Test("C6: a kill loses nothing that was stored")
    func survivesAKill() async throws {
        let folder = TemporaryFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            let store = try TransactionStore(path: path + "/store.sqlite")
            for number in 1...50 {
                try store.append([
                    LogEvent(
                        sequence: UInt64(number), time: LogTime(seconds: 1_423_202_367), level: .info, message: "",
                        transaction: TransactionEntry(
                            transactionID: "TXN1-A", usecase: 1, kind: .happened(number), device: DeviceFacts.current))
                ])
            }
            kill(getpid(), SIGKILL)
        }
        let bench = try Bench(in: folder)
        #expect(try bench.provider.allTransactions().map { $0.entries.map(\.event) } == [Array(1...50)])
        bench.service.transaction(continuing: "TXN1-A", usecase: 1, device: phone).log(51)
        let epoch = bench.provider.store.epoch
        #expect(bench.sqlite3("SELECT count(DISTINCT epoch || ':' || sequence), max(epoch) FROM txn_log") == "51|\(epoch)")
        #expect(bench.sqlite3("SELECT count(*) FROM txn_log WHERE epoch = \(epoch)") == "1")
        #expect(bench.sqlite3("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
    }

    @Test("C7: a new file has its version, and opening it again keeps what is in it")
    func hasAVersion() throws {
        let folder = TemporaryFolder()
        let bench = try Bench(in: folder)
        #expect(bench.sqlite3("PRAGMA user_version; PRAGMA journal_mode") == "3\nwal")
        bench.service.transaction(usecase: 1).log(1)
        bench.close()
        #expect(try Bench(in: folder).provider.counts().entries == 1)
    }

    @Test("C7: a newer file is refused and not touched")
    func refusesANewerSchema() throws {
        let folder = TemporaryFolder()
        try Bench(in: folder).close()
        #expect(sqlite3(folder.store, "PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)", readOnly: false) == "0|0|0")
        let before = bytes(of: folder.store)
        #expect(throws: TransactionStoreError.newerSchema(path: folder.store, found: 99, supported: 3)) {
            try TransactionStore(path: folder.store)
        }
        #expect(bytes(of: folder.store) == before)
    }

    @Test("C7: a newer version that is still in the write-ahead log is seen")
    func refusesANewerSchemaInTheLog() throws {
        let folder = TemporaryFolder(), other = TemporaryFolder()
        let store = try TransactionStore(path: other.store)
        try store.transaction { try $0.execute(sql: "PRAGMA user_version = 99") }
        _ = shell("cp \(other.store) \(other.store)-wal \(folder.path)/")   // what a kill leaves behind
        let before = bytes(of: folder.store), log = bytes(of: folder.store + "-wal")
        #expect(!log.isEmpty)
        #expect(throws: TransactionStoreError.newerSchema(path: folder.store, found: 99, supported: 3)) {
            try TransactionStore(path: folder.store)
        }
        #expect(bytes(of: folder.store) == before)
        #expect(bytes(of: folder.store + "-wal") == log)
    }

    @Test("Row 20: what never was a store is not touched") func refusesWhatIsNoDatabase() throws {
        let folder = TemporaryFolder()
        _ = shell("head -c 5000 /dev/urandom > '\(folder.store)'")
        let before = bytes(of: folder.store)
        #expect(throws: TransactionStoreError.notADatabase(path: folder.store)) { try TransactionStore(path: folder.store) }
        #expect(bytes(of: folder.store) == before)
        #expect(shell("ls '\(folder.path)'") == "store.sqlite\nstore.sqlite.lock")
    }

    @Test func refusesSomebodyElsesDatabase() throws {
        for sql in ["CREATE TABLE bookmarks (url)", "CREATE TABLE txn (id); PRAGMA user_version = 1"] {
            let folder = TemporaryFolder()
            _ = sqlite3(folder.store, sql, readOnly: false)
            let before = bytes(of: folder.store)
            #expect(throws: TransactionStoreError.notAStore(path: folder.store)) { try TransactionStore(path: folder.store) }
            #expect(bytes(of: folder.store) == before)
        }
    }

    @Test func aPlaceThatCannotBeWrittenIsNamed() throws {
        let folder = TemporaryFolder()
        _ = shell("touch '\(folder.path)/file'")
        let path = folder.path + "/file/store.sqlite"
        let error = #expect(throws: TransactionStoreError.self) { try TransactionStore(path: path) }
        #expect(error?.description.contains(path) == true)
        #expect(error?.description.contains("Not a directory") == true)
    }

    @Test("Row 24: two cannot have one store") func twoCannotHaveOneStore() throws {
        let folder = TemporaryFolder()
        let first = try TransactionStore(path: folder.store)
        #expect(throws: TransactionStoreError.storeLocked(path: folder.store)) { try TransactionStore(path: folder.store) }
        first.close()
        _ = try TransactionStore(path: folder.store)
    }

    @Test("Row 24: two processes cannot have one store") func twoProcessesCannotHaveOneStore() async throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            do { _ = try TransactionStore(path: path + "/store.sqlite") } catch TransactionStoreError.storeLocked { exit(0) }
            exit(1)
        }
        store.close()
    }

    @Test func aChildOfTheHostDoesNotKeepTheStoreLocked() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        var lock = stat()
        try #require(stat(folder.store + ".lock", &lock) == 0)
        let descriptor = try #require((Int32(3)..<65_536).first { number in
            var facts = stat()
            return fstat(number, &facts) == 0 && facts.st_ino == lock.st_ino && facts.st_dev == lock.st_dev
        })
        let copy = dup(descriptor)   // what a child has between fork and exec
        defer { close(copy) }
        store.close()
        try TransactionStore(path: folder.store).close()
    }

    @Test func onlyThisUserMayReadIt() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/deep/down/store.sqlite"
        let store = try TransactionStore(path: path)
        #expect(mode(path) == 0o600)
        #expect(mode(path + "-wal") == 0o600)
        #expect(mode(folder.path + "/deep") == 0o700)
        #expect(mode(folder.path + "/deep/down") == 0o700)
        store.close()
    }

    @Test("C8, S25: foreign keys are enforced, and the file is not trusted")
    func pragmas() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        let values = try store.transaction { db in
            try [
                "foreign_keys", "synchronous", "fullfsync", "checkpoint_fullfsync", "trusted_schema", "cell_size_check", "mmap_size",
                "busy_timeout",
            ].map { try Int.fetchOne(db, sql: "PRAGMA \($0)") }
        }
        #expect(values == [1, 2, 1, 1, 0, 1, 0, 5000])
        #expect(throws: TransactionStoreError.self) {
            try store.transaction { db in
                try db.execute(
                    sql: "INSERT INTO txn_log (txn_id, timestamp, usecase_event, epoch, sequence) VALUES (999, 0, 0, 1, 1)")
            }
        }
        #expect(try store.counts() == TransactionStoreCounts())
    }

    @Test("Row 21: an opening waits for a locked store as long as any other call, and once, also where a write-ahead log stands beside it")
    func anOpeningWaitsForALockedStore() throws {
        let folder = TemporaryFolder()
        try TransactionStore(path: folder.store).close()
        let stranger = try DatabaseQueue(path: folder.store)
        try stranger.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; UPDATE meta SET epoch = epoch + 1")
        }
        #expect(!folder.bytes("store.sqlite-wal").isEmpty)
        let begun = LogClock.system.monotonicNanoseconds()
        #expect(throws: TransactionStoreError.busy(path: folder.store)) { try TransactionStore(path: folder.store, busyTimeout: 0.3) }
        #expect(LogClock.system.monotonicNanoseconds() - begun >= 300_000_000)
        let waits = Locked(0)
        #expect(throws: TransactionStoreError.busy(path: folder.store)) {
            let impatience = Database.BusyMode.callback({ _ in
                waits.withLock { $0 += 1 }
                return false
            })
            try StoreFile(folder.store).prepare(supported: TransactionStore.schemaVersion, busyMode: impatience)
        }
        #expect(waits.withLock { $0 } == 1)
        try stranger.close()
        try TransactionStore(path: folder.store).close()
    }

    @Test("C10, C11: all transactions in order, one deleted, all deleted")
    func readsAndDeletes() throws {
        let bench = try Bench()
        let first = bench.service.transaction(usecase: 1), second = bench.service.transaction(usecase: 2)
        second.log(1)
        for event in 1...2 { first.log(event) }
        for event in 2...3 { second.log(event) }
        let all = try bench.provider.allTransactions()
        #expect(all.map(\.id) == [first.id, second.id])
        #expect(all.map { $0.entries.map(\.event) } == [[1, 2], [1, 2, 3]])

        try bench.provider.delete([first.id, "TXN1-UNKNOWN"])
        #expect(try bench.provider.allTransactions() == [all[1]])
        #expect(bench.sqlite3("SELECT count(*) FROM txn_log") == "3")
        try bench.provider.deleteAll()
        #expect(try bench.provider.allTransactions() == [])
        #expect(bench.sqlite3("SELECT (SELECT count(*) FROM txn) + (SELECT count(*) FROM txn_log)") == "0")
    }

    @Test("C28: after everything was deleted no byte of it is in the files")
    func nothingIsLeftInTheFiles() throws {
        let folder = TemporaryFolder(), bench = try Bench(in: folder)
        for number in 0..<300 { bench.service.transaction(usecase: 1).log(1, error: number, "Jane Doe's card \(number)") }
        func found() -> [String] { folder.names(in: ".").filter { folder.text($0).contains("Jane Doe") } }
        // Out of the write-ahead log: what was never anywhere else is gone with it.
        _ = sqlite3(folder.store, "PRAGMA wal_checkpoint(TRUNCATE)", readOnly: false)
        #expect(found() == ["store.sqlite"])
        try bench.provider.deleteAll()
        #expect(found() == [])
        // Debian's SQLite overwrites what it deletes, others leave it in free pages: none of those is left either.
        #expect(bench.sqlite3("PRAGMA freelist_count") == "0")
        bench.service.transaction(usecase: 1).log(1)
        #expect(bench.sqlite3("SELECT count(*) FROM txn_log") == "1")
    }

    @Test("S32: a reader stands in the way of the bytes, and not of the deletion; the next one reaches them", arguments: [false, true])
    func aReaderStandsInTheWay(erases: Bool) throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store, busyTimeout: 0.05, session: TransactionSession(user: "joe"))
        func delete() throws -> Int {
            if erases { return try store.erase(user: "joe") }
            try store.deleteAll()
            return 0
        }
        try store.append([canary])
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: folder.store, configuration: configuration)
        #expect(
            try reader.inDatabase { db in
                try db.execute(sql: "BEGIN")
                return try Int.fetchOne(db, sql: "SELECT count(*) FROM txn_log")
            } == 1)
        #expect(try delete() == (erases ? 1 : 0))
        #expect(try store.allTransactions() == [])
        try reader.inDatabase { try $0.execute(sql: "COMMIT") }
        #expect(try delete() == 0)
        #expect(folder.names(in: ".").filter { folder.text($0).contains("Jane Doe") } == [])
    }

    private let canary = LogEvent(
        sequence: 1, time: t0, level: .info, message: "",
        transaction: TransactionEntry(
            transactionID: "T", usecase: 1, kind: .happened(1), errorCode: 1, errorDescription: "Jane Doe", device: phone))

    @Test("S32: no byte is left of what was delivered before its user was erased")
    func anErasureReachesWhatWasDelivered() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store, session: TransactionSession(user: "joe"))
        try store.append([canary])
        let parcel = try #require(try store.nextParcel(.v0_0_1, limits: ParcelLimits(), now: t0, randomness: .system))
        try store.settleDelivered(parcel.id)
        #expect(folder.names(in: ".").contains { folder.text($0).contains("Jane Doe") })
        #expect(try store.erase(user: "joe") == 0)
        #expect(folder.names(in: ".").filter { folder.text($0).contains("Jane Doe") } == [])
    }

    @Test("as many entries as there are in one batch, each with what belongs to it", arguments: [1, 19, 20, 21, 40, 59, 1000])
    func batchesOfAnySize(count: Int) throws {
        let folder = TemporaryFolder(), store = try TransactionStore(path: folder.store)
        let events = (0..<count).map { number -> LogEvent in
            let entry = TransactionEntry(
                transactionID: "T\(number / 7)", usecase: 1, kind: number % 7 == 0 ? .began : .happened(number),
                errorCode: number % 3 == 0 ? number : nil, errorDescription: number % 5 == 0 ? "Größe \(number)" : nil, device: phone)
            return LogEvent(
                sequence: UInt64(number), time: t0.adding(.milliseconds(number)), level: .info, message: "", transaction: entry)
        }
        try store.append(events)
        let stored = try store.allTransactions()
        #expect(stored.map(\.id) == (0..<(count + 6) / 7).map { "T\($0)" })
        let counts: [Int] = stored.indices.map { min(6, count - 1 - $0 * 7) }
        #expect(stored.map(\.entries.count) == counts)
        let entries = stored.flatMap(\.entries), expected = (0..<count).filter { $0 % 7 != 0 }
        let codes: [Int?] = expected.map { $0 % 3 == 0 ? $0 : nil }
        let texts: [String?] = expected.map { $0 % 5 == 0 ? "Größe \($0)" : nil }
        let keys: [Int64?] = expected.indices.map { Int64($0 + 1) }
        #expect(entries.map(\.event) == expected)
        #expect(entries.map(\.errorCode) == codes)
        #expect(entries.map(\.errorDescription) == texts)
        #expect(entries.map(\.time) == expected.map { t0.adding(.milliseconds($0)) })
        #expect(entries.map { $0.key?.sequence } == keys)
    }

    @Test func anIdIsNeverUsedTwice() throws {
        let bench = try Bench()
        bench.service.transaction(usecase: 1).log(1)
        try bench.provider.deleteAll()
        bench.service.transaction(usecase: 1).log(1)
        #expect(bench.sqlite3("SELECT txn.id, txn_log.id, sequence FROM txn JOIN txn_log ON txn_id = txn.id") == "2|2|2")
    }

    @Test("Row 8: a batch that failed and is offered again keeps its keys") func aBatchOfferedAgainKeepsItsKeys() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        let events = (1...3).map { number in
            LogEvent(
                sequence: UInt64(number), time: t0, level: .info, message: "",
                transaction: TransactionEntry(transactionID: "a", usecase: 1, kind: .happened(number), device: phone))
        }
        try store.append([events[0]])
        try store.transaction { try $0.execute(sql: "CREATE TRIGGER no BEFORE INSERT ON txn_log WHEN new.usecase_event = 3 BEGIN SELECT raise(ABORT, 'no'); END") }
        #expect(throws: TransactionStoreError.self) { try store.append(Array(events[1...]), isOfferedAgain: true) }
        #expect(try store.counts().entries == 1)
        try store.transaction { try $0.execute(sql: "DROP TRIGGER no") }
        try store.append(Array(events[1...]), isOfferedAgain: true)
        #expect(sqlite3(folder.store, "SELECT sequence, usecase_event FROM txn_log") == "1|1\n2|2\n3|3")
    }

    @Test("Row 8: of what never comes back, since a fallback has taken it, no more is remembered than there is room for; what does come keeps its keys")
    func whatNeverComesBack() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        func batch(_ number: Int) -> [LogEvent] {
            (0..<512).map { place in
                LogEvent(
                    sequence: UInt64(number * 512 + place), time: t0, level: .info, message: "",
                    transaction: TransactionEntry(transactionID: "a", usecase: 1, kind: .happened(number), device: phone))
            }
        }
        let mine = batch(0)
        try store.transaction { try $0.execute(sql: "CREATE TRIGGER no BEFORE INSERT ON txn_log BEGIN SELECT raise(ABORT, 'no'); END") }
        #expect(throws: TransactionStoreError.self) { try store.append(mine, isOfferedAgain: true) }
        for number in 1...100 {
            #expect(throws: TransactionStoreError.self) { try store.append(batch(number), isOfferedAgain: true) }
            #expect(store.unsettledCount <= UnsettledKeys.maximumCount)
            if number % 8 == 0 { #expect(throws: TransactionStoreError.self) { try store.append(mine, isOfferedAgain: true) } }
        }
        try store.transaction { try $0.execute(sql: "DROP TRIGGER no") }
        try store.append(mine, isOfferedAgain: true)
        #expect(sqlite3(folder.store, "SELECT count(*), min(sequence), max(sequence) FROM txn_log") == "512|1|512")
    }

    @Test("Row 8: an entry whose commit failed and is on disk all the same is there once when it is offered again")
    func whatIsThereAlready() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        let events = (1...3).map { number in
            LogEvent(
                sequence: UInt64(number), time: t0, level: .info, message: "",
                transaction: TransactionEntry(transactionID: "a", usecase: 1, kind: .happened(number), device: phone))
        }
        try store.append([events[0]])
        try store.transaction {
            try $0.execute(sql: "CREATE TRIGGER no BEFORE INSERT ON txn_log BEGIN SELECT raise(ABORT, 'no'); END")
        }
        #expect(throws: TransactionStoreError.self) { try store.append([events[1]], isOfferedAgain: true) }
        try store.transaction { db in
            try db.execute(sql: "DROP TRIGGER no")
            try db.execute(
                sql: "INSERT INTO txn_log (id, txn_id, timestamp, usecase_event, epoch, sequence) VALUES (2, 1, ?, 2, ?, 2)",
                arguments: [t0.seconds, store.epoch])
        }
        let parcel = try #require(try store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system))
        try store.append(Array(events[1...]), isOfferedAgain: true)
        #expect(sqlite3(folder.store, "SELECT id, sequence, usecase_event, parcel FROM txn_log") == "1|1|1|1\n2|2|2|1\n3|3|3|")
        #expect(try store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system) == parcel)
    }

    @Test("a row whose id leaves no room behind it stands in nobody's way")
    func theLastIDThatThereIs() throws {
        let folder = TemporaryFolder()
        func event(_ number: Int) -> LogEvent {
            LogEvent(
                sequence: UInt64(number), time: t0, level: .info, message: "",
                transaction: TransactionEntry(transactionID: "a", usecase: 1, kind: .happened(number), device: phone))
        }
        let store = try TransactionStore(path: folder.store)
        try store.append([event(1)])
        try store.transaction { db in
            try db.execute(
                sql: "INSERT INTO txn_log (id, txn_id, timestamp, usecase_event, epoch, sequence) VALUES (?, 1, 5, 9, 77, 1)",
                arguments: [Int64.max])
        }
        store.close()
        let again = try TransactionStore(path: folder.store)
        func next() throws -> [Int]? {
            let parcel = try again.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system)
            if let parcel { try again.settleDelivered(parcel.id) }
            return parcel?.set.transactions.flatMap { $0.entries.map(\.event) }
        }
        try again.append([event(2)])
        #expect(sqlite3(folder.store, "SELECT id FROM txn_log ORDER BY id") == "1\n2\n\(Int64.max)")
        #expect(try next() == [1, 2, 9])
        try again.append([event(3)])
        #expect(try next() == [3])
    }

    @Test("Row 20: values that cannot be are passed over, and everything else goes on")
    func valuesThatCannotBe() throws {
        let folder = TemporaryFolder(), recoveries = Heard<TransactionStoreRecovery>()
        let store = try TransactionStore(path: folder.store, onRecovery: { recoveries.append($0) })
        try store.transaction { db in
            try db.execute(sql: "INSERT INTO txn (guid, usecase) VALUES ('a', 1)")
            try db.execute(
                sql: "INSERT INTO txn_log (txn_id, timestamp, usecase_event, epoch, sequence) VALUES (1, 9e300, 1, 1, 1), (1, 5, 2, 1, 2)")
        }
        #expect(try store.allTransactions().map { $0.entries.map(\.event) } == [[2]])
        #expect(recoveries.all.map(\.reason) == ["an impossible value in the table txn_log"])
        #expect(recoveries.all.map(\.entries) == [1])
        #expect(sqlite3(recoveries.all[0].setAside, "SELECT count(*) FROM txn_log") == "2")
    }

    @Test("a call that meets the end of the store hears that it is closed, however close to each other they come")
    func closedMeanwhile() throws {
        let event = LogEvent(
            sequence: 1, time: t0, level: .info, message: "",
            transaction: TransactionEntry(transactionID: "a", usecase: 1, kind: .happened(1), device: phone))
        for _ in 0..<100 {
            let folder = TemporaryFolder(), store = try TransactionStore(path: folder.store)
            let calls: [@Sendable () throws -> Void] = [
                { _ = try store.pendingCount() }, { _ = try store.counts() }, { _ = try store.append([event]) }
            ]
            let begun = Heard<Int>(), failures = Heard<TransactionStoreError>()
            for (number, call) in calls.enumerated() {
                LogThread.start("caller") {
                    var isBegun = false
                    while true {
                        do {
                            try call()
                        } catch {
                            failures.append(TransactionStoreError(error, path: ""))
                            return
                        }
                        if !isBegun { begun.append(number) }
                        isBegun = true
                    }
                }
            }
            _ = begun.wait(for: calls.count)
            store.close()
            #expect(failures.wait(for: calls.count) == Array(repeating: .closed(path: folder.store), count: calls.count))
        }
    }
}
#endif
