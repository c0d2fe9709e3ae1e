import LogbookCore
import LogbookDelivery
import LogbookFormat
import LogbookGzip
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing

@Suite struct RemoteLogProviderTests {
    let clock = ManualClock(now: LogTime(seconds: 1_000_000))
    let collector = FakeCollector()

    func provider(
        _ transport: any HTTPTransport, queue: RemoteQueuePolicy = RemoteQueuePolicy(),
        url: String = "http://127.0.0.1:1", conditions: DeliveryConditions = .none,
        onEvent: (@Sendable (CourierEvent) -> Void)? = nil
    ) -> RemoteLogProvider {
        RemoteLogProvider(
            to: CollectorDestination(url: url, token: "hush"), origin: LogOrigin(installation: "I", epoch: 7),
            queue: queue, conditions: conditions,
            transport: transport, clock: .manual(clock), randomness: .seeded(1), onEvent: onEvent)
    }

    @Test func eventsArriveAsCompressedLinesThatCarryTheirKey() throws {
        let transport = collector.willing()
        let provider = provider(transport)
        for number in 1...3 { provider.log(.numbered(number)) }
        try provider.flush(by: .seconds(30))

        let request = try #require(transport.requests.first)
        #expect(transport.requests.count == 1)
        #expect(request.headers.contains(HTTPHeader("Content-Type", "application/x-ndjson")))
        #expect(request.headers.contains(HTTPHeader("Content-Encoding", "gzip")))
        let lines = FakeCollector.lines(request)
        #expect(lines.map { $0["sequence"] } == [.integer(1), .integer(2), .integer(3)])
        #expect(lines.allSatisfy { $0["installation"] == .string("I") && $0["epoch"] == .integer(7) })
        #expect(collector.received == ["event 1", "event 2", "event 3"])
        #expect(provider.ledger == LogLedger(submitted: 3, delivered: 3))
    }

    @Test func aParcelIsSealedByCountAtOnceAndByAgeInTime() {
        let transport = collector.willing()
        let provider = provider(transport, queue: RemoteQueuePolicy(parcelEvents: 10, parcelAge: .seconds(5)))
        for number in 1...10 { provider.log(.numbered(number)) }
        #expect(transport.waitForRequests(1))
        provider.log(.numbered(11))
        clock.advance(by: .seconds(5))
        #expect(transport.waitForRequests(2))
        #expect(transport.requests.map { FakeCollector.lines($0).count } == [10, 1])
    }

    @Test func anErrorDoesNotWaitForCompany() {
        let transport = collector.willing()
        let provider = provider(transport)
        provider.log(.numbered(1))
        provider.log(.numbered(2, .error))
        #expect(transport.waitForRequests(1))
        #expect(FakeCollector.lines(transport.requests[0]).count == 2)
    }

    @Test func aParcelIsSealedByBytesAndAHugeEventTravelsAlone() throws {
        let transport = collector.willing()
        let provider = provider(transport, queue: RemoteQueuePolicy(parcelBytes: 1000))
        provider.log(.numbered(1))
        provider.log(.numbered(2, message: String(repeating: "x", count: 5000)))
        for number in 3...20 { provider.log(.numbered(number)) }
        try provider.flush(by: .seconds(30))
        let parcels = transport.requests.map { FakeCollector.lines($0) }
        #expect(parcels.contains { $0.count == 1 && $0[0]["sequence"] == .integer(2) })
        #expect(parcels.flatMap { $0 }.map { $0["sequence"] } == (1...20).map { .integer($0) })
        #expect(provider.ledger == LogLedger(submitted: 20, delivered: 20))
    }

    @Test func aParcelThatWouldLookLikeABombTravelsUncompressed() throws {
        let transport = collector.willing()
        let provider = provider(transport)
        provider.log(.numbered(1, message: String(repeating: "x", count: 500_000)))
        try provider.flush(by: .seconds(30))
        #expect(transport.requests.first?.headers.contains { $0.name == "Content-Encoding" } == false)
        #expect(collector.received.first?.count == 500_000)
    }

    @Test("47: a lost answer sends the same bytes under the same id again, and the receiver counts each event once")
    func aLostAnswerIsHarmless() throws {
        let transport = ScriptedTransport { [collector] number, request in
            let answer = collector.acknowledge(request)
            return number == 1 ? .fail(.unreachable("reset")) : .answer(answer)
        }
        let diary = Gate()
        let provider = provider(transport) { if case .willRetry = $0 { diary.open() } }
        for number in 1...5 { provider.log(.numbered(number, .error)) }
        diary.wait()
        clock.advance(by: .seconds(300))
        try provider.flush(by: .seconds(30))
        #expect(transport.requests[0] == transport.requests[1])
        #expect(collector.received.count == 5)
        #expect(collector.arrivals.contains(2))
        #expect(provider.ledger == LogLedger(submitted: 5, delivered: 5))
    }

    @Test func aFullQueueDropsTheOldestOrTheNewestAndCounts() throws {
        for (overflow, kept) in [
            (RemoteQueuePolicy.Overflow.dropOldest, Array(91...100)), (.dropNewest, Array(1...10)),
        ] {
            let collector = FakeCollector()
            let transport = ScriptedTransport { _, request in .answer(collector.acknowledge(request)) }
            let provider = provider(transport, queue: RemoteQueuePolicy(maximumEvents: 10, overflow: overflow))
            for number in 1...100 { provider.log(.numbered(number)) }
            try provider.flush(by: .seconds(30))
            #expect(collector.received == kept.map { "event \($0)" })
            #expect(provider.ledger == LogLedger(submitted: 100, delivered: 10, dropped: [.queueFull: 90]))
        }
    }

    /// One whose receiver was busy for a first event: until the clock goes on, everything else stays in the queue.
    private func pausedProvider(queue: RemoteQueuePolicy) -> RemoteLogProvider {
        let isPaused = Gate()
        let transport = ScriptedTransport { [collector] number, request in
            number == 1 ? .status(503) : .answer(collector.acknowledge(request))
        }
        let provider = provider(transport, queue: queue) { if case .willRetry = $0 { isPaused.open() } }
        provider.log(.numbered(0, .error))
        isPaused.wait()
        return provider
    }

    /// The sixth and the tenth are errors, the eighth is a transaction's.
    private static func event(_ number: Int) -> LogEvent {
        guard number == 8 else { return .numbered(number, [6, 10].contains(number) ? .error : .info) }
        let entry = TransactionEntry(transactionID: "TXN1-A", usecase: 1, kind: .happened(7), device: .current)
        return LogEvent(sequence: 8, time: LogTime(nanoseconds: 8), level: .info, message: "event 8", transaction: entry)
    }

    @Test("errors and what transactions said outlive ordinary events in a full queue, and all go in their order", arguments: [
        (RemoteQueuePolicy.Overflow.dropOldest, [6, 8, 10, 11, 12]), (.dropNewest, [1, 2, 3, 6, 8, 10]),
    ])
    func ordinaryEventsGiveWayFirst(overflow: RemoteQueuePolicy.Overflow, kept: [UInt64]) throws {
        let provider = pausedProvider(queue: RemoteQueuePolicy(maximumEvents: kept.count, overflow: overflow))
        for number in 1...12 { provider.log(Self.event(number)) }
        #expect(provider.undelivered().map(\.sequence) == [0] + kept)
        let dropped = 12 - kept.count
        #expect(provider.ledger == LogLedger(submitted: 13, dropped: [.queueFull: UInt64(dropped)]))

        clock.advance(by: .seconds(300))
        try provider.deliver(by: .seconds(30))
        #expect(collector.received == ([0] + kept).map { "event \($0)" })
        #expect(provider.ledger == LogLedger(submitted: 13, delivered: UInt64(13 - dropped), dropped: [.queueFull: UInt64(dropped)]))
    }

    @Test("a queue of nothing but errors takes no ordinary event, and another error as its policy says", arguments: [
        (RemoteQueuePolicy.Overflow.dropOldest, [0, 2, 3, 9]), (.dropNewest, [0, 1, 2, 3]),
    ] as [(RemoteQueuePolicy.Overflow, [UInt64])])
    func errorsGiveWayToErrorsAlone(overflow: RemoteQueuePolicy.Overflow, kept: [UInt64]) {
        let provider = pausedProvider(queue: RemoteQueuePolicy(maximumEvents: 3, overflow: overflow))
        for number in 1...3 { provider.log(.numbered(number, .error)) }
        for number in 4...8 { provider.log(.numbered(number)) }
        provider.log(.numbered(9, .error))
        #expect(provider.undelivered().map(\.sequence) == kept)
        #expect(provider.ledger == LogLedger(submitted: 10, dropped: [.queueFull: 6]))
    }

    @Test("room in bytes is made of ordinary events where they suffice, and of none where they do not")
    func roomInBytesIsMadeOfOrdinaryEvents() {
        func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }
        let provider = pausedProvider(queue: RemoteQueuePolicy(maximumBytes: 10_000))
        provider.log(.numbered(1, .error, message: text(4000)))
        for number in 2...4 { provider.log(.numbered(number, message: text(1000))) }
        provider.log(.numbered(5, .error, message: text(3000)))
        #expect(provider.undelivered().map(\.sequence) == [0, 1, 4, 5])
        provider.log(.numbered(6, message: text(9000)))   // the errors leave it no room
        #expect(provider.undelivered().map(\.sequence) == [0, 1, 4, 5])
        #expect(provider.ledger == LogLedger(submitted: 7, dropped: [.queueFull: 3]))
    }

    @Test func theQueueIsBoundedInBytesAndOneEventAlwaysFits() {
        let provider = provider(collector.willing(), queue: RemoteQueuePolicy(maximumBytes: 10_000))
        provider.log(.numbered(1, message: String(repeating: "x", count: 100_000)))
        #expect(provider.ledger?.pending == 1)
        for number in 2...100 { provider.log(.numbered(number, message: String(repeating: "x", count: 1000))) }
        #expect(provider.ledger!.pending < 10)
        #expect(provider.ledger!.pending + provider.ledger!.droppedTotal == 100)
    }

    @Test func flushSaysHowManyAreNotAcknowledgedAndWhy() {
        let provider = provider(ScriptedTransport(.fail(.unreachable("nobody there"))))
        for number in 1...7 { provider.log(.numbered(number, .error)) }
        #expect(becomesTrue { provider.status.state == .waiting })
        #expect(throws: RemoteLogProviderError.notDelivered(pending: 7, reason: "no connection: nobody there")) {
            try provider.flush(by: .milliseconds(100))
        }
        #expect(provider.ledger?.pending == 7)
    }

    @Test("43: a wrong token is said at once and nothing is lost; with the right one everything arrives")
    func aWrongTokenLosesNothing() throws {
        let isRight = Locked(false)
        let transport = ScriptedTransport { [collector] _, request in
            isRight.withLock { $0 } ? .answer(collector.acknowledge(request)) : .status(401)
        }
        let provider = provider(transport)
        for number in 1...3 { provider.log(.numbered(number)) }
        #expect(throws: RemoteLogProviderError.notDelivered(pending: 3, reason: "HTTP status 401")) {
            try provider.flush(by: .seconds(30))
        }
        #expect(provider.status.state == .misconfigured)
        #expect(provider.latestFailure == "HTTP status 401" && provider.oldestPending == LogTime(nanoseconds: 1))
        isRight.withLock { $0 = true }
        provider.reconfigured()
        try provider.flush(by: .seconds(30))
        #expect(collector.received.count == 3)
        #expect(provider.latestFailure == nil && provider.oldestPending == nil)
    }

    @Test("42: what a busy receiver asks for ends with another one, and not with another token")
    func busyAtTheAddressBefore() throws {
        let transport = ScriptedTransport { [collector] _, request in
            request.url.hasPrefix("http://127.0.0.1:1/")
                ? .status(503, headers: [HTTPHeader("Retry-After", "90")]) : .answer(collector.acknowledge(request))
        }
        let provider = provider(transport)
        provider.log(.numbered(1, .error))
        #expect(becomesTrue { provider.status.state == .waiting })
        provider.update(to: CollectorDestination(url: "http://127.0.0.1:1", token: "new"))
        #expect(throws: RemoteLogProviderError.self) { try provider.deliver(by: .milliseconds(20)) }
        #expect(transport.requests.count == 1)
        provider.update(to: CollectorDestination(url: "http://127.0.0.1:2", token: "new"))
        try provider.deliver(by: .seconds(30))
        #expect(transport.requests.count == 2)
        #expect(collector.received == ["event 1"])
    }

    @Test func rejectedEventsAreCountedAndTheFlushSaysSo() throws {
        let transport = ScriptedTransport { _, request in
            let id = request.headers.first { $0.name == "Logbook-Parcel" }!.value
            return .answer(FakeCollector.acknowledgement(id, 3, 1, 1))
        }
        let provider = provider(transport)
        for number in 1...5 { provider.log(.numbered(number)) }
        #expect(throws: RemoteLogProviderError.lost(count: 1)) { try provider.flush(by: .seconds(30)) }
        #expect(provider.ledger == LogLedger(submitted: 5, delivered: 4, dropped: [.rejectedByServer: 1]))

        let refusing = self.provider(ScriptedTransport(.status(422)))
        refusing.log(.numbered(1))
        #expect(throws: RemoteLogProviderError.lost(count: 1)) { try refusing.flush(by: .seconds(30)) }
        #expect(refusing.ledger == LogLedger(submitted: 1, dropped: [.rejectedByServer: 1]))
    }

    @Test("who wants them has the events that are refused: those that were named, one that was left alone, or the whole parcel's")
    func refusedEventsAreGivenBack() throws {
        let refused = Locked<[[String]]>([])
        func give(_ destination: some LogDestination, _ transport: ScriptedTransport) -> LogLedger? {
            let provider = RemoteLogProvider(
                to: destination, origin: LogOrigin(installation: "I", epoch: 7), queue: RemoteQueuePolicy(), transport: transport,
                clock: .manual(clock), onRefused: { events in refused.withLock { $0.append(events.map(\.message)) } })
            for number in 1...3 { provider.log(.numbered(number)) }
            #expect(throws: RemoteLogProviderError.lost(count: 1)) { try provider.flush(by: .seconds(30)) }
            #expect(provider.undelivered().isEmpty)
            return provider.ledger
        }
        let named = #"{"errors":true,"items":[{"create":{"status":201}},{"create":{"status":400}},{"create":{"status":201}}]}"#
        let ledgers = [
            give(
                .elasticsearch(url: "http://127.0.0.1:1"),
                ScriptedTransport(.answer(HTTPResponse(status: 200, body: Array(named.utf8))))),
            give(.collector(url: "http://127.0.0.1:1"), ScriptedTransport { [collector] _, request in
                let hasPoison = FakeCollector.lines(request).contains { $0["sequence"] == .integer(3) }
                return hasPoison ? .status(400) : .answer(collector.acknowledge(request))
            }),
            give(.collector(url: "http://127.0.0.1:1"), ScriptedTransport { _, request in
                let id = request.headers.first { $0.name == "Logbook-Parcel" }!.value
                return .answer(FakeCollector.acknowledgement(id, 2, 0, 1))
            }),
        ]
        #expect(ledgers.allSatisfy { $0 == LogLedger(submitted: 3, delivered: 2, dropped: [.rejectedByServer: 1]) })
        #expect(refused.withLock { $0 } == [["event 2"], ["event 3"], ["event 1", "event 2", "event 3"]])
    }

    @Test("45: a parcel that is too large is halved; a single event that is too large is rejected and counted")
    func tooLargeIsHalved() throws {
        let transport = ScriptedTransport { [collector] _, request in
            let lines = FakeCollector.lines(request)
            let isTooLarge = lines.count > 3 || lines.contains { $0["sequence"] == .integer(5) }
            return isTooLarge ? .status(413) : .answer(collector.acknowledge(request))
        }
        let provider = provider(transport)
        for number in 1...20 { provider.log(.numbered(number)) }
        #expect(throws: RemoteLogProviderError.lost(count: 1)) { try provider.flush(by: .seconds(30)) }
        #expect(collector.received == (1...20).filter { $0 != 5 }.map { "event \($0)" })
        #expect(collector.arrivals.allSatisfy { $0 == 1 })
        #expect(provider.ledger == LogLedger(submitted: 20, delivered: 19, dropped: [.rejectedByServer: 1]))
    }

    @Test("60: shutdown keeps to its deadline, says what is left, and gives it back")
    func shutdownGivesBackWhatItCouldNotDeliver() {
        let transport = ScriptedTransport(.hold)
        let provider = provider(transport, queue: RemoteQueuePolicy(parcelEvents: 10))
        for number in 1...25 { provider.log(.numbered(number)) }
        #expect(transport.waitForRequests(1))
        #expect(throws: RemoteLogProviderError.self) { try provider.shutdown(by: .milliseconds(100)) }
        #expect(transport.cancellations >= 1)
        #expect(provider.undelivered().map(\.sequence) == (1...25).map { UInt64($0) })
        provider.log(.numbered(26))
        #expect(provider.ledger == LogLedger(submitted: 26, dropped: [.alreadyShutDown: 1]))
        #expect(provider.ledger?.pending == 25)
        #expect(throws: RemoteLogProviderError.notDelivered(pending: 25, reason: "the provider was shut down")) {
            try provider.shutdown(by: .seconds(30))
        }
    }

    @Test("what waits is let go of once somebody has saved it, and what the parcel on its way holds is not; where nobody has, all stays")
    func whatWaitsIsHandedOver() {
        let hasFailed = Gate()
        let provider = provider(ScriptedTransport(.fail(.unreachable("nobody there")))) { if case .willRetry = $0 { hasFailed.open() } }
        for number in 1...1000 { provider.log(.numbered(number)) }
        hasFailed.wait()   // until the clock goes on nothing more is taken from the queue
        for number in 1001...5000 { provider.log(.numbered(number)) }

        #expect(provider.handOver { _ in false } == 0)
        #expect(provider.ledger == LogLedger(submitted: 5000))
        #expect(provider.undelivered().map(\.sequence) == Array(1...5000))

        var saved: [LogEvent] = []
        let count = provider.handOver { events in
            provider.log(.numbered(5001))   // comes while they are saved, and is not among them
            saved += events
            return true
        }
        #expect(saved.count == count && count >= 4000)
        let pending = provider.undelivered().map(\.sequence)
        #expect(pending.count <= 1001 && pending.last == 5001)
        #expect(Array(pending.dropLast()) + saved.map(\.sequence) == Array(1...5000))
        #expect(provider.ledger == LogLedger(submitted: 5001, dropped: [.keptElsewhere: UInt64(count)]))
        #expect(provider.ledger?.pending == UInt64(pending.count))
        #expect(provider.handOver { $0.count == 1 } == 1)
        #expect(provider.handOver { _ in true } == 0)
    }

    /// The events of these tests are old.
    private func conditions(_ isOpen: Locked<Bool>, urgentFrom: LogLevel? = nil) -> DeliveryConditions {
        DeliveryConditions(maximumDeferral: .seconds(10_000_000), urgentFrom: urgentFrom, custom: { isOpen.withLock { $0 } })
    }
    private let heldBack = "the program's own condition does not hold"

    @Test("D1: while conditions do not hold events are taken and kept, nothing is sent, and the status says why")
    func conditionsHoldEventsBack() throws {
        let isOpen = Locked(false), transport = collector.willing()
        let provider = provider(transport, conditions: conditions(isOpen))
        for number in 1...3 { provider.log(.numbered(number)) }
        #expect(throws: RemoteLogProviderError.notDelivered(pending: 3, reason: heldBack)) { try provider.flush(by: .seconds(60)) }
        #expect(transport.requests.isEmpty)
        #expect(provider.ledger == LogLedger(submitted: 3))
        #expect(provider.status.state == .heldBack && provider.status.latestAnswer == heldBack)
        #expect(provider.latestFailure == nil)   // who waits for conditions has not failed
        isOpen.withLock { $0 = true }
        try provider.flush(by: .seconds(60))
        #expect(collector.received == ["event 1", "event 2", "event 3"])
        #expect(provider.ledger == LogLedger(submitted: 3, delivered: 3))
    }

    @Test("D3: an urgent event goes at once with what waits before it, and what comes later waits again")
    func urgentEventsPassConditions() throws {
        let transport = collector.willing()
        let provider = provider(transport, conditions: conditions(Locked(false), urgentFrom: .warning))
        for number in 1...2 { provider.log(.numbered(number)) }
        #expect(throws: RemoteLogProviderError.self) { try provider.flush(by: .seconds(60)) }
        provider.log(.numbered(3, .warning))
        #expect(becomesTrue { collector.received.count == 3 })
        #expect(collector.received == ["event 1", "event 2", "event 3"])
        provider.log(.numbered(4))
        #expect(becomesTrue { provider.ledger?.delivered == 3 })
        #expect(throws: RemoteLogProviderError.notDelivered(pending: 1, reason: heldBack)) { try provider.flush(by: .seconds(60)) }
        provider.hurry()
        try provider.shutdown(by: .seconds(60))
        #expect(collector.received.count == 4)
    }

    @Test("60: a shutdown does not wait for conditions, and gives back what they hold back")
    func shutdownGivesBackWhatConditionsHoldBack() {
        let transport = collector.willing()
        let provider = provider(transport, conditions: conditions(Locked(false)))
        for number in 1...3 { provider.log(.numbered(number)) }
        let deadline = LogDeadline.seconds(60)
        #expect(throws: RemoteLogProviderError.notDelivered(pending: 3, reason: heldBack)) { try provider.shutdown(by: deadline) }
        #expect(!deadline.hasPassed)
        #expect(transport.requests.isEmpty)
        #expect(provider.undelivered().map(\.sequence) == [1, 2, 3])
        #expect(provider.ledger?.pending == 3)
    }

    @Test func shutdownDeliversWhatWaits() throws {
        let provider = provider(collector.willing())
        for number in 1...25 { provider.log(.numbered(number)) }
        try provider.shutdown(by: .seconds(30))
        try provider.shutdown(by: .seconds(30))
        #expect(collector.received.count == 25)
        #expect(provider.undelivered().isEmpty)
        #expect(provider.status.state == .stopped)
    }

    @Test func aRemarkAboutADeliveryCausesNoDelivery() throws {
        let service = LogService()
        let transport = collector.willing()
        let provider = provider(transport) { _ in service.info("the courier moved") }
        service.register(provider)
        service.info("one")
        #expect(service.flush(by: .seconds(30)).isComplete)
        provider.log(.numbered(99))
        try provider.flush(by: .seconds(30))
        #expect(collector.received == ["one", "event 99"])
        #expect((provider.ledger?.dropped[.reentrant] ?? 0) > 0)
    }

    @Test func manyThreadsLogAndEveryEventArrivesOnce() async throws {
        let provider = provider(collector.willing(), queue: RemoteQueuePolicy(parcelEvents: 100))
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<8 {
                group.addTask { for number in 1...500 { provider.log(.numbered(lane * 500 + number)) } }
            }
        }
        try provider.flush(by: .seconds(30))
        #expect(collector.arrivals.count == 4000)
        #expect(collector.arrivals.allSatisfy { $0 == 1 })
        #expect(provider.ledger == LogLedger(submitted: 4000, delivered: 4000))
    }

    @Test func overARealConnectionEverythingArrives() throws {
        let collector = collector
        let server = try LoopbackServer { request in .response(collector.acknowledge(request.headers, request.body)) }
        let provider = RemoteLogProvider(
            to: CollectorDestination(url: server.url, token: "hush"), queue: RemoteQueuePolicy(parcelEvents: 500),
            transport: CurlTransport())   // the shared one closes connections for those of other tests
        let service = LogService()
        service.register(provider, from: .info)
        for number in 1...3000 { service.info("real \(number)") }
        service.debug("not for the remote")
        #expect(service.shutdown(by: .seconds(30)).isComplete)

        #expect(collector.received == (1...3000).map { "real \($0)" })
        #expect(provider.ledger == LogLedger(submitted: 3000, delivered: 3000))
        #expect(server.requests.allSatisfy { $0.target == "/v1/logs" && $0.header("Authorization") == "Bearer hush" })
        #expect(server.connections == 1)
    }

    @Test("44: an answer of 200 KiB says what its status says: nothing goes twice, and what is refused is found")
    func aLongAnswerIsJudgedByItsStatus() throws {
        let echo = String(repeating: "e", count: 200 << 10)
        let server = try LoopbackServer { request in
            let isRefused = String(decoding: FakeCollector.content(request), as: UTF8.self).contains("poison")
            return .status(isRefused ? 422 : 201, body: echo)
        }
        let provider = RemoteLogProvider(to: .http(url: server.url), clock: .manual(clock))
        for number in 1...3 { provider.log(.numbered(number)) }
        try provider.deliver(by: .seconds(30))
        #expect(provider.deliveries == LogLedger(submitted: 3, delivered: 3))
        #expect(server.requests.count == 1)

        for number in 4...8 { provider.log(.numbered(number, message: number == 6 ? "poison" : nil)) }
        #expect(throws: RemoteLogProviderError.lost(count: 1)) { try provider.deliver(by: .seconds(30)) }
        #expect(provider.deliveries == LogLedger(submitted: 8, delivered: 7, dropped: [.rejectedByServer: 1]))
    }

    @Test("53: a receiver that goes away and comes back gets everything")
    func aReceiverThatComesBackGetsEverything() throws {
        let collector = collector
        let first = try LoopbackServer(port: FreePorts.take(1)[0]) { request in
            .response(collector.acknowledge(request.headers, request.body))
        }
        let provider = provider(CurlTransport(), url: first.url)
        provider.log(.numbered(1))
        try provider.flush(by: .seconds(30))
        first.stop()
        provider.log(.numbered(2, .error))
        while provider.status.state != .waiting {}
        let second = try LoopbackServer(port: first.port) { request in
            .response(collector.acknowledge(request.headers, request.body))
        }
        clock.advance(by: .seconds(300))
        try provider.flush(by: .seconds(30))
        #expect(collector.received == ["event 1", "event 2"])
        #expect(second.requests.count == 1)
    }
}
