#if Collector
    import Foundation
    @testable import LogbookCollector
    import LogbookCore
    import LogbookGzip
    import LogbookHTTP
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

        @Test func aShareGrowsWhereThereIsRoomForItAndForOthersToGoOn() {
            let room = ByteRoom(bytes: 10), first = room.take(2, leaving: 5), second = room.take(3, leaving: 5)
            #expect(first != nil && second != nil)
            #expect(room.take(1, leaving: 5) == nil)   // five stay free for one of the two
            #expect(first?.grow(by: 1, leaving: 5) == false && room.taken == 5)
            #expect(first?.grow(by: 5, leaving: 0) == true && room.taken == 10)
            second?.resize(to: 0)
            #expect(first?.grow(by: 1000, leaving: 5) == true && room.taken == 1007)   // alone, it is in nobody's way but its own
            first?.resize(to: 0)
            #expect(room.taken == 0)
        }

        @Test func whoWaitsTooLongGivesUpAndLetsInWhoIsBehind() async throws {
            let room = ByteRoom(bytes: 10), share = try #require(room.take(7)), other = try #require(room.take(1))
            let isOver = Locked(false)
            let large = Task {
                let isTaken = await other.grow(by: 9, within: .milliseconds(50))
                isOver.withLock { $0 = true }
                return isTaken
            }
            while room.waitingCount == 0, isOver.withLock({ !$0 }) { await Task.yield() }
            let small = await room.wait(for: 2)   // for which there was room, but for who came first
            #expect(await !large.value)
            #expect(room.taken == 10 && room.waitingCount == 0)
            for over in [share, small] { over.resize(to: 0) }
            #expect(await other.grow(by: 9, within: .seconds(600)))
            #expect(room.taken == 10)
        }

        @Test("where there are several tenants none has more than half of the room, and who waits in one's part keeps no other waiting")
        func eachTenantHasHalf() async {
            let room = ByteRoom(bytes: 10, isShared: { true })
            let first = room.take(5, of: "a")
            #expect(first != nil && room.take(1, of: "a") == nil)
            let other = room.take(4, of: "b")
            #expect(other != nil && room.taken == 9)
            let isLate = Locked(false)
            let waiting = Task {
                let share = await room.wait(for: 3, of: "a", within: nil)
                isLate.withLock { $0 = true }
                return share
            }
            while room.waitingCount == 0, isLate.withLock({ !$0 }) { await Task.yield() }
            #expect(room.waitingCount == 1)
            // At once, or not at all.
            let next = await room.wait(for: 1, of: "b", within: .zero)
            #expect(next != nil && room.taken == 10 && room.waitingCount == 1)
            next?.resize(to: 0)
            first?.resize(to: 2)
            let late = await waiting.value
            #expect(room.taken == 9 && room.waitingCount == 0)
            for share in [first, other, late] { share?.resize(to: 0) }
            #expect(room.taken == 0)
        }

        @Test("S23: the slow bodies of one tenant take half of the room at most, and another tenant's are taken meanwhile")
        func aSlowTenantKeepsNoOtherOut() async throws {
            let path = folder("tokens"), tokens = (0..<2).map { Secret("t0ken-number-\($0)") }
            let lines = tokens.enumerated().map { CollectorToken($0.element, tenant: "t\($0.offset)").description }
            try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            var configuration = CollectorConfiguration()
            configuration.tokenFile = path
            var made = try CollectorService(configuration: configuration, archive: archive)
            made.report = { _, _ in }
            let service = made, gate = Gate(), refused = Locked(0), body = try Gzip.compress(Array(Golden.g2.utf8))
            defer { gate.open() }
            let slow = Task {
                await withTaskGroup(of: Int.self) { group in
                    for _ in 0..<7 {
                        group.addTask {
                            let fields = [
                                "Authorization": "Bearer \(tokens[0].revealed)", "Content-Type": Golden.setType,
                                "Content-Encoding": "gzip", "Content-Length": "\(8 << 20)",
                            ]
                            let answer = await service.answer(
                                CollectorRequest(
                                    method: "POST", path: "/v1/transactions", query: "", header: { fields[$0] },
                                    pieces: { take in
                                        await onThread { gate.wait() }
                                        try await take(body)
                                    }))
                            if answer.status == 503 { refused.withLock { $0 += 1 } }
                            return answer.status
                        }
                    }
                    return await group.reduce(into: [Int]()) { $0.append($1) }
                }
            }
            // Three, beside which there is room in that half for what one of them may become.
            #expect(await onThread { gate.waitForArrivals(3) && becomesTrue { refused.withLock { $0 } == 4 } })
            #expect(service.bodyRoom.taken == 24 << 20)
            let fields = ["Authorization": "Bearer \(tokens[1].revealed)", "Content-Type": Golden.setType, "Content-Length": "\(8 << 20)"]
            let answer = await service.answer(
                CollectorRequest(
                    method: "POST", path: "/v1/transactions", query: "", header: { fields[$0] },
                    pieces: { take in try await take(Array(Golden.g2.utf8)) }))
            #expect(answer.status == 202)
            gate.open()
            #expect(await slow.value.sorted() == [202, 202, 202, 503, 503, 503, 503])
            #expect(service.bodyRoom.taken == 0)
        }

        @Test("S23: bodies of gzip that come slowly take the room of what was announced of them, and keep nobody out")
        func slowGzipKeepsNobodyOut() async throws {
            // However long this test must wait for its turn, its bodies are not too slow yet.
            try await RunningCollector.with(archive, configure: { $0.connections.bodyGrace = .seconds(600) }) { collector in
                let head =
                    "POST /v1/logs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(RunningCollector.token.revealed)\r\n"
                    + "Content-Type: application/x-ndjson\r\nContent-Encoding: gzip\r\nContent-Length: 300\r\n\r\n"
                let slow = try (0..<8).map { _ in try RawConnection(port: collector.port) }
                for connection in slow { connection.send(head + "\u{1F}") }
                func haveCome() async throws -> Bool {
                    try await collector.send("GET", "/metrics").text.contains("\nlogbook_collector_body_bytes_total 8\n")
                }
                let patience = LogDeadline.seconds(30)
                while try await !haveCome(), !patience.hasPassed { try await Task.sleep(for: .milliseconds(5)) }
                #expect(try await haveCome())
                #expect(try await collector.send(Golden.g2).status == 202)
                #expect(slow.allSatisfy { !$0.isClosed })
            }
        }

        @Test("S23: a body of gzip that is here waits for the room to be inflated, and the sum keeps to the limit")
        func inflatingWaitsForRoom() async throws {
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            (configuration.maximumBodyBytes, configuration.maximumBodyBytesInFlight) = (1 << 20, 2 << 20)
            let service = try CollectorService(configuration: configuration, archive: archive), room = service.bodyRoom
            let fields = [
                "Authorization": "Bearer \(RunningCollector.token.revealed)", "Content-Type": Golden.setType, "Content-Encoding": "gzip",
            ]
            let body = try Gzip.compress(Array(Golden.g2.utf8)), other = Locked<ByteRoom.Share?>(nil)
            let request = CollectorRequest(
                method: "POST", path: "/v1/transactions", query: "", header: { fields[$0] },
                pieces: { take in
                    try await take(body)
                    other.withLock { $0 = room.take((2 << 20) - room.taken) }
                })
            let answer = Task { await service.answer(request) }
            let patience = LogDeadline.seconds(30)
            while room.waitingCount == 0, !patience.hasPassed { await Task.yield() }
            #expect(room.waitingCount == 1 && room.taken == 2 << 20)
            #expect(try await archive.counts(tenant: nil).entries == 0)
            other.withLock { $0 = nil }
            #expect(await answer.value.status == 202)
            #expect(try await archive.counts(tenant: nil).entries == 2)
            #expect(room.taken == 0)
        }

        @Test("while readers take as much as there is room for the next one is told to come again, until one has all or is gone")
        func slowReadersHoldSoMuchAndNoMore() async throws {
            let entry = EntryRecord(event: 1, errorDescription: String(repeating: "x", count: 1 << 20), time: LogTime(seconds: 1))
            _ = try await archive.store(Golden.parcel(TransactionRecord(id: "T", usecase: 1, entries: [entry])))
            var service = try service(room: TransactionPage.maximumEstimatedBytes + (3 << 19))   // a page is read beside one and a half
            service.pagePatience = .zero
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
                #expect(service.pageRooms.pages.taken == 0, "\(path)")
            }
        }

        @Test("an export waits until there is room for its next page, and is whole then")
        func anExportWaitsForRoom() async throws {
            for number in 0..<150 {
                let record = TransactionRecord(id: "T\(number)", usecase: 1, entries: [Golden.entry(0, at: 1)])
                _ = try await archive.store(Golden.parcel(record))
            }
            let service = try service(room: TransactionPage.maximumEstimatedBytes + 1)
            let stream = try #require(await ask(service, "/v1/export").stream)
            let other = service.pageRooms.pages.take(1 << 20)
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
            #expect(service.pageRooms.pages.taken == 0)
        }
    }

    extension ByteRoom {
        fileprivate func take(_ bytes: Int, leaving rest: Int = 0) -> Share? { take(bytes, of: "one", leaving: rest) }
        fileprivate func wait(for bytes: Int) async -> Share { await wait(for: bytes, of: "one", within: nil)! }
    }
#endif
