import LogbookCore
import LogbookDelivery
import LogbookFormat
import LogbookHTTP
import LogbookTestKit
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@testable import LogbookRemote

@Suite struct SpoolTests {
    let clock = ManualClock(now: LogTime(seconds: 1_000_000))
    let collector = FakeCollector()
    let folder = TemporaryFolder()

    /// A run of a program that keeps its events in the folder.
    func provider(
        _ transport: any HTTPTransport, policy: SpoolPolicy = SpoolPolicy(), epoch: UInt64 = 7,
        delivery: DeliveryPolicy = DeliveryPolicy(), conditions: DeliveryConditions = .none, deadLetters: DeadLetterFolder? = nil,
        files: some FileSystem = SystemFileSystem(), onEvent: (@Sendable (CourierEvent) -> Void)? = nil
    ) throws -> RemoteLogProvider {
        try RemoteLogProvider(
            to: .collector(url: "http://127.0.0.1:1", token: "hush"), spool: folder.path + "/spool", policy: policy,
            origin: LogOrigin(installation: "I", epoch: epoch), delivery: delivery, conditions: conditions, transport: transport,
            deadLetters: deadLetters, name: "spool", clock: .manual(clock), randomness: .seeded(1), files: files, onEvent: onEvent)
    }

    /// A spool alone: nobody sends what is in it.
    func makeSpool<Files: FileSystem>(_ policy: SpoolPolicy = SpoolPolicy(), files: Files) throws -> Spool<Files> {
        try Spool(
            at: folder.path + "/spool", policy: policy, destination: CurrentDestination(.collector(url: "http://127.0.0.1:1")),
            origin: LogOrigin(installation: "I", epoch: 7), clock: .manual(clock), name: "spool", files: files)
    }

    let away = ScriptedTransport(.fail(.unreachable("nobody there")))

    var eventFiles: [String] { folder.names(in: "spool").filter { $0.hasSuffix(".events") } }

    @Test func eventsAreInAFileWhenLogReturnsAndTheFileGoesWhenTheyAreAcknowledged() throws {
        let transport = ScriptedTransport(.hold)
        let provider = try provider(transport)
        for number in 1...3 { provider.log(.numbered(number)) }
        let file = try #require(eventFiles.first)
        #expect(folder.text("spool/" + file).split(separator: "\n").count == 3)
        try provider.flush(by: .seconds(30))
        #expect(transport.waitForRequests(1))
        #expect(eventFiles == [file])   // on its way is not arrived
        #expect(provider.ledger == LogLedger(submitted: 3, delivered: 3))   // in the folder
        #expect(provider.deliveries == LogLedger(submitted: 3))
        transport.release(with: collector.acknowledge(transport.requests[0]))
        try provider.deliver(by: .seconds(30))
        #expect(eventFiles == [])
        #expect(collector.received == ["event 1", "event 2", "event 3"])
        #expect(provider.deliveries == LogLedger(submitted: 3, delivered: 3))
    }

    @Test("D1: while conditions do not hold events are safe in the folder, also after a shutdown, and nothing is sent")
    func conditionsHoldEventsBack() throws {
        let transport = collector.willing(), reason = "the program's own condition does not hold"
        // The events of these tests are old.
        let closed = DeliveryConditions(maximumDeferral: .seconds(10_000_000), custom: { false })
        let first = try provider(transport, epoch: 1, conditions: closed)
        for number in 1...3 { first.log(.numbered(number)) }
        try first.flush(by: .seconds(60))
        #expect(throws: RemoteLogProviderError.notDelivered(pending: 3, reason: reason)) { try first.deliver(by: .seconds(60)) }
        #expect(first.status.state == .heldBack && first.status.latestAnswer == reason)
        #expect(first.deliveries == LogLedger(submitted: 3))
        let deadline = LogDeadline.seconds(60)
        #expect(throws: RemoteLogProviderError.notDelivered(pending: 3, reason: reason)) { try first.shutdown(by: deadline) }
        #expect(!deadline.hasPassed)
        #expect(transport.requests.isEmpty)
        #expect(eventFiles.count == 1)

        let second = try provider(transport, epoch: 2)
        try second.deliver(by: .seconds(60))
        #expect(collector.received == ["event 1", "event 2", "event 3"])
        #expect(eventFiles == [])
    }

    @Test("47: what one run leaves the next one sends, under the same id and with the same bytes")
    func theNextRunSendsWhatIsLeft() throws {
        let transport = ScriptedTransport(.fail(.unreachable("reset")))
        var first: RemoteLogProvider? = try provider(transport, epoch: 1)
        for number in 1...5 { first?.log(.numbered(number)) }
        try first?.flush(by: .seconds(30))
        #expect(transport.waitForRequests(1))
        first = nil   // and never shut down

        let second = collector.willing()
        let next = try provider(second, epoch: 2)
        #expect(next.deliveries.submitted == 5)
        #expect(next.ledger == LogLedger())
        next.log(.numbered(1, message: "of the next run"))
        try next.deliver(by: .seconds(30))
        #expect(second.requests[0] == transport.requests[0])
        #expect(collector.received == (1...5).map { "event \($0)" } + ["of the next run"])
        #expect(next.deliveries == LogLedger(submitted: 6, delivered: 6))
        #expect(next.ledger == LogLedger(submitted: 1, delivered: 1))
        #expect(eventFiles == [])
    }

    @Test("47: what the next run sends again is the same object of S3, although its file was written on another day than its events")
    func theNextRunNamesAnObjectAlike() throws {
        let folder = folder, clock = LogClock.manual(clock)
        func run(_ transport: ScriptedTransport, epoch: UInt64) throws -> RemoteLogProvider {
            try RemoteLogProvider(
                to: .s3(bucket: "b", region: "r", credentials: AWSCredentials(accessKey: "AKIA", secretKey: "hush")),
                spool: folder.path + "/spool", origin: LogOrigin(installation: "I", epoch: epoch), transport: transport, clock: clock)
        }
        let lost = ScriptedTransport(.fail(.unreachable("reset")))
        let yesterday = LogClock.system.now().adding(.seconds(-86_400))
        var first: RemoteLogProvider? = try run(lost, epoch: 1)
        for number in 1...5 { first?.log(LogEvent(sequence: UInt64(number), time: yesterday, level: .info, message: "event \(number)")) }
        try first?.flush(by: .seconds(30))
        #expect(lost.waitForRequests(1))
        first = nil

        let stored = ScriptedTransport(.answer(HTTPResponse(status: 200, headers: [HTTPHeader("ETag", "\"x\"")])))
        let next = try run(stored, epoch: 2)
        try next.deliver(by: .seconds(30))
        #expect(stored.requests.map(\.url) == [lost.requests[0].url])
        #expect(stored.requests.first == lost.requests.first)
    }

    @Test func aParcelIsSealedByCountByBytesAndByAge() throws {
        let transport = collector.willing()
        let provider = try provider(transport, policy: SpoolPolicy(parcelEvents: 10, parcelBytes: 2000, parcelAge: .seconds(5)))
        for number in 1...10 { provider.log(.numbered(number)) }
        #expect(transport.waitForRequests(1))
        provider.log(.numbered(11, message: String(repeating: "x", count: 1900)))
        provider.log(.numbered(12))
        #expect(transport.waitForRequests(2))
        clock.advance(by: .seconds(5))
        #expect(transport.waitForRequests(3))
        provider.log(.numbered(13, .error))
        #expect(transport.waitForRequests(4))
        #expect(transport.requests.map { FakeCollector.lines($0).count } == [10, 1, 1, 1])
        try provider.shutdown(by: .seconds(30))
    }

    @Test("a line that a kill tore is not sent, damaged lines are counted, and everything else arrives")
    func tornAndDamagedLines() throws {
        var first: RemoteLogProvider? = try provider(away, epoch: 1)
        for number in 1...10 { first?.log(.numbered(number)) }
        first = nil
        let file = "spool/" + eventFiles[0]
        var bytes = folder.bytes(file)
        bytes[bytes.count / 2] ^= 0x20
        folder.write(bytes + bytes.prefix(40), to: file)   // and a beginning without an end

        let next = try provider(collector.willing(), epoch: 2)
        #expect(next.deliveries.submitted == 10)
        // The damaged line may have been found before anybody asked for a delivery; what it tells is the ledger's either way.
        do { try next.deliver(by: .seconds(30)) } catch { #expect(error == .lost(count: 1)) }
        #expect(collector.received.count == 9)
        #expect(next.deliveries == LogLedger(submitted: 10, delivered: 9, dropped: [.corruptRecovered: 1]))
        #expect(eventFiles == [])
    }

    @Test("19: whatever happens to a file, the next run sends what is whole, counts the rest and goes on")
    func mutants() throws {
        var first: RemoteLogProvider? = try provider(away, epoch: 1)
        for number in 1...20 { first?.log(.numbered(number)) }
        first = nil
        let file = "spool/" + eventFiles[0], whole = folder.bytes(file), random = LogRandomness.seeded(19)
        for round in 0..<200 {
            var bytes = whole
            for _ in 0...(random.next() % 4) {
                let place = Int(random.next() % UInt64(max(1, bytes.count)))
                switch random.next() % 5 {
                case 0: bytes = Array(bytes.prefix(place))
                case 1 where !bytes.isEmpty: bytes[place] ^= UInt8(1 << (random.next() % 8))
                case 2: for byte in place..<min(bytes.count, place + 300) { bytes[byte] = 0 }
                case 3: bytes += (0..<50).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                default: bytes.insert(0x0A, at: min(place, bytes.count))
                }
            }
            folder.write(bytes, to: file)
            let collector = FakeCollector()
            let next = try provider(ScriptedTransport { _, request in .answer(collector.acknowledge(request)) })
            _ = try? next.deliver(by: .seconds(30))
            #expect(next.deliveries.pending == 0, "mutant \(round)")
            #expect(next.deliveries.delivered == UInt64(collector.received.count), "mutant \(round)")
            #expect(Set(collector.received).isSubset(of: Set((1...20).map { "event \($0)" })), "mutant \(round)")
            #expect(becomesTrue { eventFiles == [] }, "mutant \(round)")   // what holds nothing more is waited for by nobody
        }
    }

    @Test("a file that somebody took away is lost and not delivered: it is counted, and said by whoever waits")
    func aFileThatIsGoneIsLost() throws {
        let provider = try provider(away)
        for number in 1...5 { provider.log(.numbered(number)) }
        let file = try #require(eventFiles.first)
        #expect(unlink(folder("spool/" + file)) == 0)
        #expect(throws: RemoteLogProviderError.lost(count: 5)) { try provider.deliver(by: .seconds(30)) }
        #expect(provider.deliveries == LogLedger(submitted: 5, dropped: [.corruptRecovered: 5]))
        // The ledger has them as delivered: the words name where the reason is.
        #expect(provider.ledger == LogLedger(submitted: 5, delivered: 5))
        #expect("\(RemoteLogProviderError.lost(count: 5))" == "5 events were lost; the provider's `deliveries` say why")
        #expect("\(RemoteLogProviderError.lost(count: 1))" == "1 event was lost; the provider's `deliveries` say why")
        #expect("\(RemoteLogProviderError.notDelivered(pending: 1, reason: "away"))" == "1 event is not delivered: away")
    }

    @Test func whatIsAcknowledgedAfterTheLaneWasGivenBackStaysForWhoeverHasTheLane() throws {
        let spool = try makeSpool(SpoolPolicy(parcelEvents: 1), files: SystemFileSystem())
        _ = spool.take(.numbered(1))
        let files = eventFiles, parcel = try #require(try spool.nextParcel(besides: []))
        spool.release()
        try spool.settle(parcel, as: .delivered)
        #expect(files.count == 1 && eventFiles == files)
        let collector = FakeCollector(), next = try provider(collector.willing())
        try next.deliver(by: .seconds(30))
        #expect(collector.received == ["event 1"])
        #expect(eventFiles == [])
    }

    @Test func aFlushSaysThatAFileIsGoneAndTheNextEventGoesToAnother() throws {
        let spool = try makeSpool(files: SystemFileSystem())
        for number in 1...5 { _ = spool.take(.numbered(number)) }
        let file = try #require(eventFiles.first)
        #expect(unlink(folder("spool/" + file)) == 0)
        #expect(throws: RemoteLogProviderError.lost(count: 5)) { try spool.makeSafe(by: .seconds(30)) }
        #expect(spool.deliveries == LogLedger(submitted: 5, dropped: [.corruptRecovered: 5]))
        _ = spool.take(.numbered(6))
        #expect(try spool.makeSafe(by: .seconds(30)))
        #expect(eventFiles.count == 1 && eventFiles != [file])
        #expect(spool.deliveries.pending == 1)
    }

    @Test("a file that is gone after the lane was given back is the business of whoever has the lane: here its events stay pending")
    func whatAnotherMayHaveTakenIsNotLost() throws {
        let files = FaultyFileSystem(), reading = Gate(), end = Gate(), spool = try makeSpool(files: files)
        _ = spool.take(.numbered(1, .error))
        files.hold("openForReading", at: reading)
        LogThread.start("courier") {
            _ = try? spool.nextParcel(besides: [])
            end.open()
        }
        #expect(reading.waitForArrivals(1))
        spool.release()
        #expect(unlink(folder("spool/" + eventFiles[0])) == 0)
        reading.open()
        end.wait()
        #expect(spool.deliveries == LogLedger(submitted: 1))
    }

    @Test("24: two programs with one folder keep apart, and one takes over what the other leaves")
    func twoProgramsKeepApart() throws {
        let transport = collector.willing()
        let first = try provider(transport, epoch: 1)
        var second: RemoteLogProvider? = try provider(away, epoch: 2)
        for number in 1...50 {
            first.log(.numbered(number, message: "first \(number)"))
            second?.log(.numbered(number, message: "second \(number)"))
        }
        #expect(Set(eventFiles.map { $0.prefix(3) }) == ["000", "001"])
        try first.deliver(by: .seconds(30))
        #expect(collector.received == (1...50).map { "first \($0)" })
        clock.advance(by: .seconds(30))
        first.log(.numbered(51, .error, message: "first 51"))
        try first.deliver(by: .seconds(30))
        #expect(collector.received.count == 51)   // the other lives, and its events are its own

        second = nil
        clock.advance(by: .seconds(30))
        let deadline = LogDeadline.seconds(60)
        while first.deliveries.delivered < 101 && !deadline.hasPassed {}
        #expect(collector.received.dropFirst(51) == (1...50).map { "second \($0)" }[...])
        #expect(collector.arrivals.allSatisfy { $0 == 1 })
        #expect(eventFiles == [])
    }

    @Test("24: a lane that was taken over is given back with its last file, and the next program has it")
    func aLaneThatIsEmptyIsGivenBack() throws {
        let files = FaultyFileSystem(), spool = try makeSpool(files: files), descriptors = files.openDescriptors
        for number in 1...5 {
            var second: Spool<SystemFileSystem>? = try makeSpool(files: SystemFileSystem())
            _ = second?.take(.numbered(number))
            #expect(eventFiles.map { $0.prefix(3) } == ["001"])
            second = nil
            clock.advance(by: .seconds(30))
            let parcel = try #require(try spool.nextParcel(besides: []))
            #expect(files.openDescriptors == descriptors + 1)
            try spool.settle(parcel, as: .delivered)
            #expect(files.openDescriptors == descriptors)
        }
        #expect(spool.deliveries == LogLedger(submitted: 5, delivered: 5))
        #expect(eventFiles == [])
    }

    @Test func allLanesInUseAreSaid() {
        let error = RemoteLogProviderError.noFreeLane(folder: "/var/spool/shop", lanes: 1000)
        #expect(
            error.description == "cannot keep events in /var/spool/shop: all of its 1000 lanes are in use; "
                + "give some of the programs a folder of their own")
    }

    @Test("what somebody leaves is taken over, also when it cannot be read at first")
    func aLaneThatCannotBeReadAtFirstIsLookedAtAgain() throws {
        var second: RemoteLogProvider? = try provider(away, epoch: 2)
        for number in 1...5 { second?.log(.numbered(number)) }
        let files = FaultyFileSystem(failing: 1, with: .failure(5), only: ["openForReading"])
        let first = try provider(collector.willing(), epoch: 1, files: files)
        second = nil
        let deadline = LogDeadline.seconds(60)
        while first.deliveries.delivered < 5, !deadline.hasPassed {
            clock.advance(by: .seconds(1))
            usleep(1000)
        }
        #expect(files.faults == 1)
        #expect(Set(collector.received) == Set((1...5).map { "event \($0)" }))
        #expect(eventFiles == [])
    }

    // MARK: Limits

    func entry(_ number: Int) -> LogEvent {
        LogEvent(
            sequence: UInt64(number), time: LogTime(nanoseconds: Int64(number)), level: .info, message: "entry \(number)",
            transaction: TransactionEntry(
                transactionID: "TXN1-A", usecase: 1, kind: .happened(number),
                device: DeviceFacts(make: "m", os: "o", osVersion: "1")))
    }

    @Test("what a flush has called safe is so also when its file is written anew, since the spool is full", arguments: [true, false])
    func whatIsSafeStaysSafe(isFlushed: Bool) throws {
        let files = FaultyFileSystem()
        let spool = try makeSpool(SpoolPolicy(maximumBytes: 16 << 10, parcelEvents: 20), files: files)
        for number in 1...20 { _ = spool.take(number == 10 ? entry(number) : .numbered(number)) }
        if isFlushed { #expect(try spool.makeSafe(by: .seconds(30))) }
        let before = files.calls.count
        var number = 20
        while spool.lostAfterwards?.isEmpty == true {
            number += 1
            _ = spool.take(.numbered(number))
        }
        let calls = files.calls[before...], end = try #require(calls.lastIndex(of: "replace"))
        #expect(calls[..<end].last { ["openNew", "synchronize"].contains($0) } == (isFlushed ? "synchronize" : "openNew"))
    }

    @Test("61: at the cap the oldest events go that are no transaction's, each is counted, and no entry is lost")
    func atTheCapTheOldestGoFirst() throws {
        let provider = try provider(away, policy: SpoolPolicy(maximumBytes: 64 << 10, parcelEvents: 20))
        for number in 1...2000 { provider.log(number % 40 == 0 ? entry(number) : .numbered(number)) }
        let ledger = provider.deliveries
        #expect(provider.ledger == LogLedger(submitted: 2000, delivered: 2000))
        #expect(provider.lostAfterwards == ledger.dropped)
        #expect(ledger.submitted == 2000 && ledger.delivered == 0)
        #expect(ledger.dropped.keys.elementsEqual([.spoolFull]))
        #expect(eventFiles.reduce(0) { $0 + folder.bytes("spool/" + $1).count } <= 64 << 10)
        provider.update(to: .collector(url: "http://127.0.0.1:1"))   // away is deaf; the next run delivers
        try? provider.shutdown(by: .now)

        let next = try self.provider(collector.willing(), epoch: 8)
        try next.deliver(by: .seconds(30))
        #expect(next.deliveries.delivered == ledger.pending)
        #expect(UInt64(collector.received.count) == ledger.pending)
        #expect(collector.received.filter { $0.hasPrefix("entry") } == stride(from: 40, through: 2000, by: 40).map { "entry \($0)" })
        let numbers = collector.received.filter { $0.hasPrefix("event") }.map { Int($0.dropFirst(6))! }
        #expect(numbers.last == 1999)
        #expect(numbers.filter { $0 > 40 }.first! > 1000)   // the oldest went, but for those of the parcel on its way and of the next
        #expect(Array(numbers) == numbers.sorted())
    }

    @Test func aSpoolFullOfTransactionsTakesNewEntriesForOldOnesAndNothingElse() throws {
        let provider = try provider(away, policy: SpoolPolicy(maximumBytes: 64 << 10, parcelEvents: 20))
        for number in 1...1000 { provider.log(entry(number)) }
        let dropped = provider.deliveries.droppedTotal
        #expect(dropped > 0)
        for number in 1001...1400 { provider.log(.numbered(number)) }
        #expect(provider.deliveries.droppedTotal + provider.ledger!.droppedTotal > dropped)
        try? provider.shutdown(by: .now)
        let next = try self.provider(collector.willing(), epoch: 8)
        try next.deliver(by: .seconds(30))
        let entries = collector.received.filter { $0.hasPrefix("entry") }
        #expect(entries.last == "entry 1000")
        #expect(entries.count == Int(1000 - dropped))   // what came later and is none cost no entry
    }

    @Test("61: what an earlier run left is dropped under the same policy")
    func inheritedEventsAreDroppedFirst() throws {
        let policy = SpoolPolicy(maximumBytes: 64 << 10, parcelEvents: 20)
        var first: RemoteLogProvider? = try provider(away, policy: policy, epoch: 1)
        for number in 1...200 { first?.log(number % 10 == 0 ? entry(number) : .numbered(number)) }
        #expect(first?.deliveries.droppedTotal == 0)
        first = nil
        let second = try provider(away, policy: policy, epoch: 2)
        #expect(second.deliveries == LogLedger(submitted: 200))
        for number in 1...400 { second.log(.numbered(number)) }
        let deliveries = second.deliveries
        #expect(deliveries.submitted == 600)
        #expect(deliveries.dropped == [.spoolFull: 600 - deliveries.pending])
        try? second.shutdown(by: .now)
        let third = try provider(collector.willing(), policy: policy, epoch: 3)
        try third.deliver(by: .seconds(30))
        #expect(collector.received.filter { $0.hasPrefix("entry") }.count == 20)
        #expect(UInt64(collector.received.count) == deliveries.pending)
    }

    @Test("33: whoever hears that the spool is full may log to it")
    func aRemarkMayBeLogged() throws {
        let box = Locked<RemoteLogProvider?>(nil), heard = Locked(0)
        LogDiagnostics.setHandler { remark in
            guard remark.origin == "talkative" else { return }
            heard.withLock { $0 += 1 }
            box.withLock { $0 }?.log(.numbered(0, message: remark.message))
        }
        defer { LogDiagnostics.setHandler(nil) }
        let provider = try RemoteLogProvider(
            to: .collector(url: "http://127.0.0.1:1"), spool: folder.path + "/spool",
            policy: SpoolPolicy(maximumBytes: 64 << 10, parcelEvents: 20), transport: away, name: "talkative")
        box.withLock { $0 = provider }
        let isDone = Monitor(false)
        LogThread.start("logger") {
            for number in 1...2000 { provider.log(.numbered(number)) }
            isDone.withLock { access in
                access.value = true
                access.broadcast()
            }
        }
        let deadline = LogDeadline.seconds(60)
        let ended = isDone.withLock { access in
            while !access.value && access.wait(until: deadline) {}
            return access.value
        }
        #expect(ended && heard.withLock { $0 } > 0)
        box.withLock { $0 = nil }
        try? provider.shutdown(by: .now)
    }

    // MARK: Fates

    @Test("44: a poison event in a spool is set aside, across a restart in the middle")
    func aPoisonEventIsSetAside() throws {
        let letters = try DeadLetterFolder(at: folder.path + "/dead")
        let requests = Locked(0)
        let poison = ScriptedTransport { [collector] _, request in
            let count = requests.withLock { count in
                count += 1
                return count
            }
            if count == 4 { return .fail(.unreachable("and now the program is killed")) }
            let lines = FakeCollector.lines(request)
            return lines.contains { $0["sequence"] == .integer(77) } ? .status(400) : .answer(collector.acknowledge(request))
        }
        var first: RemoteLogProvider? = try provider(poison, epoch: 1, deadLetters: letters)
        for number in 1...100 { first?.log(.numbered(number)) }
        // However slow the machine is, the failure is the first run's: its clock stands still, nobody else would try again.
        while requests.withLock({ $0 }) < 4 { _ = try? first?.deliver(by: .milliseconds(200)) }
        first = nil
        let next = try provider(poison, epoch: 2, deadLetters: letters)
        #expect(throws: RemoteLogProviderError.lost(count: 1)) { try next.deliver(by: .seconds(30)) }
        #expect(Set(collector.received) == Set((1...100).filter { $0 != 77 }.map { "event \($0)" }))
        #expect(next.deliveries == LogLedger(submitted: 100, delivered: 99, dropped: [.rejectedByServer: 1]))
        #expect(letters.count == 1 && next.lostAfterwards == [.rejectedByServer: 1])
        let letter = try #require(folder.names(in: "dead").first)
        #expect(folder.text("dead/" + letter).contains(#""message":"event 77""#))
        #expect(eventFiles == [])
    }

    @Test("45: a spool's parcel that is too large goes in halves")
    func tooLargeGoesInHalves() throws {
        let transport = ScriptedTransport { [collector] _, request in
            FakeCollector.lines(request).count > 30 ? .status(413) : .answer(collector.acknowledge(request))
        }
        let provider = try provider(transport)
        for number in 1...100 { provider.log(.numbered(number)) }
        try provider.deliver(by: .seconds(30))
        #expect(collector.received == (1...100).map { "event \($0)" })
        #expect(collector.arrivals.allSatisfy { $0 == 1 })
        #expect(provider.deliveries == LogLedger(submitted: 100, delivered: 100))
    }

    @Test func entryByEntryAnswersAreFollowed() throws {
        let double = ElasticsearchDouble()
        let server = try LoopbackServer { double.answer($0) }
        let provider = try RemoteLogProvider(
            to: .elasticsearch(url: server.url, index: "logs", authorization: .apiKey("right")), spool: folder.path + "/spool",
            origin: Sample.origin, delivery: DeliveryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(5)))
        for number in 1...300 {
            provider.log(LogEvent(sequence: UInt64(number), time: Sample.time, level: .info, message: "event \(number)"))
        }
        try provider.deliver(by: .seconds(60))
        #expect(double.stored == Set((1...300).map { "I-7-\($0)" }))
        #expect(double.conflicts > 0 && double.busy > 0)
        #expect(provider.deliveries == LogLedger(submitted: 300, delivered: 300))
        #expect(eventFiles == [])
        try provider.shutdown(by: .seconds(30))
    }

    @Test func anotherDestinationGetsWhatWaitsInItsForm() throws {
        let transport = ScriptedTransport { _, request in request.url.hasSuffix("/push") ? .status(204) : .status(401) }
        let provider = try provider(transport)
        for number in 1...3 { provider.log(.numbered(number)) }
        #expect(throws: RemoteLogProviderError.notDelivered(pending: 3, reason: "HTTP status 401")) {
            try provider.deliver(by: .seconds(30))
        }
        provider.update(to: .loki(url: "http://127.0.0.1:1", labels: ["job": "j"]))
        try provider.deliver(by: .seconds(30))
        #expect(provider.deliveries == LogLedger(submitted: 3, delivered: 3))
        #expect(transport.requests.last?.headers.contains(HTTPHeader("Content-Type", "application/json")) == true)
    }

    @Test("60: shutdown with the receiver down and 50,000 pending returns at its deadline, says 50,000, and the next run sends them")
    func shutdownWithTheReceiverDown() throws {
        let provider = try provider(away)
        for number in 1...50_000 { provider.log(.numbered(number)) }
        #expect(throws: RemoteLogProviderError.notDelivered(pending: 50_000, reason: "no connection: nobody there")) {
            try provider.shutdown(by: .milliseconds(300))
        }
        provider.log(.numbered(50_001))
        #expect(provider.ledger == LogLedger(submitted: 50_001, delivered: 50_000, dropped: [.alreadyShutDown: 1]))
        #expect(provider.deliveries == LogLedger(submitted: 50_000))
        let next = try self.provider(collector.willing(), epoch: 8)
        try next.deliver(by: .seconds(120))
        #expect(collector.received == (1...50_000).map { "event \($0)" })
        #expect(eventFiles == [])
    }

    @Test("S6, S9: files are for their owner alone, and what is not the spool's is left alone")
    func filesOfOthersAreLeftAlone() throws {
        folder.makeFolder("spool")
        for name in ["notes.txt", "000-0000000001-mine.events", "000-0000000001-586AB00B-F16E-4AE6-8A91-0210264925C7.events.bak"] {
            folder.write("mine\n", to: "spool/" + name)
        }
        folder.write("half\n", to: "spool/000-0000000009-586AB00B-F16E-4AE6-8A91-0210264925C7.events.part")
        let before = Set(folder.names(in: "spool"))
        let provider = try provider(collector.willing())
        provider.log(.numbered(1))
        #expect(folder.permissions("spool/" + Set(folder.names(in: "spool")).subtracting(before).first { $0.hasSuffix(".events") }!) == 0o600)
        try provider.deliver(by: .seconds(30))
        #expect(folder.names(in: "spool").filter { $0 != "000.lane" } == before.filter { !$0.hasSuffix(".part") }.sorted())
        #expect(collector.received == ["event 1"])
    }

    @Test func aFolderThatCannotBeIsSaid() {
        folder.write("", to: "file")
        for path in [folder.path + "/file", folder.path + "/no/such/place"] {
            #expect {
                try RemoteLogProvider(to: .http(url: "http://127.0.0.1:1"), spool: path)
            } throws: { error in
                guard case .cannotOpenSpool(path, _)? = error as? RemoteLogProviderError else { return false }
                return true
            }
        }
    }

    @Test("7, 10, 11, 12: whichever call to the file system fails, every accepted event arrives and every other is counted", arguments: [
        FaultyFileSystem.Fault.failure(5), .failure(28), .shortWrite, .tornWrite(28), .lateFailure(5),
    ], [false, true])
    func everyCallFails(fault: FaultyFileSystem.Fault, lasts: Bool) throws {
        for call in 1... {
            let folder = TemporaryFolder(), collector = FakeCollector()
            func run(_ epoch: UInt64, _ files: some FileSystem, durability: SpoolPolicy.Durability) throws -> RemoteLogProvider {
                try RemoteLogProvider(
                    to: .collector(url: "http://127.0.0.1:1"), spool: folder.path + "/spool",
                    policy: SpoolPolicy(maximumBytes: 64 << 10, parcelEvents: 4, durability: durability),
                    origin: LogOrigin(installation: "I", epoch: epoch),
                    delivery: DeliveryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(2)),
                    transport: ScriptedTransport { _, request in .answer(collector.acknowledge(request)) }, deadLetters: nil,
                    name: "spool", clock: .system, randomness: .system, files: files, onEvent: nil)
            }
            // An earlier run has left something.
            var earlier: RemoteLogProvider? = try RemoteLogProvider(
                to: .collector(url: "http://127.0.0.1:1"), spool: folder.path + "/spool",
                origin: LogOrigin(installation: "I", epoch: 1), transport: away)
            for number in 1...6 { earlier?.log(.numbered(number, message: "earlier \(number)")) }
            earlier = nil

            let files = FaultyFileSystem(failing: call, with: fault, lasts: lasts)
            var accepted = Set((1...6).map { "earlier \($0)" })
            if let provider = try? run(2, files, durability: call % 2 == 0 ? .power : .process) {
                for number in 1...10 {
                    let dropped = provider.ledger!.droppedTotal
                    provider.log(.numbered(number, message: "now \(number)"))
                    if provider.ledger!.droppedTotal == dropped { accepted.insert("now \(number)") }
                }
                _ = try? provider.flush(by: .milliseconds(20))
                _ = try? provider.shutdown(by: .milliseconds(20))
                let ledger = provider.ledger!
                #expect(ledger.submitted == 10)
                #expect(ledger.delivered + ledger.droppedTotal == 10)   // nothing is left half done
                #expect(provider.deliveries.submitted >= ledger.delivered)
            }
            let last = try run(3, SystemFileSystem(), durability: .process)
            try last.deliver(by: .seconds(60))
            try last.shutdown(by: .seconds(60))
            let missing = accepted.subtracting(collector.received)
            #expect(missing.isEmpty, "call \(call): \(missing.sorted())")
            #expect(Set(collector.received).count == collector.received.count)
            #expect(folder.names(in: "spool").allSatisfy { $0.hasSuffix(".lane") }, "call \(call): \(folder.names(in: "spool"))")
            if files.faults == 0 {
                #expect(call > 30)
                break
            }
        }
    }
}
