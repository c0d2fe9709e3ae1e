import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

extension CourierTests {
    @Test("60: shutdown keeps to its deadline with a server that hangs, and the source keeps the parcel")
    func shutdownKeepsToItsDeadline() {
        let source = MemoryParcels(["a", "b"])
        let transport = ScriptedTransport(.hold)
        let courier = courier(source, transport)
        courier.wake()
        #expect(transport.waitForRequests(1))
        courier.shutdown(by: .milliseconds(50))
        #expect(transport.cancellations >= 1)
        #expect(source.waiting == ["a", "b"])
        #expect(source.settled == [])
        #expect(courier.status.state == .stopped)
        courier.shutdown(by: .seconds(30))
        courier.wake()
        courier.reconfigured()
        #expect(throws: CourierError.stopped(pending: 2)) { try courier.deliver(by: .seconds(30)) }
        #expect(transport.requests.count == 1)
    }

    @Test func shutdownWaitsForTheParcelInFlightAndStartsNoOther() {
        let source = MemoryParcels(["a", "b"])
        let transport = ScriptedTransport(.hold)
        let courier = courier(source, transport)
        courier.wake()
        #expect(transport.waitForRequests(1))
        LogThread.start("server") {
            while courier.status.state != .stopped {}  // until the shutdown has begun
            transport.release(with: HTTPResponse(status: 200))
        }
        courier.shutdown(by: .seconds(30))
        #expect(source.settled == [.init(id: "a", fate: .delivered)])
        #expect(source.waiting == ["b"])
        #expect(transport.cancellations == 0)
    }

    @Test func anAnswerThatComesTooLateSettlesNothing() {
        let source = MemoryParcels(["a"])
        let transport = ScriptedTransport(.holdDeaf)
        let courier = courier(source, transport)
        courier.wake()
        #expect(transport.waitForRequests(1))
        courier.shutdown(by: .milliseconds(20))
        transport.release(with: HTTPResponse(status: 200))
        courier.shutdown(by: .seconds(30))  // until the thread has ended
        #expect(source.settled == [])
        #expect(source.waiting == ["a"])
    }

    @Test func aShutdownThatComesWhileARequestIsMadeSendsNothing() {
        /// Makes its request when the gate is open.
        struct Slow: Destination {
            let gate: Gate
            func request(for parcel: Parcel) throws -> HTTPRequest {
                gate.wait()
                return try StatusDestination().request(for: parcel)
            }
            func verdict(on response: HTTPResponse, for parcel: Parcel) -> DeliveryVerdict {
                StatusDestination().verdict(on: response, for: parcel)
            }
        }
        let gate = Gate(), source = MemoryParcels(["a"]), transport = ScriptedTransport(.status(200))
        let courier = courier(source, transport, to: Slow(gate: gate))
        courier.wake()
        #expect(gate.waitForArrivals(1))
        courier.shutdown(by: .now)
        gate.open()
        courier.shutdown(by: .seconds(30))  // until the thread has ended
        #expect(transport.requests.isEmpty)
        #expect(source.waiting == ["a"])
    }

    @Test func shutdownBeforeAnythingWasDoneIsHarmless() {
        let courier = courier(MemoryParcels(["a"]), ScriptedTransport(.status(200)))
        courier.shutdown(by: .seconds(30))
        #expect(courier.status.state == .stopped)
        #expect(throws: CourierError.stopped(pending: 1)) { try courier.deliver(by: .seconds(30)) }
    }

    @Test func shutdownFreesThoseWhoWait() async {
        let transport = ScriptedTransport(.hold)
        let courier = courier(MemoryParcels(["a"]), transport)
        let outcome = Monitor<CourierError?>(nil)
        LogThread.start("waiter") {
            do throws(CourierError) { try courier.deliver(by: .seconds(60)) } catch {
                outcome.withLock { access in
                    access.value = error
                    access.broadcast()
                }
            }
        }
        #expect(transport.waitForRequests(1))
        courier.shutdown(by: .now)
        let deadline = LogDeadline.seconds(30)
        let error = outcome.withLock { access in
            while access.value == nil && access.wait(until: deadline) {}
            return access.value
        }
        #expect(error == .stopped(pending: 1))
    }
}
