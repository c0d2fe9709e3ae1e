#if Collector && canImport(Glibc)
    import Foundation
    import Glibc
    import GRDB
    import LogbookCore
    import LogbookTestKit
    import Testing

    /// Tests of the tool wait for processes, so they run one after the other: the threads of Swift's pool are few.
    @Suite(.serialized) enum ToolTests {}

    extension ToolTests {
        @Suite struct PipeCommandTests {
            private let folder = TemporaryFolder()

            private func archived(_ sql: String) throws -> Int {
                var configuration = Configuration()
                configuration.readonly = true
                return try DatabaseQueue(path: folder("archive.sqlite"), configuration: configuration).read {
                    try Int.fetchOne($0, sql: sql) ?? 0
                }
            }

            @Test func aRealLogGoesThroughEveryProvider() throws {
                let log = "/var/log/dpkg.log"
                guard let input = FileHandle(forReadingAtPath: log) else { return }  // not every machine has one
                let count = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").count
                let collector = try CollectorProcess(in: folder)
                let tool = try Tool(
                    ["pipe", "--console", "--file", "logs", "--remote", collector.url, "--summary", "summary.tsv"],
                    in: folder, name: "pipe",
                    environment: ["LOGBOOK_TOKEN": CollectorProcess.token], input: input)
                let outcome = tool.wait()
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(folder.lines("pipe.out").count == count)
                #expect(folder.lines("logs/app.log").count == count)
                #expect(try archived("SELECT count(*) FROM log_events") == count)
                #expect(
                    try archived("SELECT count(*) FROM log_events WHERE time < 1600000000000000 OR message LIKE '20%'")
                        == 0)
                for name in ["FileLogProvider", "ConsoleLogProvider", "RemoteLogProvider"] {
                    #expect(folder.text("summary.tsv").contains("provider\tpipe \(name)\t\(count)\t\(count)\t0\t0\n"))
                }
                collector.tool.signal(SIGTERM)
                #expect(collector.tool.wait().status == 0)
            }

            @Test func formatsLevelsAndNamesAreChosenByOptions() throws {
                let outcome = try Tool.run(
                    [
                        "pipe", "--file", "logs", "--name", "job", "--format", "json", "--level", "notice", "--from",
                        "notice",
                    ], in: folder,
                    input: "plain\nDEBUG quiet\n{\"level\":\"error\",\"msg\":\"m\",\"k\":1}\n")
                #expect(outcome.status == 0)
                let lines = folder.lines("logs/job.log")
                #expect(lines.count == 2)
                #expect(lines[0].contains(#""level":"notice","message":"plain""#))
                #expect(
                    lines[1].contains(#""level":"error","message":"m""#) && lines[1].contains(#""metadata":{"k":1}"#))
                #expect(outcome.errors.contains("read 3 lines"))
            }

            @Test func whatWasReadIsWrittenWhole() throws {
                let numbers = "[" + Array(repeating: "1", count: 20_000).joined(separator: ",") + "]"
                let tool = try Tool(
                    [
                        "pipe", "--file", "logs", "--console", "--remote", "http://127.0.0.1:1", "--deadline", "5", "--undelivered",
                        "rest.jsonl",
                    ], in: folder, name: "pipe")
                try tool.input.fileHandleForWriting.write(contentsOf: Data(repeating: 0xE9, count: 60_000))
                try tool.send("\n" + #"{"message":"numbers","n":\#(numbers)}"# + "\n")
                try tool.endInput()
                #expect(tool.wait().status == 75)
                let bytes = String(repeating: #"\\xE9"#, count: 60_000)   // with the backslash that escapes the backslash
                for name in ["logs/app.log", "pipe.out", "rest.jsonl"] {
                    let lines = folder.lines(name)
                    #expect(lines.count == 2 && lines[0].contains(bytes) && lines[1].contains(numbers), "\(name)")
                }
            }

            @Test func filesRollAndKeepEveryLine() throws {
                let text = (1...2000).map { "line \($0) of many\n" }.joined()
                let outcome = try Tool.run(
                    ["pipe", "--file", "logs", "--maximum-bytes", "20000", "--maximum-archives", "100"], in: folder,
                    input: text)
                #expect(outcome.status == 0)
                let files = try FileManager.default.contentsOfDirectory(atPath: folder("logs")).filter {
                    $0.hasSuffix(".log")
                }
                #expect(files.count > 2)
                #expect(files.map { folder.lines("logs/" + $0).count }.reduce(0, +) == 2000)
            }

            @Test("End by signal: what the pipe held is delivered", arguments: [SIGTERM, SIGINT, SIGHUP])
            func aSignalEndsItAndNothingIsLost(signal: Int32) throws {
                let tool = try Tool(["pipe", "--file", "logs"], in: folder, name: "pipe")
                try tool.send("first\n")
                #expect(becomesTrue { folder.lines("logs/app.log").count == 1 })
                try tool.send(String(repeating: "more\n", count: 5000) + "torn")
                tool.signal(signal)
                #expect(tool.wait().status == 0)
                #expect(folder.lines("logs/app.log").count == 5002)
            }

            @Test func aSecondSignalEndsItAtOnce() throws {
                let tool = try Tool(
                    ["pipe", "--remote", "http://127.0.0.1:1", "--deadline", "600"], in: folder, name: "pipe")
                try tool.send("one\n")
                #expect(becomesTrue { tool.errors.contains("cannot deliver") })
                tool.signal(SIGTERM)
                tool.signal(SIGTERM)
                // The first may still be on its way when the second comes, and then the two are one.
                #expect(
                    becomesTrue {
                        tool.signal(SIGTERM)
                        return tool.process.end != nil
                    })
                #expect(tool.wait().end == .killed(by: SIGTERM))
            }

            @Test func whatTheRemoteDoesNotTakeIsSavedAndTheReceiverCanHaveItLater() throws {
                let arguments = [
                    "pipe", "--file", "logs", "--remote", "http://127.0.0.1:1", "--deadline", "3", "--undelivered",
                    "rest.jsonl",
                ]
                let outcome = try Tool.run(arguments, in: folder, input: "one\ntwo\n")
                #expect(outcome.status == 75)
                #expect(outcome.errors.contains("RemoteLogProvider did not deliver 2 of 2 events"))
                #expect(folder.lines("rest.jsonl").count == 2)
                #expect(folder.lines("logs/app.log").count == 2)
                #expect(!outcome.errors.contains("exit:"), "the exit hook has nothing to add")
            }

            @Test func aRemoteThatIsAwayHoldsUpNobodyForLong() throws {
                let count = 60_000
                folder.write((1...count).map { "line \($0)\n" }.joined(), to: "input")
                let input = try #require(FileHandle(forReadingAtPath: folder("input")))
                let tool = try Tool(
                    ["pipe", "--remote", "http://127.0.0.1:1", "--deadline", "1", "--undelivered", "rest.jsonl"], in: folder, name: "pipe",
                    input: input)
                let isDone = becomesTrue(by: .seconds(300)) { tool.process.end != nil }
                #expect(isDone)
                if !isDone { tool.signal(SIGKILL) }
                #expect(tool.wait().status == 75)
                #expect(folder.lines("rest.jsonl").count >= count, "some may be there twice")
                #expect(folder.text("rest.jsonl").contains(#""message":"line \#(count)""#))
                #expect(tool.errors.contains("they are saved in rest.jsonl"), "\(tool.errors)")
            }

            @Test func aTokenThatTakesThePlaceOfAnotherInItsFileCounts() throws {
                let folder = folder
                folder.write("first\n", to: "token")
                chmod(folder("token"), 0o600)
                let server = try LoopbackServer { request in
                    if request.header("Authorization") == "Bearer second" {
                        let parcel = request.header("Logbook-Parcel") ?? ""
                        return .status(200, body: #"{"parcel":"\#(parcel)","accepted":1,"duplicates":0,"rejected":0}"#)
                    }
                    folder.write("second\n", to: "token")
                    return .status(503)
                }
                let arguments = ["pipe", "--remote", server.url, "--token-file", "token", "--undelivered", "rest.jsonl"]
                let outcome = try Tool.run(arguments, in: folder, input: "one\n")
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(server.requests.first?.header("Authorization") == "Bearer first")
            }

            @Test func aNewTokenInTheFileEndsTheWaitAfterARefusal() throws {
                let folder = folder
                folder.write("first\n", to: "token")
                chmod(folder("token"), 0o600)
                let server = try LoopbackServer { request in
                    if request.header("Authorization") != "Bearer second" { return .status(401) }
                    let parcel = request.header("Logbook-Parcel") ?? ""
                    return .status(200, body: #"{"parcel":"\#(parcel)","accepted":1,"duplicates":0,"rejected":0}"#)
                }
                let tool = try Tool(
                    ["pipe", "--remote", server.url, "--token-file", "token", "--undelivered", "rest.jsonl"], in: folder, name: "pipe")
                try tool.send("one\n")
                #expect(becomesTrue { tool.errors.contains("401") })
                folder.write("second\n", to: "token")
                let isSent = becomesTrue { server.requests.last?.header("Authorization") == "Bearer second" }
                #expect(isSent)
                try tool.endInput()
                #expect(tool.wait().status == 0, "\(tool.errors)")
                #expect(server.requests.count == 2)
            }

            @Test func whatTheRemoteRefusesIsSavedAsWell() throws {
                let server = try LoopbackServer { _ in .status(400) }
                let outcome = try Tool.run(
                    ["pipe", "--remote", "http://127.0.0.1:\(server.port)", "--undelivered", "rest.jsonl"], in: folder, input: "one\n")
                #expect(outcome.status == 75)
                #expect(outcome.errors.contains("dropped: 1 rejected_by_server"))
                #expect(outcome.errors.contains("1 events are saved in rest.jsonl"))
                #expect(folder.lines("rest.jsonl").count == 1 && folder.text("rest.jsonl").contains(#""message":"one""#))
            }

            @Test func aWrongTokenIsSaidAtOnceAndLosesNothing() throws {
                let collector = try CollectorProcess(in: folder)
                let outcome = try Tool.run(
                    ["pipe", "--remote", collector.url, "--token", "mistaken", "--undelivered", "rest.jsonl"],
                    in: folder, input: "one\n")
                #expect(outcome.status == 75)
                #expect(outcome.errors.contains("401"))
                #expect(!outcome.errors.contains("mistaken"))
                #expect(folder.lines("rest.jsonl").count == 1)
                collector.tool.signal(SIGKILL)
                _ = collector.tool.wait()
            }

            @Test("Row 54: a collector that is killed in the middle and started again has everything once")
            func aKilledCollectorHasEverythingOnce() throws {
                let port = Int(try FreePorts.take(1)[0])
                var collector = try CollectorProcess(in: folder, port: port)
                let tool = try Tool(
                    ["pipe", "--remote", collector.url], in: folder, name: "pipe",
                    environment: ["LOGBOOK_TOKEN": CollectorProcess.token])
                let total = 6000
                for part in 0..<3 {
                    try tool.send((0..<total / 3).map { "line \(part * total / 3 + $0)\n" }.joined())
                    #expect(
                        becomesTrue { ((try? archived("SELECT count(*) FROM log_events")) ?? 0) > part * total / 3 }
                    )
                    collector.tool.signal(SIGKILL)
                    _ = collector.tool.wait()
                    collector = try CollectorProcess(in: folder, port: port, name: "collector-\(part)")
                }
                try tool.endInput()
                let outcome = tool.wait()
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(try archived("SELECT count(*) FROM log_events") == total)
                #expect(try archived("SELECT count(DISTINCT message) FROM log_events") == total)
                collector.tool.signal(SIGTERM)
                #expect(collector.tool.wait().status == 0)
            }

            @Test func whatCannotBeginSaysSoOnceBeforeReading() throws {
                try Data().write(to: URL(fileURLWithPath: folder("file")))
                for (arguments, status) in [
                    (["--file", "file"], 73), (["--console", "--summary", "missing/x"], 73),
                    (["--remote", "http://127.0.0.1:1", "--undelivered", "missing/x"], 73), ([], 64),
                    (["--remote", "http://127.0.0.1:1", "--undelivered", "."], 73),
                    (["--remote", "http://127.0.0.1:1", "--undelivered", ""], 73),
                    (["--remote", "ftp://x"], 64),
                    (["--remote", "http://logs.example.com"], 64),
                    (["--remote", "https://user:secret@logs.example.com"], 64),
                    (["--remote", "https://a b"], 64),
                    (["--console", "--level", "loud"], 64),
                    (["--remote", "http://127.0.0.1:1", "--token-file", "missing"], 64),
                ] as [([String], Int32)] {
                    let outcome = try Tool.run(["pipe"] + arguments, in: folder, input: "one\n")
                    #expect(outcome.status == status, "\(arguments)")
                    #expect(!outcome.errors.isEmpty)
                    #expect(outcome.output.isEmpty)
                }
            }

            @Test func whereUndeliveredEventsCannotBeSavedTheOptionIsNamed() throws {
                let remote = ["pipe", "--remote", "http://127.0.0.1:1", "--undelivered", "missing/x"]
                let errors = try Tool.run(remote, in: folder).errors
                #expect(errors.contains("cannot write missing/x: No such file or directory"), "\(errors)")
                #expect(errors.contains("--undelivered"), "\(errors)")
                let summary = try Tool.run(["pipe", "--console", "--summary", "missing/x"], in: folder).errors
                #expect(!summary.contains("--undelivered"), "\(summary)")
                if geteuid() != 0 {   // who may write everywhere
                    folder.makeFolder("closed")
                    chmod(folder("closed"), 0o500)
                    let tool = try Tool.path()
                    _ = try ChildProcess.run([tool, "pipe", "--remote", "http://127.0.0.1:1"], in: folder("closed"), errors: folder("err"))
                    #expect(folder.text("err").contains("in the folder \(folder("closed")): --undelivered"), "\(folder.text("err"))")
                }
            }

            @Test func aReaderThatIsSlowLosesNothing() throws {
                // The shell reads nothing for a while, and then everything.
                let tool = try Tool.path()
                _ = try ChildProcess.run(
                    ["/bin/sh", "-c", "seq 60000 | '\(tool)' pipe --console 2>err | { sleep 1; wc -l; } >count"],
                    in: folder.path)
                #expect(
                    folder.text("count").trimmingCharacters(in: .whitespacesAndNewlines) == "60000",
                    "\(folder.text("err"))")
            }

            @Test func aReaderThatHasGoneIsSaid() throws {
                let tool = try Tool.path()
                _ = try ChildProcess.run(
                    ["/bin/sh", "-c", "{ seq 60000 | '\(tool)' pipe --console 2>err; echo $? >status; } | head -n 1 >first"],
                    in: folder.path)
                #expect(becomesTrue { folder.text("status") == "75\n" }, "\(folder.text("err"))")
                #expect(folder.text("err").contains("ConsoleLogProvider did not deliver"))
            }

            @Test func aReaderThatHasGoneEndsAnEndlessInput() throws {
                let tool = try Tool.path()
                _ = try ChildProcess.run(
                    ["/bin/sh", "-c", "{ timeout 100 yes | '\(tool)' pipe --console 2>err; echo $? >status; } | head -n 1 >first"],
                    in: folder.path)
                #expect(becomesTrue { folder.text("status") == "75\n" }, "\(folder.text("err"))")
                #expect(folder.text("err").contains("nobody reads"), "\(folder.text("err"))")
            }

            @Test func aReaderThatHasGoneIsNoticedWithoutAnotherLineAndEndsNothingThatGoesElsewhere() throws {
                for (others, end) in [([], ChildProcess.End.exited(75)), (["--file", "logs"], .exited(75))] {
                    let (input, output) = (Pipe(), Pipe())
                    let pipe = try ChildProcess(
                        [Tool.path(), "pipe", "--console"] + others, in: folder.path, input: input.fileHandleForReading.fileDescriptor,
                        outputDescriptor: output.fileHandleForWriting.fileDescriptor, errors: folder("err"))
                    try output.fileHandleForWriting.close()
                    try input.fileHandleForWriting.write(contentsOf: Data("one\n".utf8))
                    #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).hasSuffix("one\n"))
                    try output.fileHandleForReading.close()
                    if !others.isEmpty {
                        try input.fileHandleForWriting.write(contentsOf: Data("two\n".utf8))
                        #expect(becomesTrue { folder.lines("logs/app.log").count == 2 })
                        try input.fileHandleForWriting.close()
                    }
                    #expect(pipe.wait() == end, "\(folder.text("err"))")
                    #expect(folder.text("err").contains("nobody reads") == others.isEmpty)
                }
            }

            @Test func aClosedInputIsOneThatCannotBeRead() throws {
                let outcome = try Tool(["pipe", "--file", "logs"], in: folder, name: "pipe", limits: "exec <&-").wait()
                #expect(outcome.status == 74, "\(outcome)")
                #expect(folder.text("logs/app.log") == "")
            }

            @Test func noFileOfOursTakesThePlaceOfAClosedStream() throws {
                let tool = try Tool(["pipe", "--file", "logs", "--console"], in: folder, name: "pipe", limits: "exec >&- 2>&-")
                try tool.send("one\n")
                try tool.endInput()
                #expect(tool.wait().status == 75)   // what should be on the console is nowhere
                let lines = folder.lines("logs/app.log")
                #expect(lines.count == 1 && lines[0].hasSuffix("one"), "\(lines)")
            }
        }
    }
#endif
