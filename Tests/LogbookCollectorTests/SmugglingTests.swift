#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import LogbookHTTP
    import LogbookTestKit
    import Testing

    /// Requests that whoever stands between a client and the collector might read otherwise than the collector: S20.
    @Suite struct SmugglingTests {
        private enum Outcome: Equatable {
            /// One answer, which is 400, and the connection is closed.
            case refused
            /// Exactly these answers, each to what stands there for every reader.
            case answered([Int])
            /// These answers, then one of 400, and the connection is closed.
            case answeredThenRefused([Int])
        }

        private struct Case {
            let name: String
            let bytes: [UInt8]
            let outcome: Outcome

            init(_ name: String, _ text: String, _ outcome: Outcome = .refused) {
                self.init(name, Array(text.utf8), outcome)
            }

            init(_ name: String, _ bytes: [UInt8], _ outcome: Outcome = .refused) {
                self.name = name
                self.bytes = bytes
                self.outcome = outcome
            }
        }

        private static let token = "Authorization: Bearer \(RunningCollector.token.revealed)\r\n"
        /// What would be answered with 200 if somebody took it for a request.
        private static let hidden = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"

        private static func post(_ fields: String, _ body: String = "") -> String {
            "POST /v1/logs HTTP/1.1\r\nHost: x\r\n\(token)Content-Type: application/x-ndjson\r\n\(fields)\r\n\(body)"
        }

        private static func get(_ fields: String = "", target: String = "/health", version: String = "HTTP/1.1") -> String {
            "GET \(target) \(version)\r\nHost: x\r\n\(fields)\r\n"
        }

        private static let chunked = "Transfer-Encoding: chunked\r\n"
        private static let empty = "0\r\n\r\n"

        private static let cases: [Case] = [
            // Two lengths.
            Case("CL then TE", post("Content-Length: 5\r\n" + chunked, empty + hidden)),
            Case("TE then CL", post(chunked + "Content-Length: 5\r\n", empty + hidden)),
            Case("CL of zero and TE", post("Content-Length: 0\r\n" + chunked, empty + hidden)),
            Case("two CL that differ", post("Content-Length: 0\r\nContent-Length: \(hidden.utf8.count)\r\n", hidden)),
            Case("two CL that agree", post("Content-Length: 2\r\nContent-Length: 2\r\n", "\r\n" + hidden)),
            Case("two CL in one field", post("Content-Length: 2, 2\r\n", "\r\n" + hidden)),
            Case("two CL in one field that differ", post("Content-Length: 0, 2\r\n", "\r\n" + hidden)),
            // A length that is no number.
            Case("CL with a plus", post("Content-Length: +2\r\n", "\r\n" + hidden)),
            Case("CL with a minus", post("Content-Length: -1\r\n", hidden)),
            Case("CL in hexadecimal", post("Content-Length: 0x2\r\n", "\r\n" + hidden)),
            Case("CL with a space in it", post("Content-Length: 1 0\r\n", "\r\n" + hidden)),
            Case("CL with a comma", post("Content-Length: 2,\r\n", "\r\n" + hidden)),
            Case("CL that is empty", post("Content-Length:\r\n", hidden)),
            Case("CL beyond 64 bits", post("Content-Length: 18446744073709551618\r\n", "\r\n" + hidden)),
            Case("CL with a fraction", post("Content-Length: 2.0\r\n", "\r\n" + hidden)),
            // Transfer codings.
            Case("TE identity", post("Transfer-Encoding: identity\r\n", hidden)),
            Case("TE chunked, identity", post("Transfer-Encoding: chunked, identity\r\n", empty + hidden)),
            Case("TE identity, chunked", post("Transfer-Encoding: identity, chunked\r\n", empty + hidden)),
            Case("TE gzip, chunked", post("Transfer-Encoding: gzip, chunked\r\n", empty + hidden)),
            Case("TE twice", post(chunked + chunked, empty + hidden)),
            Case("TE chunked, chunked", post("Transfer-Encoding: chunked, chunked\r\n", empty + hidden)),
            Case("TE xchunked", post("Transfer-Encoding: xchunked\r\n", empty + hidden)),
            Case("TE in quotes", post("Transfer-Encoding: \"chunked\"\r\n", empty + hidden)),
            Case("TE with a parameter", post("Transfer-Encoding: chunked;q=1\r\n", empty + hidden)),
            Case("TE that is empty", post("Transfer-Encoding:\r\n", hidden)),
            Case("TE with a vertical tab", post("Transfer-Encoding: \u{0B}chunked\r\n", empty + hidden)),
            Case("TE with a space before its colon", post("Transfer-Encoding : chunked\r\n", empty + hidden)),
            Case("TE on a folded line", post("Transfer-Encoding:\r\n chunked\r\n", empty + hidden)),
            Case("TE in HTTP/1.0", "POST /v1/logs HTTP/1.0\r\n\(token)\(chunked)\r\n\(empty)\(hidden)"),
            // Chunks.
            Case("a chunk's size with 0x", post(chunked, "0x2\r\n\r\n\r\n" + empty + hidden)),
            Case("a chunk's size with a minus", post(chunked, "-2\r\n\r\n\r\n" + empty + hidden)),
            Case("a chunk's size beyond 64 bits", post(chunked, "10000000000000002\r\n\r\n\r\n" + empty + hidden)),
            Case("a chunk without a size", post(chunked, "\r\n\r\n" + empty + hidden)),
            Case("a chunk's size and a bare LF", post(chunked, "2\n\r\n\r\n" + empty + hidden)),
            Case("a chunk that is longer than it says", post(chunked, "2\r\n\r\nxx\r\n" + empty + hidden)),
            Case("a chunk's extension with a bare LF", post(chunked, "2;a\nb\r\n\r\n\r\n" + empty + hidden)),
            Case("a chunk's extension with a bare CR", post(chunked, "2;a\rb\r\n\r\n\r\n" + empty + hidden)),
            Case("a space after a chunk's size", post(chunked, "2 \r\n\r\n\r\n" + empty + hidden)),
            // Fields.
            Case("a folded line", get("X: a\r\n b\r\n")),
            Case("a bare LF after a field", "GET /health HTTP/1.1\r\nHost: x\nX: y\r\n\r\n"),
            Case("bare LF everywhere", "GET /health HTTP/1.1\nHost: x\n\n"),
            Case("a bare CR in a field", get("X: a\rY: b\r\n")),
            Case("a NUL in a field", get("X: a\0b\r\n")),
            Case("a NUL in a name", get("X\0: a\r\n")),
            Case("a space in a name", get("X Y: a\r\n")),
            Case("a space before a colon", get("X : a\r\n")),
            Case("a field without a colon", get("X\r\n")),
            Case("a field without a name", get(": a\r\n")),
            Case("a name that is not ASCII", get("X\u{E9}: a\r\n")),
            Case("a first line that begins with a space", "GET /health HTTP/1.1\r\n Host: x\r\n\r\n"),
            Case("two hosts", get("Host: y\r\n")),
            Case("no host", "GET /health HTTP/1.1\r\n\r\n"),
            // Methods, targets, versions.
            Case("a method in small letters", get().replacing("GET", with: "get")),
            Case("a method that is no token", get().replacing("GET", with: "G(T")),
            Case("a tab after the method", get().replacing("GET ", with: "GET\t")),
            Case("a method that nobody knows", get().replacing("GET", with: "SMUGGLE")),
            Case("the target of a proxy", get(target: "http://x/health")),
            Case("the target of a tunnel", get(target: "x:443").replacing("GET", with: "CONNECT")),
            Case("a star for a target", get(target: "*")),
            Case("a target without a slash", get(target: "health")),
            Case("a target with a fragment", get(target: "/health#x")),
            Case("a target with a backslash", get(target: "/\\health")),
            Case("a target with a control character", get(target: "/he\u{1}alth")),
            Case("a target with a space", get(target: "/he alth")),
            Case("a target that is not ASCII", get(target: "/h\u{E9}alth")),
            Case("a target that begins with two slashes", get(target: "//x/health")),
            Case("HTTP/0.9", "GET /health\r\n\r\n"),
            Case("HTTP/1.2", get(version: "HTTP/1.2")),
            Case("HTTP/2.0", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
            Case("a version of nothing", get(version: "HTTP/")),
            Case("another protocol", get(version: "ICY/1.1")),
            // Allowed, and the parser takes none around a number.
            Case("tabs around a length", post("Content-Length: \t 2 \t\r\n", "\r\n" + hidden)),
            Case("a TLS hello", [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03] + [UInt8](repeating: 7, count: 100)),

            // What every reader takes for the same.
            Case("two requests", get() + get(), .answered([200, 200])),
            Case("a body and what follows", post("Content-Length: 2\r\n", "\r\n" + hidden), .answered([200, 200])),
            Case("chunks and what follows", post(chunked, "2\r\n\r\n\r\n" + empty + hidden), .answered([200, 200])),
            Case("a chunk with an extension", post(chunked, "2;a=b\r\n\r\n\r\n" + empty + hidden), .answered([200, 200])),
            Case("TE in capitals", post("TRANSFER-ENCODING: CHUNKED\r\n", empty + hidden), .answered([200, 200])),
            Case("space around a value", post("Content-Length:   2  \r\n", "\r\n" + hidden), .answered([200, 200])),
            Case("another name than TE", post("Transfer_Encoding: chunked\r\nContent-Length: 2\r\n", "\r\n" + hidden), .answered([200, 200])),
            Case("a body that was refused unread", post("Content-Length: 2\r\n", "\r\n" + hidden).replacing("Bearer ", with: "Bearer x"), .answered([401, 200])),
            Case("a GET with a body", get("Content-Length: 2\r\n") + "\r\n" + hidden, .answered([200, 200])),
            // The parser reads no request behind it, because it would be of the other protocol; the connection is closed.
            Case("a request for another protocol", get("Connection: Upgrade\r\nUpgrade: websocket\r\n") + hidden, .answered([200])),
            Case("more than the length says", post("Content-Length: 2\r\n", "\r\nnonsense\r\n\r\n"), .answeredThenRefused([200])),
            Case("nonsense behind two requests", get() + get() + "nonsense\r\n\r\n", .answeredThenRefused([200, 200])),
            Case("two hosts behind a request", get() + get("Host: y\r\n") + hidden, .answeredThenRefused([200])),
            // Whoever wants the connection closed has said all there is.
            Case("nonsense behind the last request", get("Connection: close\r\n") + "nonsense\r\n\r\n", .answered([200])),
        ]

        /// The statuses of whole answers, one after the other; nil when something else stands between them.
        private static func statuses(_ text: String) -> [Int]? {
            var rest = Array(text.utf8)[...], statuses: [Int] = []
            while !rest.isEmpty {
                guard let end = rest.indices.first(where: { rest[$0...].starts(with: "\r\n\r\n".utf8) }) else { return nil }
                let head = String(decoding: rest[..<end], as: UTF8.self)
                guard head.hasPrefix("HTTP/1.1 "), let status = Int(head.dropFirst(9).prefix(3)) else { return nil }
                let length = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }?
                    .split(separator: " ").last.flatMap { Int($0) } ?? 0
                statuses.append(status)
                rest = rest[(end + 4)...].dropFirst(length)
            }
            return statuses
        }

        @Test("S20: more than 60 requests that could be read in two ways are answered with 400 and their connection closed, or read in the only one")
        func everyCase() async throws {
            #expect(Self.cases.count >= 60)
            let folder = TemporaryFolder()
            let archive = try SQLiteArchive(path: folder("archive.sqlite"))
            // Whatever is closed is closed for what was said, and not because nothing more was.
            func patient(_ configuration: inout CollectorConfiguration) {
                configuration.connections.headDeadline = .seconds(600)
                configuration.connections.idleTimeout = .seconds(600)
                configuration.maximumRefusalsPerMinute = 1_000_000
            }
            try await RunningCollector.with(archive, configure: patient) { collector in
                for item in Self.cases {
                    let isWhole = if case .answered = item.outcome { true } else { false }
                    let (answer, isClosed) = try await RawConnection(port: collector.port).converse(item.bytes, isWhole: isWhole)
                    let statuses = Self.statuses(answer)
                    #expect(isClosed, "\(item.name): the connection stayed open after \(answer.prefix(200))")
                    switch item.outcome {
                    case .refused: #expect(statuses == [400], "\(item.name): \(answer)")
                    case .answered(let expected): #expect(statuses == expected, "\(item.name): \(answer)")
                    case .answeredThenRefused(let expected): #expect(statuses == expected + [400], "\(item.name): \(answer)")
                    }
                }
                #expect(try await collector.send(Golden.g2).status == 202)
                #expect(try await archive.counts(tenant: nil).logEvents == 0)
            }
        }
    }
#endif
