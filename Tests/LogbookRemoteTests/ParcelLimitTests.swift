import LogbookCore
import LogbookDelivery
import LogbookFormat
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookRemote

@Suite struct ParcelLimitTests {
    // MARK: The number

    @Test func halfOfWhatWasTooManyGoesNextAndAnEighthMoreWithEachFullParcelThatIsTaken() {
        var limit = ParcelLimit(1000)
        limit.refuse(1000)
        #expect(limit.events == 500)
        limit.settle(499, rejected: 0)   // not full
        #expect(limit.events == 500)
        limit.settle(500, rejected: 3)
        #expect(limit.events == 562)
        limit.refuse(1)
        limit.settle(1, rejected: 0)
        #expect(limit.events == 1)
    }

    @Test func whatWasTooManyIsTriedAgainAfterAWhile() {
        var limit = ParcelLimit(100)
        limit.refuse(32)
        var sizes: [Int] = []
        for _ in 1...80 {
            sizes.append(limit.events)
            limit.settle(limit.events, rejected: 0)
        }
        #expect(Array(sizes.prefix(64)) == [16, 18, 20, 22, 24, 27, 30] + [Int](repeating: 31, count: 57))
        #expect(Array(sizes.dropFirst(64)) == [31, 34, 38, 42, 47, 52, 58, 65, 73, 82, 92, 100, 100, 100, 100, 100])
    }

    @Test func ofSeveralThatWereOnTheirWayTheSmallestThatIsRefusedCounts() {
        var limit = ParcelLimit(100)
        for count in [100, 40, 100] { limit.refuse(count) }
        #expect(limit.events == 20)
        for _ in 1...20 { limit.settle(limit.events, rejected: 0) }
        #expect(limit.events == 39)
    }

    @Test("an event that is refused alone was too large itself, and its neighbours need no small parcels", arguments: [1, 2])
    func oneEventAtFault(latest: Int) {
        var limit = ParcelLimit(1000)
        limit.refuse(2 * latest)
        #expect(limit.events == latest)
        limit.settle(1, rejected: 1)
        #expect(limit.events == 1000)

        for count in [1000, 500, 250, 125, 63, 32, 16] { limit.refuse(count) }
        limit.settle(8, rejected: 0)
        for count in [9, 5, 3, 2] { limit.refuse(count) }
        limit.settle(1, rejected: 1)
        #expect(limit.events == 8)   // as many as went: the next event of the kind is not looked for among a thousand

        limit = ParcelLimit(1000)
        limit.refuse(60)
        limit.settle(1, rejected: 1)   // which says nothing about 30
        #expect(limit.events == 30)
    }

    // MARK: Deliveries

    enum Storage: CaseIterable { case memory, folder }

    private func provider(_ storage: Storage, _ folder: TemporaryFolder, _ transport: any HTTPTransport) throws -> RemoteLogProvider {
        let collector = CollectorDestination(url: "http://127.0.0.1:1", token: "hush"), origin = LogOrigin(installation: "I", epoch: 7)
        let clock = LogClock.manual(ManualClock(now: LogTime(seconds: 1_000_000)))
        return switch storage {
        case .memory: RemoteLogProvider(to: collector, origin: origin, transport: transport, clock: clock)
        case .folder:
            try RemoteLogProvider(
                to: collector, spool: folder("spool"), policy: SpoolPolicy(parcelEvents: 1000), origin: origin, transport: transport,
                clock: clock)
        }
    }

    @Test("45: a receiver of small parcels refuses a few, and gets what it takes; when it takes more again, it gets more",
          arguments: Storage.allCases)
    func aReceiverOfSmallParcels(storage: Storage) throws {
        struct Seen: Sendable {
            var most = 30
            var refusals = 0
            var sizes: [Int] = []
        }
        let collector = FakeCollector(), folder = TemporaryFolder(), seen = Locked(Seen())
        let transport = ScriptedTransport { _, request in
            let count = FakeCollector.lines(request).count
            let isTooLarge = seen.withLock { seen in
                seen.sizes.append(count)
                if count > seen.most { seen.refusals += 1 }
                return count > seen.most
            }
            return isTooLarge ? .status(413) : .answer(collector.acknowledge(request))
        }
        let provider = try provider(storage, folder, transport)
        for number in 1...1000 { provider.log(.numbered(number)) }
        try provider.deliver(by: .seconds(60))
        #expect(collector.received == (1...1000).map { "event \($0)" })
        #expect(seen.withLock { $0.refusals } < 20)   // halving every file anew would take sixty

        seen.withLock { $0 = Seen(most: .max) }
        for number in 1001...20_000 { provider.log(.numbered(number)) }
        try provider.deliver(by: .seconds(120))
        #expect(collector.received.count == 20_000 && collector.arrivals.allSatisfy { $0 == 1 })
        #expect(seen.withLock { $0.sizes.max() } == 1000)
        #expect(provider.deliveries == LogLedger(submitted: 20_000, delivered: 20_000))
        try provider.shutdown(by: .seconds(30))
    }

    @Test("44: an event that is refused for what it says makes no parcel smaller that comes later", arguments: Storage.allCases)
    func aRefusedEventMakesNoParcelSmaller(storage: Storage) throws {
        let collector = FakeCollector(), folder = TemporaryFolder(), sizes = Locked<[Int]>([])
        let transport = ScriptedTransport { _, request in
            let lines = FakeCollector.lines(request)
            sizes.withLock { $0.append(lines.count) }
            return lines.contains { $0["sequence"] == .integer(77) } ? .status(422) : .answer(collector.acknowledge(request))
        }
        let provider = try provider(storage, folder, transport)
        for number in 1...1000 { provider.log(.numbered(number)) }
        do { try provider.deliver(by: .seconds(60)) } catch { #expect(error == .lost(count: 1)) }
        for number in 1001...2000 { provider.log(.numbered(number)) }
        try provider.deliver(by: .seconds(60))
        #expect(sizes.withLock { $0.last } == 1000)
        #expect(provider.deliveries == LogLedger(submitted: 2000, delivered: 1999, dropped: [.rejectedByServer: 1]))
        try provider.shutdown(by: .seconds(30))
    }
}
