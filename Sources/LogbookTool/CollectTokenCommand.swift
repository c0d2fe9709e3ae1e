#if Collector
    internal import ArgumentParser
    internal import LogbookCollector
    internal import LogbookHTTP

    struct CollectTokenCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "token", abstract: "Makes tokens for a collector.", subcommands: [New.self])

        struct New: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "new", abstract: "Prints a new token, and the line of it for the file of --tokens.",
                discussion: """
                    The token is shown this once; the file holds its digest alone. Exits with 74 when they cannot be written, such as to a \
                    full disk.
                    """)

            @Option(help: "Whose data it is about.")
            var tenant = Tenant.standard

            @Option(help: "What it allows: write, read, erase, metrics, or admin for all of them; may be given several times.")
            var scope = ["write"]

            func run() throws {
                let token = CollectorToken.generate()
                let digest = CollectorToken(token).digest
                guard let entry = CollectorToken(line: "\(digest) \(tenant) \(scope.joined(separator: ","))") else {
                    throw ValidationError(
                        "A tenant has 1 to 64 letters, digits, dots, dashes and underscores; a scope is write, read, erase, metrics or admin.")
                }
                let ending = Terminal.print("token: \(token.revealed)\nline:  \(entry)\n")
                try Terminal.seeEnd(ending, of: "collect token new", as: "the token")
            }
        }
    }
#endif
