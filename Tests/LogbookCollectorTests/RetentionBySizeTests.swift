#if Collector
    import GRDB
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    @Suite struct RetentionBySizeTests {
        private let folder = TemporaryFolder()
        private let archive: SQLiteArchive
        private let clock = ManualClock(now: LogTime(seconds: 1000))
        private let metrics = CollectorMetrics()
        private let said = Locked<[String]>([])

        init() throws { archive = try SQLiteArchive(path: folder("archive.sqlite")) }

        private func makeRetention(
            _ keepBytes: Int, of other: (any Archive)? = nil, keep: Duration? = nil,
            pause: @escaping @Sendable (Duration) async throws -> Void = { _ in throw CancellationError() }
        ) -> Retention {
            let said = said
            return Retention(
                archive: other ?? archive, keep: keep, keepBytes: keepBytes, clock: .manual(clock), metrics: metrics, pause: pause,
                report: { origin, remark in said.withLock { $0.append("\(origin): \(remark)") } })
        }

        private var remarks: [String] { said.withLock { $0 } }

        private func counter(_ name: String) -> Int? {
            metrics.text().split(separator: "\n").first { $0.hasPrefix("logbook_collector_\(name) ") }
                .flatMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        }

        private static let text = String(repeating: "x", count: 4000)

        /// So many transactions of one entry, and so many log events, each of about 4 KiB, that came at a second.
        private static func store(
            transactions: Int = 0, logEvents: Int = 0, at seconds: Double, in archive: any Archive
        ) async throws {
            let received = LogTime(seconds: seconds)
            if transactions > 0 {
                let records = (0..<transactions).map { number in
                    TransactionRecord(
                        id: "\(seconds)-\(number)", usecase: 1, entries: [EntryRecord(event: 1, errorDescription: text, time: received)])
                }
                _ = try await archive.store(
                    TransactionParcel(parcel: nil, set: TransactionSet(transactions: records), received: received))
            }
            if logEvents > 0 {
                let items = (0..<logEvents).map { number in
                    LogBatch.Item(
                        event: LogEvent(sequence: UInt64(number), time: received, level: .info, message: text), origin: nil)
                }
                _ = try await archive.store(LogBatch(parcel: nil, items: items, received: received))
            }
        }

        /// How many rows there are of each second at which something came, the oldest first.
        private func rows(_ table: String) async throws -> [(second: Int, count: Int)] {
            try await archive.read { database in
                try Row.fetchAll(database, sql: "SELECT received / 1000000, count(*) FROM \(table) GROUP BY 1 ORDER BY 1")
                    .map { (second: $0[0] as Int, count: $0[1] as Int) }
            }
        }

        private func storedBytes() async throws -> Int { try #require(try await archive.storedBytes()) }

        @Test("S28: of ten times as much as may be stored the latest stays, transactions and log events alike; the rest is counted")
        func aFloodLeavesTheLatest() async throws {
            let limit = 4 << 20, rounds = 110, each = 50
            for round in 0..<rounds { try await Self.store(transactions: each, logEvents: each, at: Double(round), in: archive) }
            #expect(try await storedBytes() > 10 * limit)
            let retention = makeRetention(limit), removed = try await retention.limitSize()
            let stored = try await storedBytes()
            #expect(stored <= Retention.target(of: limit) && stored > limit / 10 * 9, "\(stored)")
            var left = 0, oldest: [Int] = []
            for table in ["transactions", "log_events"] {
                let found = try await rows(table), first = try #require(found.first)
                #expect(found.map { $0.second } == Array(first.second..<rounds), "\(table)")
                #expect(found.dropFirst().allSatisfy { $0.count == each }, "\(table)")
                left += found.reduce(0) { $0 + $1.count }
                oldest.append(first.second)
            }
            #expect(abs(oldest[0] - oldest[1]) <= 2, "\(oldest)")
            let counts = try await archive.counts(tenant: nil)
            #expect(counts.entries == counts.transactions)
            #expect(left + removed == 2 * each * rounds)
            #expect(counter("removed_for_size_total") == removed && counter("removed_total") == 0)
            let words = "retention by size: removed \(removed) transactions and log events"
            #expect(remarks.count == 1 && remarks[0].hasPrefix(words), "\(remarks)")
            #expect(remarks[0].contains("received before 1970-01-01T00:01:") && remarks[0].contains("\(limit) bytes of --keep-size"))
            #expect(try await retention.limitSize() == 0)
            #expect(remarks.count == 1)
        }

        @Test("S28: what came first goes first, whether it was transactions or log events", arguments: [true, false])
        func theOldestGoesWhateverItIs(areTransactionsOlder: Bool) async throws {
            for second in 0..<10 {
                let isOfTransactions = (second < 5) == areTransactionsOlder
                try await Self.store(
                    transactions: isOfTransactions ? 50 : 0, logEvents: isOfTransactions ? 0 : 50, at: Double(second), in: archive)
            }
            let removed = try await makeRetention(storedBytes() / 4 * 3).limitSize()
            #expect((100..<250).contains(removed))
            let counts = try await archive.counts(tenant: nil)
            #expect((areTransactionsOlder ? counts.logEvents : counts.transactions) == 250)
            #expect((areTransactionsOlder ? counts.transactions : counts.logEvents) == 250 - removed)
        }

        @Test("S28: up to the limit nothing is removed, and beyond it so much that there is peace for a while")
        func upToTheLimitNothingGoes() async throws {
            for second in 0..<10 { try await Self.store(transactions: 20, logEvents: 20, at: Double(second), in: archive) }
            let bytes = try await storedBytes()
            #expect(try await makeRetention(bytes).limitSize() == 0)
            #expect(remarks.isEmpty)
            #expect(try await storedBytes() == bytes)
            #expect(try await makeRetention(bytes - 1).limitSize() > 0)
            #expect(try await storedBytes() <= Retention.target(of: bytes - 1))
        }

        @Test("S28: a transaction that goes on stays whole, which ends the removing and is told once, until it is over")
        func aTransactionWithoutAnEndEndsTheRemoving() async throws {
            func goOn(_ parts: Range<Int>, at seconds: Double) async throws {
                let entries = parts.map { EntryRecord(event: $0, errorDescription: Self.text, time: LogTime(seconds: Double($0))) }
                let record = TransactionRecord(id: "endless", usecase: 1, entries: entries)
                _ = try await archive.store(
                    TransactionParcel(parcel: nil, set: TransactionSet(transactions: [record]), received: LogTime(seconds: seconds)))
            }
            for round in 0..<10 {
                try await goOn(round * 50..<(round + 1) * 50, at: Double(round) * 10)
                try await Self.store(transactions: 10, logEvents: 10, at: Double(round) * 10 + 5, in: archive)
            }
            try await goOn(500..<501, at: 1000)
            let retention = makeRetention(1 << 20)
            #expect(try await retention.limitSize() == 200)
            #expect(try await archive.transaction("endless", tenant: Tenant.standard)?.entries.count == 501)
            #expect(remarks.map { $0.prefix { $0 != ":" } } == ["size of the archive", "retention by size"], "\(remarks)")
            #expect(try await retention.limitSize() == 0)
            #expect(remarks.count == 2)
            clock.advance(by: .seconds(1))
            #expect(try await retention.limitSize() == 1)
            #expect(try await archive.counts(tenant: nil).entries == 0)
            #expect(remarks.count == 2)   // what has gone meanwhile is told later
        }

        @Test("S28: a clock in doubt holds up what would go for its age, and not what goes for the size")
        func theClockIsNotDoubted() async throws {
            for second in 0..<10 { try await Self.store(transactions: 50, logEvents: 50, at: 900 + Double(second), in: archive) }
            let retention = makeRetention(2 << 20, keep: .seconds(900))
            #expect(try await retention.run() == 0)
            clock.setWall(LogTime(seconds: 400_000_000))
            #expect(try await retention.run() == 0)
            #expect(try await retention.limitSize() > 0)
            #expect(try await storedBytes() <= 2 << 20)
            #expect(try await rows("log_events").last?.second == 909)
        }

        @Test("S28: what came while the clock was ahead goes last, and only as much of it as has to")
        func whatCameInTheFutureGoesLast() async throws {
            for second in 0..<10 { try await Self.store(transactions: 50, logEvents: 50, at: 5000 + Double(second), in: archive) }
            try await Self.store(transactions: 20, logEvents: 20, at: 900, in: archive)
            let retention = makeRetention(2 << 20)
            #expect(try await retention.limitSize() > 40)
            let stored = try await storedBytes()
            #expect(stored <= 2 << 20 && stored > 1 << 20, "\(stored)")
            for table in ["transactions", "log_events"] {
                let found = try await rows(table)
                #expect(found.allSatisfy { $0.second > 5000 }, "\(table): \(found)")
                #expect(found.last?.second == 5009 && found.last?.count == 50, "\(table): \(found)")
            }
            // There is room for what comes at the right time.
            try await Self.store(logEvents: 10, at: 999, in: archive)
            #expect(try await retention.limitSize() == 0)
        }

        @Test("S28: names of parcels go with what is old, also where all that they brought was there already")
        func namesOfParcelsGo() async throws {
            let batch = LogBatch(parcel: nil, items: [Golden.item(1)], received: LogTime(seconds: 999))
            for number in 0..<1000 {
                var again = batch
                (again.parcel, again.received) = ("\(Self.text.prefix(200))\(number)", LogTime(seconds: Double(number) / 10))
                _ = try await archive.store(again)
            }
            let limit = try await storedBytes() / 2
            #expect(try await makeRetention(limit).limitSize() == 1)
            #expect(try await storedBytes() <= limit)
            #expect(try await archive.counts(tenant: nil).parcels > 100)
            #expect(try await rows("parcels").last?.second == 99)
        }
    }

    // MARK: Again and again

    extension RetentionBySizeTests {
        /// An archive that cannot say, some of the times that it is asked, how much it stores.
        private final class WaveringArchive: WrappingArchive {
            let archive: any Archive
            private let failures: ClosedRange<Int>
            private let asked = Locked(0)

            init(_ archive: any Archive, failures: ClosedRange<Int>) { (self.archive, self.failures) = (archive, failures) }

            func storedBytes() async throws(ArchiveError) -> Int? {
                let number = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                if failures.contains(number) { throw .unavailable(reason: "of a test") }
                return try await archive.storedBytes()
            }
        }

        private static func next(_ count: Locked<Int>) -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }

        /// An archive that takes half a minute to remove anything.
        private struct SlowArchive: WrappingArchive {
            let archive: any Archive
            let clock: ManualClock

            func remove(receivedBefore time: LogTime, limit: Int) async throws(ArchiveError) -> Int {
                clock.advance(by: .seconds(30))
                return try await archive.remove(receivedBefore: time, limit: limit)
            }
        }

        @Test("S28: one look removes for a minute at most, and the next one goes on")
        func aLookHasAnEnd() async throws {
            for second in 0..<10 { try await Self.store(transactions: 20, logEvents: 20, at: Double(second), in: archive) }
            let retention = makeRetention(1 << 20, of: SlowArchive(archive: archive, clock: clock)), start = clock.now
            var before = try await storedBytes()
            for look in 1...2 {
                #expect(try await retention.limitSize() > 0)
                #expect(clock.now == start.adding(.seconds(Double(60 * look))))
                let stored = try await storedBytes()
                #expect(stored > 1 << 20 && stored < before)
                before = stored
            }
        }

        @Test("S28: an archive that fails in the middle is told once and tried again ten seconds later, and all that went is told")
        func aFailingArchiveIsTriedAgain() async throws {
            for second in 0..<10 { try await Self.store(transactions: 20, logEvents: 20, at: Double(second), in: archive) }
            let pauses = Locked<[Duration]>([])
            await makeRetention(
                1 << 20, of: WaveringArchive(archive, failures: 3...5),
                pause: { span in
                    let count = pauses.withLock { pauses in
                        pauses.append(span)
                        return pauses.count
                    }
                    if count == 4 { throw CancellationError() }
                }
            ).runUntilCancelled()
            #expect(pauses.withLock { $0 } == Array(repeating: .seconds(10), count: 4))
            #expect(try await storedBytes() <= 1 << 20)
            let counts = try await archive.counts(tenant: nil), removed = 400 - counts.transactions - counts.logEvents
            #expect(counter("removed_for_size_total") == removed)
            #expect(remarks.count == 2, "\(remarks)")
            #expect(remarks.first == "collector: \(ArchiveError.unavailable(reason: "of a test"))")
            #expect(remarks.last?.hasPrefix("retention by size: removed \(removed) ") == true, "\(remarks)")
        }

        @Test("S28: an archive that is closed is told once")
        func aClosedArchiveIsTold() async throws {
            try archive.close()
            let pauses = Locked(0)
            await makeRetention(1 << 20, pause: { _ in if Self.next(pauses) == 3 { throw CancellationError() } }).runUntilCancelled()
            #expect(pauses.withLock { $0 } == 3)
            #expect(remarks.count == 1 && remarks[0].hasPrefix("collector: the archive cannot be used now"), "\(remarks)")
        }

        @Test("S28: an archive that cannot tell how much it stores is left alone, which is told once")
        func whoCannotTellIsLeftAlone() async throws {
            let retention = makeRetention(1, of: FailingArchive())
            for _ in 0..<2 { #expect(try await retention.limitSize() == 0) }
            #expect(remarks.count == 1 && remarks[0].contains("cannot tell how much it stores"), "\(remarks)")
        }

        @Test("S28: what goes again and again is told at once, then every ten minutes in one sum, and the rest at the end")
        func itIsToldInSums() async throws {
            let archive = archive, clock = clock, pauses = Locked(0)
            try await Self.store(transactions: 150, logEvents: 150, at: 0, in: archive)
            await makeRetention(
                1 << 20,
                pause: { _ in
                    if Self.next(pauses) == 5 { throw CancellationError() }
                    clock.advance(by: .seconds(250))
                    try await Self.store(logEvents: 100, at: clock.now.seconds, in: archive)
                }
            ).runUntilCancelled()
            let counts = remarks.compactMap { $0.firstMatch(of: /removed (\d+)/).flatMap { Int($0.1) } }
            #expect(counts.count == 3 && remarks.count == 3, "\(remarks)")
            #expect(counts.allSatisfy { $0 > 0 } && counts.reduce(0, +) == counter("removed_for_size_total"), "\(remarks)")
        }

        @Test("S28: with both limits the size is looked at every ten seconds, and the age at the start and every hour")
        func ageAndSizeGoTogether() async throws {
            let archive = archive, clock = clock, metrics = metrics, pauses = Locked(0)
            try await Self.store(transactions: 1, at: 0, in: archive)
            try await Self.store(transactions: 2, at: 600, in: archive)
            await makeRetention(
                1 << 30, keep: .seconds(500),
                pause: { span in
                    let pause = Self.next(pauses)
                    #expect(span == .seconds(10))
                    #expect(try await archive.counts(tenant: nil).transactions == (pause < 3 ? 2 : 0), "after look \(pause)")
                    if pause == 3 { throw CancellationError() }
                    clock.advance(by: .seconds(1800))
                }
            ).runUntilCancelled()
            #expect(pauses.withLock { $0 } == 3)
            #expect(metrics.text().contains("logbook_collector_removed_total 3\n") && counter("removed_for_size_total") == 0)
        }

        @Test("S28: a collector makes an archive smaller that is too large when it starts")
        func itBeginsWithTheStart() async throws {
            let text = String(repeating: "x", count: 1 << 20), count = 66
            let records = (0..<count).map { number in
                // An entry without a key has one of all that it says, and takes twice the room.
                let key = EntryKey(installation: "I", epoch: 1, sequence: Int64(number))
                let entry = EntryRecord(event: 1, errorDescription: text, time: LogTime(seconds: 1), key: key)
                return TransactionRecord(id: "T\(number)", usecase: 1, entries: [entry])
            }
            _ = try await archive.store(
                TransactionParcel(parcel: nil, set: TransactionSet(transactions: records), received: LogTime(seconds: 1)))
            try await RunningCollector.with(archive, configure: { $0.keepBytes = 64 << 20 }) { collector in
                let deadline = LogDeadline.seconds(60)
                var stored = try await storedBytes()
                while stored > Retention.target(of: 64 << 20), !deadline.hasPassed {
                    #expect(try await collector.send("GET", "/health").status == 200)
                    stored = try await storedBytes()
                }
                #expect(stored <= Retention.target(of: 64 << 20))
            }
            let left = try await archive.counts(tenant: nil).transactions
            #expect((50..<64).contains(left), "\(left)")
        }
    }

    // MARK: What may be asked for

    extension RetentionBySizeTests {
        @Test("S28: a limit of less than 64 MiB is refused with the least that there may be", arguments: [Int.min, 0, (64 << 20) - 1])
        func aSmallLimitIsRefused(bytes: Int) throws {
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            configuration.keepBytes = 64 << 20
            try configuration.check()
            configuration.keepBytes = bytes
            #expect {
                try configuration.check()
            } throws: {
                "\($0)".contains("--keep-size") && "\($0)".contains("67108864 or more")
            }
        }

        @Test(
            "S28: databases that give back no room at once are refused before they are asked, with what to do instead",
            arguments: ["postgres://u@127.0.0.1:1/d", "postgresql://u@127.0.0.1:1/d", "clickhouse://127.0.0.1:1/d"])
        func otherArchivesAreRefused(address: String) {
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            configuration.keepBytes = 64 << 20
            #expect {
                try CollectorProgram(configuration, archive: address)
            } throws: {
                guard case .invalid(let reason)? = $0 as? CollectorError else { return false }
                return reason.contains("--keep-size") && reason.contains("sqlite:") && reason.contains("--keep,")
            }
        }
    }
#endif
