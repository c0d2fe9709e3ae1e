internal import LogbookCore
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Two ClickHouse servers that know each other as the cluster `c`, and the ZooKeeper by which they agree.
package final class ClickHouseCluster: Sendable {
    package enum Layout: Sendable, CaseIterable {
        /// Each has rows of its own.
        case shards
        /// Both have the same.
        case replicas
    }

    package static let isPossible = ClickHouseServer.isPossible && ZooKeeper.isPossible

    package let servers: [ClickHouseServer]
    package let keeper: ZooKeeper
    private let databases = Locked(0)

    /// - Parameter sessionTimeout: After how long ZooKeeper misses a server; 2 to 20 seconds.
    package init(_ layout: Layout, sessionTimeout: Duration = .seconds(20)) throws {
        keeper = try ZooKeeper()
        servers = [try ClickHouseServer(), try ClickHouseServer()]
        let replicas = servers.map { "<replica><host>127.0.0.1</host><port>\($0.tcpPort)</port></replica>" }
        let shards = (layout == .shards ? replicas : [replicas.joined()])
            .map { "<shard><internal_replication>true</internal_replication>\($0)</shard>" }
        for (index, server) in servers.enumerated() {
            try server.start(
                """
                <remote_servers><c>\(shards.joined())</c></remote_servers>
                <zookeeper><node><host>127.0.0.1</host><port>\(keeper.port)</port></node>
                <session_timeout_ms>\(sessionTimeout.components.seconds * 1000)</session_timeout_ms></zookeeper>
                <macros><shard>\(layout == .shards ? index : 0)</shard><replica>\(index)</replica></macros>
                """)
        }
    }

    /// Ends all of it.
    package func kill() {
        for server in servers { server.kill() }
        keeper.kill()
    }

    /// One that holds nothing, on both servers.
    /// - Returns: Its address.
    package func makeDatabase() throws -> String {
        let name = databases.withLock { number in
            number += 1
            return "t\(number)"
        }
        for server in servers { try server.ask("CREATE DATABASE \(name)") }
        return address(of: name)
    }

    /// - Parameter servers: Those that it names; both by default.
    package func address(of database: String, servers: [ClickHouseServer]? = nil) -> String {
        let hosts = (servers ?? self.servers).map { "127.0.0.1:\($0.httpPort)" }.joined(separator: ",")
        return "clickhouse://\(ClickHouseServer.credentials)@\(hosts)/\(database)?cluster=c"
    }

    /// Starts a server after ``ClickHouseServer/kill()``, once ZooKeeper has missed it: before, its tables take it for somebody else,
    /// and look again after ten seconds only.
    package func startAgain(_ server: ClickHouseServer) throws {
        let deadline = LogDeadline.seconds(60)
        while keeper.sessions != servers.count - 1 {
            if deadline.hasPassed { throw ScriptedFailure("ZooKeeper does not miss the server: \(keeper.sessions ?? -1) sessions") }
            usleep(20_000)
        }
        try server.startAgain()
    }

    /// Of servers that nobody has ended. Nil while they run.
    package var trouble: String? {
        let troubles = servers.compactMap(\.trouble)
        return troubles.isEmpty ? nil : troubles.joined(separator: "\n")
    }
}
