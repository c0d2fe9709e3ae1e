import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

@Suite struct CourierTests {
    let clock = ManualClock(now: LogTime(seconds: 1_000_000))
    let diary = CourierDiary()

    func courier(
        _ source: any ParcelSource, _ transport: ScriptedTransport,
        to destination: any Destination = StatusDestination(),
        policy: DeliveryPolicy = DeliveryPolicy(), seed: UInt64 = 1,
        onEvent: @escaping @Sendable (CourierEvent) -> Void = { _ in }
    ) -> Courier {
        Courier(
            name: "test", source: source, destination: destination, transport: transport, policy: policy,
            clock: .manual(clock), randomness: .seeded(seed), onEvent: { [diary] in
                diary.note($0)
                onEvent($0)
            })
    }

    @Test func parcelsGoOldestFirstOneAtATimeAndAreSettled() throws {
        let source = MemoryParcels(["a", "b", "c"])
        let transport = ScriptedTransport(.status(200))
        let courier = courier(source, transport)
        try courier.deliver(by: .seconds(30))
        #expect(source.settled == ["a", "b", "c"].map { .init(id: $0, fate: .delivered) })
        #expect(transport.requests.map(\.body) == ["a", "b", "c"].map { Array($0.utf8) })
        #expect(diary.waitForDeliveries(3))
        #expect(courier.status.pending == 0)
        #expect(courier.status.latestAnswer == nil)
    }

    @Test func nothingIsAskedOfAnyoneBeforeThereIsSomethingToDo() throws {
        let transport = ScriptedTransport(.status(200))
        let courier = courier(MemoryParcels(), transport)
        #expect(courier.status.state == .idle)
        try courier.deliver(by: .now)
        #expect(transport.requests.isEmpty)
    }

    @Test func aThreadThatTheMachineDoesNotGiveIsAskedForAgain() {
        let transport = ScriptedTransport(.status(200)), isThere = Locked(false)
        let courier = Courier(
            name: "test", source: MemoryParcels(["a"]), destination: StatusDestination(), transport: transport,
            policy: DeliveryPolicy(interval: .seconds(20)), conditions: .none, deadLetters: nil, clock: .manual(clock),
            randomness: .seeded(1), onEvent: { [diary] in diary.note($0) },
            startThread: { name, body in isThere.withLock { $0 } && LogThread.start(name, body) })
        let reason = "the machine gives no thread to deliver on"
        #expect(courier.status.latestAnswer == reason)
        #expect(throws: CourierError.deadlinePassed(pending: 1, reason: reason)) { try courier.deliver(by: .milliseconds(1)) }
        courier.startMissingThread()
        #expect(transport.requests.isEmpty)
        isThere.withLock { $0 = true }
        _ = courier.status   // to ask is enough
        #expect(diary.waitForDeliveries(1))
        #expect(courier.status.latestAnswer == nil)
    }

    @Test("that the machine gives no thread is said, and said once")
    func aMissingThreadIsSaid() async {
        await #expect(processExitsWith: .success) {
            let said = Locked<[String]>([])
            LogDiagnostics.setHandler { remark in said.withLock { $0.append("\(remark)") } }
            let courier = Courier(
                name: "threadless", source: MemoryParcels(["a"]), destination: StatusDestination(),
                transport: ScriptedTransport(.status(200)), policy: DeliveryPolicy(interval: .seconds(20)), conditions: .none,
                deadLetters: nil, clock: .system, randomness: .seeded(1), onEvent: nil, startThread: { _, _ in false })
            courier.wake()
            #expect(courier.status.pending == 1)
            #expect(said.withLock { $0 } == [
                "logbook: threadless: the machine gives no thread to deliver on; everything is kept, and it is asked for again"
            ])
        }
    }

    @Test("41: server failures and broken connections are tried again with growing pauses, one attempt each")
    func failuresAreRetriedWithGrowingPauses() {
        let source = MemoryParcels(["a"])
        let times = Locked<[LogTime]>([])
        let transport = ScriptedTransport { [clock] number, _ in
            times.withLock { $0.append(clock.now) }
            return switch number {
            case 1: .status(500)
            case 2: .status(502)
            case 3: .fail(.unreachable("cut"))
            case 4: .fail(.timedOut("slow"))
            case 5: .status(408)
            case 6: .fail(.malformedResponse("garbage"))
            default: .status(200)
            }
        }
        let courier = courier(source, transport)
        courier.wake()
        for attempt in 1...6 {
            #expect(diary.waitForRetries(attempt))
            let status = courier.status
            #expect(status.state == .waiting)
            #expect(status.nextAttempt == clock.now.adding(diary.pauses[attempt - 1]))
            courier.wake()
            clock.advance(by: diary.pauses[attempt - 1] - .nanoseconds(1))
            courier.wake()
            clock.advance(by: .nanoseconds(1))
        }
        #expect(diary.waitForDeliveries(1))
        #expect(transport.requests.count == 7)
        #expect(Set(transport.requests).count == 1)  // unchanged each time
        let pauses = diary.pauses
        for (number, pause) in pauses.enumerated() {
            #expect(pause >= .seconds(1) && pause <= .seconds(2 << number))
        }
        let waited = times.withLock { times in zip(times.dropFirst(), times).map { $0.nanoseconds - $1.nanoseconds } }
        #expect(waited == pauses.map { $0 / .nanoseconds(1) }.map { Int64($0) })
        #expect(source.settled == [.init(id: "a", fate: .delivered)])
    }

    @Test func theSameSeedGivesTheSamePausesAndAnotherGivesOthers() {
        func pauses(seed: UInt64) -> [Duration] {
            let clock = ManualClock(now: LogTime(seconds: 0))
            let diary = CourierDiary()
            let courier = Courier(
                name: "test", source: MemoryParcels(["a"]), destination: StatusDestination(),
                transport: ScriptedTransport(.status(500)), clock: .manual(clock), randomness: .seeded(seed),
                onEvent: { diary.note($0) })
            courier.wake()
            for attempt in 1...5 {
                _ = diary.waitForRetries(attempt)
                clock.advance(by: .seconds(300))
            }
            return Array(diary.pauses.prefix(5))
        }
        let first = pauses(seed: 7)
        #expect(first == pauses(seed: 7))
        #expect(first != pauses(seed: 8))
    }

    @Test("42: a Retry-After is honoured, across wake, deliver and reconfigured", arguments: [429, 503])
    func retryAfterIsHonoured(status: Int) throws {
        let source = MemoryParcels(["a"])
        let times = Locked<[LogTime]>([])
        let transport = ScriptedTransport { [clock] number, _ in
            times.withLock { $0.append(clock.now) }
            return number == 1 ? .status(status, headers: [HTTPHeader("Retry-After", "90")]) : .status(200)
        }
        let courier = courier(source, transport)
        courier.wake()
        #expect(diary.waitForRetries(1))
        #expect(diary.pauses == [.seconds(90)])
        courier.wake()
        courier.reconfigured()
        #expect(throws: CourierError.deadlinePassed(pending: 1, reason: "\(status)")) {
            try courier.deliver(by: .milliseconds(20))
        }
        clock.advance(by: .seconds(89))
        courier.wake()
        clock.advance(by: .seconds(1))
        #expect(diary.waitForDeliveries(1))
        #expect(times.withLock { $0[1].nanoseconds - $0[0].nanoseconds } == 90_000_000_000)
    }

    @Test(
        "42: an absurd Retry-After is held at the limit, garbage leaves it to the backoff",
        arguments: [
            ("1000000000", Duration.seconds(3600), true), ("soon", .seconds(2), false), ("0", .seconds(1), true),
        ])
    func absurdRetryAfter(field: String, longest: Duration, isAsked: Bool) {
        let transport = ScriptedTransport(.status(503, headers: [HTTPHeader("Retry-After", field)]))
        let courier = courier(MemoryParcels(["a"]), transport)
        courier.wake()
        #expect(diary.waitForRetries(1))
        guard case .willRetry(_, let after, _, 503, isAsked) = diary.events.last else {
            Issue.record("\(diary.events)")
            return
        }
        #expect(after <= longest)
        if isAsked { #expect(after == longest) }
    }

    @Test("43: a refused token keeps everything, is not tried again soon, and resumes with the new token")
    func aRefusedTokenKeepsEverything() throws {
        let source = MemoryParcels(["a", "b"])
        let token = Locked("old")
        let transport = ScriptedTransport { _, request in
            request.headers.contains(HTTPHeader("Authorization", "new")) ? .status(200) : .status(401)
        }
        let courier = courier(source, transport, to: StatusDestination(token: { token.withLock { $0 } }))
        #expect(throws: CourierError.misconfigured(pending: 2, reason: "401")) { try courier.deliver(by: .seconds(30)) }
        #expect(courier.status.state == .misconfigured)
        courier.wake()
        clock.advance(by: .seconds(899))
        courier.wake()
        #expect(throws: CourierError.misconfigured(pending: 2, reason: "401")) { try courier.deliver(by: .seconds(30)) }
        #expect(transport.requests.count == 1)
        #expect(source.waiting == ["a", "b"])
        clock.advance(by: .seconds(1))  // a quarter of an hour is over
        #expect(diary.waitForRefusals(2))
        #expect(transport.requests.count == 2)

        token.withLock { $0 = "new" }
        courier.reconfigured()
        try courier.deliver(by: .seconds(30))
        #expect(source.settled.map(\.id) == ["a", "b"])
        #expect(courier.status.latestAnswer == nil)
    }

    @Test(
        "43: of tokens that are set after each refusal the first goes at once and the others after growing pauses, which deliver ends",
        arguments: [false, true])
    func anotherTokenAfterEachRefusal(isSetByTheVerdict: Bool) throws {
        struct Renewing: Destination {
            let renew: @Sendable () -> Void
            func request(for parcel: Parcel) throws -> HTTPRequest { try StatusDestination().request(for: parcel) }
            func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
                if response.status == 401 { renew() }
                return StatusDestination().verdict(on: response, for: parcel)
            }
        }
        let isRight = Locked(false), it = Locked<Courier?>(nil), source = MemoryParcels(["a"])
        let transport = ScriptedTransport { _, _ in .status(isRight.withLock { $0 } ? 200 : 401) }
        let renew: @Sendable () -> Void = { it.withLock { $0 }?.reconfigured() }
        let destination = Renewing { if isSetByTheVerdict { renew() } }
        let courier = courier(source, transport, to: destination) { event in
            if case .misconfigured = event, !isSetByTheVerdict { renew() }
        }
        it.withLock { $0 = courier }
        defer { it.withLock { $0 = nil } }
        courier.wake()
        for refusals in 2...5 {
            #expect(transport.waitForRequests(refusals))
            try #require(becomesTrue(by: .seconds(30)) { courier.status.state == .waiting })
            let due = try #require(courier.status.nextAttempt), pause = Duration.nanoseconds(due.nanoseconds - clock.now.nanoseconds)
            #expect(pause >= .seconds(1) && pause <= .seconds(1 << (refusals - 1)))
            courier.wake()
            renew()   // one that is set meanwhile waits as well
            clock.advance(by: pause - .nanoseconds(1))
            courier.wake()
            #expect(transport.requests.count == refusals)
            clock.advance(by: .nanoseconds(1))
        }
        #expect(transport.waitForRequests(6))
        try #require(becomesTrue(by: .seconds(30)) { courier.status.state == .waiting })
        isRight.withLock { $0 = true }
        try courier.deliver(by: .seconds(30))
        #expect(transport.requests.count == 7)
        #expect(source.settled == [.init(id: "a", fate: .delivered)])
        // What was delivered makes the next refusal the first.
        isRight.withLock { $0 = false }
        source.add("b")
        courier.wake()
        #expect(transport.waitForRequests(9))
    }

    @Test func aMissingTokenAnUntrustedServerAndAnImpossibleRequestKeepEverything() throws {
        struct NoToken: Error, CustomStringConvertible { let description = "no token" }
        let missing = MemoryParcels(["a"])
        let first = courier(missing, ScriptedTransport(.status(200)), to: StatusDestination(token: { throw NoToken() }))
        #expect(throws: CourierError.misconfigured(pending: 1, reason: "no token")) {
            try first.deliver(by: .seconds(30))
        }
        for failure in [HTTPFailure.untrusted("self-signed"), .invalidRequest("no host")] {
            let source = MemoryParcels(["a"])
            let courier = courier(source, ScriptedTransport(.fail(failure)))
            #expect(throws: CourierError.misconfigured(pending: 1, reason: "\(failure)")) {
                try courier.deliver(by: .seconds(30))
            }
            #expect(source.waiting == ["a"])
        }
    }

    @Test func aRefusalOfTheOldTokenDoesNotStopTheNewOne() throws {
        let source = MemoryParcels(["a"])
        let token = Locked("old")
        let transport = ScriptedTransport { number, _ in number == 1 ? .hold : .status(200) }
        let courier = courier(source, transport, to: StatusDestination(token: { token.withLock { $0 } }))
        courier.wake()
        #expect(transport.waitForRequests(1))
        token.withLock { $0 = "new" }
        courier.reconfigured()
        transport.release(with: HTTPResponse(status: 401))
        try courier.deliver(by: .seconds(30))
        #expect(transport.requests.count == 2)
        #expect(source.settled == [.init(id: "a", fate: .delivered)])
    }

    @Test("42: what the receiver before asked for ends with another one, and a late answer of it holds up nobody", arguments: [false, true])
    func retryAfterOfTheReceiverBefore(comesLate: Bool) throws {
        let busy = HTTPResponse(status: 503, headers: [HTTPHeader("Retry-After", "90")])
        let source = MemoryParcels(["a"])
        let transport = ScriptedTransport { number, _ in number == 1 ? .hold : .status(200) }
        let courier = courier(source, transport)
        courier.wake()
        #expect(transport.waitForRequests(1))
        if !comesLate {
            transport.release(with: busy)
            #expect(diary.waitForRetries(1))
        }
        courier.reconfigured(forAnotherReceiver: true)
        if comesLate { transport.release(with: busy) }
        try courier.deliver(by: .seconds(30))
        #expect(source.settled == [.init(id: "a", fate: .delivered)])
        #expect(diary.pauses.count == (comesLate ? 0 : 1))
    }

    @Test("42: a Retry-After that comes after the token has changed is honoured, any other failure is of the token before")
    func lateFailuresOfTheTokenBefore() throws {
        let source = MemoryParcels(["a"])
        let transport = ScriptedTransport { number, _ in number < 3 ? .hold : .status(200) }
        let courier = courier(source, transport)
        courier.wake()
        #expect(transport.waitForRequests(1))
        courier.reconfigured()
        transport.release(with: HTTPResponse(status: 500))
        #expect(transport.waitForRequests(2))
        courier.reconfigured()
        transport.release(with: HTTPResponse(status: 503, headers: [HTTPHeader("Retry-After", "90")]))
        #expect(diary.waitForRetries(1))
        #expect(diary.pauses == [.seconds(90)])
        clock.advance(by: .seconds(89))
        #expect(throws: CourierError.self) { try courier.deliver(by: .milliseconds(20)) }
        clock.advance(by: .seconds(1))
        try courier.deliver(by: .seconds(30))
        #expect(source.settled == [.init(id: "a", fate: .delivered)])
    }

    @Test func aRejectedParcelIsSettledAndDoesNotHoldUpItsNeighbours() throws {
        let source = MemoryParcels(["a", "b", "c"])
        let courier = courier(source, ScriptedTransport { number, _ in .status(number == 2 ? 400 : 200) })
        try courier.deliver(by: .seconds(30))
        #expect(
            source.settled == [
                .init(id: "a", fate: .delivered), .init(id: "b", fate: .rejected("bad")),
                .init(id: "c", fate: .delivered),
            ])
        #expect(diary.wait { $0 == .rejected(parcel: "b", count: 1, reason: "bad") })
    }

    @Test func aParcelThatIsTakenButForSomeEntriesSaysHowMany() throws {
        struct Picky: Destination {
            func request(for parcel: Parcel) -> HTTPRequest { HTTPRequest(url: "http://127.0.0.1/") }
            func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
                .deliveredExcept(rejected: 2, "two are bad")
            }
        }
        let source = MemoryParcels()
        source.add("a", count: 5)
        try courier(source, ScriptedTransport(.status(200)), to: Picky()).deliver(by: .seconds(30))
        #expect(source.settled == [.init(id: "a", fate: .delivered)])  // a source that keeps no account of entries
        #expect(diary.wait { $0 == .delivered(parcel: "a", count: 3) })
        #expect(diary.wait { $0 == .rejected(parcel: "a", count: 2, reason: "two are bad") })
    }

    @Test("45: what is too large goes on in smaller parcels; a single entry that is too large is rejected")
    func tooLargeIsSplit() throws {
        let source = SplittingParcels(count: 10)
        let transport = ScriptedTransport { _, request in
            // Ids grow by a letter with each halving: pieces of at most three entries pass.
            request.headers.contains { $0.name == "Parcel" && $0.value.count >= 3 } ? .status(200) : .status(413)
        }
        try courier(source, transport).deliver(by: .seconds(30))
        #expect(source.deliveredCounts == [2, 3, 2, 3])

        let single = MemoryParcels(["a"])
        try courier(single, ScriptedTransport(.status(413))).deliver(by: .seconds(30))
        #expect(single.settled == [.init(id: "a", fate: .rejected("413"))])

        let whole = MemoryParcels()
        whole.add("many", count: 5)  // a source that cannot split
        try courier(whole, ScriptedTransport(.status(413))).deliver(by: .seconds(30))
        #expect(whole.settled == [.init(id: "many", fate: .rejected("413"))])
    }

    @Test func aFateThatTheSourceCannotNoteIsToldAgainAndNotSentAgain() {
        let source = MemoryParcels(["a", "b"])
        source.failSettling(times: 3)
        let transport = ScriptedTransport(.status(200))
        let courier = courier(source, transport)
        courier.wake()
        while !diary.events.contains(.delivered(parcel: "b", count: 1)) {
            // Each failure holds the courier back; it has nothing to say about it but its status.
            if courier.status.state == .waiting {
                #expect(courier.status.latestAnswer?.contains("cannot note that a is done") ?? true)
                clock.advance(by: .seconds(300))
            }
        }
        #expect(source.settled.map(\.id) == ["a", "b"])
        #expect(transport.requests.count == 2)
    }

    @Test func aSourceThatCannotBeReadIsAskedAgainLater() {
        let source = MemoryParcels(["a"])
        source.failReading(times: 2)
        let courier = courier(source, ScriptedTransport(.status(200)))
        courier.wake()
        while source.settled.isEmpty {
            if courier.status.state == .waiting { clock.advance(by: .seconds(300)) }
        }
        #expect(source.settled == [.init(id: "a", fate: .delivered)])
    }

    @Test func deliverEndsAPauseOfOurOwnButNotBeforeTheFirstPauseIsOver() throws {
        let source = MemoryParcels(["a"])
        let transport = ScriptedTransport { number, _ in number <= 3 ? .status(500) : .status(200) }
        let courier = courier(source, transport, seed: 3)
        courier.wake()
        for attempt in 1...3 {
            #expect(diary.waitForRetries(attempt))
            if attempt < 3 { clock.advance(by: .seconds(300)) }
        }
        #expect(throws: CourierError.deadlinePassed(pending: 1, reason: "500")) {
            try courier.deliver(by: .milliseconds(20))
        }
        clock.advance(by: .seconds(1))
        try courier.deliver(by: .seconds(30))
        #expect(source.settled.count == 1)
    }

    @Test func severalThreadsMayWaitForDeliveryAtOnce() async throws {
        let source = MemoryParcels((0..<20).map { "p\($0)" })
        let courier = courier(source, ScriptedTransport(.status(200)))
        let failures = Locked<[CourierError]>([])
        let left = Monitor(8)
        for _ in 0..<8 {
            LogThread.start("waiter") {
                do throws(CourierError) {
                    try courier.deliver(by: .seconds(30))
                    if source.settled.count < 20 { failures.withLock { $0.append(.calledFromOwnThread) } }
                } catch { failures.withLock { $0.append(error) } }
                left.withLock { access in
                    access.value -= 1
                    access.broadcast()
                }
            }
        }
        let deadline = LogDeadline.seconds(60)
        left.withLock { access in while access.value > 0 && access.wait(until: deadline) {} }
        #expect(failures.withLock { $0 } == [])
        #expect(source.settled.map(\.id) == (0..<20).map { "p\($0)" })
    }

    @Test func whatComesLaterDoesNotHoldAnEarlierDeliverBack() throws {
        let source = MemoryParcels(["first"])
        let transport = ScriptedTransport { number, _ in
            source.add("more \(number)")  // there is always something new
            return .status(200)
        }
        let courier = courier(source, transport)
        try courier.deliver(by: .seconds(30))
        #expect(source.settled.first?.id == "first")
        courier.shutdown(by: .seconds(30))
    }

    @Test func aCourierThatIsLetGoEndsItsThreadAndLetsTheSourceGo() {
        final class Watched: ParcelSource {
            let inner: MemoryParcels
            let end: Gate
            init(_ inner: MemoryParcels, _ end: Gate) {
                self.inner = inner
                self.end = end
            }
            deinit { end.open() }
            func nextParcel() throws -> Parcel? { try inner.nextParcel() }
            func settle(_ parcel: Parcel, as fate: ParcelFate) throws { try inner.settle(parcel, as: fate) }
            var pendingCount: Int { inner.pendingCount }
        }
        // Idle, in a pause, and with a parcel in flight.
        for step in [ScriptedTransport.Step.status(200), .status(500), .hold] {
            let end = Gate()
            let transport = ScriptedTransport(step)
            var courier: Courier? = courier(Watched(MemoryParcels(["a"]), end), transport)
            courier?.wake()
            #expect(transport.waitForRequests(1))
            courier = nil
            end.wait()
        }
    }

    @Test func theCouriersOwnThreadCannotWaitForItself() {
        final class Impatient: Sendable {
            let courier = Locked<Courier?>(nil)
            let refusal = Monitor<CourierError?>(nil)
            func hear() {
                guard let courier = courier.withLock({ $0 }) else { return }
                do throws(CourierError) { try courier.deliver(by: .seconds(30)) } catch {
                    refusal.withLock { access in
                        access.value = error
                        access.broadcast()
                    }
                }
            }
        }
        let impatient = Impatient()
        let courier = Courier(
            name: "test", source: MemoryParcels(["a"]), destination: StatusDestination(),
            transport: ScriptedTransport(.status(200)), clock: .manual(clock), onEvent: { _ in impatient.hear() })
        impatient.courier.withLock { $0 = courier }
        courier.wake()
        let deadline = LogDeadline.seconds(30)
        let refusal = impatient.refusal.withLock { access in
            while access.value == nil && access.wait(until: deadline) {}
            return access.value
        }
        #expect(refusal == .calledFromOwnThread)
        impatient.courier.withLock { $0 = nil }
    }

    @Test func withAnIntervalTheCourierLooksForItself() {
        let source = MemoryParcels()
        let transport = ScriptedTransport(.status(200))
        let courier = courier(source, transport, policy: DeliveryPolicy(interval: .seconds(10)))
        source.add("a")
        while !diary.events.contains(.delivered(parcel: "a", count: 1)) { clock.advance(by: .seconds(1)) }
        source.add("b")
        while !diary.events.contains(.delivered(parcel: "b", count: 1)) { clock.advance(by: .seconds(1)) }
        #expect(courier.status.pending == 0)
    }

    @Test("46: a request may take as long as its body needs on a slow line, and what a destination sets stays")
    func aLargeBodyHasMoreTime() throws {
        /// The same body for each parcel.
        struct Large: Destination {
            let bytes: Int
            var total: Duration?
            func request(for parcel: Parcel) -> HTTPRequest {
                var request = HTTPRequest(url: "http://127.0.0.1/", body: [UInt8](repeating: 0, count: bytes))
                request.limits.responseBodyBytes = 1000
                if let total { request.limits.total = total }
                return request
            }
            func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict { .delivered }
        }
        func limits(_ destination: Large) throws -> HTTPLimits {
            let transport = ScriptedTransport(.status(200))
            try courier(MemoryParcels(["a"]), transport, to: destination).deliver(by: .seconds(30))
            #expect(transport.requests.count == 1)
            return transport.requests.first?.limits ?? HTTPLimits()
        }
        let small = try limits(Large(bytes: 8191)), large = try limits(Large(bytes: 1 << 20))
        #expect(small.total == .seconds(30) && small.stall == nil)
        #expect(large.total == .seconds(30 + 128))
        #expect(large.stall == .seconds(30))   // what stands still is given up as early as before
        #expect(large.responseBodyBytes == 1000)
        for own in [Duration.milliseconds(500), .seconds(30), .seconds(3600)] {
            let kept = try limits(Large(bytes: 1 << 20, total: own))
            #expect(kept.total == own && kept.stall == nil)
        }
    }

    @Test("what was made for one destination does not go to the one that took its place meanwhile")
    func aChangeWhileAParcelIsMade() throws {
        let destination = SuccessiveDestination(), transport = ScriptedTransport(.status(200))
        let source = ParcelsForOne(of: destination)
        try courier(source, transport, to: destination).deliver(by: .seconds(30))
        #expect(transport.requests.map(\.url) == ["http://127.0.0.1/1"])
        #expect(transport.requests.map(\.body) == [Array("1".utf8)])
        #expect(source.pendingCount == 0)
    }

    @Test("C28: nor does it go to the former one where another takes its place just before it is sent, and no refusal stops the new one")
    func aChangeAsAParcelSetsOut() throws {
        let destination = SuccessiveDestination(), transport = ScriptedTransport(.status(200))
        let source = ParcelsForOne(of: destination, isChangedMeanwhile: false), changes = Locked(0), it = Locked<Courier?>(nil)
        let courier = courier(source, transport, to: destination) { event in
            guard case .attempting = event, changes.withLock({ $0 += 1; return $0 == 1 }) else { return }
            destination.change()
            it.withLock { $0 }?.reconfigured()
        }
        it.withLock { $0 = courier }
        try courier.deliver(by: .seconds(30))
        #expect(transport.requests.map(\.url) == ["http://127.0.0.1/1"])
        #expect(source.pendingCount == 0)
        it.withLock { $0 = nil }
    }
}

/// Another takes its place as often as somebody says so; each has an address of its own.
private final class SuccessiveDestination: ChangingDestination {
    private struct One: Destination {
        let number: Int
        func request(for parcel: Parcel) -> HTTPRequest { HTTPRequest(url: "http://127.0.0.1/\(number)", body: parcel.body) }
        func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict { .delivered }
    }
    private let number = Locked(0)

    func change() { number.withLock { $0 += 1 } }
    var current: (destination: any Destination, number: Int) {
        let number = number.withLock { $0 }
        return (destination: One(number: number), number: number)
    }
}

/// One parcel, in the form of the destination that is in force; another takes that one's place while the first is made.
private final class ParcelsForOne: ParcelSource {
    private let destination: SuccessiveDestination
    private let state = Locked((made: 0, isSettled: false))

    private let isChangedMeanwhile: Bool

    init(of destination: SuccessiveDestination, isChangedMeanwhile: Bool = true) {
        self.destination = destination
        self.isChangedMeanwhile = isChangedMeanwhile
    }

    func nextParcel() -> Parcel? {
        let number = destination.current.number
        let (made, isSettled) = state.withLock { state in
            state.made += 1
            return (state.made, state.isSettled)
        }
        if isSettled { return nil }
        if made == 1 && isChangedMeanwhile { destination.change() }
        return Parcel(
            id: "a", body: Array("\(number)".utf8), contentType: "text/plain", count: 1, sealed: LogTime(seconds: 1_000_000))
    }
    func settle(_ parcel: Parcel, as fate: ParcelFate) { state.withLock { $0.isSettled = true } }
    var pendingCount: Int { state.withLock { $0.isSettled ? 0 : 1 } }
}
