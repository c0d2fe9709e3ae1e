#if Transactions
import LogbookCore
import LogbookTestKit
import Testing

@testable import LogbookTransactions

/// The provider contract, for entries in a store.
@Suite(.serialized) struct TransactionConformanceTests {
    private static func recorded(_ transactions: [TransactionRecord]) -> [RecordedEvent] {
        transactions.flatMap { transaction in
            transaction.entries.map { entry in
                RecordedEvent(
                    time: entry.time,
                    transaction: TransactionEntry(
                        transactionID: transaction.id, usecase: transaction.usecase, kind: .happened(entry.event),
                        errorCode: entry.errorCode, errorDescription: entry.errorDescription,
                        device: DeviceFacts(
                            make: transaction.deviceMake ?? "", os: transaction.deviceOS ?? "",
                            osVersion: transaction.deviceOSVersion ?? "")))
            }
        }
    }

    /// What stands in the store, also after it was closed.
    private static func readBack(_ folder: TemporaryFolder, _ provider: TransactionLogProvider) throws -> [RecordedEvent] {
        do {
            return recorded(try provider.store.allTransactions())
        } catch TransactionStoreError.closed {
            let store = try TransactionStore(path: folder.store)
            defer { store.close() }
            return recorded(try store.allTransactions())
        }
    }

    @Test func entriesInAStoreConform() async {
        var claims = ConformanceClaims(visibility: .whenLogReturns)
        claims.keepsText = false   // NUL reads ␀
        claims.largestMessage = 64 << 10   // receivers take no more
        claims.timeResolution = .microseconds(2)   // seconds in a double, also those of 2262
        let report = await ProviderConformance(claims, patience: .seconds(240)) {
            let folder = TemporaryFolder()
            var configuration = TransactionLogConfiguration(storePath: folder.store)
            configuration.delivery.interval = nil
            let provider = try TransactionLogProvider(configuration: configuration)
            return ConformanceSpecimen(
                provider, readBack: { try Self.readBack(folder, provider) }, cleanUp: { try? provider.shutdown(by: .seconds(30)) })
        }.run()
        #expect(report.findings.isEmpty, "\(report)")
    }
}
#endif
