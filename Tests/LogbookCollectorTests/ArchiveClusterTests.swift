#if Collector && canImport(Glibc)
    import Foundation
    import Glibc
    @testable import LogbookCollector
    import LogbookCore
    import LogbookHTTP
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// Several collectors, several servers.
    @Suite(.serialized) struct ArchiveClusterTests {
        private static func parcel(_ number: Int, entries: Int = 20) -> TransactionParcel {
            let records = (0..<5).map { part in
                TransactionRecord(
                    id: "T\(number)-\(part)", usecase: 1, deviceMake: "KVM",
                    entries: (0..<entries).map {
                        Golden.entry($0, at: Double($0), key: EntryKey(installation: "I\(number)-\(part)", epoch: 1, sequence: Int64($0)))
                    })
            }
            return TransactionParcel(parcel: "P\(number)", set: TransactionSet(transactions: records), received: LogTime(seconds: 1000))
        }

        private static func next(_ count: Locked<Int>) -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }

        // MARK: PostgreSQL

        @Test(
            "two collectors on one PostgreSQL under load, one of them killed, lose and double nothing",
            .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func twoCollectorsOnOnePostgres() async throws {
            let folder = try TemporaryFolder()
            let (counts, sent) = try await onThread {
                let server = try PostgresServer()
                let address = try server.makeDatabase()
                let first = try CollectorChild(address, in: folder, name: "first"), second = try CollectorChild(address, in: folder, name: "second")
                let clients = 6, parcels = 15
                let left = Monitor(clients), answered = Locked(0)
                for client in 0..<clients {
                    LogThread.start("client") {
                        for number in 0..<parcels {
                            // One set for two clients each: the same entries come by both collectors at the same time.
                            let body = TransactionSet(transactions: Self.parcel(client / 2 * parcels + number).set.transactions).encode(.v0_0_2)
                            var attempt = client
                            let deadline = LogDeadline.seconds(120)
                            while !deadline.hasPassed {
                                let url = (attempt % 2 == 0 ? first : second).url
                                attempt += 1
                                let request = HTTPRequest(
                                    url: url + "/v1/transactions",
                                    headers: [
                                        HTTPHeader("Authorization", "Bearer t"),
                                        HTTPHeader("Content-Type", "application/vnd.logbook.apptxnset-v0.0.2+json"),
                                        HTTPHeader("Logbook-Parcel", "P\(client / 2)-\(number)"),
                                    ], body: body)
                                if (try? CurlTransport.shared.sendAndWait(request, by: .seconds(20)))?.status == 202 { break }
                                usleep(5000)
                            }
                            if Self.next(answered) == clients * parcels / 3 { first.process.signal(SIGKILL) }
                        }
                        left.withLock { access in
                            access.value -= 1
                            access.broadcast()
                        }
                    }
                }
                let deadline = LogDeadline.seconds(180)
                left.withLock { access in while access.value > 0, access.wait(until: deadline) {} }
                second.process.signal(SIGTERM)
                #expect(second.process.wait(by: .seconds(30)) == .exited(0), "\(folder.text("second.err"))")
                #expect(first.process.wait(by: .seconds(10)) == .killed(by: SIGKILL))
                let counts = try server.ask(
                    address,
                    """
                    SELECT concat_ws(' ', (SELECT count(*) FROM transactions), count(*), count(DISTINCT (transaction, event)),
                      (SELECT sum(items) FROM parcels)) FROM entries
                    """)
                return (counts, clients / 2 * parcels)
            }
            #expect(counts == "\(sent * 5) \(sent * 100) \(sent * 100) \(sent * 100)")
        }

        // MARK: ClickHouse

        /// Shards of one server each, or one shard of several, under the name `c`.
        private static func cluster(_ servers: [ClickHouseServer], isSharded: Bool, _ keeper: ZooKeeper) throws {
            func replica(_ server: ClickHouseServer) -> String {
                "<replica><host>127.0.0.1</host><port>\(server.tcpPort)</port></replica>"
            }
            let shards =
                isSharded
                ? servers.map { "<shard><internal_replication>true</internal_replication>\(replica($0))</shard>" }.joined()
                : "<shard><internal_replication>true</internal_replication>\(servers.map(replica).joined())</shard>"
            for (index, server) in servers.enumerated() {
                try server.start(
                    """
                    <remote_servers><c>\(shards)</c></remote_servers>
                    <zookeeper><node><host>127.0.0.1</host><port>\(keeper.port)</port></node><session_timeout_ms>5000</session_timeout_ms></zookeeper>
                    <macros><shard>\(isSharded ? index + 1 : 1)</shard><replica>r\(index)</replica></macros>
                    <distributed_ddl><path>/clickhouse/ddl</path></distributed_ddl>
                    """)
            }
        }

        private static func open(_ servers: [ClickHouseServer]) throws -> any Archive {
            let hosts = servers.map { "127.0.0.1:\($0.httpPort)" }.joined(separator: ",")
            // ZooKeeper may not be there yet.
            return try eventually { try ArchiveURL.open("clickhouse://logbook:p%40ss'word@\(hosts)/default?cluster=c") }
        }

        private static let isPossible = ClickHouseServer.isPossible && ZooKeeper.isPossible

        @Test(
            "two shards behind a Distributed table: transactions are spread, and everything is there once",
            .enabled(if: isPossible, "needs the Debian package clickhouse-server and zookeeper"))
        func twoShards() async throws {
            let (archive, keeper, servers) = try await onThread {
                let keeper = try ZooKeeper()
                let servers = [try ClickHouseServer(), try ClickHouseServer()]
                try Self.cluster(servers, isSharded: true, keeper)
                return (try Self.open(servers), keeper, servers)
            }
            for number in 0..<10 { #expect(try await archive.store(Self.parcel(number)).accepted == 100) }
            for number in 0..<10 { #expect(try await archive.store(Self.parcel(number)).duplicates == 100) }
            #expect(
                try await archive.counts(tenant: nil) == ArchiveCounts(transactions: 50, entries: 1000, logEvents: 0, parcels: 10))
            let each = try await onThread {
                try servers.map { Int(try $0.ask("SELECT count() FROM logbook_entries_shard").dropLast())! }
            }
            #expect(each.allSatisfy { $0 > 100 } && each.reduce(0, +) == 1000, "\(each)")
            let page = try await archive.transactions(TransactionQuery(to: LogTime(seconds: 1), limit: 1000))
            #expect(page.transactions.count == 50)
            #expect(page.transactions.allSatisfy { $0.entries.count == 20 })
            #expect(try await archive.transaction("T3-4", tenant: Tenant.standard) == Self.parcel(3).set.transactions[4])
            try await archive.checkWritable()
            #expect(try await archive.remove(receivedBefore: LogTime(seconds: 2000), limit: 20) == 20)
            #expect(try await archive.counts(tenant: nil).entries == 600)
            // Without one of its shards it stores nothing and says nothing.
            try await onThread { servers[1].kill() }
            await #expect(throws: ArchiveError.self) { try await archive.checkWritable() }
            await #expect(throws: ArchiveError.self) { try await archive.store(Self.parcel(0)) }
            try await onThread { withExtendedLifetime((keeper, servers)) {} }
        }

        @Test(
            "two replicas, one killed while parcels are delivered: everything is there once, on both",
            .enabled(if: isPossible, "needs the Debian package clickhouse-server and zookeeper"))
        func aReplicaIsKilled() async throws {
            let (archive, keeper, servers) = try await onThread {
                let keeper = try ZooKeeper()
                let servers = [try ClickHouseServer(), try ClickHouseServer()]
                try Self.cluster(servers, isSharded: false, keeper)
                return (try Self.open(servers), keeper, servers)
            }
            let answered = Locked(0)
            // Each parcel is sent until it is acknowledged, as a courier does; the third of 30 takes a replica away.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in 0..<3 {
                    group.addTask { @Sendable in
                        for number in 0..<10 {
                            let parcel = Self.parcel(client * 10 + number, entries: 100)
                            let deadline = LogDeadline.seconds(120)
                            while (try? await archive.store(parcel)) == nil, !deadline.hasPassed {
                                try await Task.sleep(for: .milliseconds(20))
                            }
                            if Self.next(answered) == 3 { try await onThread { servers[0].kill() } }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let complete = ArchiveCounts(transactions: 150, entries: 15_000, logEvents: 0, parcels: 30)
            #expect(try await archive.store(Self.parcel(29, entries: 100)) == ArchiveReceipt(accepted: 0, duplicates: 500))
            // It comes back with what it alone had, and catches up.
            let each = try await onThread {
                try servers[0].startAgain()
                return try servers.map { server in
                    try eventually {
                        let found = try server.ask("SELECT uniqExact(transaction, digest) FROM logbook_entries_shard")
                        if found != "15000\n" { throw ScriptedFailure("\(found)") }
                        return found
                    }
                }
            }
            #expect(each == ["15000\n", "15000\n"])
            #expect(try await archive.counts(tenant: nil) == complete)
            try await onThread { withExtendedLifetime((keeper, servers)) {} }
        }
    }

    /// A collector in a process of its own.
    private final class CollectorChild: Sendable {
        let process: ChildProcess
        let url: String

        init(_ archive: String, in folder: TemporaryFolder, name: String) throws {
            let process = try ChildProcess(
                [ChildProcess.builtProgram("logbook"), "collect", "--archive", archive, "--port", "0"], in: folder.path,
                environment: ["LOGBOOK_TOKEN": "t"], output: folder("\(name).out"), errors: folder("\(name).err"))
            self.process = process
            url = try eventually(while: process) {
                guard let line = folder.text("\(name).out").wholeMatch(of: /listening on (http:\/\/.*)\n/) else {
                    throw ScriptedFailure("no collector: \(folder.text("\(name).err"))")
                }
                return String(line.1)
            }
        }
    }

    extension TemporaryFolder {
        fileprivate func text(_ name: String) -> String { (try? String(contentsOfFile: self(name), encoding: .utf8)) ?? "" }
    }
#endif
