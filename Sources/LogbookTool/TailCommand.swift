#if Collector
    internal import ArgumentParser
    internal import LogbookConsole
    internal import LogbookCore
    internal import LogbookFiles
    internal import LogbookTail
    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    struct TailCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "tail", abstract: "Shows the end of a log, rolled and compressed files included.",
            discussion: """
                With --follow it goes on with what is written, across rolls, until it is interrupted, and waits for a log that is not \
                there yet. Lines are shown as they stand in the files. Exits with 0, also when nobody reads any more; with 66 when there \
                is no such folder or no such log, or a file cannot be read, such as a damaged one, or a link in the log's place; what can \
                be read of the log is shown all the same; and with 74 when the lines cannot be written, such as to a full disk.
                """)

        enum Colour: String, CaseIterable, ExpressibleByArgument { case auto, always, never }

        @Argument(help: "The log's folder, or its active file.")
        var folder: String

        @Option(help: "The log's name: <name>.log.")
        var name = "app"

        @Flag(name: .shortAndLong, help: "Go on with what is written.")
        var follow = false

        @Option(name: [.customShort("n"), .long], help: "How many lines are shown: the last that pass the filters.")
        var lines = 10

        @Flag(help: "Show all lines, from the oldest file on.")
        var all = false

        @Option(
            help: ArgumentHelp(
                "The lowest level that is shown. All lines are, as long as none has told its level: such as those of a layout of your own.",
                valueName: "level"),
            transform: { text in
                guard let level = LogLevel(name: text) else {
                    throw ValidationError("A level is one of \(LogLevel.allCases.map(\.name).joined(separator: ", ")).")
                }
                return level
            })
        var level: LogLevel?

        @Option(help: "What a line must hold.")
        var text = ""

        @Option(help: "Colour lines by level: auto, always or never.")
        var colour = Colour.auto

        mutating func validate() throws {
            if let place = LogPlace(ofFile: folder) { (folder, name) = (place.folder, place.name) }
            if lines < 0 { throw ValidationError("The number of lines must not be negative.") }
            if lines > 1_000_000 { throw ValidationError("More than a million lines: say --all.") }
        }

        /// How often a log that is followed is looked at.
        private static let pauseMilliseconds: Int32 = 100

        func run() throws {
            let setting: ConsoleColour =
                switch colour {
                case .auto: .automatic
                case .always: .always
                case .never: .never
                }
            var isIncomplete = false
            do {
                let session = try TailSession(
                    in: folder, name: name, filter: TailFilter(level: level, text: text), lines: all ? nil : lines,
                    isColoured: setting.applies(isTerminal: isatty(1) == 1, environment: LogEnvironment.variable(named:)),
                    show: { bytes in
                        switch Terminal.write(bytes, to: 1) {
                        case .written: break
                        case .nobodyReads: Self.exit()
                        case let ending:
                            do { try Terminal.seeEnd(ending, of: "tail", as: "the lines") } catch { Self.exit(withError: error) }
                        }
                    },
                    passingOver: { failure in
                        Terminal.say("logbook tail: \(failure)\n")
                        isIncomplete = true
                    })
                if try !LogFileReader(in: folder, name: name).isThere() {
                    Terminal.say("logbook tail: there is no log with the name \(name) in \(folder)\(follow ? " yet" : "")\n")
                    if !follow { throw ExitCode(66) }
                }
                try session.showWhatIsThere(isFollowed: follow)
                guard follow else {
                    if isIncomplete { throw ExitCode(66) }
                    return
                }
                while Terminal.isRead(1, after: Self.pauseMilliseconds) { try session.showWhatIsNew() }
            } catch let error as FileLogProviderError {
                Terminal.say("logbook tail: \(error)\n")
                throw ExitCode(66)
            }
        }
    }
#endif
