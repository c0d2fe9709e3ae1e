#if Transactions
import GRDB
import LogbookCore
import LogbookFormat
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookTransactions

@Suite struct TransactionSessionTests {
    @Test func aTransactionKeepsTheUserItBeganWith() throws {
        let server = try LoopbackServer { .status(202, headers: [HTTPHeader("Logbook-Parcel", $0.header("Logbook-Parcel") ?? "")]) }
        let bench = try Bench(url: server.url, token: "t") {
            $0.wireVersion = .v0_0_2
            $0.appVersion = "1.4.0"
            $0.variant = "A"
        }
        let before = bench.service.transaction(usecase: 1)
        before.log(0)
        bench.provider.user = "joe"
        bench.provider.variant = "B"
        let during = bench.service.transaction(usecase: 1)
        during.log(0)
        try bench.deliver()   // the rows are gone now, and are made again
        bench.provider.user = nil
        before.log(1)
        during.log(1)
        let after = bench.service.transaction(usecase: 1)
        after.log(0)
        try bench.deliver()

        #expect(server.requests.count >= 2)
        for request in server.requests {
            for transaction in try TransactionSet.decode(request.body, .v0_0_2).transactions {
                #expect(transaction.user == (transaction.id == during.id ? "joe" : nil))
                #expect(transaction.variant == (transaction.id == before.id ? "A" : "B"))
                #expect(transaction.appVersion == "1.4.0")
                #expect(transaction.session == bench.provider.session)
                #expect(transaction.installation == bench.provider.store.installation)
            }
        }
    }

    @Test func entriesThatWaitInAQueueKeepTheirUserAndTheirMoment() throws {
        let folder = TemporaryFolder()
        let clock = ManualClock(now: t0), session = TransactionSession(user: "joe", clock: .manual(clock))
        let store = try TransactionStore(path: folder.store, session: session)
        let heard = RecordingProvider(interest: .transactionEntries)
        let service = LogService(device: phone, clock: .manual(clock))
        service.register(heard)
        clock.advance(by: .seconds(1))
        let transaction = service.transaction(usecase: 1)
        clock.advance(by: .milliseconds(250))
        transaction.log(0)
        clock.setWall(LogTime(seconds: 1))   // nobody's clock stays right for ever
        clock.advance(by: .seconds(1))
        transaction.log(1)
        session.user = nil
        clock.advance(by: .seconds(3600))
        try store.append(heard.events)
        let stored = try store.allTransactions()
        #expect(stored.map(\.user) == ["joe"])
        #expect(stored[0].entries.map(\.offset) == [1_250_000_000, 2_250_000_000])
    }

    @Test("C28: what was said before a logout, or belongs to what began before it, is not stored for the next user")
    func aLogoutEndsWhatBegan() throws {
        let folder = TemporaryFolder()
        let clock = ManualClock(now: t0), session = TransactionSession(user: "joe", clock: .manual(clock))
        let store = try TransactionStore(path: folder.store, session: session)
        let heard = RecordingProvider(interest: .transactionEntries)
        let service = LogService(device: phone, clock: .manual(clock))
        service.register(heard)
        let before = service.transaction(usecase: 1)
        before.log(0)
        #expect(try store.append(heard.events) == [])
        let waiting = service.transaction(usecase: 1)
        waiting.log(1)
        clock.advance(by: .seconds(1))
        session.user = nil
        try store.deleteAll()
        before.log(2)
        let after = service.transaction(usecase: 1)
        after.log(3)
        waiting.log(4)
        #expect(try store.append(Array(heard.events.dropFirst(2))) == [0, 1, 2, 5])
        let stored = try store.allTransactions()
        #expect(stored.map(\.id) == [after.id] && stored[0].user == nil)
        #expect(stored[0].entries.map(\.event) == [3])
        #expect(stored[0].entries.map { $0.key?.sequence } == [2])   // no number is given to what is not stored
    }

    @Test("C28: a logout also ends what an earlier run has left; what has no id goes on")
    func aLogoutEndsWhatWasLeft() throws {
        func entries(_ ids: [String]) -> [LogEvent] {
            ids.enumerated().map { number, id in
                LogEvent(
                    sequence: UInt64(number), time: t0, level: .info, message: "",
                    transaction: TransactionEntry(transactionID: id, usecase: 1, kind: .happened(number), device: phone))
            }
        }
        let folder = TemporaryFolder(), earlier = try TransactionStore(path: folder.store)
        try earlier.append(entries(["TXN1-OLD", ""]))
        earlier.close()
        let store = try TransactionStore(path: folder.store)
        try store.append(entries(["TXN1-NOW", ""]))
        try store.deleteAll()
        #expect(try store.append(entries(["TXN1-OLD", "TXN1-NOW", "TXN1-NEXT", ""])) == [0, 1])
        #expect(try store.allTransactions().map { $0.entries.map(\.event) } == [[2], [3]])
    }

    @Test("C28: a logout ends what an earlier run has begun and this one has gone on with and delivered, however many it has begun itself", arguments: [1, 5000])
    func aLogoutEndsWhatWentOn(count: Int) throws {
        let server = try LoopbackServer { request in
            .response(HTTPResponse(status: 202, headers: [HTTPHeader("Logbook-Parcel", request.header("Logbook-Parcel") ?? "")]))
        }
        let folder = TemporaryFolder()
        let first = try Bench(in: folder), old = first.service.transaction(usecase: 1)
        old.log(0)
        first.close()
        let second = try Bench(in: folder, url: server.url, token: "joe")
        for _ in 1..<count { second.service.transaction(usecase: 2).log(1) }
        second.service.transaction(continuing: old.id, usecase: 1, device: phone).log(1)
        if count == 1 { try second.deliver() }
        second.clock.advance(by: .seconds(1))
        try second.provider.deleteAll()
        second.clock.advance(by: .seconds(1))
        second.provider.user = "ann"
        second.service.transaction(continuing: old.id, usecase: 1, device: phone).log(2)
        #expect(try second.provider.allTransactions().isEmpty)
        #expect(second.provider.ledger?.dropped == [.loggedOut: 1])
    }

    @Test("an erasure ends nothing of a user whose name only looks alike")
    func aUserWhoLooksAlike() throws {
        let bench = try Bench { $0.user = "Jose\u{301}" }
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(0)
        bench.clock.advance(by: .seconds(1))
        #expect(try bench.provider.erase(user: "Jos\u{e9}") == 0)
        bench.clock.advance(by: .seconds(1))
        transaction.log(1)
        #expect(try bench.provider.allTransactions().first?.entries.map(\.event).suffix(2) == [0, 1])
        #expect(bench.provider.ledger?.dropped == [:])
    }

    @Test(
        "C28: what an object says that was made before a logout is not stored, also where nothing had been heard of its transaction",
        arguments: [LogDelivery.immediate, .queued()])
    func aLogoutEndsWhatWasMadeBefore(delivery: LogDelivery) throws {
        let bench = try Bench { $0.user = "joe" }
        bench.registration.unregister()
        let unheard = bench.service.transaction(usecase: 1)
        let continued = bench.service.transaction(continuing: "TXN1-AFAR", usecase: 1, device: phone)
        bench.clock.advance(by: .seconds(1))
        bench.provider.user = nil
        try bench.provider.deleteAll()
        bench.provider.user = "ann"
        bench.clock.advance(by: .seconds(1))
        bench.service.register(bench.provider, delivery: delivery)
        unheard.log(1)
        unheard.log(2, error: 3)
        continued.log(4, error: 5, "Joe's car")
        let after = bench.service.transaction(usecase: 1)
        after.log(6)
        #expect(bench.service.flush(by: .seconds(30)).isComplete)
        let stored = try bench.provider.allTransactions()
        #expect(stored.map(\.id) == [after.id] && stored.map(\.user) == ["ann"])
        #expect(bench.provider.ledger?.dropped == [.loggedOut: 3])
    }

    @Test("C28: an object that is made before a logout and has no id goes on for the next user")
    func whatHasNoIDGoesOn() throws {
        let bench = try Bench { $0.user = "joe" }
        let nameless = bench.service.transaction(continuing: "", usecase: 1, device: phone)
        nameless.log(1)
        bench.clock.advance(by: .seconds(1))
        try bench.provider.deleteAll()
        bench.provider.user = "ann"
        bench.clock.advance(by: .seconds(1))
        nameless.log(2)
        let stored = try bench.provider.allTransactions()
        #expect(stored.map { $0.entries.map(\.event) } == [[2]] && stored.map(\.user) == ["ann"])
    }

    @Test("S32: what an object says that was made before its user was erased is not stored")
    func anErasureEndsWhatWasMadeBefore() throws {
        let bench = try Bench { $0.user = "joe" }
        bench.registration.unregister()
        let joes = bench.service.transaction(usecase: 1)
        bench.clock.advance(by: .seconds(1))
        try bench.provider.erase(user: "joe")
        bench.clock.advance(by: .seconds(1))
        bench.service.register(bench.provider)
        joes.log(1)
        let next = bench.service.transaction(usecase: 1)
        next.log(2)
        #expect(try bench.provider.allTransactions().map(\.id) == [next.id])
    }

    @Test("a transaction keeps the user it began with behind any number of others")
    func keepsItsUserBehindManyOthers() throws {
        let folder = TemporaryFolder()
        let clock = ManualClock(now: t0), session = TransactionSession(user: "joe", clock: .manual(clock))
        let store = try TransactionStore(path: folder.store, session: session)
        let heard = RecordingProvider(interest: .transactionEntries)
        let service = LogService(device: phone, clock: .manual(clock))
        service.register(heard)
        let transaction = service.transaction(usecase: 1)
        transaction.log(0)
        for _ in 0...TransactionSession.maximumBegun { _ = service.transaction(usecase: 2) }
        try store.append(heard.events)
        let parcel = try #require(try store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system))
        try store.settleDelivered(parcel.id)
        clock.advance(by: .seconds(1))
        session.user = "ann"
        transaction.log(1)
        try store.append(heard.events.suffix(1))
        let stored = try store.allTransactions().filter { !$0.entries.isEmpty }
        #expect(stored.map(\.id) == [transaction.id] && stored.map(\.user) == ["joe"])
    }

    @Test("C28: what a queue holds at a logout is counted, and stored for nobody")
    func whatAQueueHoldsAtALogout() throws {
        let bench = try Bench()
        let before = bench.service.transaction(usecase: 1)
        before.log(1)
        try bench.provider.deleteAll()
        let heard = RecordingProvider(interest: .transactionEntries)
        bench.service.register(heard)
        before.log(2)
        bench.service.transaction(usecase: 1).log(3)
        before.log(4)
        let ledger = bench.provider.ledger
        #expect(throws: BatchWriteError.self) { try bench.provider.write(heard.events) }
        #expect(ledger == LogLedger(submitted: 6, delivered: 4, dropped: [.loggedOut: 2]))
        #expect(bench.provider.ledger == LogLedger(submitted: 10, delivered: 6, dropped: [.loggedOut: 4]))
        #expect(bench.sqlite3("SELECT usecase_event FROM txn_log") == "3\n3")
    }

    @Test("S32: what was said of a user before the erasure, and waits in a queue, is not stored; what others said is")
    func anErasureEndsWhatWaits() throws {
        let folder = TemporaryFolder()
        let clock = ManualClock(now: t0), session = TransactionSession(user: "joe", clock: .manual(clock))
        let store = try TransactionStore(path: folder.store, session: session)
        let heard = RecordingProvider(interest: .transactionEntries)
        let service = LogService(device: phone, clock: .manual(clock))
        service.register(heard)
        let joes = service.transaction(usecase: 1)
        joes.log(1)
        clock.advance(by: .seconds(1))
        session.user = "ann"
        let anns = service.transaction(usecase: 1)
        clock.advance(by: .seconds(1))
        session.user = "joe"
        anns.log(2)   // it keeps the user with whom it began
        let joesAgain = service.transaction(usecase: 1)
        clock.advance(by: .seconds(1))
        #expect(try store.erase(user: "joe") == 0)
        joes.log(3)
        joesAgain.log(4)
        let next = service.transaction(usecase: 1)
        next.log(5)
        #expect(try store.append(heard.events) == [0, 1, 4, 5, 6])
        let stored = try store.allTransactions()
        #expect(stored.map(\.id) == [anns.id, next.id] && stored.map(\.user) == ["ann", "joe"])
        #expect(stored.map { $0.entries.map(\.event) } == [[2], [5]])
        // Of a transaction that is over nothing comes back, and of the others nothing goes.
        joes.log(6)
        anns.log(7)
        #expect(try store.append(Array(heard.events.dropFirst(9))) == [0])
        #expect(try store.erase(user: "ann") == 1)
        #expect(try store.allTransactions().map(\.id) == [next.id])
    }

    @Test(
        "of a transaction from before the changes that are remembered nobody says that it is somebody else's; what changes nothing is none",
        arguments: [false, true])
    func moreChangesThanAreRemembered(isAnother: Bool) throws {
        let folder = TemporaryFolder()
        let clock = ManualClock(now: t0), session = TransactionSession(user: "joe", clock: .manual(clock))
        let store = try TransactionStore(path: folder.store, session: session)
        let heard = RecordingProvider(interest: .transactionEntries)
        let service = LogService(device: phone, clock: .manual(clock))
        service.register(heard)
        service.transaction(usecase: 1).log(1)
        for number in 0..<64 {
            clock.advance(by: .seconds(1))
            session.user = isAnother ? "user \(number)" : "joe"
        }
        clock.advance(by: .seconds(1))
        #expect(try store.erase(user: "user 0") == 0)   // the first who is remembered
        #expect(try store.append(heard.events) == [])
        #expect(try store.allTransactions().map(\.user) == [isAnother ? nil : "joe"])
    }

    @Test("a user whose name only looks alike is another one")
    func aChangeThatOnlyLooksLikeNone() {
        let session = TransactionSession(user: "Jose\u{301}")
        session.user = "Jos\u{e9}"
        #expect(session.user.map { Array($0.utf8) } == Array("Jos\u{e9}".utf8))
    }

    @Test func anEntryOfAnotherSessionHasNoOffset() throws {
        let folder = TemporaryFolder()
        let bench = try Bench(in: folder)
        let transaction = bench.service.transaction(usecase: 1)
        bench.clock.advance(by: .seconds(2))
        transaction.log(0)
        bench.close()
        let again = try Bench(in: folder)
        again.service.transaction(continuing: transaction.id, usecase: 1, device: phone).log(1)
        let stored = try again.provider.allTransactions()
        #expect(stored[0].session == bench.provider.session)
        #expect(stored[0].session != again.provider.session)
        #expect(stored[0].entries.map(\.offset) == [2_000_000_000, nil])
    }

    @Test("of a transaction that began elsewhere nothing is said but what happened here, and on which device")
    func whatBeganElsewhere() throws {
        let bench = try Bench {
            $0.user = "joe"
            $0.variant = "B"
            $0.appVersion = "1.4.0"
        }
        bench.service.transaction(continuing: "TXN1-AFAR", usecase: 1, device: phone).log(3)
        let own = bench.service.transaction(usecase: 1)
        bench.service.transaction(continuing: own.id, usecase: 1, device: phone).log(4)
        let stored = try bench.provider.allTransactions()
        #expect(stored.map(\.id) == ["TXN1-AFAR", own.id])
        #expect(stored.map(\.user) == [nil, "joe"])
        #expect(stored.map(\.variant) == [nil, "B"])
        #expect(stored.map(\.appVersion) == [nil, "1.4.0"])
        #expect(stored.map(\.session) == [nil, bench.provider.session])
        #expect(stored.map(\.installation) == [nil, bench.provider.store.installation])
        #expect(stored.map { $0.entries.map(\.offset) } == [[nil], [0]])
        #expect(stored.map(\.deviceMake) == [phone.make, phone.make])
        #expect(stored.allSatisfy { $0.entries[0].key?.installation == bench.provider.store.installation })
    }

    @Test("a transaction that began before its provider listened is of this session all the same")
    func aBeginningThatNobodyHeard() throws {
        let bench = try Bench { $0.user = "joe" }
        bench.registration.unregister()
        let transaction = bench.service.transaction(usecase: 1)
        bench.service.register(bench.provider)
        transaction.log(3)
        let stored = try bench.provider.allTransactions()
        #expect(stored.map(\.user) == ["joe"] && stored.map(\.session) == [bench.provider.session])
        #expect(stored.map { $0.entries.map(\.event) } == [[3]])
    }

    @Test("a transaction that goes on after its delivery and a restart is of the run in which it began")
    func goesOnAfterARestart() throws {
        let server = try LoopbackServer { .status(202, headers: [HTTPHeader("Logbook-Parcel", $0.header("Logbook-Parcel") ?? "")]) }
        let folder = TemporaryFolder()
        func bench() throws -> Bench {
            try Bench(in: folder, url: server.url, token: "t") {
                $0.wireVersion = .v0_0_2
                $0.user = "joe"
            }
        }
        let first = try bench(), transaction = first.service.transaction(usecase: 1)
        transaction.log(0)
        try first.deliver()
        first.close()
        let second = try bench()
        second.service.transaction(continuing: transaction.id, usecase: 1, device: phone).log(1)
        try second.deliver()
        let sent = try server.requests.flatMap { try TransactionSet.decode($0.body, .v0_0_2).transactions }
        #expect(sent.map(\.id) == [transaction.id, transaction.id])
        #expect(sent.map(\.session) == [first.provider.session, nil])
        #expect(sent.map(\.user) == ["joe", nil])
        #expect(sent.map { $0.entries.map(\.offset) } == [[0], [nil]])
    }

    @Test("a transaction whose beginning could not be stored has begun all the same")
    func aBeginningThatIsLost() throws {
        let bench = try Bench {
            $0.user = "joe"
            $0.busyTimeout = .milliseconds(20)
        }
        let stranger = try DatabaseQueue(path: bench.folder.store)
        let transaction = try stranger.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN EXCLUSIVE")
            let transaction = bench.service.transaction(usecase: 1)
            try db.execute(sql: "ROLLBACK")
            return transaction
        }
        #expect(bench.errors.all == [.busy(path: bench.folder.store)])
        bench.provider.user = nil
        bench.clock.advance(by: .seconds(1))
        transaction.log(1)
        let stored = try bench.provider.allTransactions()
        #expect(stored.map(\.user) == ["joe"] && stored.map(\.session) == [bench.provider.session])
        #expect(stored.map { $0.entries.map(\.offset) } == [[1_000_000_000]])
    }

    @Test func whatReceiversWouldRefuseIsCut() throws {
        let session = TransactionSession(appVersion: "", user: String(repeating: "é", count: 200), variant: "a\0b")
        #expect(session.user?.utf8.count == 256)
        #expect(session.variant == "a␀b")
        #expect(session.appVersion == nil)
    }

    @Test("A message that is said inside a transaction carries its id, as a line of JSON too")
    func messagesCarryTheTransaction() async throws {
        let service = LogService(), provider = RecordingProvider()
        service.register(provider)
        let transaction = service.transaction(usecase: 4)
        transaction.run { service.info("inside") }
        await transaction.run {
            await Task { service.info("in a task inside") }.value
        }
        service.info("outside")
        let read = try provider.events.map { event in
            var line: [UInt8] = []
            JSONLineFormat().append(event, to: &line)
            return try JSONLineFormat.parse(line).event
        }
        #expect(read.map(\.transactionID) == [transaction.id, transaction.id, transaction.id, nil])
    }
}
#endif
