#if Examples
    import ArgumentParser
    import Foundation
    import FuelPurchase
    import Logbook

    /// Sends a population of drivers through the application and leaves their transactions with the collector.
    @main
    struct FuelClient: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "fuel-client")

        @Option(help: "The garage server's URL.") var server: String
        @Option(help: "The collector's URL.") var collector: String
        @Option(help: "The collector's token.") var token: String
        @Option(help: "Folder for log files and the transaction store.") var folder: String
        @Option(help: "How many drivers.") var drivers = 150
        @Option(help: "Seed of the drivers' choices.") var seed: UInt64 = 1
        @Option(help: "File for the summary.") var summary: String?
        @Option(help: "Seconds to wait for the collector at the end.") var deadline = 60.0

        func run() async throws {
            let providers = try Providers.register(
                for: try LogEnvironment.current(default: .production), in: folder, collector: collector, token: token)
            let screens = try ScreenTracking(beside: providers.service)
            let client = GarageClient(server: server)
            providers.service.info("\(drivers) drivers set out")

            let runs = try await withThrowingTaskGroup(of: [Usecase: Int].self) { group in
                var runs: [Usecase: Int] = [:]
                for number in 0..<drivers {
                    if number >= 16, let finished = try await group.next() { runs.merge(finished, uniquingKeysWith: +) }
                    group.addTask {
                        try await Person(number: number, seed: seed, service: providers.service, client: client).live()
                    }
                }
                for try await finished in group { runs.merge(finished, uniquingKeysWith: +) }
                return runs
            }

            providers.service.info("\(drivers) drivers are home again")
            try await finish(providers, named: "client", summary: summary, deadline: deadline) { text in
                text.add("client runs", runs.values.reduce(0, +))
                screens.add(to: &text)
            }
        }
    }
#else
    /// Built without the trait, there is nothing to run.
    @main
    enum FuelClient {
        static func main() { print("built without the trait Examples; use: swift run --traits Examples FuelClient") }
    }
#endif
