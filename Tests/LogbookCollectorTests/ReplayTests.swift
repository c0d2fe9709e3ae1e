#if Collector
    import Foundation
    @testable import LogbookCollector
    import LogbookCore
    import LogbookHTTP
    import LogbookTransactions
    import LogbookTestKit
    import Testing

    /// What somebody on the way has written down, and sends again.
    @Suite struct ReplayTests {
        private let folder: TemporaryFolder
        private let archive: SQLiteArchive

        init() throws {
            folder = TemporaryFolder()
            archive = try SQLiteArchive(path: folder("archive.sqlite"))
        }

        @Test(
            "S31: the bytes of a real client, captured and sent again, are acknowledged as duplicates and add no row",
            arguments: TransactionSetVersion.allCases)
        func capturedBytes(version: TransactionSetVersion) async throws {
            try await RunningCollector.with(archive) { collector in
                let proxy = try RecordingProxy(to: collector.port)
                var configuration = TransactionLogConfiguration(
                    storePath: folder("client.sqlite"), storeURL: "http://127.0.0.1:\(proxy.port)/v1/transactions",
                    token: RunningCollector.token)
                configuration.wireVersion = version
                configuration.delivery.interval = nil
                configuration.requestLimits = RunningCollector.limits
                let client = try TransactionLogProvider(configuration: configuration), service = LogService()
                service.register(client)
                let transaction = service.transaction(usecase: 1)
                for event in 0..<5 { transaction.log(event, error: event == 4 ? 42 : nil, event == 4 ? "Baad!" : nil) }
                try await client.deliver(by: .seconds(300))
                #expect(try client.counts().entries == 0)
                let stored = try await archive.counts(tenant: nil)
                #expect(stored.entries == 5)

                let captured = try #require(proxy.conversations.first)
                #expect(captured.starts(with: Array("POST /v1/transactions HTTP/1.1\r\n".utf8)))
                for _ in 0..<3 {
                    let answer = try await RawConnection(port: collector.port).exchange(captured)
                    #expect(answer.hasPrefix("HTTP/1.1 202 "), "\(answer)")
                }
                let after = try await archive.counts(tenant: nil)
                #expect(after.transactions == stored.transactions && after.entries == stored.entries)
                let metrics = try await collector.send("GET", "/metrics").text
                #expect(metrics.contains("\nlogbook_collector_items_total{outcome=\"accepted\"} 5\n"))
                #expect(metrics.contains("\nlogbook_collector_items_total{outcome=\"duplicate\"} 15\n"))
                try client.shutdown(by: .seconds(10))
            }
        }

        @Test("S31: a time of last year, or of next, refuses nothing and is counted")
        func aTimeThatIsFarOffIsCounted() async throws {
            func set(_ id: String, _ year: Int) -> String {
                #"{"apptxns":[{"apptxn/id":"\#(id)","apptxn/usecase":1,"apptxn/logs":[{"apptxnlog/usecase-event":1,"#
                    + #""apptxnlog/timestamp":"Thu, 15 Jan \#(year) 18:11:42 GMT"}]}]}"#
            }
            try await RunningCollector.with(archive) { collector in
                for (id, year) in [("A", 1990), ("B", 2015), ("C", 2200)] {
                    #expect(try await collector.send(set(id, year)).status == 202)
                }
                let now = ISO8601DateFormatter().string(from: Date())
                let line = Golden.line(1).replacing("2026-11-21T09:29:20.5Z", with: now)
                #expect(try await collector.send(line, to: "/v1/logs").status == 200)
                #expect(try await archive.counts(tenant: nil).entries == 3)
                let metrics = try await collector.send("GET", "/metrics").text
                #expect(metrics.contains("\nlogbook_collector_far_off_total{side=\"past\"} 2\n"))
                #expect(metrics.contains("\nlogbook_collector_far_off_total{side=\"future\"} 1\n"))
            }
            // What is not stored comes again.
            try await RunningCollector.with(FailingArchive()) { collector in
                #expect(try await collector.send(set("A", 1990)).status == 503)
                #expect(try await collector.send(Golden.line(1).replacing("2026", with: "1990"), to: "/v1/logs").status == 503)
                let metrics = try await collector.send("GET", "/metrics").text
                #expect(metrics.contains("\nlogbook_collector_far_off_total{side=\"past\"} 0\n"))
            }
        }
    }
#endif
