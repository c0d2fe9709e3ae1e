#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTransactions
    import LogbookTestKit
    import Testing

    @Suite struct CollectorReadingTests {
        private let folder: TemporaryFolder
        private let archive: SQLiteArchive

        init() throws {
            folder = TemporaryFolder()
            archive = try SQLiteArchive(path: folder("archive.sqlite"))
        }

        private func fill(_ count: Int) async throws {
            for number in 0..<count {
                let record = TransactionRecord(
                    id: "T\(number)", usecase: number % 2, user: number == 0 ? "u v" : nil,
                    entries: [
                        EntryRecord(
                            event: 1, errorCode: number == 1 ? -1001 : nil, errorDescription: number == 2 ? "=cmd()" : nil,
                            time: LogTime(seconds: Double(1000 + number)))
                    ])
                _ = try await archive.store(
                    TransactionParcel(
                        parcel: nil, set: TransactionSet(transactions: [record]), received: LogTime(seconds: Double(number))))
            }
        }

        @Test("D5: transactions are listed by page and condition")
        func transactionsAreListed() async throws {
            try await fill(5)
            try await RunningCollector.with(archive) { collector in
                func ids(_ query: String) async throws -> [String] {
                    let answer = try await collector.send("GET", "/v1/transactions" + query)
                    #expect(answer.status == 200)
                    #expect(answer.header("Content-Type") == "application/json")
                    #expect(answer.header("X-Content-Type-Options") == "nosniff")
                    return answer.text.matches(of: /"apptxn\/id":"(T\d)"/).map { String($0.1) }
                }
                #expect(try await ids("") == ["T0", "T1", "T2", "T3", "T4"])
                #expect(try await ids("?usecase=1") == ["T1", "T3"])
                #expect(try await ids("?user=u%20v") == ["T0"])
                #expect(try await ids("?user=u+v") == ["T0"])
                #expect(try await ids("?from=1003") == ["T3", "T4"])
                #expect(try await ids("?to=1970-01-01T00:16:41Z") == ["T0"])
                #expect(try await ids("?error=any") == ["T1", "T2"])
                #expect(try await ids("?error=-1001") == ["T1"])
                #expect(try await ids("?error=cmd") == ["T2"])
                var found: [String] = [], query = "?limit=2", pages = 0
                while pages < 9 {
                    let answer = try await collector.send("GET", "/v1/transactions" + query)
                    found += answer.text.matches(of: /"apptxn\/id":"(T\d)"/).map { String($0.1) }
                    pages += 1
                    guard let next = answer.text.firstMatch(of: /"next":"([^"]+)"/) else { break }
                    query = "?limit=2&cursor=\(next.1)"
                }
                #expect(found == ["T0", "T1", "T2", "T3", "T4"])
                #expect(pages == 3)
                for wrong in [
                    "?limit=0", "?limit=1001", "?limit=x", "?usecase=x", "?from=noon", "?cursor=x", "?colour=red", "?user=%2",
                    "?limit=1&limit=2", "?error=", "?format=csv", "?from=99999999999999999999",
                ] {
                    #expect(try await collector.send("GET", "/v1/transactions" + wrong).status == 400, "\(wrong)")
                }
                #expect(try await collector.send("GET", "/v1/transactions", [], ["Accept": "text/html"]).status == 406)
            }
        }

        @Test("D5: transactions are listed also where sets go to another path alone")
        func transactionsAreListedWhereverSetsGo() async throws {
            try await fill(2)
            try await RunningCollector.with(archive, configure: { $0.transactionPaths = ["/fp/apptxnset"] }) { collector in
                let list = try await collector.send("GET", "/v1/transactions?usecase=1")
                #expect(list.status == 200 && list.text.contains(#""apptxn/id":"T1""#), "\(list.text)")
                let elsewhere = try await collector.send(Golden.g2)
                #expect(elsewhere.status == 405 && elsewhere.header("Allow") == "GET")
                #expect(try await collector.send(Golden.g2, to: "/fp/apptxnset").status == 202)
                #expect(try await archive.counts(tenant: nil).transactions == 3)
            }
        }

        @Test("S26: everything is exported, page after page, and no cell is a formula")
        func everythingIsExported() async throws {
            try await fill(250)
            try await RunningCollector.with(archive) { collector in
                let lines = try await collector.send("GET", "/v1/export")
                #expect(lines.header("Content-Type") == "application/x-ndjson")
                let rows = lines.text.split(separator: "\n")
                #expect(rows.count == 250)
                let set = try TransactionSet.decode(Array(#"{"apptxns":[\#(rows[2])]}"#.utf8), .v0_0_2)
                let stored = try await archive.transaction("T2", tenant: Tenant.standard)
                #expect(set.transactions.first == stored && set.transactions.count == 1)
                let table = try await collector.send("GET", "/v1/export?format=csv&usecase=0&to=1003")
                #expect(table.header("X-Content-Type-Options") == "nosniff")
                #expect(table.header("Content-Disposition") == "attachment; filename=\"transactions.csv\"")
                #expect(
                    table.text == """
                        transaction,usecase,user,variant,app_version,session,installation,device_make,device_os,device_os_version,event,time,offset_us,error_code,error_description\r
                        "T0",0,"u v",,,,,,,,1,1970-01-01T00:16:40.000000Z,,,\r
                        "T2",0,,,,,,,,,1,1970-01-01T00:16:42.000000Z,,,"'=cmd()"\r

                        """)
                #expect(try await collector.send("GET", "/v1/export?format=xml").status == 400)
                #expect(try await collector.send("GET", "/v1/export?limit=5").status == 400)
            }
            try await RunningCollector.with(FailingArchive()) { collector in
                let answer = try await collector.send("GET", "/v1/export")
                #expect(answer.status == 503)
            }
        }

        @Test("D6: answers and exports say which device an entry is of, where it is another one than the transaction's")
        func entriesOfAnotherDeviceSaySo() async throws {
            let own = TransactionRecord(
                id: "T", usecase: 1, deviceMake: "KVM", deviceOS: "Debian", deviceOSVersion: "12", entries: [Golden.entry(1, at: 1000)])
            let others = TransactionRecord(
                id: "T", usecase: 1, deviceMake: "iPhone7,2", deviceOS: "iPhone OS", entries: [Golden.entry(2, at: 1001)])
            for record in [own, others] { _ = try await archive.store(Golden.parcel(record)) }
            let stored = try #require(try await archive.transaction("T", tenant: Tenant.standard))
            #expect(stored.entries.map { $0.device?.make } == [nil, "iPhone7,2"])
            try await RunningCollector.with(archive) { collector in
                let one = try await collector.send("GET", "/v1/transactions/T").text
                let list = try await collector.send("GET", "/v1/transactions").text
                let line = try await collector.send("GET", "/v1/export").text
                for answer in [one, list, #"{"apptxns":[\#(line)]}"#] {
                    #expect(try TransactionSet.decode(Array(answer.utf8), .v0_0_2).transactions == [stored])
                    let words = #","apptxnlog/user-agent-device-make":"iPhone7,2","apptxnlog/user-agent-device-os":"iPhone OS"}"#
                    #expect(answer.contains(words) && answer.matches(of: /apptxnlog.user-agent/).count == 2)
                }
                let table = try await collector.send("GET", "/v1/export?format=csv").text
                // Of its own device an entry says all that is known of that, and nothing of the other one.
                #expect(
                    table.split(whereSeparator: \.isNewline).dropFirst() == [
                        #""T",1,,,,,,"KVM","Debian","12",1,1970-01-01T00:16:40.000000Z,,,"#,
                        #""T",1,,,,,,"iPhone7,2","iPhone OS",,2,1970-01-01T00:16:41.000000Z,,,"#,
                    ])
                // What was exported may be sent, and says the same.
                let type = "application/vnd.logbook.apptxnset-v0.0.2+json"
                let copy = line.replacing("\"apptxn/id\":\"T\"", with: "\"apptxn/id\":\"U\"")
                #expect(try await collector.send(#"{"apptxns":[\#(copy)]}"#, ["Content-Type": type]).status == 202)
                #expect(try await archive.transaction("U", tenant: Tenant.standard)?.entries == stored.entries)
            }
        }

        @Test("an export that was cut off goes on behind its last whole line", arguments: [1, 99, 100, 101, 249, 250])
        func anExportGoesOn(count: Int) async throws {
            try await fill(250)
            try await RunningCollector.with(archive) { collector in
                func lines(_ query: String) async throws -> [Substring] {
                    try await collector.send("GET", "/v1/export" + query).text.split(whereSeparator: \.isNewline)
                }
                let all = try await lines("")
                let match = try #require(all[count - 1].firstMatch(of: /"cursor":"([^"]+)"\}$/)), cursor = match.1
                #expect(try await lines("?after=\(cursor)") == Array(all[count...]))
                // What was asked for beside that is asked for again.
                let odd = all[count...].filter { $0.contains(#""apptxn/usecase":1,"#) }
                #expect(try await lines("?usecase=1&after=\(cursor)") == odd)
                let table = try await lines("?format=csv&after=\(cursor)")
                #expect(table.count == 1 + 250 - count)
                if count < 250 { #expect(table[1].hasPrefix("\"T\(count)\",")) }
                for wrong in ["/v1/export?after=x", "/v1/export?after=", "/v1/transactions?after=\(cursor)"] {
                    #expect(try await collector.send("GET", wrong).status == 400, "\(wrong)")
                }
            }
        }

        @Test("S26: an export whose second page cannot be read does not look like a whole one", arguments: ["jsonl", "csv"])
        func anExportThatBreaksOffIsNotWhole(format: String) async throws {
            try await fill(150)
            // Nothing else closes it.
            func patient(_ configuration: inout CollectorConfiguration) { configuration.connections.idleTimeout = .seconds(600) }
            try await RunningCollector.with(OnePageArchive(archive), configure: patient) { collector in
                let path = "/v1/export?format=\(format)"
                await #expect(throws: (any Error).self) { _ = try await collector.send("GET", path) }
                let request = "GET \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(RunningCollector.token.revealed)\r\n\r\n"
                let (answer, isClosed) = try await RawConnection(port: collector.port).converse(Array(request.utf8), isWhole: false)
                #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("T99") && !answer.contains("T100"))
                #expect(isClosed)
                #expect(!answer.hasSuffix("0\r\n\r\n"))   // the chunk that ends a whole one
                #expect(try await collector.send("GET", "/v1/stats").status == 200)
            }
        }

        @Test("a table is written in pieces, however often its lines repeat what is known of a transaction")
        func aTableIsWrittenInPieces() async throws {
            let device = String(repeating: "x", count: 64 << 10)
            let record = TransactionRecord(id: "T", usecase: 1, deviceMake: device, entries: (0..<50).map { Golden.entry($0, at: 1) })
            let pieces = Locked<[[UInt8]]>([])
            try await TransactionExport.csv.write(record) { piece in pieces.withLock { $0.append(piece) } }
            let written = pieces.withLock { $0 }
            #expect(written.count == 50)
            #expect(written.allSatisfy { $0.count < 2 * device.utf8.count })
            #expect(written.joined().count { $0 == 0x0A } == 50)
        }

        @Test(
            "S26: what a spreadsheet would run is shown as text",
            arguments: [
                ("=1+1", "\"'=1+1\""), ("+1", "\"'+1\""), ("-1", "\"'-1\""), ("@x", "\"'@x\""), (" =1", "\"' =1\""),
                ("\t=1", "\"'\t=1\""), ("\rx", "\"'\rx\""), ("a=1", "\"a=1\""), ("a\"b,\nc", "\"a\"\"b,\nc\""), ("", ""),
                ("a\"\u{301},=1", "\"a\"\"\u{301},=1\""), ("a\"\u{200D},=1", "\"a\"\"\u{200D},=1\""),
            ])
        func cells(text: String, cell: String) { #expect(Array(TransactionExport.field(text).utf8) == Array(cell.utf8)) }

        @Test("S32: a user is erased by whoever may, and what comes late is counted and not kept")
        func aUserIsErased() async throws {
            try await fill(3)
            try await RunningCollector.with(archive) { collector in
                let answer = try await collector.send("DELETE", "/v1/users/u%20v")
                #expect(answer.status == 200)
                #expect(answer.text == #"{"erased":1}"#)
                #expect(try await collector.send("DELETE", "/v1/users/u%20v").text == #"{"erased":0}"#)
                #expect(try await collector.send("GET", "/v1/transactions/T0").status == 404)
                let late = #"{"apptxns":[{"apptxn/id":"T0","apptxn/usecase":0,"apptxn/logs":[{"apptxnlog/usecase-event":1,"apptxnlog/timestamp":"Thu, 15 Jan 2015 18:11:42 GMT"}]}]}"#
                #expect(try await collector.send(late).status == 202)
                #expect(try await archive.counts(tenant: nil).transactions == 2)
                #expect(try await collector.send("GET", "/metrics").text.contains("\nlogbook_collector_items_total{outcome=\"erased\"} 1\n"))
                #expect(try await collector.send("DELETE", "/v1/users/").status == 404)
            }
        }

        @Test("a user whose name was cut on its way here is found and erased by the whole name")
        func aLongNameIsCutAsItWas() async throws {
            let name = String(repeating: "u", count: 300)
            let entries = [Golden.entry(1, at: 1)]
            _ = try await archive.store(
                Golden.parcel(TransactionRecord(id: "long", usecase: 1, user: String(name.prefix(256)), entries: entries)))
            _ = try await archive.store(Golden.parcel(TransactionRecord(id: "NUL", usecase: 1, user: "a\u{2400}b", entries: entries)))
            try await RunningCollector.with(archive) { collector in
                let found = try await collector.send("GET", "/v1/transactions?user=\(name)")
                #expect(found.text.contains(#""apptxn/id":"long""#), "\(found.text)")
                #expect(try await !collector.send("GET", "/v1/transactions?user=").text.contains("apptxn/id"))
                for user in [name, "a%00b"] {
                    #expect(try await collector.send("DELETE", "/v1/users/\(user)").text == #"{"erased":1}"#)
                }
            }
        }

        @Test("S33: what is older than it may be goes at the start, whatever number it is")
        func whatIsTooOldGoes() async throws {
            let clock = ManualClock(now: LogTime(seconds: 2500))
            let records = (0..<2500).map { TransactionRecord(id: "T\($0)", usecase: 1) }
            for index in stride(from: 0, to: records.count, by: 500) {
                _ = try await archive.store(
                    TransactionParcel(
                        parcel: nil, set: TransactionSet(transactions: Array(records[index..<index + 500])),
                        received: LogTime(seconds: Double(index))))
            }
            let metrics = CollectorMetrics()
            let retention = Retention(archive: archive, keep: .seconds(1000), clock: .manual(clock), metrics: metrics)
            #expect(try await retention.run() == 1500)
            #expect(try await retention.run() == 0)
            clock.advance(by: .seconds(1))
            #expect(try await retention.run() == 500)
            #expect(metrics.text().contains("logbook_collector_removed_total 2000\n"))
        }

        @Test("S33: and again after every pause, until it is over")
        func itGoesEveryHour() async throws {
            let clock = ManualClock(now: LogTime(seconds: 2000)), hours = Locked(0)
            func store(_ id: String, received: Double) async throws {
                _ = try await archive.store(
                    TransactionParcel(
                        parcel: nil, set: TransactionSet(transactions: [TransactionRecord(id: id, usecase: 1)]),
                        received: LogTime(seconds: received)))
            }
            try await store("T1", received: 0)
            try await store("T2", received: 2000)
            let kept = archive
            await Retention(
                archive: kept, keep: .seconds(1000), clock: .manual(clock), metrics: CollectorMetrics(),
                pause: { span in
                    #expect(span == .seconds(3600))
                    let hour = hours.withLock { hours in
                        hours += 1
                        return hours
                    }
                    #expect(try await kept.counts(tenant: nil).transactions == (hour == 1 ? 1 : 0))
                    if hour == 2 { throw CancellationError() }
                    clock.advance(by: .seconds(3600))
                }
            ).runUntilCancelled()
            #expect(hours.withLock { $0 } == 2)
        }

        @Test("S33: a clock that jumps ahead removes nothing before it has been so for a day, and that is said once")
        func aJumpOfTheClockRemovesNothing() async throws {
            let day = 86_400.0, start = LogTime(seconds: 20_000 * day)
            let clock = ManualClock(now: start), pauses = Locked(0), remarks = Locked<[String]>([])
            _ = try await archive.store(
                TransactionParcel(
                    parcel: nil, set: TransactionSet(transactions: [TransactionRecord(id: "T", usecase: 1)]), received: start))
            let kept = archive
            await Retention(
                archive: kept, keep: .seconds(90 * day), clock: .manual(clock), metrics: CollectorMetrics(),
                pause: { _ in
                    let pause = pauses.withLock { pauses in
                        pauses += 1
                        return pauses
                    }
                    // The jump is behind the first pause and seen before the second; 24 pauses later it is a day old.
                    #expect(try await kept.counts(tenant: nil).transactions == (pause < 26 ? 1 : 0), "after pause \(pause)")
                    #expect(remarks.withLock { $0.count } == (pause == 1 ? 0 : 1), "after pause \(pause)")
                    if pause == 26 { throw CancellationError() }
                    if pause == 1 { clock.setWall(start.adding(.seconds(3650 * day))) }
                    clock.advance(by: .seconds(3600))
                },
                report: { _, text in remarks.withLock { $0.append(text) } }
            ).runUntilCancelled()
            #expect(pauses.withLock { $0 } == 26)
            let said = remarks.withLock { $0 }
            #expect(said.first?.contains("3650 days") == true, "\(said)")
        }

        @Test func metricsSayWhatWasDone() async throws {
            try await RunningCollector.with(archive) { collector in
                _ = try await collector.send(Golden.g2)
                _ = try await collector.send(Golden.g2)
                _ = try await collector.send("{")
                let answer = try await collector.send("GET", "/metrics")
                #expect(answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
                for line in [
                    "logbook_collector_requests_total{status=\"202\"} 2", "logbook_collector_requests_total{status=\"400\"} 1",
                    "logbook_collector_items_total{outcome=\"accepted\"} 2",
                    "logbook_collector_items_total{outcome=\"duplicate\"} 2",
                    "logbook_collector_body_bytes_total \(2 * Golden.g2.utf8.count + 1)", "logbook_collector_requests_in_flight 1",
                    "logbook_collector_archive_seconds_bucket{le=\"+Inf\"} 2", "logbook_collector_archive_seconds_count 2",
                    "logbook_collector_build_info{sets=\"0.0.1 0.0.2\"} 1",
                ] {
                    #expect(answer.text.contains("\n\(line)\n"), "\(line)")
                }
            }
        }

        @Test func anExportIsUnderWayUntilItsEndAndIsNoSuccessWhereItBreaksOff() async throws {
            try await fill(3)
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            let service = try CollectorService(configuration: configuration, archive: archive)
            func export() async throws -> CollectorAnswer.Stream {
                let token = "Bearer \(RunningCollector.token.revealed)"
                let answer = await service.answer(
                    CollectorRequest(
                        method: "GET", path: "/v1/export", query: "", header: { $0 == "Authorization" ? token : nil }, pieces: { _ in }))
                return try #require(answer.stream)
            }
            func metric(_ name: String) -> Substring? {
                let lines = service.metrics.text().split(separator: "\n")
                return lines.first { $0.hasPrefix("logbook_collector_\(name) ") }?.split(separator: " ").last
            }
            do {
                let (whole, broken) = (try await export(), try await export())
                #expect(metric("requests_in_flight") == "2")
                try await whole { _ in }
                #expect(metric("requests_in_flight") == "1" && metric(#"requests_total{status="200"}"#) == "1")
                await #expect(throws: CancellationError.self) { try await broken { _ in throw CancellationError() } }
            }
            _ = try await export()   // nobody was there any more when it was to begin
            #expect(metric("requests_in_flight") == "0" && metric(#"requests_total{status="200"}"#) == "1")
            #expect(metric("broken_off_total") == "2")
        }
    }

    /// An archive that gives the first page and no other.
    private final class OnePageArchive: WrappingArchive {
        let archive: any Archive
        init(_ archive: any Archive) { self.archive = archive }

        func transactions(_ query: TransactionQuery) async throws(ArchiveError) -> TransactionPage {
            if query.cursor != nil { throw .unavailable(reason: "the disk is gone") }
            return try await archive.transactions(query)
        }
    }
#endif
