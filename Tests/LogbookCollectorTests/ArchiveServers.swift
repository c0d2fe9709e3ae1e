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
        private let folder = TemporaryFolder()
        private let port: UInt16
        private let process = Locked<ChildProcess?>(nil)
        private let databases = Locked(0)
        private let options: String
        /// PostgreSQL does not run as root.
        private let asPostgres = geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []

        /// - Parameter options: Of the server.
        init(_ options: String = "") throws {
            self.options = options
            port = try FreePorts.take(1)[0]
            if geteuid() == 0, try ChildProcess.run(["chown", "postgres", folder.path]) != .exited(0) {
                throw ScriptedFailure("there is no user postgres")
            }
            let made = try ChildProcess.run(
                asPostgres + [
                    "sh", "-c", "exec $(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)/initdb -D data -A trust -U postgres --no-sync -E UTF8 --locale=C.UTF-8",
                ], in: folder.path, errors: folder.path + "/initdb")
            guard made == .exited(0) else { throw ScriptedFailure("initdb: \(folder.text("initdb"))") }
            try start()
        }

        deinit { stop() }

        func stop() {
            process.withLock { process in
                process?.signal(SIGQUIT)
                process?.wait(by: .seconds(10))
                process = nil
            }
        }

        func start() throws {
            let child = try ChildProcess(
                asPostgres + [
                    "sh", "-c",
                    """
                    exec $(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)/postgres -D data -c listen_addresses=127.0.0.1 \
                    -p \(port) -k "$PWD" -c shared_buffers=32MB -c fsync=off -c max_connections=200 \(options)
                    """,
                ], in: folder.path, errors: folder.path + "/log")
            process.withLock { $0 = child }
            _ = try eventually(while: child) { try connection(to: "postgres") }
        }

        /// With its processes for connections, which would answer until they are idle.
        func kill() { process.withLock { $0?.killWithChildren() } }

        /// After ``kill()``. What it has left may have to go first.
        func startAgain() throws { try eventually { try start() } }

        func address(of database: String) -> String { "postgres://postgres@127.0.0.1:\(port)/\(database)" }

        /// - Parameter options: Of `CREATE DATABASE`.
        func makeDatabase(_ options: String = "") throws -> String {
            let name = databases.withLock { number in
                number += 1
                return "t\(number)"
            }
            _ = try connection(to: "postgres").execute("CREATE DATABASE \(name) \(options)")
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

    extension ClickHouseServer {
        /// The current engine of ClickHouse, asked over HTTP.
        static let engine = "\(#filePath)".split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/clickhouse-engine.py"
        static let hasEngine = isInstalled("python3 -c 'import chdb'")
    }

    /// The engines behind an archive.
    enum ArchiveKind: String, Sendable, CaseIterable, CustomTestStringConvertible {
        case sqlite, postgres, clickHouse, clickHouseEngine, clickHouseShards, clickHouseReplicas

        var testDescription: String { rawValue }

        /// Those whose servers are installed here.
        static let available = allCases.filter { kind in
            switch kind {
            case .sqlite: true
            case .postgres: PostgresServer.isPossible
            case .clickHouse: ClickHouseServer.isPossible
            case .clickHouseEngine: ClickHouseServer.hasEngine
            case .clickHouseShards, .clickHouseReplicas: ClickHouseCluster.isPossible
            }
        }

        /// Those that are servers.
        static let servers = available.filter { $0 != .sqlite }
        /// Those that are one server.
        static let single = servers.filter { [.postgres, .clickHouse, .clickHouseEngine].contains($0) }

        var isClickHouse: Bool { ![.sqlite, .postgres].contains(self) }
    }

    /// The servers that the tests of one suite share; each test has a database of its own.
    struct ArchiveServers: Sendable {
        @TaskLocal static var current: ArchiveServers?
        var postgres: PostgresServer?
        var clickHouse: ClickHouseServer?
        var clickHouseEngine: ClickHouseServer?
        var clickHouseShards: ClickHouseCluster?
        var clickHouseReplicas: ClickHouseCluster?

        /// For archives in files; it goes away with the suite.
        let folder = TemporaryFolder()
        private let files = Locked(0)

        /// All that are installed here.
        static func startAll() throws -> ArchiveServers {
            var servers = ArchiveServers()
            if PostgresServer.isPossible { servers.postgres = try PostgresServer() }
            if ClickHouseServer.isPossible {
                servers.clickHouse = try ClickHouseServer()
                try servers.clickHouse?.start()
            }
            if ClickHouseServer.hasEngine {
                servers.clickHouseEngine = try ClickHouseServer(running: ClickHouseServer.engine)
                try servers.clickHouseEngine?.start()
            }
            if ClickHouseCluster.isPossible {
                servers.clickHouseShards = try ClickHouseCluster(.shards)
                servers.clickHouseReplicas = try ClickHouseCluster(.replicas)
            }
            return servers
        }

        /// A database that holds nothing, or a file that is not there yet.
        func makeDatabase(_ kind: ArchiveKind) throws -> String {
            switch kind {
            case .sqlite:
                let number = files.withLock { number in
                    number += 1
                    return number
                }
                return "sqlite:" + folder("\(number).sqlite")
            case .postgres: return try #require(postgres).makeDatabase()
            case .clickHouse: return try #require(clickHouse).makeDatabase()
            case .clickHouseEngine: return try #require(clickHouseEngine).makeDatabase()
            case .clickHouseShards: return try #require(clickHouseShards).makeDatabase()
            case .clickHouseReplicas: return try #require(clickHouseReplicas).makeDatabase()
            }
        }

        /// The server that an archive asks first.
        func clickHouse(_ kind: ArchiveKind) throws -> ClickHouseServer {
            switch kind {
            case .clickHouseEngine: try #require(clickHouseEngine)
            case .clickHouseShards: try #require(clickHouseShards).servers[0]
            case .clickHouseReplicas: try #require(clickHouseReplicas).servers[0]
            default: try #require(clickHouse)
            }
        }

        /// All servers of it.
        func clickHouseServers(_ kind: ArchiveKind) throws -> [ClickHouseServer] {
            switch kind {
            case .clickHouseShards: try #require(clickHouseShards).servers
            case .clickHouseReplicas: try #require(clickHouseReplicas).servers
            default: [try clickHouse(kind)]
            }
        }

        /// An archive that holds nothing, and where it is.
        static func open(_ kind: ArchiveKind) async throws -> (archive: any Archive, address: String) {
            let servers = try #require(current)
            return try await onThread {
                let address = try servers.makeDatabase(kind)
                return (try ArchiveURL.open(address), address)
            }
        }

        func stop() {
            postgres?.stop()
            clickHouse?.kill()
            clickHouseEngine?.kill()
            clickHouseShards?.kill()
            clickHouseReplicas?.kill()
        }

        /// Of servers that have ended although nobody has ended them.
        fileprivate var trouble: String? { clickHouse?.trouble ?? clickHouseEngine?.trouble ?? clickHouseShards?.trouble ?? clickHouseReplicas?.trouble }
    }

    /// Starts the servers before the suite and stops them after it.
    struct ArchiveServersTrait: SuiteTrait, TestScoping {
        func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
            let servers = try await onThread { try ArchiveServers.startAll() }
            try await ArchiveServers.$current.withValue(servers) { try await function() }
            if let trouble = servers.trouble { Issue.record("\(trouble)") }
            // Not left to whoever lets go last: the program may have ended before.
            await onThread { servers.stop() }
        }
    }

    extension Trait where Self == ArchiveServersTrait {
        static var archiveServers: ArchiveServersTrait { ArchiveServersTrait() }
    }
#endif
