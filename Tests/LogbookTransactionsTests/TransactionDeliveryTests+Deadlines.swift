#if Transactions
import LogbookCore
import LogbookDelivery
import LogbookTestKit
import Testing

@testable import LogbookTransactions

/// A delivery comes back at its deadline, whoever is at work on the store.
extension TransactionDeliveryTests {
    /// Delivers on a thread of its own.
    /// - Returns: Hears what that throws.
    private func deliver(_ bench: Bench, within milliseconds: Int) -> Heard<CourierError> {
        let failures = Heard<CourierError>(), provider = bench.provider
        LogThread.start("delivering") {
            do { try provider.deliver(by: .milliseconds(milliseconds)) } catch {
                if let failure = error as? CourierError { failures.append(failure) }
            }
        }
        return failures
    }

    @Test("Row 21: a delivery comes back at its deadline while another thread waits for a store that another program keeps locked")
    func behindAThreadThatWaits() throws {
        let bench = try Bench(url: "http://127.0.0.1:9", token: "t") { $0.busyTimeout = .seconds(600) }
        let isStored = Heard<Bool>(), service = bench.service
        bench.service.transaction(usecase: 1).log(1)
        #expect(bench.provider.deliveryStatus.pending == 1)
        try bench.whileLocked {
            LogThread.start("storing") {
                service.transaction(usecase: 2).log(2)
                isStored.append(true)
            }
            #expect(becomesTrue { (try? bench.provider.store.pendingCount(by: .now)) == nil })
            let failures = deliver(bench, within: 20)
            let reason = "another thread or another program is at work on the store"
            #expect(failures.wait(for: 1) == [.deadlinePassed(pending: 1, reason: reason)])   // and the store is locked still
            #expect(isStored.all.isEmpty)
        }
        #expect(isStored.wait(for: 1) == [true])
        #expect(bench.errors.all.isEmpty)
        bench.close()
    }

    @Test("Row 21: a delivery comes back at its deadline while the courier waits for a store that another program keeps locked")
    func behindTheCourier() throws {
        let server = try LoopbackServer { _ in .status(202) }
        let bench = try Bench(url: server.url, token: "t") { $0.busyTimeout = .seconds(600) }
        let transaction = bench.service.transaction(usecase: 1)
        transaction.log(1)
        try bench.whileLocked {
            for _ in 0..<2 {   // the second time the courier waits already
                let failures = deliver(bench, within: 100).wait(for: 1)
                guard case .deadlinePassed(1, _)? = failures.first else {
                    Issue.record("it came to \(failures)")
                    return
                }
            }
            #expect(server.requests.isEmpty)
        }
        try bench.deliver()
        #expect(try server.requests.map(usecaseEvents) == [[transaction.id: [1]]])
    }
}
#endif
