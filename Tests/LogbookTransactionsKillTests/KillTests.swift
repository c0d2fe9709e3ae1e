#if Collector && canImport(Glibc)
    import Glibc
    import LogbookCore
    import LogbookTestKit
    import Testing

    /// A program that stores and sends transactions, and a collector, both killed at random moments.
    @Suite struct KillTests {
        private static let rounds = 320

        private struct Totals: CustomStringConvertible {
            var clientsKilled = 0, collectorsKilled = 0, acknowledged = 0, stored = 0, duplicates = 0

            var description: String {
                "\(clientsKilled) clients and \(collectorsKilled) collectors killed; \(acknowledged) entries acknowledged, "
                    + "\(stored) stored, \(duplicates) parcels came again"
            }
        }

        @Test("C26, R6, row 54: 320 rounds of killing client and collector lose nothing, store nothing twice, and saw some twice")
        func bothAreKilled() async throws {
            let totals = try await onThread { try Self.run() }
            print("kills: \(totals)")
            #expect(totals.clientsKilled + totals.collectorsKilled >= 300)
            #expect(totals.clientsKilled > 60 && totals.collectorsKilled > 60)
            #expect(totals.acknowledged > 1000)
            #expect(totals.duplicates > 0)   // otherwise no kill came between storing and answering
        }

        private static func run() throws -> Totals {
            let folder = TemporaryFolder(), random = LogRandomness.seeded(54), port = try FreePorts.take(1)[0]
            let store = folder.path + "/store.sqlite", archive = folder.path + "/archive.sqlite"
            let url = "http://127.0.0.1:\(port)/v1/transactions"
            let deadline = LogDeadline.seconds(800)
            let victim = try ChildProcess.builtProgram("TransactionsVictim"), logbook = try ChildProcess.builtProgram("logbook")
            var totals = Totals(), number = 0
            var client: ChildProcess?, collector: ChildProcess?

            func start() throws {
                if collector == nil {
                    collector = try ChildProcess(
                        [logbook, "collect", "--allow-root", "--archive", "sqlite:" + archive, "--port", "\(port)", "--token", "t"],
                        output: folder.path + "/listening", errors: folder.path + "/collector-errors")
                    folder.waitForWords(in: "listening", of: collector, by: deadline)
                }
                if client == nil {
                    number += 1
                    client = try ChildProcess(
                        [victim, "log", store, url, "\(number)"], output: folder.path + "/stored-\(number)",
                        errors: folder.path + "/client-errors")
                    folder.waitForWords(in: "stored-\(number)", of: client, by: deadline)
                }
            }
            func end(_ process: inout ChildProcess?) {
                process?.signal(SIGKILL)
                process?.wait(by: .seconds(30))
                process = nil
            }

            for round in 0..<rounds where !deadline.hasPassed {
                try start()
                usleep(UInt32(random.next() % 25_000))
                if round % 3 != 1 {
                    end(&client)
                    totals.clientsKilled += 1
                }
                if round % 3 != 0 {
                    end(&collector)
                    totals.collectorsKilled += 1
                }
            }
            end(&client)
            if collector == nil { try start() }
            end(&client)
            let drained = try ChildProcess.run(
                [victim, "drain", store, url], errors: folder.path + "/drain-errors", by: .seconds(180))
            #expect(drained == .exited(0), "\(folder.text("drain-errors"))\(folder.text("collector-errors"))")
            collector?.signal(SIGTERM)
            #expect(collector?.wait(by: .seconds(60)) == .exited(0))

            #expect(try folder.ask(archive, "PRAGMA integrity_check") == ["ok"])
            #expect(try folder.ask(store, "PRAGMA integrity_check; SELECT count(*) FROM txn_log") == ["ok", "0"])
            let stored = try folder.ask(
                archive, "SELECT guid || ' ' || event FROM entries JOIN transactions ON transactions.id = transaction_id"
            )
            #expect(Set(stored).count == stored.count, "something was stored twice")
            var acknowledged: Set<String> = []
            for number in 1...number {
                for word in folder.text("stored-\(number)").split(separator: "\n") {
                    acknowledged.insert("TXN1-\(number) \(word)")
                }
            }
            let missing = acknowledged.subtracting(stored)
            #expect(missing.isEmpty, "\(missing.count) are missing, such as \(missing.sorted().prefix(5))")
            totals.acknowledged = acknowledged.count
            totals.stored = stored.count
            totals.duplicates = Int(try folder.ask(archive, "SELECT sum(arrivals) - count(*) FROM parcels").first ?? "0") ?? 0
            return totals
        }
    }
#endif
