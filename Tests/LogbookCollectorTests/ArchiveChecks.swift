#if Collector
    import LogbookCollector
    import LogbookCore
    import LogbookTransactions
    import Testing

    /// What every archive must do, whatever engine is behind it. Each check takes an archive that holds nothing.
    enum ArchiveChecks {
        static func tenantsAreApart(_ archive: any Archive) async throws {
            let entry = Golden.entry(3, at: 10, key: EntryKey(installation: "I", epoch: 1, sequence: 1))
            let transaction = TransactionRecord(id: "T", usecase: 1, user: "u", entries: [entry])
            let received = LogTime(seconds: 1000)
            for tenant in ["a", "b"] {
                let parcel = TransactionParcel(
                    tenant: tenant, parcel: "P", set: TransactionSet(transactions: [transaction]), received: received)
                #expect(try await archive.store(parcel) == ArchiveReceipt(accepted: 1, duplicates: 0))
                #expect(try await archive.store(parcel) == ArchiveReceipt(accepted: 0, duplicates: 1))
                let batch = LogBatch(
                    tenant: tenant, parcel: "P", items: [Golden.item(1), Golden.item(2, origin: nil)], received: received)
                #expect(try await archive.store(batch).accepted == 2)
                #expect(try await archive.store(batch).duplicates == 2)
            }
            let each = ArchiveCounts(transactions: 1, entries: 1, logEvents: 2, parcels: 2)
            #expect(try await archive.counts(tenant: "a") == each)
            #expect(try await archive.counts(tenant: "b") == each)
            #expect(try await archive.counts(tenant: "c") == ArchiveCounts(transactions: 0, entries: 0, logEvents: 0, parcels: 0))
            #expect(try await archive.counts(tenant: nil) == ArchiveCounts(transactions: 2, entries: 2, logEvents: 4, parcels: 4))
            #expect(try await archive.transaction("T", tenant: "c") == nil)
            #expect(try await archive.transactions(TransactionQuery(tenant: "c")).transactions.isEmpty)
            #expect(try await archive.erase(user: "u", tenant: "a", at: LogTime(seconds: 2000)) == 1)
            #expect(try await archive.transaction("T", tenant: "a") == nil)
            #expect(try await archive.transaction("T", tenant: "b") == transaction)
        }

        static func aReplayAddsNothing(_ archive: any Archive) async throws {
            let received = LogTime(seconds: 1_500_000_000), year = 365 * 86_400.0
            // Of today, of last year and of next, with keys and without.
            let times = [received.seconds, received.seconds - year, received.seconds + year]
            func record(_ id: String, isKeyed: Bool) -> TransactionRecord {
                TransactionRecord(
                    id: id, usecase: 1,
                    entries: times.enumerated().map { number, time in
                        Golden.entry(
                            number, at: time, key: isKeyed ? EntryKey(installation: "I", epoch: 1, sequence: Int64(number)) : nil)
                    })
            }
            let parcels = [("K", "P", true), ("N", "Q", false), ("O", nil, false)].map { id, name, isKeyed in
                TransactionParcel(
                    parcel: name, set: TransactionSet(transactions: [record(id, isKeyed: isKeyed)]), received: received)
            }
            let batch = LogBatch(parcel: "L", items: [Golden.item(1), Golden.item(2, origin: nil)], received: received)
            for parcel in parcels { #expect(try await archive.store(parcel) == ArchiveReceipt(accepted: 3, duplicates: 0)) }
            #expect(try await archive.store(batch).accepted == 2)
            func held() async throws -> [TransactionRecord] { try await archive.transactions(TransactionQuery()).transactions }
            let before = try await (archive.counts(tenant: nil), held())
            // A second later, and long after the window of times that are not far off has closed.
            for delay in [1, 6 * 86_400, 8 * 86_400, 10 * year] as [Double] {
                for var parcel in parcels {
                    parcel.received = LogTime(seconds: received.seconds + delay)
                    #expect(try await archive.store(parcel) == ArchiveReceipt(accepted: 0, duplicates: 3))
                    // Whoever has captured it may call it something else. A key stays what it is; without one, a name is all there is.
                    if parcel.set.transactions[0].entries[0].key != nil {
                        parcel.parcel = "captured"
                        #expect(try await archive.store(parcel).duplicates == 3)
                    }
                }
                var batch = batch
                batch.received = LogTime(seconds: received.seconds + delay)
                #expect(try await archive.store(batch) == ArchiveReceipt(accepted: 0, duplicates: 2))
            }
            let after = try await (archive.counts(tenant: nil), held())
            #expect(after.0.transactions == before.0.transactions && after.0.entries == before.0.entries)
            #expect(after.0.logEvents == before.0.logEvents)
            #expect(after.1 == before.1)
        }

        static func everyFactComesBack(_ archive: any Archive) async throws {
            let entry = EntryRecord(
                event: 32, errorCode: 4, errorDescription: "some err", time: LogTime(nanoseconds: 1_423_202_367_000_001_000),
                key: EntryKey(installation: "I", epoch: 2, sequence: 7), offset: 1_234_567_000)
            let transaction = TransactionRecord(
                id: "T", usecase: 2, deviceMake: "Samsung", deviceOS: "Galaxy S5", deviceOSVersion: "1.2.5", user: "u\u{E9}",
                variant: "B", appVersion: "3.4", session: "s", installation: "I", entries: [entry])
            _ = try await archive.store(Golden.parcel(transaction))
            #expect(try await archive.transaction("T", tenant: Tenant.standard) == transaction)
            #expect(try await archive.transactions(TransactionQuery()).transactions == [transaction])
        }

        static func queriesFind(_ archive: any Archive) async throws {
            func store(_ id: String, usecase: Int, user: String?, _ entries: EntryRecord..., received: Double) async throws {
                let record = TransactionRecord(id: id, usecase: usecase, user: user, entries: entries)
                _ = try await archive.store(
                    TransactionParcel(
                        parcel: nil, set: TransactionSet(transactions: [record]), received: LogTime(seconds: received)))
            }
            func failure(_ code: Int?, _ text: String?, at seconds: Double) -> EntryRecord {
                EntryRecord(event: 4, errorCode: code, errorDescription: text, time: LogTime(seconds: seconds))
            }
            try await store("B", usecase: 1, user: "u", Golden.entry(0, at: 10), received: 100)
            try await store("A", usecase: 1, user: nil, Golden.entry(0, at: 20), failure(-1001, nil, at: 21), received: 100)
            try await store("C", usecase: 2, user: "u", Golden.entry(0, at: 30), failure(nil, "100% _off", at: 31), received: 99)
            try await store("D", usecase: 2, user: "v", received: 200)
            func ids(_ change: (inout TransactionQuery) -> Void) async throws -> [String] {
                var query = TransactionQuery()
                change(&query)
                return try await archive.transactions(query).transactions.map(\.id)
            }
            #expect(try await ids { _ in } == ["C", "A", "B", "D"])
            #expect(try await ids { $0.usecase = 2 } == ["C", "D"])
            #expect(try await ids { $0.user = "u" } == ["C", "B"])
            #expect(try await ids { $0.user = "U" } == [])
            #expect(try await ids { $0.user = "" } == [])
            #expect(try await ids { $0.from = LogTime(seconds: 20) } == ["C", "A"])
            #expect(try await ids { $0.to = LogTime(seconds: 20) } == ["B"])
            #expect(try await ids { ($0.from, $0.to) = (LogTime(seconds: 20), LogTime(seconds: 21)) } == ["A"])
            #expect(try await ids { $0.error = .any } == ["C", "A"])
            #expect(try await ids { $0.error = .code(-1001) } == ["A"])
            #expect(try await ids { $0.error = .code(7) } == [])
            #expect(try await ids { $0.error = .text("% _o") } == ["C"])
            #expect(try await ids { $0.error = .text("%off") } == [])
            // One and the same entry must be in the range and say the error.
            #expect(try await ids { ($0.to, $0.error) = (LogTime(seconds: 21), .any) } == [])
            #expect(try await ids { $0.user = "' OR 1=1 --" } == [])
        }

        /// Whoever says something first is believed, and found by it.
        static func queriesFindWhatIsKnown(_ archive: any Archive) async throws {
            let said: [(usecase: Int, user: String?)] = [(1, nil), (2, "u"), (3, "v")]
            for (number, each) in said.enumerated() {
                let entry = Golden.entry(number, at: Double(number))
                _ = try await archive.store(
                    Golden.parcel(TransactionRecord(id: "T", usecase: each.usecase, user: each.user, entries: [entry])))
            }
            func ids(_ change: (inout TransactionQuery) -> Void) async throws -> [String] {
                var query = TransactionQuery()
                change(&query)
                return try await archive.transactions(query).transactions.map(\.id)
            }
            #expect(try await ids { $0.user = "u" } == ["T"])
            #expect(try await ids { $0.user = "v" } == [])
            #expect(try await ids { $0.usecase = 1 } == ["T"])
            #expect(try await ids { $0.usecase = 2 } == [])
            #expect(try await ids { ($0.usecase, $0.user, $0.from) = (1, "u", LogTime(seconds: 2)) } == ["T"])
        }

        static func pagesMissAndRepeatNothing(_ archive: any Archive) async throws {
            for number in 0..<25 {
                _ = try await archive.store(
                    TransactionParcel(
                        parcel: nil,
                        set: TransactionSet(transactions: [
                            TransactionRecord(id: "T\(number % 10)-\(number)", usecase: 1, entries: [Golden.entry(0, at: 1)])
                        ]), received: LogTime(seconds: Double(number / 4))))
            }
            let all = try await archive.transactions(TransactionQuery(limit: 1000))
            #expect(all.next == nil)
            #expect(all.transactions.count == 25 && all.received.count == 25)
            // Each of them has its place, from which whoever reads goes on.
            for index in [0, 10, 24] {
                let rest = try await archive.transactions(TransactionQuery(limit: 1000, cursor: all.place(of: index)))
                #expect(rest.transactions == Array(all.transactions.dropFirst(index + 1)))
            }
            var query = TransactionQuery(limit: 7)
            var ids: [String] = [], pages = 0
            repeat {
                let page = try await archive.transactions(query)
                ids += page.transactions.map(\.id)
                pages += 1
                query.cursor = page.next.flatMap { TransactionCursor($0.description) }
                // What belongs to a transaction that is there does not move it; what is new comes last.
                _ = try await archive.store(
                    TransactionParcel(
                        parcel: nil,
                        set: TransactionSet(transactions: [
                            TransactionRecord(id: "T3-3", usecase: 1, entries: [Golden.entry(pages, at: 2)])
                        ]), received: LogTime(seconds: 500)))
            } while query.cursor != nil && pages < 10
            #expect(ids == all.transactions.map(\.id))
            #expect(pages == 4)
        }

        static func pagesOfWhatEntriesSayMissAndRepeatNothing(_ archive: any Archive) async throws {
            let day = 86_400.0
            // Ten at a time have the same place but for their ids. One in seven has an error, and a third says nothing of a later day.
            for group in 0..<20 {
                let records = (group * 5..<group * 5 + 5).map { number in
                    let entry = EntryRecord(
                        event: 0, errorCode: number % 7 == 0 ? number : nil, time: LogTime(seconds: Double(number % 3) * day))
                    return TransactionRecord(id: "T\(1000 - number)", usecase: number % 2, entries: [Golden.entry(1, at: 5), entry])
                }
                _ = try await archive.store(
                    TransactionParcel(
                        parcel: nil, set: TransactionSet(transactions: records), received: LogTime(seconds: Double(group / 2))))
            }
            let later = LogTime(seconds: day)
            let queries: [(TransactionQuery, Int)] = [
                (TransactionQuery(error: .any), 15), (TransactionQuery(usecase: 1, error: .any), 7), (TransactionQuery(from: later), 66),
                (TransactionQuery(from: later, error: .any), 10), (TransactionQuery(to: later, error: .any), 5),
                (TransactionQuery(error: .code(49)), 1), (TransactionQuery(error: .code(50)), 0),
            ]
            for (query, count) in queries {
                var query = query
                query.limit = 1000
                let all = try await archive.transactions(query)
                #expect(all.transactions.count == count && all.next == nil, "\(query)")
                query.limit = 4
                var ids: [String] = [], pages = 0
                repeat {
                    let page = try await archive.transactions(query)
                    #expect(page.transactions.count <= query.limit)
                    ids += page.transactions.map(\.id)
                    pages += 1
                    query.cursor = page.next
                } while query.cursor != nil && pages < 100
                #expect(ids == all.transactions.map(\.id), "\(query)")
                #expect(pages == max(1, (count + 3) / 4), "\(query)")
            }
        }

        static func aPageHoldsNotTooManyEntries(_ archive: any Archive) async throws {
            let half = TransactionPage.maximumEntries * 6 / 10
            for id in ["A", "B", "C"] {
                let entries = (0..<(id == "B" ? TransactionPage.maximumEntries + 1 : half)).map { Golden.entry($0, at: 1) }
                _ = try await archive.store(Golden.parcel(TransactionRecord(id: id, usecase: 1, entries: entries)))
            }
            var query = TransactionQuery()
            for id in ["A", "B", "C"] {
                let page = try await archive.transactions(query)
                #expect(page.transactions.map(\.id) == [id])
                query.cursor = page.next
            }
            #expect(query.cursor == nil)
        }

        /// Pages hold no more than they may, and whoever reads them all gets everything once; also what is larger than a page.
        static func aPageHoldsNotTooManyBytes(_ archive: any Archive) async throws {
            let text = String(repeating: "\u{E9}", count: 32 << 10), page = TransactionPage.maximumBytes / text.utf8.count
            func entries(_ count: Int) -> [EntryRecord] {
                (0..<count).map { EntryRecord(event: $0, errorDescription: text, time: LogTime(seconds: Double($0))) }
            }
            // Three of which two fit, one that alone is too large, and many whose devices say more than their entries.
            var records = ["A", "B", "C"].map { TransactionRecord(id: $0, usecase: 1, entries: entries(page * 3 / 8)) }
            records.append(TransactionRecord(id: "D", usecase: 1, entries: entries(page + 1)))
            records += (0...page / 3).map { number in
                TransactionRecord(
                    id: "E\(100 + number)", usecase: 1, deviceMake: text, deviceOS: text, deviceOSVersion: text, entries: entries(0))
            }
            for record in records { _ = try await archive.store(Golden.parcel(record)) }
            func texts(_ record: TransactionRecord) -> [String?] {
                [record.deviceMake, record.deviceOS, record.deviceOSVersion] + record.entries.map(\.errorDescription)
            }
            var query = TransactionQuery(), pages: [[TransactionRecord]] = []
            repeat {
                let found = try await archive.transactions(query)
                let bytes = found.transactions.flatMap(texts).reduce(0) { $0 + ($1?.utf8.count ?? 0) }
                #expect(found.transactions.count == 1 || bytes <= TransactionPage.maximumBytes)
                pages.append(found.transactions)
                query.cursor = found.next.flatMap { TransactionCursor($0.description) }
            } while query.cursor != nil && pages.count < records.count
            #expect(query.cursor == nil)
            #expect(pages.prefix(3).map { $0.map(\.id) } == [["A", "B"], ["C"], ["D"]])
            #expect(pages.count == 5)
            // How large one may be can be said: D is the only one with so late an entry.
            query = TransactionQuery()
            query.largest = TransactionPage.maximumBytes
            #expect(try await archive.transactions(query).transactions.map(\.id) == ["A", "B"])
            query.from = LogTime(seconds: Double(page))
            let late = query
            let place = TransactionCursor(received: LogTime(seconds: 1_423_202_400), id: "D")
            await #expect(throws: ArchiveError.transactionTooLarge(id: "D", next: place)) { try await archive.transactions(late) }
            await #expect(throws: ArchiveError.transactionTooLarge(id: "D")) {
                try await archive.transaction("D", tenant: Tenant.standard, largest: late.largest)
            }
            // Compared here: a failure is not to show megabytes.
            let isAllThere = pages.flatMap(\.self) == records
            #expect(isAllThere)
            let isFound = try await archive.transaction("D", tenant: Tenant.standard) == records[3]
            #expect(isFound)
        }

        /// Whoever lists is told where to go on.
        static func aListGoesOnBehindWhatIsTooLarge(_ archive: any Archive) async throws {
            for (id, count) in [("A", 1), ("B", 100), ("C", 1)] {
                let entries = (0..<count).map { Golden.entry($0, at: 1) }
                _ = try await archive.store(Golden.parcel(TransactionRecord(id: id, usecase: 1, entries: entries)))
            }
            var query = TransactionQuery(limit: 1)
            query.largest = 10_000   // B takes more than twice as many
            let first = try await archive.transactions(query)
            #expect(first.transactions.map(\.id) == ["A"])
            query.cursor = first.next
            var place: TransactionCursor?
            do { _ = try await archive.transactions(query) } catch {
                guard case .transactionTooLarge("B", let next) = error else { throw error }
                place = next
            }
            #expect(place?.id == "B")
            query.cursor = place.flatMap { TransactionCursor($0.description) }
            let rest = try await archive.transactions(query)
            #expect(rest.transactions.map(\.id) == ["C"] && rest.next == nil)
        }

        /// Archives compare bytes; Swift takes texts for equal that only look alike.
        static func idsThatOnlyLookAlikeAreTwo(_ archive: any Archive) async throws {
            let ids = ["e\u{301}", "\u{E9}"]
            let records = ids.enumerated().map { TransactionRecord(id: $1, usecase: 1, entries: [Golden.entry($0, at: 1)]) }
            let set = TransactionSet(transactions: records)
            let parcel = TransactionParcel(parcel: "P", set: set, received: LogTime(seconds: 1000))
            #expect(try await archive.store(parcel) == ArchiveReceipt(accepted: 2, duplicates: 0))
            #expect(try await archive.store(parcel) == ArchiveReceipt(accepted: 0, duplicates: 2))
            let listed = try await archive.transactions(TransactionQuery()).transactions
            #expect(listed.map { Array($0.id.utf8) } == ids.map { Array($0.utf8) })
            #expect(listed.map { $0.entries.map(\.event) } == [[0], [1]])
            for (number, id) in ids.enumerated() {
                #expect(try await archive.transaction(id, tenant: Tenant.standard)?.entries.map(\.event) == [number])
            }
        }

        /// A client cuts it in sets; log events say all of it.
        static func aLongIDIsOneTransaction(_ archive: any Archive) async throws {
            let id = String(repeating: "x", count: 300)
            let record = TransactionRecord(id: id.deliverableID, usecase: 1, user: "u", entries: [Golden.entry(0, at: 10)])
            _ = try await archive.store(Golden.parcel(record))
            #expect(try await archive.transaction(id, tenant: Tenant.standard) == record)
            let event = LogEvent(
                sequence: 1, time: LogTime(seconds: 10), level: .info, message: "m",
                transaction: TransactionEntry(
                    transactionID: id, usecase: 1, kind: .happened(1), device: DeviceFacts(make: "", os: "", osVersion: "")))
            let item = LogBatch.Item(event: event, origin: LogOrigin(installation: "INST", epoch: 1))
            let batch = LogBatch(parcel: nil, items: [item], received: LogTime(seconds: 20))
            #expect(try await archive.store(batch).accepted == 1)
            #expect(try await archive.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 1000)) == 1)
            #expect(try await archive.counts(tenant: nil).logEvents == 0)
            #expect(try await archive.store(batch).erased == 1)
        }

        /// Such an id is short where it is sent; as it is kept each NUL takes three bytes.
        static func anIDOfNULsIsOneTransaction(_ archive: any Archive) async throws {
            let id = String(repeating: "\0", count: 200)
            let record = TransactionRecord(id: id, usecase: 1, user: "u", entries: [Golden.entry(0, at: 10)])
            #expect(try await archive.store(Golden.parcel(record)) == ArchiveReceipt(accepted: 1, duplicates: 0))
            #expect(try await archive.store(Golden.parcel(record)) == ArchiveReceipt(accepted: 0, duplicates: 1))
            let listed = try await archive.transactions(TransactionQuery()).transactions
            #expect(listed.map(\.id) == [id.deliverableID])
            for id in [id, id.deliverableID] { #expect(try await archive.transaction(id, tenant: Tenant.standard) == listed.first) }
            let event = LogEvent(
                sequence: 1, time: LogTime(seconds: 10), level: .info, message: "m", metadata: [LogMetadata.transactionKey: .string(id)])
            let item = LogBatch.Item(event: event, origin: LogOrigin(installation: "INST", epoch: 1))
            let batch = LogBatch(parcel: nil, items: [item], received: LogTime(seconds: 20))
            #expect(try await archive.store(batch).accepted == 1)
            #expect(try await archive.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 1000)) == 1)
            #expect(try await archive.counts(tenant: nil).logEvents == 0)
            #expect(try await archive.store(batch).erased == 1)
            #expect(try await archive.store(Golden.parcel(record)).erased == 1)
        }

        static func whatWasErasedStaysErased(_ archive: any Archive) async throws {
            let erasedAt = LogTime(seconds: 1000)
            let early = TransactionRecord(id: "T", usecase: 1, user: "u", entries: [Golden.entry(0, at: 10)])
            let spooled = TransactionRecord(id: "S", usecase: 1, user: "u", entries: [Golden.entry(0, at: 11)])
            let other = TransactionRecord(id: "O", usecase: 1, user: "v", entries: [Golden.entry(0, at: 12)])
            _ = try await archive.store(Golden.parcel(early, other))
            let event = LogEvent(
                sequence: 1, time: LogTime(seconds: 10), level: .info, message: "m",
                transaction: TransactionEntry(
                    transactionID: "T", usecase: 1, kind: .happened(1), device: DeviceFacts(make: "", os: "", osVersion: "")))
            let item = LogBatch.Item(event: event, origin: LogOrigin(installation: "INST", epoch: 1))
            let batch = LogBatch(parcel: nil, items: [item, Golden.item(2)], received: LogTime(seconds: 20))
            _ = try await archive.store(batch)

            #expect(try await archive.erase(user: "u", tenant: Tenant.standard, at: erasedAt) == 1)
            #expect(try await archive.erase(user: "u", tenant: Tenant.standard, at: erasedAt) == 0)
            #expect(try await archive.counts(tenant: nil).entries == 1)
            #expect(try await archive.counts(tenant: nil).logEvents == 1)

            // Late: the same again, what was still on the way, and what a server adds without knowing the user.
            var unnamed = early
            unnamed.user = nil
            unnamed.entries = [Golden.entry(6, at: 2000)]
            #expect(
                try await archive.store(Golden.parcel(early, spooled, unnamed, other))
                    == ArchiveReceipt(accepted: 0, duplicates: 1, erased: 3))
            #expect(try await archive.store(batch) == ArchiveReceipt(accepted: 0, duplicates: 1, erased: 1))
            for id in ["T", "S"] { #expect(try await archive.transaction(id, tenant: Tenant.standard) == nil) }

            // Who comes back is somebody new.
            let again = TransactionRecord(
                id: "N", usecase: 1, user: "u", entries: [Golden.entry(0, at: 999), Golden.entry(1, at: 1001)])
            #expect(try await archive.store(Golden.parcel(again)) == ArchiveReceipt(accepted: 1, duplicates: 0, erased: 1))
            #expect(try await archive.transaction("N", tenant: Tenant.standard)?.entries.map(\.event) == [1])
        }

        static func whatIsTooOldGoes(_ archive: any Archive) async throws {
            for number in 0..<10 {
                let record = TransactionRecord(id: "T\(number)", usecase: 1, entries: [Golden.entry(0, at: 1)])
                _ = try await archive.store(
                    TransactionParcel(
                        parcel: "P\(number)", set: TransactionSet(transactions: [record]), received: LogTime(seconds: Double(number))))
                _ = try await archive.store(
                    LogBatch(parcel: "L\(number)", items: [Golden.item(UInt64(number))], received: LogTime(seconds: Double(number))))
            }
            let late = TransactionRecord(id: "T0", usecase: 1, entries: [Golden.entry(1, at: 2)])
            _ = try await archive.store(
                TransactionParcel(parcel: nil, set: TransactionSet(transactions: [late]), received: LogTime(seconds: 50)))
            let time = LogTime(seconds: 5)
            // T1 to T4 and the events 0 to 4; of T0 something came later.
            #expect(try await archive.remove(receivedBefore: time, limit: 3) == 3)
            #expect(try await archive.remove(receivedBefore: time, limit: 3) == 3)
            #expect(try await archive.remove(receivedBefore: time, limit: 100) == 3)
            #expect(try await archive.remove(receivedBefore: time, limit: 100) == 0)
            #expect(try await archive.transactions(TransactionQuery()).transactions.map(\.id) == ["T0", "T5", "T6", "T7", "T8", "T9"])
            #expect(try await archive.counts(tenant: nil).logEvents == 5)
            #expect(try await archive.counts(tenant: nil).entries == 7)
            #expect(try await archive.counts(tenant: nil).parcels == 11)
        }

        /// By it an erasure finds what was logged.
        static func aTransactionStaysAsLongAsWhatNamesIt(_ archive: any Archive) async throws {
            func time(ofDay day: Int) -> LogTime { LogTime(seconds: Double(day) * 86_400) }
            func store(_ id: String, user: String? = nil) async throws {
                let record = TransactionRecord(id: id, usecase: 1, user: user, entries: [Golden.entry(0, at: 10)])
                let parcel = TransactionParcel(
                    parcel: nil, set: TransactionSet(transactions: [record]), received: time(ofDay: 1))
                #expect(try await archive.store(parcel).accepted == 1)
            }
            func log(_ sequence: UInt64, in id: String, onDay day: Int) async throws {
                let event = LogEvent(
                    sequence: sequence, time: LogTime(seconds: 10), level: .info, message: "m",
                    metadata: [LogMetadata.transactionKey: .string(id)])
                let item = LogBatch.Item(event: event, origin: LogOrigin(installation: "INST", epoch: 1))
                #expect(try await archive.store(LogBatch(parcel: nil, items: [item], received: time(ofDay: day))).accepted == 1)
            }
            try await store("T", user: "joe")
            for id in ["U", "V", "W"] { try await store(id) }
            for (number, id) in ["T", "U"].enumerated() { try await log(UInt64(number), in: id, onDay: 20) }
            try await log(2, in: "V", onDay: 1)
            // V and W, and what was logged in V.
            #expect(try await archive.remove(receivedBefore: time(ofDay: 10), limit: 1) == 1)
            #expect(try await archive.remove(receivedBefore: time(ofDay: 10), limit: 10) == 2)
            let left = try await archive.transactions(TransactionQuery()).transactions
            #expect(left.map(\.id) == ["T", "U"] && left.allSatisfy { $0.entries.count == 1 })
            #expect(try await archive.erase(user: "joe", tenant: Tenant.standard, at: time(ofDay: 25)) == 1)
            #expect(try await archive.counts(tenant: nil).logEvents == 1)
            #expect(try await archive.remove(receivedBefore: time(ofDay: 30), limit: 10) == 2)
            #expect(try await archive.counts(tenant: nil) == ArchiveCounts(transactions: 0, entries: 0, logEvents: 0, parcels: 0))
        }

        static func theNamesOfParcelsGoWithWhatCameInThem(_ archive: any Archive) async throws {
            let record = TransactionRecord(id: "T", usecase: 1, entries: [Golden.entry(0, at: 1)])
            for number in 0..<10 {
                _ = try await archive.store(
                    TransactionParcel(
                        parcel: "P\(number)", set: TransactionSet(transactions: [record]), received: LogTime(seconds: Double(number))))
            }
            #expect(try await archive.counts(tenant: nil).parcels == 10)
            #expect(try await archive.remove(receivedBefore: LogTime(seconds: 100), limit: 3) == 1)
            #expect(try await archive.counts(tenant: nil) == ArchiveCounts(transactions: 0, entries: 0, logEvents: 0, parcels: 0))
        }

        static func whatSaysNothingIsFilledIn(_ archive: any Archive) async throws {
            let silent = TransactionRecord(
                id: "T", usecase: 1, user: "", variant: "", appVersion: "", session: "", installation: "",
                entries: [Golden.entry(0, at: 11)])
            let known = TransactionRecord(
                id: "T", usecase: 1, user: "u", variant: "B", appVersion: "3.4", session: "s", installation: "I",
                entries: [Golden.entry(1, at: 12)])
            for record in [silent, known] { #expect(try await archive.store(Golden.parcel(record)).accepted == 1) }
            let found = try #require(try await archive.transaction("T", tenant: Tenant.standard))
            #expect([found.user, found.variant, found.appVersion, found.session, found.installation] == ["u", "B", "3.4", "s", "I"])
            #expect(try await archive.erase(user: "u", tenant: Tenant.standard, at: LogTime(seconds: 2000)) == 1)
            #expect(try await archive.counts(tenant: nil).entries == 0)
        }

        /// Those of whom nobody has said whose they are belong to nobody, and not to a user of no letters.
        static func whoHasNoNameIsNobody(_ archive: any Archive) async throws {
            let records = [nil, "", "u"].enumerated().map { number, user in
                TransactionRecord(id: "T\(number)", usecase: 1, user: user, entries: [Golden.entry(0, at: 10)])
            }
            for record in records { #expect(try await archive.store(Golden.parcel(record)).accepted == 1) }
            #expect(try await archive.transactions(TransactionQuery(user: "")).transactions == [])
            #expect(try await archive.erase(user: "", tenant: Tenant.standard, at: LogTime(seconds: 2000)) == 0)
            #expect(try await archive.transactions(TransactionQuery()).transactions.map(\.id) == ["T0", "T1", "T2"])
            // Nor is anything refused that comes afterwards.
            let late = TransactionRecord(id: "T3", usecase: 1, user: "", entries: [Golden.entry(0, at: 10)])
            #expect(try await archive.store(Golden.parcel(late)) == ArchiveReceipt(accepted: 1, duplicates: 0))
        }
    }
#endif
