// TransactionsVictim log STORE URL NUMBER [SECONDS]   logs events 1... of the transaction TXN1-<NUMBER>, and sends, until it is killed;
//                                              waits so long for an answer
// TransactionsVictim drain STORE URL           sends what is in the store, and ends
//
// It writes the number of each event that is stored to standard output.
#if Collector
    import LogbookCore
    import LogbookTransactions

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    alarm(300)   // whoever waits for this program must not wait for ever
    let arguments = CommandLine.arguments
    guard arguments.count >= 4 else { exit(64) }

    func put(_ text: String, into descriptor: Int32) {
        var text = text
        text.withUTF8 { if write(descriptor, $0.baseAddress, $0.count) != $0.count { exit(74) } }
    }

    do {
        var configuration = TransactionLogConfiguration(storePath: arguments[2], storeURL: arguments[3], token: "t")
        configuration.wireVersion = .v0_0_2
        configuration.parcelLimits.transactions = 5
        configuration.delivery = DeliveryPolicy(
            firstPause: .milliseconds(1), longestPause: .milliseconds(10), interval: .milliseconds(2))
        if arguments.count == 6, let seconds = Int(arguments[5]) { configuration.requestLimits.total = .seconds(seconds) }
        let provider = try TransactionLogProvider(configuration: configuration)
        switch arguments[1] {
        case "log":
            guard arguments.count >= 5 else { exit(64) }
            let service = LogService()
            service.register(provider)
            let transaction = service.transaction(
                continuing: "TXN1-\(arguments[4])", usecase: 1, device: DeviceFacts(make: "m", os: "o", osVersion: "1"))
            for number in 1... {
                transaction.log(number)
                if provider.ledger?.delivered == UInt64(number) { put("\(number)\n", into: 1) }
            }
        case "drain":
            try provider.deliver(by: .seconds(120))
            try provider.shutdown(by: .seconds(10))
        default: exit(64)
        }
    } catch {
        put("\(error)\n", into: 2)
        exit(1)
    }
#endif
