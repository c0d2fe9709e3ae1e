#if Transactions
import GRDB
import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookTransactions

@Suite struct StoreLanesTests {
    private let folder = TemporaryFolder()

    /// A receiver that takes everything.
    private func receiver() throws -> LoopbackServer {
        try LoopbackServer { request in
            .status(202, headers: request.header("Logbook-Parcel").map { [HTTPHeader("Logbook-Parcel", $0)] } ?? [])
        }
    }

    /// - Parameter clock: The machine's, as it were, where processes tell times to each other.
    private func bench(_ server: LoopbackServer, _ clock: ManualClock = ManualClock(now: t0)) throws -> Bench {
        try Bench(in: folder, clock: clock, url: server.url, token: "t") { $0.wireVersion = .v0_0_2 }
    }

    /// `T: 0 1`, for every transaction that was received, in the order in which they came.
    private func received(_ server: LoopbackServer) throws -> [String] {
        try server.requests.flatMap { request in
            try TransactionSet.decode(request.body, .v0_0_2).transactions.map { transaction in
                "\(transaction.id): " + transaction.entries.map { String($0.event) }.joined(separator: " ")
            }
        }
    }

    private func log(_ bench: Bench, _ id: String, _ events: Int...) {
        let transaction = bench.service.transaction(continuing: id, usecase: 1, device: phone)
        for event in events { transaction.log(event) }
    }

    @Test("Row 24: who finds the store open gets one beside it; what it leaves is delivered by the other, once")
    func theFirstTakesOver() throws {
        let server = try receiver()
        let first = try bench(server), second = try bench(server), third = try bench(server)
        #expect([first, second, third].map(\.provider.storePath) == ["", ".lane-1", ".lane-2"].map { folder.store + $0 })
        log(first, "A", 1)
        log(second, "B", 2, 3)
        log(third, "C", 4)
        second.close()
        try first.deliver()
        #expect(try received(server) == ["B: 2 3", "A: 1"])   // the third one's own is the third's to send
        try first.deliver()
        try third.deliver()
        #expect(try received(server) == ["B: 2 3", "A: 1", "C: 4"])
        #expect(sqlite3(folder.store + ".lane-1", "SELECT count(*) FROM txn_log; PRAGMA integrity_check") == "0\nok")
        // Its place is free again, and its keys go on.
        let fourth = try bench(server)
        #expect(fourth.provider.storePath == folder.store + ".lane-1")
        #expect(fourth.provider.store.installation == second.provider.store.installation)
        #expect(fourth.provider.store.epoch > second.provider.store.epoch)
    }

    @Test("Row 24: the first goes, and the second delivers what it was about to send, under the same name and keys")
    func theSecondTakesOver() throws {
        let server = try receiver()
        let first = try bench(server), second = try bench(server)
        log(first, "A", 1, 2)
        let sealed = try #require(
            try first.provider.store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system))
        first.close()
        log(second, "B", 3)
        try second.deliver()
        #expect(try received(server) == ["A: 1 2", "B: 3"])
        #expect(server.requests[0].header("Logbook-Parcel") == sealed.id)
        #expect(try TransactionSet.decode(server.requests[0].body, .v0_0_2) == sealed.set)
        let again = try bench(server)
        #expect(again.provider.storePath == folder.store)
    }

    @Test("Row 24: what is left while others run is found by the courier within half a minute")
    func theCourierLooks() throws {
        let server = try receiver(), clock = ManualClock(now: t0)
        let first = try bench(server)
        let second = try Bench(in: folder, url: server.url, token: "t", interval: .seconds(10)) {
            $0.wireVersion = .v0_0_2
            $0.clock = .manual(clock)
        }
        log(second, "B", 1)
        try second.deliver()
        log(first, "A", 2)
        first.close()
        clock.advance(by: .seconds(31))
        #expect(server.waitForRequests(2))
        #expect(try received(server) == ["B: 1", "A: 2"])
        second.close()
    }

    @Test("Row 24: a store for one alone is refused to the second")
    func refused() throws {
        let first = try Bench(in: folder)
        #expect(throws: TransactionStoreError.storeLocked(path: folder.store)) {
            try Bench(in: folder) { $0.storeSharing = .refused }
        }
        #expect("\(TransactionStoreError.storeLocked(path: "s"))".hasSuffix("a store of its own, and leave s.lock where it is"))
        #expect(shell("ls '\(folder.path)' | grep -c lane") == "0")
        first.close()
    }

    @Test("Row 24: where every place is taken, the next is refused")
    func everyPlaceIsTaken() throws {
        let others = try (0..<StoreLanes.maximumCount).map { try StoreFile(StoreLanes.path(ofLane: $0, of: folder.store)) }
        let refusal = TransactionStoreError.noFreeLane(path: folder.store, lanes: 64)
        #expect(throws: refusal) { try Bench(in: folder) }
        #expect("\(refusal)".contains("the 63 beside it are in use"))
        withExtendedLifetime(others) {}
    }

    @Test("Row 24: while the receiver is down, what many processes leave one after the other takes no place from the next")
    func anOutageTakesNoPlace() throws {
        let isDown = Locked(true)
        let server = try LoopbackServer { request in
            if isDown.withLock({ $0 }) { return .status(503) }
            return .status(202, headers: [HTTPHeader("Logbook-Parcel", request.header("Logbook-Parcel") ?? "")])
        }
        let first = try Bench(in: folder, url: server.url, token: "t", interval: .seconds(20)) { $0.wireVersion = .v0_0_2 }
        try first.deliver()   // it has looked, and does not look again before half a minute has passed
        for number in 1..<StoreLanes.maximumCount {
            let worker = try Bench(in: folder)
            #expect(worker.provider.storePath == folder.store + ".lane-1")
            log(worker, "W\(number)", number)
            worker.close()
            first.clock.advance(by: .seconds(600))   // beyond every pause
            #expect(first.events.wait(for: number).count == number)   // it has tried
        }
        #expect(first.provider.deliveryStatus.pending == 63)
        let last = try Bench(in: folder)
        #expect(last.provider.storePath == folder.store + ".lane-1")
        last.close()
        isDown.withLock { $0 = false }
        first.clock.advance(by: .seconds(600))
        try first.deliver()
        #expect(try Set(received(server)) == Set((1..<StoreLanes.maximumCount).map { "W\($0): \($0)" }))
        first.close()   // it may have the lane open for a moment yet
        #expect(sqlite3(folder.store + ".lane-1", "SELECT count(*) FROM txn_log") == "0")
    }

    @Test("Row 24: of many lanes that are left one is open at a time, and all are counted and delivered")
    func oneLaneAtATime() throws {
        let lanes = [folder.store + ".lane-1", folder.store + ".lane-2"], free = Heard<[String]>()
        let server = try LoopbackServer { request in
            free.append(lanes.filter { (try? StoreFile($0)) != nil })
            return .status(202, headers: [HTTPHeader("Logbook-Parcel", request.header("Logbook-Parcel") ?? "")])
        }
        let first = try bench(server), second = try bench(server), third = try bench(server)
        log(second, "B", 1, 2)
        log(third, "C", 3)
        second.close()
        third.close()
        try first.deliver()
        #expect(try received(server) == ["B: 1 2", "C: 3"])
        #expect(free.all == [[lanes[1]], [lanes[0]]])
    }

    @Test("Row 24, C28: a logout deletes what others have left, also what was set aside, and not what is another's who runs")
    func aLogoutReachesWhatIsLeft() throws {
        let server = try receiver()
        let first = try bench(server), second = try bench(server), third = try bench(server), fourth = try bench(server)
        log(second, "B", 2)
        let parcel = try #require(
            try second.provider.store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system))
        try second.provider.store.settleRejected(parcel.id, because: "no")
        log(third, "C", 3)
        log(fourth, "D", 4)
        second.close()
        third.close()
        log(first, "A", 1)
        try first.provider.deleteAll()
        try first.deliver()
        #expect(server.requests.isEmpty)
        #expect(sqlite3(folder.store + ".lane-1", "SELECT count(*) FROM txn_log") == "0")
        try fourth.deliver()
        #expect(try received(server) == ["D: 4"])
    }

    @Test("Row 24, C28: what another process had stored at a logout is sent to nobody, however late it ends and whoever opens it", arguments: [false, true])
    func aLogoutReachesWhoRuns(isOpenedAsOwn: Bool) throws {
        let server = try receiver()
        let first = try bench(server), second = try bench(server)
        let lane = second.provider.storePath
        log(second, "B", 1, 2)
        second.clock.setWall(LogTime(seconds: 1))   // nobody's clock stays right for ever
        let parcel = try #require(
            try second.provider.store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system))
        try second.provider.store.settleRejected(parcel.id, because: "no")
        log(second, "B", 3)
        try first.provider.deleteAll()
        log(second, "B", 4)   // it goes on, and knows of nothing
        log(second, "C", 5)
        second.close()
        let heir = isOpenedAsOwn ? try bench(server) : first
        #expect(heir.provider.storePath == (isOpenedAsOwn ? lane : folder.store))
        try heir.provider.reinstateSetAside()
        try heir.deliver()
        #expect(server.requests.isEmpty)
        #expect(try heir.provider.counts() == TransactionStoreCounts(dropped: 5))
        heir.close()
        first.close()
        #expect(sqlite3(lane, "SELECT reason, count FROM loss") == "logged_out|5")
        #expect(folder.names(in: ".").filter { $0.contains("logout") } == [])
    }

    @Test("Row 24, C28: what another process says after a logout, of what it had delivered before, is sent to nobody who comes after it")
    func aLogoutReachesWhoHasDelivered() throws {
        let server = try receiver()
        let first = try bench(server), second = try bench(server)
        log(second, "B", 1, 2)
        try second.deliver()
        try first.provider.deleteAll()
        log(second, "B", 3)
        log(second, "C", 4)   // the process knows of no logout, so this may be the former user's as well
        second.close()
        try first.deliver()
        #expect(try received(server) == ["B: 1 2"])
        #expect(try first.provider.counts() == TransactionStoreCounts(dropped: 2))
        // Who opens it next begins anew.
        let heir = try bench(server)
        log(heir, "D", 5)
        heir.close()
        try first.deliver()
        #expect(try received(server) == ["B: 1 2", "D: 5"])
    }

    /// What a user's logout is for each process.
    /// - Parameter forgetsStore: Whether address and token go with the user, or stay until the next login sets others.
    private func logOut(_ bench: Bench, forgetsStore: Bool = true) throws {
        if forgetsStore { bench.provider.setStore(url: nil, token: nil) }
        try bench.provider.deleteAll()
    }

    private func logIn(_ bench: Bench, _ server: LoopbackServer) { bench.provider.setStore(url: server.url, token: "next") }

    @Test("Row 24, C28: of processes that each log out, none condemns what another stores for the next user", arguments: [false, true])
    func eachLogsOut(isTheHeirSlower: Bool) throws {
        let server = try receiver(), clock = ManualClock(now: t0)
        let first = try bench(server, clock), second = try bench(server, clock)
        log(first, "A", 1)
        log(second, "B", 2)
        clock.advance(by: .seconds(1))
        for bench in isTheHeirSlower ? [second, first] : [first, second] {
            try logOut(bench)
            clock.advance(by: .seconds(1))
            log(bench, "L", 3)   // what is said before the login is of nobody who has logged out
        }
        for bench in [first, second] { logIn(bench, server) }
        log(second, "C", 4)
        second.close()
        try first.deliver()
        #expect(try Set(received(server)) == ["L: 3", "C: 4"])
        #expect(try received(server).count == 3)
        #expect(try first.provider.counts() == TransactionStoreCounts())
        #expect(folder.names(in: ".").filter { $0.contains("logout") } == [])
    }

    @Test(
        "Row 24, C28: what a process says after its own logout is delivered by who opens its lane, also where another's logout came last",
        arguments: [false, true], [false, true])
    func theLatterLogsOutAlone(isKilled: Bool, isTokenRefused: Bool) throws {
        let server = try receiver(), refusing = try LoopbackServer { _ in .status(401) }, clock = ManualClock(now: t0)
        let first = try bench(isTokenRefused ? refusing : server, clock), second = try bench(server, clock)
        let lane = second.provider.storePath
        log(second, "B", 1)
        clock.advance(by: .seconds(1))
        try logOut(second)
        clock.advance(by: .seconds(1))
        log(second, "L", 2)
        if isTokenRefused {
            log(first, "A", 3)
            #expect(throws: (any Error).self) { try first.deliver() }
            #expect(first.provider.token == nil)
            try first.provider.delete(["A"])   // sets nothing
        }
        first.provider.token = "renewed"   // for the same user still
        try logOut(first)
        if isKilled { _ = shell("mkdir '\(folder.path)/at-the-kill' && cp '\(folder.path)'/*.* '\(folder.path)/at-the-kill'") }
        second.close()
        if isKilled { _ = shell("cp '\(folder.path)'/at-the-kill/*lane-1* '\(folder.path)'; rm -r '\(folder.path)/at-the-kill'") }
        let heir = try bench(server, clock)
        #expect(heir.provider.storePath == lane)
        try heir.deliver()
        #expect(try received(server) == ["L: 2"])
        #expect(try heir.provider.counts() == TransactionStoreCounts())
        heir.close()
        first.close()
        #expect(folder.names(in: ".").filter { $0.contains("logout") } == [])
    }

    @Test(
        "Row 24, C28: another user at a process that runs is a login: its logout may be about what others say meanwhile",
        arguments: [false, true])
    func anotherUserIsALogin(isAfterARefusal: Bool) throws {
        let server = try receiver(), refusing = try LoopbackServer { _ in .status(401) }, clock = ManualClock(now: t0)
        let first = try bench(isAfterARefusal ? refusing : server, clock), second = try bench(server, clock)
        clock.advance(by: .seconds(1))
        try logOut(second)
        clock.advance(by: .seconds(1))
        if isAfterARefusal {
            log(first, "A", 1)
            #expect(throws: (any Error).self) { try first.deliver() }
            first.provider.setStore(url: nil, token: nil)
            logIn(first, refusing)
        } else {
            first.provider.user = "ann"
        }
        log(second, "L", 2)
        try logOut(first)
        second.close()
        let heir = try bench(server, clock)
        try heir.deliver()
        #expect(server.requests.isEmpty)
        #expect(try heir.provider.counts() == TransactionStoreCounts(dropped: 1))
    }

    @Test(
        "Row 24, C28: where it may be the next user's, another's logout is heeded by a process that has had its own, whatever it is given later",
        arguments: [false, true], [false, true])
    func aLaterLogout(isOfTheNextUser: Bool, forgetsStore: Bool) throws {
        let server = try receiver(), busy = try LoopbackServer { _ in .status(503) }, clock = ManualClock(now: t0)
        let first = try bench(server, clock), second = try bench(server, clock)
        clock.advance(by: .seconds(1))
        try logOut(second, forgetsStore: forgetsStore)
        clock.advance(by: .seconds(1))
        if isOfTheNextUser {
            try logOut(first, forgetsStore: forgetsStore)
            logIn(first, server)   // the second one hears of that when it is over
            try logOut(first, forgetsStore: forgetsStore)
            logIn(second, busy)
        } else {
            logIn(second, busy)
            try logOut(first, forgetsStore: forgetsStore)
        }
        log(second, "B", 1)
        second.provider.token = "renewed"
        second.close()
        logIn(first, server)
        try first.deliver()
        #expect(server.requests.isEmpty)
        #expect(try first.provider.counts() == TransactionStoreCounts(dropped: 1))
    }

    @Test("Row 24, C28: a logout of one's own that fails leaves the mark of another's where it is")
    func aLogoutThatFailsKeepsTheMark() throws {
        let store = try StoreLanes(at: folder.store, sharing: .siblings, clock: .manual(ManualClock(now: t0))) {
            file throws(TransactionStoreError) in try TransactionStore(file, busyTimeout: 0.01)
        }
        defer { store.close() }
        try LogoutMark(epoch: 3).leave(for: folder.store)
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        let other = try DatabaseQueue(path: folder.store, configuration: configuration)
        try other.inDatabase { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            #expect(throws: TransactionStoreError.busy(path: folder.store)) { try store.deleteAll() }
            try db.execute(sql: "ROLLBACK")
        }
        #expect(LogoutMark.left(for: folder.store) == LogoutMark(epoch: 3))
        try store.deleteAll()
        #expect(LogoutMark.left(for: folder.store) == nil)
    }

    @Test(
        "Row 24, C28: a logout that finds another process in its own lane, whose lock was removed, is heeded by who has that next",
        arguments: [false, true])
    func aLogoutWithoutTheLane(hasItAgain: Bool) throws {
        func lanes() throws -> StoreLanes {
            try StoreLanes(at: folder.store, sharing: .siblings, clock: .manual(ManualClock(now: t0))) {
                file throws(TransactionStoreError) in try TransactionStore(file)
            }
        }
        func say(_ id: String, in lane: TransactionStore) throws {
            let entry = TransactionEntry(transactionID: id, usecase: 1, kind: .happened(1), device: phone)
            try lane.append([LogEvent(sequence: 1, time: t0, level: .info, message: "", transaction: entry)])
        }
        let first = try lanes()
        try say("A", in: first.own)
        _ = shell("rm '\(folder.store).lock'")
        let other = Locked<StoreFile?>(try StoreFile(folder.store))
        #expect(throws: TransactionStoreError.storeLocked(path: folder.store)) { try first.deleteAll() }
        #expect(LogoutMark.left(for: folder.store)?.epoch == first.own.epoch)
        other.withLock { $0 = nil }
        if hasItAgain { try say("B", in: first.own) }
        first.close()
        try lanes().close()
        #expect(sqlite3(folder.store, "SELECT guid FROM txn") == (hasItAgain ? "B" : ""))
        #expect(sqlite3(folder.store, "SELECT reason, count FROM loss") == "logged_out|1")
        #expect(folder.names(in: ".").filter { $0.contains("logout") } == [])
    }

    @Test("Row 24, C28: where a lane of who runs cannot be read at a logout, all of it is given up that was stored until it ended")
    func aLaneThatCannotBeReadAtALogout() throws {
        let lane = folder.store + ".lane-1"
        try leave("B", in: lane)
        let store = try TransactionStore(path: lane)
        #expect(LogoutMark.current(in: lane) == LogoutMark(epoch: store.epoch))
        let identity = StoreIdentity(installation: store.installation, epoch: store.epoch)
        store.close()
        _ = shell("rm '\(lane)' && printf nonsense > '\(lane)'")
        #expect(LogoutMark.current(in: lane) == LogoutMark(epoch: identity.epoch))
        #expect(LogoutMark.current(in: folder.store) == nil)
        #expect(LogoutMark.left(for: lane) == nil)
        let mark = LogoutMark(epoch: 3)
        for _ in 0..<2 { try mark.leave(for: lane) }
        #expect(LogoutMark.left(for: lane) == mark)
        let dated = LogoutMark(epoch: 3, since: 17)
        try dated.leave(for: lane)
        #expect(shell("cat '\(LogoutMark.path(of: lane))'") == "logbook logout 3 since 17")
        #expect(LogoutMark.left(for: lane) == dated)
        #expect(dated.isCovered(byLogoutAt: 18) && !dated.isCovered(byLogoutAt: 17) && !mark.isCovered(byLogoutAt: 18))
        for line in ["logbook logout 3 17", "logbook logout 3 since ", "logbook logout 3 since 1 since 2"] {
            _ = shell("printf '\(line)\\n' > '\(LogoutMark.path(of: lane))'")
            #expect(LogoutMark.left(for: lane) == .everything)
        }
    }

    @Test("S32: a user who is erased is gone from this process's file and from what others have left, and nobody else is")
    func anErasureReachesWhatIsLeft() throws {
        let server = try receiver()
        let first = try bench(server), second = try bench(server), third = try bench(server)
        func transaction(_ bench: Bench, _ user: String?, _ text: String) -> LogTransaction {
            bench.provider.user = user
            bench.clock.advance(by: .seconds(1))
            let transaction = bench.service.transaction(usecase: 1)
            transaction.log(1, error: 1, text)
            return transaction
        }
        let ann = transaction(first, "ann", "Ann's card"), joe = transaction(first, "joe", "Joe's card")
        let annThere = transaction(second, "ann", "Ann's car"), joeThere = transaction(second, "joe", "Joe's car")
        let joeRuns = transaction(third, "joe", "Joe's cat")
        let parcel = try #require(
            try second.provider.store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system))
        try second.provider.store.settleRejected(parcel.id, because: "no")
        second.close()
        #expect(try first.provider.erase(user: "joe") == 2)
        #expect(try first.provider.erase(user: "") == 0)
        #expect(folder.names(in: ".").filter { folder.text($0).contains("Joe's ca") }.allSatisfy { $0.contains("lane-2") })
        joe.log(2)   // late
        ann.log(2)
        let counts = try first.provider.counts()
        #expect([counts.transactions, counts.entries, counts.setAside, counts.dropped] == [2, 3, 1, 2])
        #expect(first.registration.ledger.dropped == [.loggedOut: 1])
        // A user may come back; and who runs is not reached.
        let joeAgain = transaction(first, "joe", "Joe's again")
        try first.provider.reinstateSetAside()
        try first.deliver()
        try third.deliver()
        #expect(try received(server) == ["\(annThere.id): 1", "\(ann.id): 1 2", "\(joeAgain.id): 1", "\(joeRuns.id): 1"])
        #expect(try !received(server).contains { $0.hasPrefix(joeThere.id) })
    }

    @Test("Row 24, S32: a logout reaches the bytes of what others have left that was delivered, or deleted behind a reader's back")
    func aLogoutReachesTheBytesOfWhatIsLeft() throws {
        let lane = folder.store + ".lane-1"
        try leave("B", in: lane, text: "Jane Doe")
        let lanes = try StoreLanes(at: folder.store, sharing: .siblings, clock: .manual(ManualClock(now: t0))) {
            file throws(TransactionStoreError) in try TransactionStore(file, busyTimeout: 0.05)
        }
        defer { lanes.close() }
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: lane, configuration: configuration)
        #expect(
            try reader.inDatabase { db in
                try db.execute(sql: "BEGIN")
                return try Int.fetchOne(db, sql: "SELECT count(*) FROM txn_log")
            } == 1)
        func found() -> [String] { folder.names(in: ".").filter { folder.text($0).contains("Jane Doe") } }
        try lanes.deleteAll()
        #expect(!found().isEmpty)
        try reader.inDatabase { try $0.execute(sql: "COMMIT") }
        try lanes.deleteAll()
        #expect(found() == [])
    }

    @Test("Row 24, C29: what somebody who has gone had set aside is counted, and sent again when that is asked for")
    func whatIsLeftSetAside() throws {
        let server = try receiver()
        let first = try bench(server), second = try bench(server), third = try bench(server)
        log(second, "B", 2)
        let parcel = try #require(
            try second.provider.store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system))
        try second.provider.store.settleRejected(parcel.id, because: "no")
        log(third, "C", 3)   // not counted by the first: the third one runs
        second.close()
        log(first, "A", 1)
        try first.deliver()
        #expect(try received(server) == ["A: 1"])
        #expect(try first.provider.counts() == TransactionStoreCounts(transactions: 1, entries: 1, setAside: 1))
        try first.provider.reinstateSetAside()
        try first.deliver()
        #expect(try received(server) == ["A: 1", "B: 2"])
        #expect(server.requests[1].header("Logbook-Parcel") == parcel.id)
        #expect(try first.provider.counts() == TransactionStoreCounts())
    }

    /// Leaves an entry in a lane, as a process that has gone.
    private func leave(_ id: String, in path: String, text: String? = nil) throws {
        let store = try TransactionStore(path: path)
        defer { store.close() }
        try store.append([
            LogEvent(
                sequence: 1, time: t0, level: .info, message: "",
                transaction: TransactionEntry(
                    transactionID: id, usecase: 1, kind: .happened(1), errorDescription: text, device: phone))
        ])
    }

    @Test("Row 24, C28: a logout waits for a lane that is being taken over, and deletes what is in it")
    func aLogoutWaitsForALane() throws {
        let lane = folder.store + ".lane-1"
        try leave("B", in: lane)
        let begun = Gate(), gate = Gate(), done = Heard<String>()
        let lanes = try StoreLanes(at: folder.store, sharing: .siblings, clock: .system) { file throws(TransactionStoreError) in
            if file.path == lane {
                begun.open()
                gate.wait()
            }
            return try TransactionStore(file)
        }
        LogThread.start("taking over") {
            _ = try? lanes.nextParcel { store throws(TransactionStoreError) in
                try store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system)
            }
            done.append("taken over")
        }
        begun.wait()
        LogThread.start("logout") {
            do { try lanes.deleteAll() } catch { done.append("\(error)") }
            done.append("deleted")
        }
        // Time for a logout that does not wait.
        Monitor(0).withLock { access in
            let deadline = LogDeadline.after(.milliseconds(100))
            while access.wait(until: deadline) {}
        }
        gate.open()
        #expect(Set(done.wait(for: 2)) == ["taken over", "deleted"])
        #expect(sqlite3(lane, "SELECT count(*) FROM txn_log") == "0")
        lanes.close()
    }

    @Test("Row 24, C28: a logout says that a lane could not be opened, and is done with the others; the next one reaches it")
    func aLogoutThatCannotOpenALane() throws {
        let first = folder.store + ".lane-1", second = folder.store + ".lane-2", isBusy = Locked(true)
        try leave("A", in: first)
        try leave("B", in: second)
        let lanes = try StoreLanes(at: folder.store, sharing: .siblings, clock: .manual(ManualClock(now: t0))) {
            file throws(TransactionStoreError) in
            if file.path == first, isBusy.withLock({ $0 }) { throw .busy(path: first) }
            return try TransactionStore(file)
        }
        #expect(throws: TransactionStoreError.busy(path: first)) { try lanes.deleteAll() }
        #expect(sqlite3(second, "SELECT count(*) FROM txn_log") == "0")
        isBusy.withLock { $0 = false }
        try lanes.deleteAll()
        #expect(sqlite3(first, "SELECT count(*) FROM txn_log") == "0")
        lanes.close()
    }

    @Test("Row 24: a lane that cannot be read holds up no other")
    func aLaneThatFails() throws {
        let first = folder.store + ".lane-1", second = folder.store + ".lane-2"
        try leave("A", in: first)
        try leave("B", in: second)
        let lanes = try StoreLanes(at: folder.store, sharing: .siblings, clock: .manual(ManualClock(now: t0))) {
            file throws(TransactionStoreError) in try TransactionStore(file)
        }
        func next() throws(TransactionStoreError) -> (store: TransactionStore, parcel: StoredParcel)? {
            try lanes.nextParcel { store throws(TransactionStoreError) in
                if store.path == first { throw TransactionStoreError.diskFull(path: first) }
                return try store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system)
            }
        }
        let found = try #require(try next())
        #expect(found.store.path == second)
        #expect(try found.store.settleDelivered(found.parcel.id)?.transactions == 1)
        #expect(try next()?.store.path == nil)   // nothing else is left
        #expect(lanes.unopened == .diskFull(path: first))
        lanes.close()
    }

    @Test("Row 24: a lane that cannot be opened holds up no other, and what is in it does not count as delivered")
    func aLaneThatCannotBeOpened() throws {
        let first = folder.store + ".lane-1", second = folder.store + ".lane-2"
        try leave("A", in: first)
        try leave("B", in: second)
        let lanes = try StoreLanes(at: folder.store, sharing: .siblings, clock: .manual(ManualClock(now: t0))) {
            file throws(TransactionStoreError) in
            if file.path == first { throw TransactionStoreError.diskFull(path: first) }
            return try TransactionStore(file)
        }
        func next() throws(TransactionStoreError) -> (store: TransactionStore, parcel: StoredParcel)? {
            try lanes.nextParcel { store throws(TransactionStoreError) in
                try store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system)
            }
        }
        let found = try #require(try next())
        #expect(found.store.path == second)
        #expect(try found.store.settleDelivered(found.parcel.id)?.transactions == 1)
        #expect(try next()?.store.path == nil)   // nothing else is left
        #expect(lanes.unopened == .diskFull(path: first))
        #expect(try lanes.pendingCount() == 1)
        lanes.close()
    }

    @Test("Row 24: a lane that cannot be locked is not said to be delivered, and holds up nothing else")
    func aLaneThatCannotBeLocked() throws {
        let server = try receiver(), lane = folder.store + ".lane-1"
        try leave("B", in: lane)
        _ = shell("rm '\(lane).lock' && mkdir '\(lane).lock'")
        let bench = try bench(server)
        log(bench, "A", 1)
        for _ in 0..<2 {
            var failure: (any Error)?
            do { try bench.deliver() } catch { failure = error }
            guard case .cannotOpen(let path, _)? = failure as? TransactionStoreError else {
                Issue.record("it threw \(String(describing: failure))")
                return
            }
            #expect(path == lane)
        }
        #expect(try received(server) == ["A: 1"])
        #expect(bench.errors.all.count == 1)   // as long as it is the same
        _ = shell("rmdir '\(lane).lock'")
        try bench.deliver()
        #expect(try received(server) == ["A: 1", "B: 1"])
    }

    @Test("Row 24: a lane that a newer version has written is not said to be delivered, and no pause follows from it")
    func aLaneOfANewerVersion() throws {
        let server = try receiver(), lane = folder.store + ".lane-1"
        try leave("B", in: lane)
        _ = sqlite3(lane, "PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)", readOnly: false)
        let bench = try Bench(in: folder, url: server.url, token: "t") {
            $0.wireVersion = .v0_0_2
            $0.deliverAfterEntries = 1
        }
        let refusal = TransactionStoreError.newerSchema(path: lane, found: 99, supported: 3)
        log(bench, "A", 1)
        #expect(throws: refusal) { try bench.deliver() }
        log(bench, "C", 2)   // wakes the courier
        #expect(server.waitForRequests(2))
        #expect(try received(server) == ["A: 1", "C: 2"])
        #expect(bench.errors.all == [refusal])
        #expect(sqlite3(lane, "SELECT count(*) FROM txn_log") == "1")
    }

    @Test("Row 24: what comes in front of the own entries is waited for in addition, and not in their place")
    func whatComesInFront() throws {
        let lane = folder.store + ".lane-1", looking = Locked<TransactionLogProvider?>(nil), answers = Locked(0)
        let server = try LoopbackServer { request in
            let number = answers.withLock { answers in
                answers += 1
                return answers
            }
            if number == 3 { return .status(403) }
            if number == 1 {
                try? leave("B", in: lane)
                let provider = looking.withLock { $0 }
                try? provider?.deliver(by: .now)
            }
            return .status(202, headers: [HTTPHeader("Logbook-Parcel", request.header("Logbook-Parcel") ?? "")])
        }
        let bench = try Bench(in: folder, url: server.url, token: "t") {
            $0.wireVersion = .v0_0_2
            $0.parcelLimits.transactions = 1
        }
        looking.withLock { $0 = bench.provider }
        defer { looking.withLock { $0 = nil } }
        log(bench, "A", 1)
        log(bench, "C", 2)
        #expect(throws: CourierError.misconfigured(pending: 1, reason: "HTTP status 403")) { try bench.deliver() }
        #expect(try received(server) == ["A: 1", "B: 1", "C: 2"])
    }

    @Test("Row 24, D3: what is urgent goes at once also where the entries of another turn up in front of it")
    func whatIsUrgentBehindALane() throws {
        let server = try receiver()
        try leave("B", in: folder.store + ".lane-1")
        let bench = try Bench(in: folder, url: server.url, token: "t") {
            $0.wireVersion = .v0_0_2
            $0.conditions = DeliveryConditions(custom: { false })
        }
        log(bench, "A", 1)
        bench.provider.hurry()
        #expect(server.waitForRequests(2))
        #expect(try received(server) == ["B: 1", "A: 1"])
    }

    @Test("Row 24: what comes in front of what was counted is told once: what others leave, and what was set aside")
    func arrivals() throws {
        let lane = folder.store + ".lane-1"
        let lanes = try StoreLanes(at: folder.store, sharing: .siblings, clock: .manual(ManualClock(now: t0))) {
            file throws(TransactionStoreError) in try TransactionStore(file)
        }
        defer { lanes.close() }
        lanes.look()
        #expect(lanes.takeArrivals() == 0)
        try leave("B", in: lane)
        lanes.look()
        #expect(lanes.takeArrivals() == 1)
        lanes.look()
        #expect(lanes.takeArrivals() == 0)

        let entry = TransactionEntry(transactionID: "A", usecase: 1, kind: .happened(1), device: phone)
        try lanes.own.append([LogEvent(sequence: 1, time: t0, level: .info, message: "", transaction: entry)])
        let parcel = try #require(try lanes.own.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system))
        try lanes.own.settleRejected(parcel.id, because: "no")
        try lanes.reinstateSetAside()
        #expect(lanes.takeArrivals() == 1)
        #expect(try lanes.pendingCount() == 2)
    }

    @Test("Row 24: what the conditions hold back of another's entries takes no place from who needs it")
    func conditionsTakeNoPlace() throws {
        let server = try receiver(), lane = folder.store + ".lane-1"
        try leave("B", in: lane)
        let bench = try Bench(in: folder, url: server.url, token: "t", interval: .seconds(20)) {
            $0.wireVersion = .v0_0_2
            $0.conditions = DeliveryConditions(custom: { false })
        }
        #expect(becomesTrue { bench.provider.deliveryStatus.state == .heldBack })
        let file = try StoreFile(lane)   // somebody else has it
        withExtendedLifetime(file) {}
        #expect(server.requests.isEmpty)
    }

    @Test("Row 24: once no address is set, the lane of another is let go of")
    func noAddressTakesNoPlace() throws {
        let gate = Gate(), lane = folder.store + ".lane-1"
        let server = try LoopbackServer { request in
            .after(gate, .status(202, headers: [HTTPHeader("Logbook-Parcel", request.header("Logbook-Parcel") ?? "")]))
        }
        try leave("B", in: lane)
        let bench = try Bench(in: folder, url: server.url, token: "t", interval: .seconds(20)) { $0.wireVersion = .v0_0_2 }
        #expect(server.waitForRequests(1))
        bench.provider.setStore(url: nil, token: nil)
        gate.open()
        #expect(becomesTrue { (try? StoreFile(lane)) != nil })
        bench.close()
    }

    @Test("Row 24: a delivery keeps to its deadline while the courier waits for a lane that another program keeps locked")
    func aLaneThatIsLockedForLong() throws {
        let server = try receiver(), lane = folder.store + ".lane-1", limit = LogDeadline.seconds(20)
        try leave("B", in: lane)
        let other = try DatabaseQueue(path: lane)
        let bench = try Bench(in: folder, url: server.url, token: "t") {
            $0.wireVersion = .v0_0_2
            $0.busyTimeout = .seconds(60)
        }
        try other.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            for span in [200, 20] {   // the second time the lane is being opened
                #expect(throws: CourierError.deadlinePassed(pending: 1, reason: nil)) {
                    try bench.provider.deliver(by: .milliseconds(span))
                }
            }
            #expect(!limit.hasPassed)
            try db.execute(sql: "ROLLBACK")
        }
        try bench.deliver()
        #expect(try received(server) == ["B: 1"])
    }

    @Test("Row 24: a delivery whose deadline passes before anything was counted says what it has waited for")
    func nothingIsCountedYet() throws {
        let lane = folder.store + ".lane-1", isOver = Gate()
        try TransactionStore(path: lane).close()
        let other = try DatabaseQueue(path: lane)
        let bench = try Bench(in: folder, url: "http://127.0.0.1:9", token: "t") { $0.busyTimeout = .seconds(60) }
        let provider = bench.provider
        var failure: (any Error)?
        try other.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            LogThread.start("logout") {
                try? provider.deleteAll()
                isOver.open()
            }
            _ = becomesTrue(by: .seconds(30)) {
                do { try provider.deliver(by: .now) } catch { failure = error }
                return failure != nil
            }
            try db.execute(sql: "ROLLBACK")
        }
        isOver.wait()
        let reason = "another thread is at work on what other processes have left"
        #expect(failure as? CourierError == .deadlinePassed(pending: 0, reason: reason))
        bench.close()
    }

    @Test("Row 24: a lane whose lock was removed, and that another process has by now, is left to that one")
    func aLaneThatIsTakenAway() throws {
        let lane = folder.store + ".lane-1"
        try leave("B", in: lane)
        let lanes = try StoreLanes(at: folder.store, sharing: .siblings, clock: .manual(ManualClock(now: t0))) {
            file throws(TransactionStoreError) in try TransactionStore(file)
        }
        func next() throws(TransactionStoreError) -> (store: TransactionStore, parcel: StoredParcel)? {
            try lanes.nextParcel { store throws(TransactionStoreError) in
                try store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system)
            }
        }
        #expect(try next()?.store.path == lane)
        _ = shell("rm '\(lane).lock'")
        let other = try StoreFile(lane)
        #expect(try next()?.store.path == nil)
        withExtendedLifetime(other) {}
        lanes.close()
    }

    @Test("Row 24: a file beside the store that is none of ours is left alone, and holds up nobody")
    func whatIsNotOurs() throws {
        let server = try receiver()
        _ = shell("printf nonsense > '\(folder.store).lane-1'")
        let first = try bench(server)
        log(first, "A", 1)
        try first.deliver()
        try first.deliver()
        #expect(try received(server) == ["A: 1"])
        // Who needs a lane gets the next one.
        let second = try bench(server)
        #expect(second.provider.storePath == folder.store + ".lane-2")
        #expect(second.errors.all.isEmpty)
        #expect(shell("cat '\(folder.store).lane-1'") == "nonsense")
    }

    @Test("Row 24: where every other place is taken, why one cannot be opened is said")
    func noneIsLeft() throws {
        _ = shell("printf nonsense > '\(folder.store).lane-1'")
        let others = try (0..<StoreLanes.maximumCount).filter { $0 != 1 }
            .map { try StoreFile(StoreLanes.path(ofLane: $0, of: folder.store)) }
        #expect(throws: TransactionStoreError.notADatabase(path: folder.store + ".lane-1")) { try Bench(in: folder) }
        withExtendedLifetime(others) {}
    }
}
#endif
