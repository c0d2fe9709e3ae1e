#if Collector
    internal import ArgumentParser
    internal import Foundation
    internal import Logbook
    internal import LogbookHTTP
    internal import LogbookPipe
    internal import LogbookRemote

    struct PipeCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pipe", abstract: "Reads lines from standard input and logs each as an event.",
            discussion: """
                Level words, time stamps, JSON lines and the lines of a Logbook are recognised. Nothing that was read is lost on its way; \
                files are kept as --maximum-archives says, and nobody else's are touched. While a \
                provider cannot keep up, reading waits, and soon the program that logs and the other providers with it; what is waited \
                for is said after ten seconds. A remote that is away is waited for no longer than --deadline: then what it does not take \
                is saved in the file --undelivered, as long as it is away, and reading goes on. Where that file cannot be written, as on a \
                full disk, reading waits. The --token-file is read again for each request, and once a second: a new token ends the wait \
                after a refusal of the old one. The end of the input, SIGTERM, SIGINT and SIGHUP end it, and, where events go to \
                --console alone, a reader that has gone; then the providers have --deadline seconds. Of what is in the pipe when a \
                signal comes 1 MiB is still read. Exits with 0 when everything was delivered, and with 75 when something was not, the \
                reader has gone, or a signal left input unread; events that the remote did not take, or refused for good, are then saved \
                in the file --undelivered. Where it has not said which of a parcel it refuses, the whole parcel is: sent again, what it \
                has is stored once. Exits with 73, and reads nothing, when a file or folder that it writes to cannot be opened, and with \
                74 when the input could not be read to its end, or the summary could not be written, and what was read was delivered.
                """)

        enum Format: String, CaseIterable, ExpressibleByArgument { case text, article, json }

        @Flag(help: "Write events to standard output.")
        var console = false

        @Option(
            help: ArgumentHelp("Write events to files in this folder, made when there is none.", valueName: "folder"))
        var file: String?

        @Option(help: "The file's name: <name>.log.")
        var name = "app"

        @Option(help: "A file rolls before it grows beyond this.")
        var maximumBytes = RollingPolicy().maximumBytes

        @Option(help: "Rolled files to keep; beyond them the oldest is deleted. 0 keeps all.")
        var maximumArchives = RollingPolicy().maximumArchives

        @Option(
            help: """
                How lines are written to --console and --file: text, article or json. In article's, the style of the original, a line has \
                no room for the facts that were read beside its message (metadata).
                """)
        var format = Format.text

        @Option(
            help: ArgumentHelp(
                "Send events to the collector at this address; http:// reaches this machine only.", valueName: "url"))
        var remote: String?

        @OptionGroup var tokens: TokenOptions

        @Option(
            help: ArgumentHelp("The level of lines that name none. (default: info)", valueName: "level"),
            transform: parsedLevel)
        var level = LogLevel.info

        @Option(
            help: ArgumentHelp("The lowest level that is passed on. (default: verbose)", valueName: "level"),
            transform: parsedLevel)
        var from = LogLevel.verbose

        @Option(help: "Seconds that the providers have at the end, and that reading waits for a remote that is away.")
        var deadline = 60.0

        @Option(
            help: ArgumentHelp(
                "Write what became of the events, in columns between tabs; - for standard output.", valueName: "path"))
        var summary: String?

        @Option(
            help: ArgumentHelp(
                "Where events are saved that the remote did not take. (default: logbook-undelivered-<pid>.jsonl)",
                valueName: "path"))
        var undelivered: String?

        private static func parsedLevel(_ text: String) throws -> LogLevel {
            guard let level = LogLevel(name: text) else {
                throw ValidationError("A level is one of \(LogLevel.allCases.map(\.name).joined(separator: ", ")).")
            }
            return level
        }

        func validate() throws {
            if !console && file == nil && remote == nil {
                throw ValidationError("Say where to: --console, --file or --remote.")
            }
            if maximumBytes < 1 { throw ValidationError("--maximum-bytes must be 1 or more.") }
            if maximumArchives < 0 { throw ValidationError("--maximum-archives must be 0, which keeps all, or more.") }
            guard (0...86_400 * 365).contains(deadline) else {
                throw ValidationError("The deadline must be 0 seconds to a year.")
            }
            if let remote, !remote.hasPrefix("http://") && !remote.hasPrefix("https://") {
                throw ValidationError("The remote's address must begin with http:// or https://.")
            }
            if let remote, let reason = HTTPRequest.refusal(of: remote) {
                throw ValidationError("Nothing can be sent to the remote's address: \(reason).")
            }
        }

        func run() throws {
            let service = LogService()
            let stopper = Stopper()
            StopSignals.onFirst { _ in stopper.stop() }
            let rescue: String? =
                remote == nil ? nil : undelivered ?? "logbook-undelivered-\(ProcessInfo.processInfo.processIdentifier).jsonl"
            do {
                let outlets = try register(with: service) { stopper.program?.save($0, of: $1) }
                let session = try PipeSession(
                    whileReadAt: file == nil && remote == nil ? 1 : nil, into: service, recognizer: LineRecognizer(unknownLevel: level),
                    say: Terminal.say)
                let program = try PipeProgram(
                    session, service: service, outlets: outlets, patience: .seconds(deadline),
                    undelivered: rescue, summary: summary, say: Terminal.say)
                stopper.program = program
                let status = program.run()
                if status != .delivered { throw ExitCode(status.rawValue) }
            } catch let error as FileLogProviderError {
                Terminal.say("logbook pipe: \(error)\n")
                throw ExitCode(73)
            } catch let error as PipeError {
                var text = "logbook pipe: \(error)"
                if case .cannotWrite(let path, _) = error, path == rescue {
                    let folder = undelivered == nil ? ", in the folder \(FileManager.default.currentDirectoryPath)" : ""
                    text += "; events that the remote does not take are saved there\(folder): --undelivered names another place"
                }
                Terminal.say(text + "\n")
                throw ExitCode(73)
            }
        }

        /// Queues with more room than a pipe lets fill up before it waits.
        private static let queue = QueuePolicy(
            capacity: 1_000_000, maximumBytes: 1 << 40, linger: .milliseconds(5), overflow: .block(upTo: .seconds(60)))

        /// Has the events that a receiver will never take.
        private typealias OnRefused = @Sendable ([LogEvent], LogOrigin) -> Void

        /// What was read is written whole.
        private func register(with service: LogService, onRefused: @escaping OnRefused) throws -> [PipeProgram.Outlet] {
            switch format {
            case .text: try register(with: service, TextFormat.standard(limits: .highest), onRefused)
            case .article: try register(with: service, TextFormat.article(limits: .highest), onRefused)
            case .json: try register(with: service, JSONLineFormat(limits: .highest), onRefused)
            }
        }

        private func register(
            with service: LogService, _ format: some LogFormat, _ onRefused: @escaping OnRefused
        ) throws -> [PipeProgram.Outlet] {
            var outlets: [PipeProgram.Outlet] = []
            if let file {
                let provider = try FileLogProvider(
                    in: file, name: name, format: format,
                    rolling: RollingPolicy(maximumBytes: maximumBytes, maximumArchives: maximumArchives))
                outlets.append(.init(service.register(provider, from: from, delivery: .queued(Self.queue))))
            }
            if console {
                let provider = ConsoleLogProvider(format: format, patience: .seconds(86_400 * 365))
                outlets.append(.init(service.register(provider, from: from, delivery: .queued(Self.queue))))
            }
            if let remote {
                let origin = LogOrigin.ephemeral(), watch = TokenWatch(reading: try tokens.reading())
                let provider = RemoteLogProvider(
                    to: CollectorDestination(url: remote, readingToken: watch.token), origin: origin,
                    queue: RemoteQueuePolicy(maximumEvents: 10_000_000, maximumBytes: 1 << 40, overflow: .dropNewest),
                    onRefused: { onRefused($0, origin) })
                if tokens.mayChange { watch.tell { provider.reconfigured() } }
                outlets.append(
                    .init(
                        service.register(provider, from: from), origin: origin, undelivered: { provider.undelivered() },
                        handOver: { provider.handOver($0) }))
            }
            return outlets
        }
    }

    /// Where signals and threads find the program. A signal that comes before there is one is passed on to it as well.
    private final class Stopper: Sendable {
        private let state = Locked<(program: PipeProgram?, isStopped: Bool)>((nil, false))

        var program: PipeProgram? {
            get { state.withLock { $0.program } }
            set {
                let isStopped = state.withLock { state in
                    state.program = newValue
                    return state.isStopped
                }
                if isStopped { newValue?.stop() }
            }
        }

        func stop() {
            let program = state.withLock { state in
                state.isStopped = true
                return state.program
            }
            program?.stop()
        }
    }
#endif
