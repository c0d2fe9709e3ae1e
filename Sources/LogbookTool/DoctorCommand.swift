#if Collector
    internal import ArgumentParser
    internal import LogbookCore
    internal import LogbookHTTP
    internal import LogbookRemote

    struct DoctorCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "doctor", abstract: "Finds out what keeps a program from logging, and says it in words.",
            discussion: """
                Looks at LOGBOOK_ENVIRONMENT and LOGBOOK_LEVEL, at folders (can they be written, is there room, who else may write \
                there) and at receivers, by the addresses that logbook send takes (name, connection, certificate, clock, token). Where \
                a receiver has no question that wants the token and stores nothing, it says that the token was not tried. It stores \
                nothing anywhere. Run it as the user that the program runs as. Exits with 0 when nothing is wrong, with 1 when \
                something is, and with 74 when what was found cannot be written, such as to a full disk.
                """)

        @Option(help: ArgumentHelp("A folder of log files, a spool, or the folder of a store; again for more.", valueName: "path"))
        var folder: [String] = []

        @Option(help: ArgumentHelp("A receiver; again for more.", valueName: "address"))
        var to: [String] = []

        @OptionGroup var tokens: TokenOptions

        func run() throws {
            var doctor = Doctor()
            let token = try tokens.secret(takesVariable: false) { doctor.doubt($0, $1) }
            let collectorToken = try token ?? tokens.secret(takesVariable: true)
            doctor.lookAtEnvironment()
            for path in folder { doctor.lookAtFolder(path) }
            for address in to {
                do throws(DestinationAddressError) {
                    let isCollector = DestinationAddress.isCollector(address)
                    try doctor.lookAtReceiver(address, token: isCollector ? collectorToken : token, over: CurlTransport.shared)
                } catch { throw ValidationError("\(error)") }
            }
            if doctor.findings.isEmpty {
                throw ValidationError("There is nothing to look at: give --folder or --to.")
            }
            for finding in doctor.findings {
                let line = "\(finding.verdict.rawValue)\t\(finding.about): \(finding.text)\n"
                try Terminal.seeEnd(Terminal.print(line), of: "doctor", as: "the findings")
            }
            if doctor.hasFoundFaults { throw ExitCode(1) }
        }
    }
#endif
