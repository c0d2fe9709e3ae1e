#if Collector && canImport(Glibc)
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// What entries say of devices.
    extension ArchiveConformanceTests {
        @Test("D6: entries of another device than the transaction's say so, and what comes again changes nothing of it", arguments: ArchiveKind.available)
        func anotherDeviceIsSaid(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.anotherDeviceIsSaid(try await ArchiveServers.open(kind).archive)
        }

        @Test("D6: who says more of the device, or less, is no other device", arguments: ArchiveKind.available)
        func onlyAContradictionIsAnotherDevice(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.onlyAContradictionIsAnotherDevice(try await ArchiveServers.open(kind).archive)
        }

        @Test("D4, D6: entries of a server that names no device, or the client's, have none of their own, whoever comes first", arguments: ArchiveKind.available)
        func aServerWithoutADevice(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.aServerWithoutADevice(try await ArchiveServers.open(kind).archive)
        }

        @Test("D6: a set may hold a transaction several times, of several devices; and what was read may be stored again", arguments: ArchiveKind.available)
        func severalDevicesInOneSet(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.severalDevicesInOneSet(try await ArchiveServers.open(kind).archive)
        }

        @Test("D6, S28: a device takes no more than 256 bytes of a fact with each entry, however long it is", arguments: ArchiveKind.available)
        func aLongDeviceIsCut(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.aLongDeviceIsCut(try await ArchiveServers.open(kind).archive)
        }

        @Test("D6: devices that only look alike are two", arguments: ArchiveKind.available)
        func devicesThatOnlyLookAlikeAreTwo(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.devicesThatOnlyLookAlikeAreTwo(try await ArchiveServers.open(kind).archive)
        }

        // MARK: Tables of earlier versions

        private static let other = DeviceFacts(make: "other", os: "", osVersion: "")

        private static func devices(_ archive: any Archive) async throws -> [DeviceFacts?]? {
            try await archive.transaction("T", tenant: Tenant.standard)?.entries.map(\.device)
        }

        private static func part(_ make: String, _ event: Int, at seconds: Double) -> TransactionParcel {
            Golden.parcel(TransactionRecord(id: "T", usecase: 1, deviceMake: make, entries: [Golden.entry(event, at: seconds)]))
        }

        @Test("D6: PostgreSQL's tables of the fourth version take the device of an entry, count it among what the entry says, and collectors of that version run on", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func theFourthVersionOfPostgresIsUpgraded() async throws {
            let server = try #require(ArchiveServers.current?.postgres)
            let (archive, address) = try await onThread {
                let address = try Self.makeEarlierDatabase(
                    server, version: 4,
                    """
                    INSERT INTO transactions (tenant, guid, usecase, device_make, received)
                      VALUES ('default', 'T', 1, 'KVM', to_timestamp(2000));
                    \(Self.earlierEntry(0, at: 10))
                    """)
                return (try ArchiveURL.open(address), address)
            }
            #expect(try await archive.store(Self.part("other", 1, at: 20)).accepted == 1)
            #expect(try await archive.store(Self.part("KVM", 2, at: 1_000_000)).accepted == 1)
            _ = try await onThread { try server.ask(address, Self.earlierEntry(3, at: 2_000_000)) }
            #expect(try await Self.devices(archive) == [nil, Self.other, nil, nil])
            func counted() async throws -> String? {
                try await onThread { try server.ask(address, "SELECT entries || ' ' || entry_bytes FROM transactions") }
            }
            #expect(try await counted() == "4 9")   // no, other, no
            _ = try await onThread { try server.ask(address, "DELETE FROM entries") }
            #expect(try await counted() == "0 0")
        }

        @Test("D6: ClickHouse's tables of the second version take the device of an entry on every server, also where several collectors start at the same time, and collectors of that version run on", arguments: ArchiveKind.available.filter { $0.isClickHouse })
        func theSecondVersionOfClickHouseIsUpgraded(_ kind: ArchiveKind) async throws {
            let servers = try #require(ArchiveServers.current)
            let members = try servers.clickHouseServers(kind)
            let text = try await onThread { try servers.makeDatabase(kind) }
            let address = try ClickHouseAddress(text)
            let database = address.database
            @Sendable func insertion(ofEntry event: Int, at seconds: Int) -> String {
                """
                INSERT INTO \(database).logbook_entries
                  (tenant, transaction, digest, key, event, time, day, ordinal, received, precedence)
                VALUES ('default', 'T', 'd\(event)', '', \(event), \(seconds)000000, '1970-01-01', 0, 1000000, 18446744073709551000)
                """
            }
            try await onThread {
                for table in ClickHouseArchive.tables {
                    var earlier = table
                    earlier.added = []
                    for statement in ClickHouseArchive.creation(of: earlier, in: database, cluster: address.cluster) {
                        for server in members { try server.ask(statement) }
                    }
                }
                try members[0].ask("INSERT INTO \(database).logbook_schema VALUES (2, 1)")
                try members[0].ask(
                    """
                    INSERT INTO \(database).logbook_transactions
                      (tenant, transaction, facts, usecase, device_make, received, precedence)
                    VALUES ('default', 'T', 'f', 1, 'KVM', 1000000, 18446744073709551000)
                    """)
                try members[0].ask(insertion(ofEntry: 0, at: 10))
            }
            let archives = try await withThrowingTaskGroup(of: (any Archive).self) { group in
                for _ in 0..<3 { group.addTask { try await onThread { try ArchiveURL.open(text) } } }
                return try await group.reduce(into: [any Archive]()) { $0.append($1) }
            }
            #expect(try await archives[0].store(Self.part("other", 1, at: 20)).accepted == 1)
            #expect(try await archives[1].store(Self.part("KVM", 2, at: 30)).accepted == 1)
            try await onThread { _ = try members[0].ask(insertion(ofEntry: 3, at: 40)) }
            #expect(try await Self.devices(archives[2]) == [nil, Self.other, nil, nil])
            let columns = "SELECT count() FROM system.columns WHERE database = '\(database)' AND name LIKE 'own_device%'"
            for server in members {
                #expect(try await onThread { try server.ask(columns) } == (address.cluster == nil ? "3\n" : "6\n"))
            }
            let version = "SELECT max(version) FROM \(database).logbook_schema"
            #expect(try await onThread { try members[0].ask(version) } == "\(ClickHouseArchive.schemaVersion)\n")
        }
    }
#endif
