#if Transactions
import GRDB
import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookTransactions

// What a logout and an erasure reach beside the own store.
extension StoreLanesTests {
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

    @Test("Row 24, C28: a logout of one's own that fails leaves a mark for all that the mark of another's was about, and more")
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
        let left = try #require(LogoutMark.left(for: folder.store))
        #expect(left.epoch > 3 && left.since == nil)
        try store.deleteAll()
        #expect(LogoutMark.left(for: folder.store) == nil)
    }

    @Test("C28: what a logout could not delete is deleted, and nothing says so any more, before anything of the next user's is stored")
    func whatIsOwedIsPaidFirst() throws {
        let store = try TransactionStore(path: folder.store, busyTimeout: 0.01)
        let entry = TransactionEntry(transactionID: "A", usecase: 1, kind: .happened(1), device: phone)
        try store.append([LogEvent(sequence: 1, time: t0, level: .info, message: "", transaction: entry)])
        try DatabaseQueue(path: folder.store).writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            #expect(throws: TransactionStoreError.busy(path: folder.store)) { try store.deleteAll() }
            try db.execute(sql: "ROLLBACK")
        }
        #expect(LogoutMark.left(for: folder.store) != nil)
        // What a kill would leave while the next user's entry is being stored, and where that fails.
        #expect(throws: TransactionStoreError.self) {
            try store.transaction { _ in
                #expect(sqlite3(folder.store, "SELECT count(*) FROM txn_log") == "0")
                #expect(LogoutMark.left(for: folder.store) == nil)
                throw ScriptedFailure()
            }
        }
        #expect(try store.counts() == TransactionStoreCounts())
        store.close()
    }

    @Test("Row 24, C28: what is owed to a logout is paid by whoever comes first, also where another was to pay it and has given up waiting")
    func whatIsOwedIsPassedByNobody() throws {
        let store = try TransactionStore(path: folder.store), done = Heard<String>()
        let entry = TransactionEntry(transactionID: "A", usecase: 1, kind: .happened(1), device: phone)
        try store.append([LogEvent(sequence: 1, time: t0, level: .info, message: "", transaction: entry)])
        try LogoutMark(epoch: store.epoch).leave(for: folder.store)
        store.oweLogout()
        store.turn.take(by: .never) {
            LogThread.start("gives up") {
                try? store.transaction(.until(.after(.milliseconds(200)))) { _ in }
                done.append("gave up")
            }
            _ = becomesTrue { store.turn.waitingCount == 1 || !done.all.isEmpty }
            LogThread.start("comes next") {
                let count = try? store.transaction { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM txn_log") }
                done.append("found \(count ?? -1)")
            }
            #expect(done.wait(for: 1) == ["gave up"])
        }
        #expect(done.wait(for: 2) == ["gave up", "found 0"])
        #expect(LogoutMark.left(for: folder.store) == nil)
        store.close()
    }

    @Test("C28: a logout's mark stands before anything is deleted, and is gone before anything else is stored")
    func aMarkStandsFromTheBeginning() throws {
        let path = folder.store, store = try TransactionStore(path: path, busyTimeout: 600), done = Gate()
        func say(_ id: String) throws {
            let entry = TransactionEntry(transactionID: id, usecase: 1, kind: .happened(1), device: phone)
            try store.append([LogEvent(sequence: 1, time: t0, level: .info, message: "", transaction: entry)])
        }
        try say("OLD")
        try DatabaseQueue(path: path).writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            LogThread.start("logout") {
                try? store.deleteAll()
                done.open()
            }
            let isMarked = becomesTrue { LogoutMark.left(for: path) != nil }
            #expect(isMarked)
            try db.execute(sql: "ROLLBACK")
        }
        done.wait()
        #expect(LogoutMark.left(for: path) == nil)
        try say("NEW")
        store.close()
        try StoreLanes(at: path, sharing: .siblings, clock: .manual(ManualClock(now: t0))) {
            file throws(TransactionStoreError) in try TransactionStore(file)
        }.close()
        #expect(sqlite3(path, "SELECT guid FROM txn") == "NEW")
    }

    @Test("C28: a logout that comes when the store is closed leaves no mark: somebody else may have it")
    func aLogoutAfterTheEnd() throws {
        let store = try TransactionStore(path: folder.store)
        store.close()
        #expect(throws: TransactionStoreError.closed(path: folder.store)) { try store.deleteAll() }
        #expect(LogoutMark.left(for: folder.store) == nil)
    }

    @Test("Row 24, C28: a kill in the middle of a logout leaves nothing of the former user for the next one's address")
    func aKillDuringALogout() throws {
        let path = folder.path, first = folder.store + ".lane-1", isLoggingOut = Locked(false)
        try leave("A", in: first)
        try leave("B", in: folder.store + ".lane-2")
        let lanes = try StoreLanes(at: folder.store, sharing: .siblings, clock: .manual(ManualClock(now: t0))) {
            file throws(TransactionStoreError) in
            if file.path == first, isLoggingOut.withLock({ $0 }) {
                _ = shell("mkdir '\(path)/at-the-kill' && cp '\(path)'/*.* '\(path)/at-the-kill'")
            }
            return try TransactionStore(file)
        }
        isLoggingOut.withLock { $0 = true }
        try lanes.deleteAll()
        lanes.close()
        #expect(folder.names(in: ".").filter { $0.contains("logout") } == [])
        #expect(folder.names(in: "at-the-kill").filter { $0.contains("logout") }.count == 2)
        let heir = try StoreLanes(
            at: folder("at-the-kill/store.sqlite"), sharing: .siblings, clock: .manual(ManualClock(now: t0))
        ) { file throws(TransactionStoreError) in try TransactionStore(file) }
        heir.look()
        #expect(try heir.pendingCount() == 2)
        let parcel = try heir.nextParcel { store throws(TransactionStoreError) in
            try store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system)
        }
        #expect(parcel == nil)
        #expect(try heir.pendingCount() == 0)
        heir.close()
        #expect(folder.names(in: "at-the-kill").filter { $0.contains("logout") } == [])
    }

    @Test(
        "Row 24, C28: what has a mark's name and is no file is no mark: no start waits for it, gives anything up for it, or changes it",
        arguments: ["ln -s other", "mkfifo", "mkdir"], [LogoutMark.Owner.another, .own])
    func whatIsNoMark(command: String, owner: LogoutMark.Owner) throws {
        let path = LogoutMark.path(of: folder.store, owner)
        _ = shell("cd '\(folder.path)' && printf nonsense > other && \(command) '\(path)'")
        if owner == .own { try LogoutMark(epoch: 0).leave(for: folder.store) }
        for event in 1...2 {
            let lanes = try StoreLanes(at: folder.store, sharing: .siblings, clock: .manual(ManualClock(now: t0))) {
                file throws(TransactionStoreError) in try TransactionStore(file)
            }
            let entry = TransactionEntry(transactionID: "A", usecase: 1, kind: .happened(event), device: phone)
            try lanes.own.append([LogEvent(sequence: 1, time: t0, level: .info, message: "", transaction: entry)])
            lanes.close()
        }
        #expect(sqlite3(folder.store, "SELECT usecase_event FROM txn_log ORDER BY id") == "1\n2")
        #expect(LogoutMark.left(for: folder.store, owner) == nil)
        #expect(LogoutMark.forget(for: folder.store, owner)?.contains("no mark of a logout") == true)
        #expect(StoreFile.somethingElse(path) != nil)
        #expect(folder.text("other") == "nonsense")
        #expect(LogoutMark.forget(for: folder.store + ".lane-1", owner) == nil)   // where there is none
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

    @Test("Row 24, C28: nothing of a lane that a logout could not open goes to the next user's address, nor what is stored after it")
    func aLaneThatALogoutCouldNotOpen() throws {
        let first = folder.store + ".lane-1", isBusy = Locked(true)
        try leave("A", in: first)
        let lanes = try StoreLanes(at: folder.store, sharing: .siblings, clock: .manual(ManualClock(now: t0))) {
            file throws(TransactionStoreError) in
            if file.path == first, isBusy.withLock({ $0 }) { throw .busy(path: first) }
            return try TransactionStore(file)
        }
        #expect(throws: TransactionStoreError.busy(path: first)) { try lanes.deleteAll() }
        isBusy.withLock { $0 = false }
        lanes.look()
        let parcel = try lanes.nextParcel { store throws(TransactionStoreError) in
            try store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system)
        }
        #expect(parcel == nil)
        #expect(sqlite3(first, "SELECT count(*) FROM txn_log") == "0")
        lanes.close()
    }

    @Test("Row 20, C28: a lane whose damaged file is just being replaced is one, for a delivery and for a logout", arguments: [false, true])
    func aLaneThatIsBeingReplaced(isLoggedOut: Bool) throws {
        let first = folder.store + ".lane-1"
        try leave("A", in: first)
        var salvage = StoreSalvage()
        try salvage.run(from: first, to: first + ".recovered")
        _ = shell("cd '\(folder.path)' && for f in '\(first)' '\(first)-wal'; do if [ -e $f ]; then mv $f $f.corrupt-1; fi; done")
        let lanes = try StoreLanes(at: folder.store, sharing: .siblings, clock: .manual(ManualClock(now: t0))) {
            file throws(TransactionStoreError) in try TransactionStore(file)
        }
        if isLoggedOut { try lanes.deleteAll() }
        lanes.look()
        let parcel = try lanes.nextParcel { store throws(TransactionStoreError) in
            try store.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system)
        }
        #expect((parcel == nil) == isLoggedOut)
        lanes.close()
    }

    @Test("Row 56, C28: who runs and whose file somebody has removed learns of a logout as well")
    func aRunningLaneWithoutFile() throws {
        let first = folder.store + ".lane-1"
        let running = try StoreFile(first), theirs = try TransactionStore(running)
        _ = shell("rm '\(first)' '\(first)-wal' '\(first)-shm'")
        let lanes = try StoreLanes(at: folder.store, sharing: .siblings, clock: .manual(ManualClock(now: t0))) {
            file throws(TransactionStoreError) in try TransactionStore(file)
        }
        try lanes.deleteAll()
        #expect(shell("ls '\(LogoutMark.path(of: first))'") == LogoutMark.path(of: first))
        theirs.close()
        withExtendedLifetime(running) {}
        lanes.close()
    }
}
#endif
