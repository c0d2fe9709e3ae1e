#if Collector
    import LogbookCollector
    import LogbookCore
    import LogbookTransactions
    import Testing

    // Transactions of which it is said only later that they are of somebody who was erased.
    extension ArchiveChecks {
        /// What is known of one transaction, and of whom.
        private enum Step {
            /// A server's entry, and what is logged: neither knows the user.
            case entry, event
            case erasure
            /// The client's set, which names the user.
            case naming
        }

        private static let orders: [[Step]] = [
            [.entry, .event, .erasure, .naming], [.erasure, .entry, .event, .naming], [.entry, .erasure, .naming, .event],
            [.event, .erasure, .naming, .entry], [.erasure, .naming, .entry, .event], [.entry, .naming, .event, .erasure],
        ]

        private static let erasedAt = LogTime(seconds: 1000)

        private static func record(_ id: String, user: String? = nil, _ times: Double...) -> TransactionRecord {
            TransactionRecord(id: id, usecase: 1, user: user, entries: times.map { Golden.entry(Int($0), at: $0) })
        }

        private static func parcel(_ tenant: String, _ record: TransactionRecord) -> TransactionParcel { parcel(tenant, [record]) }

        private static func parcel(_ tenant: String, _ records: [TransactionRecord]) -> TransactionParcel {
            TransactionParcel(
                tenant: tenant, parcel: nil, set: TransactionSet(transactions: records), received: LogTime(seconds: 3000))
        }

        /// Of each time the event of an entry, and a plain line that was logged in the transaction.
        private static func batch(_ tenant: String, of id: String, _ times: Double...) -> LogBatch {
            let items = times.flatMap { time -> [LogBatch.Item] in
                let entry = TransactionEntry(
                    transactionID: id, usecase: 1, kind: .happened(1), device: DeviceFacts(make: "", os: "", osVersion: ""))
                let number = UInt64(time) * 2, when = LogTime(seconds: time)
                let events = [
                    LogEvent(sequence: number, time: when, level: .info, message: "m", transaction: entry),
                    LogEvent(
                        sequence: number + 1, time: when, level: .info, message: "m",
                        metadata: [LogMetadata.transactionKey: .string(id)]),
                ]
                return events.map { LogBatch.Item(event: $0, origin: LogOrigin(installation: "INST", epoch: 1)) }
            }
            return LogBatch(tenant: tenant, parcel: nil, items: items, received: LogTime(seconds: 3000))
        }

        /// Does what may be left for later.
        private static func settle(_ archive: any Archive) async throws {
            #expect(try await archive.remove(receivedBefore: LogTime(seconds: 0), limit: 1) == 0)
        }

        private static func expectNothing(in archive: any Archive, of tenant: String, _ comment: Comment) async throws {
            try await settle(archive)
            let counts = try await archive.counts(tenant: tenant)
            #expect([counts.entries, counts.logEvents] == [0, 0], comment)
            // ClickHouse may keep that there was one.
            if !(archive is ClickHouseArchive) { #expect(counts.transactions == 0, comment) }
            #expect(try await archive.transaction("T", tenant: tenant)?.user == nil, comment)
        }

        static func nothingIsLeftInAnyOrder(_ archive: any Archive) async throws {
            for (number, order) in orders.enumerated() {
                let tenant = "order\(number)"
                for step in order {
                    switch step {
                    case .entry: _ = try await archive.store(parcel(tenant, record("T", 11)))
                    case .event: _ = try await archive.store(batch(tenant, of: "T", 11))
                    case .erasure: _ = try await archive.erase(user: "u", tenant: tenant, at: erasedAt)
                    case .naming: _ = try await archive.store(parcel(tenant, record("T", user: "u", 10, 12)))
                    }
                }
                try await expectNothing(in: archive, of: tenant, "\(order)")
                #expect(try await archive.store(parcel(tenant, record("T", 20))).erased == 1, "\(order)")
                #expect(try await archive.store(batch(tenant, of: "T", 20)).erased == 2, "\(order)")
                try await expectNothing(in: archive, of: tenant, "\(order)")
                // For good only where the erasure has found it. Who says whose it was cannot keep away what comes later.
                let isForGood = order[3] == .erasure
                #expect(try await archive.store(parcel(tenant, record("T", 2000))).erased == (isForGood ? 1 : 0), "\(order)")
                #expect(try await archive.store(batch(tenant, of: "T", 2000)).erased == (isForGood ? 2 : 0), "\(order)")
            }
        }

        /// Nobody calls `remove`, which would do it.
        static func whatIsLeftForLaterGoesByItself(_ archive: any Archive) async throws {
            _ = try await archive.store(parcel("t", record("T", 11)))
            _ = try await archive.store(batch("t", of: "T", 11))
            _ = try await archive.erase(user: "u", tenant: "t", at: erasedAt)
            #expect(try await archive.counts(tenant: "t").entries == 1)
            _ = try await archive.store(parcel("t", record("T", user: "u", 2000)))
            let deadline = LogDeadline.seconds(120)
            func isDone() async throws -> Bool {
                let counts = try await archive.counts(tenant: "t")
                return counts.entries == 1 && counts.logEvents == 0
            }
            while !(try await isDone()), !deadline.hasPassed { try await Task.sleep(for: .milliseconds(20)) }   // nobody tells
            #expect(try await isDone())
            #expect(try await archive.transaction("T", tenant: "t")?.entries.map(\.time) == [LogTime(seconds: 2000)])
        }

        static func nothingIsLeftOfWhatComesAtTheSameTime(_ archive: any Archive, _ other: any Archive) async throws {
            let tenants = (0..<4).map { "together\($0)" }
            for tenant in tenants { _ = try await archive.erase(user: "u", tenant: tenant, at: erasedAt) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for tenant in tenants {
                    group.addTask { _ = try await archive.store(parcel(tenant, record("T", user: "u", 10, 12))) }
                    group.addTask { _ = try await other.store(parcel(tenant, record("T", 11))) }
                    group.addTask { _ = try await other.store(batch(tenant, of: "T", 11)) }
                }
                try await group.waitForAll()
            }
            for tenant in tenants { try await expectNothing(in: archive, of: tenant, "\(tenant)") }
        }

        static func nothingIsLeftOfSeveralElements(_ archive: any Archive) async throws {
            for (number, isNamedFirst) in [true, false].enumerated() {
                let tenant = "several\(number)", records = [record("T", user: "u", 10), record("T", 11)]
                _ = try await archive.erase(user: "u", tenant: tenant, at: erasedAt)
                for _ in 1...2 {
                    let receipt = try await archive.store(parcel(tenant, isNamedFirst ? records : records.reversed()))
                    #expect(receipt == ArchiveReceipt(accepted: 0, duplicates: 0, erased: 2))
                    try await expectNothing(in: archive, of: tenant, "two elements of one id, \(isNamedFirst)")
                }
            }
        }

        static func whoComesBackKeepsWhatIsNew(_ archive: any Archive) async throws {
            let tenant = Tenant.standard
            _ = try await archive.erase(user: "u", tenant: tenant, at: erasedAt)
            _ = try await archive.store(parcel(tenant, record("T", 999, 1001)))
            _ = try await archive.store(batch(tenant, of: "T", 999, 1001))
            let naming = parcel(tenant, record("T", user: "u", 998, 1002))
            #expect(try await archive.store(naming) == ArchiveReceipt(accepted: 1, duplicates: 0, erased: 1))
            #expect(try await archive.store(naming) == ArchiveReceipt(accepted: 0, duplicates: 1, erased: 1))
            #expect(try await archive.store(parcel(tenant, record("T", 997, 1003))) == ArchiveReceipt(accepted: 1, duplicates: 0, erased: 1))
            #expect(try await archive.store(batch(tenant, of: "T", 997, 1003)) == ArchiveReceipt(accepted: 2, duplicates: 0, erased: 2))
            try await settle(archive)
            #expect(try await archive.transaction("T", tenant: tenant)?.entries.map(\.event) == [1001, 1002, 1003])
            #expect(try await archive.counts(tenant: nil).logEvents == 4)
            // A set without entries says whose it is, and not of when.
            _ = try await archive.store(parcel(tenant, record("S", 11)))
            #expect(try await archive.store(parcel(tenant, record("S", user: "u"))).accepted == 0)
            try await settle(archive)
            #expect(try await archive.transaction("S", tenant: tenant)?.entries.isEmpty != false)
            #expect(try await archive.store(parcel(tenant, record("S", user: "u", 1001))).accepted == 1)
        }

        /// - Parameters:
        ///   - breakingOff: Calls what it is given, an erasure, while nothing can be removed.
        ///   - reopened: Opens the archive again, which finishes the erasure.
        static func whoComesBackBeforeTheEndKeepsWhatIsNew(
            _ archive: any Archive, breakingOff: (_ erase: () async -> Void) async throws -> Void,
            reopened: () async throws -> any Archive
        ) async throws {
            let tenant = Tenant.standard
            // What was there goes, whatever time it says: clocks may be wrong.
            let before = [record("A", user: "u", 10, 5000), record("B", user: "u", 11), record("D", user: "u", 5001)]
            #expect(try await archive.store(parcel(tenant, before)).accepted == 4)
            _ = try await archive.store(batch(tenant, of: "B", 11))
            try await breakingOff {
                do {
                    _ = try await archive.erase(user: "u", tenant: tenant, at: erasedAt)
                    Issue.record("nothing has stood in its way")
                } catch {}
            }
            // Said by a server, of a new transaction, and by the user in an old one.
            #expect(try await archive.store(parcel(tenant, record("B", 2000))).accepted == 1)
            #expect(try await archive.store(batch(tenant, of: "B", 2000)).accepted == 2)
            let new = try await archive.store(parcel(tenant, record("C", user: "u", 999, 2001)))
            #expect(new == ArchiveReceipt(accepted: 1, duplicates: 0, erased: 1))
            #expect(try await archive.store(parcel(tenant, record("D", user: "u", 2002))).accepted == 1)

            let again = try await reopened()
            #expect(try await again.transaction("A", tenant: tenant) == nil)
            #expect(try await again.transaction("B", tenant: tenant)?.entries.map(\.event) == [2000])
            #expect(try await again.transaction("C", tenant: tenant)?.entries.map(\.event) == [2001])
            #expect(try await again.transaction("D", tenant: tenant)?.entries.map(\.event) == [2002])
            #expect(try await again.counts(tenant: nil).logEvents == 2)
            // What goes on is taken, what is late is not, and what is gone is gone for good.
            for id in ["B", "C", "D"] {
                let late = try await again.store(parcel(tenant, record(id, 998, 2003)))
                #expect(late == ArchiveReceipt(accepted: 1, duplicates: 0, erased: 1), "\(id)")
            }
            #expect(try await again.store(parcel(tenant, record("A", 6000))).erased == 1)
            #expect(try await again.erase(user: "u", tenant: tenant, at: LogTime(seconds: 9000)) == 3)
            try await expectNothing(in: again, of: tenant, "erased again")
        }

        static func whatIsNewNamesWhatWasBefore(_ archive: any Archive) async throws {
            let tenant = Tenant.standard
            _ = try await archive.store(parcel(tenant, record("T", 999)))
            _ = try await archive.store(batch(tenant, of: "T", 999))
            _ = try await archive.erase(user: "u", tenant: tenant, at: erasedAt)
            let naming = parcel(tenant, record("T", user: "u", 1001))
            #expect(try await archive.store(naming) == ArchiveReceipt(accepted: 1, duplicates: 0))
            #expect(try await archive.store(naming) == ArchiveReceipt(accepted: 0, duplicates: 1))
            try await settle(archive)
            #expect(try await archive.transaction("T", tenant: tenant) == record("T", user: "u", 1001))
            #expect(try await archive.counts(tenant: nil).logEvents == 0)
            let late = try await archive.store(parcel(tenant, record("T", 998, 1002)))
            #expect(late == ArchiveReceipt(accepted: 1, duplicates: 0, erased: 1))
        }

        static func oneSetMayEraseVeryMany(_ archive: any Archive) async throws {
            let tenant = Tenant.standard, count = 1200
            func set(_ user: String?, at time: Double) -> TransactionParcel {
                parcel(tenant, (0..<count).map { record("T\($0)", user: user, time) })
            }
            #expect(try await archive.store(set(nil, at: 999)).accepted == count)
            #expect(try await archive.erase(user: "u", tenant: tenant, at: erasedAt) == 0)
            #expect(try await archive.store(set("u", at: 1001)) == ArchiveReceipt(accepted: count, duplicates: 0))
            #expect(try await archive.store(set("u", at: 1001)) == ArchiveReceipt(accepted: 0, duplicates: count))
            #expect(try await archive.store(set(nil, at: 998)).erased == count)
            try await settle(archive)
            let counts = try await archive.counts(tenant: nil)
            #expect([counts.transactions, counts.entries] == [count, count])
            #expect(try await archive.transaction("T\(count - 1)", tenant: tenant)?.entries.map(\.event) == [1001])
        }

        static func whatIsKnownToBeSomebodyElsesStays(_ archive: any Archive) async throws {
            let tenant = Tenant.standard
            _ = try await archive.erase(user: "u", tenant: tenant, at: erasedAt)
            _ = try await archive.store(parcel(tenant, record("T", user: "v", 10)))
            _ = try await archive.store(batch(tenant, of: "T", 10))
            for _ in 0..<2 { #expect(try await archive.store(parcel(tenant, record("T", user: "u", 11))).erased == 1) }
            #expect(try await archive.store(parcel(tenant, record("T", 12))).accepted == 1)
            try await settle(archive)
            #expect(try await archive.transaction("T", tenant: tenant)?.entries.map(\.event) == [10, 12])
            #expect(try await archive.counts(tenant: nil).logEvents == 2)
        }
    }
#endif
