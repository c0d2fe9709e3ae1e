#if Collector && canImport(Glibc)
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// PostgreSQL's partitions.
    extension ArchiveConformanceTests {
        private static let day = 86_400.0
        /// When everything arrives, on 2015-02-06.
        private static let received = 1_423_202_400.0
        private static let record = TransactionRecord(id: "T", usecase: 1, entries: [Golden.entry(0, at: 1_423_202_000)])

        private static func later(days: Double) -> LogTime { LogTime(seconds: received + days * day) }

        private static func ask(_ address: String, _ sql: String) async throws -> String? {
            let server = try #require(ArchiveServers.current?.postgres)
            return try await onThread { try server.ask(address, sql) }
        }

        private static func partitions(_ address: String) async throws -> String? {
            try await ask(
                address,
                """
                SELECT string_agg(inhrelid::regclass::text, ' ' ORDER BY inhrelid::regclass::text) FROM pg_inherits
                WHERE inhparent IN ('entries'::regclass, 'log_events'::regclass)
                """)
        }

        /// One that was dropped and made again is another.
        private static func numbersOfPartitions(_ address: String) async throws -> Set<Substring> {
            let numbers = try #require(
                try await ask(
                    address, "SELECT string_agg(inhrelid::text, ' ') FROM pg_inherits WHERE inhparent = 'entries'::regclass"))
            return Set(numbers.split(separator: " "))
        }

        @Test("S33: a day of which nothing is left goes, and is there again for what comes late", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func emptyDaysGo() async throws {
            let (archive, address) = try await ArchiveServers.open(.postgres)
            _ = try await archive.store(Golden.parcel(Self.record))
            _ = try await archive.store(LogBatch(parcel: nil, items: [Golden.item(1)], received: LogTime(seconds: 2000)))
            #expect(
                try await Self.partitions(address)
                    == "entries_20150206 entries_20150207 entries_other log_events_19700101 log_events_19700102 log_events_other")
            // Tomorrow's is there before midnight. The younger ones stay for a week.
            #expect(try await archive.remove(receivedBefore: Self.later(days: 7), limit: 100) == 2)
            #expect(try await Self.partitions(address) == "entries_20150206 entries_20150207 entries_other log_events_other")
            #expect(try await archive.remove(receivedBefore: Self.later(days: 8), limit: 100) == 0)
            #expect(try await Self.partitions(address) == "entries_20150207 entries_other log_events_other")

            var late = Golden.parcel(Self.record)
            late.received = Self.later(days: 100)
            #expect(try await archive.store(late).accepted == 1)
            #expect(try await Self.partitions(address) == "entries_20150206 entries_20150207 entries_other log_events_other")
            // The day is long past, and what came of it is not.
            #expect(try await archive.remove(receivedBefore: Self.later(days: 99), limit: 100) == 0)
            #expect(try await archive.transaction("T", tenant: Tenant.standard) == Self.record)
        }

        @Test("S33: where somebody reads, an empty day stays until another time, and nobody is told of it", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func whoReadsKeepsADay() async throws {
            let (archive, address) = try await ArchiveServers.open(.postgres)
            _ = try await archive.store(Golden.parcel(Self.record))
            let reader = try PostgresConnection(PostgresAddress(address))
            try reader.execute("BEGIN; SELECT 1 FROM entries")
            #expect(try await archive.remove(receivedBefore: Self.later(days: 100), limit: 100) == 1)
            #expect(try await Self.partitions(address) == "entries_20150206 entries_20150207 entries_other log_events_other")
            try reader.execute("COMMIT")
            #expect(try await archive.remove(receivedBefore: Self.later(days: 100), limit: 100) == 0)
            #expect(try await Self.partitions(address) == "entries_other log_events_other")
        }

        @Test("S33: who reads stops nobody who stores: what comes meanwhile shares the default partition", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func whoReadsStopsNobody() async throws {
            let (_, address) = try await ArchiveServers.open(.postgres)
            let clock = ManualClock(now: Self.later(days: 0))
            let archive = try await onThread { try PostgresArchive(address, clock: .manual(clock)) }
            let reader = try PostgresConnection(PostgresAddress(address))
            try reader.execute("BEGIN; SELECT 1 FROM entries; SELECT 1 FROM log_events")
            #expect(try await archive.store(Golden.parcel(Self.record)).accepted == 1)
            #expect(try await archive.store(LogBatch(parcel: nil, items: [Golden.item(1)], received: LogTime(seconds: 2000))).accepted == 1)
            try reader.execute("COMMIT")
            #expect(try await archive.transaction("T", tenant: Tenant.standard) == Self.record)
            // Not tried again with each parcel: each time all who store would wait.
            func record(_ id: String, daysAgo: Double) -> TransactionRecord {
                TransactionRecord(
                    id: id, usecase: 1,
                    entries: [Golden.entry(0, at: Self.received - daysAgo * Self.day), Golden.entry(1, at: Self.received)])
            }
            #expect(try await archive.store(Golden.parcel(record("A", daysAgo: 3))).accepted == 2)
            #expect(try await Self.partitions(address) == "entries_other log_events_other")
            clock.advance(by: PostgresArchive.pauseForReaders)
            // What the default partition has of a day keeps the day there.
            #expect(try await archive.store(Golden.parcel(record("B", daysAgo: 5))).accepted == 2)
            #expect(try await Self.partitions(address) == "entries_20150201 entries_20150207 entries_other log_events_other")
            #expect(try await archive.transaction("B", tenant: Tenant.standard)?.entries.count == 2)
            // Three transactions and an event.
            #expect(try await archive.remove(receivedBefore: Self.later(days: 100), limit: 100) == 4)
            let counts = try await archive.counts(tenant: nil)
            #expect([counts.entries, counts.logEvents] == [0, 0])
            #expect(try await Self.partitions(address) == "entries_other log_events_other")
        }

        @Test("S33: where the default partition takes too long to look through, all who store wait for it once a day", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func aLargeDefaultPartitionStopsNobody() async throws {
            let (_, address) = try await ArchiveServers.open(.postgres)
            let clock = ManualClock(now: Self.later(days: 0))
            let archive = try await onThread { try PostgresArchive(address, clock: .manual(clock), dayLimit: .milliseconds(400)) }
            // Who reads makes it take so long.
            let reader = try PostgresConnection(PostgresAddress(address))
            try reader.execute("BEGIN; SELECT 1 FROM entries")
            #expect(try await archive.store(Golden.parcel(Self.record)).accepted == 1)
            try reader.execute("COMMIT")
            func record(_ id: String, daysAgo: Double) -> TransactionRecord {
                TransactionRecord(id: id, usecase: 1, entries: [Golden.entry(0, at: Self.received - daysAgo * Self.day)])
            }
            clock.advance(by: PostgresArchive.pauseForReaders)
            #expect(try await archive.store(Golden.parcel(record("A", daysAgo: 3))).accepted == 1)
            #expect(try await Self.partitions(address) == "entries_other log_events_other")
            // A machine that is busy may need more than one try; another day each time, since what the default partition has of a day keeps
            // the day there.
            let deadline = LogDeadline.seconds(60)
            var daysAgo = 4, partitions: String?
            repeat {
                daysAgo += 1
                clock.advance(by: PostgresArchive.pauseForSize)
                #expect(try await archive.store(Golden.parcel(record("B\(daysAgo)", daysAgo: Double(daysAgo)))).accepted == 1)
                partitions = try await Self.partitions(address)
            } while partitions == "entries_other log_events_other" && !deadline.hasPassed
            let day = Self.later(days: -Double(daysAgo)).date(separator: "")
            #expect(partitions == "entries_\(day) entries_other log_events_other")
        }

        @Test("S33: a user of PostgreSQL that may write and make nothing stores all the same, and it is said once why days have no partitions", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func whoMayMakeNothingStores() async throws {
            let (owner, address) = try await ArchiveServers.open(.postgres)
            _ = try await Self.ask(
                address,
                """
                CREATE ROLE writer LOGIN; GRANT USAGE ON SCHEMA logbook TO writer;
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA logbook TO writer
                """)
            let said = Locked<[String]>([])
            let archive = try await onThread {
                try PostgresArchive(
                    address.replacing("postgres@", with: "writer@"), clock: .system, report: { remark in said.withLock { $0.append(remark) } })
            }
            #expect(try await archive.store(Golden.parcel(Self.record)).accepted == 1)
            #expect(try await archive.store(LogBatch(parcel: nil, items: [Golden.item(1)], received: LogTime(seconds: 2000))).accepted == 1)
            #expect(try await archive.transaction("T", tenant: Tenant.standard) == Self.record)
            #expect(try await Self.partitions(address) == "entries_other log_events_other")
            #expect(said.withLock { $0.map { $0.contains("lets this user make no partitions") } } == [true])
            // A day that its owner has made is left empty, and stays.
            let other = TransactionRecord(id: "U", usecase: 1, entries: [Golden.entry(0, at: Self.received - 3 * Self.day)])
            #expect(try await owner.store(Golden.parcel(other)).accepted == 1)
            #expect(try await archive.remove(receivedBefore: Self.later(days: 100), limit: 100) == 3)
            #expect(try await Self.partitions(address) == "entries_20150203 entries_other log_events_other")
        }

        @Test("S32, S33: however many days there are, who reads, erases and removes locks the partitions of few at a time", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func fewDaysAreLockedAtATime() async throws {
            // It has room for some hundred locks, and a partition takes several.
            let server = try await onThread {
                try PostgresServer(
                    """
                    -c max_locks_per_transaction=10 -c max_connections=10 -c max_worker_processes=0 -c max_wal_senders=0 \
                    -c autovacuum_max_workers=1
                    """)
            }
            let address = try await onThread { try server.makeDatabase() }
            let archive = try await onThread { try ArchiveURL.open(address) }
            @Sendable func later(_ days: Int) -> LogTime { Self.later(days: Double(days)) }
            let count = 600, step = 60
            try await onThread {
                let connection = try PostgresConnection(PostgresAddress(address))
                for (table, count) in [("entries", count), ("log_events", count / 3)] {
                    for day in 0..<count {
                        try connection.execute(
                            """
                            CREATE TABLE \(table)_\(later(day).date(separator: "")) PARTITION OF \(table)
                            FOR VALUES FROM ('\(later(day).date(separator: "-"))') TO ('\(later(day + 1).date(separator: "-"))')
                            """)
                    }
                }
            }
            var records: [TransactionRecord] = []
            for day in stride(from: 0, to: count, by: step) {
                let record = TransactionRecord(
                    id: "T\(100 + day)", usecase: 1, user: day % (2 * step) == 0 ? "u" : "v",
                    entries: [EntryRecord(event: day, errorCode: day % (3 * step) == 0 ? 7 : nil, time: later(day))])
                let set = TransactionSet(transactions: [record])
                #expect(try await archive.store(TransactionParcel(parcel: nil, set: set, received: later(day))).accepted == 1)
                let event = LogEvent(
                    sequence: UInt64(day), time: later(day / 3), level: .info, message: "m",
                    metadata: [LogMetadata.transactionKey: .string(record.id)])
                let item = LogBatch.Item(event: event, origin: LogOrigin(installation: "I", epoch: 1))
                #expect(try await archive.store(LogBatch(parcel: nil, items: [item], received: later(day))).accepted == 1)
                records.append(record)
            }
            #expect(try await archive.transactions(TransactionQuery()).transactions == records)
            let some = TransactionQuery(user: "v", from: later(step), to: later(step + 1))
            #expect(try await archive.transactions(some).transactions == [records[1]])
            for limit in [1, 100] {
                var query = TransactionQuery(error: .any, limit: limit), found: [TransactionRecord] = []
                repeat {
                    let page = try await archive.transactions(query)
                    found += page.transactions
                    query.cursor = page.next
                } while query.cursor != nil
                #expect(found == [0, 3, 6, 9].map { records[$0] })
            }
            #expect(try await archive.transactions(TransactionQuery(from: later(0))).transactions == records)
            for record in records { #expect(try await archive.transaction(record.id, tenant: Tenant.standard) == record) }
            let counts = try await archive.counts(tenant: Tenant.standard)
            #expect(counts == ArchiveCounts(transactions: 10, entries: 10, logEvents: 10, parcels: 20))
            #expect(try await archive.erase(user: "u", tenant: Tenant.standard, at: later(2 * count)) == 5)
            // Said only afterwards.
            var naming = records[1]
            naming.user = nil
            naming.id = "X"
            #expect(try await archive.store(TransactionParcel(parcel: nil, set: TransactionSet(transactions: [naming]), received: later(1))).accepted == 1)
            naming.user = "u"
            naming.entries = []
            _ = try await archive.store(TransactionParcel(parcel: nil, set: TransactionSet(transactions: [naming]), received: later(2)))
            #expect(try await archive.transactions(TransactionQuery()).transactions.map(\.id) == [1, 3, 5, 7, 9].map { records[$0].id })
            #expect(try await archive.remove(receivedBefore: later(4 * step), limit: 100) == 4)
            let left = try await archive.counts(tenant: nil)
            #expect([left.transactions, left.entries, left.logEvents] == [3, 3, 3])
            await onThread { server.stop() }
        }

        @Test("PostgreSQL compiles no query: with a partition per day that takes longer than the query", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func noQueryIsCompiled() async throws {
            let (_, address) = try await ArchiveServers.open(.postgres)
            #expect(try await Self.ask(address, "SHOW jit") == "off")
        }

        @Test("S33: what comes late while collectors drop its day is stored all the same", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func whatComesWhileDaysGoIsStored() async throws {
            let (archive, address) = try await ArchiveServers.open(.postgres)
            let other = try await onThread { try ArchiveURL.open(address) }
            let times = (0..<20).map { Self.received - Double(20 + $0) * Self.day }
            // The days have partitions, and nothing is left in them.
            let earlier = TransactionRecord(id: "E", usecase: 1, entries: times.map { Golden.entry(0, at: $0) })
            #expect(try await archive.store(Golden.parcel(earlier)).accepted == 20)
            _ = try await Self.ask(address, "DELETE FROM entries; DELETE FROM entry_keys; DELETE FROM transactions")
            let before = try await Self.numbersOfPartitions(address)
            #expect(before.count == 21)
            let accepted = try await withThrowingTaskGroup(of: Int.self) { group in
                for sender in 0..<4 {
                    group.addTask {
                        var accepted = 0
                        for (number, time) in times.enumerated() {
                            let record = TransactionRecord(id: "T\(sender)-\(number)", usecase: 1, entries: [Golden.entry(0, at: time)])
                            accepted += try await (sender % 2 == 0 ? archive : other).store(Golden.parcel(record)).accepted
                        }
                        return accepted
                    }
                }
                for remover in [archive, other] {
                    group.addTask {
                        for _ in 0..<20 { _ = try await remover.remove(receivedBefore: Self.later(days: -1), limit: 100) }
                        return 0
                    }
                }
                return try await group.reduce(0, +)
            }
            let after = try await Self.numbersOfPartitions(address)
            #expect(!before.isSubset(of: after), "nothing was dropped")
            #expect(accepted == 80)
            #expect(try await archive.counts(tenant: nil).entries == 80)
        }
    }
#endif
