#if Collector && canImport(Glibc)
    import Glibc
    import LogbookCore
    import LogbookTestKit
    import Testing

    /// A program's store, and a collector's archive, on a disk whose power fails.
    @Suite(.serialized, .enabled(if: LoopDisk.isPossible, "needs a small file system of its own")) struct PowerLossTests {
        private static let rounds = 40

        @Test("row 4: 40 losses of power take no entry out of a store that has acknowledged it")
        func store() async throws {
            try await onThread {
                let disk = try LoopDisk(), folder = TemporaryFolder(), random = LogRandomness.seeded(4)
                let store = disk.path + "/store.sqlite", victim = try ChildProcess.builtProgram("TransactionsVictim")
                let nobody = "http://127.0.0.1:\(try FreePorts.take(1)[0])/v1/transactions"
                var acknowledged: Set<String> = []
                for number in 1...Self.rounds {
                    let client = try ChildProcess(
                        [victim, "log", store, nobody, "\(number)"], output: folder("stored-\(number)"), errors: folder("errors"))
                    folder.waitForWords(in: "stored-\(number)", of: client)
                    try disk.losePower(under: client, random)
                    acknowledged.formUnion(folder.text("stored-\(number)").split(separator: "\n").map { "TXN1-\(number) \($0)" })
                }
                let rows = try folder.ask(store, "SELECT guid || ' ' || usecase_event FROM txn_log JOIN txn ON txn.id = txn_id")
                print("a store: \(Self.rounds) losses of power: \(acknowledged.count) entries acknowledged, \(rows.count) found")
                #expect(acknowledged.count > 80)
                #expect(Set(rows).count == rows.count, "something is stored twice")
                #expect(acknowledged.subtracting(rows).sorted() == [])
                #expect(try folder.ask(store, "PRAGMA integrity_check") == ["ok"])
                #expect(disk.names.filter { $0.contains("corrupt") } == [])
            }
        }

        @Test("rows 4, 54: 40 losses of a collector's power take no entry out of an archive that a client has deleted, and double none")
        func archive() async throws {
            try await onThread {
                let disk = try LoopDisk(megabytes: 512), folder = TemporaryFolder(), random = LogRandomness.seeded(54)
                let port = try FreePorts.take(1)[0]
                let store = folder("store.sqlite"), archive = disk.path + "/archive.sqlite"
                let url = "http://127.0.0.1:\(port)/v1/transactions"
                let victim = try ChildProcess.builtProgram("TransactionsVictim"), logbook = try ChildProcess.builtProgram("logbook")
                func startCollector() throws -> ChildProcess {
                    let collector = try ChildProcess(
                        [logbook, "collect", "--allow-root", "--archive", "sqlite:" + archive, "--port", "\(port)", "--token", "t"],
                        output: folder("listening"), errors: folder("collector-errors"))
                    folder.waitForWords(in: "listening", of: collector)
                    return collector
                }
                let client = try ChildProcess([victim, "log", store, url, "1"], output: folder("stored"), errors: folder("errors"))
                for _ in 1...Self.rounds { try disk.losePower(under: startCollector(), random) }
                client.signal(SIGKILL)
                client.wait(by: .seconds(30))
                let collector = try startCollector()
                let drained = try ChildProcess.run([victim, "drain", store, url], errors: folder("errors"), by: .seconds(180))
                #expect(drained == .exited(0), "\(folder.text("errors"))\(folder.text("collector-errors"))")
                collector.signal(SIGTERM)
                #expect(collector.wait(by: .seconds(60)) == .exited(0))

                #expect(try folder.ask(archive, "PRAGMA integrity_check") == ["ok"])
                #expect(try folder.ask(store, "SELECT count(*) FROM txn_log") == ["0"])
                let stored = try folder.ask(archive, "SELECT event FROM entries")
                let acknowledged = folder.text("stored").split(separator: "\n").map(String.init)
                print("an archive: \(Self.rounds) losses of power: \(acknowledged.count) entries acknowledged, \(stored.count) stored")
                #expect(acknowledged.count > 200)
                #expect(Set(stored).count == stored.count, "something was stored twice")
                #expect(Set(acknowledged).subtracting(stored).sorted() == [])
            }
        }
    }
#endif
