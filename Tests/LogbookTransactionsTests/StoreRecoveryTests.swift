#if Transactions
import GRDB
import LogbookCore
import LogbookTestKit
import Synchronization
import Testing

@testable import LogbookTransactions

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

private func entry(_ number: Int, of id: String, text: String = "") -> LogEvent {
    LogEvent(
        sequence: UInt64(number), time: t0, level: .info, message: "",
        transaction: TransactionEntry(
            transactionID: id, usecase: 1, kind: .happened(number), errorCode: 1, errorDescription: text, device: phone))
}

private func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) {
    let file = open(path, O_RDWR | O_CLOEXEC)
    defer { close(file) }
    pwrite(file, bytes, bytes.count, off_t(offset))
}

private func size(_ path: String) -> Int {
    var facts = stat()
    return stat(path, &facts) == 0 ? Int(facts.st_size) : 0
}

/// A closed store with `count` entries, 10 to a transaction, each of about 300 bytes.
private func filledStore(_ count: Int, in folder: TemporaryFolder) throws -> [TransactionRecord] {
    let store = try TransactionStore(path: folder.store)
    try store.append((0..<count).map { entry($0, of: "TXN1-\($0 / 10)", text: String(repeating: "x", count: 250)) })
    defer { store.close() }
    return try store.allTransactions()
}

@Suite struct StoreRecoveryTests {
    @Test("Row 20: a destroyed beginning costs nothing that stands behind it", arguments: [16, 100])
    func headerGarbage(bytes: Int) throws {
        let folder = TemporaryFolder(), recoveries = Heard<TransactionStoreRecovery>()
        let before = try filledStore(500, in: folder)
        overwrite(folder.store, at: 0, with: [UInt8](repeating: 0xA5, count: bytes))
        let damaged = LogbookTransactionsTests.bytes(of: folder.store)

        let store = try TransactionStore(path: folder.store, clock: .manual(ManualClock(now: t0)), onRecovery: { recoveries.append($0) })
        #expect(try store.allTransactions() == before)
        let recovery = try #require(recoveries.all.first)
        #expect(recovery.setAside == folder.store + ".corrupt-1423202367")
        #expect(recovery.transactions == 50 && recovery.entries == 500 && recovery.isComplete)
        #expect(LogbookTransactionsTests.bytes(of: recovery.setAside) == damaged)
        try store.append([entry(1, of: "new")])
        #expect(sqlite3(folder.store, "PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
        #expect(store.epoch > before[0].entries[0].key?.epoch ?? .max)
    }

    @Test("S25: not even we can write to the schema by hand")
    func theSchemaIsDefended() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        #expect(throws: TransactionStoreError.self) {
            try store.transaction { db in
                try db.execute(sql: "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'nonsense' WHERE name = 'txn'")
            }
        }
        try store.append([entry(1, of: "A")])
        #expect(sqlite3(folder.store, "PRAGMA integrity_check; SELECT count(*) FROM txn_log") == "ok\n1")
    }

    @Test("Row 20: four damaged files are kept, the oldest are deleted, and how many is said")
    func damagedFilesAreBounded() throws {
        let folder = TemporaryFolder(), recoveries = Heard<TransactionStoreRecovery>(), clock = ManualClock(now: t0)
        _ = try filledStore(10, in: folder)
        _ = shell("touch '\(folder.store).corrupt-notes' '\(folder.store).corrupt-1-2-3'")
        for round in 0..<7 {
            overwrite(folder.store, at: 0, with: [UInt8](repeating: 0xA5, count: 100))
            if round % 2 == 1 { clock.advance(by: .seconds(1)) }   // the others in the same second as one before
            try TransactionStore(path: folder.store, clock: .manual(clock), onRecovery: { recoveries.append($0) }).close()
        }
        #expect(recoveries.all.map(\.deleted) == [0, 0, 0, 0, 1, 1, 1])
        #expect(recoveries.all.last?.description.hasSuffix("; older ones deleted: 1") == true)
        let kept = shell("cd '\(folder.path)' && ls | grep -v -e -wal -e -shm | grep corrupt").split(separator: "\n").map(String.init)
        let expected = recoveries.all.suffix(4).map { String($0.setAside.dropFirst(folder.path.utf8.count + 1)) }
        #expect(Set(kept) == Set(expected + ["store.sqlite.corrupt-notes", "store.sqlite.corrupt-1-2-3"]))

        // By a clock that was set back the latest is the oldest: it is kept all the same.
        clock.setWall(LogTime(seconds: 12))
        overwrite(folder.store, at: 0, with: [UInt8](repeating: 0xA5, count: 100))
        try TransactionStore(path: folder.store, clock: .manual(clock), onRecovery: { recoveries.append($0) }).close()
        #expect(recoveries.all.last?.setAside == folder.store + ".corrupt-12" && recoveries.all.last?.deleted == 1)
        #expect(access(folder.store + ".corrupt-12", F_OK) == 0)
    }

    @Test("Row 20: what a disk cannot read of a damaged file costs those pages alone")
    func pagesThatCannotBeRead() throws {
        let folder = TemporaryFolder(), page = 4096, unreadable: Set = [0, 256, 300, 610]
        _ = shell("head -c 2500000 /dev/urandom > '\(folder.store)'")
        try StoreFile.copy(folder.store, to: folder("copy")) { file, bytes, count, offset in
            let pages = Int(offset) / page...(Int(offset) + count - 1) / page
            if unreadable.contains(where: pages.contains) {
                errno = EIO
                return -1
            }
            return pread(file, bytes, count, offset)
        }
        var expected = folder.bytes("store.sqlite")
        for number in unreadable {
            let bytes = number * page..<min((number + 1) * page, expected.count)
            expected.replaceSubrange(bytes, with: [UInt8](repeating: 0, count: bytes.count))
        }
        #expect(folder.bytes("copy") == expected)
    }

    @Test("Row 20: what another program keeps at the path, and cannot be read, is not touched")
    func whatIsNotOursStays() throws {
        let folder = TemporaryFolder()
        let theirs = try DatabaseQueue(path: folder.store)
        try theirs.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")
            try db.execute(sql: "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE'")
        }
        try theirs.close()
        let before = folder.bytes("store.sqlite")
        #expect(before.count > 4096)
        #expect(throws: TransactionStoreError.self) { try TransactionStore(path: folder.store) }
        #expect(folder.bytes("store.sqlite") == before)
        #expect(folder.names(in: ".").filter { $0.contains("corrupt") || $0.contains("recover") } == [])
    }

    @Test("Row 20: a file that is empty, or full of something else, is set aside and the store goes on under its own keys")
    func nothingIsLeft() throws {
        for command in [": > '%'", "head -c 50000 /dev/urandom > '%'", "printf x > '%'"] {
            let folder = TemporaryFolder(), recoveries = Heard<TransactionStoreRecovery>()
            let before = try filledStore(20, in: folder)
            _ = shell(command.replacing("%", with: folder.store))
            let bench = try Bench(in: folder)
            bench.service.transaction(usecase: 1).log(1)
            #expect(bench.sqlite3("SELECT count(*) FROM txn_log") == "1")
            #expect(bench.errors.all.count == 1)
            guard case .recovered(_, let recovery)? = bench.errors.all.first else { return #expect(Bool(false)) }
            #expect(recovery.entries == 0 && !recovery.isComplete)
            #expect(bench.provider.store.installation == before[0].entries[0].key?.installation)
            #expect(bench.provider.store.epoch > before[0].entries[0].key?.epoch ?? .max)
            withExtendedLifetime(recoveries) {}
        }
    }

    @Test("Row 19, 20: garbage anywhere in the file never stops the store, and what can be read is kept")
    func pageGarbage() throws {
        let random = LogRandomness.seeded(20)
        var kept = 0, recovered = 0
        let rounds = 40
        let original = TemporaryFolder()
        let before = try filledStore(600, in: original)
        let keys = Set(before.flatMap { $0.entries.compactMap(\.key) })
        for round in 0..<rounds {
            let folder = TemporaryFolder(), recoveries = Heard<TransactionStoreRecovery>()
            _ = shell("cp '\(original.store)' '\(original.store).lock' '\(folder.path)/'")
            let count = 1 + Int(random.next() % 4096)
            let offset = Int(random.next() % UInt64(size(folder.store) - count))
            overwrite(folder.store, at: offset, with: (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })

            let store = try TransactionStore(path: folder.store, onRecovery: { recoveries.append($0) })
            let found = try store.allTransactions().flatMap { $0.entries.compactMap(\.key) }
            #expect(Set(found).count == found.count, "round \(round): a key is there twice")
            try store.append([entry(7, of: "new")])
            #expect(try store.counts().entries == found.count + 1, "round \(round)")
            store.close()
            #expect(sqlite3(folder.store, "PRAGMA integrity_check") == "ok", "round \(round)")
            if !recoveries.all.isEmpty { recovered += 1 }
            kept += keys.intersection(found).count
        }
        #expect(recovered > rounds / 4)
        #expect(kept > rounds * keys.count * 8 / 10, "only \(kept) of \(rounds * keys.count) entries were saved")
    }

    @Test("Row 20: damage that shows while the program runs is replaced under its hands, and no entry is lost")
    func damageAtRunTime() throws {
        let folder = TemporaryFolder()
        let bench = try Bench(in: folder)
        let transaction = bench.service.transaction(usecase: 1)
        for event in 0..<100 { transaction.log(event) }
        try bench.provider.store.transaction { db in
            try db.execute(sql: "UPDATE txn_log SET timestamp = 9e300 WHERE usecase_event = 50")
        }
        #expect(try bench.provider.allTransactions()[0].entries.count == 99)
        transaction.log(100)
        let entries = try bench.provider.allTransactions()[0].entries
        #expect(entries.map(\.event) == Array(0..<50) + Array(51...100))
        #expect(Set(entries.map(\.key)).count == 100)
        #expect(entries.allSatisfy { $0.key?.epoch == bench.provider.store.epoch })
        #expect(bench.errors.all.count == 1)
        #expect(bench.registration.ledger == LogLedger(submitted: 102, delivered: 102))
        #expect(try bench.provider.counts().dropped == 1)   // the one whose time cannot be
    }

    @Test(
        "Row 56: a file that is removed or replaced under the store takes nothing more: what comes is in the one that takes its place",
        arguments: [
            "rm store.sqlite", "rm store.sqlite*", "cp store.sqlite another && mv another store.sqlite",
            "rm store.sqlite && mkfifo store.sqlite",
        ])
    func aRemovedFileTakesNothing(command: String) throws {
        let folder = TemporaryFolder()
        let bench = try Bench(in: folder)
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1)
        _ = shell("cd '\(folder.path)' && \(command)")
        transaction.log(2)
        transaction.log(3)
        #expect(bench.sqlite3("SELECT usecase_event FROM txn_log WHERE usecase_event > 1 ORDER BY id") == "2\n3")
        #expect(bench.sqlite3("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
        #expect(bench.registration.ledger == LogLedger(submitted: 4, delivered: 4))
        #expect(bench.errors.all.count == 1)
        guard case .recovered(_, let recovery)? = bench.errors.all.first else { return #expect(Bool(false)) }
        #expect(recovery.reason == "its file was removed, or another has its name")
        // Its lock is where others look for it, and its keys go on.
        #expect(throws: TransactionStoreError.storeLocked(path: folder.store)) { try TransactionStore(path: folder.store) }
        let keys = try bench.provider.allTransactions().flatMap { $0.entries.compactMap(\.key) }
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { $0.installation == bench.provider.store.installation && $0.epoch == bench.provider.store.epoch })
        bench.close()
        let again = try TransactionStore(path: folder.store)
        #expect(again.installation == bench.provider.store.installation && again.epoch > bench.provider.store.epoch)
    }

    @Test("Row 56: a lock that is removed is made anew; where another process was sooner, nothing is written until that one has gone")
    func aRemovedLock() throws {
        let folder = TemporaryFolder(), bench = try Bench(in: folder), store = bench.provider.store
        let locked = TransactionStoreError.storeLocked(path: folder.store)
        func next() throws -> StoredParcel? {
            try store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system)
        }
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1)
        unlink(folder.store + ".lock")
        transaction.log(2)
        #expect(throws: locked) { try StoreFile(folder.store) }
        #expect(StoreFile.identityInLock(of: folder.store) == StoreIdentity(installation: store.installation, epoch: store.epoch))
        try store.settleDelivered(try #require(try next()).id)
        #expect(try next() == nil)

        unlink(folder.store + ".lock")
        let other = Locked<StoreFile?>(try StoreFile(folder.store))
        transaction.log(3)
        #expect(throws: locked) { try next() }
        #expect(bench.errors.all == [locked])
        let theirs = """
            INSERT INTO txn (guid, usecase) VALUES ('other', 1);
            INSERT INTO txn_log (id, txn_id, timestamp, usecase_event, epoch, sequence) VALUES (1, last_insert_rowid(), 5, 50, 77, 1)
            """
        #expect(LogbookTransactionsTests.sqlite3(folder.store, theirs, readOnly: false) == "")
        other.withLock { $0 = nil }
        transaction.log(4)
        #expect(try next()?.set.transactions.flatMap { $0.entries.map(\.event) } == [50, 4])   // also what the other has left
        #expect(bench.registration.ledger == LogLedger(submitted: 5, delivered: 4, dropped: [.inputOutputError: 1]))
        #expect(bench.sqlite3("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
    }

    @Test("Row 56: a relative path is that of the folder in which the program started, and no removed file when it has another")
    func theProgramChangesItsFolder() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            try #require(chdir(folder.path) == 0)
            let provider = try TransactionLogProvider(configuration: TransactionLogConfiguration(storePath: "store.sqlite"))
            let service = LogService()
            service.register(provider)
            service.transaction(usecase: 1).log(1)
            try #require(chdir("/") == 0)
            service.transaction(usecase: 1).log(2)
            #expect(sqlite3(folder.store, "SELECT usecase_event FROM txn_log ORDER BY id") == "1\n2")
            #expect(service.shutdown(by: .seconds(30)).isComplete)
        }
    }

    @Test("Row 56: where the folder cannot be written any more the entry is counted")
    func aRemovedFolderThatCannotBeMade() throws {
        let folder = TemporaryFolder()
        let bench = try Bench { $0.storePath = folder.path + "/inner/store.sqlite" }
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1)
        _ = shell("rm -r '\(folder.path)/inner' && touch '\(folder.path)/inner'")
        transaction.log(2)
        #expect(bench.registration.ledger == LogLedger(submitted: 3, delivered: 2, dropped: [.inputOutputError: 1]))
        #expect(bench.errors.all.count == 1)
        _ = shell("rm '\(folder.path)/inner'")
        bench.clock.advance(by: TransactionStore.recoveryPause)
        transaction.log(3)
        #expect(sqlite3(folder.path + "/inner/store.sqlite", "SELECT usecase_event FROM txn_log") == "3")
    }

    @Test("Row 20: after a recovery no entry gets a row that a salvaged one has, and none is lost")
    func salvagedRowsAreGivenWayTo() throws {
        let folder = TemporaryFolder()
        let bench = try Bench(in: folder)
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(0)
        try bench.provider.store.transaction { db in
            // As damage that nobody has met: entries of another epoch, and a value that cannot be.
            try db.execute(
                sql: """
                    INSERT INTO txn_log (id, txn_id, timestamp, usecase_event, epoch, sequence)
                    VALUES (3, 1, 5, 50, 77, 1), (4, 1, 9e300, 51, 77, 2)
                    """)
        }
        #expect(try bench.provider.allTransactions()[0].entries.map(\.event) == [0, 50])
        for event in 1...3 { transaction.log(event) }
        #expect(bench.sqlite3("SELECT id, usecase_event FROM txn_log ORDER BY id") == "1|0\n3|50\n4|1\n5|2\n6|3")
        #expect(bench.registration.ledger == LogLedger(submitted: 5, delivered: 5))
    }

    @Test("an entry whose row's id another has gets another one, alone or among others", arguments: [1, 25])
    func aTakenRow(count: Int) throws {
        let folder = TemporaryFolder(), store = try TransactionStore(path: folder.store)
        try store.append([entry(0, of: "a")])
        try store.transaction { db in
            try db.execute(
                sql: "INSERT INTO txn_log (id, txn_id, timestamp, usecase_event, epoch, sequence) VALUES (?, 1, 5, 1000, 77, 1)",
                arguments: [1 + count])
        }
        try store.append((1...count).map { entry($0, of: "a") }, isOfferedAgain: true)
        let stored = try store.allTransactions().flatMap(\.entries)
        #expect(stored.map(\.event) == [0, 1000] + Array(1...count))
        #expect(Set(stored.map(\.key)).count == count + 2)
    }

    @Test("an entry that is offered again, and whose row's id another has by now, gets another one")
    func aTakenRowOfOneOfferedAgain() throws {
        let folder = TemporaryFolder(), store = try TransactionStore(path: folder.store)
        try store.append([entry(0, of: "a")])
        try store.transaction {
            try $0.execute(sql: "CREATE TRIGGER no BEFORE INSERT ON txn_log BEGIN SELECT raise(ABORT, 'no'); END")
        }
        #expect(throws: TransactionStoreError.self) { try store.append([entry(1, of: "a")], isOfferedAgain: true) }
        try store.transaction { db in
            try db.execute(
                sql: """
                    DROP TRIGGER no;
                    INSERT INTO txn_log (id, txn_id, timestamp, usecase_event, epoch, sequence) VALUES (2, 1, 5, 1000, 77, 1)
                    """)
        }
        try store.append([entry(1, of: "a")], isOfferedAgain: true)
        #expect(sqlite3(folder.store, "SELECT id, usecase_event FROM txn_log ORDER BY id") == "1|0\n2|1000\n3|1")
    }

    @Test("Row 20: where a damaged file cannot be replaced at once, it is tried again, and then the store goes on")
    func aRecoveryThatFailsIsTriedAgain() throws {
        let folder = TemporaryFolder()
        let bench = try Bench(in: folder)
        let transaction = bench.service.transaction(usecase: 1)
        for event in 0..<10 { transaction.log(event) }
        try bench.provider.store.transaction { db in
            try db.execute(sql: "UPDATE txn_log SET timestamp = 9e300 WHERE usecase_event = 5")
        }
        _ = shell("mkdir '\(folder.store).recovering' && touch '\(folder.store).recovering/file'")
        #expect(throws: TransactionStoreError.self) { try bench.provider.allTransactions() }
        transaction.log(10)
        bench.clock.advance(by: TransactionStore.recoveryPause)
        transaction.log(11)
        #expect(bench.registration.ledger.dropped == [.inputOutputError: 2])

        _ = shell("rm -r '\(folder.store).recovering'")
        transaction.log(12)   // not yet
        bench.clock.advance(by: TransactionStore.recoveryPause)
        transaction.log(13)
        #expect(try bench.provider.allTransactions()[0].entries.map(\.event) == [0, 1, 2, 3, 4, 6, 7, 8, 9, 13])
        #expect(bench.registration.ledger.dropped == [.inputOutputError: 3])
        let recoveries = bench.errors.all.filter { if case .recovered = $0 { true } else { false } }
        #expect(recoveries.count == 1)
        bench.close()
        #expect(sqlite3(folder.store, "PRAGMA integrity_check; SELECT count(*) FROM txn_log") == "ok\n10")
    }

    @Test("Row 20: a replacement that fails after a long time is tried again after a much longer one")
    func aRecoveryThatTakesLong() throws {
        let folder = TemporaryFolder(), clock = ManualClock(now: t0), mayOpen = Atomic(true), tries = Atomic(0)
        let store = try TransactionStore(StoreFile(folder.store), clock: .manual(clock), prepare: { _ in
            tries.add(1, ordering: .relaxed)
            if mayOpen.load(ordering: .relaxed) { return }
            clock.advance(by: .seconds(60))
            throw DatabaseError(resultCode: .SQLITE_FULL)
        })
        try store.append((0..<10).map { entry($0, of: "a") })
        try store.transaction { try $0.execute(sql: "UPDATE txn_log SET timestamp = 9e300 WHERE usecase_event = 5") }
        mayOpen.store(false, ordering: .relaxed)
        func isTried(after pause: Duration) -> Bool {
            clock.advance(by: pause)
            let before = tries.load(ordering: .relaxed)
            #expect(throws: TransactionStoreError.self) { try store.allTransactions() }
            return tries.load(ordering: .relaxed) > before
        }
        #expect(isTried(after: .zero))
        #expect(!isTried(after: .seconds(60 * 20 - 1)))
        #expect(isTried(after: .seconds(1)))
        mayOpen.store(true, ordering: .relaxed)
        clock.advance(by: .seconds(60 * 20))
        #expect(try store.allTransactions()[0].entries.map(\.event) == [0, 1, 2, 3, 4, 6, 7, 8, 9])
    }

    @Test("Row 23: a log or an index that is gone costs what stood in it, and no key is given twice", arguments: ["-wal", "-shm"])
    func logDeleted(suffix: String) throws {
        let other = TemporaryFolder(), folder = TemporaryFolder()
        _ = try filledStore(100, in: other)
        let store = try TransactionStore(path: other.store)
        try store.append((0..<10).map { entry($0, of: "late") })
        _ = shell("cp '\(other.store)'* '\(folder.path)/'")   // what a kill leaves behind
        #expect(size(folder.store + suffix) > 0)
        unlink(folder.store + suffix)

        let again = try TransactionStore(path: folder.store)
        #expect(try again.counts().entries == (suffix == "-wal" ? 100 : 110))
        #expect(again.epoch > store.epoch)   // also where that stood in the log
        try again.append([entry(1, of: "new")])
        again.close()
        #expect(sqlite3(folder.store, "PRAGMA integrity_check") == "ok")
    }

    @Test("Row 23: the log of another store, or of yesterday's, is not mixed in")
    func foreignLog() throws {
        for isAnotherStore in [true, false] {
            let folder = TemporaryFolder(), other = TemporaryFolder(), aside = TemporaryFolder()
            let before = try filledStore(50, in: folder)
            if isAnotherStore {
                _ = try filledStore(200, in: other)
                let store = try TransactionStore(path: other.store)
                try store.append((0..<200).map { entry($0, of: "foreign", text: "not yours") })
                _ = shell("cp '\(other.store)-wal' '\(folder.store)-wal'")
            } else {
                let store = try TransactionStore(path: folder.store)
                try store.delete(["TXN1-0"])
                _ = shell("cp '\(folder.store)-wal' '\(aside.path)/wal'")
                store.close()
                try TransactionStore(path: folder.store).close()   // a later epoch, all of it in the file
                _ = shell("cp '\(aside.path)/wal' '\(folder.store)-wal'")
            }
            #expect(size(folder.store + "-wal") > 0)
            let recoveries = Heard<TransactionStoreRecovery>()
            let again = try TransactionStore(path: folder.store, onRecovery: { recoveries.append($0) })
            #expect(recoveries.all.map(\.reason) == ["its write-ahead log is that of another file"])
            #expect(try again.allTransactions().map(\.id) == before.dropFirst(isAnotherStore ? 0 : 1).map(\.id))
        }
    }

    @Test("Row 3: a recovery that a kill interrupts is ended by the next start, wherever it was")
    func interruptedRecovery() throws {
        for step in 0..<4 {
            let folder = TemporaryFolder()
            let before = try filledStore(30, in: folder)
            _ = shell("printf damaged > '\(folder.store)-wal'")
            // What is there after so many steps: the finished new file, then the old ones renamed one by one.
            var salvage = StoreSalvage()
            try salvage.run(from: folder.store, to: folder.store + ".recovered")
            if step > 0 { rename(folder.store + "-wal", folder.store + ".corrupt-1-wal") }
            if step > 1 { rename(folder.store, folder.store + ".corrupt-1") }
            if step > 2 { rename(folder.store + ".recovered", folder.store) }
            let recoveries = Heard<TransactionStoreRecovery>()
            let store = try TransactionStore(path: folder.store, onRecovery: { recoveries.append($0) })
            #expect(try store.allTransactions() == before, "step \(step)")
            #expect(shell("ls '\(folder.path)' | grep -c recovered") == "0", "step \(step)")
            // What the salvage could not read nobody knows any more.
            #expect(recoveries.all.map(\.isComplete) == (step < 3 ? [false] : []), "step \(step)")
            #expect(recoveries.all.allSatisfy { $0.entries == 30 && $0.setAside.contains(".corrupt-") }, "\(recoveries.all)")
            #expect(recoveries.all.allSatisfy { access($0.setAside, F_OK) == 0 }, "\(recoveries.all)")
            // What was renamed, and what is renamed now, stand under one name.
            let begun = folder.store + ".corrupt-1"
            #expect((1...2).contains(step) == recoveries.all.contains { $0.setAside == begun }, "\(recoveries.all)")
            store.close()
        }
    }

    @Test("Row 20: who ends a replacement deletes the oldest damaged files as well, says how many, and writes over none")
    func interruptedRecoveryIsBounded() throws {
        let folder = TemporaryFolder(), recoveries = Heard<TransactionStoreRecovery>()
        _ = try filledStore(10, in: folder)
        for number in 1...5 { folder.write("damaged", to: "store.sqlite.corrupt-\(number)") }
        var salvage = StoreSalvage()
        try salvage.run(from: folder.store, to: folder.store + ".recovered")
        try TransactionStore(path: folder.store, clock: .manual(ManualClock(now: t0)), onRecovery: { recoveries.append($0) }).close()
        #expect(recoveries.all.map(\.setAside) == [folder.store + ".corrupt-1423202367"])
        #expect(recoveries.all.map(\.deleted) == [2])
        let kept = ["1423202367", "3", "4", "5"].map { "store.sqlite.corrupt-\($0)" }
        let databases = folder.names.filter { $0.contains("corrupt") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
        #expect(databases == kept)
        #expect(folder.text("store.sqlite.corrupt-5") == "damaged")
    }

    @Test("Row 3, C28: what a salvage has left that a kill interrupted is deleted by the next start: no logout would reach it")
    func unfinishedSalvage() throws {
        let folder = TemporaryFolder()
        let before = try filledStore(10, in: folder)
        for name in ["recovering", "recovering-wal", "recovering-reading", "recovering-reading-wal"] {
            folder.write("Jane Doe", to: "store.sqlite.\(name)")
        }
        let store = try TransactionStore(path: folder.store)
        #expect(folder.names.filter { $0.contains("recovering") } == [])
        #expect(try store.allTransactions() == before)
        store.close()
    }

    @Test("Row 20: damage behind a row that has nearly the last id that there is ends no program, and costs its page")
    func damageBehindTheLastIDs() throws {
        let folder = TemporaryFolder(), recoveries = Heard<TransactionStoreRecovery>()
        let store = try TransactionStore(path: folder.store)
        try store.append([entry(0, of: "a")])
        try store.transaction { db in
            for number in 1...100 {
                try db.execute(
                    sql: """
                        INSERT INTO txn_log (id, txn_id, timestamp, usecase_event, in_ctx_err_desc, epoch, sequence)
                        VALUES (?, 1, 5, ?, ?, 77, ?)
                        """,
                    arguments: [Int64.max - 100 + Int64(number), number, "row \(number) " + String(repeating: "x", count: 250), number])
            }
        }
        store.close()
        let bytes = folder.bytes("store.sqlite"), last = Array("row 100 ".utf8)
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: last) })
        overwrite(folder.store, at: place / 4096 * 4096, with: [0xFF])   // no kind of page

        let again = try TransactionStore(path: folder.store, onRecovery: { recoveries.append($0) })
        let events = try again.allTransactions().flatMap { $0.entries.map(\.event) }
        #expect(events == Array(0..<events.count) && (50..<101).contains(events.count))
        #expect(recoveries.all.map(\.isComplete) == [false])
    }

    @Test("Row 20: of two rows with one key one is saved")
    func aKeyThatIsThereTwice() throws {
        let folder = TemporaryFolder(), recoveries = Heard<TransactionStoreRecovery>()
        let store = try TransactionStore(path: folder.store)
        try store.append((1...3).map { entry($0, of: "a") })
        try store.transaction { db in
            try db.execute(
                sql: """
                    INSERT INTO txn_log (id, txn_id, timestamp, usecase_event, epoch, sequence)
                    SELECT 10, txn_id, timestamp, 7, epoch, sequence FROM txn_log WHERE usecase_event = 2
                    """)
        }
        store.close()
        overwrite(folder.store, at: 0, with: [UInt8](repeating: 0xA5, count: 16))
        let again = try TransactionStore(path: folder.store, onRecovery: { recoveries.append($0) })
        #expect(try again.allTransactions().flatMap { $0.entries.map(\.event) } == [1, 2, 3])
        #expect(recoveries.all.map(\.entries) == [3])
    }

    @Test("Row 20: what was saved is said in words that are right for one as well")
    func whatWasSavedInWords() {
        let one = TransactionStoreRecovery(reason: "r", setAside: "s", transactions: 1, entries: 1, isComplete: true)
        #expect(one.description == "1 entry of 1 transaction was saved from a damaged store (r), which is kept as s")
        let several = TransactionStoreRecovery(reason: "r", setAside: "s", transactions: 2, entries: 3)
        #expect(
            several.description
                == "3 entries of 2 transactions were saved from a damaged store (r), which is kept as s; others may be lost")
    }

    @Test func whatWasSetAsideStaysSo() throws {
        let folder = TemporaryFolder()
        let store = try TransactionStore(path: folder.store)
        try store.append([entry(1, of: "a"), entry(2, of: "b")])
        let parcel = try #require(
            try store.nextParcel(.v0_0_2, limits: ParcelLimits(transactions: 1), now: t0, randomness: .system))
        try store.settleRejected(parcel.id, because: "no")
        store.close()
        overwrite(folder.store, at: 0, with: [0])
        #expect(try TransactionStore(path: folder.store).counts() == TransactionStoreCounts(transactions: 2, entries: 2, pending: 1, setAside: 1))
    }
}
#endif
