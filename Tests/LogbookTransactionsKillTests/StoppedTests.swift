#if Collector && canImport(Glibc)
    import Glibc
    import LogbookCore
    import LogbookTestKit
    import Testing

    /// Programs that do not run for a while, as when a machine sleeps or has too much to do.
    @Suite struct StoppedTests {
        @Test("row 6: a client and a collector that are stopped and go on lose nothing, count nothing as lost, and store nothing twice")
        func stoppedAndGoingOn() async throws {
            try await onThread {
                let folder = TemporaryFolder(), port = try FreePorts.take(1)[0], deadline = LogDeadline.seconds(200)
                let store = folder("store.sqlite"), archive = folder("archive.sqlite"), url = "http://127.0.0.1:\(port)/v1/transactions"
                let victim = try ChildProcess.builtProgram("TransactionsVictim"), logbook = try ChildProcess.builtProgram("logbook")
                let collector = try ChildProcess(
                    [logbook, "collect", "--allow-root", "--archive", "sqlite:" + archive, "--port", "\(port)", "--token", "t"],
                    output: folder("listening"), errors: folder("collector-errors"))
                folder.waitForWords(in: "listening", of: collector)
                // It waits a second for an answer: who is stopped for two has seen it come again.
                let client = try ChildProcess([victim, "log", store, url, "1", "1"], output: folder("stored"), errors: folder("errors"))
                func isMoreStored() -> Bool {
                    let size = folder.bytes("stored").count
                    return becomesTrue(by: deadline) { folder.bytes("stored").count >= size + 200 || client.end != nil }
                }
                func entries() throws -> Int { try folder.ask(archive, "SELECT count(*) FROM entries").first.flatMap { Int($0) } ?? 0 }
                for _ in 1...3 {
                    for (process, microseconds) in [(client, UInt32(200_000)), (collector, 2_000_000)] {
                        #expect(isMoreStored())
                        process.signal(SIGSTOP)
                        usleep(microseconds)   // nobody inside learns of it
                        process.signal(SIGCONT)
                    }
                    let before = try entries()
                    #expect(try becomesTrue(by: deadline) { try entries() > before })
                }
                client.signal(SIGKILL)
                client.wait(by: .seconds(30))
                let drained = try ChildProcess.run([victim, "drain", store, url], errors: folder("errors"), by: .seconds(180))
                #expect(drained == .exited(0), "\(folder.text("errors"))\(folder.text("collector-errors"))")
                collector.signal(SIGTERM)
                #expect(collector.wait(by: .seconds(60)) == .exited(0))

                let acknowledged = folder.text("stored").split(separator: "\n").map(String.init)
                let stored = try folder.ask(archive, "SELECT event FROM entries")
                #expect(Set(stored).count == stored.count, "something was stored twice")
                #expect(Set(acknowledged).subtracting(stored).sorted() == [])
                #expect(acknowledged.count > 100)
                #expect(try folder.ask(store, "SELECT count(*) FROM loss; SELECT count(*) FROM txn_log") == ["0", "0"])
                let again = try folder.ask(archive, "SELECT sum(arrivals) - count(*) FROM parcels")
                #expect(Int(again.first ?? "") ?? 0 > 0)   // otherwise nobody was stopped long enough
            }
        }
    }
#endif
