#if Collector
    internal import ArgumentParser
    internal import LogbookCore
    internal import LogbookTransactions

    struct StoreCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "store", abstract: "Looks at a program's store of application transactions, and saves what can be read of it.",
            subcommands: [Verify.self, Dump.self, Repair.self])

        struct Verify: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "verify", abstract: "Says whether a store is well, and what is in it.",
                discussion: """
                    Reads everything and changes nothing, also while a program uses the store. Exits with 0 when it is well, with 65 \
                    when it is damaged, with 66 when there is no store, with 74 when reading fails, or the answer cannot be written, and \
                    with 75 when somebody keeps it locked.
                    """)

            @Argument(help: "The store's file.")
            var path: String

            func run() throws {
                try StoreCommand.telling("verify") {
                    let found = try StoreMaintenance.verify(path)
                    let counts = found.counts
                    for fault in found.faults { Terminal.say("logbook store verify: \(fault)\n") }
                    let ending = Terminal.print(
                        "schema version \(found.schemaVersion), installation \(found.installation), epoch \(found.epoch)\n"
                            + "\(counts.transactions) transactions, \(counts.entries) entries: \(counts.pending) wait, "
                            + "\(counts.setAside) are set aside; \(counts.dropped) were given up\n"
                            + (found.faults.isEmpty ? "the store is well\n" : ""))
                    if !found.faults.isEmpty {
                        throw TransactionStoreError.damaged(path: path, reason: "\(found.faults.count) faults")
                    }
                    try Terminal.seeEnd(ending, of: "store verify", as: "the answer")
                }
            }
        }

        struct Dump: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "dump", abstract: "Prints the transactions of a store, one line of JSON each.",
                discussion: """
                    In the words of the wire's version 0.0.2. Changes nothing, also while a program uses the store. Exits with 0, also \
                    when nobody reads any more; with 65 when it is damaged, with 66 when there is no store, with 74 when the lines \
                    cannot be written, such as to a full disk, and with 75 when somebody keeps the store locked.
                    """)

            @Argument(help: "The store's file.")
            var path: String

            func run() throws {
                var ending = Terminal.Ending.written
                try StoreCommand.telling("dump") {
                    try StoreMaintenance.dump(path) { line in
                        ending = Terminal.write(line, to: 1)
                        if case .written = ending { return true }
                        return false
                    }
                }
                try Terminal.seeEnd(ending, of: "store dump", as: "the lines")
            }
        }

        struct Repair: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "repair", abstract: "Saves what can be read of a damaged store to a new file.",
                discussion: """
                    The old file is kept as it is. No program may have it open. Exits with 0 when everything could be read, with 65 \
                    when something could not, with 66 when there is no store, or the new file is there already, with 74 when it cannot \
                    be written, or the answer cannot, and with 75 when a program has the old one open.
                    """)

            @Argument(help: "The store's file.")
            var path: String

            @Option(help: ArgumentHelp("Where to; <path>.repaired by default. Nothing may be there.", valueName: "path"))
            var to: String?

            func run() throws {
                try StoreCommand.telling("repair") {
                    let target = to ?? path + ".repaired"
                    let saved: TransactionStoreRecovery
                    do throws(TransactionStoreError) { saved = try StoreMaintenance.repair(path, to: target) } catch {
                        // What is made on the way has names that begin so.
                        guard case .cannotOpen(let place, let reason) = error, place.hasPrefix(target),
                            (try? SystemFileSystem().status(at: target)) == nil
                        else { throw error }
                        Terminal.say("logbook store repair: cannot write \(target): \(reason)\n")
                        throw ExitCode(74)
                    }
                    let ending = Terminal.print("\(saved.entries) entries of \(saved.transactions) transactions are in \(target)\n")
                    if !saved.isComplete || saved.orphans > 0 {
                        throw TransactionStoreError.damaged(path: path, reason: "something could not be read")
                    }
                    try Terminal.seeEnd(ending, of: "store repair", as: "the answer")
                }
            }
        }

        private static func telling(_ command: String, _ body: () throws -> Void) throws {
            do {
                try body()
            } catch let error as TransactionStoreError {
                Terminal.say("logbook store \(command): \(error)\n")
                switch error {
                case .damaged, .notADatabase: throw ExitCode(65)
                case .notAStore, .newerSchema: throw ExitCode(66)
                case .cannotOpen, .cannotRead: throw ExitCode(66)
                case .storeLocked, .busy: throw ExitCode(75)
                default: throw ExitCode(74)
                }
            }
        }
    }
#endif
