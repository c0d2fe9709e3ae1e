#if Collector
internal import ArgumentParser
internal import Foundation
internal import LogbookHTTP

/// Where a command finds its token.
struct TokenOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The token. Everybody on this machine can read it in the process list.", valueName: "token"))
    var token: String?

    @Option(help: ArgumentHelp("A file that holds the token alone.", valueName: "path"))
    var tokenFile: String?

    /// The option, the file, or the environment's LOGBOOK_TOKEN; nil when none is given.
    func secret() throws -> Secret? {
        if token != nil && tokenFile != nil { throw ValidationError("Give --token or --token-file, not both.") }
        if let token { return Secret(token) }
        guard let tokenFile else { return ProcessInfo.processInfo.environment["LOGBOOK_TOKEN"].map { Secret($0) } }
        guard let content = try? String(contentsOfFile: tokenFile, encoding: .utf8) else {
            throw ValidationError("Cannot read the token from \(tokenFile).")
        }
        let token = content.trimmingCharacters(in: .whitespacesAndNewlines)
        if token.isEmpty { throw ValidationError("There is no token in \(tokenFile).") }
        return Secret(token)
    }
}
#endif
