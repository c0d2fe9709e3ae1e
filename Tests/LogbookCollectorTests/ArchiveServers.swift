#if Collector && canImport(Glibc)
    import Glibc
    @testable import LogbookCollector
    import LogbookCore
    import LogbookHTTP
    import LogbookTestKit
    import Testing

    private func isInstalled(_ command: String) -> Bool {
        (try? ChildProcess.run(["sh", "-c", command], by: .seconds(60))) == .exited(0)
    }

    /// Not on the pool that runs the other tests: this waits for servers.
    func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            LogThread.start("servers") { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Tries until it works; what it says last is thrown after a minute, or when the program has ended.
    func eventually<Value>(while process: ChildProcess? = nil, _ body: () throws -> Value) throws -> Value {
        let deadline = LogDeadline.seconds(60)
        while true {
            do { return try body() } catch {
                if deadline.hasPassed || (process != nil && process?.end != nil) { throw error }
                usleep(20_000)
            }
        }
    }

    /// A PostgreSQL server of the machine's, in a folder of its own, with databases for tests.
    final class PostgresServer: Sendable {
        static let isPossible = isInstalled("ls /usr/lib/postgresql/*/bin/initdb")
        private let folder = ScratchFolder()
        private let port: UInt16
        private let process = Locked<ChildProcess?>(nil)
        private let databases = Locked(0)
        /// PostgreSQL does not run as root.
        private let asPostgres = geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []

        init() throws {
            port = try FreePorts.take(1)[0]
            if geteuid() == 0, try ChildProcess.run(["chown", "postgres", folder.path]) != .exited(0) {
                throw ScriptedFailure("there is no user postgres")
            }
            let made = try ChildProcess.run(
                asPostgres + [
                    "sh", "-c", "exec $(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)/initdb -D data -A trust -U postgres --no-sync -E UTF8 --locale=C.UTF-8",
                ], in: folder.path, errors: folder.path + "/initdb")
            guard made == .exited(0) else { throw ScriptedFailure("initdb: \(folder.text("initdb") ?? "")") }
            try start()
        }

        deinit {
            process.withLock { process in
                process?.signal(SIGQUIT)
                process?.wait(by: .seconds(10))
            }
        }

        func start() throws {
            let child = try ChildProcess(
                asPostgres + [
                    "sh", "-c",
                    """
                    exec $(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)/postgres -D data -c listen_addresses=127.0.0.1 \
                    -p \(port) -k "$PWD" -c shared_buffers=32MB -c fsync=off -c max_connections=60
                    """,
                ], in: folder.path, errors: folder.path + "/log")
            process.withLock { $0 = child }
            _ = try eventually(while: child) { try connection(to: "postgres") }
        }

        func kill() {
            process.withLock { process in
                process?.signal(SIGKILL)
                process?.wait()
            }
        }

        /// After ``kill()``. What it has left may have to go first.
        func startAgain() throws { try eventually { try start() } }

        func address(of database: String) -> String { "postgres://postgres@127.0.0.1:\(port)/\(database)" }

        func makeDatabase() throws -> String {
            let name = databases.withLock { number in
                number += 1
                return "t\(number)"
            }
            _ = try connection(to: "postgres").execute("CREATE DATABASE \(name)")
            return address(of: name)
        }

        private func connection(to database: String) throws -> PostgresConnection {
            try PostgresConnection(PostgresAddress(address(of: database)))
        }

        /// The first column of the first row.
        func ask(_ address: String, _ sql: String) throws -> String? {
            try PostgresConnection(PostgresAddress(address)).execute(sql).rows.first?.first ?? nil
        }
    }

    /// A ClickHouse server of the machine's, in a folder of its own.
    final class ClickHouseServer: Sendable {
        static let isPossible = isInstalled("command -v clickhouse-server")
        let httpPort: UInt16
        let tcpPort: UInt16
        private let interserverPort: UInt16
        private let folder = ScratchFolder()
        private let process = Locked<ChildProcess?>(nil)
        private let databases = Locked(0)

        init() throws {
            let ports = try FreePorts.take(3)
            (httpPort, tcpPort, interserverPort) = (ports[0], ports[1], ports[2])
        }

        deinit { _ = process.withLock { $0?.wait(by: .now) } }

        /// - Parameter more: Of the configuration: clusters, macros.
        func start(_ more: String = "") throws {
            folder.write(
                "config.xml",
                """
                <yandex><logger><level>warning</level><log>./log</log><errorlog>./errors</errorlog></logger>
                <http_port>\(httpPort)</http_port><tcp_port>\(tcpPort)</tcp_port><interserver_http_port>\(interserverPort)</interserver_http_port>
                <listen_host>127.0.0.1</listen_host><interserver_http_host>127.0.0.1</interserver_http_host>
                <path>./data/</path><tmp_path>./tmp/</tmp_path><users_config>users.xml</users_config>
                <default_profile>default</default_profile><default_database>default</default_database>
                <mark_cache_size>67108864</mark_cache_size>\(more)</yandex>
                """)
            folder.write(
                "users.xml",
                """
                <yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password></password>
                <networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
                <logbook><password>p@ss'word</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
                <quota>default</quota></logbook></users></yandex>
                """)
            try startAgain()
        }

        func startAgain() throws {
            let child = try ChildProcess(
                ["clickhouse-server", "--config-file=config.xml"], in: folder.path, output: folder.path + "/said",
                errors: folder.path + "/complained")
            process.withLock { $0 = child }
            try eventually(while: child) { _ = try ask("SELECT 1") }
        }

        func kill() {
            process.withLock { process in
                process?.signal(SIGKILL)
                process?.wait()
            }
        }

        func address(of database: String) -> String { "clickhouse://127.0.0.1:\(httpPort)/\(database)" }

        func makeDatabase() throws -> String {
            let name = databases.withLock { number in
                number += 1
                return "t\(number)"
            }
            _ = try ask("CREATE DATABASE \(name)")
            return address(of: name)
        }

        @discardableResult
        func ask(_ sql: String) throws -> String {
            let answer = try CurlTransport.shared.sendAndWait(
                HTTPRequest(url: "http://127.0.0.1:\(httpPort)/", body: Array(sql.utf8)), by: .seconds(60))
            if answer.status != 200 { throw ScriptedFailure(answer.text) }
            return answer.text
        }
    }

    /// The engines behind an archive.
    enum ArchiveKind: String, Sendable, CaseIterable, CustomTestStringConvertible {
        case sqlite, postgres, clickHouse

        var testDescription: String { rawValue }

        /// Those whose servers are installed here.
        static let available = allCases.filter { kind in
            switch kind {
            case .sqlite: true
            case .postgres: PostgresServer.isPossible
            case .clickHouse: ClickHouseServer.isPossible
            }
        }

        /// Those that are servers.
        static let servers = available.filter { $0 != .sqlite }
    }

    /// The servers that the tests of one suite share; each test has a database of its own.
    struct ArchiveServers: Sendable {
        @TaskLocal static var current: ArchiveServers?
        let postgres: PostgresServer?
        let clickHouse: ClickHouseServer?

        /// For archives in files; it goes away with the suite.
        let folder: TemporaryFolder
        private let files = Locked(0)

        init(postgres: PostgresServer?, clickHouse: ClickHouseServer?) throws {
            self.postgres = postgres
            self.clickHouse = clickHouse
            folder = try TemporaryFolder()
        }

        /// An archive that holds nothing, and where it is.
        static func open(_ kind: ArchiveKind) async throws -> (archive: any Archive, address: String) {
            let servers = try #require(current)
            return try await onThread {
                let address =
                    switch kind {
                    case .sqlite: "sqlite:" + servers.folder("\(servers.next()).sqlite")
                    case .postgres: try #require(servers.postgres).makeDatabase()
                    case .clickHouse: try #require(servers.clickHouse).makeDatabase()
                    }
                return (try ArchiveURL.open(address), address)
            }
        }
    }

    extension ArchiveServers {
        private func next() -> Int {
            files.withLock { number in
                number += 1
                return number
            }
        }
    }

    /// Starts the servers before the suite and stops them after it.
    struct ArchiveServersTrait: SuiteTrait, TestScoping {
        func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
            let servers = try await onThread {
                let clickHouse = ClickHouseServer.isPossible ? try ClickHouseServer() : nil
                try clickHouse?.start()
                return try ArchiveServers(postgres: PostgresServer.isPossible ? PostgresServer() : nil, clickHouse: clickHouse)
            }
            try await ArchiveServers.$current.withValue(servers) { try await function() }
            // Stopping waits, so it is not left to whoever lets go last.
            try await onThread { withExtendedLifetime(servers) {} }
        }
    }

    extension Trait where Self == ArchiveServersTrait {
        static var archiveServers: ArchiveServersTrait { ArchiveServersTrait() }
    }
#endif
