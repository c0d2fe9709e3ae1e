#if Collector
    internal import ArgumentParser

    struct LogbookCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "logbook",
            abstract: "Receives logs and transactions, and feeds any program's output to a log, and shows logs.",
            subcommands: [CollectCommand.self, PipeCommand.self, TailCommand.self])
    }
#endif
