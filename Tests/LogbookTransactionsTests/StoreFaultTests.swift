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

        func take(_ request: HTTPRequest) -> ScriptedTransport.Step {
            let set = (try? TransactionSet.decode(request.body, .v0_0_2)) ?? TransactionSet()
            for transaction in set.transactions {
                for entry in transaction.entries {
                    guard let key = entry.key else { continue }
                    entries.withLock { $0[key] = "\(transaction.id) \(entry.event)" }
                }
            }
            return .status(202, headers: request.headers.filter { $0.name == "Logbook-Parcel" })
        }
    }

    private static let address = "http://127.0.0.1:1", nextAddress = "http://127.0.0.1:2"

    /// - Parameter next: Who is at ``nextAddress``.
    private static func bench(
        in folder: TemporaryFolder, _ receiver: Receiver, next: Receiver = Receiver(), url: String = address, clock: LogClock? = nil
    ) throws -> Bench {
        try Bench(in: folder, url: url, token: "t", version: .v0_0_2) {
            $0.transport = ScriptedTransport { _, request in (request.url.hasPrefix(nextAddress) ? next : receiver).take(request) }
            if let clock { $0.clock = clock }
            $0.parcelLimits.transactions = 1
            $0.delivery.firstPause = .milliseconds(1)
            $0.delivery.longestPause = .milliseconds(2)
        }
    }

    @Test(
        "rows 2, 7, 8, 10, 11: whichever call to the disk fails, every acknowledged entry arrives once, every other is counted and said, and no file is taken for damaged",
        arguments: [
            (faulty_database_full, false), (faulty_database_late, false), (faulty_database_error, true), (faulty_database_torn, true),
        ])
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
            if let bench = try? Self.bench(in: folder, receiver, clock: .system) {
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
            let last = try Self.bench(in: folder, receiver, clock: .system)
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

    @Test(
        "C28: whichever call to the disk fails at a logout, nothing from before it reaches the next user's address, and all that is said later does",
        arguments: [(faulty_database_full, false), (faulty_database_late, false), (faulty_database_error, true)], [false, true])
    func logoutFails(_ fault: (faulty_database_fault, lasts: Bool), startsAnew: Bool) throws {
        var failures = 0
        for call in 1... {
            let folder = TemporaryFolder(inMemory: true), former = Receiver(), next = Receiver(), disk = faulty_database_make(folder.store)
            defer { faulty_database_free(disk) }
            var bench = try Self.bench(in: folder, former, next: next)
            bench.provider.setStore(url: nil, token: nil)
            let old = bench.service.transaction(usecase: 1)
            for number in 1...3 { old.log(number) }
            faulty_database_fail(disk, call, fault.0, fault.lasts ? 1 : 0)
            do { try bench.provider.deleteAll() } catch { failures += 1 }
            let faults = faulty_database_faults(disk)
            if startsAnew {
                bench.close()
                faulty_database_fail(disk, 0, fault.0, 0)
                bench = try Self.bench(in: folder, former, next: next, url: Self.nextAddress)
            } else {
                faulty_database_fail(disk, 0, fault.0, 0)
                bench.provider.setStore(url: Self.nextAddress, token: "t")
            }
            bench.clock.advance(by: .seconds(1))
            old.log(4)   // the object is the former user's
            let new = bench.service.transaction(continuing: "NEW", usecase: 1, device: phone)
            for number in 1...2 { new.log(number) }
            try bench.deliver()
            #expect(next.received == ["NEW 1", "NEW 2"], "call \(call)")
            bench.close()
            #expect(former.received == [], "call \(call)")
            if faults == 0 {
                #expect(failures > 3 && call > 5, "the scenario is too small to mean anything")
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
