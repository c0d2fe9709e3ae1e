#if Transactions
import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookTransactions

// What a server answers that acknowledges nothing, or none at all.
extension TransactionDeliveryTests {
    @Test("C17: a busy server names a date, with the wrong weekday")
    func busyUntilADate() throws {
        let server = try LoopbackServer { _ in
            .status(503, headers: [HTTPHeader("Retry-After", "Fri, 04 Nov 2014 23:59:59 GMT")])
        }
        let bench = try Bench(url: server.url)
        bench.clock.setWall(LogTime(seconds: 1_415_145_000))
        bench.service.transaction(usecase: 1).log(1)
        bench.provider.token = "t"
        #expect(bench.events.wait(for: 1) == [.serverBusy(until: LogTime(seconds: 1_415_145_599))])
        #expect(try bench.provider.counts().pending == 1)
    }

    @Test func whatBecameOfADeliveryIsSaidInWords() {
        let events: [TransactionDeliveryEvent] = [
            .delivered(transactions: 1, entries: 3), .delivered(transactions: 2, entries: 1),
            .serverBusy(until: LogTime(seconds: 1_415_145_599)), .serverBusy(until: nil), .authenticationRequired,
            .failed(reason: #"HTTP status 500: {"error":"down"}"#), .setAside(entries: 1, reason: "HTTP status 400"),
        ]
        #expect(
            events.map { "\($0)" } == [
                "3 entries of 1 transaction delivered", "1 entry of 2 transactions delivered",
                "the server asks for patience until 2014-11-04T23:59:59Z; everything is kept",
                "the server asks for patience; everything is kept",
                "the server does not know the token; everything is kept until there is another",
                #"not delivered, everything is kept: HTTP status 500: {"error":"down"}"#,
                "1 entry set aside, which the server will never take: HTTP status 400",
            ])
    }

    @Test("C18: a busy server is left alone for as long as it asks")
    func busyForSeconds() throws {
        let clock = Locked<ManualClock?>(nil), arrivals = Heard<LogTime>()
        let server = try LoopbackServer { _ in
            arrivals.append(clock.withLock { $0!.now })
            return arrivals.all.count == 1 ? .status(503, headers: [HTTPHeader("Retry-After", "90")]) : .status(202)
        }
        let bench = try Bench(url: server.url, interval: .seconds(20))
        clock.withLock { $0 = bench.clock }
        bench.service.transaction(usecase: 1).log(1)
        bench.provider.token = "t"
        #expect(bench.events.wait(for: 1) == [.serverBusy(until: t0.adding(.seconds(90)))])
        for _ in 0..<5 { bench.clock.advance(by: .seconds(20)) }
        #expect(bench.events.wait(for: 2).last == .delivered(transactions: 1, entries: 1))
        #expect(arrivals.all.count == 2)
        #expect(arrivals.all[1] >= t0.adding(.seconds(90)))
    }

    @Test("C18: what a busy server asks for says nothing of the one at another address, and goes on for a new token", arguments: [false, true])
    func busyAtAnotherAddress(isSetAtOnce: Bool) throws {
        let busy = try LoopbackServer { _ in .status(503, headers: [HTTPHeader("Retry-After", "90")]) }
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: busy.url, token: "t")
        bench.service.transaction(usecase: 1).log(1)
        #expect(throws: CourierError.self) { try bench.provider.deliver(by: .milliseconds(100)) }
        #expect(bench.events.wait(for: 1) == [.serverBusy(until: t0.adding(.seconds(90)))])
        bench.provider.token = "new"
        bench.provider.setStore(url: nil, token: nil)
        bench.provider.setStore(url: busy.url, token: "new")
        #expect(throws: CourierError.self) { try bench.provider.deliver(by: .milliseconds(20)) }
        #expect(busy.requests.count == 1)
        if isSetAtOnce {
            bench.provider.setStore(url: server.url, token: "other")
        } else {
            bench.provider.setStore(url: nil, token: nil)
            bench.provider.storeURL = server.url
            bench.provider.token = "other"
        }
        try bench.deliver()
        #expect(server.requests.count == 1)
        #expect(busy.requests.count == 1)
    }

    @Test("C18: a busy server that names no time is tried again after a pause of ours")
    func busyWithoutATime() throws {
        let server = try LoopbackServer { _ in .status(503) }
        let bench = try Bench(url: server.url)
        bench.service.transaction(usecase: 1).log(1)
        bench.provider.token = "t"
        #expect(bench.events.wait(for: 1) == [.serverBusy(until: nil)])
        #expect(try bench.provider.counts().pending == 1)
        #expect(bench.provider.deliveryStatus.state == .waiting)
    }

    @Test("C19: a token that is refused is forgotten, and the same rows go with the next one")
    func tokenRefused() throws {
        let server = try LoopbackServer { request in
            .status(request.header("Authorization") == "fp-auth fp-token=\"new\"" ? 202 : 401)
        }
        let bench = try Bench(url: server.url, token: "old", interval: .seconds(20))
        bench.service.transaction(usecase: 1).log(1)
        #expect(throws: (any Error).self) { try bench.deliver() }
        #expect(bench.provider.token == nil)
        #expect(bench.events.all == [.authenticationRequired])
        #expect(try bench.provider.counts().pending == 1)

        for _ in 0..<100 { bench.clock.advance(by: .seconds(20)) }
        #expect(throws: TransactionDeliveryError.noToken) { try bench.deliver() }
        #expect(server.requests.count == 1)

        bench.provider.token = "new"
        try bench.deliver()
        #expect(server.requests.count == 2)
        #expect(server.requests[0].body == server.requests[1].body)
        #expect(bench.events.all == [.authenticationRequired, .delivered(transactions: 1, entries: 1)])
    }

    @Test("C20: no other answer deletes anything, and each is reported", arguments: [
        203, 205, 206, 301, 302, 303, 304, 307, 308, 400, 402, 403, 404, 405, 406, 408, 409, 410, 413, 415, 422, 429, 431,
        500, 501, 502, 504, 505, 599,
    ])
    func otherAnswers(status: Int) throws {
        let server = try LoopbackServer { request in
            request.target == "/" ? .status(status, headers: [HTTPHeader("Location", "/elsewhere")]) : .status(200)
        }
        let bench = try Bench(url: server.url + "/")
        bench.service.transaction(usecase: 1).log(1)
        bench.provider.token = "t"
        let events = bench.events.wait(for: 1)
        switch events.first {
        case .failed(let reason)?, .setAside(entries: 1, let reason)?: #expect(reason.contains("\(status)"))
        default: Issue.record("\(status) was reported as \(events)")
        }
        #expect(try bench.provider.counts().entries == 1)
        #expect(server.requests.map(\.target) == ["/"])
    }

    @Test("C29: one poisonous entry among many in one request: the others arrive, it is kept, and reported once")
    func poisonAmongOthers() throws {
        let server = try LoopbackServer { request in
            .status(String(decoding: request.body, as: UTF8.self).contains("poison") ? 400 : 202)
        }
        let bench = try Bench(url: server.url, token: "t")
        let transactions = (0..<10).map { _ in bench.service.transaction(usecase: 1) }
        for event in 0..<5 {
            for (place, transaction) in transactions.enumerated() {
                let isPoison = place == 6 && event == 3
                transaction.log(event, error: isPoison ? 1 : nil, isPoison ? "poison" : nil)
            }
        }
        try bench.deliver()

        let accepted = try server.requests.filter { !String(decoding: $0.body, as: UTF8.self).contains("poison") }.map(usecaseEvents)
        var arrived: [String: [Int]] = [:]
        for events in accepted { arrived.merge(events) { $0 + $1 } }
        for (place, transaction) in transactions.enumerated() {
            #expect(arrived[transaction.id]?.sorted() == (place == 6 ? [0, 1, 2, 4] : [0, 1, 2, 3, 4]))
        }
        #expect(bench.events.all.filter { if case .setAside = $0 { true } else { false } } == [
            .setAside(entries: 1, reason: "HTTP status 400")
        ])
        let kept = try bench.provider.allTransactions()
        #expect(kept.map(\.id) == [transactions[6].id])
        #expect(kept[0].entries.map(\.errorDescription) == ["poison"])
        #expect(try bench.provider.counts() == TransactionStoreCounts(transactions: 1, entries: 1, setAside: 1))
    }

    @Test func whatIsSetAsideDoesNotHoldUpTheRest() throws {
        let server = try LoopbackServer { request in
            .status(String(decoding: request.body, as: UTF8.self).contains("poison") ? 400 : 202)
        }
        let bench = try Bench(url: server.url, token: "t") { $0.parcelLimits.transactions = 1 }
        bench.service.transaction(usecase: 1).log(1, error: 1, "poison")
        bench.service.transaction(usecase: 2).log(1)
        try bench.deliver()
        #expect(bench.events.all == [
            .setAside(entries: 1, reason: "HTTP status 400"), .delivered(transactions: 1, entries: 1),
        ])
        #expect(try bench.provider.counts() == TransactionStoreCounts(transactions: 1, entries: 1, pending: 0, setAside: 1))
        try bench.deliver()
        #expect(server.requests.count == 2)
    }

    @Test func aSetThatIsTooLargeGoesInHalves() throws {
        let server = try LoopbackServer { request in
            let set = try? TransactionSet.decode(request.body)
            return .status((set?.entryCount ?? 0) > 3 ? 413 : 202)
        }
        let bench = try Bench(url: server.url, token: "t")
        let transaction = bench.service.transaction(usecase: 1)
        for event in 0..<10 { transaction.log(event) }
        try bench.deliver()
        #expect(try bench.provider.counts().entries == 0)
        let accepted = try server.requests.compactMap { try usecaseEvents($0)[transaction.id] }.filter { $0.count <= 3 }
        #expect(accepted.flatMap(\.self) == Array(0..<10))
    }

    @Test("C25: when an answer is lost the same parcel comes again, and a receiver that knows entry ids has each entry once")
    func lostAnswer() throws {
        let archive = Locked<[EntryKey: Int]>([:]), parcels = Heard<String>()
        let server = try LoopbackServer { request in
            let name = request.header("Logbook-Parcel") ?? ""
            let set = (try? TransactionSet.decode(request.body, .v0_0_2)) ?? TransactionSet()
            for key in set.transactions.flatMap({ $0.entries.compactMap(\.key) }) { archive.withLock { $0[key, default: 0] += 1 } }
            parcels.append(name)
            return parcels.all.count == 1 ? .reset : .status(202, headers: [HTTPHeader("Logbook-Parcel", name)])
        }
        let bench = try Bench(url: server.url) { $0.wireVersion = .v0_0_2 }
        let transaction = bench.service.transaction(usecase: 1)
        for event in 0..<3 { transaction.log(event) }
        bench.provider.token = "t"
        guard case .failed? = bench.events.wait(for: 1).first else { return #expect(Bool(false), "no failure was reported") }
        #expect(try bench.provider.counts().pending == 3)
        bench.clock.advance(by: .seconds(10))
        #expect(bench.events.wait(for: 2).last == .delivered(transactions: 1, entries: 3))
        #expect(parcels.all.count == 2 && Set(parcels.all).count == 1)
        #expect(archive.withLock { $0.count } == 3)
        #expect(archive.withLock { Set($0.values) } == [2])   // each was seen twice, under one id
        #expect(server.requests[0].body == server.requests[1].body)
    }

    @Test("C21: nobody listens: everything is kept, each interval tries again, and the first that finds somebody delivers")
    func connectionRefused() throws {
        let port = try FreePorts.take(1)[0]
        let bench = try Bench(url: "http://127.0.0.1:\(port)", interval: .seconds(20))
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1)
        bench.provider.token = "t"
        for attempt in 1...2 {
            let events = bench.events.wait(for: attempt)
            guard events.count == attempt, case .failed(let reason)? = events.last else {
                Issue.record("attempt \(attempt) was reported as \(events)")
                return
            }
            #expect(!reason.isEmpty && bench.provider.deliveryStatus.state == .waiting)
            #expect(try bench.provider.counts().pending == 1)
            if attempt == 1 { bench.clock.advance(by: .seconds(20)) }
        }
        let server = try LoopbackServer(port: port) { _ in .status(202) }
        bench.clock.advance(by: .seconds(20))
        #expect(bench.events.wait(for: 3).last == .delivered(transactions: 1, entries: 1))
        #expect(try server.requests.map(usecaseEvents) == [[transaction.id: [1]]])
        #expect(try bench.provider.counts() == TransactionStoreCounts())
    }

    @Test("C21: an answer that never comes, and then one that does")
    func stalledServer() throws {
        let gate = Gate(), isSilent = Locked(true)
        defer { gate.open() }
        let server = try LoopbackServer { _ in isSilent.withLock { $0 } ? .after(gate, .status(202)) : .status(202) }
        let bench = try Bench(url: server.url, interval: .seconds(20)) { $0.requestLimits.total = .milliseconds(300) }
        bench.service.transaction(usecase: 1).log(1)
        bench.provider.token = "t"
        guard case .failed? = bench.events.wait(for: 1).first else { return #expect(Bool(false), "no failure was reported") }
        #expect(try bench.provider.counts().pending == 1)
        // A busy machine may give one up before it is out, also one that would be answered.
        func goOn(until isSo: () -> Bool) -> Bool {
            becomesTrue {
                bench.clock.advance(by: .seconds(300))
                return isSo()
            }
        }
        #expect(goOn { !server.requests.isEmpty })
        isSilent.withLock { $0 = false }
        #expect(goOn { bench.events.all.last == .delivered(transactions: 1, entries: 1) })
        #expect(server.requests.count > 1 && Set(server.requests.map(\.body)).count == 1)
        #expect(Set(server.requests.map { $0.header("Logbook-Parcel") }).count == 1)
    }

    @Test("C21: a large set may take longer, unless the configuration says how long", arguments: [nil, .seconds(30)] as [Duration?])
    func timeForALargeSet(own: Duration?) throws {
        let transport = ScriptedTransport(.status(202))
        let bench = try Bench(url: "http://127.0.0.1:1", token: "t") {
            $0.transport = transport
            if let own { $0.requestLimits.total = own }
        }
        let transaction = bench.service.transaction(usecase: 1)
        for event in 0..<150 { transaction.log(event) }
        try bench.deliver()
        let request = try #require(transport.requests.first)
        #expect(request.body.count > 8192)
        #expect(request.limits.total == own ?? .seconds(30 + request.body.count / 8192))
    }

    @Test("C28: a refusal of the old token does not cost the new one")
    func lateRefusal() throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            request.header("Authorization") == "fp-auth fp-token=\"new\"" ? .status(202) : .after(gate, .status(401))
        }
        let bench = try Bench(url: server.url)
        bench.service.transaction(usecase: 1).log(1)
        bench.provider.token = "old"
        #expect(server.waitForRequests(1))
        bench.provider.token = "new"
        gate.open()
        try bench.deliver()
        #expect(bench.provider.token == "new")
        #expect(bench.events.all == [.delivered(transactions: 1, entries: 1)])
    }

    @Test("C20: what was sent in a version that the receiver does not read goes in another one, once that is set")
    func aVersionThatIsNotRead() throws {
        let folder = TemporaryFolder()
        let server = try LoopbackServer { request in
            .status(request.header("Content-Type")?.contains("v0.0.1+json") == true ? 202 : 415)
        }
        let bench = try Bench(in: folder, url: server.url, token: "t") { $0.wireVersion = .v0_0_2 }
        let first = bench.service.transaction(usecase: 1), second = bench.service.transaction(usecase: 2)
        first.log(1)
        second.log(2)
        let remedy = "HTTP status 415; it does not read version 0.0.2: set wireVersion to .v0_0_1 for servers of PEAppTransaction"
        #expect(throws: CourierError.misconfigured(pending: 2, reason: remedy)) { try bench.deliver() }
        #expect(bench.events.wait(for: 1) == [.failed(reason: remedy)])
        let setAside = try #require(try bench.provider.store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system))
        #expect(try bench.provider.store.split(setAside.id, of: setAside.set.entryCount, now: t0, randomness: .system))
        first.log(3)
        bench.close()
        #expect(server.requests.count == 1)

        let again = try Bench(in: folder, url: server.url) { $0.wireVersion = .v0_0_1 }
        again.provider.token = "t"
        guard case .failed(let reason)? = again.events.wait(for: 1).first else { return #expect(Bool(false), "no failure was reported") }
        #expect(reason.contains("does not read version 0.0.2"))
        #expect(try again.provider.counts().pending == 3)
        again.clock.advance(by: .seconds(10))
        #expect(again.events.wait(for: 2).last == .delivered(transactions: 2, entries: 3))
        #expect(try usecaseEvents(server.requests[2]) == [first.id: [1, 3], second.id: [2]])
        #expect(server.requests.count == 3)   // both halves at once
        #expect(try again.provider.counts() == TransactionStoreCounts())
    }
}
#endif
