#if Collector && canImport(Glibc)
    import GRDB
    @testable import LogbookCollector
    import LogbookCore
    import LogbookHTTP
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    extension ArchiveConformanceTests {
        @Test("S32: nothing is left of a transaction whose user was erased, whenever it is said whose it was", arguments: ArchiveKind.available)
        func nothingIsLeftInAnyOrder(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.nothingIsLeftInAnyOrder(try await ArchiveServers.open(kind).archive)
        }

        @Test("S32: nor of one that a set holds several times, of which one element alone says whose it is", arguments: ArchiveKind.available)
        func nothingIsLeftOfSeveralElements(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.nothingIsLeftOfSeveralElements(try await ArchiveServers.open(kind).archive)
        }

        @Test("S32: nor when several collectors hear of it at the same time", arguments: ArchiveKind.available)
        func nothingIsLeftOfWhatComesAtTheSameTime(_ kind: ArchiveKind) async throws {
            let (archive, address) = try await ArchiveServers.open(kind)
            let other = kind == .sqlite ? archive : try await onThread { try ArchiveURL.open(address) }
            try await ArchiveChecks.nothingIsLeftOfWhatComesAtTheSameTime(archive, other)
        }

        @Test("S32: what ClickHouse leaves for later goes by itself", arguments: ArchiveKind.available.filter { $0.isClickHouse })
        func whatIsLeftForLaterGoesByItself(_ kind: ArchiveKind) async throws {
            let address = try ClickHouseAddress(try await ArchiveServers.open(kind).address)
            let archive = try await onThread {
                try ClickHouseArchive(
                    address, transport: CurlTransport(allowsPlainHTTP: address.allowsPlainHTTP), removalDelay: .milliseconds(50))
            }
            try await ArchiveChecks.whatIsLeftForLaterGoesByItself(archive)
        }

        @Test("S32: in a transaction in which the user has come back, what is new stays", arguments: ArchiveKind.available)
        func whoComesBackKeepsWhatIsNew(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.whoComesBackKeepsWhatIsNew(try await ArchiveServers.open(kind).archive)
        }

        @Test("S32: an erasure that is finished at a later start leaves what has come since from a user who is back", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func whoComesBackBeforeTheEndKeepsWhatIsNew() async throws {
            let (archive, address) = try await ArchiveServers.open(.postgres)
            let server = try #require(ArchiveServers.current?.postgres)
            func edit(_ sql: String) async throws { try await onThread { _ = try server.ask(address, sql) } }
            try await ArchiveChecks.whoComesBackBeforeTheEndKeepsWhatIsNew(
                archive,
                breakingOff: { erase in
                    try await edit(
                        """
                        CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no room'; END $$;
                        CREATE TRIGGER no BEFORE DELETE ON transactions FOR EACH ROW EXECUTE FUNCTION no()
                        """)
                    await erase()
                    try await edit("DROP TRIGGER no ON transactions")
                }, reopened: { try await onThread { try ArchiveURL.open(address) } })
        }

        @Test("S32, S33: erasing and removing take statements of few rows each, however many a transaction has: each has only so long", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func nothingIsRemovedInOneLongStatement() async throws {
            let (archive, address) = try await ArchiveServers.open(.postgres)
            let server = try #require(ArchiveServers.current?.postgres), count = 5000
            _ = try await onThread {
                try server.ask(
                    address,
                    """
                    CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                      IF (SELECT count(*) FROM gone) > 3000 THEN RAISE EXCEPTION 'statement timeout' USING ERRCODE = '57014'; END IF;
                      RETURN NULL; END $$;
                    CREATE TRIGGER late AFTER DELETE ON entries REFERENCING OLD TABLE AS gone EXECUTE FUNCTION late();
                    CREATE TRIGGER late AFTER DELETE ON log_events REFERENCING OLD TABLE AS gone EXECUTE FUNCTION late()
                    """)
            }
            func events(of id: String?, from first: Int) -> [LogBatch.Item] {
                (0..<count).map { number in
                    LogBatch.Item(
                        event: LogEvent(
                            sequence: UInt64(first + number), time: LogTime(seconds: 10), level: .info, message: "m",
                            metadata: id.map { [LogMetadata.transactionKey: .string($0)] } ?? [:]),
                        origin: LogOrigin(installation: "INST", epoch: 1))
                }
            }
            let received = LogTime(seconds: 1_423_202_400), entries = (0..<count).map { Golden.entry($0, at: 10) }
            // Of an erased user, of nobody, and of one who comes back, by two ways: the erasure, and a set that says later whose it was.
            for (id, user) in [("A", "u"), ("B", nil), ("C", nil)] {
                #expect(try await archive.store(Golden.parcel(TransactionRecord(id: id, usecase: 1, user: user, entries: entries))).accepted == count)
            }
            for (number, id) in ["A", nil].enumerated() {
                let batch = LogBatch(parcel: nil, items: events(of: id, from: number * count), received: received)
                #expect(try await archive.store(batch).accepted == count)
            }
            #expect(try await archive.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 1000)) == 1)
            let naming = TransactionRecord(id: "C", usecase: 1, user: "u", entries: [Golden.entry(0, at: 2000)])
            #expect(try await archive.store(Golden.parcel(naming)).accepted == 1)
            #expect(try await archive.transaction("C", tenant: Tenant.standard) == naming)
            let left = try await archive.counts(tenant: nil)
            #expect([left.transactions, left.entries, left.logEvents] == [2, count + 1, count])
            #expect(try await archive.remove(receivedBefore: LogTime(seconds: received.seconds + 1), limit: 10_000) == 2 + count)
            let end = try await archive.counts(tenant: nil)
            #expect(end == ArchiveCounts(transactions: 0, entries: 0, logEvents: 0, parcels: 0))
            let keys = try await onThread {
                try server.ask(address, "SELECT (SELECT count(*) FROM entry_keys) + (SELECT count(*) FROM log_event_keys)")
            }
            #expect(keys == "0")
        }

        @Test("S32: an erasure that PostgreSQL cannot finish keeps no collector from starting; it is told, and done as soon as it can be", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func anErasureThatCannotBeFinishedKeepsNobodyFromStarting() async throws {
            let (earlier, address) = try await ArchiveServers.open(.postgres)
            let server = try #require(ArchiveServers.current?.postgres)
            func edit(_ sql: String) async throws { try await onThread { _ = try server.ask(address, sql) } }
            let record = TransactionRecord(id: "T", usecase: 1, user: "u", entries: [Golden.entry(0, at: 10)])
            #expect(try await earlier.store(Golden.parcel(record)).accepted == 1)
            try await edit(
                """
                CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                  RAISE EXCEPTION 'statement timeout' USING ERRCODE = '57014'; END $$;
                CREATE TRIGGER late BEFORE DELETE ON transactions FOR EACH ROW EXECUTE FUNCTION late()
                """)
            await #expect(throws: ArchiveError.self) {
                try await earlier.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 1000))
            }
            let said = Locked<[String]>([])
            let archive = try await onThread {
                try PostgresArchive(
                    address, clock: .system, removalDelay: .milliseconds(20), report: { remark in said.withLock { $0.append(remark) } })
            }
            #expect(said.withLock { $0.first?.contains("still to be removed") } == true)
            let other = TransactionRecord(id: "O", usecase: 1, user: "v", entries: [Golden.entry(0, at: 10)])
            #expect(try await archive.store(Golden.parcel(other)).accepted == 1)
            try await edit("DROP TRIGGER late ON transactions")
            let isDone = try await onThread {
                try becomesTrue { try server.ask(address, "SELECT count(*) FROM erasures") == "0" }
            }
            #expect(isDone)
            #expect(try await archive.transaction("T", tenant: Tenant.standard) == nil)
            #expect(try await archive.transaction("O", tenant: Tenant.standard) == other)
        }

        @Test("S32: an erasure that PostgreSQL has not finished is finished by the collector that runs, as soon as it can be", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func anErasureThatFailsIsTriedAgain() async throws {
            let (_, address) = try await ArchiveServers.open(.postgres)
            let server = try #require(ArchiveServers.current?.postgres)
            func edit(_ sql: String) async throws { try await onThread { _ = try server.ask(address, sql) } }
            let archive = try await onThread {
                try PostgresArchive(address, clock: .system, removalDelay: .milliseconds(20), report: { _ in })
            }
            let record = TransactionRecord(id: "T", usecase: 1, user: "u", entries: [Golden.entry(0, at: 10)])
            #expect(try await archive.store(Golden.parcel(record)).accepted == 1)
            try await edit(
                """
                CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                  RAISE EXCEPTION 'statement timeout' USING ERRCODE = '57014'; END $$;
                CREATE TRIGGER late BEFORE DELETE ON transactions FOR EACH ROW EXECUTE FUNCTION late()
                """)
            await #expect(throws: ArchiveError.self) {
                try await archive.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 1000))
            }
            try await edit("DROP TRIGGER late ON transactions")
            let left = "SELECT (SELECT count(*) FROM erasures) + (SELECT count(*) FROM transactions)"
            #expect(try await onThread { try becomesTrue { try server.ask(address, left) == "0" } })
        }

        @Test("S32: what ClickHouse finds noted for removal takes nothing with it that has come since", arguments: ArchiveKind.available.filter { $0.isClickHouse })
        func whatComesAfterANoteStays(_ kind: ArchiveKind) async throws {
            let archive = try #require(try await ArchiveServers.open(kind).archive as? ClickHouseArchive)
            func parcel(_ id: String, _ time: Double) -> TransactionParcel {
                Golden.parcel(TransactionRecord(id: id, usecase: 1, user: "u", entries: [Golden.entry(Int(time), at: time)]))
            }
            for id in ["T", "S"] { _ = try await archive.store(parcel(id, 10)) }
            // As a collector leaves it behind that has ended before the marks.
            var notes: [ArchiveRow] = []
            for id in ["T", "S"] {
                var note = ArchiveRow()
                note.add("addition", "A")
                note.add("tenant", Tenant.standard)
                note.add("transaction", id)
                note.add("time", LogTime.distantFuture.microseconds)
                note.add("precedence", archive.nextPrecedence())
                notes.append(note)
            }
            try await archive.client.insert(notes, into: ClickHouseArchive.erasures.name)
            #expect(try await archive.store(parcel("T", 2000)).accepted == 1)
            #expect(try await archive.remove(receivedBefore: LogTime(seconds: 0), limit: 1) == 0)
            #expect(try await archive.transaction("T", tenant: Tenant.standard)?.entries.map(\.event) == [2000])
            #expect(try await archive.transaction("S", tenant: Tenant.standard) == nil)
        }

        @Test("S32: what a collector of ClickHouse has not lived to erase is erased by the next one, which says so", .enabled(if: ClickHouseServer.isPossible, "needs the Debian package clickhouse-server"))
        func whatWasBrokenOffIsErasedByTheNextCollector() async throws {
            let (earlier, text) = try await ArchiveServers.open(.clickHouse)
            let server = try #require(ArchiveServers.current?.clickHouse), address = try ClickHouseAddress(text)
            let record = TransactionRecord(id: "T", usecase: 1, user: "u", entries: [Golden.entry(0, at: 10)])
            _ = try await earlier.store(Golden.parcel(record))
            let event = LogEvent(
                sequence: 1, time: LogTime(seconds: 10), level: .info, message: "m", metadata: [LogMetadata.transactionKey: "T"])
            _ = try await earlier.store(LogBatch(parcel: nil, items: [LogBatch.Item(event: event, origin: nil)], received: LogTime(seconds: 20)))
            // Events are the first to go, and these do not.
            try await onThread { _ = try server.ask("SYSTEM STOP MERGES \(address.database).logbook_log_events") }
            let erasure = Task { try await earlier.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 1000)) }
            let begun = "SELECT count() FROM system.mutations WHERE database = '\(address.database)' AND is_done = 0"
            #expect(try await onThread { try becomesTrue { try server.ask(begun) == "1\n" } })
            erasure.cancel()
            await #expect(throws: ArchiveError.self) { try await erasure.value }
            try await onThread { _ = try server.ask("SYSTEM START MERGES \(address.database).logbook_log_events") }
            #expect(try await earlier.transaction("T", tenant: Tenant.standard) != nil)

            let said = Locked<[String]>([])
            let archive = try await onThread {
                try ClickHouseArchive(
                    address, transport: CurlTransport(allowsPlainHTTP: address.allowsPlainHTTP), removalDelay: .milliseconds(20),
                    report: { remark in said.withLock { $0.append(remark) } })
            }
            for table in ["log_events", "entries", "transactions", "erasures"] {
                let left = "SELECT count() FROM \(address.database).logbook_\(table)"
                #expect(try await onThread { try becomesTrue { try server.ask(left) == "0\n" } }, "\(table)")
            }
            #expect(said.withLock { $0.map { $0.contains("1 transactions that were erased are still to be removed") } } == [true])
            #expect(try await archive.store(Golden.parcel(record)).erased == 1)
        }

        /// Hands everything on until something was inserted into a table, and then nothing any more, as if the collector was killed.
        private final class MortalTransport: HTTPTransport {
            private let transport: CurlTransport
            private let last: String
            private let isDead = Locked(false)

            init(until last: String, allowsPlainHTTP: Bool) {
                transport = CurlTransport(allowsPlainHTTP: allowsPlainHTTP)
                self.last = last
            }

            func send(
                _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
            ) -> HTTPCancellation {
                // What is inserted is in the body, and where in the address.
                let wasDead = isDead.withLock { isDead in
                    defer { isDead = isDead || request.url.contains(last) }
                    return isDead
                }
                if !wasDead { return transport.send(request, completion: completion) }
                LogThread.start("dead") { completion(.failure(.unreachable("killed"))) }
                return HTTPCancellation {}
            }
        }

        @Test("S32: an erasure of which ClickHouse has the first notes is finished by the next collector, however many transactions it finds", arguments: ArchiveKind.single.filter { $0.isClickHouse })
        func whatIsNotedIsNotedWhole(_ kind: ArchiveKind) async throws {
            let address = try ClickHouseAddress(try await ArchiveServers.open(kind).address)
            let server = try #require(ArchiveServers.current).clickHouse(kind)
            let earlier = try await onThread {
                let transport = MortalTransport(until: "logbook_erasures", allowsPlainHTTP: address.allowsPlainHTTP)
                return try ClickHouseArchive(address, transport: transport, report: { _ in })
            }
            // More than one mutation removes.
            let records = (0..<600).map { TransactionRecord(id: "T\($0)", usecase: 1, user: "u", entries: [Golden.entry(0, at: 10)]) }
            let set = TransactionSet(transactions: records)
            #expect(
                try await earlier.store(TransactionParcel(parcel: nil, set: set, received: LogTime(seconds: 20))).accepted == records.count)
            await #expect(throws: ArchiveError.self) {
                try await earlier.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 1000))
            }
            let archive = try await onThread {
                try ClickHouseArchive(
                    address, transport: CurlTransport(allowsPlainHTTP: address.allowsPlainHTTP), removalDelay: .milliseconds(20),
                    report: { _ in })
            }
            for table in ["entries", "transactions", "erasures"] {
                let left = "SELECT count() FROM \(address.database).logbook_\(table)"
                #expect(try await onThread { try becomesTrue { try server.ask(left) == "0\n" } }, "\(table)")
            }
            #expect(try await archive.counts(tenant: nil).entries == 0)
        }

        @Test("S32: a set of what is new says whose all was that came before", arguments: ArchiveKind.available)
        func whatIsNewNamesWhatWasBefore(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.whatIsNewNamesWhatWasBefore(try await ArchiveServers.open(kind).archive)
        }

        @Test("S32: one set may say of very many transactions whose they were", arguments: ArchiveKind.available)
        func oneSetMayEraseVeryMany(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.oneSetMayEraseVeryMany(try await ArchiveServers.open(kind).archive)
        }

        @Test("S32: who only says that somebody else's was an erased user's stops nobody who stores", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func whoNamesSomebodyElsesStopsNobody() async throws {
            let (archive, address) = try await ArchiveServers.open(.postgres)
            func parcel(of user: String) -> TransactionParcel {
                Golden.parcel(TransactionRecord(id: "T", usecase: 1, user: user, entries: [Golden.entry(1, at: 10)]))
            }
            _ = try await archive.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 1000))
            #expect(try await archive.store(parcel(of: "v")).accepted == 1)
            // As one who stores and does not end: who had to be alone would wait in vain.
            let other = try PostgresConnection(PostgresAddress(address))
            try other.execute("BEGIN; SELECT pg_advisory_xact_lock_shared(\(PostgresArchive.removalLock))")
            #expect(try await archive.store(parcel(of: "u")).erased == 1)
            try other.execute("COMMIT")
        }

        @Test("S32: a transaction that is known to be somebody else's is not erased", arguments: ArchiveKind.available)
        func whatIsKnownToBeSomebodyElsesStays(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.whatIsKnownToBeSomebodyElsesStays(try await ArchiveServers.open(kind).archive)
        }

        @Test("S32: what turns out to be an erased user's fills in nothing, and meets nothing, of what comes with that", arguments: [ArchiveKind.sqlite, .postgres].filter(ArchiveKind.available.contains))
        func whatGoesIsNotMetByWhatComes(_ kind: ArchiveKind) async throws {
            let (archive, _) = try await ArchiveServers.open(kind)
            let key = EntryKey(installation: "I", epoch: 1, sequence: 1)
            var before = TransactionRecord(
                id: "T", usecase: 1, deviceMake: "SecretPhone", variant: "B", session: "S", entries: [Golden.entry(0, at: 10, key: key)])
            #expect(try await archive.store(Golden.parcel(before)).accepted == 1)
            #expect(try await archive.erase(user: "joe", tenant: Tenant.standard, at: LogTime(seconds: 1000)) == 0)
            let after = TransactionRecord(id: "T", usecase: 1, user: "joe", entries: [Golden.entry(5, at: 2000, key: key)])
            #expect(try await archive.store(Golden.parcel(after)) == ArchiveReceipt(accepted: 1, duplicates: 0))
            #expect(try await archive.transaction("T", tenant: Tenant.standard) == after)
            // The first user that a set names of a transaction is believed.
            before = TransactionRecord(id: "U", usecase: 1, entries: [Golden.entry(0, at: 11)])
            #expect(try await archive.store(Golden.parcel(before)).accepted == 1)
            let anns = TransactionRecord(id: "U", usecase: 1, user: "ann", entries: [Golden.entry(1, at: 12)])
            let joes = TransactionRecord(id: "U", usecase: 1, user: "joe", entries: [Golden.entry(2, at: 2000)])
            #expect(try await archive.store(Golden.parcel(anns, joes)).accepted == 2)
            let stored = try #require(try await archive.transaction("U", tenant: Tenant.standard))
            #expect(stored.user == "ann" && stored.entries.map(\.event) == [0, 1, 2])
        }

        @Test("an archive in SQLite keeps what an entry without a key says once")
        func anEntryWithoutAKeyIsKeptOnce() async throws {
            let (archive, address) = try await ArchiveServers.open(.sqlite), text = String(repeating: "x", count: 1000)
            let record = TransactionRecord(
                id: "T", usecase: 1,
                entries: [
                    EntryRecord(event: 1, errorCode: 1, errorDescription: text, time: LogTime(seconds: 10)),
                    Golden.entry(2, at: 11, key: EntryKey(installation: "I", epoch: 1, sequence: 1)),
                ])
            #expect(try await archive.store(Golden.parcel(record)) == ArchiveReceipt(accepted: 2, duplicates: 0))
            #expect(try await archive.store(Golden.parcel(record)) == ArchiveReceipt(accepted: 0, duplicates: 2))
            #expect(try await archive.transaction("T", tenant: Tenant.standard) == record)
            let keys = try await onThread {
                try DatabaseQueue(path: String(address.dropFirst("sqlite:".count))).read {
                    try String.fetchAll($0, sql: "SELECT key FROM entries ORDER BY event")
                }
            }
            #expect(keys == ["", "I:1:1"])
        }
    }
#endif
