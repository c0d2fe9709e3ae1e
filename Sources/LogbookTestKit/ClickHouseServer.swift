internal import LogbookCore
internal import LogbookHTTP
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A ClickHouse server of the machine's, in a folder of its own: without a password for the user `default`, with one for `logbook`.
package final class ClickHouseServer: Sendable {
    /// With Debian's package `clickhouse-server`.
    package static let isPossible =
        (try? ChildProcess.run(["sh", "-c", "command -v clickhouse-server"], by: .seconds(60))) == .exited(0)
    /// The user with a password, and the password, as an address has them.
    package static let credentials = "logbook:p%40ss'word"

    package let httpPort: UInt16
    package let tcpPort: UInt16
    private let interserverPort: UInt16
    private let folder = TemporaryFolder()
    private let words: [String]
    private let process = Locked<ChildProcess?>(nil)
    private let databases = Locked(0)

    /// Takes its ports; ``start(_:)`` starts it.
    /// - Parameter program: Stands in for the machine's server: is given a port for HTTP and a folder.
    package init(running program: String? = nil) throws {
        let ports = try FreePorts.take(3)
        (httpPort, tcpPort, interserverPort) = (ports[0], ports[1], ports[2])
        words = program.map { [$0, "\(ports[0])", "data"] } ?? ["clickhouse-server", "--config-file=config.xml"]
    }

    deinit { _ = process.withLock { $0?.wait(by: .now) } }

    /// - Parameter more: Of the configuration: clusters, macros.
    package func start(_ more: String = "") throws {
        folder.write(
            """
            <yandex><logger><level>warning</level><log>./log</log><errorlog>./errors</errorlog></logger>
            <http_port>\(httpPort)</http_port><tcp_port>\(tcpPort)</tcp_port><interserver_http_port>\(interserverPort)</interserver_http_port>
            <listen_host>127.0.0.1</listen_host><interserver_http_host>127.0.0.1</interserver_http_host>
            <path>./data/</path><tmp_path>./tmp/</tmp_path><users_config>users.xml</users_config>
            <default_profile>default</default_profile><default_database>default</default_database>
            <mark_cache_size>8388608</mark_cache_size><uncompressed_cache_size>0</uncompressed_cache_size>\(more)</yandex>
            """, to: "config.xml")
        folder.write(
            """
            <yandex><profiles><default><background_pool_size>4</background_pool_size>
            <background_schedule_pool_size>4</background_schedule_pool_size></default></profiles><quotas><default/></quotas>
            <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
            <quota>default</quota></default><logbook><password>p@ss'word</password><networks><ip>127.0.0.1</ip></networks>
            <profile>default</profile><quota>default</quota></logbook></users></yandex>
            """, to: "users.xml")
        try startAgain()
    }

    /// After ``kill()``.
    package func startAgain() throws {
        let child = try ChildProcess(
            words, in: folder.path, output: folder.path + "/said", errors: folder.path + "/complained")
        process.withLock { $0 = child }
        let deadline = LogDeadline.seconds(60)
        while (try? ask("SELECT 1")) != "1\n" {
            if let trouble { throw ScriptedFailure(trouble) }
            if deadline.hasPassed { throw ScriptedFailure("\(words[0]) does not answer: \(complaints)") }
            usleep(20_000)
        }
    }

    package func kill() {
        process.withLock { process in
            process?.signal(SIGKILL)
            process?.wait()
            process = nil
        }
    }

    package func address(of database: String) -> String { "clickhouse://127.0.0.1:\(httpPort)/\(database)" }

    /// One that holds nothing.
    /// - Returns: Its address.
    package func makeDatabase() throws -> String {
        let name = databases.withLock { number in
            number += 1
            return "t\(number)"
        }
        try ask("CREATE DATABASE \(name)")
        return address(of: name)
    }

    /// What it answers; what it refuses is thrown. Inserts are done when this returns, on every shard.
    @discardableResult
    package func ask(_ sql: String) throws -> String {
        let answer = try CurlTransport.shared.sendAndWait(
            HTTPRequest(url: "http://127.0.0.1:\(httpPort)/?wait_end_of_query=1&insert_distributed_sync=1", body: Array(sql.utf8)),
            by: .seconds(60))
        let text = String(decoding: answer.body, as: UTF8.self)
        if answer.status != 200 { throw ScriptedFailure(text) }
        return text
    }

    /// How it ended when nobody had ended it, and what it said of it. Nil while it runs.
    package var trouble: String? {
        process.withLock(\.self)?.end.map { "\(words[0]) \($0): \(complaints)" }
    }

    /// What it has said is wrong, the end of it.
    package var complaints: String {
        let said = folder.text("complained") + folder.text("errors")
        return String(decoding: said.utf8.suffix(4000), as: UTF8.self)
    }
}
