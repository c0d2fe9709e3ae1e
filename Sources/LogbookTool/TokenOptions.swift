#if Collector
    internal import ArgumentParser
    internal import Foundation
    internal import LogbookCore
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
                "The token. Everybody on this machine can read it in the process list. A collector's may stand in LOGBOOK_TOKEN instead.",
                valueName: "token"))
        var token: String?

        @Option(help: ArgumentHelp("A file that holds the token alone, or a pipe that brings it.", valueName: "path"))
        var tokenFile: String?

        /// The option, the file, or the environment's LOGBOOK_TOKEN; nil when none is given, or the variable is empty.
        /// - Parameters:
        ///   - takesVariable: Whether the environment is looked at. What stands there is for collectors: no other receiver may see it. Nor
        ///     must what a client has there become a collector's token for everything.
        ///   - doubt: Hears of a file that others may read.
        func secret(
            takesVariable: Bool, doubt: (_ path: String, _ text: String) -> Void = { Terminal.say("logbook: \($0): \($1)\n") }
        ) throws -> Secret? {
            if token != nil && tokenFile != nil { throw ValidationError("Give --token or --token-file, not both.") }
            if let token { return Secret(token) }
            guard let tokenFile else {
                if !takesVariable { return nil }
                return ProcessInfo.processInfo.environment["LOGBOOK_TOKEN"].flatMap { $0.isEmpty ? nil : Secret($0) }
            }
            return try Self.secret(in: tokenFile, doubt)
        }

        /// The same for who needs a collector's for long: a file, and no pipe, is read again each time, so that a token that has taken the
        /// place of another counts. While there is none to be read in it the one of before does.
        func reading() throws -> @Sendable () -> Secret? {
            let first = try secret(takesVariable: true)
            guard mayChange, let tokenFile else { return { first } }
            let latest = Locked(first)
            return {
                var new: Secret?
                if Self.isFile(tokenFile) { new = try? Self.secret(in: tokenFile, { _, _ in }) }
                return latest.withLock { latest -> Secret? in
                    if let new { latest = new }
                    return latest
                }
            }
        }

        /// Whether the token is in a file that another may be put in.
        var mayChange: Bool { token == nil && (tokenFile.map(Self.isFile) ?? false) }

        private static func isFile(_ path: String) -> Bool {
            var facts = stat()
            return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
        }

        private static func secret(in tokenFile: String, _ doubt: (_ path: String, _ text: String) -> Void) throws -> Secret {
            let bytes: [UInt8]
            do throws(SystemError) { bytes = try content(of: tokenFile, doubt) } catch {
                throw ValidationError("Cannot read the token from \(tokenFile): \(SystemError.text(of: error.number)).")
            }
            if bytes.count > maximumBytes { throw ValidationError("What is in \(tokenFile) is too long for a token.") }
            guard let token = String(validating: bytes, as: UTF8.self)?.trimmingCharacters(in: .whitespacesAndNewlines) else {
                throw ValidationError("What is in \(tokenFile) is no text in UTF-8.")
            }
            if token.isEmpty { throw ValidationError("There is no token in \(tokenFile).") }
            return Secret(token)
        }

        private static let maximumBytes = 64 << 10

        /// Of a file or a pipe, to its end, or until there is more than a token may be.
        private static func content(of path: String, _ doubt: (_ path: String, _ text: String) -> Void) throws(SystemError) -> [UInt8] {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            if descriptor < 0 { throw SystemError(errno, in: "open") }
            defer { close(descriptor) }
            var bytes: [UInt8] = []
            while bytes.count <= maximumBytes {
                let more = try Input.next(maximumBytes + 1, from: descriptor)
                if more.isEmpty { break }
                bytes += more
            }
            var facts = stat()
            if fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_mode & 0o077 != 0 {
                let mode = String(facts.st_mode & 0o7777, radix: 8)
                doubt(path, "others may read or write the token in it (mode \(mode)); chmod 600 \(path)")
            }
            return bytes
        }
    }
#endif
