#if Collector && canImport(Glibc)
    import Foundation
    import Glibc
    import LogbookCore
    import LogbookHTTP
    import LogbookTestKit
    import Testing

    extension ToolTests {
        @Suite struct DoctorCommandTests {
            private let folder = TemporaryFolder()

            private func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Tool.Outcome {
                try Tool.run(["doctor"] + arguments, in: folder, environment: environment)
            }

            @Test func aFolderIsTriedAndLeftAsItWas() throws {
                let found = try run(["--folder", folder.path, "--folder", folder("a/b/c")])
                #expect(found.status == 0, "\(found.output)")
                let lines = found.output.split(separator: "\n")
                #expect(lines.count == 2)
                #expect(lines[0].contains("\(folder.path): ") && lines[0].contains(" MiB free, 4 KiB are safe on disk after "))
                #expect(
                    lines[1].contains(
                        "\(folder("a/b/c")): is not there yet: a log or a store makes it, for a spool or an archive run mkdir -p \(folder("a/b")); "))
                let near = try run(["--folder", folder("a")])
                #expect(near.status == 0 && near.output.contains("\(folder("a")): is not there yet and can be made; "), "\(near.output)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix("run.") }.isEmpty)
            }

            @Test func findingsThatNobodyCanReadAreNoSuccess() throws {
                let found = try Tool.runOntoAFullDisk(["doctor", "--folder", folder.path], in: folder)
                #expect(found.status == 74)
                #expect(found.errors == "logbook doctor: the findings cannot be written: No space left on device (errno 28)\n")
            }

            @Test func aFolderThatCannotBeWrittenIsNamed() throws {
                try Data("x".utf8).write(to: URL(fileURLWithPath: folder("file")))
                let found = try run(["--folder", folder("file/logs"), "--folder", "/proc", "--folder", folder("file")])
                #expect(found.status == 1)
                let lines = found.output.split(separator: "\n")
                #expect(lines.count == 3 && lines.allSatisfy { $0.hasPrefix("wrong\t") }, "\(found.output)")
                #expect(lines[0].contains("cannot be looked at: Not a directory"))
                #expect(lines[1].contains("nothing can be written in /proc: open: "))
                #expect(lines[2].contains("is a file, and should be a folder"))

                mkdir(folder("open"), 0o777)
                chmod(folder("open"), 0o777)
                let open = try run(["--folder", folder("open")])
                #expect(open.status == 0 && open.output.contains("doubt\t\(folder("open")): others may replace files in it (mode 777); chmod go-w"))
            }

            @Test func theVariablesAreRead() throws {
                let fine = try run([], environment: ["LOGBOOK_ENVIRONMENT": "staging", "LOGBOOK_LEVEL": "info,net=debug"])
                #expect(fine.status == 0)
                #expect(fine.output == "ok\tLOGBOOK_ENVIRONMENT: staging\nok\tLOGBOOK_LEVEL: info,net=debug\n")
                let wrong = try run([], environment: ["LOGBOOK_ENVIRONMENT": "prod", "LOGBOOK_LEVEL": "info,net=loud"])
                #expect(wrong.status == 1)
                #expect(wrong.output.contains("wrong\tLOGBOOK_ENVIRONMENT: ") && wrong.output.contains("must be development, staging or production"))
                #expect(wrong.output.contains("wrong\tLOGBOOK_LEVEL: ") && wrong.output.contains("loud"))
            }

            @Test func aCollectorTellsWhetherItTakesTheToken() throws {
                let collector = try CollectorProcess(in: folder)
                defer { collector.tool.signal(SIGTERM) }
                let address = "collector://127.0.0.1:\(collector.port)"
                let fine = try run(["--to", address], environment: ["LOGBOOK_TOKEN": CollectorProcess.token])
                #expect(fine.status == 0)
                #expect(fine.output.hasPrefix("ok\t\(address): answered with 200 after ") && fine.output.hasSuffix(", and takes the token\n"))
                let wrong = try run(["--to", address], environment: ["LOGBOOK_TOKEN": "wrong-secret"])
                #expect(wrong.status == 1 && wrong.output == "wrong\t\(address): the token is refused\n" && wrong.errors == "")
                let none = try run(["--to", address])
                #expect(none.output == "wrong\t\(address): it wants a token: give --token-file or LOGBOOK_TOKEN\n")
            }

            @Test("a file of the token that others may read is doubted, and the other commands say so")
            func aTokenThatOthersMayRead() throws {
                let server = try LoopbackServer { $0.header("Authorization") == "Bearer right" ? .status(200) : .status(401) }
                try Data("right\n".utf8).write(to: URL(fileURLWithPath: folder("token")))
                chmod(folder("token"), 0o640)
                let receiver = ["--to", "otlp://127.0.0.1:\(server.port)", "--token-file", "token"]
                let doubt = "token: others may read or write the token in it (mode 640); chmod 600 token\n"
                let found = try run(receiver)
                #expect(found.status == 0 && found.output.hasPrefix("doubt\t" + doubt + "ok\t") && found.errors == "", "\(found.output)")
                let sent = try Tool.run(["send"] + receiver, in: folder, input: "one\n")
                #expect(sent.output == "1 received, 0 refused, 0 not received\n" && sent.errors == "logbook: " + doubt)

                chmod(folder("token"), 0o600)
                #expect(try run(receiver).output.hasPrefix("ok\t"))
                #expect(try Tool.run(["send"] + receiver, in: folder, input: "one\n").errors == "")
            }

            @Test func aVariableThatHoldsNoTokenIsNone() throws {
                let server = try LoopbackServer { _ in .status(401) }
                let address = "otlp://127.0.0.1:\(server.port)"
                let found = try run(["--to", address], environment: ["LOGBOOK_TOKEN": ""])
                #expect(found.output == "wrong\t\(address): it wants a token: give --token-file\n")
                #expect(server.requests.count == 1 && server.requests.allSatisfy { $0.header("Authorization") == nil })
            }

            @Test("each receiver is asked with the token, and what it says of it is told", arguments: [
                ("loki://H?job=a", "GET /loki/api/v1/labels", "Authorization", "Bearer right"),
                ("otlp://H", "POST /v1/logs", "Authorization", "Bearer right"),
                ("datadog://H", "GET /api/v1/validate", "DD-API-KEY", "right"),
                ("splunk://H", "POST /services/collector/event", "Authorization", "Splunk right"),
                ("logstash://H/in", "POST /in", "Authorization", "Bearer right"),
            ])
            func theTokenIsTried(address: String, question: String, header: String, value: String) throws {
                let server = try LoopbackServer { request in
                    let isSplunk = request.target.contains("collector")
                    // Logstash makes an event of anything but an array of none.
                    let body = request.target == "/in" ? "[]" : ""
                    guard "\(request.method) \(request.target)" == question, request.body == Array(body.utf8) else { return .status(404) }
                    if request.header(header) == value {
                        return .status(isSplunk ? 400 : 200, body: isSplunk ? #"{"text":"No data","code":5}"# : #"{"valid":true}"#)
                    }
                    return .status(isSplunk ? 403 : 401, body: isSplunk ? #"{"text":"Invalid token","code":4}"# : "")
                }
                let address = address.replacing("H", with: "127.0.0.1:\(server.port)")
                let fine = try run(["--to", address, "--token", "right"])
                #expect(fine.status == 0, "\(fine.output)")
                #expect(fine.output.hasPrefix("ok\t") && fine.output.hasSuffix(", and takes the token\n"), "\(fine.output)")
                let wrong = try run(["--to", address, "--token", "wrong-secret"])
                let name = address.prefix { $0 != "?" }
                #expect(wrong.status == 1 && wrong.output == "wrong\t\(name): the token is refused\n", "\(wrong.output)")
                #expect(!wrong.output.contains("wrong-secret") && wrong.errors == "")
            }

            @Test("a collector's token is shown to no receiver of another kind")
            func theVariableIsACollectors() throws {
                let server = try LoopbackServer { _ in .status(401) }, variable = ["LOGBOOK_TOKEN": "everything"]
                let here = "127.0.0.1:\(server.port)"
                let found = try run(["--to", "loki://\(here)?job=a", "--to", "collector://\(here)"], environment: variable)
                #expect(found.output == "wrong\tloki://\(here): it wants a token: give --token-file\nwrong\tcollector://\(here): the token is refused\n")
                let sent = try Tool.run(
                    ["send", "--to", "loki://\(here)?job=a", "--deadline", "5"], in: folder, input: "one\n", environment: variable)
                #expect(sent.status == 75, "\(sent)")
                #expect(server.requests.map { $0.header("Authorization") } == [nil, "Bearer everything", nil])
                #expect(
                    sent.errors.contains("\nlogbook send: what of standard input was read and not received is kept nowhere\n")
                        && !sent.errors.contains("are kept") && !sent.errors.contains("is kept,"), "\(sent.errors)")
            }

            @Test("of a receiver that forbids to read it is not said to know a token that it was not shown")
            func readingIsForbidden() throws {
                let server = try LoopbackServer { _ in .status(403) }
                let address = "elasticsearch://127.0.0.1:\(server.port)"
                let known = "doubt\t\(address): it knows the token, which may not read; whether writing is allowed is not known\n"
                #expect(try run(["--to", address, "--token", "t"]).output == known)
                let none = try run(["--to", address])
                #expect(none.status == 0 && none.output.hasPrefix("doubt\t\(address): who shows no token may not read there; "), "\(none.output)")
                #expect(none.output.hasSuffix(": if it wants one, give --token-file\n"), "\(none.output)")
            }

            @Test("a token that nobody can be asked about is not said to be fine")
            func theTokenIsNotTried() throws {
                let server = try LoopbackServer { _ in .status(200) }
                let address = "http://127.0.0.1:\(server.port)/in"
                let found = try run(["--to", address, "--token", "t"])
                #expect(found.status == 0 && found.output.hasPrefix("doubt\t\(address): answered with 200 after "), "\(found.output)")
                #expect(found.output.hasSuffix(" ms; the token was not tried\n"))
                #expect(try run(["--to", address]).output.hasPrefix("ok\t"))
                #expect(server.requests.allSatisfy { $0.header("Authorization") == nil })
            }

            @Test func theKeysOfAnAccountAreTried() throws {
                let answers = Locked<[LoopbackServer.Answer]>([
                    .status(404, body: "<Error><Code>NoSuchBucket</Code></Error>"),
                    .status(403, body: "<Error><Code>AccessDenied</Code></Error>"),
                    .status(403, body: "<Error><Code>SignatureDoesNotMatch</Code></Error>"), .status(200),
                ])
                let server = try LoopbackServer { _ in answers.withLock { $0.popLast() } ?? .status(500) }
                let address = "s3://bucket/logs", parameters = "?region=eu-central-1&endpoint=http://127.0.0.1:\(server.port)"
                let keys = ["AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "s3cret"]
                func found() throws -> String {
                    let found = try run(["--to", address + parameters], environment: keys)
                    return found.output.replacing(/after \d+ ms/, with: "after a while")
                }
                #expect(try found() == "ok\t\(address): answered with 200 after a while, and takes the keys\n")
                #expect(try found() == "wrong\t\(address): the keys are refused, or are not for this region\n")
                #expect(try found() == "doubt\t\(address): it knows the keys, which may not read; whether writing is allowed is not known\n")
                #expect(try found() == "wrong\t\(address): it takes the keys, and has no such bucket\n")
                #expect(server.requests.allSatisfy { $0.header("Authorization")?.hasPrefix("AWS4-HMAC-SHA256 Credential=AKIA/") == true })

                let none = try run(["--to", address + parameters], environment: ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""])
                #expect(none.status == 64 && none.errors.contains("the environment has no AWS_ACCESS_KEY_ID and no AWS_SECRET_ACCESS_KEY"))
            }

            @Test func whatStandsBetweenIsSaidInWords() throws {
                let closed = try LoopbackServer { _ in .status(200) }
                closed.stop()
                let found = try run(["--to", "loki://127.0.0.1:\(closed.port)?job=a", "--to", "loki://no-such-host.invalid?job=a"])
                #expect(found.status == 1)
                let lines = found.output.split(separator: "\n")
                #expect(lines.count == 2 && lines.allSatisfy { $0.contains("no connection: ") && $0.hasSuffix("may this machine reach it?") })
                let unreadable = try run(["--to", "nonsense"])
                #expect(unreadable.status == 64 && unreadable.errors.contains("nonsense") || unreadable.errors.contains("://"))
                #expect(try run([]).status == 64)
            }

            @Test(arguments: ["Fri, 06 Feb 2015 05:59:27 GMT", "Fri, 01 Jan 1700 00:00:00 GMT"])
            func clocksThatDifferAreSaid(date: String) throws {
                let server = try LoopbackServer { _ in
                    .status(200, headers: [HTTPHeader("Date", date)])
                }
                let found = try run(["--to", "http://127.0.0.1:\(server.port)/"])
                #expect(found.status == 1)
                #expect(found.output.contains("ok\thttp://127.0.0.1:\(server.port)/: answered with 200"))
                #expect(found.output.contains(" s: this machine is ahead; set it by NTP"))
            }
        }
    }
#endif
