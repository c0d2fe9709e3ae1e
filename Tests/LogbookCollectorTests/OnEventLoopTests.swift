#if Collector && canImport(Glibc)
    import Dispatch
    import Glibc
    @testable import LogbookCollector
    import LogbookCore
    import LogbookGzip
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    private func nameOfThread() -> String {
        var name = [UInt8](repeating: 0, count: 64)
        let file = open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC)
        let count = read(file, &name, name.count)
        close(file)
        return String(decoding: name.prefix(max(0, count)), as: UTF8.self)
    }

    /// Notes on which thread it is asked to store.
    private final class PlacedArchive: WrappingArchive {
        let archive: any Archive
        let threads = Locked<[String]>([])
        init(_ archive: any Archive) { self.archive = archive }

        func store(_ parcel: TransactionParcel) async throws(ArchiveError) -> ArchiveReceipt {
            threads.withLock { $0.append(nameOfThread()) }
            return try await archive.store(parcel)
        }
    }

    /// An event loop of its own, which knows whether it is asked on it.
    private final class Loop: TaskExecutor {
        private static let key = DispatchSpecificKey<Bool>()
        static var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }
        private let queue = DispatchQueue(label: "loop")

        init() { queue.setSpecific(key: Self.key, value: true) }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Notes whether it is read on the event loop.
    private final class ReadArchive: WrappingArchive {
        let archive: any Archive
        let places: Locked<[Bool]>
        init(_ archive: any Archive, _ places: Locked<[Bool]>) { (self.archive, self.places) = (archive, places) }

        func transaction(_ id: String, tenant: String, largest: Int) async throws(ArchiveError) -> TransactionRecord? {
            places.withLock { $0.append(Loop.isHere) }
            return try await archive.transaction(id, tenant: tenant, largest: largest)
        }

        func transactions(_ query: TransactionQuery) async throws(ArchiveError) -> TransactionPage {
            places.withLock { $0.append(Loop.isHere) }
            return try await archive.transactions(query)
        }
    }

    @Suite struct OnEventLoopTests {
        private func answer(_ method: String, _ path: String, _ service: CollectorService) async -> CollectorAnswer {
            await service.answer(
                CollectorRequest(
                    method: method, path: path, query: "",
                    header: { $0 == "Authorization" ? "Bearer \(RunningCollector.token.revealed)" : nil },
                    pieces: { take in try await take([0x78]) }))
        }

        @Test("what is read is made into an answer away from the event loop, and so is the disk of whole files looked at")
        func whatIsReadIsReadElsewhere() async throws {
            let folder = TemporaryFolder(), store = try SQLiteArchive(path: folder("a.sqlite")), places = Locked<[Bool]>([])
            for number in 0..<150 { _ = try await store.store(Golden.parcel(TransactionRecord(id: "T\(number)", usecase: 1))) }
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            configuration.filesFolder = folder("received")
            var service = try CollectorService(configuration: configuration, archive: ReadArchive(store, places))
            service.freeBytes = { _ in
                places.withLock { $0.append(Loop.isHere) }
                return .max
            }
            let (collector, loop) = (service, Loop())
            try await withTaskExecutorPreference(loop) {
                #expect(Loop.isHere)
                for path in ["/v1/transactions/T1", "/v1/transactions"] {
                    #expect(await answer("GET", path, collector).status == 200)
                }
                #expect(Loop.isHere)
                let stream = try #require(await answer("GET", "/v1/export", collector).stream)
                try await stream { _ in places.withLock { $0.append(Loop.isHere) } }
                #expect(await answer("PUT", "/v1/files/A", collector).status == 200)
            }
            let seen = places.withLock { $0 }
            #expect(seen.count > 150 && !seen.contains(true))
        }

        @Test func aSmallBodyStaysOnTheEventLoopAndALongOneDoesNot() async throws {
            let folder = TemporaryFolder()
            let archive = PlacedArchive(try SQLiteArchive(path: folder("a.sqlite")))
            try await RunningCollector.with(archive) { collector in
                let small = Golden.g2, long = small + String(repeating: " ", count: CollectorService.longBytes)
                #expect(try await collector.send(small).status == 202)
                #expect(try await collector.send(long).status == 202)
                let packed = try await collector.send(
                    "POST", "/v1/transactions", try Gzip.compress(Array(small.utf8)), ["Content-Encoding": "gzip"])
                #expect(packed.status == 202)
                #expect(try await collector.send(small).status == 202)
            }
            #expect(archive.threads.withLock { $0.map { $0.hasPrefix("NIO-") } } == [true, false, false, true])
            #expect(try await archive.counts(tenant: nil).entries == 2)
        }
    }
#endif
