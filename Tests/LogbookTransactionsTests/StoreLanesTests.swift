#if Transactions
import GRDB
import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookTransactions

@Suite struct StoreLanesTests {
    let folder = TemporaryFolder()

    /// A receiver that takes everything.
    func receiver() throws -> LoopbackServer {
        try LoopbackServer { request in
            .status(202, headers: request.header("Logbook-Parcel").map { [HTTPHeader("Logbook-Parcel", $0)] } ?? [])
        }
    }

    /// - Parameter clock: The machine's, as it were, where processes tell times to each other.
    func bench(_ server: LoopbackServer, _ clock: ManualClock = ManualClock(now: t0)) throws -> Bench {
        try Bench(in: folder, clock: clock, url: server.url, token: "t") { $0.wireVersion = .v0_0_2 }
    }

    /// `T: 0 1`, for every transaction that was received, in the order in which they came.
    func received(_ server: LoopbackServer) throws -> [String] {
        try server.requests.flatMap { request in
            try TransactionSet.decode(request.body, .v0_0_2).transactions.map { transaction in
                "\(transaction.id): " + transaction.entries.map { String($0.event) }.joined(separator: " ")
            }
        }
    }

    func log(_ bench: Bench, _ id: String, _ events: Int...) {
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
    func leave(_ id: String, in path: String, text: String? = nil) throws {
        let store = try TransactionStore(path: path)
        defer { store.close() }
        try store.append([
            LogEvent(
                sequence: 1, time: t0, level: .info, message: "",
                transaction: TransactionEntry(
                    transactionID: id, usecase: 1, kind: .happened(1), errorDescription: text, device: phone))
        ])
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

    @Test("Row 22: beside a store that a newer version has written one is made, and that one is left as it is", arguments: [true, false])
    func aStoreOfANewerVersion(_ isShared: Bool) throws {
        let server = try receiver()
        try leave("B", in: folder.store)
        _ = sqlite3(folder.store, "PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)", readOnly: false)
        let before = bytes(of: folder.store), refusal = TransactionStoreError.newerSchema(path: folder.store, found: 99, supported: 3)
        func open() throws -> Bench {
            try Bench(in: folder, url: server.url, token: "t") {
                $0.wireVersion = .v0_0_2
                $0.storeSharing = isShared ? .siblings : .refused
            }
        }
        guard isShared else {
            #expect(throws: refusal) { try open() }
            return #expect(folder.names.allSatisfy { !$0.contains("lane") })
        }
        let bench = try open()
        log(bench, "A", 1)
        #expect(bench.provider.storePath == folder.store + ".lane-1")
        #expect(throws: refusal) { try bench.deliver() }   // what is in the other one is not
        #expect(try received(server) == ["A: 1"])
        try bench.provider.shutdown(by: .seconds(30))
        #expect(bytes(of: folder.store) == before)
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

    @Test("Row 24: what could not be sent again, or was not set aside, does not count as come in front of the rest")
    func arrivalsThatAreNone() throws {
        let lanes = try StoreLanes(at: folder.store, sharing: .siblings, clock: .manual(ManualClock(now: t0))) {
            file throws(TransactionStoreError) in try TransactionStore(file, busyTimeout: 0.01)
        }
        defer { lanes.close() }
        let entry = TransactionEntry(transactionID: "A", usecase: 1, kind: .happened(1), device: phone)
        try lanes.own.append([LogEvent(sequence: 1, time: t0, level: .info, message: "", transaction: entry)])
        let parcel = try #require(try lanes.own.nextParcel(.v0_0_2, limits: ParcelLimits(), now: t0, randomness: .system))
        try lanes.own.settleRejected(parcel.id, because: "no")
        try DatabaseQueue(path: folder.store).writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN EXCLUSIVE")
            #expect(throws: TransactionStoreError.busy(path: folder.store)) { try lanes.reinstateSetAside() }
            try db.execute(sql: "ROLLBACK")
        }
        #expect(lanes.takeArrivals() == 0)
        for count in [1, 0] {
            try lanes.reinstateSetAside()
            #expect(lanes.takeArrivals() == count)
        }
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
        let server = try receiver(), lane = folder.store + ".lane-1"
        try leave("B", in: lane)
        let other = try DatabaseQueue(path: lane)
        let bench = try Bench(in: folder, url: server.url, token: "t") {
            $0.wireVersion = .v0_0_2
            $0.busyTimeout = .seconds(60)
        }
        try other.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            let limit = LogDeadline.seconds(45)
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
        let expected = CourierError.deadlinePassed(
            pending: 0, reason: "another thread is at work on what other processes have left")
        var failure: (any Error)?
        try other.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            LogThread.start("logout") {
                try? provider.deleteAll()
                isOver.open()
            }
            _ = becomesTrue(by: .seconds(30)) {
                do { try provider.deliver(by: .now) } catch { failure = error }
                return failure as? CourierError == expected   // at first the logout may be at work on the own store
            }
            try db.execute(sql: "ROLLBACK")
        }
        isOver.wait()
        #expect(failure as? CourierError == expected)
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

    @Test("Row 24, 56: nor does a parcel of it that is on its way keep what is this process's own from being sent")
    func aLaneThatIsTakenAwayMeanwhile() throws {
        let lane = folder.store + ".lane-1", gate = Gate()
        try leave("B", in: lane)
        let server = try LoopbackServer { request in
            let answer = LoopbackServer.Answer.status(
                202, headers: request.header("Logbook-Parcel").map { [HTTPHeader("Logbook-Parcel", $0)] } ?? [])
            return String(decoding: request.body, as: UTF8.self).contains(#""B""#) ? .after(gate, answer) : answer
        }
        let first = try bench(server)
        log(first, "A", 1)
        let provider = first.provider
        LogThread.start("delivers") { try? provider.deliver(by: .seconds(30)) }
        #expect(becomesTrue { server.requests.count == 1 })
        _ = shell("rm '\(lane).lock'")
        let taken = try StoreFile(lane)
        gate.open()
        #expect(becomesTrue { server.requests.contains { String(decoding: $0.body, as: UTF8.self).contains(#""A""#) } })
        withExtendedLifetime(taken) {}
    }

    @Test(
        "Row 24: a lane that cannot note what became of its parcel keeps nothing of this process's own from being sent, and sends it again",
        arguments: [202, 400])
    func aLaneThatCannotNote(status: Int) throws {
        let lane = folder.store + ".lane-1"
        let server = try LoopbackServer { request in
            let isTheirs = String(decoding: request.body, as: UTF8.self).contains(#""B""#)
            return .status(
                isTheirs ? status : 202, headers: request.header("Logbook-Parcel").map { [HTTPHeader("Logbook-Parcel", $0)] } ?? [])
        }
        try leave("B", in: lane)
        let triggers = ["DELETE", "UPDATE"].map {
            "CREATE TRIGGER no_\($0) BEFORE \($0) ON parcel BEGIN SELECT raise(ABORT, 'no'); END"
        }
        let bench = try bench(server)
        #expect(sqlite3(lane, triggers.joined(separator: "; "), readOnly: false) == "")
        log(bench, "A", 1)
        #expect(throws: TransactionStoreError.self) { try bench.deliver() }
        #expect(try received(server) == ["B: 1", "A: 1"])
        #expect(bench.provider.deliveryStatus.pending == 1)
        #expect(sqlite3(lane, "DROP TRIGGER no_DELETE; DROP TRIGGER no_UPDATE", readOnly: false) == "")
        try bench.deliver()
        #expect(try received(server) == ["B: 1", "A: 1", "B: 1"])
        #expect(server.requests[2].header("Logbook-Parcel") == server.requests[0].header("Logbook-Parcel"))
        #expect(server.requests[2].body == server.requests[0].body)
        #expect(try bench.provider.counts().pending == 0)
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
