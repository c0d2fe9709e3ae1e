import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

/// A receiver that reads a parcel at once and says later whether it has kept it.
@Suite struct DeliveryInquiryTests {
    /// 202 has read it, 200 has it, 204 does not know yet.
    private struct Later: Destination {
        var limit = Duration.seconds(20)

        static func isQuestion(_ request: HTTPRequest) -> Bool { request.method == "GET" }

        func request(for parcel: Parcel) -> HTTPRequest { HTTPRequest(url: "http://127.0.0.1/", body: parcel.body) }
        func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
            guard response.status == 202 else { return StatusDestination().verdict(on: response, for: parcel) }
            return .inquire(
                DeliveryInquiry(
                    name: parcel.id, request: HTTPRequest(method: "GET", url: "http://127.0.0.1/\(parcel.id)"), interval: .seconds(2),
                    limit: limit))
        }
        func verdict(on response: HTTPResponse, to inquiry: DeliveryInquiry, for parcel: Parcel) -> DeliveryVerdict {
            response.status == 204 ? .inquire(inquiry) : StatusDestination().verdict(on: response, for: parcel)
        }
    }

    let clock = ManualClock(now: LogTime(seconds: 1_000_000))
    let diary = CourierDiary()

    private func courier(
        _ source: MemoryParcels, _ transport: ScriptedTransport, inFlight: Int = 1, limit: Duration = .seconds(20)
    ) -> Courier {
        Courier(
            name: "test", source: source, destination: Later(limit: limit), transport: transport,
            policy: DeliveryPolicy(parcelsInFlight: inFlight), clock: .manual(clock), randomness: .seeded(1),
            onEvent: { [diary] in diary.note($0) })
    }

    private func questions(_ transport: ScriptedTransport) -> Int { transport.requests.count(where: Later.isQuestion) }

    @Test func aParcelIsDeliveredWhenTheReceiverSaysThatItHasKeptIt() {
        let source = MemoryParcels(["a", "b"]), asked = Locked<[LogTime]>([])
        let transport = ScriptedTransport { [clock] number, request in
            guard Later.isQuestion(request) else { return .status(202) }
            asked.withLock { $0.append(clock.now) }
            return .status(number < 4 ? 204 : 200)
        }
        let courier = courier(source, transport, limit: .seconds(100_000))
        courier.wake()
        #expect(transport.waitForRequests(1))
        for number in 2...4 {
            #expect(source.settled.isEmpty)
            #expect(courier.status.state == .delivering)
            #expect(clock.advance { transport.requests.count >= number })
        }
        #expect(diary.waitForDeliveries(1))
        #expect(source.settled == [.init(id: "a", fate: .delivered)])
        #expect(transport.waitForRequests(5))   // then the next
        #expect(transport.requests[4].body == Array("b".utf8))
        let times = asked.withLock { $0 }
        #expect(zip(times.dropFirst(), times).allSatisfy { $0.nanoseconds - $1.nanoseconds >= 2_000_000_000 })
        courier.shutdown(by: .now)
        #expect(source.waiting == ["b"])
    }

    @Test("41, 48: a receiver that never says so is sent the parcel again after the limit, and meanwhile asked for as long as it can be")
    func neverAcknowledged() {
        let source = MemoryParcels(["a"]), sent = Locked<[LogTime]>([])
        let transport = ScriptedTransport { [clock] number, request in
            if !Later.isQuestion(request) {
                sent.withLock { $0.append(clock.now) }
                return .status(202)
            }
            // Whatever is wrong with a question, the parcel may still be kept.
            return number % 3 == 0 ? .status(503) : number % 3 == 1 ? .fail(.timedOut("slow")) : .status(204)
        }
        let courier = courier(source, transport, limit: .seconds(20_000))   // more than passes while this thread alone has the processor
        courier.wake()
        #expect(transport.waitForRequests(1))
        #expect(clock.advance { questions(transport) >= 2 })
        #expect(clock.advance(by: .seconds(500)) { !diary.pauses.isEmpty })
        #expect(source.settled.isEmpty)
        #expect(clock.advance { sent.withLock { $0.count } >= 2 })
        let times = sent.withLock { $0 }
        #expect(times[1].nanoseconds - times[0].nanoseconds >= 20_000_000_000_000)
        #expect(transport.requests.filter { !Later.isQuestion($0) }.map(\.body) == [Array("a".utf8), Array("a".utf8)])
        courier.shutdown(by: .now)
        #expect(source.waiting == ["a"])
    }

    @Test("42: no question is asked while the receiver wants to be left alone")
    func retryAfterHoldsForQuestions() {
        let source = MemoryParcels(["a", "b"]), transport = ScriptedTransport(.hold)
        let courier = courier(source, transport, inFlight: 2)
        courier.wake()
        #expect(transport.waitForRequests(2))
        transport.release(2, with: .success(HTTPResponse(status: 429, headers: [HTTPHeader("Retry-After", "60")])))
        #expect(diary.waitForRetries(1))
        transport.release(1, with: .success(HTTPResponse(status: 202)))
        clock.advance(by: .seconds(59))
        courier.wake()
        #expect(throws: CourierError.self) { try courier.deliver(by: .milliseconds(20)) }
        #expect(transport.requests.count == 2)
        #expect(clock.advance(by: .seconds(1)) { transport.requests.count == 4 })   // its question is due after its answer is weighed
        #expect(questions(transport) == 1)
        courier.shutdown(by: .now)
    }

    @Test("42: a receiver that wants to be left alone when it is asked is, by parcels and by questions about others")
    func retryAfterOfAQuestion() {
        let source = MemoryParcels(["a", "b", "c"]), transport = ScriptedTransport(.hold)
        let courier = courier(source, transport, inFlight: 2, limit: .seconds(100_000))
        courier.wake()
        #expect(transport.waitForRequests(2))
        for number in 1...2 { transport.release(number, with: .success(HTTPResponse(status: 202))) }
        #expect(clock.advance { transport.requests.count == 4 })
        transport.release(3, with: .success(HTTPResponse(status: 503, headers: [HTTPHeader("Retry-After", "60")])))
        transport.release(4, with: .success(HTTPResponse(status: 200)))
        #expect(becomesTrue { source.settled.count == 1 })
        clock.advance(by: .seconds(59))
        courier.wake()
        #expect(throws: CourierError.self) { try courier.deliver(by: .milliseconds(20)) }
        #expect(transport.requests.count == 4)
        #expect(clock.advance { transport.requests.count == 6 })
        courier.shutdown(by: .now)
    }

    @Test("42: a former receiver's question holds back nothing from the one that has taken its place", arguments: [false, true])
    func aQuestionToAFormerReceiver(isAnswered: Bool) {
        let source = MemoryParcels(["a"]), transport = ScriptedTransport(.hold)
        let courier = courier(source, transport, limit: .seconds(300))
        courier.wake()
        #expect(transport.waitForRequests(1))
        transport.release(1, with: .success(HTTPResponse(status: 202)))
        #expect(clock.advance { transport.requests.count == 2 })
        courier.reconfigured(forAnotherReceiver: true)
        let busy = HTTPResponse(status: 503, headers: [HTTPHeader("Retry-After", "3600")])
        transport.release(2, with: isAnswered ? .success(busy) : .failure(.unreachable("gone")))
        #expect(transport.waitForRequests(3))
        #expect(transport.requests.last?.body == Array("a".utf8))
        courier.shutdown(by: .now)
    }

    @Test("43: a refusal of a question keeps the parcel, which is sent again with the new token")
    func aRefusedQuestion() {
        let source = MemoryParcels(["a"])
        let transport = ScriptedTransport { number, request in .status(Later.isQuestion(request) ? (number < 3 ? 401 : 200) : 202) }
        let courier = courier(source, transport)
        courier.wake()
        #expect(transport.waitForRequests(1))
        #expect(clock.advance { diary.events.contains { if case .misconfigured = $0 { true } else { false } } })
        #expect(source.waiting == ["a"])
        courier.reconfigured()
        #expect(transport.waitForRequests(3))
        #expect(clock.advance { !source.settled.isEmpty })
        #expect(source.settled == [.init(id: "a", fate: .delivered)])
        courier.shutdown(by: .seconds(30))
    }

    @Test("60: a shutdown asks on until its deadline, and what is not acknowledged then stays")
    func shutdown() {
        let source = MemoryParcels(["a", "b"])
        let transport = ScriptedTransport { _, request in .status(Later.isQuestion(request) ? 204 : 202) }
        let courier = courier(source, transport, limit: .seconds(100_000))
        courier.wake()
        #expect(transport.waitForRequests(1))
        let isOver = Gate()
        LogThread.start("shutdown") {
            courier.shutdown(by: .seconds(90))
            isOver.open()
        }
        #expect(becomesTrue { courier.status.state == .stopped })
        let before = questions(transport)
        #expect(clock.advance { questions(transport) > before })   // it asks on
        courier.shutdown(by: .now)
        isOver.wait()
        #expect(source.waiting == ["a", "b"])
        #expect(transport.requests.count { !Later.isQuestion($0) } == 1)
    }

    @Test func whoWaitsForADeliveryWaitsForTheAcknowledgement() throws {
        let source = MemoryParcels(["a", "b", "c"])
        let transport = ScriptedTransport { _, request in .status(Later.isQuestion(request) ? 200 : 202) }
        let courier = courier(source, transport, inFlight: 3), isDone = Locked(false), clock = clock
        LogThread.start("time") { _ = clock.advance { isDone.withLock { $0 } } }
        try courier.deliver(by: .seconds(30))
        isDone.withLock { $0 = true }
        #expect(Set(source.settled.map(\.id)) == ["a", "b", "c"])
        #expect(questions(transport) == 3)
    }
}
