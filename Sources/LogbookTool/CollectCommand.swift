#if Collector
    internal import ArgumentParser
    internal import LogbookCollector
    internal import LogbookHTTP
    internal import LogbookPipe
    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    struct CollectCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "collect",
            abstract: "Receives transaction sets and log batches over HTTP, and stores each once.",
            discussion: """
                Prints "listening on http://127.0.0.1:8090" once it takes connections. SIGTERM and SIGINT let requests in progress \
                end. The token may also stand in the environment's LOGBOOK_TOKEN.

                Archives: sqlite:archive.sqlite, made when there is none; postgres://user@host:5432/database, its password in \
                PGPASSWORD or ~/.pgpass; clickhouse://user@host:8123/database, its password in CLICKHOUSE_PASSWORD, with \
                ?cluster=name for shards and replicas.
                """)

        @Option(help: ArgumentHelp("Where to store: sqlite:<path>, postgres://… or clickhouse://…", valueName: "archive"))
        var archive: String

        @Option(help: "The address to listen on.")
        var host = "127.0.0.1"

        @Option(help: "The port to listen on; 0 for any free one.")
        var port = 8090

        @OptionGroup var tokens: TokenOptions

        @Option(
            help: ArgumentHelp("One more path that takes transaction sets, beside /v1/transactions.", valueName: "path")
        )
        var transactionsPath: [String] = []

        @Option(
            help: ArgumentHelp("Keep whole files that are sent to /v1/files in this folder, made when there is none.", valueName: "folder"))
        var files: String?

        @Flag(help: "Start without a token, or where others can reach it although nothing is encrypted.")
        var insecure = false

        func run() throws {
            var configuration = CollectorConfiguration()
            configuration.host = host
            configuration.port = port
            configuration.token = try tokens.secret()
            configuration.transactionPaths += transactionsPath
            configuration.filesFolder = files
            configuration.isInsecure = insecure
            do throws(CollectorError) {
                let program = try CollectorProgram(
                    configuration, archive: archive, clickHousePassword: getenv("CLICKHOUSE_PASSWORD").map { Secret(String(cString: $0)) })
                signal(SIGXFSZ, SIG_IGN)  // a file that must not grow is a full disk, not the end
                StopSignals.onFirst { _ in program.stop() }
                try program.run { url in Terminal.print("listening on \(url)\n") }
            } catch {
                Terminal.say("logbook collect: \(error)\n")
                throw ExitCode(error.exitStatus)
            }
        }
    }
#endif
