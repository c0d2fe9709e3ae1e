#if Collector && canImport(Glibc)
    import Foundation
    import Glibc
    import LogbookTestKit
    import Testing

    /// The built `logbook`, as a user runs it.
    struct Tool {
        static func path() throws -> String { try ChildProcess.builtProgram("logbook") }

        struct Outcome {
            let end: ChildProcess.End
            let output: String
            let errors: String
            /// Nil when a signal has ended it.
            var status: Int32? { if case .exited(let status) = end { status } else { nil } }
        }

        let process: ChildProcess
        let input = Pipe()
        private let folder: TemporaryFolder
        private let name: String

        /// Starts the tool; what it says goes to files of that name in the folder.
        /// - Parameter limits: What a shell does before it becomes the tool: `ulimit -n 128`.
        init(
            _ arguments: [String], in folder: TemporaryFolder, name: String, environment: [String: String] = [:],
            input: FileHandle? = nil, limits: String? = nil
        ) throws {
            self.folder = folder
            self.name = name
            // A child that kept the end it is written to from would wait for itself.
            _ = fcntl(self.input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
            Glibc.signal(SIGPIPE, SIG_IGN)  // a tool that ends early must not end the tests
            let shell = limits.map { ["sh", "-c", #"\#($0) && exec "$0" "$@""#] } ?? []
            process = try ChildProcess(
                shell + [Self.path()] + arguments, in: folder.path, environment: environment,
                input: (input ?? self.input.fileHandleForReading).fileDescriptor, output: folder("\(name).out"),
                errors: folder("\(name).err"))
            try self.input.fileHandleForReading.close()
        }

        var output: String { (try? String(contentsOfFile: folder("\(name).out"), encoding: .utf8)) ?? "" }
        var errors: String { (try? String(contentsOfFile: folder("\(name).err"), encoding: .utf8)) ?? "" }

        func wait() -> Outcome {
            let end = process.wait()
            return Outcome(end: end, output: output, errors: errors)
        }

        func signal(_ number: Int32) { process.signal(number) }

        /// Writes to the tool's standard input.
        func send(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }
        func endInput() throws { try input.fileHandleForWriting.close() }

        /// Runs the tool to its end.
        static func run(
            _ arguments: [String], in folder: TemporaryFolder, input: String = "", environment: [String: String] = [:]
        ) throws -> Outcome {
            let tool = try Tool(arguments, in: folder, name: "run", environment: environment)
            try? tool.send(input)  // it may be gone already
            try tool.endInput()
            return tool.wait()
        }

        /// Runs the tool to its end, with its output on a disk that is full.
        /// - Returns: The status, and what it said of it.
        static func runOntoAFullDisk(
            _ arguments: [String], in folder: TemporaryFolder, environment: [String: String] = [:]
        ) throws -> (status: Int32?, errors: String) {
            let end = try ChildProcess.run(
                [path()] + arguments, in: folder.path, environment: environment, output: "/dev/full", errors: folder("full.err"))
            return (Outcome(end: end, output: "", errors: "").status, folder.text("full.err"))
        }
    }

    /// A collector of its own process.
    struct CollectorProcess {
        static let token = "a=b"
        let tool: Tool
        let url: String

        init(in folder: TemporaryFolder, port: Int = 0, name: String = "collector", limits: String? = nil) throws {
            let tool = try Tool(
                ["collect", "--allow-root", "--archive", "sqlite:archive.sqlite", "--port", "\(port)"], in: folder, name: name,
                environment: ["LOGBOOK_TOKEN": Self.token], limits: limits)
            self.tool = tool
            try #require(becomesTrue { tool.output.hasSuffix("\n") || tool.process.end != nil }, "it did not start")
            url = try #require(tool.output.wholeMatch(of: /listening on (http:\/\/127\.0\.0\.1:\d+)\n/)).1.description
        }

        var port: Int { Int(url.split(separator: ":").last!)! }
    }

    extension TemporaryFolder {
        func lines(_ name: String) -> [Substring] {
            text(name).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        }
    }
#endif
