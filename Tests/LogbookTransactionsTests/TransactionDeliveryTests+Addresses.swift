#if Transactions
import LogbookCore
import LogbookDelivery
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookTransactions

// Who waits for a delivery when the address is taken away. No interval wakes the courier.
extension TransactionDeliveryTests {
    /// What becomes of a delivery that somebody else waits for.
    private func delivery(_ bench: Bench) -> Heard<String> {
        let outcome = Heard<String>()
        LogThread.start("waiter") {
            let result = Result { try bench.provider.deliver(by: .seconds(300)) }
            switch result {
            case .success: outcome.append("delivered")
            case .failure(let error): outcome.append("\(error)")
            }
        }
        return outcome
    }

    /// Somebody waits for a delivery; its request is on its way when the address is taken away, and is answered then.
    private func addressTakenAway(answer status: Int) throws -> (bench: Bench, server: LoopbackServer, outcome: Heard<String>) {
        let gate = Gate()
        let server = try LoopbackServer { _ in .after(gate, .status(status)) }
        let bench = try Bench(url: server.url, token: "t")
        bench.service.transaction(usecase: 1).log(1)
        let outcome = delivery(bench)
        #expect(server.waitForRequests(1))
        bench.provider.setStore(url: nil, token: nil)
        gate.open()
        return (bench, server, outcome)
    }

    private static var noStoreURL: String { "\(TransactionDeliveryError.noStoreURL)" }

    @Test("C22, C28: who waits for a delivery hears at once that no address is set any more, and the next address is sent to at once")
    func theAddressIsTakenAwayDuringAPause() throws {
        let busy = try LoopbackServer { _ in .status(503, headers: [HTTPHeader("Retry-After", "3600")]) }
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: busy.url, token: "t")
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1)
        let outcome = delivery(bench)
        #expect(bench.events.wait(for: 1) == [.serverBusy(until: t0.adding(.seconds(3600)))])
        bench.provider.setStore(url: nil, token: nil)   // the clock stands, so the pause does not end
        #expect(outcome.wait(for: 1) == [Self.noStoreURL])
        #expect(try bench.provider.counts().pending == 1)

        bench.provider.setStore(url: server.url, token: "t")
        #expect(bench.events.wait(for: 2).last == .delivered(transactions: 1, entries: 1))
        #expect(try server.requests.map(usecaseEvents) == [[transaction.id: [1]]])
        #expect(busy.requests.count == 1)
    }

    @Test("C22, C28: with a request on its way they hear it when that has failed, and not after the pause that follows")
    func theAddressIsTakenAwayDuringARequest() throws {
        let (bench, server, outcome) = try addressTakenAway(answer: 503)
        #expect(outcome.wait(for: 1) == [Self.noStoreURL])
        #expect(bench.events.wait(for: 1) == [.serverBusy(until: nil)])
        #expect(server.requests.count == 1)
        #expect(try bench.provider.counts().pending == 1)
    }

    @Test("C28: what was on its way when the address was taken away, and arrives, is delivered for those who wait for it")
    func theAddressIsTakenAwayAndTheRequestArrives() throws {
        let (bench, server, outcome) = try addressTakenAway(answer: 202)
        #expect(outcome.wait(for: 1) == ["delivered"])
        #expect(server.requests.count == 1)
        #expect(try bench.provider.counts() == TransactionStoreCounts())
    }
}
#endif
