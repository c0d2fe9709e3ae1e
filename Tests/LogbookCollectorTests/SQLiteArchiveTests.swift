#if Collector
    import Foundation
    import GRDB
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTransactions
    import LogbookTestKit
    import Testing

    @Suite struct SQLiteArchiveTests {
        private let folder: TemporaryFolder
        private let archive: SQLiteArchive

        init() throws {
            folder = TemporaryFolder()
            archive = try SQLiteArchive(path: folder("archive.sqlite"), busyTimeout: .milliseconds(100))
        }

        /// Looks at the file with a connection of its own.
        private func query<Value: DatabaseValueConvertible>(_ sql: String) throws -> Value? {
            var configuration = Configuration()
            configuration.readonly = true
            return try DatabaseQueue(path: folder("archive.sqlite"), configuration: configuration).read {
                try Value.fetchOne($0, sql: sql)
            }
        }

        private func execute(_ sql: String) throws {
            try DatabaseQueue(path: folder("archive.sqlite")).writeWithoutTransaction { try $0.execute(sql: sql) }
        }

        /// A line for each loop of the statement.
        private func plan(of sql: String) throws -> [String] {
            try DatabaseQueue(path: folder("archive.sqlite")).read { database in
                try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: ["default"]).map { $0["detail"] }
            }
        }

        // MARK: Transactions

        @Test("D1: of a set or a batch of any size, what is there already is not stored again", arguments: [1, 9, 10, 11, 20, 57])
        func someOfItIsThere(count: Int) async throws {
            let half = count / 2
            func parcel(_ numbers: Range<Int>) -> TransactionParcel {
                Golden.parcel(
                    TransactionRecord(id: "T", usecase: 1, entries: numbers.map { number in
                        let isError = number % 3 == 0
                        return EntryRecord(
                            event: number, errorCode: isError ? number : nil, errorDescription: isError ? "no. \(number)" : nil,
                            time: LogTime(seconds: Double(number)))
                    }))
            }
            #expect(try await archive.store(parcel(0..<half)) == ArchiveReceipt(accepted: half, duplicates: 0))
            #expect(try await archive.store(parcel(0..<count)) == ArchiveReceipt(accepted: count - half, duplicates: half))
            let stored = try #require(try await archive.transaction("T", tenant: Tenant.standard))
            #expect(stored.entries.map(\.event) == Array(0..<count))
            #expect(stored.entries.allSatisfy { ($0.errorCode == $0.event) == ($0.event % 3 == 0) })
            #expect(stored.entries.allSatisfy { ($0.errorDescription == "no. \($0.event)") == ($0.event % 3 == 0) })

            func batch(_ numbers: Range<Int>) -> LogBatch {
                LogBatch(parcel: nil, items: numbers.map { Golden.item(UInt64($0)) }, received: LogTime(seconds: 2000))
            }
            #expect(try await archive.store(batch(0..<half)) == ArchiveReceipt(accepted: half, duplicates: 0))
            #expect(try await archive.store(batch(0..<count)) == ArchiveReceipt(accepted: count - half, duplicates: half))
            #expect(try query("SELECT count(*) FROM log_events WHERE message = 'event ' || sequence") == count)
            #expect(try query("SELECT count(DISTINCT parcel) FROM log_events") == (half == 0 ? 1 : 2))
        }

        @Test("D1: the same set twice is stored once, also when nothing in it names it")
        func theSameSetTwiceIsStoredOnce() async throws {
            let parcel = TransactionParcel(parcel: nil, set: try Golden.g2Set, received: LogTime(seconds: 1))
            #expect(try await archive.store(parcel) == ArchiveReceipt(accepted: 2, duplicates: 0))
            #expect(try await archive.store(parcel) == ArchiveReceipt(accepted: 0, duplicates: 2))
            #expect(try query("SELECT count(*) FROM transactions") == 1)
            #expect(try query("SELECT count(*) FROM entries") == 2)
            #expect(
                try query("SELECT typeof(error_code) || error_code || error_description FROM entries WHERE event = 2")
                    == "integer42Baad!")
            #expect(try query("SELECT time FROM entries WHERE event = 2") == 1_421_431_902_000_000)
        }

        @Test func entriesThatAreAlikeWithinOneSetAreAllStored() async throws {
            let twins = TransactionRecord(
                id: "T", usecase: 1, entries: [Golden.entry(3, at: 10), Golden.entry(3, at: 10)])
            #expect(try await archive.store(Golden.parcel(twins)).accepted == 2)
            #expect(try await archive.store(Golden.parcel(twins)).duplicates == 2)
            #expect(try await archive.store(Golden.parcel(twins, name: "P")).accepted == 2)
            #expect(try await archive.store(Golden.parcel(twins, name: "P")).duplicates == 2)
            #expect(try await archive.counts(tenant: nil).entries == 4)
        }

        @Test func aParcelsNameUsedForSomethingElseLosesNothing() async throws {
            let first = TransactionRecord(id: "T", usecase: 1, entries: [Golden.entry(3, at: 10)])
            let second = TransactionRecord(id: "T", usecase: 1, entries: [Golden.entry(4, at: 10)])
            #expect(try await archive.store(Golden.parcel(first, name: "P")).accepted == 1)
            #expect(try await archive.store(Golden.parcel(second, name: "P")).accepted == 1)
        }

        @Test("C25: an entry with a key is stored once, whatever parcel brings it")
        func anEntryWithAKeyIsStoredOnce() async throws {
            let entry = Golden.entry(3, at: 10, key: EntryKey(installation: "I", epoch: 1, sequence: 1))
            let transaction = TransactionRecord(id: "T", usecase: 1, entries: [entry])
            #expect(try await archive.store(Golden.parcel(transaction, name: "P")).accepted == 1)
            #expect(try await archive.store(Golden.parcel(transaction, name: "Q")).duplicates == 1)
            #expect(try await archive.store(Golden.parcel(transaction)).duplicates == 1)
        }

        @Test("D2, D3, D4: entries may come before the device is known; who knows it fills it in, and nobody overwrites it")
        func theDeviceIsFilledInFromWhoeverKnowsIt() async throws {
            let server = TransactionRecord(id: "T", usecase: 1, deviceMake: "", entries: [Golden.entry(3, at: 12)])
            let client = TransactionRecord(
                id: "T", usecase: 1, deviceMake: "KVM", deviceOS: "Debian",
                entries: [Golden.entry(0, at: 11), Golden.entry(7, at: 13)])
            let stranger = TransactionRecord(
                id: "T", usecase: 9, deviceMake: "other", deviceOSVersion: "12", entries: [Golden.entry(8, at: 14)])
            for transaction in [server, client, stranger] { _ = try await archive.store(Golden.parcel(transaction)) }
            let found = try #require(try await archive.transaction("T", tenant: Tenant.standard))
            #expect(found.entries.map(\.event) == [0, 3, 7, 8])
            #expect([found.deviceMake, found.deviceOS, found.deviceOSVersion] == ["KVM", "Debian", "12"])
            #expect(found.usecase == 1)
            #expect(try await archive.counts(tenant: nil).transactions == 1)
        }

        @Test(
            "D5: a transaction is found by its id with its entries in order of time; of the same time in the order they came"
        )
        func aTransactionIsFoundByItsID() async throws {
            let times: [Double] = [3, 1, 2, 2, 2]
            let transaction = TransactionRecord(
                id: "T", usecase: 1, entries: times.enumerated().map { Golden.entry($0.offset, at: $0.element) })
            _ = try await archive.store(Golden.parcel(transaction, name: "P"))
            _ = try await archive.store(
                Golden.parcel(TransactionRecord(id: "T", usecase: 1, entries: [Golden.entry(9, at: 2)]), name: "Q"))
            #expect(try await archive.transaction("T", tenant: Tenant.standard)?.entries.map(\.event) == [1, 2, 3, 4, 9, 0])
            #expect(try await archive.transaction("U", tenant: Tenant.standard) == nil)
        }

        @Test func textsThatDifferOnlyBehindANULAreNotTheSame() async throws {
            for id in ["T\0a", "T\0b", "T"] {
                _ = try await archive.store(
                    Golden.parcel(TransactionRecord(id: id, usecase: 1, entries: [Golden.entry(1, at: 1)])))
            }
            #expect(try await archive.counts(tenant: nil).entries == 3)
            #expect(try await archive.transaction("T\0b", tenant: Tenant.standard)?.entries.count == 1)
        }

        @Test("D5: one question is put to some transactions at a time, and finds what it would have found among all of them at once")
        func aSearchIsMadeInParts() async throws {
            let count = 2 * SQLiteArchive.searchedAtATime + 5, middle = count / 2, failed = [0, middle, count - 1]
            let records = (0..<count).map { number in
                let code = failed.contains(number) ? 7 : nil
                return TransactionRecord(
                    id: "\(100_000 + number)", usecase: 1, user: number == middle ? "one" : "all",
                    entries: [EntryRecord(event: 1, errorCode: code, time: LogTime(seconds: 1))])
            }
            let set = TransactionSet(transactions: records)
            let receipt = try await archive.store(TransactionParcel(parcel: nil, set: set, received: LogTime(seconds: 1000)))
            #expect(receipt.accepted == count)
            let expected: [(user: String?, numbers: [Int])] = [(nil, failed), ("all", [0, count - 1]), ("one", [middle])]
            for (user, numbers) in expected {
                var query = TransactionQuery(user: user, error: .code(7), limit: 1), ids: [String] = []
                let isOverAtOnce = try await archive.read { [query] database in
                    var search = SQLiteArchive.Search(query)
                    try search.goOn(database)
                    return search.isOver
                }
                #expect(isOverAtOnce == (user == "one"))
                repeat {
                    let page = try await archive.transactions(query)
                    ids += page.transactions.map(\.id)
                    query.cursor = page.next
                } while query.cursor != nil && ids.count < count
                #expect(ids == numbers.map { "\(100_000 + $0)" }, "\(user ?? "of anybody")")
            }
        }

        // MARK: Log events

        @Test func anEventWithAnOriginIsStoredOnce() async throws {
            let batch = LogBatch(parcel: "P", items: [Golden.item(1), Golden.item(2)], received: LogTime(seconds: 1))
            #expect(try await archive.store(batch) == ArchiveReceipt(accepted: 2, duplicates: 0))
            var again = batch
            again.parcel = "Q"
            again.items.append(Golden.item(3))
            #expect(try await archive.store(again) == ArchiveReceipt(accepted: 1, duplicates: 2))
            #expect(try query("SELECT group_concat(sequence) FROM log_events") == "1,2,3")
        }

        @Test func eventsWithoutOriginAreKnownByTheirParcel() async throws {
            let batch = LogBatch(
                parcel: "P", items: [Golden.item(1, origin: nil), Golden.item(1, origin: nil)],
                received: LogTime(seconds: 1))
            #expect(try await archive.store(batch).accepted == 2)
            #expect(try await archive.store(batch).duplicates == 2)
            var unnamed = batch
            unnamed.parcel = nil
            #expect(try await archive.store(unnamed).accepted == 2)
            #expect(try await archive.store(unnamed).accepted == 2)
            #expect(try query("SELECT group_concat(arrivals || ':' || items) FROM parcels") == "2:2,1:2,1:2")
        }

        @Test func everythingAnEventSaysIsStored() async throws {
            let event = LogEvent(
                sequence: 7, time: LogTime(nanoseconds: 1_000_001_999), level: .error, message: "a\n\0b",
                metadata: ["ms": 812, "tags": ["x"]], thread: 5,
                source: LogSource(fileNamed: "M/F.swift", functionNamed: "f()", line: 3),
                transaction: TransactionEntry(
                    transactionID: "T", usecase: 2, kind: .happened(4), errorCode: 42, errorDescription: "Baad!",
                    device: DeviceFacts(make: "m", os: "o", osVersion: "v")),
                error: LogErrorDetails(type: "PaymentError", description: "refused"))
            let item = LogBatch.Item(event: event, origin: LogOrigin(installation: "I", epoch: .max))
            _ = try await archive.store(LogBatch(parcel: nil, items: [item], received: LogTime(seconds: 2)))
            let columns = [
                "installation": "I", "epoch": "-1", "sequence": "7", "time": "1000001", "level": "error",
                "message": "a\n␀b",
                "thread": "5", "file": "M/F.swift", "function": "f()", "line": "3",
                "metadata": #"{"ms":812,"tags":["x"]}"#,
                "error_type": "PaymentError", "error_message": "refused", "transaction_guid": "T", "usecase": "2",
                "event": "4",
                "error_code": "42", "error_description": "Baad!", "received": "2000000",
            ]
            for (column, value) in columns {
                #expect(try query("SELECT CAST(\(column) AS TEXT) FROM log_events") == value, "\(column)")
            }
        }

        @Test("rows whose numbers were given before are removed when they are old, not when those were")
        func numbersThatAreGivenAgain() async throws {
            func batch(_ sequences: ClosedRange<UInt64>, at seconds: Double, of id: String? = nil) -> LogBatch {
                let items = sequences.map { sequence in
                    let metadata: LogMetadata = id.map { [LogMetadata.transactionKey: .string($0)] } ?? [:]
                    let event = LogEvent(
                        sequence: sequence, time: LogTime(seconds: 1), level: .info, message: "m", metadata: metadata)
                    return LogBatch.Item(event: event, origin: LogOrigin(installation: "INST", epoch: 1))
                }
                return LogBatch(parcel: nil, items: items, received: LogTime(seconds: seconds))
            }
            let record = TransactionRecord(id: "T", usecase: 1, user: "u", entries: [Golden.entry(1, at: 1)])
            _ = try await archive.store(Golden.parcel(record))
            _ = try await archive.store(batch(1...30, at: 1, of: "T"))
            #expect(try await archive.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 2)) == 1)
            #expect(try query("SELECT count(*) FROM log_events") == 0)
            _ = try await archive.store(batch(31...40, at: 1))
            _ = try await archive.store(batch(41...70, at: 10))
            #expect(try query("SELECT min(id) || ' ' || max(id) FROM log_events WHERE received = 10000000") == "11 40")
            #expect(try await archive.remove(receivedBefore: LogTime(seconds: 5), limit: 4) == 4)
            #expect(try await archive.remove(receivedBefore: LogTime(seconds: 5), limit: 100) == 6)
            #expect(try query("SELECT count(*) || ' ' || min(received) FROM log_events") == "30 10000000")
            #expect(try await archive.remove(receivedBefore: LogTime(seconds: 11), limit: 100) == 30)
            #expect(try query("SELECT (SELECT count(*) FROM log_events) + (SELECT count(*) FROM log_arrivals)") == 0)
        }

        @Test("arrivals of which nothing is left are removed some at a time")
        func emptyArrivals() async throws {
            try execute(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(SQLiteArchive.arrivalsAtATime + 5))
                INSERT INTO log_arrivals SELECT i, i, i FROM n
                """)
            _ = try await archive.store(LogBatch(parcel: nil, items: [Golden.item(1)], received: LogTime(seconds: 1)))
            #expect(try await archive.remove(receivedBefore: LogTime(seconds: 2), limit: 1) == 1)
            #expect(try await archive.remove(receivedBefore: LogTime(seconds: 2), limit: 1) == 0)
            #expect(try query("SELECT count(*) FROM log_arrivals") == 0)
        }

        @Test("a tenant's rows are counted without reading what they say")
        func countingReadsIndexesAlone() throws {
            for (table, sql) in SQLiteArchive.counting {
                let plan = try plan(of: sql)
                #expect(!plan.isEmpty && plan.allSatisfy { $0.contains("COVERING INDEX") }, "\(table): \(plan)")
            }
        }

        // MARK: The file

        @Test func theFileIsForThisUserAloneAndDurable() async throws {
            _ = try await archive.store(LogBatch(parcel: nil, items: [Golden.item(1)], received: LogTime(seconds: 1)))
            for suffix in ["", "-wal", "-shm", ".lock"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder("archive.sqlite") + suffix)
                #expect((attributes[.posixPermissions] as? Int) == 0o600, "\(suffix)")
            }
            #expect(try query("PRAGMA journal_mode") == "wal")
            #expect(try query("PRAGMA integrity_check") == "ok")
            #expect(try query("PRAGMA user_version") == SQLiteArchive.schemaVersion)
        }

        @Test("S25: the file is not trusted, by whoever writes it or reads it")
        func theFileIsNotTrusted() async throws {
            @Sendable func settings(_ database: Database) throws -> [Int?] {
                try ["trusted_schema", "cell_size_check", "mmap_size", "secure_delete"].map {
                    try Int.fetchOne(database, sql: "PRAGMA \($0)")
                }
            }
            #expect(try await archive.readInTurn { try settings($0) } == [0, 1, 0, 1])
            #expect(try await archive.read { try settings($0) } == [0, 1, 0, 1])
            await #expect(throws: ArchiveError.self) {
                try await archive.write { try $0.execute(sql: "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = NULL") }
            }
            #expect(try query("PRAGMA integrity_check") == "ok")
        }

        @Test func whatWasStoredIsThereAfterReopening() async throws {
            let path = folder("other.sqlite"), first = try SQLiteArchive(path: path)
            _ = try await first.store(LogBatch(parcel: nil, items: [Golden.item(1)], received: LogTime(seconds: 1)))
            try first.close()
            try first.close()
            let reopened = try SQLiteArchive(path: path)
            try first.close()   // which is not the reopened one's business
            #expect(throws: ArchiveError.inUse(path: path)) { try SQLiteArchive(path: path) }
            #expect(try await reopened.counts(tenant: nil).logEvents == 1)
            let again = LogBatch(parcel: nil, items: [Golden.item(1)], received: LogTime(seconds: 1))
            #expect(try await reopened.store(again).duplicates == 1)
        }

        @Test func anotherProcessIsKeptOut() throws {
            #expect(throws: ArchiveError.inUse(path: folder("archive.sqlite"))) {
                try SQLiteArchive(path: folder("archive.sqlite"))
            }
        }

        @Test func aNewerSchemaIsRefusedAndLeftAlone() throws {
            let path = folder("newer.sqlite")
            try DatabaseQueue(path: path).write {
                try $0.execute(
                    sql: """
                        CREATE TABLE future (x); PRAGMA application_id = \(ArchiveFile.applicationID); PRAGMA user_version = 99
                        """)
            }
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(throws: ArchiveError.newerSchema(path: path, found: 99, supported: SQLiteArchive.schemaVersion)) {
                try SQLiteArchive(path: path)
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }

        @Test func filesOfOthersAreRefusedAndLeftAlone() throws {
            let text = folder("text")
            let strange = folder("strange.sqlite")
            try String(repeating: "no database ", count: 100).write(toFile: text, atomically: true, encoding: .utf8)
            #expect(throws: ArchiveError.notAnArchive(path: text)) { try SQLiteArchive(path: text) }
            try DatabaseQueue(path: strange).write { try $0.execute(sql: "CREATE TABLE x (y)") }
            #expect(throws: ArchiveError.notAnArchive(path: strange)) { try SQLiteArchive(path: strange) }
        }

        @Test func aFolderThatIsNotThereIsNamed() throws {
            let path = folder("missing/archive.sqlite")
            #expect {
                try SQLiteArchive(path: path)
            } throws: { error in
                "\(error)".contains(path) && "\(error)".contains("No such file")
            }
        }

        @Test func aFailureIsBelievedForHalfAMinuteAndThenTriedAgain() async throws {
            let clock = ManualClock(now: LogTime(seconds: 0))
            let path = folder("other.sqlite")
            let archive = try SQLiteArchive(path: path, clock: .manual(clock))
            let batch = LogBatch(parcel: "P", items: [Golden.item(1)], received: LogTime(seconds: 1))
            try FileManager.default.moveItem(atPath: path, toPath: path + ".aside")
            await #expect(throws: ArchiveError.self) { try await archive.store(batch) }
            try FileManager.default.moveItem(atPath: path + ".aside", toPath: path)
            await #expect(throws: ArchiveError.self) { try await archive.checkWritable() }
            clock.advance(by: .seconds(31))
            try await archive.checkWritable()
            try await archive.checkWritable()
        }

        @Test("Row 56: a file that was removed under us takes nothing more")
        func aRemovedFileTakesNothing() async throws {
            try FileManager.default.removeItem(atPath: folder("archive.sqlite"))
            let batch = LogBatch(parcel: "P", items: [Golden.item(1)], received: LogTime(seconds: 1))
            await #expect(throws: ArchiveError.self) { try await archive.store(batch) }
            await #expect(throws: ArchiveError.self) { try await archive.checkWritable() }
        }

        @Test("two collectors never write to one file, also where somebody has removed the lock's: the one that was sooner goes on")
        func aRemovedLockLetsNoTwoWrite() async throws {
            let path = folder("archive.sqlite")
            let batches = (1...3).map { LogBatch(parcel: nil, items: [Golden.item($0)], received: LogTime(seconds: 1)) }
            try FileManager.default.removeItem(atPath: path + ".lock")
            let other = try SQLiteArchive(path: path)
            #expect(try await other.store(batches[0]).accepted == 1)
            await #expect(throws: ArchiveError.inUse(path: path)) { try await archive.store(batches[1]) }
            await #expect(throws: ArchiveError.self) { try await archive.checkWritable() }
            try other.close()
            #expect(try await archive.store(batches[1]).accepted == 1)
            #expect(throws: ArchiveError.inUse(path: path)) { try SQLiteArchive(path: path) }
            // Nobody has removed it since.
            #expect(try await archive.store(batches[2]).accepted == 1)
            #expect(try query("SELECT group_concat(sequence) FROM log_events") == "1,2,3")
        }

        @Test(
            "Row 56: while the file is locked nothing is said to be stored; afterwards it works again without a restart"
        )
        func aLockedFileIsSaidAndGotOver() async throws {
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: folder("archive.sqlite"), configuration: configuration)
            let batch = LogBatch(parcel: "P", items: [Golden.item(1)], received: LogTime(seconds: 1))
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            await #expect(throws: ArchiveError.self) { try await archive.store(batch) }
            await #expect(throws: ArchiveError.self) { try await archive.checkWritable() }
            #expect(try await archive.counts(tenant: nil).logEvents == 0)
            try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            #expect(try await archive.store(batch).accepted == 1)
            try await archive.checkWritable()
        }
    }
#endif
