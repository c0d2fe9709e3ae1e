#if Collector && canImport(Glibc)
    @testable import LogbookCollector
    import LogbookCore
    import LogbookHTTP
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// How much ClickHouse is asked to do for what it answers and removes.
    extension ArchiveConformanceTests {
        /// Hands everything on but what it is told to fail, and keeps what was asked for.
        private final class RecordingTransport: HTTPTransport {
            private let transport: CurlTransport
            private let asked = Locked<[String]>([])
            private let failing = Locked<String?>(nil)

            init(allowsPlainHTTP: Bool) { transport = CurlTransport(allowsPlainHTTP: allowsPlainHTTP) }

            func send(
                _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
            ) -> HTTPCancellation {
                let statement = String(decoding: request.body, as: UTF8.self)
                asked.withLock { $0.append(statement) }
                guard let text = failing.withLock({ $0 }), statement.contains(text) else {
                    return transport.send(request, completion: completion)
                }
                LogThread.start("failing") { completion(.failure(.unreachable("as the test says"))) }
                return HTTPCancellation {}
            }

            /// From now on nothing that has this text in it is answered; nil for everything again.
            func fail(_ text: String?) { failing.withLock { $0 = text } }

            /// What was asked for with this text in it.
            func statements(with text: String) -> [String] { asked.withLock { asked in asked.filter { $0.contains(text) } } }

            func count(of text: String) -> Int { statements(with: text).count }
        }

        private static func open(
            _ kind: ArchiveKind
        ) async throws -> (archive: ClickHouseArchive, transport: RecordingTransport, database: String) {
            let address = try ClickHouseAddress(try await ArchiveServers.open(kind).address)
            let transport = RecordingTransport(allowsPlainHTTP: address.allowsPlainHTTP)
            return (try await onThread { try ClickHouseArchive(address, transport: transport) }, transport, address.database)
        }

        @Test("what is known of transactions is asked for only of those of a page", arguments: ArchiveKind.single.filter { $0.isClickHouse })
        func onlyAPageIsReadWhole(_ kind: ArchiveKind) async throws {
            let (archive, transport, _) = try await Self.open(kind)
            let records = (0..<10).map {
                TransactionRecord(id: "T\($0)", usecase: 1, deviceMake: "KVM", user: "u", entries: [Golden.entry(0, at: 1)])
            }
            for record in records { _ = try await archive.store(Golden.parcel(record)) }
            let earlier = transport.count(of: "known_device_make")
            #expect(try await archive.transactions(TransactionQuery(usecase: 1, user: "u", limit: 2)).transactions == Array(records[..<2]))
            let statements = transport.statements(with: "known_device_make").dropFirst(earlier)
            #expect(!statements.isEmpty)
            #expect(statements.allSatisfy { $0.contains("transaction IN ('T0', 'T1'") && !$0.contains("'T3'") })
        }

        @Test("for a page ClickHouse groups what follows the page before, and no more than it needs", arguments: ArchiveKind.single.filter { $0.isClickHouse })
        func onlyAPageIsGrouped(_ kind: ArchiveKind) async throws {
            let (archive, transport, _) = try await Self.open(kind)
            let ids = (0..<40).map { "T\(100 + $0)" }
            for (number, id) in ids.enumerated() {
                // Something comes again of each, much later.
                for (event, seconds) in [number, 1000 + number].enumerated() {
                    let entry = EntryRecord(event: event, errorCode: number, time: LogTime(seconds: Double(seconds)))
                    var parcel = Golden.parcel(TransactionRecord(id: id, usecase: 1, deviceMake: "\(event)", entries: [entry]))
                    parcel.received = LogTime(seconds: Double(seconds))
                    #expect(try await archive.store(parcel).accepted == 1)
                }
            }
            var query = TransactionQuery(limit: 3), found: [String] = []
            repeat {
                let page = try await archive.transactions(query)
                found += page.transactions.map(\.id)
                query.cursor = page.next
            } while query.cursor != nil
            #expect(found == ids)
            // The last page looks at all that follows.
            let grouping = transport.statements(with: "GROUP BY transaction)\nWHERE").dropLast(2)
            #expect(grouping.count > 10 && grouping.allSatisfy { $0.contains("received <= ") })
            // One of the last ones is found, although it is not among the first that are looked at.
            #expect(try await archive.transactions(TransactionQuery(error: .code(38), limit: 3)).transactions.map(\.id) == [ids[38]])
            let asked = transport.count(of: "GROUP BY")
            let counts = try await archive.counts(tenant: Tenant.standard, exactUpTo: 0)
            #expect(counts == ArchiveCounts(transactions: 40, entries: 80, logEvents: 0, parcels: 80))
            #expect(try await archive.counts(tenant: nil) == counts)
            #expect(transport.count(of: "GROUP BY") == asked)
        }

        @Test("C25: while ClickHouse does not say what stands under the keys of a set, nothing of the set is stored; what is new in it is so when it comes again", arguments: ArchiveKind.single.filter { $0.isClickHouse })
        func whatIsNotComparedIsNotStored(_ kind: ArchiveKind) async throws {
            let (archive, transport, _) = try await Self.open(kind)
            func parcel(_ sequences: Int64...) -> TransactionParcel {
                let entries = sequences.map { Golden.entry(3, at: 10, key: EntryKey(installation: "I", epoch: 1, sequence: $0)) }
                return Golden.parcel(TransactionRecord(id: "T", usecase: 1, entries: entries))
            }
            #expect(try await archive.store(parcel(1)).accepted == 1)
            transport.fail("SHA256(error_description)")
            await #expect(throws: ArchiveError.self) { try await archive.store(parcel(1, 2)) }
            #expect(transport.count(of: "SHA256(error_description)") > 0)
            #expect(try await archive.counts(tenant: nil).entries == 1)
            transport.fail(nil)
            #expect(try await archive.store(parcel(1, 2)) == ArchiveReceipt(accepted: 1, duplicates: 1))
        }

        @Test("S33: all that is too old goes with one mutation of each table of ClickHouse", arguments: ArchiveKind.single.filter { $0.isClickHouse })
        func whatIsTooOldGoesAtOnce(_ kind: ArchiveKind) async throws {
            let (archive, transport, database) = try await Self.open(kind)
            let count = 1200
            func store(_ tenant: String, _ records: [TransactionRecord], at seconds: Double) async throws {
                let set = TransactionSet(transactions: records), received = LogTime(seconds: seconds)
                _ = try await archive.store(TransactionParcel(tenant: tenant, parcel: nil, set: set, received: received))
            }
            for (number, tenant) in ["a", "b", "b"].enumerated() {
                let seconds = number == 2 ? 3000.0 : 1000
                let ids = (0..<count).map { "T\(number)-\($0)" }
                try await store(tenant, ids.map { TransactionRecord(id: $0, usecase: 1, entries: [Golden.entry(0, at: 1)]) }, at: seconds)
                let items = (0..<count).map { Golden.item(UInt64(number * count + $0)) }
                _ = try await archive.store(
                    LogBatch(tenant: tenant, parcel: nil, items: items, received: LogTime(seconds: seconds)))
            }
            // Two of them go on.
            for (id, tenant) in [("T0-7", "a"), ("T1-7", "b")] {
                try await store(tenant, [TransactionRecord(id: id, usecase: 1, entries: [Golden.entry(1, at: 2)])], at: 3000)
            }
            let retention = Retention(
                archive: archive, keep: .seconds(1000), clock: .manual(ManualClock(now: LogTime(seconds: 3500))),
                metrics: CollectorMetrics())
            #expect(try await retention.run() == 4 * count - 2)
            for table in ["entries", "transactions", "log_events", "parcels"] {
                #expect(transport.count(of: "ALTER TABLE \(database).logbook_\(table) ") == 1, "\(table)")
            }
            let counts = try await archive.counts(tenant: nil)
            #expect(counts == ArchiveCounts(transactions: count + 2, entries: count + 4, logEvents: count, parcels: 4))
            #expect(try await archive.transaction("T0-7", tenant: "a")?.entries.map(\.event) == [0, 1])
            #expect(try await retention.run() == 0)
        }

        @Test("S33: what comes of an old transaction while ClickHouse removes it stays, and what is known of it", .enabled(if: ClickHouseServer.isPossible, "needs the Debian package clickhouse-server"))
        func whatComesWhileItIsRemovedStays() async throws {
            let (archive, _, database) = try await Self.open(.clickHouse)
            let server = try #require(ArchiveServers.current?.clickHouse)
            func store(_ event: Int, at seconds: Double) async throws {
                let record = TransactionRecord(id: "T", usecase: 7, deviceMake: "KVM", entries: [Golden.entry(event, at: seconds)])
                var parcel = Golden.parcel(record)
                parcel.received = LogTime(seconds: seconds)
                #expect(try await archive.store(parcel).accepted == 1)
            }
            try await store(0, at: 1000)
            // Which transactions go is known, and what they have takes its time to go.
            try await onThread { _ = try server.ask("SYSTEM STOP MERGES \(database).logbook_entries") }
            let removal = Task { try await archive.remove(receivedBefore: LogTime(seconds: 2000), limit: 10) }
            let begun = "SELECT count() FROM system.mutations WHERE database = '\(database)' AND is_done = 0"
            #expect(try await onThread { try becomesTrue { try server.ask(begun) == "1\n" } })
            try await store(1, at: 200_000)
            try await onThread {
                _ = try server.ask("OPTIMIZE TABLE \(database).logbook_transactions FINAL")
                _ = try server.ask("SYSTEM START MERGES \(database).logbook_entries")
            }
            #expect(try await removal.value == 1)
            let left = try #require(try await archive.transaction("T", tenant: Tenant.standard))
            #expect(left.entries.map(\.event) == [1])
            #expect(left.usecase == 7 && left.deviceMake == "KVM")
        }

        @Test("S28: nobody waits until ClickHouse has removed what was sent on earlier days", .enabled(if: ClickHouseServer.isPossible, "needs the Debian package clickhouse-server"))
        func nobodyWaitsForEarlierDays() async throws {
            let address = try ClickHouseAddress(try await ArchiveServers.open(.clickHouse).address)
            let archive = try await onThread {
                try ClickHouseArchive(
                    address, transport: CurlTransport(allowsPlainHTTP: address.allowsPlainHTTP), removalDelay: .milliseconds(20))
            }
            let server = try #require(ArchiveServers.current?.clickHouse), table = "\(address.database).logbook_bytes_sent"
            try await archive.addBytesSent(["a": 1], on: 20_000)
            try await onThread { _ = try server.ask("SYSTEM STOP MERGES \(table)") }
            try await archive.addBytesSent(["a": 2], on: 20_001)
            #expect(try await archive.bytesSent(on: 20_001) == ["a": 2])
            try await onThread { _ = try server.ask("SYSTEM START MERGES \(table)") }
            let left = "SELECT day FROM \(table)"
            #expect(try await onThread { try becomesTrue { try server.ask(left) == "20001\n" } })
        }

        @Test("S33: what ClickHouse is still about to remove is not removed a second time beside it", .enabled(if: ClickHouseServer.isPossible, "needs the Debian package clickhouse-server"))
        func mutationsDoNotPileUp() async throws {
            let (archive, transport, database) = try await Self.open(.clickHouse)
            let server = try #require(ArchiveServers.current?.clickHouse), table = "\(database).logbook_log_events"
            _ = try await archive.store(LogBatch(parcel: nil, items: [Golden.item(1)], received: LogTime(seconds: 1)))
            func remove() -> Task<Int, any Error> {
                Task { try await archive.remove(receivedBefore: LogTime(seconds: 5), limit: 10) }
            }
            try await onThread { _ = try server.ask("SYSTEM STOP MERGES \(table)") }
            let first = remove()
            let begun = "SELECT count() FROM system.mutations WHERE database = '\(database)' AND is_done = 0"
            #expect(try await onThread { try becomesTrue { try server.ask(begun) == "1\n" } })
            first.cancel()
            await #expect(throws: ArchiveError.self) { try await first.value }
            let asked = transport.count(of: "system.mutations")
            let second = remove()
            #expect(await onThread { becomesTrue { transport.count(of: "system.mutations") > asked } })
            try await onThread { _ = try server.ask("SYSTEM START MERGES \(table)") }
            #expect(try await second.value == 1)
            #expect(transport.count(of: "ALTER TABLE \(table) ") == 1)
            #expect(try await archive.counts(tenant: nil).logEvents == 0)
        }
    }
#endif
