#if Collector && canImport(Glibc)
    import Foundation
    import Glibc
    import GRDB
    import LogbookCore
    import LogbookTestKit
    import LogbookTransactions
    import Testing

    extension ToolTests {
        @Suite struct StoreCommandTests {
            private let folder = TemporaryFolder()

            private func provider() throws -> (TransactionLogProvider, LogService) {
                var configuration = TransactionLogConfiguration(storePath: folder("store.sqlite"))
                configuration.delivery.interval = nil
                configuration.user = "joe"
                let provider = try TransactionLogProvider(configuration: configuration)
                let service = LogService()
                service.register(provider)
                return (provider, service)
            }

            @Test func aStoreInUseIsVerifiedAndDumped() throws {
                let (provider, service) = try provider()
                let first = service.transaction(usecase: 1), second = service.transaction(usecase: 2)
                first.log(0)
                first.log(1, error: 42, "Baad!")
                second.log(0)

                let verified = try Tool.run(["store", "verify", "store.sqlite"], in: folder)
                #expect(verified.status == 0, "\(verified.errors)")
                let key = try #require(try provider.allTransactions()[0].entries[0].key)
                #expect(verified.output.hasPrefix("schema version 3, installation \(key.installation), epoch \(key.epoch)\n"))
                #expect(verified.output.hasSuffix(
                    "\n2 transactions, 3 entries: 3 wait, 0 are set aside; 0 were given up\nthe store is well\n"))

                let dumped = try Tool.run(["store", "dump", "store.sqlite"], in: folder)
                #expect(dumped.status == 0, "\(dumped.errors)")
                let lines = dumped.output.split(separator: "\n")
                #expect(lines.count == 2)
                let set = try TransactionSet.decode(Array("{\"apptxns\":[\(lines.joined(separator: ","))]}".utf8), .v0_0_2)
                #expect(try set.transactions == provider.allTransactions())

                let inUse = try Tool.run(["store", "repair", "store.sqlite"], in: folder)
                #expect(inUse.status == 75)
                #expect(inUse.errors.contains("in use"))
                try provider.shutdown(by: .seconds(30))
            }

            @Test func whatCannotBeWrittenIsNoSuccess() throws {
                let (provider, service) = try provider()
                for usecase in 0..<3 { service.transaction(usecase: usecase).log(0, error: 1, String(repeating: "x", count: 300)) }
                try provider.shutdown(by: .seconds(30))
                for (command, what) in [("dump", "the lines"), ("verify", "the answer"), ("repair", "the answer")] {
                    let full = try Tool.runOntoAFullDisk(["store", command, "store.sqlite"], in: folder)
                    #expect(full.status == 74)
                    #expect(full.errors == "logbook store \(command): \(what) cannot be written: No space left on device (errno 28)\n")
                }
                #expect(FileManager.default.fileExists(atPath: folder("store.sqlite.repaired")))
                // Whoever has read enough is another matter.
                let pipe = Pipe()
                try pipe.fileHandleForReading.close()
                let gone = try ChildProcess(
                    [Tool.path(), "store", "dump", "store.sqlite"], in: folder.path,
                    outputDescriptor: pipe.fileHandleForWriting.fileDescriptor, errors: folder("err"))
                #expect(gone.wait() == .exited(0))
                #expect(folder.text("err") == "")
            }

            @Test func aDamagedStoreIsRepairedIntoANewFile() throws {
                let (provider, service) = try provider()
                for usecase in 0..<200 {
                    let transaction = service.transaction(usecase: usecase)
                    transaction.log(0, error: 1, String(repeating: "x", count: 300))
                }
                try provider.shutdown(by: .seconds(30))
                let path = folder("store.sqlite")
                let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
                try handle.seek(toOffset: 4096 * 14)
                try handle.write(contentsOf: Data(repeating: 0xA5, count: 3 * 4096))
                try handle.close()
                let before = try Data(contentsOf: URL(fileURLWithPath: path))

                let verified = try Tool.run(["store", "verify", "store.sqlite"], in: folder)
                #expect(verified.status == 65)
                #expect(verified.errors.contains("damaged"))
                for command in ["verify", "repair"] {
                    let untold = try Tool.runOntoAFullDisk(["store", command, "store.sqlite"], in: folder)
                    #expect(untold.status == 65 && untold.errors.contains("damaged"))   // that is worse than an answer nobody has
                }
                let repaired = try Tool.run(["store", "repair", "store.sqlite", "--to", "new.sqlite"], in: folder)
                #expect(repaired.status == 65, "\(repaired.errors)")
                #expect(repaired.output.hasSuffix("transactions are in new.sqlite\n"))
                #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
                let again = try Tool.run(["store", "verify", "new.sqlite"], in: folder)
                #expect(again.status == 0, "\(again.errors)")
                let dumped = try Tool.run(["store", "dump", "new.sqlite"], in: folder)
                #expect(dumped.output.split(separator: "\n").count > 100)
                let taken = try Tool.run(["store", "repair", "store.sqlite", "--to", "new.sqlite"], in: folder)
                #expect(taken.status == 66)
                let nowhere = try Tool.run(["store", "repair", "store.sqlite", "--to", "missing/new.sqlite"], in: folder)
                #expect(nowhere.status == 74 && nowhere.errors.hasPrefix("logbook store repair: cannot write missing/new.sqlite: "))
            }

            @Test func whatIsNoStoreIsSaid() throws {
                try DatabaseQueue(path: folder("bookmarks.sqlite")).write { try $0.execute(sql: "CREATE TABLE bookmarks (url)") }
                try Data("no database, but long enough to be looked at".utf8).write(to: URL(fileURLWithPath: folder("text")))
                for (path, status) in [("missing", Int32(66)), ("bookmarks.sqlite", 66), ("text", 65)] {
                    for command in ["verify", "dump"] {
                        let outcome = try Tool.run(["store", command, path], in: folder)
                        #expect(outcome.status == status, "\(command) \(path): \(outcome.errors)")
                        #expect(outcome.errors.contains(path))
                    }
                }
            }
        }
    }
#endif
