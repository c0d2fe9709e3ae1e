internal import CLogbookSystem
internal import LogbookCore
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A file of tokens, one per line; empty lines and lines that begin with `#` say nothing. Nobody but its owner may read it.
///
/// It is looked at once a second at most, when somebody comes with a token, and read again when it has changed. A file that
/// cannot be read, or in which a line is wrong, changes nothing: the tokens of before stay, and diagnostics say why.
final class TokenFile: Sendable {
    private struct Identity: Equatable {
        let device: UInt64
        let number: UInt64
        let size: Int64
        let seconds: Int64
        let nanoseconds: Int64
    }

    private struct State {
        var known: KnownTokens
        var identity: Identity
        var looked: UInt64
    }

    private static let maximumBytes = 1 << 20
    private static let patience: UInt64 = 1_000_000_000

    private let path: String
    private let single: CollectorToken?
    private let clock: LogClock
    private let state: Locked<State>

    /// - Parameter single: A token beside those of the file, which must not be in it: it would allow more there than its line says.
    init(path: String, besides single: CollectorToken? = nil, clock: LogClock) throws(CollectorError) {
        self.path = path
        self.single = single
        self.clock = clock
        let (known, identity) = try Self.read(path, besides: single)
        state = Locked(State(known: known, identity: identity, looked: clock.monotonicNanoseconds()))
    }

    /// The single token, and those of the file as it has them now, give or take a second.
    func tokens() -> KnownTokens {
        let now = clock.monotonicNanoseconds()
        return state.withLock { state in
            guard now &- state.looked >= Self.patience else { return state.known }
            state.looked = now
            if Self.identity(ofPath: path) == state.identity { return state.known }
            do throws(CollectorError) {
                (state.known, state.identity) = try Self.read(path, besides: single)
            } catch {
                LogDiagnostics.report("collector", "\(error); the tokens of before stay")
            }
            return state.known
        }
    }

    private static func read(
        _ path: String, besides single: CollectorToken?
    ) throws(CollectorError) -> (KnownTokens, Identity) {
        let file = logbook_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
        if file < 0 { throw .invalid("cannot read the tokens from \(path): \(String(cString: strerror(errno)))") }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw .invalid("cannot read the tokens from \(path): it is no file")
        }
        if facts.st_mode & 0o077 != 0 { throw .invalid("others may read or write the tokens in \(path); say: chmod 600 \(path)") }
        if facts.st_size > maximumBytes { throw .invalid("\(path) is too large for a file of tokens") }
        var bytes = [UInt8](repeating: 0, count: maximumBytes)
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { readBytes(file, $0.baseAddress! + count, $0.count - count) }
            if more < 0 && errno == EINTR { continue }
            if more < 0 { throw .invalid("cannot read the tokens from \(path): \(String(cString: strerror(errno)))") }
            if more == 0 { break }
            count += more
        }
        let tokens = try parse(String(decoding: bytes[..<count], as: UTF8.self), path, besides: single)
        return (KnownTokens((single.map { [$0] } ?? []) + tokens), identity(facts))
    }

    private static func parse(
        _ text: String, _ path: String, besides single: CollectorToken?
    ) throws(CollectorError) -> [CollectorToken] {
        var tokens: [CollectorToken] = [], lines: [String: Int] = [:]
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if line.allSatisfy({ $0 == " " || $0 == "\t" }) || line.first == "#" { continue }
            guard let token = CollectorToken(line: line) else {
                // Not the line itself: it may hold a token that somebody wrote here as it is.
                throw .invalid("line \(index + 1) of \(path) is no token; make one with: logbook collect token new")
            }
            if let first = lines.updateValue(index + 1, forKey: token.digest) {
                throw .invalid("lines \(first) and \(index + 1) of \(path) are of the same token; one of them can say all that it may")
            }
            if token.digest == single?.digest {
                throw .invalid(
                    """
                    line \(index + 1) of \(path) is of the single token as well, which allows everything, whatever the line says; take one \
                    of them out
                    """)
            }
            tokens.append(token)
        }
        if tokens.isEmpty { throw .invalid("there is no token in \(path); make one with: logbook collect token new") }
        return tokens
    }

    private static func identity(ofPath path: String) -> Identity? {
        var facts = stat()
        return stat(path, &facts) == 0 ? identity(facts) : nil
    }

    private static func identity(_ facts: stat) -> Identity {
        #if canImport(Darwin)
            let changed = facts.st_mtimespec
        #else
            let changed = facts.st_mtim
        #endif
        return Identity(
            device: UInt64(facts.st_dev), number: UInt64(facts.st_ino), size: Int64(facts.st_size), seconds: Int64(changed.tv_sec),
            nanoseconds: Int64(changed.tv_nsec))
    }
}

/// `read(2)`: the type has a `read` of its own.
private func readBytes(_ file: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int { read(file, buffer, count) }
