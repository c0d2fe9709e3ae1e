import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

// A courier whose receiver's address may be taken away.
extension CourierTests {
    private final class Moving: ChangingDestination {
        private let isKnown = Locked(true)
        var current: (destination: any Destination, number: Int) { (destination: StatusDestination(), number: 0) }
        var hasAddress: Bool { isKnown.withLock { $0 } }
        func forgetAddress() { isKnown.withLock { $0 = false } }
    }

    @Test(
        "C28: who comes while another's parcel is on its way hears what becomes of it, also where the address is taken away meanwhile",
        arguments: [200, 401, 503])
    func theAddressIsTakenAwayMeanwhile(status: Int) {
        let source = MemoryParcels(["a"]), transport = ScriptedTransport(.hold), destination = Moving()
        let courier = courier(source, transport, to: destination)
        courier.wake()
        #expect(transport.waitForRequests(1))
        let heard = Locked<[CourierError?]>([])
        LogThread.start("waiter") {
            do throws(CourierError) {
                try courier.deliver(by: .seconds(60))
                heard.withLock { $0.append(nil) }
            } catch {
                heard.withLock { $0.append(error) }
            }
        }
        #expect(becomesTrue { source.counts > 0 })   // it has come
        destination.forgetAddress()
        courier.wake()   // as who takes an address away does
        #expect(!becomesTrue(by: .milliseconds(100)) { heard.withLock { !$0.isEmpty } })
        transport.release(with: HTTPResponse(status: status))
        #expect(becomesTrue { heard.withLock { !$0.isEmpty } })
        let expected: CourierError? = status == 401 ? .misconfigured(pending: 1, reason: "401") : nil
        #expect(heard.withLock { $0 } == [expected])
        #expect(source.waiting == (status == 200 ? [] : ["a"]))
    }
}
