#if Collector
    @testable import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    extension CollectorLimitsTests {
        /// Runs a collector until its task is cancelled.
        /// - Parameter whenOver: Called once it has stopped.
        private func start(
            _ server: CollectorServer, whenOver: @escaping @Sendable () -> Void = {}
        ) async throws -> (task: Task<Void, any Error>, port: Int) {
            let (ports, announce) = AsyncStream.makeStream(of: Int.self)
            let task = Task {
                defer { announce.finish() }
                try await server.run { announce.yield($0) }
                whenOver()
            }
            var iterator = ports.makeAsyncIterator()
            return (task, try #require(await iterator.next()))
        }

        @Test func aRequestUnderWayIsAnsweredWhenTheCollectorIsToldToStop() async throws {
            let gate = Gate()
            let slow = HeldArchive(archive, gate)
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            let server = try CollectorServer(configuration: configuration, archive: slow)
            let (serving, port) = try await start(server)
            let answer = Task { try await RunningCollector(port: port).send(Golden.g2).status }
            await slow.hasBegun()
            serving.cancel()
            gate.open()
            #expect(try await answer.value == 202)
            try await serving.value
            #expect(try await archive.counts(tenant: nil).entries == 2)
        }

        @Test("what the archive does not come back from keeps the collector from stopping no longer than a slow request does")
        func stoppingDoesNotWaitForTheArchive() async throws {
            let gate = Gate(), slow = HeldArchive(archive, gate)
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            configuration.connections.stopDeadline = .milliseconds(100)
            configuration.maximumBytesPerDay = 1 << 20
            let server = try CollectorServer(configuration: configuration, archive: slow)
            let isOver = Locked(false), (serving, port) = try await start(server) { isOver.withLock { $0 = true } }
            let answer = Task { try await RunningCollector(port: port).send(Golden.g2).status }
            await slow.hasBegun()
            serving.cancel()
            #expect(await onThread { becomesTrue(by: .seconds(90)) { isOver.withLock { $0 } } })
            #expect(try await archive.counts(tenant: nil).entries == 0)
            await #expect(throws: (any Error).self) { try await answer.value }
            gate.open()
            try await serving.value
            // Nobody was told so: it comes again, and is a duplicate then.
            #expect(await onThread { becomesTrue { slow.stored.withLock { $0 } == 1 } })
        }

        @Test("an account of the day that the archive does not come back with keeps the collector from stopping no longer either")
        func stoppingDoesNotWaitForTheAccount() async throws {
            let gate = Gate()
            defer { gate.open() }
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            configuration.connections.stopDeadline = .milliseconds(100)
            configuration.maximumBytesPerDay = 100 * Golden.g2.utf8.count
            let server = try CollectorServer(configuration: configuration, archive: HeldAccount(archive, gate))
            let isOver = Locked(false), (serving, port) = try await start(server) { isOver.withLock { $0 = true } }
            let answer = Task { try await RunningCollector(port: port).send(Golden.g2).status }
            #expect(await onThread { gate.waitForArrivals(1, by: .seconds(90)) })
            #expect(try await answer.value == 202)
            serving.cancel()
            #expect(await onThread { becomesTrue(by: .seconds(90)) { isOver.withLock { $0 } } })
            #expect(server.hasAbandonedRequests)
            gate.open()
            try await serving.value
        }

        @Test("a request that trickles in does not keep the collector from stopping for longer than it may")
        func stoppingHasADeadline() async throws {
            var configuration = CollectorConfiguration()
            configuration.token = RunningCollector.token
            configuration.connections.stopDeadline = .milliseconds(100)
            (configuration.connections.bodyGrace, configuration.connections.minimumBodyBytesPerSecond) = (.seconds(600), 1)
            let server = try CollectorServer(configuration: configuration, archive: archive)
            let (serving, port) = try await start(server), slow = try RawConnection(port: port)
            let head = Self.head + "Content-Type: application/x-ndjson\r\nContent-Length: 1000000\r\n\r\n"
            let ended = Task { await slow.trickle(head, " ", every: .milliseconds(20)) }
            serving.cancel()
            try await serving.value
            #expect(await ended.value)
        }
    }

    /// An archive whose storing waits for a gate.
    final class HeldArchive: WrappingArchive {
        let archive: any Archive
        private let gate: Gate
        private let began = AsyncStream.makeStream(of: Void.self)
        /// How often it has.
        let stored = Locked(0)

        init(_ archive: any Archive, _ gate: Gate) {
            self.archive = archive
            self.gate = gate
        }

        func hasBegun() async {
            var iterator = began.stream.makeAsyncIterator()
            await iterator.next()
        }

        func store(_ parcel: TransactionParcel) async throws(ArchiveError) -> ArchiveReceipt {
            began.continuation.yield()
            let gate = gate
            await onThread { gate.wait() }
            defer { stored.withLock { $0 += 1 } }
            return try await archive.store(parcel)
        }
    }
#endif
