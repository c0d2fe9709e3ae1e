#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

struct BenchError: Error, CustomStringConvertible { let description: String }

/// A program that runs beside the measurement, and is killed with it.
final class Program {
    let identifier: pid_t
    private let name: String
    private var hasEnded = false

    /// - Parameter output: The file that it writes to.
    init(_ words: [String], environment: [String: String] = [:], output: String = "/dev/null") throws {
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
            throw BenchError(description: "\(words[0]) cannot be started")
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
    func wait() throws -> Int {
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(identifier, &status, 0, &usage) == identifier else { throw BenchError(description: "wait4: \(errno)") }
        hasEnded = true
        guard status == 0 else { throw BenchError(description: "\(name) ended with status \(status)") }
        #if canImport(Darwin)
            return usage.ru_maxrss
        #else
            return usage.ru_maxrss << 10
        #endif
    }

    /// The memory that it has now, in bytes.
    var memory: Int {
        let status = text(of: "/proc/\(identifier)/status")
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
}

/// What a program takes, from its start to its end.
func measure(
    _ words: [String], environment: [String: String] = [:], output: String = "/dev/null"
) throws -> (seconds: Double, memory: Int) {
    let start = now()
    let program = try Program(words, environment: environment, output: output)
    let memory = try program.wait()
    return (now() - start, memory)
}

func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func text(of path: String) -> String {
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
