#if Transactions
    import Logbook
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    // How README.md sets up transactions, to the letter: GuideBlocksTests compares the two.

    @Suite struct ReadmeTransactionsTests {
        @Test func transactionsAreStoredAndSent() throws {
            let server = try LoopbackServer { .status(202, headers: [HTTPHeader("Logbook-Parcel", $0.header("Logbook-Parcel") ?? "")]) }
            let home = TemporaryFolder(), folder = home.path, collector = server.url, token: Secret = "hush", service = LogService()
            var configuration = TransactionLogConfiguration(
                storePath: folder + "/transactions.sqlite", storeURL: collector + "/v1/transactions", token: token)  // the whole address
            configuration.appVersion = "1.4.0"
            service.register(try TransactionLogProvider(configuration: configuration))

            service.transaction(usecase: 1).log(0)
            let transactions = try #require(service.registrations[0].provider as? TransactionLogProvider)
            #expect(home.names.contains("transactions.sqlite"))
            try transactions.deliver(by: .seconds(30))
            let request = try #require(server.requests.first)
            #expect(request.target == "/v1/transactions" && request.header("Authorization") == "Bearer hush")
            #expect(request.header("Content-Type") == "application/vnd.logbook.apptxnset-v0.0.2+json;charset=UTF-8")
            #expect(try transactions.counts() == TransactionStoreCounts())
            #expect(service.shutdown(by: .seconds(30)).isComplete)
            #expect(home.names.contains("transactions.sqlite"))
        }
    }
#endif
