#if Collector && canImport(Glibc)
    import Foundation
    import Glibc
    import GRDB
    import LogbookCore
    import LogbookHTTP
    import LogbookTestKit
    import Testing

    extension ToolTests {
        @Suite struct CollectCommandTests {
            private let folder = TemporaryFolder()

            @Test func whatCannotStartSaysSoOnce() throws {
                let collector = try CollectorProcess(in: folder)
                try DatabaseQueue(path: folder("newer.sqlite")).write {
                    try $0.execute(
                        sql: "CREATE TABLE x (y); PRAGMA application_id = \(0x4C67_6261); PRAGMA user_version = 99")
                }
                mkdir(folder("elsewhere"), 0o700)
                for name in ["token", "linked.sqlite"] { close(open(folder(name), O_WRONLY | O_CREAT, 0o600)) }
                try "a-token-that-is-long-enough".write(toFile: folder("token"), atomically: false, encoding: .utf8)
                symlink("../linked.sqlite", folder("elsewhere/link.sqlite"))
                for (arguments, status, word) in [
                    (["sqlite:archive.sqlite", "--token", "t"], 69, "in use"),
                    (
                        ["sqlite:other.sqlite", "--token", "t", "--port", "\(collector.port)"], 69,
                        "Address already in use"
                    ),
                    (["sqlite:newer.sqlite", "--token", "t"], 78, "schema version 99"),
                    (["sqlite:missing/x", "--token", "t"], 73, "No such file"),
                    (["postgres:x", "--token", "t"], 64, "sqlite:"), (["sqlite:other.sqlite"], 64, "needs a token"),
                    (["sqlite:other.sqlite", "--token", "t", "--host", "0.0.0.0"], 64, "--insecure"),
                    (["sqlite:other.sqlite", "--token", "t", "--port", "70000"], 64, "port"),
                    (["sqlite:other.sqlite", "--token", "t", "--connections", "0"], 64, "one connection"),
                    (["sqlite:other.sqlite", "--token", "t", "--connections-per-address", "0"], 64, "one connection"),
                    (["sqlite:other.sqlite", "--token", "t", "--connections", "9223372036854775807"], 64, "connections"),
                    (["sqlite:other.sqlite", "--token", "t", "--bytes-per-day-total", "0"], 64, "at least 1"),
                    (["sqlite:other.sqlite", "--token", "t", "--keep-free=-9223372036854775808"], 64, "free"),
                    (["sqlite:other.sqlite", "--token", "t", "--keep-size", "67108863"], 64, "must be 67108864 or more"),
                    (["sqlite:other.sqlite", "--token", "t", "--keep-size=-1"], 64, "must be 67108864 or more"),
                    (["sqlite:other.sqlite", "--token", "t", "--files", ".", "--keep-files", "9"], 64, "would remove other.sqlite"),
                    (["sqlite:elsewhere/a.sqlite", "--token-file", "token", "--files", ".", "--keep-files", "9"], 64, "would remove token"),
                    (["sqlite:elsewhere/link.sqlite", "--token", "t", "--files", ".", "--keep-files", "9"], 64, "would remove elsewhere/link"),
                    (["sqlite:other.sqlite", "--token", "t", "--keep-files", "9"], 64, "give their folder with --files"),
                    (["postgres://u@127.0.0.1:1/d", "--token", "t", "--keep-size", "67108864"], 64, "--keep-size is for archives of SQLite"),
                    (["clickhouse://127.0.0.1:1/d", "--token", "t", "--keep-size", "67108864"], 64, "--keep-size is for archives of SQLite"),
                    (["sqlite:other.sqlite", "--token", "t", "--files", "/dev/null"], 73, "/dev/null: "),
                    (["sqlite:other.sqlite", "--token", "t", "--files", "/proc"], 73, "/proc: "),
                ] as [([String], Int32, String)] {
                    let outcome = try Tool.run(["collect", "--allow-root", "--archive"] + arguments, in: folder)
                    #expect(outcome.status == status, "\(arguments)")
                    #expect(outcome.errors.contains(word), "\(outcome.errors)")
                    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
                    #expect(outcome.output.isEmpty)
                }
                collector.tool.signal(SIGTERM)
                let outcome = collector.tool.wait()
                #expect(outcome.status == 0)
                #expect(outcome.errors.isEmpty, "\(outcome.errors)")
                #expect(!FileManager.default.fileExists(atPath: folder("archive.sqlite-wal")))
            }

            @Test("S36: root does not start it without a word, and hears what to do", .enabled(if: geteuid() == 0, "only root is refused"))
            func rootMustSaySo() throws {
                let outcome = try Tool.run(["collect", "--archive", "sqlite:archive.sqlite", "--token", "t", "--port", "0"], in: folder)
                #expect(outcome.status == 64 && outcome.output.isEmpty)
                let words = "a collector needs no root: run it as a user of its own that may write its archive, or say --allow-root"
                #expect(outcome.errors == "logbook collect: \(words)\n")
                #expect(!FileManager.default.fileExists(atPath: folder("archive.sqlite")))
            }

            @Test("S20: what is no request is told to whoever runs it, under the id that its sender has")
            func whatIsNoRequestIsTold() throws {
                let collector = try CollectorProcess(in: folder), connection = try RawConnection(port: collector.port)
                connection.send("nonsense\r\n\r\n")
                var answer = ""
                while let more = connection.receive() { answer += more }
                let id = try #require(answer.firstMatch(of: /"id":"([0-9a-f]{12})"/), "\(answer)").1
                let remark = "collector requests: request \(id) was answered with 400 malformed"
                #expect(becomesTrue { collector.tool.errors.contains(remark) }, "\(collector.tool.errors)")
                collector.tool.signal(SIGTERM)
                #expect(collector.tool.wait().status == 0)
            }

            @Test("days that are none, or more than anybody can mean, are refused", arguments: ["0", "36501", "106751991167301"])
            func keepingHasLimits(days: String) throws {
                let arguments = ["collect", "--archive", "sqlite:archive.sqlite", "--token", "t", "--port", "0", "--files", "received"]
                for option in ["--keep", "--keep-files"] {
                    let outcome = try Tool.run(arguments + [option, days], in: folder)
                    #expect(outcome.status == 64)
                    #expect(outcome.errors.contains("The days of \(option) must be 1 to 36500"), "\(outcome.errors)")
                }
                #expect(!FileManager.default.fileExists(atPath: folder("archive.sqlite")))
            }

            @Test("Row 54: killed between its commit and its answer, it knows the parcel when it comes again")
            func aLostAnswerMakesNoSecondRow() throws {
                var collector = try CollectorProcess(in: folder)
                let line =
                    #"{"time":"2026-11-21T09:29:20Z","level":"info","message":"m","sequence":%d,"installation":"I","epoch":1}"#
                let events = (1...3).map { line.replacing("%d", with: "\($0)") }.joined(separator: "\n")
                let set =
                    #"{"apptxns":[{"apptxn/id":"T","apptxn/usecase":1,"apptxn/logs":["#
                    + #"{"apptxnlog/usecase-event":1,"apptxnlog/timestamp":"Thu, 15 Jan 2015 18:11:42 GMT"}]}]}"#
                for (path, type, body, table, count) in [
                    ("/v1/logs", "application/x-ndjson", events, "log_events", 3),
                    ("/v1/transactions", "application/vnd.fp.apptxnset-v0.0.1+json", set, "entries", 1),
                ] {
                    func request() -> HTTPRequest {
                        HTTPRequest(
                            url: collector.url + path,
                            headers: [
                                HTTPHeader("Authorization", "Bearer \(CollectorProcess.token)"),
                                HTTPHeader("Content-Type", type),
                                HTTPHeader("Logbook-Parcel", "P"),
                            ], body: Array(body.utf8))
                    }
                    func rows() -> Int {
                        var configuration = Configuration()
                        configuration.readonly = true
                        let queue = try? DatabaseQueue(path: folder("archive.sqlite"), configuration: configuration)
                        return (try? queue?.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") }) ?? 0
                    }
                    let unheard = CurlTransport.shared.send(request()) { _ in }
                    #expect(becomesTrue { rows() == count })
                    collector.tool.signal(SIGKILL)
                    unheard.cancel()
                    _ = collector.tool.wait()
                    collector = try CollectorProcess(in: folder, name: "again-\(table)")
                    let answer = try CurlTransport.shared.sendAndWait(request(), by: .seconds(60))
                    #expect((200...202).contains(answer.status))
                    #expect(rows() == count)
                }
                collector.tool.signal(SIGTERM)
                _ = collector.tool.wait()
            }

            @Test("Row 56: when the disk is full nothing is acknowledged, and when there is room again it goes on")
            func aFullDiskIsSaidAndGotOver() throws {
                let collector = try CollectorProcess(in: folder)
                func limitFiles(to bytes: String) throws {
                    let arguments = ["--pid", "\(collector.tool.process.identifier)", "--fsize=\(bytes):"]
                    #expect(try ChildProcess.run(["prlimit"] + arguments) == .exited(0))
                }
                func send(_ sequence: Int) throws -> Int {
                    let text = String(repeating: "x", count: 50_000)
                    let line =
                        #"{"time":"2026-11-21T09:29:20Z","level":"info","message":"\#(text)","sequence":\#(sequence),"installation":"I","epoch":1}"#
                    return try CurlTransport.shared.sendAndWait(
                        HTTPRequest(
                            url: collector.url + "/v1/logs",
                            headers: [
                                HTTPHeader("Authorization", "Bearer \(CollectorProcess.token)"),
                                HTTPHeader("Content-Type", "application/x-ndjson"),
                            ], body: Array(line.utf8)), by: .seconds(60)
                    ).status
                }
                func health() throws -> Int {
                    try CurlTransport.shared.sendAndWait(
                        HTTPRequest(method: "GET", url: collector.url + "/health"), by: .seconds(60)
                    ).status
                }
                #expect(try send(0) == 200)
                try limitFiles(to: "1000000")
                var acknowledged = 1
                var refused: Int?
                for sequence in 1..<100 where refused == nil {
                    let status = try send(sequence)
                    if status == 200 { acknowledged += 1 } else { refused = status }
                }
                #expect(refused == 503)
                #expect(try health() == 503)
                try limitFiles(to: "unlimited")
                #expect(try send(acknowledged) == 200)
                #expect(becomesTrue { (try? health()) == 200 })   // what it said is believed for a second
                collector.tool.signal(SIGTERM)
                #expect(collector.tool.wait().status == 0)
                let rows = try DatabaseQueue(path: folder("archive.sqlite")).read {
                    try Int.fetchOne($0, sql: "SELECT count(*) FROM log_events")
                }
                #expect(rows == acknowledged + 1)
            }

            @Test("W3: a new token is let in by its line, for its tenant and scopes alone, and a line that is gone lets nobody in")
            func tokensOfAFile() throws {
                func made(_ arguments: String...) throws -> (token: String, line: String) {
                    let outcome = try Tool.run(["collect", "token", "new"] + arguments, in: folder)
                    #expect(outcome.status == 0, "\(outcome.errors)")
                    let parts = try #require(outcome.output.wholeMatch(of: /token: ([0-9a-f]{64})\nline:  (.+)\n/))
                    return (String(parts.1), String(parts.2))
                }
                let writer = try made("--tenant", "acme"), reader = try made("--tenant", "acme", "--scope", "read")
                #expect(!writer.line.contains(writer.token))
                let untold = try Tool.runOntoAFullDisk(["collect", "token", "new"], in: folder)
                #expect(untold.status == 74)
                #expect(untold.errors == "logbook collect token new: the token cannot be written: No space left on device (errno 28)\n")
                let path = folder("tokens")
                try "# ours\n\(writer.line)\n\(reader.line)\n".write(toFile: path, atomically: true, encoding: .utf8)
                let arguments = ["collect", "--allow-root", "--archive", "sqlite:tokens.sqlite", "--port", "0", "--tokens", path]
                chmod(path, 0o644)
                #expect(try Tool.run(arguments, in: folder).errors.contains("chmod 600"))
                chmod(path, 0o600)
                let twice = try Tool.run(arguments + ["--token", writer.token], in: folder)
                #expect(twice.status == 64 && twice.errors.contains("line 2 of \(path)"), "\(twice.errors)")
                // What a client has there is no token for everything.
                let tool = try Tool(arguments, in: folder, name: "tokens", environment: ["LOGBOOK_TOKEN": writer.token])
                try #require(becomesTrue { tool.output.hasSuffix("\n") || tool.process.end != nil }, "\(tool.errors)")
                let url = String(try #require(tool.output.split(separator: " ").last).dropLast())
                func status(_ method: String, _ token: String) throws -> Int {
                    try CurlTransport.shared.sendAndWait(
                        HTTPRequest(
                            method: method, url: url + "/v1/transactions",
                            headers: [
                                HTTPHeader("Authorization", "Bearer \(token)"),
                                HTTPHeader("Content-Type", "application/vnd.fp.apptxnset-v0.0.1+json"),
                            ], body: method == "POST" ? Array(#"{"apptxns":[]}"#.utf8) : []), by: .seconds(60)
                    ).status
                }
                #expect(try status("POST", writer.token) == 202)
                #expect(try status("GET", writer.token) == 403)
                #expect(try status("GET", reader.token) == 200)
                #expect(try status("POST", reader.token) == 403)
                #expect(try status("POST", String(writer.line.prefix(64))) == 401)
                // Whoever tells it with the signal of old does not end it.
                try "\(reader.line)\n".write(toFile: path + ".new", atomically: false, encoding: .utf8)
                chmod(path + ".new", 0o600)
                rename(path + ".new", path)
                tool.signal(SIGHUP)
                #expect(becomesTrue { (try? status("POST", writer.token)) == 401 })
                #expect(try status("GET", reader.token) == 200)
                tool.signal(SIGTERM)
                #expect(tool.wait().status == 0)
            }

            @Test("S32: no byte of an erased user is left in any file of a collector that runs, also when it was killed in the middle")
            func anErasedUserLeavesNoByte() throws {
                var collector = try CollectorProcess(in: folder)
                func send(_ method: String, _ path: String, _ body: String = "") -> HTTPRequest {
                    HTTPRequest(
                        method: method, url: collector.url + path,
                        headers: [
                            HTTPHeader("Authorization", "Bearer \(CollectorProcess.token)"),
                            HTTPHeader("Content-Type", "application/vnd.fp.apptxnset-v0.0.2+json"),
                        ], body: Array(body.utf8))
                }
                func fill(_ user: String) throws {
                    // Of several lengths, so that rows move from page to page.
                    let transactions = (0..<300).map { number in
                        let text = String(repeating: "\(user)-text ", count: 1 + number * 7 % 61)
                        return #"{"apptxn/id":"\#(number)-\#(user)","apptxn/usecase":1,"apptxn/user":"\#(user)","apptxn/logs":["#
                            + #"{"apptxnlog/usecase-event":1,"apptxnlog/timestamp":"Thu, 15 Jan 2015 18:11:42 GMT","#
                            + #""apptxnlog/in-ctx-err-desc":"\#(text)"}]}"#
                    }
                    let set = #"{"apptxns":[\#(transactions.joined(separator: ","))]}"#
                    #expect(try CurlTransport.shared.sendAndWait(send("POST", "/v1/transactions", set), by: .seconds(60)).status == 202)
                }
                func holds(_ word: String) throws -> Bool {
                    // Every file there is: the archive, its log, its index, its lock.
                    try ChildProcess.run(["sh", "-c", "grep -qa \(word) archive.sqlite*"], in: folder.path) == .exited(0)
                }
                for round in 0..<4 {
                    let user = "canary\(round)x"
                    try fill("keeper\(round)")
                    try fill(user)
                    #expect(try holds(user))
                    let unheard = CurlTransport.shared.send(send("DELETE", "/v1/users/\(user)")) { _ in }
                    if round > 0 {
                        usleep(UInt32(4000 * (round - 1)))
                        collector.tool.signal(SIGKILL)
                        _ = collector.tool.wait()
                        collector = try CollectorProcess(in: folder, name: "again-\(round)")
                    }
                    let answer = try CurlTransport.shared.sendAndWait(send("DELETE", "/v1/users/\(user)"), by: .seconds(60))
                    #expect(answer.status == 200)
                    #expect(try !holds(user))
                    #expect(try holds("keeper\(round)-text"))
                    unheard.cancel()
                }
                collector.tool.signal(SIGTERM)
                #expect(collector.tool.wait().status == 0)
                #expect(try !holds("canary"))
            }

            @Test func insecureStartsWithoutAToken() throws {
                let tool = try Tool(
                    ["collect", "--allow-root", "--archive", "sqlite:a.sqlite", "--port", "0", "--host", "0.0.0.0", "--insecure"],
                    in: folder, name: "open")
                #expect(
                    becomesTrue { tool.output.hasPrefix("listening on http://0.0.0.0:") || tool.process.end != nil }
                )
                tool.signal(SIGINT)
                #expect(tool.wait().status == 0)
            }
        }
    }
#endif
