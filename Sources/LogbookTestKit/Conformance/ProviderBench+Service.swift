internal import LogbookCore

// Inside a service, beside others.
extension ProviderBench {
    func interest() throws {
        let interest = provider.interest
        service.register(provider)
        service.info("said")
        service.transaction(usecase: 7).log(2)
        service.error("failed")
        let report = doing("flush through a service") { service.flush(by: deadline) }
        try require(report.isComplete, "the service could not flush: \(report)")
        try doing("shutdown through a service") {
            let report = service.shutdown(by: deadline)
            try require(report.isComplete, "the service could not shut down: \(report)")
        }
        let records = try doing("readBack") { try specimen.readBack() }, held = Int(clamping: suppression.missing)
        switch interest {
        case .everything:
            try require(
                records.count + held == 4,
                "two messages and a transaction with two entries made \(records.count) records; its interest is everything")
        case .transactionEntries:
            let messages = records.count { $0.message == "said" || $0.message == "failed" }
            try require(
                (1...2).contains(records.count + held) && messages == 0,
                "two messages and a transaction with two entries made \(records.count) records; its interest is the entries alone")
        }
    }

    func reentrancy() throws {
        let echo = Echo(service, deadline: deadline)
        service.register(provider)
        service.register(provider)
        service.register(echo)
        let transaction = provider.interest == .transactionEntries ? service.transaction(usecase: 7) : nil
        let said = doing("log beside a provider that logs and flushes") {
            (1...5).map { number in
                if let transaction { transaction.log(number) } else { service.info("said \(number)") }
                return "said \(number)"
            }
        }
        let report = doing("flush through a service") { service.flush(by: deadline) }
        try require(report.isComplete, "the service could not flush: \(report)")
        let records = try doing("readBack") { try specimen.readBack() }, held = Int(clamping: suppression.missing)
        if transaction != nil {
            return try require(records.count + held >= said.count, "of \(said.count) entries \(records.count) were read back")
        }
        try require(
            records.count + held >= said.count + echo.answers.count,
            "\(said.count) events and \(echo.answers.count) that were logged from inside made \(records.count) records")
        guard held == 0, records.allSatisfy({ $0.message != nil }) else { return }
        let messages = Set(records.compactMap(\.message))
        for message in said + echo.answers {
            try require(messages.contains(message), "\(Reading.quoted(message)) is missing")
        }
    }
}
