#if Collector
    internal import ArgumentParser

    struct LogbookCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "logbook",
            abstract: "Receives logs and transactions, feeds any program's output to a log, shows logs, uploads their files, and sends them to receivers.",
            subcommands: [
                CollectCommand.self, PipeCommand.self, TailCommand.self, ShipCommand.self, SendCommand.self, StoreCommand.self,
                DoctorCommand.self,
            ])
    }
#endif
