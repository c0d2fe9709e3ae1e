#if Collector
    import GRDB
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    @Suite struct SQLiteArchiveRoomTests {
        private let folder = TemporaryFolder()
        private let clock = ManualClock(now: LogTime(seconds: 1000))
        private var path: String { folder("archive.sqlite") }

        private func bytes(of suffix: String) -> Int { (try? SystemFileSystem().status(at: path + suffix).bytes) ?? 0 }

        /// A transaction of so many MiB, an entry and a commit for each.
        private func store(_ mebibytes: Int, of id: String, in archive: SQLiteArchive) async throws {
            let text = String(repeating: "x", count: 1 << 20)
            for number in 0..<mebibytes {
                // An entry without a key has one of all that it says, and takes twice the room.
                let key = EntryKey(installation: id, epoch: 1, sequence: Int64(number))
                let entry = EntryRecord(event: number, errorDescription: text, time: LogTime(seconds: Double(number)), key: key)
                _ = try await archive.store(Golden.parcel(TransactionRecord(id: id, usecase: 1, entries: [entry])))
            }
        }

        @Test("a write-ahead log that somebody's reading has made long is short again when that is over")
        func aLongLogIsCutOff() async throws {
            let archive = try SQLiteArchive(path: path)
            let reader = try HeldReader(path)
            try await store(10, of: "T", in: archive)
            #expect(bytes(of: "-wal") > 10 << 20)
            try reader.letGo()
            for id in ["U", "V"] { try await store(1, of: id, in: archive) }
            #expect(bytes(of: "-wal") <= 4 << 20)
            #expect(try await archive.counts(tenant: nil).entries == 12)
        }

        @Test("S28: what is removed makes what is stored smaller at once, and what comes then does not make the file larger")
        func whatIsStoredIsKnown() async throws {
            let archive = try SQLiteArchive(path: path)
            let empty = try #require(try await archive.storedBytes())
            try await store(4, of: "T", in: archive)
            #expect(try await (4 << 20..<5 << 20).contains(archive.storedBytes() ?? 0))
            #expect(try await archive.remove(receivedBefore: LogTime(seconds: 4_000_000_000), limit: 1000) == 1)
            #expect(try await (empty..<empty + 1 << 16).contains(archive.storedBytes() ?? 0))
            let size = try await (archive.storedBytes() ?? 0) + archive.reusableBytes()
            try await store(3, of: "U", in: archive)
            #expect(try await (archive.storedBytes() ?? 0) + archive.reusableBytes() == size)
        }

        @Test("S28: how far to go for so many of the oldest is known, of transactions and log events together")
        func theTimeOfTheOldestIsKnown() async throws {
            let archive = try SQLiteArchive(path: path)
            #expect(try await archive.timeOfOldest(1, from: .distantPast) == nil)
            for (seconds, count) in [(10.0, 3), (20, 1), (30, 5)] {
                let entries = (0..<count).map { Golden.entry($0, at: seconds) }
                let set = TransactionSet(transactions: [TransactionRecord(id: "T", usecase: 1, entries: entries)])
                _ = try await archive.store(TransactionParcel(parcel: nil, set: set, received: LogTime(seconds: seconds)))
            }
            let items = (0..<4).map { Golden.item($0) }
            for seconds in [15.0, 40] {   // the second time they are there already
                _ = try await archive.store(LogBatch(parcel: nil, items: items, received: LogTime(seconds: seconds)))
            }
            for (count, start, expected) in [
                (1, 0.0, 10.0), (3, 0, 10), (4, 0, 15), (7, 0, 15), (8, 0, 20), (9, 0, 30), (13, 0, 30), (14, 0, 40), (1000, 0, 40),
                (1, 10.000001, 15), (5, 15, 20), (1, 40, 40),
            ] as [(Int, Double, Double)] {
                let found = try await archive.timeOfOldest(count, from: LogTime(seconds: start))
                #expect(found == LogTime(seconds: expected), "\(count) from \(start)")
            }
            #expect(try await archive.timeOfOldest(1, from: LogTime(seconds: 41)) == nil)
        }

        @Test("S28: where the write-ahead log has taken the disk's last room, it is given back once nobody reads it, without a restart")
        func aLongLogIsGivenBack() async throws {
            // Nobody who reads is waited for.
            let archive = try SQLiteArchive(path: path, busyTimeout: .seconds(600), clock: .manual(clock))
            let reader = try HeldReader(path)
            try await store(20, of: "T", in: archive)
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            configuration.storageFolder = folder.path
            var service = try CollectorService(configuration: configuration, archive: archive, clock: .manual(clock))
            service.report = { _, _ in }
            let (path, room) = (path, configuration.keepFreeBytes + bytes(of: "") + bytes(of: "-wal") - 1)
            service.freeBytes = { _ in room - ["", "-wal"].reduce(0) { $0 + ((try? SystemFileSystem().status(at: path + $1).bytes) ?? 0) } }
            let fields = ["Authorization": "Bearer \(RunningCollector.token.revealed)", "Content-Type": Golden.setType]
            func statuses() async -> [Int] {
                let set = CollectorRequest(
                    method: "POST", path: "/v1/transactions", query: "", header: { fields[$0] },
                    pieces: { take in try await take(Array(Golden.g2.utf8)) })
                let health = CollectorRequest(method: "GET", path: "/health", query: "", header: { _ in nil }, pieces: { _ in })
                return [await service.answer(set).status, await service.answer(health).status]
            }
            #expect(await statuses() == [503, 503])
            try reader.letGo()
            clock.advance(by: .seconds(1))
            #expect(await statuses() == [202, 200])
            #expect(try await archive.counts(tenant: nil).entries == 22)
        }
    }

    extension SQLiteArchiveRoomTests {
        @Test("S28: slow questions that have all the readers keep nobody waiting who sends, also while the disk is short")
        func slowReadersKeepNobodyWaiting() async throws {
            let archive = try SQLiteArchive(path: path), gate = Gate()
            defer { gate.open() }
            try await store(2, of: "T", in: archive)
            _ = try await archive.remove(receivedBefore: LogTime(seconds: 4_000_000_000), limit: 1000)
            try await archive.addBytesSent(["a": 7], on: 10)
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            configuration.storageFolder = folder.path
            var made = try CollectorService(configuration: configuration, archive: archive)
            made.report = { _, _ in }
            made.freeBytes = { _ in (64 << 20) - 1 }   // one less than is to stay free
            let service = made
            let readers = (0..<5).map { _ in Task { try await archive.read { _ in gate.wait() } } }
            #expect(await onThread { gate.waitForArrivals(5) })
            let isOver = Locked(false)
            let asking = Task {
                defer { isOver.withLock { $0 = true } }
                let fields = ["Authorization": "Bearer \(RunningCollector.token.revealed)", "Content-Type": Golden.setType]
                let set = CollectorRequest(
                    method: "POST", path: "/v1/transactions", query: "", header: { fields[$0] },
                    pieces: { take in try await take(Array(Golden.g2.utf8)) })
                let health = CollectorRequest(method: "GET", path: "/health", query: "", header: { _ in nil }, pieces: { _ in })
                return (
                    room: try await archive.reusableBytes(), sent: try await archive.bytesSent(on: 10),
                    statuses: [await service.answer(set).status, await service.answer(health).status]
                )
            }
            #expect(await onThread { becomesTrue { isOver.withLock { $0 } } })
            gate.open()
            let (room, sent, statuses) = try await asking.value
            #expect(room > 1 << 20 && sent == ["a": 7] && statuses == [202, 200])
            for reader in readers { try await reader.value }
        }
    }

    /// Somebody else who reads the archive, as of a moment and for as long as a test likes.
    final class HeldReader: Sendable {
        private let queue: DatabaseQueue

        init(_ path: String) throws {
            var configuration = Configuration()
            (configuration.readonly, configuration.allowsUnsafeTransactions) = (true, true)
            queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.inDatabase { try $0.execute(sql: "BEGIN; SELECT count(*) FROM transactions") }
        }

        func letGo() throws { try queue.inDatabase { try $0.execute(sql: "COMMIT") } }
    }
#endif
