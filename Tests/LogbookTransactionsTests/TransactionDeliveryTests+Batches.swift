#if Transactions
import GRDB
import LogbookCore
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookTransactions

// More than one request carries.
extension TransactionDeliveryTests {
    private static let count = 10_000

    /// One entry of a transaction of its own. Those of the second half are so long that the bytes fill a request, and not the transactions.
    private func event(_ number: Int) -> LogEvent {
        let text = number < Self.count / 2 ? nil : String(repeating: "x", count: 500)
        return LogEvent(
            sequence: UInt64(number), time: t0, level: .info, message: "",
            transaction: TransactionEntry(
                transactionID: "TXN1-\(number)", usecase: 1, kind: .happened(number), errorDescription: text, device: phone))
    }

    @Test("C30: 10,000 transactions go in requests that keep to both limits, and what is acknowledged of them is deleted, and nothing else")
    func manyTransactions() throws {
        let limits = ParcelLimits(transactions: 300, bytes: 150_000), taken = 10
        let isDown = Locked(true), numbers = Locked(0)
        let server = try LoopbackServer { _ in
            let number = numbers.withLock { number in
                number += 1
                return number
            }
            return .status(number > taken && isDown.withLock { $0 } ? 500 : 202)
        }
        let bench = try Bench(in: TemporaryFolder(inMemory: true), url: server.url) { $0.parcelLimits = limits }
        for first in stride(from: 0, to: Self.count, by: 500) {
            try bench.provider.write((first..<first + 500).map(event))
        }
        #expect(try bench.provider.counts().pending == Self.count)

        // The server takes ten and fails with the next.
        bench.provider.token = "t"
        let events = bench.events.wait(for: taken + 1)
        #expect(events.count == taken + 1 && events.last == .failed(reason: "HTTP status 500"))
        let arrived = Set(try server.requests.prefix(taken).flatMap { try usecaseEvents($0).keys })
        let stored = try bench.provider.store.transaction { try String.fetchAll($0, sql: "SELECT guid FROM txn") }
        #expect(arrived.count + stored.count == Self.count)
        #expect(arrived.isDisjoint(with: stored))
        #expect(try bench.provider.counts().entries == stored.count)

        isDown.withLock { $0 = false }
        bench.clock.advance(by: .seconds(10))
        try bench.provider.deliver(by: .seconds(120))
        #expect(try bench.provider.counts() == TransactionStoreCounts())

        // What was refused came again as it was; every entry was acknowledged once.
        var requests = server.requests
        #expect(requests[taken].body == requests[taken + 1].body)
        requests.remove(at: taken)
        let sets = try requests.map { try TransactionSet.decode($0.body) }
        #expect(sets.flatMap { $0.transactions.flatMap { $0.entries.map(\.event) } } == Array(0..<Self.count))
        #expect(requests.allSatisfy { $0.body.count <= limits.bytes } && sets.allSatisfy { $0.transactions.count <= limits.transactions })
        // Each of the limits was reached.
        #expect(sets.contains { $0.transactions.count == limits.transactions })
        #expect(zip(requests, sets).contains { $0.body.count > limits.bytes - 2000 && $1.transactions.count < limits.transactions })
    }
}
#endif
