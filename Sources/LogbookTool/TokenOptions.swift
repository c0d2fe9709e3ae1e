#if Collector
    internal import ArgumentParser
    internal import Foundation
    internal import LogbookHTTP
    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// Where a command finds its token.
    struct TokenOptions: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "The token. Everybody on this machine can read it in the process list.", valueName: "token"))
        var token: String?

        @Option(help: ArgumentHelp("A file that holds the token alone.", valueName: "path"))
        var tokenFile: String?

        /// The option, the file, or the environment's LOGBOOK_TOKEN; nil when none is given, or the variable is empty.
        /// - Parameter doubt: Hears of a file that others may read.
        func secret(doubt: (_ path: String, _ text: String) -> Void = { Terminal.say("logbook: \($0): \($1)\n") }) throws -> Secret? {
            if token != nil && tokenFile != nil { throw ValidationError("Give --token or --token-file, not both.") }
            if let token { return Secret(token) }
            guard let tokenFile else {
                return ProcessInfo.processInfo.environment["LOGBOOK_TOKEN"].flatMap { $0.isEmpty ? nil : Secret($0) }
            }
            guard let content = try? String(contentsOfFile: tokenFile, encoding: .utf8) else {
                throw ValidationError("Cannot read the token from \(tokenFile).")
            }
            let token = content.trimmingCharacters(in: .whitespacesAndNewlines)
            if token.isEmpty { throw ValidationError("There is no token in \(tokenFile).") }
            var facts = stat()
            if stat(tokenFile, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_mode & 0o077 != 0 {
                let mode = String(facts.st_mode & 0o7777, radix: 8)
                doubt(tokenFile, "others may read or write the token in it (mode \(mode)); chmod 600 \(tokenFile)")
            }
            return Secret(token)
        }
    }
#endif
