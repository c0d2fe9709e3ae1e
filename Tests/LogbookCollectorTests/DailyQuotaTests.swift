#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    @Suite struct DailyQuotaTests {
        private let folder = TemporaryFolder()
        private let clock = LogClock.manual(ManualClock(now: LogTime(seconds: 86_400 * 10 + 43_200)))

        @Test(
            "S28: what an outage of the archive has kept from being stored takes nothing of a tenant's day, here or in the account",
            arguments: [false, true])
        func anOutageTakesNothingOfTheDay(isAccountKept: Bool) async throws {
            let archive = BrokenArchive(try SQLiteArchive(path: folder("archive.sqlite")), isAccountKept: isAccountKept)
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            configuration.maximumBytesPerDay = 3 * Golden.g2.utf8.count
            var service = try CollectorService(configuration: configuration, archive: archive, clock: clock)
            service.report = { _, _ in }
            func statuses(_ count: Int) async -> [Int] {
                let fields = ["Authorization": "Bearer \(RunningCollector.token.revealed)", "Content-Type": Golden.setType]
                var statuses: [Int] = []
                for _ in 0..<count {
                    let request = CollectorRequest(
                        method: "POST", path: "/v1/transactions", query: "", header: { fields[$0] },
                        pieces: { take in try await take(Array(Golden.g2.utf8)) })
                    statuses.append(await service.answer(request).status)
                }
                return statuses
            }
            #expect(await statuses(10) == Array(repeating: 503, count: 10))
            archive.repair()
            #expect(await statuses(5) == [202, 202, 202, 429, 429])
            await service.quotaIsSaved()
            #expect(try await archive.bytesSent(on: 10) == [Tenant.standard: 3 * Golden.g2.utf8.count])
        }

        @Test("S28: what is stored is answered for while the archive does not come back with the account, which is exact in the end")
        func theAccountKeepsNobodyWaiting() async throws {
            let gate = Gate(), archive = HeldAccount(try SQLiteArchive(path: folder("archive.sqlite")), gate)
            defer { gate.open() }
            try await RunningCollector.with(
                archive, clock: clock, configure: { ($0.filesFolder, $0.maximumBytesPerDay) = (folder("received"), 100) }
            ) { collector in
                for id in ["A", "B", "C"] {
                    let answer = try await collector.send("PUT", "/v1/files/\(id)", Array("abc".utf8))
                    #expect(answer.status == 200)
                }
                #expect(try await archive.bytesSent(on: 10) == [:])
                gate.open()
            }
            #expect(try await archive.bytesSent(on: 10) == [Tenant.standard: 9])
        }

        @Test("S28: what is under way counts here, and for everybody once it has stayed")
        func whatIsUnderWayCountsHere() {
            var quota = DailyQuota(bytes: 100), first = DailyQuota.Arrival(), second = DailyQuota.Arrival()
            let noon = clock.now()
            quota.add(30, to: &first, for: "a", at: noon)
            quota.add(30, to: &first, for: "a", at: noon)
            quota.add(40, to: &second, for: "a", at: noon)
            #expect(quota.wait(for: "a", at: noon) != nil && quota.takeUnsaved(isAll: true) == nil)
            quota.learn(["a": 10], on: 10)   // another collector's
            quota.end(first, for: "a", isKept: false)
            #expect(quota.wait(for: "a", toSend: 50, at: noon) == nil)
            #expect(quota.wait(for: "a", toSend: 51, at: noon) != nil)
            quota.end(second, for: "a", isKept: true)
            #expect(quota.takeUnsaved(isAll: true)?.bytes == ["a": 40])
            #expect(quota.wait(for: "a", toSend: 51, at: noon) != nil)
        }

        @Test("S28: what came before midnight is of a day that is over, however its request ends", arguments: [false, true])
        func whatCameBeforeMidnight(isKept: Bool) {
            var quota = DailyQuota(bytes: 100), arrival = DailyQuota.Arrival(), early = DailyQuota.Arrival()
            let evening = clock.now(), morning = evening.adding(.seconds(43_200))
            quota.add(60, to: &early, for: "a", at: evening)
            quota.add(60, to: &arrival, for: "a", at: evening)
            quota.add(10, to: &arrival, for: "a", at: morning)
            for arrival in [early, arrival] { quota.end(arrival, for: "a", isKept: isKept) }
            #expect(quota.wait(for: "a", toSend: isKept ? 91 : 101, at: morning) != nil)
            #expect(quota.wait(for: "a", toSend: isKept ? 90 : 100, at: morning) == nil)
            #expect(quota.takeUnsaved(isAll: true)?.bytes == (isKept ? ["a": 10] : nil))
        }
    }

    extension DailyQuota {
        /// Counts what a request has brought that is over.
        mutating func add(_ count: Int, for tenant: String, at time: LogTime) {
            var arrival = Arrival()
            add(count, to: &arrival, for: tenant, at: time)
            end(arrival, for: tenant, isKept: true)
        }
    }

    /// An archive that adds to the account of the day once a gate is open.
    final class HeldAccount: WrappingArchive {
        let archive: any Archive
        private let gate: Gate
        init(_ archive: any Archive, _ gate: Gate) { (self.archive, self.gate) = (archive, gate) }

        func addBytesSent(_ bytes: [String: Int], on day: Int64) async throws(ArchiveError) {
            let gate = gate
            await onThread { gate.wait() }
            try await archive.addBytesSent(bytes, on: day)
        }
    }

    /// An archive that stores nothing until it is repaired.
    private final class BrokenArchive: WrappingArchive {
        let archive: any Archive
        private let isAccountKept: Bool
        private let isBroken = Locked(true)

        /// - Parameter isAccountKept: Whether it notes all the same what was sent.
        init(_ archive: any Archive, isAccountKept: Bool) { (self.archive, self.isAccountKept) = (archive, isAccountKept) }

        func repair() { isBroken.withLock { $0 = false } }

        private func checkIsWell() throws(ArchiveError) {
            if isBroken.withLock({ $0 }) { throw .unavailable(reason: "the disk is gone") }
        }

        func store(_ parcel: TransactionParcel) async throws(ArchiveError) -> ArchiveReceipt {
            try checkIsWell()
            return try await archive.store(parcel)
        }

        func addBytesSent(_ bytes: [String: Int], on day: Int64) async throws(ArchiveError) {
            if !isAccountKept { try checkIsWell() }
            try await archive.addBytesSent(bytes, on: day)
        }
    }
#endif
