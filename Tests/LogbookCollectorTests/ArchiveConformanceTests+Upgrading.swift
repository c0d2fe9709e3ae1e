#if Collector && canImport(Glibc)
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// Tables of PostgreSQL that an earlier version has made.
    extension ArchiveConformanceTests {
        /// A database with the tables of an earlier version, and what else is done to it.
        static func makeEarlierDatabase(_ server: PostgresServer, version: Int = 3, _ more: String = "") throws -> String {
            let address = try server.makeDatabase()
            _ = try server.ask(
                address,
                """
                CREATE SCHEMA logbook; CREATE TABLE schema_version (version integer NOT NULL); INSERT INTO schema_version VALUES (\(version));
                \(PostgresArchive.migrations[..<version].joined(separator: ";"));
                \(more)
                """)
            return address
        }

        /// Stores an entry of the first transaction as a collector of an earlier version does.
        static func earlierEntry(_ event: Int, at time: Int) -> String {
            """
            INSERT INTO entries (transaction, tenant, digest, event, time, error_description, parcel, ordinal, received)
            VALUES (1, 'default', '\(event)', \(event), to_timestamp(\(time)), 'no', 1, 0, to_timestamp(2000))
            """
        }

        @Test("an archive in PostgreSQL that an earlier version has made is brought to this one, and collectors of that one run on", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func anEarlierVersionIsUpgraded() async throws {
            let server = try #require(ArchiveServers.current?.postgres)
            let (archive, address) = try await onThread {
                let address = try Self.makeEarlierDatabase(
                    server,
                    """
                    INSERT INTO transactions (tenant, guid, usecase, user_id, received) VALUES ('default', 'T', 1, 'u', to_timestamp(2000));
                    \(Self.earlierEntry(0, at: 10))
                    """)
                return (try ArchiveURL.open(address), address)
            }
            #expect(try await archive.transaction("T", tenant: Tenant.standard)?.entries.map(\.event) == [0])
            _ = try await onThread { try server.ask(address, Self.earlierEntry(1, at: 1_000_000)) }
            #expect(try await archive.transaction("T", tenant: Tenant.standard)?.entries.map(\.event) == [0, 1])
            #expect(try await archive.counts(tenant: Tenant.standard).entries == 2)
            #expect(try await archive.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 2_000_000)) == 1)
            #expect(try await archive.counts(tenant: nil).entries == 0)
        }

        @Test("S32: a user of PostgreSQL that may use the tables of an earlier version may use all of this one, and erase", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func whoMayUseTheTablesMayUseTheNewOnes() async throws {
            let server = try #require(ArchiveServers.current?.postgres)
            let said = Locked<[String]>([])
            let (archive, address) = try await onThread {
                // A name that must be quoted.
                let address = try Self.makeEarlierDatabase(
                    server,
                    """
                    CREATE ROLE "Writer-3" LOGIN; GRANT USAGE ON SCHEMA logbook TO "Writer-3";
                    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA logbook TO "Writer-3";
                    GRANT USAGE ON ALL SEQUENCES IN SCHEMA logbook TO "Writer-3"; GRANT SELECT ON erasures TO PUBLIC
                    """)
                _ = try PostgresArchive(address)
                let archive = try PostgresArchive(
                    address.replacing("postgres@", with: "Writer-3@"), clock: .system,
                    report: { remark in said.withLock { $0.append(remark) } })
                return (archive, address)
            }
            func record(_ id: String, user: String?, at time: Double...) -> TransactionRecord {
                TransactionRecord(id: id, usecase: 1, user: user, entries: time.map { Golden.entry(0, at: $0) })
            }
            #expect(try await archive.store(Golden.parcel(record("T", user: "u", at: 10))).accepted == 1)
            #expect(try await archive.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 1000)) == 1)
            // Said only afterwards.
            #expect(try await archive.store(Golden.parcel(record("X", user: nil, at: 11))).accepted == 1)
            #expect(try await archive.store(Golden.parcel(record("X", user: "u", at: 2000))).accepted == 1)
            #expect(try await archive.transaction("X", tenant: Tenant.standard)?.entries.map(\.time) == [LogTime(seconds: 2000)])
            #expect(try await archive.counts(tenant: nil).entries == 1)
            #expect(said.withLock { $0 } == [])
            let ofEverybody = """
                SELECT has_table_privilege('public', 'transaction_erasures', 'SELECT')
                  AND NOT has_table_privilege('public', 'transaction_erasures', 'DELETE')
                """
            #expect(try await onThread { try server.ask(address, ofEverybody) } == "t")
        }

        @Test("who starts while another collector brings PostgreSQL's tables to a newer version waits for that, and says what it waits for, and what it has waited for in vain", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func whoStartsWaitsForWhoUpgrades() async throws {
            let (_, address) = try await ArchiveServers.open(.postgres)
            let server = try #require(ArchiveServers.current?.postgres)
            let other = try PostgresConnection(PostgresAddress(address))
            try other.execute("BEGIN; SELECT pg_advisory_xact_lock(\(PostgresArchive.schemaLock))")
            await #expect {
                try await onThread { try PostgresArchive(address, clock: .system, migrationLimit: .milliseconds(100)) }
            } throws: {
                "\($0)".contains("another collector brings the tables to a newer version") && !"\($0)".contains("that the server runs")
            }
            let said = Locked<[String]>([])
            let migration = Task {
                try await onThread {
                    // Shorter than it waits, as half a minute is shorter than a large archive takes.
                    let connection = try PostgresConnection(PostgresAddress(address))
                    try connection.execute("SET lock_timeout = 100; SET statement_timeout = 100")
                    return try PostgresArchive.migrate(
                        connection, patience: .milliseconds(200), report: { remark in said.withLock { $0.append(remark) } })
                }
            }
            #expect(await onThread { becomesTrue { said.withLock { !$0.isEmpty } } })
            _ = try await onThread { try server.ask(address, "SELECT pg_sleep(0.3)") }
            try other.execute("COMMIT")
            #expect(try await migration.value == .found(PostgresArchive.schemaVersion))
            #expect(said.withLock { $0.map { $0.contains("this one waits for it") } } == [true])
        }

        @Test("who reads while PostgreSQL's tables are to be brought to a newer version stops nobody who stores; it is done after the reading, and said where that takes too long", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func whoReadsPutsOffTheNewVersion() async throws {
            let server = try #require(ArchiveServers.current?.postgres)
            let address = try await onThread { try Self.makeEarlierDatabase(server) }
            // On one thread: it is not tried for ever, and no other test's turn comes between.
            let opening = try await onThread { () -> Task<PostgresArchive, any Error> in
                let reader = try PostgresConnection(PostgresAddress(address))
                try reader.execute("BEGIN; SELECT 1 FROM transactions; SELECT 1 FROM entries")
                let inVain = try PostgresArchive.migrate(
                    try PostgresConnection(PostgresAddress(address)), attempts: 1, report: { _ in })
                #expect("\(inVain)".contains("such as pg_dump"))
                let opening = Task { try await onThread { try PostgresArchive(address, clock: .system) } }
                let waiting = "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND relation = 'transactions'::regclass"
                for number in 0..<3 {
                    #expect(try becomesTrue { try server.ask(address, waiting) == "t" })
                    // As a collector that runs; it waits for half a second at most.
                    _ = try server.ask(
                        address,
                        """
                        SET lock_timeout = 5000;
                        INSERT INTO transactions (tenant, guid, usecase, received) VALUES ('default', 'T\(number)', 1, to_timestamp(2000))
                        """)
                }
                try reader.execute("COMMIT")
                return opening
            }
            #expect(try await opening.value.counts(tenant: nil).transactions == 3)
        }
    }
#endif
