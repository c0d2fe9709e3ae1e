#if Transactions
import GRDB
import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookTransactions

@Suite struct TransactionDeliveryTests {
    @Test("C4, C15: entries carry the time at which they happened (G1)")
    func goldenG1OnTheWire() throws {
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: server.url + "/apptxnset", token: "abc123")
        let transaction = bench.service.transaction(continuing: goldenID, usecase: 17, device: phone)
        transaction.log(0)
        bench.clock.advance(by: .seconds(1418))
        transaction.log(1)
        bench.clock.advance(by: .seconds(9999 - 1418))
        try bench.deliver()
        #expect(try meaning(server.requests[0].body) == meaning(goldenG1))
    }

    @Test("C15: an error's code is a number on the wire (G2)")
    func goldenG2OnTheWire() throws {
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: server.url, token: "abc123")
        let transaction = bench.service.transaction(
            continuing: "TXN1-3BB05024-B7F6-4B66-838B-F6982FCB08DF", usecase: 1,
            device: DeviceFacts(make: "x86_64", os: "iPhone OS", osVersion: "8.1"))
        bench.clock.setWall(LogTime(seconds: 1_421_345_502))
        transaction.log(1)
        bench.clock.setWall(LogTime(seconds: 1_421_431_902))
        transaction.log(2, error: 42, "Baad!")
        try bench.deliver()
        #expect(try meaning(server.requests[0].body) == meaning(goldenG2))
    }

    @Test("C14: the request's head is the original's (G4)")
    func requestHead() throws {
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: server.url + "/fp/users/1/apptxnset", token: "abc123")
        bench.service.transaction(usecase: 1).log(1)
        let stored = try bench.provider.allTransactions()
        try bench.deliver()

        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.target == "/fp/users/1/apptxnset")
        #expect(request.header("Content-Type") == "application/vnd.fp.apptxnset-v0.0.1+json;charset=UTF-8")
        #expect(request.header("Authorization") == "fp-auth fp-token=\"abc123\"")
        #expect(request.header("Accept")?.contains("application/vnd.fp.apptxnset-v0.0.1+json") == true)
        #expect(request.header("Accept-Charset") == "UTF-8")
        #expect(request.header("Accept-Language") == "en-US")
        #expect(request.header("Content-Encoding") == nil)
        #expect(request.header("Logbook-Parcel")?.count == 36)
        #expect(stored.count == 1)
    }

    @Test func aTokenWithoutAParameterAndOneWithQuotes() throws {
        let server = try LoopbackServer { .status(202, headers: [HTTPHeader("Logbook-Parcel", $0.header("Logbook-Parcel") ?? "")]) }
        let bench = try Bench(url: server.url, token: "a=b==") {
            $0.authScheme = "Bearer"
            $0.authTokenParameter = nil
            $0.wireVersion = .v0_0_2
        }
        bench.service.transaction(usecase: 1).log(1)
        let stored = try bench.provider.allTransactions()
        try bench.deliver()
        #expect(server.requests[0].header("Authorization") == "Bearer a=b==")
        #expect(server.requests[0].header("Content-Type") == "application/vnd.fp.apptxnset-v0.0.2+json;charset=UTF-8")
        #expect(try TransactionSet.decode(server.requests[0].body, .v0_0_2).transactions == stored)

        let other = try Bench(url: server.url, token: "say \"hi\"")
        other.service.transaction(usecase: 1).log(1)
        try other.deliver()
        #expect(server.requests[1].header("Authorization") == #"fp-auth fp-token="say \"hi\"""#)
    }

    @Test("C13: every acknowledgement of the original empties the store", arguments: [
        (200, ""), (201, ""), (202, ""), (204, ""), (200, "{\"saved\": 1}"), (202, "<html><body>thanks</body></html>"),
    ])
    func acknowledgement(status: Int, body: String) throws {
        let server = try LoopbackServer { _ in .status(status, body: body) }
        let bench = try Bench(url: server.url, token: "t")
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1)
        transaction.log(2)
        try bench.deliver()
        #expect(bench.sqlite3("SELECT (SELECT count(*) FROM txn), (SELECT count(*) FROM txn_log), (SELECT count(*) FROM parcel)") == "0|0|0")
        #expect(bench.events.all == [.delivered(transactions: 1, entries: 2)])
        #expect(server.requests.count == 1)
    }

    @Test("C13: an acknowledgement is one whatever the media type begins with, and whatever charset it names", arguments: ["", "x-", "vnd.FP."])
    func anyPrefix(prefix: String) throws {
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: server.url, token: "t") {
            $0.mediaSubtypePrefix = prefix
            $0.charset = "utf-8"
        }
        bench.service.transaction(usecase: 1).log(1)
        try bench.deliver()
        #expect(server.requests.count == 1)
        #expect(server.requests.first?.header("Content-Type") == "application/\(prefix)apptxnset-v0.0.1+json;charset=utf-8")
        #expect(server.requests.first?.header("Accept-Charset") == "utf-8")
        #expect(server.requests.first?.header("Accept") == "application/\(prefix)apptxnset-v0.0.1+json;q=1.0")
        #expect(try bench.provider.counts() == TransactionStoreCounts())
    }

    @Test("C13: a page of HTML that says 200 acknowledges nothing, also in version 0.0.1", arguments: ["", "\u{FEFF}\r\n"])
    func aLoginPageIsNoAcknowledgement(beginning: String) throws {
        let isPortal = Locked(true)
        let server = try LoopbackServer { _ in
            isPortal.withLock { $0 } ? .status(200, body: beginning + "<!DOCTYPE html><title>please log in</title>") : .status(200)
        }
        let bench = try Bench(url: server.url)
        bench.service.transaction(usecase: 1).log(1)
        bench.provider.token = "t"
        #expect(bench.events.wait(for: 1) == [
            .failed(reason: "not acknowledged: HTTP status 200 with a page of HTML, as of somebody else")
        ])
        #expect(try bench.provider.counts().pending == 1)
        isPortal.withLock { $0 = false }
        bench.clock.advance(by: .seconds(10))
        #expect(bench.events.wait(for: 2).last == .delivered(transactions: 1, entries: 1))
        #expect(try bench.provider.counts() == TransactionStoreCounts())
    }

    @Test("C13: where no version is chosen only an answer that names the parcel deletes: no stranger's 204 or 200, no login page", arguments: [
        (200, "<html>please log in</html>"), (204, ""), (202, ""), (200, "{}"),
    ])
    func aStrangersAnswer(status: Int, body: String) throws {
        let isPortal = Locked(true)
        let server = try LoopbackServer { request in
            if isPortal.withLock({ $0 }) { return .status(status, headers: [HTTPHeader("Content-Type", "text/html")], body: body) }
            return .status(202, headers: [HTTPHeader("Logbook-Parcel", request.header("Logbook-Parcel") ?? "")])
        }
        let bench = try Bench(url: server.url, version: nil)
        bench.service.transaction(usecase: 1).log(1)
        bench.provider.token = "t"
        #expect(bench.events.wait(for: 1) == [
            .failed(reason: "not acknowledged: HTTP status \(status) without Logbook-Parcel, as of somebody else")
        ])
        #expect(try bench.provider.counts().pending == 1)
        #expect(bench.sqlite3("SELECT count(*) FROM txn_log") == "1")
        isPortal.withLock { $0 = false }
        bench.clock.advance(by: .seconds(10))
        #expect(bench.events.wait(for: 2).last == .delivered(transactions: 1, entries: 1))
        #expect(try bench.provider.counts() == TransactionStoreCounts())
        #expect(server.requests.allSatisfy { $0.header("Content-Type") == "application/vnd.fp.apptxnset-v0.0.2+json;charset=UTF-8" })
    }

    @Test func anAcknowledgementOfAnotherParcelIsNone() throws {
        let isWrong = Locked(true)
        let server = try LoopbackServer { request in
            let wrong = isWrong.withLock { isWrong in
                defer { isWrong = false }
                return isWrong
            }
            return .status(200, headers: [HTTPHeader("Logbook-Parcel", wrong ? "x" : request.header("Logbook-Parcel")!)])
        }
        let bench = try Bench(url: server.url)
        bench.service.transaction(usecase: 1).log(1)
        bench.provider.token = "t"
        #expect(bench.events.wait(for: 1) == [.failed(reason: "HTTP status 200 for another parcel")])
        #expect(try bench.provider.counts().pending == 1)
        bench.clock.advance(by: .seconds(10))
        #expect(bench.events.wait(for: 2).last == .delivered(transactions: 1, entries: 1))
        #expect(server.requests[0] == server.requests[1])
    }

    @Test("C12: an event after the delivery brings the transaction back under the same id")
    func logsAfterADelivery() throws {
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: server.url, token: "t")
        let transaction = bench.service.transaction(usecase: 4)
        transaction.log(1)
        try bench.deliver()
        #expect(bench.sqlite3("SELECT count(*) FROM txn") == "0")
        transaction.log(7)
        #expect(bench.sqlite3("SELECT guid, usecase, usecase_event FROM txn JOIN txn_log ON txn_id = txn.id") == "\(transaction.id)|4|7")
        try bench.deliver()
        #expect(try server.requests.map(usecaseEvents) == [[transaction.id: [1]], [transaction.id: [7]]])
    }

    @Test("A1: a thread that the machine had not to give is started with the next entry, and every interval delivers from then on")
    func aThreadThatWasNotGiven() throws {
        let server = try LoopbackServer { _ in .status(202) }
        let folder = TemporaryFolder(), clock = ManualClock(now: t0), attempts = Locked(0), events = Heard<TransactionDeliveryEvent>()
        var configuration = TransactionLogConfiguration(storePath: folder.store, storeURL: server.url, token: "t")
        configuration.wireVersion = .v0_0_1
        configuration.clock = .manual(clock)
        configuration.onDelivery = { events.append($0) }
        let provider = try TransactionLogProvider(
            configuration: configuration,
            startThread: { name, body in
                let isFirst = attempts.withLock { attempts in
                    attempts += 1
                    return attempts == 1
                }
                return !isFirst && LogThread.start(name, body)
            })
        let service = LogService(device: phone, clock: .manual(clock))
        service.register(provider)
        #expect(attempts.withLock { $0 } == 1)
        service.transaction(usecase: 1).log(1)
        clock.advance(by: .seconds(20))
        #expect(events.wait(for: 1) == [.delivered(transactions: 1, entries: 1)])
        #expect(attempts.withLock { $0 } == 2)
        try provider.shutdown(by: .seconds(30))
    }

    @Test("C2, C16: nothing to send makes no request and no noise")
    func nothingToSend() throws {
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: server.url, token: "t")
        try bench.deliver()
        _ = bench.service.transaction(usecase: 1)   // begun, and nothing has happened in it
        try bench.deliver()
        #expect(server.requests.isEmpty)
        #expect(bench.events.all.isEmpty)
        #expect(try bench.provider.counts() == TransactionStoreCounts(transactions: 1))
    }

    @Test("C22: without a token or an address nothing is sent, and the reason is told")
    func guards() async throws {
        let server = try LoopbackServer { _ in .status(202) }
        let withoutToken = try Bench(url: server.url), withoutURL = try Bench(token: "t")
        withoutToken.service.transaction(usecase: 1).log(1)
        withoutURL.service.transaction(usecase: 1).log(1)
        await #expect(throws: TransactionDeliveryError.noToken) { try await withoutToken.provider.deliver() }
        await #expect(throws: TransactionDeliveryError.noStoreURL) { try await withoutURL.provider.deliver() }
        #expect(throws: TransactionDeliveryError.noToken) { try withoutToken.deliver() }
        #expect(server.requests.isEmpty)
        #expect(withoutToken.events.all.isEmpty)
    }

    @Test("D1, D3: while conditions do not hold entries are stored and not sent; one with an error goes at once where that is urgent")
    func conditions() throws {
        let isOpen = Locked(false), reason = "the program's own condition does not hold"
        let server = try LoopbackServer { _ in .status(202) }
        let folder = TemporaryFolder()
        let bench = try Bench(in: folder, url: server.url, token: "t") {
            $0.conditions = DeliveryConditions(urgentFrom: .warning, custom: { isOpen.withLock { $0 } })
        }
        bench.service.transaction(usecase: 1).log(1)
        #expect(throws: CourierError.heldBack(pending: 1, reason: reason)) { try bench.deliver() }
        #expect(bench.provider.deliveryStatus.state == .heldBack && bench.provider.deliveryStatus.latestAnswer == reason)
        #expect(server.requests.isEmpty)

        bench.service.transaction(usecase: 2).log(1, error: 42, "Baad!")
        #expect(bench.events.wait(for: 2) == [.delivered(transactions: 1, entries: 1), .delivered(transactions: 1, entries: 1)])
        bench.service.transaction(usecase: 3).log(1)
        #expect(throws: CourierError.heldBack(pending: 1, reason: reason)) { try bench.deliver() }
        #expect(server.requests.count == 2)
        bench.close()
        #expect(sqlite3(folder.store, "SELECT count(*) FROM txn_log") == "1")

        isOpen.withLock { $0 = true }
        let again = try Bench(in: folder, url: server.url, token: "t") {
            $0.conditions = DeliveryConditions(custom: { isOpen.withLock { $0 } })
        }
        try again.deliver()
        #expect(server.requests.count == 3)
        #expect(try again.provider.counts().entries == 0)
    }

    @Test("D2: each entry goes a day after it happened, whatever the conditions are")
    func maximumDeferral() throws {
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: server.url, token: "t") {
            $0.parcelLimits.transactions = 1
            $0.conditions = DeliveryConditions(custom: { false })
        }
        bench.service.transaction(usecase: 1).log(1)
        bench.clock.advance(by: .seconds(3600))
        bench.service.transaction(usecase: 2).log(1)
        bench.clock.advance(by: .seconds(86_400 - 3600))
        #expect(throws: CourierError.self) { try bench.deliver() }
        #expect(server.requests.count == 1)
        bench.clock.advance(by: .seconds(3600))
        try bench.deliver()
        #expect(server.requests.count == 2)
    }

    @Test("Row 21: what cannot be read is not said to be delivered")
    func aStoreThatIsLocked() throws {
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: server.url, token: "t") {
            $0.busyTimeout = .milliseconds(50)
            $0.delivery.interval = nil   // nothing goes but what is asked for
        }
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1)
        var patient = Configuration()
        patient.busyMode = .timeout(30)
        let other = try DatabaseQueue(path: bench.folder.store, configuration: patient)
        try other.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN EXCLUSIVE")
            #expect(throws: CourierError.self) { try bench.provider.deliver(by: .milliseconds(200)) }   // who writes may be done before
            try db.execute(sql: "ROLLBACK")
        }
        bench.clock.advance(by: .seconds(60))
        #expect(!bench.errors.all.isEmpty && bench.errors.all.allSatisfy { $0 == .busy(path: bench.folder.store) })
        #expect(server.requests.isEmpty)
        try bench.deliver()
        #expect(try server.requests.map(usecaseEvents) == [[transaction.id: [1]]])
    }

    @Test("C23: an event that comes while its transaction is under way is sent with the next request")
    func logsDuringADelivery() throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .after(gate, .status(202)) }
        let bench = try Bench(url: server.url)
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1)
        bench.provider.token = "t"
        #expect(server.waitForRequests(1))
        transaction.log(3)
        gate.open()
        try bench.deliver()
        #expect(try server.requests.map(usecaseEvents) == [[transaction.id: [1]], [transaction.id: [3]]])
        #expect(try bench.provider.counts() == TransactionStoreCounts())
    }

    @Test("C24: one request at a time, and it touches nothing but its own")
    func oneRequestAtATime() throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .after(gate, .status(202)) }
        let bench = try Bench(url: server.url, interval: .milliseconds(100))
        bench.service.transaction(usecase: 1).log(1)
        bench.provider.token = "t"
        #expect(server.waitForRequests(1))
        for _ in 0..<30 { bench.clock.advance(by: .milliseconds(100)) }
        let second = bench.service.transaction(usecase: 2)
        second.log(1)
        #expect(server.requests.count == 1)
        gate.open()
        try bench.deliver()
        #expect(server.requests.count == 2)
        #expect(try usecaseEvents(server.requests[1]) == [second.id: [1]])
    }

    @Test("C27: a delivery that stalls holds up none of 10,000 log calls of eight threads, and all of them are there")
    func loggingDoesNotWaitForADelivery() throws {
        let gate = Gate(), done = Heard<Int>()
        let server = try LoopbackServer { _ in .after(gate, .status(202)) }
        let bench = try Bench(in: TemporaryFolder(inMemory: true), url: server.url) {   // nor does it wait for a disk
            $0.requestLimits.total = .seconds(300)   // longer than anything here takes
        }
        bench.service.transaction(usecase: 1).log(1)
        bench.provider.token = "t"
        #expect(server.waitForRequests(1))
        for thread in 0..<8 {
            LogThread.start("logging") {
                let transaction = bench.service.transaction(usecase: thread)
                for event in 0..<1250 { transaction.log(event) }
                done.append(thread)
            }
        }
        // All of them return while the server holds its answer back: the gate is opened below.
        #expect(becomesTrue(by: .seconds(120)) { done.all.count == 8 })
        #expect(server.requests.count == 1 && bench.events.all.isEmpty)
        #expect(bench.provider.deliveryStatus.state == .delivering)
        #expect(try bench.provider.counts().entries == 10_001)
        #expect(bench.registration.ledger == LogLedger(submitted: 10_010, delivered: 10_010))
        gate.open()
        try bench.deliver()
        var arrived: [String: [Int]] = [:]
        for request in server.requests { arrived.merge(try usecaseEvents(request)) { $0 + $1 } }
        #expect(arrived.count == 9 && arrived.values.count { $0 == Array(0..<1250) } == 8)
        #expect(try bench.provider.counts() == TransactionStoreCounts())
    }

    @Test("C28: after a logout nothing of the old user reaches the new address, and an old answer deletes nothing new")
    func logout() throws {
        let gate = Gate()
        let old = try LoopbackServer { _ in .after(gate, .status(202)) }
        let new = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: old.url)
        let before = bench.service.transaction(usecase: 1)
        before.log(1)
        bench.provider.token = "old"
        #expect(old.waitForRequests(1))

        before.log(2)
        bench.provider.setStore(url: nil, token: nil)
        try bench.provider.deleteAll()
        let after = bench.service.transaction(usecase: 1)
        after.log(3)
        gate.open()
        bench.provider.setStore(url: new.url, token: "new")
        try bench.deliver()
        before.log(4)   // somebody of the old user's is late
        after.log(5)
        try bench.deliver()

        #expect(old.requests.count == 1)
        #expect(try new.requests.map(usecaseEvents) == [[after.id: [3]], [after.id: [5]]])
        #expect(new.requests.allSatisfy { $0.header("Authorization") == "fp-auth fp-token=\"new\"" })
        #expect(bench.events.all == Array(repeating: .delivered(transactions: 1, entries: 1), count: 2))
        #expect(bench.registration.ledger == LogLedger(submitted: 7, delivered: 6, dropped: [.loggedOut: 1]))
    }

    @Test("C28: a parcel that was made before a logout, and waits for the conditions, goes to nobody")
    func aLogoutWhileTheConditionsAreAsked() throws {
        let old = try LoopbackServer { _ in .status(202) }, new = try LoopbackServer { _ in .status(202) }
        let gate = Gate()
        let bench = try Bench(url: old.url) {
            $0.conditions = DeliveryConditions(custom: {
                gate.wait()
                return true
            })
        }
        bench.service.transaction(usecase: 1).log(1)
        bench.provider.token = "old"
        #expect(gate.waitForArrivals(1))
        bench.provider.setStore(url: nil, token: nil)
        try bench.provider.deleteAll()
        gate.open()
        let after = bench.service.transaction(usecase: 1)
        after.log(2)
        bench.provider.setStore(url: new.url, token: "new")
        try bench.deliver()
        #expect(old.requests.isEmpty)
        #expect(try new.requests.map(usecaseEvents) == [[after.id: [2]]])
        #expect(new.requests.map { $0.header("Authorization") } == ["fp-auth fp-token=\"new\""])
    }

    @Test("what is deleted while its parcel waits for the conditions is not sent, also where the address stays", arguments: 0..<3)
    func aDeletionWhileTheConditionsAreAsked(kind: Int) throws {
        let server = try LoopbackServer { _ in .status(202) }, gate = Gate()
        let bench = try Bench(url: server.url) {
            $0.conditions = DeliveryConditions(custom: {
                gate.wait()
                return true
            })
        }
        bench.provider.user = "ann"
        let gone = bench.service.transaction(usecase: 1)
        gone.log(1)
        bench.provider.token = "t"
        #expect(gate.waitForArrivals(1))
        bench.provider.user = "joe"
        bench.clock.advance(by: .seconds(1))
        switch kind {
        case 0: try bench.provider.deleteAll()
        case 1: try bench.provider.delete([gone.id])
        default: try bench.provider.erase(user: "ann")
        }
        let stays = bench.service.transaction(usecase: 1)
        stays.log(2)
        gate.open()
        try bench.deliver()
        #expect(try server.requests.map(usecaseEvents) == [[stays.id: [2]]])
        #expect(bench.events.all == [.delivered(transactions: 1, entries: 1)])
    }

    @Test(
        "what is deleted while it is under way is not counted as delivered, and what is left of its parcel is not set aside for it",
        arguments: [400, 202])
    func aDeletionUnderWay(status: Int) throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            .after(gate, .status(String(decoding: request.body, as: UTF8.self).contains("gone") ? status : 202))
        }
        let bench = try Bench(url: server.url)
        let first = bench.service.transaction(usecase: 1), second = bench.service.transaction(usecase: 2)
        first.log(1, error: 1, "gone")
        second.log(2)
        bench.provider.token = "t"
        #expect(server.waitForRequests(1))
        try bench.provider.delete([first.id])
        gate.open()
        try bench.deliver()
        let both = [first.id: [1], second.id: [2]]
        #expect(try server.requests.map(usecaseEvents) == (status == 400 ? [both, [second.id: [2]]] : [both]))
        #expect(bench.events.all == [.delivered(transactions: 1, entries: 1)])
        #expect(try bench.provider.counts() == TransactionStoreCounts())
    }

    @Test("C28: what a logout has deleted is not said to be set aside when the old receiver refuses it")
    func anOldRefusal() throws {
        let gate = Gate(), server = try LoopbackServer { _ in .after(gate, .status(400)) }
        let bench = try Bench(url: server.url)
        bench.service.transaction(usecase: 1).log(1)
        bench.provider.token = "t"
        #expect(server.waitForRequests(1))
        bench.provider.setStore(url: nil, token: nil)
        try bench.provider.deleteAll()
        gate.open()
        let accepting = try LoopbackServer { _ in .status(202) }
        bench.service.transaction(usecase: 1).log(2)
        bench.provider.setStore(url: accepting.url, token: "t")
        try bench.deliver()
        #expect(bench.events.all == [.delivered(transactions: 1, entries: 1)])
        #expect(try bench.provider.counts() == TransactionStoreCounts())
    }

    @Test("C28: a token that is set with its address is never sent to the old one")
    func addressAndTokenTogether() throws {
        let old = try LoopbackServer { _ in .status(503) }
        let new = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: old.url)
        bench.service.transaction(usecase: 1).log(1)
        bench.provider.token = "old"
        #expect(bench.events.wait(for: 1) == [.serverBusy(until: nil)])
        bench.provider.setStore(url: new.url, token: "new")
        #expect(bench.events.wait(for: 2).last == .delivered(transactions: 1, entries: 1))
        #expect(bench.provider.storeURL == new.url && bench.provider.token == "new")
        #expect(old.requests.map { $0.header("Authorization") } == ["fp-auth fp-token=\"old\""])
        #expect(new.requests.map { $0.header("Authorization") } == ["fp-auth fp-token=\"new\""])
    }

    @Test("entries are delivered when there are so many, and not before", arguments: [LogDelivery.immediate, .queued()])
    func deliveryOnSize(delivery: LogDelivery) throws {
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: server.url, token: "t", delivery: delivery) {
            $0.deliverAfterEntries = 5
            $0.delivery.interval = nil   // nothing else has it look
        }
        let transaction = bench.service.transaction(usecase: 1)
        for event in 1...4 { transaction.log(event) }
        #expect(bench.service.flush(by: .seconds(30)).unfinished.isEmpty)
        #expect(server.requests.isEmpty)
        transaction.log(5)
        #expect(bench.events.wait(for: 1) == [.delivered(transactions: 1, entries: 5)])
        #expect(try server.requests.map(usecaseEvents) == [[transaction.id: [1, 2, 3, 4, 5]]])

        // They are counted anew, though some may go early with what is sent already: the courier looks once more whether there is any.
        for event in 6...9 { transaction.log(event) }
        #expect(bench.service.flush(by: .seconds(30)).unfinished.isEmpty)
        #expect(bench.provider.uncollected.withLock { $0 } == 4)
        transaction.log(10)
        _ = bench.events.wait { events in
            let sent = events.map { if case .delivered(_, let entries) = $0 { entries } else { 0 } }
            return sent.reduce(0, +) == 10
        }
        #expect(try server.requests.flatMap { try usecaseEvents($0)[transaction.id] ?? [] } == Array(1...10))
    }

    @Test("how old the oldest entry is counts from when it was said, sent or not")
    func theOldestAge() throws {
        let server = try LoopbackServer { request in
            .status(String(decoding: request.body, as: UTF8.self).contains("poison") ? 400 : 503)
        }
        let bench = try Bench(url: server.url)
        #expect(bench.provider.deliveryStatus.oldestAge == nil)
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1, error: 1, "poison")
        bench.clock.advance(by: .seconds(30))
        transaction.log(2)
        bench.clock.advance(by: .seconds(30))
        #expect(bench.provider.deliveryStatus.oldestAge == .seconds(60))
        bench.provider.token = "t"
        let events = bench.events.wait(for: 2)   // the one set aside, the other on its way
        #expect(events == [.setAside(entries: 1, reason: "HTTP status 400"), .serverBusy(until: nil)])
        #expect(bench.provider.deliveryStatus.oldestAge == .seconds(30))
        try bench.provider.deleteAll()
        #expect(bench.provider.deliveryStatus.oldestAge == nil)
    }

    @Test("A2: what was logged before the login is sent as soon as there is a token")
    func tokenComesLater() throws {
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: server.url)
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(2)
        transaction.log(7)
        bench.provider.token = "t"
        #expect(bench.events.wait(for: 1) == [.delivered(transactions: 1, entries: 2)])
    }

    @Test func aParcelIsTheSameAfterARestart() throws {
        let folder = TemporaryFolder()
        let server = try LoopbackServer { _ in .status(500) }
        let bench = try Bench(in: folder, url: server.url)
        bench.service.transaction(usecase: 1).log(1)
        bench.provider.token = "t"
        #expect(bench.events.wait(for: 1).count == 1)
        bench.service.transaction(usecase: 2).log(2)
        bench.close()

        let good = try LoopbackServer { .status(202, headers: [HTTPHeader("Logbook-Parcel", $0.header("Logbook-Parcel") ?? "")]) }
        let again = try Bench(in: folder, url: good.url, token: "t") { $0.wireVersion = .v0_0_2 }
        try again.deliver()
        #expect(good.requests.count == 2)
        #expect(good.requests[0].body == server.requests[0].body)
        for name in ["Logbook-Parcel", "Content-Type"] {
            #expect(good.requests[0].header(name) == server.requests[0].header(name))
        }
    }
}
#endif
