#if Collector
    internal import ArgumentParser
    internal import LogbookCore
    internal import LogbookDelivery
    internal import LogbookFiles
    internal import LogbookHTTP
    internal import LogbookUploads

    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    struct ShipCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ship", abstract: "Uploads the rolled files of a log that nobody has received yet.",
            discussion: """
                For files that a program has left, or beside it: no file is sent by both, and what another program has in hand is waited \
                for until the deadline. Each is deleted once the receiver has it. \
                The address may hold {id}, and with --put must; with --collector it is a collector's, and files go to \
                <url>/v1/files/{id}. Exits with 0 when everything was received, with 66 when the folder, or the log's manifest in it, \
                cannot be read or there is no such log, with 74 when everything was received, but that cannot be written, such as to a \
                full disk, and with 75 when something was not received, which stays.
                """)

        @Argument(help: "The log's folder.")
        var folder: String

        @Option(help: ArgumentHelp("Where to send files; http:// reaches this machine only.", valueName: "url"))
        var to: String

        @Option(help: "The log's name: <name>.log.")
        var name = "app"

        @Flag(help: "The address is that of a Logbook collector.")
        var collector = false

        @Flag(help: "Send PUT instead of POST, each file to an address of its own.")
        var put = false

        @Flag(help: "Close the active file first, and send it as well. A program that writes to it goes on with a new one.")
        var roll = false

        @Flag(help: "Send compressed files as they are.")
        var gzip = false

        @Flag(help: "Send files again that an earlier run has set aside, because the receiver would not take them.")
        var again = false

        @OptionGroup var tokens: TokenOptions

        @Option(help: "Seconds to go on trying.")
        var deadline = 600.0

        func validate() throws {
            if !to.hasPrefix("http://") && !to.hasPrefix("https://") {
                throw ValidationError("The address must begin with http:// or https://.")
            }
            if let reason = HTTPRequest.refusal(of: to.replacing("{id}", with: "id")) {
                throw ValidationError("Nothing can be sent to the address: \(reason).")
            }
            if put && !collector && !to.contains("{id}") {
                throw ValidationError("With --put the address must hold {id}: without it each file takes the place of the one before.")
            }
            guard (0...86_400 * 365).contains(deadline) else {
                throw ValidationError("The deadline must be 0 seconds to a year.")
            }
        }

        func run() throws {
            let token = try tokens.secret(takesVariable: collector)
            var request = collector ? UploadRequest.collector(at: to, token: token) : UploadRequest(url: to)
            if put { request.method = .put }
            request.takesGzip = gzip
            if !collector, let token { request.headers = [HTTPHeader("Authorization", "Bearer " + token.revealed)] }
            let unwritten = Locked<Terminal.Ending?>(nil)
            do {
                // The uploader would make a folder that is not there, and a roll the log.
                if let remedy = LogPlace.remedy(for: folder) {
                    Terminal.say("logbook ship: \(remedy)\n")
                    throw ExitCode(66)
                }
                if try !LogFileReader(in: folder, name: name).isThere() {
                    Terminal.say("logbook ship: there is no log with the name \(name) in \(folder)\n")
                    throw ExitCode(66)
                }
                let uploader = try LogUploader(of: folder, name: name, to: request) { event in
                    switch event {
                    case .delivered(let id):
                        let ending = Terminal.print("received \(id)\n")
                        if case .failed = ending { unwritten.withLock { $0 = ending } }
                    case .setAside(let id, let reason): Terminal.say("logbook ship: kept \(id): \(reason)\n")
                    case .cannotDelete(let id): Terminal.say("logbook ship: received, and cannot be deleted here: \(id)\n")
                    case .cannotRead(let id, let reason): Terminal.say("logbook ship: cannot read \(id), which stays: \(reason)\n")
                    case .refused, .willRetry, .attempting, .droppedByRetention: break
                    }
                }
                defer { uploader.shutdown(by: .seconds(2)) }
                if roll { try rollActiveFile() }
                if again { uploader.retrySetAside() }
                do { try deliver(uploader, by: .seconds(deadline)) } catch {
                    Terminal.say("logbook ship: \(error)\n")
                    if case .sourceUnreadable = error { throw ExitCode(66) }
                    throw ExitCode(75)
                }
                // Which these are has been said.
                if uploader.waitingCount > 0 || !uploader.unlistedFiles.isEmpty { throw ExitCode(75) }
                if let ending = unwritten.withLock({ $0 }) { try Terminal.seeEnd(ending, of: "ship", as: "what was received") }
            } catch let error as FileLogProviderError {
                Terminal.say("logbook ship: \(error)\n")
                throw ExitCode(66)
            }
        }

        private static let pauseMicroseconds: UInt32 = 100_000

        /// A program that writes to the log lets go of a file that somebody else has rolled with its next event, or within a second where
        /// its archives wait for delivery. Another uploader sends what it has in hand. Both are waited for.
        private func deliver(_ uploader: LogUploader, by deadline: LogDeadline) throws(CourierError) {
            while true {
                try uploader.deliver(by: deadline)
                guard uploader.passesOver, uploader.waitingCount > 0 else { return }
                if deadline.hasPassed {
                    return Terminal.say("logbook ship: \(uploader.waitingCount) files wait, some of them in another program's hands\n")
                }
                usleep(Self.pauseMicroseconds)
            }
        }

        /// Under limits that delete nothing: what may be given up is the program's to say.
        private func rollActiveFile() throws(FileLogProviderError) {
            let limits = RollingPolicy(awaitsDelivery: true, maximumUndeliveredBytes: 0)
            let file = try FileLogProvider(in: folder, name: name, rolling: limits)
            defer { file.close(by: .seconds(2)) }
            try file.roll()
        }
    }
#endif
