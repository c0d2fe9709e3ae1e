#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import LogbookHTTP
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// What a connection hears of a request and of what is still to come of it.
    @Suite struct ConnectionGuardTests {
        private let folder: TemporaryFolder
        private let archive: SQLiteArchive

        init() throws {
            folder = TemporaryFolder()
            archive = try SQLiteArchive(path: folder("archive.sqlite"))
        }

        private static func head(_ request: String, token: String = RunningCollector.token.revealed, bytes: Int = 1_000_000) -> String {
            "\(request) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nContent-Type: application/x-ndjson\r\n"
                + "Content-Length: \(bytes)\r\n\r\n"
        }

        @Test("S19: whoever is answered before the body is told that the connection ends, and it does, however the body trickles in")
        func anEarlyAnswerIsTheLast() async throws {
            func patient(_ configuration: inout CollectorConfiguration) {
                configuration.maximumBodyBytes = 1000
                configuration.connections.unwantedBodyDeadline = .milliseconds(300)
                // Nothing else closes it.
                (configuration.connections.bodyGrace, configuration.connections.idleTimeout) = (.seconds(600), .seconds(600))
            }
            try await RunningCollector.with(archive, configure: patient) { collector in
                for (head, status) in [
                    (Self.head("POST /v1/logs", token: "wrong"), 401), (Self.head("POST /nowhere"), 404), (Self.head("PUT /v1/logs"), 405),
                    (Self.head("POST /v1/logs"), 413), (Self.head("GET /health"), 200),
                ] {
                    let connection = try RawConnection(port: collector.port)
                    let answer = await connection.exchange(head + "x")
                    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
                    #expect(answer.lowercased().contains("\r\nconnection: close\r\n"), "\(answer)")
                    #expect(await connection.trickle("", "x", every: .milliseconds(20)), "\(status)")
                }
            }
        }

        @Test("S19: whoever sends a whole body before reading has the refusal, and then the connection is closed")
        func whoReadsLateHasTheAnswer() async throws {
            // Longer than the connection is waited for here.
            func patient(_ configuration: inout CollectorConfiguration) {
                (configuration.connections.unwantedBodyDeadline, configuration.connections.idleTimeout) = (.seconds(600), .seconds(600))
            }
            try await RunningCollector.with(archive, configure: patient) { collector in
                let bytes = 4 << 20, head = Self.head("POST /v1/logs", token: "wrong", bytes: bytes)
                let connection = try RawConnection(port: collector.port)
                let (answer, isClosed) = await connection.converse(Array(head.utf8) + [UInt8](repeating: 0x20, count: bytes), isWhole: false)
                #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
                #expect(isClosed)
            }
        }

        @Test("S19: so has who sends it in many small pieces and asks for the connection to be closed")
        func whoWantsItClosedHasTheAnswer() async throws {
            func patient(_ configuration: inout CollectorConfiguration) {
                configuration.maximumBodyBytes = 1000
                (configuration.connections.unwantedBodyDeadline, configuration.connections.idleTimeout) = (.seconds(600), .seconds(600))
            }
            try await RunningCollector.with(archive, configure: patient) { collector in
                let head = "POST /v1/logs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(RunningCollector.token.revealed)\r\n"
                    + "Content-Type: application/x-ndjson\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                let piece = "200\r\n" + String(repeating: " ", count: 0x200) + "\r\n"
                let connection = try RawConnection(port: collector.port)
                let body = String(repeating: piece, count: 8192) + "0\r\n\r\n"
                let (answer, isClosed) = await connection.converse(Array((head + body).utf8), isWhole: false)
                #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
                #expect(isClosed)
            }
        }

        @Test("S20: what is no request, or could be read in two ways, is refused as others are, also while more of it is sent, and is the last")
        func whatIsNoRequestIsRefused() async throws {
            // Nothing else closes it.
            func patient(_ configuration: inout CollectorConfiguration) { configuration.connections.idleTimeout = .seconds(600) }
            let health = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n", rest = [UInt8](repeating: 0x20, count: 4 << 20)
            try await RunningCollector.with(archive, configure: patient) { collector in
                let twoHosts = "POST /v1/logs HTTP/1.1\r\nHost: x\r\nHost: y\r\nContent-Length: \(rest.count)\r\n\r\n"
                for text in ["nonsense\r\n\r\n", twoHosts] {
                    for (before, more) in [("", []), (health, []), ("", rest)] as [(String, [UInt8])] {
                        let bytes = Array((before + text).utf8) + more
                        let (answer, isClosed) = try await RawConnection(port: collector.port).converse(bytes, isWhole: false)
                        #expect(isClosed && answer.hasPrefix(before.isEmpty ? "HTTP/1.1 400 " : "HTTP/1.1 200 "), "\(answer)")
                        let begin = try #require(answer.firstRange(of: "HTTP/1.1 400 "), "\(answer)").lowerBound
                        let refusal = String(answer[begin...])
                        #expect(refusal.lowercased().contains("\r\nconnection: close\r\n"), "\(refusal)")
                        let id = try #require(refusal.lowercased().firstMatch(of: /x-request-id: ([0-9a-f]{12})/), "\(refusal)").1
                        #expect(refusal.contains(#"{"error":"malformed","reason":""#), "\(refusal)")
                        #expect(refusal.hasSuffix(#"","id":"\#(id)"}"#), "\(refusal)")
                    }
                }
            }
        }

        @Test("S19: a refused request that has all come leaves the connection open")
        func aWholeRequestIsNotTheLast() async throws {
            try await RunningCollector.with(archive) { collector in
                let connection = try RawConnection(port: collector.port)
                for _ in 0..<2 {
                    let answer = await connection.exchange(Self.head("POST /v1/logs", token: "wrong", bytes: 2) + "{}")
                    #expect(answer.hasPrefix("HTTP/1.1 401 ") && !answer.lowercased().contains("connection: close"), "\(answer)")
                }
            }
        }

        @Test("what is asked for by HEAD is answered as by GET, without the body, so that the next answer begins where it should")
        func headHasNoBody() async throws {
            let entry = EntryRecord(event: 1, errorDescription: String(repeating: "x", count: 64 << 10), time: LogTime(seconds: 1))
            _ = try await archive.store(Golden.parcel(TransactionRecord(id: "T", usecase: 1, entries: [entry, entry])))
            try await RunningCollector.with(archive) { collector in
                func converse(_ methods: String..., at path: String) async throws -> [(head: String, body: String)] {
                    let requests = methods.map { Self.head("\($0) \(path)", bytes: 0) }.joined()
                    var rest = try await RawConnection(port: collector.port).converse(Array(requests.utf8), isWhole: true).answer[...]
                    var answers: [(String, String)] = []
                    while let end = rest.firstRange(of: "\r\n\r\n") {
                        let head = String(rest[..<end.lowerBound]), next = rest[end.upperBound...].firstRange(of: "HTTP/1.1 ")
                        answers.append((head, String(rest[end.upperBound..<(next?.lowerBound ?? rest.endIndex)])))
                        rest = rest[(next?.lowerBound ?? rest.endIndex)...]
                    }
                    return answers
                }
                for (path, status) in [
                    ("/health", 200), ("/v1/stats", 200), ("/v1/transactions/T", 200), ("/nowhere", 404), ("/v1/logs", 405),
                ] {
                    let answers = try await converse("HEAD", "GET", at: path)
                    try #require(answers.count == 2, "\(path): \(answers)")
                    #expect(answers.allSatisfy { $0.head.hasPrefix("HTTP/1.1 \(status) ") }, "\(answers)")
                    #expect(answers[0].body.isEmpty && !answers[1].body.isEmpty)
                    let length = "\r\ncontent-length: \(answers[1].body.utf8.count)\r\n"
                    #expect((answers[0].head.lowercased() + "\r\n").contains(length), "\(answers[0])")
                }
                // How long an export is nobody knows before its end.
                let export = try await converse("HEAD", "GET", at: "/v1/export")
                #expect(export.count == 2 && export[0].head.hasPrefix("HTTP/1.1 405 ") && export[0].body.isEmpty, "\(export)")
            }
        }

        @Test(
            "whoever wants the connection closed after the answer has it closed: who says so in any case, and who speaks the older version",
            arguments: [
                (version: "1.0", field: "", closes: true), ("1.0", "Connection: x\r\n", true), ("1.1", "Connection: close\r\n", true),
                ("1.1", "Connection: Close\r\n", true), ("1.1", "Connection: x, close\r\n", true), ("1.1", "", false),
                ("1.0", "Connection: Keep-Alive\r\n", false),
            ])
        func aConnectionIsClosedForWhoWantsThat(version: String, field: String, closes: Bool) async throws {
            func patient(_ configuration: inout CollectorConfiguration) { configuration.connections.idleTimeout = .seconds(600) }
            try await RunningCollector.with(archive, configure: patient) { collector in
                let request = "GET /health HTTP/\(version)\r\nHost: x\r\n\(field)\r\n", connection = try RawConnection(port: collector.port)
                if closes {
                    let (answer, isClosed) = await connection.converse(Array(request.utf8), isWhole: false)
                    #expect(answer.hasPrefix("HTTP/1.1 200 ") && isClosed, "\(answer)")
                } else {
                    for _ in 0..<2 { #expect(await connection.exchange(request).hasPrefix("HTTP/1.1 200 ")) }
                }
            }
        }

        @Test("whoever asks whether to send a body hears so once it is wanted, and not where it is not")
        func aBodyIsAskedFor() async throws {
            func head(token: String) -> String {
                Self.head("POST /v1/logs", token: token, bytes: Golden.line(1).utf8.count)
                    .replacing("\r\n\r\n", with: "\r\nExpect: 100-continue\r\n\r\n")
            }
            try await RunningCollector.with(archive) { collector in
                let connection = try RawConnection(port: collector.port)
                for _ in 0..<2 {
                    #expect(await connection.exchange(head(token: RunningCollector.token.revealed)) == "HTTP/1.1 100 Continue\r\n\r\n")
                    let answer = await connection.exchange(Golden.line(1))
                    #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
                }
                // Who does not wait to be asked has one answer, and so has who speaks the older version, which knows of no other.
                let whole = Array((head(token: RunningCollector.token.revealed) + Golden.line(2)).utf8)
                let (atOnce, _) = try await RawConnection(port: collector.port).converse(whole, isWhole: true)
                #expect(atOnce.contains("HTTP/1.1 200 ") && atOnce.hasSuffix("}"), "\(atOnce)")
                let older = head(token: RunningCollector.token.revealed).replacing("HTTP/1.1", with: "HTTP/1.0") + Golden.line(3)
                #expect(await connection.exchange(older).hasPrefix("HTTP/1.1 200 "))

                let stranger = try await RawConnection(port: collector.port).exchange(head(token: "wrong"))
                #expect(stranger.hasPrefix("HTTP/1.1 401 ") && stranger.lowercased().contains("\r\nconnection: close\r\n"), "\(stranger)")
            }
        }
    }
#endif
