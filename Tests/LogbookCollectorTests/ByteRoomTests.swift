#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    @Suite struct ByteRoomTests {
        private let folder: TemporaryFolder
        private let archive: SQLiteArchive

        init() throws {
            folder = TemporaryFolder()
            archive = try SQLiteArchive(path: folder("archive.sqlite"))
        }

        private func service(room bytes: Int) throws -> CollectorService {
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            configuration.maximumAnswerBytesInFlight = bytes
            return try CollectorService(configuration: configuration, archive: archive)
        }

        private func ask(_ service: CollectorService, _ path: String) async -> CollectorAnswer {
            await service.answer(
                CollectorRequest(
                    method: "GET", path: path, query: "",
                    header: { $0 == "Authorization" ? "Bearer \(RunningCollector.token.revealed)" : nil }, pieces: { _ in }))
        }

        @Test func oneAnswerAlwaysFitsAndRoomIsGivenBack() {
            let room = ByteRoom(bytes: 10)
            var share = room.take(1000)
            #expect(share != nil && room.take(1) == nil)
            share?.resize(to: 6)
            #expect(room.taken == 6 && room.take(5) == nil)
            do {
                let other = room.take(4)
                #expect(other != nil && room.taken == 10)
                other?.resize(to: 2)
                #expect(room.taken == 8)
                other?.resize(to: 0)
            }
            share = nil
            #expect(room.taken == 0)
        }

        @Test func whoWaitsIsServedInTurn() async {
            let room = ByteRoom(bytes: 10), steps = Locked<[String]>([]), share = room.take(8)
            var tasks: [Task<Void, Never>] = []
            for (name, bytes) in [("large", 5), ("small", 1)] {   // there is room for the small one, which comes later
                tasks.append(
                    Task {
                        let share = await room.wait(for: bytes)
                        steps.withLock { $0.append(name) }
                        share.resize(to: 0)
                    })
                while room.waitingCount < tasks.count, steps.withLock({ $0.isEmpty }) { await Task.yield() }
            }
            #expect(steps.withLock { $0 } == [])
            share?.resize(to: 0)
            for task in tasks { await task.value }
            #expect(Set(steps.withLock { $0 }) == ["large", "small"] && room.taken == 0)
        }

        @Test("while readers take as much as there is room for the next one is told to come again, until one has all or is gone")
        func slowReadersHoldSoMuchAndNoMore() async throws {
            let entry = EntryRecord(event: 1, errorDescription: String(repeating: "x", count: 1 << 20), time: LogTime(seconds: 1))
            _ = try await archive.store(Golden.parcel(TransactionRecord(id: "T", usecase: 1, entries: [entry])))
            let service = try service(room: 5 << 19)   // two and a half
            for path in ["/v1/transactions", "/v1/transactions/T", "/v1/export"] {
                let whole = await ask(service, path), broken = await ask(service, path)
                #expect(whole.status == 200 && broken.status == 200)
                let third = await ask(service, path)
                #expect(third.status == 503 && third.headers["Retry-After"] == "1", "\(path)")

                let count = Locked(0)
                let wholeStream = try #require(whole.stream), brokenStream = try #require(broken.stream)
                try await wholeStream { piece in count.withLock { $0 += piece.count } }
                let taken = count.withLock { $0 }
                #expect(taken > 1 << 20)
                if let length = whole.headers["Content-Length"] { #expect(length == "\(taken)") }
                await #expect(throws: CancellationError.self) { try await brokenStream { _ in throw CancellationError() } }
                // Of this one the head could not even be written.
                _ = await ask(service, path)
                #expect(service.answerRoom.taken == 0, "\(path)")
            }
        }

        @Test("an export waits until there is room for its next page, and is whole then")
        func anExportWaitsForRoom() async throws {
            for number in 0..<150 {
                let record = TransactionRecord(id: "T\(number)", usecase: 1, entries: [Golden.entry(0, at: 1)])
                _ = try await archive.store(Golden.parcel(record))
            }
            let service = try service(room: TransactionPage.maximumBytes + 1)
            let other = service.answerRoom.take(1 << 20)
            let stream = try #require(await ask(service, "/v1/export").stream)
            let steps = Locked<[String]>([])
            let (lines, announce) = AsyncStream.makeStream(of: Void.self)
            let export = Task {
                defer { announce.finish() }
                try await stream { line in
                    if line.isEmpty { return }
                    steps.withLock { $0.append("line") }
                    announce.yield()
                }
            }
            var iterator = lines.makeAsyncIterator()
            for _ in 0..<100 { _ = await iterator.next() }
            steps.withLock { $0.append("given back") }
            other?.resize(to: 0)
            try await export.value
            let said = steps.withLock { $0 }
            #expect(said.firstIndex(of: "given back") == 100)
            #expect(said.count == 151)
            #expect(service.answerRoom.taken == 0)
        }
    }
#endif
