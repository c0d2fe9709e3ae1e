#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// Entries that come under ids that others have, as those of a copied disk may.
    @Suite struct CollectorConflictTests {
        private let folder = TemporaryFolder()
        private let said = Locked<[String]>([])

        private func makeService() throws -> CollectorService {
            var configuration = CollectorConfiguration()
            configuration.isInsecure = true
            var service = try CollectorService(configuration: configuration, archive: try SQLiteArchive(path: folder("archive.sqlite")))
            service.report = { [said] origin, remark in said.withLock { $0.append("\(origin): \(remark)") } }
            return service
        }

        private func send(_ count: Int, saying description: String, to service: CollectorService) async -> CollectorAnswer {
            let entries = (0..<count).map { number in
                EntryRecord(
                    event: 1, errorDescription: description, time: LogTime(seconds: 10),
                    key: EntryKey(installation: "I", epoch: 1, sequence: Int64(number)))
            }
            let body = TransactionSet(transactions: [TransactionRecord(id: "T", usecase: 1, entries: entries)]).encode(.v0_0_2)
            return await service.answer(
                CollectorRequest(
                    method: "POST", path: "/v1/transactions", query: "",
                    header: { $0 == "Content-Type" ? "application/vnd.logbook.apptxnset-v0.0.2+json" : nil },
                    pieces: { take in try await take(body) }))
        }

        @Test("C25: entries under the ids of others are answered for, counted, and named without what they say")
        func theyAreAnsweredForAndCounted() async throws {
            let service = try makeService()
            for _ in 0..<2 {
                let answer = await send(5, saying: "refused", to: service)
                #expect(answer.status == 202 && answer.headers["Logbook-Conflicting"] == nil)
            }
            #expect(said.withLock { $0 } == [])
            for count in [5, 1] {
                let answer = await send(count, saying: "cruel words", to: service)
                #expect(answer.status == 202 && answer.body.isEmpty)
                #expect(answer.headers["Logbook-Conflicting"] == String(count))
            }
            let start = "collector entries: entries of the tenant default are not stored, since other ones have their ids: "
            #expect(
                said.withLock { $0 } == [
                    start + "5 of them, such as I:1:0 of T, I:1:1 of T, I:1:2 of T", start + "1 of them, such as I:1:0 of T",
                ])
            let metrics = service.metrics.text()
            for (outcome, count) in [("accepted", 5), ("duplicate", 5), ("conflicting", 6), ("rejected", 0)] {
                #expect(metrics.contains("\nlogbook_collector_items_total{outcome=\"\(outcome)\"} \(count)\n"), "\(outcome)")
            }
            let stats = await service.answer(
                CollectorRequest(method: "GET", path: "/v1/stats", query: "", header: { _ in nil }, pieces: { _ in }))
            #expect(String(decoding: stats.body, as: UTF8.self).contains(#""accepted":5,"duplicates":5,"conflicting":6,"rejected":0"#))
        }
    }
#endif
