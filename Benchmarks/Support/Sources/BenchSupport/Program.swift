#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Why nothing could be measured.
public struct BenchError: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}

/// A program that runs beside the measurement, and is killed with it.
public final class Program {
    public let identifier: Int32
    private let name: String
    private var hasEnded = false

    /// - Parameter output: The file that it writes to.
    public init(_ words: [String], environment: [String: String] = [:], output: String = "/dev/null") throws {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [strdup("PATH=" + String(cString: getenv("PATH"))), strdup("LC_ALL=C"), nil]
        defer { for text in arguments + variables { free(text) } }
        var identifier = pid_t()
        guard posix_spawnp(&identifier, words[0], &actions, nil, &arguments, &variables) == 0 else {
            throw BenchError("\(words[0]) cannot be started")
        }
        self.identifier = identifier
        name = words.joined(separator: " ")
    }

    deinit {
        guard !hasEnded else { return }
        kill(identifier, SIGKILL)
        waitpid(identifier, nil, 0)
    }

    /// - Returns: The most memory it had, in bytes.
    public func wait() throws -> Int {
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(identifier, &status, 0, &usage) == identifier else { throw BenchError("wait4: \(errno)") }
        hasEnded = true
        guard status == 0 else { throw BenchError("\(name) ended with status \(status)") }
        #if canImport(Darwin)
            return usage.ru_maxrss
        #else
            return usage.ru_maxrss << 10
        #endif
    }

    /// The memory that it has now, in bytes.
    public var memory: Int { kilobytes("VmRSS:") << 10 }
    /// The most memory it has had so far, in bytes.
    public var mostMemory: Int { kilobytes("VmHWM:") << 10 }

    private func kilobytes(_ name: String) -> Int {
        let line = text(of: "/proc/\(identifier)/status").split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}

/// What a program takes, from its start to its end.
public func measure(
    _ words: [String], environment: [String: String] = [:], output: String = "/dev/null"
) throws -> (seconds: Double, memory: Int) {
    let start = now()
    let program = try Program(words, environment: environment, output: output)
    let memory = try program.wait()
    return (now() - start, memory)
}

/// Seconds that only ever grow.
public func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// What a file holds; nothing when it cannot be read.
public func text(of path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = fread(&piece, 1, piece.count, file)
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += piece[..<count]
    }
}
