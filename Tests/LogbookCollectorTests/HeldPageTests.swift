#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    @Suite struct HeldPageTests {
        private func service(_ archive: any Archive, room bytes: Int) throws -> CollectorService {
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            configuration.maximumAnswerBytesInFlight = bytes
            var service = try CollectorService(configuration: configuration, archive: archive)
            service.pagePatience = .seconds(600)
            return service
        }

        /// Asks for all of these at the same time.
        private func ask(_ service: CollectorService, _ paths: [String]) -> Task<[Int], Never> {
            Task {
                await withTaskGroup(of: Int.self) { group in
                    for path in paths {
                        group.addTask {
                            let answer = await service.answer(
                                CollectorRequest(
                                    method: "GET", path: path, query: "",
                                    header: { $0 == "Authorization" ? "Bearer \(RunningCollector.token.revealed)" : nil },
                                    pieces: { _ in }))
                            return answer.status
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
            }
        }

        @Test("no more pages are read at the same time than there is room for, whatever is asked for", arguments: ["", "/T"])
        func pagesAreReadWhereThereIsRoom(path: String) async throws {
            let gate = Gate(), archive = GatedArchive(gate), service = try service(archive, room: 2 * TransactionPage.maximumEstimatedBytes)
            let room = service.pageRooms.pages
            let answers = ask(service, Array(repeating: "/v1/transactions\(path)", count: 5))
            #expect(await onThread { gate.waitForArrivals(2) && becomesTrue { room.waitingCount == 3 } })
            #expect(archive.mostAtOnce == 2)
            gate.open()
            #expect(await answers.value == Array(repeating: 200, count: 5))
            #expect(archive.mostAtOnce == 2 && room.taken == 0)
        }

        @Test("a transaction that is larger than a page is read while no other such one is, and pages beside it")
        func largeOnesAreReadInTurn() async throws {
            let gate = Gate(), archive = GatedArchive(gate, of: "LARGE"), service = try service(archive, room: 64 << 20)
            let large = ask(service, Array(repeating: "/v1/transactions/LARGE", count: 4))
            let rooms = service.pageRooms
            #expect(await onThread { gate.waitForArrivals(1) && becomesTrue { archive.refusals == 4 && rooms.waitingCount == 3 } })
            #expect(service.pageRooms.pages.taken == 0)
            #expect(await ask(service, ["/v1/transactions", "/v1/transactions/T"]).value == [200, 200])
            gate.open()
            #expect(await large.value == Array(repeating: 200, count: 4))
            #expect(archive.mostAtOnce == 1)
        }

        @Test("what is stored is counted for one of a tenant's who asks at a time, however many ask")
        func countsAreMadeInTurn() async throws {
            let gate = Gate(), archive = GatedArchive(gate)
            var service = try service(archive, room: 64 << 20)
            let turns = service.countTurns, answers = ask(service, Array(repeating: "/v1/stats", count: 5))
            #expect(await onThread { gate.waitForArrivals(1) && becomesTrue { turns.waitingCount == 4 } })
            service.pagePatience = .milliseconds(50)
            #expect(await ask(service, ["/v1/stats"]).value == [503])
            gate.open()
            #expect(await answers.value == Array(repeating: 200, count: 5))
            #expect(archive.mostAtOnce == 1 && turns.taken == 0)
        }

        @Test func oneThatWouldTakeAllTheRoomForPagesLeavesThatToOthers() async throws {
            let rooms = PageRooms(bytes: 100, isShared: { false })
            let record = TransactionRecord(id: "LARGE", usecase: 1, entries: (0..<10).map { Golden.entry($0, at: 1) })
            let held = try await rooms.page(for: "one", within: nil) { largest throws(ArchiveError) in
                if largest < TransactionPage.maximumBytesOfOne { throw .transactionTooLarge(id: "LARGE") }
                return TransactionPage(transactions: [record])
            }
            #expect(try #require(held).page.estimatedBytes > 100)
            #expect(rooms.pages.taken == 0)
            withExtendedLifetime(held) {}
        }
    }

    /// An archive whose reading waits for a gate. It has a transaction T, and one that is larger than a page.
    private final class GatedArchive: WrappingArchive {
        private struct State {
            var reading = 0
            var mostAtOnce = 0
            var refusals = 0
        }
        let archive: any Archive = FailingArchive()
        private let gate: Gate
        private let id: String?
        private let state = Locked(State())
        var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
        var refusals: Int { state.withLock { $0.refusals } }

        /// - Parameter id: The transaction that waits; nil for everything.
        init(_ gate: Gate, of id: String? = nil) { (self.gate, self.id) = (gate, id) }

        private func read(_ id: String) async -> TransactionRecord {
            if let only = self.id, only != id { return TransactionRecord(id: id, usecase: 1) }
            state.withLock { state in
                state.reading += 1
                state.mostAtOnce = max(state.mostAtOnce, state.reading)
            }
            let gate = gate
            await onThread { gate.wait() }
            state.withLock { $0.reading -= 1 }
            return TransactionRecord(id: id, usecase: 1)
        }

        func transaction(_ id: String, tenant: String, largest: Int) async throws(ArchiveError) -> TransactionRecord? {
            if id == "LARGE", largest < TransactionPage.maximumBytesOfOne {
                state.withLock { $0.refusals += 1 }
                throw .transactionTooLarge(id: id)
            }
            return await read(id)
        }

        func transactions(_ query: TransactionQuery) async throws(ArchiveError) -> TransactionPage {
            TransactionPage(transactions: [await read("T")])
        }

        func counts(tenant: String?) async throws(ArchiveError) -> ArchiveCounts {
            ArchiveCounts(transactions: await read("T").entries.count, entries: 0, logEvents: 0, parcels: 0)
        }
    }
#endif
