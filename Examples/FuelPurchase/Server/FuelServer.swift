#if Examples
    import ArgumentParser
    import Foundation
    import FuelPurchase
    import Hummingbird
    import Logbook

    /// The garage's server. Stops at SIGTERM, after its part of the transactions is with the collector.
    @main
    struct FuelServer: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "fuel-server")

        @Option(help: "Port on 127.0.0.1; 0 takes a free one.") var port = 0
        @Option(help: "The collector's URL.") var collector: String
        @Option(help: "The collector's token.") var token: String
        @Option(help: "Folder for log files and the transaction store.") var folder: String
        @Option(help: "File for the summary.") var summary: String?
        @Option(help: "Seconds to wait for the collector at the end.") var deadline = 60.0

        func run() async throws {
            let providers = try Providers.register(
                for: try LogEnvironment.current(default: .production), in: folder, collector: collector, token: token)
            let server = Application(
                router: GarageServer(service: providers.service).router(),
                configuration: .init(address: .hostname("127.0.0.1", port: port)),
                onServerRunning: { channel in
                    let line = "listening on http://127.0.0.1:\(channel.localAddress?.port ?? 0)\n"
                    FileHandle.standardOutput.write(Data(line.utf8))
                })
            try await server.runService()   // until SIGTERM or SIGINT
            try await finish(providers, named: "server", summary: summary, deadline: deadline)
        }
    }
#else
    /// Built without the trait, there is nothing to run.
    @main
    enum FuelServer {
        static func main() { print("built without the trait Examples; use: swift run --traits Examples FuelServer") }
    }
#endif
