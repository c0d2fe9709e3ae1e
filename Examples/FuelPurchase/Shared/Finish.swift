#if Examples
    import Foundation
    import Logbook
    import LogbookTransactions

    /// The end of a program: everything is made safe, the transactions are delivered, and what became of it all is written down.
    public func finish(
        _ providers: Providers, named program: String, summary path: String?, deadline: Double,
        facts: (inout Summary) -> Void = { _ in }
    ) async throws {
        var failure: (any Error)?
        do { try await providers.transactions.deliver(by: .seconds(deadline)) } catch { failure = error }
        let report = providers.service.shutdown(by: .seconds(5))
        if !report.isComplete { FileHandle.standardError.write(Data("\(program): \(report)\n".utf8)) }

        var summary = Summary()
        summary.add(providers, program: program)
        facts(&summary)
        if let path { try Data(summary.text.utf8).write(to: URL(fileURLWithPath: path)) }
        if let failure { throw failure }
    }
#endif
