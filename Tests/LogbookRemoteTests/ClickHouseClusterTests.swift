import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Delivery to clusters of ClickHouse that lose a server, and to whom answers are lost.
@Suite(.enabled(if: ClickHouseCluster.isPossible, "needs the Debian package clickhouse-server or zookeeper"), .serialized)
struct ClickHouseClusterTests {
    private static let count = 3000

    /// Loses every fourth answer, and does something when the tenth request comes.
    private final class Wire: Sendable {
        private struct State { var requests = 0, lost = 0, refused = 0 }
        private let state = Locked(State())
        private let atTheTenth: @Sendable () -> Void

        init(atTheTenth: @escaping @Sendable () -> Void) { self.atTheTenth = atTheTenth }

        /// Answers that came and were lost: what they acknowledge is sent again.
        var lost: Int { state.withLock(\.lost) }
        /// Requests that were not acknowledged.
        var refused: Int { state.withLock(\.refused) }

        var transport: RelayTransport {
            let real = CurlTransport()
            return RelayTransport { request, completion in
                let number = self.state.withLock { state in
                    state.requests += 1
                    return state.requests
                }
                if number == 10 { self.atTheTenth() }
                return real.send(request) { result in
                    let isTaken = (try? result.get())?.status == 200
                    self.state.withLock { state in
                        if !isTaken {
                            state.refused += 1
                        } else if number % 4 == 0 {
                            state.lost += 1
                        }
                    }
                    completion(isTaken && number % 4 == 0 ? .failure(.unreachable("lost")) : result)
                }
            }
        }
    }

    /// A table that knows a parcel again and nothing else: what it has twice would stay twice.
    private static func makeTables(_ cluster: ClickHouseCluster) throws {
        let columns = """
            time DateTime, nanos UInt32, level String, message String, installation String, epoch UInt64, sequence UInt64,
            category String, transaction_id String, event String
            """
        for server in cluster.servers {
            try server.ask(
                """
                CREATE TABLE logs_shard (\(columns)) ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/logs', '{replica}')
                PARTITION BY toYYYYMM(time) ORDER BY (time, installation, epoch, sequence)
                """)
            try server.ask("CREATE TABLE logs (\(columns)) ENGINE = Distributed(c, default, logs_shard, cityHash64(sequence))")
        }
    }

    /// A provider whose events are on their way.
    private static func send(to server: ClickHouseServer, spool: TemporaryFolder, over wire: Wire) throws -> RemoteLogProvider {
        let provider = try RemoteLogProvider(
            to: .clickHouse(url: "http://127.0.0.1:\(server.httpPort)"), spool: spool.path + "/spool", policy: SpoolPolicy(parcelEvents: 100),
            origin: Sample.origin, delivery: DeliveryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(50)),
            transport: wire.transport)
        for number in 1...count {
            provider.log(LogEvent(sequence: UInt64(number), time: Sample.time, level: .info, message: "event \(number)"))
        }
        return provider
    }

    @Test("47: two shards of ClickHouse, one killed during the delivery, and answers lost: every event is stored once")
    func aShardIsKilled() async throws {
        try await onThread {
            let cluster = try ClickHouseCluster(.shards, sessionTimeout: .seconds(4))
            defer { cluster.kill() }
            try Self.makeTables(cluster)
            let wire = Wire { cluster.servers[1].kill() }, spool = TemporaryFolder()
            let provider = try Self.send(to: cluster.servers[0], spool: spool, over: wire)
            #expect(becomesTrue { wire.refused >= 3 })
            try cluster.startAgain(cluster.servers[1])
            try provider.deliver(by: .seconds(120))
            try provider.shutdown(by: .seconds(30))
            #expect(provider.deliveries == LogLedger(submitted: UInt64(Self.count), delivered: UInt64(Self.count)))
            #expect(wire.lost > 0)
            let each = try cluster.servers.map { Int(try $0.ask("SELECT count() FROM logs_shard").dropLast()) ?? 0 }
            #expect(each.allSatisfy { $0 > 1000 } && each[0] + each[1] == Self.count, "\(each)")
            #expect(try cluster.servers[1].ask("SELECT count(), uniqExact(sequence) FROM logs") == "\(Self.count)\t\(Self.count)\n")
            #expect(cluster.trouble == nil)
        }
    }

    @Test("47: two replicas of ClickHouse, the one that is spoken to killed during the delivery, and answers lost: every event is stored once, on both")
    func aReplicaIsKilled() async throws {
        try await onThread {
            let cluster = try ClickHouseCluster(.replicas, sessionTimeout: .seconds(4))
            defer { cluster.kill() }
            try Self.makeTables(cluster)
            let wire = Wire { cluster.servers[0].kill() }, spool = TemporaryFolder()
            let provider = try Self.send(to: cluster.servers[0], spool: spool, over: wire)
            #expect(becomesTrue { wire.refused >= 3 })
            // The same bytes go to the other one, which knows what the first has taken.
            provider.update(to: .clickHouse(url: "http://127.0.0.1:\(cluster.servers[1].httpPort)"))
            try provider.deliver(by: .seconds(120))
            try provider.shutdown(by: .seconds(30))
            #expect(provider.deliveries == LogLedger(submitted: UInt64(Self.count), delivered: UInt64(Self.count)))
            #expect(wire.lost > 0)
            try cluster.startAgain(cluster.servers[0])
            for server in cluster.servers {
                let expected = "\(Self.count)\t\(Self.count)\n"
                var found = ""
                // Replicas copy from each other in their own time.
                #expect(try becomesTrue {
                    found = try server.ask("SELECT count(), uniqExact(sequence) FROM logs_shard")
                    return found == expected
                }, "\(found)")
            }
            #expect(cluster.trouble == nil)
        }
    }
}
