#if Collector
    internal import ArgumentParser
    internal import CLogbookSystem
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
                end. Without --tokens the token may also stand in the environment's LOGBOOK_TOKEN. The one of --token, --token-file or the \
                variable allows everything, for the tenant "default"; beside --tokens it must be none of that file's. Exits with 64 for \
                settings or an archive's address that cannot be, or as root without --allow-root, with 69 when the address is taken or the \
                archive is in use or cannot be reached, with 73 when its file cannot be opened or has no room to be upgraded, or no files \
                can be kept in the folder of --files, and with 78 when it is of a newer version or no archive.

                Archives: sqlite:archive.sqlite, made when there is none; postgres://user@host:5432/database, its password in \
                PGPASSWORD or ~/.pgpass; clickhouse://user@host:8443/database?secure=1, its password in CLICKHOUSE_PASSWORD. \
                ClickHouse on this machine needs no secure=1; its port is 8123 then.
                """,
            subcommands: [CollectTokenCommand.self])

        @Option(help: ArgumentHelp("Where to store: sqlite:<path>, postgres://… or clickhouse://…", valueName: "archive"))
        var archive: String?

        @Option(help: "The address to listen on.")
        var host = "127.0.0.1"

        @Option(help: "The port to listen on; 0 for any free one.")
        var port = 8090

        @OptionGroup var token: TokenOptions

        @Option(
            help: ArgumentHelp(
                "A file of tokens with their tenants and scopes, for its owner's eyes alone; read again when it changes. See: logbook collect token new.",
                valueName: "path"))
        var tokens: String?

        @Option(help: ArgumentHelp("Speak TLS: the certificate, and those that vouch for it, in PEM.", valueName: "path"))
        var tlsCertificate: String?

        @Option(help: ArgumentHelp("The certificate's key, in PEM.", valueName: "path"))
        var tlsKey: String?

        @Option(
            help: ArgumentHelp("One more path that takes transaction sets, beside /v1/transactions.", valueName: "path")
        )
        var transactionsPath: [String] = []

        @Option(
            help: ArgumentHelp("Keep whole files that are sent to /v1/files in this folder, made when there is none.", valueName: "folder"))
        var files: String?

        @Option(
            help: ArgumentHelp(
                "Remove what is older than so many days, 1 to 36500, at the start and every hour. (default: never)", valueName: "days"))
        var keep: Int?

        @Option(
            help: ArgumentHelp(
                "Remove whole files that came more than so many days ago, 1 to 36500, at the start and every hour. (default: never)",
                valueName: "days"))
        var keepFiles: Int?

        @Option(
            help: ArgumentHelp(
                "Bytes that SQLite's archive stores at most, about, 67108864 or more: beyond them the oldest is removed, until 95 % are left. Files of --files are not counted. (default: any number)",
                valueName: "count"))
        var keepSize: Int?

        @Option(help: ArgumentHelp("Requests that a token may make in a minute.", valueName: "count"))
        var requestsPerMinute: Int?

        @Option(help: ArgumentHelp("Bytes that a tenant may send in a day.", valueName: "count"))
        var bytesPerDay: Int?

        @Option(help: ArgumentHelp("Bytes that all tenants together may send in a day.", valueName: "count"))
        var bytesPerDayTotal: Int?

        @Option(
            help: ArgumentHelp(
                "Bytes that stay free on the disk of SQLite's archive: with less, nothing is taken but what fits where something was removed. With less on the disk of --files, no file is. (default: 67108864)",
                valueName: "count"))
        var keepFree: Int?

        @Option(help: ArgumentHelp("Connections at the same time.", valueName: "count"))
        var connections: Int?

        @Option(
            help: ArgumentHelp(
                "Of these, from one address: for a collector behind a load balancer or a NAT, as many as --connections. (default: 64)",
                valueName: "count"))
        var connectionsPerAddress: Int?

        @Flag(help: "Start without a token, or where others can reach it although nothing is encrypted or the token is short.")
        var insecure = false

        @Flag(help: "Start as root, where there is no user of its own to run it as, as in many a container.")
        var allowRoot = false

        /// A hundred years. Beyond them nothing would be removed, and not much later a time is no number any more.
        private static let mostDays = 36_500

        func validate() throws {
            for (days, option) in [(keep, "--keep"), (keepFiles, "--keep-files")] {
                if let days, !(1...Self.mostDays).contains(days) {
                    throw ValidationError("The days of \(option) must be 1 to \(Self.mostDays); without it everything is kept.")
                }
            }
        }

        func run() throws {
            guard let archive else { throw ValidationError("Say where to store: --archive sqlite:<path>.") }
            var configuration = CollectorConfiguration()
            configuration.host = host
            configuration.port = port
            configuration.token = try token.secret(takesVariable: tokens == nil)
            configuration.tokenFile = tokens
            configuration.tlsCertificate = tlsCertificate
            configuration.tlsKey = tlsKey
            configuration.keep = keep.map { .seconds($0 * 86_400) }
            configuration.keepFiles = keepFiles.map { .seconds($0 * 86_400) }
            configuration.keepBytes = keepSize
            configuration.maximumRequestsPerMinute = requestsPerMinute
            configuration.maximumBytesPerDay = bytesPerDay
            configuration.maximumBytesPerDayOfAll = bytesPerDayTotal
            if let keepFree { configuration.keepFreeBytes = keepFree }
            if let connections { configuration.connections.maximum = connections }
            if let connectionsPerAddress { configuration.connections.maximumPerAddress = connectionsPerAddress }
            configuration.transactionPaths += transactionsPath
            configuration.filesFolder = files
            configuration.ownFiles = [token.tokenFile].compactMap(\.self)
            configuration.isInsecure = insecure
            do throws(CollectorError) {
                try checkUser()
                logbook_give_back_large_memory()   // bodies and what they are inflated to
                let program = try CollectorProgram(
                    configuration, archive: archive, clickHousePassword: getenv("CLICKHOUSE_PASSWORD").map { Secret(String(cString: $0)) })
                // The file of tokens is read again when it changes; whoever says so with this signal does not mean the end.
                if tokens != nil { signal(SIGHUP, SIG_IGN) }
                signal(SIGXFSZ, SIG_IGN)  // a file that must not grow is a full disk, not the end
                StopSignals.onFirst { _ in program.stop() }
                try program.run { url in Terminal.print("listening on \(url)\n") }
            } catch {
                Terminal.say("logbook collect: \(error)\n")
                throw ExitCode(error.exitStatus)
            }
        }

        /// What others send is read here: whoever found a way in would have all that the user may do.
        private func checkUser() throws(CollectorError) {
            guard geteuid() == 0, !allowRoot else { return }
            throw .invalid("a collector needs no root: run it as a user of its own that may write its archive, or say --allow-root")
        }
    }
#endif
