#if Collector
    import LogbookCollector
    import LogbookCore
    import LogbookHTTP
    import LogbookTransactions
    import LogbookTestKit
    import Testing

    /// A use case in which a client and a server take part, each with a store of its own.
    @Suite struct LoginTests {
        private enum Login: Int, UsecaseEvent {
            static let usecase = 1
            case initiated, canceled, requestSent, serverStarted, serverFailed, refused, accepted, answered
        }

        private static func provider(_ path: String, _ collector: RunningCollector, _ clock: ManualClock) throws -> TransactionLogProvider {
            var configuration = TransactionLogConfiguration(
                storePath: path, storeURL: collector.url + "/v1/transactions", token: RunningCollector.token)
            configuration.wireVersion = .v0_0_2
            configuration.delivery.interval = nil
            configuration.requestLimits = RunningCollector.limits
            configuration.clock = .manual(clock)
            return try TransactionLogProvider(configuration: configuration)
        }

        @Test("A4: what a client and a server say of a login is one transaction, in the order in which it happened")
        func oneTransaction() async throws {
            let folder = TemporaryFolder(), start = LogTime(seconds: 1_763_720_960), clock = ManualClock(now: start)
            let archive = try SQLiteArchive(path: folder("archive.sqlite"))
            try await RunningCollector.with(archive) { collector in
                let client = LogService(clock: .manual(clock)), server = LogService(clock: .manual(clock))
                let clientStore = try Self.provider(folder("client.sqlite"), collector, clock)
                let serverStore = try Self.provider(folder("server.sqlite"), collector, clock)
                client.register(clientStore)
                server.register(serverStore)
                clientStore.user = "Ann"
                serverStore.user = "somebody else"

                let login = client.transaction(Login.self)
                login.log(.initiated)
                clock.advance(by: .milliseconds(12_500))
                login.log(.requestSent)
                clock.advance(by: .milliseconds(200))
                let name = await ServerTransaction.run(
                    headers: login.untyped.headers(), usecase: Login.usecase,
                    events: ServerTransaction.Events(
                        started: Login.serverStarted.rawValue, success: Login.accepted.rawValue, invalid: Login.refused.rawValue,
                        error: Login.serverFailed.rawValue),
                    service: server
                ) {
                    clock.advance(by: .milliseconds(200))
                    return "Ann"
                }
                #expect(name == "Ann")
                clock.advance(by: .milliseconds(200))
                login.log(.answered)

                let own = try #require(try clientStore.allTransactions().first)
                // The server's part arrives first.
                try await serverStore.deliver(by: .seconds(300))
                try await clientStore.deliver(by: .seconds(300))
                let stored = try #require(try await archive.transaction(login.id, tenant: Tenant.standard))
                #expect(stored.usecase == 1 && stored.entries.map(\.event) == [0, 2, 3, 6, 7])
                let seconds = stored.entries.map { Double($0.time.nanoseconds - start.nanoseconds) / 1e9 }
                #expect(seconds == [0, 12.5, 12.7, 12.9, 13.1])   // the first login of the figures: 12.5 s to fill in, 0.6 s to answer
                // Who and what it was the client says, though it comes later.
                #expect(stored.user == "Ann" && stored.session == clientStore.session)
                #expect(stored.installation != nil && stored.installation == own.installation)
                #expect(stored.entries.map(\.offset) == [0, 12_500_000_000, nil, nil, 13_100_000_000])
                #expect(try clientStore.counts().entries == 0)
                #expect(try serverStore.counts().entries == 0)
                try clientStore.shutdown(by: .seconds(10))
                try serverStore.shutdown(by: .seconds(10))
            }
        }
    }
#endif
