#if Collector
    import LogbookCollector
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    /// Whatever a client can store, our own collector takes.
    @Suite struct TransactionIDTests {
        private static let long = String(repeating: "x", count: 300)
        private static let ids = [
            "", " ", "a\0b", "\0", "line\r\n\u{1}\u{7F}", String(decoding: [0xFF, 0x41], as: UTF8.self), "\u{FEFF}bom \u{FFFE} \u{202E}",
            "e\u{301}", "\u{E9}", String(repeating: "x", count: 256), String(repeating: "x", count: 257), long, long + "y",
            String(repeating: "\u{E9}", count: 200), String(repeating: "\0", count: 256), String(repeating: "x", count: 70_000),
        ]

        @Test(
            "an id that an application makes up is taken, whatever it is, and stays apart from all others",
            arguments: TransactionSetVersion.allCases)
        func everyIDIsTaken(_ version: TransactionSetVersion) async throws {
            let folder = TemporaryFolder(), archive = try SQLiteArchive(path: folder("archive.sqlite"))
            try await RunningCollector.with(archive) { collector in
                var configuration = TransactionLogConfiguration(
                    storePath: folder("client.sqlite"), storeURL: collector.url + "/v1/transactions", token: RunningCollector.token)
                configuration.wireVersion = version
                configuration.delivery.interval = nil
                configuration.requestLimits = RunningCollector.limits
                let client = LogService(), store = try TransactionLogProvider(configuration: configuration)
                client.register(store)
                let device = DeviceFacts(make: "KVM", os: "Debian", osVersion: "12")
                for (number, id) in Self.ids.enumerated() {
                    client.transaction(continuing: id, usecase: 1, device: device).log(number)
                }
                try await store.deliver(by: .seconds(300))
                #expect(try store.counts() == TransactionStoreCounts())   // nothing waits, nothing is set aside
                for (number, id) in Self.ids.enumerated() {
                    let asked = id.isEmpty ? "TXN1-\(store.session)" : id
                    let found = try await archive.transaction(asked, tenant: Tenant.standard)
                    #expect(found?.entries.map(\.event) == [number], "\(number)")
                }
                #expect(try await archive.counts(tenant: nil).transactions == Self.ids.count)
                try store.shutdown(by: .seconds(10))
            }
        }
    }
#endif
