#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// Entries that come under ids that others have, as those of a copied disk may, or of more devices than a set can name.
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
            return await send(TransactionSet(transactions: [TransactionRecord(id: "T", usecase: 1, entries: entries)]), to: service)
        }

        private func send(_ set: TransactionSet, to service: CollectorService) async -> CollectorAnswer {
            await send(set.encode(.v0_0_2), to: service)
        }

        private func send(_ body: [UInt8], to service: CollectorService) async -> CollectorAnswer {
            await service.answer(
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

        @Test("S18: what a set says of devices is kept with each of its entries, so that counts; nothing of one that says too much is stored")
        func devicesTakeNoMoreThanABodyMay() async throws {
            let service = try makeService()
            func record(_ count: Int, _ make: String) -> TransactionRecord {
                TransactionRecord(
                    id: "T", usecase: 1, deviceMake: make, deviceOS: "Linux", deviceOSVersion: make,
                    entries: (0..<count).map { EntryRecord(event: $0, time: LogTime(seconds: 10)) })
            }
            let own = TransactionRecord(id: "T", usecase: 1, deviceMake: "a", deviceOS: "a", deviceOSVersion: "a")
            for make in [String(repeating: "x", count: 300), String(repeating: "\u{1}", count: 50)] {
                let answer = await send(TransactionSet(transactions: [own, record(20_000, make)]), to: service)
                #expect(answer.status == 413)
                let reason = "what the set says of devices comes to more than 8388608 bytes"
                #expect(String(decoding: answer.body, as: UTF8.self).contains(reason))
            }
            #expect(try await service.archive.counts(tenant: nil).entries == 0)
            let ordinary = TransactionSet(transactions: [own, record(20_000, "Raspberry Pi 4 Model B Rev 1.4")])
            #expect(await send(ordinary, to: service).status == 202)
        }

        @Test("S18: an id is sent to the larger archives with each entry, so that counts")
        func idsTakeNoMoreThanABodyMay() async throws {
            let service = try makeService()
            func set(_ id: String) -> TransactionSet {
                TransactionSet(transactions: [
                    TransactionRecord(id: id, usecase: 1, entries: (0..<20_000).map { EntryRecord(event: $0, time: LogTime(seconds: 10)) })
                ])
            }
            let answer = await send(set(String(repeating: "\u{1}", count: 256)), to: service)
            #expect(answer.status == 413)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("the transactions' ids come to more than 8388608 bytes"))
            #expect(try await service.archive.counts(tenant: nil).entries == 0)
            #expect(await send(set(String(repeating: "x", count: 256)), to: service).status == 202)
        }

        @Test("S18: entries of so many devices that they come to more elements than a set may have are refused")
        func devicesAreNoMoreThanElementsMayBe() async throws {
            let service = try makeService()
            func body(_ count: Int) -> [UInt8] {
                let entries = (0..<count).map {
                    #"{"apptxnlog/usecase-event":1,"apptxnlog/timestamp-us":1,"apptxnlog/user-agent-device-make":"\#($0)"}"#
                }
                return Array(#"{"apptxns":[{"apptxn/id":"T","apptxn/usecase":1,"apptxn/logs":[\#(entries.joined(separator: ","))]}]}"#.utf8)
            }
            let answer = await send(body(TransactionSetLimits().transactions), to: service)   // and one of the transaction itself
            #expect(answer.status == 413)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("one with entries of several devices once for each"))
            #expect(await send(body(100), to: service).status == 202)
        }
    }
#endif
