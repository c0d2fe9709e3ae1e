#if Collector && canImport(Glibc)
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

    @Suite struct OnEventLoopTests {
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
