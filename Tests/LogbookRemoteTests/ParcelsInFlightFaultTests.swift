import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookRemote
import LogbookTestKit
import Testing

/// Several parcels on their way at the same time, over real connections.
@Suite(.serialized) struct ParcelsInFlightFaultTests {
    enum Storage: CaseIterable { case memory, folder }

    private func provider(
        _ storage: Storage, _ url: String, _ folder: TemporaryFolder, inFlight: Int = 4, onEvent: (@Sendable (CourierEvent) -> Void)? = nil
    ) throws -> RemoteLogProvider {
        let delivery = DeliveryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(5), parcelsInFlight: inFlight)
        let collector = CollectorDestination(url: url, token: "hush")
        return switch storage {
        case .memory:
            RemoteLogProvider(
                to: collector, origin: Sample.origin, queue: RemoteQueuePolicy(parcelEvents: 10), delivery: delivery,
                transport: CurlTransport(), onEvent: onEvent)
        case .folder:
            try RemoteLogProvider(
                to: collector, spool: folder.path + "/spool", policy: SpoolPolicy(parcelEvents: 10), origin: Sample.origin,
                delivery: delivery, transport: CurlTransport(), onEvent: onEvent)
        }
    }

    @Test("41, 47: the second parcel's answer comes before the first's, and one fails: each event arrives once and the books agree",
          arguments: Storage.allCases)
    func secondBeforeFirst(storage: Storage) throws {
        let collector = FakeCollector(), first = Gate(), folder = TemporaryFolder()
        defer { first.open() }
        let seen = Locked<(order: [String], tries: [String: Int])>(([], [:])), fates = Monitor<[String]>([])
        let server = try LoopbackServer { request in
            let parcel = request.header("Logbook-Parcel") ?? ""
            let (number, isFirstTry) = seen.withLock { seen in
                if !seen.order.contains(parcel) { seen.order.append(parcel) }
                seen.tries[parcel, default: 0] += 1
                return (seen.order.firstIndex(of: parcel)! + 1, seen.tries[parcel] == 1)
            }
            switch number {
            case 1 where isFirstTry: return .after(first, .response(collector.acknowledge(request.headers, request.body)))   // told last
            case 3 where isFirstTry:
                _ = collector.acknowledge(request.headers, request.body)   // stored, and the answer is lost
                return .reset
            case 4 where isFirstTry: return .status(503)
            default: return .response(collector.acknowledge(request.headers, request.body))
            }
        }
        let provider = try provider(storage, server.url, folder) { event in
            if case .delivered(let parcel, _) = event {
                fates.withLock { access in
                    access.value.append(parcel)
                    access.broadcast()
                }
            }
        }
        for number in 1...100 { provider.log(.numbered(number)) }
        // Everything but the first parcel's answer.
        let deadline = LogDeadline.seconds(60)
        let before = fates.withLock { access in
            while access.value.count < 9 && access.wait(until: deadline) {}
            return access.value
        }
        #expect(before.count == 9)
        #expect(provider.deliveries.delivered == 90 && provider.deliveries.pending == 10)
        #expect(throws: RemoteLogProviderError.self) { try provider.deliver(by: .milliseconds(20)) }
        first.open()
        try provider.deliver(by: .seconds(60))
        #expect(fates.withLock { $0.value.count } == 10)
        #expect(!before.contains(fates.withLock { $0.value.last! }))
        #expect(collector.received.sorted() == (1...100).map { "event \($0)" }.sorted())
        #expect(provider.deliveries == LogLedger(submitted: 100, delivered: 100))
        #expect(server.connections > 1)
        try provider.shutdown(by: .seconds(30))
        if storage == .folder { #expect(folder.names(in: "spool").filter { !$0.hasSuffix(".lane") } == []) }
    }

    @Test("41-48: faults of every kind at random, with several on their way: each event arrives once and the books agree",
          arguments: Storage.allCases)
    func anyFault(storage: Storage) throws {
        let collector = FakeCollector(), random = LogRandomness.seeded(23), folder = TemporaryFolder()
        let isHealed = Locked(false)
        let server = try LoopbackServer(atHead: { _ in
            !isHealed.withLock { $0 } && random.next() % 20 == 0 ? .reset : nil
        }) { request in
            if isHealed.withLock({ $0 }) { return .response(collector.acknowledge(request.headers, request.body)) }
            switch random.next() % 12 {
            case 0: return .status(503)
            case 1: return .status(429, headers: [HTTPHeader("Retry-After", "0")])
            case 2:
                _ = collector.acknowledge(request.headers, request.body)
                return .reset
            case 3: return .status(200, body: "<html>")
            case 4: return .status(413)
            case 5: return .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort".utf8))
            default: return .response(collector.acknowledge(request.headers, request.body))
            }
        }
        let provider = try provider(storage, server.url, folder)
        for number in 1...500 { provider.log(.numbered(number)) }
        _ = try? provider.deliver(by: .seconds(10))
        isHealed.withLock { $0 = true }
        _ = try? provider.deliver(by: .seconds(60))
        let ledger = provider.deliveries
        #expect(ledger.pending == 0)
        // A single event that was too large for it at the time is the only thing that is not delivered.
        #expect(ledger.delivered + ledger.droppedTotal == 500)
        #expect(Set(collector.received).count == collector.received.count)
        #expect(UInt64(collector.received.count) >= ledger.delivered)
        try provider.shutdown(by: .seconds(30))
        if storage == .folder { #expect(folder.names(in: "spool").filter { !$0.hasSuffix(".lane") } == []) }
    }

    @Test("43: what waits goes to the new destination, also while parcels for the old one are on their way", arguments: Storage.allCases)
    func anotherDestinationMeanwhile(storage: Storage) throws {
        let old = FakeCollector(), new = FakeCollector(), gate = Gate(), folder = TemporaryFolder()
        defer { gate.open() }
        let silent = try LoopbackServer { .after(gate, .response(old.acknowledge($0.headers, $0.body))) }
        let server = try LoopbackServer { .response(new.acknowledge($0.headers, $0.body)) }
        let provider = try provider(storage, silent.url, folder, inFlight: 2)
        for number in 1...50 { provider.log(.numbered(number)) }
        #expect(silent.waitForRequests(2))
        provider.update(to: .collector(url: server.url, token: "hush"))
        gate.open()
        try provider.deliver(by: .seconds(60))
        #expect(old.received.count == 20 && new.received.count == 30)
        #expect(Set(old.received + new.received) == Set((1...50).map { "event \($0)" }))
        #expect(provider.deliveries == LogLedger(submitted: 50, delivered: 50))
        try provider.shutdown(by: .seconds(30))
    }
}
