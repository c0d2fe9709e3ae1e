#if Collector
    import Foundation
    import GRDB
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// When the file is written anew for an erasure.
    @Suite struct SQLiteArchiveErasingTests {
        private let folder = TemporaryFolder()
        private var path: String { folder("archive.sqlite") }
        private let time = LogTime(seconds: 5000)

        /// Looks at the file with a connection of its own.
        private func number(_ sql: String) throws -> Int {
            var configuration = Configuration()
            configuration.readonly = true
            return try DatabaseQueue(path: path, configuration: configuration).read { try Int.fetchOne($0, sql: sql) ?? 0 }
        }

        /// One more for each time that the file was written anew.
        private func writings() throws -> Int { try number("PRAGMA schema_version") }

        private func store(_ users: String..., in archive: SQLiteArchive) async throws {
            for user in users {
                let entry = EntryRecord(event: 1, errorDescription: "\(user) was here", time: LogTime(seconds: 1))
                let record = TransactionRecord(id: "T-\(user)", usecase: 1, user: user, entries: [entry])
                _ = try await archive.store(
                    TransactionParcel(parcel: nil, set: TransactionSet(transactions: [record]), received: LogTime(seconds: 1000)))
            }
        }

        private func isInTheFiles(_ text: String) -> Bool {
            ["", "-wal", "-shm"].contains { suffix in
                (try? Data(contentsOf: URL(fileURLWithPath: path + suffix)))?.range(of: Data(text.utf8)) != nil
            }
        }

        @Test("S32: the file is written anew where something was removed since the last time, and not for a user of whom nothing is there")
        func theFileIsWrittenAnewWhereSomethingWasRemoved() async throws {
            let archive = try SQLiteArchive(path: path)
            try await store("canary", "keeper", in: archive)
            #expect(try await archive.erase(user: "canary", tenant: Tenant.standard, at: time) == 1)
            #expect(!isInTheFiles("canary") && isInTheFiles("keeper"))
            let before = try writings()
            for user in ["canary", "nobody", ""] {
                #expect(try await archive.erase(user: user, tenant: Tenant.standard, at: time) == 0)
            }
            #expect(try writings() == before)
            #expect(try number("SELECT count(*) FROM erasures") == 0)
            // SQLite may have left copies of what went for its age, or came too late.
            #expect(try await archive.remove(receivedBefore: time, limit: 10) == 1)
            for _ in 0..<2 { _ = try await archive.erase(user: "nobody", tenant: Tenant.standard, at: time) }
            #expect(try writings() == before + 1)
            #expect(!isInTheFiles("keeper"))
            let early = TransactionRecord(id: "T-late", usecase: 1, entries: [Golden.entry(1, at: 1)])
            _ = try await archive.store(Golden.parcel(early))
            try await store("canary", in: archive)
            let late = TransactionRecord(id: "T-late", usecase: 1, user: "canary")
            _ = try await archive.store(Golden.parcel(late))
            #expect(try number("SELECT count(*) FROM transactions") == 0)
            for _ in 0..<2 { _ = try await archive.erase(user: "canary", tenant: Tenant.standard, at: time) }
            #expect(try writings() == before + 2)
        }

        @Test("S32: an archive that was opened does not know what was removed before: the file is written anew with the first erasure")
        func whatWasRemovedBeforeIsNotKnown() async throws {
            try SQLiteArchive(path: path).close()
            let archive = try SQLiteArchive(path: path), before = try writings()
            for _ in 0..<2 { _ = try await archive.erase(user: "nobody", tenant: Tenant.standard, at: time) }
            #expect(try writings() == before + 1)
        }

        @Test("S32: however many erasures a kill has interrupted, the start writes the file anew once for all of them")
        func oneWritingForAllThatWereInterrupted() async throws {
            let archive = try SQLiteArchive(path: path)
            try await store("canary-1", "canary-2", "canary-3", "keeper", in: archive)
            try archive.close()
            let first = try writings()
            try SQLiteArchive(path: path).close()   // a start changes the number by itself
            let before = try writings()
            let after = before + (before - first) + 1
            do {
                let interrupted = try DatabaseQueue(path: path)
                for user in 1...3 {
                    try await interrupted.write {
                        try $0.execute(
                            sql: "INSERT INTO erasures VALUES ('default', ?, (SELECT max(id) FROM parcels))", arguments: ["canary-\(user)"])
                    }
                }
                try interrupted.close()
            }
            let reopened = try SQLiteArchive(path: path)
            #expect(try writings() == after)
            #expect(try number("SELECT count(*) FROM erasures") == 0)
            #expect(!isInTheFiles("canary") && isInTheFiles("keeper"))
            _ = try await reopened.erase(user: "nobody", tenant: Tenant.standard, at: time)
            #expect(try writings() == after)
        }

        @Test("S32: an erasure that somebody's reading has kept from its end is not said to be done, and does not write the file once more")
        func whoReadsKeepsAnErasureFromItsEnd() async throws {
            let archive = try SQLiteArchive(path: path, busyTimeout: .milliseconds(50))
            try await store("canary", in: archive)
            let before = try writings(), reader = try HeldReader(path)
            for _ in 0..<2 {
                await #expect(throws: ArchiveError.self) { try await archive.erase(user: "canary", tenant: Tenant.standard, at: time) }
                #expect(isInTheFiles("canary"))
                #expect(try writings() == before + 1)
            }
            try reader.letGo()
            _ = try await archive.erase(user: "canary", tenant: Tenant.standard, at: time)
            #expect(!isInTheFiles("canary"))
            #expect(try writings() == before + 1)
        }

        /// How many rows each commit has removed.
        private final class RemovalRecorder: TransactionObserver, Sendable {
            private struct Counts {
                var current = 0
                var largest = 0
            }

            private let counts = Locked(Counts())

            var largest: Int { counts.withLock { $0.largest } }

            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { if case .delete = eventKind { true } else { false } }

            func databaseDidChange(with event: DatabaseEvent) { counts.withLock { $0.current += 1 } }

            func databaseDidCommit(_ database: Database) {
                counts.withLock { $0 = Counts(current: 0, largest: max($0.largest, $0.current)) }
            }

            func databaseDidRollback(_ database: Database) { counts.withLock { $0.current = 0 } }
        }

        @Test("S32, S33: one commit removes few rows, however many a transaction has: who stores has a turn after it")
        func fewRowsGoAtATime() async throws {
            let archive = try SQLiteArchive(path: path), recorder = RemovalRecorder(), count = 2 * SQLiteArchive.rowsAtATime + 1
            try await archive.write { $0.add(transactionObserver: recorder) }
            for (place, user) in ["u", nil].enumerated() {
                let id = "T\(place)", entries = (0..<count).map { Golden.entry($0, at: 10) }
                let record = TransactionRecord(id: id, usecase: 1, user: user, entries: entries)
                #expect(try await archive.store(Golden.parcel(record)).accepted == count)
                let items = (0..<count).map { sequence in
                    LogBatch.Item(
                        event: LogEvent(
                            sequence: UInt64(place * count + sequence), time: LogTime(seconds: 10), level: .info, message: "m",
                            metadata: [LogMetadata.transactionKey: .string(id)]),
                        origin: LogOrigin(installation: "INST", epoch: 1))
                }
                let batch = LogBatch(parcel: nil, items: items, received: LogTime(seconds: 20))
                #expect(try await archive.store(batch).accepted == count)
            }
            let rows = "SELECT (SELECT count(*) FROM transactions) + (SELECT count(*) FROM entries) + (SELECT count(*) FROM log_events)"
            #expect(try await archive.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 1000)) == 1)
            #expect(try number(rows) == 1 + 2 * count)
            #expect(try await archive.remove(receivedBefore: LogTime(seconds: 4_000_000_000), limit: 10 * count) == 1 + count)
            #expect(try number(rows) == 0)
            #expect(recorder.largest == SQLiteArchive.rowsAtATime)
        }

        @Test("while the file is written anew, whether it can be written is answered at once, and again when that is over")
        func theHealthWhileTheFileIsWrittenAnew() async throws {
            let archive = try SQLiteArchive(path: path, busyTimeout: .seconds(600))
            try await store("canary", in: archive)
            let before = try writings(), reader = try HeldReader(path)
            let erasing = Task { try await archive.erase(user: "canary", tenant: Tenant.standard, at: time) }
            // It ends when nobody reads any more.
            #expect(try await onThread { try becomesTrue { try self.writings() > before } })
            let isAnswered = Locked(false)
            let health = Task {
                defer { isAnswered.withLock { $0 = true } }
                try await archive.checkWritable()
            }
            #expect(await onThread { becomesTrue(by: .seconds(120)) { isAnswered.withLock { $0 } } })
            try reader.letGo()
            await #expect(throws: ArchiveError.beingWrittenAnew) { try await health.value }
            #expect(try await erasing.value == 1)
            try await archive.checkWritable()
        }
    }
#endif
