#if Collector && canImport(Glibc)
    import Foundation
    import Glibc
    import LogbookCore
    import LogbookTestKit
    import Testing

    extension ToolTests {
        @Suite struct SendCommandTests {
            private let folder = TemporaryFolder()

            private func write(_ lines: Int) throws {
                let text = (1...lines).map { "2026-11-21 10:29:20 WARN number \($0)\n" }.joined()
                try Data(text.utf8).write(to: URL(fileURLWithPath: folder("app.txt")))
            }

            @Test func sendDeliversAFileAndStandardInput() throws {
                let collector = try CollectorProcess(in: folder)
                defer { collector.tool.signal(SIGTERM) }
                let address = "collector://127.0.0.1:\(collector.port)", token = ["LOGBOOK_TOKEN": CollectorProcess.token]
                try write(2500)
                let sent = try Tool.run(["send", "app.txt", "--to", address], in: folder, environment: token)
                #expect(sent.output == "2500 received, 0 refused, 0 not received\n")
                #expect(sent.status == 0)
                #expect(sent.errors == "")   // no progress where nobody looks

                let piped = try Tool.run(["send", "--to", address], in: folder, input: "one\ntwo\nthree", environment: token)
                #expect(piped.output == "3 received, 0 refused, 0 not received\n")

                let untold = try Tool.runOntoAFullDisk(["send", "app.txt", "--to", address], in: folder, environment: token)
                #expect(untold.status == 74)
                #expect(untold.errors == "logbook send: the answer cannot be written: No space left on device (errno 28)\n")

                let stranger = try Tool.run(
                    ["send", "app.txt", "--to", address], in: folder, environment: ["LOGBOOK_TOKEN": "wrong-secret"])
                #expect(stranger.status == 75)
                #expect(stranger.output.hasPrefix("0 received, 0 refused, "))
                #expect(stranger.errors.contains("refuses us") && !stranger.errors.contains("wrong-secret"))
            }

            @Test func anyReceiverIsReachedByItsAddress() throws {
                let server = try LoopbackServer { request in
                    request.header("Authorization") == "Bearer t" && request.target == "/loki/api/v1/push" ? .status(204) : .status(401)
                }
                try write(10)
                let sent = try Tool.run(
                    ["send", "app.txt", "--to", "loki://127.0.0.1:\(server.port)?job=test", "--token", "t"], in: folder)
                #expect(sent.output == "10 received, 0 refused, 0 not received\n")
                #expect(server.requests.count == 1)
            }

            @Test func whatAReceiverRefusesIsKeptAside() throws {
                let server = try LoopbackServer { request in .status(request.body.count > 0 && request.header("X") == nil ? 400 : 200) }
                try Data("only\n".utf8).write(to: URL(fileURLWithPath: folder("one.txt")))
                let sent = try Tool.run(
                    ["send", "one.txt", "--to", "http://127.0.0.1:\(server.port)/", "--dead-letters", "dead"], in: folder)
                #expect(sent.status == 65)
                #expect(sent.output == "0 received, 1 refused, 0 not received\n")
                let letters = try FileManager.default.contentsOfDirectory(atPath: folder("dead")).sorted()
                #expect(letters.count == 2 && letters[1].hasSuffix(".reason.txt"))
                #expect(folder.text("dead/" + letters[0]).contains(#""message":"only""#))
            }

            @Test func whatCannotBeSentIsNotRead() throws {
                let refused = try Tool.run(["send", "--to", "http://logs.example.com/in"], in: folder, input: "one\n")
                #expect(refused.status == 64 && refused.output == "", "\(refused)")
                #expect(refused.errors.contains("Nothing can be sent to the address: "), "\(refused.errors)")
                let folderOfLogs = try Tool.run(["send", ".", "--to", "http://127.0.0.1:9/in"], in: folder)
                #expect(folderOfLogs.status == 66 && folderOfLogs.output == "", "\(folderOfLogs)")
                #expect(folderOfLogs.errors.hasPrefix("logbook send: . is a folder: give one of its files"), "\(folderOfLogs.errors)")
            }

            @Test func aLineThatIsTooLongComesInPiecesAndIsNamed() throws {
                let server = try LoopbackServer { _ in .status(200) }
                let long = String(repeating: "é", count: 1_200_000)
                try Data("first\n\n\(long)\nlast\n".utf8).write(to: URL(fileURLWithPath: folder("long.txt")))
                let sent = try Tool.run(["send", "long.txt", "--to", "http://127.0.0.1:\(server.port)/"], in: folder)
                #expect(sent.status == 0)
                #expect(sent.output == "5 received, 0 refused, 0 not received, 1 cut\n")
                #expect(sent.errors == "logbook send: line 3 is longer than 1 MiB and comes in pieces\n")
            }

            @Test func anInputWithoutLinesIsSentAsItComes() throws {
                let answers = Locked([200, 200])
                let server = try LoopbackServer { _ in .status(answers.withLock { $0.popLast() } ?? 401) }
                let sent = try Tool.run(
                    ["send", "/dev/zero", "--to", "http://127.0.0.1:\(server.port)/", "--deadline", "60"], in: folder)
                #expect(sent.status == 75)
                #expect(sent.output == "2 received, 0 refused, 1 not received, 1 cut\n")
                #expect(sent.errors.hasPrefix("logbook send: line 1 is longer than 1 MiB and comes in pieces\n"))
            }

            @Test func anInputThatDoesNotWaitIsWaitedFor() throws {
                let server = try LoopbackServer { _ in .status(200) }
                let pipe = Pipe()
                for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] { _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC) }
                #expect(fcntl(pipe.fileHandleForReading.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
                let tool = try Tool(
                    ["send", "--to", "http://127.0.0.1:\(server.port)/"], in: folder, name: "send", input: pipe.fileHandleForReading)
                try pipe.fileHandleForWriting.write(contentsOf: Data("one\n".utf8))
                #expect(becomesTrue { server.requests.count == 1 || tool.process.end != nil })
                try pipe.fileHandleForWriting.write(contentsOf: Data("two\n".utf8))
                #expect(becomesTrue { server.requests.count == 2 || tool.process.end != nil })
                try pipe.fileHandleForWriting.close()
                let sent = tool.wait()
                #expect(sent.status == 0, "\(sent.errors)")
                #expect(sent.output == "2 received, 0 refused, 0 not received\n")
            }

            @Test func aTerminalShowsHowFarItIs() throws {
                let server = try LoopbackServer { _ in .status(200) }
                try write(2500)
                // Both streams are the terminal's: how much has arrived, which goes when it is over, and the account.
                let shown = output(
                    of: "cd '\(folder.path)' && script -qec \"'\(try Tool.path())' send app.txt --to http://127.0.0.1:\(server.port)/\" /dev/null")
                for progress in ["0 received 0 %", "1000 received 39 %", "2000 received 79 %", "2500 received 100 %"] {
                    #expect(shown.contains("\r\u{1B}[K\(progress)\r\u{1B}[K"), "\(progress): \(shown.debugDescription)")
                }
                #expect(shown.hasSuffix("\r\u{1B}[K2500 received, 0 refused, 0 not received\r\n"), "\(shown.debugDescription)")
            }

            @Test func theTokenMayComeThroughAPipe() throws {
                let server = try LoopbackServer { .status($0.header("Authorization") == "Bearer s3cret" ? 204 : 401) }
                try write(1)
                let arguments = ["send", "app.txt", "--to", "loki://127.0.0.1:\(server.port)?job=test", "--token-file"]
                let sent = try Tool.run(arguments + ["/dev/stdin"], in: folder, input: "s3cret\n")
                #expect(sent.status == 0 && sent.errors == "", "\(sent)")
                mkfifo(folder("token"), 0o600)
                let piped = try Tool(
                    arguments + ["token"], in: folder, name: "fifo", limits: "{ timeout 60 sh -c 'echo s3cret >token' & }")
                #expect(piped.wait().status == 0, "\(piped.errors)")
                for (path, reason) in [("missing", "No such file"), (".", "Is a directory"), ("/dev/zero", "too long")] {
                    let refused = try Tool.run(arguments + [path], in: folder)
                    #expect(refused.status == 64 && refused.errors.contains(path) && refused.errors.contains(reason), "\(refused)")
                }
            }

            @Test func whatCannotBeIsSaid() throws {
                try write(1)
                #expect(try Tool.run(["send", "app.txt", "--to", "gelf://h"], in: folder).status == 64)
                #expect(try Tool.run(["send", "nowhere.txt", "--to", "http://127.0.0.1:1/"], in: folder).status == 66)
                let nobody = try Tool.run(["send", "app.txt", "--to", "http://127.0.0.1:1/", "--deadline", "0.2"], in: folder)
                #expect(nobody.status == 75)
                #expect(nobody.output == "0 received, 0 refused, 1 not received\n")
                #expect(nobody.errors.contains("logbook send: 1 entry had not been delivered"), "\(nobody.errors)")
                #expect(nobody.errors.contains("logbook send: 1 line was read, and the end of the input was not reached\n"))
            }
        }
    }
#endif
