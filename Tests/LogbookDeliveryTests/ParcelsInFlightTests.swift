import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

/// Several parcels on their way at the same time.
@Suite struct ParcelsInFlightTests {
    let clock = ManualClock(now: LogTime(seconds: 1_000_000))
    let diary = CourierDiary()

    private func courier(
        _ source: any ParcelSource, _ transport: ScriptedTransport, inFlight: Int = 3,
        to destination: any Destination = StatusDestination()
    ) -> Courier {
        Courier(
            name: "test", source: source, destination: destination, transport: transport,
            policy: DeliveryPolicy(parcelsInFlight: inFlight), clock: .manual(clock), randomness: .seeded(1),
            onEvent: { [diary] in diary.note($0) })
    }

    private func sent(_ transport: ScriptedTransport) -> [String] {
        transport.requests.map { String(decoding: $0.body, as: UTF8.self) }
    }

    private let fine = Result<HTTPResponse, HTTPFailure>.success(HTTPResponse(status: 200))
    private func status(_ status: Int, _ headers: [HTTPHeader] = []) -> Result<HTTPResponse, HTTPFailure> {
        .success(HTTPResponse(status: status, headers: headers))
    }

    /// Calls `deliver` on a thread of its own.
    private func waiter(_ courier: Courier, by deadline: LogDeadline = .seconds(60)) -> Monitor<Result<Void, CourierError>?> {
        let outcome = Monitor<Result<Void, CourierError>?>(nil)
        LogThread.start("waiter") {
            let result = Result { () throws(CourierError) in try courier.deliver(by: deadline) }
            outcome.withLock { access in
                access.value = result
                access.broadcast()
            }
        }
        return outcome
    }

    private func isOver(_ outcome: Monitor<Result<Void, CourierError>?>) -> Bool {
        let deadline = LogDeadline.seconds(30)
        return outcome.withLock { access in
            while access.value == nil && access.wait(until: deadline) {}
            return access.value != nil
        }
    }

    @Test func theyStartOldestFirstUpToTheLimitAndEachAnswerSettlesItsOwn() throws {
        let source = MemoryParcels(["a", "b", "c", "d", "e"]), transport = ScriptedTransport(.hold)
        let courier = courier(source, transport)
        courier.wake()
        #expect(transport.waitForRequests(3))
        #expect(sent(transport) == ["a", "b", "c"])
        #expect(courier.status.state == .delivering)
        transport.release(2, with: fine)
        #expect(transport.waitForRequests(4))
        #expect(sent(transport) == ["a", "b", "c", "d"])
        #expect(source.settled.map(\.id) == ["b"] && source.waiting == ["a", "c", "d", "e"])
        for number in [4, 1, 3] { transport.release(number, with: fine) }
        #expect(transport.waitForRequests(5))
        transport.release(5, with: fine)
        try courier.deliver(by: .seconds(30))
        #expect(Set(source.settled.map(\.id)) == ["a", "b", "c", "d", "e"] && source.settled.count == 5)
        #expect(transport.requests.count == 5)
    }

    /// A source that takes its time to make a parcel makes the next one while the receiver looks at this one.
    @Test func theNextParcelIsMadeWhileOthersAreOnTheirWay() throws {
        let source = MemoryParcels(["a", "b", "c"], preparesNextParcel: true), transport = ScriptedTransport(.hold)
        let courier = courier(source, transport, inFlight: 1)
        courier.wake()
        #expect(transport.waitForRequests(1))
        #expect(becomesTrue { source.asked == [[], ["a"]] })
        transport.release(1, with: fine)
        #expect(transport.waitForRequests(2))
        #expect(becomesTrue { source.asked == [[], ["a"], [], ["b"]] })
        #expect(sent(transport) == ["a", "b"])
        for number in 2...3 {
            transport.release(number, with: fine)
            if number == 2 { #expect(transport.waitForRequests(3)) }
        }
        try courier.deliver(by: .seconds(30))
        #expect(source.settled.map(\.id) == ["a", "b", "c"])
    }

    @Test func aSourceOfOneAtATimeStaysThat() throws {
        let source = SplittingParcels(count: 4), transport = ScriptedTransport(.hold)
        let courier = courier(source, transport)
        courier.wake()
        #expect(transport.waitForRequests(1))
        transport.release(1, with: status(413))
        for number in 2...3 {
            #expect(transport.waitForRequests(number))
            #expect(transport.requests.count == number)
            transport.release(number, with: fine)
        }
        try courier.deliver(by: .seconds(30))
        #expect(source.deliveredCounts == [2, 2])
    }

    @Test("41: one that fails goes again before any newer one, alone, and the others on their way are settled meanwhile")
    func aFailureOfOne() throws {
        let source = MemoryParcels(["a", "b", "c", "d", "e"]), transport = ScriptedTransport(.hold)
        let courier = courier(source, transport)
        courier.wake()
        #expect(transport.waitForRequests(3))
        transport.release(1, with: status(503))
        #expect(diary.waitForRetries(1))
        transport.release(2, with: fine)   // during the pause
        #expect(diary.waitForDeliveries(1))
        #expect(transport.requests.count == 3)
        clock.advance(by: .seconds(300))
        #expect(transport.waitForRequests(4))
        #expect(sent(transport) == ["a", "b", "c", "a"])   // c is still on its way: nobody else tries
        transport.release(3, with: fine)
        #expect(diary.waitForDeliveries(2))
        #expect(transport.requests.count == 4)
        transport.release(4, with: fine)
        #expect(transport.waitForRequests(6))   // it is back: several again
        #expect(sent(transport) == ["a", "b", "c", "a", "d", "e"])
        transport.release(with: HTTPResponse(status: 200))
        try courier.deliver(by: .seconds(30))
        #expect(source.settled.map(\.id).sorted() == ["a", "b", "c", "d", "e"])
    }

    @Test("41: all that fail together are one failure, with one pause")
    func oneOutageIsOneFailure() {
        let transport = ScriptedTransport(.hold)
        let courier = courier(MemoryParcels(["a", "b", "c", "d"]), transport)
        courier.wake()
        #expect(transport.waitForRequests(3))
        for number in 1...3 { transport.release(number, with: .failure(.unreachable("cut"))) }
        #expect(diary.waitForRetries(3))
        let pauses = diary.pauses
        #expect(pauses[0] <= .seconds(2) && Set(pauses) == [pauses[0]])
        clock.advance(by: pauses[0])
        #expect(transport.waitForRequests(4))
        transport.release(4, with: .failure(.unreachable("cut")))
        #expect(diary.waitForRetries(4))
        #expect(transport.requests.count == 4)   // one tries, not three
        #expect(diary.pauses[3] <= .seconds(4))
    }

    @Test("42: a receiver that is busy for one parcel is sent no other before its time", arguments: [429, 503])
    func busyForOne(code: Int) throws {
        let transport = ScriptedTransport(.hold)
        let courier = courier(MemoryParcels(["a", "b", "c", "d"]), transport)
        courier.wake()
        #expect(transport.waitForRequests(3))
        transport.release(2, with: status(code, [HTTPHeader("Retry-After", "60")]))
        #expect(diary.waitForRetries(1))
        transport.release(1, with: status(code, [HTTPHeader("Retry-After", "90")]))
        #expect(diary.waitForRetries(2))
        transport.release(3, with: status(500))   // asks for nothing, and shortens nothing
        #expect(diary.waitForRetries(3))
        courier.reconfigured()
        clock.advance(by: .seconds(89))
        courier.wake()
        #expect(throws: CourierError.self) { try courier.deliver(by: .milliseconds(20)) }
        #expect(transport.requests.count == 3)
        clock.advance(by: .seconds(1))
        #expect(transport.waitForRequests(4))
        #expect(sent(transport) == ["a", "b", "c", "a"])
        transport.release(4, with: fine)
        #expect(transport.waitForRequests(6))
        transport.release(with: HTTPResponse(status: 200))
        #expect(transport.waitForRequests(7))
        transport.release(with: HTTPResponse(status: 200))
        try courier.deliver(by: .seconds(30))
    }

    @Test("42: who waits shortens a pause of ours, and not to before the time that the receiver has named for another parcel")
    func busyDuringAPauseOfOurs() throws {
        let transport = ScriptedTransport(.hold)
        let courier = courier(MemoryParcels(["a", "b"]), transport, inFlight: 2)
        courier.wake()
        #expect(transport.waitForRequests(2))
        transport.release(1, with: status(500))
        for failure in 1...6 {   // of a, while b is on its way
            #expect(diary.waitForRetries(failure))
            if failure < 6 {
                clock.advance(by: diary.pauses[failure - 1])
                #expect(transport.waitForRequests(failure + 2))
                transport.release(failure + 2, with: status(500))
            }
        }
        let pause = try #require(diary.pauses.last)
        #expect(pause > .seconds(11))
        transport.release(2, with: status(429, [HTTPHeader("Retry-After", "10")]))
        #expect(diary.waitForRetries(7))

        #expect(throws: CourierError.self) { try courier.deliver(by: .milliseconds(20)) }
        #expect(courier.status.nextAttempt == clock.now.adding(.seconds(10)))
        clock.advance(by: .seconds(9))
        #expect(throws: CourierError.self) { try courier.deliver(by: .milliseconds(20)) }
        #expect(transport.requests.count == 7)
        clock.advance(by: .seconds(1))
        #expect(transport.waitForRequests(8))
        transport.release(with: HTTPResponse(status: 200))
        #expect(transport.waitForRequests(9))
        transport.release(with: HTTPResponse(status: 200))
        try courier.deliver(by: .seconds(30))
    }

    @Test("43: a refusal of one stops the others from starting, keeps everything, and ends with the new token")
    func refusedForOne() throws {
        let source = MemoryParcels(["a", "b", "c", "d", "e"]), transport = ScriptedTransport(.hold)
        let courier = courier(source, transport)
        let outcome = waiter(courier)
        #expect(transport.waitForRequests(3))
        transport.release(2, with: status(401))
        #expect(isOver(outcome))
        #expect(outcome.withLock { $0.value?.failure } == .misconfigured(pending: 5, reason: "401"))
        transport.release(1, with: fine)   // it was on its way with the right token
        #expect(diary.waitForDeliveries(1))
        transport.release(3, with: status(503))   // which does not shorten the pause
        #expect(diary.waitForRetries(1))
        clock.advance(by: .seconds(500))
        courier.wake()
        #expect(throws: CourierError.self) { try courier.deliver(by: .milliseconds(20)) }
        #expect(transport.requests.count == 3)
        #expect(source.waiting == ["b", "c", "d", "e"])
        courier.reconfigured()
        #expect(transport.waitForRequests(6))
        #expect(sent(transport) == ["a", "b", "c", "b", "c", "d"])
        transport.release(with: HTTPResponse(status: 200))
        #expect(transport.waitForRequests(7))
        transport.release(with: HTTPResponse(status: 200))
        try courier.deliver(by: .seconds(30))
        #expect(source.waiting == [])
    }

    @Test func whoWaitsWaitsForTheOldOnesAndForNoOther() {
        let source = MemoryParcels(["a", "b"]), transport = ScriptedTransport(.hold)
        let courier = courier(source, transport)
        courier.wake()
        #expect(transport.waitForRequests(2))
        let outcome = waiter(courier)
        // Whoever waits has asked what is there, and then the courier's thread.
        #expect(clock.advance(by: .nanoseconds(1)) { source.counts >= 2 })
        source.add("c")
        courier.wake()
        #expect(transport.waitForRequests(3))
        for number in 4...9 {   // newer ones come and go
            transport.release(number - 1, with: fine)
            source.add("\(number)")
            courier.wake()
            #expect(transport.waitForRequests(number))
        }
        #expect(outcome.withLock { $0.value == nil })
        transport.release(1, with: status(500))
        #expect(diary.waitForRetries(1))
        transport.release(2, with: fine)
        #expect(diary.waitForDeliveries(7))
        #expect(outcome.withLock { $0.value == nil })
        clock.advance(by: .seconds(300))
        #expect(transport.waitForRequests(10))
        transport.release(10, with: fine)
        #expect(isOver(outcome))   // while the ninth is still on its way
        #expect(source.waiting == ["9"])
        courier.shutdown(by: .now)
    }

    @Test("60: a shutdown waits for all on their way, starts no other, and gives up what is not answered at the deadline")
    func shutdown() {
        let source = MemoryParcels(["a", "b", "c", "d"]), transport = ScriptedTransport(.holdDeaf)
        let courier = courier(source, transport)
        courier.wake()
        #expect(transport.waitForRequests(3))
        LogThread.start("server") {
            let limit = LogDeadline.seconds(30)
            while courier.status.state != .stopped && !limit.hasPassed {}   // until the shutdown has begun
            transport.release(2, with: .success(HTTPResponse(status: 200)))
            _ = becomesTrue { !source.settled.isEmpty }
            courier.shutdown(by: .now)   // the deadline of the other
        }
        courier.shutdown(by: .seconds(90))
        #expect(source.settled.map(\.id) == ["b"])
        #expect(becomesTrue { transport.cancellations >= 2 })
        transport.release(with: HTTPResponse(status: 200))   // too late
        courier.shutdown(by: .seconds(30))
        #expect(source.settled.map(\.id) == ["b"] && source.waiting == ["a", "c", "d"])
        #expect(transport.requests.count == 3)
    }

    @Test("44, 45: one that is too large and one with a poison entry are taken apart while others are on their way")
    func takenApart() throws {
        /// Takes two entries at once, and 7 never; says it of each entry where the request is for at most two.
        struct Picky: Destination {
            func request(for parcel: Parcel) -> HTTPRequest { HTTPRequest(url: "http://127.0.0.1/", body: parcel.body) }
            func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
                if parcel.count > 2 { return .tooLarge("413") }
                let numbers = String(decoding: parcel.body, as: UTF8.self).split(separator: ",")
                guard let place = numbers.firstIndex(of: "7") else { return .delivered }
                return .partly(EntryFates(rejected: [place: "poison"], again: Set(numbers.indices).subtracting([place])), after: .zero)
            }
        }
        let source = NumberedParcels([Array(1...5), Array(6...9), [10], Array(11...20)])
        let diary = diary, clock = clock
        let courier = Courier(
            name: "test", source: source, destination: Picky(), transport: ScriptedTransport(.status(200)),
            policy: DeliveryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(2), parcelsInFlight: 4),
            onEvent: { diary.note($0) })
        try courier.deliver(by: .seconds(60))
        #expect(source.delivered.sorted() == (1...20).filter { $0 != 7 })
        #expect(source.rejected == [7])
        #expect(source.pendingCount == 0)
        withExtendedLifetime(clock) {}
    }

    @Test func aSourceThatCannotNoteOneIsToldAgainBeforeTheOthers() throws {
        let source = MemoryParcels(["a", "b", "c", "d"]), transport = ScriptedTransport(.hold)
        let courier = courier(source, transport)
        courier.wake()
        #expect(transport.waitForRequests(3))
        source.failSettling(times: 1)
        transport.release(2, with: fine)
        #expect(clock.advance(by: .nanoseconds(1)) { courier.status.latestAnswer != nil })
        transport.release(1, with: fine)
        clock.advance(by: .seconds(300))
        #expect(diary.waitForDeliveries(2))
        #expect(source.settled.map(\.id) == ["b", "a"])
        #expect(transport.waitForRequests(4))
        transport.release(with: HTTPResponse(status: 200))
        try courier.deliver(by: .seconds(30))
        #expect(transport.requests.count == 4)
    }

    @Test("41, 42, 47: whatever becomes of single requests, each parcel is delivered once, oldest first, and never too many at a time")
    func anyOrderOfAnswers() throws {
        let ids = (0..<300).map { "\($0)" }, source = MemoryParcels(ids)
        let random = LogRandomness.seeded(17), flying = Locked<(now: Int, most: Int)>((0, 0))
        /// Answers some at once and some later, in any order.
        final class Restless: HTTPTransport {
            let answer: @Sendable (HTTPRequest) -> Result<HTTPResponse, HTTPFailure>
            let held = Locked<[@Sendable () -> Void]>([])
            let random: LogRandomness
            init(_ random: LogRandomness, _ answer: @escaping @Sendable (HTTPRequest) -> Result<HTTPResponse, HTTPFailure>) {
                self.random = random
                self.answer = answer
            }
            func send(
                _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
            ) -> HTTPCancellation {
                let due = held.withLock { held -> [@Sendable () -> Void] in
                    held.append { [answer] in completion(answer(request)) }
                    var due: [@Sendable () -> Void] = []
                    while !held.isEmpty, held.count >= 4 || random.next() % 2 == 0 {
                        due.append(held.remove(at: Int(random.next() % UInt64(held.count))))
                    }
                    return due
                }
                LogThread.start("restless") { for end in due { end() } }
                return HTTPCancellation {}
            }
        }
        let transport = Restless(random) { _ in
            flying.withLock { $0.now -= 1 }
            return switch random.next() % 10 {
            case 0: .success(HTTPResponse(status: 500))
            case 1: .failure(.unreachable("cut"))
            case 2: .success(HTTPResponse(status: 429, headers: [HTTPHeader("Retry-After", "0")]))
            default: .success(HTTPResponse(status: 200))
            }
        }
        let first = Locked<[String]>([])
        let courier = Courier(
            name: "test", source: source, destination: StatusDestination(), transport: transport,
            policy: DeliveryPolicy(
                firstPause: .microseconds(10), longestPause: .microseconds(100), interval: .milliseconds(1), parcelsInFlight: 4)
        ) { event in
            guard case .attempting(let parcel) = event else { return }
            first.withLock { if !$0.contains(parcel) { $0.append(parcel) } }
            flying.withLock { flying in
                flying.now += 1
                flying.most = max(flying.most, flying.now)
            }
        }
        // What is held when nothing more is sent is let go of.
        let isDone = Locked(false)
        LogThread.start("patience") {
            let limit = LogDeadline.seconds(330)
            while !isDone.withLock({ $0 }) && !limit.hasPassed {
                let due = transport.held.withLock { held in held.isEmpty ? nil : held.removeFirst() }
                due?()
            }
        }
        defer { isDone.withLock { $0 = true } }
        try courier.deliver(by: .seconds(300))
        #expect(source.settled.map(\.id).sorted() == ids.sorted())
        #expect(source.settled.allSatisfy { $0.fate == .delivered })
        #expect(first.withLock { $0 } == ids)
        #expect(flying.withLock { $0.most } <= 4)
        courier.shutdown(by: .seconds(30))
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
