#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import LogbookHTTP
    import LogbookTestKit
    import Testing

    @Suite struct ArchiveInquiryTests {
        private let folder = TemporaryFolder()
        private let clock = ManualClock(now: LogTime(seconds: 1000))

        @Test("however many ask for the health, the archive is asked once, and again after a second")
        func whoeverAsksSharesTheAnswer() async throws {
            let archive = CountingArchive(try SQLiteArchive(path: folder("archive.sqlite")))
            try await RunningCollector.with(archive, clock: .manual(clock)) { collector in
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<200 { group.addTask { try await collector.send("GET", "/health", [], ["Authorization": ""]).status } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses == Array(repeating: 200, count: 200))
                #expect(archive.checks == 1)
                clock.advance(by: .seconds(1))
                #expect(try await collector.send("GET", "/health").status == 200)
                #expect(archive.checks == 2)
            }
        }

        @Test func aFailureIsSharedForASecondAsWell() async throws {
            let archive = CountingArchive(FailingArchive()), health = ArchiveInquiry(ofHealthOf: archive, clock: .manual(clock))
            for _ in 0..<3 { await #expect(throws: ArchiveError.self) { try await health.answer() } }
            #expect(archive.checks == 1)
            clock.advance(by: .seconds(1))
            await #expect(throws: ArchiveError.self) { try await health.answer() }
            #expect(archive.checks == 2)
        }

        @Test("S28: however many ask while the disk is short, the archive is asked for its own room once a second")
        func whileTheDiskIsShort() async throws {
            let archive = CountingArchive(try SQLiteArchive(path: folder("archive.sqlite")))
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            configuration.storageFolder = folder.path
            configuration.keepFreeBytes = CollectorService.journalBytes + (1 << 30)
            var service = try CollectorService(configuration: configuration, archive: archive, clock: .manual(clock))
            service.report = { _, _ in }
            service.freeBytes = { _ in CollectorService.journalBytes }
            for second in 1...2 {
                for _ in 0..<20 { #expect(await service.shortage(isForArchive: true) != nil) }
                #expect(archive.roomInquiries == second)
                clock.advance(by: .seconds(1))
            }
        }
    }
#endif
