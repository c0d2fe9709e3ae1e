#if Collector && canImport(Glibc)
    import Glibc
    import LogbookCore
    import LogbookTestKit
    import Testing

    /// Programs that were given the same store, as servers are that run in several processes.
    @Suite struct SharedStoreTests {
        @Test("Row 24: 2, 4 and 8 processes on one store, all killed, lose nothing and store nothing twice")
        func killedTogether() async throws {
            for count in [2, 4, 8] { try await onThread { try Self.run(count) } }
        }

        private static func run(_ count: Int) throws {
            let folder = TemporaryFolder(), deadline = LogDeadline.seconds(120)
            let store = folder.path + "/store.sqlite", archive = folder.path + "/archive.sqlite"
            let victim = try ChildProcess.builtProgram("TransactionsVictim")
            func waitFor(_ name: String, lines: Int) -> Bool {
                while !deadline.hasPassed {
                    if folder.bytes(name).count(where: { $0 == 0x0A }) >= lines { return true }
                    usleep(2000)
                }
                return false
            }
            let collector = try ChildProcess(
                [
                    try ChildProcess.builtProgram("logbook"), "collect", "--allow-root", "--archive", "sqlite:" + archive, "--port", "0",
                    "--token", "t",
                ],
                output: folder.path + "/listening", errors: folder.path + "/collector-errors")
            try #require(waitFor("listening", lines: 1), "\(folder.text("collector-errors"))")
            let address = folder.text("listening").split(separator: "\n")[0].split(separator: " ").last ?? ""
            let url = "\(address)/v1/transactions"

            let programs = try (1...count).map { number in
                try ChildProcess(
                    [victim, "log", store, url, "\(number)"], output: folder.path + "/stored-\(number)",
                    errors: folder.path + "/errors-\(number)")
            }
            for number in 1...count {
                try #require(waitFor("stored-\(number)", lines: 10), "\(folder.text("errors-\(number)"))")
            }
            #expect(folder.allNames.count { $0.hasPrefix("store.sqlite.lane-") && !$0.contains("-wal") && !$0.contains("-shm") && !$0.hasSuffix(".lock") } == count - 1)
            for program in programs {
                program.signal(SIGKILL)
                program.wait(by: .seconds(30))
            }
            let drained = try ChildProcess.run(
                [victim, "drain", store, url], errors: folder.path + "/drain-errors", by: .seconds(120))
            #expect(drained == .exited(0), "\(folder.text("drain-errors"))")
            collector.signal(SIGTERM)
            #expect(collector.wait(by: .seconds(60)) == .exited(0))

            for lane in 0..<count {
                let path = lane == 0 ? store : "\(store).lane-\(lane)"
                #expect(try folder.ask(path, "PRAGMA integrity_check; SELECT count(*) FROM txn_log") == ["ok", "0"])
            }
            let stored = try folder.ask(
                archive, "SELECT guid || ' ' || event FROM entries JOIN transactions ON transactions.id = transaction_id")
            #expect(Set(stored).count == stored.count, "something was stored twice")
            var acknowledged: Set<String> = []
            for number in 1...count {
                for word in folder.text("stored-\(number)").split(separator: "\n") {
                    acknowledged.insert("TXN1-\(number) \(word)")
                }
            }
            #expect(acknowledged.count >= 10 * count)
            let missing = acknowledged.subtracting(stored)
            #expect(missing.isEmpty, "\(missing.count) are missing, such as \(missing.sorted().prefix(5))")
        }
    }
#endif
