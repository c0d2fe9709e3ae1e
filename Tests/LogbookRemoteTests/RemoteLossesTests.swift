import LogbookCore
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookRemote

/// What a kill would take of a remote provider's events, where losses are recorded.
@Suite struct RemoteLossesTests {
    private let page = PageInMemory(), service = LogService(), collector = FakeCollector()

    private func provider(
        _ transport: any HTTPTransport, queue: RemoteQueuePolicy = RemoteQueuePolicy(parcelEvents: 10)
    ) -> RemoteLogProvider {
        RemoteLogProvider(
            to: CollectorDestination(url: "http://127.0.0.1:1", token: "hush"), origin: LogOrigin(installation: "I", epoch: 7),
            queue: queue, transport: transport)
    }

    private func say(_ count: Int) { for number in 0..<count { service.info("event \(number)") } }

    @Test("what is in a parcel may have arrived, what is not has not")
    func inMemory() throws {
        let transport = ScriptedTransport { number, _ in number == 1 ? .hold : .status(503) }, provider = provider(transport)
        service.register(provider, name: "remote")
        service.recordLosses(on: page.page)
        #expect(page.losses() == [])
        say(10)
        #expect(transport.waitForRequests(1))
        say(3)
        #expect(page.losses()?.map(\.count) == [3...13] && page.losses()?.map(\.sequences) == [1...13])
        // What nobody has when it is shut down is lost with the process.
        transport.release(with: HTTPResponse(status: 503, headers: []))
        try? provider.shutdown(by: .milliseconds(50))
        #expect(provider.ledger?.pending == 13 && page.losses()?.map(\.count.upperBound) == [13])
        #expect(provider.handOver { _ in true } > 0)
        #expect(page.losses()?.first?.count.upperBound == provider.ledger?.pending)
    }

    @Test func whatTheReceiverHasIsNotInHand() throws {
        let provider = provider(collector.willing(), queue: RemoteQueuePolicy(parcelAge: .seconds(3600)))
        service.register(provider, delivery: .queued(), name: "remote")
        service.recordLosses(on: page.page)
        say(4)
        #expect(becomesTrue { provider.ledger?.submitted == 4 && page.losses()?.map(\.count) == [4...4] })
        #expect(service.flush(by: .seconds(30)).isComplete)
        #expect(provider.ledger == LogLedger(submitted: 4, delivered: 4) && page.losses() == [])
    }

    @Test func aFolderKeepsItAll() throws {
        let folder = TemporaryFolder(), transport = ScriptedTransport(.hold)
        let provider = try RemoteLogProvider(
            to: CollectorDestination(url: "http://127.0.0.1:1", token: "hush"), spool: folder("spool"),
            origin: LogOrigin(installation: "I", epoch: 7), transport: transport)
        service.register(provider, name: "remote")
        service.recordLosses(on: page.page)
        say(20)
        #expect(provider.deliveries.pending == 20 && page.losses() == [])
        try? provider.shutdown(by: .now)
    }
}
