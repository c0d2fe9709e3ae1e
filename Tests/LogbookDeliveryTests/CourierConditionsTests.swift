import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

/// A courier whose parcels wait for conditions.
@Suite struct CourierConditionsTests {
    let clock = ManualClock(now: LogTime(nanoseconds: 0))   // when the parcels in memory were sealed
    private let isOpen = Locked(false)
    private let asked = Locked(0)
    private let reason = "the program's own condition does not hold"

    private func courier(_ source: any ParcelSource, _ transport: ScriptedTransport, inFlight: Int = 1) -> Courier {
        Courier(
            name: "test", source: source, destination: StatusDestination(), transport: transport,
            policy: DeliveryPolicy(parcelsInFlight: inFlight),
            conditions: DeliveryConditions(custom: { [isOpen, asked] in
                asked.withLock { $0 += 1 }
                return isOpen.withLock { $0 }
            }),
            clock: .manual(clock), randomness: .seeded(1))
    }

    private func letConditionsHold(_ value: Bool = true) { isOpen.withLock { $0 = value } }
    private var timesAsked: Int { asked.withLock { $0 } }
    private func isHeldBack(_ courier: Courier) -> Bool { becomesTrue { courier.status.state == .heldBack } }

    @Test("D1: while the conditions do not hold nothing is sent, and the status says why; once they do, all goes, oldest first")
    func heldBack() throws {
        let source = MemoryParcels(["a", "b", "c"]), transport = ScriptedTransport(.status(200))
        let courier = courier(source, transport)
        #expect(throws: CourierError.heldBack(pending: 3, reason: reason)) { try courier.deliver(by: .seconds(60)) }
        #expect(transport.requests.isEmpty)
        #expect(source.waiting == ["a", "b", "c"])
        let status = courier.status
        #expect(status.state == .heldBack && status.pending == 3)
        #expect(status.latestAnswer == reason)
        #expect(status.nextAttempt == clock.now.adding(.seconds(30)))

        letConditionsHold()
        try courier.deliver(by: .seconds(60))   // asks at once
        #expect(source.settled.map(\.id) == ["a", "b", "c"])
        #expect(courier.status.state != .heldBack && courier.status.latestAnswer == nil)
    }

    @Test("D1: conditions that do not hold are asked again every half minute, and not whenever there is something new")
    func asksAgain() {
        let source = MemoryParcels(["a"]), transport = ScriptedTransport(.status(200))
        let courier = courier(source, transport)
        courier.wake()
        #expect(isHeldBack(courier))
        letConditionsHold()
        courier.wake()
        clock.advance(by: Duration.seconds(30) - .nanoseconds(1))
        courier.wake()
        #expect(timesAsked == 1 && transport.requests.isEmpty)
        clock.advance(by: .nanoseconds(1))
        #expect(becomesTrue { source.waiting.isEmpty })
        #expect(timesAsked == 2)
    }

    @Test("D1: conditions that hold are asked once a second at most")
    func asksNotForEachParcel() throws {
        let source = MemoryParcels((0..<50).map { "\($0)" })
        let courier = courier(source, ScriptedTransport(.status(200)))
        letConditionsHold()
        try courier.deliver(by: .seconds(60))
        #expect(source.settled.count == 50)
        #expect(timesAsked == 1)
        clock.advance(by: .seconds(1))
        source.add("late")
        try courier.deliver(by: .seconds(60))
        #expect(timesAsked == 2)
    }

    @Test("D1: what is on its way when the conditions close is settled, and what comes behind it waits", arguments: [1, 2])
    func closingMeanwhile(inFlight: Int) throws {
        let source = MemoryParcels(["a", "b", "c"]), transport = ScriptedTransport(.hold)
        let courier = courier(source, transport, inFlight: inFlight)
        letConditionsHold()
        courier.wake()
        #expect(transport.waitForRequests(inFlight))
        letConditionsHold(false)
        clock.advance(by: .seconds(1))
        transport.release(with: HTTPResponse(status: 200))
        #expect(becomesTrue { source.settled.count == inFlight })
        #expect(isHeldBack(courier))
        #expect(throws: CourierError.heldBack(pending: 3 - inFlight, reason: reason)) { try courier.deliver(by: .seconds(60)) }
        #expect(transport.requests.count == inFlight)
        #expect(source.waiting == Array(["a", "b", "c"].dropFirst(inFlight)))
    }

    @Test("D3: what is urgent goes at once, also after a failure, and what comes later waits again")
    func hurry() throws {
        let source = MemoryParcels(["a", "b"])
        let transport = ScriptedTransport { number, _ in .status(number == 1 ? 503 : 200) }
        let courier = courier(source, transport)
        courier.wake()
        #expect(isHeldBack(courier))
        courier.hurry()
        #expect(clock.advance { source.waiting.isEmpty })
        source.add("c")
        #expect(throws: CourierError.heldBack(pending: 1, reason: reason)) { try courier.deliver(by: .seconds(60)) }
        #expect(transport.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["a", "a", "b"])
        courier.hurry()
        try courier.deliver(by: .seconds(60))
        #expect(source.settled.map(\.id) == ["a", "b", "c"])
    }

    @Test("D3: what is urgent goes also while somebody calls for it again whenever a parcel is made, as where one error follows another")
    func hurryWithoutEnd() {
        final class Stormy: ParcelSource {
            let inner = MemoryParcels(["a", "b"]), courier = Locked<Courier?>(nil)
            func nextParcel() throws -> Parcel? {
                let parcel = try inner.nextParcel()
                if parcel != nil { courier.withLock { $0 }?.hurry() }
                return parcel
            }
            func settle(_ parcel: Parcel, as fate: ParcelFate) throws { try inner.settle(parcel, as: fate) }
            var pendingCount: Int { inner.pendingCount }
        }
        let source = Stormy(), transport = ScriptedTransport(.status(200)), courier = courier(source, transport)
        source.courier.withLock { $0 = courier }
        defer { source.courier.withLock { $0 = nil } }
        courier.hurry()
        #expect(becomesTrue { source.inner.settled.map(\.id) == ["a", "b"] })
        source.inner.add("c")
        #expect(throws: CourierError.heldBack(pending: 1, reason: reason)) {
            source.courier.withLock { $0 = nil }   // the storm is over
            try courier.deliver(by: .seconds(60))
        }
        #expect(transport.requests.count == 2)
    }

    @Test("D2: after a day everything goes whatever the conditions are")
    func maximumDeferral() throws {
        let source = MemoryParcels(["a", "b"])
        let courier = courier(source, ScriptedTransport(.status(200)))
        clock.advance(by: .seconds(86_399))
        #expect(throws: CourierError.heldBack(pending: 2, reason: reason)) { try courier.deliver(by: .seconds(60)) }
        clock.advance(by: .seconds(1))
        try courier.deliver(by: .seconds(60))
        #expect(source.settled.map(\.id) == ["a", "b"])
    }

    @Test("D2: what was said while the wall clock was years ahead goes after a day as well")
    func maximumDeferralOfTheFuture() throws {
        let source = MemoryParcels(["a", "b"]), transport = ScriptedTransport(.status(200))
        let courier = courier(source, transport)
        clock.setWall(LogTime(seconds: -315_360_000))   // ten years before the parcels were sealed
        #expect(throws: CourierError.heldBack(pending: 2, reason: reason)) { try courier.deliver(by: .seconds(60)) }
        clock.advance(by: .seconds(86_399))
        #expect(throws: CourierError.heldBack(pending: 2, reason: reason)) { try courier.deliver(by: .seconds(60)) }
        #expect(transport.requests.isEmpty)
        clock.advance(by: .seconds(1))
        try courier.deliver(by: .seconds(60))
        #expect(source.settled.map(\.id) == ["a", "b"])
        #expect(becomesTrue { courier.status.state == .idle })
    }

    @Test("D2, A1: the time for which deliveries are paused is none for which the conditions have held anything back")
    func pausedMeanwhile() throws {
        let source = MemoryParcels(["a"]), transport = ScriptedTransport(.status(200))
        let courier = courier(source, transport)
        clock.setWall(LogTime(seconds: -315_360_000))   // so that no parcel looks old
        #expect(throws: CourierError.heldBack(pending: 1, reason: reason)) { try courier.deliver(by: .seconds(60)) }
        let before = timesAsked
        clock.advance(by: .seconds(86_000))
        #expect(becomesTrue { timesAsked > before })   // that has woken it, and it has looked at the clock
        courier.pause()
        clock.advance(by: .seconds(86_400))
        #expect(throws: CourierError.heldBack(pending: 1, reason: reason)) { try courier.deliver(by: .seconds(60)) }
        courier.resume()
        #expect(throws: CourierError.heldBack(pending: 1, reason: reason)) { try courier.deliver(by: .seconds(60)) }
        clock.advance(by: .seconds(399))
        #expect(throws: CourierError.heldBack(pending: 1, reason: reason)) { try courier.deliver(by: .seconds(60)) }
        #expect(transport.requests.isEmpty)
        clock.advance(by: .seconds(1))
        try courier.deliver(by: .seconds(60))
        #expect(source.settled.map(\.id) == ["a"])
    }

    @Test("D1, A1: while deliveries are paused the conditions are asked for those alone who wait for a delivery, and honoured")
    func askedWhilePaused() throws {
        let source = MemoryParcels(["a"]), transport = ScriptedTransport(.status(200))
        let courier = courier(source, transport)
        courier.pause()
        courier.wake()
        clock.advance(by: .seconds(60))
        #expect(throws: CourierError.heldBack(pending: 1, reason: reason)) { try courier.deliver(by: .seconds(60)) }
        #expect(timesAsked == 1)
        let status = courier.status
        #expect(status.state == .heldBack && status.isPaused && status.nextAttempt == nil)
        letConditionsHold()
        clock.advance(by: .seconds(60))
        #expect(!transport.waitForRequests(1, by: .milliseconds(100)))
        courier.resume()
        #expect(becomesTrue { source.waiting.isEmpty })
    }

    @Test("60: a shutdown does not wait for conditions, and the source keeps what they hold back")
    func shutdown() {
        let source = MemoryParcels(["a", "b"]), transport = ScriptedTransport(.status(200))
        let courier = courier(source, transport)
        courier.wake()
        #expect(isHeldBack(courier))
        let deadline = LogDeadline.seconds(60)
        courier.shutdown(by: deadline)
        #expect(!deadline.hasPassed)
        #expect(courier.status.state == .stopped)
        #expect(source.waiting == ["a", "b"] && transport.requests.isEmpty)
    }
}
