#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import LogbookGzip
    import LogbookHTTP
    import LogbookTransactions
    import LogbookTestKit
    import Testing

    @Suite struct CollectorServerTests {
        private let folder: TemporaryFolder
        private let archive: SQLiteArchive

        init() throws {
            folder = TemporaryFolder()
            archive = try SQLiteArchive(path: folder("archive.sqlite"))
        }

        @Test("W1: a set is answered with 202 and no body once its rows are there")
        func aSetIsTaken() async throws {
            try await RunningCollector.with(archive) { collector in
                let answer = try await collector.send(Golden.g2, ["Logbook-Parcel": "P-1"])
                #expect(answer.status == 202)
                #expect(answer.body.isEmpty)
                #expect(answer.header("Logbook-Parcel") == "P-1")
                #expect(try await archive.transaction(Golden.g2ID, tenant: Tenant.standard)?.entries.count == 2)
                #expect(try await collector.send(Golden.g2).header("Logbook-Parcel") == nil)
            }
        }

        @Test("W1, B13, S27, row 56: when the archive fails, nothing is acknowledged and nothing of the inside is told")
        func aFailingArchiveIsNeverSuccess() async throws {
            try await RunningCollector.with(FailingArchive()) { collector in
                for answer in [
                    try await collector.send(Golden.g2), try await collector.send(Golden.line(1), to: "/v1/logs"),
                    try await collector.send("GET", "/v1/stats"), try await collector.send("GET", "/health"),
                ] {
                    #expect(answer.status == 503)
                    #expect(answer.header("Retry-After") == "5")
                    #expect(!answer.text.contains("secret") && !answer.text.contains("INSERT"))
                }
            }
        }

        @Test("S27: every refusal has an id of its own, in its body, in a field, and in what is said to whoever runs the collector")
        func aRefusalHasAnID() async throws {
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            let said = Locked<[(origin: String, remark: String)]>([])
            var service = try CollectorService(configuration: configuration, archive: FailingArchive())
            service.report = { origin, remark in said.withLock { $0.append((origin, remark)) } }
            var ids: Set<String> = []
            for (token, status, origin) in [
                ("wrong", 401, "collector requests"), (RunningCollector.token.revealed, 503, "collector"),
                (RunningCollector.token.revealed, 503, "collector"),
            ] {
                let answer = await service.answer(
                    CollectorRequest(
                        method: "GET", path: "/v1/stats", query: "", header: { $0 == "Authorization" ? "Bearer \(token)" : nil },
                        pieces: { _ in }))
                #expect(answer.status == status)
                let id = try #require(answer.headers["X-Request-Id"])
                #expect(id.wholeMatch(of: /[0-9a-f]{12}/) != nil)
                #expect(String(decoding: answer.body, as: UTF8.self).hasSuffix(#","id":"\#(id)"}"#))
                let last = try #require(said.withLock { $0 }.last)
                #expect(last.origin == origin)
                #expect(last.remark.hasPrefix("request \(id) was answered with \(status) "))
                #expect(last.remark.contains("disk I/O error") == (status == 503))   // the inside is for whoever runs it
                ids.insert(id)
            }
            #expect(ids.count == 3)
            #expect(said.withLock { $0.count } == 3)
        }

        @Test("Row 8: a commit of which nobody knows may be repeated")
        func anUncertainCommitMayBeRepeated() async throws {
            try await RunningCollector.with(ForgetfulArchive(archive)) { collector in
                let statuses = [try await collector.send(Golden.g2).status, try await collector.send(Golden.g2).status]
                #expect(statuses == [503, 202])
                #expect(try await archive.counts(tenant: nil).entries == 2)
            }
        }

        @Test(
            "W2: other methods are answered with 405 and the one that is allowed",
            arguments: [
                ("GET", "/fp/users/7/apptxnset", "POST"), ("PUT", "/fp/users/7/apptxnset", "POST"),
                ("DELETE", "/fp/users/7/apptxnset", "POST"), ("PUT", "/v1/transactions", "GET, POST"),
                ("DELETE", "/v1/transactions", "GET, POST"), ("POST", "/v1/export", "GET"), ("GET", "/v1/users/u", "DELETE"),
                ("POST", "/metrics", "GET"),
                ("PATCH", "/v1/logs", "POST"), ("POST", "/v1/stats", "GET"), ("DELETE", "/health", "GET"),
                ("PUT", "/v1/transactions/T", "GET"),
            ])
        func otherMethodsAreRefused(method: String, path: String, allowed: String) async throws {
            try await RunningCollector.with(archive, configure: { $0.transactionPaths.append("/fp/users/7/apptxnset") })
            { collector in
                let answer = try await collector.send(method, path)
                #expect(answer.status == 405)
                #expect(answer.header("Allow") == allowed)
            }
        }

        @Test(
            "W3, S21: without the right token everything but health is answered alike, and nothing is stored",
            arguments: [
                "", "Bearer wrong", "Bearer", "Basic YTpi", "fp-auth fp-token=\"wrong\"",
                "fp-auth other=\"a=b c\\\"d==\"",
                "other fp-token=\"a=b c\\\"d==\"", "Bearer a=b c\"d=", "Bearer a=b c\"d===", "=", "fp-auth",
                "fp-auth =", "fp-auth fp-token=",
                "fp-auth fp-token=\"",
            ])
        func wrongTokensAreAllTheSame(authorization: String) async throws {
            try await RunningCollector.with(
                archive, configure: { ($0.authScheme, $0.authTokenParameter) = ("fp-auth", "fp-token") }
            ) { collector in
                for (method, path) in [
                    ("POST", "/v1/transactions"), ("POST", "/v1/logs"), ("GET", "/v1/stats"), ("GET", "/nowhere"),
                ] {
                    let answer = try await collector.send(
                        method, path, method == "POST" ? Array(Golden.g2.utf8) : [], ["Authorization": authorization])
                    #expect(answer.status == 401)
                    let id = try #require(answer.header("X-Request-Id"))
                    #expect(answer.text == #"{"error":"unauthorized","reason":"the token is missing or wrong","id":"\#(id)"}"#)
                }
                #expect(try await archive.counts(tenant: nil).parcels == 0)
            }
        }

        @Test(
            "W3, B17: both forms of the token are taken, also with = and quotes in it",
            arguments: [
                "Bearer a=b c\"d==", "bearer a=b c\"d==", "fp-auth fp-token=\"a=b c\\\"d==\"",
                "fp-auth fp-token=a=b c\"d==",
                "FP-Auth FP-Token='a=b c\"d=='",
            ])
        func bothFormsOfTheTokenAreTaken(authorization: String) async throws {
            try await RunningCollector.with(archive) { collector in
                let answer = try await collector.send(Golden.g2, ["Authorization": authorization])
                #expect(answer.status == 202)
            }
        }

        @Test(
            "W4, B17: types",
            arguments: [
                ("application/vnd.fp.apptxnset-v0.0.1+json", "", 202),
                ("application/vnd.fp.apptxnset-v0.0.1+json; charset=utf-8", "", 202),
                ("application/apptxnset-v0.0.1+json", "", 202), (Golden.setType, "*/*", 202),
                (Golden.setType, "application/vnd.fp.apptxnset-v0.0.1+json;q=1.0,ISO-8859-1;q=0", 202),
                (Golden.setType, "text/html, application/*;q=0.1", 202), (Golden.setType, "text/html", 406),
                (Golden.setType, "application/json;q=0, text/html", 406),
                ("application/vnd.fp.apptxnset-v9.9.9+json", "", 415),
                ("application/vnd.fp.apptxnset-v0.0.10+json", "", 415), ("application/vnd.fp.apptxnset-v10.20.30+json", "", 415),
                ("application/vnd.fp-x.apptxnset-v0.0.1+json;charset=\"utf-8\"", "", 202),
                ("Application/VND.fp.apptxnset-v0.0.1+JSON ; Charset=UTF8", "", 202),
                ("application/vnd.fp.apptxnset-v0.0.1+xml", "", 415),
                ("application/vnd.fp.other-v0.0.1+json", "", 415), ("application/json", "", 415),
                ("text/plain", "", 415),
                ("application/vnd.fp.apptxnset-v0.0.1+json;charset=UTF-16", "", 415), (";;", "", 415), ("/", "", 415),
            ])
        func typesAreLookedAt(type: String, accept: String, status: Int) async throws {
            try await RunningCollector.with(archive) { collector in
                let answer = try await collector.send(Golden.g2, ["Content-Type": type, "Accept": accept])
                #expect(answer.status == status)
                #expect(try await archive.counts(tenant: nil).entries == (status == 202 ? 2 : 0))
            }
        }

        @Test(
            "W5, D2: what is wrong with a set, or missing, is said with the field's name",
            arguments: [
                ("{", 400, ""), ("", 400, ""), ("[]", 422, "the set"), ("{}", 422, "apptxns"),
                (#"{"apptxns":{}}"#, 422, "apptxns"),
                (#"{"apptxns":[{}]}"#, 422, "apptxns[0].apptxn/id"),
                (#"{"apptxns":[{"apptxn/id":"T"}]}"#, 422, "apptxns[0].apptxn/usecase"),
                (#"{"apptxns":[{"apptxn/id":"T","apptxn/usecase":"1"}]}"#, 422, "apptxns[0].apptxn/usecase"),
                (#"{"apptxns":[{"apptxn/id":"T","apptxn/usecase":1}]}"#, 422, "apptxns[0].apptxn/logs"),
                (
                    #"{"apptxns":[{"apptxn/id":"T","apptxn/usecase":1,"apptxn/logs":[{}]}]}"#, 422,
                    "apptxns[0].apptxn/logs[0].apptxnlog/usecase-event"
                ),
                (
                    #"{"apptxns":[{"apptxn/id":"T","apptxn/usecase":1,"apptxn/logs":[{"apptxnlog/usecase-event":1}]}]}"#,
                    422,
                    "apptxns[0].apptxn/logs[0].apptxnlog/timestamp"
                ),
                (
                    #"{"apptxns":[{"apptxn/id":"T","apptxn/usecase":1,"apptxn/logs":[{"apptxnlog/usecase-event":1,"apptxnlog/timestamp":"noon"}]}]}"#,
                    422, "apptxns[0].apptxn/logs[0].apptxnlog/timestamp"
                ),
            ])
        func badSetsAreRefusedByName(body: String, status: Int, field: String) async throws {
            try await RunningCollector.with(archive) { collector in
                let answer = try await collector.send(body)
                #expect(answer.status == status)
                #expect(answer.header("Content-Type") == "application/json")
                if !field.isEmpty { #expect(answer.text.contains(#""field":"\#(field)""#)) }
                #expect(
                    try await archive.counts(tenant: nil) == ArchiveCounts(transactions: 0, entries: 0, logEvents: 0, parcels: 0))
            }
        }

        @Test("W5: leniency: a code in quotes is a number, a transaction without entries is taken")
        func leniency() async throws {
            try await RunningCollector.with(archive) { collector in
                let quoted = Golden.g2.replacing(":42,", with: ":\"42\",")
                #expect(try await collector.send(quoted).status == 202)
                let stored = try await archive.transaction(Golden.g2ID, tenant: Tenant.standard)
                #expect(stored?.entries.last?.errorCode == 42)
                #expect(
                    try await collector.send(#"{"apptxns":[{"apptxn/id":"T","apptxn/usecase":1,"apptxn/logs":[]}]}"#)
                        .status == 202)
                #expect(try await archive.transaction("T", tenant: Tenant.standard)?.entries.isEmpty == true)
                #expect(try await collector.send(#"{"apptxns":[]}"#).status == 202)
            }
        }

        @Test func aBatchOfLogsIsTaken() async throws {
            try await RunningCollector.with(archive) { collector in
                let lines = Golden.line(1) + "\n\n" + Golden.line(2)
                let answer = try await collector.send(lines, to: "/v1/logs", ["Logbook-Parcel": "P"])
                #expect(answer.status == 200)
                #expect(answer.text == #"{"parcel":"P","accepted":2,"duplicates":0,"rejected":0}"#)
                let again = try await collector.send(
                    "POST", "/v1/logs", try Gzip.compress(Array(lines.utf8)),
                    ["Content-Encoding": "gzip", "Logbook-Parcel": "P"])
                #expect(again.text == #"{"parcel":"P","accepted":0,"duplicates":2,"rejected":0}"#)
                #expect(try await archive.counts(tenant: nil).logEvents == 2)
            }
        }

        @Test func badLinesAreCountedAndTheOthersKept() async throws {
            try await RunningCollector.with(archive) { collector in
                let answer = try await collector.send(
                    Golden.line(1) + "\nnonsense\n{\"level\":7}\n" + Golden.line(2) + "\n", to: "/v1/logs")
                #expect(answer.status == 200)
                #expect(
                    answer.text.hasPrefix(
                        #"{"parcel":null,"accepted":2,"duplicates":0,"rejected":2,"faults":[{"field":"line 2","#))
                let none = try await collector.send("{}\n", to: "/v1/logs")
                #expect(none.status == 422)
                #expect(none.text.contains(#""field":"line 1.time""#))
                let metrics = try await collector.send("GET", "/metrics").text
                #expect(metrics.contains("\nlogbook_collector_items_total{outcome=\"rejected\"} 3\n"))
                #expect(try await collector.send("", to: "/v1/logs").status == 200)
            }
        }

        @Test("S17: bodies that are too large, as they are or inflated, are refused", arguments: [false, true])
        func largeBodiesAreRefused(isCompressed: Bool) async throws {
            try await RunningCollector.with(archive, configure: { $0.maximumBodyBytes = 1 << 20 }) { collector in
                let bytes = [UInt8](repeating: 0x20, count: 20 << 20)
                let answer = try await collector.send(
                    "POST", "/v1/logs", isCompressed ? try Gzip.compress(bytes) : bytes,
                    isCompressed ? ["Content-Encoding": "gzip"] : [:])
                #expect(answer.status == 413)
                #expect(try await collector.send("GET", "/health").status == 200)
            }
        }

        @Test("lines that repeat themselves are taken, however small gzip makes them")
        func repeatedLinesAreTaken() async throws {
            let trace = (0..<40).map { "#\($0) Checkout.pay(_:) at /app/Sources/Checkout/Payment.swift:\($0 * 7)" }.joined(separator: ",")
            let lines = (1...1000).map { Golden.line($0).replacing("event \($0)", with: trace) + "\n" }.joined()
            let body = try Gzip.compress(Array(lines.utf8), level: 9)
            #expect(lines.utf8.count > 100 * body.count && lines.utf8.count < 8 << 20)
            try await RunningCollector.with(archive) { collector in
                let answer = try await collector.send("POST", "/v1/logs", body, ["Content-Encoding": "gzip"])
                #expect(answer.status == 200, "\(answer.text)")
                #expect(try await archive.counts(tenant: nil).logEvents == 1000)
            }
        }

        @Test("S18: a batch of too many values is refused before they are made, and one with as many commas in a text is not")
        func aBombOfLinesIsRefused() async throws {
            func line(_ number: Int, _ members: String) -> String {
                Golden.line(number).replacing(#""level""#, with: #"\#(members),"level""#) + "\n"
            }
            let objects = #""metadata":{"a":[{}\#(String(repeating: ",{}", count: 131_000))]}"#
            let commas = #""other":"\"\#(String(repeating: ",", count: LogLines.maximumValues))""#
            let bomb = try Gzip.compress(Array((1...21).map { line($0, objects) }.joined().utf8))
            try await RunningCollector.with(archive) { collector in
                let answer = try await collector.send("POST", "/v1/logs", bomb, ["Content-Encoding": "gzip"])
                #expect(answer.status == 413 && answer.text.contains("values"), "\(answer.text)")
                #expect(try await archive.counts(tenant: nil).logEvents == 0)
                #expect(try await collector.send(line(1, objects) + line(2, commas), to: "/v1/logs").status == 200)
            }
        }

        @Test(
            "S17, S18: bombs and damage are refused, and the service goes on",
            arguments: [
                (["Content-Encoding": "gzip"], "no gzip at all", 400), (["Content-Encoding": "br"], "x", 415),
                (["Content-Encoding": "gzip, gzip"], "x", 415), ([:], String(repeating: "[", count: 100_000), 400),
                ([:], "{\"apptxns\":" + String(repeating: "[", count: 40), 400),
                ([:], "{\"a\":1" + String(repeating: "0", count: 1000) + "}", 400),
                ([:], "{\"apptxns\":[],\"apptxns\":[]}", 400), ([:], "{\"apptxns\":[]} x", 400),
                ([:], "\u{FEFF}{\"apptxns\":[]}", 400),
                (["Logbook-Parcel": "a b"], Golden.g2, 400),
                (["Logbook-Parcel": String(repeating: "x", count: 257)], Golden.g2, 400),
            ])
        func bombsAreRefused(headers: [String: String], body: String, status: Int) async throws {
            try await RunningCollector.with(archive) { collector in
                let answer = try await collector.send(body, headers)
                #expect(answer.status == status)
                #expect(try await collector.send(Golden.g2).status == 202)
            }
        }

        @Test func aChunkedBodyThatNeverEndsIsRefused() async throws {
            try await RunningCollector.with(archive, configure: { $0.maximumBodyBytes = 1000 }) { collector in
                let head = [
                    "POST /v1/logs HTTP/1.1", "Host: x", "Authorization: Bearer \(RunningCollector.token.revealed)",
                    "Content-Type: application/x-ndjson", "Transfer-Encoding: chunked", "", "",
                ].joined(separator: "\r\n")
                let chunk = "200\r\n" + String(repeating: " ", count: 0x200) + "\r\n"
                let answer = try await RawConnection(port: collector.port).exchange(head + chunk + chunk + chunk)
                #expect(answer.hasPrefix("HTTP/1.1 413 "))
            }
        }

        @Test(
            "S19, S20: requests that are no HTTP, or lead astray who stands between, are refused and the service goes on",
            arguments: [
                "POST /v1/logs HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST /v1/logs HTTP/1.1\r\nTransfer-Encoding: identity\r\nContent-Length: 1\r\n\r\nx",
                "GET /health HTTP/1.1\r\nX : y\r\n\r\n", "GET /health HTTP/1.1\r\n: y\r\n\r\n",
                "GE T /health HTTP/1.1\r\n\r\n", "GET /health HTTP/9.9\r\n\r\n",
                "GET /\(String(repeating: "x", count: 3000)) HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /health HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 200) + "\r\n",
                "nonsense\r\n\r\n", "POST /v1/logs HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
                "POST /v1/logs HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
                "GET /health HTTP/1.1\r\nX: " + String(repeating: "x", count: 20_000) + "\r\n\r\n",
            ])
        func noHTTPIsRefused(bytes: String) async throws {
            try await RunningCollector.with(archive) { collector in
                let answer = try await RawConnection(port: collector.port).exchange(bytes)
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"), "\(answer)")
                #expect(try await collector.send("GET", "/health").status == 200)
            }
        }

        @Test func whatItHoldsIsTold() async throws {
            try await RunningCollector.with(archive, configure: { $0.transactionPaths.append("/fp/users/7/apptxnset") })
            { collector in
                _ = try await collector.send(Golden.g2, to: "/fp/users/7/apptxnset")
                _ = try await collector.send(Golden.g2)
                _ = try await collector.send(Golden.line(1), to: "/v1/logs")
                #expect(
                    try await collector.send("GET", "/v1/stats").text
                        == #"{"archive":{"transactions":1,"entries":2,"log_events":1,"parcels":3},"since_start":{"requests":3,"accepted":3,"duplicates":2,"conflicting":0,"rejected":0}}"#
                )
                let health = try await collector.send("GET", "/health", [], ["Authorization": ""])
                #expect(health.status == 200)
                #expect(health.text == #"{"status":"ok"}"#)
                let found = try await collector.send("GET", "/v1/transactions/" + Golden.g2ID)
                #expect(try TransactionSet.decode(found.body, .v0_0_2) == (try Golden.g2Set))
                for path in ["/v1/transactions/TXN%2", "/v1/transactions/none", "/v1/transactions/", "/"] {
                    #expect(try await collector.send("GET", path).status == 404)
                }
            }
        }

        @Test func manySendersAtOnceAreAllStoredOnce() async throws {
            try await RunningCollector.with(archive) { collector in
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for sender in 0..<8 {
                        group.addTask {
                            var statuses = 0
                            for sequence in 1...10 {
                                let body = Golden.line(sequence, installation: "I\(sender / 2)")
                                statuses += try await collector.send(body, to: "/v1/logs").status
                            }
                            return statuses
                        }
                    }
                    for try await sum in group { #expect(sum == 2000) }
                }
                #expect(try await archive.counts(tenant: nil).logEvents == 40)
            }
        }

        @Test("S21: half a configuration does not start")
        func halfAConfigurationDoesNotStart() throws {
            var configuration = CollectorConfiguration()
            #expect(throws: CollectorError.tokenMissing) { try configuration.check() }
            configuration.token = ""
            #expect(throws: CollectorError.self) { try configuration.check() }
            configuration.token = "t"
            for host in ["127.0.0.1", "127.1.2.3", "localhost", "::1"] {
                configuration.host = host
                try configuration.check()
            }
            for host in ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example.com", "127.0.0", ""] {
                configuration.host = host
                #expect(throws: CollectorError.reachableWithoutTLS(host: host)) { try configuration.check() }
            }
            configuration.token = nil
            configuration.isInsecure = true
            try configuration.check()
        }

        @Test(
            "a path for sets that no request names, or that the collector uses itself, is refused at the start, and named with what to do",
            arguments: [
                "", "apptxnset", "http://collector/apptxnset", "/a?b=c", "/a#b", "/a b", "/a\n", "/\u{E9}", "/health", "/metrics", "/v1/logs",
                "/v1/stats", "/v1/export", "/v1/files", "/v1/files/x", "/v1/users/x", "/v1/transactions/x",
            ])
        func aPathThatCannotTakeSetsDoesNotStart(path: String) throws {
            var configuration = CollectorConfiguration()
            configuration.token = "t"
            for possible in ["/v1/transactions", "/apptxnset", "/fp/users/7/apptxnset", "/", "/v1/logs/", "/v1/apptxnset%20"] {
                configuration.transactionPaths.append(possible)
            }
            try configuration.check()
            configuration.transactionPaths.append(path)
            #expect {
                try configuration.check()
            } throws: {
                "\($0)".hasPrefix("--transactions-path") && (path.isEmpty || "\($0)".contains(path)) && "\($0)".contains("/apptxnset")
            }
        }

        @Test func aCollectorThatWouldTakeNoConnectionDoesNotStart() throws {
            for change: (inout ConnectionLimits) -> Void in [
                { $0.maximum = 0 }, { $0.maximum = -1 }, { $0.maximumPerAddress = 0 },
            ] {
                var configuration = CollectorConfiguration()
                configuration.token = "t"
                try configuration.check()
                change(&configuration.connections)
                #expect { try configuration.check() } throws: { "\($0)".contains("one connection at least") }
            }
        }

        @Test("S22: a token that others could find by trying is taken on this machine alone, or where somebody says so")
        func aShortTokenDoesNotStartBeyondThisMachine() throws {
            var configuration = CollectorConfiguration()
            (configuration.tlsCertificate, configuration.tlsKey) = ("certificate.pem", "key.pem")
            configuration.token = "0123456789abcde"
            try configuration.check()
            configuration.host = "0.0.0.0"
            #expect {
                try configuration.check()
            } throws: {
                "\($0)".contains("fewer than 16 bytes") && !"\($0)".contains("0123456789")
            }
            configuration.isInsecure = true
            try configuration.check()
            configuration.isInsecure = false
            configuration.token = "0123456789abcdef"
            try configuration.check()
        }

        @Test func aPortInUseIsSaid() async throws {
            try await RunningCollector.with(archive) { collector in
                await #expect {
                    try await RunningCollector.with(archive, configure: { $0.port = collector.port }) { _ in }
                } throws: { error in
                    "\(error)".contains("cannot listen on 127.0.0.1:\(collector.port)")
                }
            }
        }
    }
#endif
