#if Collector
    import LogbookCollector
    import LogbookCore
    import LogbookTransactions
    import Testing

    // Transactions of which it is said only later that they are of somebody who was erased.
    extension ArchiveChecks {
        /// What is known of one transaction, and of whom.
        private enum Step {
            /// A server's entry, and a log event: neither knows the user.
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

        private static func parcel(_ tenant: String, _ record: TransactionRecord) -> TransactionParcel {
            TransactionParcel(
                tenant: tenant, parcel: nil, set: TransactionSet(transactions: [record]), received: LogTime(seconds: 3000))
        }

        private static func batch(_ tenant: String, of id: String, _ times: Double...) -> LogBatch {
            let items = times.map { time in
                let entry = TransactionEntry(
                    transactionID: id, usecase: 1, kind: .happened(1), device: DeviceFacts(make: "", os: "", osVersion: ""))
                let event = LogEvent(
                    sequence: UInt64(time), time: LogTime(seconds: time), level: .info, message: "m", transaction: entry)
                return LogBatch.Item(event: event, origin: LogOrigin(installation: "INST", epoch: 1))
            }
            return LogBatch(tenant: tenant, parcel: nil, items: items, received: LogTime(seconds: 3000))
        }

        private static func expectNothing(in archive: any Archive, of tenant: String, _ comment: Comment) async throws {
            let counts = try await archive.counts(tenant: tenant)
            #expect([counts.transactions, counts.entries, counts.logEvents] == [0, 0, 0], comment)
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
                // For good, whoever says something more.
                #expect(try await archive.store(parcel(tenant, record("T", 2000))).erased == 1, "\(order)")
                #expect(try await archive.store(batch(tenant, of: "T", 2000)).erased == 1, "\(order)")
                try await expectNothing(in: archive, of: tenant, "\(order)")
            }
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

        static func whoComesBackKeepsWhatIsNew(_ archive: any Archive) async throws {
            let tenant = Tenant.standard
            _ = try await archive.erase(user: "u", tenant: tenant, at: erasedAt)
            _ = try await archive.store(parcel(tenant, record("T", 999, 1001)))
            _ = try await archive.store(batch(tenant, of: "T", 999, 1001))
            let naming = parcel(tenant, record("T", user: "u", 998, 1002))
            #expect(try await archive.store(naming) == ArchiveReceipt(accepted: 1, duplicates: 0, erased: 1))
            #expect(try await archive.store(naming) == ArchiveReceipt(accepted: 0, duplicates: 1, erased: 1))
            #expect(try await archive.store(parcel(tenant, record("T", 997, 1003))) == ArchiveReceipt(accepted: 1, duplicates: 0, erased: 1))
            #expect(try await archive.store(batch(tenant, of: "T", 997, 1003)) == ArchiveReceipt(accepted: 1, duplicates: 0, erased: 1))
            #expect(try await archive.transaction("T", tenant: tenant)?.entries.map(\.event) == [1001, 1002, 1003])
            #expect(try await archive.counts(tenant: nil).logEvents == 2)
            // A set without entries says whose it is, and not of when.
            _ = try await archive.store(parcel(tenant, record("S", 11)))
            #expect(try await archive.store(parcel(tenant, record("S", user: "u"))).accepted == 0)
            #expect(try await archive.transaction("S", tenant: tenant) == nil)
            #expect(try await archive.store(parcel(tenant, record("S", user: "u", 1001))).accepted == 1)
        }

        static func whatIsKnownToBeSomebodyElsesStays(_ archive: any Archive) async throws {
            let tenant = Tenant.standard
            _ = try await archive.erase(user: "u", tenant: tenant, at: erasedAt)
            _ = try await archive.store(parcel(tenant, record("T", user: "v", 10)))
            _ = try await archive.store(batch(tenant, of: "T", 10))
            #expect(try await archive.store(parcel(tenant, record("T", user: "u", 11))).erased == 1)
            #expect(try await archive.store(parcel(tenant, record("T", 12))).accepted == 1)
            #expect(try await archive.transaction("T", tenant: tenant)?.entries.map(\.event) == [10, 12])
            #expect(try await archive.counts(tenant: nil).logEvents == 1)
        }
    }
#endif
