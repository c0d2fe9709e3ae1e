#if Transactions
    import Logbook
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    // The part about transactions of Plugins-Docs/UseLogbook.md, to the letter: GuideBlocksTests compares the two.

    enum LoginEvent: Int, UsecaseEvent {
        static let usecase = 1
        case shown = 0, requested = 2, failed = 4, answered = 7
    }

    @Suite struct UseLogbookTransactionsTests {
        private struct Account {
            let id: String
            let storeURL: String
            let token: Secret
        }

        /// A collector, as far as it acknowledges what has the right token.
        private static func collector(token: String) throws -> LoopbackServer {
            try LoopbackServer { request in
                guard request.header("Authorization") == "Bearer " + token else { return .status(401) }
                return .status(202, headers: [HTTPHeader("Logbook-Parcel", request.header("Logbook-Parcel") ?? "")])
            }
        }

        @Test func aLoginIsMeasured() async throws {
            let service = LogService(), heard = RecordingProvider(), sent = Locked<[String: String]>([:])
            @Sendable func signIn(_ fields: [String: String]) async throws -> String {
                sent.withLock { $0 = fields }
                service.info("signing in")
                return "jane"
            }
            service.register(heard)
            let login = service.transaction(LoginEvent.self)
            login.log(.shown)
            let account = try await login.measure(started: .requested, done: .answered, failed: .failed) {
                try await signIn(login.headerFields())
            }
            #expect(account == "jane" && sent.withLock { $0["logbook-apptxn-id"] } == login.id)
            #expect(heard.events.compactMap { $0.transaction?.event } == [0, 2, 7])
            #expect(heard.events.first { $0.message == "signing in" }?.transactionID == login.id)
        }

        @Test func aRequestNamesTheTransaction() {
            let service = LogService(), heard = RecordingProvider()
            service.register(heard)
            let login = service.transaction(LoginEvent.self)
            var request: [String: String] = [:]
            login.applyHeaders { name, value in request[name] = value }  // request.setValue(value, forHTTPHeaderField: name)
            login.run { service.info("the form is checked") }
            #expect(request["logbook-apptxn-id"] == login.id && request == login.headerFields())
            #expect(heard.events.last?.metadata == ["transaction_id": .string(login.id)])
        }

        @Test func aProgramSaysWhatItRunsOn() {
            let machine = LogService.shared.device
            defer { LogService.shared.device = machine }
            LogService.shared.device = DeviceFacts(make: "Kiosk 3", os: "KioskOS", osVersion: "4.2")
            let fields = LogService.shared.transaction(LoginEvent.self).headerFields()
            #expect(fields["logbook-useragent-device-make"] == "Kiosk 3" && fields["logbook-useragent-device-os-version"] == "4.2")
        }

        @Test func whatBecomesOfThemIsTold() throws {
            let server = try Self.collector(token: "new"), home = TemporaryFolder(), folder = home.path
            let service = LogService(), heard = RecordingProvider(), asked = Gate()
            let renewToken: @Sendable () -> Void = { asked.wait() }
            service.register(heard)
            var configuration = TransactionLogConfiguration(storePath: folder + "/transactions.sqlite")
            configuration.appVersion = "1.4.0"
            configuration.variant = "B"                                  // what is tried out on this user
            configuration.onError = { service.error("transactions", error: $0) }
            configuration.onDelivery = { event in
                switch event {
                case .delivered(_, let entries): service.debug("entries that have arrived: \(entries)")
                case .authenticationRequired: renewToken()
                case .serverBusy, .failed, .setAside: service.warning("\(event)")
                }
            }
            let transactions = try TransactionLogProvider(configuration: configuration)
            service.register(transactions)                               // stored, on the medium, when `log` returns
            service.transaction(LoginEvent.self).log(.shown)
            #expect(try transactions.counts() == TransactionStoreCounts(transactions: 1, entries: 1, pending: 1))

            transactions.setStore(url: server.url, token: "old")
            #expect(asked.waitForArrivals(1))
            asked.open()
            transactions.token = "new"
            try transactions.deliver(by: .seconds(30))
            #expect(heard.messages.contains("entries that have arrived: 1"))
            let body = String(decoding: try #require(server.requests.last).body, as: UTF8.self)
            #expect(body.contains(#""apptxn/app-version":"1.4.0""#) && body.contains(#""apptxn/variant":"B""#))

            try transactions.shutdown(by: .seconds(30))
            service.transaction(LoginEvent.self).log(.shown)
            let failure = heard.events.first { $0.message == "transactions" }?.error
            #expect(failure?.description.contains("transactions.sqlite is closed") == true)
            #expect(home.names.contains("transactions.sqlite"))
        }

        @Test func theNextUserGetsNothingOfTheOldOne() throws {
            let old = try Self.collector(token: "joe's"), new = try Self.collector(token: "ann's")
            let home = TemporaryFolder(), folder = home.path, service = LogService()
            var configuration = TransactionLogConfiguration(storePath: folder + "/transactions.sqlite")
            configuration.delivery.interval = nil
            let transactions = try TransactionLogProvider(configuration: configuration)
            let registration = service.register(transactions)
            var account = Account(id: "joe", storeURL: old.url, token: "joe's")
            transactions.user = account.id                               // whose the transactions are that begin from now on
            transactions.setStore(url: account.storeURL, token: account.token)     // both at once; what waits is sent
            let before = service.transaction(LoginEvent.self)
            before.log(.shown)

            try? transactions.deliver(by: .seconds(10))                  // what should still arrive, if it can
            transactions.setStore(url: nil, token: nil)                  // nothing more goes to the old address
            transactions.user = nil                                      // nothing new is the old user's
            try transactions.deleteAll()                                 // and nothing of it reaches the next one's
            before.log(.answered)

            account = Account(id: "ann", storeURL: new.url, token: "ann's")
            transactions.user = account.id
            let after = service.transaction(LoginEvent.self)
            after.log(.shown)
            transactions.setStore(url: account.storeURL, token: account.token)
            try transactions.deliver(by: .seconds(30))
            let arrived = [old, new].map { server in server.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined() }
            #expect(arrived[0].contains(before.id) && arrived[0].contains("joe"))
            #expect(arrived[1].contains(after.id) && arrived[1].contains("ann") && !arrived[1].contains(before.id))
            #expect(registration.ledger.dropped == [.loggedOut: 1])
            #expect(home.names.contains("transactions.sqlite"))
        }

        @Test func aUserIsErased() throws {
            let home = TemporaryFolder(), service = LogService()
            let transactions = try TransactionLogProvider(
                configuration: TransactionLogConfiguration(storePath: home("transactions.sqlite")))
            service.register(transactions)
            transactions.user = "joe"
            service.transaction(LoginEvent.self).log(.shown)
            transactions.user = "ann"
            let stays = service.transaction(LoginEvent.self)
            let erased = try transactions.erase(user: "joe")             // how many transactions there were
            #expect(erased == 1)
            #expect(try transactions.allTransactions().map(\.id) == [stays.id])
            #expect(home.names.contains("transactions.sqlite"))
        }

        @Test func theyWaitForConditionsAndPauses() throws {
            let server = try Self.collector(token: "t"), home = TemporaryFolder(), service = LogService(), printing = Locked(true)
            let isPrinting: @Sendable () -> Bool = { printing.withLock { $0 } }
            var configuration = TransactionLogConfiguration(storePath: home("transactions.sqlite"), storeURL: server.url, token: "t")
            configuration.delivery.interval = nil
            configuration.deliverAfterEntries = 100
            configuration.conditions = DeliveryConditions(urgentFrom: .warning, custom: { !isPrinting() })
            let transactions = try TransactionLogProvider(configuration: configuration)
            service.register(transactions)
            let login = service.transaction(LoginEvent.self)
            login.log(.shown)
            #expect(throws: CourierError.self) { try transactions.deliver(by: .seconds(30)) }
            #expect(server.requests.isEmpty)
            transactions.hurry()                                         // what waits now goes, whatever the conditions
            #expect(server.waitForRequests(1))
            #expect(try becomesTrue { try transactions.counts().entries == 0 })

            func appWentAway() { transactions.pauseDelivery() }
            func appIsBack() { transactions.resumeDelivery() }           // what waits goes
            printing.withLock { $0 = false }
            appWentAway()
            for _ in 1...100 { login.log(.requested) }
            #expect(transactions.deliveryStatus.isPaused && server.requests.count == 1)
            appIsBack()
            #expect(server.waitForRequests(2))
            try transactions.shutdown(by: .seconds(30))
            #expect(home.names.contains("transactions.sqlite"))
        }

        @Test func aServerOfTheOriginalIsSpokenTo() throws {
            let server = try LoopbackServer { _ in .status(202) }, home = TemporaryFolder(), service = LogService()
            var configuration = TransactionLogConfiguration(storePath: home("transactions.sqlite"), storeURL: server.url, token: "abc")
            configuration.delivery.interval = nil
            configuration.wireVersion = .v0_0_1
            configuration.mediaSubtypePrefix = "vnd.fp."                 // application/vnd.fp.apptxnset-v0.0.1+json
            configuration.authScheme = "fp-auth"
            configuration.authTokenParameter = "fp-token"                // Authorization: fp-auth fp-token="…"
            let transactions = try TransactionLogProvider(configuration: configuration)
            service.register(transactions, delivery: .queued())
            service.transaction(LoginEvent.self).log(.shown)
            #expect(service.flush(by: .seconds(30)).isComplete)
            try transactions.deliver(by: .seconds(30))
            let request = try #require(server.requests.first)
            #expect(request.header("Content-Type") == "application/vnd.fp.apptxnset-v0.0.1+json;charset=UTF-8")
            #expect(request.header("Authorization") == #"fp-auth fp-token="abc""#)
            #expect(try transactions.counts() == TransactionStoreCounts())
            #expect(home.names.contains("transactions.sqlite"))
        }
    }
#endif
