#if Collector
    internal import CLogbookSystem
    internal import LogbookCore
    internal import LogbookFormat
    internal import LogbookHTTP
    internal import LogbookRemote
    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// Looks at what a program's logging needs, and says in words what is wrong. It leaves nothing behind.
    struct Doctor {
        enum Verdict: String { case fine = "ok", doubtful = "doubt", wrong = "wrong" }
        struct Finding {
            let verdict: Verdict
            let about: String
            let text: String
        }
        private(set) var findings: [Finding] = []

        var hasFoundFaults: Bool { findings.contains { $0.verdict == .wrong } }

        private mutating func say(_ verdict: Verdict, _ about: String, _ text: String) {
            findings.append(Finding(verdict: verdict, about: about, text: text))
        }

        /// What somebody else has found out.
        mutating func doubt(_ about: String, _ text: String) { say(.doubtful, about, text) }

        // MARK: Environment

        /// The variables that the library reads.
        mutating func lookAtEnvironment() {
            do throws(LogEnvironmentError) {
                let environment = try LogEnvironment.current()
                if getenv(LogEnvironment.variable) != nil { say(.fine, LogEnvironment.variable, environment.rawValue) }
            } catch { say(.wrong, LogEnvironment.variable, "\(error)") }
            if let levels = getenv(LogConfiguration.levelVariable).map({ String(cString: $0) }), !levels.isEmpty {
                do throws(LevelRulesError) {
                    say(.fine, LogConfiguration.levelVariable, "\(try LevelRules(parsing: levels))")
                } catch { say(.wrong, LogConfiguration.levelVariable, "\(error)") }
            }
        }

        // MARK: Folders

        /// Below this much room a log will soon have none.
        private static let least: UInt64 = 64 << 20
        private static let little: UInt64 = 1 << 30

        /// A folder of log files, a spool, or the place of a store; it need not be there yet.
        mutating func lookAtFolder(_ path: String) {
            var found = stat(), place = path, missing: [String] = []
            while stat(place, &found) != 0 {
                guard errno == ENOENT, let parent = Self.parent(of: place) else {
                    return say(.wrong, path, "cannot be looked at: \(SystemError.text(of: errno))")
                }
                missing.append(place)
                place = parent
            }
            guard found.st_mode & S_IFMT == S_IFDIR else { return say(.wrong, path, "\(place) is a file, and should be a folder") }
            let start = logbook_monotonic_nanoseconds()
            if let failure = Self.write(in: place) {
                let remedy = failure.number == EACCES || failure.number == EROFS
                    ? "; let user \(geteuid()) write there, or choose another folder" : ""
                return say(.wrong, path, "nothing can be written in \(place): \(failure)\(remedy)")
            }
            let milliseconds = (logbook_monotonic_nanoseconds() - start) / 1_000_000
            let note: String
            switch missing.count {
            case 0: note = ""
            case 1: note = "is not there yet and can be made; "
            default: note = "is not there yet: a log or a store makes it, for a spool or an archive run mkdir -p \(missing[1]); "
            }
            lookAtRoom(path, in: place, note, "4 KiB are safe on disk after \(milliseconds) ms")
            if place == path, found.st_mode & 0o022 != 0, found.st_mode & 0o1000 == 0 {
                say(.doubtful, path, "others may replace files in it (mode \(String(found.st_mode & 0o7777, radix: 8))); chmod go-w \(path)")
            }
        }

        private mutating func lookAtRoom(_ path: String, in place: String, _ note: String, _ speed: String) {
            var room = statvfs()
            guard statvfs(place, &room) == 0 else { return say(.doubtful, path, note + "its free space is not known") }
            let free = UInt64(room.f_bavail) * UInt64(room.f_frsize)
            let text = "\(free >> 20) MiB free"
            if free < Self.least { return say(.wrong, path, note + "only \(text): make room, or let the log roll and keep less") }
            if room.f_files > 0, room.f_favail == 0 { return say(.wrong, path, note + "there is room for bytes but for no more files") }
            say(free < Self.little ? .doubtful : .fine, path, note + "\(text), \(speed)")
        }

        private static func parent(of path: String) -> String? {
            if path == "/" || path == "." { return nil }
            guard let slash = path.lastIndex(of: "/") else { return "." }
            return slash == path.startIndex ? "/" : String(path[..<slash])
        }

        /// Writes a file, makes it safe, and removes it.
        private static func write(in folder: String) -> SystemError? {
            let name = "\(folder)/.logbook-doctor-\(getpid())"
            let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return SystemError(errno, in: "open") }
            defer {
                close(descriptor)
                unlink(name)
            }
            let bytes = [UInt8](repeating: 0x2E, count: 4096)
            let count = logbook_write(descriptor, bytes, bytes.count)
            guard count == bytes.count else { return SystemError(count < 0 ? errno : ENOSPC, in: "write") }
            return fsync(descriptor) == 0 ? nil : SystemError(errno, in: "fsync")
        }

        // MARK: Receivers

        /// Differences of the clocks beyond which answers about time are wrong, and beyond which signatures and certificates are.
        private static let littleSkew = 5.0
        private static let muchSkew = 300.0

        /// Asks a receiver something that stores nothing.
        /// - Throws: What is wrong with the address.
        mutating func lookAtReceiver(_ address: String, token: Secret?, over transport: some HTTPTransport) throws(DestinationAddressError) {
            let probe = try DestinationAddress.probe(address, token: token)
            let name = address.prefix { $0 != "?" }, start = logbook_monotonic_nanoseconds()
            do throws(HTTPFailure) {
                let response = try transport.sendAndWait(probe.request, by: .seconds(60))
                let milliseconds = (logbook_monotonic_nanoseconds() - start) / 1_000_000
                judge(response, probe, String(name), hasToken: token != nil, milliseconds)
                if let date = response.header("Date").flatMap({ HTTPDate.time($0) }) { lookAtClock(date, String(name)) }
            } catch { say(.wrong, String(name), Self.words(for: error)) }
        }

        private mutating func judge(
            _ response: HTTPResponse, _ probe: DestinationAddress.Probe, _ name: String, hasToken: Bool, _ milliseconds: UInt64
        ) {
            let time = "after \(milliseconds) ms", answered = "answered with \(response.status) \(time)"
            let hasSecret = hasToken || probe.asksForKeys
            let (secret, was) = probe.asksForKeys ? ("keys", "were") : ("token", "was")
            let variable = DestinationAddress.isCollector(name) ? " or LOGBOOK_TOKEN" : ""
            switch (probe.standing(on: response), response.status) {
            case (.refused, _) where probe.asksForKeys: say(.wrong, name, "the keys are refused, or are not for this region")
            case (.refused, _) where !hasToken: say(.wrong, name, "it wants a token: give --token-file\(variable)")
            case (.refused, _): say(.wrong, name, "the token is refused")
            case (.mayNotRead, _) where !hasSecret:
                let remedy = "if it wants one, give --token-file\(variable)"
                say(.doubtful, name, "who shows no token may not read there; whether writing is allowed is not known: \(remedy)")
            case (.mayNotRead, _):
                say(.doubtful, name, "it knows the \(secret), which may not read; whether writing is allowed is not known")
            case (.missing(let place), _): say(.wrong, name, "it takes the \(secret), and has no such \(place)")
            case (.taken, 200..<300): say(.fine, name, answered + (hasSecret ? ", and takes the \(secret)" : ""))
            case (.taken, _): say(.fine, name, "answered \(time), and takes the \(secret)")   // the number is about what it was not sent
            case (.notTried, 500...): say(.doubtful, name, answered + ": it is not well at the moment")
            case (.notTried, 300..<400):
                say(.doubtful, name, answered + ": it sends elsewhere, where nothing is sent; give the address it names")
            case (.notTried, 404) where probe.asksForToken: say(.doubtful, name, answered + ": is it a receiver of this kind?")
            case (.notTried, _) where hasSecret: say(.doubtful, name, answered + "; the \(secret) \(was) not tried")
            case (.notTried, _): say(.fine, name, answered)
            }
        }

        private mutating func lookAtClock(_ theirs: LogTime, _ name: String) {
            // Their answer has no fractions, and may be of any century: the difference need not fit into an Int64.
            let seconds = (Double(logbook_wall_nanoseconds()) - Double(theirs.nanoseconds)) / 1e9 - 0.5
            if abs(seconds) <= Self.littleSkew { return }
            let text = "the clocks differ by \(Int(abs(seconds))) s: this machine is \(seconds > 0 ? "ahead" : "behind"); set it by NTP"
            say(abs(seconds) > Self.muchSkew ? .wrong : .doubtful, name, text)
        }

        private static func words(for failure: HTTPFailure) -> String {
            switch failure {
            case .untrusted: "\(failure); install its authority's certificate, or give it to the program's transport"
            case .unreachable: "\(failure); is the name right, does it run, and may this machine reach it?"
            default: "\(failure)"
            }
        }
    }
#endif
