import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookDelivery

extension CourierTests {
    private func hold(_ source: MemoryParcels, failures: Int) -> (Courier, ScriptedTransport) {
        source.failSettling(times: failures)
        let transport = ScriptedTransport(.status(200)), courier = courier(source, transport)
        courier.wake()
        #expect(becomesTrue { courier.status.latestAnswer?.contains("cannot note that a is done") == true })
        return (courier, transport)
    }

    @Test("what has arrived and could not be noted is noted by a shutdown: otherwise it would go again with the next run")
    func aShutdownNotesWhatHasArrived() {
        let source = MemoryParcels(["a"]), (courier, transport) = hold(source, failures: 3)
        courier.shutdown(by: .seconds(60))
        #expect(source.settled == [.init(id: "a", fate: .delivered)])
        #expect(diary.events.last == .delivered(parcel: "a", count: 1))
        #expect(transport.requests.count == 1)
    }

    @Test func aShutdownWithoutTimeTriesItOnce() {
        let source = MemoryParcels(["a"]), (courier, _) = hold(source, failures: 1)
        courier.shutdown(by: .now)
        #expect(becomesTrue { source.settled == [.init(id: "a", fate: .delivered)] })
    }

    @Test func whatASourceNeverNotesHoldsUpNoShutdownForLong() {
        let (courier, _) = hold(MemoryParcels(["a"]), failures: .max), patience = LogDeadline.seconds(60)
        courier.shutdown(by: .never)
        #expect(!patience.hasPassed && diary.events == [.attempting(parcel: "a")])
    }

    @Test("a source is asked what has come in front only where somebody waits: it may have to count all that there is")
    func aSourceIsAskedForArrivalsOnlyWhereSomebodyWaits() throws {
        final class Asked: ParcelSource {
            let inner = MemoryParcels(["a", "b"]), questions = Locked(0)
            func nextParcel() throws -> Parcel? { try inner.nextParcel() }
            func settle(_ parcel: Parcel, as fate: ParcelFate) throws { try inner.settle(parcel, as: fate) }
            var pendingCount: Int { inner.pendingCount }
            func takeArrivals() -> Int {
                questions.withLock { $0 += 1 }
                return 0
            }
        }
        let source = Asked(), courier = courier(source, ScriptedTransport(.status(200)))
        courier.wake()
        #expect(becomesTrue { source.inner.settled.count == 2 })
        #expect(source.questions.withLock { $0 } == 0)
        source.inner.add("c")
        try courier.deliver(by: .seconds(60))
        #expect(source.questions.withLock { $0 } > 0 && source.inner.settled.count == 3)
    }
}
