#if Collector && canImport(Glibc)
    import GRDB
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// What every archive promises, on real servers.
    @Suite(.archiveServers)
    struct ArchiveConformanceTests {
        @Test(.enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func postgresIsAmongThem() { #expect(ArchiveServers.current?.postgres != nil) }

        @Test(.enabled(if: ClickHouseServer.isPossible, "needs the Debian package clickhouse-server"))
        func clickHouseIsAmongThem() { #expect(ArchiveServers.current?.clickHouse != nil) }

        @Test(.enabled(if: ClickHouseServer.hasEngine, "needs chdb from PyPI"))
        func theCurrentClickHouseIsAmongThem() throws {
            let engine = try #require(ArchiveServers.current?.clickHouseEngine)
            #expect(try #require(Int(try engine.ask("SELECT version()").prefix { $0 != "." })) >= 26)
        }

        @Test(.enabled(if: ClickHouseCluster.isPossible, "needs the Debian package clickhouse-server or zookeeper"))
        func clustersOfClickHouseAreAmongThem() {
            #expect(ArchiveServers.current?.clickHouseShards != nil && ArchiveServers.current?.clickHouseReplicas != nil)
        }

        // MARK: Transactions

        @Test("D1: the same set twice is stored once, also when nothing in it names it", arguments: ArchiveKind.available)
        func theSameSetTwiceIsStoredOnce(_ kind: ArchiveKind) async throws {
            let (archive, _) = try await ArchiveServers.open(kind)
            let parcel = TransactionParcel(parcel: nil, set: try Golden.g2Set, received: LogTime(seconds: 1_500_000_000))
            #expect(try await archive.store(parcel) == ArchiveReceipt(accepted: 2, duplicates: 0))
            #expect(try await archive.store(parcel) == ArchiveReceipt(accepted: 0, duplicates: 2))
            #expect(
                try await archive.counts(tenant: nil) == ArchiveCounts(transactions: 1, entries: 2, logEvents: 0, parcels: 2))
            let stored = try #require(try await archive.transaction(Golden.g2ID, tenant: Tenant.standard))
            #expect(stored == (try Golden.g2Set).transactions[0])
            #expect(stored.entries[1].errorCode == 42)
            #expect(stored.entries[1].errorDescription == "Baad!")
            #expect(stored.entries[1].time == LogTime(seconds: 1_421_431_902))
        }

        @Test("D2: an unknown transaction is made from what comes with its first entry; a set that lacks something is refused by the name of that, and leaves nothing", arguments: ArchiveKind.available)
        func anUnknownTransactionIsMade(_ kind: ArchiveKind) async throws {
            let (archive, _) = try await ArchiveServers.open(kind)
            var configuration = CollectorConfiguration()
            configuration.isInsecure = true
            var service = try CollectorService(configuration: configuration, archive: archive)
            service.report = { _, _ in }
            let first = #"{"apptxn/id":"first","apptxn/usecase":1,"apptxn/logs":[]},"#
            // The last of two entries of the last of two transactions: what is whole before it stays out as well.
            for (member, field) in [
                (#""apptxn/id":"\#(Golden.g2ID)","#, "apptxn/id"), (#""apptxn/usecase":1,"#, "apptxn/usecase"),
                (#""apptxnlog/usecase-event":2,"#, "apptxn/logs[1].apptxnlog/usecase-event"),
                (#","apptxnlog/timestamp":"Fri, 16 Jan 2015 18:11:42 GMT""#, "apptxn/logs[1].apptxnlog/timestamp"),
            ] {
                let body = Golden.g2.replacing(member, with: "").replacing(#"{"apptxns":["#, with: #"{"apptxns":["# + first)
                let answer = await service.answer(
                    CollectorRequest(
                        method: "POST", path: "/v1/transactions", query: "", header: { $0 == "Content-Type" ? Golden.setType : nil },
                        pieces: { take in try await take(Array(body.utf8)) }))
                #expect(answer.status == 422)
                let text = String(decoding: answer.body, as: UTF8.self), path = "apptxns[1].\(field)"
                #expect(text.hasPrefix(#"{"error":"invalid","field":"\#(path)","reason":"\#(path) is missing","#), "\(text)")
                #expect(
                    try await archive.counts(tenant: nil) == ArchiveCounts(transactions: 0, entries: 0, logEvents: 0, parcels: 0))
            }
            let whole = try Golden.g2Set
            _ = try await archive.store(TransactionParcel(parcel: "P", set: whole, received: LogTime(seconds: 1_500_000_000)))
            #expect(try await archive.transaction(Golden.g2ID, tenant: Tenant.standard)?.deviceMake == "x86_64")
            // No entry is no reason not to know of it.
            _ = try await archive.store(Golden.parcel(TransactionRecord(id: "empty", usecase: 3)))
            #expect(try await archive.transaction("empty", tenant: Tenant.standard) == TransactionRecord(id: "empty", usecase: 3))
        }

        @Test("D3, D4: entries may come before the device is known; who knows it fills it in, and nobody overwrites it", arguments: ArchiveKind.available)
        func theDeviceIsFilledIn(_ kind: ArchiveKind) async throws {
            let (archive, _) = try await ArchiveServers.open(kind)
            let server = TransactionRecord(id: "T", usecase: 1, deviceMake: "", entries: [Golden.entry(3, at: 12)])
            let client = TransactionRecord(
                id: "T", usecase: 1, deviceMake: "KVM", deviceOS: "Debian", entries: [Golden.entry(0, at: 11), Golden.entry(7, at: 13)])
            let stranger = TransactionRecord(
                id: "T", usecase: 9, deviceMake: "other", deviceOSVersion: "12", entries: [Golden.entry(8, at: 14)])
            for record in [server, client, stranger] { #expect(try await archive.store(Golden.parcel(record)).duplicates == 0) }
            let stored = try #require(try await archive.transaction("T", tenant: Tenant.standard))
            #expect(stored.entries.map(\.event) == [0, 3, 7, 8])
            #expect([stored.deviceMake, stored.deviceOS, stored.deviceOSVersion] == ["KVM", "Debian", "12"])
            #expect(stored.usecase == 1)
        }

        @Test("D5: entries come back in order of time, those of the same time in the order in which they came", arguments: ArchiveKind.available)
        func entriesComeBackInOrder(_ kind: ArchiveKind) async throws {
            let (archive, _) = try await ArchiveServers.open(kind)
            let times: [Double] = [3, 1, 2, 2, 2]
            let record = TransactionRecord(
                id: "T", usecase: 1, entries: times.enumerated().map { Golden.entry($0.offset, at: $0.element) })
            _ = try await archive.store(Golden.parcel(record, name: "P"))
            _ = try await archive.store(
                Golden.parcel(TransactionRecord(id: "T", usecase: 1, entries: [Golden.entry(9, at: 2)]), name: "Q"))
            #expect(try await archive.transaction("T", tenant: Tenant.standard)?.entries.map(\.event) == [1, 2, 3, 4, 9, 0])
            #expect(try await archive.transaction("U", tenant: Tenant.standard) == nil)
        }

        @Test("D5: transactions are found by use case, user, time and error", arguments: ArchiveKind.available)
        func queriesFind(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.queriesFind(try await ArchiveServers.open(kind).archive)
        }

        @Test("D5: transactions are found by what was said of them first", arguments: ArchiveKind.available)
        func queriesFindWhatIsKnown(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.queriesFindWhatIsKnown(try await ArchiveServers.open(kind).archive)
        }

        @Test("D6: every fact of a transaction comes back as it went in", arguments: ArchiveKind.available)
        func everyFactComesBack(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.everyFactComesBack(try await ArchiveServers.open(kind).archive)
        }

        @Test("D6: PostgreSQL has columns of the right kind for them", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func columnsAreOfTheRightKind() async throws {
            let (archive, address) = try await ArchiveServers.open(.postgres)
            try await ArchiveChecks.everyFactComesBack(archive)
            let server = try #require(ArchiveServers.current?.postgres)
            let (row, partition, isRefused) = try await onThread {
                let doubled = "INSERT INTO transactions (tenant, guid, usecase, received) SELECT tenant, guid, 1, received FROM transactions"
                var isRefused = false
                do { _ = try server.ask(address, doubled) } catch { isRefused = true }
                return (
                    try server.ask(
                        address,
                        """
                        SELECT concat_ws(' ', pg_typeof(time), pg_typeof(event), pg_typeof(error_code), time, event, error_code,
                          error_description, device_make, device_os, device_os_version, user_id)
                        FROM entries JOIN transactions ON transactions.id = transaction
                        """),
                    // An entry of an ordinary day is in the partition of its day.
                    try server.ask(address, "SELECT tableoid::regclass::text FROM entries"), isRefused
                )
            }
            #expect(
                row
                    == "timestamp with time zone bigint bigint 2015-02-06 05:59:27.000001+00 32 4 some err Samsung Galaxy S5 1.2.5 u\u{E9}")
            #expect(partition == "entries_20150206")
            #expect(isRefused)
        }

        @Test("entries that are alike within one set are all stored", arguments: ArchiveKind.available)
        func entriesThatAreAlike(_ kind: ArchiveKind) async throws {
            let (archive, _) = try await ArchiveServers.open(kind)
            let twins = TransactionRecord(id: "T", usecase: 1, entries: [Golden.entry(3, at: 10), Golden.entry(3, at: 10)])
            #expect(try await archive.store(Golden.parcel(twins)).accepted == 2)
            #expect(try await archive.store(Golden.parcel(twins)).duplicates == 2)
            #expect(try await archive.store(Golden.parcel(twins, name: "P")).accepted == 2)
            #expect(try await archive.store(Golden.parcel(twins, name: "P")).duplicates == 2)
            #expect(try await archive.counts(tenant: nil).entries == 4)
        }

        @Test("C25: an entry with a key is stored once, whatever parcel brings it, twice in the same one or with another time", arguments: ArchiveKind.available)
        func anEntryWithAKeyIsStoredOnce(_ kind: ArchiveKind) async throws {
            let (archive, _) = try await ArchiveServers.open(kind)
            let key = EntryKey(installation: "I", epoch: 1, sequence: 1)
            let entry = Golden.entry(3, at: 1_423_202_000, key: key)
            let record = TransactionRecord(id: "T", usecase: 1, entries: [entry, entry])
            #expect(try await archive.store(Golden.parcel(record, name: "P")) == ArchiveReceipt(accepted: 1, duplicates: 1))
            #expect(try await archive.store(Golden.parcel(record, name: "Q")).duplicates == 2)
            let later = TransactionRecord(id: "T", usecase: 1, entries: [Golden.entry(3, at: 1_423_102_000, key: key)])
            #expect(try await archive.store(Golden.parcel(later)).conflicting == 1)
            #expect(try await archive.transaction("T", tenant: Tenant.standard)?.entries == [entry])
        }

        @Test("S5, S22: quotes, backslashes, emoji, NUL and very long texts come back as they went in, NUL as ␀", arguments: ArchiveKind.available)
        func textsComeBack(_ kind: ArchiveKind) async throws {
            let (archive, _) = try await ArchiveServers.open(kind)
            let texts = [
                #"'; DROP TABLE entries; --"#, #"\' \\ \n \u0000 \x41 "quoted" `ticks` $1 %s {a} ?"#, "line\nline\r\n\ttab\u{1}\u{7F}",
                "👩‍👩‍👧‍👦 ü e\u{301} \u{FFFE} \u{10FFFF} \u{202E}", "\u{FEFF}bom", "a\0b\0", String(repeating: "long 'ü' ", count: 9000),
            ]
            let ids = texts.map { String($0.prefix(60)) }
            for (id, text) in zip(ids, texts) {
                let record = TransactionRecord(
                    id: id, usecase: 1, user: id, variant: id,
                    entries: [EntryRecord(event: 1, errorCode: .min, errorDescription: text, time: LogTime(seconds: 10))])
                #expect(try await archive.store(Golden.parcel(record)).accepted == 1)
                #expect(try await archive.store(Golden.parcel(record)).duplicates == 1)
                let stored = try #require(try await archive.transaction(id, tenant: Tenant.standard))
                #expect(stored.entries[0].errorDescription == text.storable)
                #expect(stored.entries[0].errorCode == .min)
                #expect([stored.id, stored.user, stored.variant] == [id.storable, id.storable, id.storable])
                #expect(try await archive.transactions(TransactionQuery(user: id)).transactions == [stored])
                let page = try await archive.transactions(TransactionQuery(user: id, error: .text(String(text.suffix(20)))))
                #expect(page.transactions.count == 1)
            }
            #expect(try await archive.counts(tenant: nil).transactions == texts.count)
            #expect(try await archive.erase(user: ids[0], tenant: Tenant.standard, at: LogTime(seconds: 100)) == 1)
            #expect(try await archive.counts(tenant: nil).transactions == texts.count - 1)
        }

        @Test("S29: times from 1677 to 2262 come back to the microsecond", arguments: ArchiveKind.available)
        func extremeTimesComeBack(_ kind: ArchiveKind) async throws {
            let (archive, _) = try await ArchiveServers.open(kind)
            let times = [Int64.min + 1000, -1_000, -1_000_000_001_000, 0, 999_999_000, 4_294_967_296_000_001_000, Int64.max]
                .map { LogTime(nanoseconds: $0) }
            let record = TransactionRecord(
                id: "T", usecase: 1,
                entries: times.enumerated().map { EntryRecord(event: $0.offset, time: $0.element, offset: .max) })
            for received in [LogTime(seconds: 1000), LogTime(nanoseconds: .max), LogTime(nanoseconds: .min + 1000)] {
                _ = try await archive.store(
                    TransactionParcel(parcel: nil, set: TransactionSet(transactions: [record]), received: received))
            }
            let stored = try #require(try await archive.transaction("T", tenant: Tenant.standard)?.entries)
            #expect(stored.map(\.time.microseconds) == times.sorted().map(\.microseconds))
            #expect(stored.allSatisfy { $0.offset == .max })
        }

        @Test("S24: tenants share neither ids nor keys, and see nothing of each other", arguments: ArchiveKind.available)
        func tenantsAreApart(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.tenantsAreApart(try await ArchiveServers.open(kind).archive)
        }

        @Test("pages miss and repeat nothing", arguments: ArchiveKind.available)
        func pagesMissAndRepeatNothing(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.pagesMissAndRepeatNothing(try await ArchiveServers.open(kind).archive)
        }

        @Test("so do pages of what is found by what entries say, few or many", arguments: ArchiveKind.available)
        func pagesOfWhatEntriesSayMissAndRepeatNothing(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.pagesOfWhatEntriesSayMissAndRepeatNothing(try await ArchiveServers.open(kind).archive)
        }

        @Test("a page holds not too many entries", arguments: ArchiveKind.available)
        func aPageHoldsNotTooManyEntries(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.aPageHoldsNotTooManyEntries(try await ArchiveServers.open(kind).archive)
        }

        @Test("a page holds not too many bytes, and whoever reads all of them gets everything once", arguments: ArchiveKind.available)
        func aPageHoldsNotTooManyBytes(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.aPageHoldsNotTooManyBytes(try await ArchiveServers.open(kind).archive)
        }

        @Test("S19: a transaction that would take more memory than one may is refused, alone and as the first of a page; others are given", arguments: ArchiveKind.available.filter { !$0.isClickHouse })
        func aTransactionThatIsTooLargeIsRefused(_ kind: ArchiveKind) async throws {
            let (archive, address) = try await ArchiveServers.open(kind)
            let small = TransactionRecord(id: "A", usecase: 1, entries: [Golden.entry(0, at: 1)])
            let large = TransactionRecord(
                id: "B", usecase: 2, entries: (0..<2).map { EntryRecord(event: $0, errorDescription: "x", time: LogTime(seconds: 1)) })
            let other = TransactionRecord(id: "C", usecase: 2, entries: [Golden.entry(0, at: 1)])
            for record in [small, large, other] { _ = try await archive.store(Golden.parcel(record)) }
            #expect(try await archive.transaction("B", tenant: Tenant.standard) == large)
            let half = TransactionPage.maximumBytesOfOne / 2
            if kind == .sqlite {
                let queue = try DatabaseQueue(path: String(address.dropFirst("sqlite:".count)))
                try await queue.write {
                    try $0.execute(sql: "UPDATE entries SET error_description = hex(zeroblob(\(half / 2))) WHERE error_description = 'x'")
                }
                try queue.close()
            } else {
                let server = try #require(ArchiveServers.current?.postgres)
                _ = try await onThread {
                    try server.ask(
                        address,
                        """
                        UPDATE entries SET error_description = repeat('x', \(half)) WHERE error_description = 'x';
                        UPDATE transactions SET entry_bytes = \(2 * half) WHERE guid = 'B'
                        """)
                }
            }
            let refusal = ArchiveError.transactionTooLarge(id: "B")
            await #expect(throws: refusal) { try await archive.transaction("B", tenant: Tenant.standard) }
            let place = TransactionCursor(received: LogTime(seconds: 1_423_202_400), id: "B")
            await #expect(throws: ArchiveError.transactionTooLarge(id: "B", next: place)) {
                try await archive.transactions(TransactionQuery(usecase: 2))
            }
            #expect(try await archive.transactions(TransactionQuery(usecase: 2, cursor: place)).transactions == [other])
            #expect(try await archive.transaction("A", tenant: Tenant.standard) == small)
            let page = try await archive.transactions(TransactionQuery())
            #expect(page.transactions == [small] && page.next != nil)
            var configuration = CollectorConfiguration()
            configuration.isInsecure = true
            var service = try CollectorService(configuration: configuration, archive: archive)
            service.report = { _, _ in }
            for path in ["/v1/transactions/B", "/v1/transactions", "/v1/export"] {
                let request = CollectorRequest(
                    method: "GET", path: path, query: path.hasSuffix("B") ? "" : "usecase=2", header: { _ in nil }, pieces: { _ in })
                let answer = await service.answer(request)
                #expect(answer.status == 413)
                #expect(String(decoding: answer.body, as: UTF8.self).contains(#""next":"\#(place)""#) == !path.hasSuffix("B"))
            }
        }

        @Test(
            "S19: a page that would begin with too large a transaction says where the list goes on behind it",
            arguments: ArchiveKind.available)
        func aListGoesOnBehindWhatIsTooLarge(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.aListGoesOnBehindWhatIsTooLarge(try await ArchiveServers.open(kind).archive)
        }

        @Test("ids that only look alike are two transactions, and nothing of either is lost", arguments: ArchiveKind.available)
        func idsThatOnlyLookAlikeAreTwo(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.idsThatOnlyLookAlikeAreTwo(try await ArchiveServers.open(kind).archive)
        }

        @Test("an id that clients cut is one transaction, in sets, in log events and in questions", arguments: ArchiveKind.available)
        func aLongIDIsOneTransaction(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.aLongIDIsOneTransaction(try await ArchiveServers.open(kind).archive)
        }

        @Test("an id with very many NULs is one transaction, in sets, in log events and in questions", arguments: ArchiveKind.available)
        func anIDOfNULsIsOneTransaction(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.anIDOfNULsIsOneTransaction(try await ArchiveServers.open(kind).archive)
        }

        @Test("S31: what was captured and is sent again, whenever, is known, and adds no row", arguments: ArchiveKind.available)
        func aReplayAddsNothing(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.aReplayAddsNothing(try await ArchiveServers.open(kind).archive)
        }

        @Test("S32: what was erased is gone and stays gone, however late it is sent again", arguments: ArchiveKind.available)
        func whatWasErasedStaysErased(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.whatWasErasedStaysErased(try await ArchiveServers.open(kind).archive)
        }

        @Test("S33: what is too old is removed, so much at a time", arguments: ArchiveKind.available)
        func whatIsTooOldGoes(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.whatIsTooOldGoes(try await ArchiveServers.open(kind).archive)
        }

        @Test("S32, S33: a transaction stays as long as a log event that names it, and an erasure finds both", arguments: ArchiveKind.available)
        func aTransactionStaysAsLongAsWhatNamesIt(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.aTransactionStaysAsLongAsWhatNamesIt(try await ArchiveServers.open(kind).archive)
        }

        @Test("S33: the names of parcels go with what came in them, however many they are", arguments: ArchiveKind.available)
        func theNamesOfParcelsGo(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.theNamesOfParcelsGoWithWhatCameInThem(try await ArchiveServers.open(kind).archive)
        }

        @Test("D3, D4: a user or a version of no letters is none: who knows it fills it in", arguments: ArchiveKind.available)
        func whatSaysNothingIsFilledIn(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.whatSaysNothingIsFilledIn(try await ArchiveServers.open(kind).archive)
        }

        @Test("S32: who asks for a user of no letters, or erases one, means nobody", arguments: ArchiveKind.available)
        func whoHasNoNameIsNobody(_ kind: ArchiveKind) async throws {
            try await ArchiveChecks.whoHasNoNameIsNobody(try await ArchiveServers.open(kind).archive)
        }

        @Test("S28: how much was sent in a day is kept, of all collectors together", arguments: ArchiveKind.available)
        func whatWasSentInADayIsKept(_ kind: ArchiveKind) async throws {
            let (archive, address) = try await ArchiveServers.open(kind)
            #expect(try await archive.bytesSent(on: 20_000) == [:])
            try await archive.addBytesSent(["a": 5, "b": 7], on: 20_000)
            let other = kind == .sqlite ? archive : try await onThread { try ArchiveURL.open(address) }
            try await other.addBytesSent(["a": 10], on: 20_000)
            #expect(try await archive.bytesSent(on: 20_000) == ["a": 15, "b": 7])
            try await archive.addBytesSent(["a": 1], on: 20_001)
            #expect(try await other.bytesSent(on: 20_001) == ["a": 1])
            // ClickHouse does that in the background.
            if !kind.isClickHouse { #expect(try await other.bytesSent(on: 20_000) == [:]) }
        }

        // MARK: Log events

        @Test("events are stored once, by their origin or by their parcel", arguments: ArchiveKind.available)
        func eventsAreStoredOnce(_ kind: ArchiveKind) async throws {
            let (archive, _) = try await ArchiveServers.open(kind)
            let batch = LogBatch(
                parcel: "P", items: [Golden.item(1), Golden.item(1), Golden.item(2, origin: nil), Golden.item(2, origin: nil)],
                received: LogTime(seconds: 2000))
            #expect(try await archive.store(batch) == ArchiveReceipt(accepted: 3, duplicates: 1))
            #expect(try await archive.store(batch) == ArchiveReceipt(accepted: 0, duplicates: 4))
            var unnamed = batch
            unnamed.parcel = nil
            #expect(try await archive.store(unnamed) == ArchiveReceipt(accepted: 2, duplicates: 2))
            #expect(try await archive.store(unnamed) == ArchiveReceipt(accepted: 2, duplicates: 2))
            #expect(try await archive.counts(tenant: nil) == ArchiveCounts(transactions: 0, entries: 0, logEvents: 7, parcels: 3))
        }

        private static let event = LogEvent(
            sequence: .max, time: LogTime(nanoseconds: 1_423_202_367_000_001_999), level: .error, message: "a'\n\0\\b",
            metadata: ["ms": 812, "tags": ["x\0\\u0000"], "e": 1.5], thread: 5,
            source: LogSource(fileNamed: "M/F.swift", functionNamed: "f()", line: 3),
            transaction: TransactionEntry(
                transactionID: "T", usecase: 2, kind: .happened(4), errorCode: 42, errorDescription: "Baad!",
                device: DeviceFacts(make: "m", os: "o", osVersion: "v")),
            error: LogErrorDetails(type: "PaymentError", description: "refused"))

        @Test("everything that an event says is stored", .enabled(if: PostgresServer.isPossible && ClickHouseServer.isPossible, "needs the Debian package postgresql-15 or clickhouse-server"))
        func everythingAnEventSaysIsStored() async throws {
            let servers = try #require(ArchiveServers.current)
            let item = LogBatch.Item(event: Self.event, origin: LogOrigin(installation: "I", epoch: .max))
            let columns = "installation, epoch, sequence, level, message, thread, file, function, line, error_type, error_message, transaction_guid, usecase, event, error_code, error_description"
            let expected = "I|-1|-1|error|a'\n␀\\b|5|M/F.swift|f()|3|PaymentError|refused|T|2|4|42|Baad!"
            for kind in ArchiveKind.single {
                let (archive, address) = try await ArchiveServers.open(kind)
                _ = try await archive.store(LogBatch(parcel: nil, items: [item], received: LogTime(seconds: 1_423_202_400)))
                try await onThread {
                    if kind == .postgres {
                        let postgres = try #require(servers.postgres)
                        #expect(try postgres.ask(address, "SELECT concat_ws('|', \(columns)) FROM log_events") == expected)
                        #expect(try postgres.ask(address, "SELECT metadata->'tags'->>0 FROM log_events") == "x␀\\u0000")
                        #expect(try postgres.ask(address, "SELECT time FROM log_events") == "2015-02-06 05:59:27.000001+00")
                    } else {
                        let database = String(address.split(separator: "/").last!)
                        let texts = columns.split(separator: ", ").map { "ifNull(toString(\($0)), '')" }.joined(separator: ", '|', ")
                        let clickHouse = try servers.clickHouse(kind)
                        #expect(try clickHouse.ask("SELECT concat(\(texts)) FROM \(database).logbook_log_events FORMAT TSVRaw") == expected + "\n")
                        #expect(try clickHouse.ask("SELECT visitParamExtractInt(metadata, 'ms'), time FROM (SELECT assumeNotNull(metadata) AS metadata, time FROM \(database).logbook_log_events)") == "812\t1423202367000001\n")
                    }
                }
            }
        }

        // MARK: At the same time

        @Test("the same parcel, stored by many at the same time, is stored once", arguments: ArchiveKind.available)
        func theSameParcelAtTheSameTime(_ kind: ArchiveKind) async throws {
            let (archive, address) = try await ArchiveServers.open(kind)
            // Another collector of the same archive, where there can be one.
            let other = kind == .sqlite ? archive : try await onThread { try ArchiveURL.open(address) }
            let records = (0..<20).map { number in
                TransactionRecord(id: "T\(number)", usecase: 1, entries: (0..<10).map { Golden.entry($0, at: Double(number)) })
            }
            let received = LogTime(seconds: 1000)
            let accepted = try await withThrowingTaskGroup(of: Int.self) { group in
                for round in 0..<16 {
                    // In other orders, by which who locks one row after the other would wait for each other.
                    let set = TransactionSet(transactions: round % 3 == 0 ? records.reversed() : records)
                    group.addTask {
                        try await (round % 2 == 0 ? archive : other).store(
                            TransactionParcel(parcel: round % 4 == 0 ? nil : "P", set: set, received: received)
                        ).accepted
                    }
                }
                return try await group.reduce(0, +)
            }
            // Unnamed, and named, in whatever order.
            let stored = try await archive.counts(tenant: nil).entries
            #expect(stored == 400)
            if kind.isClickHouse { #expect(accepted >= stored) } else { #expect(accepted == stored) }
        }

        @Test("who reads slowly leaves half of PostgreSQL's connections to who stores, and to who asks for the collector's health", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func whoReadsLeavesConnections() async throws {
            let (archive, address) = try await ArchiveServers.open(.postgres)
            let server = try #require(ArchiveServers.current?.postgres)
            // Whoever counts waits for this; a set is stored without log events.
            let gate = try PostgresConnection(PostgresAddress(address))
            try gate.execute("BEGIN; LOCK TABLE log_events IN ACCESS EXCLUSIVE MODE")
            let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'log_events'::regclass"
            let readers = (0..<8).map { _ in Task { try await archive.counts(tenant: nil).entries } }
            #expect(try await onThread { try becomesTrue { try server.ask(address, waiting) == "2" } })
            let record = TransactionRecord(id: "T", usecase: 1, entries: [Golden.entry(0, at: 1)])
            #expect(try await archive.store(Golden.parcel(record)).accepted == 1)
            try await archive.checkWritable()
            #expect(try await onThread { try server.ask(address, waiting) } == "2")
            try gate.execute("COMMIT")
            for reader in readers { #expect(try await [0, 1].contains(reader.value)) }
        }

        @Test("two collectors that start at the same time make the tables once", arguments: ArchiveKind.servers)
        func twoStartAtTheSameTime(_ kind: ArchiveKind) async throws {
            let servers = try #require(ArchiveServers.current)
            let address = try await onThread { try servers.makeDatabase(kind) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let archive = try await onThread { try ArchiveURL.open(address) }
                        try await archive.checkWritable()
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test("a later version's archive is refused and left alone", arguments: ArchiveKind.servers)
        func aLaterVersionIsRefused(_ kind: ArchiveKind) async throws {
            let servers = try #require(ArchiveServers.current)
            let (_, address) = try await ArchiveServers.open(kind)
            try await onThread {
                if kind == .postgres {
                    _ = try servers.postgres?.ask(address, "UPDATE schema_version SET version = 99")
                } else {
                    try servers.clickHouse(kind).ask("INSERT INTO \(ClickHouseAddress(address).database).logbook_schema VALUES (99, 1)")
                }
                #expect {
                    try ArchiveURL.open(address)
                } throws: { error in
                    "\(error)".contains("schema version 99")
                }
            }
        }

        @Test("a database of PostgreSQL that cannot hold every character is refused, and it is said what to do", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func aDatabaseHoldsEveryCharacter() async throws {
            let server = try #require(ArchiveServers.current?.postgres)
            try await onThread {
                let address = try server.makeDatabase("ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
                #expect {
                    try ArchiveURL.open(address)
                } throws: {
                    "\($0)".contains("LATIN1") && "\($0)".contains("ENCODING 'UTF8'")
                }
            }
        }

        @Test("a user of PostgreSQL that may make no schema makes its tables in one that is there", .enabled(if: PostgresServer.isPossible, "needs the Debian package postgresql-15"))
        func aSchemaMayBeThere() async throws {
            let server = try #require(ArchiveServers.current?.postgres)
            let archive = try await onThread {
                let address = try server.makeDatabase()
                _ = try server.ask(address, "CREATE ROLE keeper LOGIN; CREATE SCHEMA logbook AUTHORIZATION keeper")
                return try ArchiveURL.open(address.replacing("postgres@", with: "keeper@"))
            }
            let record = TransactionRecord(id: "T", usecase: 1, entries: [Golden.entry(0, at: 1)])
            #expect(try await archive.store(Golden.parcel(record)).accepted == 1)
        }

        // MARK: Clusters

        @Test("the address of a cluster names every server of it, and a cluster that they know", .enabled(if: ClickHouseCluster.isPossible, "needs the Debian package clickhouse-server or zookeeper"))
        func everyServerIsNamed() async throws {
            let cluster = try #require(ArchiveServers.current?.clickHouseReplicas)
            try await onThread {
                let address = try cluster.makeDatabase(), database = try ClickHouseAddress(address).database
                for (wrong, said) in [
                    (cluster.address(of: database, servers: [cluster.servers[0]]), "the cluster c has 2 servers and the address names 1"),
                    (address.replacing("cluster=c", with: "cluster=d"), "knows no cluster d"),
                ] {
                    #expect {
                        try ArchiveURL.open(wrong)
                    } throws: {
                        "\($0)".contains(said)
                    }
                }
            }
        }

        @Test("a replica that is new gets its tables when a collector starts, and what the other one has", .enabled(if: ClickHouseCluster.isPossible, "needs the Debian package clickhouse-server or zookeeper"))
        func aNewReplica() async throws {
            let cluster = try #require(ArchiveServers.current?.clickHouseReplicas)
            let address = try await onThread {
                let address = try cluster.makeDatabase(), database = try ClickHouseAddress(address).database
                for table in ClickHouseArchive.tables {
                    for statement in ClickHouseArchive.creation(of: table, in: database, cluster: "c") {
                        try cluster.servers[0].ask(statement)
                    }
                }
                try cluster.servers[0].ask("INSERT INTO \(database).logbook_schema VALUES (\(ClickHouseArchive.schemaVersion), 1)")
                return address
            }
            let archive = try await onThread { try ArchiveURL.open(address) }
            #expect(try await archive.store(Golden.parcel(TransactionRecord(id: "T", usecase: 1, entries: [Golden.entry(0, at: 1)]))).accepted == 1)
            let found = try await onThread {
                try eventually {
                    let query = "SELECT count() FROM \(try ClickHouseAddress(address).database).logbook_entries_shard"
                    let found = try cluster.servers[1].ask(query)
                    if found != "1\n" { throw ScriptedFailure(found) }
                    return found
                }
            }
            #expect(found == "1\n")
        }

        // MARK: Servers that go away

        @Test("Row 54, S27: a server that is killed while it stores says nothing; sent again, everything is there once", arguments: ArchiveKind.single)
        func aKilledServer(_ kind: ArchiveKind) async throws {
            let servers = try await onThread {
                var servers = ArchiveServers()
                switch kind {
                case .postgres: servers.postgres = try PostgresServer()
                case .clickHouseEngine: servers.clickHouseEngine = try ClickHouseServer(running: ClickHouseServer.engine)
                default: servers.clickHouse = try ClickHouseServer()
                }
                try servers.clickHouse?.start()
                try servers.clickHouseEngine?.start()
                return servers
            }
            let (archive, _) = try await ArchiveServers.$current.withValue(servers) { try await ArchiveServers.open(kind) }
            let received = LogTime(seconds: 1000)
            func parcel(_ number: Int) -> TransactionParcel {
                let record = TransactionRecord(
                    id: "T\(number)", usecase: 1, entries: (0..<500).map { Golden.entry($0, at: Double($0)) })
                return TransactionParcel(parcel: "P\(number)", set: TransactionSet(transactions: [record]), received: received)
            }
            let acknowledged = Locked<Set<Int>>([]), latest = Locked(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        // Each stores one after the other until one of them fails, so that the kill comes in the middle, however quick it is.
                        while true {
                            let number = latest.withLock { latest in
                                latest += 1
                                return latest
                            }
                            guard (try? await archive.store(parcel(number))) != nil else { return }
                            let count = acknowledged.withLock { acknowledged in
                                acknowledged.insert(number)
                                return acknowledged.count
                            }
                            if count == 5 {
                                await onThread {
                                    servers.postgres?.kill()
                                    servers.clickHouse?.kill()
                                    servers.clickHouseEngine?.kill()
                                }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let attempts = latest.withLock { $0 }
            #expect(acknowledged.withLock(\.count) == attempts - 8)
            await #expect(throws: ArchiveError.self) { try await archive.checkWritable() }
            await #expect(throws: ArchiveError.self) { try await archive.store(parcel(0)) }
            try await onThread {
                try servers.postgres?.startAgain()
                try servers.clickHouse?.startAgain()
                try servers.clickHouseEngine?.startAgain()
            }
            try await archive.checkWritable()
            for number in acknowledged.withLock({ $0 }) {
                #expect(try await archive.store(parcel(number)) == ArchiveReceipt(accepted: 0, duplicates: 500))
            }
            for number in 1...attempts { _ = try await archive.store(parcel(number)) }
            let counts = try await archive.counts(tenant: nil)
            #expect(counts.transactions == attempts)
            #expect(counts.entries == attempts * 500)
            await onThread { servers.stop() }
        }
    }
#endif
