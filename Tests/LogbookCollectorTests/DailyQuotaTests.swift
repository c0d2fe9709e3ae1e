#if Collector
    import Foundation
    @testable import LogbookCollector
    import LogbookCore
    import LogbookGzip
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    @Suite struct DailyQuotaTests {
        private let folder = TemporaryFolder()
        private let clock = LogClock.manual(ManualClock(now: LogTime(seconds: 86_400 * 10 + 43_200)))
        private static let mebibyte = 1 << 20

        private var received: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: folder("received")).sorted() }
        }

        private func makeService(
            _ archive: any Archive, _ configure: (inout CollectorConfiguration) -> Void
        ) throws -> CollectorService {
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            configuration.filesFolder = folder("received")
            configure(&configuration)
            var service = try CollectorService(configuration: configuration, archive: archive, clock: clock)
            service.report = { _, _ in }
            return service
        }

        /// Of so many MiB.
        private static func gzip(_ count: Int) throws -> [UInt8] { try Gzip.compress([UInt8](repeating: 0x61, count: count * mebibyte)) }

        /// Of so many MiB, almost all of which is there when the first half of it has come.
        private static func largeGzip(_ count: Int) throws -> [UInt8] {
            let end = (0..<2 * ArrivingFile.pieceBytes + 1000).map { _ in UInt8.random(in: 0...255) }
            return try Gzip.compress([UInt8](repeating: 0x61, count: count * mebibyte - end.count) + end)
        }

        /// Sends a file in two halves, and does something between them.
        private static func send(
            _ bytes: [UInt8], as id: String, isGzip: Bool = true, to service: CollectorService,
            halfway: @escaping @Sendable () async -> Void = {}
        ) async -> CollectorAnswer {
            let fields = [
                "Authorization": "Bearer \(RunningCollector.token.revealed)", "Content-Encoding": isGzip ? "gzip" : "identity",
                "Content-Length": "\(bytes.count)",
            ]
            let half = bytes.count / 2
            let request = CollectorRequest(
                method: "PUT", path: "/v1/files/\(id)", query: "", header: { fields[$0] },
                pieces: { take in
                    try await take(Array(bytes[..<half]))
                    await halfway()
                    try await take(Array(bytes[half...]))
                })
            let answer = await service.answer(request)
            await service.quotaIsSaved()
            return answer
        }

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
                archive, clock: clock, configure: { ($0.filesFolder, $0.maximumBytesPerDay) = (folder("received"), 3 * CollectorService.leastBytes) }
            ) { collector in
                for id in ["A", "B", "C"] {
                    let answer = try await collector.send("PUT", "/v1/files/\(id)", Array("abc".utf8))
                    #expect(answer.status == 200)
                }
                #expect(try await archive.bytesSent(on: 10) == [:])
                gate.open()
            }
            #expect(try await archive.bytesSent(on: 10) == [Tenant.standard: 3 * CollectorService.leastBytes])
        }

        @Test("S28: a request without a body counts as well, since its name is kept", arguments: ["/v1/logs", "/v1/files"])
        func requestsWithoutBodies(path: String) async throws {
            let service = try makeService(try SQLiteArchive(path: folder("archive.sqlite"))) {
                $0.maximumBytesPerDay = 3 * CollectorService.leastBytes
            }
            var statuses: [Int] = []
            for number in 0..<5 {
                let fields = [
                    "Authorization": "Bearer \(RunningCollector.token.revealed)", "Content-Type": "application/x-ndjson",
                    "Logbook-Parcel": "parcel\(number)", "Content-Length": "0",
                ]
                let request = CollectorRequest(method: "POST", path: path, query: "", header: { fields[$0] }, pieces: { _ in })
                statuses.append(await service.answer(request).status)
            }
            #expect(statuses == [200, 200, 200, 429, 429])
        }

        @Test("S28: a file of gzip counts as what it takes on the disk; one that becomes too much is stopped in the middle and counts as it came")
        func aFileCountsAsWhatItTakes() async throws {
            let archive = try SQLiteArchive(path: folder("archive.sqlite")), mebibyte = Self.mebibyte
            let service = try makeService(archive) { $0.maximumBytesPerDay = 10 * mebibyte }
            let endless = try Self.gzip(11)
            #expect(await Self.send(endless, as: "C", to: service).status == 413)   // which no day holds
            #expect(try await Self.send(Self.gzip(6), as: "A", to: service).status == 200)
            #expect(try await archive.bytesSent(on: 10) == [Tenant.standard: endless.count + 6 * mebibyte])
            let large = try await Self.send(Self.gzip(5), as: "B", to: service)
            #expect(large.status == 429 && large.headers["Retry-After"] == "43200")   // its own growth is not soon over
            // What they would have become is not used up.
            let plain = [UInt8](repeating: 0x61, count: 3 * mebibyte)
            #expect(await Self.send(plain, as: "D", isGzip: false, to: service).status == 200)
            #expect(try await Self.send(Self.gzip(1), as: "E", to: service).status == 429)
            #expect(try received == ["A", "D"])
        }

        @Test("S28: a file that is kept takes no more of the day when it comes again, inflated as it is; another one of its id does")
        func aFileThatIsKeptGrowsNoMore() async throws {
            let archive = try SQLiteArchive(path: folder("archive.sqlite")), mebibyte = Self.mebibyte
            let service = try makeService(archive) { $0.maximumBytesPerDay = 10 * mebibyte }
            let file = try Self.gzip(6), large = try Self.gzip(5), other = try Self.gzip(2)
            for _ in 0..<3 { #expect(await Self.send(file, as: "A", to: service).status == 200) }
            #expect(await Self.send(large, as: "A", to: service).status == 429)
            #expect(try received == ["A"])
            for _ in 0..<2 { #expect(await Self.send(other, as: "A", to: service).status == 200) }
            #expect(try received.count == 2)
            await service.saveQuota()
            // Each as it came when it came again, or was refused.
            let sent = (6 + 2) * mebibyte + 2 * file.count + large.count + other.count
            #expect(try await archive.bytesSent(on: 10) == [Tenant.standard: sent])
        }

        @Test("S28: of a file that comes twice at the same time what it is inflated to counts once")
        func aFileThatComesTwiceGrowsOnce() async throws {
            let archive = try SQLiteArchive(path: folder("archive.sqlite")), mebibyte = Self.mebibyte
            let service = try makeService(archive) { $0.maximumBytesPerDay = 10 * mebibyte }
            let file = try Self.largeGzip(3), second = Locked(0)
            let first = await Self.send(file, as: "A", to: service) {
                let answer = await Self.send(file, as: "A", to: service)
                second.withLock { $0 = answer.status }
            }
            #expect(second.withLock { $0 } == 200)
            #expect(first.status == 200 && String(decoding: first.body, as: UTF8.self).contains(#""duplicates":1"#))
            await service.saveQuota()
            // What is asked for in the middle may be a little more than what there is in the end.
            let sent = try #require(try await archive.bytesSent(on: 10)[Tenant.standard]), once = 3 * mebibyte + file.count
            #expect((once...once + 1024).contains(sent))
        }

        @Test("S28: who finds only what others have under way in the way is to come again soon, and not on another day")
        func whatIsUnderWayIsSoonOver() async throws {
            let archive = try SQLiteArchive(path: folder("archive.sqlite")), mebibyte = Self.mebibyte
            let service = try makeService(archive) { $0.maximumBytesPerDayOfAll = 10 * mebibyte }
            let other = [UInt8](repeating: 0x61, count: 2 * mebibyte), told = Locked<String?>(nil)
            @Sendable func sendOther() async -> CollectorAnswer { await Self.send(other, as: "B", isGzip: false, to: service) }
            let large = try await Self.send(Self.largeGzip(9), as: "A", to: service) {
                let answer = await sendOther()
                told.withLock { $0 = answer.headers["Retry-After"] }
            }
            #expect(large.status == 200 && told.withLock { $0 } == "60")
            let late = await sendOther()
            #expect(late.status == 429 && late.headers["Retry-After"] == "43200")
            #expect(try received == ["A"])
        }

        @Test("S28: what a file has grown to itself is not soon over, also where that is seen while it comes")
        func ownGrowthIsNotSoonOver() async throws {
            let archive = try SQLiteArchive(path: folder("archive.sqlite")), mebibyte = Self.mebibyte
            let service = try makeService(archive) { $0.maximumBytesPerDay = 30 * mebibyte }
            let earlier = [UInt8](repeating: 0x61, count: 15 * mebibyte)
            #expect(await Self.send(earlier, as: "A", isGzip: false, to: service).status == 200)
            // Of 9 MiB, of which the first half becomes 12: with the second it is more than the 15 that are left.
            var noise = SystemRandomNumberGenerator()
            let end = (0..<9 * mebibyte / 8).flatMap { _ in withUnsafeBytes(of: noise.next()) { Array($0) } }
            let file = try Gzip.compress([UInt8](repeating: 0x61, count: 8 * mebibyte) + end)
            #expect(file.count / 2 > 4 * mebibyte)
            let answer = await Self.send(file, as: "B", to: service)
            #expect(answer.status == 429 && answer.headers["Retry-After"] == "43200")
        }

        @Test("S28: what is under way and what stays are told apart, for a tenant and for all", arguments: [false, true])
        func whatStaysIsToldApart(isOfAll: Bool) {
            var quota = isOfAll ? DailyQuota(bytes: .max, ofAll: 100) : DailyQuota(bytes: 100)
            var large = DailyQuota.Arrival()
            let noon = clock.now(), other = isOfAll ? "b" : "a"
            let soon = DailyQuota.Wait(seconds: DailyQuota.secondsUnderWay, isOfAll: isOfAll)
            let tomorrow = DailyQuota.Wait(seconds: 43_200, isOfAll: isOfAll)
            quota.add(20, for: other, at: noon)
            quota.add(80, to: &large, for: "a", at: noon)
            #expect(quota.wait(for: other, toSend: 80, at: noon) == soon)
            #expect(quota.wait(for: other, toSend: 81, at: noon) == tomorrow)
            #expect(quota.wait(for: "a", after: [large], at: noon) == tomorrow)
            #expect(quota.wait(for: other, at: noon.adding(.seconds(43_190))) == DailyQuota.Wait(seconds: 10, isOfAll: isOfAll))
            quota.end(large, for: "a", isKept: true)
            #expect(quota.wait(for: other, at: noon) == tomorrow)
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
    extension DailyQuotaTests {
        @Test("a clock that goes back over midnight while a request is under way neither ends the collector nor gives anything away")
        func theClockGoesBackOverMidnight() {
            let evening = LogTime(seconds: 86_400 * 11 - 10), morning = LogTime(seconds: 86_400 * 11 + 10)
            for isKept in [false, true] {
                var quota = DailyQuota(bytes: 1000), early = DailyQuota.Arrival(), late = DailyQuota.Arrival()
                quota.add(600, to: &early, for: "t", at: evening)
                #expect(quota.wait(for: "t", at: morning) == nil)
                quota.add(300, to: &late, for: "t", at: evening)
                quota.end(early, for: "t", isKept: isKept)
                #expect(quota.wait(for: "t", toSend: 700, after: [early], at: evening) == nil)
                #expect(quota.wait(for: "t", toSend: 701, after: [early], at: evening) == DailyQuota.Wait(seconds: 10))
                quota.end(late, for: "t", isKept: true)
                #expect(quota.takeUnsaved(isAll: true)?.bytes == ["t": 300])
            }
        }
    }

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
