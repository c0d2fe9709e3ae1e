#if Transactions
import CFaultyDatabase
import LogbookCore
import LogbookHTTP
import LogbookTestKit
import Testing

@testable import LogbookTransactions

/// One scenario, run with the fault one call of SQLite's to the disk later each time until nothing of it is left to fail.
@Suite struct StoreFaultTests {
    /// What a receiver has that knows entry ids: each entry once, however often it came.
    private final class Receiver: Sendable {
        private let entries = Locked<[EntryKey: String]>([:])
        var received: [String] { entries.withLock { $0.values.sorted() } }

        func transport() -> ScriptedTransport {
            ScriptedTransport { _, request in
                let set = (try? TransactionSet.decode(request.body, .v0_0_2)) ?? TransactionSet()
                for transaction in set.transactions {
                    for entry in transaction.entries {
                        guard let key = entry.key else { continue }
                        self.entries.withLock { $0[key] = "\(transaction.id) \(entry.event)" }
                    }
                }
                return .status(202, headers: request.headers.filter { $0.name == "Logbook-Parcel" })
            }
        }
    }

    private static func bench(in folder: TemporaryFolder, _ receiver: Receiver) throws -> Bench {
        try Bench(in: folder, url: "http://127.0.0.1:1", token: "t", version: .v0_0_2) {
            $0.transport = receiver.transport()
            $0.clock = .system
            $0.parcelLimits.transactions = 1
            $0.delivery.firstPause = .milliseconds(1)
            $0.delivery.longestPause = .milliseconds(2)
        }
    }

    @Test(
        "rows 2, 7, 8, 10, 11: whichever call to the disk fails, every acknowledged entry arrives once, every other is counted and said, and no file is taken for damaged",
        arguments: [(faulty_database_full, false), (faulty_database_late, false), (faulty_database_error, true), (faulty_database_torn, true)])
    func everyCallFails(fault: faulty_database_fault, lasts: Bool) throws {
        for call in 1... {
            let folder = TemporaryFolder(inMemory: true), receiver = Receiver(), disk = faulty_database_make(folder.store)
            defer { faulty_database_free(disk) }
            var acknowledged: Set<String> = []
            faulty_database_fail(disk, call, fault, lasts ? 1 : 0)
            // The first run makes the store.
            if let first = try? TransactionStore(path: folder.store) {
                if (try? first.append((1...3).map { Self.entry($0, of: "EARLIER") })) != nil {
                    acknowledged.formUnion((1...3).map { "EARLIER \($0)" })
                }
                first.close()
            }
            if let bench = try? Self.bench(in: folder, receiver) {
                for number in 1...5 {
                    let delivered = bench.registration.ledger.delivered
                    bench.service.transaction(continuing: "T\(number / 3)", usecase: 1, device: phone).log(number)
                    if bench.registration.ledger.delivered > delivered { acknowledged.insert("T\(number / 3) \(number)") }
                    if number == 3 { try? bench.provider.deliver(by: .milliseconds(10)) }
                }
                try? bench.provider.shutdown(by: .milliseconds(10))
                let ledger = bench.registration.ledger
                #expect(ledger.submitted == 5 && ledger.pending == 0, "call \(call): \(ledger)")
                let said = bench.errors.all
                #expect(said.count >= Int(ledger.droppedTotal), "call \(call): \(ledger), \(said)")
                #expect(!said.contains { if case .recovered = $0 { true } else { false } }, "call \(call): \(said)")
            }
            let faults = faulty_database_faults(disk)
            faulty_database_fail(disk, 0, fault, 0)
            let last = try Self.bench(in: folder, receiver)
            try last.provider.deliver(by: .seconds(60))
            last.close()
            let received = receiver.received
            #expect(acknowledged.subtracting(received).sorted() == [], "call \(call)")
            #expect(Set(received).count == received.count, "call \(call): an entry has two ids")
            #expect(last.sqlite3("PRAGMA integrity_check; SELECT count(*) FROM txn_log") == "ok\n0", "call \(call)")
            #expect(folder.allNames.filter { $0.contains("corrupt") } == [], "call \(call)")
            if faults == 0 {
                print("a store: \(call - 1) calls to the disk, each failed once with \(fault.rawValue)\(lasts ? " and all after it" : "")")
                #expect(call > 30, "the scenario is too small to mean anything")
                break
            }
        }
    }

    private static func entry(_ number: Int, of id: String) -> LogEvent {
        LogEvent(
            sequence: UInt64(number), time: t0, level: .info, message: "",
            transaction: TransactionEntry(transactionID: id, usecase: 1, kind: .happened(number), device: phone))
    }
}
#endif
