import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

// A courier that somebody has paused.
extension CourierTests {
    /// So long the tests watch for a request that must not come: one that came all the same would be there within it.
    private static var watch: LogDeadline { .milliseconds(100) }

    @Test("A1: a paused courier sends nothing by itself; resumed it tries at once, and both may be called twice")
    func aPausedCourierSendsNothingByItself() {
        let source = MemoryParcels(), transport = ScriptedTransport(.status(200))
        let courier = courier(source, transport, policy: DeliveryPolicy(interval: .seconds(10)))
        courier.pause()
        courier.pause()
        source.add("a")
        courier.wake()
        courier.reconfigured()
        for _ in 0..<5 { clock.advance(by: .seconds(10)) }
        #expect(!transport.waitForRequests(1, by: Self.watch))
        #expect(courier.status.isPaused && courier.status.pending == 1 && courier.status.nextAttempt == nil)
        courier.resume()
        courier.resume()
        #expect(diary.waitForDeliveries(1))
        #expect(!courier.status.isPaused)
        source.add("b")
        clock.advance(by: .seconds(10))
        #expect(diary.waitForDeliveries(2))
        #expect(source.settled.map(\.id) == ["a", "b"])
    }

    @Test("A1: what is on its way when the courier is paused is settled, and nothing follows it", arguments: [1, 2])
    func whatIsOnItsWayGoesOn(inFlight: Int) {
        let source = MemoryParcels(["a", "b", "c"]), transport = ScriptedTransport(.hold)
        let courier = courier(source, transport, policy: DeliveryPolicy(parcelsInFlight: inFlight))
        courier.wake()
        #expect(transport.waitForRequests(inFlight))
        courier.pause()
        #expect(courier.status.state == .delivering && courier.status.isPaused)
        transport.release(with: HTTPResponse(status: 200))
        #expect(diary.waitForDeliveries(inFlight))
        #expect(!transport.waitForRequests(inFlight + 1, by: Self.watch))
        #expect(source.waiting == Array(["a", "b", "c"].dropFirst(inFlight)))
    }

    @Test("A1: deliver sends what there was at the call, also from a paused courier, and nothing that comes meanwhile")
    func deliverWhilePaused() throws {
        let source = MemoryParcels(["a", "b"])
        let transport = ScriptedTransport { number, _ in
            source.add("more \(number)")   // there is always something new
            return .status(200)
        }
        let courier = courier(source, transport)
        courier.pause()
        try courier.deliver(by: .seconds(30))
        #expect(source.settled.map(\.id) == ["a", "b"])
        #expect(!transport.waitForRequests(3, by: Self.watch))
        courier.hurry()
        #expect(diary.waitForDeliveries(4))
        #expect(!transport.waitForRequests(5, by: Self.watch))
        #expect(source.settled.map(\.id) == ["a", "b", "more 1", "more 2"])
        #expect(courier.status.isPaused)
    }

    @Test("A1: what somebody waits for goes again after a failure while the courier is paused; once nobody waits any more it does not")
    func failuresWhilePaused() throws {
        let source = MemoryParcels(["a"])
        let transport = ScriptedTransport { number, _ in .status(number == 1 ? 500 : number == 2 ? 200 : 401) }
        let courier = courier(source, transport)
        courier.pause()
        let left = Monitor(1)
        LogThread.start("waiter") {
            try? courier.deliver(by: .seconds(60))
            left.withLock { access in
                access.value -= 1
                access.broadcast()
            }
        }
        #expect(diary.waitForRetries(1))
        clock.advance(by: .seconds(300))
        #expect(diary.waitForDeliveries(1))
        let deadline = LogDeadline.seconds(30)
        left.withLock { access in while access.value > 0 && access.wait(until: deadline) {} }

        source.add("b")
        #expect(throws: CourierError.misconfigured(pending: 1, reason: "401")) { try courier.deliver(by: .seconds(30)) }
        clock.advance(by: .seconds(900))   // when it would be tried again
        #expect(!transport.waitForRequests(4, by: Self.watch))
        #expect(source.waiting == ["b"])
    }

    @Test(
        "A1: a pause of ours, or one that the receiver asked for, is remembered when the courier is paused and resumed meanwhile",
        arguments: [[], [HTTPHeader("Retry-After", "90")]])
    func pausesAreRemembered(headers: [HTTPHeader]) {
        let source = MemoryParcels(["a"])
        let transport = ScriptedTransport { number, _ in number == 1 ? .status(503, headers: headers) : .status(200) }
        let courier = courier(source, transport)
        courier.wake()
        #expect(diary.waitForRetries(1))
        let pause = diary.pauses[0], due = courier.status.nextAttempt
        courier.pause()
        clock.advance(by: pause - .nanoseconds(1))
        #expect(courier.status.nextAttempt == nil)
        courier.resume()
        #expect(!transport.waitForRequests(2, by: Self.watch))
        #expect(courier.status.nextAttempt == due && courier.status.state == .waiting)
        clock.advance(by: .nanoseconds(1))
        #expect(diary.waitForDeliveries(1))
    }

    @Test("a paused courier lets go of what its source holds for a delivery")
    func aPausedCourierLetsGo() {
        final class Holding: ParcelSource {
            let inner = MemoryParcels(["a", "b"])
            private let isHeld = Locked(false)
            var holds: Bool { isHeld.withLock { $0 } }
            func nextParcel() throws -> Parcel? {
                isHeld.withLock { $0 = true }
                return try inner.nextParcel()
            }
            func settle(_ parcel: Parcel, as fate: ParcelFate) throws { try inner.settle(parcel, as: fate) }
            var pendingCount: Int { inner.pendingCount }
            func letGo() { isHeld.withLock { $0 = false } }
        }
        let source = Holding(), transport = ScriptedTransport(.hold)
        let courier = courier(source, transport)
        courier.wake()
        #expect(transport.waitForRequests(1))
        courier.pause()
        #expect(source.holds)   // while it is on its way
        transport.release(with: HTTPResponse(status: 200))
        #expect(becomesTrue { !source.holds })
        #expect(source.inner.settled.map(\.id) == ["a"] && transport.requests.count == 1)
    }

    @Test("60, A1: a paused courier shuts down as any other: it waits for what is on its way, and the source keeps the rest")
    func shutdownWhilePaused() {
        let source = MemoryParcels(["a", "b"]), transport = ScriptedTransport(.hold)
        let courier = courier(source, transport)
        courier.wake()
        #expect(transport.waitForRequests(1))
        courier.pause()
        LogThread.start("server") {
            while courier.status.state != .stopped {}   // until the shutdown has begun
            transport.release(with: HTTPResponse(status: 200))
        }
        let deadline = LogDeadline.seconds(30)
        courier.shutdown(by: deadline)
        #expect(!deadline.hasPassed)
        #expect(source.settled == [.init(id: "a", fate: .delivered)] && source.waiting == ["b"])
        courier.resume()
        courier.pause()
        #expect(throws: CourierError.stopped(pending: 1)) { try courier.deliver(by: .seconds(30)) }
        #expect(transport.requests.count == 1)
    }
}
