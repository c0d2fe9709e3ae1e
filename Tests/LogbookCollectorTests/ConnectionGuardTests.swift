#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import LogbookHTTP
    import LogbookTestKit
    import Testing

    /// Requests that are answered before they have all come.
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
            try await RunningCollector.with(archive, configure: { $0.connections.unwantedBodyDeadline = .seconds(600) }) { collector in
                let bytes = 4 << 20, head = Self.head("POST /v1/logs", token: "wrong", bytes: bytes)
                let connection = try RawConnection(port: collector.port)
                let (answer, isClosed) = await connection.converse(Array(head.utf8) + [UInt8](repeating: 0x20, count: bytes), isWhole: false)
                #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
                #expect(isClosed)
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
    }
#endif
