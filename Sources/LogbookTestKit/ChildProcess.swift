internal import CLogbookSystem
package import LogbookCore
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A program that a test runs. No wait for it is endless, and it never outlives the value.
///
/// It starts with every signal at its default and none held back, whatever the test's threads do with theirs, and with its three streams
/// alone: a lock or a socket of another test must not live on in it.
package final class ChildProcess: Sendable {
    package enum End: Sendable, Hashable {
        case exited(Int32)
        case killed(by: Int32)
    }

    package let identifier: Int32
    private let ended = Locked<End?>(nil)

    /// - Parameters:
    ///   - words: The program, looked up in the PATH, and its arguments.
    ///   - folder: Where it works; the test's own by default.
    ///   - environment: What is added to the test's own, or stands in its place.
    ///   - input: The descriptor it reads from; nothing by default.
    ///   - output: The file that its standard output goes to, emptied first.
    ///   - outputDescriptor: The descriptor that it goes to instead.
    ///   - errors: The file that its standard error goes to, emptied first.
    package init(
        _ words: [String], in folder: String? = nil, environment: [String: String] = [:], input: Int32? = nil,
        output: String = "/dev/null", outputDescriptor: Int32? = nil, errors: String = "/dev/null"
    ) throws {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?, attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t(), attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        for (descriptor, path) in [(Int32(1), output), (2, errors)] {
            posix_spawn_file_actions_addopen(&actions, descriptor, path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
        }
        if let outputDescriptor { posix_spawn_file_actions_adddup2(&actions, outputDescriptor, 1) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        #if canImport(Darwin)
        let closing = Int16(POSIX_SPAWN_CLOEXEC_DEFAULT)
        #else
        let closing: Int16 = 0
        _ = logbook_spawn_close_from(&actions, 3)   // behind the actions above: they have made copies of what was named
        #endif
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | closing)

        // Nothing portable lets the child change its folder before it becomes the program.
        let arranged = folder.map { ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, $0] + words } ?? words
        var arguments = arranged.map { strdup($0) } + [nil]
        var variables = Self.variables(with: environment).map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var identifier = pid_t()
        let failure = posix_spawnp(&identifier, arranged[0], &actions, &attributes, &arguments, &variables)
        if failure != 0 { throw ScriptedFailure("\(words[0]) cannot be started: \(String(cString: strerror(failure)))") }
        self.identifier = identifier
    }

    deinit { wait(by: .now) }

    private static func variables(with changes: [String: String]) -> [String] {
        var variables = changes.map { "\($0)=\($1)" }
        var next = environ
        while let variable = next.pointee {
            let text = String(cString: variable)
            if changes[String(text.prefix { $0 != "=" })] == nil { variables.append(text) }
            next += 1
        }
        return variables
    }

    /// The environment's variable that names the folder of the package's programs, where they are not those that are built beside the tests.
    package static let programsVariable = "LOGBOOK_TEST_PROGRAMS"

    #if canImport(Glibc) || canImport(Musl)
    /// The path of a program of this package: beside the tests, or where ``programsVariable`` says.
    package static func builtProgram(_ name: String) throws -> String {
        let program = try programsFolder() + "/" + name
        if access(program, X_OK) != 0 { throw ScriptedFailure("\(program) is not built") }
        return program
    }

    private static func programsFolder() throws -> String {
        if let folder = getenv(programsVariable) { return String(cString: folder) }
        var path = [UInt8](repeating: 0, count: 4096)
        let length = path.withUnsafeMutableBytes { readlink("/proc/self/exe", $0.baseAddress!, $0.count) }
        guard length > 0, let slash = path[..<length].lastIndex(of: 0x2F) else { throw ScriptedFailure("no /proc/self/exe") }
        return String(decoding: path[..<slash], as: UTF8.self)
    }

    /// Kills it with the processes it has started: a server that answers in many processes ends in one that lives on otherwise.
    package func killWithChildren() {
        signal(SIGSTOP)   // so that it starts nobody else
        var names = [UInt8](repeating: 0, count: 64 << 10)
        let list = open("/proc/\(identifier)/task/\(identifier)/children", O_RDONLY | O_CLOEXEC)
        let count = read(list, &names, names.count)
        close(list)
        signal(SIGKILL)
        for name in names.prefix(max(0, count)).split(separator: 0x20) {
            if let child = pid_t(String(decoding: name, as: UTF8.self)) { kill(child, SIGKILL) }
        }
        wait()
    }
    #endif

    /// How it ended, as far as it has.
    package var end: End? {
        ended.withLock { ended in
            if ended != nil { return ended }
            var status: Int32 = 0
            guard waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
            ended = status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .killed(by: status & 0x7F)
            return ended
        }
    }

    /// Waits for its end; what has not ended at the deadline is killed.
    @discardableResult
    package func wait(by deadline: LogDeadline = .seconds(120)) -> End {
        var isKilled = false
        while true {
            if let end { return end }
            if deadline.hasPassed, !isKilled {
                kill(identifier, SIGKILL)
                isKilled = true
            }
            usleep(2000)
        }
    }

    package func signal(_ number: Int32) {
        ended.withLock { if $0 == nil { _ = kill(identifier, number) } }
    }

    /// Runs a program to its end.
    package static func run(
        _ words: [String], in folder: String? = nil, environment: [String: String] = [:], input: Int32? = nil,
        output: String = "/dev/null", errors: String = "/dev/null", by deadline: LogDeadline = .seconds(120)
    ) throws -> End {
        try ChildProcess(words, in: folder, environment: environment, input: input, output: output, errors: errors)
            .wait(by: deadline)
    }
}
