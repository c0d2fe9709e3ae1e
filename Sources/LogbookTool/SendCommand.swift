#if Collector
    internal import ArgumentParser
    internal import LogbookCore
    internal import LogbookDelivery
    internal import LogbookHTTP
    internal import LogbookRemote
    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    struct SendCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "send", abstract: "Sends a log, line by line, to a receiver of any kind.",
            discussion: """
                The address names the kind of receiver: collector://host, elasticsearch://host/index, loki://host?job=checkout, \
                otlp://host?service=checkout, splunk://host, datadog://site, clickhouse://host/table?user=name, loggly://tag, \
                logstash://host, s3://bucket/prefix?region=eu-central-1, cloudwatch://group/stream?region=eu-central-1, or http:// and \
                https:// for anything that takes JSON lines. A group's slashes stay: cloudwatch:///aws/lambda/checkout/till-7. The keys of \
                Amazon's kinds stand in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, and &endpoint=https://... is \
                another service than Amazon's. The connection is TLS unless the host is this machine; loki+https://127.0.0.1 says \
                otherwise. The tool speaks plain HTTP to this machine only; in code, CurlTransport(allowsPlainHTTP: true) reaches \
                others. Lines of any of Logbook's formats become their events, others are text. Lines with a key keep it, so a receiver \
                that stores a key once stores them once, however often they are sent. A line of more than 1 MiB comes in pieces, each an \
                event; which line that was is said on standard error, and how many were cut in the end. Exits with 0 when everything was \
                received, with 64, and nothing read, when nothing can ever be sent to the address, with 65 when the receiver will never \
                take some of it, with 66 when the file cannot be opened, with 73 when \
                the folder of --dead-letters cannot be, with 74 when the input cannot be read to its end, or what became of it cannot be \
                written, such as to a full disk, and with 75 when something was not received.
                """)

        @Argument(help: "The file; standard input when there is none.")
        var file: String?

        @Option(help: ArgumentHelp("Where to send it.", valueName: "address"))
        var to: String

        @OptionGroup var tokens: TokenOptions

        @Option(
            help: ArgumentHelp(
                """
                A folder for what the receiver will never take, where it says which lines those are; of more than 1000 letters, or 64 MiB \
                of them, the oldest go.
                """,
                valueName: "path"))
        var deadLetters: String?

        @Option(
            help: """
                Seconds to go on trying while the receiver takes nothing; they begin anew with everything it takes, and input that is \
                still to come is waited for.
                """)
        var deadline = 600.0

        func validate() throws {
            guard (0...86_400 * 365).contains(deadline) else {
                throw ValidationError("The deadline must be 0 seconds to a year.")
            }
        }

        func run() throws {
            let destination: any LogDestination
            do {
                let token = try tokens.secret(takesVariable: DestinationAddress.isCollector(to))
                destination = try DestinationAddress.destination(to, token: token)
                // Before anything is read that would be gone then.
                if let reason = HTTPRequest.refusal(of: try DestinationAddress.probe(to, token: token).request.url) {
                    throw ValidationError("Nothing can be sent to the address: \(reason).")
                }
            } catch let error as DestinationAddressError {
                throw ValidationError("\(error)")
            }
            let descriptor = try file.map { path in try Self.opened(path) } ?? 0
            let letters: DeadLetterFolder?
            do {
                letters = try deadLetters.map { path throws(DeadLetterError) in try DeadLetterFolder(at: path) }
            } catch {
                Terminal.say("logbook send: \(error)\n")
                throw ExitCode(73)
            }
            try send(to: destination, letters, from: descriptor)
        }

        private static func opened(_ path: String) throws -> Int32 {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            var facts = stat()
            if descriptor >= 0, fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR {
                close(descriptor)
                Terminal.say("logbook send: \(path) is a folder: give one of its files; logbook ship sends a log's files whole\n")
                throw ExitCode(66)
            }
            if descriptor >= 0 { return descriptor }
            Terminal.say("logbook send: cannot read \(path): \(SystemError.text(of: errno))\n")
            throw ExitCode(66)
        }

        /// What the sender has thrown: nothing is kept here but what stands in a file.
        private func words(for failure: any Error) -> String {
            switch failure {
            case CourierError.misconfigured(_, let reason): "the receiver refuses us: \(reason); correct the token or the address"
            case let error as SystemError: "\(file ?? "standard input"): \(error)"
            default: "\(failure)"
            }
        }

        private func send(to destination: some LogDestination, _ letters: DeadLetterFolder?, from descriptor: Int32) throws {
            let progress = SendProgress(of: descriptor)
            let sender = LineSender(
                to: destination, deadLetters: letters, onEvent: { _ in progress.show() }, onCut: { progress.tellOfCut(line: $0) }
            ) { maximumBytes in
                try Input.next(maximumBytes, from: descriptor)
            }
            progress.watch(sender)
            var failure: (any Error)?
            do { try sender.send(patience: .seconds(deadline)) } catch { failure = error }
            progress.end()
            let ledger = sender.ledger
            let cut = sender.cutCount > 0 ? ", \(sender.cutCount) cut" : ""
            let ending = Terminal.print(
                "\(ledger.delivered) received, \(ledger.droppedTotal) refused, \(ledger.pending) not received\(cut)\n")
            if let failure {
                Terminal.say("logbook send: \(withoutControls(words(for: failure)))\n")
                if file == nil, ledger.pending > 0 {
                    Terminal.say("logbook send: what of standard input was read and not received is kept nowhere\n")
                }
                if !sender.isAtEnd {
                    let lines = sender.lineCount == 1 ? "1 line was" : "\(sender.lineCount) lines were"
                    Terminal.say("logbook send: \(lines) read, and the end of the input was not reached\n")
                }
                throw ExitCode(failure is SystemError ? 74 : 75)
            }
            if ledger.droppedTotal > 0 { throw ExitCode(65) }
            try Terminal.seeEnd(ending, of: "send", as: "the answer")
        }
    }

    /// What a receiver has said may end on a terminal: what steers that, or turns text around, is a space there.
    private func withoutControls(_ text: String) -> String {
        var shown = ""
        for character in text.unicodeScalars {
            shown.unicodeScalars.append(character.mayForge ? Unicode.Scalar(UInt8(0x20)) : character)
        }
        return shown
    }

    /// One line on a terminal that says how far it is; nothing where errors go to a file.
    private final class SendProgress: Sendable {
        private let isShown = isatty(2) == 1
        private let total: Int
        private let sender = Locked<LineSender?>(nil)

        init(of descriptor: Int32) {
            var found = stat()
            total = fstat(descriptor, &found) == 0 && found.st_mode & S_IFMT == S_IFREG ? Int(found.st_size) : 0
        }

        func watch(_ sender: LineSender) { self.sender.withLock { $0 = sender } }

        func show() {
            guard isShown, let sender = sender.withLock({ $0 }) else { return }
            let share = total > 0 ? " \(min(100, sender.settledBytes * 100 / total)) %" : ""
            let trouble = sender.status.latestAnswer.map { ", " + withoutControls(String($0.prefix(60))) } ?? ""
            Terminal.say("\r\u{1B}[K\(sender.ledger.delivered) received\(share)\(trouble)")
        }

        func tellOfCut(line: UInt64) {
            let limit = LineSender.maximumLineBytes >> 20
            Terminal.say((isShown ? "\r\u{1B}[K" : "") + "logbook send: line \(line) is longer than \(limit) MiB and comes in pieces\n")
        }

        func end() {
            sender.withLock { $0 = nil }
            if isShown { Terminal.say("\r\u{1B}[K") }
        }
    }
#endif
