#if Examples
    public import Logbook
    public import LogbookTransactions

    /// Everything this program's log needs, chosen once, at program start.
    public struct Providers: Sendable {
        public let service: LogService
        public let transactions: TransactionLogProvider

        /// - Parameters:
        ///   - folder: Where log files and the transaction store live; made if it is missing.
        ///   - collector: The collector's base URL.
        public static func register(
            for environment: LogEnvironment, in folder: String, collector: String, token: String
        ) throws -> Providers {
            // A developer sees private values on the terminal; nobody else does.
            let service = LogService(privacy: environment == .development ? .revealed : .masked)

            switch environment {
            case .development:
                service.register(ConsoleLogProvider(), from: .verbose)
            case .staging:
                service.register(ConsoleLogProvider(), from: .warning)
                service.register(try FileLogProvider(in: folder, format: .jsonLines), from: .debug, delivery: .queued())
            case .production:
                service.register(ConsoleLogProvider(), from: .error)
                service.register(try FileLogProvider(in: folder), from: .info, delivery: .queued())
            }

            // Transactions are stored in every environment: committed before the call returns, delivered in the background.
            var configuration = TransactionLogConfiguration(
                storePath: folder + "/transactions.sqlite", storeURL: collector + "/v1/transactions", token: Secret(token))
            configuration.delivery.interval = .seconds(1)             // 20 s is the default; this run lasts seconds
            configuration.delivery.longestPause = .seconds(2)
            let transactions = try TransactionLogProvider(configuration: configuration)
            service.register(transactions)
            return Providers(service: service, transactions: transactions)
        }
    }
#endif
